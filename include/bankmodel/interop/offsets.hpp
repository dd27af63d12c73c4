// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_OFFSETS_HPP
#define BANKMODEL_INTEROP_OFFSETS_HPP

#include <bankmodel/model/cost.hpp>
#include <bankmodel/model/wavefronts.hpp>

#include <bankmodel/core/hide_macros.hpp>

// The cost of accesses whose places a function of thread and value says, as CuTe's layouts of
// copies do, and the index arithmetic of a kernel that is a function already.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void thread_values_must_not_be_empty(long long threads, long long values,
                                                               long long active_lanes) {
  detail::fail(
      __func__,
      "% threads with % values each, of which % lanes count, access nothing; set .threads, "
      ".values and .active_lanes to 1 or more",
      threads, values, active_lanes);
}
[[noreturn]] BANKMODEL_FN void values_must_fill_their_instructions(long long values,
                                                                   long long vector) {
  detail::fail(
      __func__,
      "% values of a thread are accessed % at a time; make the number of values a multiple "
      "of the vector",
      values, vector);
}
[[noreturn]] BANKMODEL_FN void values_of_an_instruction_must_be_neighbours(long long value,
                                                                           long long offset,
                                                                           long long previous) {
  detail::fail(__func__,
               "value % of a thread has offset %, and the one before it in the same instruction %; "
               "access fewer values at a time, or let the layout's first stride be 1",
               value, offset, previous);
}
[[noreturn]] BANKMODEL_FN void elements_must_be_whole_bytes(long long bits) {
  detail::fail(__func__,
               "the values of one instruction have % bits; let .vector make them 8, 16, 32, 64 "
               "or 128",
               bits);
}
}  // namespace rule

// What the threads of a block do with an array, `values` times each.
struct thread_values {
  int threads = 0;        // of the block
  int values = 0;         // of each thread
  int vector = 1;         // values that one instruction accesses
  int element_bits = 32;  // of a value
  access_kind kind = access_kind::load;
  // Lanes of a warp whose addresses count: all that there are, or 8 for ldmatrix of one matrix.
  int active_lanes = max_lanes;
};

// Returns the cost of all warps: threads * values / vector / lanes requests, rounded up for each
// instruction.
//
//   m        the machine
//   pattern  the threads and their values
//   offset   offset(thread, value): the element that the thread's value is at, from 0, as a number.
//            It is called for each of them.
//   base     the byte of the array's first element in shared memory
//
// Error: there is no thread, value or active lane; vector does not divide values; the values of an
// instruction are not neighbours, or not whole bytes; the errors of wavefronts(m, request).
// Example: 256 threads store a column-major tile of 128 x 8 floats, 8 threads along a row:
//
//   constexpr auto place = [](int thread, int value) {
//     return thread % 8 * 128 + thread / 8 + 32 * value;
//   };
//   constexpr cost found =
//       total(nvidia::sm_90, thread_values{256, 4, 1, 32, access_kind::store}, place);
//   static_assert(found.requests == 32 && found.wavefronts == 256 && found.degree == 8);
template <class Offset>
BANKMODEL_FN cost total(const machine& m, const thread_values& pattern, const Offset& offset,
                        long long base = 0) {
  if (pattern.threads < 1 || pattern.values < 1 || pattern.active_lanes < 1)
    rule::thread_values_must_not_be_empty(pattern.threads, pattern.values, pattern.active_lanes);
  if (pattern.vector < 1 || pattern.values % pattern.vector != 0)
    rule::values_must_fill_their_instructions(pattern.values, pattern.vector);
  const int bits = pattern.vector * pattern.element_bits;
  if (bits % 8 != 0) rule::elements_must_be_whole_bytes(bits);
  cost sum{};
  for (int first = 0; first < pattern.threads; first += m.lanes)
    for (int value = 0; value < pattern.values; value += pattern.vector) {
      request warp{};
      warp.bytes = bits / 8;
      warp.kind = pattern.kind;
      for (int lane = 0;
           lane < m.lanes && lane < pattern.active_lanes && first + lane < pattern.threads;
           ++lane) {
        const auto part_offset = [&](int part) {
          return static_cast<long long>(offset(first + lane, value + part));
        };
        for (int part = 1; part < pattern.vector; ++part)
          if (part_offset(part) != part_offset(part - 1) + 1)
            rule::values_of_an_instruction_must_be_neighbours(value + part, part_offset(part),
                                                              part_offset(part - 1));
        if (part_offset(0) * pattern.element_bits % 8 != 0)
          rule::elements_must_be_whole_bytes(pattern.element_bits);
        warp.address[lane] = base + part_offset(0) * pattern.element_bits / 8;
        warp.active |= std::uint64_t{1} << lane;
      }
      sum = sum + total(m, warp);
    }
  return sum;
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
