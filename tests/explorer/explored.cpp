// SPDX-License-Identifier: MIT
// The answers of the explorer's page, natively: the page of the command line, with rows made
// longer, and what the kernel leaves open.
#include "examples/explorer/explored.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.hpp"
#include "examples/bankmodel/json.hpp"
#include "examples/bankmodel/known_machines.hpp"
#include "examples/bankmodel/notation/counts.hpp"
#include "tests/command_line/answer_about.hpp"

namespace bm = bankmodel;
namespace cl = command_line;

namespace {

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

explorer::input typed(const std::string& text) {
  explorer::input result;
  result.name = "typed";
  result.text = text;
  return result;
}

cl::kernel_cost cost_of(const std::string& text, const bm::machine& m,
                        const std::vector<cl::row_padding>& padding = {}) {
  return cl::count(cl::read_kernel_file({"typed", text}, {32, 0, padding}), m);
}

const std::string transpose =
    "block 32 8\nshared float tile[32][32], line[64]\nglobal float in[32][32]\n"
    "for (j = 0; j < 32; j += 8) tile[ty + j][tx] = in[ty + j][tx]\n"
    "for (j = 0; j < 32; j += 8) load tile[tx][ty + j]\nload line[tid % 64]\n";

}  // namespace

TEST_CASE("explorer: every kernel file has the page of --format html") {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(BANKMODEL_KERNEL_FILES)) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    compiled::question asked;
    asked.format = cl::format::html;
    asked.plan = ++files % 4 == 0;  // plans take most of the time
    explorer::input input = typed(text);
    input.plan = asked.plan;
    const std::string result = explorer::explored(input);
    INFO(file.path());
    std::string page = answer_about("typed", text, asked).output;
    // There is no such option.
    const std::string option = "; --bank-width 8 counts with them";
    for (std::size_t offset = page.find(option); offset != std::string::npos;
         offset = page.find(option))
      page.erase(offset, option.size());
    const std::size_t first = page.find("<section id="), end = page.find("</main>");
    REQUIRE(end != std::string::npos);
    const std::string sections = cl::json_string(page.substr(first, end - first));
    CHECK(has(result, sections.substr(1)));
    CHECK(has(result, "\"styles\": \""));
    CHECK(has(result, ".listing{"));
  }
  CHECK(files == 14);
}

TEST_CASE("explorer: longer rows cost what they cost in the text") {
  for (const bm::machine& m : {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::amd::gfx942})
    for (int elements = 0; elements < 34; ++elements) {
      std::string longer = transpose;
      longer.replace(longer.find("tile[32][32]"), 12, cl::joined("tile[32][", 32 + elements, "]"));
      // An array of one dimension, one in global memory, and none, keep theirs.
      const auto actual =
          cost_of(transpose, m, {{"tile", elements}, {"line", 5}, {"in", 7}, {"other", 9}});
      const auto wanted = cost_of(longer, m);
      INFO(elements);
      CHECK(actual.costs == wanted.costs);
      CHECK(actual.traffic == wanted.traffic);
    }
  explorer::input input = typed(transpose);
  input.padding = {{"tile", 3}};
  CHECK(has(explorer::explored(input), "{\"name\": \"tile\", \"row\": 32, \"padding\": 3}"));
  CHECK(!has(explorer::explored(input), "{\"name\": \"in\", \"row\""));
  // Rows of an array with planes.
  explorer::input box = typed("block 32\nshared float box[2][4][32]\nload box[1][2][tx]");
  box.padding = {{"box", 3}};
  CHECK(has(explorer::explored(box), "{\"name\": \"box\", \"row\": 32, \"padding\": 3}"));
  for (const long long elements : {-1ll, 1ll << 20, 1ll << 62}) {
    input.padding = {{"tile", elements}};
    CHECK(has(explorer::explored(input),
              cl::joined("{\"error\": \"typed:2:14: error: rows with ", elements,
                         " unused elements do not fit; use a padding of 0 or more; a block has "
                         "at most 327,680 bytes")));
  }
}

