// SPDX-License-Identifier: MIT
// optimize() of generated kernels on real machines, against every plan. The seeds are the case
// numbers: BANKMODEL_FIRST_SEED and BANKMODEL_CASES in the environment select others.
#include <bankmodel/analyze.hpp>
#include <bankmodel/host/search/pareto.hpp>
#include <bankmodel/host/search/plans_by_family.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <chrono>
#include <cstdlib>

#include "byte_source.hpp"
#include "catch.hpp"
#include "exhaustive_plans.hpp"

namespace bm = bankmodel;
using namespace bm::index;

namespace {

using exhaustive::array_limits;
using exhaustive::machine_with_widths;

const machine_with_widths real_machines[] = {
    {bm::nvidia::sm_90, {exhaustive::judged(tested_machines[0])}},
    {bm::nvidia::sm_35,
     {exhaustive::judged(tested_machines[1]), exhaustive::judged(tested_machines[2])}},
    {bm::nvidia::sm_35.with_bank_width(8),
     {exhaustive::judged(tested_machines[2]), exhaustive::judged(tested_machines[1])}},
    {bm::nvidia::compute_capability(7, 5), {exhaustive::judged(tested_machines[3])}},
    {bm::nvidia::compute_capability(5, 2),
     {exhaustive::judged({bm::nvidia::sm_52, 32, {32, 4, 4}, true})}},
};

// ---- a kernel from a seed ----

constexpr int most_wrappers = 3, most_nodes = 96, most_accesses = 6;
using expression = bm::access_expression<most_wrappers, most_nodes>;
using program = std::vector<bm::node>;

struct loop_or_filter {
  bm::wrapper_kind kind;
  bm::variable variable;
  program first, last, step;
};

struct access_tree {
  int array = 0, vector = 1;
  bool store = false;
  std::vector<program> subscript;  // the last one in units of the vector
  std::vector<loop_or_filter> wrappers;
};

struct array_tree {
  int element_bytes = 4, rank = 1;
  std::array<long long, 4> extent{1, 1, 1, 1};
  long long padding = 0, base = 0;  // as declared
};

struct planned_case {
  std::string machine;
  machine_with_widths device;
  bm::block_dim block;
  std::vector<expression> accesses;
  bool usable = true;
};

expression assembled(const access_tree& tree, const bm::array_description& array) {
  expression result{};
  result.array = array;
  result.subscripts = array.layout.rank;
  result.vector = tree.vector;
  result.kind = tree.store ? bm::access_kind::store : bm::access_kind::load;
  result.depth = static_cast<int>(tree.wrappers.size());
  int count = 0;
  const auto put = [&](const program& p) {
    const bm::slice part{count, static_cast<int>(p.size())};
    for (const bm::node& n : p) result.nodes[count++] = n;
    return part;
  };
  for (std::size_t d = 0; d < tree.subscript.size(); ++d)
    result.subscript[d] = put(tree.subscript[d]);
  for (std::size_t level = 0; level < tree.wrappers.size(); ++level) {
    const loop_or_filter& w = tree.wrappers[level];
    bm::wrapper& written = result.wrappers[level];
    written.kind = w.kind;
    written.variable = w.variable;
    written.first = put(w.first);
    written.last = put(w.last);
    written.step = put(w.step);
  }
  return result;
}

class generator {
 public:
  explicit generator(unsigned long long seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0x7654321) {
    (void)draw(2), (void)draw(2);
  }

  // Draws from these bytes while there are any.
  explicit generator(const byte_source& bytes) : generator(1) { bytes_ = bytes; }

  int draw(int limit) {
    if (int drawn = 0; bytes_.draw(limit, drawn)) return drawn;
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<int>((state_ * 0x2545f4914f6cdd1dull >> 33) %
                            static_cast<unsigned long long>(limit));
  }
  bool one_in(int chances) { return draw(chances) == 0; }
  template <class T, std::size_t Count>
  T one_of(const T (&list)[Count]) {
    return list[draw(static_cast<int>(Count))];
  }

  planned_case make() {
    choose_machine();
    constexpr bm::block_dim blocks[] = {{32}, {32}, {32},      {16, 2}, {8, 4},  {32, 2}, {64},
                                        {33}, {20}, {4, 4, 2}, {8, 8},  {2, 16}, {7, 5}};
    result_.block = one_of(blocks);
    constexpr int array_counts[] = {1, 1, 1, 2, 2, 3, 4};
    const int array_count = one_of(array_counts);
    for (int a = 0; a < array_count; ++a) choose_array();
    const int access_count = std::max(array_count, 1 + draw(most_accesses));
    for (int number = 0; number < access_count; ++number) {
      const int array = number < array_count ? number : draw(array_count);
      if (number >= array_count && one_in(2) && add_twin(array)) continue;
      accesses_.push_back(access(array));
    }
    std::vector<access_tree> shuffled;  // arrays are numbered by first use, not by creation
    for (; !accesses_.empty();) {
      const int chosen = draw(static_cast<int>(accesses_.size()));
      shuffled.push_back(accesses_[static_cast<std::size_t>(chosen)]);
      accesses_.erase(accesses_.begin() + chosen);
    }
    accesses_ = shuffled;
    fit();
    return result_;
  }

 private:
  static bm::node constant(long long value) { return {bm::operation::constant, value}; }
  static void append(program& result, const program& addition) {
    result.insert(result.end(), addition.begin(), addition.end());
  }
  static void apply(program& result, bm::operation op, long long number) {
    result.push_back(constant(number));
    result.push_back({op, 0});
  }

  void choose_machine() {
    constexpr int numbers[] = {0, 0, 1, 1, 2, 3, 4};
    if (!one_in(4)) {
      const int number = one_of(numbers);
      result_.device = real_machines[number];
      result_.machine = "real machine " + std::to_string(number);
      return;
    }
    // A machine of its own, with other banks for each width and kind.
    constexpr int lanes[] = {4, 8, 16, 32, 64};
    bm::machine m;
    m.lanes = one_of(lanes);
    m.bank_width = 1 << draw(4);
    m.other_bank_width = one_in(2) ? 1 << draw(4) : 0;
    if (m.other_bank_width == m.bank_width) m.other_bank_width = 0;
    m.merges_loads = one_in(3) ? bm::merging::pairs : bm::merging::none;
    m.merges_stores = one_in(3) ? bm::merging::pairs : bm::merging::none;
    const int widest = std::max(m.bank_width, m.other_bank_width), same = draw(3);
    bm::service* const services[6] = {&m.loads.up_to_4,  &m.stores.up_to_4, &m.loads.bytes_8,
                                      &m.stores.bytes_8, &m.loads.bytes_16, &m.stores.bytes_16};
    for (int number = 0; number < 6; ++number) {
      bm::service& s = *services[number];
      if (same > 0 && number > 0) {
        s = *services[0];
      } else {
        s.bank_num = static_cast<short>(1 << draw(6));
        s.N = static_cast<short>(m.bank_width);
        s.W = static_cast<short>(widest << draw(one_in(4) ? 3 : 2));
      }
      if (same < 2 && one_in(2)) s.phases.parity_0 = static_cast<unsigned char>(1 + draw(63));
      if (s.phases.parity_0 != 0 && one_in(2))
        s.phases.parity_1 = static_cast<unsigned char>(1 + draw(63));
    }
    result_.device = {m, {judged(m, m.bank_width)}};
    if (m.other_bank_width != 0) result_.device.widths.push_back(judged(m, m.other_bank_width));
    std::ostringstream text;
    text << "a machine of " << m.lanes << " lanes, words of " << m.bank_width << " or "
         << m.other_bank_width << ", merging " << static_cast<int>(m.merges_loads) << " "
         << static_cast<int>(m.merges_stores);
    for (const bm::service* s : services)
      text << "; " << s->bank_num << " banks W " << s->W << " phases " << int{s->phases.parity_0}
           << " " << int{s->phases.parity_1};
    result_.machine = text.str();
  }

