// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_PROFILER_HPP
#define BANKMODEL_TESTS_HARDWARE_PROFILER_HPP

#include "measured.hpp"

#include <algorithm>
#include <cmath>
#include <map>

// The first witness: the output of Nsight Compute's command line (ncu --csv --page details
// --print-units base) for each launch, joined with measure.cu's list of launches.
namespace hardware {

// All wavefronts of shared memory; a launch without the instruction, which is subtracted, has
// all the others too. This fails for cp.async, because the compiler adds loads that no lane
// executes; cp.async has a counter of its own, which is used if available.
constexpr const char* counter_metric = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
constexpr const char* copy_metric = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum";
// The same, counted by patched code for each instruction: the profiler's source page.
constexpr const char* source_metric = "memory_l1_wavefronts_shared";

// One launch of a kernel: `times` the instruction, on one pattern. A launch without a pattern
// and with 0 times is subtracted.
template <class Instruction>
struct launch_of {
  Instruction opcode = {};
  std::optional<int> id;
  int times = 0;
};
using launch = launch_of<instruction>;

constexpr const char* launch_columns = "launch,instruction,id,times";

template <class Instruction>
void write_launches(std::ostream& output, const std::vector<launch_of<Instruction>>& launches) {
  output << launch_columns << '\n';
  for (std::size_t number = 0; number < launches.size(); ++number)
    output << number << ',' << describe(launches[number].opcode).name << ','
           << detail::or_empty(launches[number].id) << ',' << launches[number].times << '\n';
}

template <class Instruction = instruction>
std::vector<launch_of<Instruction>> read_launches(std::istream& stream, const std::string& file) {
  std::vector<launch_of<Instruction>> result;
  std::string text;
  int line = 1;
  if (!std::getline(stream, text) || text != launch_columns)
    refuse(file, line, std::string("the columns must be ") + launch_columns);
  while (std::getline(stream, text)) {
    ++line;
    const std::vector<std::string> fields = fields_of(text, file, line);
    launch_of<Instruction> entry;
    std::size_t number = 0;
    int id = 0;
    if (fields.size() != 4 || !to_number(fields[0], number, 10) || number != result.size() ||
        !find_instruction(fields[1], entry.opcode) ||
        !(fields[2].empty() || to_number(fields[2], id, 10)) ||
        !to_number(fields[3], entry.times, 10))
      refuse(file, line, "is not a launch; let measure write this file");
    if (!fields[2].empty()) entry.id = id;
    result.push_back(entry);
  }
  return result;
}

// The profile of one launch.
struct profile {
  std::string kernel;
  std::map<std::string, double> metrics;
  long long blocks = 0;  // of the grid; 0 if the output does not say