TEST_CASE("explorer: what a kernel in C++ leaves open has fields") {
  explorer::input input = typed(
      "__global__ void f(float* a, int n, bool turned, int unused, float x) {\n  if (turned) a[n * "
      "threadIdx.x] = x;\n}\n__global__ void g(float* a) { a[threadIdx.x] = 1; }\n");
  std::string result = explorer::explored(input);
  CHECK(has(result, "\"kernels\": [\n  \"f\",\n  \"g\"],\n\"kernel\": \"f\""));
  CHECK(has(result, "\"block\": \"256\",\n\"block_assumed\": true"));
  CHECK(has(result,
            "\"arguments\": [\n  {\"name\": \"n\", \"value\": \"1024\", \"assumed\": true},\n  "
            "{\"name\": \"turned\", \"value\": \"1\", \"assumed\": true}]"));
  CHECK(
      has(result,
          "assumption</dt><dd>n = 1024, since the file does not say it; its field gives another"));
  CHECK(has(result,
            "assumption</dt><dd>block = 256, since the file does not say it; the field block gives "
            "another"));
  CHECK(has(result, "256 transactions"));
  input.arguments = {{"n", 1}, {"other", 7}};
  input.block = "32x2";
  result = explorer::explored(input);
  CHECK(has(result, "{\"name\": \"n\", \"value\": \"1\", \"assumed\": false}"));
  CHECK(has(result, "\"block\": \"32x2\",\n\"block_assumed\": false"));
  CHECK(has(result, "8 transactions"));
  input.kernel = "g";
  result = explorer::explored(input);
  CHECK(has(result, "\"kernel\": \"g\",\n\"arguments\": []"));
  // A name that is no kernel any more.
  input.kernel = "h";
  CHECK(has(explorer::explored(input), "\"kernel\": \"f\""));
  for (const char* block : {"32x", "x", "a", "32x8x1x1", "32 x 8 y", "-3"}) {
    input.block = block;
    CHECK(
        has(explorer::explored(input), "{\"error\": \"the block is not one to three numbers of "));
  }
  for (const char* block : {"0", "32x0", "32 8 1 1", "99999", "2048"}) {
    input.block = block;
    CHECK(
        has(explorer::explored(input), "{\"error\": \"the block is not one to three numbers of "));
  }
  input.block = "32 2";  // as the notation has it
  CHECK(has(explorer::explored(input), "\"block\": \"32x2\""));
  input.block = "32 x 2";
  CHECK(has(explorer::explored(input), "\"block\": \"32x2\""));
  input.block = "64x32";
  CHECK(has(explorer::explored(input), "a block of 2048 threads; use at most 1024"));
  // An error keeps what is known.
  input = typed("__global__ void f(float* a, int n) { goto b; }");
  input.arguments = {{"n", 3}};
  result = explorer::explored(input);
  CHECK(has(result, "{\"error\": \"typed:1:"));
  CHECK(has(result, "{\"name\": \"n\", \"value\": \"3\", \"assumed\": false}"));
  input.arguments = {};
  CHECK(has(explorer::explored(input), "{\"name\": \"n\", \"value\": \"\", \"assumed\": true}"));
  // The text of a kernel stays as it is.
  input.text =
      "__global__ void f(float* a) {\n  a[threadIdx.x] = 1;  // --machine names another\n}";
  CHECK(has(explorer::explored(input), "// --machine names another"));
  input = typed(transpose);
  input.machines = {"gfx942", "sm_80"};
  CHECK(has(explorer::explored(input), "Wavefronts side by side"));
  // A machine beside those of the text, or beside the one that is taken without.
  input.machines = {};
  input.beside = "sm_35";
  CHECK(has(explorer::explored(input),
            "<th scope=\\\"col\\\">sm_90</th><th scope=\\\"col\\\">sm_35"));
  input.text = "machine sm_80, sm_86\n" + transpose;
  CHECK(has(explorer::explored(input),
            "<th scope=\\\"col\\\">sm_80</th><th scope=\\\"col\\\">sm_86</th><th "
            "scope=\\\"col\\\">sm_35"));
  CHECK(has(explorer::machines(), "\"sm_90\", "));
}

TEST_CASE("explorer: no message names an option of the command line") {
  for (const char* text :
       {"block 32\nextern shared float a[]\nload a[tx]", "block 32\nshared float a[]\nload a[tx]",
        "block 32\nshared float a[50000]\nload a[tx]\n", "block 32\nshared float a[8]\nload a[tx]",
        "block 32\nload b[tx]", "", "machine sm_91\nblock 32",
        "__global__ void f(float* a, int n, int m) { a[n + m * gridDim.x] = 1; }",
        "extern __shared__ float s[];\n__global__ void f() { s[threadIdx.x] = 1; }",
        "__global__ void f() {}\n__global__ void g() {}"}) {
    std::string told;
    explorer::input input = typed(text);
    input.tell = [&](const std::string& note) { told += note; };
    const std::string result = explorer::explored(input) + told;
    // Without the style sheet.
    const std::string shown =
        result.substr(std::min(result.find("\"page\""), result.find("\"error\"")));
    INFO(shown);
    CHECK(has(result, "{\"") == true);
    const std::size_t option = shown.find(" --");
    CHECK((option == std::string::npos || has(shown, "use the command line with --shared-bytes") ||
           shown.compare(option, 12, " --shared:0c") == 0));
  }
}
