// SPDX-License-Identifier: MIT
// Text of any origin in a terminal, in JSON and in HTML; pictures in a page; the functions of a
// source.
#include "examples/bankmodel/compiled/page/source_functions.hpp"
#include "examples/bankmodel/compiled/source_names.hpp"
#include "examples/bankmodel/html.hpp"
#include "examples/bankmodel/json.hpp"
#include "examples/bankmodel/progress_line.hpp"
#include "examples/bankmodel/table.hpp"
#include "examples/bankmodel/utf8.hpp"

#include <bankmodel/draw.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "found_text.hpp"

namespace bm = bankmodel;
namespace cc = compiled;
namespace cl = command_line;

namespace {

std::string utf8_of(std::uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

}  // namespace

TEST_CASE("characters of UTF-8") {
  for (std::uint32_t code = 0; code < 0x110000; ++code) {
    const std::string text = utf8_of(code) + "x";
    const cl::character decoded = cl::character_at(text, 0);
    const bool is_half = code >= 0xd800 && code < 0xe000;
    if (decoded.is_valid == is_half || decoded.bytes != (is_half ? 1 : text.size() - 1) ||
        (!is_half && decoded.code != code)) {
      INFO(code);
      FAIL_CHECK();
    }
  }
  for (const char* wrong : {"\x80", "\xc3", "\xc3x", "\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80",
                            "\xf4\x90\x80\x80", "\xff", "\xe2\x82"})
    CHECK((!cl::character_at(wrong, 0).is_valid && cl::character_at(wrong, 0).bytes == 1));
  CHECK(cl::length("gr\xc3\xb6\xc3\x9f"
                   "e\xff") == 6);
}

TEST_CASE("a block is named by the dimensions that it has") {
  CHECK(cl::text_of(bm::block_dim{1}) == "1 thread");
  CHECK(cl::text_of(bm::block_dim{32}) == "32 threads");
  CHECK(cl::text_of(bm::block_dim{32, 4}) == "32 x 4 threads");
  CHECK(cl::text_of(bm::block_dim{32, 1, 2}) == "32 x 1 x 2 threads");
}

TEST_CASE("text for a terminal has no control characters") {
  CHECK(cl::printable("a\tb") == "a       b");
  CHECK(cl::printable("\xc3\xb6\t|") == "\xc3\xb6       |");
  CHECK(cl::printable("\x1b[31m\r\x7f\xc2\x9b\xff") == "?[31m????");
  CHECK(cl::cut("12345", 5) == "12345");
  CHECK(cl::cut("\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6", 3) == "\xc3\xb6..");
}

TEST_CASE("a part of a line keeps its place") {
  std::string line;
  for (char letter = '!'; letter <= 'z'; ++letter) line += letter;
  for (std::size_t width = 8; width < 100; ++width)
    for (std::size_t column = 0; column <= line.size(); ++column) {
      std::size_t moved = column;
      const std::string part = cl::cut_around(line, moved, width);
      INFO(width << " " << column << " " << part);
      REQUIRE(part.size() == std::min(width, line.size()));
      REQUIRE((column == line.size() ? moved == part.size() : part.at(moved) == line[column]));
    }
}

TEST_CASE("any bytes are JSON and HTML") {
  CHECK(cl::json_string("\"\\\n\xc3\xb6\xe6\xbc\xa2\xf0\x9f\x98\x80\xff\x1b") ==
        "\"\\\"\\\\\\u000a\\u00f6\\u6f22\\ud83d\\ude00\\u00ff\\u001b\"");
  CHECK(
      cl::escaped("<a href=\"x\">'&'\x1b\t\xc3\xb6\xff\xc2\x85") ==
      "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;\xef\xbf\xbd\t\xc3\xb6\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("functions of a source") {
  const auto parse = [](const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return cc::functions_of(lines);
  };
  using ranges = std::vector<cc::line_range>;
  CHECK(parse("void f() {\n  if (x) { y(); }\n}\nvoid g() { }\n") == ranges{{1, 3}, {4, 4}});
  CHECK(parse("#include <a>\n\ntemplate <int N>\nvoid\nf(int a) {\n}\n") == ranges{{3, 6}});
  CHECK(parse("namespace a {\nextern \"C\" {\nvoid f() {\n}\n}\n}\n") == ranges{{3, 4}});
  CHECK(parse("struct s {\n  int a;\n  int f() const {\n    return 1;\n  }\n};\n") ==
        ranges{{3, 5}});
  CHECK(parse("int a[] = {1, 2};\nvoid f() {\n}\n") == ranges{{2, 3}});
  CHECK(parse("void f() {  // }\n /* } */ g('}', \"}\\\"}\", R\"-(}\")-\", 1'000);\n}\n") ==
        ranges{{1, 3}});
  CHECK(parse("#if A\nvoid f(int a) {\n#else\nvoid f(long a) {\n#endif\n}\nvoid g() {\n}\n") ==
        ranges{{4, 6}, {7, 8}});
  CHECK(parse("#define A(x) { \\\n (x\nvoid g() {\n}\n") == ranges{{3, 4}});
  CHECK(parse("void f();\nvoid g() {\n}\n") == ranges{{2, 3}});
  for (const char* broken :
       {"}}}", "{{{(", "\"", "'", "/*", "R\"(", "R\"", "#if", "#define \\", "\\"})
    (void)parse(broken);
}

// ".h,.b{font-weight:700}": the declarations of each selector, those of a dark page after "dark ".
std::map<std::string, std::string> rules_of(std::string styles) {
  std::map<std::string, std::string> result;
  std::string page;
  for (std::size_t position = 0;
       (position = styles.find_first_not_of(" \n", position)) != std::string::npos;) {
    if (styles[position] == '}') {
      page = "";
      ++position;
      continue;
    }
    const std::size_t brace = styles.find('{', position);
    std::string selectors = styles.substr(position, brace - position) + ",";
    position = brace + 1;
    if (selectors[0] == '@') {
      page = "dark ";
      continue;
    }
    const std::size_t end = styles.find('}', brace);
    for (std::size_t comma = 0; (comma = selectors.find(',')) != std::string::npos;) {
      std::string& declarations = result[page + selectors.substr(0, comma)];
      declarations += (declarations.empty() ? "" : ";") + styles.substr(brace + 1, end - brace - 1);
      selectors.erase(0, comma + 1);
    }
    position = end + 1;
  }
  return result;
}

TEST_CASE("each picture of a page has its own styles, and shares them with its like") {
  const bm::array_description tile = bm::shared_array<float>("tile", 8, 8),
                              large = bm::shared_array<float>("large", 64, 96);
  const std::vector<std::string> alone = {
      bm::draw_svg(bm::nvidia::sm_90, tile), bm::draw_svg(bm::nvidia::sm_90, large),
      bm::draw_svg(bm::nvidia::sm_10, tile), bm::draw_svg(bm::nvidia::sm_90, tile),
      bm::draw_svg(bm::amd::gfx950, large),  bm::draw_svg(bm::nvidia::sm_10, large)};
  cl::page_pictures pictures;
  CHECK(pictures.styles().empty());
  std::vector<std::string> shown;
  for (const std::string& svg : alone)
    shown.push_back(pictures.add(svg, cl::joined("p", shown.size())));
  const std::map<std::string, std::string> shared_rules = rules_of(pictures.styles());
  std::set<std::string> classes;
  for (std::size_t number = 0; number < alone.size(); ++number) {
    const std::string& picture = shown[number];
    INFO(picture.substr(0, 200));
    const std::size_t name = picture.find("bank-map-");
    const std::string of_group = picture.substr(name, picture.find('"', name) - name);
    classes.insert(of_group);
    const std::size_t begin = alone[number].find("<style>") + 7;
    int rules = 0;
    for (const auto& [selector, declarations] :
         rules_of(alone[number].substr(begin, alone[number].find("</style>") - begin))) {
      const bool is_dark = selector.compare(0, 5, "dark ") == 0;
      const std::string own = is_dark ? "dark ." + of_group + " " + selector.substr(5)
                                      : "." + of_group + " " + selector;
      INFO(own);
      REQUIRE(shared_rules.count(own) == 1);
      CHECK(shared_rules.at(own) == declarations);
      ++rules;
    }
    CHECK(rules > 20);
    CHECK(!contains(picture, "<style>"));
    CHECK(!contains(picture, "<defs>"));
    const std::string prefix = cl::joined("\"p", number);
    CHECK(contains(picture, "<svg id=" + prefix + "\" class=\"" + of_group + "\" "));
    CHECK(
        contains(picture, " aria-labelledby=" + prefix + "-t p" + std::to_string(number) + "-d\""));
    CHECK(contains(picture, "<title id=" + prefix + "-t\">"));
    // Nothing else has changed.
    CHECK(picture.substr(picture.find("<rect class=\"page\"")) ==
          alone[number].substr(alone[number].find("<rect class=\"page\"")));
  }
  // 32 banks and 16 have other colours.
  CHECK(classes.size() > 1);
  CHECK(classes.size() < alone.size());
  CHECK(contains(cl::page_pictures::hatch(), "<pattern id=\"hatch\""));
  CHECK(contains(pictures.styles(), ".hole{fill:url(#hatch)"));
}

TEST_CASE("a line on the terminal while something takes long") {
  using std::chrono::milliseconds;
  const auto written = [](milliseconds patience, const auto& work) {
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    {
      cl::progress_line line(file, patience);
      work(line);
    }
    std::string text(static_cast<std::size_t>(std::ftell(file)), ' ');
    std::rewind(file);
    CHECK(std::fread(text.data(), 1, text.size(), file) == text.size());
    std::fclose(file);
    return text;
  };
  const auto wait = [](int times) { std::this_thread::sleep_for(milliseconds(20 * times)); };
  // What is done soon has none, and its notes are as they are.
  CHECK(written(milliseconds(60000), [](cl::progress_line& line) {
          line.tell(1, 2, "kernels");
          line.write("note\n");
        }) == "note\n");
  // What takes longer says for how long, and takes it away.
  const std::string slow = written(milliseconds(20), [&](cl::progress_line& line) {
    wait(10);
    line.tell(3, 40, "kernels");
    line.write("note\n");
    wait(10);
  });
  CHECK(slow.rfind("\r0 s\033[K", 0) == 0);
  CHECK(contains(slow, "\r0 s, 3 of 40 kernels\033[K\r\033[Knote\n\r0 s, 3 of 40 kernels\033[K"));
  CHECK(slow.substr(slow.size() - 4) == "\r\033[K");
  // Nothing while a person types.
  CHECK(written(milliseconds(20), [&](cl::progress_line& line) {
          line.hold(true);
          wait(10);
        }) == "");
  // A process that was made may write, and has no line.
  const std::string of_child = written(milliseconds(20), [&](cl::progress_line& line) {
    wait(10);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      line.tell(1, 2, "files");
      _exit(0);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  });
  CHECK(!contains(of_child, "files"));
}

TEST_CASE("The names of a kernel's parameters in its source") {
  using names = std::vector<std::string>;
  const auto names_of = [](const std::string& text, const char* kernel) {
    return cc::parameter_names(lines_of(text), kernel);
  };
  const auto parameters = [&](const std::string& text) { return names_of(text, "k"); };
  CHECK(parameters("__global__ void k(float* out, const float *in, int n) { }") ==
        names{"out", "in", "n"});
  CHECK(
      parameters(
          "template <int N>\n__global__ void\n__launch_bounds__(256, 2)\nk (float *__restrict__ "
          "out,\n  const T<int, 3>& in, // the rows, (all)\n  int /* of, a */ n = f(1, 2)) {\n}") ==
      names{"out", "in", "n"});
  CHECK(parameters("namespace a {\n__global__ void k(int v[4], std::array<int, N> w) {\n}\n}") ==
        names{"v", "w"});
  CHECK(parameters("#if X\n__global__\n#endif\nvoid k(int b) {}").empty());
  // Another kernel, a function of that name, a declaration, and words that contain it.
  CHECK(names_of("__global__ void kk(int a) {}\n__global__ void k2(int b) {}", "k").empty());
  CHECK(parameters("void k(int a) {}\n__global__ void k(int b);\n__global__ void k(int c) {}") ==
        names{"c"});
  CHECK(parameters("__global__ void k(int) {}").empty());
  CHECK(parameters("__global__ void k(int a, void (*f)(int)) {}").empty());
  CHECK(parameters("__global__ void k(float) {}\n__global__ void k(int a) {}").empty());
  // Overloads and specializations with the same names, and with others.
  CHECK(parameters("__global__ void k(int a) {}\ntemplate <> __global__ void k<T<2>>(int a) {}") ==
        names{"a"});
  CHECK(parameters("__global__ void k(int a) {}\ntemplate <> __global__ void k<float>(int b) {}")
            .empty());
  CHECK(parameters("").empty());
  CHECK(parameters("__global__ void k(int a {").empty());
}

TEST_CASE("The Python function of a kernel") {
  const std::vector<std::string> lines = {"import cutlass", "@cute.kernel",
                                          "  def tile_of(c):", "def tile(a, b):", "def t():"};
  CHECK(cc::python_function(lines, "kernel_cutlass_tile_tensorptrf32_0") == "tile");
  CHECK(cc::python_function(lines, "kernel_cutlass_tile_of_tensorptrf32_0") == "tile_of");
  CHECK(cc::python_function(lines, "kernel_cutlass_tiles_0").empty());
  CHECK(cc::python_function(lines, "tile_0").empty());
  CHECK(cc::python_function({}, "kernel_cutlass_tile_0").empty());
}
