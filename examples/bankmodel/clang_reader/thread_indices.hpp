// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/Module.h>

namespace compiled {

// threadIdx, blockIdx, blockDim and gridDim are declared as nvcc has them, as constants of types
// uint3 and dim3, so that templates see these types. Here each function that uses one gets a
// variable of its own, which begins with the values.
void define_thread_indices(llvm::Module& module);

}  // namespace compiled
