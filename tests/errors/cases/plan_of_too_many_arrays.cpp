// SPDX-License-Identifier: MIT
// expect: a_kernel_to_plan_must_have_at_most_16_arrays
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
constexpr auto named(const char* name) { return bm::load(bm::shared_array<float>(name, 32)[tx]); }
#ifdef BROKEN
constexpr const char* last = "q";
#else
constexpr const char* last = "a";
#endif
constexpr auto kernel =
    bm::kernel(bm::block_dim{32}, named("a"), named("b"), named("c"), named("d"), named("e"),
               named("f"), named("g"), named("h"), named("i"), named("j"), named("k"), named("l"),
               named("m"), named("n"), named("o"), named("p"), named(last));
static_assert(bm::optimize(bm::nvidia::sm_90, kernel).bytes() == 16 * 128);
