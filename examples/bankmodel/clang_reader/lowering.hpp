// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

#include <set>

namespace compiled {

// The objects that a pointer may point into: allocas, globals and arguments. Empty if one of them
// is not known.
std::set<const llvm::Value*> objects_of(const llvm::Value* pointer);

// What passes know of a module.
struct pass_analyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;

  void register_with(llvm::PassBuilder& builder);
  // Inlines the functions that are marked so.
  void inline_marked(llvm::Module& module);
};

// Metadata of loads and stores that are volatile in the source: others become so only to stay.
inline constexpr char is_volatile[] = "bankmodel-volatile";

// Inlines all calls into the kernels, and keeps variables in registers. Each access to memory of
// the source remains, in its place and of its width: only accesses to a thread's own variables go.
// `unrolls`: as source_options::unrolls. `widest`: the most bytes of an access to global memory.
void lower(llvm::Module& module, const std::set<llvm::Function*>& kernels, bool unrolls,
           std::uint64_t widest);

// Marks all functions but kernels as those that the inliner inlines.
void inline_all(llvm::Module& module, const std::set<llvm::Function*>& kernels);

// Notes what the functions without a body do, as far as passes ask: those without a pointer access
// none of the memory that is counted, and return.
void note_effects(llvm::Module& module);

// Passes drop the places of accesses that they move: each is kept a second time, and restored.
void keep_places(llvm::Function& function);
void restore_places(llvm::Function& function);

// A pointer to element number `index` of the vector.
llvm::Value* element_pointer(llvm::IRBuilder<>& builder, llvm::Value* vector, llvm::Type* element,
                             unsigned index);

// Of a kernel of a lowered module, leaves the accesses that a compiler would: an access that does
// not depend on a loop is before it, equal loads are one, a value that the same thread stored is
// not loaded, of a vector the elements that are used are, and what nobody sees is not there.
// Volatile ones of the source stay.
void optimize_accesses(llvm::Function& kernel);

// Removes branches on constants and blocks that are never reached, and joins blocks.
void clean_blocks(llvm::Function& function);

// Unrolls the loops with a constant number of iterations that nvcc would unroll.
void unroll_loops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

// Writes memcpy, memmove and memset of a constant size as loads and stores. Copies that read or
// write shared or global memory are as wide as their alignment allows, up to 16 bytes, and up to
// `widest` bytes where both sides are in global memory or the thread's own.
void expand_copies(llvm::Function& function, bool those_of_variables_too, std::uint64_t widest);

}  // namespace compiled
