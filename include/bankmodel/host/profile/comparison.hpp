// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_PROFILE_COMPARISON_HPP
#define BANKMODEL_HOST_PROFILE_COMPARISON_HPP

#include <bankmodel/host/profile/detail/instructions_of_accesses.hpp>
#include <bankmodel/host/profile/launches.hpp>
#include <bankmodel/host/profile/source_page.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Compares a profiler's counters with the model (host only). The comparison is exact: two
// numbers are equal or not, and their difference is given. examples/guide/counters.md lists the
// reasons for differences.
//
// Example: 100 blocks of 32 x 32 threads that read float tile[32][32] by columns on an H100.
// `ncu --csv --print-units base --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
// ./program > export.csv` exports the counters. The text of export.csv is compared with the model:
// one block has 32 warps, each with a 32-way conflict, 32 requests and 1024 wavefronts. So the
// counter is expected to be 100 * 1024 = 102,400:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 32);
//   const std::string csv =
//       "ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n"
//       "0,read_columns(float *),l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,,102400\n";
//   const auto compared = compare_with_profile(
//       nvidia::sm_90, kernel(block_dim{32, 32}, load(tile[tx][ty])), {.blocks = 100}, csv);
//   assert(compared.lines[0].expected == exact_number{100 * 1024} && compared.agrees());
//   assert(text(compared) ==
//          "read_columns(float *)\n"
//          "  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum  measured 102,400  expected "
//          "102,400  agrees\n");
//
// Counters of global memory are compared with traffic(), of all blocks of .grid: a kernel that also
// has load(in[32 * by + ty][32 * bx + tx]) of global float in[1024][1024] is expected to have
// 131,072 for l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum with {.grid = {32, 32}}.
//
// A difference means that the compiled kernel makes other accesses than those described, that other
// work is counted too, or that the machine's record is wrong. It reads the CSV of Nsight Compute
// (launches and source pages), nvprof and rocprof.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_compared_launch_must_have_blocks() {
  detail::fail(__func__,
               "the number of blocks is 0; set .blocks to the blocks of the launch that make "
               "the described accesses, for example 128 * 128");
}
[[noreturn]] BANKMODEL_FN void a_launch_must_have_counters_to_compare(long long counters) {
  detail::fail(__func__,
               "none of the launch's % known counters can be compared; for those of global memory "
               "describe the kernel's global accesses, and use nvprof's transactions of compute "
               "capability 7.0 and later only",
               counters);
}
[[noreturn]] BANKMODEL_FN void one_launch_of_a_profile_must_be_chosen(long long number,
                                                                      long long matching,
                                                                      long long launches) {
  detail::fail(__func__,
               ".number is %, and % of the profile's % launches have that name; set .named to a "
               "part of the kernel's name, and .number to 1 for the first of several",
               number, matching, launches);
}
[[noreturn]] BANKMODEL_FN void a_source_page_must_have_an_instruction_for_each_access(
    long long instructions, long long lines, long long accesses) {
  detail::fail(__func__,
               "the page has % instructions on % lines, but % accesses were described; describe "
               "the compiled instructions, put `#pragma unroll 1` before loops, export with "
               "--print-source cuda,sass, or compare the launch, --page raw",
               instructions, lines, accesses);
}
}  // namespace rule

// Selects a launch of a profile.
struct which_launch {
  // Blocks of the launch that issue requests (not those whose threads all exit early).
  std::uint64_t blocks = 0;
  std::string_view named = {};  // a part of the kernel's name; empty: any name
  int number = 0;               // 1 for the first launch of that name; 0 if there is only one
  // The blocks of the launch, for accesses to global memory that read the block's index. If
  // .blocks is 0, it is their number.
  grid_dim grid = {0, 0, 0};

  std::uint64_t all_blocks() const {
    return blocks != 0 || grid == grid_dim{0, 0, 0} ? blocks : grid.blocks();
  }
};

// One counter, measured and expected.
struct compared_counter {
  std::string of;       // the kernel's name in the profile, or the access as text() writes it
  std::string where;    // for an access: its instruction or source line
  std::string counter;  // its name in the profiler
  exact_number measured, expected;

  bool agrees() const { return measured == expected; }
  exact_number difference() const {
    return {detail::checked_subtract(measured.digits, expected.digits), measured.places};
  }
};

struct profile_comparison {
  std::vector<compared_counter> lines;

