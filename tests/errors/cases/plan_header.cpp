// SPDX-License-Identifier: MIT
// expect: expect_planned<
// expect: bankmodel: these accesses do not take the wavefronts of their plan
// expect: write it again with bankmodel::code() or bankmodel --plan-header
// expect-g++: expect_planned<64, 32>
// expect-clang++: expect_planned<64, 32>
// expect-nvcc: Counted=64
// expect-nvcc: Planned=32
// expect-g++: expect_planned<1024, 32>
// expect-clang++: expect_planned<1024, 32>
// expect-nvcc: Counted=1024
// compilers: g++ clang++ nvcc
// A header of a plan that does not hold any more: on another machine, in another layout.
#include <bankmodel/analyze.hpp>
#include <bankmodel/explain/expect_planned.hpp>
#include <bankmodel/machines/nvidia.hpp>

#ifdef BROKEN
#define sm_90 sm_13
#endif
#include "../../../examples/guide/transpose_plan.hpp"
#undef sm_90

#ifdef BROKEN
#define padded(elements) padded(elements - 1)
#endif
#undef BANKMODEL_PLAN_transpose_plan
#define transpose_plan another_plan
#include "../../../examples/guide/transpose_plan.hpp"

// Written by hand: the message names this line.
static_assert(bankmodel::expect_planned<another_plan::tile_layout(1, 0), 33>::value);
