// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_MEASURED_HPP
#define BANKMODEL_TESTS_HARDWARE_MEASURED_HPP

#include "csv.hpp"
#include "patterns.hpp"

#include <cstdio>
#include <istream>
#include <optional>
#include <ostream>

// The measurements of one device, and their file: tests/measured/<device>.csv.
namespace hardware {

struct reading {
  int id = 0;  // of the pattern
  // Wavefronts from the hardware's counter, and from the profiler's count of each instruction.
  std::optional<int> counter, source;
  std::optional<int> clock;  // wavefronts from clock cycles; absent if the calibration is unsure
  std::optional<double> cycles;  // of one instruction
};

struct measured {
  std::string device, driver, toolkit, command, date;
  int major = 0, minor = 0;  // compute capability
  std::uint64_t seed = first_seed;
  std::vector<reading> readings;
};

constexpr const char* first_line = "# bankmodel: wavefronts measured on a GPU, format 1";
constexpr const char* columns =
    "id,class,label,instruction,mask,addresses,counter,source,clock,cycles";

namespace detail {

inline std::string in_one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

// 12.34: the same characters with every C library.
inline std::string decimal(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

template <class Number>
std::string or_empty(const std::optional<Number>& value) {
  if (!value) return "";
  if constexpr (std::is_same_v<Number, double>)
    return decimal(*value);
  else
    return std::to_string(*value);
}

}  // namespace detail

inline void write(std::ostream& out, const measured& m, const std::vector<pattern>& patterns) {
  using detail::in_one_line;
  out << first_line << "\n# device: " << in_one_line(m.device)
      << "\n# compute capability: " << m.major << '.' << m.minor
      << "\n# driver: " << in_one_line(m.driver) << "\n# toolkit: " << in_one_line(m.toolkit)
      << "\n# command: " << in_one_line(m.command) << "\n# date: " << in_one_line(m.date)
      << "\n# seed: " << m.seed << "\n# patterns: " << m.readings.size() << '\n'
      << columns << '\n';
  for (const reading& r : m.readings) {
    const pattern& p = patterns.at(static_cast<std::size_t>(r.id));
    out << r.id << ',' << quoted(p.family) << ',' << quoted(p.label) << ',' << describe(p.by).name
        << ',' << hex(p.asked.active, 8) << ',' << hex(checksum(p), 16) << ','
        << detail::or_empty(r.counter) << ',' << detail::or_empty(r.source) << ','
        << detail::or_empty(r.clock) << ',' << detail::or_empty(r.cycles) << '\n';
  }
}

namespace detail {

class measured_reader {
 public:
  measured_reader(std::istream& in, std::string file) : in_(in), file_(std::move(file)) {}

  measured read() {
    if (!next() || text_ != first_line)
      refuse(file_, line_,
             std::string("does not begin with \"") + first_line +
                 "\"; it is not a measured file, or of another version: measure again");
    result_.device = head("device");
    const std::string capability = head("compute capability");
    const std::size_t dot = capability.find('.');
    if (dot == std::string::npos ||
        !to_number(std::string_view(capability).substr(0, dot), result_.major, 10) ||
        !to_number(std::string_view(capability).substr(dot + 1), result_.minor, 10) ||
        result_.major < 1 || result_.minor < 0 || result_.minor > 9)
      refuse(file_, line_, "compute capability \"" + capability + "\"; write it as 9.0");
    result_.driver = head("driver");
    result_.toolkit = head("toolkit");
    result_.command = head("command");
    result_.date = head("date");
    const std::string seed = head("seed"), count = head("patterns");
    if (!to_number(seed, result_.seed, 10))
      refuse(file_, line_ - 1, "seed \"" + seed + "\" is not a number");
    std::size_t rows = 0;
    if (!to_number(count, rows, 10))
      refuse(file_, line_, "number of patterns \"" + count + "\" is not a number");
    if (!next() || text_ != columns)
      refuse(file_, line_, std::string("the columns must be ") + columns);
    patterns_ = all_patterns(result_.seed);
    while (next()) row();
    if (result_.readings.size() != rows)
      refuse(file_, line_,
             "has " + std::to_string(result_.readings.size()) + " rows, but its head states " +
                 count + "; it is cut off: copy it again");
    return std::move(result_);
  }

 private:
  bool next() {
    if (!std::getline(in_, text_)) return false;
    if (!text_.empty() && text_.back() == '\r') text_.pop_back();
    ++line_;
    return true;
  }

  std::string head(const std::string& name) {
    const std::string start = "# " + name + ": ";
    if (!next() || text_.compare(0, start.size(), start) != 0)
      refuse(file_, line_, "expected \"" + start + "...\"; do not edit the head");
    return text_.substr(start.size());
  }

  std::optional<int> wavefronts(const std::string& field, const char* column) const {
    if (field.empty()) return std::nullopt;
    int value = 0;
    if (!to_number(field, value, 10) || value < 0)
      refuse(
          file_, line_,
          std::string(column) + " \"" + field + "\"; wavefronts must be a whole number or empty");
    return value;
  }

  void row() {
    const std::vector<std::string> fields = fields_of(text_, file_, line_);
    if (fields.size() != 10)
      refuse(file_, line_, "has " + std::to_string(fields.size()) + " fields instead of 10");
    reading r;
    if (!to_number(fields[0], r.id, 10) || r.id < 0 || r.id >= static_cast<int>(patterns_.size()))
      refuse(file_, line_,
             "there is no pattern \"" + fields[0] +
                 "\" of this seed; measured by a newer version: compare with that");
    if (!result_.readings.empty() && r.id <= result_.readings.back().id)
      refuse(file_, line_,
             "pattern " + fields[0] + " follows " + std::to_string(result_.readings.back().id) +
                 "; rows must be in order, each once");
    const pattern& p = patterns_[static_cast<std::size_t>(r.id)];
    if (fields[1] != p.family || fields[2] != p.label || fields[3] != describe(p.by).name ||
        fields[4] != hex(p.asked.active, 8) || fields[5] != hex(checksum(p), 16))
      refuse(file_, line_,
             "pattern " + fields[0] + " is " + describe(p.by).name + ", " + p.family + ", " +
                 p.label + ", mask " + hex(p.asked.active, 8) + ", addresses " +
                 hex(checksum(p), 16) +
                 " here; it was measured by another generator: measure again");
    r.counter = wavefronts(fields[6], "counter");
    r.source = wavefronts(fields[7], "source");
    r.clock = wavefronts(fields[8], "clock");
    if (!fields[9].empty()) {
      double cycles = 0;
      if (!to_number(fields[9], cycles) || !(cycles >= 0 && cycles < 1e12))
        refuse(file_, line_, "cycles \"" + fields[9] + "\" are not a number");
      r.cycles = cycles;
    }
    result_.readings.push_back(r);
  }

  std::istream& in_;
  std::string file_, text_;
  int line_ = 0;
  measured result_;
  std::vector<pattern> patterns_;
};

}  // namespace detail

// Reads such a file. Error: file_error. `file` is its name for messages.
inline measured read_measured(std::istream& in, const std::string& file) {
  return detail::measured_reader(in, file).read();
}

}  // namespace hardware

#endif
