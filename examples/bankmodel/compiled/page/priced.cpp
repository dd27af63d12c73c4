// SPDX-License-Identifier: MIT
#include "priced.hpp"

#include <algorithm>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/global/cached_loads.hpp>
#include <bankmodel/global/transactions.hpp>
#include <bankmodel/host/profile/detail/requested_bytes.hpp>
#include <bit>
#include <tuple>

#include "../engine/values.hpp"
#include "../issued/issued.hpp"

namespace compiled {

namespace {

// The classes of one lane pattern: bases that are equally far apart and equally frequent are one.
void add_classes(const recorded_class& group, std::vector<bm::request_class>& classes) {
  for (auto first = group.times.begin(); first != group.times.end();) {
    bm::request_class requests{.lanes = group.lanes, .base = first->first, .times = first->second};
    auto last = first;
    long long step = 0, trips = 1;
    for (auto next = std::next(first); next != group.times.end() && next->second == requests.times;
         ++next) {
      if (trips > 1 && next->first - last->first != step) break;
      step = next->first - last->first;
      last = next;
      ++trips;
    }
    if (trips > 1) {
      requests.loop[0] = {step, trips};
      requests.loops = 1;
    }
    classes.push_back(requests);
    first = std::next(last);
  }
}

bm::cost cost_of(const bm::machine& m, const std::vector<bm::request_class>& classes) {
  bm::cost result;
  for (const bm::request_class& requests : classes) result = result + bm::total(m, requests);
  return result;
}

// The most layers that one bank has in these bytes.
int layers_in(const bm::geometry& banks, const byte_range& bytes) {
  const long long layer_bytes = 1ll * banks.bank_num * banks.W;
  if (bytes.last - bytes.first >= bm::max_lanes * layer_bytes) return bm::max_lanes;
  std::map<long long, std::pair<long long, int>> of_bank;  // the last layer, and how many
  int result = 0;
  for (long long word = bytes.first / banks.N; word <= bytes.last / banks.N; ++word) {
    const long long layer = word * banks.N / layer_bytes;
    auto& [last, count] = of_bank.try_emplace(word % banks.bank_num, -1, 0).first->second;
    if (layer != last) result = std::max(result, ++count);
    last = layer;
  }
  return result;
}

// The most wavefronts of these lanes, wherever they are in these bytes: in each phase no more
// layers than there are. Phases that merge take no more.
std::uint64_t most_within(const bm::machine& m, const bm::request& lanes, const byte_range& bytes) {
  const bm::service& rules = m.served(lanes.bytes, lanes.kind);
  const int layers = layers_in(m.banks(lanes.bytes, lanes.kind), bytes);
  std::uint64_t result = 0;
  for (int phase = 0; phase < 1 << rules.phases.bits(); ++phase)
    result += static_cast<std::uint64_t>(
        std::min(layers, std::popcount(lanes.active & rules.phases.lanes_of(phase))));
  return result * static_cast<std::uint64_t>(lanes.bytes / rules.bytes_at_a_time(lanes.bytes));
}

// True if a phase takes as many wavefronts as a bank has layers in it, and phases do not overlap.
bool is_served_by_layers(const bm::service& rules) {
  return rules.serves == bm::serving::by_layer && !rules.phases_overlap;
}

bool is_copy(bm::access_kind kind) {
  return kind == bm::access_kind::copy || kind == bm::access_kind::copy_uncached;
}

}  // namespace

// The fewest: all lanes are at one address, or, for atomic operations, those of each phase in
// consecutive words. The most: each lane is in another layer of one bank.
std::pair<std::uint64_t, std::uint64_t> limits_of_unknown(const bm::machine& m, bm::request lanes) {
  const bm::geometry banks = m.banks(lanes.bytes, lanes.kind);
  for (int lane = 0; lane < m.lanes; ++lane)
    lanes.address[lane] = 1ll * lane * banks.bank_num * banks.W;
  const std::uint64_t maximum = bm::total(m, lanes).wavefronts;
  const bm::lane_groups phases = m.served(lanes.bytes, lanes.kind).phases;
  for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
    long long next = 0;
    for_each_lane(lanes.active & phases.lanes_of(phase), [&](int lane) {
      lanes.address[lane] = next;
      next += std::max<long long>(lanes.bytes, banks.N);  // a bank serves a lane
    });
  }
  const std::uint64_t consecutive = bm::total(m, lanes).wavefronts;
  std::ranges::fill(lanes.address, 0);
  return {std::min(consecutive, bm::total(m, lanes).wavefronts), maximum};
}

