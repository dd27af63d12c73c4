// SPDX-License-Identifier: MIT
// Which array of shared memory an address of PTX is in, and which block of a cluster: an access
// that leaves its array, or the block, is not counted as if it were inside.
#include <bankmodel/machines/nvidia.hpp>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/code/address_origins.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"
#include "examples/bankmodel/compiled/page/priced.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"

namespace bm = bankmodel;
namespace cc = compiled;

namespace {

// %r1: the thread; %r2: its word in a, which b follows; %d1: the same as a generic address.
cc::kernel_code kernel_with(const std::string& code, const std::string& directives = "") {
  return cc::read_ptx(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data)
)" + directives + R"(
{
  .reg .pred %p<9>;
  .reg .b32 %r<29>;
  .reg .b64 %d<19>;
  .shared .align 16 .b8 a[128];
  .shared .align 16 .b8 b[512];
  mov.u32 %r1, %tid.x;
  shl.b32 %r3, %r1, 2;
  mov.u32 %r4, a;
  add.s32 %r2, %r4, %r3;
  cvt.u64.u32 %d2, %r2;
  cvta.shared.u64 %d1, %d2;
)" + code + "\n  ret;\n}\n")
      .at(0);
}

cc::recording run_of(const cc::kernel_code& kernel, int threads = 32, int block = 0) {
  cc::launch options{.block = {threads}};
  options.grid = {8};
  options.grid_index = {block};
  return cc::run(kernel, options);
}

const cc::recorded_access& last_of(const cc::recording& recorded) {
  REQUIRE_FALSE(recorded.accesses.empty());
  return recorded.accesses.back();
}

// The reason why the last access is not counted; empty if it is.
std::string reason_of(const std::string& code, int threads = 32) {
  const cc::recording recorded = run_of(kernel_with(code), threads);
  const cc::recorded_access& last = last_of(recorded);
  std::uint64_t counted = 0;
  for (const cc::recorded_class& requests : last.classes)
    for (const auto& [base, times] : requests.times) counted += times;
  CHECK(last.is_partial == (counted < last.requests));
  return last.reason.substr(0, last.reason.find(';'));
}

// The reason of the last access in block `block`, where a cluster has two blocks; empty if it is
// counted.
std::string reason_in_cluster(const std::string& code, int block = 0) {
  const cc::recording recorded = run_of(kernel_with(code, ".reqnctapercluster 2, 1, 1"), 32, block);
  const cc::recorded_access& last = last_of(recorded);
  CHECK_FALSE(last.is_global);
  CHECK(last.requests == 1);
  return last.reason;
}

}  // namespace

TEST_CASE("an access that leaves its array is not counted, even if it ends in the next") {
  CHECK(reason_of("st.shared.u32 [%r2], %r1;") == "");
  CHECK(reason_of("st.shared.u32 [%r2], %r1;", 64) ==
        "a store of thread (32, 0, 0) at element 32 of 4 bytes of a, which has 32");
  CHECK(reason_of("ld.shared.u32 %r5, [%r2+4];") ==
        "a load of thread (31, 0, 0) at element 32 of 4 bytes of a, which has 32");
  CHECK(reason_of("ld.shared.u8 %r5, [%r2+128];") ==
        "a load of thread (0, 0, 0) at element 128 of a, which has 128");
  CHECK(reason_of("atom.shared.add.u32 %r5, [%r2+8], 1;") ==
        "an atomic operation of thread (30, 0, 0) at element 32 of 4 bytes of a, which has 32");
  // Generic addresses, and addresses that several instructions compute.
  CHECK(reason_of("ld.u32 %r5, [%d1+4];") ==
        "a load of thread (31, 0, 0) at element 32 of 4 bytes of a, which has 32");
  CHECK(reason_of("mad.lo.s32 %r6, %r1, 8, %r4; ld.shared.u32 %r5, [%r6];") ==
        "a load of thread (16, 0, 0) at element 32 of 4 bytes of a, which has 32");
  CHECK(reason_of("mov.u32 %r6, b; sub.s32 %r6, %r6, %r3; ld.shared.u32 %r5, [%r6];") ==
        "a load of thread (1, 0, 0) at element -1 of 4 bytes of b, which has 128");
  CHECK(reason_of("or.b32 %r6, %r4, 132; ld.shared.u32 %r5, [%r6];") ==
        "a load of thread (0, 0, 0) at element 33 of 4 bytes of a, which has 32");
}

