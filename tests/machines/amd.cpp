// SPDX-License-Identifier: MIT
// AMD's machines against published measurements, against the oracle with the lane groups of the
// hardware facts written out, and by name.
#include <bankmodel/analyze.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/compare.hpp>
#include <bankmodel/model/occupancy.hpp>
#include <bankmodel/model/wavefronts.hpp>

#include "breaks.hpp"
#include "catch.hpp"
#include "oracle.hpp"

#include <functional>
#include <initializer_list>
#include <random>
#include <string>

namespace bm = bankmodel;
namespace amd = bankmodel::amd;
using bm::access_kind;
using bm::index::i;
using bm::index::tx;
using bm::index::ty;

namespace {

// A request with all lanes, at address(lane).
template <class Address>
bm::request of_all(const bm::machine& m, int bytes, const Address& address,
                   access_kind kind = access_kind::load) {
  bm::request r{.active = ~std::uint64_t{0} >> (64 - m.lanes), .bytes = bytes, .kind = kind};
  for (int lane = 0; lane < m.lanes; ++lane) r.address[lane] = address(lane);
  return r;
}
template <class Address>
long long conflicts(const bm::machine& m, int bytes, const Address& address,
                    access_kind kind = access_kind::load) {
  return static_cast<long long>(bm::total(m, of_all(m, bytes, address, kind)).conflicts());
}
template <class Address>
int passes(const bm::machine& m, int bytes, const Address& address,
           access_kind kind = access_kind::load) {
  return bm::wavefronts(m, of_all(m, bytes, address, kind));
}

// The phase of each lane, from lists of lanes: {{0, 3}, {20, 23}} is one phase.
using ranges = std::vector<std::pair<int, int>>;
std::vector<int> phase_of(const std::vector<ranges>& phases) {
  std::vector<int> result(64, -1);
  for (std::size_t phase = 0; phase < phases.size(); ++phase)
    for (const auto& [first, last] : phases[phase])
      for (int lane = first; lane <= last; ++lane)
        result[static_cast<std::size_t>(lane)] = static_cast<int>(phase);
  return result;
}
std::vector<int> contiguous(int group) {
  std::vector<int> result;
  for (int lane = 0; lane < 64; ++lane) result.push_back(lane / group);
  return result;
}
const std::vector<int> X64 = phase_of({{{0, 3}, {20, 23}},
                                       {{32, 35}, {52, 55}},
                                       {{4, 7}, {16, 19}},
                                       {{36, 39}, {48, 51}},
                                       {{8, 11}, {28, 31}},
                                       {{40, 43}, {60, 63}},
                                       {{12, 15}, {24, 27}},
                                       {{44, 47}, {56, 59}}});
const std::vector<int> Y64 = phase_of({{{0, 3}, {12, 15}, {20, 27}},
                                       {{32, 35}, {44, 47}, {52, 59}},
                                       {{4, 11}, {16, 19}, {28, 31}},
                                       {{36, 43}, {48, 51}, {60, 63}}});

// gfx950 serves the lanes of a 12-byte load apart whose addresses differ modulo 16, without a
// conflict: each remainder is a phase of its own.
void set_apart(const bm::machine& m, int bytes, access_kind kind,
               const std::map<int, long long>& address, std::vector<int>& phases) {
  if (m.model != 0x950 || bytes != 12 || kind != access_kind::load) return;
  for (const auto& [lane, byte] : address) {
    int& phase = phases[static_cast<std::size_t>(lane)];
    phase = 16 * phase + static_cast<int>(byte % 16);
  }
}

// How a machine serves an access of this width, copied from the table of the hardware facts.
struct expected_service {
  std::vector<int> phases;
  long long banks;
};
expected_service expected(const bm::machine& m, int bytes, access_kind kind) {
  const bool load = kind == access_kind::load;
  if (m.lanes == 32) {
    const long long banks = m.model == 0x1250 ? 64 : 32;
    if (bytes > 8) return {load && m.model < 0x1200 ? X64 : contiguous(8), banks};
    return {contiguous(bytes == 8 ? 16 : 32), banks};
  }
  if (load && m.model == 0x950 && bytes == 8) return {contiguous(32), 64};
  if (load && m.model == 0x950 && bytes == 16) return {Y64, 64};
  if (bytes > 8) return {load ? X64 : contiguous(8), 32};
  return {contiguous(bytes == 8 ? 16 : 32), 32};
}

}  // namespace