// The fewest: all lanes are at one address, or in consecutive words. The most: each lane is in a
// line of its own, and across the end of a sector if its width allows that.
std::pair<std::uint64_t, std::uint64_t> limits_of_unknown_traffic(const bm::machine& m,
                                                                  bm::request lanes) {
  constexpr long long distance = 4096;  // a multiple of each machine's lines and segments
  const auto transactions = [&](long long step, long long first) {
    for (int lane = 0; lane < m.lanes; ++lane) lanes.address[lane] = first + lane * step;
    return bm::traffic(m, lanes).transactions;
  };
  const bool has_thirds = (lanes.bytes & (lanes.bytes - 1)) != 0;
  const std::uint64_t across = has_thirds ? transactions(distance, m.global.sector_bytes - 4) : 0;
  return {std::min(transactions(0, 0), transactions(lanes.bytes, 0)),
          std::max({across, transactions(distance, 0), transactions(distance, lanes.bytes)})};
}

namespace {

// True if requests of the access were made that have neither addresses nor bounds.
bool has_unbounded_requests(const recorded_access& access) {
  std::uint64_t known = 0;
  for (const recorded_class& group : access.classes)
    for (const auto& [base, times] : group.times) known += times;
  for (const bounded_class& group : access.bounded)
    for (const auto& [base, times] : group.requests.times) known += times;
  for (const moved_class& group : access.moved)
    for (const auto& [base, times] : group.requests.times) known += times;
  return access.is_partial && (access.lacks_requests || known < access.requests);
}

// The same requests as the machine makes them: stores, if it has no cp.async.
recorded_class made_on(const bm::machine& m, const recorded_class& group) {
  recorded_class result = group;
  if (is_copy(group.lanes.kind) && !m.has(group.lanes.bytes, group.lanes.kind)) {
    result.lanes.kind = bm::access_kind::store;
    result.source.reset();
  }
  return result;
}

// `stays` becomes true where `maximum` takes for granted that the requests stay in their array.
void add_bounded(const bm::machine& m, const bounded_class& group, bounded_cost& sum, bool& stays) {
  bounded_class adjusted = group;
  adjusted.requests = made_on(m, group.requests);
  for (const auto& [base, times] : adjusted.requests.times) sum.bounded_requests += times;
  if (adjusted.has_addresses) {
    std::vector<bm::request_class> classes;
    add_classes(adjusted.requests, classes);
    const std::uint64_t wavefronts = cost_of(m, classes).wavefronts;
    sum.minimum += adjusted.is_possible ? 0 : wavefronts;
    // The source of a copy may be slower: up to a wavefront for each lane.
    sum.maximum +=
        adjusted.requests.lanes.kind != bm::access_kind::copy
            ? wavefronts
            : cost_of(m, classes).requests *
                  static_cast<std::uint64_t>(std::popcount(adjusted.requests.lanes.active));
    return;
  }
  auto [minimum, maximum] = limits_of_unknown(m, adjusted.requests.lanes);
  const bool has_range = adjusted.bytes.last >= adjusted.bytes.first;
  if (has_range &&
      is_served_by_layers(m.served(adjusted.requests.lanes.bytes, adjusted.requests.lanes.kind))) {
    const std::uint64_t bound = most_within(m, adjusted.requests.lanes, adjusted.bytes);
    stays = stays || bound < maximum;
    maximum = std::max(minimum, std::min(maximum, bound));
  }
  for (const auto& [base, times] : adjusted.requests.times) {
    sum.minimum += adjusted.is_possible ? 0 : minimum * times;
    sum.maximum += maximum * times;
  }
}

// A request's traffic depends on its base modulo a line, or a segment of 128 bytes. `worst` becomes
// a request with more transactions beyond the ideal.
bm::memory_traffic traffic_of(const bm::machine& m, const recorded_class& group,
                              bm::request& worst) {
  bm::memory_traffic result;
  const long long period = std::max(256, 2 * m.global.line_bytes);
  std::map<long long, std::uint64_t> times;
  for (const auto& [base, often] : group.times) times[base % period] += often;
  for (const auto& [base, often] : times) {
    bm::request moved = group.lanes;
    for (long long& address : moved.address) address += base;
    long long lowest = 0;
    for (int lane = 0; lane < m.lanes; ++lane)
      if ((moved.active >> lane & 1) != 0) lowest = std::min(lowest, moved.address[lane]);
    const long long shift = (-lowest + period - 1) / period * period;
    for (long long& address : moved.address) address += shift;
    const bm::memory_traffic request_traffic = bm::traffic(m, moved);
    result = result + request_traffic * often;
    const auto excess = [](const bm::memory_traffic& counts) {
      return counts.transactions - counts.ideal;
    };
    if (worst.active == 0 || excess(request_traffic) > excess(bm::traffic(m, worst))) worst = moved;
  }
  return result;
}

auto order_of(const recorded_access& access) {
  return std::tuple(access.location.file, access.location.line, access.location.column,
                    access.memory.operation, access.memory.bytes, access.memory.elements,
                    access.memory.uncached, access.array);
}

// True if both do the same at the same place. Where an access had no known address, its array is
// unknown (-1): it counts as an access to the next one.
bool are_alike(const recorded_access& access, recorded_access next) {
  if (access.array < 0 && access.is_partial) next.array = access.array;
  return order_of(access) == order_of(next);
}

void add_shared(const bm::machine& m, const recorded_access& access, priced_access& entry) {
  for (const bounded_class& group : access.bounded)
    add_bounded(m, group, entry, entry.stays_in_its_array);
  std::vector<bm::request_class> written;
  bm::copy_cost copied;
  const bool is_copied = is_copy_on(m, access.memory);
  for (const recorded_class& recorded : access.classes) {
    const recorded_class group = made_on(m, recorded);
    add_classes(group, written);
    if (is_copied) copied = copied + copied_on(m, group);
    entry.has_unknown_source = entry.has_unknown_source || (is_copied && !group.source);
  }
  entry.cost = entry.cost + (is_copied ? copied.at_least() : cost_of(m, written));
  for (const bm::request_class& group : written) entry.lanes += bm::detail::active_lanes(group);
  entry.copied = entry.copied + copied;
  entry.maximum += copied.most - copied.least;
  append(entry.classes, written);
}

void add_bounded_traffic(const bm::machine& m, const bounded_class& group, bounded_cost& sum) {
  std::uint64_t minimum = 0, maximum = 0, requests = 0;
  for (const auto& [base, times] : group.requests.times) requests += times;
  if (group.has_addresses) {
    bm::request worst;
    minimum = maximum = traffic_of(m, group.requests, worst).transactions;
  } else {
    const auto limits = limits_of_unknown_traffic(m, group.requests.lanes);
    minimum = limits.first * requests;
    maximum = limits.second * requests;
  }
  sum.bounded_requests += requests;
  sum.minimum += group.is_possible ? 0 : minimum;
  sum.maximum += maximum;
}

// The costs of the request at each base that it can have.
std::vector<bm::memory_traffic> traffic_of_moved(const bm::machine& m, const moved_class& group,
                                                 long long base, bm::request& worst) {
  const int bytes = group.requests.lanes.bytes;
  const long long unit = bytes & -bytes, step = 1ll << std::min(group.zeros, 12);
  std::vector<bm::memory_traffic> result;
  for (long long shift = 0; shift < moved_period; shift += step) {
    bool is_aligned = true;
    for_each_lane(group.requests.lanes.active, [&](int lane) {
      is_aligned = is_aligned && (base + shift + group.requests.lanes.address[lane]) % unit == 0;
    });
    if (!is_aligned) continue;
    const bm::memory_traffic traffic =
        traffic_of(m, {group.requests.lanes, {{base + shift, 1}}, std::nullopt}, worst);
    if (!includes(result, traffic)) result.push_back(traffic);
  }
  return result;
}

// Requests that cost the same at each base are counted, the others have bounds.
void add_moved_traffic(const bm::machine& m, const recorded_access& access, priced_access& entry) {
  const auto is_less = [](const bm::memory_traffic& a, const bm::memory_traffic& b) {
    return a.transactions < b.transactions;
  };
  const long long period = std::max(256, 2 * m.global.line_bytes);
  for (const moved_class& group : access.moved) {
    std::map<long long, std::uint64_t> times;
    for (const auto& [base, often] : group.requests.times) times[base % period] += often;
    for (const auto& [base, often] : times) {
      bm::request worst = entry.worst;
      const std::vector<bm::memory_traffic> costs = traffic_of_moved(m, group, base, worst);
      if (costs.size() == 1 && !group.is_possible) {
        entry.traffic = entry.traffic + costs[0] * often;
        entry.lanes +=
            often * static_cast<std::uint64_t>(std::popcount(group.requests.lanes.active));
        entry.worst = worst;
        continue;
      }
      auto [minimum, maximum] = limits_of_unknown_traffic(m, group.requests.lanes);
      if (!costs.empty()) {
        minimum = std::ranges::min_element(costs, is_less)->transactions;
        maximum = std::ranges::max_element(costs, is_less)->transactions;
      }
      entry.bounded_requests += often;
      entry.minimum += group.is_possible ? 0 : minimum * often;
      entry.maximum += maximum * often;
      entry.is_partial = true;
      if (entry.reason.empty()) entry.reason = access.moved_reason;
    }
  }
}

void add_global(const bm::machine& m, const recorded_access& access, priced_access& entry) {
  add_moved_traffic(met_by(access.memory, m), access, entry);
  for (const bounded_class& group : access.bounded)
    add_bounded_traffic(met_by(access.memory, m), group, entry);
  for (const recorded_class& group : access.classes) {
    const bm::memory_traffic traffic = traffic_of(met_by(access.memory, m), group, entry.worst);
    entry.traffic = entry.traffic + traffic;
    entry.lanes += traffic.requests * static_cast<std::uint64_t>(std::popcount(group.lanes.active));
  }
}

void add_issued(const bm::machine& m, const recorded_access& access,
                issued_instructions& instructions) {
  // Of a place with several accesses the one that says most.
  instructions.label = std::max(instructions.label, access.label);
  if (instructions.difference.empty()) instructions.difference = access.difference;
  if (access.issued_with >= 0 || access.requests == 0) return;
  instructions.bytes.insert(bytes_as_issued(access));
  if (access.is_global) {
    priced_access moved;
    add_moved_traffic(met_by(access.memory, m), access, moved);
    instructions.traffic = instructions.traffic + moved.traffic;
    instructions.bounded_traffic.add(moved);
  }
  bool stays = false;
  for (const bounded_class& group : access.bounded)
    if (access.is_global)
      add_bounded_traffic(met_by(access.memory, m), group, instructions.bounded_traffic);
    else
      add_bounded(m, group, instructions.bounded, stays);
  std::vector<bm::request_class> classes;
  bm::copy_cost copied;
  const bool is_copied = !access.is_global && is_copy_on(m, access.memory);
  for (const recorded_class& group : access.classes) {
    const recorded_class issued = as_issued(access, group);
    bm::request worst;
    if (access.is_global) {
      instructions.traffic =
          instructions.traffic + traffic_of(met_by(access.memory, m), issued, worst);
      continue;
    }
    const recorded_class adjusted = made_on(m, issued);
    add_classes(adjusted, classes);
    if (is_copied) copied = copied + copied_on(m, adjusted);
  }
  instructions.cost = instructions.cost + (is_copied ? copied.at_least() : cost_of(m, classes));
  instructions.bounded.maximum += copied.most - copied.least;
  append(instructions.classes, classes);
}

// The access whose instruction this is: of its place, else of its line; null if there is none.
priced_access* written_as(const recorded_access& issued, std::vector<priced_access>& entries) {
  priced_access* result = nullptr;
  int best = 0;
  for (priced_access& entry : entries) {
    const recorded_access& written = *entry.first;
    if (written.memory.operation != issued.memory.operation ||
        written.location.file != issued.location.file ||
        written.location.line != issued.location.line)
      continue;
    const int likeness =
        1 + (written.array == issued.array ? 4 : 0) +
        (written.location.column == issued.location.column ? 2 : 0) +
        (bytes_as_written(written.memory) == bytes_as_written(issued.memory) ? 1 : 0);
    if (likeness <= best) continue;
    best = likeness;
    result = &entry;
  }
  return result;
}

// The access that an instruction without a line is made of: the first to its array of which nothing
// else is left, since LLVM makes one of the stores in both arms of a branch. Null if there is none.
priced_access* merged_into(const recorded_access& issued, std::vector<priced_access>& entries) {
  const auto is_merged = [&](const priced_access& entry) {
    const recorded_access& written = *entry.first;
    return written.array == issued.array && written.memory.operation == issued.memory.operation &&
           entry.issued.bytes.empty();
  };
  const auto entry = std::find_if(entries.begin(), entries.end(), is_merged);
  return issued.location.line > 0 || issued.array < 0 || entry == entries.end() ? nullptr : &*entry;
}

}  // namespace

