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

bool can_be_joined(const recorded_access& access, int least_bytes) {
  const int bytes = bytes_as_written(access.memory);
  return (access.memory.operation == access_does::load ||
          access.memory.operation == access_does::store) &&
         !access.is_partial && !access.memory.is_volatile && bytes >= least_bytes &&
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
alignment recorded_alignment(const recorded_access& access) {
  long long differences = most_joined_bytes, first = 0;
  bool is_first = true;
  for (const recorded_class& requests : access.classes) {
    for (const auto& [base, times] : requests.times) {
      if (is_first) first = base;
      is_first = false;
      differences |= base - first;
    }
    for (const long long address : requests.lanes.address) differences |= address;
  }
  return aligned(lowest_bit(differences), first);
}

// What types say may be untrue of what was recorded.
alignment known_alignment_of(const recorded_access& access) {
  const alignment recorded = recorded_alignment(access);
  const long long modulus = std::min<long long>(access.alignment, recorded.modulus);
  return aligned(lowest_bit(modulus | (access.remainder - recorded.remainder)), recorded.remainder);
}

// Accesses that are near one another, directly or by others, with their distances.
class neighbourhoods {
 public:
  neighbourhoods(const recording& recorded, const std::vector<int>& numbers, int least_bytes)
      : is_in_(recorded.accesses.size()), place_(recorded.accesses.size()) {
    for (const int number : numbers) {
      const recorded_access& access = recorded.accesses[slot(number)];
      if (!can_be_joined(access, least_bytes)) continue;
      is_in_[slot(number)] = true;
      add(number, access.neighbours);
    }
  }
  // Each in the order of the code.
  std::vector<std::vector<member>> groups() && {
    for (auto& group : groups_) std::ranges::sort(group, {}, &member::access);
    return std::move(groups_);
  }

 private:
  // An access is near accesses of one neighbourhood, or begins one; those of several become one.
  void add(int number, const std::vector<near_access>& neighbours) {
    bool is_placed = false;
    for (const near_access& neighbour : neighbours) {
      if (!is_in_[slot(neighbour.access)]) continue;
      const auto [other, offset] = place_[slot(neighbour.access)];
      if (!is_placed)
        put({number, offset + neighbour.distance}, other);
      else if (other != place_[slot(number)].group)
        merge(other, place_[slot(number)].offset - neighbour.distance - offset,
              place_[slot(number)].group);
      is_placed = true;
    }
    if (is_placed) return;
    groups_.emplace_back();
    put({number, 0}, groups_.size() - 1);
  }
  void put(const member& part, std::size_t group) {
    place_[slot(part.access)] = {group, part.offset};
    groups_[group].push_back(part);
  }
  void merge(std::size_t source, long long distance, std::size_t target) {
    for (const member& part : groups_[source]) put({part.access, part.offset + distance}, target);
    groups_[source].clear();
  }

  struct place_of {
    std::size_t group = 0;
    long long offset = 0;
  };
  std::vector<bool> is_in_;
  std::vector<place_of> place_;  // of each access
  std::vector<std::vector<member>> groups_;
};

class joiner {
 public:
  joiner(recording& recorded, const joining& rules) : recording_(recorded), rules_(rules) {}

  void join(std::vector<member> parts) {
    // Offsets become those from a multiple of the largest modulus that is known of one of them.
    alignment best;
    long long origin = parts[0].offset;
    for (const member& part : parts) {
      const recorded_access& entry = access(part);
      const alignment next =
          rules_.as_recorded ? recorded_alignment(entry) : known_alignment_of(entry);
      if (next.modulus <= best.modulus) continue;
      best = next;
      origin = part.offset - next.remainder;
    }
    for (member& part : parts) part.offset -= origin;
    // The widest windows first; what they leave may fit narrower ones.
    const int widest = std::min(rules_.most_bytes, static_cast<int>(best.modulus));
    for (int bytes = widest; bytes >= rules_.least_bytes; bytes /= 2) parts = rest(parts, bytes);
  }

 private:
  recorded_access& access(const member& part) {
    return recording_.accesses[static_cast<std::size_t>(part.access)];
  }

  static long long window_of(const member& part, int bytes) {
    const long long remainder = (part.offset % bytes + bytes) % bytes;
    return part.offset - remainder;
  }

  // Joins what windows of so many bytes join, and returns the other members.
  std::vector<member> rest(const std::vector<member>& parts, int bytes) {
    std::vector<member> result;
    std::vector<bool> is_done(parts.size());
    for (std::size_t first = 0; first < parts.size(); ++first) {
      if (is_done[first]) continue;
      const long long window = window_of(parts[first], bytes);
      std::vector<member> group;
      std::vector<std::size_t> numbers;
      unsigned touched = 0;  // a bit for each byte of the window
      for (std::size_t index = first; index < parts.size(); ++index) {
        const long long size = bytes_as_written(access(parts[index]).memory);
        if (is_done[index] || window_of(parts[index], bytes) != window ||
            parts[index].offset + size > window + bytes)
          continue;
        group.push_back(parts[index]);
        numbers.push_back(index);
        touched |= ((1u << size) - 1) << static_cast<unsigned>(parts[index].offset - window);
      }
      const int accessed = std::popcount(touched);
      const bool loads = access(parts[first]).memory.operation == access_does::load;
      const bool is_one = accessed == bytes || (loads && bytes == 16 && accessed == 12);
      if (group.size() > 1 && is_one) {
        issue(group, window, bytes);
        for (const std::size_t number : numbers) is_done[number] = true;
      } else {
        result.push_back(parts[first]);
        is_done[first] = true;
      }
    }
    return result;
  }

  // The first load in the code has the instruction, and the last store: all values are there.
  void issue(const std::vector<member>& parts, long long window, int bytes) {
    const bool loads = access(parts[0]).memory.operation == access_does::load;
    const int owner = loads ? parts.front().access : parts.back().access;
    for (const member& part : parts) {
      recorded_access& entry = access(part);
      entry.issued_with = part.access == owner ? -1 : owner;
      entry.issued_bytes = bytes;
      entry.issued_offset = static_cast<int>(window - part.offset);
    }
  }

  recording& recording_;
  joining rules_;
};

}  // namespace

