// SPDX-License-Identifier: MIT
// --assume LINE=4 and LINE=0..4: loops whose end is in the data, against the same loops with data.
#include <bankmodel/machines/nvidia.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/engine/run.hpp"
#include "examples/bankmodel/compiled/page/priced.hpp"
#include "examples/bankmodel/compiled/ptx/ptx_reader.hpp"

namespace bm = bankmodel;
namespace cc = compiled;

namespace {

// Each thread comes twice to a loop that goes on counts[place] times at line 20, or until
// k == stops[place] at line 25; then to one that goes on counts[place] times at line 30 at its end.
const std::string loops = R"(
.version 7.0
.target sm_90
.address_size 64
.shared .align 4 .b8 a[16384];
.file 1 "loops.cu"
.visible .entry loops(.param .u64 counts, .param .u64 stops)
{
  .reg .pred %p<5>;
  .reg .b32 %r<12>;
  .reg .b64 %d<9>;
  ld.param.u64 %d1, [counts];
  ld.param.u64 %d2, [stops];
  mov.u32 %r1, %tid.x;
  mov.u32 %r8, a;
  mov.u32 %r2, 0;
outer:
  shl.b32 %r4, %r2, 6;
  add.s32 %r4, %r4, %r1;
  mul.wide.u32 %d3, %r4, 4;
  add.s64 %d4, %d1, %d3;
  add.s64 %d5, %d2, %d3;
  ld.global.u32 %r5, [%d4];
  ld.global.u32 %r6, [%d5];
  mov.u32 %r3, 0;
head:
  setp.ge.u32 %p1, %r3, %r5;
  .loc 1 20 1
  @%p1 bra done;
  mul.lo.s32 %r7, %r1, 5;
  mad.lo.s32 %r7, %r3, %r1, %r7;
  shl.b32 %r7, %r7, 2;
  add.s32 %r7, %r7, %r8;
  .loc 1 22 1
  ld.shared.u32 %r9, [%r7];
  setp.eq.u32 %p2, %r3, %r6;
  .loc 1 25 1
  @%p2 bra done;
  .loc 1 26 1
  st.shared.u32 [%r7+512], %r1;
  add.s32 %r3, %r3, 1;
  bra head;
done:
  mov.u32 %r3, 0;
again:
  shl.b32 %r7, %r1, 3;
  add.s32 %r7, %r7, %r8;
  .loc 1 29 1
  ld.shared.u32 %r9, [%r7];
  setp.lt.u32 %p3, %r3, %r5;
  add.s32 %r3, %r3, 1;
  .loc 1 30 1
  @%p3 bra again;
  add.s32 %r2, %r2, 1;
  setp.lt.u32 %p4, %r2, 2;
  @%p4 bra outer;
  ret;
}
)";

cc::kernel_code kernel_of(const std::string& text) {
  cc::kernel_code result = cc::read_ptx(text).at(0);
  result.loops_are_as_written = true;
  return result;
}

struct found_cost {
  std::uint64_t requests = 0, wavefronts = 0, minimum = 0, maximum = 0;
  bool operator==(const found_cost&) const = default;
};
found_cost cost_of(const cc::kernel_code& kernel, const cc::launch& options) {
  const cc::priced costs = cc::priced_on(bm::nvidia::sm_90, cc::run(kernel, options));
  return {costs.cost.requests, costs.cost.wavefronts, costs.minimum, costs.maximum};
}

std::vector<std::uint8_t> words(const std::vector<std::uint32_t>& values) {
  std::vector<std::uint8_t> result;
  for (const std::uint32_t value : values)
    for (int byte = 0; byte < 4; ++byte)
      result.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
  return result;
}

cc::launch with_data(const std::vector<std::uint32_t>& counts,
                     const std::vector<std::uint32_t>& stops) {
  cc::launch options{.block = {64}};
  options.data["p0"] = {"counts.bin", words(counts)};
  options.data["p1"] = {"stops.bin", words(stops)};
  return options;
}

cc::assumption goes_on(std::uint64_t minimum, std::uint64_t maximum) {
  return {false, {{minimum, maximum}}};
}

std::string error_of(const cc::kernel_code& kernel, const cc::launch& options) {
  try {
    cc::run(kernel, options);
  } catch (const cc::cannot_run& error) {
    return std::string(error.what()) + "; " + error.right;
  }
  return "";
}

}  // namespace

