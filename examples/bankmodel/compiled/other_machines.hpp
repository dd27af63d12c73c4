// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_OTHER_MACHINES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_OTHER_MACHINES_HPP

#include <string>
#include <vector>

#include "code_of_file.hpp"
#include "page/page.hpp"

// Machines for which source that depends on the machine is read again.
namespace compiled {

// True if compilers make the same code for both.
bool has_code_of(const bm::machine& first, const bm::machine& second);

// Those of the question that have another code than the first one, in their order.
std::vector<std::string> machines_with_other_code(const question& asked, const code_of_file& code);

// The pages of both readings in the order of the question's machines. `theirs` are on `machines`.
std::vector<page> in_order(const question& asked, const std::vector<page>& mine,
                           const std::vector<std::string>& machines,
                           const std::vector<page>& theirs);

}  // namespace compiled

#endif
