// SPDX-License-Identifier: MIT
#include "global_advice.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "../../json.hpp"
#include "../../utf8.hpp"
#include "../engine/values.hpp"
#include "page.hpp"

namespace compiled {

using command_line::joined;
using command_line::json_string;
using advice_kind = global_advice::kind;

namespace {

constexpr int segment_bytes = 128;  // no machine has a longer segment

bool has_exact_requests(const recorded_access& access) {
  return !access.is_partial && access.bounded.empty() && access.moved.empty();
}

using access_list = std::vector<recorded_access>;

bm::memory_traffic traffic_of_all(const bm::machine& m, access_list accesses) {
  recording part;
  part.accesses = std::move(accesses);
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
  for (recorded_class& each : result.classes) {
    each.lanes.bytes = bytes;
    for (long long& distance : each.lanes.address) distance = distance_of(distance);
    std::map<long long, std::uint64_t> times;
    for (const auto& [base, often] : each.times) times[base_of(base)] += often;
    each.times = std::move(times);
  }
  return result;
}

const priced_access* same_row(const priced& in, const priced_access& row) {
  for (const priced_access& other : in.global)
    if (is_counted_in(row, *other.first)) return &other;
  return nullptr;
}

// The addresses of an access: a base, and lanes at distances from it.
template <class Visit>
void for_each_distance(const recorded_class& of, const Visit& visit) {
  for_each_lane(of.lanes.active, [&](int lane) { visit(of.lanes.address[lane]); });
}

long long least_address(const recorded_access& access) {
  long long result = INT64_MAX;
  for (const recorded_class& each : access.classes)
    for_each_distance(each, [&](long long distance) {
      result = std::min(result, each.times.begin()->first + distance);
    });
  return result;
}

// The largest number of bytes that all addresses are apart by multiples of.
long long distance_of_elements(const recorded_access& access) {
  const long long first = least_address(access);
  long long result = 0;
  for (const recorded_class& each : access.classes) {
    for_each_distance(each, [&](long long distance) { result = std::gcd(result, distance); });
    for (const auto& [base, often] : each.times) result = std::gcd(result, base - first);
  }
  return result;
}

bool are_multiples(const recorded_access& access, int bytes) {
  return least_address(access) % bytes == 0 && distance_of_elements(access) % bytes == 0;
}

class advice_finder {
 public:
  advice_finder(const page& of, const recording& issued, const recording* exchanged)
      : of_(of), m_(of.machine), issued_(issued) {
    if (exchanged == nullptr) return;
    exchanged_ = priced_on(m_, *exchanged);
    has_exchanged_ = exchanged_.bounded_traffic.least == of.costs.bounded_traffic.least &&
                     exchanged_.bounded_traffic.most == of.costs.bounded_traffic.most &&
                     exchanged_.most == of.costs.most;
  }

  std::vector<global_advice> found() {
    if (of_.costs.traffic.transactions == of_.costs.traffic.ideal) return {};
    add_exchange();
    add_wide_accesses();
    std::set<int> arrays;
    for (const priced_access& row : of_.costs.global)
      if (row.first->array >= 0 && row.traffic.transactions > row.traffic.ideal)
        arrays.insert(row.first->array);
    for (const int array : arrays) {
      const access_list all = accesses_to(array);
      if (all.empty()) continue;
      add_moved_start(array, all);
      add_own_arrays(array, all);
    }
    for (const priced_access& row : of_.costs.global)
      if (row.traffic.transactions > row.traffic.ideal && !row.is_partial) add_tile(row);
    return std::move(found_);
  }

 private:
  // What the access takes with the changes that were found, each alone.
  std::uint64_t least_of(const priced_access& row) const {
    const auto known = least_.find(&row);
    return known == least_.end() ? row.traffic.transactions : known->second;
  }
  std::uint64_t least_of_array(int array) const {
    std::uint64_t result = 0;
    for (const priced_access& row : of_.costs.global)
      if (row.first->array == array) result += least_of(row);
    return result;
  }
  // "Line 7: load a"
  std::string text_of_access(const recorded_access& access) const {
    const std::string name = array_name(*of_.kernel, access);
    const int line = access.where.line;
    return joined(line > 0 ? joined("Line ", line, ": ") : "", verb_of(access.memory.does),
                  name.empty() ? "" : " ", name);
  }
  // Empty if not all are known: one that is not may be to this array.
  access_list accesses_to(int array) const {
    access_list result;
    for (const recorded_access& access : of_.recorded->accesses) {
      if (!access.is_global || (access.array != array && access.array >= 0)) continue;
      if (access.array < 0 || !has_exact_requests(access)) return {};
      result.push_back(access);
    }
    return result;
  }

