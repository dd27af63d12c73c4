// SPDX-License-Identifier: MIT
// Plans and explanations as constants within the compilers' default limits, whatever the kernel:
// a search that would need more ends early and says so. These went past clang's limit of steps.
#include <bankmodel/explain.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_90;

namespace {

// A function for each, so that each has its own compiler limits.
template <const auto& Kernel, unsigned Families = bm::layouts::all.bits>
constexpr bool is_no_worse() {
  constexpr auto plan = bm::optimize(sm_90, Kernel, {.layouts = {Families}});
  return plan.after().wavefronts <= plan.before().wavefronts;
}

// Paddings of three dimensions.
constexpr auto volume = bm::shared_array<float>("v", 4, 16, 16);
constexpr auto of_volume =
    bm::kernel(bm::block_dim{16, 16}, bm::store(volume[0][ty][tx]),
               bm::load(volume[tx % 4][ty][tx / 4]), bm::load(volume[1][tx][ty]));
static_assert(is_no_worse<of_volume>());
static_assert(is_no_worse<of_volume, bm::layouts::padding.bits>());
static_assert(is_no_worse<of_volume, bm::layouts::triangular.bits>());

// Rows of many factors, in elements below a word: the 412 x 412 modular layouts took four times the
// limit.
constexpr auto bytes = bm::shared_array<char>("a", 7, 412);
constexpr auto read_bytes = bm::load(bytes[tx * (7 * tx + 4) % 9][13 * tx + 8]);
constexpr auto of_bytes = bm::kernel(bm::block_dim{32}, read_bytes);
static_assert(is_no_worse<of_bytes>());
static_assert(is_no_worse<of_bytes, bm::layouts::modular.bits>());
static_assert(is_no_worse<of_bytes, bm::layouts::padding.bits | bm::layouts::xor_swizzle.bits>());
constexpr auto reason = bm::explain(sm_90, bm::block_dim{32}, read_bytes);
static_assert(reason.remedy.after.wavefronts <= reason.all.wavefronts);
// At run time there may be a better remedy: it says so, as a plan does.
static_assert(!reason.remedy.is_complete);

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
static_assert(bm::explain(sm_90, bm::block_dim{32}, bm::load(tile[tx][0])).remedy.is_complete);

}  // namespace