  static exhaustive::judged_machine judged(const bm::machine& m, int word) {
    exhaustive::judged_machine result{m.lanes, {}, {}};
    for (int width = 0; width < 5; ++width)
      for (const bool load : {true, false}) {
        const bm::services& rules = load ? m.loads : m.stores;
        const bm::service& s = width < 3    ? rules.up_to_4
                               : width == 3 ? rules.bytes_8
                                            : rules.bytes_16;
        exhaustive::service& target = (load ? result.loads : result.stores)[width];
        target.banks = {s.bank_num, s.W, word};
        target.pairs = (load ? m.merges_loads : m.merges_stores) == bm::merging::pairs &&
                       s.phases.parity_0 != 0;
        for (unsigned lane = 0; lane < static_cast<unsigned>(m.lanes); ++lane)
          target.phase_of.push_back(std::popcount(lane & s.phases.parity_0) % 2 +
                                    2 * (std::popcount(lane & s.phases.parity_1) % 2));
      }
    return result;
  }

  void choose_array() {
    constexpr int sizes[] = {4, 4, 4, 4, 1, 2, 2, 8, 16}, ranks[] = {1, 1, 2, 2, 2, 2, 3, 3, 4};
    array_tree a;
    a.element_bytes = one_of(sizes);
    a.rank = one_of(ranks);
    if (one_in(8)) a.padding = 1 + draw(3);
    if (one_in(6)) a.base = 16 * draw(9);
    arrays_.push_back(a);
  }

  bm::node variable() {
    constexpr bm::variable common[] = {bm::variable::tx,   bm::variable::tx,  bm::variable::tx,
                                       bm::variable::ty,   bm::variable::tz,  bm::variable::tid,
                                       bm::variable::lane, bm::variable::warp};
    if (loops_ > 0 && one_in(3))
      return {bm::operation::variable, static_cast<long long>(bm::variable::loop_0) + draw(loops_)};
    return {bm::operation::variable, static_cast<long long>(one_of(common))};
  }

  // A sum of multiples of variables, none of them negative.
  program sum(int terms) {
    constexpr int factors[] = {1, 1, 1, 2, 2, 3, 4, 5, 6, 8, 12, 16, 32, 33, 64};
    program result;
    for (int term = 0; term < terms; ++term) {
      const bool first = result.empty();
      result.push_back(variable());
      const int factor = factors[draw(one_in(2) ? 15 : 8)];
      if (factor > 1) apply(result, bm::operation::multiply, factor);
      if (!first) result.push_back({bm::operation::add, 0});
    }
    return result;
  }

  program subscript() {
    if (one_in(8)) return {constant(draw(4))};
    program result = sum(1 + draw(2));
    constexpr int numbers[] = {2, 3, 4, 7, 8, 16, 32};
    switch (draw(12)) {
      case 0: apply(result, bm::operation::divide, one_of(numbers)); break;
      case 1: apply(result, bm::operation::remainder, one_of(numbers)); break;
      case 2: apply(result, bm::operation::bit_xor, draw(32)); break;
      case 3: apply(result, bm::operation::bit_and, 31); break;
      case 4: apply(result, bm::operation::shift_right, 1 + draw(3)); break;
      case 5:
        append(result, sum(1));
        result.push_back({bm::operation::bit_xor, 0});
        break;
      case 6:
        append(result, sum(1));
        result.push_back({bm::operation::subtract, 0});  // may be negative: fit() moves it
        break;
      default: break;
    }
    if (one_in(4)) apply(result, one_in(3) ? bm::operation::subtract : bm::operation::add, draw(9));
    return result;
  }

  loop_or_filter loop() {
    const auto counter = static_cast<bm::variable>(static_cast<int>(bm::variable::loop_0) + loops_);
    loop_or_filter result{
        bm::wrapper_kind::range, counter, {constant(draw(3))}, {}, {constant(1 + draw(3))}};
    switch (draw(8)) {
      case 0:
        result.last = {variable()};
        apply(result.last, bm::operation::remainder, 5);
        break;
      case 1:
        result = {bm::wrapper_kind::values,
                  counter,
                  {constant(draw(4)), constant(4), constant(5 + draw(9))},
                  {},
                  {}};
        break;
      case 2:
        result = {bm::wrapper_kind::powers_up,
                  counter,
                  {constant(1)},
                  {constant(1 + draw(20))},
                  {constant(2)}};
        break;
      case 3:
        result = {bm::wrapper_kind::range,
                  counter,
                  {constant(1 + draw(6))},
                  {constant(0)},
                  {constant(-1)}};
        break;
      case 4:
        result.first = {variable()};
        apply(result.first, bm::operation::remainder, 3);
        [[fallthrough]];
      default: result.last = {constant(1 + draw(7))}; break;
    }
    ++loops_;
    return result;
  }

  loop_or_filter filter() {
    loop_or_filter result{bm::wrapper_kind::filter, bm::variable::loop_0, {variable()}, {}, {}};
    switch (draw(5)) {
      case 0: apply(result.first, bm::operation::less, 1 + draw(30)); break;
      case 1:
        apply(result.first, bm::operation::remainder, 2 + draw(3));
        apply(result.first, bm::operation::equal, 0);
        break;
      case 2: apply(result.first, bm::operation::not_equal, draw(5)); break;
      case 3:
        result.first.push_back(variable());
        result.first.push_back({bm::operation::less_equal, 0});
        break;
      default:
        result.first.push_back(variable());
        result.first.push_back({bm::operation::less, 0});
        break;
    }
    return result;
  }

  access_tree access(int array) {
    access_tree result;
    result.array = array;
    const array_tree& shape = arrays_[static_cast<std::size_t>(array)];
    constexpr int vectors[] = {1, 1, 1, 2, 4, 8, 16};
    result.vector = one_of(vectors);
    if (result.vector * shape.element_bytes > 16) result.vector = 1;
    result.store = one_in(3);
    loops_ = 0;
    const int depth = draw(most_wrappers + 1);
    for (int level = 0; level < depth; ++level) {
      loop_or_filter w = one_in(3) ? filter() : loop();
      result.wrappers.push_back(w);
    }
    for (int d = 0; d < shape.rank; ++d) result.subscript.push_back(subscript());
    return result;
  }

  // Another access that differs from an earlier one in constants only.
  bool add_twin(int array) {
    for (const access_tree& other : accesses_) {
      if (other.array != array) continue;
      access_tree twin = other;
      if (twin.vector > 1 && one_in(3)) {  // the first element of the wide access
        apply(twin.subscript.back(), bm::operation::multiply, twin.vector);
        twin.vector = 1;
        accesses_.push_back(twin);
        return true;
      }
      for (program& p : twin.subscript)
        if (one_in(2)) apply(p, one_in(4) ? bm::operation::subtract : bm::operation::add, draw(40));
      if (one_in(6)) twin.store = !twin.store;
      accesses_.push_back(twin);
      return true;
    }
    return false;
  }

  // The lowest and the highest value of each subscript.
  bool find_values(const access_tree& tree,
                   std::array<std::pair<long long, long long>, 4>& values) {
    const auto rank = tree.subscript.size();
    const long long moved = rank == 4 ? 1 << 13 : 1 << 15;
    access_tree raised = tree;
    for (program& p : raised.subscript) apply(p, bm::operation::add, moved);
    const auto numbers = array_of(
        {1, static_cast<int>(rank), {2 * moved, 2 * moved, 2 * moved, 2 * moved}, 0, 0}, 0, 1);
    exhaustive::access_run run;
    try {
      run = exhaustive::run(result_.device.widths[0], result_.block, assembled(raised, numbers));
    } catch (const std::out_of_range&) {
      return false;
    }
    if (run.requests.empty()) return false;
    for (std::size_t d = 0; d < rank; ++d) values[d] = {1 << 30, -(1 << 30)};
    for (const auto& [lanes, times] : run.requests)
      for (const auto& [lane, number] : lanes) {
        const auto coordinates = exhaustive::coordinates_of(numbers.layout, number);
        for (std::size_t d = 0; d < rank; ++d)
          values[d] = {std::min(values[d].first, coordinates[d] - moved),
                       std::max(values[d].second, coordinates[d] - moved)};
      }
    return true;
  }

