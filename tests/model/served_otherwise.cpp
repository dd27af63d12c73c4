// SPDX-License-Identifier: MIT
// Machines with other rules than counting layers: compute capability 1.x, Fermi's 16 bytes per
// lane, atomics; and the instructions that are neither plain loads nor plain stores.
#include <bankmodel/analyze.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"
#include "served_otherwise.hpp"

#include <random>
#include <string>

namespace bm = bankmodel;
using bm::index::tx, bm::index::ty;

namespace {

// ---- compute capability 1.x, by trying every choice that a step has ----

struct small_banks {
  int bank_num, word_bytes;
  int bank(int address) const { return address / word_bytes % bank_num; }
};

// The fewest steps that serve all lanes of `open`, if each step selects a word to broadcast,
// and any lane of each other bank.
class all_choices {
 public:
  all_choices(const small_banks& banks, const std::vector<int>& address)
      : banks_(banks), address_(address), known_(1u << address.size(), -1) {}
  int fewest(unsigned open) {
    if (open == 0) return 0;
    int& known = known_[open];
    if (known >= 0) return known;
    int best = 1000;
    for (std::size_t lane = 0; lane < address_.size(); ++lane) {
      if ((open >> lane & 1) == 0) continue;
      unsigned left = open;
      for (std::size_t other = 0; other < address_.size(); ++other)
        if (address_[other] / banks_.word_bytes == address_[lane] / banks_.word_bytes)
          left &= ~(1u << other);
      best = std::min(best, one_of_each(left, open, 0, banks_.bank(address_[lane])));
    }
    return known = 1 + best;
  }

 private:
  // Takes a lane of each bank from `bank` on, except the broadcast's, in all ways.
  int one_of_each(unsigned left, unsigned open, int bank, int broadcast) {
    if (bank == banks_.bank_num) return fewest(left);
    int best = 1000;
    bool has_lane = false;
    for (std::size_t lane = 0; lane < address_.size() && bank != broadcast; ++lane) {
      if ((open >> lane & 1) == 0 || banks_.bank(address_[lane]) != bank) continue;
      has_lane = true;
      best = std::min(best, one_of_each(left & ~(1u << lane), open, bank + 1, broadcast));
    }
    return has_lane ? best : one_of_each(left, open, bank + 1, broadcast);
  }

