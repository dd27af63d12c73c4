// SPDX-License-Identifier: MIT
#include "memory.hpp"

#include <algorithm>

#include "values.hpp"

namespace compiled {

tracked_bytes::content tracked_bytes::load(std::uint64_t first, int bytes) const {
  content result;
  for (int byte = 0; byte < bytes; ++byte) {
    const std::uint64_t position = first + static_cast<std::uint64_t>(byte);
    if (origin_[position] != no_origin) return {0, origin_[position]};
    result.value |= static_cast<std::uint64_t>(value_[position]) << (8 * byte);
  }
  return result;
}

void tracked_bytes::store(std::uint64_t first, int bytes, std::uint64_t value) {
  for (int byte = 0; byte < bytes; ++byte) {
    const std::uint64_t position = first + static_cast<std::uint64_t>(byte);
    value_[position] = static_cast<std::uint8_t>(value >> (8 * byte));
  }
  origin_.fill(first, static_cast<std::uint64_t>(bytes), no_origin);
}

void tracked_bytes::forget(std::uint64_t first, std::uint64_t bytes, int origin) {
  origin_.fill(first, bytes, origin);
}

void store_times::note(std::uint64_t first, std::uint64_t bytes, std::uint32_t time, int warp) {
  times_.fill(first, bytes, time * 64 + static_cast<std::uint32_t>(warp));
}

bool store_times::by_another(std::uint64_t first, int bytes, std::uint32_t time, int warp) const {
  for (int byte = 0; byte < bytes; ++byte) {
    const std::uint32_t last = times_[first + static_cast<std::uint64_t>(byte)];
    if (last / 64 == time && last % 64 != static_cast<std::uint32_t>(warp)) return true;
  }
  return false;
}

int shared_layout::array_at(std::uint64_t byte, std::uint64_t size) const {
  for (std::size_t array = 0; array < first.size(); ++array)
    if (byte >= first[array] && byte + size <= first[array] + bytes[array])
      return static_cast<int>(array);
  return -1;
}

// Arrays have no holes that matter: the first lane's array has most of the others.
placed_lanes placed(const shared_layout& layout, int derived_from, std::uint64_t lanes,
                    const std::uint64_t* address, std::uint64_t size) {
  placed_lanes result{derived_from, -1};
  bool is_one = true;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t byte = address[lane];
    const auto array = static_cast<std::size_t>(result.array);
    if (result.array >= 0 && byte >= layout.first[array] &&
        byte + size <= layout.first[array] + layout.bytes[array])
      return;
    const int match = derived_from < 0 ? layout.array_at(byte, size) : -1;
    is_one = is_one && result.array < 0;
    if (match < 0 && result.outside < 0) result.outside = lane;
    if (derived_from < 0) result.array = match;
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
  const auto aligned = [](std::uint64_t byte, std::uint64_t factor) {
    return (byte + factor - 1) / factor * factor;
  };
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
  for (std::size_t number = 0; number < shared.size(); ++number) {
    if (shared[number].bytes != 0) continue;
    result.first[number] = dynamic;
    result.bytes[number] = dynamic_bytes;
  }
  result.total = dynamic_bytes == 0 ? end : dynamic + dynamic_bytes;
  return result;
}

}  // namespace compiled
