// SPDX-License-Identifier: MIT
// total() over whole small domains: every geometry with up to 8 banks, every pair of loops and every filter in range.
#include <bankmodel/total.hpp>

#include "catch.hpp"
#include "oracle.hpp"

#include <array>
#include <string>

namespace bm = bankmodel;
using namespace bm::index;

namespace {

struct small_machine {
  bm::machine machine;
  oracle::banks banks;
};

std::vector<small_machine> small_machines(int lanes) {
  std::vector<small_machine> result;
  for (short bank_num = 1; bank_num <= 8; bank_num = static_cast<short>(bank_num * 2))
    for (short W = 1; W <= 8; W = static_cast<short>(W * 2))
      for (short N = 1; N <= W; N = static_cast<short>(N * 2)) {
        bm::machine m;
        m.lanes = lanes;
        m.loads.up_to_4 = {.bank_num = bank_num, .W = W, .N = N};
        m.stores = m.loads;
        result.push_back({m, {bank_num, W, N}});
      }
  return result;
}

// A filter by number: the library's condition and the same in C.
constexpr int filters = 9;

struct nest {
  int block, bytes, by_thread, by_i, by_j, first_i, last_i, step_i, trips_j, filter;
};

bool passes(const nest& n, int t, int i, int j) {
  switch (n.filter) {
    case 1: return t < i;
    case 2: return t >= i;
    case 3: return t == j;
    case 4: return t < 2;
    case 5: return t % 2 == 0;
    case 6: return i + j < t;
    case 7: return i < 2;
    case 8: return t != i && t < 3;
    default: return true;
  }
}

template <class Access>
bm::cost with_filter(const bm::machine& m, const nest& n, const Access& access) {
  const auto loops = [&](const auto& body) {
    return bm::total(m, bm::block_dim{n.block},
                     bm::for_loop(i, bm::range(n.first_i, n.last_i, n.step_i), bm::for_loop(j, bm::range(0, n.trips_j), body)));
  };
  switch (n.filter) {
    case 1: return loops(bm::if_threads(tx < i, access));
    case 2: return loops(bm::if_threads(tx >= i, access));
    case 3: return loops(bm::if_threads(tx == j, access));
    case 4: return loops(bm::if_threads(tx < 2, access));
    case 5: return loops(bm::if_threads(tx % 2 == 0, access));
    case 6: return loops(bm::if_threads(i + j < tx, access));
    case 7: return loops(bm::if_threads(i < 2, access));
    case 8: return loops(bm::if_threads(tx != i && tx < 3, access));
    default: return loops(access);
  }
}

bm::cost fast(const bm::machine& m, const nest& n) {
  const auto a = [&](const auto& array) { return with_filter(m, n, array[n.by_thread * tx + n.by_i * i + n.by_j * j]); };
  if (n.bytes == 1) return a(bm::shared_array<char>("a", 200));
  if (n.bytes == 2) return a(bm::shared_array<short>("a", 200));
  return a(bm::shared_array<int>("a", 200));
}

oracle::counts counted(const small_machine& m, const nest& n) {
  oracle::counts sum;
  const std::vector<int> one_phase(static_cast<std::size_t>(m.machine.lanes), 0);
  for (int first = 0; first < n.block; first += m.machine.lanes)
    for (int i = n.first_i; n.step_i > 0 ? i < n.last_i : i > n.last_i; i += n.step_i)
      for (int j = 0; j < n.trips_j; ++j) {
        std::map<int, long long> address;
        for (int lane = 0; lane < m.machine.lanes && first + lane < n.block; ++lane)
          if (passes(n, first + lane, i, j)) address[lane] = n.bytes * (n.by_thread * (first + lane) + n.by_i * i + n.by_j * j);
        const auto one = oracle::request(m.banks, one_phase, false, address, n.bytes);
        sum.requests += one.requests;
        sum.wavefronts += one.wavefronts;
        sum.ideal += one.ideal;
        sum.degree = std::max(sum.degree, one.degree);
      }
  return sum;
}

long long compare_all(const std::vector<small_machine>& machines, const std::vector<nest>& nests) {
  long long cases = 0;
  for (const auto& m : machines)
    for (const auto& n : nests) {
      ++cases;
      const auto a = fast(m.machine, n);
      const auto b = counted(m, n);
      if (a.requests != b.requests || a.wavefronts != b.wavefronts || a.ideal != b.ideal || a.degree != b.degree)
        FAIL("banks " << m.banks.bank_num << " W " << m.banks.W << " N " << m.banks.N << " lanes " << m.machine.lanes << " block " << n.block << " bytes "
                      << n.bytes << " a[" << n.by_thread << " tx + " << n.by_i << " i + " << n.by_j << " j], i from " << n.first_i << " to " << n.last_i
                      << " by " << n.step_i << ", j to " << n.trips_j << ", filter " << n.filter << ": " << a.wavefronts << " of " << a.requests
                      << ", counted " << b.wavefronts << " of " << b.requests);
    }
  return cases;
}

}  // namespace

TEST_CASE("every pair of loops without a filter, on every small geometry", "[total]") {
  std::vector<nest> nests;
  for (const int block : {4, 8, 12, 3, 6, 16})
    for (const int bytes : {1, 2, 4})
      for (int by_thread = 0; by_thread <= 5; ++by_thread)
        for (int by_i = 0; by_i <= 4; ++by_i)
          for (int by_j = 0; by_j <= 3; ++by_j)
            for (const auto& [first, last, step] : {std::array{0, 4, 1}, std::array{1, 6, 2}, std::array{5, 0, -3}, std::array{2, 2, 1}})
              for (const int trips_j : {1, 3, 9}) nests.push_back({block, bytes, by_thread, by_i, by_j, first, last, step, trips_j, 0});
  const auto cases = compare_all(small_machines(4), nests);
  CHECK(cases == 40ll * static_cast<long long>(nests.size()));
}

TEST_CASE("every pair of loops with every filter, on every small geometry", "[total]") {
  std::vector<nest> nests;
  for (const int block : {4, 8, 6})
    for (const int bytes : {1, 4})
      for (int by_thread = 0; by_thread <= 4; ++by_thread)
        for (int by_i = 0; by_i <= 2; ++by_i)
          for (int by_j = 0; by_j <= 2; ++by_j)
            for (const auto& [first, last, step] : {std::array{0, 5, 1}, std::array{4, -1, -2}})
              for (int filter = 1; filter < filters; ++filter) nests.push_back({block, bytes, by_thread, by_i, by_j, first, last, step, 3, filter});
  const auto cases = compare_all(small_machines(4), nests);
  CHECK(cases == 40ll * static_cast<long long>(nests.size()));
}
