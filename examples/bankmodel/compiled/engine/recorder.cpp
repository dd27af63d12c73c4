// SPDX-License-Identifier: MIT
#include "recorder.hpp"

#include <algorithm>

#include "memory.hpp"
#include "values.hpp"

namespace compiled {

namespace {

bool same_lanes(const bm::request& a, const bm::request& b) {
  return a.active == b.active && a.bytes == b.bytes && a.kind == b.kind &&
         std::equal(a.address, a.address + most_lanes, b.address);
}

bool same_source(const std::optional<bm::request>& a, const std::optional<bm::request>& b) {
  return a.has_value() == b.has_value() && (!a.has_value() || same_lanes(*a, *b));
}

std::uint64_t hash_of(const bm::request& lanes) {
  std::uint64_t result = lanes.active * 0x9e3779b97f4a7c15u + static_cast<unsigned>(lanes.bytes);
  for (const long long address : lanes.address)
    result = (result ^ static_cast<std::uint64_t>(address)) * 0x100000001b3u + (result >> 29);
  return result;
}

}  // namespace

int recorder::add(const instruction& code, int number, bool is_global,
                  const low_part& of_addresses) {
  state added;
  added.recorded.location = code.location;
  added.recorded.number = number;
  added.recorded.memory = code.memory;
  added.recorded.is_global = is_global;
  if (!is_global) added.recorded.array = code.memory.shared_array;
  added.recorded.alignment = 1 << of_addresses.bits;
  added.recorded.remainder = static_cast<int>(of_addresses.value);
  states_.push_back(std::move(added));
  return static_cast<int>(states_.size()) - 1;
}

void recorder::limit(int access, const byte_range& bytes) { states_[slot(access)].limit = bytes; }

namespace {

// Addresses are distances from that of the lowest lane.
bm::request request_of(bm::access_kind kind, int bytes, std::uint64_t active,
                       const std::uint64_t* address) {
  bm::request result;
  result.active = active;
  result.bytes = bytes;
  result.kind = kind;
  const std::uint64_t base = address[std::countr_zero(active)];
  for_each_lane(active, [&](int lane) {
    result.address[lane] = static_cast<long long>(address[lane] - base);
  });
  return result;
}

}  // namespace

void recorder::add_requests(state& record, const bm::request& lanes, std::uint64_t base, int array,
                            const std::optional<bm::request>& source, std::uint64_t times) {
  record.recorded.requests += times;
  set_array(record, array);
  record.last = class_of(record, lanes, source);
  record.base = base;
  record.recorded.classes[record.last].times[static_cast<long long>(base)] += times;
}

void recorder::request(int access, bm::access_kind kind, int bytes, std::uint64_t active,
                       const std::uint64_t* address, int array,
                       const std::optional<bm::request>& source) {
  add_requests(states_[slot(access)], request_of(kind, bytes, active, address),
               address[std::countr_zero(active)], array, source, 1);
  find_pairs(access);
}

void recorder::requests(int access, bm::access_kind kind, int bytes, std::uint64_t active,
                        const std::uint64_t* address, int array,
                        const std::optional<bm::request>& source, std::uint64_t times) {
  add_requests(states_[slot(access)], request_of(kind, bytes, active, address),
               address[std::countr_zero(active)], array, source, times);
}

void recorder::set_near(int access, int other, long long distance) {
  state& record = states_[slot(access)];
  record.pairs.push_back({{other, distance}, record.recorded.requests});
}

void recorder::set_array(int access, int array) { set_array(states_[slot(access)], array); }

void recorder::set_array(state& record, int array) {
  record.is_used = true;
  if (!record.has_array)
    record.recorded.array = array;
  else if (record.recorded.array != array)
    record.recorded.array = -1;
  record.has_array = true;
}

std::size_t recorder::class_of(state& record, const bm::request& lanes,
                               const std::optional<bm::request>& source) {
  std::vector<recorded_class>& classes = record.recorded.classes;
  const auto is_same = [&](const recorded_class& candidate) {
    return same_lanes(candidate.lanes, lanes) && same_source(candidate.source, source);
  };
  if (!classes.empty() && is_same(classes[record.last])) return record.last;
  const std::uint64_t hash = hash_of(lanes) ^ (source ? hash_of(*source) : 0);
  const auto [first, end] = record.classes.equal_range(hash);
  for (auto match = first; match != end; ++match)
    if (is_same(classes[match->second])) return match->second;
  record.classes.emplace(hash, classes.size());
  classes.push_back({lanes, {}, source});
  return classes.size() - 1;
}

void recorder::begin_stretch() {
  for (stretch* const current : {&shared_, &global_}) begin_stretch(*current, current->kind);
}

void recorder::begin_stretch(stretch& current, bm::access_kind kind) {
  current.number = ++stretches_;
  current.kind = kind;
  current.accesses.clear();
}

bool recorder::are_near(const state& record, const state& other, long long distance) const {
  const bm::request& mine = record.recorded.classes[record.last].lanes;
  const bm::request& theirs = other.recorded.classes[other.last].lanes;
  return static_cast<long long>(record.base - other.base) == distance &&
         mine.active == theirs.active &&
         std::equal(mine.address, mine.address + most_lanes, theirs.address);
}

// Pairs are found when the later access is executed for the first time; later only their distance
// is compared.
void recorder::find_pairs(int access) {
  state& record = states_[slot(access)];
  stretch& current = stretch_of(record);
  const bm::access_kind kind = record.recorded.classes[record.last].lanes.kind;
  if (kind != current.kind) begin_stretch(current, kind);
  if (record.recorded.requests == 1)
    for (const int neighbour : current.accesses) {
      const auto distance = static_cast<long long>(record.base - states_[slot(neighbour)].base);
      if (neighbour != access && std::abs(distance) < most_joined_bytes)
        record.pairs.push_back({{neighbour, distance}});
    }
  bool is_near_one = false;
  for (pair& couple : record.pairs) {
    const state& other = states_[slot(couple.neighbour.access)];
    if (other.stretch != current.number) continue;
    const bool is_same =
        couple.times > 0 && couple.mine == record.last && couple.other_class == other.last &&
        static_cast<long long>(record.base - other.base) == couple.neighbour.distance;
    if (!is_same && !are_near(record, other, couple.neighbour.distance)) continue;
    ++couple.times;
    couple.mine = record.last;
    couple.other_class = other.last;
    is_near_one = true;
  }
  // A store to another place ends the stretch of those before it.
  if (kind != bm::access_kind::load && !is_near_one) begin_stretch(current, kind);
  record.stretch = current.number;
  current.accesses.push_back(access);
}

void recorder::bounded_request(int access, bm::access_kind kind, int bytes, std::uint64_t active,
                               const std::uint64_t* address, bool is_possible,
                               const std::string& reason) {
  std::vector<bounded_class>& classes = states_[slot(access)].recorded.bounded;
  unknown_request(access, kind, reason);
  bm::request lanes;
  lanes.active = active;
  lanes.bytes = bytes;
  lanes.kind = kind;
  long long base = 0;
  if (address != nullptr) {
    base = static_cast<long long>(address[std::countr_zero(active)]);
    for_each_lane(active, [&](int lane) {
      lanes.address[lane] = static_cast<long long>(address[lane]) - base;
    });
  }
  const auto match =
      std::find_if(classes.rbegin(), classes.rend(), [&](const bounded_class& candidate) {
        return candidate.has_addresses == (address != nullptr) &&
               candidate.is_possible == is_possible && same_lanes(candidate.requests.lanes, lanes);
      });
  if (match != classes.rend()) {
    ++match->requests.times[base];
    return;
  }
  classes.push_back(
      {{lanes, {{base, 1}}}, address != nullptr, is_possible, states_[slot(access)].limit});
}

void recorder::request(int access, const moved_request& moved, const std::string& reason) {
  state& record = states_[slot(access)];
  ++record.recorded.requests;
  set_array(record, moved.array);
  if (record.recorded.moved_reason.empty()) record.recorded.moved_reason = reason;
  const bm::request lanes = request_of(moved.kind, moved.bytes, moved.active, moved.address);
  const auto base =
      static_cast<long long>(moved.address[std::countr_zero(moved.active)] % moved_period);
  std::vector<moved_class>& classes = record.recorded.moved;
  const auto match =
      std::find_if(classes.rbegin(), classes.rend(), [&](const moved_class& candidate) {
        return candidate.zeros == moved.zeros && candidate.is_possible == moved.is_possible &&
               same_lanes(candidate.requests.lanes, lanes);
      });
  if (match != classes.rend())
    ++match->requests.times[base];
  else
    classes.push_back({{lanes, {{base, 1}}}, moved.zeros, moved.is_possible});
  end_stretch(record, moved.kind);
}

// It is near no other, and ends their stretch as any request would.
void recorder::unknown_request(int access, bm::access_kind kind, const std::string& reason) {
  state& record = states_[slot(access)];
  ++record.recorded.requests;
  set_partial(record, reason);
  end_stretch(record, kind);
}

void recorder::end_stretch(const state& record, bm::access_kind kind) {
  stretch& current = stretch_of(record);
  if (kind != current.kind || kind != bm::access_kind::load) begin_stretch(current, kind);
}

void recorder::mark_partial(int access, const std::string& reason) {
  state& record = states_[slot(access)];
  record.recorded.lacks_requests = true;
  set_partial(record, reason);
}

void recorder::set_partial(state& record, const std::string& reason) {
  record.is_used = true;
  if (record.recorded.is_partial) return;
  record.recorded.is_partial = true;
  record.recorded.reason = reason;
}

std::vector<recorded_access> recorder::finish() {
  std::vector<recorded_access> result;
  std::vector<int> number(states_.size(), -1);
  for (std::size_t access = 0; access < states_.size(); ++access) {
    state& record = states_[access];
    if (!record.is_used) continue;
    recorded_access& recorded = record.recorded;
    for (const pair& couple : record.pairs) {
      const recorded_access& other = result[slot(number[slot(couple.neighbour.access)])];
      if (couple.times == recorded.requests && couple.times == other.requests)
        recorded.neighbours.push_back(
            {number[slot(couple.neighbour.access)], couple.neighbour.distance});
    }
    number[access] = static_cast<int>(result.size());
    if (recorded.is_global && recorded.array >= 0) {
      const auto first = static_cast<long long>(global_base(static_cast<unsigned>(recorded.array)));
      for (recorded_class& group : recorded.classes) {
        std::map<long long, std::uint64_t> from_first;
        for (const auto& [base, times] : group.times) from_first[base - first] = times;
        group.times = std::move(from_first);
      }
    }
    result.push_back(std::move(recorded));
  }
  return result;
}

}  // namespace compiled
