// SPDX-License-Identifier: MIT
// A layout without a conflict exists for two accesses that touch each element of a tile once;
// shown by making it, for random partitions into phases and for accesses of kernels; and its
// relation to plans.
#include <bankmodel/draw.hpp>
#include <bankmodel/host/search/bounds.hpp>
#include <bankmodel/layout/instruction_count.hpp>

#include "breaks.hpp"
#include "catch.hpp"
#include "examples/kernels.hpp"
#include "generate.hpp"
#include "machines.hpp"
#include "run_plainly.hpp"

#include <functional>
#include <initializer_list>
#include <numeric>
#include <random>
#include <string>

namespace bm = bankmodel;
using namespace bm::index;
using bm::nvidia::sm_35;
using bm::nvidia::sm_90;

namespace {

// A user-defined machine whose accesses of every width are served alike.
bm::machine machine_with(int lanes, int bank_num, int W, int N,
                         const bm::lane_groups& phases = {}) {
  const bm::service rules{.bank_num = static_cast<short>(bank_num),
                          .W = static_cast<short>(W),
                          .N = static_cast<short>(N),
                          .phases = phases};
  bm::machine result;
  result.lanes = lanes;
  result.loads = result.stores = {rules, rules, rules, rules};
  return result;
}

bm::array_description array_of(int element_bytes, int height, int width) {
  bm::array_description result = bm::shared_array<float>("tile", height, width);
  result.element_bytes = element_bytes;
  return result;
}

// True if each of the `elements` has a place of its own, and the inverse finds it.
bool is_one_to_one(const bm::table_layout& table, long long elements) {
  std::vector<int> seen(static_cast<std::size_t>(table.size()), 0);
  long long used = 0;
  for (long long place = 0; place < table.size(); ++place) used += table.element_at(place) >= 0;
  for (std::size_t element = 0; element < table.table().size(); ++element) {
    const int place = table.table()[element];
    if (place < 0 || place >= table.size() || seen[static_cast<std::size_t>(place)]++ != 0)
      return false;
    if (table.element_at(place) != static_cast<int>(element)) return false;
  }
  return static_cast<long long>(table.table().size()) == elements && used == elements;
}

// The degree of a phase, by the oracle, for an array that begins at `base`.
int degree(const bm::table_layout& table, const oracle::banks& banks, const std::vector<int>& phase,
           int element_bytes, long long base) {
  std::vector<long long> addresses;
  for (const int element : phase)
    addresses.push_back(base +
                        static_cast<long long>(table.table()[static_cast<std::size_t>(element)]) *
                            element_bytes);
  return oracle::degree(banks, addresses, element_bytes);
}

class random_numbers {
 public:
  explicit random_numbers(unsigned seed) : engine_(seed) {}
  int uniform(int minimum, int maximum) {
    return minimum + static_cast<int>(engine_() % static_cast<unsigned>(maximum - minimum + 1));
  }

  // Puts each of `elements` numbers into one phase of at most `largest`; with `gaps`, some are
  // in none.
  std::vector<std::vector<int>> phases(int elements, int largest, bool full, bool gaps) {
    std::vector<int> order(static_cast<std::size_t>(elements));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), engine_);
    std::vector<std::vector<int>> result(1);
    int size = full ? largest : uniform(1, largest);
    for (const int element : order) {
      if (gaps && uniform(0, 3) == 0) continue;
      if (static_cast<int>(result.back().size()) == size) {
        result.emplace_back();
        if (!full) size = uniform(1, largest);
      }
      result.back().push_back(element);
    }
    return result;
  }

 private:
  std::mt19937 engine_;
};

