// SPDX-License-Identifier: MIT
// The source in a page in HTML: its colours, and the costs and plans at its lines.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "answer_about.hpp"
#include "catch.hpp"
#include "examples/bankmodel/compiled/counted_kernel_file.hpp"
#include "examples/bankmodel/compiled/html/as_html.hpp"
#include "examples/bankmodel/compiled/html/drawn_requests.hpp"
#include "examples/bankmodel/compiled/html/syntax_colours.hpp"
#include "examples/bankmodel/html.hpp"
#include "examples/bankmodel/known_machines.hpp"
#include "examples/bankmodel/notation/counts.hpp"
#include "found_text.hpp"

namespace bm = bankmodel;
namespace cc = compiled;
namespace cl = command_line;

namespace {

// The text between the tags, still escaped; empty with `is_nested` if a span is in another.
std::string without_spans(const std::string& html, bool& is_nested) {
  std::string result;
  int open = 0;
  for (std::size_t position = 0; position < html.size(); ++position) {
    if (html[position] != '<') {
      result += html[position];
      continue;
    }
    open += html[position + 1] == '/' ? -1 : 1;
    is_nested = is_nested || open < 0 || open > 1;
    position = html.find('>', position);
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

// A kernel file, counted.
cc::counted_expressions counted(const std::string& text, int shared_bytes = 0) {
  cc::question asked;
  asked.file = "typed.kernel";
  asked.text = text;
  if (shared_bytes != 0) asked.limits.options.shared_bytes = shared_bytes;
  return cc::counted_expressions_of(asked, "");
}

// The text with the changes of its declarations that the plans take.
std::string with_fixes(std::string text, const std::vector<cc::array_plan>& plans) {
  std::vector<cc::text_edit> edits;
  for (const cc::array_plan& plan : plans)
    edits.insert(edits.end(), plan.fix.begin(), plan.fix.end());
  std::sort(edits.begin(), edits.end(), [](const auto& candidate, const auto& other) {
    return candidate.piece.offset > other.piece.offset;
  });
  for (const cc::text_edit& edit : edits) {
    REQUIRE(text.substr(edit.piece.offset, edit.piece.text.size()) == edit.piece.text);
    text.replace(edit.piece.offset, edit.piece.text.size(), edit.replacement);
  }
  return text;
}

std::string html_of(const std::string& text, const std::vector<cc::page>& pages) {
  cc::source_lines lines("typed.kernel");
  lines.give("typed.kernel", text);
  return cc::as_html(pages, lines, "typed.kernel");
}

std::string coloured(const std::string& line) { return cc::with_syntax_colours({line}).front(); }

}  // namespace

TEST_CASE("syntax colours change no letter") {
  int files = 0;
  for (const char* folder : {BANKMODEL_KERNEL_FILES "/../cuda", BANKMODEL_KERNEL_FILES})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream stream(entry.path());
      std::vector<std::string> lines;
      for (std::string line; std::getline(stream, line);) lines.push_back(line);
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

TEST_CASE("pages of kernel files have the counts, and their plans are those of the changed text") {
  std::vector<std::string> texts = {
      "define N 32\nblock 32 8\nshared float t[N][N /* columns */], u[32][32]\nglobal float "
      "g[]\nload t[tx][ty], u[tx][ty]\nload t[tx][ty + 8]\nload g[32 * tx], g[tx]\nload "
      "u[ty][tx]\n",
      "block 32\nshared float t[32][33]\nload t[tx][0]\n",
      "block 16 16\nshared float4 t[16][16]\nload t[tx][ty]\n"};
  for (const auto& file : std::filesystem::directory_iterator(BANKMODEL_KERNEL_FILES)) {
    std::ifstream stream(file.path());
    std::stringstream text;
    text << stream.rdbuf();
    texts.push_back(text.str());
  }
  int fixes = 0;
  for (const std::string& text : texts) {
    const cc::counted_expressions expressions = counted(text);
    const std::vector<cl::counted_file>& counted_files = expressions.on_machines;
    INFO(text);
    REQUIRE(expressions.counted->pages.size() == counted_files.size());
    for (std::size_t number = 0; number < counted_files.size(); ++number) {
      const cc::page& page = expressions.counted->pages[number];
      const cl::kernel_cost counted =
          cl::count(*counted_files[number].kernel, counted_files[number].machine);
      std::size_t shared = 0, global = 0;
      for (std::size_t access = 0; access < counted.costs.size(); ++access)
        if (counted_files[number].kernel->accesses[access].is_global())
          REQUIRE(page.costs.global.at(global++).traffic == counted.traffic[access]);
        else
          REQUIRE(page.costs.shared.at(shared++).cost == counted.costs[access]);
      CHECK(shared == page.costs.shared.size());
      CHECK(global == page.costs.global.size());
      const std::string changed = with_fixes(text, page.plans);
      if (changed == text) continue;
      ++fixes;
      const cl::kernel_cost changed_cost =
          cl::count(cl::read_kernel_file({"typed", changed}), counted_files[number].machine);
      for (const cc::array_plan& plan : page.plans) {
        if (plan.fix.empty()) continue;
        bm::cost current, planned;
        shared = 0;
        for (std::size_t access = 0; access < counted.costs.size(); ++access) {
          if (counted_files[number].kernel->accesses[access].is_global() ||
              page.costs.shared[shared++].first->array != plan.array)
            continue;
          current = current + counted.costs[access];
          planned = planned + changed_cost.costs[access];
        }
        CHECK(plan.declared_cost == current);
        CHECK(plan.planned_cost == planned);
      }
    }
  }
  CHECK(fixes > 2);
}

TEST_CASE("a plan is at the line that it changes, and is drawn there") {
  const std::string text =
      "block 32 8\nshared float t[32][32]\nshared float u[32][32]\nload t[tx][ty], "
      "u[tx][ty]\nload t[tx][ty + 8]\n";
  const cc::counted_expressions expressions = counted(text);
  std::vector<cc::page> pages = expressions.counted->pages;
  REQUIRE(pages.size() == 1);
  REQUIRE(pages[0].plans.size() == 2);
  const std::string html = html_of(text, pages);
  // Once each: at its line, and not among the remarks too.
  CHECK(count_of("t declared as t[32][33] takes 16 wavefronts instead of 512", html) == 1);
  CHECK(count_of("u declared as u[32][33] takes 8 wavefronts instead of 256", html) == 1);
  CHECK(count_of("<div class=\"becomes\">", html) == 2);
  CHECK(count_of("</code> becomes <code>", html) == 0);  // at other lines
  const std::size_t second = html.find("id=\"L1-0-2\""), third = html.find("id=\"L1-0-3\"");
  const std::size_t fix = html.find("t declared as t[32][33]");
  CHECK(second < fix);
  CHECK(fix < third);
  // Each array is drawn at its plan, to which its access leads.
  CHECK(count_of("as planned</figcaption>", html) == 2);
  CHECK(count_of("<a href=\"#L1-0-2\">The plan has the picture.</a>", html) == 1);
  CHECK(count_of("<a href=\"#L1-0-3\">The plan has the picture.</a>", html) == 1);
  // No access is at its ideal.
  CHECK(count_of(", the ideal", html) == 0);
  CHECK(count_of("class=\"folded\"", html) == 0);
  // Another plan of the same array is drawn too, folded.
  pages[0].plans.push_back(pages[0].plans[0]);
  const std::string with_another = html_of(text, pages);
  CHECK(count_of("class=\"folded\"", with_another) == 1);
  CHECK(count_of("as planned</figcaption>", with_another) == 3);
}

TEST_CASE("a plan that no declaration alone can be has no line that changes") {
  // More than 48 kB cannot be declared: the kernel takes them at its launch.
  const std::string text = "block 32\nshared float t[160][96]\nload t[tx][0]\n";
  const cc::counted_expressions expressions = counted(text, 100000);
  const std::vector<cc::page>& pages = expressions.counted->pages;
  REQUIRE(pages.size() == 1);
  REQUIRE(pages[0].plans.size() == 1);
  CHECK(pages[0].plans[0].fix.empty());
  CHECK(count_of("t declared as t[160][97] takes 1 wavefront instead of 32",
                 html_of(text, pages)) == 1);
}

TEST_CASE("a page of 40 lines takes less than 300 kB, with the pictures of the worst accesses") {
  // Each of the 38 lines conflicts in two arrays, the later ones more.
  std::string text = "machine sm_35, sm_90\nblock 32 8\nshared float t[32][64], u[64][32]\n";
  for (int line = 0; line < 38; ++line)
    text += cl::joined("load t[tx][ty + ", line, "], u[", line < 20 ? "tx / 2" : "tx", " + ",
                       line % 8, "][ty]\n");
  const cc::counted_expressions expressions = counted(text);
  const std::string html = html_of(text, expressions.counted->pages);
  CHECK(html.size() < 300'000);
  const int drawn = count_of("<figure>", html);
  CHECK(drawn >= 4);
  const int left_out = count_of("The page has the pictures of the worst accesses alone.", html);
  const int planned = count_of("as planned</figcaption>", html);
  CHECK(planned >= 1);
  CHECK(drawn - planned + left_out == 2 * 2 * 38);
  // Those that are left out conflict no more than those that are drawn.
  const cc::drawn_requests requests(expressions.counted->pages);
  std::uint64_t least_drawn = ~std::uint64_t{0}, most_left_out = 0;
  for (const cc::page& page : expressions.counted->pages)
    for (const cc::priced_access& access : page.costs.shared)
      if (requests.leaves_out(access))
        most_left_out = std::max(most_left_out, access.cost.conflicts());
      else
        least_drawn = std::min(least_drawn, access.cost.conflicts());
  CHECK(most_left_out <= least_drawn);
  CHECK(most_left_out > 0);
  // Every kernel file's.
  for (const auto& file : std::filesystem::directory_iterator(BANKMODEL_KERNEL_FILES)) {
    std::ifstream stream(file.path());
    std::stringstream content;
    content << stream.rdbuf();
    INFO(file.path());
    CHECK(html_of(content.str(), counted(content.str()).counted->pages).size() < 300'000);
  }
}
