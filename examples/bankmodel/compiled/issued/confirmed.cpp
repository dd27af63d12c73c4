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
  for (const statement_lines& statement : kernel.statements)
    if (statement.file == std::get<0>(line) && statement.first <= std::get<1>(line) &&
        std::get<1>(line) <= statement.last &&
        (innermost == nullptr || statement.first >= innermost->first))
      innermost = &statement;
  if (innermost != nullptr) std::get<1>(line) = innermost->first;
  return line;
}

source_line line_of(const kernel_code& kernel, const place& shown) {
  const place position = innermost(kernel, shown);
  std::string file;
  if (position.file >= 0 && static_cast<std::size_t>(position.file) < kernel.files.size())
    file = kernel.files[slot(position.file)];
  return statement_of(kernel, {file.substr(file.rfind('/') + 1), position.line});
}

bool is_compared(const recorded_access& access) {
  return (access.memory.operation == access_does::load ||
          access.memory.operation == access_does::store) &&
         access.location.line > 0;
}

bool is_issued(const recorded_access& access) {
  return access.issued_with < 0 && access.requests > 0;
}

// Lines whose accesses the estimate has removed are compared too.
void add_removed(const kernel_code& kernel, const recording& written, recording& issued) {
  using key = std::tuple<bool, access_does, std::string, int>;
  std::set<key> known;
  const auto key_of = [&](const recorded_access& access) {
    const auto [file, line] = line_of(kernel, access.location);
    return key(access.is_global, access.memory.operation, file, line);
  };
  for (const recorded_access& access : issued.accesses) known.insert(key_of(access));
  for (const recorded_access& access : written.accesses) {
    if (!is_compared(access) || access.requests == 0 || !known.insert(key_of(access)).second)
      continue;
    recorded_access removed;
    removed.location = access.location;
    removed.memory = access.memory;
    removed.is_global = access.is_global;
    removed.array = access.array;
    issued.accesses.push_back(std::move(removed));
  }
}

// Lines are one where an access of one is joined with one of the other.
std::vector<compared_accesses> compared_in(const kernel_code& kernel, const recording& issued) {
  using key = std::tuple<bool, access_does, std::string, int>;
  std::map<key, std::size_t> numbers;
  std::vector<std::size_t> number(issued.accesses.size());  // of each access's line
  std::vector<std::size_t> same_as;                         // of a line, itself or one before
  const auto first_of = [&](std::size_t line) {
    while (same_as[line] != line) line = same_as[line];
    return line;
  };
  for (std::size_t index = 0; index < issued.accesses.size(); ++index) {
    const recorded_access& access = issued.accesses[index];
    if (!is_compared(access)) continue;
    const auto [file, line] = line_of(kernel, access.location);
    number[index] =
        numbers.emplace(key(access.is_global, access.memory.operation, file, line), numbers.size())
            .first->second;
    if (number[index] == same_as.size()) same_as.push_back(number[index]);
  }
  for (std::size_t index = 0; index < issued.accesses.size(); ++index) {
    const recorded_access& access = issued.accesses[index];
    if (!is_compared(access) || access.issued_with < 0) continue;
    const std::size_t mine = first_of(number[index]),
                      partner = first_of(number[slot(access.issued_with)]);
    same_as[std::max(mine, partner)] = std::min(mine, partner);
  }
  std::vector<compared_accesses> result(same_as.size());
  for (std::size_t index = 0; index < issued.accesses.size(); ++index) {
    if (!is_compared(issued.accesses[index])) continue;
    compared_accesses& group = result[first_of(number[index])];
    group.lines.insert(line_of(kernel, issued.accesses[index].location));
    group.accesses.push_back(static_cast<int>(index));
  }
  return result;
}

std::set<int> issued_in(const recording& issued, const compared_accesses& group) {
  std::set<int> result;
  for (const int number : group.accesses) {
    const recorded_access& access = issued.accesses[slot(number)];
    if (is_issued(access)) result.insert(bytes_as_issued(access));
  }
  return result;
}

bool is_like(const machine_access& instruction, const recorded_access& other) {
  return instruction.operation == other.memory.operation &&
         (other.is_global ? instruction.is_global : instruction.is_shared);
}

std::set<int> issued_in(const machine_code& code, const kernel_code& kernel,
                        const compared_accesses& group, const recorded_access& access) {
  std::set<int> result;
  for (const machine_access& instruction : code.accesses)
    if (is_like(instruction, access) &&
        group.lines.count(statement_of(kernel, {instruction.file, instruction.line})) != 0)
      result.insert(instruction.bytes);
  return result;
}

// A warp executes an instruction that is in no loop at most once. Empty if no more requests are
// counted than that makes: ptxas leaves out loads of equal words.
std::string too_many_requests(const machine_code& code, const kernel_code& kernel,
                              const compared_accesses& group, const recording& issued, int warps) {
  if (warps == 0) return {};
  const recorded_access& first = issued.accesses[slot(group.accesses[0])];
  std::uint64_t counted = 0, instructions = 0;
  for (const int number : group.accesses) {
    const recorded_access& access = issued.accesses[slot(number)];
    if (is_issued(access)) counted += access.requests;
  }
  for (const machine_access& instruction : code.accesses) {
    if (!is_like(instruction, first) ||
        group.lines.count(statement_of(kernel, {instruction.file, instruction.line})) == 0)
      continue;
    if (instruction.is_repeated) return {};
    ++instructions;
  }
  const std::uint64_t maximum = instructions * static_cast<std::uint64_t>(warps);
  if (instructions == 0 || counted <= maximum) return {};
  return "the " + code.name + " makes at most " + std::to_string(maximum) + " requests of the " +
         std::to_string(counted) + " that are counted as issued";
}

