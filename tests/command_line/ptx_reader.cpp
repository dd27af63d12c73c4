// SPDX-License-Identifier: MIT
// The reader of PTX and the engine together: kernels that nvcc compiled (ptx/*.cu), compared with
// the library's totals of their descriptions, and texts with errors.
#include <bankmodel/count/request_classes.hpp>
#include <bankmodel/count/total.hpp>
#include <bankmodel/global/transactions.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"
#include "examples/bankmodel/compiled/page/priced.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"
#include "ptx_body.hpp"
#include "recorded_cost.hpp"

namespace bm = bankmodel;
namespace cc = compiled;
using namespace ptx_body;
using bm::index::tx, bm::index::ty, bm::index::by, bm::index::i, bm::index::j, bm::index::k,
    bm::index::l, bm::index::n, bm::index::tid, bm::index::warp;

namespace {

const bm::machine machines[] = {bm::nvidia::sm_90, bm::nvidia::sm_35.with_bank_width(8),
                                bm::nvidia::sm_10};

std::string text_of(const std::string& name) {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "ptx" / name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

cc::kernel_code kernel_of(const std::string& text, const std::string& name) {
  for (cc::kernel_code& kernel : cc::read_ptx(text))
    if (kernel.name == name) return kernel;
  FAIL("no kernel " << name);
  return {};
}

bool is_store(const cc::recorded_access& access) {
  return access.memory.operation == cc::access_does::store ||
         access.memory.operation == cc::access_does::copy;
}

// The cost of the accesses to shared memory, of one line or of all (0).
bm::cost cost_of(const bm::machine& m, const cc::recording& recorded, int line = 0,
                 int stores = -1) {
  bm::cost sum;
  for (const cc::recorded_access& access : recorded.accesses) {
    if (access.is_global || (line != 0 && access.location.line != line)) continue;
    if (stores >= 0 && is_store(access) != (stores == 1)) continue;
    sum = sum + ::cost_of(m, access);
  }
  return sum;
}

void same_cost(const bm::cost& actual, const bm::cost& wanted) {
  CHECK(actual.requests == wanted.requests);
  CHECK(actual.wavefronts == wanted.wavefronts);
  CHECK(actual.ideal == wanted.ideal);
  CHECK(actual.degree == wanted.degree);
}

}  // namespace

TEST_CASE("a transpose that nvcc compiled costs what its description costs", "[ptx]") {
  const std::string text = text_of("tiles.ptx");
  for (const int columns : {32, 33}) {
    const cc::kernel_code kernel = kernel_of(text, "transpose<" + std::to_string(columns) + ">");
    REQUIRE(kernel.shared.size() == 1);
    CHECK(kernel.shared[0].bytes == 128u * static_cast<unsigned>(columns));
    REQUIRE(kernel.parameters.size() == 3);
    CHECK(kernel.parameters[0].is_pointer);
    CHECK(kernel.parameters[1].is_pointer);
    CHECK_FALSE(kernel.parameters[2].is_pointer);

    const auto tile = bm::shared_array<float>("tile", 32, columns);
    const bm::block_dim block = {32, 8};
    cc::launch options = launched(block);
    options.grid = {4, 4, 1};
    options.grid_index = {1, 2, 0};
    options.arguments["p2"] = 1024;
    const cc::recording recorded = cc::run(kernel, options);
    for (const bm::machine& m : machines) {
      same_cost(cost_of(m, recorded, 0, 1),
                bm::total(m, block, bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx])));
      same_cost(cost_of(m, recorded, 0, 0),
                bm::total(m, block, bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])));
    }
    // Global memory: rows of 32 floats, from the pointer on.
    int loads = 0;
    for (const cc::recorded_access& access : recorded.accesses) {
      if (!access.is_global) continue;
      CHECK_FALSE(access.is_partial);
      CHECK(access.array == (is_store(access) ? 0 : 1));
      REQUIRE(access.classes.size() == 1);
      CHECK(access.classes[0].lanes.address[31] == 124);
      if (!is_store(access) && loads++ == 0)
        CHECK(access.classes[0].times.begin()->first == 4 * (2 * 32 * 1024 + 32));
    }
    CHECK(loads == 4);
    // Without the width, its addresses are unknown, but those of shared memory are not.
    options.arguments.clear();
    const cc::recording plain = cc::run(kernel, options);
    same_cost(cost_of(machines[0], plain), cost_of(machines[0], recorded));
    // The width is multiplied by numbers of rows, whose low bits differ.
    REQUIRE(plain.accesses[0].moved.size() == 4);
    CHECK(plain.accesses[0].moved[0].requests.lanes.address[31] == 124);
    CHECK(plain.accesses[0].moved_reason ==
          "an address depends on the argument 'p2'; give --arg p2=..");
    CHECK(cc::priced_on(machines[0], plain).is_partial_global);
  }
}

TEST_CASE("a product of tiles with float4", "[ptx]") {
  const cc::kernel_code kernel = kernel_of(text_of("tiles.ptx"), "product");
  REQUIRE(kernel.shared.size() == 2);
  const bm::block_dim block = {8, 32};
  cc::launch options = launched(block);
  options.arguments["p3"] = 3;
  const cc::recording recorded = cc::run(kernel, options);
  const auto left = bm::shared_array<float>("left", 32, 32);
  const auto right = bm::shared_array<float>("right", 32, 32).at(4096);
  const bm::machine& m = bm::nvidia::sm_90;
  const auto stored = [&](const auto& array) {
    return bm::for_loop(i, bm::range(0, 3), bm::store(bm::vectorized<4>(array[ty][4 * tx])));
  };
  same_cost(cost_of(m, recorded, 0, 1),
            bm::total(m, block, stored(left)) + bm::total(m, block, stored(right)));
  const auto loaded = bm::for_loop(
      i, bm::range(0, 3),
      bm::for_loop(k, bm::range(0, 32), left[ty][k], bm::vectorized<4>(right[k][4 * tx])));
  same_cost(cost_of(m, recorded, 0, 0), bm::total(m, block, loaded));
  options.arguments.clear();
  const failure error = failed(kernel, options);
  CHECK(error.wrong.find("depends on the argument 'p3'") != std::string::npos);
  CHECK(error.right == "give --arg p3=..");
}

