// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_INSTRUCTIONS_HPP
#define BANKMODEL_KERNEL_INSTRUCTIONS_HPP

#include <bankmodel/kernel/access.hpp>
#include <bankmodel/kernel/copy_engine.hpp>

#include <bankmodel/core/hide_macros.hpp>

// Accesses made by special instructions: ldmatrix, stmatrix, cp.async, ds_read2, ds_read_tr.
// They are described like any other access, and served as in the machine's record
// (machine.special).
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void cp_async_copies_4_8_or_16_bytes(long long bytes, long long element) {
  detail::fail(__func__,
               "cp_async<%> into elements of % bytes does not exist; use 4, 8 or 16 bytes, at "
               "least one element, and leave out vectorized<>",
               bytes, element);
}
[[noreturn]] BANKMODEL_FN void matrix_rows_must_be_of_16_bytes(long long elements,
                                                               long long bytes) {
  detail::fail(__func__,
               "ldmatrix or stmatrix of % elements of % bytes per lane does not exist; "
               "subscript the first element of each row of 16 bytes, and leave out vectorized<>",
               elements, bytes);
}
[[noreturn]] BANKMODEL_FN void ds_read2_reads_4_or_8_bytes_twice(long long bytes) {
  detail::fail(__func__,
               "ds_read2 of % bytes per lane does not exist; it reads 4 or 8 bytes twice, as in "
               "ds_read2(a[tx], a[tx + 64])",
               bytes);
}
[[noreturn]] BANKMODEL_FN void ds_read_tr_reads_8_bytes(long long elements, long long bytes) {
  detail::fail(__func__,
               "ds_read_tr of % elements of % bytes does not exist; subscript the first element "
               "of each lane's 8 bytes, and leave out vectorized<>",
               elements, bytes);
}
}  // namespace rule

namespace detail {

// Replaces each access by change(access).
template <class Change, int Wrappers, int Nodes>
BANKMODEL_FN auto changed(const Change& change, const access_expression<Wrappers, Nodes>& access) {
  return change(access);
}
template <class Change>
BANKMODEL_FN access_list<> changed(const Change&, const access_list<>& list) {
  return list;
}
template <class Change, class First, class... Rest>
BANKMODEL_FN access_list<First, Rest...> changed(const Change& change,
                                                 const access_list<First, Rest...>& list) {
  return {changed(change, list.first), changed(change, list.rest)};
}

struct copied_by {
  int bytes;
  template <class Access>
  BANKMODEL_FN Access operator()(const Access& access) const {
    const int element = access.array.element_bytes;
    if ((bytes != 4 && bytes != 8 && bytes != 16) || element > bytes || access.vector != 1)
      rule::cp_async_copies_4_8_or_16_bytes(bytes, element);
    return widened(bytes / element, access);
  }
};
struct rows_of_matrices {
  template <class Access>
  BANKMODEL_FN Access operator()(const Access& access) const {
    if (access.vector != 1)
      rule::matrix_rows_must_be_of_16_bytes(access.vector, access.array.element_bytes);
    return widened(16 / access.array.element_bytes, access);
  }
};
struct halves_of_a_pair {
  template <class Access>
  BANKMODEL_FN Access operator()(const Access& access) const {
    const int bytes = access.vector * access.array.element_bytes;
    if (bytes != 4 && bytes != 8) rule::ds_read2_reads_4_or_8_bytes_twice(bytes);
    return access;
  }
};
struct transposed_rows {
  template <class Access>
  BANKMODEL_FN Access operator()(const Access& access) const {
    if (access.vector != 1 || access.array.element_bytes > 8)
      rule::ds_read_tr_reads_8_bytes(access.vector, access.array.element_bytes);
    return widened(8 / access.array.element_bytes, access);
  }
};

// Restricts the access to the lanes whose addresses are used: eight for each matrix.
template <int Matrices, class Rows>
BANKMODEL_FN auto of_first_lanes(const Rows& rows) {
  static_assert(Matrices == 1 || Matrices == 2 || Matrices == 4,
                "bankmodel: ldmatrix<> and stmatrix<> take 1, 2 or 4 matrices");
  if constexpr (Matrices == 4)
    return rows;
  else
    return if_threads(index::lane < 8 * Matrices, rows);
}

}  // namespace detail

// Returns PTX's cp.async.ca: the write of `Bytes` bytes per lane into shared memory, from the
// subscripted element on. Lanes that share an address take a wavefront each, and are conflicts. The
// source is taken to be in order; global/copies.hpp counts both sides.
// Requires: Bytes is 4, 8 or 16 and at least one element.
// Error: another width; the access is vectorized; in total(), the machine has no cp.async.
// Example:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr block_dim block{8, 4};
//   static_assert(total(nvidia::sm_90, block, cp_async<16>(tile[ty][4 * tx])) == cost{1, 4, 4, 1});
//   static_assert(total(nvidia::sm_90, block, cp_async<16>(tile[ty][0 * tx])).wavefronts == 32);
template <int Bytes, detail::accesses... Bodies>
  requires(sizeof...(Bodies) > 0)
