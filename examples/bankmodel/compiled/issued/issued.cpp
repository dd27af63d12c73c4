// SPDX-License-Identifier: MIT
#include "issued.hpp"

#include <algorithm>
#include <bit>

namespace compiled {

namespace {

struct member {
  int access = -1;
  long long offset = 0;  // from any of them
};

bool can_be_joined(const recorded_access& one, int least_bytes) {
  const int bytes = bytes_as_written(one.memory);
  return (one.memory.does == access_does::load || one.memory.does == access_does::store) &&
         !one.is_partial && !one.memory.is_volatile && bytes >= least_bytes &&
         bytes <= most_joined_bytes && std::has_single_bit(static_cast<unsigned>(bytes));
}

// Addresses are `remainder` more than multiples of `modulus`.
struct alignment {
  long long modulus = 1, remainder = 0;
};
alignment aligned(long long modulus, long long address) {
  return {modulus, (address % modulus + modulus) % modulus};
}
long long lowest_bit(long long value) { return value & -value; }

// Of the addresses that were recorded.
alignment recorded_alignment(const recorded_access& one) {
  long long differences = most_joined_bytes, first = 0;
  bool is_first = true;
  for (const recorded_class& each : one.classes) {
    for (const auto& [base, times] : each.times) {
      if (is_first) first = base;
      is_first = false;
      differences |= base - first;
    }
    for (const long long address : each.lanes.address) differences |= address;
  }
  return aligned(lowest_bit(differences), first);
}

// What types say may be untrue of what was recorded.
alignment known_alignment_of(const recorded_access& one) {
  const alignment recorded = recorded_alignment(one);
  const long long modulus = std::min<long long>(one.alignment, recorded.modulus);
  return aligned(lowest_bit(modulus | (one.remainder - recorded.remainder)), recorded.remainder);
}

// Accesses that are near one another, directly or by others, with their distances.
class neighbourhoods {
 public:
  neighbourhoods(const recording& of, const std::vector<int>& which, int least_bytes)
      : is_in_(of.accesses.size()), place_(of.accesses.size()) {
    for (const int one : which) {
      const recorded_access& access = of.accesses[at(one)];
      if (!can_be_joined(access, least_bytes)) continue;
      is_in_[at(one)] = true;
      add(one, access.near);
    }
  }
  // Each in the order of the code.
  std::vector<std::vector<member>> all() && {
    for (auto& each : all_)
      std::sort(each.begin(), each.end(),
                [](const member& a, const member& b) { return a.access < b.access; });
    return std::move(all_);
  }

 private:
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }

  // An access is near accesses of one neighbourhood, or begins one; those of several become one.
  void add(int number, const std::vector<near_access>& near) {
    bool is_placed = false;
    for (const near_access& each : near) {
      if (!is_in_[at(each.access)]) continue;
      const auto [other, offset] = place_[at(each.access)];
      if (!is_placed)
        put({number, offset + each.distance}, other);
      else if (other != place_[at(number)].group)
        merge(other, place_[at(number)].offset - each.distance - offset, place_[at(number)].group);
      is_placed = true;
    }
    if (is_placed) return;
    all_.emplace_back();
    put({number, 0}, all_.size() - 1);
  }
  void put(const member& one, std::size_t group) {
    place_[at(one.access)] = {group, one.offset};
    all_[group].push_back(one);
  }
  void merge(std::size_t from, long long distance, std::size_t to) {
    for (const member& one : all_[from]) put({one.access, one.offset + distance}, to);
    all_[from].clear();
  }

  struct place_of {
    std::size_t group = 0;
    long long offset = 0;
  };
  std::vector<bool> is_in_;
  std::vector<place_of> place_;  // of each access
  std::vector<std::vector<member>> all_;
};

class joiner {
 public:
  joiner(recording& of, const joining& how) : of_(of), how_(how) {}

  void join(std::vector<member> together) {
    // Offsets become those from a multiple of the largest modulus that is known of one of them.
    alignment best;
    long long origin = together[0].offset;
    for (const member& one : together) {
      const recorded_access& each = access(one);
      const alignment next = how_.as_recorded ? recorded_alignment(each) : known_alignment_of(each);
      if (next.modulus <= best.modulus) continue;
      best = next;
      origin = one.offset - next.remainder;
    }
    for (member& one : together) one.offset -= origin;
    // The widest windows first; what they leave may fit narrower ones.
    const int widest = std::min(how_.most_bytes, static_cast<int>(best.modulus));
    for (int bytes = widest; bytes >= how_.least_bytes; bytes /= 2)
      together = rest(together, bytes);
  }

