// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_EFFORT_HPP
#define BANKMODEL_SEARCH_DETAIL_EFFORT_HPP

#include <bankmodel/count/total.hpp>

// The effort of a search.
namespace bankmodel::detail {

// The remaining effort: requests, and in a constant expression also approximate steps of clang,
// whose limit is 1 048 576.
struct effort_left {
  long long requests = 0;
  long long steps = 850'000;
  long long reserve = 0;  // steps that are kept for later work

  BANKMODEL_FN bool allows(long long more_steps) const {
    return requests > 0 && (!__builtin_is_constant_evaluated() || steps > more_steps + reserve);
  }
  // Subtracts the work of one walk of an access: `residues` residues of its base, and
  // `steps_of_lanes` steps for requests whose lanes had to be evaluated one by one.
  BANKMODEL_FN void spend(const counted_total& on, int residues, long long steps_of_lanes) {
    const auto evaluated = static_cast<long long>(on.evaluated);
    // in plain ones
    requests -= (evaluated + 3) *
                (residues == 1   ? 1
                 : residues == 2 ? 2
                                 : 8) *
                (steps_of_lanes == 0 ? 1 : 4);
    steps -= residues == 1   ? 2500 + 230 * evaluated
             : residues == 2 ? 4500 + 750 * evaluated
                             : 7000 + 900 * evaluated;
    steps -= steps_of_lanes * evaluated;
  }
};

}  // namespace bankmodel::detail

#endif