  // True if all counters agree.
  bool agrees() const {
    return std::all_of(lines.begin(), lines.end(),
                       [](const compared_counter& line) { return line.agrees(); });
  }
};

namespace detail {

// The selected one of launches or of launches with their instructions.
template <class Launch>
const Launch& chosen(const std::vector<Launch>& launches, const which_launch& selector) {
  std::vector<const Launch*> matching;
  for (const Launch& launch : launches)
    if (launch.kernel.find(selector.named) != std::string::npos) matching.push_back(&launch);
  const std::size_t number = selector.number <= 0 ? 1 : static_cast<std::size_t>(selector.number);
  if (selector.number < 0 || (selector.number == 0 && matching.size() != 1) ||
      number > matching.size())
    rule::one_launch_of_a_profile_must_be_chosen(selector.number,
                                                 static_cast<long long>(matching.size()),
                                                 static_cast<long long>(launches.size()));
  return *matching[number - 1];
}

inline void add_lines(profile_comparison& comparison, const expected_access& access,
                      const profiled_instruction& seen) {
  const auto add = [&](bool has, const char* counter, std::uint64_t measured,
                       std::uint64_t expected) {
    if (has)
      comparison.lines.push_back(
          {access.text, seen.where, counter, count(measured), count(expected)});
  };
  add(seen.has_executed, "Instructions Executed", seen.executed, access.sum.requests);
  add(true, "L1 Wavefronts Shared", seen.wavefronts, access.sum.wavefronts);
  add(seen.has_ideal, "L1 Wavefronts Shared Ideal", seen.ideal, access.sum.ideal);
  add(seen.has_excessive, "L1 Wavefronts Shared Excessive", seen.excessive, access.sum.conflicts());
}

}  // namespace detail

// Compares one launch with the sums over all of its blocks: each of its counters that the library
// supports, in the profile's order. Without `traffic` counters of global memory are left out.
// Error: no counter is left.
// Example: 100 blocks that each load with 32 requests and 1024 wavefronts.
//
//   expected_launch sum;
//   sum.by_kind.loads = cost{32, 1024, 32, 32} * 100;
//   profiled_launch launch;
//   launch.counters = {{"shared_load_transactions", {102400}}};
//   assert(compare_with_sums(nvidia::sm_70, sum, {}, launch).agrees());
inline profile_comparison compare_with_sums(const machine& m, const expected_launch& sum,
                                            const std::optional<expected_traffic>& traffic,
                                            const profiled_launch& launch) {
  profile_comparison result;
  std::uint64_t instructions = 0;
  for (const profiled_counter& counter : launch.counters)
    if (const auto* known = detail::counter_named(counter.name);
        known != nullptr && known->quantity == detail::counted_quantity::instructions)
      instructions = static_cast<std::uint64_t>(counter.value.digits);
  for (const profiled_counter& counter : launch.counters) {
    const auto add = [&](const std::optional<exact_number>& expected) {
      if (expected)
        result.lines.push_back({launch.kernel, {}, counter.name, counter.value, *expected});
    };
    if (const auto* known = detail::counter_named(counter.name))
      add(detail::expected_of(m, sum, *known, counter.value, instructions));
    else if (const auto* global = detail::global_counter_named(counter.name);
             traffic && global != nullptr && detail::has_meaning(*global, m))
      add(detail::expected_of(*traffic, *global, counter.value));
  }
  if (result.lines.empty() && !launch.counters.empty())
    rule::a_launch_must_have_counters_to_compare(static_cast<long long>(launch.counters.size()));
  return result;
}

