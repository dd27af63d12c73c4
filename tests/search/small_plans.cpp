// SPDX-License-Identifier: MIT
// optimize() over whole small domains: machines of up to 8 banks, every small affine access,
// against every plan.
//
// The theorem: rows that move apart by a whole layer of all banks stay in their banks, and
// words that were in different layers of a bank stay in different ones, since later words only
// move further away from earlier ones. So padding below one layer of all banks is enough, in
// each dimension and between intervals. The plans here are compared with paddings of up to
// twice that, and with offsets of up to a layer for cases in which the library tries fewer.
#include "catch.hpp"
#include "exhaustive_plans.hpp"

namespace bm = bankmodel;
using namespace bm::index;

namespace {

using exhaustive::machine_with_widths;

// A machine with words of N bytes, and optionally a second width.
machine_with_widths small_machine(int lanes, int bank_num, int W, int N, int other) {
  bm::machine m;
  m.lanes = lanes;
  m.loads.up_to_4 = {.bank_num = static_cast<short>(bank_num),
                     .W = static_cast<short>(W),
                     .N = static_cast<short>(N)};
  m.stores = m.loads;
  m.bank_width = N;
  m.other_bank_width = other;
  const auto judged = [&](int word) {
    exhaustive::judged_machine result{lanes, {}, {}};
    for (int width = 0; width < 3; ++width)
      result.loads[width] = result.stores[width] = {
          {bank_num, W, word}, std::vector<int>(static_cast<std::size_t>(lanes), 0), false};
    return result;
  };
  machine_with_widths result{m, {judged(N)}};
  if (other != 0) result.widths.push_back(judged(other));
  return result;
}

std::vector<machine_with_widths> small_machines(int lanes, int most_layer_bytes) {
  std::vector<machine_with_widths> result;
  for (int bank_num = 1; bank_num <= 8; bank_num *= 2)
    for (int N = 1; N <= 4; N *= 2)
      for (int W = N; W <= 4 * N; W *= 2) {
        if (bank_num * W > most_layer_bytes) continue;
        result.push_back(small_machine(lanes, bank_num, W, N, 0));
        if (W > N) result.push_back(small_machine(lanes, bank_num, W, N, W));
        if (W > 2 * N) result.push_back(small_machine(lanes, bank_num, W, 2 * N, N));
      }
  return result;
}

template <class T>
bm::array_description array_of(const char* name, const std::array<long long, 3>& extent, int rank) {
  return rank == 1   ? bm::shared_array<T>(name, extent[0])
         : rank == 2 ? bm::shared_array<T>(name, extent[0], extent[1])
                     : bm::shared_array<T>(name, extent[0], extent[1], extent[2]);
}
bm::array_description array_of(int bytes, const char* name, const std::array<long long, 3>& extent,
                               int rank) {
  return bytes == 1   ? array_of<char>(name, extent, rank)
         : bytes == 2 ? array_of<short>(name, extent, rank)
                      : array_of<int>(name, extent, rank);
}

// a[.. x tx + y ty + more ..], one of these for each dimension, times the vector in the last
// one.
struct affine {
  int x = 0, y = 0, offset = 0;
  int highest(const bm::block_dim& block) const {
    return x * (block.x - 1) + y * (block.y - 1) + offset;
  }
};
struct small_access {
  std::array<affine, 3> subscript;
  int vector = 1;
};

using expression = bm::access_expression<0, 64>;

expression expression_of(const bm::array_description& array, const small_access& access) {
  expression result{};
  result.array = array;
  result.subscripts = array.layout.rank;
  result.vector = access.vector;
  int count = 0;
  for (int d = 0; d < array.layout.rank; ++d) {
    const affine& f = access.subscript[static_cast<std::size_t>(d)];
    const int times = d == array.layout.rank - 1 ? access.vector : 1, first = count;
    const auto put = [&](bm::operation op, long long value) {
      result.nodes[count++] = {op, value};
    };
    put(bm::operation::variable, static_cast<long long>(bm::variable::tx));
    put(bm::operation::constant, f.x * times);
    put(bm::operation::multiply, 0);
    put(bm::operation::variable, static_cast<long long>(bm::variable::ty));
    put(bm::operation::constant, f.y * times);
    put(bm::operation::multiply, 0);
    put(bm::operation::add, 0);
    put(bm::operation::constant, f.offset * times);
    put(bm::operation::add, 0);
    result.subscript[d] = {first, count - first};
  }
  return result;
}

// Accesses of one array each, by number; arrays are as large as their accesses need.
std::vector<expression> kernel_of(const bm::block_dim& block, int rank,
                                  const std::vector<int>& element_bytes,
                                  const std::vector<int>& array,
                                  const std::vector<small_access>& accesses) {
  const char* const names[] = {"a", "b", "c"};
  std::vector<expression> result;
  for (std::size_t index = 0; index < accesses.size(); ++index) {
    std::array<long long, 3> extent{1, 1, 1};
    int widest = 1;
    for (std::size_t other = 0; other < accesses.size(); ++other) {
      if (array[other] != array[index]) continue;
      widest = std::max(widest, accesses[other].vector);
      for (int d = 0; d < rank; ++d) {
        const int times = d == rank - 1 ? accesses[other].vector : 1;
        const auto dimension = static_cast<std::size_t>(d);
        extent[dimension] = std::max<long long>(
            extent[dimension], (accesses[other].subscript[dimension].highest(block) + 1) * times);
      }
    }
    const auto last = static_cast<std::size_t>(rank - 1);
    extent[last] = (extent[last] + widest - 1) / widest * widest;
    const auto number = static_cast<std::size_t>(array[index]);
    result.push_back(expression_of(array_of(element_bytes[number], names[number], extent, rank),
                                   accesses[index]));
  }
  return result;
}

struct compared {
  long long kernels = 0, plans = 0, with_limit = 0;
};

std::string text_of(const machine_with_widths& m, const bm::block_dim& block,
                    const std::vector<expression>& accesses) {
  std::ostringstream text;
  const auto& banks = m.widths[0].rules(1, true).banks;
  text << banks.bank_num << " banks, W " << banks.W << ", N " << banks.N << ", other N "
       << m.machine.other_bank_width << ", lanes " << m.machine.lanes << ", block " << block.x
       << " x " << block.y;
  for (const expression& a : accesses) {
    text << "\n  " << exhaustive::text_of(a.array, a.array.layout) << " x " << a.vector;
    for (int d = 0; d < a.subscripts; ++d) {
      const bm::node* const program = a.nodes + a.subscript[d].first;
      text << " [" << program[1].value << " tx + " << program[4].value << " ty + "
           << program[7].value << "]";
    }
  }
  return text.str();
}

// Compares the plan with every other one, without a limit, with each limit that makes a
// difference, and occasionally with every limit.
void compare(const machine_with_widths& m, const bm::block_dim& block,
             const std::vector<expression>& accesses, compared& sum) {
  const auto arrays = exhaustive::arrays_of(m.widths[0], block, accesses);
  const auto& banks = m.widths[0].rules(1, true).banks;
  const long long layer = banks.bank_num * banks.W;
  const std::vector<exhaustive::array_limits> limits(
      arrays.size(), {.padding_bytes = 2 * layer, .whole_layer_of_bases = true});
  const exhaustive::space reference(m, arrays, limits, 1 << 20);
  ++sum.kernels;
  sum.plans += static_cast<long long>(reference.plans());

  std::vector<long long> most_bytes{1 << 20};
  const auto add = [&](long long limit) {
    if (limit > 0 && std::find(most_bytes.begin(), most_bytes.end(), limit) == most_bytes.end())
      most_bytes.push_back(limit);
  };
  for (int width = 0; width < static_cast<int>(m.widths.size()); ++width) {
    const auto& front = reference.front(width);
    for (const auto& [bytes, wavefronts] : front) add(bytes - 1), add(bytes);
    for (long long limit = front.begin()->first;
         sum.kernels % 50 == 0 && limit <= front.rbegin()->first + 4; ++limit)
      add(limit);
  }
  exhaustive::as_kernel<3>(block, accesses, [&](const auto& kernel) {
    for (const long long limit : most_bytes) {
      const auto best = reference.best(limit);
      ++sum.with_limit;
      try {
        const auto plan = bm::optimize(m.machine, kernel,
                                       bm::search{.layouts = bm::layouts::padding,
                                                  .shared_bytes = limit,
                                                  .prefer = bm::preference::few_bytes,
                                                  .effort = 1ll << 40});
        const std::string wrong = exhaustive::wrong_with(plan, m, accesses, arrays, limits, limit);
        // Simpler index functions come before the machine's own bank width; padding after intervals
        // of one dimension has one.
        const bool in_rows = std::all_of(arrays.begin(), arrays.end(), [](const auto& array) {
          return array.declared.layout.rank > 1;
        });
        const bool as_good =
            best && plan.after().wavefronts == best->wavefronts && plan.bytes() == best->bytes &&
            plan.is_optimal() &&
            (!in_rows || plan.bank_width() == (best->width == 0 ? m.machine.bank_width
                                                                : m.machine.other_bank_width));
        if (wrong.empty() && as_good) continue;
        FAIL(text_of(m, block, accesses)
             << "\nwithin " << limit << " bytes\n"
             << exhaustive::text_of(plan) << "\n"
             << wrong << "best is " << (best ? best->wavefronts : 0) << " in "
             << (best ? best->bytes : 0) << " bytes, width number " << (best ? best->width : 0));
      } catch (const bm::error& e) {
        if (!best && std::string(e.rule()) == "the_arrays_of_a_kernel_must_fit") continue;
        FAIL(text_of(m, block, accesses) << "\nwithin " << limit << " bytes\n" << e.what());
      }
    }
  });
}

using kernels = std::vector<std::pair<bm::block_dim, std::vector<expression>>>;

// On each machine with at most this many bytes in a layer of all banks; returns the number of
// kernels.
void compare_all(int lanes, int most_layer_bytes, const kernels& tested, long long expected) {
  compared sum;
  for (const auto& m : small_machines(lanes, most_layer_bytes))
    for (const auto& [block, accesses] : tested) compare(m, block, accesses, sum);
  INFO(sum.plans << " plans, " << sum.with_limit << " searches");
  CHECK(sum.kernels == expected);
}

}  // namespace