long long rounded_up(long long value, long long multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// An access of a kernel, for the oracle: banks and phases.
struct judged {
  const char* name;
  bm::machine machine;
  oracle::banks banks;
  int phase_lanes;  // lanes, contiguous
  bool pairs;       // loads merge them
};

const judged for_words[] = {
    {"sm_90", sm_90, {32, 4, 4}, 32, false},
    {"sm_35", sm_35, {32, 8, 4}, 32, false},
    {"64 lanes in halves", machine_with(64, 32, 4, 4, {32}), {32, 4, 4}, 32, false},
};
const judged for_doubles[] = {
    {"sm_90", sm_90, {32, 4, 4}, 16, true},
    {"sm_35 in words of 8 bytes", sm_35.with_bank_width(8), {32, 8, 8}, 32, false},
    {"64 lanes in quarters", machine_with(64, 32, 4, 4, {16, 32}), {32, 4, 4}, 16, false},
};

// An access in the largest of the types, so that functions over it are compiled once.
template <int Wrappers, int Nodes>
generated::expression in_one_type(const bm::access_expression<Wrappers, Nodes>& access) {
  generated::expression result{};
  result.array = access.array;
  result.subscripts = access.subscripts;
  std::copy(std::begin(access.subscript), std::end(access.subscript), result.subscript);
  result.vector = access.vector;
  result.kind = access.kind;
  result.depth = access.depth;
  std::copy_n(access.wrappers, access.depth, result.wrappers);
  std::copy(std::begin(access.nodes), std::end(access.nodes), result.nodes);
  return result;
}

// The cost of an access through a table, thread by thread.
oracle::counts counted_through(const judged& target, const bm::block_dim& block,
                               const generated::expression& access, const bm::table_layout& table) {
  const int bytes = access.array.element_bytes;
  std::vector<int> phase_of;
  for (int lane = 0; lane < target.machine.lanes; ++lane)
    phase_of.push_back(lane / target.phase_lanes);
  oracle::counts sum;
  plainly::each_request(target.machine.lanes, block, access, [&](const plainly::request& lanes) {
    const auto address = plainly::by_lane(access, lanes, [&](long long element) {
      return access.array.base_bytes +
             static_cast<long long>(table.table()[static_cast<std::size_t>(element)]) * bytes;
    });
    add_to(sum,
           oracle::request(target.banks, phase_of,
                           target.pairs && access.kind == bm::access_kind::load, address, bytes));
  });
  return sum;
}

bool equal(const bm::cost& a, const oracle::counts& b) {
  return a.requests == b.requests && a.wavefronts == b.wavefronts && a.ideal == b.ideal &&
         a.degree == b.degree;
}

// Checks: no conflict through the table by the oracle, each element at one place, no additional
// byte, and the same total().
void check_table(const judged& target, const bm::block_dim& block,
                 const generated::expression& access, const bm::table_layout& table) {
  const auto slow = counted_through(target, block, access, table);
  CHECK(slow.wavefronts == slow.ideal);
  CHECK(slow.degree == 1);
  CHECK(equal(total(target.machine, block, access, table), slow));
  CHECK(slow.ideal == total(target.machine, block, access).ideal);
  long long elements = 1;
  for (int d = 0; d < access.array.layout.rank; ++d) elements *= access.array.layout.extent[d];
  const int bytes = access.array.element_bytes;
  CHECK(is_one_to_one(table, elements));
  CHECK(table.size() * bytes ==
        rounded_up(elements * bytes, target.banks.bank_num * target.banks.N));
}

// For accesses of one array.
template <class... Accesses>
void check_table(const judged& target, const bm::block_dim& block, const Accesses&... accesses) {
  const bm::table_layout table = bm::conflict_free_table(target.machine, block, accesses...);
  const auto check = [&](const auto& access) {
    check_table(target, block, in_one_type(access), table);
  };
  (bm::for_each_access(accesses, check), ...);
}

}  // namespace

