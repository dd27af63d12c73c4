// SPDX-License-Identifier: MIT
// One screen: 13 kernels as in their sources and as planned. With --all six further tables.
#include <cstdio>
#include <string>

#include "all_tables.hpp"
#include "one_screen.hpp"

int main(int count, char** argument) {
  const bool all = count == 2 && std::string(argument[1]) == "--all";
  if (count > 1 && !all) {
    std::fprintf(stderr, "demo: error: only --all is known, or nothing for one screen\n");
    return 2;
  }
  if (all)
    print_all_tables();
  else
    one_screen::print();
}
