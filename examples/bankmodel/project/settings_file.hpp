// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../limits.hpp"

// What a project says once, in a file bankmodel.toml above its kernels:
//
//   machines = ["sm_80", "sm_90"]
//   baseline = "bankmodel.json"      # from this file's folder
//   [limits]                         # of every kernel
//   conflicts = 0
//   excessive-transactions = 0
//   [[kernel]]                       # the first with the kernel's name, in full or as a pattern
//   name = "transpose*"
//   conflicts = 992
namespace project {

struct settings {
  std::vector<std::string> machines;  // empty: those of the command line, or of the input
  std::string baseline;               // a path from the working directory; empty: none
  std::string rules_address;          // of the page with SARIF's rules; empty: none
  command_line::all_limits allowed;
};

// Returns bankmodel.toml in the folder of a file, in a folder itself, or in the first above that
// has one.
std::optional<std::string> settings_above(const std::string& file);

// Error (refusal): it cannot be read, is no TOML, or has a key or a value that means nothing here;
// the message says the line.
settings read_settings(const std::string& path);

}  // namespace project
