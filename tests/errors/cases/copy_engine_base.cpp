// SPDX-License-Identifier: MIT
// expect: arrays_for_a_copy_engine_must_begin_at_its_pattern
#include <bankmodel/kernel/copy_engine.hpp>

namespace bm = bankmodel;

#ifdef BROKEN
constexpr int base = 128;
#else
constexpr int base = 1024;
#endif
constexpr auto tile = bm::through_copy_engine(bm::shared_array<float>("tile", 8, 32).at(base), 128);
static_assert(tile.base_bytes == base);