  // Never at the cost of conflicts.
  void add_exchange() {
    const bm::memory_traffic &now = of_.costs.traffic, &then = exchanged_.traffic;
    const bm::cost &shared = of_.costs.cost, &its = exchanged_.cost;
    if (!has_exchanged_ || then.transactions >= now.transactions ||
        its.wavefronts > shared.wavefronts)
      return;
    const bm::block_dim& block = of_.how.block;
    saved_by_exchange_ = now.transactions - then.transactions;
    found_.push_back({advice_kind::exchanged_threads,
                      {},
                      "",
                      joined("Exchange threadIdx.x and threadIdx.y, blockDim.x and blockDim.y, and "
                             "launch blocks of ",
                             command_line::text_of({block.y, block.x, block.z})),
                      now.transactions,
                      then.transactions,
                      shared.wavefronts,
                      its.wavefronts});
    for (const priced_access& row : of_.costs.global)
      if (const priced_access* const other = same_row(exchanged_, row))
        least_[&row] = other->traffic.transactions;
  }

  // Neighbours that are executed together, and that compilers leave apart.
  void add_wide_accesses() {
    const access_list& all = issued_.accesses;
    for (std::size_t first = 0; first < all.size(); ++first) {
      if (!all[first].is_global || all[first].issued_with >= 0 || !all[first].near.empty())
        continue;
      std::map<long long, const recorded_access*> near = {{0, &all[first]}};  // by distance
      for (std::size_t number = first + 1; number < all.size(); ++number)
        for (const near_access& pair : all[number].near)
          if (pair.access == static_cast<int>(first) && all[number].issued_with < 0)
            near.emplace(pair.distance, &all[number]);
      add_wide_access(near);
    }
  }
  void add_wide_access(const std::map<long long, const recorded_access*>& near) {
    const recorded_access& lowest = *near.begin()->second;
    const int bytes = bytes_as_written(lowest.memory), count = static_cast<int>(near.size());
    const int wide = bytes * count;
    if (count < 2 || wide > 16 || (wide & (wide - 1)) != 0) return;
    access_list apart;
    long long next = near.begin()->first;
    for (const auto& [distance, access] : near) {
      if (distance != next || bytes_as_written(access->memory) != bytes ||
          access->memory.does != lowest.memory.does || access->memory.does == access_does::atomic ||
          access->memory.is_volatile || !has_exact_requests(*access))
        return;
      next += bytes;
      apart.push_back(*access);
    }
    if (!are_multiples(lowest, wide)) return;
    const bm::memory_traffic all = traffic_of_all(m_, std::move(apart));
    if (all.transactions == all.ideal) return;  // of few lanes, or of one address
    const std::uint64_t now = all.transactions;
    const std::uint64_t then =
        transactions_of(m_, {changed_access(lowest, wide, std::identity(), std::identity())});
    if (then >= now) return;
    saved_by_vectors_[lowest.array] += now - then;
    found_.push_back({advice_kind::wide_access, lowest.where, array_name(*of_.kernel, lowest),
                      joined(text_of_access(lowest), " with one access of ", wide,
                             " bytes, a vector, instead of ", count, " of ", bytes),
                      now, then, 0, 0});
  }

