// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_CODE_HPP
#define BANKMODEL_HOST_TEXT_CODE_HPP

#include <bankmodel/host/text/detail/plan_code.hpp>
#include <bankmodel/host/text/plan_text.hpp>

#include <string>

// A plan as a C++ header (host only), for kernels whose plan takes too long in a constant
// expression, and for builds that make the plan once, or check it in.
//
// Example: code(nvidia::sm_90, kernel, plan, "transpose_plan") for the plan of the transpose
// through float tile[32][32] in blocks of 32 x 8 threads (its lines are broken here to fit):
//
//   // clang-format off
//   // The plan of a kernel on sm_90, written by bankmodel: do not edit it, write it again.
//   //   conflicts 992 -> 0, wavefronts 1,056 -> 64, 4,224 bytes, 8 resident blocks, best of the
//   //   families searched
//   #ifndef BANKMODEL_PLAN_transpose_plan
//   #define BANKMODEL_PLAN_transpose_plan
//
//   #include <bankmodel/analyze.hpp>
//   #include <bankmodel/machines/nvidia.hpp>
//   #include <bankmodel/explain/expect_planned.hpp>
//
//   namespace transpose_plan {
//
//   // The shared memory of a block, and the width of its banks.
//   inline constexpr long long bytes = 4224, alignment = 16, bank_width = 4;
//
//   // tile[32][33], elements of 4 bytes
//   inline constexpr bankmodel::layout tile_layout = bankmodel::row_major(32, 32).padded(1);
//   inline constexpr long long tile_offset = 0;
//
//   // The guard: each access, in its planned layout at its offset, as often as it runs in a block.
//   namespace guard {
//
//   using bankmodel::index::tx, bankmodel::index::ty, bankmodel::index::j;
//   inline constexpr bankmodel::machine machine = bankmodel::nvidia::sm_90;
//   inline constexpr bankmodel::block_dim block{32, 8, 1};
//   inline constexpr bankmodel::array_description tile{
//       .name = {}, .layout = tile_layout, .element_bytes = 4, .base_bytes = tile_offset};
//
//   static_assert(bankmodel::expect_planned<
//       bankmodel::total(machine, block,
//           bankmodel::for_loop(j, bankmodel::range(0, 32, 8),
//               bankmodel::store(tile[ty + j][tx]))).wavefronts, 32>::value);
//   static_assert(bankmodel::expect_planned<
//       bankmodel::total(machine, block,
//           bankmodel::for_loop(j, bankmodel::range(0, 32, 8),
//               bankmodel::load(tile[tx][ty + j]))).wavefronts, 32>::value);
//
//   }  // namespace guard
//   }  // namespace transpose_plan
//   #endif
//
// In a kernel: __shared__ bankmodel::tile<float, transpose_plan::tile_layout> t; or, at its offset
// in memory of transpose_plan::bytes bytes with transpose_plan::alignment,
// tile_view<float, transpose_plan::tile_layout>::at<transpose_plan::tile_offset>(memory).
//
// The header compiles only while every access takes the wavefronts of the plan. If the library, the
// machine's record, a layout or an access there is changed so that one does not, expect_planned
// prints both numbers and what to do. It does not read the kernel: write it again when that
// changes.
//
// An access that issues no request is left out. One that takes more steps to count than compilers
// allow by default is counted by a function instead: call transpose_plan::guard::holds() in a test.
namespace bankmodel {

// Returns the header of a plan of `kernel` on `m`, with a namespace `name`.
//
//   m        the machine that the plan was made for
//   kernel   the kernel that it was made for
//   plan     what optimize(m, kernel, ..) returned
//   name     of the namespace: letters, digits and single underscores
//   machine  m as a C++ expression, and the header that declares it, if m is none of the library's
//            records: {"gpus::mine", "gpus/mine.hpp"}
//
// Array names that are not identifiers are changed: "in.a" to in_a.
// Error: `name` is no such name; the machine is not a record, and `machine` is empty; the plan is
// for another kernel or machine; a layout that no family of the library expresses; an operation
// that the index language does not have; the errors of total().
// Example: at the top.
template <class... Accesses, int Count>
std::string code(const machine& m, const kernel_description<Accesses...>& kernel,
                 const layout_plan<Count>& plan, const std::string& name,
                 const machine_in_code& machine = {}) {
  detail::plan_code writer(m, kernel.block, name, machine, plan.bank_width());
  writer.begin(text(plan), plan.bytes(), plan.alignment());
  for (int array = 0; array < plan.arrays(); ++array) writer.add(plan.array(array));
  int number = 0;
  for_each_access(kernel, [&](const auto& access) {
    if (number >= plan.accesses()) rule::code_must_be_of_a_plan_of_its_kernel(number, 0, 0);
    writer.add(detail::view_of(access), plan.after(number));
    ++number;
  });
  if (number != plan.accesses()) rule::code_must_be_of_a_plan_of_its_kernel(number, 0, 0);
  return writer.text();
}

}  // namespace bankmodel

#endif