TEST_CASE("a table is a layout given element by element") {
  const bm::table_layout table(bm::row_major(2, 3).padded(5), {4, 0, 1, 7, 5, 2}, 8);
  CHECK(table.rank() == 2);
  CHECK(table.extent(0) == 2);
  CHECK(table.extent(1) == 3);
  CHECK(table.size() == 8);
  CHECK(table(0, 0) == 4);
  CHECK(table(1, 0) == 7);
  CHECK(table(1, 2) == 2);
  CHECK(table.element_at(7) == 3);
  CHECK(table.element_at(3) == -1);
  CHECK(table.is_for(bm::row_major(2, 3)));
  CHECK_FALSE(table.is_for(bm::row_major(3, 2)));
  CHECK_FALSE(table.is_for(bm::row_major(2, 3, 1)));
  CHECK(bm::table_layout(bm::row_major(4).padded_every(2, 1), {0, 1, 2, 3}, 4)(3) == 3);

  // As any other layout, but where it would have to be a formula.
  const bm::layout layout = table.as_layout();
  int wrong = layout.required_size() != 8;
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 3; ++column) {
      const bm::detail::four coordinates = layout.coordinates(table(row, column));
      wrong += layout(row, column) != table(row, column) || coordinates[0] != row ||
               coordinates[1] != column;
    }
  CHECK(wrong == 0);
  CHECK((layout.coordinates(3)[0] == -1 && layout.coordinates(8)[0] == -1));
  CHECK(text(layout) == "[8], element [r][c] at table[e] for e = 3 * r + c");
  const auto array = bm::shared_array<float>("t", 2, 3).with(layout);
  CHECK(bm::draw_text(sm_90, array).find("unused elements are not drawn") != std::string::npos);
  breaks("a_table_has_no_index_function", {"6 elements", "bounds.hpp"},
         [&] { (void)bm::total(sm_90, bm::block_dim{3}, bm::load(array[0][bm::index::tx])); });
  breaks("a_table_has_no_index_function", {"6 elements"},
         [&] { (void)bm::index_instructions(layout); });
  breaks("a_table_is_for_an_array_without_padding", {"8 elements", "for 6"},
         [&] { (void)layout.padded(1); });
}

// König's theorem and the balancing of its colours as used here: every pair of partitions has a
// table.
TEST_CASE("two partitions of a tile into phases have a table without a conflict") {
  constexpr int element_sizes[] = {4, 4, 4, 4, 8, 16, 2, 1};
  const unsigned seed = 1;
  INFO("seed " << seed);
  random_numbers draw(seed);
  int with_unused_elements = 0, full = 0, several_rows = 0;
  for (int number = 0; number < 3000; ++number) {
    const int width = draw.uniform(1, 40), height = draw.uniform(1, 40),
              bank_num = 1 << draw.uniform(1, 6);
    const int N = 4 << draw.uniform(0, 1), W = N << draw.uniform(0, 1);
    const int bytes = element_sizes[draw.uniform(0, 7)], unit = std::max(bytes, N),
              banks = bank_num * N / unit, elements = width * height;
    if (banks == 0) continue;
    const bm::machine machine = machine_with(32, bank_num, W, N);
    const long long base = draw.uniform(0, 100) * unit;
    const bm::array_description array = array_of(bytes, height, width).at(base);
    const bool is_full = draw.uniform(0, 1) == 0, gaps = draw.uniform(0, 3) == 0;
    auto phases = draw.phases(elements, banks, is_full, gaps);
    for (auto& phase : draw.phases(elements, banks, is_full, gaps))
      phases.push_back(std::move(phase));
    // Repeated phases, and parts of phases, change nothing.
    if (draw.uniform(0, 3) == 0)
      for (std::size_t part = 0; part < 3; ++part) {
        const auto& original =
            phases[static_cast<std::size_t>(draw.uniform(0, static_cast<int>(phases.size()) - 1))];
        phases.emplace_back(original.rbegin(),
                            original.rend() - draw.uniform(0, static_cast<int>(original.size())));
      }
    INFO(height << " x " << width << " elements of " << bytes << " bytes in " << bank_num
                << " banks of " << N << ", " << W << ", number " << number);
    const bm::table_layout table = bm::conflict_free_table(machine, array, phases);
    REQUIRE(is_one_to_one(table, elements));
    REQUIRE(table.size() * bytes == rounded_up(elements * bytes, bank_num * N));
    for (const auto& phase : phases)
      if (!phase.empty()) REQUIRE(degree(table, {bank_num, W, N}, phase, bytes, base) == 1);
    with_unused_elements += table.size() > elements;
    full += is_full && !gaps;
    several_rows += elements > 4 * banks;
  }
  CHECK(with_unused_elements > 1000);
  CHECK(full > 500);
  CHECK(several_rows > 1000);
}

