// SPDX-License-Identifier: MIT
// Layouts that CuTe, cuda-oxide, Triton or TVM cannot express, and numbers that they do not allow.
#include <bankmodel/interop.hpp>
#include <bankmodel/interop/mdspan.hpp>
#include <bankmodel/interop/offsets.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "refused.hpp"

namespace bm = bankmodel;

namespace {

constexpr bm::layout square = bm::row_major(32, 32), planes = bm::row_major(4, 8, 32);

// The part of std::extents that a mapping uses.
struct extents {
  using index_type = int;
  using size_type = unsigned;
  using rank_type = unsigned;
  static constexpr unsigned rank() { return 2; }
  BANKMODEL_FN int extent(unsigned d) const { return d == 0 ? rows : columns; }
  int rows, columns;
};
using mapping = bm::mdspan_layout<square.padded(1)>::mapping<extents>;
using swizzled = bm::mdspan_layout<square.permuted(bm::xor_swizzle(5, 0, 5))>::mapping<extents>;

// Element `values` * thread + value.
struct consecutive {
  int values = 1;
  BANKMODEL_FN int operator()(int thread, int value) const { return values * thread + value; }
};
struct strided {
  BANKMODEL_FN int operator()(int thread, int value) const { return 4 * thread + 2 * value; }
};

}  // namespace

const refusal refusals_of_interop[] = {
    refused(
        "an_mdspan_must_have_the_extents_of_its_layout", [] { (void)mapping(extents{32, 33}); },
        [] { return mapping(extents{32, 32})(1, 0) == 33; }),
    refused(
        "an_mdspan_must_be_strided_for_its_strides",
        [] { (void)swizzled(extents{32, 32}).stride(0); },
        [] { return mapping(extents{32, 32}).stride(0) == 33; }),

    refused(
        "cuda_oxide_must_read_bits_above_those_it_changes",
        [] { (void)bm::from_cuda_oxide({5, 0, 4}, square); },
        [] { return bm::from_cuda_oxide({5, 0, 5}, square)(1, 1) == 32; }),
    refused(
        "a_dialect_must_be_given_a_plain_array",
        [] { (void)bm::from_cute({5, 0, 5}, square.padded(1)); },
        [] { return bm::from_cute({5, 0, 5}, square)(1, 1) == 32; }),
    refused(
        "a_swizzle_of_a_dialect_must_be_one_xor",
        [] { (void)bm::to_cute(square.permuted(bm::rotation(1))); },
        [] { return bm::to_cute(square.permuted(bm::rotation(16))).B == 1; }),
    refused(
        "a_swizzle_of_a_dialect_must_not_pad", [] { (void)bm::to_cute(square.padded(1)); },
        [] { return bm::to_cute(square.padded(0)).B == 0; }),

    refused(
        "padding_of_a_dialect_must_follow_whole_rows",
        [] { (void)bm::from_triton(bm::triton::padded_shared{16, 4}, square); },
        [] { return bm::from_triton(bm::triton::padded_shared{32, 4}, square)(1, 0) == 36; }),
    refused(
        "arrays_of_triton_must_have_extents_of_powers_of_two",
        [] { (void)bm::to_triton_swizzled(bm::row_major(32, 48)); },
        [] { return bm::to_triton_swizzled(bm::row_major(32, 64)).vec == 1; }),
    refused(
        "triton_must_pad_by_powers_of_two", [] { (void)bm::to_triton_padded(square.padded(3)); },
        [] { return bm::to_triton_padded(square.padded(4)).interval == 32; }),
    refused(
        "triton_must_pad_at_one_interval",
        [] { (void)bm::to_triton_padded(planes.padded(1, 1).padded(2, 0)); },
        [] { return bm::to_triton_padded(planes.padded(1, 1)).interval == 32; }),
    refused(
        "triton_must_swizzle_by_powers_of_two",
        [] { (void)bm::from_triton({6, 2, 4}, bm::row_major(64, 32)); },
        [] { return bm::from_triton({8, 2, 4}, bm::row_major(64, 32))(2, 0) == 72; }),
    refused(
        "triton_must_swizzle_columns_by_rows",
        [] { (void)bm::to_triton_swizzled(square.permuted(bm::xor_swizzle(2, 0, 3))); },
        [] {
          return bm::to_triton_swizzled(square.permuted(bm::xor_swizzle(2, 0, 5))).maxPhase == 4;
        }),

    refused(
        "storage_align_must_name_an_axis_and_a_factor",
        [] { (void)bm::from_tvm({2, 2, 1}, square); },
        [] { return bm::from_tvm({-2, 2, 1}, square)(1, 0) == 33; }),
    refused(
        "tvm_must_align_the_stride_of_one_axis",
        [] { (void)bm::to_tvm(planes.padded(1, 1).padded(2, 0)); },
        [] { return bm::to_tvm(planes.padded(1, 1)).axis == 1; }),

    refused(
        "thread_values_must_not_be_empty",
        [] { (void)bm::total(bm::nvidia::sm_90, {0, 4}, consecutive{4}); },
        [] { return bm::total(bm::nvidia::sm_90, {1, 4}, consecutive{4}).requests == 4; }),
    refused(
        "values_must_fill_their_instructions",
        [] { (void)bm::total(bm::nvidia::sm_90, {32, 4, 3}, consecutive{4}); },
        [] { return bm::total(bm::nvidia::sm_90, {32, 3, 1}, consecutive{3}).requests == 3; }),
    refused(
        "values_of_an_instruction_must_be_neighbours",
        [] { (void)bm::total(bm::nvidia::sm_90, {32, 2, 2}, strided{}); },
        [] { return bm::total(bm::nvidia::sm_90, {32, 2, 1}, strided{}).requests == 2; }),
    refused(
        "elements_must_be_whole_bytes",
        [] { (void)bm::total(bm::nvidia::sm_90, {32, 1, 1, 4}, consecutive{1}); },
        [] { return bm::total(bm::nvidia::sm_90, {32, 2, 2, 4}, consecutive{2}).requests == 1; }),
    {},
};