  // Moves subscripts so that none is negative, and makes the arrays large enough.
  void fit() {
    std::vector<int> widest(arrays_.size(), 1);
    for (access_tree& a : accesses_) {
      array_tree& shape = arrays_[static_cast<std::size_t>(a.array)];
      std::array<std::pair<long long, long long>, 4> values;
      if (nodes_of(a) > most_nodes - 16 || !find_values(a, values)) {
        result_.usable = false;
        return;
      }
      for (std::size_t d = 0; d < a.subscript.size(); ++d) {
        const bool last = d == a.subscript.size() - 1;
        if (values[d].first < 0) apply(a.subscript[d], bm::operation::add, -values[d].first);
        const long long highest = values[d].second - std::min(values[d].first, 0ll),
                        vector = last ? a.vector : 1;
        if (last && a.vector > 1) apply(a.subscript[d], bm::operation::multiply, a.vector);
        shape.extent[d] = std::max(shape.extent[d], (highest + 1) * vector);
      }
      int& unit = widest[static_cast<std::size_t>(a.array)];
      unit = std::max(unit, a.vector);
    }
    std::vector<bm::array_description> described;
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      array_tree& shape = arrays_[a];
      const long long unit = widest[a];
      const auto last = static_cast<std::size_t>(shape.rank - 1);
      for (std::size_t d = 0; d <= last; ++d)
        if (one_in(3)) shape.extent[d] += draw(4);
      if (shape.rank > 1 && one_in(3))
        shape.extent[last] = std::max<long long>(shape.extent[last], 32);
      if (shape.rank > 1) shape.extent[last] = (shape.extent[last] + unit - 1) / unit * unit;
      described.push_back(array_of(shape, static_cast<int>(a), unit));
    }
    for (const access_tree& a : accesses_)
      result_.accesses.push_back(assembled(a, described[static_cast<std::size_t>(a.array)]));
  }

  static bm::array_description array_of(const array_tree& shape, int number, long long unit) {
    const char name[] = {static_cast<char>('a' + number), '\0'};
    bm::array_description result;
    result.name = bm::name_of(name);
    result.element_bytes = shape.element_bytes;
    const auto& e = shape.extent;
    result.layout = shape.rank == 1   ? bm::row_major(e[0])
                    : shape.rank == 2 ? bm::row_major(e[0], e[1])
                    : shape.rank == 3 ? bm::row_major(e[0], e[1], e[2])
                                      : bm::row_major(e[0], e[1], e[2], e[3]);
    if (shape.padding > 0)
      result.layout = shape.rank > 1 ? result.layout.padded(shape.padding * unit)
                                     : result.layout.padded_every(16 * unit, shape.padding * unit);
    return result.at(shape.base);
  }

  static int nodes_of(const access_tree& a) {
    std::size_t count = 0;
    for (const program& p : a.subscript) count += p.size();
    for (const loop_or_filter& w : a.wrappers)
      count += w.first.size() + w.last.size() + w.step.size();
    return static_cast<int>(count);
  }

  unsigned long long state_;
  byte_source bytes_;
  int loops_ = 0;
  std::vector<array_tree> arrays_;
  std::vector<access_tree> accesses_;
  planned_case result_;
};

// ---- as text ----

std::string infix(const expression& a, const bm::slice& s) {
  static const char* const names[] = {"tx",   "ty", "tz", "bx", "by", "bz", "tid", "lane",
                                      "warp", "i",  "j",  "k",  "l",  "m",  "n"};
  std::vector<std::string> stack;
  for (int position = s.first; position < s.first + s.size; ++position) {
    const bm::node& n = a.nodes[position];
    if (n.op == bm::operation::constant) {
      stack.push_back(std::to_string(n.value));
    } else if (n.op == bm::operation::variable) {
      stack.push_back(names[n.value]);
    } else {
      const std::string right = stack.back();
      stack.pop_back();
      const char* text = "?";
      switch (n.op) {
        case bm::operation::add: text = "+"; break;
        case bm::operation::subtract: text = "-"; break;
        case bm::operation::multiply: text = "*"; break;
        case bm::operation::divide: text = "/"; break;
        case bm::operation::remainder: text = "%"; break;
        case bm::operation::shift_right: text = ">>"; break;
        case bm::operation::bit_and: text = "&"; break;
        case bm::operation::bit_xor: text = "^"; break;
        case bm::operation::less: text = "<"; break;
        case bm::operation::less_equal: text = "<="; break;
        case bm::operation::equal: text = "=="; break;
        case bm::operation::not_equal: text = "!="; break;
        default: break;
      }
      stack.back() = "(" + stack.back() + " " + text + " " + right + ")";
    }
  }
  return stack.empty() ? "" : stack.back();
}

std::string text_of(const planned_case& c) {
  std::ostringstream text;
  text << c.machine << ", block " << c.block.x << " x " << c.block.y << " x " << c.block.z;
  for (const expression& a : c.accesses) {
    text << "\n  " << (a.kind == bm::access_kind::store ? "store " : "load ");
    for (int level = 0; level < a.depth; ++level) {
      const bm::wrapper& w = a.wrappers[level];
      if (w.kind == bm::wrapper_kind::filter) {
        text << "if " << infix(a, w.first) << ": ";
      } else if (w.kind == bm::wrapper_kind::values) {
        text << "for loop " << static_cast<int>(w.variable) - static_cast<int>(bm::variable::loop_0)
             << " of";
        for (int position = 0; position < w.first.size; ++position)
          text << " " << a.nodes[w.first.first + position].value;
        text << ": ";
      } else {
        text << "for loop " << static_cast<int>(w.variable) - static_cast<int>(bm::variable::loop_0)
             << (w.kind == bm::wrapper_kind::range ? " from " : " of powers from ")
             << infix(a, w.first) << " to " << infix(a, w.last) << " by " << infix(a, w.step)
             << ": ";
      }
    }
    text << exhaustive::text_of(a.array, a.array.layout) << " at " << a.array.base_bytes << ", "
         << a.vector << " of ";
    for (int d = 0; d < a.subscripts; ++d) text << "[" << infix(a, a.subscript[d]) << "]";
  }
  return text.str();
}

// ---- the checks of each plan ----

struct tally {
  unsigned long long kernels = 0, searches = 0, exact = 0, large = 0, not_optimal = 0, refused = 0,
                     permuted = 0;
};

constexpr long long all_effort = 1ll << 40;
constexpr double whole_space = 1e6;

template <class A, class B>
bool same_plan(const A& a, const B& b) {
  if (a.bytes() != b.bytes() || a.bank_width() != b.bank_width() ||
      a.least_wavefronts() != b.least_wavefronts() || a.arrays() != b.arrays() ||
      !(a.before() == b.before()) || !(a.after() == b.after()) ||
      a.resident_blocks() != b.resident_blocks())
    return false;
  for (int array = 0; array < a.arrays(); ++array)
    if (!(a.array(array).layout == b.array(array).layout) ||
        a.array(array).offset_bytes != b.array(array).offset_bytes)
      return false;
  return true;
}

class judge {
 public:
  judge(const planned_case& c, tally& sum)
      : case_(c),
        machine_(c.device),
        sum_(sum),
        arrays_(exhaustive::arrays_of(machine_.widths[0], c.block, c.accesses)) {}

  const std::vector<exhaustive::one_array>& arrays() const { return arrays_; }

