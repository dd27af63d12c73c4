// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_TRAFFIC_TEXT_HPP
#define BANKMODEL_HOST_TEXT_TRAFFIC_TEXT_HPP

#include <bankmodel/explain/traffic_explanation.hpp>
#include <bankmodel/host/text/explanation_text.hpp>

#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Traffic to global memory as text (host only), and explanations of accesses to either memory.
namespace bankmodel {

namespace detail {

// "1 request", "1,024 transactions".
inline std::string counted_in_words(std::uint64_t number, const char* noun) {
  return line_of(grouped(number), " ", noun, number == 1 ? "" : "s");
}

inline std::string text_of_sum(const memory_traffic& sum) {
  return line_of(counted_in_words(sum.transactions, "transaction"), " (ideal ", grouped(sum.ideal),
                 "), ", grouped(sum.bytes_used), sum.bytes_used == 1 ? " byte" : " bytes",
                 " used of ", grouped(sum.bytes_moved), " moved");
}

// "0", "0-6", "0, 8", "0, 1, 2, .. 31".
inline std::string text_of_lane_set(std::uint64_t lanes) {
  std::vector<int> numbers;
  for (int lane = 0; lane < max_lanes; ++lane)
    if ((lanes >> lane & 1) != 0) numbers.push_back(lane);
  const bool is_run = numbers.back() - numbers.front() + 1 == static_cast<int>(numbers.size());
  return is_run && numbers.size() > 1
             ? line_of(std::to_string(numbers.front()), "-", std::to_string(numbers.back()))
             : list_of_numbers(numbers);
}

// "5 sectors of 32 bytes: lanes 0-6 at byte 0, 7-14 at 32, 15-22 at 64, .. 31 at 128".
inline std::string text_of_segments(const traffic_explanation& e) {
  const request_segments& segments = e.segments;
  bool same_size = true;
  int smallest = segments.each[0].bytes, largest = segments.each[0].bytes;
  for (int index = 0; index < segments.count; ++index) {
    if (segments.each[index].bytes < smallest) smallest = segments.each[index].bytes;
    if (segments.each[index].bytes > largest) largest = segments.each[index].bytes;
  }
  same_size = smallest == largest;
  std::string result =
      line_of(counted_in_words(static_cast<std::uint64_t>(segments.count), "segment"), " of ",
              same_size ? "" : line_of(std::to_string(smallest), " to "), std::to_string(largest),
              " bytes: ");
  for (int index = 0; index < segments.count; ++index) {
    std::string separator = index == 0 ? "" : ", ";
    if (segments.count > 5 && index == 3) index = segments.count - 1, separator = ", .. ";
    const segment& current = segments.each[index];
    const bool is_one = (current.lanes & (current.lanes - 1)) == 0;
    result += line_of(separator,
                      index > 0 ? ""
                      : is_one  ? "lane "
                                : "lanes ",
                      text_of_lane_set(current.lanes), index > 0 ? " at " : " at byte ",
                      std::to_string(current.begin));
  }
  return result;
}

inline std::string text_of_place(const traffic_explanation& e,
                                 const std::vector<std::string>& loop_names) {
  std::string place = line_of("warp ", std::to_string(e.warp));
  for (int loop = 0; loop < e.loops; ++loop) {
    const auto number = static_cast<std::size_t>(loop);
    place += line_of(
        ", ",
        number < loop_names.size() ? loop_names[number] : variable_name(e.loop[loop].variable),
        " = ", std::to_string(e.loop[loop].value));
  }
  return place;
}

// "with the base of `in` 124 bytes past a multiple of 256"
inline std::string text_of_change(const traffic_explanation& e, const traffic_change& change,
                                  const std::vector<std::string>& loop_names) {
  const std::string name = text(e.array.name);
  const auto base = [&] {
    const long long bytes = change.array.base_bytes % 256;
    return bytes == 0 ? line_of("the base of ", name, " at a multiple of 256 bytes")
                      : line_of("the base of ", name, " ", std::to_string(bytes),
                                " bytes past a multiple of 256");
  };
  const auto rows = [&] {
    return line_of("rows of ", name, " ",
                   std::to_string(change.array.layout.stride[change.array.layout.rank - 2] *
                                  change.array.element_bytes),
                   " bytes apart");
  };
  const std::string vector = std::to_string(change.vector);
  switch (change.what) {
    case traffic_remedy::base: return line_of("with ", base());
    case traffic_remedy::rows: return line_of("with ", rows());
    case traffic_remedy::rows_and_base: return line_of("with ", rows(), " and ", base());
    case traffic_remedy::wider_loop: {
      std::string loop = variable_name(change.loop);
      for (int level = 0; level < e.loops; ++level)
        if (e.loop[level].variable == change.loop &&
            static_cast<std::size_t>(level) < loop_names.size())
          loop = loop_names[static_cast<std::size_t>(level)];
      return line_of("with ", vector, " elements in each access, ", vector, " steps of ", loop,
                     " at once");
    }
    case traffic_remedy::thread_axes:
      return line_of("with tx and ", variable_name(change.axis), " exchanged, in blocks of ",
                     std::to_string(change.block.x), " x ", std::to_string(change.block.y),
                     change.block.z > 1 ? line_of(" x ", std::to_string(change.block.z)) : "",
                     " threads");
    case traffic_remedy::transposed:
      return line_of("stored as ", name, text(change.array.layout),
                     " with the last two subscripts exchanged");
    case traffic_remedy::tile:
      return line_of("copied by rows through a tile of ", std::to_string(change.tile_rows), " x ",
                     std::to_string(change.tile_columns), " elements in shared memory");
    default:  // wider_neighbours
      return line_of("if the ", change.vector == 2 ? "element" : "elements",
                     " between those of two lanes ", change.vector == 2 ? "is" : "are",
                     " accessed too, one access of ", vector, " elements");
  }
}

// The changes with their transactions, the best first.
inline std::string text_of_changes(const traffic_explanation& e,
                                   const std::vector<std::string>& loop_names) {
  if (e.changes.count == 0)
    return "No base, row stride, thread axis, tile or wider access that takes fewer was found.";
  const traffic_change& best = e.changes.each[0];
  std::string result = text_of_change(e, best, loop_names);
  result[0] = static_cast<char>(result[0] - 'a' + 'A');
  const std::string changed = counted_in_words(best.after.transactions, "transaction"),
                    previous = grouped(best.before.transactions);
  if (best.what == traffic_remedy::wider_neighbours)
    return line_of(result, " takes ", changed, ", separate accesses ", previous, ".");
  result += line_of(", it takes ", changed, " instead of ", previous);
  for (int index = 1; index < e.changes.count; ++index) {
    const traffic_change& other = e.changes.each[index];
    if (other.what != traffic_remedy::wider_neighbours)
      result += line_of("; ", text_of_change(e, other, loop_names), ", ",
                        grouped(other.after.transactions));
  }
  return result + ".";
}

}  // namespace detail

// Returns traffic in one line. Without a first cache there are no lines.
//
//   constexpr auto in = global_array<float>("in", 1024, 1024);
//   constexpr auto read = load(for_loop(j, range(0, 32, 8), in[tx][ty + j]));
//   assert(text(traffic(nvidia::sm_90, block_dim{32, 8}, read)) ==
//          "32 requests, 1,024 transactions (ideal 128), 4,096 bytes used of 32,768 moved, 1,024 "
//          "lines");
inline std::string text(const memory_traffic& sum) {
  return detail::line_of(
      detail::counted_in_words(sum.requests, "request"), ", ", detail::text_of_sum(sum),
      sum.lines == 0 ? "" : detail::line_of(", ", detail::counted_in_words(sum.lines, "line")));
}

// Returns an explanation in two or three sentences with its numbers: the traffic, the worst request
// with the lanes in each segment, and the changes with the transactions after each. Bytes are
// counted as in .at(): from a multiple of 256. For a column of float in[1024][1024] in blocks of 32
// counted as in .at(): from a multiple of 256.
//
//   constexpr auto in = global_array<float>("in", 1024, 1024);
//   constexpr auto read = load(for_loop(j, range(0, 32, 8), in[tx][ty + j]));
//   assert(text(explain_traffic(nvidia::sm_90, block_dim{32, 8}, read)) ==
//          "32 requests take 1,024 transactions (ideal 128), 4,096 bytes used of 32,768 moved, "
//          "worst in warp 0, j = 0: 32 segments of 32 bytes: lane 0 at byte 0, 1 at 4096, 2 at "
//          "8192, .. 31 at 126976, instead of 4. With tx and ty exchanged, in blocks of 8 x 32 "
//          "threads, it takes 128 transactions instead of 1,024; stored as in[1024][1024] with "
//          "the last two subscripts exchanged, 128; copied by rows through a tile of 32 x 32 "
//          "elements in shared memory, 128.");
//
// `loop_names` replaces the names i j k l m n of the loops, from the outermost inwards.
inline std::string text(const traffic_explanation& e,
                        const std::vector<std::string>& loop_names = {}) {
  const std::string summary =
      detail::line_of(detail::counted_in_words(e.all.requests, "request"),
                      e.all.requests == 1 ? " takes " : " take ", detail::text_of_sum(e.all));
  if (e.excess() == 0) return summary + ": as few transactions as possible.";
  return detail::line_of(summary, ", worst in ", detail::text_of_place(e, loop_names), ": ",
                         detail::text_of_segments(e), ", instead of ", grouped(e.of_worst.ideal),
                         ". ", detail::text_of_changes(e, loop_names));
}

// Returns the explanation of one access in words, of either memory: text(explain(..)) or
// text(explain_traffic(..)). Error: as for these.
template <int Wrappers, int Nodes>
std::string explained(const machine& m, const block_dim& block,
                      const access_expression<Wrappers, Nodes>& access,
                      const block_index& grid_index = {},
                      const std::vector<std::string>& loop_names = {}) {
  return access.array.memory == memory_space::global
             ? text(explain_traffic(m, block, access, grid_index), loop_names)
             : text(explain(m, block, access, grid_index), loop_names);
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