  std::optional<double> metric(const std::string& name) const {
    const auto entry = metrics.find(name);
    return entry == metrics.end() ? std::nullopt : std::optional(entry->second);
  }
};

namespace detail {

// 1,234,567.50: thousands in groups of three.
inline bool to_metric(const std::string& text, double& value) {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits;
  for (std::size_t position = 0; position < text.size(); ++position) {
    if (text[position] != ',')
      digits += text[position];
    else if (position == 0 || position > point || (point - position) % 4 != 0)
      return false;
  }
  return to_number(digits, value);
}

// Kbyte, Minst, ..
inline bool is_scaled(const std::string& unit) { return unit.find_first_of("KMGT") == 0; }

inline bool is_identifier(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// True if `name` is one of the identifiers of `text`: load_1 is not in load_16.
inline bool names(const std::string& text, const std::string& name) {
  for (std::size_t position = text.find(name); position != std::string::npos;
       position = text.find(name, position + 1))
    if ((position == 0 || !is_identifier(text[position - 1])) &&
        (position + name.size() == text.size() || !is_identifier(text[position + name.size()])))
      return true;
  return false;
}

// The blocks of a grid as ncu writes it, (64, 64, 1), or 0.
inline long long blocks_of(const std::string& grid) {
  long long x = 0, y = 0, z = 0;
  char end = 0;
  const bool is_grid =
      std::sscanf(grid.c_str(), "(%lld, %lld, %lld%c", &x, &y, &z, &end) == 4 && end == ')';
  return is_grid ? x * y * z : 0;
}

// (metric - that of a launch without the instruction) / times if that is a whole number of 1 or
// more; 0 if it is not; nothing without both launches' metric.
inline std::optional<int> of_one_execution(const profile& seen, const profile* nothing,
                                           const std::string& metric, int times) {
  const std::optional<double> value = seen.metric(metric);
  if (!value || nothing == nullptr) return std::nullopt;
  const double quotient = (*value - nothing->metric(metric).value_or(0)) / times;
  return std::abs(quotient - std::round(quotient)) <= 0.05 && quotient > 0
             ? static_cast<int>(std::round(quotient))
             : 0;
}

}  // namespace detail

// Reads ncu's output: its own lines begin with ==; before the columns there may be other lines.
// Only metrics of these names are read.
inline std::vector<profile> read_profiles(std::istream& stream, const std::string& file,
                                          const std::vector<std::string>& metrics = {
                                              counter_metric, copy_metric, source_metric}) {
  std::vector<profile> result;
  std::string text;
  int line = 0, id_column = -1, kernel_column = -1, name_column = -1, unit_column = -1,
      value_column = -1, grid_column = -1;
  std::size_t width = 0;
  long long last = -1;
  while (std::getline(stream, text)) {
    ++line;
    if (text.find("ERR_NVGPUCTRPERM") != std::string::npos)
      refuse(file, line,
             "this user may not read the GPU's counters; run as root, or see "
             "https://developer.nvidia.com/ERR_NVGPUCTRPERM");
    if (text.compare(0, 9, "==ERROR==") == 0) refuse(file, line, "ncu failed: " + text.substr(9));
    if (text.compare(0, 2, "==") == 0 || text.empty() || text == "\r") continue;
    if (width == 0 && text.compare(0, 4, "\"ID\"") != 0) continue;
    const std::vector<std::string> fields = fields_of(text, file, line);
    if (width == 0) {
      width = fields.size();
      const auto column = [&](const char* name) {
        const auto match = std::find(fields.begin(), fields.end(), name);
        return match == fields.end() ? -1 : static_cast<int>(match - fields.begin());
      };
      id_column = column("ID"), kernel_column = column("Kernel Name"),
      name_column = column("Metric Name");
      unit_column = column("Metric Unit"), value_column = column("Metric Value");
      grid_column = column("Grid Size");
      if (id_column < 0 || kernel_column < 0 || name_column < 0 || value_column < 0)
        refuse(file, line,
               "has no columns ID, Kernel Name, Metric Name and Metric Value; run ncu with --csv "
               "--page details");
      continue;
    }
    if (fields.size() != width)
      refuse(file, line,
             "has " + std::to_string(fields.size()) + " fields, the columns are " +
                 std::to_string(width));
    const auto field = [&](int column) -> const std::string& {
      return fields[static_cast<std::size_t>(column)];
    };
    long long id = 0;
    if (!to_number(field(id_column), id, 10) || id < last)
      refuse(file, line, "ID \"" + field(id_column) + "\"; launches are numbered in order");
    if (id != last)
      result.push_back(
          {field(kernel_column), {}, grid_column < 0 ? 0 : detail::blocks_of(field(grid_column))});
    last = id;
    double value = 0;
    const std::string& name = field(name_column);
    if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) continue;
    // this GPU has no such counter
    if (field(value_column) == "n/a" || field(value_column).empty()) continue;
    if (!detail::to_metric(field(value_column), value) ||
        (unit_column >= 0 && detail::is_scaled(field(unit_column)))) {
      // the less important one; the comparison shows that it is missing
      if (name == source_metric) continue;
      refuse(file, line,
             name + " is \"" + field(value_column) +
                 "\"; numbers must be written as 1,234.5: run ncu with LC_ALL=C and --print-units "
                 "base");
    }
    result.back().metrics[name] = value;
  }
  if (width == 0)
    refuse(file, line,
           "has no line that begins with \"ID\"; ncu profiled nothing, or ran without --csv");
  return result;
}

// Fills `readings` with the wavefronts of one instruction if (metric - that of no instruction)
// / times is a whole number. Returns how many were not.
inline int join(std::vector<reading>& readings, const std::vector<launch>& launches,
                const std::vector<profile>& profiles, const std::string& file) {
  if (launches.size() != profiles.size())
    refuse(file, 0,
           std::to_string(profiles.size()) + " launches were profiled, but measure made " +
               std::to_string(launches.size()) +
               "; profile the whole run, with no filter of kernels or launches");
  std::map<int, reading*> timed;
  for (reading& r : readings) timed[r.id] = &r;
  std::map<instruction, const profile*> nothing;
  int not_whole = 0;
  for (std::size_t number = 0; number < launches.size(); ++number) {
    const launch& entry = launches[number];
    const profile& seen = profiles[number];
    if (!detail::names(seen.kernel, describe(entry.opcode).name))
      refuse(file, 0,
             "launch " + std::to_string(number) + " is of " + seen.kernel +
                 ", measure made one of " + describe(entry.opcode).name +
                 "; both files must come from one run");
    if (entry.times == 0) {
      nothing[entry.opcode] = &seen;
      continue;
    }
    const auto pattern = entry.id ? timed.find(*entry.id) : timed.end();
    if (pattern == timed.end())
      refuse(file, 0,
             "launch " + std::to_string(number) +
                 " has a pattern that was not timed; both files must come from one device");
    const auto wavefronts = [&](const char* metric) -> std::optional<int> {
      const std::optional<int> value =
          detail::of_one_execution(seen, nothing[entry.opcode], metric, entry.times);
      if (value != 0) return value;
      ++not_whole;
      return std::nullopt;
    };
    const bool by_copies = is_copy(entry.opcode) && seen.metrics.count(copy_metric) != 0;
    pattern->second->counter = wavefronts(by_copies ? copy_metric : counter_metric);
    pattern->second->source = wavefronts(source_metric);
  }
  return not_whole;
}

}  // namespace hardware

#endif
