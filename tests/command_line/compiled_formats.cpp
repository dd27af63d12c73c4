// SPDX-License-Identifier: MIT
// Compiled kernels as diagnostics, annotated source, a page in HTML, and SARIF: what is in them,
// and that no text of a source or a name breaks them.
#include "examples/bankmodel/compiled/code/short_names.hpp"
#include "examples/bankmodel/compiled/counted_kernel.hpp"
#include "examples/bankmodel/compiled/html/as_html.hpp"
#include "examples/bankmodel/compiled/page/annotated.hpp"
#include "examples/bankmodel/compiled/page/diagnostics.hpp"
#include "examples/bankmodel/compiled/page/formats.hpp"
#include "examples/bankmodel/compiled/page/plan_text.hpp"
#include "examples/bankmodel/compiled/page/request_picture.hpp"
#include "examples/bankmodel/utf8.hpp"

#include <unistd.h>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "copied_tile.hpp"
#include "found_text.hpp"

namespace bm = bankmodel;
namespace cc = compiled;
namespace cl = command_line;

namespace {

// A source in a folder of its own, and a kernel that accesses it.
class written_kernel {
 public:
  explicit written_kernel(const std::string& text, const std::string& name = "copy.cu")
      : folder_(std::filesystem::temp_directory_path() /
                ("bankmodel_formats_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / name) << text;
    code = copied_tile::kernel("copy(float*)", (folder_ / name).string());
  }
  written_kernel(written_kernel&&) = default;
  ~written_kernel() {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  std::string file() const { return code.files[0]; }

  void add(bool global, const cc::place& location, long long stride, int bytes = 4) {
    recorded.accesses.push_back(copied_tile::access_of(
        global, location, copied_tile::lanes_of(32, bytes, stride), {{0, 2}}));
  }
  cc::page page(const bm::machine& m = bm::nvidia::sm_90) const {
    return {&code, &recorded, {.block = {32, 2}}, m, cc::priced_on(m, recorded)};
  }

  cc::kernel_code code;
  cc::recording recorded;

 private:
  std::filesystem::path folder_;
};

constexpr const char* source =
    "// nothing here\n"
    "__global__ void copy(float* in) {\n"
    "\ttile[x][0] = \"gr\xc3\xb6\xc3\x9f"
    "e <b> & 'c'\"; in[x] = 1;\n"
    "}\n"
    "\n"
    "__device__ float last(float* a) { return a[31]; }\n";

}  // namespace

namespace {

// The conflict of a column and the transactions of another, in a line with a tab and two letters
// that are not ASCII.
written_kernel two_findings() {
  written_kernel kernel(source);
  kernel.add(false, {0, 3, 15}, 128);
  kernel.add(true, {0, 3, 36}, 4096);
  return kernel;
}

}  // namespace

TEST_CASE("diagnostics are what compilers print") {
  const written_kernel kernel = two_findings();
  cc::source_lines lines("");
  const cc::page page = kernel.page();
  const std::vector<cc::diagnostic> findings = cc::diagnostics_of(page);
  REQUIRE(findings.size() == 2);
  const std::vector<std::string> shared = lines_of(cc::text_of(page, findings[0], lines, {}));
  REQUIRE(shared.size() >= 4);
  CHECK(shared[0] == kernel.file() +
                         ":3:15: warning: 32-way bank conflict: 2 requests take 64 wavefronts, "
                         "ideal 2 [bank-conflict]");
  CHECK(shared[1] ==
        "    3 |         tile[x][0] = \"gr\xc3\xb6\xc3\x9f"
        "e <b> & 'c'\"; in[x] = 1;");
  CHECK(shared[2] == "      | " + std::string(8 + 13, ' ') + "^");
  CHECK(shared[3].find(kernel.file() + ":3:15: note: in the worst request: lanes ") == 0);
  const std::vector<std::string> global = lines_of(cc::text_of(page, findings[1], lines, {}));
  CHECK(global[0] == kernel.file() +
                         ":3:36: warning: uncoalesced access: 2 requests take 64 transactions, "
                         "ideal 8 [uncoalesced]");
  CHECK(global[2] == "      | " + std::string(8 + 32, ' ') + "^");
  CHECK(contains(cc::text_of(page, findings[1], lines, {}), "32 segments"));
  CHECK(contains(cc::text_of(page, findings[1], lines, {}), ", instead of 4\n"));
}

TEST_CASE("messages stay within a terminal's width") {
  const written_kernel kernel = two_findings();
  cc::source_lines lines("");
  const cc::page page = kernel.page();
  for (const std::size_t width : {40u, 60u, 80u, 100u, 200u}) {
    bool in_table = false;
    for (const std::string& line : lines_of(cc::as_text(page, lines, {width, true}))) {
      in_table = (in_table && !line.empty()) || line.find(" line  ") == 0 ||
                 contains(line, "the block takes");
      INFO(width << ": " << line);
      // Paths are words, and the numbers of a table have a width of their own.
      if (!contains(line, "bankmodel_formats") && (!in_table || width >= 80))
        CHECK(cl::length(line) <= width);
    }
  }
  CHECK(contains(cc::as_text(page, lines, {60, true}), "    3 | "));
}

TEST_CASE("a place without a line is that of the kernel") {
  written_kernel kernel(source);
  SECTION("of an unknown file") { kernel.add(false, {}, 128); }
  SECTION("of a known file") { kernel.add(false, {0, 0, 0}, 128); }
  cc::source_lines lines("");
  const cc::page page = kernel.page();
  CHECK(cc::text_of(page, cc::diagnostics_of(page).at(0), lines, {})
            .find("copy(float*): warning: 32-way bank conflict: ") == 0);
  CHECK(contains(cc::as_source({page}, lines, {}), "     -  (the line is unknown)\n"));
  CHECK(contains(cc::as_html({page}, lines, "x.ptx"), "accesses whose line is unknown"));
  const std::string log = cc::as_sarif({page}, lines, {"a b/x.ptx"});
  CHECK(contains(log, "{\"uri\": \"a%20b/x.ptx\", \"uriBaseId\": \"%SRCROOT%\"}}"));
  CHECK(!contains(log, "startLine"));
}

TEST_CASE("the annotated source") {
  written_kernel kernel(source);
  kernel.add(false, {0, 3, 15}, 128);
  kernel.add(false, {0, 3, 20}, 4);
  kernel.add(true, {0, 6, 5}, 4);
  kernel.recorded.accesses[2].is_partial = true;
  kernel.recorded.notes = {"line 3 was assumed"};
  cc::source_lines lines("");
  const std::string text = cc::as_source({kernel.page()}, lines, {});
  CHECK(text ==
        "sm_90: copy(float*), one block of 32 x 2 threads\n\n"
        "   wavefronts  transactions  line\n\n" +
            kernel.file() +
            ":2\n"
            "                                2  __global__ void copy(float* in) {\n"
            "!      66 / 4                   3          tile[x][0] = \"gr\xc3\xb6\xc3\x9f"
            "e <b> & 'c'\"; in[x] = 1;\n"
            "                                4  }\n\n" +
            kernel.file() +
            ":6\n"
            " ?                    8 / 8     6  __device__ float last(float* a) { return a[31]; }\n"
            "\n"
            "!?     66 / 4         8 / 8        the whole kernel\n"
            "\nEach cost is followed by its ideal; ! marks more than that, ? a count in part.\n"
            "note: line 3 was assumed\n");
  for (const std::string& line : lines_of(cc::as_source({kernel.page()}, lines, {60, true})))
    CHECK((cl::length(line) <= 60 || contains(line, "bankmodel_formats")));
}

TEST_CASE("a kernel without accesses") {
  written_kernel kernel(source);
  cc::source_lines lines("");
  const auto all_say = [&](const std::string& text) {
    const cc::page page = kernel.page();
    return contains(cc::as_text(page, lines), text) &&
           contains(cc::as_source({page}, lines, {}), text) &&
           contains(cc::as_html({page}, lines, "x.cu"), text);
  };
  CHECK(all_say("It accesses neither shared nor global memory."));
  kernel.recorded.leaves_out = true;
  CHECK(all_say("Its accesses to global memory are not modelled."));
}

TEST_CASE("annotated source without the file") {
  written_kernel kernel(source);
  kernel.code.files[0] = "/nowhere/a\x1b.cu";
  kernel.add(false, {0, 3, 15}, 128);
  cc::source_lines lines("");
  const std::string text = cc::as_source({kernel.page()}, lines, {});
  CHECK(contains(text, "/nowhere/a?.cu:3\n!      64 / 2     3\n"));
  CHECK(contains(text, "note: /nowhere/a?.cu cannot be read; "));
  CHECK(contains(cc::as_html({kernel.page()}, lines, "x"), "The file cannot be read."));
}

TEST_CASE("accesses that are issued otherwise say so in each format") {
  // Two words of each lane, 128 bytes apart, become one instruction of 8 bytes.
  written_kernel kernel(source);
  for (const bool global : {false, true}) {
    kernel.add(global, {0, 3, 15}, 128);
    kernel.add(global, {0, 3, 30}, 128);
    const std::size_t second = kernel.recorded.accesses.size() - 1;
    kernel.recorded.accesses[second].issued_with = static_cast<int>(second - 1);
    kernel.recorded.accesses[second].issued_bytes =
        kernel.recorded.accesses[second - 1].issued_bytes = 8;
  }
  cc::source_lines lines("");
  const cc::page page = kernel.page();
  const std::vector<cc::diagnostic> findings = cc::diagnostics_of(page);
  REQUIRE(findings.size() == 4);
  const auto ends_with = [](const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
  };
  const std::string suffix = "; as issued (an estimate) no instruction of its own does this";
  // As many requests, and wider ones: two phases of 16 lanes.
  CHECK(ends_with(findings[0].note,
                  "; as issued (an estimate) 2 requests take 64 wavefronts, ideal 4"));
  CHECK(ends_with(findings[1].note, suffix));
  CHECK(ends_with(findings[2].note,
                  "; as issued (an estimate) 2 requests take 64 transactions, ideal 16"));
  CHECK(ends_with(findings[3].note, suffix));

  const std::string html = cc::as_html({page}, lines, "x.cu");
  CHECK(contains(html, "<h3>Does it matter?</h3>"));
  CHECK(contains(html, "<th scope=\"col\">the block takes at least</th>"));
  CHECK(contains(html, "<th scope=\"col\">as issued</th><th scope=\"col\">wavefronts</th></tr>"));
  CHECK(contains(html, "<th scope=\"col\">as issued</th><th scope=\"col\">transactions</th></tr>"));
  CHECK(count_of(">2 of 8 B</td><td data-title=\"wavefronts\">64</td></tr>", html) == 1);
  CHECK(count_of(">2 of 8 B</td><td data-title=\"transactions\">64</td></tr>", html) == 1);
  CHECK(count_of("<td data-title=\"as issued\">0</td>", html) == 2);
  CHECK(contains(html, "<b class=\"bad\">128 wavefronts</b>, ideal 4, as issued 64</p>"));
  CHECK(contains(html, "<b class=\"bad\">128 transactions</b>, ideal 16, as issued 64</p>"));
  CHECK(contains(html, "<p>As issued: an estimate: nvcc&#39;s rules join "));
  const char* const sentence = "Costs are of the accesses as written; the tables of --format text";
  CHECK(contains(html, sentence));
  CHECK(contains(cc::as_source({page}, lines, {200, true}), sentence));
  const std::string log = cc::as_sarif({page}, lines, {"x.cu"});
  CHECK(count_of("\"issued\": {\"bytes\": [8], \"requests\": 2, ", log) == 2);
  CHECK(count_of("\"issued\": {\"bytes\": [], \"requests\": 0, ", log) == 2);

  kernel.recorded.accesses[0].label = cc::issued_label::confirmed;
  kernel.recorded.accesses[2].label = cc::issued_label::corrected;
  const cc::page with_cubin = kernel.page();
  // A cubin says nothing about counts.
  for (const std::size_t index : {std::size_t{0}, std::size_t{2}})
    CHECK(contains(cc::diagnostics_of(with_cubin)[index].note,
                   "; as issued (an estimate with the widths of the cubin) 2"));
  // The rules are nvcc's.
  const cc::page on_amd = kernel.page(bm::amd::gfx1030);
  CHECK(!contains(cc::diagnostics_of(on_amd).at(0).note, "as issued"));
  CHECK(!contains(cc::as_html({on_amd}, lines, "x.cu"), "s issued"));
}

TEST_CASE("loads past the first cache are shown as sectors") {
  written_kernel kernel(source);
  kernel.add(true, {0, 3, 15}, 128);
  kernel.recorded.accesses[0].memory.uncached = true;
  const cc::page page = kernel.page(bm::nvidia::sm_20);
  CHECK(contains(cc::diagnostics_of(page).at(0).note, "32 segments of 32 bytes"));
  CHECK(contains(cc::picture_of(page, page.costs.global.at(0)), "bytes used 128 of 1024 moved"));
}

TEST_CASE("each reason is reported once, and shown at each access") {
  written_kernel kernel(source);
  for (const int column : {5, 10, 15, 20}) {
    kernel.add(true, {0, 3, column}, 4);
    kernel.recorded.accesses.back().is_partial = true;
    kernel.recorded.accesses.back().reason = column == 10 ? "n is unknown" : "m is unknown";
  }
  cc::source_lines lines("");
  CHECK(cc::diagnostics_of(kernel.page()).size() == 2);
  const std::string html = cc::as_html({kernel.page()}, lines, "x.cu");
  CHECK(count_of("counted in part: m is unknown", html) == 3);
  CHECK(count_of("counted in part: n is unknown", html) == 1);
  // Limits are those of each access.
  for (cc::recorded_access& access : kernel.recorded.accesses) access.bounded.emplace_back();
  for (cc::recorded_access& access : kernel.recorded.accesses)
    access.bounded[0].requests =
        copied_tile::access_of(false, {}, copied_tile::lanes_of(32, 4, 4), {{0, 1}}).classes[0];
  CHECK(cc::diagnostics_of(kernel.page()).size() == 4);
}

TEST_CASE("each table says whether it is of a part") {
  written_kernel kernel = two_findings();
  kernel.recorded.accesses[1].is_partial = true;
  cc::source_lines lines("");
  CHECK(count_of("the whole kernel (in part)", cc::as_text(kernel.page(), lines)) == 1);
  std::string html = cc::as_html({kernel.page()}, lines, "x.cu");
  CHECK(count_of("<td>the whole kernel</td>", html) == 1);
  CHECK(contains(html, "<b class=\"bad\">64 wavefronts</b>, ideal 2</p>"));
  CHECK(contains(html, "<b class=\"bad\">64 transactions</b>, ideal 8, counted in part</p>"));
  // What is not modelled may access global memory.
  kernel.recorded.accesses[1].is_partial = false;
  kernel.recorded.leaves_out = true;
  CHECK(count_of("the whole kernel (in part)", cc::as_text(kernel.page(), lines)) == 1);
  html = cc::as_html({kernel.page()}, lines, "x.cu");
  CHECK(contains(html, "<b class=\"bad\">64 wavefronts</b>, ideal 2</p>"));
  CHECK(contains(html, "<b class=\"bad\">64 transactions</b>, ideal 8, counted in part</p>"));
}

namespace {

// Every tag is closed, in order; void elements and declarations apart.
std::string unbalanced(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t position = page.find('<'); position != std::string::npos;
       position = page.find('<', position)) {
    const std::size_t end = page.find('>', position);
    const std::string tag = page.substr(position + 1, end - position - 1);
    position = end;
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" \n"));
    if (tag[0] == '!' || name == "meta" || tag.back() == '/') continue;
    if (tag[0] != '/') {
      open.push_back(name);
      if (name == "style") position = page.find("</style>", position);
    } else if (open.empty() || open.back() != name) {
      return tag;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

}  // namespace

TEST_CASE("the page in HTML says what data decide, and what is not counted") {
  written_kernel kernel(source);
  kernel.add(false, {0, 3, 15}, 4);
  kernel.recorded.accesses[0].bounded.emplace_back();
  kernel.recorded.accesses[0].bounded[0].requests = kernel.recorded.accesses[0].classes[0];
  kernel.recorded.accesses[0].classes.clear();
  cc::source_lines lines("");
  const std::string html =
      cc::as_html({kernel.page()}, lines, "x.cu",
                  {{"other<int>", "it is <broken>", ""}, {"far", "no", "sm_35"}});
  CHECK(unbalanced(html) == "");
  CHECK(contains(html, "2 requests take 2 to 64 wavefronts, which data decide."));
  CHECK(contains(html, "data-unit=\"wavefronts\">2..64 / 2</span>"));
  CHECK(contains(html, "<b class=\"bad\">2 to 64 wavefronts</b>, ideal 2, as data decide"));
  CHECK(
      contains(html,
               "<h2>Not counted</h2>\n<ul>\n<li><code>other&lt;int&gt;</code>: it is &lt;broken&gt;"
               "</li>\n<li><code>far</code> on sm_35: no</li>\n</ul>"));
}

TEST_CASE("the page in HTML") {
  written_kernel kernel = two_findings();
  kernel.add(false, {0, 6, 5}, 4);
  kernel.code.name = "f<&\"'\x1b>";
  kernel.code.shared[0].name = "t<i>";
  kernel.recorded.notes = {"</li><script>"};
  cc::source_lines lines("");
  const std::vector<cc::page> pages = {kernel.page(), kernel.page(bm::nvidia::sm_35)};
  const std::string html = cc::as_html(pages, lines, "<x>.cu");
  CHECK(unbalanced(html) == "");
  CHECK(contains(html, "<title>f&lt;&amp;&quot;&#39;\xef\xbf\xbd&gt; in &lt;x&gt;.cu</title>"));
  CHECK(contains(html,
                 "gr\xc3\xb6\xc3\x9f"
                 "e &lt;b&gt; &amp; &#39;c&#39;&quot;</span>; in[x] = <span "
                 "class=\"v\">1</span>;</code>"));
  CHECK(contains(html, "<li>note: &lt;/li&gt;&lt;script&gt;</li>"));
  CHECK(contains(html, "t&lt;i&gt;"));
  for (const char* never : {"t<i>", "e <b>", "</li><script>", "src=", "href=\"h", "@import"}) {
    INFO(never);
    CHECK(!contains(html, never));
  }
  CHECK(count_of("http", html) == count_of("xmlns=\"http://www.w3.org/2000/svg\"", html));
  CHECK(count_of("<section id=", html) == 2);
  CHECK(count_of("<details", html) == 4);
  CHECK(count_of("\" class=\"over\"><summary>", html) == 2);
  CHECK(contains(
      html,
      "<span class=\"sign\">!</span><span class=\"cost more\" data-unit=\"wavefronts\">64 / "
      "2</span><span class=\"cost more\" data-unit=\"transactions\">64 / 8</span><span "
      "class=\"number\">3</span>"));
  CHECK(contains(html,
                 "32-way bank conflict: 2 requests take 64 wavefronts, ideal 2</span>; in the "
                 "worst request: lanes 0, 1"));
  CHECK(contains(html, "2 requests take 2 wavefronts, the ideal."));
  CHECK(contains(html, "prefers-color-scheme:dark"));
  CHECK(contains(html, "<dt>block</dt><dd>32 x 2 threads</dd>"));

  std::set<std::string> identifiers;
  for (std::size_t position = html.find(" id=\""); position != std::string::npos;
       position = html.find(" id=\"", position + 1))
    CHECK(identifiers.insert(html.substr(position + 5, html.find('"', position + 5) - position - 5))
              .second);
  // Of what takes more than its ideal: the picture, its title, its description. Then a section, its
  // facts, and the lines; and the pattern of all pictures.
  CHECK(identifiers.count("picture-2-2") == 1);
  CHECK(identifiers.size() == 2 * 2 * 3 + 2 * (2 + 4) + 1);
  CHECK(count_of("<details id=\"L1-0-3\" class=\"over\">", html) == 1);
  CHECK(count_of(", 4 bytes a lane, column 15</h4>", html) == 2);
  CHECK(count_of("<td><a href=\"#L2-0-3\">copy.cu:3:15</a></td>", html) == 1);
  for (const char* part : {"aria-labelledby=\"", "url(#"})
    for (std::size_t position = html.find(part); position != std::string::npos;
         position = html.find(part, position + 1)) {
      const std::size_t begin = position + std::string(part).size();
      const std::string name = html.substr(begin, html.find_first_of(" )\"", begin) - begin);
      INFO(name);
      CHECK(identifiers.count(name) == 1);
    }
}

TEST_CASE("a picture shows the lanes of the worst request") {
  written_kernel kernel(source);
  std::vector<std::vector<long long>> shapes = {{64, 16},    {1024},       {16384}, {200, 100},
                                                {3, 32, 32}, {2, 2, 8, 8}, {},      {5, 500}};
  for (const std::vector<long long>& extents : shapes)
    for (const long long stride : {4, 8, 132, 400})
      for (const long long base : {0ll, 2048ll}) {
        kernel.recorded.accesses.clear();
        kernel.code.shared[0].extents = extents;
        std::uint64_t bytes = extents.empty() ? 65536 : 4;
        for (const long long extent : extents) bytes *= static_cast<std::uint64_t>(extent);
        kernel.code.shared[0].bytes = bytes;
        if (static_cast<std::uint64_t>(base + 31 * stride + 4) > bytes) continue;
        kernel.add(false, {0, 3, 1}, stride);
        kernel.recorded.accesses[0].classes[0].times = {{base, 1}};
        const cc::page page = kernel.page();
        const std::string svg = cc::picture_of(page, page.costs.shared.at(0));
        INFO(extents.size() << " " << stride << " " << base);
        CHECK(contains(svg, "Bank map of tile["));
        CHECK(!contains(svg, "touch elements that are not drawn"));
      }
  kernel.recorded.accesses.clear();
  kernel.add(false, {0, 3, 1}, 4);
  // Of several arrays, or of an unknown size: all of it, as wide as the accesses.
  kernel.code.shared[0].bytes = 4096;
  kernel.recorded.accesses[0].array = -1;
  cc::page page = kernel.page();
  CHECK(contains(cc::picture_of(page, page.costs.shared.at(0)), "Bank map of shared memory[1024]"));
  kernel.recorded.accesses[0].array = 0;
  kernel.code.shared[0].extents = {3, 5};  // not those of 4096 bytes
  page = kernel.page();
  CHECK(contains(cc::picture_of(page, page.costs.shared.at(0)), "Bank map of tile[1024]"));
  kernel.code.shared[0].name = std::string(40, 'x');
  page = kernel.page();
  CHECK(contains(cc::picture_of(page, page.costs.shared.at(0)), std::string(32, 'x') + "[1024]"));
  kernel.recorded.accesses[0].is_global = true;
  page = kernel.page();
  CHECK(
      contains(cc::picture_of(page, page.costs.global.at(0)), "Transactions of global memory on"));
  kernel.recorded.accesses[0].classes.clear();
  page = kernel.page();
  CHECK(cc::picture_of(page, page.costs.global.at(0)).empty());
}

TEST_CASE("SARIF") {
  written_kernel kernel = two_findings();
  kernel.code.name = "f\"\\\xc3\xb6";
  kernel.add(true, {0, 6, 5}, 4);
  kernel.recorded.accesses[2].is_partial = true;
  kernel.recorded.accesses[2].reason = "n is \"unknown\"";
  kernel.recorded.notes = {"line 3 was assumed"};
  cc::source_lines lines("");
  const std::string log =
      cc::as_sarif({kernel.page(), kernel.page(bm::nvidia::sm_35)}, lines, {"x.cu"});
  CHECK(contains(log, "\"driver\": {\"name\": \"bankmodel\", \"version\": \""));
  CHECK(!contains(log, "\"version\": \"\""));
  CHECK(count_of("\"ruleId\": \"bank-conflict\"", log) == 2);
  CHECK(count_of("\"ruleId\": \"uncoalesced\"", log) == 2);
  // Characters, not bytes.
  CHECK(contains(log, "\"uri\": \"file://" + kernel.file() +
                          "\"}, \"region\": {\"startLine\": 3, \"startColumn\": 15}"));
  CHECK(contains(log, "\"region\": {\"startLine\": 3, \"startColumn\": 34}"));
  CHECK(contains(log, "\"fullyQualifiedName\": \"f\\\"\\\\\\u00f6\""));
  CHECK(contains(log, "One block of 32 x 2 threads on sm_35; in the worst request"));
  CHECK(contains(log, "counted in part: n is \\\"unknown\\\". One block"));
  CHECK(contains(log, "\"text\": \"line 3 was assumed\""));
}

TEST_CASE("changes of the source are in the page and in SARIF") {
  const written_kernel kernel = two_findings();
  cc::source_lines lines("");
  cc::page page = kernel.page();
  cc::array_plan plan;
  plan.text = "tile <better>";
  plan.fix = {{{kernel.file(), 3, 22, 3, 26, 0, "b<a>"}, "c<d>"}};
  page.plans = {plan};
  const std::string log = cc::as_sarif({page}, lines, {"x.cu"});
  CHECK(contains(log, "\"fixes\": [{\"description\": {\"text\": \"tile <better>\"}"));
  // The conflict has it, the access to global memory has not.
  CHECK(count_of("\"fixes\"", log) == 1);
  // Two letters of two bytes are before its end: columns count characters.
  CHECK(contains(log,
                 "{\"deletedRegion\": {\"startLine\": 3, \"startColumn\": 20, \"endLine\": 3, "
                 "\"endColumn\": 24}, \"insertedContent\": {\"text\": \"c<d>\"}}"));
  CHECK(contains(log, "\"artifactLocation\": {\"uri\": \"file://" + kernel.file() +
                          "\"}, \"replacements\": ["));
  CHECK(contains(cc::as_html({page}, lines, "x.cu"),
                 "<div class=\"fix\">\n<p>tile &lt;better&gt;</p>\n<p><code>b&lt;a&gt;</code> "
                 "becomes <code>c&lt;d&gt;</code></p>\n"));
  plan.refusal = "it is <cast>";
  page.plans = {plan};
  CHECK(contains(
      cc::as_html({page}, lines, "x.cu"),
      "<p>tile &lt;better&gt; It is a change by hand: it is &lt;cast&gt;.</p>\n<p><code>b"));
  plan.refusal = "";
  // A replacement may be empty, and an edit may be of several lines.
  plan.fix = {{{kernel.file(), 1, 1, 1, 11, 0, "// nothing"}, ""}};
  page.plans = {plan};
  CHECK(contains(cc::text_of_plans(page, lines), "--fix writes:\n    1 |  here\n      | ^\n"));
  plan.fix = {{{kernel.file(), 1, 4, 2, 4, 0, "nothing here\n__g"}, "x\ny"},
              {{kernel.file(), 2, 4, 2, 5, 0, "l"}, "z"}};
  page.plans = {plan};
  CHECK(contains(cc::text_of_plans(page, lines),
                 ":1:4: note: fix-it, which --fix writes:\nnothing here\n__g\n    becomes x\ny\n"));
  CHECK(contains(cc::text_of_plans(page, lines),
                 ":2:4: note: fix-it, which --fix writes:\nl\n    becomes z\n"));
  plan.array = 1;
  page.plans = {plan};
  CHECK(!contains(cc::as_sarif({page}, lines, {"x.cu"}), "fixes"));
}

TEST_CASE("names of kernels are short, and different ones differ") {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"gemm<float, 128, 128, lib::row_major, lib::policy<float, lib::shape<128, 64>>, false>",
       "gemm<float, 128, 128, row_major>"},
      {"gemm<float, 64, 128, lib::column_major, lib::policy<float, lib::shape<128, 64>>, true>",
       "gemm<float, 64, 128, column_major, policy<float, shape<128, 64>>>"},
      {"gemm<float, 64, 128, lib::column_major, lib::policy<float, lib::shape<256, 64>>, true>",
       "gemm<float, 64, 128, column_major, policy<float, shape<256, 64>>>"},
      {"(anonymous namespace)::hidden", "hidden"},
      {"deep::inner::copy<unsigned long long>", "copy<unsigned long long>"},
      {"a::k", "a::k"},
      {"b::k", "b::k"},
      {"a::pair<lib::x, 1>", "a::pair<x, 1>"},
      {"b::pair<lib::x, 1>", "b::pair<x, 1>"},
      {"k(int*)", "k(int*)"},
      {"k(float*)", "k(float*)"},
      {"a::t<lib::x>", "a::t<lib::x>"},
      {"a::t<other::x>", "a::t<other::x>"},
      {"lib::kernel<lib::gemm<lib::pipelined<lib::shape<128, 128, 8>, float>, lib::epilogue<4>>>",
       "kernel<gemm<..>>"},
      {"op<1, (a < b), 3>", "op<1, (a < b), 3>"},
      {"broken<float, 12", "broken<float, 12"},
      {"f<(lib::e)3, &ns::v, true>", "f<(e)3, &v, true>"},
      {"", ""},
      {"plain", "plain"},
      {"plain", "plain"}};
  std::vector<std::string> full_names;
  for (const auto& [name, expected] : names) full_names.push_back(name);
  const std::vector<std::string> abbreviations = cc::short_names(full_names);
  REQUIRE(abbreviations.size() == names.size());
  for (std::size_t index = 0; index < names.size(); ++index) {
    CHECK(abbreviations[index] == names[index].second);
    for (std::size_t other = 0; other < index; ++other)
      CHECK((abbreviations[index] == abbreviations[other]) ==
            (full_names[index] == full_names[other]));
  }
  CHECK(cc::short_names({}).empty());
  CHECK(cc::short_names(
            {"main::k[abi:v1][abi:cw51](int)", "main::m[abi:v1]", "main::m[abi:v2]", "n[abi:"}) ==
        std::vector<std::string>{"k(int)", "main::m[abi:v1]", "main::m[abi:v2]", "n[abi:"});
}

