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
std::set<std::tuple<bool, std::string, int>> partial_lines(const recording& recorded,
                                                           const kernel_code& kernel) {
  std::set<std::tuple<bool, std::string, int>> result;
  for (const recorded_access& access : recorded.accesses)
    if (access.is_partial) {
      const int file = access.location.file;
      result.emplace(access.is_global, file < 0 ? "" : kernel.files[slot(file)],
                     access.location.line);
    }
  return result;
}

// True if data decide about an access of `issued` whose line is known in `written`.
bool knows_less(const recording& issued, const kernel_code& optimized, const recording& written,
                const kernel_code& kernel) {
  const auto unknown = partial_lines(issued, optimized), allowed = partial_lines(written, kernel);
  return (issued.leaves_out && !written.leaves_out) ||
         (issued.leaves_out_shared && !written.leaves_out_shared) ||
         !std::ranges::includes(allowed, unknown);
}

// Each reader numbers files, and the calls around inlined code, in the order in which it comes to
// them. Numbers of what `wanted` lacks become -1.
void number_places_as(const kernel_code& wanted, const kernel_code& current, recording& recorded) {
  const auto number_in = [](const auto& list, const auto& item) {
    const auto match = std::find(list.begin(), list.end(), item);
    return match == list.end() ? -1 : static_cast<int>(match - list.begin());
  };
  std::vector<int> file_numbers;
  for (const std::string& name : current.files)
    file_numbers.push_back(number_in(wanted.files, name));
  const auto renumber_file = [&](place& position) {
    if (position.file >= 0) position.file = file_numbers[slot(position.file)];
  };
  std::map<int, int> known;
  const auto renumber_calls = [&](place& position) {
    if (position.calls < 0) return;
    const auto [same, is_new] = known.try_emplace(position.calls, -1);
    if (is_new) {
      std::vector<place> calls = current.calls[slot(position.calls)];
      for (place& call : calls) renumber_file(call);
      same->second = number_in(wanted.calls, calls);
    }
    position.calls = same->second;
    position.shows_call = position.shows_call && position.calls >= 0;
  };
  for (recorded_access& access : recorded.accesses) {
    renumber_file(access.location);
    renumber_calls(access.location);
  }
}

}  // namespace

issued_recording record_as_issued(const optimized_code& optimized, const kernel_code& kernel,
                                  const launch& options, const recording& written,
                                  const record_function& record) {
  launch same = options;
  same.tell_long_run = {};  // it was told
  issued_recording result{written, issued_source::rules, optimized.why_not, {}};
  if (!optimized.why_not.empty()) return result;
  try {
    recording issued = record(same);
    if (knows_less(issued, optimized.kernel, written, kernel)) {
      result.why_not = "data decide about the code without these";
      return result;
    }
    number_places_as(kernel, optimized.kernel, issued);
    join_accesses(issued);
    if (!optimized.instructions) return {std::move(issued), issued_source::passes, {}, {}};
    confirm_with(*optimized.instructions, kernel, written, issued);
    return {std::move(issued), issued_source::back_end, {}, optimized.instructions->name};
  } catch (const cannot_run& failure) {
    result.why_not = failure.what();
    return result;
  }
}

void take_joins(const recording& source, recording& target) {
  for (std::size_t i = 0; i < target.accesses.size(); ++i) {
    const recorded_access& access = source.accesses[i];
    if (access.requests == 0) continue;
    recorded_access& other = target.accesses[i];
    other.issued_with = access.issued_with;
    other.issued_bytes = access.issued_bytes;
    other.issued_offset = access.issued_offset;
    other.label = access.label;
    other.difference = access.difference;
  }
}

}  // namespace compiled