TEST_CASE("loops whose bounds depend on the thread and on each other", "[ptx]") {
  const cc::kernel_code kernel = kernel_of(text_of("tiles.ptx"), "triangular");
  const auto tile = bm::shared_array<float>("tile", 16, 16);
  const bm::block_dim block = {16};
  const cc::recording recorded = cc::run(kernel, launched(block));
  for (const bm::machine& m : machines) {
    const auto inner = [&](const auto& access) {
      return bm::total(
          m, block,
          bm::for_loop(i, bm::range(0, 15),
                       bm::if_threads(tx > i, bm::for_loop(j, bm::range(0, i), access))));
    };
    const auto outer = [&](const auto& access) {
      return bm::total(m, block, bm::for_loop(i, bm::range(0, 15), bm::if_threads(tx > i, access)));
    };
    // nvcc keeps tile[x][i] in a register over the inner loop, and stores it each time; it loads
    // it before, for i = 0 on line 51.
    const auto previous =
        bm::total(m, block, bm::for_loop(i, bm::range(1, 15), bm::if_threads(tx > i, tile[tx][i])));
    same_cost(cost_of(m, recorded, 50, 0), inner(tile[tx][j]) + inner(tile[j][i]) + previous);
    same_cost(cost_of(m, recorded, 50, 1), inner(bm::store(tile[tx][i])));
    same_cost(cost_of(m, recorded, 51, 1), outer(bm::store(tile[tx][i])));
    const auto first = bm::total(m, block, bm::if_threads(tx > 0, tile[tx][0 * tx]));
    same_cost(cost_of(m, recorded, 51, 0), outer(tile[i][i]) + first);
  }
}

TEST_CASE("a sum with shrinking strides in dynamic shared memory", "[ptx]") {
  const cc::kernel_code kernel = kernel_of(text_of("blocks.ptx"), "sum");
  for (const int threads : {32, 256, 1024}) {
    const bm::block_dim block = {threads};
    cc::launch options = launched(block);
    options.dynamic_shared_bytes = 4 * threads;
    const cc::recording recorded = cc::run(kernel, options);
    const auto part = bm::shared_array<float>("part", threads);
    const auto halves = [&](const auto&... accesses) {
      return bm::for_loop(i, bm::powers(threads / 2, 0, 2), bm::if_threads(tx < i, accesses...));
    };
    const bm::machine& m = bm::nvidia::sm_90;
    same_cost(cost_of(m, recorded, 0, 1), bm::total(m, block, bm::store(part[tx])) +
                                              bm::total(m, block, halves(bm::store(part[tx]))));
    same_cost(cost_of(m, recorded, 0, 0),
              bm::total(m, block, halves(bm::load(part[tx], part[tx + i]))) +
                  bm::total(m, block, bm::if_threads(tx == 0, part[tx])));
    // Requests of one access are classes by their active lanes.
    for (const cc::recorded_access& access : recorded.accesses) CHECK(access.classes.size() <= 6);

    options.dynamic_shared_bytes = 4 * threads - 4;
    const cc::recording in_part = cc::run(kernel, options);
    const auto outside = std::find_if(in_part.accesses.begin(), in_part.accesses.end(),
                                      [](const auto& candidate) { return candidate.is_partial; });
    REQUIRE(outside != in_part.accesses.end());
    CHECK(outside->reason.find("a store of thread (" + std::to_string(threads - 1) +
                               ", 0, 0) at element " + std::to_string(threads - 1) +
                               " of 4 bytes of part, which has " + std::to_string(threads - 1) +
                               ";") == 0);
    CHECK(cc::text(kernel, outside->location) == "blocks.cu:7:3");
  }
}

TEST_CASE("a scan over a tree, whose conflicts grow", "[ptx]") {
  const cc::kernel_code kernel = kernel_of(text_of("blocks.ptx"), "scan");
  const bm::block_dim block = {256};
  const cc::recording recorded = cc::run(kernel, launched(block));
  const auto tree = bm::shared_array<int>("tree", 512);
  for (const bm::machine& m : machines) {
    const auto sweep = [&](const auto&... accesses) {
      return bm::total(
          m, block,
          bm::for_loop(i, bm::powers(1, 512, 2), bm::if_threads(tx * i < 256, accesses...)));
    };
    same_cost(cost_of(m, recorded, 25, 0),
              sweep(bm::load(tree[2 * i * (tx + 1) - 1], tree[2 * i * (tx + 1) - 1 - i])));
    same_cost(cost_of(m, recorded, 25, 1), sweep(bm::store(tree[2 * i * (tx + 1) - 1])));
  }
}

TEST_CASE("data as an address end a run, with the load's place", "[ptx]") {
  const std::string text = text_of("blocks.ptx");
  const cc::kernel_code kernel = kernel_of(text, "histogram");
  const failure error = failed(kernel, launched({256}));
  CHECK(error.wrong == "the address depends on a load from global memory at blocks.cu:35:3");
  CHECK(cc::text(kernel, error.position) == "blocks.cu:36:3");

  // Atomic operations at known addresses are counted.
  const cc::recording recorded = cc::run(kernel_of(text, "counted"), launched({256}));
  const auto bins = bm::shared_array<int>("bins", 256);
  const bm::machine& m = bm::nvidia::sm_90;
  bm::cost atomics;
  for (const cc::recorded_access& access : recorded.accesses)
    if (!access.is_global && access.memory.operation == cc::access_does::atomic) {
      REQUIRE(access.classes.size() == 1);
      CHECK(access.classes[0].lanes.kind == bm::access_kind::atomic);
      CHECK(access.requests == 8);
      bm::request_class requests;
      requests.lanes = access.classes[0].lanes;
      requests.times = 8;
      atomics = bm::total(m, requests);
    }
  same_cost(atomics, bm::total(m, {256}, bm::atomic(bins[tx % 16 * 16])));
}

