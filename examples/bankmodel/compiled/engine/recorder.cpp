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

std::uint64_t hash_of(const bm::request& one) {
  std::uint64_t result = one.active * 0x9e3779b97f4a7c15u + static_cast<unsigned>(one.bytes);
  for (const long long address : one.address)
    result = (result ^ static_cast<std::uint64_t>(address)) * 0x100000001b3u + (result >> 29);
  return result;
}

}  // namespace

int recorder::add(const instruction& of, int number, bool is_global, const low_part& of_addresses) {
  state one;
  one.made.where = of.where;
  one.made.number = number;
  one.made.memory = of.memory;
  one.made.is_global = is_global;
  if (!is_global) one.made.array = of.memory.shared_array;
  one.made.alignment = 1 << of_addresses.bits;
  one.made.remainder = static_cast<int>(of_addresses.value);
  all_.push_back(std::move(one));
  return static_cast<int>(all_.size()) - 1;
}

void recorder::limit(int access, const byte_range& bytes) {
  all_[static_cast<std::size_t>(access)].limit = bytes;
}

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

void recorder::add_requests(state& to, const bm::request& lanes, std::uint64_t base, int array,
                            const std::optional<bm::request>& source, std::uint64_t times) {
  to.made.requests += times;
  set_array(to, array);
  to.last = class_of(to, lanes, source);
  to.base = base;
  to.made.classes[to.last].times[static_cast<long long>(base)] += times;
}

void recorder::request(int access, bm::access_kind kind, int bytes, std::uint64_t active,
                       const std::uint64_t* address, int array,
                       const std::optional<bm::request>& source) {
  add_requests(all_[static_cast<std::size_t>(access)], request_of(kind, bytes, active, address),
               address[std::countr_zero(active)], array, source, 1);
  find_pairs(access);
}

void recorder::requests(int access, bm::access_kind kind, int bytes, std::uint64_t active,
                        const std::uint64_t* address, int array,
                        const std::optional<bm::request>& source, std::uint64_t times) {
  add_requests(all_[static_cast<std::size_t>(access)], request_of(kind, bytes, active, address),
               address[std::countr_zero(active)], array, source, times);
}

void recorder::set_near(int access, int other, long long distance) {
  state& to = all_[static_cast<std::size_t>(access)];
  to.pairs.push_back({{other, distance}, to.made.requests});
}

void recorder::set_array(int access, int array) {
  set_array(all_[static_cast<std::size_t>(access)], array);
}

void recorder::set_array(state& to, int array) {
  to.is_used = true;
  if (!to.has_array)
    to.made.array = array;
  else if (to.made.array != array)
    to.made.array = -1;
  to.has_array = true;
}

std::size_t recorder::class_of(state& to, const bm::request& lanes,
                               const std::optional<bm::request>& source) {
  std::vector<recorded_class>& classes = to.made.classes;
  const auto is_same = [&](const recorded_class& one) {
    return same_lanes(one.lanes, lanes) && same_source(one.source, source);
  };
  if (!classes.empty() && is_same(classes[to.last])) return to.last;
  const std::uint64_t hash = hash_of(lanes) ^ (source ? hash_of(*source) : 0);
  const auto [first, end] = to.classes.equal_range(hash);
  for (auto at = first; at != end; ++at)
    if (is_same(classes[at->second])) return at->second;
  to.classes.emplace(hash, classes.size());
  classes.push_back({lanes, {}, source});
  return classes.size() - 1;
}

void recorder::begin_stretch() {
  for (stretch* const one : {&shared_, &global_}) begin_stretch(*one, one->kind);
}

void recorder::begin_stretch(stretch& of, bm::access_kind kind) {
  of.number = ++stretches_;
  of.kind = kind;
  of.accesses.clear();
}

bool recorder::are_near(const state& one, const state& other, long long distance) const {
  const bm::request& mine = one.made.classes[one.last].lanes;
  const bm::request& its = other.made.classes[other.last].lanes;
  return static_cast<long long>(one.base - other.base) == distance && mine.active == its.active &&
         std::equal(mine.address, mine.address + most_lanes, its.address);
}

