// SPDX-License-Identifier: MIT
// Changes that lower the transactions in global memory: each is made by hand in the source, and
// that takes what was promised.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <bankmodel/machines/amd.hpp>

#include "catch.hpp"
#include "copied_tile.hpp"
#include "counted_text.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/counted_kernel.hpp"

namespace cc = compiled;

namespace {

using kind = cc::global_advice::kind;

// Counts the only kernel of a text. `machine`: empty for the default.
std::unique_ptr<cc::counted_kernel> counted(const std::string& text, const std::string& block,
                                            const std::string& machine = {}) {
  cc::question asked;
  asked.block = block;
  if (!machine.empty()) asked.machines = {machine};
  return counted_text(text, asked);
}

std::string kernel(const std::string& body, const std::string& prefix = {}) {
  return prefix +
         "#define n 1024\n"
         "__global__ void k(float* out, const float* in, const int* index) {\n" +
         body + "\n}\n";
}

struct advised {
  std::unique_ptr<cc::counted_kernel> kernel;
  std::vector<cc::global_advice> list;
  const cc::global_advice* find(kind is) const {
    const auto match =
        std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.is == is; });
    return match == list.end() ? nullptr : &*match;
  }
};
advised advice(const std::string& text, const std::string& block, const std::string& machine = {}) {
  advised result;
  result.kernel = counted(text, block, machine);
  result.list = result.kernel->pages.at(0).advice;
  return result;
}

const cc::priced& costs_of(const std::unique_ptr<cc::counted_kernel>& measured) {
  return measured->pages.at(0).costs;
}

// Of the accesses to the array with this name.
std::uint64_t transactions_of(const std::unique_ptr<cc::counted_kernel>& measured,
                              const std::string& array) {
  std::uint64_t result = 0;
  for (const cc::priced_access& row : costs_of(measured).global)
    if (cc::array_name(*measured->kernel, *row.first) == array) result += row.traffic.transactions;
  return result;
}

std::string replaced(std::string text, const std::string& old, const std::string& replacement) {
  for (std::size_t place = 0; (place = text.find(old, place)) != text.npos;
       place += replacement.size())
    text.replace(place, old.size(), replacement);
  return text;
}

// The source with threadIdx.x and threadIdx.y exchanged, and blockDim.x and blockDim.y.
std::string exchanged(std::string text) {
  for (const std::string name : {"threadIdx", "blockDim"}) {
    text = replaced(text, name + ".x", "#x");
    text = replaced(text, name + ".y", name + ".x");
    text = replaced(text, "#x", name + ".y");
  }
  return text;
}

const char* const machines[] = {"sm_13", "sm_35", "sm_60", "sm_90"};

}  // namespace

TEST_CASE("exchanged threads take what the exchanged source takes") {
  struct {
    const char* body;
    std::vector<std::string> blocks;  // and each of them exchanged
  } const cases[] = {
      {"out[threadIdx.x * n + threadIdx.y] = 1;", {"32x8", "8x8", "64x4", "1x32"}},
      {"int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;\n"
       "out[x * n + y] = in[x * n + y] + in[y];",
       {"32x8", "16x16", "128x2"}},
      {"out[(threadIdx.z * n + threadIdx.x) * n + threadIdx.y] = 1;", {"8x4x2", "16x8x4"}},
      {"__shared__ float s[64][65];\n"
       "s[threadIdx.x][threadIdx.y] = in[threadIdx.x * n + threadIdx.y];\n"
       "__syncthreads();\n"
       "for (int i = 0; i < 4; ++i) out[(threadIdx.x + i) * n + threadIdx.y] = "
       "s[threadIdx.x][threadIdx.y];",
       {"16x16", "16x32", "64x8"}},
      {"out[(threadIdx.x * blockDim.y + threadIdx.y) * 3] = 1;", {"32x8", "64x4"}},
      {"out[threadIdx.x * n + threadIdx.y + blockDim.x] = 1;", {"20x8"}},
      {"if (threadIdx.x < 20) out[threadIdx.x * n + threadIdx.y] = 1;", {"32x8"}},
  };
  int count = 0;
  for (const auto& example : cases)
    for (const std::string& block : example.blocks)
      for (const char* const machine : machines) {
        INFO(example.body << " " << block << " " << machine);
        const std::string text = kernel(example.body);
        const advised current = advice(text, block, machine);
        const cc::global_advice* const proposal = current.find(kind::exchanged_threads);
        const std::size_t cross = block.find('x'), next = block.find('x', cross + 1);
        const std::string other = block.substr(cross + 1, next - cross - 1) + "x" +
                                  block.substr(0, cross) +
                                  (next == block.npos ? "" : block.substr(next));
        const auto expected = counted(exchanged(text), other, machine);
        const bool is_better =
            costs_of(expected).traffic.transactions <
                costs_of(current.kernel).traffic.transactions &&
            costs_of(expected).cost.wavefronts <= costs_of(current.kernel).cost.wavefronts;
        REQUIRE((proposal != nullptr) == is_better);
        if (proposal == nullptr) continue;
        ++count;
        CHECK(proposal->transactions_before == costs_of(current.kernel).traffic.transactions);
        CHECK(proposal->transactions_after == costs_of(expected).traffic.transactions);
        CHECK(proposal->wavefronts_before == costs_of(current.kernel).cost.wavefronts);
        CHECK(proposal->wavefronts_after == costs_of(expected).cost.wavefronts);
        // Back again there is nothing to gain.
        CHECK(advice(exchanged(text), other, machine).find(kind::exchanged_threads) == nullptr);
      }
  CHECK(count > 30);
  const advised column = advice(kernel("out[threadIdx.x * n + threadIdx.y] = 1;"), "32x8", "sm_90");
  CHECK(cc::text_of(column.list.at(0)) ==
        "Exchange threadIdx.x and threadIdx.y, blockDim.x and blockDim.y, and launch blocks of "
        "8 x 32 threads: 32 transactions in global memory instead of 256.");
}