TEST_CASE("a number of iterations counts as data with this number do") {
  const cc::kernel_code kernel = kernel_of(loops);
  for (std::uint32_t count = 0; count < 7; ++count)
    for (std::uint32_t stop = 0; stop < 7; ++stop) {
      const std::vector<std::uint32_t> counts(128, count), stops(128, stop);
      cc::launch options{.block = {64}};
      options.assumed = {
          {20, goes_on(count, count)}, {25, goes_on(stop, stop)}, {30, goes_on(count, count)}};
      INFO(count << " " << stop);
      CHECK(cost_of(kernel, options) == cost_of(kernel, with_data(counts, stops)));
      // What is known does not have to be assumed.
      options.data["p1"] = {"stops.bin", words(stops)};
      options.assumed.erase(25);
      CHECK(cost_of(kernel, options) == cost_of(kernel, with_data(counts, stops)));
    }
}

TEST_CASE("taken goes on with a loop, not-taken leaves it") {
  const cc::kernel_code kernel = kernel_of(loops);
  const std::vector<std::uint32_t> never(128, 99);
  for (const bool is_taken : {false, true}) {
    cc::launch options{.block = {64}};
    options.assumed = {{20, goes_on(3, 3)}, {25, {is_taken, {}}}, {30, {false, {}}}};
    cc::launch wanted = with_data(std::vector<std::uint32_t>(128, 3),
                                  is_taken ? never : std::vector<std::uint32_t>(128, 0));
    const cc::recording recorded = cc::run(kernel, options);
    REQUIRE(recorded.notes.size() == 3);
    CHECK(recorded.notes[1].starts_with(is_taken ? "line 25 was assumed to go on with the loop;"
                                                 : "line 25 was assumed to leave the loop;"));
    CHECK(recorded.notes[2].starts_with("line 30 was assumed to leave the loop;"));
    // The loop of line 30 is left at once here, and goes on 3 times there: one request for each.
    const auto requests_but_line_29 = [&](const cc::launch& candidate) {
      std::uint64_t sum = 0;
      for (const cc::recorded_access& access : cc::run(kernel, candidate).accesses)
        if (!access.is_global && access.location.line != 29) sum += access.requests;
      return sum;
    };
    CHECK(requests_but_line_29(options) == requests_but_line_29(wanted));
    CHECK(requests_but_line_29(options) == (is_taken ? 2 * 2 * 3 * 2u : 2 * 2u));
  }
}

TEST_CASE("a note says what was assumed") {
  cc::launch options{.block = {64}};
  options.assumed = {{20, goes_on(3, 3)}, {25, goes_on(0, 1)}, {30, goes_on(1, 1)}};
  options.bounds = true;
  const cc::recording recorded = cc::run(kernel_of(loops), options);
  REQUIRE(recorded.notes.size() == 3);
  CHECK(
      recorded.notes[0].starts_with("line 20 was assumed to go on 3 times; it depends on a load"));
  CHECK(recorded.notes[1].starts_with("line 25 was assumed to go on 0 to 1 time; it depends on"));
  CHECK(recorded.notes[2].starts_with("line 30 was assumed to go on 1 time; it depends on"));
}

TEST_CASE("with a range of iterations, all data in it cost between the least and the most") {
  const cc::kernel_code kernel = kernel_of(loops);
  std::mt19937 engine(16);
  const auto dice = [&] { return static_cast<std::uint32_t>(engine()); };
  int narrow = 0;
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t minimum = dice() % 4, maximum = minimum + dice() % 4;
    const std::uint32_t first = dice() % 4, last = first + dice() % 4;
    cc::launch options{.block = {64}};
    options.bounds = true;
    options.assumed = {{20, goes_on(minimum, maximum)},
                       {25, goes_on(first, last)},
                       {30, goes_on(minimum, maximum)}};
    const found_cost bounds = cost_of(kernel, options);
    if (minimum == maximum && first == last) ++narrow;
    CHECK((minimum != maximum || first != last || bounds.maximum == 0));
    std::uint64_t seen = 0;
    for (int data = 0; data < 20; ++data) {
      std::vector<std::uint32_t> counts(128), stops(128);
      for (std::uint32_t& count : counts) count = minimum + dice() % (maximum - minimum + 1);
      for (std::uint32_t& stop : stops) stop = first + dice() % (last - first + 1);
      if (data == 0) counts.assign(128, maximum), stops.assign(128, last);
      const found_cost exact = cost_of(kernel, with_data(counts, stops));
      INFO(minimum << ".." << maximum << " " << first << ".." << last);
      CHECK(exact.wavefronts >= bounds.wavefronts + bounds.minimum);
      CHECK(exact.wavefronts <= bounds.wavefronts + bounds.maximum);
      seen = std::max(seen, exact.wavefronts);
    }
    // Without a second exit the most is that of the most iterations; where lanes may be fewer,
    // requests of W = N cannot cost more.
    if (last > maximum && first > maximum) CHECK(seen == bounds.wavefronts + bounds.maximum);
  }
  CHECK(narrow > 0);
}

