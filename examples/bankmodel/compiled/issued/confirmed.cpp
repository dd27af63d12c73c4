// SPDX-License-Identifier: MIT
// The estimate of issued.hpp beside the widths in machine code.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "../code/shown_places.hpp"
#include "confirmed.hpp"
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

// The first line of the innermost statement that has this line. Compilers choose different lines of
// one statement for an instruction.
source_line statement_of(const kernel_code& kernel, source_line line) {
  const statement_lines* innermost = nullptr;
  for (const statement_lines& one : kernel.statements)
    if (one.file == std::get<0>(line) && one.first <= std::get<1>(line) &&
        std::get<1>(line) <= one.last && (innermost == nullptr || one.first >= innermost->first))
      innermost = &one;
  if (innermost != nullptr) std::get<1>(line) = innermost->first;
  return line;
}

source_line line_of(const kernel_code& kernel, const place& shown) {
  const place where = innermost(kernel, shown);
  std::string file;
  if (where.file >= 0 && static_cast<std::size_t>(where.file) < kernel.files.size())
    file = kernel.files[static_cast<std::size_t>(where.file)];
  return statement_of(kernel, {file.substr(file.rfind('/') + 1), where.line});
}

bool is_compared(const recorded_access& one) {
  return (one.memory.does == access_does::load || one.memory.does == access_does::store) &&
         one.where.line > 0;
}

bool is_issued(const recorded_access& one) { return one.issued_with < 0 && one.requests > 0; }

// Lines whose accesses the estimate has removed are compared too.
void add_removed(const kernel_code& kernel, const recording& written, recording& issued) {
  using key = std::tuple<bool, access_does, std::string, int>;
  std::set<key> known;
  const auto key_of = [&](const recorded_access& one) {
    const auto [file, line] = line_of(kernel, one.where);
    return key(one.is_global, one.memory.does, file, line);
  };
  for (const recorded_access& one : issued.accesses) known.insert(key_of(one));
  for (const recorded_access& one : written.accesses) {
    if (!is_compared(one) || one.requests == 0 || !known.insert(key_of(one)).second) continue;
    recorded_access removed;
    removed.where = one.where;
    removed.memory = one.memory;
    removed.is_global = one.is_global;
    removed.array = one.array;
    issued.accesses.push_back(std::move(removed));
  }
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
  }
  for (std::size_t at = 0; at < of.accesses.size(); ++at) {
    const recorded_access& one = of.accesses[at];
    if (!is_compared(one) || one.issued_with < 0) continue;
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
    if (is_issued(one)) result.insert(bytes_as_issued(one));
  }
  return result;
}

bool is_like(const machine_access& one, const recorded_access& other) {
  return one.does == other.memory.does && (other.is_global ? one.is_global : one.is_shared);
}

std::set<int> issued_in(const machine_code& code, const kernel_code& kernel,
                        const compared_accesses& which, const recorded_access& as) {
  std::set<int> result;
  for (const machine_access& one : code.accesses)
    if (is_like(one, as) && which.lines.count(statement_of(kernel, {one.file, one.line})) != 0)
      result.insert(one.bytes);
  return result;
}

// A warp executes an instruction that is in no loop at most once. Empty if no more requests are
// counted than that makes: ptxas leaves out loads of equal words.
std::string too_many_requests(const machine_code& code, const kernel_code& kernel,
                              const compared_accesses& which, const recording& of, int warps) {
  if (warps == 0) return {};
  const recorded_access& first = of.accesses[static_cast<std::size_t>(which.accesses[0])];
  std::uint64_t counted = 0, found = 0;
  for (const int each : which.accesses) {
    const recorded_access& one = of.accesses[static_cast<std::size_t>(each)];
    if (is_issued(one)) counted += one.requests;
  }
  for (const machine_access& one : code.accesses) {
    if (!is_like(one, first) || which.lines.count(statement_of(kernel, {one.file, one.line})) == 0)
      continue;
    if (one.is_repeated) return {};
    ++found;
  }
  const std::uint64_t most = found * static_cast<std::uint64_t>(warps);
  if (found == 0 || counted <= most) return {};
  return "the " + code.name + " makes at most " + std::to_string(most) + " requests of the " +
         std::to_string(counted) + " that are counted as issued";
}