TEST_CASE("one array of one dimension, every small access", "[plan]") {
  kernels tested;
  for (const auto& block : {bm::block_dim{6}, bm::block_dim{2, 2}})
    for (const int bytes : {1, 2, 4})
      for (int x = 0; x <= 5; ++x)
        for (int y = 0; y <= (block.y > 1 ? 3 : 0); ++y)
          for (const int vector : {1, 2, 4})
            for (const int offset : {0, 1})
              if (bytes * vector <= 4)
                tested.push_back(
                    {block, kernel_of(block, 1, {bytes}, {0}, {{{affine{x, y, offset}}, vector}})});
  compare_all(4, 16, tested, 16920);
}

TEST_CASE("one array of one dimension, two small accesses", "[plan]") {
  kernels tested;
  const bm::block_dim block{4};
  for (const int bytes : {1, 2, 4})
    for (int x = 1; x <= 4; ++x)
      for (int other = x; other <= 4; ++other)
        for (const int vector : {1, 2})
          for (const int offset : {0, 1})
            if (bytes * vector <= 4)
              tested.push_back({block, kernel_of(block, 1, {bytes}, {0, 0},
                                                 {{{affine{x, 0, 0}}, vector},
                                                  {{affine{other, 0, offset}}, 1}})});
  compare_all(4, 16, tested, 4700);
}

