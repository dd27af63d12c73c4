// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_ALL_TABLES_HPP
#define BANKMODEL_EXAMPLES_ALL_TABLES_HPP

// Six tables: the 13 kernels on three machines, their plans, one tile on nine machines, what
// padding costs on two Jetson boards, and two with both memories side by side.
void print_all_tables();

#endif
