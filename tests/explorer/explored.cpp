// SPDX-License-Identifier: MIT
// The answers of the explorer's page, natively: those of the command line, with rows made longer.
#include "examples/explorer/explored.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.hpp"
#include "examples/bankmodel/answer.hpp"
#include "examples/bankmodel/json.hpp"
#include "examples/bankmodel/known_machines.hpp"

namespace bm = bankmodel;
namespace cl = command_line;

namespace {

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

explorer::input typed(const std::string& text) { return {"typed", text, "", {}, {}, true}; }

cl::kernel_cost cost_of(const std::string& text, const bm::machine& m,
                        const std::vector<cl::row_padding>& padding = {}) {
  return cl::count(cl::read_kernel_file({"typed", text}, {32, 0, padding}), m);
}

const std::string transpose =
    "block 32 8\nshared float tile[32][32], line[64]\nglobal float in[32][32]\n"
    "for (j = 0; j < 32; j += 8) tile[ty + j][tx] = in[ty + j][tx]\n"
    "for (j = 0; j < 32; j += 8) load tile[tx][ty + j]\nload line[tid % 64]\n";

}  // namespace

TEST_CASE("explorer: every kernel file has the answer of --json") {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(BANKMODEL_KERNEL_FILES)) {
    std::ifstream from(file.path(), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(from), {});
    cl::question asked;
    asked.as = cl::format::json;
    asked.plan = ++files % 4 == 0;  // plans take most of the time
    explorer::input input = typed(text);
    input.plan = asked.plan;
    const std::string found = explorer::explored(input);
    INFO(file.path());
    CHECK(found.rfind(cl::joined("{\"answer\": ", cl::answer_to({"typed", text}, asked).out), 0) ==
          0);
    CHECK(has(found, "\"declared\": \"<svg id=\\\"declared\\\""));
    CHECK(has(found, "\"planned\": \"<svg id=\\\"planned\\\"") == asked.plan);
    CHECK(has(found, "\"refused\": \"\"}\n"));
  }
  CHECK(files == 14);
}

TEST_CASE("explorer: the access that is drawn") {
  explorer::input input = typed(transpose);
  CHECK(has(explorer::explored(input), "\"drawn\": 2,"));  // with the most conflicts
  input.access = 1;
  const std::string global = explorer::explored(input);
  CHECK(has(global, "\"drawn\": 1,"));
  CHECK(has(global, "32 lanes store 4 bytes each: wavefronts 1"));
  input.access = 0;
  CHECK(has(explorer::explored(input), "Transactions of in[32][32] on sm_90"));
  CHECK(has(explorer::explored(input), "\"planned\": \"\""));
  input.access = 99;
  CHECK(has(explorer::explored(input), "\"drawn\": 2,"));
  input.machine = "gfx942";
  CHECK(has(explorer::explored(input), "{\"machine\": \"gfx942\""));
  CHECK(has(explorer::machines(), "\"sm_90\", "));
}

TEST_CASE("explorer: longer rows cost what they cost in the text") {
  for (const bm::machine& m : {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::amd::gfx942})
    for (int elements = 0; elements < 34; ++elements) {
      std::string longer = transpose;
      longer.replace(longer.find("tile[32][32]"), 12, cl::joined("tile[32][", 32 + elements, "]"));
      // An array of one dimension, one in global memory, and none, keep theirs.
      const auto found =
          cost_of(transpose, m, {{"tile", elements}, {"line", 5}, {"in", 7}, {"other", 9}});
      const auto wanted = cost_of(longer, m);
      INFO(elements);
      CHECK(found.each == wanted.each);
      CHECK(found.traffic == wanted.traffic);
    }
  explorer::input input = typed(transpose);
  input.padding = {{"tile", 3}};
  CHECK(has(explorer::explored(input),
            "\"arrays\": [{\"name\": \"tile\", \"row\": 32, \"padding\": 3}]"));
  // Rows of an array with planes.
  explorer::input box = typed("block 32\nshared float box[2][4][32]\nload box[1][2][tx]");
  box.padding = {{"box", 3}};
  CHECK(has(explorer::explored(box),
            "\"arrays\": [{\"name\": \"box\", \"row\": 32, \"padding\": 3}]"));
  for (const long long elements : {-1ll, 1ll << 20, 1ll << 62}) {
    input.padding = {{"tile", elements}};
    CHECK(has(explorer::explored(input),
              cl::joined("{\"error\": \"typed:2:14: error: rows with ", elements,
                         " unused elements do not fit; use a padding of 0 or more; a block has "
                         "at most 327,680 bytes")));
  }
}

TEST_CASE("explorer: no message names an option of the command line") {
  for (const char* text :
       {"block 32\nextern shared float a[]\nload a[tx]", "block 32\nshared float a[]\nload a[tx]",
        "block 32\nshared float a[50000]\nload a[tx]\n", "block 32\nshared float a[8]\nload a[tx]",
        "block 32\nload b[tx]", "", "machine sm_91\nblock 32"}) {
    std::string told;
    explorer::input input = typed(text);
    input.tell = [&](const std::string& note) { told += note; };
    const std::string found = explorer::explored(input) + told;
    INFO(found);
    CHECK(has(found, "{\"") == true);
    const std::size_t option = found.find(" --");
    CHECK((option == std::string::npos || has(found, "use the command line with --shared-bytes")));
  }
}
