// SPDX-License-Identifier: MIT
// expect: an_access_must_be_a_load_or_a_store_not_both
#include <bankmodel/analyze.hpp>

namespace bm = bankmodel;
using namespace bm::index;

constexpr auto a = bm::shared_array<float>("a", 64);
#ifdef BROKEN
constexpr auto update = bm::load(bm::store(a[tx]));
#else
constexpr auto update = bm::store(bm::store(a[tx]));
#endif
static_assert(update.kind == bm::access_kind::store);
