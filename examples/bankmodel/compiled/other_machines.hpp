// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "code_of_file.hpp"
#include "page/page.hpp"

// Machines for which source that depends on the machine is read again.
namespace compiled {

// True if compilers make the same code for both.
bool has_code_of(const bm::machine& first, const bm::machine& second);

// The machines of the question.
std::vector<bm::machine> machines_of(const question& asked, const code_of_file& code);

// Those that have another code than the one that was read, in their order: where the source asks
// which machine it is for, and where warps have another size.
std::vector<bm::machine> machines_with_other_code(const question& asked, const code_of_file& code,
                                                  const kernel_code& kernel);

// Puts pages, one for each machine, in the order of these machines.
void put_in_order(const std::vector<bm::machine>& machines, std::vector<page>& pages);

}  // namespace compiled