bool is_counted_in(const priced_access& row, const recorded_access& access) {
  return access.is_global == row.first->is_global && are_alike(*row.first, access);
}

std::uint64_t most_excessive(const priced_access& entry) {
  const std::uint64_t known = entry.first->is_global
                                  ? entry.traffic.transactions - entry.traffic.ideal
                                  : entry.cost.conflicts();
  return known + (entry.maximum - entry.minimum);
}

bm::machine met_by(const memory_access& access, const bm::machine& m) {
  const bool has_first_cache = m.made_by == bm::vendor::nvidia && m.model >= 20;
  return access.uncached && has_first_cache ? bm::with_uncached_loads(m) : m;
}

bool is_copy_on(const bm::machine& m, const memory_access& access) {
  return access.operation == access_does::copy &&
         m.has(access.bytes,
               access.uncached ? bm::access_kind::copy_uncached : bm::access_kind::copy);
}

bm::copy_cost copied_on(const bm::machine& m, const recorded_class& group) {
  const bm::geometry banks = m.banks(group.lanes.bytes, group.lanes.kind);
  const long long period = 1ll * banks.bank_num * banks.W;
  std::map<long long, std::uint64_t> times;
  for (const auto& [base, often] : group.times) times[base % period] += often;
  bm::copy_request request;
  request.active = group.lanes.active;
  request.bytes = group.lanes.bytes;
  request.cached = group.lanes.kind == bm::access_kind::copy;
  request.loading = group.source ? group.source->active : 0;
  const long long lowest = std::min(0ll, *std::ranges::min_element(group.lanes.address));
  const long long shift = (period - 1 - lowest) / period * period;
  bm::copy_cost result;
  for (const auto& [base, often] : times) {
    for (int lane = 0; lane < m.lanes; ++lane) {
      request.destination[lane] = group.lanes.address[lane] + base + shift;
      if (group.source) request.source[lane] = group.source->address[lane];
    }
    bm::copy_cost cost = bm::total(m, request);
    if (!group.source && request.cached)
      cost.most = static_cast<std::uint64_t>(std::popcount(request.active));
    result = result + cost * often;
  }
  return result;
}

