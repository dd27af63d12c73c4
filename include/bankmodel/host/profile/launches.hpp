// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_PROFILE_LAUNCHES_HPP
#define BANKMODEL_HOST_PROFILE_LAUNCHES_HPP

#include <bankmodel/host/profile/detail/counters.hpp>
#include <bankmodel/host/profile/detail/global_counters.hpp>
#include <bankmodel/host/profile/detail/rows.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The counters of each launch of a kernel in a profile.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void a_profile_must_have_known_counters(long long rows) {
  detail::fail(__func__,
               "none of the profile's % lines begins a table with known counters of shared or "
               "global memory; examples/guide/counters.md lists them and how to export them",
               rows);
}
[[noreturn]] BANKMODEL_FN void a_counter_must_have_one_value_for_a_launch(long long row) {
  detail::fail(__func__,
               "line % of the profile has a counter with several values for one launch, or for "
               "launches that differ; profile a single launch",
               row);
}
}  // namespace rule

// A counter that the library supports, with its value.
struct profiled_counter {
  std::string name;  // as the profiler names it
  exact_number value;
};

// One launch of a kernel; for nvprof, all launches of it if each had the same counts.
struct profiled_launch {
  // Its name, and the number that the profiler gave it (nvprof gives none).
  std::string kernel, id;
  std::vector<profiled_counter> counters;
};

namespace detail {

inline bool is_known_counter(std::string_view name) {
  return counter_named(name) != nullptr || global_counter_named(name) != nullptr;
}
inline bool is_ratio(std::string_view name) {
  const known_counter* const shared = counter_named(name);
  const known_global_counter* const global = global_counter_named(name);
  return (shared != nullptr && is_rate(shared->quantity)) ||
         (global != nullptr && is_rate(global->quantity));
}

// The columns of a table; -1 for a column that it lacks.
struct launch_columns {
  int kernel = -1, id = -1;
  int counter = -1, value = -1, unit = -1;  // in a table with a row for each counter
  int minimum = -1, maximum = -1;           // nvprof: over all launches
  std::vector<int> counters;                // in a table with a row for each launch

  bool has_row_for_each_counter() const { return counter >= 0; }
};

// Finds the columns if this row names them:
//
//   ncu --csv                ID, Kernel Name, .., Metric Name, Metric Unit, Metric Value
//   ncu --csv --page raw     ID, Kernel Name, .., a column for each metric; a row of units follows
//   nvprof --csv             Device, Kernel, Invocations, Metric Name or Event Name, ..,
//                            Min, Max, Avg
//   rocprofv3                .., Dispatch_Id, .., Kernel_Name, .., Counter_Name, Counter_Value, ..
//   rocprof                  Index, KernelName, .., a column for each counter
//   rocprofv2                Dispatch_ID, .., Kernel_Name, ..
inline bool is_header_of_launches(const csv_row& row, launch_columns& result) {
  result = {};
  result.kernel = row.column_of_any({"Kernel Name", "Kernel_Name", "KernelName", "Kernel"});
  if (result.kernel < 0 || row.column("Source") >= 0) return false;
  result.id = row.column_of_any({"ID", "Dispatch_Id", "Dispatch_ID", "Index"});
  result.counter = row.column_of_any({"Metric Name", "Event Name", "Counter_Name"});
  result.value = row.column_of_any({"Metric Value", "Counter_Value", "Avg"});
  result.unit = row.column("Metric Unit");
  result.minimum = row.column("Min");
  result.maximum = row.column("Max");
  if (result.counter >= 0) return result.value >= 0;
  for (std::size_t column = 0; column < row.fields.size(); ++column)
    if (is_known_counter(row.fields[column])) result.counters.push_back(static_cast<int>(column));
  return !result.counters.empty();
}

inline exact_number value_of(std::string_view counter, std::string_view text, long long row) {
  if (is_ratio(counter) && text.ends_with('%')) text.remove_suffix(1);
  return is_ratio(counter) ? exact_number_of(text, row) : count_of(text, row);
}

// ncu scales numbers with K, M, G and T.
inline void require_unscaled(std::string_view unit, long long row) {
  if (!unit.empty() && std::string_view("KMGT").find(unit[0]) != std::string_view::npos)
    rule::numbers_of_a_profile_must_be_exact(row);
}

class launch_reader {
 public:
  // Reads a row: a header (a file can contain several tables), or values.
  void read(const csv_row& row) {
    launch_columns columns;
    if (is_header_of_launches(row, columns)) {
      columns_ = columns;
      header_ = row;
      units_may_follow_ = !columns.has_row_for_each_counter();
    } else if (columns_.kernel >= 0) {
      read_values(row);
    }
  }
  // The launches that have a counter.
  const std::vector<profiled_launch>& launches() const { return launches_; }

