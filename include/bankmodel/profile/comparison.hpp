// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_PROFILE_COMPARISON_HPP
#define BANKMODEL_PROFILE_COMPARISON_HPP

#include <bankmodel/profile/launches.hpp>
#include <bankmodel/profile/source_page.hpp>
#include <bankmodel/report/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What a profiler counted beside what the model says, on the host. A comparison is exact: two
// numbers are the same or they differ, and by how much. Why they may, examples/guide/counters.md
// says.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_compared_launch_must_have_blocks() {
  detail::fail(
      __func__,
      "0 blocks; set .blocks to those of the launch that make the described accesses, 128 * 128");
}
[[noreturn]] BANKMODEL_FN void one_launch_of_a_profile_must_be_chosen(long long number,
                                                                      long long matching,
                                                                      long long all) {
  detail::fail(__func__,
               "launch % of those of that name, which are % of the profile's %; set .named to a "
               "part of the kernel's name, and .number to 1 for the "
               "first of several",
               number, matching, all);
}
[[noreturn]] BANKMODEL_FN void a_source_page_must_have_an_instruction_for_each_access(
    long long instructions, long long lines, long long accesses) {
  detail::fail(__func__,
               "% instructions on % lines for % accesses; describe what was compiled, put `#pragma "
               "unroll 1` before loops, export with "
               "--print-source cuda,sass, or compare the launch, --page raw",
               instructions, lines, accesses);
}
}  // namespace rule

// Which launch of a profile is meant.
struct which_launch {
  // of the launch; without those whose threads are all turned off, which make no request
  std::uint64_t blocks = 0;
  std::string_view named = {};  // a part of the kernel's name; any, if empty
  int number = 0;               // 1 for the first launch of that name; 0 if there is no other
};

// A counter, measured and expected.
struct compared_counter {
  std::string of;       // the kernel as the profiler names it, or the access as text() writes it
  std::string where;    // of an access: which instruction, or which line of the source
  std::string counter;  // as the profiler names it
  exact_number measured, expected;

  bool agrees() const { return measured == expected; }
  exact_number difference() const {
    return {detail::checked_subtract(measured.digits, expected.digits), measured.places};
  }
};

struct profile_comparison {
  std::vector<compared_counter> lines;

  // Whether all do.
  bool agrees() const {
    return std::all_of(lines.begin(), lines.end(),
                       [](const compared_counter& each) { return each.agrees(); });
  }
};

namespace detail {

// The one that is meant, of launches or of launches with their instructions.
template <class Launch>
const Launch& chosen(const std::vector<Launch>& all, const which_launch& which) {
  std::vector<const Launch*> matching;
  for (const Launch& each : all)
    if (each.kernel.find(which.named) != std::string::npos) matching.push_back(&each);
  const std::size_t number = which.number <= 0 ? 1 : static_cast<std::size_t>(which.number);
  if (which.number < 0 || (which.number == 0 && matching.size() != 1) || number > matching.size())
    rule::one_launch_of_a_profile_must_be_chosen(
        which.number, static_cast<long long>(matching.size()), static_cast<long long>(all.size()));
  return *matching[number - 1];
}

// An access that makes requests.
struct expected_access {
  std::string text;
  profiled_instruction::kind does = profiled_instruction::kind::load;
  cost sum;
};

inline profiled_instruction::kind kind_of(access_kind of) {
  using kind = profiled_instruction::kind;
  switch (of) {
    case access_kind::store: return kind::store;
    case access_kind::atomic: return kind::atomic;
    case access_kind::load_matrix: return kind::load_matrix;
    case access_kind::store_matrix: return kind::store_matrix;
    default: return kind::load;
  }
}

template <class Kernel>
std::vector<expected_access> expected_accesses(const machine& m, const Kernel& kernel,
                                               std::uint64_t blocks) {
  std::vector<expected_access> result;
  for_each_access(kernel, [&](const auto& access) {
    const cost sum = total(m, kernel.block, access) * blocks;
    if (sum.requests != 0) result.push_back({text(access), kind_of(access.kind), sum});
  });
  return result;
}

// Instructions of one kind on one line as one.
inline std::vector<profiled_instruction> by_line(
    const std::vector<profiled_instruction>& instructions) {
  std::vector<profiled_instruction> result;
  for (const profiled_instruction& each : instructions) {
    const auto same =
        std::find_if(result.begin(), result.end(), [&](const profiled_instruction& other) {
          return other.does == each.does && other.file == each.file && other.line == each.line &&
                 !each.line.empty();
        });
    if (same == result.end()) {
      result.push_back(each);
      continue;
    }
    if (same->where.substr(0, 5) != "line ") same->where = line_of("line ", same->line);
    same->executed = checked_count_sum(same->executed, each.executed);
    same->wavefronts = checked_count_sum(same->wavefronts, each.wavefronts);
    same->ideal = checked_count_sum(same->ideal, each.ideal);
    same->excessive = checked_count_sum(same->excessive, each.excessive);
  }
  return result;
}

// For each access the number of the instruction that it became: the first load is the first that
// loads, and so on. Empty, if there are not as many of each kind.
inline std::vector<std::size_t> matched(const std::vector<profiled_instruction>& instructions,
                                        const std::vector<expected_access>& accesses) {
  std::vector<std::size_t> result;
  std::vector<bool> taken(instructions.size(), false);
  if (instructions.size() != accesses.size()) return {};
  for (const expected_access& access : accesses) {
    std::size_t at = 0;
    const auto fits = [&] {
      return instructions[at].does == access.does ||
             instructions[at].does == profiled_instruction::kind::unknown;
    };
    while (at < instructions.size() && (taken[at] || !fits())) ++at;
    if (at == instructions.size()) return {};
    taken[at] = true;
    result.push_back(at);
  }
  return result;
}

inline void add_lines(profile_comparison& to, const expected_access& access,
                      const profiled_instruction& seen) {
  const auto add = [&](bool has, const char* counter, std::uint64_t measured,
                       std::uint64_t expected) {
    if (has)
      to.lines.push_back({access.text, seen.where, counter, count(measured), count(expected)});
  };
  add(seen.has_executed, "Instructions Executed", seen.executed, access.sum.requests);
  add(true, "L1 Wavefronts Shared", seen.wavefronts, access.sum.wavefronts);
  add(seen.has_ideal, "L1 Wavefronts Shared Ideal", seen.ideal, access.sum.ideal);
  add(seen.has_excessive, "L1 Wavefronts Shared Excessive", seen.excessive, access.sum.conflicts());
}

}  // namespace detail

