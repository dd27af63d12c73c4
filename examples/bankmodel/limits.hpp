// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// How much a block's accesses as written may take beyond their ideal.
namespace command_line {

struct limit {
  std::uint64_t maximum = 0;
  std::string origin;  // "--max-conflicts", "bankmodel.toml:4"
};

struct cost_limits {
  std::optional<limit> conflicts = {};
  std::optional<limit> excessive_transactions = {};  // of global memory

  bool has_any() const { return conflicts || excessive_transactions; }
  const std::optional<limit>& memory_limit(bool is_global) const {
    return is_global ? excessive_transactions : conflicts;
  }
};

// Those of kernels with this name, in full, or with this pattern.
struct named_limits {
  std::string name;
  cost_limits limits;
};

// The limits that a file and the command line set.
struct all_limits {
  cost_limits of_all = {};                 // of kernels without limits of their own
  std::vector<named_limits> of_some = {};  // the first that fits, for each memory

  bool has_any() const;
  // Those of a kernel. `has_name(name)`: whether it is a name of the kernel, or its pattern.
  cost_limits select(const std::function<bool(const std::string& name)>& has_name) const;
};

}  // namespace command_line
