// SPDX-License-Identifier: MIT
#include "changed_kernel.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace editor {

using compiled::line_range;
using nlohmann::json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result(1);
  for (const char letter : text)
    if (letter == '\n')
      result.emplace_back();
    else
      result.back() += letter;
  return result;
}

bool is_word_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// The last word of `__global__ void __launch_bounds__(64) f(`, which is followed by a parenthesis
// and does not begin with two underscores. Empty if there is none.
std::string name_of_kernel(const std::string& function) {
  const std::string mark = "__global__";
  std::size_t begin = function.find(mark);
  if (begin == std::string::npos) return {};
  for (begin += mark.size(); begin < function.size();) {
    if (!is_word_letter(function[begin])) {
      if (function[begin] == '{' || function[begin] == ';') return {};
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < function.size() && is_word_letter(function[end])) ++end;
    const std::size_t next = function.find_first_not_of(" \t\n", end);
    if (next == std::string::npos) return {};
    if (function[next] == '(' && function.compare(begin, 2, "__") != 0)
      return function.substr(begin, end - begin);
    begin = end;
  }
  return {};
}

// The function around these lines; nothing if there is none.
std::optional<line_range> function_around(const std::vector<std::string>& lines, line_range range) {
  for (const line_range& function : compiled::functions_of(lines))
    if (function.first <= range.first && range.last <= function.last) return function;
  return {};
}

std::string joined_lines(const std::vector<std::string>& lines, line_range range) {
  std::string result;
  for (int line = range.first; line <= range.last; ++line)
    result += lines[static_cast<std::size_t>(line) - 1] + "\n";
  return result;
}

bool has_directive(const std::vector<std::string>& lines, line_range range) {
  return std::any_of(lines.begin() + range.first - 1, lines.begin() + range.last,
                     [](const std::string& line) {
                       const std::size_t begin = line.find_first_not_of(" \t");
                       return begin != line.npos && line[begin] == '#';
                     });
}

std::size_t count_of(const std::string& word, const std::string& text) {
  std::size_t result = 0;
  for (std::size_t offset = text.find(word); offset != text.npos;
       offset = text.find(word, offset + 1))
    ++result;
  return result;
}

}  // namespace

std::optional<changed_kernel> changed_kernel_of(const std::string& old_text,
                                                const std::string& new_text) {
  if (old_text == new_text || count_of("__global__", new_text) < 2) return {};
  const std::vector<std::string> old = lines_of(old_text), current = lines_of(new_text);
  const std::size_t shorter = std::min(old.size(), current.size());
  std::size_t same = 0, same_behind = 0;
  while (same < shorter && old[same] == current[same]) ++same;
  while (same_behind < shorter - same &&
         old[old.size() - 1 - same_behind] == current[current.size() - 1 - same_behind])
    ++same_behind;
  // With the line before and the line behind, so that none of both is empty.
  const auto with_neighbours = [&](const std::vector<std::string>& lines) {
    return line_range{
        std::max(static_cast<int>(same), 1),
        std::min(static_cast<int>(lines.size() - same_behind) + 1, static_cast<int>(lines.size()))};
  };
  const line_range changed_old = with_neighbours(old), changed_now = with_neighbours(current);
  if (has_directive(old, changed_old) || has_directive(current, changed_now)) return {};
  const auto function_old = function_around(old, changed_old),
             function_now = function_around(current, changed_now);
  if (!function_old || !function_now || function_old->first != function_now->first) return {};
  const std::string name = name_of_kernel(joined_lines(current, *function_now));
  if (name.empty() || name != name_of_kernel(joined_lines(old, *function_old))) return {};
  return changed_kernel{name, *function_old, *function_now};
}

namespace {

// Lines of the protocol begin with 0.
bool is_in(const json& line, const line_range& range) {
  const int number = line.get<int>() + 1;
  return range.first <= number && number <= range.last;
}

void move(json& line, const changed_kernel& changed) {
  if (line.get<int>() + 1 > changed.old_lines.last)
    line = line.get<int>() + changed.new_lines.last - changed.old_lines.last;
}

}  // namespace

json with_notes_of_kernel(const json& previous, const json& of_kernel,
                          const changed_kernel& changed) {
  json result = {{"actions", json::array()}};
  const auto merge = [&](const char* kind, const json::json_pointer& line, const auto& move_all) {
    result[kind] = json::array();
    for (json note : previous[kind]) {
      if (is_in(note.at(line), changed.old_lines)) continue;
      move_all(note);
      result[kind].push_back(std::move(note));
    }
    for (const json& note : of_kernel[kind])
      if (is_in(note.at(line), changed.new_lines)) result[kind].push_back(note);
  };
  merge("diagnostics", json::json_pointer("/range/start/line"), [&](json& diagnostic) {
    for (const char* const end : {"start", "end"}) move(diagnostic["range"][end]["line"], changed);
  });
  merge("hints", json::json_pointer("/position/line"),
        [&](json& hint) { move(hint["position"]["line"], changed); });
  merge("hovers", json::json_pointer("/line"), [&](json& hover) { move(hover["line"], changed); });
  return result;
}

}  // namespace editor
