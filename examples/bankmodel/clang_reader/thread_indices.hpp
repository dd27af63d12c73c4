// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_THREAD_INDICES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_THREAD_INDICES_HPP

#include <llvm/IR/Module.h>

namespace compiled {

// threadIdx, blockIdx, blockDim and gridDim are declared as nvcc has them, as constants of types
// uint3 and dim3, so that templates see these types. Here each function that uses one gets a
// variable of its own, which begins with the values.
void define_thread_indices(llvm::Module& module);

}  // namespace compiled

#endif
