// SPDX-License-Identifier: MIT
// Accesses whose places a function of thread and value says, against requests made by hand.
#include <bankmodel/interop/offsets.hpp>

#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <random>

#include "catch.hpp"

namespace bm = bankmodel;

namespace {

struct column_major_tile {
  BANKMODEL_FN int operator()(int thread, int value) const {
    return thread % 8 * 128 + thread / 8 + 32 * value;
  }
};

}  // namespace

// The header's example.
static_assert(bm::total(bm::nvidia::sm_90, bm::thread_values{256, 4, 1, 32, bm::access_kind::store},
                        column_major_tile{})
                  .wavefronts == 256);

TEST_CASE("offsets cost what their requests cost") {
  std::mt19937 dice(1);
  const auto draw = [&](int n) { return static_cast<int>(dice() % static_cast<unsigned>(n)); };
  for (const bm::machine& m : {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::amd::gfx("gfx942")})
    for (int round = 0; round < 200; ++round) {
      bm::thread_values values;
      values.threads = 1 + draw(200);
      values.element_bits = 8 << draw(4);
      values.vector = 1 << draw(5);
      while (values.vector * values.element_bits > 128) values.vector /= 2;
      values.values = values.vector * (1 + draw(4));
      values.kind = draw(2) == 0 ? bm::access_kind::load : bm::access_kind::store;
      if (draw(3) == 0) values.active_lanes = 1 + draw(m.lanes);
      const int stride = values.vector * (1 + draw(40)), step = values.vector * draw(9);
      const auto offset = [&](int thread, int value) {
        return thread * stride + value / values.vector * step + value % values.vector;
      };
      const long long base = 16 * draw(9);
      bm::cost expected{};
      for (int first = 0; first < values.threads; first += m.lanes)
        for (int group = 0; group < values.values / values.vector; ++group) {
          bm::request warp{};
          warp.bytes = values.vector * values.element_bits / 8;
          warp.kind = values.kind;
          for (int lane = 0; lane < m.lanes; ++lane)
            if (first + lane < values.threads && lane < values.active_lanes) {
              warp.active |= 1ull << lane;
              warp.address[lane] = base + (static_cast<long long>(first + lane) * stride +
                                           static_cast<long long>(group) * step) *
                                              values.element_bits / 8;
            }
          expected = expected + bm::total(m, warp);
        }
      const bm::cost result = bm::total(m, values, offset, base);
      CHECK(result.requests == expected.requests);
      CHECK(result.wavefronts == expected.wavefronts);
      CHECK(result.ideal == expected.ideal);
      CHECK(result.degree == expected.degree);
    }
}