  small_banks banks_;
  std::vector<int> address_;
  std::vector<int> known_;
};

int steps_of(const small_banks& banks, const std::vector<int>& address) {
  const bm::geometry g{banks.bank_num, banks.word_bytes, banks.word_bytes, 1};
  long long addresses[bm::max_lanes] = {};
  for (std::size_t lane = 0; lane < address.size(); ++lane) addresses[lane] = address[lane];
  int in_bank[bm::detail::max_banks];
  return bm::detail::count_steps(g, addresses, static_cast<int>(address.size()), in_bank);
}

// Every way in which `lanes` lanes can share addresses, as numbers of addresses: 0; 0 0, 0 1; 0
// 0 0, 0 0 1, 0 1 0 ..
template <class Visit>
void each_sharing(std::vector<int>& so_far, std::size_t lanes, const Visit& visit) {
  if (so_far.size() == lanes) return visit(so_far);
  const int next = so_far.empty() ? 0 : *std::max_element(so_far.begin(), so_far.end()) + 1;
  for (int number = 0; number <= next; ++number) {
    so_far.push_back(number);
    each_sharing(so_far, lanes, visit);
    so_far.pop_back();
  }
}

// The fewest steps over all layouts: every placing of the addresses in the first `slots`
// multiples of `bytes`.
int fewest_over_layouts(const small_banks& banks, const std::vector<int>& sharing, int bytes,
                        int slots) {
  const int different = *std::max_element(sharing.begin(), sharing.end()) + 1;
  std::vector<int> place(static_cast<std::size_t>(different));
  int best = 1000;
  const auto next = [&](const auto& self, int number, unsigned used) -> void {
    if (number == different) {
      std::vector<int> address;
      for (const int word : sharing)
        address.push_back(place[static_cast<std::size_t>(word)] * bytes);
      best = std::min(best, steps_of(banks, address));
      return;
    }
    for (int slot = 0; slot < slots; ++slot) {
      if ((used >> slot & 1) != 0) continue;
      place[static_cast<std::size_t>(number)] = slot;
      self(self, number + 1, used | 1u << slot);
    }
  };
  next(next, 0, 0);
  return best;
}

int fewest_by_formula(const small_banks& banks, const std::vector<int>& sharing, int bytes) {
  long long addresses[bm::max_lanes] = {};
  for (std::size_t lane = 0; lane < sharing.size(); ++lane) addresses[lane] = sharing[lane] * bytes;
  const bm::geometry g{banks.bank_num, banks.word_bytes, banks.word_bytes, 1};
  return bm::detail::fewest_passes_of_phase(bm::serving::by_broadcast, g, addresses,
                                            static_cast<int>(sharing.size()), bytes);
}

// True if words of these sizes fit into the banks with `steps` lanes each.
bool fits(std::vector<int> sizes, std::vector<int> room) {
  if (sizes.empty()) return true;
  const int size = sizes.back();
  sizes.pop_back();
  for (std::size_t bank = 0; bank < room.size(); ++bank) {
    if (room[bank] < size || (bank > 0 && room[bank] == room[bank - 1])) continue;
    auto rest = room;
    rest[bank] -= size;
    if (fits(sizes, rest)) return true;
  }
  return false;
}

bm::cost request_cost(const bm::machine& m, const std::vector<long long>& address, int bytes,
                      bm::access_kind kind = bm::access_kind::load) {
  bm::request r{.active = 0, .bytes = bytes, .kind = kind};
  for (std::size_t lane = 0; lane < address.size(); ++lane) {
    r.active |= std::uint64_t{1} << lane;
    r.address[lane] = address[lane];
  }
  return bm::total(m, r);
}

// A warp with a stride of `stride` bytes between lanes.
std::vector<long long> strided(long long bytes, int lanes = 32) {
  std::vector<long long> result;
  for (int lane = 0; lane < lanes; ++lane) result.push_back(lane * bytes);
  return result;
}

}  // namespace

TEST_CASE("compute capability 1.x takes the fewest steps that any choice of broadcasts gives",
          "[served]") {
  unsigned long long cases = 0, several = 0;
  for (const small_banks banks : {small_banks{2, 4}, small_banks{4, 4}, small_banks{2, 1}}) {
    for (int lanes = 1; lanes <= 5; ++lanes) {
      const int words = 3 * banks.bank_num;
      long long combinations = 1;
      for (int lane = 0; lane < lanes; ++lane) combinations *= words;
      for (long long number = 0; number < combinations; ++number) {
        std::vector<int> address;
        for (long long rest = number; static_cast<int>(address.size()) < lanes; rest /= words)
          address.push_back(static_cast<int>(rest % words) * banks.word_bytes);
        // the order of the lanes makes no difference
        if (!std::is_sorted(address.begin(), address.end())) continue;
        const int fewest = all_choices(banks, address).fewest((1u << lanes) - 1);
        ++cases;
        several += fewest > 1;
        REQUIRE(steps_of(banks, address) == fewest);
      }
    }
  }
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const small_banks banks{1 << random() % 3, 4};
    std::vector<int> address;
    for (unsigned lane = 0; lane < 8; ++lane)
      address.push_back(static_cast<int>(random() % 5 * 4 * (1 + random() % 3)));
    ++cases;
    REQUIRE(steps_of(banks, address) == all_choices(banks, address).fewest(255));
  }
  CHECK(cases > 7000);
  CHECK(several > cases / 2);
}

