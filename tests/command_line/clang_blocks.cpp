// SPDX-License-Identifier: MIT
// How accesses to global memory move from block to block, against lists of the bytes that each
// block touches.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "counted_text.hpp"
#include "examples/bankmodel/compiled/ask.hpp"
#include "examples/bankmodel/compiled/counted_kernel.hpp"

namespace bm = bankmodel;
namespace cc = compiled;

namespace {

struct asked_launch {
  std::string block, grid = {}, machine = {};
  std::vector<std::string> arguments = {};
};

std::unique_ptr<cc::counted_kernel> counted(const std::string& text, const asked_launch& options) {
  cc::question asked;
  asked.block = options.block;
  asked.grid = options.grid;
  asked.arguments = options.arguments;
  if (!options.machine.empty()) asked.machines = {options.machine};
  asked.block_strides = true;
  return counted_text(text, asked);
}

std::string kernel(const std::string& body) {
  return "__global__ void k(float* out, const float* in, const int* index, int n) {\n" + body +
         "\n}\n";
}

// The row of a line of the body, 1 for the first.
const cc::block_stride& row_of(const std::unique_ptr<cc::counted_kernel>& measured, int line,
                               bm::axis direction) {
  const cc::page& page = measured->pages.at(0);
  for (const cc::block_stride& row : page.strides.rows)
    if (page.costs.global.at(static_cast<std::size_t>(row.access)).first->location.line ==
            line + 1 &&
        row.axis == direction)
      return row;
  FAIL("no row of line " << line);
  return page.strides.rows.at(0);
}

// What blocks of `threads` threads along x and y touch; address(block, x, y) of 4 bytes.
using address_rule = std::function<long long(const std::array<long long, 3>&, int, int)>;
std::set<long long> touched(const std::array<long long, 3>& block, int x, int y,
                            const address_rule& address) {
  std::set<long long> result;
  for (int tx = 0; tx < x; ++tx)
    for (int ty = 0; ty < y; ++ty)
      for (int byte = 0; byte < 4; ++byte) result.insert(4 * address(block, tx, ty) + byte);
  return result;
}

std::size_t common(const std::set<long long>& bytes, const std::set<long long>& other) {
  return static_cast<std::size_t>(std::count_if(
      bytes.begin(), bytes.end(), [&](long long byte) { return other.count(byte) != 0; }));
}

std::set<long long> lines(const std::set<long long>& bytes) {
  std::set<long long> result;
  for (const long long byte : bytes) result.insert(byte / 128);
  return result;
}

void check_row(const cc::block_stride& row, int x, int y, const address_rule& address,
               bool is_linear) {
  const auto number = static_cast<std::size_t>(row.axis);
  std::array<std::set<long long>, 4> blocks;
  for (std::size_t block = 0; block < 4; ++block) {
    std::array<long long, 3> position = {};
    position[number] = static_cast<long long>(block);
    blocks[block] = touched(position, x, y, address);
  }
  const long long step = *blocks[1].begin() - *blocks[0].begin();
  bool is_even = true;
  std::size_t overlap = 0;
  for (std::size_t block = 1; block < 4; ++block) {
    std::set<long long> moved;
    for (const long long byte : blocks[block - 1]) moved.insert(byte + step);
    is_even = is_even && moved == blocks[block];
    overlap = std::max(overlap, common(blocks[block - 1], blocks[block]));
  }
  REQUIRE(row.reason.empty());
  CHECK(row.sharing.proven == is_linear);
  const bm::sharing relation = !is_even      ? bm::sharing::unrelated
                               : step == 0   ? bm::sharing::the_same
                               : overlap > 0 ? bm::sharing::overlapping
                                             : bm::sharing::exclusive;
  CHECK(static_cast<int>(row.sharing.relation) == static_cast<int>(relation));
  CHECK(row.sharing.bytes == (is_even ? step : 0));
  CHECK(row.sharing.overlap_bytes == static_cast<long long>(overlap));
  CHECK(row.sharing.touched_bytes == static_cast<long long>(blocks[0].size()));
  CHECK(row.lines == lines(blocks[0]).size());
  CHECK(row.shared_lines == common(lines(blocks[0]), lines(blocks[1])));
}

}  // namespace

