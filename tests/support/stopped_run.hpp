// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_SUPPORT_STOPPED_RUN_HPP
#define BANKMODEL_TESTS_SUPPORT_STOPPED_RUN_HPP

#include <string>

#include "examples/bankmodel/compiled/code_of_file.hpp"
#include "examples/bankmodel/compiled/launch_arguments.hpp"

// Returns where a run of the first kernel stops for which nothing is assumed, and what would let it
// go on; empty if it does not stop.
inline std::string reason_of_stop(const compiled::question& asked) {
  const compiled::code_of_file code = compiled::read_code(asked);
  try {
    (void)compiled::run(code.kernels.at(0),
                        compiled::launch_of(asked, code.kernels.at(0), code.launches));
  } catch (const compiled::cannot_run& failure) {
    return failure.what() + ("; " + failure.right) + "\n";
  }
  return {};
}

#endif
