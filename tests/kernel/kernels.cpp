// SPDX-License-Identifier: MIT
// The 13 kernels of examples/: they match their sources, and their totals equal counting.
#include "examples/kernels.hpp"

#include <algorithm>
#include <bankmodel/count/total.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/report.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "run_plainly.hpp"

namespace bm = bankmodel;
using bm::nvidia::sm_35;
using bm::nvidia::sm_90;

namespace {

// Calls visit(element by active lane) for each request of an access, run plainly.
template <class Access, class Visit>
void each_request(const Access& access, const bm::block_dim& block, const Visit& visit) {
  plainly::each_request(32, block, access, [&](const plainly::request& lanes) {
    visit(plainly::by_lane(access, lanes, [](long long element) { return element; }));
  });
}

// The work of all threads of a block.
struct traffic {
  std::uint64_t loads = 0, stores = 0;
  bool operator==(const traffic&) const = default;
};
using traffic_by_array = std::map<std::string, traffic>;

// By hand: a warp of a 16 x 16 block is two rows, ty = 2w and 2w + 1; loops of one iteration
// are left out.
struct expected {
  std::size_t accesses;
  std::uint64_t requests;
  traffic_by_array by_array;
};
const std::map<std::string, expected> facts = {
    // Each plane: ty < 4 keeps 2 of 8 warps, tx < 4 some lanes of all: 2 * 2 + 2 * 8 + 8
    // stores, 16 * 8 loads are 156. Threads: 2 * 64 + 2 * 64 + 256 stores, 16 * 256 loads.
    {"stencil_3D_16x16_order8", {21, 32 * 156, {{"s_data", {32 * 4096, 32 * 512}}}}},
    // One warp: 1 + 16 + 1 + 1, then 16 * 5 and 15 * 5 in the sweeps, 16 to write back. A sweep
    // to m = 15 has 1 + .. + 16 = 136 threads, one from 14 has 120: temp is loaded 3 * 256 +
    // 256 times, stored 1 + 16 + 16 + 256.
    {"needle_cuda_shared_1", {15, 19 + 80 + 75 + 16, {{"temp", {1024, 289}}, {"ref", {256, 256}}}}},
    {"copySharedMem", {2, 16, {{"tile", {256, 256}}}}},
    {"transposeCoalesced", {2, 16, {{"tile", {256, 256}}}}},
    {"transposeNoBankConflicts", {2, 16, {{"tile", {256, 256}}}}},
    {"transposeDiagonal", {2, 16, {{"tile", {256, 256}}}}},
    {"transposeFineGrained", {2, 16, {{"block", {256, 256}}}}},
    {"transposeCoarseGrained", {2, 16, {{"block", {256, 256}}}}},
    // One warp, in which i leaves 15 - i threads: 16; j < i is 105 iterations of 4; 15 of 3; j
    // < i + 1 is 120 of 4; 15. Threads: 256 + 560 + 120 + 680 stores, 3 * 560 + 2 * 120 + 3 *
    // 680 + 240 loads.
    {"lud_diagonal", {13, 16 + 105 * 4 + 15 * 3 + 120 * 4 + 15, {{"shadow", {4200, 1616}}}}},
    // One warp, 16 threads in each branch: 8 + 16 + 8 + 16; j < i is 120 iterations of 4, in
    // both; 16 of 3; 15 + 16.
    {"lud_perimeter",
     {17,
      48 + 480 + 480 + 48 + 31,
      {{"dia", {4096, 256}}, {"peri_row", {4080, 2176}}, {"peri_col", {4352, 2432}}}}},
    // 10 stores and 8 * 17 loads of each warp: 2 warps of 32 threads, 4 warps.
    {"convolutionRowsKernel", {4, 2 * 146, {{"s_Data", {8704, 640}}}}},
    {"convolutionColumnsKernel", {4, 4 * 146, {{"s_Data", {17408, 1280}}}}},
    // 8, and 135 times 8 + 8 + 8 + 7 (not where ty is 0) + 8.
    {"shfl_vertical_shfl", {6, 8 + 135 * 39, {{"sums", {135 * 736, 256 + 135 * 512}}}}},
};

template <class Kernel>
std::size_t accesses_of(const Kernel& kernel) {
  std::size_t count = 0;
  bm::for_each_access(kernel, [&](const auto&) { ++count; });
  return count;
}

oracle::counts counted(const oracle::banks& banks, const bm::block_dim& block, const auto& access) {
  const std::vector<int> one_phase(32, 0);
  oracle::counts sum;
  each_request(access, block, [&](const std::map<int, long long>& touched) {
    std::map<int, long long> address;
    for (const auto& [lane, element] : touched)
      address[lane] = access.array.base_bytes + element * access.array.element_bytes;
    add_to(sum, oracle::request(banks, one_phase, false, address, access.array.element_bytes));
  });
  return sum;
}

}  // namespace