TEST_CASE("the ideal of compute capability 1.x is the cost of the best of all layouts",
          "[served]") {
  // Whole words, two elements to a word, and the first word of accesses of two, each in every
  // place.
  struct {
    small_banks banks;
    int bytes, slots, lanes;
  } const domains[] = {{{4, 4}, 4, 6, 6}, {{4, 4}, 2, 10, 5}, {{8, 4}, 8, 8, 5}};
  for (const auto& d : domains) {
    std::vector<int> so_far;
    for (int lanes = 1; lanes <= d.lanes; ++lanes)
      each_sharing(so_far, static_cast<std::size_t>(lanes), [&](const std::vector<int>& sharing) {
        if (*std::max_element(sharing.begin(), sharing.end()) >= d.slots) return;
        REQUIRE(fewest_by_formula(d.banks, sharing, d.bytes) ==
                fewest_over_layouts(d.banks, sharing, d.bytes, d.slots));
      });
  }
  // For every way in which 16 lanes can share addresses the bound of the formula is reached: in
  // 16 banks, and in the 8 and 4 in which an access of 8 or 16 bytes can begin.
  std::vector<int> times;
  unsigned long long cases = 0;
  const auto each_partition = [&](const auto& self, int left, int maximum) -> void {
    if (!times.empty())
      for (const int bytes : {1, 2, 4, 8, 16}) {
        std::vector<int> sharing;
        for (std::size_t word = 0; word < times.size(); ++word)
          sharing.insert(sharing.end(), static_cast<std::size_t>(times[word]),
                         static_cast<int>(word));
        const int steps = fewest_by_formula({16, 4}, sharing, bytes);
        const std::size_t in_a_word = bytes < 4 ? static_cast<std::size_t>(4 / bytes) : 1;
        const auto feasible = [&](int steps_allowed) {
          const std::size_t at_once =
              std::min(times.size(), static_cast<std::size_t>(steps_allowed) * in_a_word);
          std::vector<int> sizes((at_once + in_a_word - 1) / in_a_word, 1);
          sizes.insert(sizes.end(), times.begin() + static_cast<std::ptrdiff_t>(at_once),
                       times.end());
          std::sort(sizes.begin(), sizes.end());
          return fits(sizes,
                      std::vector<int>(static_cast<std::size_t>(bytes <= 4 ? 16 : 64 / bytes),
                                       steps_allowed));
        };
        ++cases;
        REQUIRE(feasible(steps));
        REQUIRE((steps == 1 || !feasible(steps - 1)));
      }
    for (int next = std::min(left, maximum); next >= 1; --next) {
      times.push_back(next);
      self(self, left - next, next);
      times.pop_back();
    }
  };
  each_partition(each_partition, 16, 16);
  CHECK(cases > 4000);
}

TEST_CASE("the examples of the guide for 1.x", "[served]") {
  for (const bm::machine& m : {bm::nvidia::sm_10, bm::nvidia::sm_13}) {
    CHECK(request_cost(m, strided(4), 4).wavefronts ==
          2);  // two halves, which are requests of their own
    CHECK(request_cost(m, strided(4), 4).conflicts() == 0);
    CHECK(request_cost(m, strided(1), 1).degree == 4);  // char shared[tid]
    CHECK(request_cost(m, strided(2), 2).degree == 2);
    CHECK(request_cost(m, strided(8), 4).degree == 2);
    CHECK(request_cost(m, strided(12), 4).degree == 1);
    // Two requests per half, each 2-way, as at any place of doubles.
    const bm::cost doubles = request_cost(m, strided(8), 8);
    CHECK((doubles.wavefronts == 8 && doubles.degree == 2 && doubles.ideal == 8));
    CHECK(request_cost(m, std::vector<long long>(32, 64), 4).wavefronts == 2);  // one word for all
    std::vector<long long> two_words = strided(0);
    // both in bank 0: one is broadcast after the other
    for (std::size_t lane = 0; lane < 32; lane += 2) two_words[lane] = 64;
    CHECK(request_cost(m, two_words, 4).wavefronts == 4);
  }
  // Lanes of different halves never conflict.
  std::vector<long long> far = strided(4);
  for (std::size_t lane = 16; lane < 32; ++lane) far[lane] += 64 * static_cast<long long>(lane);
  CHECK(request_cost(bm::nvidia::sm_10, far, 4).wavefronts == 2);
}

