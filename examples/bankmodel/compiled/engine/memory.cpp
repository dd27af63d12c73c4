// SPDX-License-Identifier: MIT
#include "memory.hpp"

#include <algorithm>

#include "values.hpp"

namespace compiled {

tracked_bytes::content tracked_bytes::load(std::uint64_t at, int bytes) const {
  content result;
  for (int byte = 0; byte < bytes; ++byte) {
    const std::uint64_t from = at + static_cast<std::uint64_t>(byte);
    if (origin_[from] != no_origin) return {0, origin_[from]};
    result.value |= static_cast<std::uint64_t>(value_[from]) << (8 * byte);
  }
  return result;
}

void tracked_bytes::store(std::uint64_t at, int bytes, std::uint64_t value) {
  for (int byte = 0; byte < bytes; ++byte) {
    const std::uint64_t to = at + static_cast<std::uint64_t>(byte);
    value_[to] = static_cast<std::uint8_t>(value >> (8 * byte));
  }
  origin_.fill(at, static_cast<std::uint64_t>(bytes), no_origin);
}

void tracked_bytes::forget(std::uint64_t at, std::uint64_t bytes, int origin) {
  origin_.fill(at, bytes, origin);
}

void store_times::note(std::uint64_t at, std::uint64_t bytes, std::uint32_t time, int warp) {
  times_.fill(at, bytes, time * 64 + static_cast<std::uint32_t>(warp));
}

bool store_times::by_another(std::uint64_t at, int bytes, std::uint32_t time, int warp) const {
  for (int byte = 0; byte < bytes; ++byte) {
    const std::uint32_t last = times_[at + static_cast<std::uint64_t>(byte)];
    if (last / 64 == time && last % 64 != static_cast<std::uint32_t>(warp)) return true;
  }
  return false;
}

int shared_layout::array_at(std::uint64_t at, std::uint64_t size) const {
  for (std::size_t array = 0; array < first.size(); ++array)
    if (at >= first[array] && at + size <= first[array] + bytes[array])
      return static_cast<int>(array);
  return -1;
}

// Arrays have no holes that matter: the first lane's array has most of the others.
placed_lanes placed(const shared_layout& layout, int derived_from, std::uint64_t lanes,
                    const std::uint64_t* address, std::uint64_t size) {
  placed_lanes result{derived_from, -1};
  bool is_one = true;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t at = address[lane];
    const auto in = static_cast<std::size_t>(result.array);
    if (result.array >= 0 && at >= layout.first[in] &&
        at + size <= layout.first[in] + layout.bytes[in])
      return;
    const int found = derived_from < 0 ? layout.array_at(at, size) : -1;
    is_one = is_one && result.array < 0;
    if (found < 0 && result.outside < 0) result.outside = lane;
    if (derived_from < 0) result.array = found;
  });
  if (!is_one) result.array = -1;
  return result;
}

placed_lanes placed_in_global(int arrays, std::uint64_t lanes, const std::uint64_t* address) {
  placed_lanes result;
  bool is_first = true, is_one = true;
  for_each_lane(lanes, [&](int lane) {
    const int number = global_number(address[lane]);
    if ((number < 0 || number >= arrays) && result.outside < 0) result.outside = lane;
    is_one = is_one && (is_first || number == result.array);
    result.array = number;
    is_first = false;
  });
  if (!is_one || result.outside >= 0) result.array = -1;
  return result;
}

shared_layout laid_out(const std::vector<code_array>& shared, std::uint64_t dynamic_bytes) {
  shared_layout result;
  std::uint64_t end = 0, most_alignment = 1;
  const auto aligned = [](std::uint64_t at, std::uint64_t to) { return (at + to - 1) / to * to; };
  for (const code_array& array : shared) {
    const auto alignment = static_cast<std::uint64_t>(std::max(array.alignment, 1));
    if (array.bytes == 0)
      most_alignment = std::max(most_alignment, alignment);
    else
      end = aligned(end, alignment);
    result.first.push_back(end);
    result.bytes.push_back(array.bytes);
    end += array.bytes;
  }
  // A kernel without a dynamic array may be launched with dynamic bytes all the same.
  const std::uint64_t dynamic = aligned(end, most_alignment);
  for (std::size_t at = 0; at < shared.size(); ++at) {
    if (shared[at].bytes != 0) continue;
    result.first[at] = dynamic;
    result.bytes[at] = dynamic_bytes;
  }
  result.total = dynamic_bytes == 0 ? end : dynamic + dynamic_bytes;
  return result;
}

}  // namespace compiled
