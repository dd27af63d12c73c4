// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_PROFILE_SOURCE_PAGE_HPP
#define BANKMODEL_HOST_PROFILE_SOURCE_PAGE_HPP

#include <bankmodel/host/profile/detail/rows.hpp>
#include <bankmodel/host/profile/exact_number.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// Nsight Compute's source page: the counters of each instruction, or of each source line, in
// shared memory.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void instructions_of_shared_memory_must_be_known(long long row) {
  detail::fail(__func__,
               "line % of the profile has wavefronts of shared memory for an instruction that "
               "is none of LDS, LDSM, STS, STSM, LDGSTS, ATOMS, LD, ST, ATOM; compare the sums "
               "of the launch, ncu --page raw --csv",
               row);
}
}  // namespace rule

// An instruction with wavefronts of shared memory, or a source line if the page has no
// instructions.
struct profiled_instruction {
  // Its kind, as far as its name shows it: an LDGSTS is a store.
  enum class kind : unsigned char { unknown, load, store, atomic, load_matrix, store_matrix };
  kind does = kind::unknown;
  std::string where;       // address and instruction, or line number and its text
  std::string file, line;  // of the source; empty if the page has none
  // Which of the following the page has.
  bool has_executed = false, has_ideal = false, has_excessive = false;
  std::uint64_t executed = 0, wavefronts = 0, ideal = 0, excessive = 0;
};

// One launch of a kernel.
struct profiled_source {
  std::string kernel;
  std::vector<profiled_instruction> instructions;  // in page order
};

namespace detail {

// The name of an instruction: "LDS" for "@!P0 LDS.U.128 R4, [R2+0x10] ".
inline std::string_view opcode_of(std::string_view text) {
  text = without_blanks(text);
  if (!text.empty() && text[0] == '@') {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos) return {};
    text = without_blanks(text.substr(blank));
  }
  return text.substr(0, text.find_first_of(". ;"));
}

inline profiled_instruction::kind kind_of(std::string_view opcode) {
  using kind = profiled_instruction::kind;
  if (opcode == "LDS" || opcode == "LD") return kind::load;
  if (opcode == "STS" || opcode == "ST" || opcode == "LDGSTS") return kind::store;
  if (opcode == "ATOMS" || opcode == "ATOM") return kind::atomic;
  if (opcode == "LDSM") return kind::load_matrix;
  return opcode == "STSM" ? kind::store_matrix : kind::unknown;
}

// The columns of the page. The titles are those of ncu 2021.2 and later; "Memory L1
// Transactions Shared" and "Memory Ideal L1 Transactions Shared" are older ones, and names with
// underscores appear with --print-metric-name name. A page of sources and instructions has two
// columns "Source", of which the second belongs to "Address".
struct source_columns {
  int line = -1, address = -1, source = -1, instruction = -1;
  int executed = -1, wavefronts = -1, ideal = -1, excessive = -1;
};
inline bool is_header_of_sources(const csv_row& row, source_columns& result) {
  result = {};
  result.source = row.column("Source");
  result.wavefronts = row.column_of_any(
      {"L1 Wavefronts Shared", "Memory L1 Transactions Shared", "memory_l1_wavefronts_shared"});
  if (result.source < 0 || result.wavefronts < 0) return false;
  result.line = row.column("Line No");
  result.address = row.column("Address");
  if (result.address >= 0)
    result.instruction = row.column("Source", static_cast<std::size_t>(result.address));
  result.executed = row.column_of_any({"Instructions Executed", "inst_executed"});
  result.ideal =
      row.column_of_any({"L1 Wavefronts Shared Ideal", "Memory Ideal L1 Transactions Shared",
                         "memory_l1_wavefronts_shared_ideal"});
  result.excessive = row.column_of_any(
      {"L1 Wavefronts Shared Excessive", "derived__memory_l1_wavefronts_shared_excessive"});
  return true;
}

// The number in a cell; 0 for an empty one and for a dash.
inline std::uint64_t cell_of(const csv_row& row, int column) {
  if (column < 0) return 0;
  const std::string& text = row.field(column);
  return text.empty() || text == "-" ? 0
                                     : static_cast<std::uint64_t>(count_of(text, row.line).digits);
}

