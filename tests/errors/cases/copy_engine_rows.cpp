// SPDX-License-Identifier: MIT
// expect: rows_for_a_copy_engine_must_fit_its_mode
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

namespace bm = bankmodel;
using namespace bm::index;
#ifdef BROKEN
constexpr int columns = 64;
#else
constexpr int columns = 32;
#endif
constexpr auto tile = bm::shared_array<float>("tile", 32, columns);
static_assert(bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32}, bm::load(tile[tx][0])),
                           {.copy_engine_bytes = 128})
                  .bytes() == 4096);
