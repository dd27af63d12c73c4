// SPDX-License-Identifier: MIT
// Wrong edits of a file, made by operators, to see if tests notice them.
//   mutants list FILE [LINE]...      prints the edits of these lines (of all lines, without any),
//   one a
//                                    line: line, offset, length and the new text, with tabs between
//   mutants write FILE COPY [NUMBER OFFSET LENGTH TEXT]...
//                                    writes a copy with all these edits. One is in effect if
//                                    BANKMODEL_MUTANT in the environment is its number, and never
//                                    in a constant expression. Prints "NUMBER switched", or "NUMBER
//                                    apart" if the text is in no function body: it needs a copy of
//                                    its own
//   mutants replace FILE COPY OFFSET LENGTH TEXT
//
// The operators: `<` and `<=`, `>` and `>=`, `==` and `!=`, `+` and `-`, `*` and `+`, `/` and `*`,
// `%` and
// `/`, `&&` and `||`, true and false, a number and the next one, a condition of an if and its
// opposite, a statement and none. A function body is written once more for each of its edits:
//   { if (bankmodel_mutant_is(7)) { wrong body } else { right body } }
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

// The text with blanks for comments, strings and preprocessor lines, which leaves code alone.
std::string code_alone(std::string text) {
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (; begin < end && begin < text.size(); ++begin)
      if (text[begin] != '\n') text[begin] = ' ';
  };
  for (std::size_t offset = 0; offset < text.size(); ++offset) {
    const char letter = text[offset];
    if (text.compare(offset, 2, "//") == 0 ||
        (letter == '#' &&
         (offset == 0 || text.find_last_not_of(" \t", offset - 1) == text.rfind('\n', offset)))) {
      auto end = std::min(text.find('\n', offset), text.size());
      while (letter == '#' && end < text.size() && text[end - 1] == '\\')
        end = std::min(text.find('\n', end + 1), text.size());
      blank(offset, end);
      offset = end;
    } else if (text.compare(offset, 2, "/*") == 0) {
      const auto end = std::min(text.find("*/", offset), text.size());
      blank(offset, end + 2);
      offset = end + 1;
    } else if (text.compare(offset, 2, "R\"") == 0 &&
               (offset == 0 || std::isalnum(static_cast<unsigned char>(text[offset - 1])) == 0)) {
      const auto open = std::min(text.find('(', offset), text.size() - 1);
      const std::string close = ")" + text.substr(offset + 2, open - offset - 2) + "\"";
      const auto end = std::min(text.find(close, open), text.size());
      blank(offset, end + close.size());
      offset = end + close.size() - 1;
    } else if (letter == '"' ||
               (letter == '\'' &&
                (offset == 0 || std::isalnum(static_cast<unsigned char>(text[offset - 1])) == 0))) {
      auto end = offset + 1;
      while (end < text.size() && text[end] != letter) end += text[end] == '\\' ? 2 : 1;
      blank(offset, end + 1);
      offset = end;
    }
  }
  return text;
}

struct body {
  std::size_t open, close;  // its braces
  auto operator<=>(const body&) const = default;
};

// The outermost function body around a part of the code.
std::optional<body> body_around(const std::string& code, std::size_t offset, std::size_t length) {
  std::vector<std::size_t> braces;
  for (std::size_t index = 0; index < offset; ++index) {
    if (code[index] == '{') braces.push_back(index);
    if (code[index] == '}' && !braces.empty()) braces.pop_back();
  }
  for (const std::size_t brace : braces) {
    const auto previous = code.find_last_of(";{}", brace - 1);
    const std::string head = code.substr(previous + 1, brace - previous - 1);
    static const std::regex function_head(R"(\)[^()=]*$)"),
        scope_head(R"(\b(namespace|class|struct|union)\b)");
    if (!std::regex_search(head, function_head)) {
      if (std::regex_search(head, scope_head)) continue;
      return {};
    }
    int depth = 0;
    for (std::size_t index = brace; index < code.size(); ++index) {
      if (code[index] == '{') ++depth;
      if (code[index] != '}' || --depth != 0) continue;
      if (offset + length > index) return {};
      return body{brace, index};
    }
    return {};
  }
  return {};
}

struct edit {
  std::size_t offset, length;
  std::string text;
};