  // All accesses to an array move with it.
  void add_moved_start(int array, const access_list& all) {
    int unit = 1;
    for (const recorded_access& access : all) unit = std::max(unit, alignment_of(access.memory));
    const std::uint64_t now = transactions_of(m_, all);
    std::uint64_t least = now;
    int best = 0;
    for (int more = unit; more < segment_bytes; more += unit) {
      access_list moved;
      for (const recorded_access& access : all)
        moved.push_back(changed_access(
            access, bytes_as_written(access.memory),
            [&](long long base) { return (base + more) % global_period; }, std::identity()));
      const std::uint64_t then = transactions_of(m_, std::move(moved));
      if (then >= least) continue;
      least = then;
      best = more;
    }
    if (best == 0 || least >= least_of_array(array)) return;
    const std::string name = array_name(*of_.kernel, all.front());
    found_.push_back({advice_kind::moved_start,
                      {},
                      name,
                      joined("Array ", name, ": let it begin ", best, " bytes after a multiple of ",
                             segment_bytes),
                      now,
                      least,
                      0,
                      0});
  }

  // Members of structures, of which no access takes two.
  void add_own_arrays(int array, const access_list& all) {
    constexpr long long longest_structure = 128;
    if (of_.recorded->has_merged_bases) return;
    long long apart = 0;
    for (const recorded_access& access : all) apart = std::gcd(apart, distance_of_elements(access));
    if (apart == 0 || apart > longest_structure) return;  // 0: of one address
    access_list packed;
    for (const recorded_access& access : all) {
      const int bytes = bytes_as_written(access.memory);
      const long long member = (least_address(access) % apart + apart) % apart;
      if (bytes >= apart || member + bytes > apart) return;
      packed.push_back(changed_access(
          access, bytes, [&](long long base) { return (base - member) / apart * bytes; },
          [&](long long distance) { return distance / apart * bytes; }));
    }
    const std::uint64_t now = transactions_of(m_, all),
                        then = transactions_of(m_, std::move(packed));
    if (then >= least_of_array(array) || now - then <= saved_by_vectors_[array]) return;
    const std::string name = array_name(*of_.kernel, all.front());
    found_.push_back({advice_kind::own_arrays,
                      {},
                      name,
                      joined("Array ", name, ": give its members, which are ", apart,
                             " bytes apart, arrays of their own (a structure of arrays)"),
                      now,
                      then,
                      0,
                      0});
  }

