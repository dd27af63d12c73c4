// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <bankmodel/explain.hpp>

#include "../engine/run.hpp"

namespace compiled {

struct page;

// A change of the kernel that lowers its transactions in global memory.
struct global_advice {
  enum class kind : unsigned char {
    exchanged_threads,  // threadIdx.x and threadIdx.y, and the extents of the block
    wide_access,        // a vector instead of neighbouring elements
    moved_start,        // an array that begins elsewhere in a segment
    longer_rows,        // rows of an array further apart
    transposed,         // an array with its last two dimensions exchanged
    own_arrays,         // the members of structures beside their like
    tile,               // an array in shared memory through which threads exchange values
  };
  kind is = kind::exchanged_threads;
  place location = {};     // of the access; line 0: it is about the whole kernel, or an array
  std::string array = {};  // empty: about the whole kernel
  std::string text = {};   // what to do
  // Of what it is about, without and with the change.
  std::uint64_t transactions_before = 0, transactions_after = 0;
  // In shared memory: of the whole kernel, or those that a tile adds.
  std::uint64_t wavefronts_before = 0, wavefronts_after = 0;
};

// Returns the changes of the kernel that lower its transactions as it is written, each counted
// alone, those that change least first. What takes no fewer than an earlier one is left out.
// `issued`: the requests as issued, whose neighbours could be one vector; null: those as written.
// `exchanged`: the requests with threadIdx.x and threadIdx.y exchanged; null: they are not known.
//
// Example: a block of 32 x 8 threads that reads float a[threadIdx.x][threadIdx.y], rows of 1024, on
// sm_90: its 8 warps touch 32 sectors each, and 4 sectors each if the block is 8 x 32:
// {kind::exchanged_threads, .transactions_before = 256, .transactions_after = 32}.
std::vector<global_advice> advice_of(const page& kernel_page, const recording* issued,
                                     const recording* exchanged);

// "Array in: let it begin 28 bytes after a multiple of 128: 32 transactions in global memory
// instead of 40."
std::string text_of(const global_advice& advice);

// Returns the changes that explain_traffic() found for an access of an expression: of each kind the
// best.
std::vector<global_advice> advice_of(const bm::traffic_explanation& explanation,
                                     const std::vector<std::string>& loop_names,
                                     const place& location, const std::string& array);

// True if it is about this access, its array or the whole kernel.
bool is_about(const global_advice& advice, const page& kernel_page, const recorded_access& access);

// A list of objects, without its brackets.
std::string json_of_advice(const page& kernel_page);

}  // namespace compiled