class source_reader {
 public:
  void read(const csv_row& row) {
    source_columns columns;
    if (row.fields.size() <= 3 &&
        (row.begins_with("Kernel Name") || row.begins_with("Function Name"))) {
      kernel_ = row.field(1);
      columns_ = {};
    } else if (row.fields.size() <= 3 && row.begins_with("File Path")) {
      file_ = row.field(1);
      columns_ = {};
    } else if (is_header_of_sources(row, columns)) {
      columns_ = columns;
      begin_section();
    } else if (columns_.source >= 0) {
      read_values(row);
    }
  }

  std::vector<profiled_source> launches() const {
    std::vector<profiled_source> result;
    for (const section& entry : launches_) {
      result.push_back(entry.source);
      if (entry.source.instructions.empty()) result.back().instructions = entry.lines;
    }
    return result;
  }

 private:
  struct section {
    profiled_source source;
    std::vector<profiled_instruction> lines;  // the sums that the page has for each source line
    std::vector<std::string> files;
    std::set<std::string> addresses;
  };

  // A page of sources has a section for each file; the sections of a launch follow each other.
  void begin_section() {
    line_.clear();
    const bool goes_on = !launches_.empty() && !file_.empty() &&
                         launches_.back().source.kernel == kernel_ &&
                         !has(launches_.back().files, file_);
    if (!goes_on) launches_.push_back({{kernel_, {}}, {}, {}, {}});
    launches_.back().files.push_back(file_);
  }

  static bool has(const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  }

  void read_values(const csv_row& row) {
    profiled_instruction instruction;
    instruction.wavefronts = cell_of(row, columns_.wavefronts);
    instruction.executed = cell_of(row, columns_.executed);
    instruction.ideal = cell_of(row, columns_.ideal);
    instruction.excessive = cell_of(row, columns_.excessive);
    instruction.has_executed = columns_.executed >= 0;
    instruction.has_ideal = columns_.ideal >= 0;
    instruction.has_excessive = columns_.excessive >= 0;

    const bool is_instruction =
        columns_.address >= 0 && row.field(columns_.address).substr(0, 2) == "0x";
    if (columns_.line >= 0 && !row.field(columns_.line).empty() && row.field(columns_.line) != "-")
      line_ = row.field(columns_.line);
    instruction.file = file_;
    instruction.line = line_;
    section& current = launches_.back();
    if (instruction.wavefronts == 0 && instruction.ideal == 0) return;
    if (!is_instruction) {
      instruction.has_executed = false;  // it counts all instructions of the line, of any kind
      instruction.where = line_.empty() ? row.field(columns_.source)
                                        : line_of("line ", line_, ": ", row.field(columns_.source));
      current.lines.push_back(instruction);
      return;
    }
    const std::string& address = row.field(columns_.address);
    // Inlined code is listed under both files.
    if (!current.addresses.insert(address).second) return;
    const std::string& text =
        row.field(columns_.instruction >= 0 ? columns_.instruction : columns_.source);
    instruction.does = kind_of(opcode_of(text));
    if (instruction.does == profiled_instruction::kind::unknown)
      rule::instructions_of_shared_memory_must_be_known(row.line);
    instruction.where = line_of(address, " ", text);
    current.source.instructions.push_back(instruction);
  }

  std::string kernel_, file_, line_;
  source_columns columns_;
  std::vector<section> launches_;
};

}  // namespace detail

// Returns the launches in `csv`, the text of `ncu --import report --page source --csv`: for
// each launch its instructions with wavefronts of shared memory, or its source lines if the
// page has no instructions. Empty if the text is not such a page.
// Error: a quote that is not closed; a row that is too short; a number that is rounded or not a
// number; another instruction with wavefronts of shared memory.
inline std::vector<profiled_source> sources_of(std::string_view csv) {
  detail::source_reader reader;
  detail::source_columns columns;
  for (const auto& row : detail::rows_of(csv, [&](const detail::csv_row& row) {
         return detail::is_header_of_sources(row, columns);
       }))
    reader.read(row);
  return reader.launches();
}

}  // namespace bankmodel

#endif
