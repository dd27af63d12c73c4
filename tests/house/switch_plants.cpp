// SPDX-License-Identifier: MIT
// Many planted bugs in one program: writes a copy of a header that contains each wrong edit. An
// edit is used only if BANKMODEL_PLANT in the environment is its number, and never in a constant
// expression.
//   switch_plants HEADER COPY [NUMBER RIGHT WRONG]...
// With `alone` for NUMBER the wrong text simply replaces the right one. White space in RIGHT
// matches any white space, because clang-format may break the line elsewhere.
// The function body around the text RIGHT is written twice, once with WRONG instead:
//   { if (bankmodel_plant_is(7)) { wrong body } else { right body } }
// Prints a line for each plant: "NUMBER switched", "NUMBER apart" if the text is in no function
// body (then it needs a compilation of its own), "NUMBER missing" or "NUMBER twice" if the header
// does not contain it exactly once.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace {

// The text with blanks for comments, strings and preprocessor lines, which leaves only the braces
// of code.
std::string without_comments(std::string text) {
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (; from < to && from < text.size(); ++from)
      if (text[from] != '\n') text[from] = ' ';
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "//") == 0 || (text[at] == '#' && (at == 0 || text[at - 1] == '\n'))) {
      const auto end = std::min(text.find('\n', at), text.size());
      blank(at, end);
      at = end;
    } else if (text.compare(at, 2, "/*") == 0) {
      const auto end = std::min(text.find("*/", at), text.size());
      blank(at, end + 2);
      at = end + 1;
    } else if (text[at] == '"' ||
               (text[at] == '\'' &&
                (at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0))) {
      auto end = at + 1;
      while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
      blank(at, end + 1);
      at = end;
    }
  }
  return text;
}

struct body {
  std::size_t open, close;  // its braces
  auto operator<=>(const body&) const = default;
};

// The outermost function body around a place.
std::optional<body> body_around(const std::string& code, std::size_t place, std::size_t length) {
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < place; ++at) {
    if (code[at] == '{') open.push_back(at);
    if (code[at] == '}' && !open.empty()) open.pop_back();
  }
  for (const std::size_t brace : open) {
    const auto before = code.find_last_of(";{}", brace - 1);
    const std::string head = code.substr(before + 1, brace - before - 1);
    static const std::regex of_a_function(R"(\)[^()=]*$)"),
        of_a_scope(R"(\b(namespace|class|struct|union)\b)");
    if (!std::regex_search(head, of_a_function)) {
      if (std::regex_search(head, of_a_scope)) continue;
      return {};
    }
    int depth = 0;
    for (std::size_t at = brace; at < code.size(); ++at) {
      if (code[at] == '{') ++depth;
      if (code[at] == '}' && --depth == 0) {
        if (place + length > at) return {};
        return body{brace, at};
      }
    }
    return {};
  }
  return {};
}

// The same, of the part of the right text that the wrong one changes: the texts may begin with the
// head of a function. `place`, `length` and `wrong` become those of that part.
std::optional<body> body_of_change(const std::string& code, const std::string& text,
                                   std::size_t& place, std::size_t& length, std::string& wrong) {
  if (const auto around = body_around(code, place, length)) return around;
  const auto same = std::mismatch(wrong.begin(), wrong.end(), text.begin() + std::ptrdiff_t(place),
                                  text.begin() + std::ptrdiff_t(place + length));
  const auto count = static_cast<std::size_t>(same.first - wrong.begin());
  place += count;
  length -= count;
  wrong.erase(0, count);
  while (length > 0 && !wrong.empty() && wrong.back() == text[place + length - 1]) {
    wrong.pop_back();
    --length;
  }
  return body_around(code, place, length);
}

struct plant {
  std::string number;
  std::size_t place, length;  // of the right text
  std::string wrong;
};

// The place and length of `sought` in the text from `from` on; white space matches any white space.
std::pair<std::size_t, std::size_t> place_of(const std::string& text, const std::string& sought,
                                             std::size_t from) {
  const auto is_space = [](char letter) {
    return std::isspace(static_cast<unsigned char>(letter)) != 0;
  };
  std::string letters;
  std::remove_copy_if(sought.begin(), sought.end(), std::back_inserter(letters), is_space);
  for (; from < text.size(); ++from) {
    std::size_t at = from, matched = 0;
    while (at < text.size() && matched < letters.size()) {
      if (text[at] == letters[matched])
        ++matched;
      else if (matched == 0 || !is_space(text[at]))
        break;
      ++at;
    }
    if (matched == letters.size()) return {from, at - from};
  }
  return {std::string::npos, 0};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc % 3 != 0) {
    std::cerr << "switch_plants HEADER COPY [NUMBER RIGHT WRONG]...\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string code = without_comments(text);
  std::map<body, std::vector<plant>> bodies;
  for (int at = 3; at < argc; at += 3) {
    const std::string number = argv[at], right = argv[at + 1];
    std::string wrong = argv[at + 2];
    auto [place, length] = place_of(text, right, 0);
    const char* said = "switched";
    if (place == std::string::npos) {
      said = "missing";
    } else if (place_of(text, right, place + 1).first != std::string::npos) {
      said = "twice";
    } else if (number == "alone") {
      text.replace(place, length, wrong);
      said = "replaced";
    } else if (const auto around = body_of_change(code, text, place, length, wrong)) {
      bodies[*around].push_back({number, place, length, wrong});
    } else {
      said = "apart";
    }
    std::cout << number << ' ' << said << '\n';
  }
  for (auto each = bodies.rbegin(); each != bodies.rend(); ++each) {
    const auto& [where, plants] = *each;
    const std::string right = text.substr(where.open, where.close + 1 - where.open);
    std::string all = "{\n";
    for (const plant& one : plants) {
      std::string wrong = right;
      wrong.replace(one.place - where.open, one.length, one.wrong);
      all += "if (bankmodel_plant_is(" + one.number + "))\n" + wrong + "\nelse\n";
    }
    text.replace(where.open, right.size(), all + right + "\n}");
  }
  std::ofstream(argv[2]) << R"(#ifndef BANKMODEL_PLANTS
#define BANKMODEL_PLANTS
#include <cstdlib>
inline const char* const bankmodel_plant_text = std::getenv("BANKMODEL_PLANT");
inline const int bankmodel_plant = bankmodel_plant_text ? std::atoi(bankmodel_plant_text) : -1;
constexpr bool bankmodel_plant_is(int number) {
  return !__builtin_is_constant_evaluated() && bankmodel_plant == number;
}
#endif
)" << text;
}