TEST_CASE("a name without the namespaces and classes around it") {
  const std::map<std::string, std::string> names = {
      {"k", "k"},
      {"a::k<b::t>(b::t*)", "k<b::t>(b::t*)"},
      {"a::c<b::t>::k<b::t>(b::t*)", "k<b::t>(b::t*)"},
      {"(anonymous namespace)::k<1>", "k<1>"},
      {"a::(anonymous namespace)::k(a::t)", "k(a::t)"},
      {"k<(anonymous namespace)::t>", "k<(anonymous namespace)::t>"},
      {"a::k<(1 < 2), b::t>::call", "call"}};
  for (const auto& [qualified, own] : names) CHECK(cc::unqualified_name(qualified) == own);
}

TEST_CASE("Lines are named by their ranges") {
  CHECK(cc::named_lines({4}) == "line 4");
  CHECK(cc::named_lines({4, 5}) == "lines 4..5");
  CHECK(cc::named_lines({4, 6, 7, 8, 11}) == "lines 4, 6..8, 11");
}

TEST_CASE("What is wrong with a file is data") {
  CHECK(contains(cc::as_json({}, "x.cu", {}, "no \"kernel\""),
                 "\"kernels\": [\n  ],\n  \"not_counted\": [\n  ],\n  \"error\": \"no "
                 "\\\"kernel\\\"\"\n}\n"));
  CHECK(!contains(cc::as_json({}, "x.cu", {{"k", "why"}}), "\"error\""));
  cc::source_lines lines("x.cu");
  const auto run = [&](const std::vector<cc::uncounted_kernel>& failures,
                       const std::string& error) {
    return cc::sarif_run({}, lines, {"x.cu"}, failures, error);
  };
  CHECK(contains(run({}, "no kernel"), "\"executionSuccessful\": false"));
  CHECK(contains(run({}, "no kernel"),
                 "{\"level\": \"error\", \"message\": {\"text\": \"no kernel\"}}"));
  CHECK(contains(run({{"k", "why"}}, ""), "\"executionSuccessful\": false"));
  CHECK(contains(run({}, ""), "\"executionSuccessful\": true"));
}
