// SPDX-License-Identifier: MIT
#include "source_names.hpp"

#include <cctype>
#include <set>

#include "code/short_names.hpp"
#include "page/source_functions.hpp"

namespace compiled {

namespace {

bool is_of_a_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// The text of a function, without comments and preprocessor directives.
std::string code_of(const std::vector<std::string>& lines, const line_range& function) {
  std::string result;
  bool is_comment = false;
  for (int number = function.first; number <= function.last; ++number) {
    const std::string& line = lines[slot(number) - 1];
    const std::size_t begin = line.find_first_not_of(" \t");
    if (!is_comment && begin != line.npos && line[begin] == '#') continue;
    for (std::size_t column = 0; column < line.size(); ++column) {
      const std::string two = line.substr(column, 2);
      if (!is_comment && two == "//") break;
      if (two == (is_comment ? "*/" : "/*")) {
        is_comment = !is_comment;
        ++column;
      } else if (!is_comment) {
        result += line[column];
      }
    }
    result += ' ';
  }
  return result;
}

// What is between the parenthesis at `open` and its partner, at commas that are in no brackets.
std::vector<std::string> separated_parameters(const std::string& code, std::size_t open) {
  std::vector<std::string> result = {""};
  int depth = 0;
  for (std::size_t place = open + 1; place < code.size(); ++place) {
    const char letter = code[place];
    if (letter == ')' && depth == 0) return result;
    const std::string brackets = "([{<)]}>";
    if (const std::size_t kind = brackets.find(letter); kind != brackets.npos)
      depth += kind < 4 ? 1 : -1;
    if (letter == ',' && depth == 0)
      result.emplace_back();
    else
      result.back() += letter;
  }
  return {};
}

// The last word: n of "const int n [4] = {}". Empty: there is a type alone.
std::string declared_name(const std::string& parameter) {
  std::string text = parameter.substr(0, parameter.find('='));
  if (const std::size_t extent = text.find('['); extent != text.npos) text.resize(extent);
  const std::size_t last = text.find_last_not_of(" \t");
  if (last == text.npos || !is_of_a_name(text[last])) return {};
  std::size_t first = last;
  while (first > 0 && is_of_a_name(text[first - 1])) --first;
  const bool has_type = text.find_first_not_of(" \t") < first;
  return has_type ? text.substr(first, last + 1 - first) : std::string();
}

// The place of the parenthesis behind a name, and behind the arguments of a specialization: of
// `k<float>(float* x)`. npos: something else is there.
std::size_t opening_parenthesis(const std::string& code, std::size_t behind_name) {
  std::size_t place = code.find_first_not_of(" \t", behind_name);
  if (place != code.npos && code[place] == '<')
    for (int depth = 0; place < code.size();) {
      depth += code[place] == '<' ? 1 : code[place] == '>' ? -1 : 0;
      place = code.find_first_not_of(" \t", place + 1);
      if (depth == 0 || place == code.npos) break;
    }
  return place != code.npos && code[place] == '(' ? place : code.npos;
}

std::vector<std::string> names_in(const std::string& code, const std::string& kernel) {
  const std::string head = code.substr(0, code.find('{'));
  if (head.find("__global__") == head.npos) return {};
  for (std::size_t place = head.find(kernel); place != head.npos;
       place = head.find(kernel, place + 1)) {
    const std::size_t end = place + kernel.size();
    const std::size_t open = opening_parenthesis(code, end);
    const bool begins_word = place == 0 || !is_of_a_name(code[place - 1]);
    if (!begins_word || open == code.npos) continue;
    std::vector<std::string> result;
    for (const std::string& parameter : separated_parameters(code, open))
      result.push_back(declared_name(parameter));
    return result;
  }
  return {};
}

}  // namespace

std::vector<std::string> parameter_names(const std::vector<std::string>& lines,
                                         const std::string& name) {
  std::vector<std::string> result;
  for (const line_range& function : functions_of(lines)) {
    const std::vector<std::string> names = names_in(code_of(lines, function), name);
    if (names.empty()) continue;
    if (!result.empty() && names != result) return {};
    if (std::set<std::string>(names.begin(), names.end()).count("") != 0) return {};
    result = names;
  }
  return result;
}

std::string python_function(const std::vector<std::string>& lines, const std::string& linkage) {
  const std::string of_dsl = "kernel_cutlass_", head = "def ";
  std::string result;
  if (!linkage.starts_with(of_dsl)) return result;
  for (const std::string& line : lines) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos || line.compare(begin, head.size(), head) != 0) continue;
    std::size_t end = begin + head.size();
    while (end < line.size() && is_of_a_name(line[end])) ++end;
    const std::string name = line.substr(begin + head.size(), end - begin - head.size());
    // One name may begin with another one.
    if (linkage.starts_with(of_dsl + name + "_") && name.size() > result.size()) result = name;
  }
  return result;
}

void take_names_of_source(kernel_code& kernel, source_lines& lines) {
  for (const std::string& file : kernel.files)
    if (const std::string name = python_function(lines.text_lines(file), kernel.linkage);
        !name.empty())
      kernel.name = name;
  const std::string name = template_of(unqualified_name(kernel.name));
  for (const std::string& file : kernel.files) {
    if (!is_source(file)) continue;
    const std::vector<std::string> names = parameter_names(lines.text_lines(file), name);
    if (names.size() != kernel.parameters.size()) continue;
    for (std::size_t number = 0; number < names.size(); ++number)
      kernel.parameters[number].name = names[number];
    return;
  }
}

}  // namespace compiled
