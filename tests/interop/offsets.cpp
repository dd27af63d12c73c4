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
  const auto below = [&](int n) { return static_cast<int>(dice() % static_cast<unsigned>(n)); };
  for (const bm::machine& m : {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::amd::gfx("gfx942")})
    for (int round = 0; round < 200; ++round) {
      bm::thread_values how;
      how.threads = 1 + below(200);
      how.element_bits = 8 << below(4);
      how.vector = 1 << below(5);
      while (how.vector * how.element_bits > 128) how.vector /= 2;
      how.values = how.vector * (1 + below(4));
      how.kind = below(2) == 0 ? bm::access_kind::load : bm::access_kind::store;
      if (below(3) == 0) how.active_lanes = 1 + below(m.lanes);
      const int stride = how.vector * (1 + below(40)), step = how.vector * below(9);
      const auto offset = [&](int thread, int value) {
        return thread * stride + value / how.vector * step + value % how.vector;
      };
      const long long base = 16 * below(9);
      bm::cost expected{};
      for (int first = 0; first < how.threads; first += m.lanes)
        for (int group = 0; group < how.values / how.vector; ++group) {
          bm::request warp{};
          warp.bytes = how.vector * how.element_bits / 8;
          warp.kind = how.kind;
          for (int lane = 0; lane < m.lanes; ++lane)
            if (first + lane < how.threads && lane < how.active_lanes) {
              warp.active |= 1ull << lane;
              warp.address[lane] = base + (static_cast<long long>(first + lane) * stride +
                                           static_cast<long long>(group) * step) *
                                              how.element_bits / 8;
            }
          expected = expected + bm::total(m, warp);
        }
      const bm::cost found = bm::total(m, how, offset, base);
      CHECK(found.requests == expected.requests);
      CHECK(found.wavefronts == expected.wavefronts);
      CHECK(found.ideal == expected.ideal);
      CHECK(found.degree == expected.degree);
    }
}
