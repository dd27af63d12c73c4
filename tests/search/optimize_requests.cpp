// SPDX-License-Identifier: MIT
// Plans for request classes: the same as for the expressions that make the classes, whether each
// class has its loops or each request is a class of its own, as in a trace.
#include <bankmodel/count/for_each_base.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/search/optimize_requests.hpp>

#include "breaks.hpp"
#include "catch.hpp"
#include "examples/kernels.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_35;
using bm::nvidia::sm_90;

namespace {

using classes = std::vector<bm::request_class>;

// The classes of an access if its array is in packed rows from byte 0 on.
template <class Access>
void add_classes(const bm::machine& m, const bm::block_dim& block, Access access, classes& result) {
  bm::layout rows;
  rows.rank = access.array.layout.rank;
  rows.extent = access.array.layout.extent;
  access.array.layout = rows.padded(0);
  access.array.base_bytes = 0;
  bm::for_each_request_class(
      m, block, access, [&](const bm::request_class& requests) { result.push_back(requests); });
}

classes as_trace(const classes& source) {
  classes result;
  for (const bm::request_class& requests : source)
    bm::for_each_base(requests, [&](long long base, std::uint64_t times) {
      bm::request_class single{.lanes = requests.lanes, .base = base};
      single.times = times;
      result.push_back(single);
      return true;
    });
  return result;
}

template <class Plan, class Other>
void require_same(const Plan& plan, const Other& other) {
  CHECK(plan.before().wavefronts == other.before().wavefronts);
  CHECK(plan.before().requests == other.before().requests);
  CHECK(plan.before().ideal == other.before().ideal);
  CHECK(plan.after().wavefronts == other.after().wavefronts);
  CHECK(plan.after().degree == other.after().degree);
  CHECK(plan.least_wavefronts() == other.least_wavefronts());
  CHECK(plan.bytes() == other.bytes());
  CHECK(plan.bank_width() == other.bank_width());
  REQUIRE(plan.arrays() == other.arrays());
  for (int array = 0; array < plan.arrays(); ++array) {
    CHECK(plan.layout(array) == other.layout(array));
    CHECK(plan.offset_bytes(array) == other.offset_bytes(array));
  }
}

// ---- generated kernels of one array and two accesses ----

// So that no plan depends on the effort: it is spent differently.
constexpr bm::search much{.effort = 1 << 24};

struct random_kernels {
  std::mt19937 random;