TEST_CASE("a loop whose end is an argument", "[ptx]") {
  const cc::kernel_code kernel = kernel_of(text_of("blocks.ptx"), "rows");
  cc::launch options = launched({32});
  const failure error = failed(kernel, options);
  CHECK(error.wrong == "a branch that decides about shared memory depends on the argument 'p2'");
  CHECK(error.right == "give --arg p2=..");
  for (const char* const name : {"p2", "_Z4rowsPfPKfi_param_2"})
    for (const std::uint64_t length : {0u, 1u, 7u, 32u}) {
      options.arguments = {{name, length}};
      const cc::recording recorded = cc::run(kernel, options);
      CHECK(cost_of(bm::nvidia::sm_90, recorded, 0, 1).requests == length);
      CHECK(cost_of(bm::nvidia::sm_90, recorded, 0, 0).wavefronts == length);
    }
  options.arguments = {{"length", 4}};
  const failure unnamed = failed(kernel, options);
  CHECK(unnamed.wrong == "the kernel has no argument 'length'");
  CHECK(unnamed.right == "its arguments are p0, p1, p2");
}

TEST_CASE("lanes that go different ways make requests of their own", "[ptx]") {
  const cc::kernel_code kernel = kernel_of(text_of("blocks.ptx"), "divergent");
  const cc::recording recorded = cc::run(kernel, launched({64}));
  const auto values = bm::shared_array<float>("values", 64);
  for (const bm::machine& m : machines) {
    const auto loop = [&](const auto& condition, const auto& access) {
      return bm::total(m, {64},
                       bm::for_loop(i, bm::range(0, 3),
                                    bm::if_threads(tx < 48 && i < tx % 4 && condition, access)));
    };
    same_cost(cost_of(m, recorded, 74), loop(tx % 2 == 0 && tx % 3 == 0, values[tx + i]));
    same_cost(cost_of(m, recorded, 76), loop(tx % 2 == 0 && tx % 3 != 0, values[2 * (tx % 32)]));
    same_cost(cost_of(m, recorded, 78), loop(tx % 2 != 0, values[tx]));
  }
}

TEST_CASE("shuffles and votes of known values", "[ptx]") {
  const cc::kernel_code kernel = kernel_of(text_of("blocks.ptx"), "told");
  const cc::recording recorded = cc::run(kernel, launched({32}));
  const auto address = [&](int line, int lane) -> long long {
    for (const cc::recorded_access& access : recorded.accesses)
      if (access.location.line == line && !access.is_global)
        return access.classes[0].times.begin()->first + access.classes[0].lanes.address[lane];
    return -1;
  };
  for (int lane = 0; lane < 32; ++lane) {
    CHECK(address(91, lane) == 4 * 32 * (lane == 0 ? 0 : lane - 1));
    CHECK(address(92, lane) == 4 * 2 * (lane % 8 + 2 < 8 ? lane + 2 : lane));
    CHECK(address(93, lane) == 4 * 4 * (lane ^ 5));
    CHECK(address(94, lane) == 4 * (16 + lane));
  }
}

TEST_CASE("branches on data: passed over, assumed, or an error", "[ptx]") {
  const cc::kernel_code kernel = kernel_of(text_of("blocks.ptx"), "on_data");
  cc::launch options = launched({64});
  options.arguments["p2"] = 0;
  const cc::recording plain = cc::run(kernel, options);
  CHECK(cost_of(machines[0], plain).requests == 4);
  int partial = 0;
  for (const cc::recorded_access& access : plain.accesses) {
    if (!access.is_partial) continue;
    ++partial;
    CHECK(access.is_global);
    CHECK(access.reason ==
          "it is behind a branch at blocks.cu:105:3 that depends on a load from global memory at "
          "blocks.cu:102:3");
  }
  CHECK(partial == 1);

  options.arguments["p2"] = 1;
  const failure error = failed(kernel, options);
  CHECK(error.wrong ==
        "a branch that decides about shared memory depends on a load from global memory at "
        "blocks.cu:102:3");
  const std::string line = std::to_string(error.position.line);
  CHECK(error.right == "give --assume " + line + "=taken or --assume " + line +
                           "=not-taken, or --bounds for the least and the most, or --data p1=FILE");
  for (const bool is_taken : {false, true}) {
    options.assumed = {{error.position.line, {is_taken, {}}}};
    const cc::recording recorded = cc::run(kernel, options);
    CHECK(cost_of(machines[0], recorded).requests == (is_taken ? 6u : 4u));
    CHECK(cost_of(machines[0], recorded).wavefronts == (is_taken ? 8u : 4u));
    REQUIRE(recorded.notes.size() == 1);
    CHECK(recorded.notes[0].starts_with("line " + line + " was assumed to be "));
  }
}

