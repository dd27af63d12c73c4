// SPDX-License-Identifier: MIT
#pragma once

#include <set>

#include "../engine/kernel_analysis.hpp"
#include "../engine/run.hpp"

// The requests of a block without a step for each trip of its loops.
namespace compiled {

// Returns what run(kernel, options) returns, however often loops go on, from the description of
// the accesses. In global memory requests that are a multiple of global_period apart have one base,
// and launch::most_steps is no limit. Requires: run(kernel, options) could begin, see there.
// Error (inexpressible): why the run alone says it.
recording recorded_nest(const kernel_code& kernel, const launch& options);
recording recorded_nest(const kernel_analysis& analysis, const launch& options);

// Returns the requests in shared memory of these accesses, by the numbers of their instructions, as
// all threads make them in each trip of the loops around: conditions are left out.
// Error (inexpressible): one of them has no nest, or leaves its array then; the kernel has an
// instruction that is not modelled.
recording recorded_without_conditions(const kernel_code& kernel, const launch& options,
                                      const std::set<int>& accesses);

// What is known of a kernel from earlier recordings, with other arguments: each is tried once.
struct known_ways {
  bool is_long = false;  // the run takes more than some tenths of a second
  bool has_nest = true;
};

// Returns the recording of run(), or that of recorded_nest() where the run takes more than some
// tenths of a second and there is one. Error (cannot_run): see run().
//
// Example: a loop of 10^9 iterations takes as long as one of 10^6.
recording recorded_block(const kernel_analysis& analysis, const launch& options, known_ways& ways);
recording recorded_block(const kernel_analysis& analysis, const launch& options);

}  // namespace compiled