TEST_CASE("MI350X: a stride of 256 bytes is the worst for ds_read_b64, 128 is half as bad",
          "[amd]") {
  // cdna4info.md: latencies double up to a stride of 256 bytes and no further.
  const auto conflicts_of = [](int stride) {
    return conflicts(amd::gfx950, 8, [&](int lane) { return 1ll * stride * lane; });
  };
  CHECK(conflicts_of(8) == 0);
  CHECK(conflicts_of(16) == 2);
  CHECK(conflicts_of(32) == 6);
  CHECK(conflicts_of(64) == 14);
  CHECK(conflicts_of(128) == 30);
  CHECK(conflicts_of(256) == 62);
  CHECK(conflicts_of(512) == 62);
}

TEST_CASE("gfx950, 4 bytes per lane: a test that distinguishes the two readings", "[amd]") {
  const auto stride_128 = [](int lane) { return 128ll * lane; };
  CHECK(conflicts(amd::gfx950, 4, stride_128) == 62);
  CHECK(conflicts(amd::gfx950_with_64_banks_for_4_bytes, 4, stride_128) == 31);
  CHECK(passes(amd::gfx950, 4, [](int lane) { return 4ll * lane; }) == 2);
  CHECK(passes(amd::gfx950_with_64_banks_for_4_bytes, 4, [](int lane) { return 4ll * lane; }) == 1);
}

TEST_CASE("16 rows at a stride: crossed phases are distinguished from neighbouring lanes",
          "[amd]") {
  const auto rows = [](int pitch) {
    return [pitch](int lane) { return 1ll * pitch * (lane % 16) + 16 * (lane / 16); };
  };
  // Padding of 16 bytes would suffice for groups of neighbours, and does for stores; loads of
  // CDNA 3 take twice the ideal.
  CHECK(passes(amd::gfx942, 16, rows(144)) == 16);
  CHECK(bm::total(amd::gfx942, of_all(amd::gfx942, 16, rows(144))).ideal == 8);
  CHECK(passes(amd::gfx942, 16, rows(144), access_kind::store) == 8);
  // With padding of 32 bytes it is the opposite.
  CHECK(passes(amd::gfx942, 16, rows(160)) == 8);
  CHECK(passes(amd::gfx942, 16, rows(160), access_kind::store) == 16);
  // The same on RDNA 3 for its 32 lanes, but not on RDNA 4.
  CHECK(passes(amd::gfx1100, 16, rows(144)) == 8);
  CHECK(passes(amd::gfx1100, 16, rows(160)) == 4);
  CHECK(passes(amd::gfx1201, 16, rows(144)) == 4);
  CHECK(passes(amd::gfx1201, 16, rows(160)) == 8);
  // Linear strides do not distinguish them.
  for (int stride = 16; stride <= 4096; stride += 16) {
    const auto linear = [stride](int lane) { return 1ll * stride * lane; };
    REQUIRE(passes(amd::gfx942, 16, linear) == passes(amd::gfx942, 16, linear, access_kind::store));
  }
}

TEST_CASE(
    "rocm-libraries pull request 10102, gfx950: the padded layouts reach the minimum of 4 lanes "
    "per bank",
    "[amd]") {
  const auto rows = [](int pitch) {
    return [pitch](int lane) { return 1ll * pitch * (lane % 32) + 16 * (lane / 32); };
  };
  CHECK(passes(amd::gfx950, 16, rows(272)) == 4);
  CHECK(passes(amd::gfx950, 16, rows(256)) > 4);
  CHECK(passes(amd::gfx950, 16, rows(128)) > 4);
  const auto in_pairs = [](int lane) {
    return 272ll * (lane % 32 / 2) + 128 * (lane % 2) + 16 * (lane / 32);
  };
  CHECK(passes(amd::gfx950, 16, in_pairs) == 4);
}

