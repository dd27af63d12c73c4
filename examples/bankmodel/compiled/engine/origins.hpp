// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "../code/code.hpp"

// Why values are unknown, for messages.
namespace compiled {

// A reason and its place; `argument` is the name of the argument that would settle it, `pointer` of
// the array whose data would.
struct origin {
  std::string reason;
  place location;
  std::string argument, pointer;
};

// Numbers origins, so that a register stores an int. The same origin has the same number.
class origin_table {
 public:
  explicit origin_table(const kernel_code& kernel) : kernel_(kernel) {}

  int intern(const std::string& reason, const place& position, const std::string& argument = "",
             const std::string& pointer = "");

  const origin& operator[](int number) const { return origins_[slot(number)]; }

  // "a load from global memory at histogram64.cu:98:23".
  std::string text(int number) const;
  // With what settles it, if an argument does: "the argument 'n'; give --arg n=..".
  std::string text_with_remedy(int number) const;
  // "an address depends on", and that; made once, since each request asks for it.
  const std::string& text_of_address(int number) const;

 private:
  const kernel_code& kernel_;
  std::vector<origin> origins_;
  std::map<std::tuple<std::string, int, int, int>, int> numbers_;
  mutable std::map<int, std::string> of_addresses_;
};

}  // namespace compiled