TEST_CASE("one array of two dimensions, every small access", "[plan]") {
  kernels tested;
  for (const auto& block : {bm::block_dim{4}, bm::block_dim{2, 2}})
    for (const int bytes : {1, 2, 4})
      for (int x0 = 0; x0 <= 2; ++x0)
        for (int x1 = 0; x1 <= 2; ++x1)
          for (int y0 = 0; y0 <= (block.y > 1 ? 2 : 0); ++y0)
            for (int y1 = 0; y1 <= (block.y > 1 ? 2 : 0); ++y1)
              for (const int vector : {1, 2})
                for (const int offset : {0, 3})
                  if (bytes * vector <= 4)
                    tested.push_back(
                        {block,
                         kernel_of(block, 2, {bytes}, {0},
                                   {{{affine{x0, y0, 0}, affine{x1, y1, offset}}, vector}})});
  compare_all(4, 16, tested, 42300);
}

TEST_CASE("one array of two dimensions, two small accesses by eight lanes", "[plan]") {
  kernels tested;
  for (const auto& block : {bm::block_dim{8}, bm::block_dim{4, 2}})
    for (const int bytes : {1, 4})
      for (int x0 = 0; x0 <= 2; ++x0)
        for (int x1 = 0; x1 <= 2; ++x1)
          for (const auto& [y0, y1] : {std::pair{0, 1}, std::pair{1, 0}, std::pair{2, 1}})
            for (const int offset : {0, 1}) {
              const small_access row{{affine{0, 0, 0}, affine{1, 4, 0}}, 1},
                  other{{affine{x0, y0, 0}, affine{x1, y1, offset}}, 1};
              tested.push_back({block, kernel_of(block, 2, {bytes}, {0, 0}, {row, other})});
            }
  compare_all(8, 16, tested, 10152);
}

