// SPDX-License-Identifier: MIT
// The rows of run_cost.cpp that explain: each function makes one call `calls` times.
#include <bankmodel/explain.hpp>

#include "run_cost.hpp"

ROW row_worst() {
  auto access = in_one_loop(1000);
  repeat([&] { return bm::detail::worst_of(sm_90, hidden(one_warp), hidden(access)); });
}
ROW row_worst_W_over_N() {
  auto access = in_one_loop(1000);
  repeat([&] { return bm::detail::worst_of(sm_35, hidden(one_warp), hidden(access)); });
}
ROW row_explain() {
  auto access = bm::load(square[tx][ty]);
  repeat([&] { return bm::explain(sm_90, hidden(block), hidden(access)); });
}
