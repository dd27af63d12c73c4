// SPDX-License-Identifier: MIT
// Lanes with a constant stride, against counting each phase: whole small geometries, and Kepler's
// two.
#include <bankmodel/count/detail/lane_line.hpp>
#include <bankmodel/model/degree.hpp>

#include "catch.hpp"

#include <string>
#include <vector>

namespace bm = bankmodel;
using bm::detail::lane_line;

namespace {

bm::machine machine_with(const bm::service& banks) {
  bm::machine m;
  m.lanes = 64;
  m.loads.up_to_4 = m.loads.bytes_8 = m.loads.bytes_16 = m.stores.up_to_4 = banks;
  return m;
}

int counted(const bm::geometry& g, long long base, long long stride, int lanes, int bytes) {
  long long address[64];
  for (int lane = 0; lane < lanes; ++lane) address[lane] = base + stride * lane;
  return bm::phase_degree(g, address, lanes, bytes);
}

// Every stride and base up to two layers.
void compare(const bm::machine& m, int bytes, int most_lanes) {
  const bm::geometry g = m.banks(bytes, bm::access_kind::load);
  lane_line line(m.served(bytes, bm::access_kind::load), g, bytes);
  INFO(g.bank_num << " banks, W " << g.W << ", N " << g.N << ", " << bytes << " bytes");
  if (!line.usable()) {
    CHECK((bytes > g.W || (bytes < g.N && g.N < g.W)));
    return;
  }
  const long long layer = static_cast<long long>(g.bank_num) * g.W;
  for (long long stride = -2 * layer - bytes; stride <= 2 * layer + bytes; stride += bytes) {
    line.set_stride(stride);
    for (int lanes = 1; lanes <= most_lanes; ++lanes) {
      const int everywhere = line.passes_everywhere(lanes);
      bool alike = true;
      const int first = counted(g, 0, stride, lanes, bytes);
      for (long long base = 0; base < layer; base += bytes) {
        const int passes = counted(g, base, stride, lanes, bytes);
        alike = alike && passes == first;
        if (line.passes(base, lanes) != passes)
          FAIL("stride " << stride << ", base " << base << ", " << lanes << " lanes");
        if (line.passes(base - 3 * layer, lanes) != passes)
          FAIL("stride " << stride << ", base " << base - 3 * layer << ", " << lanes << " lanes");
        if (everywhere > 0 && everywhere != passes)
          FAIL("stride " << stride << ", base " << base << ", " << lanes << " lanes, everywhere");
      }
      // If a word is a layer, and no element shares it, the closed form always applies.
      if (everywhere == 0 && g.W == g.N && bytes >= g.N)
        FAIL("stride " << stride << ", " << lanes << " lanes are not known");
      if (everywhere == 0 && alike && bytes == g.N && g.W == 2 * g.N)
        FAIL("stride " << stride << ", " << lanes << " lanes are not known");
    }
  }
}

}  // namespace

TEST_CASE("every line of lanes on every small geometry", "[lines]") {
  for (short bank_num = 1; bank_num <= 8; bank_num = static_cast<short>(bank_num * 2))
    for (short W = 1; W <= 16; W = static_cast<short>(W * 2))
      for (short N = 1; N <= W; N = static_cast<short>(N * 2))
        for (const int bytes : {1, 2, 4, 8})
          compare(machine_with({.bank_num = bank_num, .W = W, .N = N}), bytes, 10);
}

TEST_CASE("lines on 32 banks", "[lines]") {
  compare(machine_with({.bank_num = 32, .W = 4, .N = 4}), 4, 33);
  compare(machine_with({.bank_num = 32, .W = 8, .N = 4}), 4, 33);
  compare(machine_with({.bank_num = 32, .W = 8, .N = 8}), 4, 33);
  compare(machine_with({.bank_num = 32, .W = 8, .N = 4}), 8, 33);
}

TEST_CASE("requests in several phases or pieces have no closed form here", "[lines]") {
  auto m = machine_with({.bank_num = 32, .W = 4, .N = 4});
  m.loads.bytes_8.phases = {1, 0, 0};
  const auto line_of = [&](int bytes) {
    return lane_line(m.served(bytes, bm::access_kind::load), m.banks(bytes, bm::access_kind::load),
                     bytes);
  };
  CHECK_FALSE(line_of(8).usable());
  CHECK_FALSE(line_of(16).usable());
  CHECK(line_of(4).usable());
}
