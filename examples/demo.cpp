// SPDX-License-Identifier: MIT
// One screen: 13 kernels as in their sources and as planned. With --all six further tables.
#include <cstdio>
#include <string>

#include "all_tables.hpp"
#include "one_screen.hpp"

int main(int count, char** argument) {
  const bool is_full = count == 2 && std::string(argument[1]) == "--all";
  if (count > 1 && !is_full) {
    std::fprintf(stderr, "demo: error: only --all is known, or nothing for one screen\n");
    return 2;
  }
  if (is_full)
    print_all_tables();
  else
    one_screen::print();
}