// A colour class is a bank: their sizes differ by at most one element.
TEST_CASE("a table's banks hold the same number of elements, or one more") {
  random_numbers draw(2);
  for (int number = 0; number < 500; ++number) {
    const int width = draw.uniform(1, 40), height = draw.uniform(1, 40),
              banks = 1 << draw.uniform(1, 6);
    auto phases = draw.phases(width * height, draw.uniform(1, banks), false, true);
    for (auto& phase : draw.phases(width * height, banks, false, true))
      phases.push_back(std::move(phase));
    const auto table =
        bm::conflict_free_table(machine_with(32, banks, 4, 4), array_of(4, height, width), phases);
    std::vector<int> held(static_cast<std::size_t>(banks), 0);
    for (const int place : table.table()) ++held[static_cast<std::size_t>(place % banks)];
    REQUIRE(*std::max_element(held.begin(), held.end()) -
                *std::min_element(held.begin(), held.end()) <=
            1);
  }
}

TEST_CASE(
    "rows, columns, diagonals and other pairs of a kernel's accesses have a table without a "
    "conflict") {
  const bm::array_description tile = bm::shared_array<float>("tile", 32, 32);
  const bm::block_dim rows_of_32{32, 8};
  const auto in_rows = bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx]));
  const auto in_columns = bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j]));
  const auto in_diagonals =
      bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][(tx + ty + j) % 32]));
  const auto in_blocks = bm::load(bm::for_loop(
      j, bm::range(0, 32, 8), tile[(ty + j) / 4 * 4 + tx / 8][(ty + j) % 4 * 8 + tx % 8]));
  for (const judged& target : for_words) {
    INFO(target.name);
    check_table(target, rows_of_32, in_rows, in_columns);
    check_table(target, rows_of_32, in_rows, in_diagonals);
    check_table(target, rows_of_32, in_columns, in_diagonals);
    check_table(target, rows_of_32, in_rows, in_blocks);
    check_table(target, rows_of_32, in_blocks, in_columns);
    check_table(target, rows_of_32, in_columns);
    check_table(target, rows_of_32,
                bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile.at(52)[ty + j][tx])),
                bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile.at(52)[tx][ty + j])));
    // A tile that the banks do not divide; here one by 16, which row padding cannot improve
    // without more bytes: its phases are two rows or two columns.
    const bm::array_description odd = bm::shared_array<int>("odd", 19, 37),
                                half = bm::shared_array<float>("half", 16, 16);
    check_table(target, {37, 19}, bm::store(odd[ty][tx]), bm::load(odd[tid % 19][tid / 19]));
    check_table(target, {37, 19}, bm::store(odd[ty][tx]),
                bm::load(odd[tid * 23 % 703 / 37][tid * 23 % 703 % 37]));
    check_table(target, {16, 16}, bm::store(half[ty][tx]), bm::load(half[tx][ty]));
    // Three dimensions and one, padded; a triangle; and elements that are touched in two
    // iterations alike.
    const bm::array_description cube = bm::shared_array<float>("cube", 4, 8, 32),
                                line = bm::shared_array<float>("line", 1000);
    check_table(target, {32, 8}, bm::store(bm::for_loop(k, bm::range(0, 4), cube[k][ty][tx])),
                bm::load(bm::for_loop(k, bm::range(0, 4), cube[tx / 8][tx % 8][ty + 8 * k])));
    check_table(target, {100},
                bm::for_loop(i, bm::range(0, 10), bm::store(line[tx + 100 * i]),
                             bm::load(line[10 * tx + i])));
    check_table(
        target, {32},
        bm::for_loop(i, bm::range(0, 32),
                     bm::if_threads(tx <= i, bm::load(tile[i][tx]), bm::load(tile[tx][i]))));
    check_table(target, rows_of_32, bm::for_loop(i, bm::range(0, 3), in_rows, in_columns),
                bm::load(tile[tx][7]), bm::load(tile[ty][3]));
  }
  const bm::array_description doubles = bm::shared_array<double>("tile", 32, 32);
  for (const judged& target : for_doubles) {
    INFO(target.name);
    check_table(target, rows_of_32,
                bm::store(bm::for_loop(j, bm::range(0, 32, 8), doubles[ty + j][tx])),
                bm::load(bm::for_loop(j, bm::range(0, 32, 8), doubles[tx][ty + j])));
  }
  // Several elements in a word: halves on banks of 4 bytes, floats on banks of 8.
  const bm::array_description halves = bm::shared_array<short>("halves", 30, 30);
  for (const judged& target : for_words)
    check_table(target, {30, 30}, bm::store(halves[ty][tx]), bm::load(halves[tx][ty]));
  check_table(for_doubles[1], rows_of_32, in_rows, in_columns);
}