TEST_CASE("blocks move by the bytes that lists of their bytes move by") {
  std::mt19937_64 dice(4);
  const auto draw = [&](int n) {
    return static_cast<long long>(dice() % static_cast<unsigned>(n));
  };
  for (int round = 0; round < 6; ++round) {
    const int x = 1 << (3 + draw(3)), y = 1 + static_cast<int>(draw(4));
    std::string body;
    std::vector<std::array<long long, 6>> forms;
    for (int access = 0; access < 10; ++access) {
      std::array<long long, 6> form;
      const long long usual[] = {0, 1, x, 16, 32, 100, 1024};
      for (long long& factor : form) factor = usual[draw(7)];
      body += "out[" + std::to_string(form[0]) + " * blockIdx.x + " + std::to_string(form[1]) +
              " * blockIdx.y + " + std::to_string(form[2]) + " * blockIdx.z + " +
              std::to_string(form[3]) + " * threadIdx.x + " + std::to_string(form[4]) +
              " * threadIdx.y + " + std::to_string(form[5]) + "] = 1;\n";
      forms.push_back(form);
    }
    const auto measured =
        counted(kernel(body), {std::to_string(x) + "x" + std::to_string(y), "8x5x4"});
    CHECK(measured->pages.at(0).strides.grid == "8 x 5 x 4");
    CHECK(measured->pages.at(0).strides.rows.size() == 30);
    for (std::size_t access = 0; access < forms.size(); ++access)
      for (const bm::axis direction : {bm::axis::x, bm::axis::y, bm::axis::z}) {
        const std::array<long long, 6>& form = forms[access];
        INFO(body << "line " << access + 1 << ", axis " << static_cast<int>(direction));
        check_row(
            row_of(measured, static_cast<int>(access) + 1, direction), x, y,
            [&](const std::array<long long, 3>& block, int tx, int ty) {
              return form[0] * block[0] + form[1] * block[1] + form[2] * block[2] + form[3] * tx +
                     form[4] * ty + form[5];
            },
            true);
      }
  }
}

TEST_CASE("where no form is linear in the block's index, blocks are compared") {
  struct {
    const char* subscript;
    std::function<long long(long long)> of_block;
  } const cases[] = {
      {"blockIdx.x / 2 * 64", [](long long block) { return block / 2 * 64; }},
      {"(blockIdx.x ^ 1) * 64", [](long long block) { return (block ^ 1) * 64; }},
      {"blockIdx.x * blockIdx.x * 32", [](long long block) { return block * block * 32; }},
      {"(blockIdx.x * 32 | 32)", [](long long block) { return block * 32 | 32; }},
      {"(7 - int(blockIdx.x)) * 40", [](long long block) { return (7 - block) * 40; }},
  };
  for (const auto& example : cases) {
    INFO(example.subscript);
    const auto measured = counted(
        kernel(std::string("out[") + example.subscript + " + threadIdx.x] = 1;"), {"32", "8"});
    check_row(
        row_of(measured, 1, bm::axis::x), 32, 1,
        [&](const std::array<long long, 3>& block, int tx, int) {
          return example.of_block(block[0]) + tx;
        },
        false);
  }
}

TEST_CASE("guards and loops that depend on the block are compared, others are proven") {
  const std::string guarded =
      "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) out[i] = 1;";
  const auto inside = counted(kernel(guarded), {"64", "32", "", {"n=4096"}});
  CHECK(row_of(inside, 2, bm::axis::x).sharing.bytes == 256);
  CHECK_FALSE(row_of(inside, 2, bm::axis::x).sharing.proven);
  CHECK(row_of(inside, 2, bm::axis::x).is_guarded);
  const auto edge = counted(kernel(guarded), {"64", "32", "", {"n=150"}});
  CHECK(row_of(edge, 2, bm::axis::x).sharing.bytes == 256);
  CHECK(row_of(edge, 2, bm::axis::x).is_guarded);
  // No block beyond the first makes the access.
  const auto first = counted(kernel(guarded), {"64", "32", "", {"n=50"}});
  CHECK(row_of(first, 2, bm::axis::x).sharing.bytes == 256);
  CHECK(row_of(first, 2, bm::axis::x).lines == 2);
  CHECK(row_of(first, 2, bm::axis::x).shared_lines == 0);
  const auto by_block =
      counted(kernel("out[(blockIdx.x < 2 ? 0 : 77) + threadIdx.x] = 1;"), {"64", "8"});
  CHECK_FALSE(row_of(by_block, 1, bm::axis::x).is_linear);
  CHECK(row_of(by_block, 1, bm::axis::x).sharing.relation == bm::sharing::unrelated);

  const auto loops = counted(
      kernel("for (int i = 0; i < 8; ++i) out[i * 4096 + blockIdx.x * 64 + threadIdx.x] = 1;\n"
             "for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += 64 * gridDim.x) out[i] = 2;"),
      {"64", "4", "", {"n=1024"}});
  CHECK(row_of(loops, 1, bm::axis::x).sharing.proven);
  CHECK(row_of(loops, 1, bm::axis::x).sharing.bytes == 256);
  CHECK(row_of(loops, 1, bm::axis::x).sharing.touched_bytes == 8 * 256);
  CHECK(row_of(loops, 2, bm::axis::x).sharing.bytes == 256);
  CHECK(row_of(loops, 2, bm::axis::x).sharing.touched_bytes == 4 * 256);
  CHECK(row_of(loops, 2, bm::axis::x).sharing.relation == bm::sharing::exclusive);
  CHECK(row_of(loops, 2, bm::axis::x).is_guarded);
  const auto at_end = counted(kernel("int i = blockIdx.x * 64 + threadIdx.x;\n"
                                     "do { out[i] = 1; i += 64 * gridDim.x; } while (i < n);"),
                              {"64", "4", "", {"n=1024"}});
  CHECK(row_of(at_end, 2, bm::axis::x).sharing.bytes == 256);
  CHECK(row_of(at_end, 2, bm::axis::x).is_guarded);
}