TEST_CASE("addresses that instructions compute", "[ptx]") {
  const auto check = [](const std::string& body, const auto& wanted) {
    INFO(body);
    const auto addresses = addresses_of("  mov.u32 %r0, %tid.x;\n" + body);
    REQUIRE(addresses.size() == 32);
    for (const auto& [lane, address] : addresses) CHECK(address == wanted(lane));
  };
  check("mov.u32 %r2, b; add.s32 %r1, %r2, %r0;", [](int x) { return 4096 + x; });
  check("mad.lo.s32 %r1, %r0, 12, 5;", [](int x) { return 12 * x + 5; });
  check("{ .reg .b32 %r1_; .reg .b32 t; shl.b32 t, %r0, 3; mov.b32 %r1, t; }",
        [](int x) { return 8 * x; });
  check("lop3.b32 %r1, %r0, 5, 3, 0x6a;", [](int x) { return (x & 5) ^ 3; });
  check("setp.gt.and.s32 %p1|%p2, %r0, 7, 1; selp.b32 %r1, 100, 200, %p1;",
        [](int x) { return x > 7 ? 100 : 200; });
  check("setp.lt.u32 %p1, %r0, 4; mov.u32 %r1, 9; @!%p1 add.s32 %r1, %r1, %r0;",
        [](int x) { return x < 4 ? 9 : 9 + x; });
  check("mov.b64 %d1, {%r0, %r0}; shr.u64 %d2, %d1, 31; cvt.u32.u64 %r1, %d2;",
        [](int x) { return 2 * x; });
  check("cvt.rn.f32.u32 %f1, %r0; mul.rn.f32 %f2, %f1, 0f3F000000; cvt.rzi.s32.f32 %r1, %f2;",
        [](int x) { return x / 2; });
  // Halves of numbers below 0, rounded down and up.
  const std::string half =
      "sub.s32 %r2, %r0, 20; cvt.rn.f32.s32 %f1, %r2; mul.rn.f32 %f2, %f1, 0f3F000000;";
  check(half + "cvt.rmi.s32.f32 %r2, %f2; add.s32 %r1, %r2, 10;", [](int x) { return x / 2; });
  check(half + "cvt.rpi.s32.f32 %r2, %f2; add.s32 %r1, %r2, 10;",
        [](int x) { return (x + 1) / 2; });
  check("prmt.b32 %r1, %r0, 0, 0x4440;", [](int x) { return x; });
  check("bfe.u32 %r1, %r0, 1, 3;", [](int x) { return x >> 1 & 7; });
  check("add.cc.u32 %r2, %r0, 0xfffffff0; addc.u32 %r1, 8, 0;",
        [](int x) { return 8 + (x >= 16); });
  check("sub.cc.u32 %r2, %r0, 16; subc.u32 %r1, 8, 0;", [](int x) { return 8 - (x < 16); });
  check("shf.l.clamp.b32 %r1, %r0, 0, 32;", [](int x) { return x; });
  check("shf.l.wrap.b32 %r1, 0x80000000, %r0, 1;", [](int x) { return 2 * x + 1; });
  check("mul24.lo.s32 %r1, %r0, 3;", [](int x) { return 3 * x; });
  check("sad.s32 %r1, %r0, 16, 1;", [](int x) { return std::abs(x - 16) + 1; });
  check("vmin.s32.s32.s32.max %r1, %r0, 16, 3;",
        [](int x) { return std::max(std::min(x, 16), 3); });
  check("vmax.s32.s32.s32.min %r1, %r0, 3, 16;",
        [](int x) { return std::min(std::max(x, 3), 16); });
  check("vmax.u32.u32.u32 %r1, %r0, 5;", [](int x) { return std::max(x, 5); });
  check("vsub.s32.s32.s32.add %r1, %r0, 2, 7;", [](int x) { return x + 5; });
  check("neg.s32 %r2, %r0; abs.s32 %r1, %r2;", [](int x) { return x; });
  check("slct.u32.s32 %r1, 1, 2, -1;", [](int) { return 2; });
  check("cvt.s32.s8 %r2, 0x1ff; sub.s32 %r1, %r0, %r2;", [](int x) { return x + 1; });
  check("cvt.u8.u32 %r2, 0x1ff; add.s32 %r1, %r0, %r2;", [](int x) { return x + 255; });
  check("mul.wide.s16 %r1, %h1, 2; mov.u16 %h1, 7; mul.wide.s16 %r1, %h1, -2; neg.s32 %r1, %r1;",
        [](int) { return 14; });
  check("set.lt.u32.s32 %r2, %r0, 3; and.b32 %r1, %r2, 64;", [](int x) { return x < 3 ? 64 : 0; });
  // Local memory, shared memory and arguments keep what is stored.
  check(
      "mov.u64 %d1, depot; cvta.local.u64 %d2, %d1; add.s64 %d3, %d2, 8; st.u32 [%d3], %r0;"
      "ld.local.u32 %r1, [%d1+8];",
      [](int x) { return x; });
  check("call_is_inlined: mov.u32 %r1, %laneid;", [](int x) { return x; });
}

TEST_CASE("a branch by a table, and loops that lanes leave one by one", "[ptx]") {
  const auto addresses = addresses_of(R"(
  mov.u32 %r0, %tid.x;
  and.b32 %r2, %r0, 3;
  table: .branchtargets zero, one, two, three;
  brx.idx %r2, table;
zero: mov.u32 %r1, 10; bra.uni done;
one: mov.u32 %r1, 20; bra.uni done;
two: mov.u32 %r1, 30; bra.uni done;
three: mov.u32 %r1, 40;
  mov.u32 %r3, 0;
more: add.s32 %r3, %r3, 1;
  add.s32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r3, %r0;
  @%p1 bra more;
done:)");
  for (const auto& [lane, address] : addresses)
    CHECK(address == 10 * (lane % 4 + 1) + (lane % 4 == 3 ? lane : 0));
}

