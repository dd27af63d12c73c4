// SPDX-License-Identifier: MIT
// Text of any origin in a terminal, in JSON and in HTML; pictures in a page; the functions of a
// source.
#include "examples/bankmodel/compiled/page/source_functions.hpp"
#include "examples/bankmodel/compiled/source_names.hpp"
#include "examples/bankmodel/html.hpp"
#include "examples/bankmodel/json.hpp"
#include "examples/bankmodel/table.hpp"
#include "examples/bankmodel/utf8.hpp"

#include <bankmodel/draw.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <map>
#include <sstream>

#include "catch.hpp"

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

int count_of(const std::string& part, const std::string& in) {
  int result = 0;
  for (std::size_t at = in.find(part); at != std::string::npos; at = in.find(part, at + 1))
    ++result;
  return result;
}

}  // namespace

TEST_CASE("characters of UTF-8") {
  for (std::uint32_t code = 0; code < 0x110000; ++code) {
    const std::string text = utf8_of(code) + "x";
    const cl::character one = cl::character_at(text, 0);
    const bool is_half = code >= 0xd800 && code < 0xe000;
    if (one.is_valid == is_half || one.bytes != (is_half ? 1 : text.size() - 1) ||
        (!is_half && one.code != code)) {
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
    for (std::size_t at = 0; at <= line.size(); ++at) {
      std::size_t moved = at;
      const std::string part = cl::cut_around(line, moved, width);
      INFO(width << " " << at << " " << part);
      REQUIRE(part.size() == std::min(width, line.size()));
      REQUIRE((at == line.size() ? moved == part.size() : part.at(moved) == line[at]));
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
  const auto found = [](const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream from(text);
    for (std::string line; std::getline(from, line);) lines.push_back(line);
    return cc::functions_of(lines);
  };
  using ranges = std::vector<cc::line_range>;
  CHECK(found("void f() {\n  if (x) { y(); }\n}\nvoid g() { }\n") == ranges{{1, 3}, {4, 4}});
  CHECK(found("#include <a>\n\ntemplate <int N>\nvoid\nf(int a) {\n}\n") == ranges{{3, 6}});
  CHECK(found("namespace a {\nextern \"C\" {\nvoid f() {\n}\n}\n}\n") == ranges{{3, 4}});
  CHECK(found("struct s {\n  int a;\n  int f() const {\n    return 1;\n  }\n};\n") ==
        ranges{{3, 5}});
  CHECK(found("int a[] = {1, 2};\nvoid f() {\n}\n") == ranges{{2, 3}});
  CHECK(found("void f() {  // }\n /* } */ g('}', \"}\\\"}\", R\"-(}\")-\", 1'000);\n}\n") ==
        ranges{{1, 3}});
  CHECK(found("#if A\nvoid f(int a) {\n#else\nvoid f(long a) {\n#endif\n}\nvoid g() {\n}\n") ==
        ranges{{4, 6}, {7, 8}});
  CHECK(found("#define A(x) { \\\n (x\nvoid g() {\n}\n") == ranges{{3, 4}});
  CHECK(found("void f();\nvoid g() {\n}\n") == ranges{{2, 3}});
  for (const char* broken :
       {"}}}", "{{{(", "\"", "'", "/*", "R\"(", "R\"", "#if", "#define \\", "\\"})
    (void)found(broken);
}

TEST_CASE("the styles of a picture are for it alone") {
  const bm::array_description tile = bm::shared_array<float>("tile", 8, 8);
  const std::string svg = bm::draw_svg(bm::nvidia::sm_90, tile);
  const std::string here = cl::in_page(svg, "p1");
  const std::size_t begin = here.find("<style>") + 7;
  std::string styles = here.substr(begin, here.find("</style>") - begin);
  const std::size_t media = styles.find("@media (prefers-color-scheme:dark){");
  REQUIRE(media != std::string::npos);
  // Without it, rules follow one another.
  styles.replace(media, std::string("@media (prefers-color-scheme:dark){").size(), "");
  int rules = 0;
  for (std::size_t at = 0; (at = styles.find('{', at)) != std::string::npos; ++at, ++rules) {
    const std::size_t last = styles.find_last_of("}\n", at),
                      from = last == std::string::npos ? 0 : last + 1;
    std::string selectors = styles.substr(from, at - from) + ",";
    for (std::size_t comma = 0; (comma = selectors.find(',')) != std::string::npos;) {
      INFO(selectors);
      CHECK(selectors.substr(0, 4) == "#p1 ");
      selectors.erase(0, comma + 1);
    }
  }
  CHECK(rules == count_of("{", svg) - 1);
  // Nothing but names has changed.
  std::string back = here;
  for (const auto& [what, by] : std::map<std::string, std::string>{
           {" id=\"p1\"", ""}, {"#p1 ", ""}, {"#p1-", "#"}, {"\"p1-", "\""}, {" p1-", " "}})
    for (std::size_t at = 0; (at = back.find(what)) != std::string::npos;)
      back.replace(at, what.size(), by);
  CHECK(back == svg);
}

TEST_CASE("The names of a kernel's parameters in its source") {
  using names = std::vector<std::string>;
  const auto names_of = [](const std::string& text, const char* kernel) {
    std::istringstream from(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(from, line);) lines.push_back(line);
    return cc::parameter_names(lines, kernel);
  };
  const auto of = [&](const std::string& text) { return names_of(text, "k"); };
  CHECK(of("__global__ void k(float* out, const float *in, int n) { }") == names{"out", "in", "n"});
  CHECK(
      of("template <int N>\n__global__ void\n__launch_bounds__(256, 2)\nk (float *__restrict__ "
         "out,\n  const T<int, 3>& in, // the rows, (all)\n  int /* of, a */ n = f(1, 2)) {\n}") ==
      names{"out", "in", "n"});
  CHECK(of("namespace a {\n__global__ void k(int v[4], std::array<int, N> w) {\n}\n}") ==
        names{"v", "w"});
  CHECK(of("#if X\n__global__\n#endif\nvoid k(int b) {}").empty());
  // Another kernel, a function of that name, a declaration, and words that contain it.
  CHECK(names_of("__global__ void kk(int a) {}\n__global__ void k2(int b) {}", "k").empty());
  CHECK(of("void k(int a) {}\n__global__ void k(int b);\n__global__ void k(int c) {}") ==
        names{"c"});
  CHECK(of("__global__ void k(int) {}").empty());
  CHECK(of("__global__ void k(int a, void (*f)(int)) {}").empty());
  CHECK(of("__global__ void k(float) {}\n__global__ void k(int a) {}").empty());
  // Overloads and specializations with the same names, and with others.
  CHECK(of("__global__ void k(int a) {}\ntemplate <> __global__ void k<T<2>>(int a) {}") ==
        names{"a"});
  CHECK(of("__global__ void k(int a) {}\ntemplate <> __global__ void k<float>(int b) {}").empty());
  CHECK(of("").empty());
  CHECK(of("__global__ void k(int a {").empty());
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
