// SPDX-License-Identifier: MIT
// Everything that an example in a comment may use, for the file that examples.awk writes.
#ifndef TESTS_HOUSE_EXAMPLES_HPP
#define TESTS_HOUSE_EXAMPLES_HPP

// Examples declare names that they do not use, or that others have.
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"

#include <bankmodel/analyze.hpp>
#include <bankmodel/count/for_each_base.hpp>
#include <bankmodel/count/price_at_all_bases.hpp>
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/count/totals.hpp>
#include <bankmodel/draw.hpp>
#include <bankmodel/explain.hpp>
#include <bankmodel/explain/expect_planned.hpp>
#include <bankmodel/global.hpp>
#include <bankmodel/host/search/bounds.hpp>
#include <bankmodel/host/search/pareto.hpp>
#include <bankmodel/host/search/plans_by_family.hpp>
#include <bankmodel/host/search/table_layout.hpp>
#include <bankmodel/interop.hpp>
#include <bankmodel/interop/offsets.hpp>
#include <bankmodel/kernel/copy_engine.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/layout/in_rows.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/arithmetic_rates.hpp>
#include <bankmodel/machines/citations.hpp>
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/machines/products.hpp>
#include <bankmodel/machines/validated.hpp>
#include <bankmodel/optimize.hpp>
#include <bankmodel/profile.hpp>
#include <bankmodel/reorganize.hpp>
#include <bankmodel/report.hpp>
#include <bankmodel/search/buffer.hpp>
#include <bankmodel/search/optimize_requests.hpp>
#include <bankmodel/tile.hpp>

#include "catch.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

#undef assert
#define assert(...) REQUIRE((__VA_ARGS__))

// A kernel's words, for a compiler of the host.
#define __global__ inline
#define __shared__
#define __align__(bytes) __attribute__((aligned(bytes)))
alignas(16) inline unsigned char memory[1 << 16], more[1 << 16];
struct three_numbers {
  unsigned x, y, z;
};
inline three_numbers blockIdx, threadIdx, blockDim;
inline void __syncthreads() {}

#endif
