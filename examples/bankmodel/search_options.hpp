// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/search/options.hpp>
#include <string>
#include <vector>

// What plans may be, of every kind of input.
namespace command_line {

namespace bm = bankmodel;

// As the options give it.
struct plan_limits {
  std::vector<std::string> layouts;  // families by name, with commas between; empty: all
  std::vector<std::string> keep;     // arrays that keep their declared layout, likewise
  bm::search options = {};
};

// "a,b" and "c" are a, b and c.
std::vector<std::string> separated(const std::vector<std::string>& lists);

// The library's name of an array: its first 32 characters.
inline bm::array_name array_name_of(const std::string& name) {
  constexpr std::size_t longest = 32;
  return bm::name_of(name.substr(0, longest).c_str());
}

// The options of the search for a kernel with these shared arrays.
// Error (refusal): a name that is not known.
bm::search search_of(const plan_limits& limits, const std::vector<std::string>& arrays);

}  // namespace command_line