  // The amount of counting for all plans.
  double work() const {
    double sum = 0;
    for (const auto& a : arrays_) {
      const auto layer = static_cast<double>(exhaustive::layer_of(machine_.widths[0], a));
      const double paddings = std::max(layer / a.widest, 1.0);
      double choices = a.declared.layout.rank == 1 ? 1 + 8 * paddings : 1;
      for (int d = 1; d < a.declared.layout.rank; ++d) choices *= paddings;
      if (a.declared.layout.interval != 0) choices = 1;
      double bases = 1;
      for (const auto& width : machine_.widths)
        for (const auto& run : a.runs) {
          const auto& banks = width.rules(run.bytes, run.load).banks;
          bases = std::max(
              bases, static_cast<double>(banks.W == banks.N ? banks.N : banks.bank_num * banks.W) /
                         a.widest);
        }
      for (const auto& run : a.runs)
        for (const auto& [elements, times] : run.phases)
          sum += choices * bases * static_cast<double>(elements.size());
    }
    return sum;
  }

  // With every family: never more wavefronts than by padding with as much effort, and the plan's
  // statements are true.
  template <class Kernel>
  bool every_family(const Kernel& kernel, bm::search options, unsigned long long by_padding) {
    if (options.layouts == bm::layouts::as_declared || sum_.searches % 4 != 0) return true;
    options.layouts = bm::layouts::all;
    const bool as_much_effort = options.effort != all_effort;
    if (!as_much_effort) options.effort = 1 << 16;
    const auto plan = bm::optimize(machine_.machine, kernel, options);
    const bm::machine switched = machine_.machine.with_bank_width(plan.bank_width());
    bool right = (!as_much_effort || plan.after().wavefronts <= by_padding) &&
                 plan.least_wavefronts() <= plan.after().wavefronts;
    for (int number = 0; number < plan.accesses(); ++number) {
      expression access = case_.accesses[static_cast<std::size_t>(number)];
      access.array = plan.array(access.array).planned();
      const bm::cost cost = bm::total(switched, case_.block, access);
      const bm::cost said = plan.after(number);
      right = right && cost.wavefronts == said.wavefronts && cost.requests == said.requests &&
              cost.ideal == said.ideal && cost.degree == said.degree;
      sum_.permuted += access.array.layout.permutation.family != bm::layout_family::rows;
    }
    return right;
  }

  void ask(const exhaustive::space& choices, const std::vector<array_limits>& limits,
           bm::search options, long long most_bytes, const char* name) {
    options.layouts.bits &= bm::layouts::padding.bits;
    options.prefer = bm::preference::few_bytes;  // as the reference does
    ++sum_.searches;
    std::ostringstream header;
    header << name << ": shared_bytes " << options.shared_bytes << ", resident_blocks "
           << options.resident_blocks << ", registers " << options.registers_per_thread
           << ", row pitch " << options.row_stride_bytes << ", kept " << options.keep.count
           << ", families " << options.layouts.bits << ", effort " << options.effort << "\n";
    const auto best = choices.best(most_bytes);
    last_wavefronts_ = ~0ull;
    exhaustive::as_kernel<most_accesses>(case_.block, case_.accesses, [&](const auto& kernel) {
      try {
        const auto plan = bm::optimize(machine_.machine, kernel, options);
        last_wavefronts_ = plan.after().wavefronts;
        last_is_complete_ = plan.is_complete();
        std::string wrong =
            exhaustive::wrong_with(plan, machine_, case_.accesses, arrays_, limits, most_bytes);
        const auto complain = [&](bool holds, const std::string& text) {
          if (!holds) wrong += text + "; ";
        };
        complain(best.has_value(), "nothing fits");
        if (best) {
          const auto wavefronts = plan.after().wavefronts;
          complain(wavefronts > best->wavefronts ||
                       (wavefronts == best->wavefronts && plan.bytes() >= best->bytes),
                   "the reference is wrong");
          complain(plan.least_wavefronts() <= best->wavefronts, "least_wavefronts() is no bound");
          complain(!plan.is_optimal() || wavefronts == best->wavefronts,
                   "is_optimal() is not true");
          const int width =
              best->width == 0 ? machine_.machine.bank_width : machine_.machine.other_bank_width;
          if (choices.plans() <= whole_space && options.effort == all_effort) {
            ++sum_.exact;
            complain(plan.is_optimal(), "not optimal");
            complain(wavefronts == best->wavefronts, "more wavefronts");
            complain(plan.bytes() == best->bytes, "more bytes");
            complain(plan.bank_width() == width, "the other bank width");
          } else {
            ++sum_.large;
            if (!plan.is_optimal()) ++sum_.not_optimal;
          }
          const auto [unplanned, end] = exhaustive::one_after_another(machine_.widths[0], arrays_);
          bool as_declared_may_be = end <= most_bytes;
          for (std::size_t a = 0; a < arrays_.size(); ++a)
            as_declared_may_be =
                as_declared_may_be && (limits[a].keep || limits[a].row_stride_bytes == 0);
          complain(!as_declared_may_be || wavefronts <= unplanned, "worse than one after another");
        }
        const bm::machine switched = machine_.machine.with_bank_width(plan.bank_width());
        for (int number = 0; number < plan.accesses(); ++number) {
          expression access = case_.accesses[static_cast<std::size_t>(number)];
          access.array = plan.array(access.array).planned();
          complain(bm::total(switched, case_.block, access) == plan.after(number), "planned()");
        }
        const auto& limited = machine_.machine.limits;
        if (limited.shared_per_multiprocessor > 0) {
          const int blocks =
              bm::resident(machine_.machine, {case_.block.x * case_.block.y * case_.block.z,
                                              plan.bytes(), options.registers_per_thread})
                  .blocks;
          complain(plan.resident_blocks() == blocks, "resident_blocks()");
          complain(blocks >= options.resident_blocks, "fewer resident blocks than asked for");
        }
        complain(every_family(kernel, options, plan.after().wavefronts),
                 "a plan over every family");
        if (options.effort != 1)
          complain(same_plan(plan, bm::optimize(machine_.machine, kernel, options)),
                   "another plan when asked again");
        if (!wrong.empty())
          problem(header.str() + exhaustive::text_of(plan) + "\n" + wrong +
                  (best ? " best is " + std::to_string(best->wavefronts) + " in " +
                              std::to_string(best->bytes) + " bytes, width number " +
                              std::to_string(best->width) + ", of " +
                              std::to_string(choices.plans()) + " plans"
                        : ""));
      } catch (const bm::error& e) {
        ++sum_.refused;
        if (best || std::string(e.rule()) != "the_arrays_of_a_kernel_must_fit")
          problem(header.str() + e.what() +
                  (best ? " but " + std::to_string(best->wavefronts) + " in " +
                              std::to_string(best->bytes) + " bytes"
                        : ""));
      }
    });
  }

  // With more and more room.
  void ask_in_turn(const exhaustive::space& choices, const std::vector<array_limits>& limits,
                   long long effort, std::vector<long long> most_bytes, long long opt_in) {
    std::sort(most_bytes.begin(), most_bytes.end());
    unsigned long long previous = ~0ull;
    for (const long long limit : most_bytes) {
      if (limit < 1 || limit > opt_in) continue;
      ask(choices, limits, {.shared_bytes = limit, .effort = effort}, limit, "in turn");
      if (last_wavefronts_ > previous && last_is_complete_)
        problem("more room, more wavefronts: " + std::to_string(previous) + " before");
      previous = last_wavefronts_;
    }
  }

