// SPDX-License-Identifier: MIT
// Calls whose instructions run_cost.sh counts: each function makes one of them `calls` times.
#include <bankmodel/optimize.hpp>

#include "run_cost.hpp"

namespace {

auto in_a_triangle(long long trips) {
  return bm::for_loop(i, bm::range(0, trips), bm::for_loop(j, bm::range(0, i), line[tx + j]));
}

auto in_a_moving_filter(long long trips) {  // bench/for_if.cpp
  return bm::for_loop(i, bm::range(1, trips + 1), bm::if_threads(tx < i, line[2 * tx]));
}

template <class Access>
void totals(const bm::machine& machine, Access access, const bm::block_dim& threads = one_warp) {
  repeat([&] { return bm::total(machine, hidden(threads), hidden(access)); });
}

}  // namespace

ROW row_degree() {
  bm::access_1d a{.stride = 6, .offset = 5};
  bm::geometry g{32, 8, 4, 4};
  repeat([&] { return bm::degree(hidden(g), hidden(a)); });
}
ROW row_request() {
  bm::request r{.active = 0xffffffff, .bytes = 4};
  for (int at = 0; at < 32; ++at) r.address[at] = 8 * at;
  repeat([&] { return bm::total(sm_90, hidden(r)); });
}
ROW row_total() {
  auto access = bm::load(square[tx][ty]);
  repeat([&] { return bm::total(sm_90, hidden(block), hidden(access)); });
}
ROW row_loop_1e3() { totals(sm_90, in_one_loop(1000)); }
ROW row_loop_1e12() { totals(sm_90, in_one_loop(1'000'000'000'000)); }
ROW row_loop_W_over_N_1e3() { totals(sm_35, in_one_loop(1000)); }
ROW row_loop_W_over_N_1e12() { totals(sm_35, in_one_loop(1'000'000'000'000)); }
ROW row_triangle_1e3() { totals(sm_90, in_a_triangle(1024)); }
ROW row_triangle_1e9() { totals(sm_90, in_a_triangle(1 << 30)); }
ROW row_triangle_W_over_N_1e7() { totals(sm_35, in_a_triangle(1 << 24)); }
ROW row_triangle_W_over_N_1e9() { totals(sm_35, in_a_triangle(1 << 30)); }
ROW row_for_if_1e4() { totals(sm_90, in_a_moving_filter(10'000), eight_warps); }
ROW row_for_if_1e9() { totals(sm_90, in_a_moving_filter(1'000'000'000), eight_warps); }
ROW row_for_if_W_over_N_1e4() { totals(sm_35, in_a_moving_filter(10'000), eight_warps); }
ROW row_for_if_W_over_N_1e9() { totals(sm_35, in_a_moving_filter(1'000'000'000), eight_warps); }
ROW row_plan() {
  auto kernel = bm::kernel(block, bm::store(square[ty][tx]), bm::load(square[tx][ty]));
  repeat([&] { return bm::optimize(sm_90, hidden(kernel), {.layouts = bm::layouts::padding}); });
}
ROW row_plan_of_every_family() {
  auto kernel = bm::kernel(block, bm::store(square[ty][tx]), bm::load(square[tx][ty]));
  repeat([&] { return bm::optimize(sm_90, hidden(kernel)); });
}
// In run_cost_explain.cpp: with them in this file, the compiler would inline less above.
ROW row_worst();
ROW row_worst_W_over_N();
ROW row_explain();

int main() {
  row_degree();
  row_request();
  row_total();
  row_loop_1e3();
  row_loop_1e12();
  row_loop_W_over_N_1e3();
  row_loop_W_over_N_1e12();
  row_triangle_1e3();
  row_triangle_1e9();
  row_triangle_W_over_N_1e7();
  row_triangle_W_over_N_1e9();
  row_for_if_1e4();
  row_for_if_1e9();
  row_for_if_W_over_N_1e4();
  row_for_if_W_over_N_1e9();
  row_plan();
  row_plan_of_every_family();
  row_worst();
  row_worst_W_over_N();
  row_explain();
}