TEST_CASE("Fermi's 16 bytes per lane take one pass more than their slowest quarter", "[served]") {
  CHECK(request_cost(bm::nvidia::sm_20, strided(16), 16).wavefronts == 2);
  CHECK(request_cost(bm::nvidia::sm_20, strided(16), 16).conflicts() == 0);
  CHECK(request_cost(bm::nvidia::sm_20, strided(32), 16).wavefronts == 3);
  CHECK(request_cost(bm::nvidia::sm_20, strided(128), 16).wavefronts == 9);
  CHECK(request_cost(bm::nvidia::sm_21, strided(8), 8).wavefronts == 2);
  CHECK(request_cost(bm::nvidia::sm_20, {}, 16).wavefronts == 0);
  std::mt19937 random(20);
  for (int round = 0; round < 2000; ++round) {
    std::map<int, long long> address;
    std::vector<long long> addresses;
    for (int lane = 0; lane < 32; ++lane) {
      addresses.push_back(static_cast<long long>(random() % 96) * 16);
      address[lane] = addresses.back();
    }
    int slowest = 0;
    for (int quarter = 0; quarter < 4; ++quarter)
      slowest = std::max(
          slowest, oracle::degree(
                       {32, 4, 4},
                       {addresses.begin() + 8 * quarter, addresses.begin() + 8 * quarter + 8}, 16));
    const bm::cost cost = request_cost(bm::nvidia::sm_20, addresses, 16);
    REQUIRE((cost.wavefronts == static_cast<unsigned>(slowest + 1) && cost.degree == slowest + 1 &&
             cost.ideal == 2 && cost.requests == 1));
  }
}

TEST_CASE(
    "atomics serve the lanes of a bank one after another; their ideal counts the lanes of an "
    "address",
    "[served]") {
  const bm::machine& m = bm::nvidia::sm_90;
  constexpr auto atomic = bm::access_kind::atomic;
  const bm::cost same = request_cost(m, std::vector<long long>(32, 4), 4, atomic);
  CHECK((same.wavefronts == 32 && same.ideal == 32 && same.conflicts() == 0));
  const bm::cost column = request_cost(m, strided(128), 4, atomic);
  CHECK((column.wavefronts == 32 && column.ideal == 1));
  const bm::cost pairs = request_cost(m, strided(8), 8, atomic);  // 64 bits, in halves
  CHECK((pairs.wavefronts == 2 && pairs.ideal == 2));
  std::vector<long long> mixed = strided(4);  // lanes 0 to 3 at one address, lane 4 in its bank
  for (std::size_t lane = 0; lane < 4; ++lane) mixed[lane] = 0;
  mixed[4] = 128;
  CHECK((request_cost(m, mixed, 4, atomic).wavefronts == 5 &&
         request_cost(m, mixed, 4, atomic).ideal == 4));

  constexpr auto bins = bm::shared_array<int>("bins", 2048);
  static_assert(
      bm::total(bm::nvidia::sm_90, bm::block_dim{32}, bm::atomic(bins[tx / 8])).wavefronts == 8);
  static_assert(
      bm::total(bm::nvidia::sm_90, bm::block_dim{32}, bm::atomic(bins[tx / 8])).conflicts() == 0);
  static_assert(
      bm::total(bm::nvidia::sm_90, bm::block_dim{32}, bm::atomic(bins[32 * tx])).conflicts() == 31);
  static_assert(
      bm::total(bm::nvidia::sm_35, bm::block_dim{32}, bm::atomic(bins[64 * tx])).wavefronts == 32);
  CHECK_THROWS_WITH(request_cost(bm::nvidia::sm_10, strided(4), 4, atomic),
                    Catch::Contains("the_machine_must_have_such_instructions"));
  CHECK_THROWS_WITH(request_cost(m, strided(2), 2, atomic),
                    Catch::Contains("the_machine_must_have_such_instructions"));
}

