// SPDX-License-Identifier: MIT
#include "global_advice.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "../../json.hpp"
#include "../../utf8.hpp"
#include "../engine/values.hpp"
#include "page.hpp"

namespace compiled {

using command_line::json_string;

using advice_kind = global_advice::kind;

namespace {

constexpr int segment_bytes = 128;  // no machine has a longer segment

bool has_exact_requests(const recorded_access& access) {
  return !access.is_partial && access.bounded.empty() && access.moved.empty();
}

using access_list = std::vector<recorded_access>;

// Prices accesses as written: joined accesses may not be aligned after a move.
bm::memory_traffic traffic_of_all(const bm::machine& m, access_list accesses) {
  recording part;
  part.accesses = std::move(accesses);
  for (recorded_access& access : part.accesses) access.issued_bytes = access.issued_offset = 0;
  return priced_on(m, part).traffic;
}

std::uint64_t transactions_of(const bm::machine& m, access_list accesses) {
  return traffic_of_all(m, std::move(accesses)).transactions;
}

// The access with other widths, bases and distances of lanes from them.
template <class Base, class Distance>
recorded_access changed_access(const recorded_access& access, int bytes, const Base& base_of,
                               const Distance& distance_of) {
  recorded_access result = access;
  result.memory.bytes = bytes;
  result.memory.elements = 1;
  for (recorded_class& group : result.classes) {
    group.lanes.bytes = bytes;
    for (long long& distance : group.lanes.address) distance = distance_of(distance);
    std::map<long long, std::uint64_t> times;
    for (const auto& [base, often] : group.times) times[base_of(base)] += often;
    group.times = std::move(times);
  }
  return result;
}

const priced_access* same_row(const priced& costs, const priced_access& row) {
  for (const priced_access& other : costs.global)
    if (is_counted_in(row, *other.first)) return &other;
  return nullptr;
}

// The addresses of an access: a base, and lanes at distances from it.
template <class Visit>
void for_each_distance(const recorded_class& group, const Visit& visit) {
  for_each_lane(group.lanes.active, [&](int lane) { visit(group.lanes.address[lane]); });
}

long long least_address(const recorded_access& access) {
  long long result = INT64_MAX;
  for (const recorded_class& group : access.classes)
    for_each_distance(group, [&](long long distance) {
      result = std::min(result, group.times.begin()->first + distance);
    });
  return result;
}

// The largest number of bytes that all addresses are apart by multiples of.
long long distance_of_elements(const recorded_access& access) {
  const long long first = least_address(access);
  long long result = 0;
  for (const recorded_class& group : access.classes) {
    for_each_distance(group, [&](long long distance) { result = std::gcd(result, distance); });
    for (const auto& [base, often] : group.times) result = std::gcd(result, base - first);
  }
  return result;
}

bool are_multiples(const recorded_access& access, int bytes) {
  return least_address(access) % bytes == 0 && distance_of_elements(access) % bytes == 0;
}

class advice_finder {
 public:
  advice_finder(const page& kernel_page, const recording& issued, const recording* exchanged)
      : page_(kernel_page), m_(kernel_page.machine), issued_(issued) {
    if (exchanged == nullptr) return;
    exchanged_ = priced_on(m_, *exchanged);
    has_exchanged_ =
        exchanged_.bounded_traffic.minimum == kernel_page.costs.bounded_traffic.minimum &&
        exchanged_.bounded_traffic.maximum == kernel_page.costs.bounded_traffic.maximum &&
        exchanged_.maximum == kernel_page.costs.maximum;
  }

  std::vector<global_advice> find() {
    if (page_.costs.traffic.transactions == page_.costs.traffic.ideal) return {};
    add_exchange();
    add_wide_accesses();
    std::set<int> arrays;
    for (const priced_access& row : page_.costs.global)
      if (row.first->array >= 0 && row.traffic.transactions > row.traffic.ideal)
        arrays.insert(row.first->array);
    for (const int array : arrays) {
      const access_list accesses = accesses_to(array);
      if (accesses.empty()) continue;
      add_moved_start(array, accesses);
      add_own_arrays(array, accesses);
    }
    for (const priced_access& row : page_.costs.global)
      if (row.traffic.transactions > row.traffic.ideal && !row.is_partial) add_tile(row);
    return std::move(advice_);
  }

