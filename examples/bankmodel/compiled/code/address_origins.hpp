// SPDX-License-Identifier: MIT
#pragma once

#include "code.hpp"

namespace compiled {

// Sets memory_access::shared_array of accesses whose address is an array's plus a distance,
// whichever way the code goes, and memory_access::may_be_of_cluster of those whose address was
// mapped to a block of the cluster.
void set_address_origins(kernel_code& kernel);

}  // namespace compiled