TEST_CASE("matrix instructions, copies and wide accesses", "[ptx]") {
  const cc::recording recorded = run_body(R"(
  ld.param.u64 %d1, [pointer];
  cvta.to.global.u64 %d2, %d1;
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 4;
  ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2, %r3}, [%r1];
  ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];
  mul.wide.u32 %d3, %r0, 16;
  add.s64 %d4, %d2, %d3;
  cp.async.cg.shared.global [%r1], [%d4], 16;
  cp.async.ca.shared.global [%r1+512], [%d4+1024], 4, 0;
  cp.async.commit_group;
  cp.async.wait_group 0;
  ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r1];
  st.shared.v2.u32 [%r1], {%r2, 5};
  ret;)");
  REQUIRE(recorded.accesses.size() == 7);
  CHECK(recorded.accesses[0].classes[0].lanes.active == 0xffff);
  CHECK(recorded.accesses[0].classes[0].lanes.kind == bm::access_kind::load_matrix);
  CHECK(recorded.accesses[0].classes[0].lanes.bytes == 16);
  CHECK(recorded.accesses[1].classes[0].lanes.active == 0xffffffff);
  CHECK(recorded.accesses[2].classes[0].lanes.kind == bm::access_kind::copy_uncached);
  REQUIRE(recorded.accesses[2].classes[0].source.has_value());
  CHECK(recorded.accesses[2].classes[0].source->address[31] == 16 * 31);
  CHECK_FALSE(recorded.accesses[2].is_global);
  CHECK(recorded.accesses[3].is_global);
  CHECK(recorded.accesses[3].array == 0);
  CHECK(recorded.accesses[3].classes[0].lanes.kind == bm::access_kind::load);
  CHECK(recorded.accesses[4].classes[0].times.begin()->first == 512);  // its load is of 0 bytes
  CHECK(recorded.accesses[4].classes[0].lanes.kind == bm::access_kind::copy);
  REQUIRE(recorded.accesses[4].classes[0].source.has_value());
  CHECK(recorded.accesses[4].classes[0].source->active == 0);
  CHECK(recorded.accesses[5].classes[0].lanes.bytes == 16);
  CHECK(recorded.accesses[6].classes[0].lanes.bytes == 8);
  const bm::machine& m = bm::nvidia::sm_90;
  const auto rows = bm::shared_array<std::uint16_t>("rows", 256, 8);
  bm::request_class four;
  four.lanes = recorded.accesses[1].classes[0].lanes;
  same_cost(bm::total(m, four),
            bm::total(m, {32}, bm::ldmatrix<4>(rows[bm::index::lane][0 * bm::index::lane])));
}

TEST_CASE("cp.async takes what its slower side takes", "[ptx]") {
  const auto priced = [](const std::string& copy, const bm::machine& m) {
    return cc::priced_on(m, run_body(R"(
  ld.param.u64 %d1, [pointer];
  cvta.to.global.u64 %d2, %d1;
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 4;
  mul.wide.u32 %d3, %r0, 16;
  add.s64 %d4, %d2, %d3;
  mul.wide.u32 %d5, %r0, 32;
  add.s64 %d6, %d2, %d5;
)" + copy + "\n  ret;"));
  };
  struct expected {
    const char* copy;
    std::uint64_t wavefronts, ideal, extra;  // `extra`: that it may take, where no rule is known
  };
  const expected examples[] = {
      {"cp.async.ca.shared.global [%r1], [%d4], 16;", 4, 4, 0},
      // Counted on an RTX 5090: 8 wavefronts, 4 conflicts; 32 and 28.
      {"cp.async.ca.shared.global [%r1], [%d6], 16;", 8, 4, 0},
      {"mov.u32 %r1, 0; cp.async.ca.shared.global [%r1], [%d4], 16;", 32, 4, 0},
      {"mov.u32 %r1, 0; cp.async.cg.shared.global [%r1], [%d4], 16;", 4, 4, 0},
      {"mov.u32 %r1, 0; cp.async.ca.shared.global [%r1], [%d6], 4;", 32, 2, 0},
      // All read one place: nobody counted it.
      {"cp.async.ca.shared.global [%r1], [%d2], 16;", 4, 4, 28},
      // A source of 0 bytes.
      {"cp.async.ca.shared.global [%r1], [%d6], 16, 0;", 4, 4, 0},
      // A source that is not known.
      {"ld.global.u64 %d7, [%d4]; cp.async.ca.shared.global [%r1], [%d7], 16;", 4, 4, 28},
      // All lanes share what is not known of it: its place in a line is not known either.
      {"ld.global.u64 %d7, [%d2]; add.s64 %d7, %d7, %d3; "
       "cp.async.ca.shared.global [%r1], [%d7], 16;",
       4, 4, 28}};
  for (const expected& example : examples) {
    INFO(example.copy);
    const cc::priced sum = priced(example.copy, bm::nvidia::sm_120);
    CHECK(sum.cost.wavefronts == example.wavefronts);
    CHECK(sum.cost.ideal == example.ideal);
    CHECK(sum.maximum == example.extra);
    CHECK(sum.cost == sum.issued_cost);
  }
  // Without cp.async a load and a store do it.
  CHECK(priced(examples[2].copy, bm::nvidia::sm_75).cost.wavefronts == 4);
}

// Of 256 bits, which sm_100 has: 32 lanes of 32 bytes are 32 sectors.
TEST_CASE("a thread accesses 32 bytes of global memory", "[ptx]") {
  const cc::recording recorded = run_body(R"(
  ld.param.u64 %d1, [pointer];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d3, %r0, 32;
  add.s64 %d4, %d1, %d3;
  ld.global.nc.v8.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%d4];
  st.global.v4.b64 [%d4], {%d5, %d5, %d5, %d5};
  ret;)");
  REQUIRE(recorded.accesses.size() == 2);
  for (const cc::recorded_access& access : recorded.accesses) {
    const bm::request& wide = access.classes[0].lanes;
    CHECK(wide.bytes == 32);
    const bm::memory_traffic counted = bm::traffic(bm::nvidia::sm_100, wide);
    CHECK(counted.transactions == 32);
    CHECK(counted.ideal == 32);
    CHECK(counted.bytes_used == 1024);
    CHECK_THROWS_AS(bm::traffic(bm::nvidia::sm_90, wide), bm::error);
  }
}

TEST_CASE("the blocks of a cluster", "[ptx]") {
  using size = std::optional<std::array<int, 3>>;
  const auto cluster_of = [](const std::string& directive, const size& shape) {
    return cc::read_ptx(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() " + directive +
                            "{ .reg .b32 %r<2>; mov.u32 %r1, %cluster_ctarank; ret; }",
                        shape)
        .at(0)
        .required_cluster;
  };
  CHECK(cluster_of("", {}) == size());
  CHECK(cluster_of("", size({2, 2, 1})) == size({2, 2, 1}));
  CHECK(cluster_of(".reqnctapercluster 4 ", size({2, 2, 1})) == size({4, 1, 1}));
}

