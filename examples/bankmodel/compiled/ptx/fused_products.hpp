// SPDX-License-Identifier: MIT
#pragma once

#include "../code/code.hpp"

namespace compiled {

// mul and add without a rounding may become one fma, which rounds once (PTX ISA, add and mul of
// floating-point numbers). A sum or a difference of such a product stays known where that makes no
// difference, and is unknown elsewhere.
void doubt_fused_products(kernel_code& kernel);

}  // namespace compiled