TEST_CASE("threads are not exchanged where lanes work together, or conflicts would be paid") {
  const std::string column = "out[threadIdx.x * n + threadIdx.y] = ";
  for (const std::string value :
       {"__shfl_xor_sync(0xffffffffu, in[threadIdx.x * n + threadIdx.y], 1);",
        "__ballot_sync(0xffffffffu, threadIdx.x > 3);", "__activemask();"}) {
    INFO(value);
    CHECK(advice(kernel(column + value), "32x8").find(kind::exchanged_threads) == nullptr);
  }
  CHECK(advice(kernel("__syncwarp();\n" + column + "1;"), "32x8").list.empty());
  // A column of shared memory that was a row.
  const std::string row =
      "__shared__ float s[32][32];\ns[threadIdx.y][threadIdx.x] = 1;\n__syncthreads();\n" + column +
      "s[threadIdx.y][threadIdx.x];";
  CHECK(advice(kernel(row), "32x32").find(kind::exchanged_threads) == nullptr);
  CHECK(advice(kernel(replaced(row, "[32][32]", "[32][33]")), "32x32")
            .find(kind::exchanged_threads) != nullptr);
  // Ideal, one axis, and addresses in data.
  CHECK(advice(kernel("out[threadIdx.y * n + threadIdx.x] = 1;"), "32x8").list.empty());
  CHECK(advice(kernel("out[threadIdx.x * n] = 1;"), "32").find(kind::exchanged_threads) == nullptr);
  CHECK(advice(kernel("out[index[threadIdx.x]] = 1;"), "32x8").list.empty());
}

TEST_CASE("a vector takes what neighbours took that are executed together") {
  const std::string one_by_one =
      "int i = threadIdx.x;\nfloat sum = 0;\n"
      "for (int j = 0; j < COUNT; ++j) sum += in[COUNT * i + j];\nout[i] = sum;";
  for (const int count : {2, 4}) {
    const std::string number = std::to_string(count);
    const advised current = advice(kernel(replaced(one_by_one, "COUNT", number)), "64");
    const cc::global_advice* const proposal = current.find(kind::wide_access);
    REQUIRE(proposal != nullptr);
    const auto expected =
        counted(kernel("float" + number + " v = reinterpret_cast<const float" + number +
                       "*>(in)[threadIdx.x];\nout[threadIdx.x] = v.x + v.y;"),
                "64");
    CHECK(proposal->transactions_before == transactions_of(current.kernel, "in"));
    CHECK(proposal->transactions_after == transactions_of(expected, "in"));
    CHECK(proposal->array == "in");
    CHECK(current.find(kind::own_arrays) == nullptr);  // which takes no fewer
  }
  const advised stores =
      advice(kernel("int i = threadIdx.x;\nout[4 * i] = 1; out[4 * i + 1] = 2; out[4 * i + 2] = 3; "
                    "out[4 * i + 3] = 4;"),
             "32");
  REQUIRE(stores.find(kind::wide_access) != nullptr);
  CHECK(cc::text_of(*stores.find(kind::wide_access)) ==
        "Line 4: store out with one access of 16 bytes, a vector, instead of 4 of 4: 16 "
        "transactions in global memory instead of 64.");
  // Not of three, or with a gap, of an address that is no multiple of 8 or 16, past a barrier, or
  // of one lane.
  for (const std::string body :
       {"out[3 * i] = 1; out[3 * i + 1] = 2; out[3 * i + 2] = 3;",
        "out[4 * i + 1] = 1; out[4 * i + 2] = 2; out[4 * i + 3] = 3; out[4 * i + 4] = 4;",
        "out[4 * i] = 1; out[4 * i + 2] = 2;",
        "if (i == 0) { out[0] = 1; out[1] = 2; } out[8] = in[32 * i];",
        "out[2 * i] = 1; __syncthreads(); out[2 * i + 1] = 2;"}) {
    INFO(body);
    CHECK(advice(kernel("int i = threadIdx.x;\n" + body), "32").find(kind::wide_access) == nullptr);
  }
}

