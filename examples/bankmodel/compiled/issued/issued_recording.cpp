// SPDX-License-Identifier: MIT
#include "issued_recording.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "confirmed.hpp"
#include "issued.hpp"

namespace compiled {

namespace {

// Partial accesses of a memory and a line, by the name of its file.
std::set<std::tuple<bool, std::string, int>> partial_lines(const recording& of,
                                                           const kernel_code& kernel) {
  std::set<std::tuple<bool, std::string, int>> result;
  for (const recorded_access& one : of.accesses)
    if (one.is_partial) {
      const int file = one.where.file;
      result.emplace(one.is_global, file < 0 ? "" : kernel.files[static_cast<std::size_t>(file)],
                     one.where.line);
    }
  return result;
}

// True if data decide about an access of `made` whose line is known in `written`.
bool knows_less(const recording& made, const kernel_code& optimized, const recording& written,
                const kernel_code& kernel) {
  const auto unknown = partial_lines(made, optimized), allowed = partial_lines(written, kernel);
  return (made.leaves_out && !written.leaves_out) ||
         (made.leaves_out_shared && !written.leaves_out_shared) ||
         !std::includes(allowed.begin(), allowed.end(), unknown.begin(), unknown.end());
}

// Each reader numbers files, and the calls around inlined code, in the order in which it comes to
// them. Numbers of what `wanted` lacks become -1.
void number_places_as(const kernel_code& wanted, const kernel_code& now, recording& in) {
  const auto number_in = [](const auto& all, const auto& one) {
    const auto found = std::find(all.begin(), all.end(), one);
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
  };
  std::vector<int> file_numbers;
  for (const std::string& name : now.files) file_numbers.push_back(number_in(wanted.files, name));
  const auto renumber_file = [&](place& where) {
    if (where.file >= 0) where.file = file_numbers[static_cast<std::size_t>(where.file)];
  };
  std::map<int, int> known;
  const auto renumber_calls = [&](place& where) {
    if (where.calls < 0) return;
    const auto [same, is_new] = known.try_emplace(where.calls, -1);
    if (is_new) {
      std::vector<place> calls = now.calls[static_cast<std::size_t>(where.calls)];
      for (place& call : calls) renumber_file(call);
      same->second = number_in(wanted.calls, calls);
    }
    where.calls = same->second;
    where.shows_call = where.shows_call && where.calls >= 0;
  };
  for (recorded_access& access : in.accesses) {
    renumber_file(access.where);
    renumber_calls(access.where);
  }
}

}  // namespace

issued_recording record_as_issued(const optimized_code& optimized, const kernel_code& kernel,
                                  const launch& how, const recording& written,
                                  const record_function& record) {
  launch same = how;
  same.tell_long_run = {};  // it was told
  issued_recording result{written, issued_source::rules, optimized.why_not, {}};
  if (!optimized.why_not.empty()) return result;
  try {
    recording made = record(same);
    if (knows_less(made, optimized.kernel, written, kernel)) {
      result.why_not = "data decide about the code without these";
      return result;
    }
    number_places_as(kernel, optimized.kernel, made);
    join_accesses(made);
    if (!optimized.instructions) return {std::move(made), issued_source::passes, {}, {}};
    confirm_with(*optimized.instructions, kernel, written, made);
    return {std::move(made), issued_source::back_end, {}, optimized.instructions->name};
  } catch (const cannot_run& why) {
    result.why_not = why.what();
    return result;
  }
}

void take_joins(const recording& from, recording& to) {
  for (std::size_t i = 0; i < to.accesses.size(); ++i) {
    const recorded_access& one = from.accesses[i];
    if (one.requests == 0) continue;
    recorded_access& other = to.accesses[i];
    other.issued_with = one.issued_with;
    other.issued_bytes = one.issued_bytes;
    other.issued_offset = one.issued_offset;
    other.label = one.label;
    other.difference = one.difference;
  }
}

}  // namespace compiled
