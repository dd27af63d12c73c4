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

std::uint64_t hash_of(const bm::request& one) {
  std::uint64_t result = one.active * 0x9e3779b97f4a7c15u + static_cast<unsigned>(one.bytes);
  for (const long long address : one.address)
    result = (result ^ static_cast<std::uint64_t>(address)) * 0x100000001b3u + (result >> 29);
  return result;
}

}  // namespace

int recorder::add(const instruction& of, int number, bool is_global) {
  state one;
  one.made.where = of.where;
  one.made.number = number;
  one.made.memory = of.memory;
  one.made.is_global = is_global;
  all_.push_back(std::move(one));
  return static_cast<int>(all_.size()) - 1;
}

void recorder::request(int access, bm::access_kind kind, int bytes, std::uint64_t active,
                       const std::uint64_t* address, int array) {
  state& to = all_[static_cast<std::size_t>(access)];
  recorded_access& made = to.made;
  to.is_used = true;
  ++made.requests;
  if (!to.has_array)
    made.array = array;
  else if (made.array != array)
    made.array = -1;
  to.has_array = true;

  bm::request lanes;
  lanes.active = active;
  lanes.bytes = bytes;
  lanes.kind = kind;
  const std::uint64_t base = address[std::countr_zero(active)];
  for_each_lane(active, [&](int lane) {
    lanes.address[lane] = static_cast<long long>(address[lane] - base);
  });
  const auto times = [&](std::size_t at) -> std::uint64_t& {
    return made.classes[at].times[static_cast<long long>(base)];
  };
  if (!made.classes.empty() && same_lanes(made.classes[to.last].lanes, lanes)) {
    ++times(to.last);
    return;
  }
  const std::uint64_t hash = hash_of(lanes);
  const auto [first, end] = to.classes.equal_range(hash);
  for (auto at = first; at != end; ++at)
    if (same_lanes(made.classes[at->second].lanes, lanes)) {
      ++times(to.last = at->second);
      return;
    }
  to.last = made.classes.size();
  to.classes.emplace(hash, to.last);
  made.classes.push_back({lanes, {}});
  ++times(to.last);
}

void recorder::unknown_request(int access, const std::string& reason) {
  ++all_[static_cast<std::size_t>(access)].made.requests;
  mark_partial(access, reason);
}

void recorder::mark_partial(int access, const std::string& reason) {
  state& to = all_[static_cast<std::size_t>(access)];
  to.is_used = true;
  if (to.made.is_partial) return;
  to.made.is_partial = true;
  to.made.reason = reason;
}

std::vector<recorded_access> recorder::finish() {
  std::vector<recorded_access> result;
  for (state& one : all_) {
    if (!one.is_used) continue;
    recorded_access& made = one.made;
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