// Compares one launch: each of its counters that the library supports, in the profile's order,
// with the expected value for `blocks` blocks of the kernel, or in global memory for all blocks of
// `grid`. Counters of global memory are left out if the kernel has no access to it. `m` must be the
// record of the GPU that was profiled. Error: blocks == 0; a count overflows 64 bits; a counter of
// global memory, and a global access that reads the block's index, but no grid; no counter is left;
// the errors of total() and traffic().
template <class... Accesses>
profile_comparison compare_with_launch(const machine& m,
                                       const kernel_description<Accesses...>& kernel,
                                       std::uint64_t blocks, const profiled_launch& launch,
                                       const grid_dim& grid = {0, 0, 0}) {
  if (blocks == 0) rule::a_compared_launch_must_have_blocks();
  expected_launch sum;
  expected_traffic traffic;
  bool has_global = false;
  for_each_access(kernel, [&](const auto& access) {
    has_global = has_global || access.array.memory == memory_space::global;
  });
  // Traffic needs a record of global memory, and maybe a grid: it is counted only if it is
  // compared.
  const bool is_compared =
      has_global && std::any_of(launch.counters.begin(), launch.counters.end(),
                                [](const profiled_counter& counter) {
                                  return detail::global_counter_named(counter.name) != nullptr;
                                });
  for_each_access(kernel, [&](const auto& access) {
    detail::add(sum, detail::expected(m, kernel.block, access, blocks));
    if (is_compared) detail::add_traffic(traffic, m, kernel.block, access, blocks, grid);
  });
  return compare_with_sums(
      m, sum, is_compared ? std::optional<expected_traffic>(traffic) : std::nullopt, launch);
}

// Compares one launch access by access: up to four lines for each access that issues requests,
// as far as the page has them. Accesses must be described in the order of the code: the first
// load is matched with the first instruction that loads, the first store with the first that
// stores, and so on. If a kind has more instructions than accesses (an unrolled loop), those on
// one source line count as one.
// Error: as above; the instructions and accesses do not match in number.
template <class... Accesses>
profile_comparison compare_with_source(const machine& m,
                                       const kernel_description<Accesses...>& kernel,
                                       std::uint64_t blocks, const profiled_source& source) {
  if (blocks == 0) rule::a_compared_launch_must_have_blocks();
  const auto accesses = detail::expected_accesses(m, kernel, blocks);
  const auto lines = detail::by_line(source.instructions);
  const auto* seen = &source.instructions;
  auto matches = detail::matched(*seen, accesses);
  if (matches.empty()) seen = &lines, matches = detail::matched(lines, accesses);
  if (matches.empty() && !(accesses.empty() && lines.empty()))
    rule::a_source_page_must_have_an_instruction_for_each_access(
        static_cast<long long>(source.instructions.size()), static_cast<long long>(lines.size()),
        static_cast<long long>(accesses.size()));
  profile_comparison result;
  for (std::size_t access = 0; access < accesses.size(); ++access)
    detail::add_lines(result, accesses[access], (*seen)[matches[access]]);
  return result;
}

// Compares a profiler's export `csv` with the cost of the kernel on `m`: line by line for
// Nsight Compute's source page (shared memory only), and by launch for other exports. The model
// counts one block, so selector.blocks gives the number of blocks.
// Error: no launch is selected, or more than one; the errors of launches_of(), sources_of() and
// of the two functions above.
// Example: see the top.
template <class... Accesses>
profile_comparison compare_with_profile(const machine& m,
                                        const kernel_description<Accesses...>& kernel,
                                        const which_launch& selector, std::string_view csv) {
  const auto sources = sources_of(csv);
  if (!sources.empty())
    return compare_with_source(m, kernel, selector.all_blocks(), detail::chosen(sources, selector));
  return compare_with_launch(m, kernel, selector.all_blocks(),
                             detail::chosen(launches_of(csv), selector), selector.grid);
}

// Returns a comparison as a table, under the kernel's name or each access. The last line ends
// in a newline: "  NAME  measured 88  expected 0  differs by 88" for each counter.
inline std::string text(const profile_comparison& comparison) {
  std::size_t name = 0, measured = 0, expected = 0;
  for (const compared_counter& line : comparison.lines) {
    name = std::max(name, line.counter.size());
    measured = std::max(measured, text(line.measured).size());
    expected = std::max(expected, text(line.expected).size());
  }
  std::string result, previous;
  for (const compared_counter& line : comparison.lines) {
    const std::string heading =
        line.where.empty() ? line.of : detail::line_of(line.of, "    (", line.where, ")");
    if (heading != previous) result += detail::line_of(heading, "\n");
    previous = heading;
    const std::string seen = text(line.measured), wanted = text(line.expected);
    result += detail::line_of(
        "  ", line.counter, std::string(name - line.counter.size(), ' '), "  measured ",
        std::string(measured - seen.size(), ' '), seen, "  expected ",
        std::string(expected - wanted.size(), ' '), wanted,
        line.agrees() ? "  agrees\n"
                      : detail::line_of("  differs by ", text(line.difference()), "\n"));
  }
  return result;
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
