// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUT_FAMILIES_HPP
#define BANKMODEL_LAYOUT_FAMILIES_HPP

#include <bankmodel/layout/families/linear.hpp>
#include <bankmodel/layout/families/modular.hpp>
#include <bankmodel/layout/families/rotation.hpp>
#include <bankmodel/layout/families/triangular.hpp>
#include <bankmodel/layout/families/xor_swizzle.hpp>

#endif