// Lines with accesses like this one.
std::set<source_line> lines_like(const std::vector<compared_accesses>& all, const recording& of,
                                 const recorded_access& as) {
  std::set<source_line> result;
  for (const compared_accesses& which : all) {
    if (which.accesses.empty()) continue;
    const recorded_access& first = of.accesses[static_cast<std::size_t>(which.accesses[0])];
    if (first.is_global == as.is_global && first.memory.does == as.memory.does)
      result.insert(which.lines.begin(), which.lines.end());
  }
  return result;
}

// The widths of instructions at lines that have no such access: compilers that move or join
// accesses may forget their line.
std::set<int> issued_elsewhere(const machine_code& code, const kernel_code& kernel,
                               const std::vector<compared_accesses>& all, const recording& of,
                               const recorded_access& as) {
  const std::set<source_line> lines = lines_like(all, of, as);
  std::set<int> result;
  for (const machine_access& one : code.accesses)
    if (is_like(one, as) && lines.count(statement_of(kernel, {one.file, one.line})) == 0)
      result.insert(one.bytes);
  return result;
}

// True if no other line than this has such accesses and no instruction.
bool is_alone_without(const machine_code& code, const kernel_code& kernel,
                      const std::vector<compared_accesses>& all, const recording& of,
                      const recorded_access& as) {
  return std::count_if(all.begin(), all.end(), [&](const compared_accesses& which) {
           if (which.accesses.empty()) return false;
           const recorded_access& first = of.accesses[static_cast<std::size_t>(which.accesses[0])];
           return first.is_global == as.is_global && first.memory.does == as.memory.does &&
                  !issued_in(of, which).empty() && issued_in(code, kernel, which, first).empty();
         }) == 1;
}

void remove(recorded_access& one) {
  one.classes.clear();
  one.bounded.clear();
  one.requests = 0;
  one.issued_with = -1;
  one.issued_bytes = one.issued_offset = 0;
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
  // ptxas joins halves and bytes where their values are packed already, which PTX does not show.
  for (const int least : {4, 2, 1})
    for (const bool as_recorded : {false, true})
      for (const int most : {16, 8, 4}) {
        join_accesses(of, which.accesses, {most, as_recorded, least});
        if (issued_in(of, which) == bytes) return true;
      }
  join_accesses(of, which.accesses, {});
  return false;
}

}  // namespace

void confirm_with(const machine_code& code, const kernel_code& kernel, const recording& written,
                  recording& of, int warps) {
  add_removed(kernel, written, of);
  const std::vector<compared_accesses> all = compared_in(kernel, of);
  for (const compared_accesses& which : all) {
    if (which.accesses.empty()) continue;
    const recorded_access& first = of.accesses[static_cast<std::size_t>(which.accesses[0])];
    const access_does does = first.memory.does;
    const std::set<int> estimated = issued_in(of, which);
    std::set<int> found = issued_in(code, kernel, which, first);
    const std::set<int> elsewhere = issued_elsewhere(code, kernel, all, of, first);
    if (found.empty() && !estimated.empty() && is_alone_without(code, kernel, all, of, first))
      found = elsewhere;
    issued_label label = issued_label::confirmed;
    std::string difference;
    if (found != estimated) {
      const bool is_removed = found.empty() && elsewhere.empty();
      const bool is_corrected = is_removed || (!found.empty() && join_to(found, which, of));
      label = is_corrected ? issued_label::corrected : issued_label::differs;
      difference = "estimated as " + widths_text(estimated, does) + "; the " + code.name + " has " +
                   widths_text(found, does) +
                   (first.is_global ? " of global memory" : " of shared memory") +
                   (is_corrected ? ", which is taken" : "; the estimate is kept");
    }
    if (const std::string more = too_many_requests(code, kernel, which, of, warps); !more.empty())
      difference += (difference.empty() ? "" : "; ") + more;
    for (const int each : which.accesses) {
      recorded_access& one = of.accesses[static_cast<std::size_t>(each)];
      one.label = label;
      one.difference = difference;
      if (found.empty() && label == issued_label::corrected) remove(one);
    }
  }
}

}  // namespace compiled
