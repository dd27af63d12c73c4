// SPDX-License-Identifier: MIT
// The change that an explanation proposes in closed form, search/first_padding.hpp, against
// the plan of optimize(): whole small domains of machines, arrays and subscripts.
#include <bankmodel/explain.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"

namespace bm = bankmodel;
using bm::index::i, bm::index::tx, bm::index::ty;

namespace {

constexpr bm::search by_simplicity{.prefer = bm::preference::simple_indices};

bm::machine machine_of(int lanes, int banks) {
  bm::machine m;
  m.lanes = lanes;
  m.loads.up_to_4 = {.bank_num = static_cast<short>(banks), .W = 4, .N = 4};
  m.bank_width = 4;
  return m;
}

int closed = 0, searched = 0;

template <class Access>
void compare(const bm::machine& m, const bm::block_dim& block, const Access& access,
             const bm::search& options = by_simplicity) {
  const bm::layout_change change = bm::explain(m, block, access).remedy;
  const auto plan = bm::optimize(m, bm::kernel(block, access), options);
  bm::detail::counted_banks counted;
  bm::detail::padding_choice choice{};
  counted.count(m, block, bm::detail::view_of(access), {});
  const bool applies = counted.worst.steps.known &&
                       counted.worst.lanes.active == ~std::uint64_t{0} >> (64 - m.lanes);
  ++(applies && bm::detail::find_first_padding(m, bm::detail::view_of(access), counted.worst.steps,
                                               bm::detail::most_bytes_of(m, 0, options), choice)
         ? closed
         : searched);
  const long long declared = access.array.layout.required_size() * access.array.element_bytes;
  INFO(m.lanes << " lanes, rows of " << access.array.layout.stride[0]);
  REQUIRE(change.found);
  REQUIRE(change.is_complete == plan.is_complete());
  REQUIRE(change.layout == plan.layout(0));
  REQUIRE(change.offset_bytes == plan.offset_bytes(0));
  REQUIRE(change.bank_width == plan.bank_width());
  REQUIRE(change.switches_banks == (plan.bank_width() != m.bank_width));
  REQUIRE(change.more_bytes == plan.bytes() - declared);
  REQUIRE(change.after == plan.after());
  REQUIRE(change.after.method == plan.after().method);
}

}  // namespace

TEST_CASE("every stride of two subscripts, in rows of every length up to a layer",
          "[first_padding]") {
  for (const int banks : {1, 2, 4, 8})
    for (const int lanes : {1, 4, 8, 16})
      for (int row = 0; row <= banks; ++row)
        for (int column = 0; column <= banks; ++column)
          for (int columns = 1; columns <= banks + 1; ++columns)
            for (int padding = 0; padding < 2; ++padding) {
              const auto declared = bm::shared_array<float>("a", row * (lanes - 1) + 3,
                                                            column * (lanes - 1) + columns);
              compare(machine_of(lanes, banks), {lanes, 3},
                      bm::load(declared.with(
                          declared.layout.padded(padding))[row * tx + ty][column * tx]));
            }
  CHECK(2 * closed > searched);  // of two even steps no padding makes an odd one
}

TEST_CASE("planes, falling subscripts, loops and filters", "[first_padding]") {
  for (int banks = 1; banks <= 8; banks *= 2)
    for (int plane = 0; plane < 4; ++plane)
      for (int row = -3; row < 4; ++row)
        for (int columns = 5; columns < 5 + banks; ++columns) {
          const auto a = bm::shared_array<float>("a", 3 * 7 + 1, 2 * 3 * 7 + 1, columns);
          compare(machine_of(8, banks), {8, 2}, bm::load(a[plane * tx][3 * 7 + row * tx][ty]));
          compare(machine_of(8, banks), {8, 2},
                  bm::for_loop(i, bm::range(0, 4),
                               bm::if_threads(tx <= i + 4, a[plane * tx][3 * 7 + row * tx][i])));
        }
}

TEST_CASE("real machines: the limit of bytes, and accesses of other widths", "[first_padding]") {
  for (const bm::machine& real : {bm::nvidia::sm_35, bm::nvidia::sm_90})
    for (int columns = 32; columns <= 64; columns += 4)
      for (int limit = 0; limit < 12; ++limit) {
        const auto a = bm::shared_array<float>("a", 32, columns);
        const auto d = bm::shared_array<double>("d", 32, columns);
        bm::machine m = real;
        m.limits.shared_per_block = 128 * columns + 128 * limit;
        compare(m, {32, 8}, bm::load(a[tx][ty]));
        compare(m, {32, 8}, bm::store(a[tx][ty]));
        compare(m, {16, 16}, bm::load(a[tx][ty]));
        compare(m, {32, 8}, bm::load(bm::vectorized<4>(a[tx][4 * ty])));
        m.limits.shared_per_block = 256 * columns + 256 * limit;
        compare(m, {32, 8}, bm::load(d[tx][ty]));
      }
}

TEST_CASE("accesses that the closed form is not for", "[first_padding]") {
  using bm::nvidia::sm_13, bm::nvidia::sm_20, bm::nvidia::sm_90;
  const int previous = closed;
  for (int columns = 16; columns <= 64; columns += 8) {
    const auto a = bm::shared_array<float>("a", 32, columns);
    const auto swizzled = a.with(a.layout.permuted(bm::xor_swizzle(2, 0, 3)));
    compare(sm_90, {32, 8}, bm::load(swizzled[tx][ty]));
    const auto d = bm::shared_array<double>("d", 32, columns);
    compare(sm_20, {32, 8}, bm::load(d[tx][ty]));
    compare(sm_13, {32, 8}, bm::load(a[tx][ty]));
    compare(sm_13, {32, 8}, bm::atomic(bm::shared_array<int>("n", 32, columns)[tx][ty]));
    const auto bytes = bm::shared_array<unsigned char>("bytes", 32, columns);
    compare(sm_90, {32, 8}, bm::load(bytes[tx][ty]));
  }
  CHECK(closed == previous);
}