TEST_CASE("one array of three dimensions", "[plan]") {
  kernels tested;
  for (const auto& block : {bm::block_dim{4}, bm::block_dim{2, 2}})
    for (const int bytes : {1, 2, 4})
      for (int x0 = 0; x0 <= 1; ++x0)
        for (int x1 = 0; x1 <= 2; ++x1)
          for (int x2 = 0; x2 <= 1; ++x2)
            for (int y = 0; y <= (block.y > 1 ? 2 : 0); ++y)
              for (const int offset : {0, 2}) {
                const small_access access{
                    {affine{x0, y == 1, 0}, affine{x1, y == 2, 1}, affine{x2, 0, offset}}, 1};
                tested.push_back({block, kernel_of(block, 3, {bytes}, {0}, {access})});
              }
  compare_all(4, 8, tested, 8640);
}

TEST_CASE("two and three arrays of different elements", "[plan]") {
  kernels tested;
  const bm::block_dim block{4};
  for (const auto& bytes :
       {std::vector{1, 2, 1}, std::vector{4, 1, 2}, std::vector{1, 4, 1}, std::vector{2, 2, 4}})
    for (int x = 0; x <= 3; ++x)
      for (int other = 1; other <= 4; ++other) {
        const small_access first{{affine{x, 0, 0}}, bytes[0] == 1 ? 2 : 1},
            second{{affine{other, 0, 1}}, 1};
        tested.push_back({block, kernel_of(block, 1, bytes, {0, 1}, {first, second})});
        const small_access row{{affine{0, 0, 0}, affine{1, 0, 0}}, 1},
            column{{affine{1, 0, 0}, affine{0, 0, other}}, 1};
        tested.push_back({block, kernel_of(block, 2, bytes, {0, 1, 0}, {row, column, column})});
        tested.push_back({block, kernel_of(block, 1, bytes, {0, 1, 2},
                                           {first, second, {{affine{x, 0, 0}}, 1}})});
      }
  compare_all(4, 16, tested, 9024);
}