BANKMODEL_FN auto cp_async(const Bodies&... bodies) {
  return detail::directed(
      access_kind::copy, detail::changed(detail::copied_by{Bytes}, detail::as_accesses(bodies...)));
}

// Returns PTX's cp.async.cg, past the first cache, of 16 bytes per lane; all else as cp_async(). No
// pattern that was counted has conflicts; it is taken to need one wavefront for each phase.
// Example:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   constexpr auto copy = cp_async_uncached(tile[ty][0 * tx]);
//   static_assert(total(nvidia::sm_90, block_dim{8, 4}, copy).wavefronts == 4);
template <detail::accesses... Bodies>
  requires(sizeof...(Bodies) > 0)
BANKMODEL_FN auto cp_async_uncached(const Bodies&... bodies) {
  return detail::directed(access_kind::copy_uncached,
                          detail::changed(detail::copied_by{16}, detail::as_accesses(bodies...)));
}

// Returns PTX's ldmatrix .x1, .x2 or .x4 of 8 x 8 matrices of 16-bit elements. Lane 8 k + r
// gives the address of row r of matrix k. So the subscript (which may use `lane`) is that of
// the row's first element, and its address must be a multiple of 16 bytes. Each matrix is one
// phase (which lanes give addresses: https://reviews.llvm.org/D138978; that phases do not merge
// is assumed).
// Requires: Matrices is 1, 2 or 4.
// Error: the access is vectorized; in total(), a row is not aligned to 16 bytes or the machine
// has no ldmatrix.
// Example: rows that are 128 bytes apart start in the same bank, those that are 144 bytes apart do
// not:
//
//   constexpr auto tile = shared_array<short>("tile", 16, 64);
//   constexpr auto padded = tile.with(tile.layout.padded(8));
//   constexpr block_dim warp{32};
//   constexpr auto matrices = ldmatrix<4>(tile[lane % 16][lane / 16 * 8]);
//   constexpr auto others = ldmatrix<4>(padded[lane % 16][lane / 16 * 8]);
//   static_assert(total(nvidia::sm_90, warp, matrices) == cost{1, 32, 4, 8});
//   static_assert(total(nvidia::sm_90, warp, others) == cost{1, 4, 4, 1});
template <int Matrices, detail::accesses... Rows>
  requires(sizeof...(Rows) > 0)
BANKMODEL_FN auto ldmatrix(const Rows&... rows) {
  return detail::of_first_lanes<Matrices>(
      detail::directed(access_kind::load_matrix,
                       detail::changed(detail::rows_of_matrices{}, detail::as_accesses(rows...))));
}

// Returns PTX's stmatrix .x1, .x2 or .x4, which stores the matrices; all else as ldmatrix().
template <int Matrices, detail::accesses... Rows>
  requires(sizeof...(Rows) > 0)
BANKMODEL_FN auto stmatrix(const Rows&... rows) {
  return detail::of_first_lanes<Matrices>(
      detail::directed(access_kind::store_matrix,
                       detail::changed(detail::rows_of_matrices{}, detail::as_accesses(rows...))));
}

// Returns AMD's ds_read2_b32 or ds_read2_b64, one instruction that reads two elements per lane.
// It is served as two reads, one after the other, and counted as two requests.
// Error: an element has neither 4 nor 8 bytes.
// Example:
//
//   constexpr auto a = shared_array<float>("a", 128);
//   constexpr auto pair = ds_read2(a[tx], a[tx + 64]);
//   static_assert(total(amd::gfx942, block_dim{64}, pair) == cost{2, 4, 4, 1});
template <int Wrappers, int Nodes, int OtherWrappers, int OtherNodes>
BANKMODEL_FN auto ds_read2(const access_expression<Wrappers, Nodes>& first,
                           const access_expression<OtherWrappers, OtherNodes>& second) {
  return detail::directed(access_kind::load_pair, detail::changed(detail::halves_of_a_pair{},
                                                                  detail::list_of(first, second)));
}

// Returns AMD's ds_read_b64_tr_b16, _tr_b8 and _tr_b4 (gfx950), which read 8 bytes per lane and
// exchange them between lanes. The subscript is that of the first element at the lane's
// address, not of the elements that the lane receives.
// Error: the access is vectorized, or an element has more than 8 bytes.
// Example:
//
//   constexpr auto tile = shared_array<short>("tile", 16, 16);
//   constexpr auto read = ds_read_tr(tile[lane / 4][lane % 4 * 4]);
//   static_assert(total(amd::gfx950, block_dim{64}, read).requests == 1);
template <detail::accesses... Bodies>
  requires(sizeof...(Bodies) > 0)
BANKMODEL_FN auto ds_read_tr(const Bodies&... bodies) {
  return detail::directed(
      access_kind::load_transposed,
      detail::changed(detail::transposed_rows{}, detail::as_accesses(bodies...)));
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
