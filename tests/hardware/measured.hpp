// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_MEASURED_HPP
#define BANKMODEL_TESTS_HARDWARE_MEASURED_HPP

#include "file_head.hpp"
#include "patterns.hpp"

#include <cstdio>
#include <optional>

// The measurements of one device, and their file: tests/measured/<device>.csv.
namespace hardware {

struct reading {
  int id = 0;  // of the pattern
  // Wavefronts from the hardware's counter, and from the profiler's count of each instruction.
  std::optional<int> counter, source;
  std::optional<int> clock;  // wavefronts from clock cycles; absent if the calibration is unsure
  std::optional<double> cycles;  // of one instruction
};

struct measured : file_head {
  std::vector<reading> readings;
};

constexpr const char* first_line = "# bankmodel: wavefronts measured on a GPU, format 1";
constexpr const char* columns =
    "id,class,label,instruction,mask,addresses,counter,source,clock,cycles";

namespace detail {

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

inline void write(std::ostream& output, const measured& m, const std::vector<pattern>& patterns) {
  write_head(output, m, first_line, "patterns", m.readings.size(), columns);
  for (const reading& r : m.readings) {
    const pattern& p = patterns.at(static_cast<std::size_t>(r.id));
    output << r.id << ',' << csv_field(p.family) << ',' << csv_field(p.label) << ','
           << describe(p.opcode).name << ',' << hex(p.asked.active, 8) << ','
           << hex(checksum(p), 16) << ',' << detail::or_empty(r.counter) << ','
           << detail::or_empty(r.source) << ',' << detail::or_empty(r.clock) << ','
           << detail::or_empty(r.cycles) << '\n';
  }
}

namespace detail {

class measured_reader {
 public:
  measured_reader(std::istream& stream, std::string file) : reader_(stream, std::move(file)) {}

  measured read() {
    static_cast<file_head&>(result_) = reader_.head(first_line, "patterns", columns);
    patterns_ = all_patterns(result_.seed);
    while (reader_.next()) row();
    reader_.require_rows(result_.readings.size());
    return std::move(result_);
  }

 private:
  std::optional<int> wavefronts(const std::string& field, const char* column) const {
    if (field.empty()) return std::nullopt;
    int value = 0;
    if (!to_number(field, value, 10) || value < 0)
      reader_.refuse_line(std::string(column) + " \"" + field +
                          "\"; wavefronts must be a whole number or empty");
    return value;
  }

  void row() {
    const std::vector<std::string> fields = reader_.fields(10);
    reading r;
    if (!to_number(fields[0], r.id, 10) || r.id < 0 || r.id >= static_cast<int>(patterns_.size()))
      reader_.refuse_line("there is no pattern \"" + fields[0] +
                          "\" of this seed; measured by a newer version: compare with that");
    if (!result_.readings.empty() && r.id <= result_.readings.back().id)
      reader_.refuse_line("pattern " + fields[0] + " follows " +
                          std::to_string(result_.readings.back().id) +
                          "; rows must be in order, each once");
    const pattern& p = patterns_[static_cast<std::size_t>(r.id)];
    if (fields[1] != p.family || fields[2] != p.label || fields[3] != describe(p.opcode).name ||
        fields[4] != hex(p.asked.active, 8) || fields[5] != hex(checksum(p), 16))
      reader_.refuse_line("pattern " + fields[0] + " is " + describe(p.opcode).name + ", " +
                          p.family + ", " + p.label + ", mask " + hex(p.asked.active, 8) +
                          ", addresses " + hex(checksum(p), 16) +
                          " here; it was measured by another generator: measure again");
    r.counter = wavefronts(fields[6], "counter");
    r.source = wavefronts(fields[7], "source");
    r.clock = wavefronts(fields[8], "clock");
    if (!fields[9].empty()) {
      double cycles = 0;
      if (!to_number(fields[9], cycles) || !(cycles >= 0 && cycles < 1e12))
        reader_.refuse_line("cycles \"" + fields[9] + "\" are not a number");
      r.cycles = cycles;
    }
    result_.readings.push_back(r);
  }

  line_reader reader_;
  measured result_;
  std::vector<pattern> patterns_;
};

}  // namespace detail

// Reads such a file. Error: file_error. `file` is its name for messages.
inline measured read_measured(std::istream& stream, const std::string& file) {
  return detail::measured_reader(stream, file).read();
}

}  // namespace hardware

#endif