  // Values go through shared memory, so that neighbouring lanes access what lanes along y did.
  void add_tile(const priced_access& row) {
    if (!has_exchanged_ || row.first->memory.does == access_does::atomic) return;
    const priced_access* const other = same_row(exchanged_, row);
    if (other == nullptr || other->traffic.requests != row.traffic.requests ||
        other->traffic.transactions + saved_by_exchange_ >= row.traffic.transactions)
      return;
    // What several lanes load is no exchange of values.
    const int bytes = bytes_as_written(row.first->memory);
    if (other->traffic.bytes_used != other->lanes * static_cast<std::uint64_t>(bytes)) return;
    const bm::block_dim& block = of_.how.block;
    const long long threads = 1ll * block.x * block.y * block.z;
    const auto warps = static_cast<std::uint64_t>((threads + m_.lanes - 1) / m_.lanes);
    if (row.traffic.requests % warps != 0) return;
    const bool is_load = row.first->memory.does == access_does::load;
    int best = 0;
    std::uint64_t least = wavefronts_of_tile(bytes, 0, is_load);
    for (int more = 1; more < m_.lanes; ++more)
      if (const std::uint64_t now = wavefronts_of_tile(bytes, more, is_load); now < least) {
        least = now;
        best = more;
      }
    const std::string pitch = best == 0 ? std::to_string(block.x) : joined(block.x, " + ", best),
                      layer = block.z > 1 ? "[threadIdx.z]" : "",
                      own = joined("tile", layer, "[threadIdx.y][threadIdx.x]"),
                      other_place = joined("tile", layer, "[y][x]"),
                      exchange = joined("with x = t / ", block.y, " for threadIdx.x and y = t % ",
                                        block.y, " for threadIdx.y, where t = threadIdx.y * ",
                                        block.x, " + threadIdx.x");
    found_.push_back(
        {advice_kind::tile, row.first->where, array_name(*of_.kernel, *row.first),
         joined(text_of_access(*row.first), " through a tile in shared memory, tile",
                block.z > 1 ? joined("[", block.z, "]") : "", "[", block.y, "][", pitch, "]: ",
                is_load ? joined("load into ", other_place, " ", exchange,
                                 ", call __syncthreads(), and read ", own)
                        : joined("store to ", own, ", call __syncthreads(), and then store ",
                                 other_place, " here ", exchange)),
         row.traffic.transactions, other->traffic.transactions, 0,
         least * (row.traffic.requests / warps)});
  }
  // Of a block that accesses rows, which have `more` further elements, and then columns, or first
  // columns.
  std::uint64_t wavefronts_of_tile(int bytes, int more, bool columns_first) const {
    const bm::block_dim& block = of_.how.block;
    const long long threads = 1ll * block.x * block.y * block.z, pitch = block.x + more;
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

  const page& of_;
  const bm::machine& m_;
  priced exchanged_;
  const recording& issued_;
  bool has_exchanged_ = false;
  std::uint64_t saved_by_exchange_ = 0;
  std::map<int, std::uint64_t> saved_by_vectors_;  // by array
  std::map<const priced_access*, std::uint64_t> least_;
  std::vector<global_advice> found_;
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

std::vector<global_advice> advice_of(const page& of, const recording* issued,
                                     const recording* exchanged) {
  return advice_finder(of, issued == nullptr ? *of.recorded : *issued, exchanged).found();
}

namespace {

advice_kind kind_of(bm::traffic_remedy of) {
  using bm::traffic_remedy;
  switch (of) {
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

std::vector<global_advice> advice_of(const bm::traffic_explanation& of,
                                     const std::vector<std::string>& loop_names, const place& where,
                                     const std::string& array) {
  std::vector<global_advice> result;
  for (int number = 0; number < of.changes.count; ++number) {
    const bm::traffic_change& change = of.changes.each[number];
    const advice_kind kind = kind_of(change.what);
    if (std::any_of(result.begin(), result.end(),
                    [&](const global_advice& one) { return one.is == kind; }))
      continue;
    global_advice& one = result.emplace_back();
    one.is = kind;
    one.where = where;
    one.array = array;
    one.text = joined("Line ", where.line, ", ", array,
                      ", this access alone: ", bm::detail::text_of_change(of, change, loop_names));
    one.transactions_before = change.before.transactions;
    one.transactions_after = change.after.transactions;
  }
  return result;
}

std::string text_of(const global_advice& one) {
  const std::string counts =
      joined(bm::detail::counted_in_words(one.transactions_after, "transaction"),
             " in global memory instead of ", bm::grouped(one.transactions_before));
  std::string shared;
  if (one.is == advice_kind::tile && one.wavefronts_after != 0)
    shared = joined(", and ", bm::detail::counted_in_words(one.wavefronts_after, "wavefront"),
                    " more in shared memory");
  else if (one.wavefronts_after != one.wavefronts_before)
    shared = joined(", and ", bm::detail::counted_in_words(one.wavefronts_after, "wavefront"),
                    " in shared memory instead of ", bm::grouped(one.wavefronts_before));
  return command_line::printable(joined(one.text, ": ", counts, shared, "."));
}

bool is_about(const global_advice& one, const page& of, const recorded_access& access) {
  if (one.where.line > 0)
    return std::tie(one.where.file, one.where.line, one.where.column) ==
           std::tie(access.where.file, access.where.line, access.where.column);
  return one.array.empty() || one.array == array_name(*of.kernel, access);
}

std::string json_of_advice(const page& of) {
  command_line::list all("        ");
  for (const global_advice& one : of.advice)
    all.add(joined("{\"kind\": \"", name_of(one.is), "\", \"file\": ",
                   json_string(file_of(*of.kernel, one.where)), ", \"line\": ", one.where.line,
                   ", \"column\": ", one.where.column, ", \"array\": ", json_string(one.array),
                   ", \"message\": ", json_string(text_of(one)),
                   ",\n         \"transactions_before\": ", one.transactions_before,
                   ", \"transactions_after\": ", one.transactions_after,
                   ", \"wavefronts_before\": ", one.wavefronts_before,
                   ", \"wavefronts_after\": ", one.wavefronts_after, "}"));
  return all.text();
}

}  // namespace compiled