  // The Pareto front; and with less effort, at least no plan that another beats.
  void ask_for_front(const exhaustive::space& choices, const std::vector<array_limits>& limits,
                     bm::search options, long long most_bytes) {
    options.layouts.bits &= bm::layouts::padding.bits;
    ++sum_.searches;
    exhaustive::as_kernel<most_accesses>(case_.block, case_.accesses, [&](const auto& kernel) {
      try {
        const auto front = bm::pareto_front(machine_.machine, kernel, options);
        std::string wrong, text;
        long long limit = most_bytes;
        const bool exactly = choices.plans() <= whole_space && options.effort == all_effort;
        if (exactly) ++sum_.exact;
        for (std::size_t number = 0; number < front.size(); ++number) {
          wrong += exhaustive::wrong_with(front[number], machine_, case_.accesses, arrays_, limits,
                                          limit);
          text += exhaustive::text_of(front[number]) + "\n";
          if (number > 0 &&
              front[number].after().wavefronts <= front[number - 1].after().wavefronts)
            wrong += "one that is beaten; ";
          const auto best = choices.best(limit);
          if (!best || (exactly && (front[number].after().wavefronts != best->wavefronts ||
                                    front[number].bytes() != best->bytes)))
            wrong += "one that is not best within " + std::to_string(limit) + "; ";
          limit = front[number].bytes() - 1;
        }
        if (exactly && choices.best(limit)) wrong += "one is missing; ";
        if (!wrong.empty())
          problem("front with effort " + std::to_string(options.effort) + "\n" + text + wrong);
      } catch (const bm::error& e) {
        ++sum_.refused;
        if (choices.best(most_bytes) || std::string(e.rule()) != "the_arrays_of_a_kernel_must_fit")
          problem(std::string("front: ") + e.what());
      }
    });
  }

  const std::string& problems() const { return problems_; }

 private:
  void problem(const std::string& text) { problems_ += text + "\n"; }

  const planned_case& case_;
  const machine_with_widths& machine_;
  tally& sum_;
  std::vector<exhaustive::one_array> arrays_;
  std::string problems_;
  unsigned long long last_wavefronts_ = 0;
  bool last_is_complete_ = false;
};

// The most work of one case.
double most_work = 300'000;

std::string compare(generator random, const std::string& name, tally& sum) {
  const planned_case c = random.make();
  if (!c.usable) return "";
  const machine_with_widths& m = c.device;
  judge checker(c, sum);
  if (checker.work() > most_work) return "";
  // Usually there is room for padding; without any there is nothing left to choose.
  long long minimum = 0;
  for (const auto& a : checker.arrays())
    minimum += exhaustive::as_laid_out(a.declared, a.declared.layout).bytes;
  if (minimum > 24'000 && (minimum > 200'000 || !random.one_in(8))) return "";
  ++sum.kernels;
  const bool limited = m.machine.limits.shared_per_block > 0;
  const long long available = limited ? m.machine.limits.shared_per_block : 1ll << 40,
                  opt_in = limited ? m.machine.limits.shared_per_block_opt_in : 1ll << 40;
  std::vector<array_limits> limits(checker.arrays().size());
  const exhaustive::space choices(m, checker.arrays(), limits, opt_in);

  checker.ask(choices, limits, {.effort = all_effort}, available, "everything");
  checker.ask(choices, limits, {}, available, "by default");
  checker.ask(choices, limits, {.effort = 1}, available, "with hardly any effort");
  checker.ask(choices, limits, {.shared_bytes = opt_in, .effort = all_effort}, opt_in, "opting in");

  // Bytes: around those of the best plans, each at least as bad as the next.
  std::vector<long long> bytes;
  for (std::size_t width = 0; width < m.widths.size(); ++width)
    for (const auto& [end, wavefronts] : choices.front(static_cast<int>(width))) {
      bytes.push_back(end);
      if (random.one_in(3)) bytes.push_back(end - 1);
      if (random.one_in(3)) bytes.push_back(end + random.draw(40));
    }
  while (bytes.size() > 4) bytes.erase(bytes.begin() + random.draw(static_cast<int>(bytes.size())));
  for (const long long limit : bytes)
    if (limit > 0 && limit <= opt_in)
      checker.ask(choices, limits,
                  {.shared_bytes = limit, .effort = random.one_in(3) ? 0 : all_effort}, limit,
                  "in bytes");

  // With any effort that was enough, more room never gives more wavefronts.
  constexpr long long efforts[] = {0, 1, 2, 3, 5, 8, 13, 20, 30, 50, 80, 150, 300, all_effort};
  const long long effort = random.one_of(efforts);
  checker.ask_for_front(choices, limits, {.effort = all_effort}, available);
  checker.ask_for_front(choices, limits, {.effort = effort}, available);
  checker.ask_in_turn(choices, limits, effort, bytes, opt_in);

  // Resident blocks: occupancy.hpp decides which plans they allow.
  const int threads = c.block.x * c.block.y * c.block.z,
            registers = random.one_in(3) ? 16 + random.draw(48) : 0;
  const int most_blocks = !limited ? 0 : bm::resident(m.machine, {threads, 0, registers}).blocks;
  if (most_blocks > 0) {
    const int blocks = 1 + random.draw(most_blocks);
    long long limit = available;
    while (limit > 0 && bm::resident(m.machine, {threads, limit, registers}).blocks < blocks)
      --limit;
    if (limit > 0)
      checker.ask(
          choices, limits,
          {.resident_blocks = blocks, .registers_per_thread = registers, .effort = all_effort},
          limit, "in blocks");
  }

  // Kept layouts, some or all; a required stride of rows.
  bm::search options{.effort = all_effort};
  for (std::size_t a = 0; a < limits.size(); ++a)
    if (random.one_in(2)) {
      limits[a].keep = true;
      options.keep.name[options.keep.count++] = checker.arrays()[a].declared.name;
    }
  if (options.keep.count > 0)
    checker.ask(exhaustive::space(m, checker.arrays(), limits, available), limits, options,
                available, "keeping some");
  constexpr int pitches[] = {4, 8, 16, 32, 64, 128, 256, 12, 48, 6};
  options.row_stride_bytes = random.one_of(pitches);
  for (auto& limit : limits) limit.row_stride_bytes = options.row_stride_bytes;
  checker.ask(exhaustive::space(m, checker.arrays(), limits, available), limits, options, available,
              "with a row pitch");
  for (auto& limit : limits) limit = {.keep = true};
  checker.ask(exhaustive::space(m, checker.arrays(), limits, available), limits,
              {.layouts = bm::layouts::as_declared, .effort = all_effort}, available,
              "as declared");

  return checker.problems().empty() ? "" : name + ": " + text_of(c) + "\n" + checker.problems();
}

std::string compare(unsigned long long seed, tally& sum) {
  return compare(generator(seed), "seed " + std::to_string(seed), sum);
}

}  // namespace