// Each counter of the launch that the library knows, in the profile's order, with what the
// kernel's blocks make of it on `m`: which must be of the GPU that was profiled. Refused: no
// blocks; what total() refuses; a count that overflows.
template <class... Accesses>
profile_comparison compare_with_launch(const machine& m,
                                       const kernel_description<Accesses...>& kernel,
                                       std::uint64_t blocks, const profiled_launch& launch) {
  using detail::operator+;
  if (blocks == 0) rule::a_compared_launch_must_have_blocks();
  expected_launch sum;
  for_each_access(kernel, [&](const auto& access) {
    sum = sum + detail::expected(m, kernel.block, access, blocks);
  });
  profile_comparison result;
  for (const profiled_counter& each : launch.counters)
    if (const auto* known = detail::counter_named(each.name))
      result.lines.push_back(
          {launch.kernel, {}, each.name, each.value, detail::expected_of(sum, *known, each.value)});
  return result;
}

// The same access by access: four lines for each that makes a request, as far as the page has
// them. The accesses must be described in the order of the code; the first load is taken for the
// first instruction that loads, the first store for the first that stores, and so on. Where a kind
// has more instructions than accesses (an unrolled loop), those on one line of the source count as
// one, if the page has lines. Further refused: other numbers of instructions and accesses.
template <class... Accesses>
profile_comparison compare_with_source(const machine& m,
                                       const kernel_description<Accesses...>& kernel,
                                       std::uint64_t blocks, const profiled_source& source) {
  if (blocks == 0) rule::a_compared_launch_must_have_blocks();
  const auto accesses = detail::expected_accesses(m, kernel, blocks);
  const auto lines = detail::by_line(source.instructions);
  const auto* seen = &source.instructions;
  auto which = detail::matched(*seen, accesses);
  if (which.empty()) seen = &lines, which = detail::matched(lines, accesses);
  if (which.empty() && !(accesses.empty() && lines.empty()))
    rule::a_source_page_must_have_an_instruction_for_each_access(
        static_cast<long long>(source.instructions.size()), static_cast<long long>(lines.size()),
        static_cast<long long>(accesses.size()));
  profile_comparison result;
  for (std::size_t at = 0; at < accesses.size(); ++at)
    detail::add_lines(result, accesses[at], (*seen)[which[at]]);
  return result;
}

// What the profiler exported as `csv` beside what the kernel costs on `m`: line by line for Nsight
// Compute's source page, and for a launch otherwise. The model counts a block, so the user says
// how many the launch had. Refused: a launch that is not there or not the only one; what
// launches_of(), sources_of() and the two functions above refuse.
//
// compare_with_profile(nvidia::sm_90, kernel(block_dim{32, 32}, load(tile[tx][ty])), {.blocks =
// 100}, csv) of float tile[32][32] expects 102,400 of
// l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum.
template <class... Accesses>
profile_comparison compare_with_profile(const machine& m,
                                        const kernel_description<Accesses...>& kernel,
                                        const which_launch& which, std::string_view csv) {
  const auto sources = sources_of(csv);
  if (!sources.empty())
    return compare_with_source(m, kernel, which.blocks, detail::chosen(sources, which));
  return compare_with_launch(m, kernel, which.blocks, detail::chosen(launches_of(csv), which));
}

// As a table, under the kernel or each access. The last line has its end.
//   transpose(float *, const float *) l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
//   measured 88  expected 0  differs by 88
inline std::string text(const profile_comparison& comparison) {
  std::size_t name = 0, measured = 0, expected = 0;
  for (const compared_counter& each : comparison.lines) {
    name = std::max(name, each.counter.size());
    measured = std::max(measured, text(each.measured).size());
    expected = std::max(expected, text(each.expected).size());
  }
  std::string result, above;
  for (const compared_counter& each : comparison.lines) {
    const std::string heading =
        each.where.empty() ? each.of : detail::line_of(each.of, "    (", each.where, ")");
    if (heading != above) result += detail::line_of(heading, "\n");
    above = heading;
    const std::string seen = text(each.measured), wanted = text(each.expected);
    result += detail::line_of(
        "  ", each.counter, std::string(name - each.counter.size(), ' '), "  measured ",
        std::string(measured - seen.size(), ' '), seen, "  expected ",
        std::string(expected - wanted.size(), ' '), wanted,
        each.agrees() ? "  agrees\n"
                      : detail::line_of("  differs by ", text(each.difference()), "\n"));
  }
  return result;
}

}  // namespace bankmodel

#endif
