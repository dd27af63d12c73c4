// SPDX-License-Identifier: MIT
#include "page.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace bench {

std::string wrapped(const std::string& words, std::size_t columns) {
  std::istringstream stream(words);
  std::string lines, line;
  for (std::string word; stream >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > columns)
      lines += line + "\n", line.clear();
    if (!line.empty()) line += ' ';
    line += word;
  }
  return lines + line + "\n";
}

void page::text(const std::string& words) { markdown += wrapped(words, 130) + "\n"; }

void page::table(const row& head, const std::vector<row>& rows) {
  const auto line = [&](const row& cells) {
    for (const auto& cell : cells) markdown += "| " + cell + " ";
    markdown += "|\n";
  };
  line(head);
  for (std::size_t column = 0; column < head.size(); ++column)
    markdown += column == 0 ? "| --- " : "| ---: ";
  markdown += "|\n";
  for (const row& cells : rows) {
    require_same("the columns of a table", cells.size(), head.size());
    line(cells);
  }
  markdown += "\n";
}

void page::code(const std::string& lines) { markdown += "```\n" + lines + "```\n\n"; }

void page::picture(const std::string& file, const std::string& svg, const std::string& words) {
  pictures[file] = svg;
  markdown += "![" + words + "](" + file + ")\n\n";
}

std::string count_text(unsigned long long value) {
  std::string digits = std::to_string(value);
  for (std::size_t position = digits.size(); position > 3; position -= 3)
    digits.insert(position - 3, 1, ',');
  return digits;
}

std::string number_text(double value) {
  if (value <= 0) return value == 0 ? "0" : '-' + number_text(-value);
  char rounded[32];
  std::snprintf(rounded, sizeof rounded, "%.2e", value);
  const double three_digits = std::atof(rounded);
  const int power = static_cast<int>(std::floor(std::log10(three_digits) + 1e-9));
  if (power >= 2) return count_text(static_cast<unsigned long long>(std::llround(three_digits)));
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", 2 - power, three_digits);
  return text;
}

std::string time_text(double ns) {
  if (ns < 999.5) return number_text(ns) + " ns";
  if (ns < 999.5e3) return number_text(ns / 1e3) + " µs";
  if (ns < 999.5e6) return number_text(ns / 1e6) + " ms";
  return number_text(ns / 1e9) + " s";
}

std::string output_of(const std::string& command) {
  std::string text;
  if (FILE* const pipe = popen(command.c_str(), "r")) {
    char part[4096];
    while (const std::size_t size = std::fread(part, 1, sizeof part, pipe)) text.append(part, size);
    pclose(pipe);
  }
  return text;
}

void require_same(const std::string& subject, unsigned long long first, unsigned long long other) {
  if (first == other) return;
  std::fprintf(stderr, "WRONG: %s: %llu and %llu; no page is made\n", subject.c_str(), first,
               other);
  std::exit(1);
}

}  // namespace bench
