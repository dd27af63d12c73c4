// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "../code/code.hpp"

// Which arrays in global memory an address is in, whatever its value is: `out[found[i]]` is in
// `out`, since programs do not leave an array by adding to its address.
namespace compiled {

class pointed_arrays {
 public:
  explicit pointed_arrays(const kernel_code& kernel);

  // The numbers of the arrays, as recorded_access::array; nothing if it may be any of them.
  std::optional<std::set<int>> find(const operand& address) const;

 private:
  struct pointed {
    std::set<int> arrays;
    bool may_be_any = false;  // it may have been loaded from memory
  };
  const pointed* of_register(const operand& source) const;
  void add_arrays(const operand& source, std::set<int>& result) const;
  void add_argument(std::uint64_t offset, std::set<int>& result) const;
  void add_loaded(const instruction& code, std::set<int>& result) const;
  bool is_distance(const instruction& code) const;
  void find_arrays();
  void find_any();

  const kernel_code& kernel_;
  std::vector<pointed> registers_;
  std::set<const instruction*> distances_;  // of two addresses
};

// The arrays that the kernel may store to; nothing if it may be any of them.
std::optional<std::set<int>> stored_arrays(const kernel_code& kernel);

}  // namespace compiled