 private:
  void read_values(const csv_row& row) {
    if (columns_.has_row_for_each_counter()) return read_counter(row);
    const bool is_units = units_may_follow_ && row.field(columns_.kernel).empty();
    units_may_follow_ = false;
    for (const int column : columns_.counters) {
      const std::string& value = row.field(column);
      if (is_units)
        require_unscaled(value, row.line);
      else
        add(row, header_.field(column), value);
    }
  }

  void read_counter(const csv_row& row) {
    const std::string& name = row.field(columns_.counter);
    if (!is_known_counter(name)) return;
    const std::string& value = row.field(columns_.value);
    if (columns_.unit >= 0) require_unscaled(row.field(columns_.unit), row.line);
    for (const int limit : {columns_.minimum, columns_.maximum})
      if (limit >= 0 &&
          value_of(name, row.field(limit), row.line) != value_of(name, value, row.line))
        rule::a_counter_must_have_one_value_for_a_launch(row.line);
    add(row, name, value);
  }

  void add(const csv_row& row, const std::string& counter, const std::string& text) {
    const exact_number value = value_of(counter, text, row.line);
    const std::string& kernel = row.field(columns_.kernel);
    const std::string id = columns_.id >= 0 ? row.field(columns_.id) : std::string();
    const auto [entry, is_new] = number_of_.try_emplace({kernel, id}, launches_.size());
    if (is_new) launches_.push_back({kernel, id, {}});
    profiled_launch& launch = launches_[entry->second];
    for (const profiled_counter& known : launch.counters) {
      if (known.name != counter) continue;
      if (known.value != value) rule::a_counter_must_have_one_value_for_a_launch(row.line);
      return;  // ncu repeats a metric that is in several sections
    }
    launch.counters.push_back({counter, value});
  }

  launch_columns columns_;
  csv_row header_;
  bool units_may_follow_ = false;
  std::vector<profiled_launch> launches_;
  // The launches' positions by kernel and id: a profile can have 10^5 of them.
  std::map<std::pair<std::string, std::string>, std::size_t> number_of_;
};

}  // namespace detail

// Returns the launches in `csv` that have counters known to the library, in order. `csv` is the
// text that Nsight Compute, nvprof or rocprof exported (examples/guide/counters.md has the
// commands). Lines above the table, lines that begin with "==", and other counters are skipped.
// Numbers may have commas between thousands.
// Error: no such table or counter; a quote that is not closed; a row that is too short; a
// number that is scaled, rounded or not a number; a counter with two values for one launch, or
// nvprof launches that differ.
// Example: one launch of k with one counter:
//
//   const auto launches =
//       launches_of("ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n"
//                   "0,k,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,,\"1,024\"\n");
//   assert(launches.size() == 1 && launches[0].kernel == "k");
//   assert(launches[0].counters[0].value == exact_number{1024});
inline std::vector<profiled_launch> launches_of(std::string_view csv) {
  detail::launch_reader reader;
  detail::launch_columns columns;
  const auto rows = detail::rows_of(
      csv, [&](const detail::csv_row& row) { return detail::is_header_of_launches(row, columns); });
  for (const auto& row : rows) reader.read(row);
  if (reader.launches().empty())
    rule::a_profile_must_have_known_counters(static_cast<long long>(rows.size()));
  return reader.launches();
}

}  // namespace bankmodel

#endif
