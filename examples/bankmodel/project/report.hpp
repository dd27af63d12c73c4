// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// What a count found, as it is kept in a file, so that a later count can be compared with it.
namespace project {

// An access of one block. Where data decide, the numbers are the most that they may come to.
struct reported_access {
  bool is_global = false;
  std::string array, operation;  // as --json has them: "tile", "load"
  int bytes = 0;                 // of each lane
  int line = 0;                  // in its file
  std::string source;            // that line, without the blanks around it
  // Requests, the wavefronts or transactions that they take, and the fewest that their bytes need.
  std::uint64_t requests = 0, units = 0, ideal = 0;

  std::uint64_t excessive() const { return units - ideal; }
  bool operator==(const reported_access&) const = default;
};

struct reported_kernel {
  std::string file, name, machine;
  std::string symbol;                // as linkers have it, which overloads and instances differ by
  std::string arm;                   // ", f = 1": which of a flag's or branch's arms it is
  std::string shown;                 // the name for people: shorter
  std::string block;                 // "32x8"
  std::vector<std::string> assumed;  // "K = 1024", where nobody gave it
  bool is_partial = false;           // something of it is not counted
  std::vector<reported_access> accesses;

  // The sum over the accesses to one memory.
  std::uint64_t sum(bool is_global, std::uint64_t (*number)(const reported_access&)) const;
  // Conflicts, or transactions of global memory beyond the ideal.
  std::uint64_t excessive(bool is_global) const;
  bool operator==(const reported_kernel&) const = default;
};

struct uncounted {
  std::string file, name, reason;
  std::string machine = {};  // empty: on none
  bool operator==(const uncounted&) const = default;
};

struct report {
  std::vector<reported_kernel> kernels;
  std::vector<uncounted> uncounted_kernels;  // kernels of the same files that were not counted
  void add(const report& other);
  bool operator==(const report&) const = default;
};

// The report as JSON, each access on a line of its own, so that two of them can be compared by
// people too.
std::string text_of(const report& contents);

// True for the name of a file that may be one: it ends with .json.
bool is_report(const std::string& file);

// True for a text that begins as text_of() does.
bool is_report_text(const std::string& text);

// Reads what text_of() wrote. `name`: the file's, for messages.
// Error (refusal): it is no such text, or one of another version.
report read_report(const std::string& text, const std::string& name);

// The report with the files' paths from another folder than the working directory, or with those
// that are from it as paths from the working directory.
report with_paths_from(const std::string& folder, report original);
report with_paths_from_here(const std::string& folder, report original);

}  // namespace project
