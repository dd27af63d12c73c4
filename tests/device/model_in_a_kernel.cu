// SPDX-License-Identifier: MIT
// The model inside a kernel: in a static_assert, and with values that exist on the device only.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/machines/nvidia.hpp>

namespace bm = bankmodel;
using namespace bm::index;

__global__ void in_static_asserts() {
  using row_major = bm::bank_geometry<32, 8, 4, 4>;
  static_assert(row_major{}.mapping() == bm::mapping::row_major);
  static_assert(row_major{}.bank(132) == 1 && row_major{}.layer(260) == 1);
  constexpr bm::geometry g{.bank_num = 32, .W = 4, .N = 4, .M = 4};
  static_assert(g.bank(132) == 1 && g.layer(132) == 1);
  static_assert(bm::degree(g, bm::access_1d{.stride = 12}) == 4);
  static_assert(bm::degree(row_major{}, bm::access_1d{.stride = 2, .offset = 32}) == 2);
  static_assert(
      bm::degree(g, bm::access_2d{.stride_x = 1, .repeat_x = 16, .stride_y = 24, .repeat_y = 2}) ==
      2);
  static_assert(bm::degree(g, bm::stride_pattern({1, 0, 0, 0, 1, 0}, 24, 16, 32)) == 2);

  constexpr auto padded = bm::row_major(32, 32).padded(1);
  static_assert(padded(1, 0) == 33 && padded.padding() == 1 && padded.required_size() == 32 * 33);

  constexpr bm::request r{.address = {0, 128}, .active = 3, .bytes = 4};
  static_assert(bm::wavefronts(bm::nvidia::sm_90, r) == 2);
  static_assert(bm::total(bm::nvidia::sm_90, r).conflicts() == 1);
  static_assert(bm::nvidia::sm_35.with_bank_width(8).bank_width == 8);
  static_assert(bm::nvidia::compute_capability(9, 0) == bm::nvidia::sm_90);

  constexpr auto column = bm::shared_array<float>("tile", 32, 32)[tx][ty];
  static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{32, 8}, column).conflicts() == 248);
}

// Each with a value of its own thread.
__global__ void at_run_time(long long* out) {
  const int t = static_cast<int>(threadIdx.x);
  const bm::geometry g{.bank_num = 32, .W = 4, .N = 4, .M = 4};
  long long sum = bm::degree(g, bm::access_1d{.stride = t}) + g.bank(4 * t) + g.layer(128 * t);
  sum += bm::degree(g, bm::access_2d{.stride_x = 1, .repeat_x = 16, .stride_y = t, .repeat_y = 2});
  sum += bm::degree(bm::bank_geometry<32, 8, 4, 4>{}, bm::access_1d{.stride = t, .offset = 1});
  const bm::layout layout = bm::row_major(32, 32 + t).padded(1);
  sum += layout(t, 1) + layout.required_size();
  constexpr bm::machine m = bm::nvidia::sm_90;
  bm::request r{.active = 0xffffffff, .bytes = 4};
  for (int lane = 0; lane < 32; ++lane) r.address[lane] = 4 * t * lane;
  sum += bm::wavefronts(m, r);
  sum += static_cast<long long>(bm::total(m, r).conflicts());
  out[t] = sum;
}

// A machine looked up on the device. (total() works there too, but nvcc takes minutes to
// compile it for run time: let the host or a constant expression do that.)
__global__ void machine_at_run_time(int* out, int major, int minor) {
  *out = bm::nvidia::compute_capability(major, minor).lanes;
}

int main() {
  in_static_asserts<<<1, 1>>>();
  at_run_time<<<1, 32>>>(nullptr);
  machine_at_run_time<<<1, 1>>>(nullptr, 9, 0);
}