TEST_CASE("generated kernels against every plan", "[plan]") {
  const auto number = [](const char* name, unsigned long long otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  const auto first = number("BANKMODEL_FIRST_SEED", 1), cases = number("BANKMODEL_CASES", 3000);
  tally sum;
  int failed = 0;
  for (auto seed = first; seed < first + cases && failed < 5; ++seed) {
    const std::string problems = compare(seed, sum);
    if (problems.empty()) continue;
    ++failed;
    FAIL_CHECK(problems);
  }
  WARN("seeds " << first << " to " << first + cases - 1 << ": " << sum.kernels << " kernels, "
                << sum.searches << " searches, " << sum.exact << " compared with all plans, "
                << sum.large << " with more plans or less effort, of these " << sum.not_optimal
                << " not proven, " << sum.refused << " refused; over every family " << sum.permuted
                << " accesses of permuted arrays");
  CHECK(sum.permuted > 10);
  CHECK(sum.kernels > cases / 6);
  CHECK(sum.exact > 5 * sum.kernels);
  CHECK(sum.refused < sum.searches / 5);
}

// ---- in constant expressions ----

namespace {

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto line = bm::shared_array<float>("line", 1024);
constexpr auto bytes = bm::shared_array<char>("bytes", 16, 64);
constexpr auto wide = bm::shared_array<double>("wide", 16, 16);
constexpr auto s_data = bm::shared_array<float>("s_data", 24, 24);

constexpr auto transpose = bm::kernel(
    bm::block_dim{32, 8}, bm::store(bm::for_loop(j, bm::range(0, 32, 8), tile[ty + j][tx])),
    bm::load(bm::for_loop(j, bm::range(0, 32, 8), tile[tx][ty + j])));
constexpr auto stencil =
    bm::kernel(bm::block_dim{16, 16}, bm::load(s_data[ty + 4][tx + 4]),
               bm::load(s_data[ty + 4][tx + 3]), bm::load(s_data[ty + 3][tx + 4]));
constexpr auto strided =
    bm::kernel(bm::block_dim{32}, bm::load(line[32 * tx]), bm::store(line[tx]));
constexpr auto mixed = bm::kernel(bm::block_dim{16, 4}, bm::load(bytes[tx][ty]),
                                  bm::store(wide[tx][ty]), bm::load(wide[ty][tx]));
constexpr auto vectors =
    bm::kernel(bm::block_dim{8, 4}, bm::load(bm::vectorized<4>(tile[4 * ty + tx][4 * ty])),
               bm::store(tile[ty][tx]));
constexpr auto scalars = bm::kernel(bm::block_dim{32}, bm::load(bm::shared_array<char>("c", 3)[0]),
                                    bm::load(bm::shared_array<double>("d", 1)[0]),
                                    bm::load(bm::shared_array<short>("s", 5)[tx % 5]));

// The same plan at both times, and the requirements on any plan.
template <class Plan, class... Accesses>
void same_at_run_time(const machine_with_widths& m,
                      const bm::kernel_description<Accesses...>& kernel, const bm::search& options,
                      const Plan& constant) {
  const auto plan = bm::optimize(m.machine, kernel, options);
  INFO("in a constant expression: " << exhaustive::text_of(constant)
                                    << "\nat run time: " << exhaustive::text_of(plan));
  CHECK(same_plan(constant, plan));
  CHECK(constant.is_optimal());
}

constexpr bm::search in_4096{.shared_bytes = 4096}, of_16_bytes{.row_stride_bytes = 16},
    kept{.keep = bm::arrays(wide)}, few_bytes{.shared_bytes = 21};

#define SAME_AT_RUN_TIME(which, kernel, ...)                                       \
  do {                                                                             \
    static constexpr auto then =                                                   \
        bm::optimize(real_machine_##which, kernel __VA_OPT__(, ) __VA_ARGS__);     \
    same_at_run_time(real_machines[which], kernel, bm::search{__VA_ARGS__}, then); \
  } while (false)

constexpr bm::machine real_machine_0 = bm::nvidia::sm_90, real_machine_1 = bm::nvidia::sm_35;

}  // namespace

TEST_CASE("the same plan in a constant expression", "[plan]") {
  SAME_AT_RUN_TIME(0, transpose);
  SAME_AT_RUN_TIME(0, transpose, in_4096);
  SAME_AT_RUN_TIME(0, transpose, of_16_bytes);
  SAME_AT_RUN_TIME(0, stencil);
  SAME_AT_RUN_TIME(0, strided);
  SAME_AT_RUN_TIME(0, mixed);
  SAME_AT_RUN_TIME(0, mixed, kept);
  SAME_AT_RUN_TIME(0, vectors);
  SAME_AT_RUN_TIME(0, scalars);
  SAME_AT_RUN_TIME(0, scalars, few_bytes);
  SAME_AT_RUN_TIME(1, transpose);
  SAME_AT_RUN_TIME(1, stencil);
  SAME_AT_RUN_TIME(1, scalars);
  SAME_AT_RUN_TIME(1, scalars, few_bytes);
}

// ---- errors found by these tests or before they were written ----

TEST_CASE(
    "rows are a multiple of the required stride apart: as declared, more than a layer, over "
    "planes, and with one row",
    "[plan]") {
  const auto pitch = [](const bm::array_description& a, int stride, int d = 0) {
    const auto kernel = bm::kernel(bm::block_dim{4}, a[tx % 3][0][0]);
    return bm::optimize(bm::nvidia::sm_90, kernel,
                        bm::search{.layouts = bm::layouts::padding, .row_stride_bytes = stride})
               .layout("t")
               .stride[d] *
           a.element_bytes;
  };
  CHECK(pitch(bm::shared_array<float>("t", 8, 4, 33), 16, 1) == 144);
  CHECK(pitch(bm::shared_array<float>("t", 8, 4, 32), 256, 1) == 256);
  CHECK(pitch(bm::shared_array<float>("t", 8, 4, 32), 256) % 256 == 0);
  CHECK(pitch(bm::shared_array<float>("t", 8, 4, 32), 16) % 16 == 0);
  CHECK(pitch(bm::shared_array<float>("t", 8, 1, 33), 16, 1) == 132);  // no two rows of a plane
  CHECK(pitch(bm::shared_array<float>("t", 8, 1, 33), 16) % 16 == 0);
}

TEST_CASE("an interval may be longer than a layer of all banks", "[plan]") {
  const auto long_line = bm::shared_array<float>("long_line", 2048);
  const auto plan =
      bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32}, long_line[64 * tx]),
                   {.layouts = bm::layouts::padding});
  CHECK(plan.after().conflicts() == 0);
  CHECK(plan.layout(0) == long_line.layout.padded_every(64, 1));
}

TEST_CASE("intervals do not split accesses of three elements", "[plan]") {
  bm::machine own;
  own.lanes = 32;
  own.loads.up_to_4 = own.loads.bytes_12 = own.stores.up_to_4 =
      own.stores.bytes_12 = {.bank_num = 32, .W = 4, .N = 4};
  const auto thirds = bm::shared_array<float>("thirds", 384);
  const auto plan = bm::optimize(
      own, bm::kernel(bm::block_dim{32}, bm::load(bm::vectorized<3>(thirds[12 * tx]))));
  CHECK(plan.layout(0) == thirds.layout);
  // intervals of twelve elements, which are not searched, could be better
  CHECK_FALSE(plan.is_optimal());
}

TEST_CASE("five arrays, and more allowed bytes never give more wavefronts", "[plan]") {
  const auto a = bm::shared_array<short>("a", 31), b = bm::shared_array<short>("b", 660);
  const auto c = bm::shared_array<float>("c", 1), d = bm::shared_array<float>("d", 17);
  const auto e = bm::shared_array<char>("e", 3);
  const auto five = bm::kernel(
      bm::block_dim{32}, bm::for_loop(i, bm::range(2, 6, 2), a[(2 * tx) & 31]), e[2],
      bm::for_loop(i, bm::values(3, 4, 8), d[2 * i]),
      bm::for_loop(i, bm::values(3, 4, 10),
                   bm::for_loop(j, bm::range(0, 5), bm::vectorized<2>(b[16 * tx + 16 * i]))),
      bm::for_loop(i, bm::range(5, 0, -1), bm::if_threads(tx < 14, b[tid / 2 + 1])), c[0]);
  for (const long long limit : {1479, 1509, 2000, 8000, 0}) {
    const auto plan = bm::optimize(bm::nvidia::sm_35, five, bm::search{.shared_bytes = limit});
    CHECK(plan.after().wavefronts == 27);
    CHECK(plan.is_optimal());
  }
}

TEST_CASE(
    "an array with many layouts leaves effort for another, and the plan is not worse with more "
    "room",
    "[plan]") {
  const auto planes = bm::shared_array<char>("planes", 7, 8, 16);
  const auto kernel =
      bm::kernel(bm::block_dim{32}, planes[tx % 3][tx % 8][tz], planes[tx % 7][tx / 4][tx % 5],
                 bm::shared_array<float>("column", 1024)[32 * tx]);
  for (const long long limit : {6000, 8000, 28628, 0})
    CHECK(bm::optimize(bm::nvidia::sm_90, kernel, bm::search{.shared_bytes = limit})
              .after()
              .wavefronts == 4);
}

