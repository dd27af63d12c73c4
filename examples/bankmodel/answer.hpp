// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source.hpp"
#include "table.hpp"

// What the program prints and writes, and its exit code.
namespace command_line {

// From sarif to source they are those of compiled/page/formats.hpp; markdown is for differences.
enum class format : unsigned char { text, json, csv, sarif, html, source, markdown };

// `not_read`: of several files one was not read, or --max-conflicts is kept by what was read, and
// something was not.
enum exit_code { fine = 0, too_many_conflicts = 1, bad_input = 2, not_read = 3 };

// A kernel in the table of all kernels.
struct kernel_row {
  std::uint64_t conflicts = 0, transactions = 0;  // at most, and beyond the ideal: those sort it
  row shown;
  bool is_assumed = false;  // some of what nobody gave was assumed
};

// A machine of several that has no results.
struct skipped_machine {
  std::string name;
  refusal reason;
};
// "bankmodel: note: not counted on gfx900, gfx906: ..": those with the same reason have one line.
std::string text_of_skipped(const std::vector<skipped_machine>& machines);

struct answer {
  exit_code code = fine;
  std::string output, error;  // for the two streams
  bool is_text = false;       // `output` is for people alone
  std::string picture = {};   // for the file of --svg
  std::string header = {};    // for the file of --plan-header
  std::string html = {};      // for the file of --html
  std::string report = {};    // project::text_of() what was counted
  // Of one of several files: what is not in `output`, but below those of all files.
  std::vector<kernel_row> kernels = {};
  std::vector<std::string> notes = {};
};

}  // namespace command_line
