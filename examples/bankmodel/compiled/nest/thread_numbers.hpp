// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>

#include "../description/forms.hpp"
#include "../engine/run.hpp"
#include "../engine/values.hpp"

// Forms as numbers of the lanes of one warp.
namespace compiled {

using lane_numbers = std::array<long long, most_lanes>;
using trip_numbers = std::map<int, long long>;  // of loops, by their atoms

int warps_of(const kernel_code& kernel, const launch& options);

class thread_numbers {
 public:
  thread_numbers(const kernel_code& kernel, const launch& options, int warp);

  // The lanes that have a thread.
  std::uint64_t live() const { return live_; }
  // Error (inexpressible): an argument, a trip that has no number, or more than 64 bits.
  lane_numbers evaluate(const form_table& forms, const form& value,
                        const trip_numbers& trips) const;

 private:
  lane_numbers of_atom(const form_table& forms, int number, const trip_numbers& trips) const;

  std::size_t lanes_;
  std::uint64_t live_;
  std::map<int, lane_numbers> threads_;  // by bm::variable
};

}  // namespace compiled