// nvcc writes such text for what it copies from inline assembly, and for unnamed namespaces.
TEST_CASE("directives without blanks between them, and what only linkers read", "[ptx]") {
  const auto kernels = cc::read_ptx(R"(
.version 8.0
.target sm_90
.address_size 64
.visible.global.align 4 .b8 table[4] = {1, 2, 3, 4};
.internal .func helper() { ret; }
.weak .hidden .entry k(
  .hidden .param .align 64 .b8 k_param_0[128]
)
.reqntid 32
{
  .reg.b32 %r<6>;
  .shared.align 4 .b8 s[256];
  mov.u32 %r1, %tid.x;
  {.reg.b32 h, i;
  .reg .b16 low<2>;
  shl.b32 h, %r1, 3;
  mov.u32 i, s;
  add.s32 %r4, i, h;
  }
  st.shared.u32 [%r4], %r1;
  ret;
})");
  REQUIRE(kernels.size() == 1);
  const cc::recording recorded = cc::run(kernels[0], launched({32}));
  REQUIRE(recorded.accesses.size() == 1);
  CHECK(recorded.accesses[0].classes[0].lanes.address[31] == 8 * 31);
  CHECK(kernels[0].parameters.at(0).bytes == 128);
}

TEST_CASE("calls are inlined; others are unknown", "[ptx]") {
  const std::string text = R"(
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 result) vprintf (.param .b64 a, .param .b64 b);
.extern .func other ();
.shared .align 4 .b8 a[4096];
.const .align 4 .u32 table[4] = {4, 8, 12, 16};
.func (.param .b32 result) twice (.param .b32 given)
{
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [given];
  add.s32 %r1, %r1, %r1;
  st.param.b32 [result+0], %r1;
  ret;
}
.func (.param .b32 result) often (.param .b32 given)
{
  .reg .b32 %r<4>;
  .reg .pred %p<2>;
  ld.param.u32 %r1, [given];
  setp.lt.u32 %p1, %r1, 16;
  @%p1 ret;
  {
  .param .b32 to;
  st.param.b32 [to], %r1;
  .param .b32 from;
  call.uni (from), twice, (to);
  ld.param.b32 %r1, [from];
  }
  st.param.b32 [result], %r1;
  ret;
}
.visible .entry test()
{
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r7, a;
  {
  .param .b32 to;
  .param .b32 from;
  st.param.b32 [to], %r1;
  st.param.b32 [from], 1000;
  call.uni (from), often, (to);
  ld.param.b32 %r2, [from];
  }
  st.shared.u8 [%r2], %r1;
  and.b32 %r3, %r1, 3;
  mul.wide.u32 %d1, %r3, 4;
  mov.u64 %d2, table;
  add.s64 %d3, %d2, %d1;
  ld.const.u32 %r4, [%d3];
  st.shared.u8 [%r4], %r1;
  EXTRA
  ret;
}
)";
  const auto extended = [&](const std::string& extra) {
    std::string changed = text;
    return changed.replace(changed.find("EXTRA"), 5, extra);
  };
  const cc::recording recorded = cc::run(kernel_of(extended(""), "test"), launched({32}));
  REQUIRE(recorded.accesses.size() == 2);
  const bm::request& called = recorded.accesses[0].classes[0].lanes;
  for (int lane = 0; lane < 32; ++lane) {
    CHECK(1000 + called.address[lane] == (lane < 16 ? 1000 : 2 * lane));
    CHECK(recorded.accesses[1].classes[0].lanes.address[lane] == lane % 4 * 4);
  }
  REQUIRE(recorded.notes.size() == 1);
  CHECK(recorded.notes[0] == "the array table is taken to have its initial values");

  const std::string print =
      "{ .param .b64 x; .param .b64 y; .param .b32 z; call (z), vprintf, (x, y);"
      " ld.param.b32 %r2, [z]; }";
  CHECK(cc::run(kernel_of(extended(print), "test"), launched({32})).accesses.size() == 2);
  const failure address =
      failed(kernel_of(extended(print + " st.shared.u8 [%r2], %r1;"), "test"), launched({32}));
  CHECK(address.wrong.find("a call of vprintf") != std::string::npos);
  const auto left_out = [](const cc::recording& in_part) {
    CHECK(in_part.accesses.size() == 2);
    CHECK(in_part.leaves_out_shared);
    return in_part.notes.at(0);
  };
  CHECK(left_out(cc::run(kernel_of(extended("call other;"), "test"), launched({32})))
            .find("a call of other (not in this file) at ") == 0);
  CHECK(left_out(
            cc::run(kernel_of(extended("mov.u64 %d4, 5; call %d4, ();"), "test"), launched({32})))
            .find("an indirect call at ") == 0);

  // Its result is an address here.
  std::string recursive = text;
  recursive.replace(recursive.find("call.uni (from), twice"), 22, "call.uni (from), often");
  recursive.replace(recursive.find("EXTRA"), 5, "");
  CHECK(failed(kernel_of(recursive, "test"), launched({32}))
            .wrong.find("the address depends on a recursive call of often at ") == 0);
  recursive.replace(recursive.find("st.shared.u8 [%r2]"), 18, "st.shared.u8 [%r3]");
  recursive.replace(recursive.find("and.b32 %r3"), 0, "mov.u32 %r3, %r1; ");
  recursive.replace(recursive.find("st.shared.u8 [%r3]"), 0, "mov.u32 %r3, %r1; ");
  CHECK(left_out(cc::run(kernel_of(recursive, "test"), launched({32})))
            .find("a recursive call of often at ") == 0);
}