 private:
  // What the access takes with the changes that were found, each alone.
  std::uint64_t least_of(const priced_access& row) const {
    const auto known = lowest_transactions_.find(&row);
    return known == lowest_transactions_.end() ? row.traffic.transactions : known->second;
  }
  std::uint64_t least_of_array(int array) const {
    std::uint64_t result = 0;
    for (const priced_access& row : page_.costs.global)
      if (row.first->array == array) result += least_of(row);
    return result;
  }
  // "Line 7: load a"
  std::string text_of_access(const recorded_access& access) const {
    const std::string name = array_name(*page_.kernel, access);
    const int line = access.location.line;
    return joined(line > 0 ? joined("Line ", line, ": ") : "", verb_of(access.memory.operation),
                  name.empty() ? "" : " ", name);
  }
  // Empty if not all are known: one that is not may be to this array.
  access_list accesses_to(int array) const {
    access_list result;
    for (const recorded_access& access : page_.recorded->accesses) {
      if (!access.is_global || (access.array != array && access.array >= 0)) continue;
      if (access.array < 0 || !has_exact_requests(access)) return {};
      result.push_back(access);
    }
    return result;
  }

  // Never at the cost of conflicts.
  void add_exchange() {
    const bm::memory_traffic &current = page_.costs.traffic, &changed = exchanged_.traffic;
    const bm::cost &shared = page_.costs.cost, &changed_cost = exchanged_.cost;
    if (!has_exchanged_ || changed.transactions >= current.transactions ||
        changed_cost.wavefronts > shared.wavefronts)
      return;
    const bm::block_dim& block = page_.settings.block;
    saved_by_exchange_ = current.transactions - changed.transactions;
    advice_.push_back(
        {advice_kind::exchanged_threads,
         {},
         "",
         joined("Exchange threadIdx.x and threadIdx.y, blockDim.x and blockDim.y, and "
                "launch blocks of ",
                command_line::text_of({block.y, block.x, block.z})),
         current.transactions,
         changed.transactions,
         shared.wavefronts,
         changed_cost.wavefronts});
    for (const priced_access& row : page_.costs.global)
      if (const priced_access* const other = same_row(exchanged_, row))
        lowest_transactions_[&row] = other->traffic.transactions;
  }

  // Neighbours that are executed together, and that compilers leave apart.
  void add_wide_accesses() {
    const access_list& accesses = issued_.accesses;
    for (std::size_t first = 0; first < accesses.size(); ++first) {
      if (!accesses[first].is_global || accesses[first].issued_with >= 0 ||
          !accesses[first].neighbours.empty())
        continue;
      // By distance.
      std::map<long long, const recorded_access*> neighbours = {{0, &accesses[first]}};
      for (std::size_t number = first + 1; number < accesses.size(); ++number)
        for (const near_access& pair : accesses[number].neighbours)
          if (pair.access == static_cast<int>(first) && accesses[number].issued_with < 0)
            neighbours.emplace(pair.distance, &accesses[number]);
      add_wide_access(neighbours);
    }
  }
  void add_wide_access(const std::map<long long, const recorded_access*>& neighbours) {
    const recorded_access& lowest = *neighbours.begin()->second;
    const int bytes = bytes_as_written(lowest.memory), count = static_cast<int>(neighbours.size());
    const int wide = bytes * count;
    if (count < 2 || wide > 16 || (wide & (wide - 1)) != 0) return;
    access_list parts;
    long long next = neighbours.begin()->first;
    for (const auto& [distance, access] : neighbours) {
      if (distance != next || bytes_as_written(access->memory) != bytes ||
          access->memory.operation != lowest.memory.operation ||
          access->memory.operation == access_does::atomic || access->memory.is_volatile ||
          !has_exact_requests(*access))
        return;
      next += bytes;
      parts.push_back(*access);
    }
    if (!are_multiples(lowest, wide)) return;
    const bm::memory_traffic traffic = traffic_of_all(m_, std::move(parts));
    if (traffic.transactions == traffic.ideal) return;  // of few lanes, or of one address
    const std::uint64_t current = traffic.transactions;
    const std::uint64_t changed =
        transactions_of(m_, {changed_access(lowest, wide, std::identity(), std::identity())});
    if (changed >= current) return;
    saved_by_vectors_[lowest.array] += current - changed;
    advice_.push_back({advice_kind::wide_access, lowest.location, array_name(*page_.kernel, lowest),
                       joined(text_of_access(lowest), " with one access of ", wide,
                              " bytes, a vector, instead of ", count, " of ", bytes),
                       current, changed, 0, 0});
  }