TEST_CASE("the kernels make the accesses of their sources") {
  std::size_t kernels_seen = 0;
  kernels::for_each_kernel([&](const char* name, const auto& kernel) {
    INFO(name);
    ++kernels_seen;
    const expected& fact = facts.at(name);
    CHECK(accesses_of(kernel) == fact.accesses);
    CHECK(bm::total(sm_90, kernel).requests == fact.requests);

    traffic_by_array by_array;
    std::map<std::string, std::set<long long>> read, written;
    bm::for_each_access(kernel, [&](const auto& access) {
      const std::string array = bm::text(access.array.name);
      const bool load = access.kind == bm::access_kind::load;
      each_request(access, kernel.block, [&](const std::map<int, long long>& touched) {
        (load ? by_array[array].loads : by_array[array].stores) += touched.size();
        for (const auto& lane : touched) (load ? read : written)[array].insert(lane.second);
      });
    });
    CHECK(by_array == fact.by_array);
    for (const auto& [array, loaded] : read)
      CHECK(std::includes(written[array].begin(), written[array].end(), loaded.begin(),
                          loaded.end()));
  });
  CHECK(kernels_seen == 13);
}

TEST_CASE("totals of the kernels equal counting each request") {
  struct banked {
    bm::machine machine;
    oracle::banks banks;
  };
  const banked machines[] = {
      {sm_35, {32, 8, 4}}, {sm_35.with_bank_width(8), {32, 8, 8}}, {sm_90, {32, 4, 4}}};
  for (const auto& [machine, banks] : machines)
    kernels::for_each_kernel([&, m = machine, b = banks](const char* name, const auto& kernel) {
      bm::for_each_access(kernel, [&](const auto& access) {
        INFO(name << ": " << bm::text(access) << " on " << bm::text(m));
        const bm::cost cost = bm::total(m, kernel.block, access);
        const oracle::counts count = counted(b, kernel.block, access);
        CHECK(cost.requests == count.requests);
        CHECK(cost.wavefronts == count.wavefronts);
        CHECK(cost.ideal == count.ideal);
        CHECK(cost.degree == count.degree);
      });
    });
}

namespace {

// Conflicts of 3DFD's s_data with this many unused columns: of the whole kernel, and of the
// three loads around the centre by which contract/plan.cpp describes it, for one plane.
struct stencil_conflicts {
  std::uint64_t total = 0, three = 0;
};
stencil_conflicts of_stencil(const bm::machine& machine, int padding) {
  stencil_conflicts sum;
  bm::for_each_access(kernels::fd3d::stencil_3D_16x16_order8, [&](auto access) {
    access.array.layout = access.array.layout.padded(padding);
    sum.total +=
        bm::total(machine, bm::block_dim{16, 16}, access).conflicts() / kernels::fd3d::planes;
  });
  using namespace bm::index;
  auto array = kernels::fd3d::s_data;
  array.layout = array.layout.padded(padding);
  sum.three = bm::total(machine, bm::kernel(bm::block_dim{16, 16},
                                            bm::load(array[ty + 4][tx + 4], array[ty + 4][tx + 3],
                                                     array[ty + 3][tx + 4])))
                  .conflicts();
  return sum;
}

}  // namespace

// Section 6.4: with N = 4 the first padding without a conflict is 24, with N = 8 it is 0. It
// holds for the whole kernel (all 16 loads and 5 stores) and for the three loads alike. A warp
// is two rows of 16: unpadded they begin 24 words apart and span 40 words, so with 4-byte words
// they share 8 banks if the 64 words of a layer end between them; at a distance of 48 they share
// no bank, and with 8-byte words two rows are in 20 of 32 banks.
TEST_CASE("3DFD needs 24 columns of padding to be conflict-free, or 8-byte banks and none") {
  for (int padding = 0; padding < 24; ++padding) {
    CHECK(of_stencil(sm_35, padding).total > 0);
    CHECK(of_stencil(sm_35, padding).three > 0);
  }
  CHECK(of_stencil(sm_35, 0).total == 78);  // of 156 requests: 72 in loads, 6 in stores
  CHECK(of_stencil(sm_35, 24).total == 0);
  CHECK(of_stencil(sm_35, 24).three == 0);
  CHECK(of_stencil(sm_35.with_bank_width(8), 0).total == 0);
  CHECK(of_stencil(sm_35.with_bank_width(8), 0).three == 0);
}

// A row of 17 turns the column's 8-way conflict into a 2-way one, and adds a 2-way one to the
// rows, which had none: lane 0 is element 0, lane 31 (ty = 1, tx = 15) element 32 of a row-wise
// warp.
TEST_CASE(
    "a column of padding halves the conflicts of a 16 x 16 tile on 32 banks, but leaves some") {
  using namespace kernels::transpose;
  static_assert(bm::total(sm_90, transposeCoalesced).conflicts() == 8 * 7);
  static_assert(bm::total(sm_90, transposeNoBankConflicts).conflicts() == 8 * 1 + 8 * 1);
  CHECK(bm::total(sm_90, transposeCoalesced).degree == 8);
  CHECK(bm::total(sm_90, transposeNoBankConflicts).degree == 2);
}
