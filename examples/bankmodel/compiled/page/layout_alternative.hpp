// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/model/cost.hpp>
#include <string>
#include <vector>

#include "../../table.hpp"

namespace compiled {

namespace bm = bankmodel;

struct page;

// Layouts of an array to choose from: as it is declared, with longer rows, of each family.
struct layout_alternative {
  int array = 0;       // in kernel_code::shared
  std::string layout;  // "tile[32][33]"
  bm::cost cost;       // of all accesses to the array, as issued if that is known
  long long bytes = 0;
  int resident_blocks = 0;  // with it and the other arrays as they are declared; 0: not known
};

// A table of the page's alternatives, by array; nothing without one.
std::vector<command_line::row> alternative_rows(const page& kernel_page);

// A list of objects, without its brackets.
std::string json_of_alternatives(const page& kernel_page);

}  // namespace compiled
