// SPDX-License-Identifier: MIT
// The rows of arrays of one dimension: in generated sums of a row's start and a column, a pitch in
// place of the row's length must give the planned place of each element, in every thread.
#include <bankmodel/layout/in_rows.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/optimize.hpp>

#include "catch.hpp"

#include <random>

namespace bm = bankmodel;
using namespace bm::index;

namespace {

constexpr bm::machine machine = bm::nvidia::sm_90;

// Up to 64: if all elements are in one longer row, that is one too.
template <class... Accesses>
unsigned rows_of(const bm::block_dim& block, const Accesses&... accesses) {
  bm::detail::kernel_access planned[sizeof...(accesses)];
  int count = 0;
  ((planned[count++] = bm::detail::access_to_plan(accesses)), ...);
  bm::detail::effort_left effort(1 << 20);
  return 126 &
         bm::detail::row_lengths(machine, {block, planned, count}, 0, *planned[0].declared, effort);
}

constexpr auto a = bm::shared_array<float>("a", 4096);
constexpr bm::block_dim block{16, 8};

}  // namespace

TEST_CASE("rows of subscripts", "[plan]") {
  const auto up_to = [](int bits) { return (2u << bits) - 2; };  // 2 to 2^bits
  CHECK(rows_of(block, bm::load(a[64 * ty + tx])) == (up_to(6) & ~up_to(3)));
  CHECK(rows_of(block, bm::load(a[(ty << 6) + tx])) == (up_to(6) & ~up_to(3)));
  CHECK(rows_of(block, bm::load(a[tx + ty * 64 + 128])) == (up_to(6) & ~up_to(3)));
  CHECK(rows_of(block, bm::load(a[64 * (ty + 1) + tx])) == (up_to(6) & ~up_to(3)));
  CHECK(rows_of(block, bm::load(a[64 * ty + 2 * tx])) == (up_to(6) & ~up_to(4)));
  CHECK(rows_of(block, bm::load(a[48 * ty + tx])) == 16);
  // columns that may reach the next row, also below 0, and rows that no expression names
  CHECK(rows_of(block, bm::load(a[8 * ty + tx])) == 0);
  CHECK(rows_of(block, bm::load(a[64 * ty + tx + 49])) == 0);
  CHECK(rows_of(block, bm::load(a[64 * ty + 15 - tx])) == (up_to(6) & ~up_to(3)));
  CHECK(rows_of(block, bm::load(a[64 * ty + 64 - tx])) == 0);
  CHECK(rows_of(block, bm::load(a[tid])) == 0);
  CHECK(rows_of(block, bm::load(a[tid * 2])) == 0);
  // columns are the values of active lanes; loops are in rows or columns
  CHECK(rows_of(block, bm::if_threads(tx < 8, bm::load(a[8 * ty + tx]))) == 8 + 64);
  CHECK(rows_of(block, bm::load(bm::for_loop(i, bm::range(0, 64, 16), a[64 * ty + tx + i]))) == 64);
  CHECK(rows_of(block, bm::load(bm::for_loop(i, bm::range(0, 1000), a[64 * (i % 7) + tx]))) ==
        (up_to(6) & ~up_to(3)));
  CHECK(rows_of(block, bm::load(bm::for_loop(k, bm::powers(1, 64, 2), a[16 * k + tx]))) == 16);
  // all accesses, and what no expression divides
  CHECK(rows_of(block, bm::load(a[64 * ty + tx]), bm::store(a[32 * tx + ty])) ==
        (up_to(5) & ~up_to(3)));
  CHECK(rows_of(block, bm::load(a[64 * ty + tx]), bm::store(a[tid * 3])) == 0);
  CHECK(rows_of(block, bm::load(a[(64 * ty) ^ tx])) == 0);
  constexpr auto two = bm::shared_array<float>("two", 64, 64);
  CHECK(rows_of(block, bm::load(two[ty][tx])) == 0);
}

TEST_CASE("a pitch takes the place of the row's length", "[plan]") {
  std::mt19937_64 random(1);
  const auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int in_rows = 0;
  for (int number = 0; number < 3000; ++number) {
    const int length = 2 << draw(6), factor = 1 + draw(3), by_y = 1 + draw(4), by_x = 1 + draw(3),
              shift = draw(length), row = draw(3);
    const auto subscript = [&](int of_rows) {
      return of_rows * (factor * ty + row) + by_x * tx + by_y * (ty % 3) + shift;
    };
    const unsigned lengths = rows_of(block, bm::load(a[subscript(length)]));
    if ((lengths & static_cast<unsigned>(length)) == 0) continue;
    ++in_rows;
    const int padding = 1 + draw(5);
    const bm::layout padded = a.layout.padded_every(length, padding);
    for (int y = 0; y < block.y; ++y)
      for (int x = 0; x < block.x; ++x) {
        int column = shift, rows = factor * y + row;
        const auto add = [&](int product, int stride) {
          (stride % length == 0 ? rows : column) +=
              stride % length == 0 ? product / length : product;
        };
        add(by_x * x, by_x);
        add(by_y * (y % 3), by_y);
        INFO(number << ": rows of " << length << ", thread " << x << ", " << y);
        REQUIRE(padded(length * rows + column) == (length + padding) * rows + column);
      }
  }
  CHECK(in_rows > 300);
}

TEST_CASE("padded rows of one dimension are preferred to other intervals", "[plan]") {
  constexpr auto kernel =
      bm::kernel(bm::block_dim{32, 8}, bm::load(a[tx * 64 + ty]), bm::store(a[ty * 64 + tx]));
  const auto plan = bm::optimize(machine, kernel);
  CHECK(plan.array(0).row_length == 64);
  CHECK(plan.layout(0) == a.layout.padded_every(64, 1));
  CHECK(bm::in_rows_of(plan.layout(0), 64).stride[0] == 65);

  // Every 32 elements instead of 16 takes fewer bytes, but two instructions.
  constexpr auto of_16 = bm::kernel(bm::block_dim{32, 8}, bm::load(a[tx * 16 + ty]),
                                    bm::store(bm::if_threads(tx < 16, a[ty * 16 + tx])));
  const auto simple = bm::optimize(machine, of_16),
             compact = bm::optimize(
                 machine, of_16,
                 {.layouts = bm::layouts::padding, .prefer = bm::preference::few_bytes});
  CHECK(simple.array(0).row_length == 16);
  CHECK(simple.layout(0) == a.layout.padded_every(16, 1));
  CHECK(compact.array(0).row_length == 0);
  CHECK(compact.layout(0) == a.layout.padded_every(32, 1));
  CHECK(compact.after().conflicts() == 0);

  // No row of the kernel: the interval has an index function, and the plan says no row.
  constexpr auto doubled = bm::kernel(bm::block_dim{256}, bm::load(a[2 * tid]));
  CHECK(bm::optimize(machine, doubled).array(0).row_length == 0);
  CHECK(bm::optimize(machine, doubled).layout(0).interval != 0);
}
