// SPDX-License-Identifier: MIT
// The source in a page in HTML: its colours, and what is at its lines.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/compiled/html/syntax_colours.hpp"
#include "examples/bankmodel/html.hpp"

namespace cc = compiled;
namespace cl = command_line;

namespace {

// The text between the tags, still escaped; empty with `is_nested` if a span is in another.
std::string without_spans(const std::string& html, bool& is_nested) {
  std::string result;
  int open = 0;
  for (std::size_t at = 0; at < html.size(); ++at) {
    if (html[at] != '<') {
      result += html[at];
      continue;
    }
    open += html[at + 1] == '/' ? -1 : 1;
    is_nested = is_nested || open < 0 || open > 1;
    at = html.find('>', at);
  }
  is_nested = is_nested || open != 0;
  return result;
}

void require_same_text(const std::vector<std::string>& lines) {
  const std::vector<std::string> coloured = cc::with_syntax_colours(lines);
  REQUIRE(coloured.size() == lines.size());
  for (std::size_t line = 0; line < lines.size(); ++line) {
    bool is_nested = false;
    const std::string shown = without_spans(coloured[line], is_nested);
    INFO(lines[line]);
    INFO(coloured[line]);
    REQUIRE(!is_nested);
    REQUIRE(shown == cl::escaped(lines[line]));
  }
}

std::string coloured(const std::string& line) { return cc::with_syntax_colours({line}).front(); }

}  // namespace

TEST_CASE("syntax colours change no letter") {
  int files = 0;
  for (const char* folder : {BANKMODEL_KERNEL_FILES "/../cuda", BANKMODEL_KERNEL_FILES})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream from(entry.path());
      std::vector<std::string> lines;
      for (std::string line; std::getline(from, line);) lines.push_back(line);
      require_same_text(lines);
      ++files;
    }
  CHECK(files > 40);
  // Whatever somebody writes.
  std::mt19937 random(7);
  const std::string letters = "ab_9.x\"'/*\\#<>&; \t+u\xc3\xa4";
  for (int times = 0; times < 3000; ++times) {
    std::vector<std::string> lines(1 + random() % 3);
    for (std::string& line : lines)
      for (std::size_t length = random() % 12; length > 0; --length) {
        const std::size_t letter = random() % letters.size();
        // A letter of two bytes stays whole.
        line += letter + 2 >= letters.size() ? "\xc3\xa4" : std::string(1, letters[letter]);
      }
    require_same_text(lines);
  }
}

TEST_CASE("syntax colours are those of the language") {
  CHECK(coloured("int n = 0x1f; // rows") ==
        "<span class=\"w\">int</span> n = <span class=\"v\">0x1f</span>; <span class=\"c\">// "
        "rows</span>");
  CHECK(coloured("  #pragma unroll 4") ==
        "  <span class=\"p\">#pragma unroll </span><span class=\"v\">4</span>");
  CHECK(coloured("a[threadIdx.x] = 'x' + \"a\\\"b\"") ==
        "a[<span class=\"w\">threadIdx</span>.x] = <span class=\"v\">&#39;x&#39;</span> + <span "
        "class=\"v\">&quot;a\\&quot;b&quot;</span>");
  // Parts of names are no words, and digits in them no numbers.
  CHECK(coloured("interval int2 _if x4") == "interval int2 _if x4");
  CHECK(coloured("1'000") == "<span class=\"v\">1</span>&#39;<span class=\"v\">000</span>");
  // A comment goes on in the next lines, in which # begins nothing.
  CHECK(cc::with_syntax_colours({"a /* b", "#if int", "c */ int"}) ==
        std::vector<std::string>{"a <span class=\"c\">/* b</span>",
                                 "<span class=\"c\">#if int</span>",
                                 "<span class=\"c\">c */</span> <span class=\"w\">int</span>"});
  CHECK(coloured("/*/ int") == "<span class=\"c\">/*/ int</span>");
  CHECK(coloured("/**/ int") == "<span class=\"c\">/**/</span> <span class=\"w\">int</span>");
  CHECK(coloured("a / b") == "a / b");
  // What is not closed ends with its line.
  CHECK(
      cc::with_syntax_colours({"\"a", "int"}) ==
      std::vector<std::string>{"<span class=\"v\">&quot;a</span>", "<span class=\"w\">int</span>"});
}
