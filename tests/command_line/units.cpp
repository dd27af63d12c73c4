// SPDX-License-Identifier: MIT
// Instructions for units beside the warps: they are named, and change nothing that is counted.
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "ptx_body.hpp"

namespace cc = compiled;
using ptx_body::failed;
using ptx_body::failure;
using ptx_body::kernel_of_body;
using ptx_body::launched;
using ptx_body::run_body;

namespace {

// %r1: the thread; %r2: the address of its word in a.
const std::string begin = "mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r1, 4, a; mov.u64 %d1, 0;";

struct named {
  std::string instruction;
  const char* note;  // its beginning
  std::set<int> arrays;
};
const named all_named[] = {
    {"mbarrier.init.shared::cta.b64 [b+8], 32;", "mbarrier objects", {1}},
    {"mbarrier.init.shared::cta.b64 [a+4096], 32;", "mbarrier objects", {1}},
    {"mov.u32 %r3, 100000; mbarrier.arrive.shared::cluster.b64 _, [%r3];", "mbarrier objects", {}},
    {"mbarrier.inval.shared.b64 [%r2];", "mbarrier objects", {0}},
    {"mbarrier.arrive.shared.b64 %d2, [b];", "mbarrier objects", {1}},
    {"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [b], 128;", "mbarrier objects", {1}},
    {"mbarrier.try_wait.parity.shared::cta.b64 %p1, [b], 0;", "mbarrier objects", {1}},
    {"mbarrier.test_wait.shared.b64 %p1, [b], %d2;", "mbarrier objects", {1}},
    {"cp.async.mbarrier.arrive.noinc.shared.b64 [b];", "mbarrier objects", {1}},
    {"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [b];",
     "mbarrier objects",
     {1}},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [%d1], 64, [b];",
     "bulk copies",
     {0}},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [a],"
     " [%d1, {%r3, %r4}], [b];",
     "bulk copies",
     {0}},
    {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d1, {%r3, %r4}], [b];",
     "bulk copies",
     {1}},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [a], 64;",
     "bulk copies",
     {0}},
    {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [b], [a], 64, [b];",
     "bulk copies",
     {-1}},
    {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3], %r4, [b];",
     "bulk copies",
     {-1}},
    {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [b+4], 128;",
     "matrix instructions",
     {1}},
    {"tcgen05.mma.cta_group::1.kind::f16 [%r3], %d2, %d3, %r4, %p1;", "matrix instructions", {-1}},
    {"tcgen05.cp.cta_group::1.128x128b [%r3], %d2;", "matrix instructions", {-1}},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d2, %d3, 1, 1, 1, 0,"
     " 0;",
     "matrix instructions",
     {-1}},
};

}  // namespace

TEST_CASE("what a unit accesses is named, the rest is whole", "[units]") {
  const std::string access = "st.shared.u32 [%r2], %r1;";
  for (const named& unit : all_named) {
    INFO(unit.instruction);
    const cc::recording recorded = run_body(begin + access + unit.instruction + " ret;");
    REQUIRE(recorded.accesses.size() == 1);
    CHECK(recorded.accesses[0].requests == 1);
    CHECK_FALSE(recorded.leaves_out);
    CHECK_FALSE(recorded.leaves_out_shared);
    REQUIRE(recorded.notes.size() == 1);
    CHECK(recorded.notes[0].find(unit.note + std::string(" at PTX:")) == 0);
    CHECK(recorded.arrays_of_units == unit.arrays);
  }
}

TEST_CASE("no access is moved past what a unit does", "[units]") {
  const auto has_near = [](const std::string& code) {
    const cc::recording recorded =
        run_body(begin + "ld.shared.u32 %r3, [%r2];" + code + "ld.shared.u32 %r4, [%r2+4]; ret;");
    REQUIRE(recorded.accesses.size() == 2);
    return !recorded.accesses[1].neighbours.empty();
  };
  CHECK(has_near(""));
  CHECK(has_near("tcgen05.fence::after_thread_sync;"));
  CHECK_FALSE(has_near("mbarrier.arrive.shared.b64 %d2, [b];"));
}