TEST_CASE("nobody gives the grid, or data decide about the address") {
  const auto alone =
      counted(kernel("out[blockIdx.y * 64 + threadIdx.x] = in[threadIdx.x];"), {"64"});
  const cc::page& page = alone->pages.at(0);
  CHECK(page.strides.grid == "1 x 4 (assumed; give --grid)");
  CHECK(page.strides.rows.size() == 2);
  CHECK(row_of(alone, 1, bm::axis::y).sharing.proven);
  CHECK(cc::stride_notes(page).at(0).rfind("The grid is 1 x 4 (assumed; give --grid). ", 0) == 0);

  const auto data = counted(kernel("out[blockIdx.x * 64 + threadIdx.x] = 1;\n"
                                   "out[index[blockIdx.x * 64 + threadIdx.x]] = 2;"),
                            {"64", "4"});
  CHECK(row_of(data, 1, bm::axis::x).reason.empty());
  CHECK(cc::json_of_strides(data->pages.at(0)).find("\"reason\": \"\"") != std::string::npos);
  bool is_unknown = false;
  for (const cc::block_stride& row : data->pages.at(0).strides.rows)
    is_unknown = is_unknown || !row.reason.empty();
  CHECK(is_unknown);

  // Another block cannot be run; the stride is known without that.
  const auto fails =
      counted(kernel("__shared__ float s[512];\n"
                     "*reinterpret_cast<float4*>(s + 4 * threadIdx.x + blockIdx.x) = float4();\n"
                     "out[blockIdx.x * 64 + threadIdx.x] = 1;"),
              {"64", "4"});
  const cc::block_stride& known = row_of(fails, 3, bm::axis::x);
  INFO(known.reason);
  CHECK(known.reason.find("aligned") != known.reason.npos);
  CHECK(known.is_linear);
  CHECK(known.sharing.bytes == 256);

  CHECK(counted(kernel("out[threadIdx.x] = 1;"), {"64", "1"})->pages.at(0).strides.rows.empty());
}

// Blocks of 4 x 4 threads on rows of 16 elements, as in the report: consecutive blocks access the
// next 4 elements of a row, and wrap around to the next rows.
TEST_CASE("the report's figure 2") {
  const auto measured = counted(kernel("int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                       "int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                                       "out[y * 16 + x] = 1;"),
                                {"4x4", "4x2"});
  const cc::block_stride &along_x = row_of(measured, 3, bm::axis::x),
                         &along_y = row_of(measured, 3, bm::axis::y);
  CHECK(along_x.sharing.bytes == 4 * 4);
  CHECK(along_x.sharing.relation == bm::sharing::exclusive);
  CHECK(along_y.sharing.bytes == 4 * 16 * 4);
  CHECK(along_y.sharing.relation == bm::sharing::exclusive);
  // Although they share no element, blocks along x share lines.
  CHECK(along_x.shared_lines == 2);
  CHECK(along_y.shared_lines == 0);
  CHECK(bm::placement_of(along_x.sharing) == bm::placement{bm::interleaving::coarse, 16});
  // Formula (5): blockDim.x elements for the most usual subscript.
  const auto usual =
      counted(kernel("out[blockIdx.x * blockDim.x + threadIdx.x] = 1;"), {"96", "7"});
  CHECK(row_of(usual, 1, bm::axis::x).sharing.bytes == 4 * 96);
}

TEST_CASE("blocks camp at a partition where the machine has partitions") {
  const std::string column =
      "out[(blockIdx.x * 16 + threadIdx.x) * 2048 + blockIdx.y * 16 + threadIdx.y] = 1;";
  const auto measured = counted(kernel(column), {"16x16", "8x8", "sm_13"});
  const cc::block_strides& strides = measured->pages.at(0).strides;
  REQUIRE(strides.camping.size() == 2);
  const cc::block_camping& along_x = strides.camping[0];
  CHECK(along_x.partitions == 8);
  CHECK(along_x.blocks == 4);
  CHECK(along_x.busiest == along_x.transactions);  // rows of 2048 floats begin at one partition
  const auto rows = counted(
      kernel("out[(blockIdx.y * 16 + threadIdx.y) * 2048 + blockIdx.x * 64 + threadIdx.x] = 1;"),
      {"16x16", "8x8", "sm_13"});
  const cc::block_camping& spread = rows->pages.at(0).strides.camping.at(0);
  CHECK(spread.busiest * 4 == spread.transactions);  // a block has one of the partitions
  const auto unknown =
      counted(kernel("out[index[threadIdx.x]] = 1;\n" + column), {"16x16", "8x8", "sm_13"});
  REQUIRE(unknown->pages.at(0).strides.camping.size() == 2);
  CHECK(unknown->pages.at(0).strides.camping[0].transactions == 0);
  CHECK(cc::stride_notes(unknown->pages.at(0)).back().rfind("along y, it is not known", 0) == 0);
  CHECK(counted(kernel(column), {"16x16", "8x8", "sm_90"})->pages.at(0).strides.camping.empty());
}