TEST_CASE("a table does not depend on the array's declared layout") {
  const bm::array_description tile = bm::shared_array<float>("tile", 16, 16),
                              padded = tile.with(tile.layout.padded(3));
  const auto table_of = [](const bm::array_description& a) {
    return bm::conflict_free_table(sm_90, bm::block_dim{16, 16}, bm::store(a[ty][tx]),
                                   bm::load(a[tx][ty]))
        .table();
  };
  CHECK(table_of(tile) == table_of(padded));
  CHECK(table_of(tile) == table_of(tile.with(tile.layout.permuted(bm::rotation(1)))));
  const bm::array_description line = bm::shared_array<float>("line", 256),
                              in_intervals = line.with(line.layout.padded_every(32, 1));
  const auto table_of_line = [](const bm::array_description& a) {
    return bm::conflict_free_table(sm_90, bm::block_dim{256}, bm::store(a[tx]),
                                   bm::load(a[tx % 16 * 16 + tx / 16]))
        .table();
  };
  CHECK(table_of_line(line) == table_of_line(in_intervals));
}

// An array in its own order is a table too: then both totals must be equal for all loops and
// filters.
TEST_CASE("total() through the identity table is total()") {
  int compared = 0, conflicting = 0;
  for (unsigned long long seed = 1; seed <= 2000; ++seed) {
    const auto c = generated::generator(seed).make();
    const auto access = generated::for_library(c);
    long long elements = 1;
    for (int d = 0; d < c.rank; ++d)
      elements = std::min(elements * std::min(c.extent[d], 1ll << 17), 1ll << 17);
    if (c.vector != 1 || elements > bm::most_table_elements) continue;
    const bm::machine machine = c.machine == generated::real_machines
                                    ? generated::own_machine_of(c)
                                    : tested_machines[c.machine].machine;
    const bm::block_index grid_index{c.block_index, 0, 0};
    bm::cost known;
    try {
      known = total(machine, generated::block_of(c), access, grid_index);
    } catch (const bm::error&) {
      continue;
    }
    if (known.requests > 1000) continue;
    std::vector<int> same(static_cast<std::size_t>(elements));
    std::iota(same.begin(), same.end(), 0);
    const bm::cost through =
        total(machine, generated::block_of(c), access,
              bm::table_layout(access.array.layout, same, elements), grid_index);
    INFO("seed " << seed);
    REQUIRE(equal(through, {known.requests, known.wavefronts, known.ideal, known.degree}));
    ++compared;
    conflicting += known.conflicts() > 0;
  }
  INFO(compared << " compared, " << conflicting << " with conflicts");
  CHECK(compared > 300);
  CHECK(conflicting > 100);
}

