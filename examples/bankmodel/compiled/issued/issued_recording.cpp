// SPDX-License-Identifier: MIT
#include "issued_recording.hpp"

#include <algorithm>

#include "issued.hpp"

namespace compiled {

namespace {

bool knows_less(const recording& one, const recording& other) {
  const auto is_partial = [](const recorded_access& access) { return access.is_partial; };
  return (one.leaves_out && !other.leaves_out) ||
         (one.leaves_out_shared && !other.leaves_out_shared) ||
         (std::any_of(one.accesses.begin(), one.accesses.end(), is_partial) &&
          std::none_of(other.accesses.begin(), other.accesses.end(), is_partial));
}

// Each reader numbers files in the order in which it comes to them.
void number_files_as(const kernel_code& wanted, const kernel_code& now, recording& in) {
  std::vector<int> number;
  for (const std::string& name : now.files) {
    const auto found = std::find(wanted.files.begin(), wanted.files.end(), name);
    number.push_back(found == wanted.files.end() ? -1
                                                 : static_cast<int>(found - wanted.files.begin()));
  }
  for (recorded_access& one : in.accesses)
    if (one.where.file >= 0) one.where.file = number[static_cast<std::size_t>(one.where.file)];
}

}  // namespace

issued_recording run_as_issued(const kernel_code& optimized, const kernel_code& kernel,
                               const launch& how, const recording& written) {
  launch same = how;
  same.tell_long_run = {};  // it was told
  issued_recording result{written, issued_source::rules, {}};
  try {
    recording made = run(optimized, same);
    if (knows_less(made, written)) {
      result.why_not = "data decide about the code without these";
      return result;
    }
    number_files_as(kernel, optimized, made);
    join_accesses(made);
    return {std::move(made), issued_source::passes, {}};
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
