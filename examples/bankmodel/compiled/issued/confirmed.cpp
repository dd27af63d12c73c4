// SPDX-License-Identifier: MIT
// The estimate of issued.hpp beside the widths in a cubin.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cubin.hpp"
#include "issued.hpp"

namespace compiled {

namespace {

using source_line = std::tuple<std::string, int>;  // file without folders, line

// Loads or stores of one memory whose instructions are compared: those of a line, and of the lines
// whose accesses are joined with them.
struct compared_accesses {
  std::set<source_line> lines;
  std::vector<int> accesses;
};

source_line line_of(const kernel_code& kernel, const place& where) {
  std::string file;
  if (where.file >= 0 && static_cast<std::size_t>(where.file) < kernel.files.size())
    file = kernel.files[static_cast<std::size_t>(where.file)];
  return {file.substr(file.rfind('/') + 1), where.line};
}

bool is_compared(const recorded_access& one) {
  return (one.memory.does == access_does::load || one.memory.does == access_does::store) &&
         one.requests > 0 && one.where.line > 0;
}

// Lines are one where an access of one is joined with one of the other.
std::vector<compared_accesses> compared_in(const kernel_code& kernel, const recording& of) {
  using key = std::tuple<bool, access_does, std::string, int>;
  std::map<key, std::size_t> numbers;
  std::vector<std::size_t> number(of.accesses.size());  // of each access's line
  std::vector<std::size_t> same_as;                     // of a line, itself or one before
  const auto first_of = [&](std::size_t line) {
    while (same_as[line] != line) line = same_as[line];
    return line;
  };
  for (std::size_t at = 0; at < of.accesses.size(); ++at) {
    const recorded_access& one = of.accesses[at];
    if (!is_compared(one)) continue;
    const auto [file, line] = line_of(kernel, one.where);
    number[at] = numbers.emplace(key(one.is_global, one.memory.does, file, line), numbers.size())
                     .first->second;
    if (number[at] == same_as.size()) same_as.push_back(number[at]);
    if (one.issued_with < 0) continue;
    const std::size_t mine = first_of(number[at]),
                      its = first_of(number[static_cast<std::size_t>(one.issued_with)]);
    same_as[std::max(mine, its)] = std::min(mine, its);
  }
  std::vector<compared_accesses> result(same_as.size());
  for (std::size_t at = 0; at < of.accesses.size(); ++at) {
    if (!is_compared(of.accesses[at])) continue;
    compared_accesses& to = result[first_of(number[at])];
    to.lines.insert(line_of(kernel, of.accesses[at].where));
    to.accesses.push_back(static_cast<int>(at));
  }
  return result;
}

std::set<int> issued_in(const recording& of, const compared_accesses& which) {
  std::set<int> result;
  for (const int each : which.accesses) {
    const recorded_access& one = of.accesses[static_cast<std::size_t>(each)];
    if (one.issued_with < 0) result.insert(bytes_as_issued(one));
  }
  return result;
}

std::set<int> issued_in(const cubin_code& code, const compared_accesses& which,
                        const recorded_access& as) {
  std::set<int> result;
  for (const cubin_access& one : code.accesses)
    if (one.does == as.memory.does && (as.is_global ? one.is_global : one.is_shared) &&
        which.lines.count({one.file, one.line}) != 0)
      result.insert(one.bytes);
  return result;
}

// "loads of 4 and 16 bytes", "no load"
std::string widths_text(const std::set<int>& bytes, access_does does) {
  const std::string name = does == access_does::load ? "load" : "store";
  if (bytes.empty()) return "no " + name;
  std::string all;
  for (const int one : bytes)
    all += (all.empty() ? "" : one == *bytes.rbegin() ? " and " : ", ") + std::to_string(one);
  return name + "s of " + all + (all == "1" ? " byte" : " bytes");
}

// Joins them by the first rule that gives these widths. False if none does.
bool join_to(const std::set<int>& bytes, const compared_accesses& which, recording& of) {
  for (const bool as_recorded : {false, true})
    for (const int most : {16, 8, 4}) {
      join_accesses(of, which.accesses, {most, as_recorded});
      if (issued_in(of, which) == bytes) return true;
    }
  join_accesses(of, which.accesses, {});
  return false;
}

}  // namespace

void confirm_with(const cubin_code& code, const kernel_code& kernel, recording& of) {
  for (const compared_accesses& which : compared_in(kernel, of)) {
    if (which.accesses.empty()) continue;
    const recorded_access& first = of.accesses[static_cast<std::size_t>(which.accesses[0])];
    const access_does does = first.memory.does;
    const std::set<int> estimated = issued_in(of, which), found = issued_in(code, which, first);
    issued_label label = issued_label::confirmed;
    std::string difference;
    if (found != estimated) {
      const bool is_corrected = join_to(found, which, of);
      label = is_corrected ? issued_label::corrected : issued_label::differs;
      difference = "estimated as " + widths_text(estimated, does) + "; the cubin has " +
                   widths_text(found, does) +
                   (first.is_global ? " of global memory" : " of shared memory") +
                   (is_corrected ? ", which is taken" : "; the estimate is kept");
    }
    for (const int each : which.accesses) {
      recorded_access& one = of.accesses[static_cast<std::size_t>(each)];
      one.label = label;
      one.difference = difference;
    }
  }
}

}  // namespace compiled