TEST_CASE("products and sums that ptxas may fuse are known where that makes no difference",
          "[ptx]") {
  const std::string number = "mov.u32 %r0, %tid.x; cvt.rn.f32.u32 %f1, %r0;";
  // %r1 = FACTOR * tid + 3, through instructions with or without a rounding.
  const auto sum = [&](const std::string& mul, const std::string& add, const std::string& factor,
                       const std::string& middle = "mov.f32 %f5, %f4;") {
    return kernel_of_body(number + mul + ".f32 %f4, %f1, " + factor + ";" + middle + add +
                          ".f32 %f3, %f2, %f4; cvt.rzi.s32.f32 %r1, %f3;"
                          "st.shared.u8 [%r1], %r0; ret;");
  };
  const auto is_known = [&](const cc::kernel_code& kernel) {
    try {
      return !cc::run(kernel, launched({32})).accesses.empty();
    } catch (const cc::cannot_run& error) {
      CHECK(std::string(error.what()).find("a product and a sum, which the compiler may fuse") !=
            std::string::npos);
      return false;
    }
  };
  const std::string quarter = "0f3E800000", tenth = "0f3DCCCCCD";
  const std::string three = "mov.f32 %f2, 0f40400000;";
  // Less the same product, rounded: 0, or what the rounding lost.
  const std::string rounded = "mul.rn.f32 %f2, %f1, 0f3DCCCCCD;";
  CHECK(is_known(sum("mul", "add", quarter, three)));
  CHECK(is_known(sum("mul", "sub", quarter, three)));
  CHECK(is_known(sum("mul.rn", "sub", tenth, rounded)));
  CHECK(is_known(sum("mul", "sub.rn", tenth, rounded)));
  CHECK_FALSE(is_known(sum("mul", "sub", tenth, rounded)));
  CHECK_FALSE(is_known(sum("mul", "sub", tenth, rounded + "mov.f32 %f4, %f4;")));
  // The other side of the difference, and a sum with the negative product.
  const std::string other = number + "mul.f32 %f4, %f1, 0f3DCCCCCD;" + rounded;
  const std::string use = "cvt.rzi.s32.f32 %r1, %f3; st.shared.u8 [%r1], %r0; ret;";
  CHECK_FALSE(is_known(kernel_of_body(other + "sub.f32 %f3, %f4, %f2;" + use)));
  CHECK_FALSE(is_known(kernel_of_body(other + "neg.f32 %f5, %f4; add.f32 %f3, %f2, %f5;" + use)));
  CHECK(is_known(kernel_of_body(other + "neg.f32 %f5, %f4; add.rn.f32 %f3, %f2, %f5;" + use)));
  // A product that is overwritten before its sum is another one.
  CHECK_FALSE(is_known(kernel_of_body(
      other +
      "setp.eq.u32 %p1, %r0, 40; @%p1 mul.f32 %f4, %f1, 0f40000000; sub.f32 %f3, %f4, %f2;" +
      use)));
  CHECK(is_known(kernel_of_body(number +
                                "mul.f32 %f4, %f1, 0f3E800000; mov.f32 %f1, 0f40400000;"
                                "add.f32 %f3, %f4, %f1;" +
                                use)));
}

TEST_CASE("instructions that are not modelled", "[ptx]") {
  // Their results are unknown.
  (void)run_body(
      "sin.approx.f32 %f1, %f2; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2}];"
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4},"
      " {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4}; ret;");
  const auto leaves_out_shared = [](const std::string& instruction, const std::string& named) {
    const cc::recording recorded = run_body(instruction + " ret;");
    CHECK(recorded.leaves_out_shared);
    CHECK(recorded.notes.at(0).find(named + " at ") == 0);
  };
  leaves_out_shared(
      "mov.u64 %d1, 0; wmma.load.a.sync.aligned.row.m16n16k16.e5m2 {%r1, %r2}, [%d1], 16;",
      "wmma.load.a.sync.aligned.row.m16n16k16.e5m2");
  // Of a generic address it is known that it is in global memory.
  const cc::recording elsewhere = run_body(
      "ld.param.u64 %d1, [pointer]; ld.global.u32 %r4, [%d1];"
      "wmma.load.a.sync.aligned.row.m16n16k16.e5m2 {%r1, %r2}, [%d1], 16; ret;");
  CHECK(elsewhere.accesses.size() == 1);
  CHECK(elsewhere.leaves_out);
  CHECK_FALSE(elsewhere.leaves_out_shared);
  const failure error =
      failed(kernel_of_body("mov.u32 %r0, %clock; st.shared.u8 [%r0], %r0; ret;"), launched({32}));
  CHECK(error.wrong ==
        "the address depends on %clock at PTX:" + std::to_string(error.position.line));
  const failure trap = failed(kernel_of_body("trap;"), launched({32}));
  CHECK(trap.wrong == "thread (0, 0, 0) reaches a trap: a check has failed");
}

TEST_CASE("what textures access in global memory is left out, and said to be", "[ptx]") {
  const auto leaves_out = [](const std::string& body) {
    const cc::recording recorded = run_body(body + " ret;");
    CHECK(recorded.notes.size() == (recorded.leaves_out ? 1 : 0));
    return recorded.leaves_out;
  };
  const std::string texture = "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1}];";
  const std::string data =
      "ld.param.u64 %d2, [pointer]; ld.global.u32 %r2, [%d2];"
      "setp.gt.s32 %p1, %r2, 3;";
  CHECK(leaves_out(texture));
  CHECK(leaves_out("suld.b.1d.b32.trap %r1, [%d1, {%r1}];"));
  CHECK(leaves_out(data + "@%p1 " + texture));
  CHECK(leaves_out(data + "@%p1 bra on;" + texture + "on:"));
  CHECK(leaves_out("mov.u32 %r1, 1; setp.gt.s32 %p1, %r1, 0; @%p1 " + texture));
  CHECK_FALSE(leaves_out("mov.u32 %r1, 0; setp.gt.s32 %p1, %r1, 0; @%p1 " + texture));
  CHECK_FALSE(leaves_out("txq.width.b32 %r1, [%d1];"));
  CHECK_FALSE(leaves_out("sin.approx.f32 %f1, %f2;"));
}