  // All accesses to an array move with it.
  void add_moved_start(int array, const access_list& accesses) {
    int unit = 1;
    for (const recorded_access& access : accesses)
      unit = std::max(unit, alignment_of(access.memory));
    const std::uint64_t current = transactions_of(m_, accesses);
    std::uint64_t lowest = current;
    int best = 0;
    for (int shift = unit; shift < segment_bytes; shift += unit) {
      access_list moved;
      for (const recorded_access& access : accesses)
        moved.push_back(changed_access(
            access, bytes_as_written(access.memory),
            [&](long long base) { return (base + shift) % global_period; }, std::identity()));
      const std::uint64_t changed = transactions_of(m_, std::move(moved));
      if (changed >= lowest) continue;
      lowest = changed;
      best = shift;
    }
    if (best == 0 || lowest >= least_of_array(array)) return;
    const std::string name = array_name(*page_.kernel, accesses.front());
    advice_.push_back({advice_kind::moved_start,
                       {},
                       name,
                       joined("Array ", name, ": let it begin ", best,
                              " bytes after a multiple of ", segment_bytes),
                       current,
                       lowest,
                       0,
                       0});
  }

  // Members of structures, of which no access takes two.
  void add_own_arrays(int array, const access_list& accesses) {
    constexpr long long longest_structure = 128;
    if (page_.recorded->has_merged_bases) return;
    long long stride = 0;
    for (const recorded_access& access : accesses)
      stride = std::gcd(stride, distance_of_elements(access));
    if (stride == 0 || stride > longest_structure) return;  // 0: of one address
    access_list packed;
    for (const recorded_access& access : accesses) {
      const int bytes = bytes_as_written(access.memory);
      const long long member = (least_address(access) % stride + stride) % stride;
      if (bytes >= stride || member + bytes > stride) return;
      packed.push_back(changed_access(
          access, bytes, [&](long long base) { return (base - member) / stride * bytes; },
          [&](long long distance) { return distance / stride * bytes; }));
    }
    const std::uint64_t current = transactions_of(m_, accesses),
                        changed = transactions_of(m_, std::move(packed));
    if (changed >= least_of_array(array) || current - changed <= saved_by_vectors_[array]) return;
    const std::string name = array_name(*page_.kernel, accesses.front());
    advice_.push_back({advice_kind::own_arrays,
                       {},
                       name,
                       joined("Array ", name, ": give its members, which are ", stride,
                              " bytes apart, arrays of their own (a structure of arrays)"),
                       current,
                       changed,
                       0,
                       0});
  }

