// SPDX-License-Identifier: MIT
// Loops are unrolled as nvcc unrolls them, so that accesses which it joins are in one basic block.
// Each copy makes the requests of its iterations: what is counted as written stays the same.
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include <algorithm>

#include "lowering.hpp"

namespace compiled {

namespace {

// Instructions of an unrolled loop. nvcc 13.0 unrolls a loop of one load and two operations 200
// times completely, and one of 512 iterations in part.
constexpr unsigned most_instructions = 2000, most_of_pragma = 16384;

class unroller {
 public:
  unroller(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        assumptions_(analyses.getResult<llvm::AssumptionAnalysis>(function)),
        target_(analyses.getResult<llvm::TargetIRAnalysis>(function)),
        remarks_(analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)),
        layout_(function.getParent()->getDataLayout()) {}

  void unroll_all() {
    const auto loops = loops_.getLoopsInPreorder();
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
      unroll(**loop);  // inner ones first
  }

 private:
  // Only loops that end nowhere else than after a constant number of iterations: whether others
  // go on may depend on data, and is asked about by line.
  void unroll(llvm::Loop& loop) {
    if (!loop.isLoopSimplifyForm() || loop.getExitingBlock() == nullptr ||
        evolution_.getSmallConstantTripCount(&loop) == 0)
      return;
    const auto option = [&](const char* name) {
      return llvm::findOptionMDForLoop(&loop, name) != nullptr;
    };
    if (option("llvm.loop.unroll.disable")) return;
    const bool is_wanted = option("llvm.loop.unroll.full") || option("llvm.loop.unroll.enable");
    llvm::LoopRotation(&loop, &loops_, &target_, &assumptions_, &dominators_, &evolution_, nullptr,
                       llvm::SimplifyQuery(layout_), true, ~0u, false);
    const unsigned trips = evolution_.getSmallConstantTripCount(&loop);
    if (trips == 0 || loop.getExitingBlock() == nullptr) return;
    const auto of_pragma = llvm::getOptionalIntLoopAttribute(&loop, "llvm.loop.unroll.count");
    unsigned count =
        of_pragma ? static_cast<unsigned>(*of_pragma) : count_for(loop, trips, is_wanted);
    count = std::min(count, trips);
    if (count < 2 || trips % count != 0) return;
    llvm::UnrollLoopOptions options{};
    options.Count = count;
    options.Force = options.AllowExpensiveTripCount = options.ForgetAllSCEV = true;
    llvm::UnrollLoop(&loop, options, &loops_, &evolution_, &dominators_, &assumptions_, &target_,
                     &remarks_, true);
  }

  // Of a loop that is too large, the most iterations that divide it and make a quarter of the size.
  static unsigned count_for(const llvm::Loop& loop, unsigned trips, bool is_wanted) {
    unsigned size = 0;
    for (const llvm::BasicBlock* const block : loop.blocks())
      size += static_cast<unsigned>(block->size());
    const unsigned limit = (is_wanted ? most_of_pragma : most_instructions) / std::max(size, 1u);
    if (trips <= limit) return trips;
    unsigned count = limit / 4;
    while (count > 1 && trips % count != 0) --count;
    return count;
  }

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& dominators_;
  llvm::AssumptionCache& assumptions_;
  const llvm::TargetTransformInfo& target_;
  llvm::OptimizationRemarkEmitter& remarks_;
  const llvm::DataLayout& layout_;
};

// One way back to the head of each loop. Of a loop with several, as `continue` makes them, LLVM
// would make two nested ones, and lanes that go back early would run ahead of the others.
void join_latches(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
    if (loop->getLoopLatch() != nullptr) continue;
    llvm::SmallVector<llvm::BasicBlock*, 4> latches;
    loop->getLoopLatches(latches);
    llvm::MDNode* const pragmas = loop->getLoopID();
    llvm::BasicBlock* const latch = llvm::SplitBlockPredecessors(
        loop->getHeader(), latches, ".again", static_cast<llvm::DomTreeUpdater*>(nullptr));
    if (latch == nullptr) continue;  // a computed jump comes from one of them
    if (pragmas == nullptr) continue;
    for (llvm::BasicBlock* const predecessor : latches)
      predecessor->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, pragmas);
  }
}

}  // namespace

void unroll_loops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  join_latches(function);
  analyses.clear();
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  passes.run(function, analyses);
  unroller(function, analyses).unroll_all();
  analyses.clear();
}

}  // namespace compiled