TEST_CASE(
    "rocm-libraries pull request 10720, gfx11: rows are conflict-free if their stride is an odd "
    "multiple of the width",
    "[amd]") {
  for (const bm::machine& m : {amd::gfx1100, amd::gfx1151})
    for (const int bytes : {4, 8, 16})
      for (int multiple = 1; multiple <= 512; ++multiple) {
        const auto linear = [&](int lane) { return 1ll * multiple * bytes * lane; };
        INFO(bytes << " bytes, " << multiple);
        REQUIRE((conflicts(m, bytes, linear) == 0) == (multiple % 2 == 1));
      }
}

TEST_CASE(
    "Primus-Turbo's transposing reads on gfx950: 2 conflicts per instruction with HipKittens' "
    "swizzle, none with another term",
    "[amd]") {
  // AMD-AGI/Primus-Turbo, hk_attn_fwd: bf16 in subtiles of 32 x 32; lane (g, t, u) reads from
  // row 4 g + t + 16 k, column 16 j + 4 u.
  for (const bool with_the_term : {false, true})
    for (int k = 0; k < 2; ++k)
      for (int j = 0; j < 2; ++j) {
        const auto address = [&](int lane) {
          const long long row = 4 * (lane / 16) + lane % 16 / 4 + 16 * k,
                          column = 16 * j + 4 * (lane % 4), plain = 64 * row + 2 * column;
          return plain ^ ((plain >> 9 & 1) << 5) ^ ((plain >> 10 & 1) << 4) ^
                 (with_the_term ? (plain >> 8 & 1) << 5 : 0);
        };
        CHECK(conflicts(amd::gfx950, 8, address, access_kind::load_transposed) ==
              (with_the_term ? 0 : 2));
      }
}

TEST_CASE("ds_read2, atomics and ds_read_tr on AMD", "[amd]") {
  const auto a = bm::shared_array<float>("a", 8192);
  const bm::block_dim one_warp{64};
  const auto pair = bm::total(amd::gfx942, one_warp, bm::ds_read2(a[tx], a[tx + 64]));
  CHECK((pair.requests == 2 && pair.wavefronts == 4 && pair.ideal == 4));
  // ds_read2_b64 takes eight phases on gfx942, and on gfx950, where a lone ds_read_b64 takes
  // two.
  const auto pair_of_8 =
      bm::ds_read2(bm::vectorized<2>(a[2 * tx]), bm::vectorized<2>(a[2 * tx + 128]));
  CHECK(bm::total(amd::gfx942, one_warp, pair_of_8).wavefronts == 8);
  CHECK(bm::total(amd::gfx950, one_warp, pair_of_8).wavefronts == 8);
  CHECK(bm::total(amd::gfx950, one_warp, bm::load(bm::vectorized<2>(a[2 * tx]))).wavefronts == 2);

  // All lanes on one word: the 32 lanes of each half are served one by one, which no layout can
  // improve.
  bm::request same{.active = ~std::uint64_t{0}, .bytes = 4, .kind = access_kind::atomic};
  CHECK(bm::total(amd::gfx942, same).wavefronts == 64);
  CHECK(bm::total(amd::gfx942, same).ideal == 64);
  same.kind = access_kind::load;
  CHECK(bm::total(amd::gfx942, same).wavefronts == 2);

  const auto half = bm::shared_array<short>("half", 64, 16);
  CHECK(bm::total(amd::gfx950, one_warp, bm::ds_read_tr(half[tx / 4][tx % 4 * 4])).wavefronts == 2);
  breaks("the_machine_must_have_such_instructions", {"8 bytes", "gfx950"},
         [&] { (void)bm::total(amd::gfx942, one_warp, bm::ds_read_tr(half[tx / 4][tx % 4 * 4])); });
  breaks("the_machine_must_have_accesses_of_this_width", {"16 bytes"},
         // No ds_read_b128 before gfx7.
         [&] { (void)bm::total(amd::gfx601, one_warp, bm::vectorized<4>(a[4 * tx])); });
}