  // Values go through shared memory, so that neighbouring lanes access what lanes along y did.
  void add_tile(const priced_access& row) {
    if (!has_exchanged_ || row.first->memory.operation == access_does::atomic) return;
    const priced_access* const other = same_row(exchanged_, row);
    if (other == nullptr || other->traffic.requests != row.traffic.requests ||
        other->traffic.transactions + saved_by_exchange_ >= row.traffic.transactions)
      return;
    // What several lanes load is no exchange of values.
    const int bytes = bytes_as_written(row.first->memory);
    if (other->traffic.bytes_used != other->lanes * static_cast<std::uint64_t>(bytes)) return;
    const bm::block_dim& block = page_.settings.block;
    const long long threads = 1ll * block.x * block.y * block.z;
    const auto warps = static_cast<std::uint64_t>((threads + m_.lanes - 1) / m_.lanes);
    if (row.traffic.requests % warps != 0) return;
    const bool is_load = row.first->memory.operation == access_does::load;
    int best = 0;
    std::uint64_t lowest = wavefronts_of_tile(bytes, 0, is_load);
    for (int padding = 1; padding < m_.lanes; ++padding)
      if (const std::uint64_t current = wavefronts_of_tile(bytes, padding, is_load);
          current < lowest) {
        lowest = current;
        best = padding;
      }
    const std::string pitch = best == 0 ? std::to_string(block.x) : joined(block.x, " + ", best),
                      layer = block.z > 1 ? "[threadIdx.z]" : "",
                      own = joined("tile", layer, "[threadIdx.y][threadIdx.x]"),
                      other_place = joined("tile", layer, "[y][x]"),
                      exchange = joined("with x = t / ", block.y, " for threadIdx.x and y = t % ",
                                        block.y, " for threadIdx.y, where t = threadIdx.y * ",
                                        block.x, " + threadIdx.x");
    advice_.push_back(
        {advice_kind::tile, row.first->location, array_name(*page_.kernel, *row.first),
         joined(text_of_access(*row.first), " through a tile in shared memory, tile",
                block.z > 1 ? joined("[", block.z, "]") : "", "[", block.y, "][", pitch, "]: ",
                is_load ? joined("load into ", other_place, " ", exchange,
                                 ", call __syncthreads(), and read ", own)
                        : joined("store to ", own, ", call __syncthreads(), and then store ",
                                 other_place, " here ", exchange)),
         row.traffic.transactions, other->traffic.transactions, 0,
         lowest * (row.traffic.requests / warps)});
  }
  // Of a block that accesses rows, which have `padding` further elements, and then columns, or
  // first columns.
  std::uint64_t wavefronts_of_tile(int bytes, int padding, bool columns_first) const {
    const bm::block_dim& block = page_.settings.block;
    const long long threads = 1ll * block.x * block.y * block.z, pitch = block.x + padding;
    std::uint64_t result = 0;
    for (long long first = 0; first < threads; first += m_.lanes) {
      bm::request rows, columns;
      rows.bytes = columns.bytes = bytes;
      rows.kind = columns_first ? bm::access_kind::load : bm::access_kind::store;
      columns.kind = columns_first ? bm::access_kind::store : bm::access_kind::load;
      for (int lane = 0; lane < m_.lanes && first + lane < threads; ++lane) {
        const long long thread = first + lane, layer = thread / block.x / block.y * block.y;
        rows.active |= std::uint64_t{1} << lane;
        rows.address[lane] =
            ((layer + thread / block.x % block.y) * pitch + thread % block.x) * bytes;
        columns.address[lane] =
            ((layer + thread % block.y) * pitch + thread / block.y % block.x) * bytes;
      }
      columns.active = rows.active;
      result += bm::total(m_, rows).wavefronts + bm::total(m_, columns).wavefronts;
    }
    return result;
  }