TEST_CASE("more bases than can be stored: a plan, but no proof", "[plan]") {
  bm::machine own;
  own.lanes = 8;
  own.loads.up_to_4 = own.stores.up_to_4 = {.bank_num = 256, .W = 8, .N = 4};
  const auto kernel = bm::kernel(bm::block_dim{8}, bm::shared_array<char>("c", 8, 4096)[tx][0]);
  const auto plan = bm::optimize(own, kernel);
  CHECK(plan.before().wavefronts == 8);
  CHECK(plan.after().wavefronts == 1);
}

TEST_CASE("a constant expression finds room between the bases that it tries", "[plan]") {
  constexpr auto kernel = bm::kernel(bm::block_dim{32}, bm::shared_array<float>("a", 1)[0],
                                     bm::shared_array<float>("b", 1)[0]);
  constexpr auto plan = bm::optimize(bm::nvidia::sm_35, kernel, bm::search{.shared_bytes = 8});
  CHECK(plan.bytes() == 8);
}

// ---- errors ----

namespace {

template <class Call>
void breaks(const char* rule, const Call& call) {
  INFO("rule " << rule);
  try {
    call();
  } catch (const bm::error& e) {
    CHECK(std::string(e.rule()) == rule);
    return;
  }
  FAIL_CHECK("nothing was refused");
}

template <class... Accesses>
void plan_breaks(const char* rule, const bm::search& options, const Accesses&... accesses) {
  breaks(rule, [&] {
    (void)bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32}, accesses...), options);
  });
}

}  // namespace

TEST_CASE("what a block takes as its arrays are declared: .at() counts", "[plan]") {
  const auto a = bm::shared_array<float>("a", 64), b = bm::shared_array<float>("b", 64);
  const auto c = bm::shared_array<char>("c", 5);
  const auto doubles = bm::shared_array<double>("d", 4);
  const auto declared = [](const auto&... arrays) {
    const bm::array_description* const list[] = {&arrays...};
    return bm::declared_bytes(list, static_cast<int>(sizeof...(arrays)));
  };
  CHECK(declared(a) == 256);
  CHECK(declared(a.at(40000)) == 40256);
  CHECK(declared(b, a.at(40000)) == 40256);
  CHECK(declared(b, a.at(256)) == 512);
  CHECK(declared(b, a.at(128)) == 640);
  CHECK(declared(a.at(128), b) == 640);
  CHECK(declared(a.at(128), b.at(128)) == 384);                // one memory for both
  CHECK(declared(c, doubles) == 40);                           // 5, up to 8, 32
  CHECK(declared(c, doubles, a.at(8)) == 296);                 // doubles behind a
  CHECK(declared(b, doubles, a.at(512), c.at(260)) == 768);    // doubles from 272 on
  CHECK(declared(a, b.at(1000), c.at(256), doubles) == 1256);  // doubles from 264 on
  const auto large = bm::shared_array<char>("h", 1ll << 62);
  CHECK(declared(large.at((1ll << 62) - 1)) == 0x7fffffffffffffff);
  breaks("index_arithmetic_must_fit_in_64_bits", [&] { (void)declared(large.at(1ll << 62)); });
  breaks("index_arithmetic_must_fit_in_64_bits",
         [&] { (void)declared(a, large.at((1ll << 62) - 1), large); });

  // 228 KiB hold eight blocks of 256 threads, and five of 40 256 declared with the KiB that the
  // system takes of each.
  const auto plan = [](const auto&... accesses) {
    return bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{256}, accesses...));
  };
  const auto far = plan(bm::load(a.at(40000)[tx % 64])), adjacent = plan(bm::load(a[tx % 64]));
  CHECK((far.bytes_before() == 40256 && far.resident_blocks_before() == 5 && far.bytes() == 256 &&
         far.resident_blocks() == 8));
  CHECK((adjacent.bytes_before() == 256 && adjacent.resident_blocks_before() == 8));
  // More than a block can have: no such block is resident.
  const auto oversized = plan(bm::load(a.at(1 << 20)[tx % 64]));
  CHECK((oversized.bytes_before() == (1 << 20) + 256 && oversized.resident_blocks_before() == 0 &&
         oversized.resident_blocks() == 8));
  constexpr auto in_a_constant = bm::optimize(
      bm::nvidia::sm_90, bm::kernel(bm::block_dim{256},
                                    bm::load(bm::shared_array<float>("a", 64).at(40000)[tx % 64])));
  CHECK((in_a_constant.bytes_before() == 40256 && in_a_constant.resident_blocks_before() == 5));
  for (const auto& entry : bm::plans_by_family(
           bm::nvidia::sm_90,
           bm::kernel(bm::block_dim{32},
                      bm::load(bm::shared_array<float>("t", 32, 32).at(8192)[tx][0]))))
    CHECK((entry.plan.bytes_before() == 8192 + 4096 && entry.plan.resident_blocks_before() == 17));
}

TEST_CASE("bad input of a search", "[plan]") {
  const auto access = bm::load(tile[tx][ty]);
  for (const bm::search& options :
       {bm::search{.shared_bytes = -1}, bm::search{.resident_blocks = -1},
        bm::search{.registers_per_thread = -1}, bm::search{.row_stride_bytes = -16},
        bm::search{.effort = -1}})
    plan_breaks("a_search_must_have_limits_that_are_not_negative", options, access);

  constexpr int opt_in = bm::nvidia::sm_90.limits.shared_per_block_opt_in;
  (void)bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32}, access),
                     bm::search{.shared_bytes = opt_in});
  plan_breaks("shared_bytes_must_be_what_a_block_can_have", {.shared_bytes = opt_in + 1}, access);

  plan_breaks("so_many_blocks_must_be_able_to_be_resident", {.resident_blocks = 33}, access);
  plan_breaks("so_many_blocks_must_be_able_to_be_resident",
              {.resident_blocks = 17, .registers_per_thread = 128}, access);
  (void)bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32}, access),
                     bm::search{.resident_blocks = 16, .registers_per_thread = 128});

  bm::machine own;
  own.lanes = 32;
  own.loads = own.stores = bm::nvidia::sm_90.loads;
  const auto kernel = bm::kernel(bm::block_dim{32}, access);
  CHECK(bm::optimize(own, kernel).resident_blocks() == 0);
  breaks("the_machine_must_state_its_limits",
         [&] { (void)bm::optimize(own, kernel, bm::search{.resident_blocks = 1}); });
  own.limits = bm::nvidia::sm_90.limits;
  own.limits.registers_per_block = 0;
  CHECK(bm::optimize(own, kernel).resident_blocks() == 32);
  breaks("the_machine_must_state_its_registers",
         [&] { (void)bm::optimize(own, kernel, bm::search{.registers_per_thread = 16}); });

  breaks("at_most_8_arrays_can_be_kept",
         [&] { (void)bm::arrays(tile, tile, tile, tile, tile, tile, tile, tile, tile); });
}

