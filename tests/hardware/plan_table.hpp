// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_PLAN_TABLE_HPP
#define BANKMODEL_TESTS_HARDWARE_PLAN_TABLE_HPP

#include "profiler.hpp"

// The kernels of the demo before and after their plans on one device, and their file:
// tests/measured/<device>_plans.csv, which plans.sh writes.
namespace hardware {

// Wavefronts of all blocks, from the hardware's counter and from the profiler's source page.
struct counted_plan {
  long long blocks = 0;
  std::optional<long long> counter_before, counter_after, source_before, source_after;
};

struct planned_kernel {
  std::string name, outcome;  // "planned", or the reason why there is no plan
  std::optional<long long> predicted_before, predicted_after;  // wavefronts of a block
  std::optional<double> before_us, after_us;
  counted_plan counted;
};

struct plan_table : file_head {
  std::vector<planned_kernel> kernels;
};

constexpr const char* plans_first_line = "# bankmodel: plans of kernels timed on a GPU, format 1";
constexpr const char* plans_columns =
    "kernel,outcome,predicted_before,predicted_after,before_us,after_us,blocks,counter_before,"
    "counter_after,source_before,source_after";

// The counts of ncu's run of time_plan: one launch of the original kernel, one of the planned one.
inline counted_plan counted_of(const std::vector<profile>& launches, const std::string& file) {
  if (launches.size() != 2 || !detail::names(launches[0].kernel, "original") ||
      !detail::names(launches[1].kernel, "planned"))
    refuse(file, 0,
           "should have two launches, of a kernel in original:: and of one in planned::, but has " +
               std::to_string(launches.size()) + "; profile time_plan count, with no filter");
  if (launches[0].blocks == 0 || launches[0].blocks != launches[1].blocks)
    refuse(file, 0, "has no Grid Size, or another one after than before; run ncu with --csv");
  const auto count = [&](int number, const char* metric) -> std::optional<long long> {
    const std::optional<double> value = launches[static_cast<std::size_t>(number)].metric(metric);
    return value ? std::optional(std::llround(*value)) : std::nullopt;
  };
  return {launches[0].blocks, count(0, counter_metric), count(1, counter_metric),
          count(0, source_metric), count(1, source_metric)};
}

inline void write(std::ostream& output, const counted_plan& c) {
  using detail::or_empty;
  output << c.blocks << ',' << or_empty(c.counter_before) << ',' << or_empty(c.counter_after) << ','
         << or_empty(c.source_before) << ',' << or_empty(c.source_after) << '\n';
}

namespace detail {

template <class Number>
std::optional<Number> number_or_empty(const line_reader& reader, const std::string& field) {
  if (field.empty()) return std::nullopt;
  Number value = 0;
  bool is_number = false;
  if constexpr (std::is_same_v<Number, double>)
    is_number = to_number(field, value);
  else
    is_number = to_number(field, value, 10);
  if (!is_number || !(value >= 0))
    reader.refuse_line("\"" + field + "\" must be a number that is not negative, or empty");
  return value;
}

inline planned_kernel planned_row(const line_reader& reader) {
  const std::vector<std::string> fields = reader.fields(11);
  const auto count = [&](std::size_t column) {
    return number_or_empty<long long>(reader, fields[column]);
  };
  planned_kernel result;
  result.name = fields[0], result.outcome = fields[1];
  result.predicted_before = count(2), result.predicted_after = count(3);
  result.before_us = number_or_empty<double>(reader, fields[4]);
  result.after_us = number_or_empty<double>(reader, fields[5]);
  result.counted = {count(6).value_or(0), count(7), count(8), count(9), count(10)};
  const bool is_planned = result.outcome == "planned";
  if (result.name.empty() || result.outcome.empty() || !result.predicted_before ||
      is_planned != result.predicted_after.has_value() ||
      is_planned != result.before_us.has_value() || is_planned != result.after_us.has_value())
    reader.refuse_line(
        "a kernel needs its name, outcome and prediction before, and if it is planned a prediction "
        "after and both times; let plans.sh write this file");
  return result;
}

}  // namespace detail

inline plan_table read_plans(std::istream& stream, const std::string& file) {
  line_reader lines(stream, file);
  plan_table result;
  static_cast<file_head&>(result) = lines.head(plans_first_line, "plans", plans_columns);
  while (lines.next()) result.kernels.push_back(detail::planned_row(lines));
  lines.require_rows(result.kernels.size());
  return result;
}

// True if the device counted as many wavefronts as predicted, or nothing if it did not count. The
// source page decides: the counter includes the wavefronts of a launch without any access.
inline std::optional<bool> counts_agree(const planned_kernel& kernel) {
  const counted_plan& c = kernel.counted;
  const bool by_source = c.source_before && c.source_after;
  const auto& original = by_source ? c.source_before : c.counter_before;
  const auto& planned = by_source ? c.source_after : c.counter_after;
  if (!original || !planned || !kernel.predicted_before || !kernel.predicted_after)
    return std::nullopt;
  return *original == c.blocks * *kernel.predicted_before &&
         *planned == c.blocks * *kernel.predicted_after;
}

// Prints the table; returns how many kernels differ from their prediction.
inline int print(std::ostream& output, const plan_table& table) {
  output << table.device << ", driver " << table.driver << ", " << table.date
         << "\nkernel: microseconds before and after, ratio; wavefronts of all blocks: predicted, "
            "counted by the counter, by the source page\n\n";
  int differ = 0, planned = 0;
  double logarithms = 0;
  const auto said = [](const std::optional<long long>& count) {
    return count ? std::to_string(*count) : std::string("-");
  };
  for (const planned_kernel& kernel : table.kernels) {
    output << kernel.name << ": ";
    if (kernel.outcome != "planned") {
      output << kernel.outcome << '\n';
      continue;
    }
    const double ratio = *kernel.before_us / *kernel.after_us;
    ++planned, logarithms += std::log(ratio);
    const counted_plan& c = kernel.counted;
    output << detail::decimal(*kernel.before_us) << ' ' << detail::decimal(*kernel.after_us)
           << " us, ratio " << detail::decimal(ratio);
    if (c.blocks > 0)
      output << "; before " << c.blocks * *kernel.predicted_before << ' ' << said(c.counter_before)
             << ' ' << said(c.source_before) << ", after " << c.blocks * *kernel.predicted_after
             << ' ' << said(c.counter_after) << ' ' << said(c.source_after);
    const std::optional<bool> agree = counts_agree(kernel);
    if (agree == false) ++differ, output << " DIFFERS FROM THE MODEL";
    output << (agree ? "\n" : "; not counted\n");
  }
  if (planned > 0)
    output << '\n'
           << planned << " planned, geometric mean of the ratios "
           << detail::decimal(std::exp(logarithms / planned)) << "; " << differ
           << " differ from their prediction\n";
  return differ;
}

}  // namespace hardware

#endif
