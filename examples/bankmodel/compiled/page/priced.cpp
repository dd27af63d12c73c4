// SPDX-License-Identifier: MIT
#include "priced.hpp"

#include <algorithm>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/global/cached_loads.hpp>
#include <bankmodel/global/transactions.hpp>
#include <bit>
#include <tuple>

#include "../engine/values.hpp"
#include "../issued/issued.hpp"

namespace compiled {

namespace {

// The classes of one lane pattern: bases that are equally far apart and equally frequent are one.
void add_classes(const recorded_class& of, std::vector<bm::request_class>& to) {
  for (auto each = of.times.begin(); each != of.times.end();) {
    bm::request_class one{.lanes = of.lanes, .base = each->first, .times = each->second};
    auto last = each;
    long long step = 0, trips = 1;
    for (auto next = std::next(each); next != of.times.end() && next->second == one.times; ++next) {
      if (trips > 1 && next->first - last->first != step) break;
      step = next->first - last->first;
      last = next;
      ++trips;
    }
    if (trips > 1) {
      one.loop[0] = {step, trips};
      one.loops = 1;
    }
    to.push_back(one);
    each = std::next(last);
  }
}

bm::cost cost_of(const bm::machine& m, const std::vector<bm::request_class>& classes) {
  bm::cost result;
  for (const bm::request_class& one : classes) result = result + bm::total(m, one);
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
  const bm::service& how = m.served(lanes.bytes, lanes.kind);
  const int layers = layers_in(m.banks(lanes.bytes, lanes.kind), bytes);
  std::uint64_t result = 0;
  for (int phase = 0; phase < 1 << how.phases.bits(); ++phase)
    result += static_cast<std::uint64_t>(
        std::min(layers, std::popcount(lanes.active & how.phases.lanes_of(phase))));
  return result * static_cast<std::uint64_t>(lanes.bytes / how.bytes_at_a_time(lanes.bytes));
}

// True if a phase takes as many wavefronts as a bank has layers in it, and phases do not overlap.
bool is_served_by_layers(const bm::service& how) {
  return how.serves == bm::serving::by_layer && !how.phases_overlap;
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
  const std::uint64_t most = bm::total(m, lanes).wavefronts;
  const bm::lane_groups phases = m.served(lanes.bytes, lanes.kind).phases;
  for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
    long long next = 0;
    for_each_lane(lanes.active & phases.lanes_of(phase), [&](int lane) {
      lanes.address[lane] = next;
      next += std::max<long long>(lanes.bytes, banks.N);  // a bank serves a lane
    });
  }
  const std::uint64_t apart = bm::total(m, lanes).wavefronts;
  std::fill(std::begin(lanes.address), std::end(lanes.address), 0);
  return {std::min(apart, bm::total(m, lanes).wavefronts), most};
}

// The fewest: all lanes are at one address, or in consecutive words. The most: each lane is in a
// line of its own, and across the end of a sector if its width allows that.
std::pair<std::uint64_t, std::uint64_t> limits_of_unknown_traffic(const bm::machine& m,
                                                                  bm::request lanes) {
  constexpr long long apart = 4096;  // a multiple of each machine's lines and segments
  const auto transactions = [&](long long step, long long first) {
    for (int lane = 0; lane < m.lanes; ++lane) lanes.address[lane] = first + lane * step;
    return bm::traffic(m, lanes).transactions;
  };
  const bool has_thirds = (lanes.bytes & (lanes.bytes - 1)) != 0;
  const std::uint64_t across = has_thirds ? transactions(apart, m.global.sector_bytes - 4) : 0;
  return {std::min(transactions(0, 0), transactions(lanes.bytes, 0)),
          std::max({across, transactions(apart, 0), transactions(apart, lanes.bytes)})};
}

namespace {

// True if requests of the access were made that have neither addresses nor bounds.
bool has_unbounded_requests(const recorded_access& of) {
  std::uint64_t known = 0;
  for (const recorded_class& one : of.classes)
    for (const auto& [base, times] : one.times) known += times;
  for (const bounded_class& one : of.bounded)
    for (const auto& [base, times] : one.made.times) known += times;
  for (const moved_class& one : of.moved)
    for (const auto& [base, times] : one.made.times) known += times;
  return of.is_partial && (of.lacks_requests || known < of.requests);
}

// The same requests as the machine makes them: stores, if it has no cp.async.
recorded_class made_on(const bm::machine& m, const recorded_class& of) {
  recorded_class result = of;
  if (is_copy(of.lanes.kind) && !m.has(of.lanes.bytes, of.lanes.kind)) {
    result.lanes.kind = bm::access_kind::store;
    result.source.reset();
  }
  return result;
}

// `stays` becomes true where `most` takes for granted that the requests stay in their array.
void add_bounded(const bm::machine& m, const bounded_class& each, bounded_cost& to, bool& stays) {
  bounded_class of = each;
  of.made = made_on(m, each.made);
  for (const auto& [base, times] : of.made.times) to.bounded_requests += times;
  if (of.has_addresses) {
    std::vector<bm::request_class> classes;
    add_classes(of.made, classes);
    const std::uint64_t wavefronts = cost_of(m, classes).wavefronts;
    to.least += of.is_possible ? 0 : wavefronts;
    // The source of a copy may be slower: up to a wavefront for each lane.
    to.most += of.made.lanes.kind != bm::access_kind::copy
                   ? wavefronts
                   : cost_of(m, classes).requests *
                         static_cast<std::uint64_t>(std::popcount(of.made.lanes.active));
    return;
  }
  auto [least, most] = limits_of_unknown(m, of.made.lanes);
  const bool has_range = of.bytes.last >= of.bytes.first;
  if (has_range && is_served_by_layers(m.served(of.made.lanes.bytes, of.made.lanes.kind))) {
    const std::uint64_t within = most_within(m, of.made.lanes, of.bytes);
    stays = stays || within < most;
    most = std::max(least, std::min(most, within));
  }
  for (const auto& [base, times] : of.made.times) {
    to.least += of.is_possible ? 0 : least * times;
    to.most += most * times;
  }
}

// A request's traffic depends on its base modulo a line, or a segment of 128 bytes. `worst` becomes
// a request with more transactions beyond the ideal.
bm::memory_traffic traffic_of(const bm::machine& m, const recorded_class& of, bm::request& worst) {
  bm::memory_traffic result;
  const long long period = std::max(256, 2 * m.global.line_bytes);
  std::map<long long, std::uint64_t> times;
  for (const auto& [base, often] : of.times) times[base % period] += often;
  for (const auto& [base, often] : times) {
    bm::request moved = of.lanes;
    for (long long& address : moved.address) address += base;
    long long lowest = 0;
    for (int lane = 0; lane < m.lanes; ++lane)
      if ((moved.active >> lane & 1) != 0) lowest = std::min(lowest, moved.address[lane]);
    const long long up = (-lowest + period - 1) / period * period;
    for (long long& address : moved.address) address += up;
    const bm::memory_traffic one = bm::traffic(m, moved);
    result = result + one * often;
    const auto excess = [](const bm::memory_traffic& it) { return it.transactions - it.ideal; };
    if (worst.active == 0 || excess(one) > excess(bm::traffic(m, worst))) worst = moved;
  }
  return result;
}

auto order_of(const recorded_access& one) {
  return std::tuple(one.where.file, one.where.line, one.where.column, one.memory.does,
                    one.memory.bytes, one.memory.elements, one.memory.uncached, one.array);
}

// True if both do the same at the same place. Where an access had no known address, its array is
// unknown (-1): it counts as an access to the next one.
bool are_alike(const recorded_access& one, recorded_access next) {
  if (one.array < 0 && one.is_partial) next.array = one.array;
  return order_of(one) == order_of(next);
}

void add_shared(const bm::machine& m, const recorded_access& one, priced_access& to) {
  for (const bounded_class& each : one.bounded) add_bounded(m, each, to, to.stays_in_its_array);
  std::vector<bm::request_class> written;
  bm::copy_cost copied;
  const bool is_copied = is_copy_on(m, one.memory);
  for (const recorded_class& recorded : one.classes) {
    const recorded_class each = made_on(m, recorded);
    add_classes(each, written);
    if (is_copied) copied = copied + copied_on(m, each);
    to.has_unknown_source = to.has_unknown_source || (is_copied && !each.source);
  }
  to.cost = to.cost + (is_copied ? copied.at_least() : cost_of(m, written));
  to.copied = to.copied + copied;
  to.most += copied.most - copied.least;
  to.classes.insert(to.classes.end(), written.begin(), written.end());
}

void add_bounded_traffic(const bm::machine& m, const bounded_class& of, bounded_cost& to) {
  std::uint64_t least = 0, most = 0, requests = 0;
  for (const auto& [base, times] : of.made.times) requests += times;
  if (of.has_addresses) {
    bm::request worst;
    least = most = traffic_of(m, of.made, worst).transactions;
  } else {
    const auto limits = limits_of_unknown_traffic(m, of.made.lanes);
    least = limits.first * requests;
    most = limits.second * requests;
  }
  to.bounded_requests += requests;
  to.least += of.is_possible ? 0 : least;
  to.most += most;
}

// The costs of the request at each base that it can have.
std::vector<bm::memory_traffic> traffic_of_moved(const bm::machine& m, const moved_class& of,
                                                 long long base, bm::request& worst) {
  const int bytes = of.made.lanes.bytes;
  const long long unit = bytes & -bytes, step = 1ll << std::min(of.zeros, 12);
  std::vector<bm::memory_traffic> result;
  for (long long more = 0; more < moved_period; more += step) {
    bool is_aligned = true;
    for_each_lane(of.made.lanes.active, [&](int lane) {
      is_aligned = is_aligned && (base + more + of.made.lanes.address[lane]) % unit == 0;
    });
    if (!is_aligned) continue;
    const bm::memory_traffic found =
        traffic_of(m, {of.made.lanes, {{base + more, 1}}, std::nullopt}, worst);
    if (std::find(result.begin(), result.end(), found) == result.end()) result.push_back(found);
  }
  return result;
}

// Requests that cost the same at each base are counted, the others have bounds.
void add_moved_traffic(const bm::machine& m, const recorded_access& one, priced_access& to) {
  const auto is_less = [](const bm::memory_traffic& a, const bm::memory_traffic& b) {
    return a.transactions < b.transactions;
  };
  const long long period = std::max(256, 2 * m.global.line_bytes);
  for (const moved_class& each : one.moved) {
    std::map<long long, std::uint64_t> times;
    for (const auto& [base, often] : each.made.times) times[base % period] += often;
    for (const auto& [base, often] : times) {
      bm::request worst = to.worst;
      const std::vector<bm::memory_traffic> costs = traffic_of_moved(m, each, base, worst);
      if (costs.size() == 1 && !each.is_possible) {
        to.traffic = to.traffic + costs[0] * often;
        to.lanes += often * static_cast<std::uint64_t>(std::popcount(each.made.lanes.active));
        to.worst = worst;
        continue;
      }
      auto [least, most] = limits_of_unknown_traffic(m, each.made.lanes);
      if (!costs.empty()) {
        least = std::min_element(costs.begin(), costs.end(), is_less)->transactions;
        most = std::max_element(costs.begin(), costs.end(), is_less)->transactions;
      }
      to.bounded_requests += often;
      to.least += each.is_possible ? 0 : least * often;
      to.most += most * often;
      to.is_partial = true;
      if (to.reason.empty()) to.reason = one.moved_reason;
    }
  }
}

void add_global(const bm::machine& m, const recorded_access& one, priced_access& to) {
  add_moved_traffic(met_by(one.memory, m), one, to);
  for (const bounded_class& each : one.bounded)
    add_bounded_traffic(met_by(one.memory, m), each, to);
  for (const recorded_class& each : one.classes) {
    const bm::memory_traffic traffic = traffic_of(met_by(one.memory, m), each, to.worst);
    to.traffic = to.traffic + traffic;
    to.lanes += traffic.requests * static_cast<std::uint64_t>(std::popcount(each.lanes.active));
  }
}

void add_issued(const bm::machine& m, const recorded_access& one, issued_instructions& to) {
  // Of a place with several accesses the one that says most.
  to.label = std::max(to.label, one.label);
  if (to.difference.empty()) to.difference = one.difference;
  if (one.issued_with >= 0 || one.requests == 0) return;
  to.bytes.insert(bytes_as_issued(one));
  if (one.is_global) {
    priced_access moved;
    add_moved_traffic(met_by(one.memory, m), one, moved);
    to.traffic = to.traffic + moved.traffic;
    to.bounded_traffic.add(moved);
  }
  bool stays = false;
  for (const bounded_class& each : one.bounded)
    if (one.is_global)
      add_bounded_traffic(met_by(one.memory, m), each, to.bounded_traffic);
    else
      add_bounded(m, each, to.bounded, stays);
  std::vector<bm::request_class> classes;
  bm::copy_cost copied;
  const bool is_copied = !one.is_global && is_copy_on(m, one.memory);
  for (const recorded_class& each : one.classes) {
    const recorded_class issued = as_issued(one, each);
    bm::request worst;
    if (one.is_global) {
      to.traffic = to.traffic + traffic_of(met_by(one.memory, m), issued, worst);
      continue;
    }
    const recorded_class made = made_on(m, issued);
    add_classes(made, classes);
    if (is_copied) copied = copied + copied_on(m, made);
  }
  to.cost = to.cost + (is_copied ? copied.at_least() : cost_of(m, classes));
  to.bounded.most += copied.most - copied.least;
  to.classes.insert(to.classes.end(), classes.begin(), classes.end());
}

// The access whose instruction this is: of its place, else of its line; null if there is none.
priced_access* written_as(const recorded_access& issued, std::vector<priced_access>& in) {
  priced_access* result = nullptr;
  int best = 0;
  for (priced_access& one : in) {
    const recorded_access& written = *one.first;
    if (written.memory.does != issued.memory.does || written.where.file != issued.where.file ||
        written.where.line != issued.where.line)
      continue;
    const int likeness =
        1 + (written.array == issued.array ? 4 : 0) +
        (written.where.column == issued.where.column ? 2 : 0) +
        (bytes_as_written(written.memory) == bytes_as_written(issued.memory) ? 1 : 0);
    if (likeness <= best) continue;
    best = likeness;
    result = &one;
  }
  return result;
}

}  // namespace

bool is_counted_in(const priced_access& row, const recorded_access& access) {
  return access.is_global == row.first->is_global && are_alike(*row.first, access);
}

std::uint64_t most_excessive(const priced_access& one) {
  const std::uint64_t known =
      one.first->is_global ? one.traffic.transactions - one.traffic.ideal : one.cost.conflicts();
  return known + (one.most - one.least);
}

bm::machine met_by(const memory_access& access, const bm::machine& m) {
  const bool has_first_cache = m.made_by == bm::vendor::nvidia && m.model >= 20;
  return access.uncached && has_first_cache ? bm::with_uncached_loads(m) : m;
}

bool is_copy_on(const bm::machine& m, const memory_access& access) {
  return access.does == access_does::copy &&
         m.has(access.bytes,
               access.uncached ? bm::access_kind::copy_uncached : bm::access_kind::copy);
}

bm::copy_cost copied_on(const bm::machine& m, const recorded_class& of) {
  const bm::geometry banks = m.banks(of.lanes.bytes, of.lanes.kind);
  const long long period = 1ll * banks.bank_num * banks.W;
  std::map<long long, std::uint64_t> times;
  for (const auto& [base, often] : of.times) times[base % period] += often;
  bm::copy_request one;
  one.active = of.lanes.active;
  one.bytes = of.lanes.bytes;
  one.cached = of.lanes.kind == bm::access_kind::copy;
  one.loading = of.source ? of.source->active : 0;
  const long long lowest =
      std::min(0ll, *std::min_element(std::begin(of.lanes.address), std::end(of.lanes.address)));
  const long long up = (period - 1 - lowest) / period * period;
  bm::copy_cost result;
  for (const auto& [base, often] : times) {
    for (int lane = 0; lane < m.lanes; ++lane) {
      one.destination[lane] = of.lanes.address[lane] + base + up;
      if (of.source) one.source[lane] = of.source->address[lane];
    }
    bm::copy_cost cost = bm::total(m, one);
    if (!of.source && one.cached) cost.most = static_cast<std::uint64_t>(std::popcount(one.active));
    result = result + cost * often;
  }
  return result;
}

bool is_issued_as_written(const priced_access& one) {
  const issued_instructions& issued = one.issued;
  const std::set<int> written = {bytes_as_written(one.first->memory)};
  return issued.cost.requests == one.cost.requests &&
         issued.bounded.bounded_requests + issued.bounded_traffic.bounded_requests ==
             one.bounded_requests &&
         issued.traffic.requests == one.traffic.requests &&
         (issued.bytes.empty() || issued.bytes == written);
}

priced priced_on(const bm::machine& m, const recording& recorded, const recording* issued) {
  std::vector<const recorded_access*> all;
  for (const recorded_access& one : recorded.accesses) all.push_back(&one);
  std::stable_sort(all.begin(), all.end(), [](const auto* one, const auto* other) {
    return order_of(*one) < order_of(*other);
  });
  priced result;
  for (const recorded_access* one : all) {
    std::vector<priced_access>& in = one->is_global ? result.global : result.shared;
    if (in.empty() || !are_alike(*in.back().first, *one)) in.emplace_back();
    if (in.back().first == nullptr || in.back().first->array < 0) in.back().first = one;
    priced_access& to = in.back();
    if (one->where.shows_call) to.calls.insert(one->where.calls);
    to.is_partial = to.is_partial || one->is_partial;
    if (to.reason.empty()) to.reason = one->reason;
    to.is_unbounded = to.is_unbounded || has_unbounded_requests(*one);
    if (one->is_global)
      add_global(m, *one, to);
    else
      add_shared(m, *one, to);
    if (issued == nullptr) add_issued(m, *one, to.issued);
  }
  if (issued != nullptr)
    for (const recorded_access& one : issued->accesses) {
      priced_access* const to = written_as(one, one.is_global ? result.global : result.shared);
      add_issued(m, one, to == nullptr ? result.without_row : to->issued);
    }
  result.is_partial_shared = recorded.leaves_out_shared;
  result.is_partial_global = recorded.leaves_out;
  result.is_unbounded = recorded.leaves_out_shared;
  result.is_unbounded_traffic = recorded.leaves_out;
  for (const priced_access& one : result.shared) {
    result.cost = result.cost + one.cost;
    result.add(one);
    result.issued_cost = result.issued_cost + one.issued.cost;
    result.issued_bounded.add(one.issued.bounded);
    result.is_partial_shared = result.is_partial_shared || one.is_partial;
    result.is_unbounded = result.is_unbounded || one.is_unbounded;
  }
  for (const priced_access& one : result.global) {
    result.traffic = result.traffic + one.traffic;
    result.issued_traffic = result.issued_traffic + one.issued.traffic;
    result.bounded_traffic.add(one);
    result.is_partial_global = result.is_partial_global || one.is_partial;
    result.is_unbounded_traffic = result.is_unbounded_traffic || one.is_unbounded;
  }
  result.issued_cost = result.issued_cost + result.without_row.cost;
  result.issued_bounded.add(result.without_row.bounded);
  result.issued_traffic = result.issued_traffic + result.without_row.traffic;
  return result;
}

}  // namespace compiled