// The edits of one line, which begins at `begin` of the whole; `code`: the text without comments
// and strings.
std::vector<edit> edits_in_line(const std::string& source, const std::string& code,
                                std::size_t begin, std::size_t end) {
  static const std::vector<std::pair<std::string, std::string>> swaps = {
      {" < ", " <= "},  {" <= ", " < "},  {" > ", " >= "},  {" >= ", " > "},
      {" == ", " != "}, {" != ", " == "}, {" + ", " - "},   {" - ", " + "},
      {" * ", " + "},   {" / ", " * "},   {" % ", " / "},   {" && ", " || "},
      {" || ", " && "}, {" += ", " -= "}, {" -= ", " += "}, {" |= ", " &= "}};
  const std::string line = code.substr(begin, end - begin);
  std::vector<edit> edits;
  for (const auto& [right, wrong] : swaps)
    for (auto found = line.find(right); found != std::string::npos;
         found = line.find(right, found + 1))
      edits.push_back({begin + found, right.size(), wrong});
  const auto matches = [&](const std::regex& pattern, auto&& add) {
    for (auto match = std::sregex_iterator(line.begin(), line.end(), pattern);
         match != std::sregex_iterator(); ++match)
      add(begin + static_cast<std::size_t>(match->position(1)), match->str(1));
  };
  static const std::regex boolean(R"(\b(true|false)\b)"), number(R"((?:^|[^\w.'])(\d+)(?![\w.']))"),
      condition(R"(\bif \()"),
      statement(R"(^\s*((?:[\w.\[\]()*:]|->)+ (?:[-+*/|&^]?=|<<=|>>=) [^{}]*;)$)"),
      call(R"(^\s*((?:\w|\.|->|::)+\([^{}]*\);)$)"), jump(R"((\b(?:break|continue);))");
  matches(boolean, [&](std::size_t offset, const std::string& text) {
    edits.push_back({offset, text.size(), text == "true" ? "false" : "true"});
  });
  matches(number, [&](std::size_t offset, const std::string& text) {
    if (text.size() < 10)
      edits.push_back({offset, text.size(), std::to_string(std::stol(text) + 1)});
  });
  for (const std::regex* const pattern : {&statement, &call, &jump})
    matches(*pattern, [&](std::size_t offset, const std::string& text) {
      if (text.rfind("return", 0) != 0) edits.push_back({offset, text.size(), ";"});
    });
  for (auto match = std::sregex_iterator(line.begin(), line.end(), condition);
       match != std::sregex_iterator(); ++match) {
    const auto open = begin + static_cast<std::size_t>(match->position(0)) + 3;
    int depth = 0;
    auto close = open;
    for (; close < code.size(); ++close) {
      if (code[close] == '(') ++depth;
      if (code[close] == ')' && --depth == 0) break;
    }
    const std::string inside = code.substr(open + 1, close - open - 1);
    const std::string condition_text = source.substr(open + 1, close - open - 1);
    if (inside.find_first_of(";{") != std::string::npos || inside.rfind("const ", 0) == 0 ||
        condition_text.find("//") != std::string::npos)
      continue;
    edits.push_back({open, close + 1 - open, "(!(" + condition_text + "))"});
  }
  return edits;
}

int list_edits(const std::string& text, const std::set<std::size_t>& lines) {
  const std::string code = code_alone(text);
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < code.size(); ++number) {
    const auto end = std::min(code.find('\n', begin), code.size());
    if (lines.empty() || lines.contains(number))
      for (const edit& made : edits_in_line(text, code, begin, end)) {
        std::string shown = made.text;
        std::replace(shown.begin(), shown.end(), '\n', ' ');
        std::cout << number << '\t' << made.offset << '\t' << made.length << '\t' << shown << '\n';
      }
    begin = end + 1;
  }
  return 0;
}

int write_copy(std::string text, char** words, int count, const char* copy) {
  const std::string code = code_alone(text);
  std::map<body, std::vector<std::pair<std::string, edit>>> bodies;
  for (int index = 0; index + 3 < count; index += 4) {
    const edit made{std::stoul(words[index + 1]), std::stoul(words[index + 2]), words[index + 3]};
    const auto around = body_around(code, made.offset, made.length);
    if (around) bodies[*around].push_back({words[index], made});
    std::cout << words[index] << (around ? " switched\n" : " apart\n");
  }
  for (auto entry = bodies.rbegin(); entry != bodies.rend(); ++entry) {
    const auto& [place, edits] = *entry;
    const std::string right = text.substr(place.open, place.close + 1 - place.open);
    std::string all = "{\n";
    for (const auto& [number, made] : edits) {
      std::string wrong = right;
      wrong.replace(made.offset - place.open, made.length, made.text);
      all += "if (bankmodel_mutant_is(" + number + "))\n" + wrong + "\nelse\n";
    }
    text.replace(place.open, right.size(), all + right + "\n}");
  }
  std::ofstream(copy) << R"(#ifndef BANKMODEL_MUTANTS
#define BANKMODEL_MUTANTS
#include <cstdlib>
inline const char* const bankmodel_mutant_text = std::getenv("BANKMODEL_MUTANT");
inline const int bankmodel_mutant = bankmodel_mutant_text ? std::atoi(bankmodel_mutant_text) : -1;
constexpr bool bankmodel_mutant_is(int number) {
  return !__builtin_is_constant_evaluated() && bankmodel_mutant == number;
}
#endif
)" << text;
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 2 ? words[1] : "";
  std::ifstream file(count > 2 ? words[2] : "");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (what == "list") {
    std::set<std::size_t> lines;
    for (int index = 3; index < count; ++index) lines.insert(std::stoul(words[index]));
    return list_edits(text, lines);
  }
  if (what == "write" && count > 3) return write_copy(text, words + 4, count - 4, words[3]);
  if (what == "replace" && count == 7) {
    text.replace(std::stoul(words[4]), std::stoul(words[5]), words[6]);
    std::ofstream(words[3]) << text;
    return 0;
  }
  std::cerr << "mutants list FILE [LINE].. | write FILE COPY [NUMBER OFFSET LENGTH TEXT].. | "
               "replace FILE COPY OFFSET LENGTH TEXT\n";
  return 2;
}
