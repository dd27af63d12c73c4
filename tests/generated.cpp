// SPDX-License-Identifier: MIT
// total() of generated accesses on the real machines, against running every thread. The seeds are the case numbers:
// BANKMODEL_FIRST_SEED and BANKMODEL_CASES in the environment choose others.
#include <bankmodel/total.hpp>

#include "catch.hpp"
#include "generate.hpp"
#include "machines.hpp"

#include <cstdlib>
#include <string>

namespace bm = bankmodel;

namespace {

oracle::counts counted(const generated::one_case& c, const tested_machine& m) {
  oracle::counts sum;
  const int threads = c.block[0] * c.block[1] * c.block[2];
  for (int warp = 0; warp * m.lanes < threads; ++warp) {
    std::map<long long, std::map<int, long long>> requests;  // trips -> lane -> address
    for (int lane = 0; lane < m.lanes && warp * m.lanes + lane < threads; ++lane) {
      const int tid = warp * m.lanes + lane;
      generated::environment e{{tid % c.block[0], tid / c.block[0] % c.block[1], tid / c.block[0] / c.block[1], 5, 0, 0, tid, lane, warp}};
      std::vector<generated::touch> touches;
      generated::run(c, 0, 0, e, touches);
      for (const auto& touch : touches) requests[touch.trips][lane] = touch.address;
    }
    for (const auto& [trips, addresses] : requests) {
      const auto one = counted(m, addresses, c.element_bytes * c.vector, !c.store);
      sum.requests += one.requests;
      sum.wavefronts += one.wavefronts;
      sum.ideal += one.ideal;
      sum.degree = std::max(sum.degree, one.degree);
    }
  }
  return sum;
}

bool equal(const bm::cost& a, const oracle::counts& b) {
  return a.requests == b.requests && a.wavefronts == b.wavefronts && a.ideal == b.ideal && a.degree == b.degree;
}

std::string text(const bm::cost& a) {
  return std::to_string(a.requests) + " requests, " + std::to_string(a.wavefronts) + " wavefronts, ideal " + std::to_string(a.ideal) + ", degree " +
         std::to_string(a.degree);
}

unsigned long long number_from(const char* name, unsigned long long otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

}  // namespace

TEST_CASE("totals of generated accesses equal running every thread", "[total]") {
  const auto first = number_from("BANKMODEL_FIRST_SEED", 1), cases = number_from("BANKMODEL_CASES", 200000);
  unsigned long long once = 0, conflicting = 0, empty = 0;
  for (auto seed = first; seed < first + cases; ++seed) {
    const auto c = generated::generator(seed).make();
    const auto& m = tested_machines[c.machine];
    bm::cost fast;
    try {
      fast = bm::total(m.machine, bm::block_dim{c.block[0], c.block[1], c.block[2]}, generated::for_library(c), bm::block_index{5, 0, 0});
    } catch (const bm::error& e) {
      FAIL("seed " << seed << ": " << e.what());
    }
    const auto slow = counted(c, m);
    if (!equal(fast, slow))
      FAIL("seed " << seed << ": total() says " << text(fast) << "; counting " << slow.requests << ", " << slow.wavefronts << ", " << slow.ideal << ", "
                   << slow.degree);
    once += fast.method == bm::method::distinct_requests;
    conflicting += fast.conflicts() > 0;
    empty += fast.requests == 0;
  }
  WARN("seeds " << first << " to " << first + cases - 1 << ": " << conflicting << " with conflicts, " << once << " by distinct requests, " << empty
                << " without a request");
  CHECK(conflicting > cases / 4);
  CHECK(once > cases / 4);
  CHECK(once < cases);
  CHECK(empty < cases / 3);
}