TEST_CASE("requests with any addresses on AMD's machines", "[amd]") {
  std::mt19937_64 random(20260810);
  const auto draw = [&](long long low, long long high) {
    return std::uniform_int_distribution<long long>(low, high)(random);
  };
  const bm::machine machines[] = {amd::gfx803,  amd::gfx90a,  amd::gfx942,  amd::gfx950,
                                  amd::gfx1030, amd::gfx1100, amd::gfx1201, amd::gfx1250};
  const int widths[] = {1, 2, 4, 8, 12, 16};
  for (int round = 0; round < 60000; ++round) {
    const bm::machine& m = machines[round % 8];
    const int bytes = widths[draw(0, 5)], unit = bytes == 12 ? 4 : bytes;
    const auto kind = draw(0, 2) == 0 ? access_kind::store : access_kind::load;
    const auto stride = draw(-70, 70), pitch = 16 * draw(1, 40), range = 1ll << draw(0, 12);
    const auto pattern = draw(0, 3);
    const int rows = 1 << draw(1, 5);
    std::map<int, long long> address;
    bm::request r{.active = 0, .bytes = bytes, .kind = kind};
    for (int lane = 0; lane < m.lanes; ++lane) {
      r.address[lane] = pattern == 0   ? unit * (70 * 64 + stride * lane)
                        : pattern == 1 ? pitch * (lane % rows) + 16 * (lane / rows)
                        : pattern == 2 ? unit * draw(0, range)
                                       : unit * (lane / rows * stride + 70 * 64);
      if (draw(0, 7) == 0) continue;
      r.active |= std::uint64_t{1} << lane;
      address[lane] = r.address[lane];
    }
    auto [phases, banks] = expected(m, bytes, kind);
    set_apart(m, bytes, kind, address, phases);
    const auto counted = oracle::request({banks, 4, 4}, phases, false, address, bytes);
    const auto sum = bm::total(m, r);
    const bool are_apart = m.model == 0x950 && bytes == 12 && kind == access_kind::load;
    if (sum.requests != counted.requests || sum.wavefronts != counted.wavefronts ||
        sum.ideal != counted.ideal || (!are_apart && sum.degree != counted.degree))
      FAIL(m.model << ", " << bytes << " bytes: " << sum.wavefronts << " / " << sum.ideal
                   << ", counted " << counted.wavefronts << " / " << counted.ideal);
  }
}