  const page& page_;
  const bm::machine& m_;
  priced exchanged_;
  const recording& issued_;
  bool has_exchanged_ = false;
  std::uint64_t saved_by_exchange_ = 0;
  std::map<int, std::uint64_t> saved_by_vectors_;  // by array
  std::map<const priced_access*, std::uint64_t> lowest_transactions_;
  std::vector<global_advice> advice_;
};

const char* name_of(advice_kind is) {
  switch (is) {
    case advice_kind::exchanged_threads: return "exchanged-threads";
    case advice_kind::wide_access: return "wide-access";
    case advice_kind::moved_start: return "moved-start";
    case advice_kind::own_arrays: return "own-arrays";
    case advice_kind::longer_rows: return "longer-rows";
    case advice_kind::transposed: return "transposed";
    default: return "tile";
  }
}

}  // namespace

std::vector<global_advice> advice_of(const page& kernel_page, const recording* issued,
                                     const recording* exchanged) {
  return advice_finder(kernel_page, issued == nullptr ? *kernel_page.recorded : *issued, exchanged)
      .find();
}

namespace {

advice_kind kind_of(bm::traffic_remedy remedy) {
  using bm::traffic_remedy;
  switch (remedy) {
    case traffic_remedy::base: return advice_kind::moved_start;
    case traffic_remedy::rows:
    case traffic_remedy::rows_and_base: return advice_kind::longer_rows;
    case traffic_remedy::thread_axes: return advice_kind::exchanged_threads;
    case traffic_remedy::transposed: return advice_kind::transposed;
    case traffic_remedy::tile: return advice_kind::tile;
    default: return advice_kind::wide_access;
  }
}

}  // namespace

std::vector<global_advice> advice_of(const bm::traffic_explanation& explanation,
                                     const std::vector<std::string>& loop_names,
                                     const place& location, const std::string& array) {
  std::vector<global_advice> result;
  for (int number = 0; number < explanation.changes.count; ++number) {
    const bm::traffic_change& change = explanation.changes.each[number];
    const advice_kind kind = kind_of(change.what);
    if (includes(result, kind, &global_advice::is)) continue;
    global_advice& advice = result.emplace_back();
    advice.is = kind;
    advice.location = location;
    advice.array = array;
    advice.text = joined("Line ", location.line, ", ", array, ", this access alone: ",
                         bm::detail::text_of_change(explanation, change, loop_names));
    advice.transactions_before = change.before.transactions;
    advice.transactions_after = change.after.transactions;
  }
  return result;
}

std::string text_of(const global_advice& advice) {
  const std::string counts =
      joined(bm::detail::counted_in_words(advice.transactions_after, "transaction"),
             " in global memory instead of ", bm::grouped(advice.transactions_before));
  std::string shared;
  if (advice.is == advice_kind::tile && advice.wavefronts_after != 0)
    shared = joined(", and ", bm::detail::counted_in_words(advice.wavefronts_after, "wavefront"),
                    " more in shared memory");
  else if (advice.wavefronts_after != advice.wavefronts_before)
    shared = joined(", and ", bm::detail::counted_in_words(advice.wavefronts_after, "wavefront"),
                    " in shared memory instead of ", bm::grouped(advice.wavefronts_before));
  return command_line::printable(joined(advice.text, ": ", counts, shared, "."));
}

bool is_about(const global_advice& advice, const page& kernel_page, const recorded_access& access) {
  if (advice.location.line > 0)
    return std::tie(advice.location.file, advice.location.line, advice.location.column) ==
           std::tie(access.location.file, access.location.line, access.location.column);
  return advice.array.empty() || advice.array == array_name(*kernel_page.kernel, access);
}

std::string json_of_advice(const page& kernel_page) {
  command_line::list entries("        ");
  for (const global_advice& advice : kernel_page.advice)
    entries.add(joined(
        "{\"kind\": \"", name_of(advice.is),
        "\", \"file\": ", json_string(file_of(*kernel_page.kernel, advice.location)),
        ", \"line\": ", advice.location.line, ", \"column\": ", advice.location.column,
        ", \"array\": ", json_string(advice.array), ", \"message\": ", json_string(text_of(advice)),
        ",\n         \"transactions_before\": ", advice.transactions_before,
        ", \"transactions_after\": ", advice.transactions_after, ", \"wavefronts_before\": ",
        advice.wavefronts_before, ", \"wavefronts_after\": ", advice.wavefronts_after, "}"));
  return entries.text();
}

}  // namespace compiled