TEST_CASE("inputs without a guaranteed table are errors, named by their rule") {
  const bm::array_description tile = bm::shared_array<float>("tile", 32, 32),
                              other = bm::shared_array<float>("other", 32, 32);
  const bm::block_dim block{32, 32};
  const auto in_rows = bm::store(tile[ty][tx]), in_columns = bm::store(tile[tx][ty]);
  const auto in_diagonals = bm::store(tile[tx][(tx + ty) % 32]);
  breaks("phases_must_split_into_two_sides_of_disjoint_ones", {"element 0 ", "1024", "optimize()"},
         [&] { (void)bm::conflict_free_table(sm_90, block, in_rows, in_columns, in_diagonals); });
  // Three phases in a ring of odd length: each element in two of them, but no two sides.
  breaks("phases_must_split_into_two_sides_of_disjoint_ones", {"two sides"},
         [&] { (void)bm::conflict_free_table(sm_90, tile, {{0, 1}, {1, 2}, {2, 0}}); });
  CHECK_NOTHROW(bm::conflict_free_table(sm_90, tile, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}));
  // Each element once by one access, twice by the other: overlapping windows.
  breaks("phases_must_split_into_two_sides_of_disjoint_ones", {}, [&] {
    (void)bm::conflict_free_table(sm_90, bm::block_dim{16, 16},
                                  bm::load(tile[ty][tx], tile[ty][tx + 1], tile[ty + 1][tx]));
  });
  breaks("phases_must_have_at_most_as_many_elements_as_banks", {"32 elements", "hold 16 "}, [&] {
    (void)bm::conflict_free_table(machine_with(32, 16, 4, 4), block, in_rows, in_columns);
  });
  breaks("phases_must_have_at_most_as_many_elements_as_banks", {"1 elements", "hold 0 "},
         [&] { (void)bm::conflict_free_table(machine_with(32, 2, 4, 4), array_of(16, 2, 2), {}); });
  breaks("phases_must_be_of_elements_of_the_array", {"element 1024", "array of 1024"},
         [&] { (void)bm::conflict_free_table(sm_90, tile, {{1023, 1024}}); });
  breaks("phases_must_be_of_elements_of_the_array", {"element -1"},
         [&] { (void)bm::conflict_free_table(sm_90, tile, {{-1}}); });
  breaks("accesses_of_one_table_must_be_of_one_array", {"several arrays"},
         [&] { (void)bm::conflict_free_table(sm_90, block, in_rows, bm::load(other[tx][ty])); });
  breaks("accesses_of_one_table_must_be_of_one_array", {},
         [&] { (void)bm::conflict_free_table(sm_90, block, bm::access_list<>{}); });
  breaks("accesses_through_a_table_must_touch_one_element_a_lane", {"vectorized<4>", "4 bytes"},
         [&] {
           (void)bm::conflict_free_table(sm_90, {8, 32},
                                         bm::load(bm::vectorized<4>(tile[ty][4 * tx])));
         });
  bm::machine uneven = machine_with(32, 32, 4, 4);
  uneven.stores.up_to_4.bank_num = 64;
  breaks("accesses_of_one_table_must_see_the_same_banks", {"in 64 banks", "another in 32"},
         [&] { (void)bm::conflict_free_table(uneven, block, in_rows, bm::load(tile[tx][ty])); });
  breaks("accesses_of_a_table_must_be_served_by_layers", {"atomics", "4 bytes"},
         [&] { (void)bm::conflict_free_table(sm_90, block, bm::atomic(tile[tx][ty])); });
  breaks("arrays_with_a_table_must_begin_at_a_word", {".at(4)", "multiple of 8"}, [&] {
    (void)bm::conflict_free_table(sm_35.with_bank_width(8), block, bm::load(tile.at(4)[tx][ty]));
  });
  const bm::array_description large = bm::shared_array<char>("large", 257, 256);
  breaks("tables_must_have_at_most_65536_elements", {"65792", "65536"},
         [&] { (void)bm::conflict_free_table(sm_90, {32}, bm::load(large[0][tx])); });
  // Sums of two loops; what repeats in place is counted once.
  const bm::array_description sums = bm::shared_array<float>("sums", 2100);
  const auto sum_of_loops = [&](int trips) {
    return bm::for_loop(i, bm::range(0, 1 << 10),
                        bm::for_loop(j, bm::range(0, trips), bm::load(sums[i + j])));
  };
  breaks("accesses_through_a_table_must_have_at_most_1048576_requests", {"1048576"},
         [&] { (void)bm::conflict_free_table(sm_90, {1}, sum_of_loops(1025)); });
  CHECK(bm::conflict_free_table(sm_90, {1}, sum_of_loops(1024)).size() == 2112);
  const auto repeated = bm::for_loop(i, bm::range(0, 1 << 21), bm::load(tile[0][tx]));
  CHECK(total(sm_90, {32}, repeated, bm::conflict_free_table(sm_90, {32}, repeated)) ==
        total(sm_90, {32}, repeated));
  breaks("subscripts_must_lie_within_their_extent", {"reaches 32"},
         [&] { (void)bm::conflict_free_table(sm_90, block, bm::load(tile[ty][tx + 1])); });

  const bm::table_layout table = bm::conflict_free_table(sm_90, block, in_rows, in_columns);
  breaks("accesses_through_a_table_must_touch_one_element_a_lane", {"vectorized<2>"}, [&] {
    (void)total(sm_90, {16, 32}, bm::load(bm::vectorized<2>(tile[ty][2 * tx])), table);
  });
  breaks("a_layout_must_have_the_extents_of_its_array", {}, [&] {
    (void)total(sm_90, {32}, bm::load(bm::shared_array<float>("a", 1024)[tx]), table);
  });
  breaks("coordinates_must_match_the_rank", {"1 ", "2 "}, [&] { (void)table(3); });
  breaks("subscripts_must_lie_within_their_extent", {"reaches 32"}, [&] { (void)table(0, 32); });
  breaks("a_table_must_give_each_element_a_place_of_its_own", {"element 2 ", "at 0"},
         [] { (void)bm::table_layout(bm::row_major(3), {0, 1, 0}, 4); });
  breaks("a_table_must_give_each_element_a_place_of_its_own", {"element 2 ", "at 4", "size of 4"},
         [] { (void)bm::table_layout(bm::row_major(3), {0, 1, 4}, 4); });
  breaks("a_table_must_give_each_element_a_place_of_its_own", {"one entry"},
         [] { (void)bm::table_layout(bm::row_major(3), {0, 1}, 4); });
}

