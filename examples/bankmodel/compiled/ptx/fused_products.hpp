// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PTX_FUSED_PRODUCTS_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PTX_FUSED_PRODUCTS_HPP

#include "../code/code.hpp"

namespace compiled {

// mul and add without a rounding may become one fma, which rounds once (PTX ISA, add and mul of
// floating-point numbers). A sum or a difference of such a product stays known where that makes no
// difference, and is unknown elsewhere.
void doubt_fused_products(kernel_code& kernel);

}  // namespace compiled

#endif
