// SPDX-License-Identifier: MIT
#include "colours.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "../source.hpp"

namespace command_line {

namespace {

constexpr std::string_view bold = "\033[1m", red = "\033[1;31m", green = "\033[1;32m",
                           magenta = "\033[1;35m", cyan = "\033[1;36m", plain = "\033[0m";

struct kind_of_line {
  std::string_view word, colour;
};
constexpr kind_of_line kinds[] = {{"error: ", red}, {"warning: ", magenta}, {"note: ", cyan}};

// "path:3:5: warning: text", "note: text"; nothing if the line is none of them.
std::string diagnostic_in_colours(std::string_view line) {
  for (const auto& [word, colour] : kinds) {
    const std::size_t place = line.find(word);
    // Before it there is nothing, or a place or a name with a colon and without blanks.
    if (place == line.npos || (place > 0 && !line.substr(0, place).ends_with(": "))) continue;
    const std::string_view head = line.substr(0, place);
    if (head.size() > 2 && head.substr(0, head.size() - 2).find(' ') != head.npos) continue;
    return joined(bold, head, plain, colour, word, plain, line.substr(place + word.size()));
  }
  return {};
}

// The last word of a row of a table.
std::string row_in_colours(std::string_view line) {
  const std::size_t blank = line.rfind(' ');
  const std::string_view last = line.substr(blank + 1);
  if (blank == line.npos || !last.ends_with("-way") ||
      last.substr(0, last.size() - 4).find_first_not_of("0123456789") != last.npos)
    return {};
  return joined(line.substr(0, blank + 1), red, last, plain);
}

std::string line_in_colours(std::string_view line) {
  if (const std::string diagnostic = diagnostic_in_colours(line); !diagnostic.empty())
    return diagnostic;
  if (const std::string row = row_in_colours(line); !row.empty()) return row;
  const std::size_t mark = line.find_first_not_of(" |");
  if (mark != line.npos && mark > 0 && line.find('^') != line.npos &&
      line.find_first_not_of("^~", mark) == line.npos)
    return joined(line.substr(0, mark), green, line.substr(mark), plain);
  // "sm_90: transpose, one block of 32 x 8 threads"
  if (line.find(" one block of ") != line.npos && line.find(": ") != line.npos &&
      (line.ends_with(" threads") || line.ends_with(" thread")))
    return joined(bold, line, plain);
  return std::string(line);
}

}  // namespace

bool wants_colours(int stream) {
  const auto value_of = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  if (const std::string_view forced = value_of("CLICOLOR_FORCE"); !forced.empty() && forced != "0")
    return true;
  return value_of("NO_COLOR").empty() && value_of("TERM") != "dumb" && isatty(stream) != 0;
}

std::string coloured(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    result += line_in_colours(std::string_view(text).substr(begin, end - begin));
    if (end == text.npos) break;
    result += '\n';
    begin = end + 1;
  }
  return result;
}

}  // namespace command_line