// Lines with accesses like this one.
std::set<source_line> lines_like(const std::vector<compared_accesses>& groups,
                                 const recording& issued, const recorded_access& access) {
  std::set<source_line> result;
  for (const compared_accesses& group : groups) {
    if (group.accesses.empty()) continue;
    const recorded_access& first = issued.accesses[slot(group.accesses[0])];
    if (first.is_global == access.is_global && first.memory.operation == access.memory.operation)
      result.insert(group.lines.begin(), group.lines.end());
  }
  return result;
}

// The widths of instructions at lines that have no such access: compilers that move or join
// accesses may forget their line.
std::set<int> issued_elsewhere(const machine_code& code, const kernel_code& kernel,
                               const std::vector<compared_accesses>& groups,
                               const recording& issued, const recorded_access& access) {
  const std::set<source_line> lines = lines_like(groups, issued, access);
  std::set<int> result;
  for (const machine_access& instruction : code.accesses)
    if (is_like(instruction, access) &&
        lines.count(statement_of(kernel, {instruction.file, instruction.line})) == 0)
      result.insert(instruction.bytes);
  return result;
}

// True if no other line than this has such accesses and no instruction.
bool is_alone_without(const machine_code& code, const kernel_code& kernel,
                      const std::vector<compared_accesses>& groups, const recording& issued,
                      const recorded_access& access) {
  return std::count_if(groups.begin(), groups.end(), [&](const compared_accesses& group) {
           if (group.accesses.empty()) return false;
           const recorded_access& first = issued.accesses[slot(group.accesses[0])];
           return first.is_global == access.is_global &&
                  first.memory.operation == access.memory.operation &&
                  !issued_in(issued, group).empty() &&
                  issued_in(code, kernel, group, first).empty();
         }) == 1;
}

void remove(recorded_access& access) {
  access.classes.clear();
  access.bounded.clear();
  access.requests = 0;
  access.issued_with = -1;
  access.issued_bytes = access.issued_offset = 0;
}

// "loads of 4 and 16 bytes", "no load"
std::string widths_text(const std::set<int>& bytes, access_does operation) {
  const std::string name = operation == access_does::load ? "load" : "store";
  if (bytes.empty()) return "no " + name;
  std::string list;
  for (const int width : bytes)
    list += (list.empty() ? "" : width == *bytes.rbegin() ? " and " : ", ") + std::to_string(width);
  return name + "s of " + list + (list == "1" ? " byte" : " bytes");
}

// Joins them by the first rule that gives these widths. False if none does.
bool join_to(const std::set<int>& bytes, const compared_accesses& group, recording& issued) {
  // ptxas joins halves and bytes where their values are packed already, which PTX does not show.
  for (const int minimum : {4, 2, 1})
    for (const bool as_recorded : {false, true})
      for (const int maximum : {16, 8, 4}) {
        join_accesses(issued, group.accesses, {maximum, as_recorded, minimum});
        if (issued_in(issued, group) == bytes) return true;
      }
  join_accesses(issued, group.accesses, {});
  return false;
}

}  // namespace

void confirm_with(const machine_code& code, const kernel_code& kernel, const recording& written,
                  recording& issued, int warps) {
  add_removed(kernel, written, issued);
  const std::vector<compared_accesses> groups = compared_in(kernel, issued);
  for (const compared_accesses& group : groups) {
    if (group.accesses.empty()) continue;
    const recorded_access& first = issued.accesses[slot(group.accesses[0])];
    const access_does operation = first.memory.operation;
    const std::set<int> estimated = issued_in(issued, group);
    std::set<int> widths = issued_in(code, kernel, group, first);
    const std::set<int> elsewhere = issued_elsewhere(code, kernel, groups, issued, first);
    if (widths.empty() && !estimated.empty() &&
        is_alone_without(code, kernel, groups, issued, first))
      widths = elsewhere;
    issued_label label = issued_label::confirmed;
    std::string difference;
    if (widths != estimated) {
      const bool is_removed = widths.empty() && elsewhere.empty();
      const bool is_corrected = is_removed || (!widths.empty() && join_to(widths, group, issued));
      label = is_corrected ? issued_label::corrected : issued_label::differs;
      difference = "estimated as " + widths_text(estimated, operation) + "; the " + code.name +
                   " has " + widths_text(widths, operation) +
                   (first.is_global ? " of global memory" : " of shared memory") +
                   (is_corrected ? ", which is taken" : "; the estimate is kept");
    }
    if (const std::string excess = too_many_requests(code, kernel, group, issued, warps);
        !excess.empty())
      difference += (difference.empty() ? "" : "; ") + excess;
    for (const int number : group.accesses) {
      recorded_access& access = issued.accesses[slot(number)];
      access.label = label;
      access.difference = difference;
      if (widths.empty() && label == issued_label::corrected) remove(access);
    }
  }
}

}  // namespace compiled