TEST_CASE("an array that begins elsewhere takes what its addresses take there") {
  for (const int first : {1, 3, 8, 17, 31})
    for (const char* const machine : machines) {
      INFO(first << " " << machine);
      const std::string body = "out[threadIdx.x] = in[threadIdx.x + " + std::to_string(first) +
                               "] + in[threadIdx.x + 64 + " + std::to_string(first) + "];";
      const advised current = advice(kernel(body), "64", machine);
      const cc::global_advice* const proposal = current.find(kind::moved_start);
      std::uint64_t minimum = transactions_of(current.kernel, "in");
      const std::uint64_t initial = minimum;
      for (int shift = 1; shift < 32; ++shift)
        minimum = std::min(
            minimum,
            transactions_of(
                counted(kernel(replaced(body, "in[", "(in + " + std::to_string(shift) + ")[")),
                        "64", machine),
                "in"));
      REQUIRE((proposal != nullptr) == (minimum < initial));
      if (proposal == nullptr) continue;
      CHECK(proposal->transactions_before == initial);
      CHECK(proposal->transactions_after == minimum);
    }
  CHECK(cc::text_of(advice(kernel("out[threadIdx.x] = in[threadIdx.x + 1];"), "64").list.at(0)) ==
        "Array in: let it begin 28 bytes after a multiple of 128: 8 transactions in global memory "
        "instead of 10.");
  // What one access gains another loses; and an access that is not known may lose.
  CHECK(advice(kernel("out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x + 1];"), "64")
            .find(kind::moved_start) == nullptr);
  CHECK(advice(kernel("out[threadIdx.x] = in[threadIdx.x + 1] + in[index[threadIdx.x]];"), "64")
            .find(kind::moved_start) == nullptr);
}

TEST_CASE("structures take what arrays of their members take") {
  const std::string body = "__global__ void k(body* all) {\n  int i = threadIdx.x;\n  USE\n}\n";
  struct {
    const char *structure, *use, *members, *changed;
  } const cases[] = {
      {"struct body { float x, y, z, m; };", "all[i].x = all[i].y;", "float* x, float* y",
       "x[i] = y[i];"},
      {"struct body { float x, y, z; };", "all[i].x = 1; __syncthreads(); all[i].z = 2;",
       "float* x, float* z", "x[i] = 1; __syncthreads(); z[i] = 2;"},
      {"struct body { double x; int id; };", "all[i].x = all[i].id;", "double* x, int* id",
       "x[i] = id[i];"},
      {"struct body { float m[32]; };", "all[i].m[5] = 1;", "float* m", "m[i] = 1;"},
  };
  for (const auto& example : cases)
    for (const char* const machine : machines) {
      INFO(example.structure << " " << example.use << " " << machine);
      const std::string text =
          std::string(example.structure) + "\n" + replaced(body, "USE", example.use);
      const advised current = advice(text, "96", machine);
      const cc::global_advice* const proposal = current.find(kind::own_arrays);
      const std::string changed =
          replaced(replaced(text, "body* all", example.members), example.use, example.changed);
      const auto expected = counted(changed, "96", machine);
      REQUIRE(proposal != nullptr);
      CHECK(proposal->array == "all");
      CHECK(proposal->transactions_before == costs_of(current.kernel).traffic.transactions);
      CHECK(proposal->transactions_after == costs_of(expected).traffic.transactions);
    }
  // Longer than a line, taken as a whole too, or indexed by data.
  for (const std::string use : {"float* all = out; all[i * 33] = 1;",
                                "float4* all = (float4*)out; all[i] = all[i + 32]; out[4 * i] = 1;",
                                "out[4 * i] = 1; out[4 * index[i]] = 2;"}) {
    INFO(use);
    CHECK(advice(kernel("int i = threadIdx.x;\n" + use), "32").find(kind::own_arrays) == nullptr);
  }
}