TEST_CASE("matrices are served by row addresses, eight lanes in a phase", "[served]") {
  constexpr auto rows = bm::shared_array<short>("rows", 16, 64),
                 padded = bm::shared_array<short>("padded", 16, 72);
  const bm::machine& m = bm::nvidia::sm_90;
  const auto total = [&](const auto& access) { return bm::total(m, bm::block_dim{32}, access); };
  const auto fragment = [](const bm::array_description& a) {
    return a[bm::index::lane % 16][bm::index::lane / 16 * 8];
  };
  const bm::cost bad = total(bm::ldmatrix<4>(fragment(rows))),
                 good = total(bm::ldmatrix<4>(fragment(padded)));
  CHECK((bad.requests == 1 && bad.wavefronts == 32 && bad.ideal == 4 && bad.degree == 8));
  CHECK((good.requests == 1 && good.wavefronts == 4 && good.ideal == 4 && good.degree == 1));
  CHECK((total(bm::ldmatrix<2>(fragment(padded))).wavefronts == 2 &&
         total(bm::ldmatrix<1>(fragment(rows))).wavefronts == 8));
  CHECK(total(bm::stmatrix<4>(fragment(rows))).wavefronts == 32);
  CHECK(total(bm::stmatrix<2>(fragment(rows))).wavefronts == 16);

  // As the copy engine's 128-byte mode stores it.
  const auto swizzled = bm::through_copy_engine(rows, 128);
  CHECK(total(bm::ldmatrix<4>(fragment(swizzled))).wavefronts == 4);

  // Shared rows do not merge phases, though 16-byte loads of the same addresses do.
  const auto shared = [&](const auto& body) { return total(body).wavefronts; };
  CHECK(shared(bm::ldmatrix<4>(padded[bm::index::lane / 2 % 8][0 * bm::index::lane])) == 4);
  CHECK(shared(bm::load(bm::vectorized<8>(padded[bm::index::lane / 2 % 8][0 * bm::index::lane]))) ==
        2);
  CHECK_THROWS_WITH(
      bm::total(bm::nvidia::sm_70, bm::block_dim{32}, bm::ldmatrix<4>(fragment(rows))),
      Catch::Contains("the_machine_must_have_such_instructions"));
  CHECK_THROWS_WITH(
      bm::total(bm::nvidia::sm_80, bm::block_dim{32}, bm::stmatrix<4>(fragment(rows))),
      Catch::Contains("the_machine_must_have_such_instructions"));
}

TEST_CASE("cp.async: each lane is served on its own, in the phases of stores", "[served]") {
  constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
  const auto total = [&](const auto& access, const bm::machine& m = bm::nvidia::sm_90) {
    return bm::total(m, bm::block_dim{8, 4}, access);
  };
  // Without shared addresses it costs what a store of its bytes costs.
  CHECK(total(bm::cp_async<16>(tile[ty][4 * tx])) ==
        total(bm::store(bm::vectorized<4>(tile[ty][4 * tx]))));
  CHECK(total(bm::cp_async<16>(tile[ty][4 * tx])).wavefronts == 4);
  CHECK(total(bm::cp_async<8>(tile[ty][2 * tx])) ==
        total(bm::store(bm::vectorized<2>(tile[ty][2 * tx]))));
  CHECK(total(bm::cp_async<4>(tile[tx][ty])) == total(bm::store(tile[tx][ty])));
  // Lanes of one address do not merge, and are conflicts.
  const auto same_address = total(bm::cp_async<16>(tile[ty][0 * tx]));
  CHECK((same_address.wavefronts == 32 && same_address.ideal == 4 && same_address.degree == 8));
  CHECK(total(bm::store(bm::vectorized<4>(tile[ty][0 * tx]))).wavefronts == 4);
  // Past the first cache no pattern has conflicts.
  const auto uncached = total(bm::cp_async_uncached(tile[ty][0 * tx]));
  CHECK((uncached.wavefronts == 4 && uncached.ideal == 4 && uncached.degree == 1));
  // Several bodies, each of them.
  CHECK(total(bm::cp_async<4>(tile[ty][tx], tile[tx][ty])).requests == 2);
  CHECK_THROWS_WITH(total(bm::cp_async<16>(tile[ty][4 * tx]), bm::nvidia::sm_75),
                    Catch::Contains("the_machine_must_have_such_instructions"));
  CHECK(!bm::nvidia::sm_90.has(8, bm::access_kind::copy_uncached));
  CHECK(bm::nvidia::sm_120.served(16, bm::access_kind::copy).sure == bm::confidence::medium);
  CHECK(bm::nvidia::sm_90.served(16, bm::access_kind::copy).sure == bm::confidence::low);
}