TEST_CASE("ranges where threads may come to the loop again") {
  // A thread that leaves by `ret` never joins the others: the outer loop comes again before.
  std::string text = loops;
  const std::string exit = "@%p2 bra done;";
  text.replace(text.find(exit), exit.size(), "@%p2 ret;");
  const cc::kernel_code kernel = kernel_of(text);
  cc::launch options{.block = {64}};
  options.bounds = true;
  options.assumed = {{20, goes_on(0, 2)}, {25, goes_on(9, 9)}, {30, goes_on(1, 1)}};
  CHECK(error_of(kernel, options) ==
        "threads that leave the loop here may come to it again before others; give one number, "
        "--assume 20=4");
  options.assumed[20] = goes_on(2, 2);
  const std::vector<std::uint32_t> stops(128, 9);
  options.data["p1"] = {"stops.bin", words(stops)};
  options.assumed.erase(25);
  options.assumed[30] = goes_on(2, 2);
  CHECK(cost_of(kernel, options) ==
        cost_of(kernel, with_data(std::vector<std::uint32_t>(128, 2), stops)));
}

TEST_CASE("errors of loops on data") {
  cc::kernel_code kernel = kernel_of(loops);
  cc::launch options{.block = {64}};
  CHECK(error_of(kernel, options)
            .find("give --assume 20=4 if each thread goes on 4 times, --assume "
                  "20=0..4 with --bounds if it goes on at most 4 times, or "
                  "--data p0=FILE") != std::string::npos);
  options.assumed = {{20, goes_on(0, 3)}};
  CHECK(error_of(kernel, options) ==
        "whether the loop goes on is not known; give --bounds for the least and the most");
  options.assumed = {{20, goes_on(3, 3)}};
  kernel.loops_are_as_written = false;  // as the reader of PTX says
  CHECK(error_of(kernel, options) ==
        "the loop's number of iterations is not that of the source; give the source instead of "
        "PTX, in which loops may be unrolled");
  CHECK_FALSE(cc::read_ptx(loops).at(0).loops_are_as_written);
  // A branch inside the loop ends none.
  std::string text = loops;
  const std::string exit = "@%p2 bra done;";
  text.replace(text.find(exit), exit.size(), "@%p2 bra over;");
  text.replace(text.find("add.s32 %r3, %r3, 1;"), 0, "over: ");
  options.assumed = {{20, goes_on(1, 1)}, {25, goes_on(1, 1)}};
  CHECK(error_of(kernel_of(text), options) ==
        "no loop ends here, so that it cannot go on some number of times; give --assume 25=taken "
        "or =not-taken");
}

TEST_CASE("the option") {
  const auto error = [](const std::string& assumed, bool bounds) {
    cc::question asked;
    asked.file = "loops.ptx";
    asked.text = loops;
    asked.block = "64";
    asked.assumed = {assumed};
    asked.bounds = bounds;
    return cc::answer_to(asked).error;
  };
  CHECK(error("20=0..3", false).find("the loop's number of iterations is not that of the source") !=
        std::string::npos);
  for (const char* wrong : {"20=3..2", "20=1..", "20=..2", "20=-1", "20=4294967296", "20=1...2"})
    CHECK(error(wrong, true).find("write --assume 17=taken, --assume 17=4, or --assume 17=0..4") !=
          std::string::npos);
}