TEST_CASE("an address that may be in several arrays, or is a number, is in any of them") {
  CHECK(reason_of("mov.u32 %r6, b; setp.lt.s32 %p1, %r1, 9; selp.b32 %r7, %r4, %r6, %p1;"
                  "ld.shared.u32 %r5, [%r7+128];") == "");
  CHECK(reason_of("add.s32 %r6, %r3, 64; ld.shared.u32 %r5, [%r6];") == "");
  // The distance of two arrays is a number, as is a product.
  CHECK(reason_of("mov.u32 %r6, b; sub.s32 %r6, %r6, %r4; add.s32 %r6, %r6, %r3;"
                  "ld.shared.u32 %r5, [%r6];") == "");
  CHECK(reason_of("shr.u32 %r6, %r4, 1; add.s32 %r6, %r6, 256; ld.shared.u32 %r5, [%r6];") == "");
}

TEST_CASE("a pointer that a loop moves stays in its array") {
  const std::string loop =
      "mov.u32 %r6, 0; mov.u32 %r7, %r2;\n"
      "again: st.shared.u32 [%r7], %r1; add.s32 %r7, %r7, 128; add.s32 %r6, %r6, 1;"
      "setp.lt.s32 %p1, %r6, 3; @%p1 bra again;";
  const cc::recording recorded = run_of(kernel_with(loop));
  REQUIRE(recorded.accesses.size() == 1);
  CHECK(recorded.accesses[0].requests == 3);
  CHECK(recorded.accesses[0].classes.size() == 1);  // the first trip
  CHECK(recorded.accesses[0].reason.find(
            "a store of thread (0, 0, 0) at element 32 of 4 bytes of a") == 0);
}

TEST_CASE("an access to another block's shared memory is not counted as one to the block's own") {
  const std::string rank = "mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1;";
  const std::string own = rank + "mapa.shared::cluster.u32 %r7, %r2, %r5;";
  const std::string other = rank + "mapa.shared::cluster.u32 %r7, %r2, %r6;";
  const std::string another =
      " in the shared memory of another block of the cluster is not counted";
  for (const int block : {0, 1, 5}) {
    CHECK(reason_in_cluster("st.shared::cluster.u32 [%r2], %r1;", block) == "");
    CHECK(reason_in_cluster(own + "ld.shared::cluster.u32 %r8, [%r7];", block) == "");
    CHECK(reason_in_cluster(other + "ld.shared::cluster.u32 %r8, [%r7];", block) ==
          "a load" + another);
  }
  CHECK(reason_in_cluster(other + "st.shared::cluster.u32 [%r7+4], %r1;") == "a store" + another);
  CHECK(reason_in_cluster(other + "red.shared::cluster.add.u32 [%r7], %r1;") ==
        "an atomic operation" + another);
  // Rank 1 is another block in block 4, and the own one in block 5.
  const std::string second =
      "mapa.shared::cluster.u32 %r7, %r2, 1; ld.shared::cluster.u32 %r8, [%r7];";
  CHECK(reason_in_cluster(second, 4) == "a load" + another);
  CHECK(reason_in_cluster(second, 5) == "");
  // Generic addresses, and those that are computed from a mapped one.
  const std::string generic = rank + "mapa.u64 %d3, %d1, %r6; add.s64 %d3, %d3, -64;";
  CHECK(reason_in_cluster(generic + "ld.u32 %r8, [%d3+64];") == "a load" + another);
  CHECK(reason_in_cluster(rank + "mapa.u64 %d3, %d1, %r5; atom.add.u32 %r8, [%d3], 1;") == "");
  // Each lane another block, and an address that the data decide.
  CHECK(reason_in_cluster("and.b32 %r5, %r1, 1; mapa.shared::cluster.u32 %r7, %r2, %r5;"
                          "ld.shared::cluster.u32 %r8, [%r7];") == "a load" + another);
  const std::string data =
      "ld.param.u64 %d4, [data]; ld.global.u32 %r9, [%d4]; add.s32 %r10, %r2, %r9;";
  CHECK(reason_in_cluster(data + "mapa.shared::cluster.u32 %r7, %r10, 1;"
                                 "ld.shared::cluster.u32 %r8, [%r7];") ==
        "a load in the shared memory of a block of the cluster is not counted; its address depends "
        "on a load from global memory at PTX:18");
  CHECK(reason_in_cluster(data + "mapa.shared::cluster.u32 %r7, %r2, %r9;"
                                 "ld.shared::cluster.u32 %r8, [%r7];") ==
        "a load in the shared memory of a block of the cluster is not counted; the block's rank is "
        "not known; give --cluster 2x1x1");
}