TEST_CASE("arguments: members of structures, pointers, bytes", "[ptx]") {
  const std::string body = R"(
  ld.param.u32 %r1, [object+4];
  ld.param.u64 %d1, [object+8];
  cvta.to.global.u64 %d2, %d1;
  ld.global.u32 %r2, [%d2+16];
  st.shared.u8 [%r1], %r2;
  ret;)";
  const cc::kernel_code kernel = kernel_of_body(body);
  REQUIRE(kernel.parameters.size() == 5);
  CHECK(kernel.parameters[3].name == "p2+4");
  CHECK(kernel.parameters[4].name == "p2+8");
  CHECK(kernel.parameters[4].is_pointer);
  const failure error = failed(kernel, launched({32}));
  CHECK(error.wrong == "the address depends on the argument 'p2+4'");
  CHECK(error.right == "give --arg p2+4=..");
  cc::launch options = launched({32});
  options.arguments["p2+4"] = 100;
  const cc::recording recorded = cc::run(kernel, options);
  REQUIRE(recorded.accesses.size() == 2);
  CHECK(recorded.accesses[0].array == 4);
  CHECK(recorded.accesses[0].classes[0].times.begin()->first == 16);
  CHECK(recorded.accesses[1].classes[0].times.begin()->first == 100);
}

TEST_CASE("limits and errors of a launch", "[ptx]") {
  const cc::kernel_code endless = kernel_of_body("again: bra again;");
  cc::launch options = launched({32});
  options.most_steps = 10000;
  CHECK(failed(endless, options).wrong == "the block takes more than 10000 steps");
  CHECK(failed(endless, launched({1025})).wrong.find("a block of 1025 x 1 x 1 threads") !=
        std::string::npos);
  CHECK(failed(endless, launched({0})).wrong.find("a block of 0 x 1 x 1 threads") !=
        std::string::npos);
  options.grid_index = {1, 0, 0};
  CHECK(failed(endless, options).wrong == "a block that is not in the grid");
  options = launched({32});
  options.dynamic_shared_bytes = -1;
  CHECK(failed(endless, options).wrong == "more than 1 MiB of shared memory");
  const failure odd =
      failed(kernel_of_body("mov.u32 %r1, 2; ld.shared.u32 %r2, [%r1]; ret;"), launched({32}));
  CHECK(odd.wrong.find("at byte 2 of shared memory, not aligned") != std::string::npos);
  const failure unwritten =
      failed(kernel_of_body("ld.shared.u32 %r2, [%r1]; ret;"), launched({32}));
  CHECK(unwritten.wrong == "the address depends on a register that was never written");
}

TEST_CASE("an access to two arrays is in none of them", "[ptx]") {
  const auto kernel = cc::read_ptx(R"(
.version 7.0
.target sm_90
.address_size 64
.shared .align 4 .b8 a[256];
.shared .align 4 .b8 b[256];
.visible .entry both()
{
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  shl.b32 %r1, %r1, 2;
  mov.u32 %r2, a;
  add.s32 %r1, %r1, %r2;
  mov.u32 %r3, b;
  st.shared.u32 [%r3], %r2;
  ld.shared.u32 %r3, [%r1];
  ret;
}
)");
  const auto array_of = [&](int threads) {
    const cc::recording recorded = cc::run(kernel[0], launched({threads}));
    REQUIRE(recorded.accesses.size() == 2);
    return recorded.accesses[1].array;
  };
  CHECK(array_of(64) == 0);
  CHECK(array_of(96) == -1);
}

TEST_CASE("a block that .reqntid requires", "[ptx]") {
  const auto required = [](const std::string& directives) {
    return cc::read_ptx(".version 8.0\n.target sm_80\n.address_size 64\n.entry one()\n" +
                        directives + "\n{\nret;\n}\n")
        .at(0)
        .required_block;
  };
  CHECK_FALSE(required(".maxntid 64, 1, 1").has_value());
  CHECK(required(".reqntid 16, 4, 1") == std::array<int, 3>{16, 4, 1});
  CHECK(required(".maxntid 64\n.reqntid 32\n.minnctapersm 2") == std::array<int, 3>{32, 1, 1});
  for (const char* wrong : {".reqntid", ".reqntid 0", ".reqntid 2000", ".reqntid x, 4"})
    CHECK_THROWS_AS(required(wrong), cc::ptx_error);
}

TEST_CASE("text that is not PTX is an error with its line", "[ptx]") {
  const auto wrong = [](const std::string& text) {
    try {
      (void)cc::read_ptx(text);
    } catch (const cc::ptx_error& error) {
      CHECK(error.line > 0);
      CHECK_FALSE(error.right.empty());
      return std::string(error.what());
    }
    FAIL("no error: " << text);
    return std::string();
  };
  CHECK(wrong("int main() {}") == "`int` in place of a directive, such as .entry");
  CHECK(wrong("/* never") == "a comment that does not end");
  CHECK(wrong(".file 1 \"never") == "a string that does not end");
  CHECK(wrong("#include <x>") == "a character that PTX does not have");
  CHECK(wrong(".entry k() { bra nowhere; }") == "a branch to nowhere, which is not there (bra)");
  CHECK(wrong(".entry k() { .reg .b32 %r<2>; add.s32 %r1, %r1; }") ==
        "an instruction with too few operands (add.s32)");
  CHECK(wrong(".entry k() { ") == "the end in place of `}`");
  CHECK(cc::read_ptx("").empty());
  // A machine whose number is none.
  CHECK(cc::read_ptx(".target sm_8080808080\n.entry k() { ret; }").size() == 1);
  // Cut anywhere, and with characters exchanged: no crash.
  const std::string original = text_of("tiles.ptx");
  std::mt19937 dice(1);
  const std::string characters = "{}[](),;:%@.+-0aZ_|!\"\n";
  for (int round = 0; round < 400; ++round) {
    std::string changed =
        original.substr(0, round % 2 == 0 ? dice() % original.size() : original.size());
    for (int times = static_cast<int>(dice() % 8); times >= 0 && !changed.empty(); --times)
      changed[dice() % changed.size()] = characters[dice() % characters.size()];
    try {
      for (const cc::kernel_code& kernel : cc::read_ptx(changed)) {
        cc::launch options = launched({32, 8});
        options.most_steps = 20000;
        (void)cc::run(kernel, options);
      }
    } catch (const cc::ptx_error&) {
    } catch (const cc::cannot_run&) {
    }
  }
}