TEST_CASE("cp.async: any addresses against counting lanes by bank", "[served]") {
  std::mt19937 random(20261125);
  const auto draw = [&](unsigned limit) { return static_cast<long long>(random() % limit); };
  const bm::machine& m = bm::nvidia::sm_120;
  for (int round = 0; round < 20000; ++round) {
    const int bytes = 4 << draw(3);
    const long long spread = 1ll << draw(10);
    bm::request r{.active = 0, .bytes = bytes, .kind = bm::access_kind::copy};
    for (int lane_number = 0; lane_number < 32; ++lane_number) {
      r.address[lane_number] = bytes * draw(static_cast<unsigned>(spread));
      if (draw(8) != 0) r.active |= std::uint64_t{1} << lane_number;
    }
    // 32, 16 or 8 neighbouring lanes; each lane counts in each bank that it touches.
    const int group = 128 / bytes;
    std::uint64_t wavefronts = 0, phases = 0;
    int degree = 0;
    for (int first = 0; first < 32; first += group) {
      int in_bank[32] = {}, maximum = 0;
      for (int lane = first; lane < first + group; ++lane)
        for (int word = 0; (r.active >> lane & 1) != 0 && word < bytes / 4; ++word)
          maximum = std::max(maximum, ++in_bank[(r.address[lane] / 4 + word) % 32]);
      wavefronts += static_cast<unsigned>(maximum);
      phases += maximum > 0 ? 1 : 0;
      degree = std::max(degree, maximum);
    }
    const auto sum = bm::total(m, r);
    REQUIRE(sum.wavefronts == wavefronts);
    REQUIRE(sum.ideal == phases);
    REQUIRE(sum.degree == degree);
    r.kind = bm::access_kind::copy_uncached;
    if (bytes == 16) REQUIRE(bm::total(m, r).wavefronts == phases);
  }
}

TEST_CASE("a subscript through the copy engine's swizzle", "[served]") {
  // The guide's definition: the chunk of 16 bytes is XORed with the line of 128 bytes, modulo
  // 2, 4 or 8, of the absolute address.
  for (const int mode : {32, 64, 128})
    for (const long long base : {0, 1024, 4096}) {
      const auto tile = bm::shared_array<short>("tile", 64, mode / 2).at(base);
      const auto seen = bm::through_copy_engine(tile, mode);
      for (int row = 0; row < 64; ++row)
        for (int column = 0; column < mode / 2; ++column) {
          const long long address = base + mode * row + 2 * column;
          const long long placed = address ^ (address / 128 % (mode / 16) * 16);
          REQUIRE(seen.base_bytes + 2 * seen.layout(row, column) == placed);
        }
    }
  constexpr auto floats = bm::shared_array<float>("t", 8, 32);
  static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{8},
                          bm::through_copy_engine(floats, 128)[tx][0 * tx])
                    .wavefronts == 1);
  static_assert(bm::total(bm::nvidia::sm_90, bm::block_dim{8}, floats[tx][0 * tx]).wavefronts == 8);
}