 private:
  recorded_access& access(const member& one) {
    return of_.accesses[static_cast<std::size_t>(one.access)];
  }

  static long long window_of(const member& one, int bytes) {
    const long long remainder = (one.offset % bytes + bytes) % bytes;
    return one.offset - remainder;
  }

  // Joins what windows of so many bytes join, and returns the other members.
  std::vector<member> rest(const std::vector<member>& of, int bytes) {
    std::vector<member> result;
    std::vector<bool> is_done(of.size());
    for (std::size_t first = 0; first < of.size(); ++first) {
      if (is_done[first]) continue;
      const long long window = window_of(of[first], bytes);
      std::vector<member> in;
      std::vector<std::size_t> numbers;
      unsigned touched = 0;  // a bit for each byte of the window
      for (std::size_t at = first; at < of.size(); ++at) {
        const long long size = bytes_as_written(access(of[at]).memory);
        if (is_done[at] || window_of(of[at], bytes) != window ||
            of[at].offset + size > window + bytes)
          continue;
        in.push_back(of[at]);
        numbers.push_back(at);
        touched |= ((1u << size) - 1) << static_cast<unsigned>(of[at].offset - window);
      }
      const int accessed = std::popcount(touched);
      const bool loads = access(of[first]).memory.does == access_does::load;
      const bool is_one = accessed == bytes || (loads && bytes == 16 && accessed == 12);
      if (in.size() > 1 && is_one) {
        issue(in, window, bytes);
        for (const std::size_t at : numbers) is_done[at] = true;
      } else {
        result.push_back(of[first]);
        is_done[first] = true;
      }
    }
    return result;
  }

  // The first load in the code has the instruction, and the last store: all values are there.
  void issue(const std::vector<member>& together, long long window, int bytes) {
    const bool loads = access(together[0]).memory.does == access_does::load;
    const int owner = loads ? together.front().access : together.back().access;
    for (const member& one : together) {
      recorded_access& each = access(one);
      each.issued_with = one.access == owner ? -1 : owner;
      each.issued_bytes = bytes;
      each.issued_offset = static_cast<int>(window - one.offset);
    }
  }

  recording& of_;
  joining how_;
};

}  // namespace

int bytes_as_issued(const recorded_access& access) {
  return access.issued_bytes > 0 ? access.issued_bytes : bytes_as_written(access.memory);
}

recorded_class as_issued(const recorded_access& access, const recorded_class& of) {
  if (access.issued_bytes == 0) return of;
  recorded_class result = of;
  result.lanes.bytes = access.issued_bytes;
  result.times.clear();
  for (const auto& [base, often] : of.times) result.times[base + access.issued_offset] = often;
  return result;
}

bool joins_shared_accesses(const recording& of) {
  return std::any_of(of.accesses.begin(), of.accesses.end(), [](const recorded_access& one) {
    return !one.is_global && one.issued_with >= 0;
  });
}

void join_accesses(recording& of, const std::vector<int>& which, const joining& how) {
  for (const int one : which) {
    recorded_access& each = of.accesses[static_cast<std::size_t>(one)];
    each.issued_with = -1;
    each.issued_bytes = each.issued_offset = 0;
  }
  joiner joins(of, how);
  for (const std::vector<member>& each : neighbourhoods(of, which, how.least_bytes).all())
    if (each.size() > 1) joins.join(each);
}

void join_accesses(recording& of, const joining& how) {
  std::vector<int> all(of.accesses.size());
  for (std::size_t at = 0; at < all.size(); ++at) all[at] = static_cast<int>(at);
  join_accesses(of, all, how);
}

int widest_issued_bytes(const recording& of, int number) {
  int result = 0;
  for (const recorded_access& one : of.accesses)
    if (!one.is_global && one.array == number) result = std::max(result, bytes_as_issued(one));
  return result;
}

}  // namespace compiled