bool is_issued_as_written(const priced_access& entry) {
  const issued_instructions& issued = entry.issued;
  const std::set<int> written = {bytes_as_written(entry.first->memory)};
  return issued.cost.requests == entry.cost.requests &&
         issued.bounded.bounded_requests + issued.bounded_traffic.bounded_requests ==
             entry.bounded_requests &&
         issued.traffic.requests == entry.traffic.requests &&
         (issued.bytes.empty() || issued.bytes == written);
}

priced priced_on(const bm::machine& m, const recording& recorded, const recording* issued) {
  std::vector<const recorded_access*> accesses;
  for (const recorded_access& access : recorded.accesses) accesses.push_back(&access);
  std::ranges::stable_sort(accesses, [](const auto* first, const auto* other) {
    return order_of(*first) < order_of(*other);
  });
  priced result;
  for (const recorded_access* access : accesses) {
    std::vector<priced_access>& entries = access->is_global ? result.global : result.shared;
    if (entries.empty() || !are_alike(*entries.back().first, *access)) entries.emplace_back();
    if (entries.back().first == nullptr || entries.back().first->array < 0)
      entries.back().first = access;
    priced_access& entry = entries.back();
    if (access->location.shows_call) entry.calls.insert(access->location.calls);
    entry.is_partial = entry.is_partial || access->is_partial;
    if (entry.reason.empty()) entry.reason = access->reason;
    entry.is_unbounded = entry.is_unbounded || has_unbounded_requests(*access);
    if (access->is_global)
      add_global(m, *access, entry);
    else
      add_shared(m, *access, entry);
    if (issued == nullptr) add_issued(m, *access, entry.issued);
  }
  if (issued != nullptr) {
    const auto entries_of = [&](const recorded_access& access) -> std::vector<priced_access>& {
      return access.is_global ? result.global : result.shared;
    };
    std::vector<const recorded_access*> without_row;
    for (const recorded_access& access : issued->accesses)
      if (priced_access* const entry = written_as(access, entries_of(access)))
        add_issued(m, access, entry->issued);
      else
        without_row.push_back(&access);
    for (const recorded_access* const access : without_row) {
      priced_access* const entry = merged_into(*access, entries_of(*access));
      result.has_merged_lines = result.has_merged_lines || entry != nullptr;
      add_issued(m, *access, entry == nullptr ? result.without_row : entry->issued);
    }
  }
  result.executed = issued == nullptr ? recorded.executed : issued->executed;
  result.instructions = issued == nullptr ? recorded.instructions : issued->instructions;
  result.is_partial_shared = recorded.leaves_out_shared;
  result.is_partial_global = recorded.leaves_out;
  result.is_unbounded = recorded.leaves_out_shared;
  result.is_unbounded_traffic = recorded.leaves_out;
  for (const priced_access& entry : result.shared) {
    result.cost = result.cost + entry.cost;
    result.add(entry);
    result.issued_cost = result.issued_cost + entry.issued.cost;
    result.issued_bounded.add(entry.issued.bounded);
    result.is_partial_shared = result.is_partial_shared || entry.is_partial;
    result.is_unbounded = result.is_unbounded || entry.is_unbounded;
  }
  for (const priced_access& entry : result.global) {
    result.traffic = result.traffic + entry.traffic;
    result.issued_traffic = result.issued_traffic + entry.issued.traffic;
    result.bounded_traffic.add(entry);
    result.is_partial_global = result.is_partial_global || entry.is_partial;
    result.is_unbounded_traffic = result.is_unbounded_traffic || entry.is_unbounded;
  }
  result.issued_cost = result.issued_cost + result.without_row.cost;
  result.issued_bounded.add(result.without_row.bounded);
  result.issued_traffic = result.issued_traffic + result.without_row.traffic;
  return result;
}

}  // namespace compiled