// The reference itself skips plans that end no earlier and cost no less than others of the same
// arrays. Here all orders, layouts and offsets of two arrays are tried one by one.
TEST_CASE("the reference finds the same as trying every plan of two arrays", "[plan]") {
  const bm::block_dim block{4};
  long long plans = 0;
  for (const auto& machine : small_machines(4, 8))
    for (const auto& bytes : {std::vector{1, 2}, std::vector{2, 1}, std::vector{4, 1}})
      for (int x = 1; x <= 2; ++x) {
        const small_access column{{affine{1, 0, 0}, affine{0, 0, x}}, 1},
            line{{affine{x, 0, 0}, affine{x, 0, 0}}, 1};
        const auto accesses = kernel_of(block, 2, bytes, {0, 1, 0}, {column, line, line});
        const auto arrays = exhaustive::arrays_of(machine.widths[0], block, accesses);
        const std::vector<exhaustive::array_limits> limits(2, {.whole_layer_of_bases = true});
        const exhaustive::space reference(machine, arrays, limits, 1 << 20);
        const long long layer = exhaustive::layer_of(machine.widths[0], arrays[0]);
        for (std::size_t width = 0; width < machine.widths.size(); ++width) {
          const auto cost = [&](std::size_t a, const exhaustive::choice& c, long long address) {
            unsigned long long sum = 0;
            for (const auto& run : arrays[a].runs)
              sum += exhaustive::count(machine.widths[width], arrays[a].declared, run, c, address)
                         .wavefronts;
            return sum;
          };
          std::map<long long, unsigned long long> by_bytes;
          for (const std::size_t first : {0u, 1u}) {
            const std::size_t second = 1 - first;
            for (const auto& candidate :
                 exhaustive::choices_of(arrays[first], layer, limits[first]))
              for (long long base = 0; base < layer; base += arrays[first].widest) {
                const auto of_first = cost(first, candidate, base);
                for (const auto& other :
                     exhaustive::choices_of(arrays[second], layer, limits[second]))
                  for (long long next = base + candidate.bytes;
                       next < base + candidate.bytes + layer; ++next) {
                    if (next % arrays[second].widest != 0) continue;
                    const auto sum = of_first + cost(second, other, next);
                    const auto known = by_bytes.emplace(next + other.bytes, sum).first;
                    known->second = std::min(known->second, sum);
                    ++plans;
                  }
              }
          }
          unsigned long long minimum = ~0ull;
          for (const auto& [end, wavefronts] : by_bytes) {
            minimum = std::min(minimum, wavefronts);
            auto best = reference.front(static_cast<int>(width)).upper_bound(end);
            unsigned long long smallest = ~0ull;
            while (best != reference.front(static_cast<int>(width)).begin())
              smallest = std::min(smallest, (--best)->second);
            if (smallest != minimum)
              FAIL(text_of(machine, block, accesses)
                   << "\nin " << end << " bytes " << smallest << ", tried " << minimum);
          }
        }
      }
  CHECK(plans == 211040);
}

// ---- the dissertation's bounds (section 6.3), as it states them for one access by as many
// lanes as there are banks ----

namespace {

// M = N < W is row-major, M < N = W column-major, each with R rows in a layer.
struct bounded {
  bool row_major;
  int bank_num, R, N;
  int W() const { return row_major ? N * R : N; }
  int M() const { return row_major ? N : N / R; }
  long long layer() const { return bank_num * W() / M(); }  // in elements
};

unsigned long long fewest(const machine_with_widths& m, const bm::block_dim& block,
                          const std::vector<expression>& accesses, long long paddings) {
  const auto arrays = exhaustive::arrays_of(m.widths[0], block, accesses);
  const auto bytes = paddings * arrays[0].declared.element_bytes;
  return exhaustive::space(m, arrays, {{.padding_bytes = bytes, .whole_layer_of_bases = true}},
                           1 << 20)
      .best(1 << 20)
      ->wavefronts;
}

// For all such banks: the number of cases, the number with a better plan above the bound, and
// the first of them, smallest banks first. `make` calls back with each block and kernel for one
// set of banks.
struct verdict {
  long long cases = 0, wrong = 0;
  std::string first;
};
template <class Bound, class Make>
verdict judge(bool row_major, const Bound& bound, const Make& make) {
  verdict result;
  for (int bank_num = 1; bank_num <= 8; bank_num *= 2)
    for (int R = 2; R <= 4; R *= 2)
      for (int N = row_major ? 1 : R; N <= 4; N *= 2) {
        const bounded b{row_major, bank_num, R, N};
        const auto m = small_machine(bank_num, bank_num, b.W(), N, 0);
        make(b, [&](const bm::block_dim& block, const std::vector<expression>& accesses) {
          ++result.cases;
          const auto limited = fewest(m, block, accesses, bound(b) + 1),
                     best = fewest(m, block, accesses, 2 * b.layer());
          if (limited != best && ++result.wrong == 1)
            result.first = text_of(m, block, accesses) + ": " + std::to_string(limited) +
                           ", beyond the bound " + std::to_string(best);
        });
      }
  return result;
}

// t[tx][0] with rows of every length: the stride is the length of a row.
void each_stride(const bounded& b, const auto& visit, int other_row = 0) {
  for (int extent = 1; extent <= 2 * b.layer(); ++extent) {
    const bm::block_dim block{b.bank_num};
    std::vector<small_access> accesses{{{affine{1, 0, 0}, affine{0, 0, extent - 1}}, 1}};
    if (other_row > 0) accesses.push_back({{affine{other_row, 0, 0}, affine{0, 0, 0}}, 1});
    visit(block, kernel_of(block, 2, {b.M()}, std::vector<int>(accesses.size(), 0), accesses));
  }
}
// t[a ty][b tx] with rows of every length and every shape of the warp.
void each_pair_of_strides(const bounded& b, const auto& visit) {
  for (int x = 1; x <= b.bank_num; x *= 2)
    for (int offset = 0; offset < b.layer(); ++offset)
      for (int by_y = 1; by_y <= 2; ++by_y)
        for (int by_x = 1; by_x <= 4; ++by_x) {
          const bm::block_dim block{x, b.bank_num / x};
          auto accesses = kernel_of(block, 2, {b.M()}, {0},
                                    {{{affine{0, by_y, 0}, affine{by_x, 0, offset}}, 1}});
          // `offset` is only there to make the rows longer
          accesses[0].nodes[accesses[0].subscript[1].first + 7].value = 0;
          visit(block, accesses);
        }
}

}  // namespace