// Pairs are found when the later access is executed for the first time; later only their distance
// is compared.
void recorder::find_pairs(int access) {
  state& to = all_[static_cast<std::size_t>(access)];
  stretch& in = stretch_of(to);
  const bm::access_kind kind = to.made.classes[to.last].lanes.kind;
  if (kind != in.kind) begin_stretch(in, kind);
  if (to.made.requests == 1)
    for (const int one : in.accesses) {
      const auto distance =
          static_cast<long long>(to.base - all_[static_cast<std::size_t>(one)].base);
      if (one != access && std::abs(distance) < most_joined_bytes)
        to.pairs.push_back({{one, distance}});
    }
  bool is_near_one = false;
  for (pair& each : to.pairs) {
    const state& other = all_[static_cast<std::size_t>(each.of.access)];
    if (other.stretch != in.number) continue;
    const bool is_same = each.times > 0 && each.mine == to.last && each.its == other.last &&
                         static_cast<long long>(to.base - other.base) == each.of.distance;
    if (!is_same && !are_near(to, other, each.of.distance)) continue;
    ++each.times;
    each.mine = to.last;
    each.its = other.last;
    is_near_one = true;
  }
  // A store to another place ends the stretch of those before it.
  if (kind != bm::access_kind::load && !is_near_one) begin_stretch(in, kind);
  to.stretch = in.number;
  in.accesses.push_back(access);
}

void recorder::bounded_request(int access, bm::access_kind kind, int bytes, std::uint64_t active,
                               const std::uint64_t* address, bool is_possible,
                               const std::string& reason) {
  std::vector<bounded_class>& all = all_[static_cast<std::size_t>(access)].made.bounded;
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
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const bounded_class& one) {
    return one.has_addresses == (address != nullptr) && one.is_possible == is_possible &&
           same_lanes(one.made.lanes, lanes);
  });
  if (found != all.rend()) {
    ++found->made.times[base];
    return;
  }
  all.push_back({{lanes, {{base, 1}}},
                 address != nullptr,
                 is_possible,
                 all_[static_cast<std::size_t>(access)].limit});
}

void recorder::request(int access, const moved_request& made, const std::string& reason) {
  state& to = all_[static_cast<std::size_t>(access)];
  ++to.made.requests;
  set_array(to, made.array);
  if (to.made.moved_reason.empty()) to.made.moved_reason = reason;
  const bm::request lanes = request_of(made.kind, made.bytes, made.active, made.address);
  const auto base =
      static_cast<long long>(made.address[std::countr_zero(made.active)] % moved_period);
  std::vector<moved_class>& all = to.made.moved;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const moved_class& one) {
    return one.zeros == made.zeros && one.is_possible == made.is_possible &&
           same_lanes(one.made.lanes, lanes);
  });
  if (found != all.rend())
    ++found->made.times[base];
  else
    all.push_back({{lanes, {{base, 1}}}, made.zeros, made.is_possible});
  end_stretch(to, made.kind);
}

// It is near no other, and ends their stretch as any request would.
void recorder::unknown_request(int access, bm::access_kind kind, const std::string& reason) {
  state& to = all_[static_cast<std::size_t>(access)];
  ++to.made.requests;
  set_partial(to, reason);
  end_stretch(to, kind);
}

void recorder::end_stretch(const state& by, bm::access_kind kind) {
  stretch& in = stretch_of(by);
  if (kind != in.kind || kind != bm::access_kind::load) begin_stretch(in, kind);
}

void recorder::mark_partial(int access, const std::string& reason) {
  state& to = all_[static_cast<std::size_t>(access)];
  to.made.lacks_requests = true;
  set_partial(to, reason);
}

void recorder::set_partial(state& to, const std::string& reason) {
  to.is_used = true;
  if (to.made.is_partial) return;
  to.made.is_partial = true;
  to.made.reason = reason;
}

std::vector<recorded_access> recorder::finish() {
  std::vector<recorded_access> result;
  std::vector<int> number(all_.size(), -1);
  for (std::size_t at = 0; at < all_.size(); ++at) {
    state& one = all_[at];
    if (!one.is_used) continue;
    recorded_access& made = one.made;
    for (const pair& each : one.pairs) {
      const recorded_access& other =
          result[static_cast<std::size_t>(number[static_cast<std::size_t>(each.of.access)])];
      if (each.times == made.requests && each.times == other.requests)
        made.near.push_back({number[static_cast<std::size_t>(each.of.access)], each.of.distance});
    }
    number[at] = static_cast<int>(result.size());
    if (made.is_global && made.array >= 0) {
      const auto first = static_cast<long long>(global_base(static_cast<unsigned>(made.array)));
      for (recorded_class& each : made.classes) {
        std::map<long long, std::uint64_t> from_first;
        for (const auto& [base, times] : each.times) from_first[base - first] = times;
        each.times = std::move(from_first);
      }
    }
    result.push_back(std::move(made));
  }
  return result;
}

}  // namespace compiled