  int draw(int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

  // A sum of the variables with small factors, and its largest value.
  auto sum(const bm::block_dim& block, int trips, long long& largest) {
    const int steps[] = {0, 0, 1, 1, 2, 3, 4, 8, 16, 32};
    const int x = steps[draw(10)], y = steps[draw(10)], by_i = steps[draw(10)],
              by_j = steps[draw(7)], first = draw(4);
    largest = x * (block.x - 1) + y * (block.y - 1) + by_i * (trips - 1) + by_j * 2 + first;
    return x * tx + y * ty + by_i * i + by_j * j + first;
  }

  void compare_one(const bm::machine& m) {
    const bm::block_dim blocks[] = {{32, 1}, {32, 2}, {16, 4}, {8, 8}, {20, 3}, {64, 1}};
    const bm::block_dim block = blocks[draw(6)];
    const int trips = 1 + draw(9), bytes = 1 << draw(5), pad = draw(3) == 0 ? draw(4) : 0;
    const bool store = draw(2) == 0;
    long long first_most = 0, other_most = 0, ignored = 0;
    const auto first = sum(block, trips, first_most), other = sum(block, trips, other_most);
    const auto linear = sum(block, trips, ignored);
    const auto nest = [&](const auto& access) {
      return bm::for_loop(i, bm::range(0, trips), bm::for_loop(j, bm::range(0, 3), access));
    };
    const auto described = [&](auto... extents) {
      bm::array_description array = bm::shared_array<char>("a", extents...);
      array.element_bytes = bytes;
      if (sizeof...(extents) > 1) array.layout = array.layout.padded(pad);
      return array;
    };
    const auto compare = [&](const bm::array_description& array, const auto& primary,
                             const auto& two) {
      if (array.layout.required_size() * bytes > 40'000) return;
      compare_kernel(m, block, array, nest(bm::load(primary)),
                     store ? nest(bm::store(two)) : nest(bm::load(two)));
    };
    switch (draw(5)) {
      case 0: {
        const auto a = described(std::max(first_most, other_most) + 1);
        return compare(a, a[first], a[other]);
      }
      case 1: {
        const long long extent = std::max(first_most, other_most) + 1;
        const auto a = described(extent, extent);
        return compare(a, a[first][other], a[other][first]);
      }
      case 2: {  // loops leave their rows
        const long long columns = 1 + draw(40), rows = first_most / columns + 1;
        const auto a = described(rows, columns);
        return compare(a, a[first / columns][first % columns], a[first / columns][first % columns]);
      }
      case 3: {
        const long long columns = 1 + draw(40), rows = 1 + draw(40);
        const auto a = described(rows, columns);
        return compare(a, a[linear % rows][first % columns], a[other % rows][linear % columns]);
      }
      default: {
        const long long columns = 1 + draw(9), rows = 1 + draw(9);
        const auto a = described(first_most / columns / rows + 1, rows, columns);
        return compare(a, a[first / columns / rows][first / columns % rows][first % columns],
                       a[0][other % rows][linear % columns]);
      }
    }
  }

  template <class One, class Two>
  void compare_kernel(const bm::machine& m, const bm::block_dim& block,
                      const bm::array_description& array, const One& primary, const Two& two) {
    const auto kernel = bm::kernel(block, primary, two);
    const auto expected = bm::optimize(m, kernel, much);
    classes list;
    add_classes(m, block, primary, list);
    add_classes(m, block, two, list);
    const auto plan =
        bm::optimize(m, block, array, list.data(), static_cast<int>(list.size()), much);
    require_same(plan, expected);
    const bm::machine switched = m.with_bank_width(plan.bank_width());
    const auto as_planned = [&](auto access) {
      access.array = plan.array(0).planned();
      return bm::total(switched, block, access);
    };
    CHECK(as_planned(primary) + as_planned(two) == plan.after());
    if (plan.is_optimal()) ++proven;
    ++compared;

    const classes trace = as_trace(list);
    if (trace.size() > 60) return;
    const auto of_trace =
        bm::optimize(m, block, array, trace.data(), static_cast<int>(trace.size()), much);
    require_same(of_trace, expected);
    ++traces;
  }

  int compared = 0, proven = 0, traces = 0;
};

}  // namespace

TEST_CASE("plans for the classes of generated kernels", "[plan][classes]") {
  const char* const first = std::getenv("BANKMODEL_FIRST_SEED");
  const char* const count = std::getenv("BANKMODEL_CASES");
  const int seed = first != nullptr ? std::atoi(first) : 1;
  const int cases = count != nullptr ? std::min(std::atoi(count), 40) : 40;
  random_kernels kernels;
  for (const bm::machine& machine : {sm_90, sm_35, bm::nvidia::sm_20, bm::amd::gfx942})
    for (int number = 0; number < cases; ++number) {
      INFO("seed " << seed + number << ", machine with " << machine.lanes << " lanes, width "
                   << machine.bank_width);
      kernels.random.seed(static_cast<unsigned>(seed + number));
      kernels.compare_one(machine);
    }
  WARN(kernels.compared << " kernels from seed " << seed << " on, " << kernels.proven
                        << " plans proven best from classes, " << kernels.traces
                        << " from single requests");
  CHECK(kernels.compared > 2 * cases);
  CHECK(kernels.proven > kernels.compared * 9 / 10);
  CHECK(kernels.traces > kernels.compared / 4);
}

namespace {

// The plan of a kernel and the plan of its classes: an entry for each access, so that several
// entries are of one array.
template <class... Accesses>
void compare_kernels(const bm::machine& m, const bm::kernel_description<Accesses...>& kernel,
                     const bm::search& options = {}) {
  constexpr int count = bm::detail::accesses_in<bm::access_list<Accesses...>>;
  classes lists[count];
  bm::array_requests arrays[count];
  int number = 0;
  bm::for_each_access(kernel, [&](const auto& access) {
    add_classes(m, kernel.block, access, lists[number]);
    arrays[number] = {access.array, lists[number].data(), static_cast<int>(lists[number].size())};
    ++number;
  });
  const auto expected = bm::optimize(m, kernel, options);
  const auto plan = bm::optimize(m, kernel.block, arrays, options);
  require_same(plan, expected);
  for (int access = 0; access < count; ++access) {
    CHECK(plan.before(access) == expected.before(access));
    CHECK(plan.after(access) == expected.after(access));
  }
  CHECK(plan.resident_blocks() == expected.resident_blocks());
  CHECK(plan.resident_blocks_before() == expected.resident_blocks_before());
  CHECK(plan.bytes_before() == expected.bytes_before());
  CHECK(plan.alignment() == expected.alignment());
}

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto line = bm::shared_array<float>("line", 2048);

}  // namespace

TEST_CASE("plans for the classes of the kernels of the dissertation", "[plan][classes]") {
  for (const bm::machine& machine : {sm_90, sm_35})
    kernels::for_each_kernel([&](const char* name, const auto& kernel) {
      INFO(name);
      compare_kernels(machine, kernel, {.effort = 1 << 22});
    });
}

TEST_CASE("plans for classes of wide accesses, filters, atomics and declared layouts",
          "[plan][classes]") {
  const auto wide = bm::shared_array<float>("wide", 16, 20);
  for (const bm::machine& machine : {sm_90, sm_35, bm::nvidia::sm_20, bm::amd::gfx942}) {
    compare_kernels(machine, bm::kernel({16, 4}, bm::load(bm::vectorized<4>(wide[tx][4 * ty])),
                                        bm::store(wide[ty][tx])));
    compare_kernels(machine,
                    bm::kernel({32, 4}, bm::store(tile[ty][tx]),
                               bm::for_loop(i, bm::range(0, 32),
                                            bm::if_threads(tx <= i, bm::load(tile[tx][i])))));
    compare_kernels(machine,
                    bm::kernel({32}, bm::atomic(line[33 * tx]), bm::load(line[32 * tx]),
                               bm::store(bm::for_loop(i, bm::range(0, 8), line[8 * tx + i]))));
    // Bases, permutations and paddings that the array has already.
    compare_kernels(machine, bm::kernel({32, 8}, bm::load(tile.at(128)[tx][ty]),
                                        bm::store(tile.at(128)[ty][tx])));
    const auto swizzled = tile.with(tile.layout.permuted(bm::xor_swizzle(2, 0, 5)));
    compare_kernels(
        machine, bm::kernel({32, 8}, bm::load(swizzled[tx][ty]),
                            bm::store(bm::for_loop(i, bm::range(0, 4), swizzled[8 * i + ty][tx]))));
    const auto padded = tile.with(tile.layout.padded(2));
    compare_kernels(machine, bm::kernel({32, 8}, bm::load(padded[tx][ty])),
                    {.keep = bm::arrays(padded)});
    const auto scan = line.with(line.layout.padded_every(32, 2));
    compare_kernels(machine,
                    bm::kernel({64}, bm::load(scan[32 * tx % 2048]),
                               bm::for_loop(i, bm::range(0, 7), bm::store(scan[tx + 5 * i]))));
  }
  // Three elements at a time.
  const auto triples = bm::shared_array<float>("triples", 64, 12);
  compare_kernels(bm::amd::gfx942, bm::kernel({64}, bm::load(bm::vectorized<3>(triples[tx][3])),
                                              bm::store(triples[tx][0])));
}

namespace {

constexpr bm::request_class column_of_tile() {
  bm::request_class column{.lanes = {.active = 0xffffffff, .bytes = 4}};
  for (int lane = 0; lane < 32; ++lane) column.lanes.address[lane] = 4 * 32 * lane;
  return column;
}
constexpr bm::request_class column = column_of_tile();
constexpr auto plan_of_column = bm::optimize(sm_90, bm::block_dim{32}, tile, &column, 1);
static_assert(plan_of_column.before().wavefronts == 32 && plan_of_column.after().wavefronts == 1);
static_assert(plan_of_column.bytes() == 4224 && plan_of_column.layout(tile)(1, 0) == 33);
static_assert(plan_of_column.is_optimal() && plan_of_column.accesses() == 1);

}  // namespace

TEST_CASE("the examples of the page on requests", "[plan][classes]") {
  const auto classes_of_tile =
      bm::request_classes_of<8>(sm_90, bm::block_dim{32, 8}, bm::load(tile[tx][ty]));
  REQUIRE(classes_of_tile.is_complete());
  const auto plan =
      bm::optimize(sm_90, bm::block_dim{32, 8}, tile, classes_of_tile.each, classes_of_tile.count);
  CHECK(plan.before().wavefronts == 256);
  CHECK(plan.after().wavefronts == 8);
  CHECK(plan.bytes() == 4224);
  CHECK(bm::optimize(sm_90, bm::block_dim{32}, tile, &column, 1).layout(tile) ==
        plan_of_column.layout(tile));

  // A loop over all elements, one lane at a time: in rows of 33 floats 32 progressions.
  bm::request_class requests{.lanes = {.active = 1, .bytes = 4}};
  requests.loops = 1;
  requests.loop[0] = {4, 1024};
  const auto of_all =
      bm::optimize(sm_90, bm::block_dim{32}, tile.with(tile.layout.padded(1)), &requests, 1);
  CHECK(of_all.before().requests == 1024);
  CHECK(of_all.before().wavefronts == 1024);
  CHECK(of_all.after().wavefronts == 1024);
}

TEST_CASE("request classes that cannot be planned", "[plan][classes]") {
  const bm::block_dim one_warp{32};
  const auto refuse = [&](const char* rule, std::initializer_list<const char*> said,
                          bm::request_class requests, const bm::array_description& array = tile) {
    breaks(rule, said, [&] { (void)bm::optimize(sm_90, one_warp, array, &requests, 1); });
  };
  auto changed = column;
  changed.base = 4;
  CHECK(bm::optimize(sm_90, one_warp, tile, &changed, 1).after().wavefronts == 1);
  changed.base = 128;
  refuse("requests_must_lie_within_their_array", {"128 to 4099", "4096"}, changed);
  changed.base = -4;
  refuse("requests_must_lie_within_their_array", {"-4 to"}, changed);
  changed = column;
  changed.loops = 1;
  changed.loop[0] = {4, 33};
  refuse("requests_must_lie_within_their_array", {"0 to 4099"}, changed);
  changed.loop[0] = {-4, 2};
  refuse("requests_must_lie_within_their_array", {"-4 to 3971"}, changed);
  changed.loop[0] = {2, 2};
  refuse("requests_must_begin_at_an_element", {"byte 2 ", "4 bytes"}, changed);
  changed = column;
  changed.base = 1;
  refuse("requests_must_begin_at_an_element", {"byte 1 ", "4 bytes"}, changed);
  changed = column;
  changed.lanes.bytes = 2;
  refuse("requests_must_be_of_whole_elements", {"2 bytes", "4 bytes"}, changed);
  changed = column;
  changed.lanes.active = 0;
  refuse("an_array_to_plan_must_have_requests", {"array 0", "1 request"}, changed);
  breaks("an_array_to_plan_must_have_requests", {"array 0", "0 request"},
         [&] { (void)bm::optimize(sm_90, one_warp, tile, nullptr, 0); });
  changed = column;
  changed.times = 0;
  refuse("a_request_class_must_have_requests", {}, changed);
  changed = column;
  changed.loops = 1;
  changed.loop[0] = {4, 0};
  refuse("a_request_class_must_have_requests", {}, changed);
  changed = column;
  changed.lanes.active = 1ull << 32;
  refuse("active_lanes_must_be_of_the_warp", {"lane 32"}, changed);

  // Across the end of a row; and not aligned as the array is declared.
  bm::request_class wide{.lanes = {.active = 1, .bytes = 8}, .base = 4 * 14};
  const auto rows = bm::shared_array<float>("rows", 4, 15);
  refuse("wide_requests_must_lie_in_one_row", {"2 elements", "column 14", "row of 15"}, wide, rows);
  wide.base = 0;
  wide.loops = 1;
  wide.loop[0] = {8, 8};
  refuse("wide_requests_must_lie_in_one_row", {"2 elements", "column 14", "row of 15"}, wide, rows);
  wide.loops = 0;
  wide.base = 4 * 15;
  refuse("accesses_must_be_aligned_to_their_width", {"8 bytes", "byte 60"}, wide, rows);
  CHECK(bm::optimize(sm_90, one_warp, rows.with(rows.layout.padded(1)), &wide, 1)
            .after()
            .wavefronts == 1);

  // 2^21 different bases in three loops that leave their rows together.
  const auto large = bm::shared_array<char>("large", 300, 509);
  bm::request_class often{.lanes = {.active = 1, .bytes = 1}};
  often.loops = 3;
  often.loop[0] = {1, 508};
  often.loop[1] = {2, 508};
  often.loop[2] = {3, 508};
  refuse("request_classes_must_have_few_enough_progressions", {"1048576"}, often, large);
  breaks("the_block_must_have_threads", {},
         [&] { (void)bm::optimize(sm_90, {0}, tile, &column, 1); });
}

// Two lanes 27 elements apart go down 20 elements of rows of 6, which are 7 apart. While they are 4
// rows apart, they are 31 places apart; 32, in one bank, in the 11 requests in which they are 5
// rows apart.
TEST_CASE("a loop of a class that goes down through the rows", "[plan]") {
  bm::request_class descending;
  descending.lanes.active = 3;
  descending.lanes.bytes = 4;
  descending.lanes.address[1] = 4 * 27;
  descending.base = 4 * 23;
  descending.loops = 1;
  descending.loop[0] = {-4, 20};
  const auto rows = bm::shared_array<float>("rows", 64, 6).with(bm::row_major(64, 6).padded(1));
  const auto plan = bm::optimize(bm::nvidia::sm_90, bm::block_dim{32}, rows, &descending, 1,
                                 {.layouts = bm::layouts::as_declared});
  CHECK(plan.before().requests == 20);
  CHECK(plan.before().wavefronts == 31);
  CHECK(plan.after() == plan.before());
}
