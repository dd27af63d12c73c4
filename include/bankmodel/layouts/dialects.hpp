// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_LAYOUTS_DIALECTS_HPP
#define BANKMODEL_LAYOUTS_DIALECTS_HPP

// Layouts as other libraries write them. to_...(layout) gives a dialect's numbers and refuses what it cannot say, with an element
// that shows it; from_...(numbers, row_major(extents...)) gives the layout. There and back, each element lies where it did.
#include <bankmodel/layouts/dialects/cuda_oxide.hpp>
#include <bankmodel/layouts/dialects/cute.hpp>
#include <bankmodel/layouts/dialects/triton.hpp>
#include <bankmodel/layouts/dialects/tvm.hpp>

#endif
