// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_INTEROP_HPP
#define BANKMODEL_INTEROP_HPP

// Layouts as other libraries write them. to_...(layout) gives a dialect's numbers and refuses what
// it cannot say, with an element that shows it; from_...(numbers, row_major(extents...)) gives the
// layout. There and back, each element lies where it did.
#include <bankmodel/interop/cuda_oxide.hpp>
#include <bankmodel/interop/cute.hpp>
#include <bankmodel/interop/triton.hpp>
#include <bankmodel/interop/tvm.hpp>

#endif