int bytes_as_issued(const recorded_access& access) {
  return access.issued_bytes > 0 ? access.issued_bytes : bytes_as_written(access.memory);
}

recorded_class as_issued(const recorded_access& access, const recorded_class& requests) {
  if (access.issued_bytes == 0) return requests;
  recorded_class result = requests;
  result.lanes.bytes = access.issued_bytes;
  result.times.clear();
  for (const auto& [base, often] : requests.times)
    result.times[base + access.issued_offset] = often;
  return result;
}

bool joins_shared_accesses(const recording& recorded) {
  return std::ranges::any_of(recorded.accesses, [](const recorded_access& access) {
    return !access.is_global && access.issued_with >= 0;
  });
}

void join_accesses(recording& recorded, const std::vector<int>& numbers, const joining& rules) {
  for (const int number : numbers) {
    recorded_access& access = recorded.accesses[static_cast<std::size_t>(number)];
    access.issued_with = -1;
    access.issued_bytes = access.issued_offset = 0;
  }
  joiner joins(recorded, rules);
  for (const std::vector<member>& group :
       neighbourhoods(recorded, numbers, rules.least_bytes).groups())
    if (group.size() > 1) joins.join(group);
}

void join_accesses(recording& recorded, const joining& rules) {
  std::vector<int> numbers(recorded.accesses.size());
  for (std::size_t index = 0; index < numbers.size(); ++index)
    numbers[index] = static_cast<int>(index);
  join_accesses(recorded, numbers, rules);
}

int widest_issued_bytes(const recording& recorded, int number) {
  int result = 0;
  for (const recorded_access& access : recorded.accesses)
    if (!access.is_global && access.array == number)
      result = std::max(result, bytes_as_issued(access));
  return result;
}

}  // namespace compiled