TEST_CASE("6.3.1: one element of padding is enough for a stride on row-major banks", "[plan]") {
  const auto result = judge(
      true, [](const bounded&) { return 1; },
      [](const bounded& b, const auto& visit) { each_stride(b, visit); });
  CHECK(result.cases == 540);
  CHECK(result.wrong == 0);
}

TEST_CASE(
    "6.3.1: 2R - 1 elements of padding are enough for a stride on column-major banks, but not for "
    "two of them",
    "[plan]") {
  const auto bound = [](const bounded& b) { return 2 * b.R - 1; };
  const auto result =
      judge(false, bound, [](const bounded& b, const auto& visit) { each_stride(b, visit); });
  CHECK(result.cases == 240);
  CHECK(result.wrong == 0);
  const auto two =
      judge(false, bound, [](const bounded& b, const auto& visit) { each_stride(b, visit, 2); });
  CHECK(two.wrong == 68);
  CHECK(
      two.first ==
      "4 banks, W 2, N 2, other N 0, lanes 4, block 4 x 1\n"
      "  a of 1 bytes [7] [6] + 0 x 1 [1 tx + 0 ty + 0] [0 tx + 0 ty + 5]\n"
      "  a of 1 bytes [7] [6] + 0 x 1 [2 tx + 0 ty + 0] [0 tx + 0 ty + 0]: 3, beyond the bound 2");
}

TEST_CASE("6.3.2: bank_num elements of padding are not enough for two strides on row-major banks",
          "[plan]") {
  const auto two = judge(
      true, [](const bounded& b) { return b.bank_num; },
      [](const bounded& b, const auto& visit) { each_pair_of_strides(b, visit); });
  CHECK(two.wrong == 3);
  CHECK(
      two.first ==
      "8 banks, W 2, N 1, other N 0, lanes 8, block 4 x 2\n"
      "  a of 1 bytes [2] [20] + 0 x 1 [0 tx + 1 ty + 0] [4 tx + 0 ty + 0]: 2, beyond the bound 1");
}

TEST_CASE(
    "6.3.2: bank_num W / M - 1 elements of padding are enough for two strides on column-major "
    "banks",
    "[plan]") {
  const auto two = judge(
      false, [](const bounded& b) { return b.layer() - 1; },
      [](const bounded& b, const auto& visit) { each_pair_of_strides(b, visit); });
  CHECK(two.cases == 3136);
  CHECK(two.wrong == 0);
}