// 12 bytes across the end of a line, by all lanes: there is no distance between elements.
TEST_CASE("one address is no structure") {
  const cc::kernel_code code = copied_tile::kernel("k", "/nowhere/k.cu");
  cc::recording recorded;
  recorded.accesses = {
      copied_tile::access_of(true, {0, 1, 1}, copied_tile::lanes_of(64, 12, 0), {{120, 1}})};
  const bankmodel::machine m = bankmodel::amd::gfx942;
  const cc::page page{&code, &recorded, {.block = {64}}, m, cc::priced_on(m, recorded)};
  REQUIRE(page.costs.traffic.transactions > page.costs.traffic.ideal);
  for (const cc::global_advice& proposal : cc::advice_of(page, nullptr, nullptr))
    CHECK(proposal.is == kind::moved_start);
}

TEST_CASE("a tile takes what the transposed access takes, and its own wavefronts") {
  const std::string naive =
      "int x = threadIdx.x, y = threadIdx.y;\nout[x * n + y] = in[y * n + x];";
  for (const char* const machine : machines)
    for (const std::string block : {"32x32", "16x16", "32x8", "64x16"}) {
      INFO(machine << " " << block);
      const std::string columns = block.substr(0, block.find('x')),
                        rows = block.substr(block.find('x') + 1);
      if (std::string(machine) == "sm_13" && block != "16x16" && block != "32x8") continue;
      const advised current = advice(kernel(naive), block, machine);
      const cc::global_advice* const proposal = current.find(kind::tile);
      if (proposal == nullptr) {
        const cc::global_advice* const other = current.find(kind::exchanged_threads);
        REQUIRE(other != nullptr);  // which saves as much
        continue;
      }
      CHECK(proposal->array == "out");
      const std::size_t first = proposal->text.find("tile["),
                        end = proposal->text.find(": ", first);
      const std::string declared = proposal->text.substr(first, end - first);
      const auto expected =
          counted(kernel("__shared__ float " + declared +
                         ";\nint x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;\n"
                         "tile[y][x] = in[y * n + x];\n__syncthreads();\n"
                         "x = t / " +
                         rows + "; y = t % " + rows + ";\nout[x * n + y] = tile[y][x];"),
                  block, machine);
      CHECK(proposal->transactions_before == transactions_of(current.kernel, "out"));
      CHECK(proposal->transactions_after == transactions_of(expected, "out"));
      CHECK(transactions_of(expected, "in") == transactions_of(current.kernel, "in"));
      CHECK(proposal->wavefronts_after == costs_of(expected).cost.wavefronts);
    }
  const advised square = advice(kernel(naive), "32x32");
  REQUIRE(square.list.size() == 1);
  CHECK(cc::text_of(square.list[0]) ==
        "Line 4: store out through a tile in shared memory, tile[32][32 + 1]: store to "
        "tile[threadIdx.y][threadIdx.x], call __syncthreads(), and then store tile[y][x] here with "
        "x = t / 32 for threadIdx.x and y = t % 32 for threadIdx.y, where t = threadIdx.y * 32 + "
        "threadIdx.x: 128 transactions in global memory instead of 1,024, and 64 wavefronts more "
        "in shared memory.");
  // The same of loads.
  const advised loads = advice(
      kernel("out[threadIdx.y * n + threadIdx.x] = in[threadIdx.x * n + threadIdx.y];"), "16x16x2");
  REQUIRE(loads.find(kind::tile) != nullptr);
  CHECK(loads.find(kind::tile)->text ==
        "Line 3: load in through a tile in shared memory, tile[2][16][16 + 2]: load into "
        "tile[threadIdx.z][y][x] with x = t / 16 for threadIdx.x and y = t % 16 for threadIdx.y, "
        "where t = threadIdx.y * 16 + threadIdx.x, call __syncthreads(), and read "
        "tile[threadIdx.z][threadIdx.y][threadIdx.x]");
  const auto through = counted(
      kernel("__shared__ float tile[2][16][16 + 2];\n"
             "int t = threadIdx.y * 16 + threadIdx.x, x = t / 16, y = t % 16;\n"
             "tile[threadIdx.z][y][x] = in[x * n + y];\n__syncthreads();\n"
             "out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.z][threadIdx.y][threadIdx.x];"),
      "16x16x2");
  CHECK(loads.find(kind::tile)->transactions_after == transactions_of(through, "in"));
  CHECK(loads.find(kind::tile)->wavefronts_after == costs_of(through).cost.wavefronts);
  // What the lanes of a warp share is not exchanged.
  CHECK(advice(kernel("float s = 0;\nfor (int i = 0; i < 32; ++i) s += in[threadIdx.x * n + i] * "
                      "in[i * n + threadIdx.y];\nout[threadIdx.x * n + threadIdx.y] = s;"),
               "32x32")
            .find(kind::tile) == nullptr);
}