TEST_CASE("instructions that access neither shared nor global memory are not named", "[units]") {
  for (const std::string text :
       {"wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;",
        "wgmma.wait_group.sync.aligned 0;", "tcgen05.wait::ld.sync.aligned;",
        "tcgen05.fence::after_thread_sync;", "tcgen05.relinquish_alloc_permit.cta_group::1.sync;",
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 128;",
        "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r4, %r5}, [%r3];",
        "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r3], {%r4, %r5};", "cp.async.bulk.commit_group;",
        "cp.async.bulk.wait_group.read 0;", "cp.async.bulk.prefetch.L2.global [%d1], 64;",
        "fence.proxy.async.shared::cta;", "setmaxnreg.inc.sync.aligned.u32 232;"}) {
    INFO(text);
    const cc::recording recorded = run_body(begin + text + " ret;");
    CHECK(recorded.notes.empty());
    CHECK_FALSE(recorded.leaves_out_shared);
  }
}

TEST_CASE("a wait ends at its first test", "[units]") {
  const cc::recording recorded =
      run_body(begin +
               "again: mbarrier.try_wait.parity.shared::cta.b64 %p1, [b], 0; @%p1 bra over; "
               "st.shared.u32 [%r2], %r1; bra again; over: ld.shared.u32 %r3, [%r2]; ret;");
  REQUIRE(recorded.accesses.size() == 1);
  CHECK(recorded.accesses[0].requests == 1);
}

TEST_CASE("what others may have stored is unknown behind a wait and a copy", "[units]") {
  const std::string store = begin + "st.shared.u32 [%r2], %r2; bar.sync 0;",
                    use = "ld.shared.u32 %r6, [%r2]; ld.shared.u32 %r7, [%r6]; ret;";
  CHECK(run_body(store + use).accesses.size() == 3);
  // Those that arrive have stored before.
  CHECK(run_body(store + "mbarrier.arrive.shared.b64 %d2, [b];" + use).accesses.size() == 3);
  for (const std::string text :
       {"mbarrier.test_wait.shared.b64 %p1, [b], %d2;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [%d1], 64, [b];",
        "mbarrier.inval.shared.b64 [%r2];", "mbarrier.inval.shared.b64 [%r8];"}) {
    INFO(text);
    const failure reason = failed(kernel_of_body(store + text + use), launched({32}));
    CHECK(reason.wrong.find("the address depends on " + text.substr(0, text.find(' '))) == 0);
  }
  // What is stored afterwards is known.
  CHECK(run_body(begin + "mbarrier.test_wait.shared.b64 %p1, [b], %d2; st.shared.u32 [%r2], %r2;" +
                 use)
            .accesses.size() == 3);
}

TEST_CASE("elect.sync is taken to elect the lowest lane", "[units]") {
  const auto elected = [](const std::string& mask, const std::string& guard) {
    const cc::recording recorded = run_body(begin + guard + "elect.sync %r3|%p1, " + mask +
                                            "; @%p1 st.shared.u32 [%r2], %r3; over: ret;");
    REQUIRE(recorded.accesses.size() == 1);
    REQUIRE(recorded.accesses[0].classes.size() == 1);
    CHECK(recorded.accesses[0].requests == 1);
    REQUIRE(recorded.notes.size() == 1);
    CHECK(recorded.notes[0].find("elect.sync at PTX:") == 0);
    return recorded.accesses[0].classes[0].times.begin()->first / 4;
  };
  CHECK(elected("0xffffffff", "") == 0);
  CHECK(elected("0xff00",
                "setp.lt.u32 %p2, %r1, 8; @%p2 bra over;"
                "setp.gt.u32 %p2, %r1, 15; @%p2 bra over;") == 8);
  // Its number is known.
  const cc::recording recorded = run_body(
      begin + "elect.sync %r3|%p1, -1; mad.lo.u32 %r4, %r3, 4, a; st.shared.u32 [%r4], %r3; ret;");
  CHECK(recorded.accesses.at(0).requests == 1);
}
