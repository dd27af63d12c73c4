// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_CUTE_COPY_HPP
#define BANKMODEL_INTEROP_CUTE_COPY_HPP

#include <bankmodel/interop/offsets.hpp>

#include <bankmodel/core/hide_macros.hpp>

// CUTLASS's types, which its own headers define: whoever has a copy of CuTe includes them.
namespace cute {
struct SM75_U32x1_LDSM_N;
struct SM75_U32x2_LDSM_N;
struct SM75_U32x4_LDSM_N;
struct SM75_U16x2_LDSM_T;
struct SM75_U16x4_LDSM_T;
struct SM75_U16x8_LDSM_T;
struct SM90_U32x1_STSM_N;
struct SM90_U32x2_STSM_N;
struct SM90_U32x4_STSM_N;
struct SM90_U16x2_STSM_T;
struct SM90_U16x4_STSM_T;
struct SM90_U16x8_STSM_T;
}  // namespace cute

// What CuTe's copies cost in shared memory: the tiled copy and the layout of the array as the
// kernel has them, in a static_assert. <cute/tensor.hpp> is included by who asks.
// Example: see tests/interop/cute_copy.cpp. The stores of CUTLASS's tutorial sgemm_2 to its padded
// tile, Layout<Shape<_128, _8>, Stride<_1, Int<129>>>, are 4-way conflicts.
//
// Source: NVIDIA/cutlass, include/cute/atom/copy_atom.hpp, TiledCopy::tidfrg_S and tidfrg_D.
namespace bankmodel {

namespace cute {

namespace detail {

template <class Type, class... Others>
inline constexpr bool is_any = false;
template <class Type, class First, class... Others>
inline constexpr bool is_any<Type, First, Others...> = is_any<Type, Others...>;
template <class Type, class... Others>
inline constexpr bool is_any<Type, Type, Others...> = true;

template <class Operation>
inline constexpr bool is_ldmatrix =
    is_any<Operation, ::cute::SM75_U32x1_LDSM_N, ::cute::SM75_U32x2_LDSM_N,
           ::cute::SM75_U32x4_LDSM_N, ::cute::SM75_U16x2_LDSM_T, ::cute::SM75_U16x4_LDSM_T,
           ::cute::SM75_U16x8_LDSM_T>;

template <class Operation>
inline constexpr bool is_stmatrix =
    is_any<Operation, ::cute::SM90_U32x1_STSM_N, ::cute::SM90_U32x2_STSM_N,
           ::cute::SM90_U32x4_STSM_N, ::cute::SM90_U16x2_STSM_T, ::cute::SM90_U16x4_STSM_T,
           ::cute::SM90_U16x8_STSM_T>;

// The operation of Copy_Traits<Operation, ..>.
template <class Traits>
struct operation_of;
template <template <class...> class Traits, class Operation, class... Others>
struct operation_of<Traits<Operation, Others...>> {
  using type = Operation;
};

// The lanes with addresses of their own: those of ldmatrix, which CuTe repeats for the others.
template <class AtomLayout>
BANKMODEL_FN int lanes_with_addresses(const AtomLayout& placed) {
  int result = 0;
  for (int lane = 0; lane < static_cast<int>(size<0>(placed)); ++lane) {
    bool is_repeated = false;
    for (int other = 0; other < lane; ++other)
      is_repeated = is_repeated || placed(lane, 0) == placed(other, 0);
    if (!is_repeated) ++result;
  }
  return result;
}

// `placed`: (thread, value, tile) -> element; `bits`: (thread, bit) of an instruction.
template <class Placed, class BitLayout>
BANKMODEL_FN cost total_of_placed(const machine& m, const Placed& placed, const BitLayout& bits,
                                  int vector, access_kind kind, bool is_matrix) {
  thread_values pattern;
  pattern.threads = static_cast<int>(size<0>(placed));
  pattern.values = static_cast<int>(size<1>(placed));
  pattern.vector = vector;
  pattern.element_bits = static_cast<int>(size<1>(bits)) / vector;
  pattern.kind = kind;
  if (is_matrix) pattern.active_lanes = lanes_with_addresses(bits);
  cost sum{};
  for (int tile = 0; tile < static_cast<int>(size<2>(placed)); ++tile)
    sum = sum + bankmodel::total(m, pattern, [&](int thread, int value) {
            return static_cast<long long>(placed(thread, value, tile));
          });
  return sum;
}

}  // namespace detail

// Returns the cost of the loads that the copy makes of shared memory, its source: what
// `copy(tiled_copy, thread_copy.partition_S(s), registers)` takes for all tiles of the layout.
//
//   memory  the layout of the array in shared memory: a static Layout, or a composition of one with
//           a Swizzle
//   copy    a TiledCopy, whose threads are those of the block
//
// ldmatrix is known by its atom (SM75_U32x4_LDSM_N and its like). Copies by the copy engine (TMA)
// have no lanes and are not for this.
// Requires: the copy's tile divides the layout; what a predicate leaves out is counted too.
// Error: the errors of total(m, thread_values).
template <class MemoryLayout, class TiledCopy>
BANKMODEL_FN cost loads(const machine& m, const MemoryLayout& memory, const TiledCopy&) {
  constexpr bool is_matrix =
      detail::is_ldmatrix<typename detail::operation_of<typename TiledCopy::Traits>::type>;
  return detail::total_of_placed(
      m, TiledCopy::tidfrg_S(memory), typename TiledCopy::BitLayoutSrc{}, TiledCopy::NumValSrc,
      is_matrix ? access_kind::load_matrix : access_kind::load, is_matrix);
}

// The same of the stores to its destination: `copy(tiled_copy, registers,
// thread_copy.partition_D(s))`, and of cp.async, whose atom copies from global memory, what it
// stores.
template <class MemoryLayout, class TiledCopy>
BANKMODEL_FN cost stores(const machine& m, const MemoryLayout& memory, const TiledCopy&) {
  constexpr bool is_matrix =
      detail::is_stmatrix<typename detail::operation_of<typename TiledCopy::Traits>::type>;
  return detail::total_of_placed(
      m, TiledCopy::tidfrg_D(memory), typename TiledCopy::BitLayoutDst{}, TiledCopy::NumValDst,
      is_matrix ? access_kind::store_matrix : access_kind::store, is_matrix);
}

}  // namespace cute

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