TEST_CASE("where the file does not say how large a cluster is, no block is the own one") {
  const cc::recording recorded =
      run_of(kernel_with("mov.u32 %r5, %cluster_ctarank; mapa.shared::cluster.u32 %r7, %r2, %r5;"
                         "ld.shared::cluster.u32 %r8, [%r7];"));
  CHECK(last_of(recorded).reason ==
        "a load in the shared memory of a block of the cluster is not counted; the block's rank is "
        "not known; give --cluster 2x1x1");
}

TEST_CASE("an access leaves its array in another block too, and a window of the own block is one") {
  // isspacep.shared: of the own block alone.
  const auto branch = [](const std::string& space, const std::string& rank) {
    return run_of(kernel_with("mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1;"
                              "mapa.u64 %d3, %d1, " +
                                  rank + "; isspacep." + space +
                                  " %p1, %d3; @%p1 bra done; st.shared.u32 [%r2], %r1;\ndone:",
                              ".reqnctapercluster 2"))
        .accesses.size();
  };
  CHECK(branch("shared", "%r6") == 1);
  CHECK(branch("shared", "%r5") == 0);
  CHECK(branch("shared::cluster", "%r6") == 0);
}

TEST_CASE("behind a barrier of the cluster, other blocks may have stored to this one") {
  // A word of b is stored, and then it is an index of a.
  const std::string store = "mov.u32 %r9, b; add.s32 %r9, %r9, %r3; st.shared.u32 [%r9], %r3;";
  const std::string wait = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
  const std::string use =
      "ld.shared.u32 %r10, [%r9]; add.s32 %r10, %r10, %r4; ld.shared.u32 %r11, [%r10];";
  const std::string away = "xor.b32 %r6, %r1, 1; mapa.shared::cluster.u32 %r7, %r2, 1;";
  const auto last = [&](const std::string& code) {
    return run_of(kernel_with(code, ".reqnctapercluster 2")).accesses.back();
  };
  CHECK(last(store + wait + use).classes.size() == 1);
  CHECK(last(away + "ld.shared::cluster.u32 %r8, [%r7];" + store + wait + use).classes.size() == 1);
  CHECK_THROWS_AS(last(away + store + "st.shared::cluster.u32 [%r7], %r1;" + wait + use),
                  cc::cannot_run);
  // Block 0 does not store; block 1 may.
  CHECK_THROWS_AS(last(store + "mov.u32 %r5, %cluster_ctarank; setp.eq.s32 %p1, %r5, 0;" + away +
                       "@!%p1 st.shared::cluster.u32 [%r7], %r1;" + wait + use),
                  cc::cannot_run);
}

// One warp stores what the other one reads.
TEST_CASE("the warps of a block wait for each other at a barrier of the cluster") {
  const std::string code =
      "mov.u32 %r9, b; add.s32 %r9, %r9, %r3; st.shared.u32 [%r9], %r3;"
      "barrier.cluster.arrive; barrier.cluster.wait;"
      "mov.u32 %r8, b; xor.b32 %r12, %r3, 128; add.s32 %r8, %r8, %r12; ld.shared.u32 %r10, [%r8];"
      "and.b32 %r10, %r10, 127; add.s32 %r10, %r10, %r4; ld.shared.u32 %r11, [%r10];";
  const cc::recording recorded = run_of(kernel_with(code), 64);
  CHECK(last_of(recorded).requests == 2);
  CHECK_FALSE(last_of(recorded).is_partial);
}
