// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "engine/assumed_fact.hpp"
#include "engine/kernel_analysis.hpp"
#include "engine/run.hpp"

// An answer before any question: a launch is completed with assumptions, which the page prints.
namespace compiled {

struct assumed_run {
  launch settings;
  recording recorded;
  std::vector<assumed_fact> assumed;  // in the order in which they were needed
};

// Returns the requests of the block with what is known of the launch, or with smaller arguments if
// the run would take more than some seconds and launch::most_steps is not set; what else the run
// needs is assumed: an integer argument is 1024 (a multiple of 128 bytes of any element), or less
// if the run takes too long or executes no access, a flag is true, a branch on data that has no
// bounds is taken, a loop on data goes on once, the dynamic array has the bytes that are accessed.
// Error (cannot_run): no assumption helps.
assumed_run run_with_assumptions(const kernel_analysis& analysis, const launch& known);

// The same for a launch without a block: it is the first of candidate_blocks() with which the run
// stays in its arrays.
assumed_run run_with_assumed_block(const kernel_analysis& analysis, const launch& known);

// What was assumed for a run of the same kernel, or of one with other declarations.
struct earlier_run {
  launch settings;
  std::vector<assumed_fact> assumed;
};

// The run with what was assumed before, except for what is known now; what is needed further is
// assumed as above. None: it is not possible, or has no requests.
std::optional<assumed_run> run_as_before(const kernel_analysis& analysis, const launch& known,
                                         const earlier_run& previous);

// Blocks that a kernel may be written for, the most probable first: rows of the arrays that it has
// in shared memory, and powers of two within the bounds that the code states. `known`: the threads
// along x, y and z where the launch says them, else 0.
std::vector<bm::block_dim> candidate_blocks(const kernel_code& kernel,
                                            const bm::block_dim& known = {0, 0, 0});

}  // namespace compiled
