// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_GLOBAL_MEASURED_HPP
#define BANKMODEL_TESTS_HARDWARE_GLOBAL_MEASURED_HPP

#include "global_patterns.hpp"
#include "profiler.hpp"

// The sectors that one device's counters counted, and their file:
// tests/measured/<device>_global.csv.
namespace hardware {

struct global_reading {
  int id = 0;  // of the pattern
  // Of one execution: sectors and requests from the first cache's counters, and sectors from code
  // that the profiler adds to the kernel.
  std::optional<int> sectors, requests, by_code;
};

struct global_measured : file_head {
  std::vector<global_reading> readings;
};

constexpr const char* global_first_line =
    "# bankmodel: sectors of global memory measured on a GPU, format 1";
constexpr const char* global_columns =
    "id,class,label,instruction,mask,addresses,sectors,requests,by_code";

// Names from NVIDIA's table of nvprof's metrics in Nsight Compute: gld_transactions,
// global_load_requests, .. The last is listed by ncu --query-metrics for some operations.
inline std::string sectors_metric(global_instruction opcode) {
  return std::string("l1tex__t_sectors_pipe_lsu_mem_global_op_") + describe(opcode).operation +
         ".sum";
}
inline std::string requests_metric(global_instruction opcode) {
  return std::string("l1tex__t_requests_pipe_lsu_mem_global_op_") + describe(opcode).operation +
         ".sum";
}
inline std::string by_code_metric(global_instruction opcode) {
  return std::string("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_") +
         describe(opcode).operation + ".sum";
}

// Each once.
inline std::vector<std::string> global_metrics() {
  std::vector<std::string> result;
  for (int number = 0; number < global_instruction_count; ++number) {
    const global_instruction opcode = nth_global_instruction(number);
    for (const std::string& name :
         {sectors_metric(opcode), requests_metric(opcode), by_code_metric(opcode)})
      if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
  }
  return result;
}

inline void write(std::ostream& output, const global_measured& m,
                  const std::vector<global_pattern>& patterns) {
  write_head(output, m, global_first_line, "patterns", m.readings.size(), global_columns);
  for (const global_reading& r : m.readings) {
    const global_pattern& p = patterns.at(static_cast<std::size_t>(r.id));
    output << r.id << ',' << csv_field(p.family) << ',' << csv_field(p.label) << ','
           << describe(p.opcode).name << ',' << hex(p.asked.active, 8) << ','
           << hex(checksum(p), 16) << ',' << detail::or_empty(r.sectors) << ','
           << detail::or_empty(r.requests) << ',' << detail::or_empty(r.by_code) << '\n';
  }
}

namespace detail {

inline std::optional<int> count_of(const line_reader& reader, const std::string& field,
                                   const char* column) {
  if (field.empty()) return std::nullopt;
  int value = 0;
  if (!to_number(field, value, 10) || value < 0)
    reader.refuse_line(std::string(column) + " \"" + field + "\" must be a whole number or empty");
  return value;
}

inline global_reading global_row(const line_reader& reader,
                                 const std::vector<global_pattern>& patterns) {
  const std::vector<std::string> fields = reader.fields(9);
  global_reading r;
  if (!to_number(fields[0], r.id, 10) || r.id < 0 || r.id >= static_cast<int>(patterns.size()))
    reader.refuse_line("there is no pattern \"" + fields[0] +
                       "\" of this seed; measured by a newer version: compare with that");
  const global_pattern& p = patterns[static_cast<std::size_t>(r.id)];
  const std::vector<std::string> expected = {
      fields[0],           p.family, p.label, describe(p.opcode).name, hex(p.asked.active, 8),
      hex(checksum(p), 16)};
  if (!std::equal(expected.begin(), expected.end(), fields.begin()))
    reader.refuse_line("pattern " + fields[0] + " is " + expected[3] + ", " + p.family + ", " +
                       p.label + ", mask " + expected[4] + ", addresses " + expected[5] +
                       " here; it was measured by another generator: measure again");
  r.sectors = count_of(reader, fields[6], "sectors");
  r.requests = count_of(reader, fields[7], "requests");
  r.by_code = count_of(reader, fields[8], "by_code");
  return r;
}

}  // namespace detail

// Reads such a file. Error: file_error. `file` is its name for messages.
inline global_measured read_global_measured(std::istream& stream, const std::string& file) {
  line_reader lines(stream, file);
  global_measured result;
  static_cast<file_head&>(result) = lines.head(global_first_line, "patterns", global_columns);
  const std::vector<global_pattern> patterns = all_global_patterns(result.seed);
  while (lines.next()) {
    result.readings.push_back(detail::global_row(lines, patterns));
    const std::size_t rows = result.readings.size();
    if (rows > 1 && result.readings[rows - 1].id <= result.readings[rows - 2].id)
      lines.refuse_line("pattern " + std::to_string(result.readings[rows - 1].id) + " follows " +
                        std::to_string(result.readings[rows - 2].id) +
                        "; rows must be in order, each once");
  }
  lines.require_rows(result.readings.size());
  return result;
}

// The readings of a profiled run. `not_whole`: receives how many counts of a launch are not a
// multiple of its executions; those readings are empty.
inline std::vector<global_reading> join_global(
    const std::vector<launch_of<global_instruction>>& launches,
    const std::vector<profile>& profiles, const std::string& file, int& not_whole) {
  if (launches.size() != profiles.size())
    refuse(file, 0,
           std::to_string(profiles.size()) + " launches were profiled, but measure_global made " +
               std::to_string(launches.size()) +
               "; profile the whole run, with no filter of kernels or launches");
  std::vector<global_reading> result;
  std::map<global_instruction, const profile*> nothing;
  for (std::size_t number = 0; number < launches.size(); ++number) {
    const auto& entry = launches[number];
    if (!detail::names(profiles[number].kernel, describe(entry.opcode).name))
      refuse(file, 0,
             "launch " + std::to_string(number) + " is of " + profiles[number].kernel +
                 ", measure_global made one of " + describe(entry.opcode).name +
                 "; both files must come from one run");
    if (entry.times == 0 || !entry.id) {
      nothing[entry.opcode] = &profiles[number];
      continue;
    }
    const auto count = [&](const std::string& metric) -> std::optional<int> {
      const std::optional<int> value =
          detail::of_one_execution(profiles[number], nothing[entry.opcode], metric, entry.times);
      if (value != 0) return value;
      ++not_whole;
      return std::nullopt;
    };
    result.push_back({*entry.id, count(sectors_metric(entry.opcode)),
                      count(requests_metric(entry.opcode)), count(by_code_metric(entry.opcode))});
  }
  return result;
}

}  // namespace hardware

#endif