TEST_CASE("kernels on AMD's machines: every width, loops, and warps that are not full", "[amd]") {
  const bm::machine machines[] = {amd::gfx942, amd::gfx950, amd::gfx1100, amd::gfx1201,
                                  amd::in_wave64(amd::gfx1201)};
  const auto same = [](const bm::machine& m, const bm::block_dim& block, int bytes,
                       access_kind kind, const bm::cost& sum, const auto& first_byte) {
    oracle::counts expected_sum;
    const int threads = block.x * block.y;
    auto [phases, banks] = expected(m, bytes, kind);
    if (m.lanes == 64 && m.model > 0x1000)
      phases = contiguous(bytes > 8 ? 8 : bytes == 8 ? 16 : 32);
    for (int first = 0; first < threads; first += m.lanes)
      for (int trip = 0; trip < 5; ++trip) {
        std::map<int, long long> address;
        for (int lane = 0; lane < m.lanes && first + lane < threads; ++lane)
          address[lane] = first_byte((first + lane) % block.x, (first + lane) / block.x, trip);
        std::vector<int> phases_here = phases;
        set_apart(m, bytes, kind, address, phases_here);
        const auto request_cost =
            oracle::request({banks, 4, 4}, phases_here, false, address, bytes);
        expected_sum.requests += request_cost.requests;
        expected_sum.wavefronts += request_cost.wavefronts;
        expected_sum.ideal += request_cost.ideal;
        expected_sum.degree = std::max(expected_sum.degree, request_cost.degree);
      }
    INFO(m.model << " (hexadecimal), " << bytes << " bytes, block " << block.x << " x " << block.y);
    CHECK(sum.requests == expected_sum.requests);
    CHECK(sum.wavefronts == expected_sum.wavefronts);
    CHECK(sum.ideal == expected_sum.ideal);
    // Of lanes that are served apart, the degree is the sum.
    if (m.model != 0x950 || bytes != 12 || kind != access_kind::load)
      CHECK(sum.degree == expected_sum.degree);
    else
      CHECK(sum.degree >= expected_sum.degree);
  };
  const auto bytes_1 = bm::shared_array<char>("c", 1 << 16);
  const auto bytes_2 = bm::shared_array<short>("s", 1 << 16);
  const auto words = bm::shared_array<float>("f", 1 << 16);
  const auto doubles = bm::shared_array<double>("d", 1 << 16);
  const auto loop = [](const auto& access) { return bm::for_loop(i, bm::range(0, 5), access); };
  for (const bm::machine& m : machines)
    for (const bm::block_dim& block :
         {bm::block_dim{64}, bm::block_dim{16, 16}, bm::block_dim{33, 5}, bm::block_dim{8, 24}}) {
      const auto check = [&](int bytes, const auto& access, const auto& first_byte) {
        same(m, block, bytes, access_kind::load, bm::total(m, block, loop(bm::load(access))),
             first_byte);
        same(m, block, bytes, access_kind::store, bm::total(m, block, loop(bm::store(access))),
             first_byte);
      };
      check(1, bytes_1[3 * tx + 65 * ty + i],
            [](int x, int y, int t) { return 3ll * x + 65 * y + t; });
      check(2, bytes_2[tx + 70 * ty + 33 * i],
            [](int x, int y, int t) { return 2 * (1ll * x + 70 * y + 33 * t); });
      check(4, words[36 * tx + ty + 5 * i],
            [](int x, int y, int t) { return 4 * (36ll * x + y + 5 * t); });
      check(8, doubles[17 * tx + 3 * ty + i],
            [](int x, int y, int t) { return 8 * (17ll * x + 3 * y + t); });
      check(12, bm::vectorized<3>(words[3 * tx + 99 * ty + i]),
            [](int x, int y, int t) { return 4 * (3ll * x + 99 * y + t); });
      check(12, bm::vectorized<3>(words[32 * tx + 3 * ty + i]),
            [](int x, int y, int t) { return 4 * (32ll * x + 3 * y + t); });
      check(16, bm::vectorized<4>(words[36 * (tx % 16) + 4 * ty + 8 * i]),
            [](int x, int y, int t) { return 4 * (36ll * (x % 16) + 4 * y + 8 * t); });
      check(16, bm::vectorized<2>(doubles[18 * tx + 2 * ty + 2 * i]),
            [](int x, int y, int t) { return 8 * (18ll * x + 2 * y + 2 * t); });
    }
}

TEST_CASE("resident blocks on AMD's machines", "[amd]") {
  // 20 480 bytes each
  CHECK(bm::resident(amd::gfx942, {.threads = 256, .shared_bytes = 20000}).blocks == 3);
  // 32 warps of 64 lanes
  CHECK(bm::resident(amd::gfx942, {.threads = 256}).blocks == 8);
  // 42 240 bytes each
  CHECK(bm::resident(amd::gfx950, {.threads = 256, .shared_bytes = 40961}).blocks == 3);
  CHECK(bm::resident(amd::gfx950, {.threads = 256, .shared_bytes = 40960}).blocks == 4);
  // 11 520 bytes each
  CHECK(bm::resident(amd::gfx950, {.threads = 64, .shared_bytes = 11265}).blocks == 14);
  CHECK(bm::resident(amd::gfx1010, {.threads = 64, .shared_bytes = 4608}).blocks == 14);
  // 5120 bytes each
  CHECK(bm::resident(amd::gfx1030, {.threads = 64, .shared_bytes = 4608}).blocks == 12);
  // a block has 32 KiB at most
  CHECK(bm::resident(amd::gfx601, {.threads = 64, .shared_bytes = 40000}).blocks == 0);
  CHECK(bm::resident(amd::in_wave64(amd::gfx1030), {.threads = 128}).blocks == 16);
  breaks("the_machine_must_state_its_registers", {},
         [] { (void)bm::resident(amd::gfx942, {.threads = 256, .registers_per_thread = 64}); });
}