// A square of 256 is the largest tile that has a table.
TEST_CASE("the largest tile has a table") {
  const bm::array_description tile = bm::shared_array<unsigned short>("tile", 256, 256);
  const auto in_rows = bm::store(
      bm::for_loop(i, bm::range(0, 256), bm::for_loop(j, bm::range(0, 256, 32), tile[i][tx + j])));
  const auto in_columns = bm::load(
      bm::for_loop(i, bm::range(0, 256), bm::for_loop(j, bm::range(0, 256, 32), tile[tx + j][i])));
  const bm::table_layout table = bm::conflict_free_table(sm_90, {32}, in_rows, in_columns);
  CHECK(table.size() == 65536);
  CHECK(total(sm_90, {32}, in_rows, table).wavefronts == 2048);
  CHECK(total(sm_90, {32}, in_columns, table).wavefronts == 2048);
}

TEST_CASE("the bound for a kernel, and the gap of its plan") {
  const bm::array_description tile = bm::shared_array<float>("tile", 32, 32);
  const auto transposed =
      bm::kernel(bm::block_dim{32, 32}, bm::store(tile[ty][tx]), bm::load(tile[tx][ty]));
  const auto at_best = bm::possible(sm_90, transposed);
  CHECK(at_best.wavefronts == 64);
  CHECK(at_best.reached);
  CHECK(at_best.excess(bm::optimize(sm_90, transposed)) == 0);
  CHECK(at_best.excess(bm::optimize(sm_90, transposed, {.layouts = bm::layouts::as_declared})) ==
        31 * 32);

  // Half-warps of the transposes: two rows per phase, which no row padding serves in one pass
  // in both directions.
  using namespace kernels;
  const auto half_warps = bm::possible(sm_90, transpose::transposeCoalesced);
  CHECK(half_warps.wavefronts == 16);
  CHECK(half_warps.reached);
  CHECK(half_warps.excess(bm::optimize(sm_90, transpose::transposeCoalesced,
                                       {.layouts = bm::layouts::padding})) == 8);
  // Seven accesses have only two kinds of phases.
  const auto scan = bm::possible(sm_90, shfl_scan::shfl_vertical_shfl);
  CHECK(scan.wavefronts == 5273);
  CHECK(scan.reached);
  CHECK(scan.excess(bm::optimize(sm_90, shfl_scan::shfl_vertical_shfl,
                                 {.layouts = bm::layouts::padding})) == 2160);
  // Rows and columns below the diagonal are parts of whole ones; three arrays have a table each.
  CHECK(bm::possible(sm_90, lud::lud_diagonal).reached);
  CHECK(bm::possible(sm_90, lud::lud_perimeter).reached);
  // A stencil's windows overlap in more than two ways: nothing is guaranteed, whatever a plan
  // finds.
  const auto stencil = bm::possible(sm_90, fd3d::stencil_3D_16x16_order8);
  CHECK(stencil.wavefronts == 4992);
  CHECK_FALSE(stencil.reached);
  // Without a conflict as declared no guarantee is needed.
  const bm::array_description row = bm::shared_array<float>("row", 40);
  CHECK(bm::possible(sm_90,
                     bm::kernel(bm::block_dim{32}, bm::load(row[tx], row[tx + 1], row[tx + 2])))
            .reached);
  // Nothing is guaranteed for vectors; and both of two arrays need a table.
  const auto vectors = bm::load(bm::vectorized<2>(tile[tx][0]));
  CHECK_FALSE(bm::possible(sm_90, bm::kernel(bm::block_dim{32}, vectors)).reached);
  const bm::array_description second = bm::shared_array<float>("second", 32, 32);
  CHECK(bm::possible(sm_90,
                     bm::kernel(bm::block_dim{32}, bm::load(tile[tx][0]), bm::load(second[tx][0])))
            .reached);
  CHECK_FALSE(
      bm::possible(sm_90, bm::kernel(bm::block_dim{32}, vectors, bm::load(second[tx][0]))).reached);
  CHECK_FALSE(
      bm::possible(sm_90, bm::kernel(bm::block_dim{32}, bm::load(second[tx][0]), vectors)).reached);

  // Doubles on Kepler: a warp of 32 touches two words per lane in banks of 4 bytes.
  const bm::array_description doubles = bm::shared_array<double>("doubles", 32, 32);
  const auto of_doubles =
      bm::kernel(bm::block_dim{32, 32}, bm::store(doubles[ty][tx]), bm::load(doubles[tx][ty]));
  CHECK_FALSE(bm::possible(sm_35, of_doubles).reached);
  CHECK(bm::possible(sm_35.with_bank_width(8), of_doubles).reached);

  breaks("a_plan_must_be_compared_with_what_its_kernel_can_reach", {"takes 64 ", "takes 16;"}, [&] {
    (void)bm::possible(sm_90, transpose::transposeCoalesced)
        .excess(bm::optimize(sm_90, transposed));
  });
  const auto as_other = bm::shared_array<float>("tile", 32, 33);
  breaks("arrays_of_one_name_must_be_declared_alike", {"access 1"}, [&] {
    (void)bm::possible(
        sm_90, bm::kernel(bm::block_dim{32}, bm::load(tile[0][tx]), bm::load(as_other[tx][0])));
  });
}

// No plan is below the bound, and a bound that tables reach is possible.
TEST_CASE("the kernels of the dissertation: no plan is below the bound") {
  int compared = 0, reached = 0, surplus = 0;
  for (const bm::machine& machine : {sm_90, sm_35, sm_35.with_bank_width(8)})
    kernels::for_each_kernel([&](const char* name, const auto& kernel) {
      INFO(name);
      const auto best = bm::possible(machine, kernel);
      const auto plan = bm::optimize(machine, kernel, {.layouts = bm::layouts::padding});
      CHECK(best.wavefronts == total(machine, kernel).ideal);
      CHECK(best.wavefronts == plan.after().ideal);
      CHECK(best.excess(plan) == plan.after().conflicts());
      ++compared;
      reached += best.reached;
      surplus += best.reached && best.excess(plan) > 0;
    });
  CHECK(compared == 39);
  CHECK(reached == 32);
  CHECK(surplus == 5);  // the transposes of 16 x 16 and the scan, on sm_90
}