TEST_CASE("bad input of a kernel to plan", "[plan]") {
  plan_breaks("the_arrays_of_a_kernel_must_fit", {.shared_bytes = 4095}, tile[tx][ty]);
  plan_breaks("the_arrays_of_a_kernel_must_fit", {}, bm::shared_array<float>("large", 12289)[tx]);
  (void)bm::optimize(bm::nvidia::sm_90,
                     bm::kernel(bm::block_dim{32}, bm::shared_array<float>("large", 12288)[tx]));
  // 32 blocks can have 7296 bytes each of 228 KiB, less the KiB that the system reserves.
  plan_breaks("the_arrays_of_a_kernel_must_fit", {.resident_blocks = 32},
              bm::shared_array<float>("large", 1569)[tx]);
  (void)bm::optimize(bm::nvidia::sm_90,
                     bm::kernel(bm::block_dim{32}, bm::shared_array<float>("large", 1568)[tx]),
                     bm::search{.resident_blocks = 32});
  // Alignment alone can need the room: 20 bytes, a gap of 12 and 20 bytes.
  const auto first =
      bm::if_threads(tx == 0, bm::vectorized<4>(bm::shared_array<float>("first", 5)[4 * tx]));
  const auto second =
      bm::if_threads(tx == 0, bm::vectorized<4>(bm::shared_array<float>("second", 5)[4 * tx]));
  plan_breaks("the_arrays_of_a_kernel_must_fit", {.shared_bytes = 51}, first, second);
  CHECK(bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32}, first, second),
                     bm::search{.shared_bytes = 52})
            .bytes() == 52);

  const char* const rule = "arrays_of_one_name_must_be_declared_alike";
  plan_breaks(rule, {}, tile[tx][ty], bm::shared_array<float>("tile", 32, 33)[tx][ty]);
  plan_breaks(rule, {}, tile[tx][ty], bm::shared_array<int>("other", 8)[0],
              bm::shared_array<double>("tile", 32, 32)[tx][ty]);
  plan_breaks(rule, {}, tile[tx][ty], tile.at(4)[tx][ty]);
  plan_breaks(rule, {}, tile[tx][ty], tile.with(tile.layout.padded(1))[tx][ty]);

  // One array is one call of shared_array(): its copies are that array, a call in another line is
  // another one.
  const char* const twice = "arrays_of_one_name_must_be_one_array";
  plan_breaks(twice, {}, tile[tx][ty], bm::shared_array<float>("tile", 32, 32)[ty][tx]);
  plan_breaks(twice, {}, bm::shared_array<float>("one", 32)[tx],
              bm::shared_array<float>("one", 32)[31 - tx]);
  const auto without_a_name = bm::shared_array<float>("", 32);
  const auto another = bm::shared_array<float>("", 32);
  plan_breaks(twice, {}, without_a_name[tx], another[tx]);
  plan_breaks(rule, {}, bm::shared_array<float>("", 32)[tx], bm::shared_array<float>("", 64)[tx]);
  const auto nameless = bm::shared_array<float>("", 32), copy = nameless.at(0);
  CHECK(bm::optimize(bm::nvidia::sm_90, bm::kernel(bm::block_dim{32}, nameless[tx], copy[31 - tx]))
            .arrays() == 1);
  const auto described = [](int rows) { return bm::shared_array<float>("rows", rows, 32); };
  CHECK(bm::optimize(bm::nvidia::sm_90,
                     bm::kernel(bm::block_dim{32}, described(4)[0][tx], described(4)[1][tx]))
            .arrays() == 1);
  CHECK(bm::shared_array<float>("alike", 32) == bm::shared_array<float>("alike", 32));

  std::vector<expression> list;
  for (int number = 0; number < 17; ++number) {
    expression access{};
    const char name[] = {'a', static_cast<char>('a' + number), '\0'};
    access.array = bm::shared_array<float>(name, 1);
    access.subscripts = access.subscript[0].size = 1;
    access.nodes[0] = {bm::operation::constant, 0};
    access.depth = 0;
    list.push_back(access);
  }
  const auto of_all = [&]<std::size_t... At>(std::index_sequence<At...>) {
    return bm::kernel(bm::block_dim{32}, list[At]...);
  };
  CHECK(bm::optimize(bm::nvidia::sm_90, of_all(std::make_index_sequence<16>{})).bytes() == 64);
  CHECK(bm::optimize(bm::nvidia::sm_35, of_all(std::make_index_sequence<16>{})).bytes() == 64);
  breaks("a_kernel_to_plan_must_have_at_most_16_arrays",
         [&] { (void)bm::optimize(bm::nvidia::sm_90, of_all(std::make_index_sequence<17>{})); });

  // The errors of total().
  plan_breaks("subscripts_must_lie_within_their_extent", {}, tile[tx + 1][ty]);
  plan_breaks("accesses_must_be_aligned_to_their_width", {}, bm::vectorized<2>(tile[tx][ty + 1]));
  for (const bm::block_dim& block :
       {bm::block_dim{0}, bm::block_dim{1025}, bm::block_dim{65536, 65536}, bm::block_dim{-1, 2}})
    for (const int blocks : {0, 1})
      CHECK_THROWS_AS(bm::optimize(bm::nvidia::sm_90, bm::kernel(block, tile[tx][ty]),
                                   bm::search{.resident_blocks = blocks}),
                      bm::error);
}

TEST_CASE("permutations never take effort from a padding", "[plan]") {
  int better = 0, not_all_tried = 0;
  for (const bm::machine& machine : {bm::nvidia::sm_90, bm::nvidia::sm_35, bm::amd::gfx942})
    for (const int rows : {16, 24, 40, 64})
      for (const int columns : {16, 32, 40})
        for (const int stride : {1, 2}) {
          const auto a = bm::shared_array<float>("a", rows, columns * stride);
          const auto b = bm::shared_array<double>("b", columns, rows);
          const auto kernel = bm::kernel(bm::block_dim{16, 16}, bm::store(a[ty][tx * stride]),
                                         bm::load(a[tx % rows][ty]), bm::load(b[tx][ty]));
          const long long declared_bytes = 4ll * rows * columns * stride + 8ll * rows * columns;
          for (const long long effort : {100, 300, 1000, 3125}) {
            bm::search options{.shared_bytes = declared_bytes + 64, .effort = effort};
            const auto plan = bm::optimize(machine, kernel, options);
            options.layouts = bm::layouts::padding;
            const auto by_padding = bm::optimize(machine, kernel, options).after().wavefronts;
            CHECK(plan.after().wavefronts <= by_padding);
            better += plan.after().wavefronts < by_padding;
            not_all_tried += !plan.is_complete();
          }
        }
  CHECK(better > 0);
  CHECK(not_all_tried > 0);
}

// Elements that conflict rule out further swizzles. In rows of 60 they are not where they are in
// rows of 32: [0][16] and [4][0] differ in other bits than [1][17] and [5][1], which are touched.
TEST_CASE("a swizzle of padded rows is ruled out by touched elements alone", "[plan]") {
  const auto b = bm::shared_array<float>("b", 16, 32);
  const auto plan = bm::optimize(
      bm::nvidia::sm_90, bm::kernel(bm::block_dim{16, 2}, bm::store(b[4 * ty + 1][2 * tx + 1]),
                                    bm::load(b[tx][ty + 1])));
  CHECK(plan.is_complete());
  CHECK(plan.after().conflicts() == 0);
  CHECK(plan.layout(b) == b.layout.padded(28).permuted(bm::xor_swizzle(2, 0, 8)));
}

TEST_CASE("wrong arguments to a plan", "[plan]") {
  const auto plan = bm::optimize(bm::nvidia::sm_90, transpose);
  CHECK(plan.array("tile").declared == tile);
  CHECK(plan.array(tile).layout == plan.layout(0));
  CHECK(plan.array(tile.name).offset_bytes == plan.offset_bytes("tile"));
  const char* const no_array = "a_plan_must_have_the_array_that_it_is_asked_for";
  breaks(no_array, [&] { (void)plan.array("tail"); });
  breaks(no_array, [&] { (void)plan.layout(line); });
  breaks(no_array, [&] { (void)plan.offset_bytes(1); });
  breaks(no_array, [&] { (void)plan.array(-1); });
  breaks("array_names_must_have_at_most_32_characters",
         [&] { (void)plan.array("a name that is longer than 32 characters"); });
  const char* const no_access = "a_plan_must_have_the_access_that_it_is_asked_for";
  for (const int access : {-1, 2}) {
    breaks(no_access, [&] { (void)plan.before(access); });
    breaks(no_access, [&] { (void)plan.after(access); });
  }
}