TEST_CASE("AMD's machines by name, and errors in names", "[amd]") {
  CHECK(amd::gfx(std::string("gfx942").c_str()) == amd::gfx942);
  CHECK(amd::gfx("gfx90a:sramecc+:xnack-") == amd::gfx90a);
  CHECK(amd::gfx("gfx1036") == amd::gfx1036);

  constexpr const char* name = "a_gfx_name_must_be_gfx_and_its_number";
  breaks(name, {"character 1", "gfx942", "gfx90a:sramecc+:xnack-"},
         [] { (void)amd::gfx("sm_90"); });
  breaks(name, {"character 1"}, [] { (void)amd::gfx(""); });
  breaks(name, {"character 1"}, [] { (void)amd::gfx(nullptr); });
  breaks(name, {"character 4"}, [] { (void)amd::gfx("gfx"); });
  breaks(name, {"character 4"}, [] { (void)amd::gfx("gfx090a"); });
  breaks(name, {"character 5"}, [] { (void)amd::gfx("gfx9-generic"); });
  breaks(name, {"character 5"}, [] { (void)amd::gfx("gfx1a00"); });
  breaks(name, {"character 6"}, [] { (void)amd::gfx("gfx94"); });
  breaks(name, {"character 6"}, [] { (void)amd::gfx("gfx90A"); });
  breaks(name, {"character 6"}, [] { (void)amd::gfx("gfx94:x"); });
  breaks(name, {"character 8"}, [] { (void)amd::gfx("gfx12500"); });

  constexpr const char* known = "a_gfx_must_be_a_known_one";
  breaks(known, {"version 9.0.11", "900, ", "90a, 90c, 940 to 942, 950", "copy and adjust"},
         [] { (void)amd::gfx("gfx90b"); });
  breaks(known, {"version 6.0.3", "gfx600 to gfx602"}, [] { (void)amd::gfx("gfx603"); });
  breaks(known, {"version 1.0.0", "gfx600 to gfx602"}, [] { (void)amd::gfx("gfx100"); });
  breaks(known, {"version 7.0.6", "gfx700 to gfx702 and gfx704"}, [] { (void)amd::gfx("gfx706"); });
  breaks(known, {"version 8.0.0", "gfx801 to gfx803 and gfx805"}, [] { (void)amd::gfx("gfx800"); });
  breaks(known, {"version 10.2.0", "gfx1010 to gfx1013 and gfx1030 to gfx1036"},
         [] { (void)amd::gfx("gfx1020"); });
  breaks(known, {"version 11.5.4", "gfx1100 to gfx1103 and gfx1150 to gfx1153"},
         [] { (void)amd::gfx("gfx1154"); });
  breaks(known, {"version 12.5.1", "gfx1200, gfx1201 and gfx1250"},
         [] { (void)amd::gfx("gfx1251:xnack-"); });
  breaks(known, {"version 13.1.0", "gfx1200, gfx1201 and gfx1250"},
         [] { (void)amd::gfx("gfx1310"); });

  constexpr const char* phases = "a_gfx_must_have_known_phases";
  breaks(phases, {"gfx703 has 16 banks", "bank_num = 16"}, [] { (void)amd::gfx("gfx703"); });
  breaks(phases, {"gfx705 has 16 banks"}, [] { (void)amd::gfx("gfx705"); });
  breaks(phases, {"gfx810 has 16 banks"}, [] { (void)amd::gfx("gfx810:xnack-"); });

  constexpr const char* mode = "wave64_is_a_mode_of_gfx1010_to_gfx1201";
  breaks(mode, {"64 lanes", "always have 64"}, [] { (void)amd::in_wave64(amd::gfx942); });
  breaks(mode, {"64 lanes"}, [] { (void)amd::in_wave64(amd::in_wave64(amd::gfx1100)); });
  breaks(mode, {"32 lanes", "gfx1250"}, [] { (void)amd::in_wave64(amd::gfx1250); });
  breaks(mode, {"32 lanes"}, [] {
    bm::machine mine = amd::gfx1100;
    mine.made_by = bm::vendor::nvidia;
    (void)amd::in_wave64(mine);
  });
  breaks(mode, {"32 lanes"}, [] {
    bm::machine mine = amd::gfx1100;
    mine.loads.bytes_16.phases = {4, 8, 16};
    (void)amd::in_wave64(mine);
  });
}
