// SPDX-License-Identifier: MIT
// optimize() and pareto_front() of generated small kernels, and of kernels for which they once
// missed a better layout, against every layout of every family at every base. The seeds are the
// case numbers: BANKMODEL_FIRST_SEED and BANKMODEL_CASES in the environment select others.
#include "every_layout.hpp"

#include <bankmodel/host/search/pareto.hpp>
#include <bankmodel/layout/instruction_count.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>

#include "catch.hpp"

#include <cstdlib>
#include <iostream>
#include <random>

namespace bm = bankmodel;

namespace {

// ---- generated kernels ----

using expression = bm::access_expression<2, 72>;

// Part of a subscript or a condition, as text and as a program.
struct term {
  std::string text;
  std::vector<bm::node> nodes;
};

struct random_case {
  std::string machine_text, arrays_text, search_text;
  std::vector<std::string> access_text;
  bm::machine machine;
  bm::block_dim block;
  std::vector<expression> accesses;
  bm::search options;
  bool front = false;  // pareto_front() too
};

class generator {
 public:
  explicit generator(unsigned long long seed) : random_(seed) {}

  random_case make() {
    do {
      case_ = {};
      choose_machine();
      choose_block();
    } while (!choose_kernel());
    choose_search();
    case_.front = one_in(12);
    return case_;
  }

 private:
  int draw(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool one_in(int n) { return draw(n) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[draw(static_cast<int>(choices.size()))];
  }

  // ---- machines ----

  void choose_machine() {
    const int number = draw(16);
    const auto known = [&](const char* name, const bm::machine& m) {
      case_.machine_text = name;
      case_.machine = m;
    };
    if (number == 0) return known("nvidia::sm_20", bm::nvidia::sm_20);
    if (number <= 2) return known("nvidia::sm_35", bm::nvidia::sm_35);
    if (number == 3)
      return known("nvidia::compute_capability(7, 5)", bm::nvidia::compute_capability(7, 5));
    if (number == 4) return known("nvidia::sm_90", bm::nvidia::sm_90);
    if (number == 5) return known("amd::gfx942", bm::amd::gfx942);
    bm::machine m;
    m.lanes = one_of({4, 8, 16, 32});
    const bm::service loads = own_service();
    set(m.loads, loads, m.lanes);
    set(m.stores, one_in(3) ? own_service() : loads, m.lanes);
    if (one_in(4)) m.merges_loads = bm::merging::pairs;
    m.bank_width = loads.N;
    const int narrowest = std::min(m.loads.up_to_4.W, m.stores.up_to_4.W);
    if (one_in(4)) {  // with the same words for both
      m.other_bank_width = 1 << draw(std::countr_zero(static_cast<unsigned>(narrowest)) + 1);
      if (m.other_bank_width == m.bank_width || m.bank_width > narrowest) {
        m.other_bank_width = 0;
      } else {
        for (bm::service* const rules : {&m.stores.up_to_4, &m.stores.bytes_8, &m.stores.bytes_16})
          rules->N = loads.N;
      }
    }
    if (one_in(2)) set_limits(m.limits);
    case_.machine = m;
    case_.machine_text = text_of(m);
  }

  bm::service own_service() {
    bm::service rules;
    rules.bank_num = static_cast<short>(one_of({4, 8, 16}));
    rules.N = static_cast<short>(one_of({1, 2, 4, 4}));
    rules.W = static_cast<short>(rules.N * one_of({1, 1, 2, 4}));
    return rules;
  }
  void set(bm::services& result, bm::service rules, int lanes) {
    result.up_to_4 = rules;
    if (one_in(2)) rules.phases.parity_0 = static_cast<unsigned char>(lanes / 2);
    result.bytes_8 = rules;
    if (rules.phases.parity_0 != 0 && one_in(2)) {
      rules.phases.parity_1 = rules.phases.parity_0;
      rules.phases.parity_0 = static_cast<unsigned char>(lanes / 4);
    }
    result.bytes_16 = rules;
  }
  void set_limits(bm::residency& limits) {
    limits.shared_granularity = one_of({1, 16, 64});
    limits.shared_reserved = one_of({0, 0, 32});
    limits.shared_per_multiprocessor = 256 * (4 + draw(60));
    limits.shared_per_block_opt_in = limits.shared_per_multiprocessor - limits.shared_reserved;
    limits.shared_per_block = limits.shared_per_block_opt_in / (1 + draw(3));
    limits.threads_per_block = limits.threads_per_multiprocessor = 2048;
    limits.warps_per_multiprocessor = 512;
    limits.blocks_per_multiprocessor = one_of({4, 16, 64});
  }

  static std::string text_of(const bm::service& s) {
    std::ostringstream text;
    text << "{" << s.bank_num << ", " << s.W << ", " << s.N;
    if (s.phases.bits() > 0)
      text << ", {" << +s.phases.parity_0 << ", " << +s.phases.parity_1 << "}";
    text << "}";
    return text.str();
  }
  static std::string text_of(const bm::machine& m) {
    std::ostringstream text;
    text << "own {.lanes = " << m.lanes;
    const auto services = [&](const char* name, const bm::services& rules) {
      text << ", ." << name << " = {" << text_of(rules.up_to_4) << ", " << text_of(rules.bytes_8)
           << ", {}, " << text_of(rules.bytes_16) << "}";
    };
    services("loads", m.loads);
    services("stores", m.stores);
    if (m.merges_loads == bm::merging::pairs) text << ", .merges_loads = merging::pairs";
    text << ", .bank_width = " << m.bank_width << ", .other_bank_width = " << m.other_bank_width;
    const auto& l = m.limits;
    if (l.shared_per_multiprocessor != 0)
      text << ", .limits = {" << l.shared_per_multiprocessor << ", " << l.shared_per_block << ", "
           << l.shared_per_block_opt_in << ", " << l.shared_granularity << ", " << l.shared_reserved
           << ", 2048, 2048, 512, " << l.blocks_per_multiprocessor << "}";
    text << "}";
    return text.str();
  }

  // ---- kernels ----

  void choose_block() {
    int x = 1 + draw(16), y = 1 + draw(16), z = one_in(8) ? 1 + draw(3) : 1;
    if (one_in(2)) y = 1, x = 7 + draw(58);
    while (x * y * z > 64) (x > y ? x : y) /= 2, z = 1;
    if (x * y * z < 7) x = 7, y = z = 1;
    case_.block = {x, y, z};
  }

  static term constant(long long value) {
    return {std::to_string(value), {{bm::operation::constant, value}}};
  }
  static term variable(bm::variable number) {
    const char* const names[] = {"tx", "ty", "tz", "bx", "by", "bz", "tid", "lane", "warp", "i"};
    return {names[static_cast<int>(number)],
            {{bm::operation::variable, static_cast<long long>(number)}}};
  }
  static term binary(const term& a, const char* sign, bm::operation op, const term& b) {
    const auto in_brackets = [](const term& t) {
      return t.nodes.size() == 1 ? t.text : "(" + t.text + ")";
    };
    term result{in_brackets(a) + " " + sign + " " + in_brackets(b), a.nodes};
    result.nodes.insert(result.nodes.end(), b.nodes.begin(), b.nodes.end());
    result.nodes.push_back({op, 0});
    return result;
  }
  static term times(const term& a, long long factor) {
    return factor == 1 ? a : binary(a, "*", bm::operation::multiply, constant(factor));
  }
  static term plus(const term& a, const term& b) { return binary(a, "+", bm::operation::add, b); }

  term thread_variable() {
    const int number = draw(8);
    if (number == 0) return variable(bm::variable::tid);
    if (case_.block.z > 1 && number == 1) return variable(bm::variable::tz);
    return case_.block.y > 1 && number > 4 ? variable(bm::variable::ty)
                                           : variable(bm::variable::tx);
  }
  term any_variable(bool in_loop) {
    return in_loop && one_in(3) ? variable(bm::variable::loop_0) : thread_variable();
  }
  term subscript(bool in_loop) {
    const term v = any_variable(in_loop), other = any_variable(in_loop);
    const int number = one_of({2, 3, 4, 8}), small = draw(4), factor = 1 + draw(5);
    switch (draw(12)) {
      case 0: return constant(small);
      case 1: return times(v, factor);
      case 2: return plus(times(v, factor), constant(small));
      case 3: return plus(v, other);
      case 4: return plus(times(v, factor), other);
      case 5: return binary(v, "/", bm::operation::divide, constant(number));
      case 6: return binary(v, "%", bm::operation::remainder, constant(number));
      case 7: return binary(v, "^", bm::operation::bit_xor, one_in(2) ? other : constant(small));
      case 8:
        return binary(plus(v, other), "%", bm::operation::remainder, constant(number * 2 + small));
      default: return v;
    }
  }

  static void append(expression& result, int& count, const term& source, bm::slice& part) {
    part = {count, static_cast<int>(source.nodes.size())};
    for (const bm::node& element : source.nodes) result.nodes[count++] = element;
  }

  bool choose_kernel() {
    const int arrays = one_in(3) ? 2 : 1, accesses = arrays == 2 ? 2 + draw(2) : 1 + draw(3);
    struct shape {
      int rank, bytes;
    } shapes[2];
    for (auto& chosen : shapes)
      chosen = {one_of({1, 2, 2, 2, 2, 3}), one_of({1, 1, 2, 2, 4, 4, 4, 8, 16})};
    for (int number = 0; number < accesses; ++number) {
      const int array = number < arrays ? number : draw(arrays);
      case_.accesses.push_back(access_to(array, shapes[array].rank, shapes[array].bytes));
    }
    for (int array = 0; array < arrays; ++array)
      if (!fit(array)) return false;
    return true;
  }

  expression access_to(int array, int rank, int bytes) {
    expression result{};
    int count = 0;
    std::string prefix, suffix;
    result.array.name = bm::name_of(array == 0 ? "a" : "b");
    result.array.element_bytes = bytes;
    result.array.layout.rank = rank;
    result.subscripts = rank;
    result.stated = true;
    result.kind = one_in(3) ? bm::access_kind::store : bm::access_kind::load;
    result.vector =
        !one_in(4) ? 1 : 1 << draw(std::countr_zero(16u / static_cast<unsigned>(bytes)) + 1);
    result.depth = 0;
    const bool in_loop = one_in(3);
    if (in_loop) {
      auto& loop = result.wrappers[result.depth++];
      const int trips = 2 + draw(3), step = one_of({1, 1, 2, 8});
      loop.kind = bm::wrapper_kind::range;
      loop.variable = bm::variable::loop_0;
      append(result, count, constant(0), loop.first);
      append(result, count, constant(trips * step), loop.last);
      append(result, count, constant(step), loop.step);
      prefix += "for_loop(i, range(0, " + std::to_string(trips * step) + ", " +
                std::to_string(step) + "), ";
      suffix += ")";
    }
    if (one_in(3)) {
      auto& filter = result.wrappers[result.depth++];
      const term v = thread_variable();
      const int limit = 1 + draw(12);
      const term condition =
          one_in(3) ? binary(binary(v, "%", bm::operation::remainder, constant(2 + limit % 3)),
                             "==", bm::operation::equal, constant(0))
                    : binary(v, "<", bm::operation::less, constant(limit));
      append(result, count, condition, filter.first);
      prefix += "if_threads(" + condition.text + ", ";
      suffix += ")";
    }
    std::string text = array == 0 ? "a" : "b";
    for (int d = 0; d < rank; ++d) {
      term t = subscript(in_loop);
      if (d == rank - 1) t = times(t, result.vector);
      append(result, count, t, result.subscript[d]);
      text += "[" + t.text + "]";
    }
    if (result.vector > 1) text = "vectorized<" + std::to_string(result.vector) + ">(" + text + ")";
    case_.access_text.push_back((result.kind == bm::access_kind::load ? "load(" : "store(") +
                                prefix + text + suffix + ")");
    return result;
  }

  // Extents that the accesses need, or a few more.
  bool fit(int array) {
    const auto name = bm::name_of(array == 0 ? "a" : "b");
    long long extent[3] = {1, 1, 1};
    long long vector = 1;
    int rank = 0;
    const expression* sample = nullptr;
    for (const expression& access : case_.accesses) {
      if (access.array.name != name) continue;
      sample = &access;
      rank = access.array.layout.rank;
      vector = std::max<long long>(vector, access.vector);
      const int threads = case_.block.x * case_.block.y * case_.block.z;
      bool touched = false;
      for (int warp = 0; warp * case_.machine.lanes < threads; ++warp)
        for (const auto& touch :
             plainly::run_warp(case_.machine.lanes, case_.block, access, warp)) {
          touched = true;
          for (int d = 0; d < rank; ++d)
            extent[d] = std::max(extent[d], touch.subscripts[static_cast<std::size_t>(d)] +
                                                (d == rank - 1 ? access.vector : 1));
        }
      if (!touched) return false;
    }
    for (int d = 0; d < rank; ++d) {
      if (one_in(4)) extent[d] += draw(3);
      if (one_in(5))
        extent[d] =
            static_cast<long long>(std::bit_ceil(static_cast<unsigned long long>(extent[d])));
    }
    extent[rank - 1] = (extent[rank - 1] + vector - 1) / vector * vector;
    if (extent[0] * extent[1] * extent[2] * sample->array.element_bytes > 4096) return false;
    bm::layout array_layout = rank == 1   ? bm::row_major(extent[0])
                              : rank == 2 ? bm::row_major(extent[0], extent[1])
                                          : bm::row_major(extent[0], extent[1], extent[2]);
    if (rank > 1 && one_in(10))
      array_layout = array_layout.padded(vector * (1 + draw(2)), rank - 2);
    for (expression& access : case_.accesses)
      if (access.array.name == name) access.array.layout = array_layout;
    case_.arrays_text += std::to_string(sample->array.element_bytes) + "-byte elements " +
                         brute_force::text_of(sample->array.with(array_layout), array_layout) +
                         "; ";
    return true;
  }

  // ---- options ----

  void choose_search() {
    bm::search& options = case_.options;
    std::ostringstream text;
    if (one_in(3)) options.layouts = {static_cast<unsigned>(one_in(3) ? 1 : draw(64))};
    text << ".layouts = {" << options.layouts.bits << "}";
    long long declared = 0;
    for (std::size_t number = 0; number < case_.accesses.size(); ++number) {
      const auto& array = case_.accesses[number].array;
      if (number == 0 || array.name != case_.accesses[0].array.name)
        declared = std::max(declared + (number == 0 ? 0 : array.layout.required_size()),
                            array.layout.required_size() * array.element_bytes);
    }
    const auto& limits = case_.machine.limits;
    if (one_in(3)) {
      const long long unit = one_of({1, 4, 16});
      options.shared_bytes = std::max(1ll, declared + unit * (draw(40) - 2));
      if (one_in(3)) options.shared_bytes = declared;
      if (limits.shared_per_block_opt_in > 0)
        options.shared_bytes =
            std::min<long long>(options.shared_bytes, limits.shared_per_block_opt_in);
    }
    const int threads = case_.block.x * case_.block.y * case_.block.z;
    if (limits.shared_per_multiprocessor > 0 && one_in(6))
      options.resident_blocks = 1 + draw(bm::resident(case_.machine, {threads, 0, 0}).blocks);
    if (one_in(8)) options.row_stride_bytes = one_of({2, 4, 8, 12, 16, 32});
    if (one_in(16)) {
      options.keep.name[options.keep.count++] = bm::name_of("a");
      text << ", .keep = arrays(a)";
    }
    options.prefer = one_of({bm::preference::resident_blocks, bm::preference::resident_blocks,
                             bm::preference::simple_indices, bm::preference::few_bytes});
    if (one_in(12)) options.effort = one_of({1, 2, 10, 100, 1000, 10000});
    text << ", .shared_bytes = " << options.shared_bytes
         << ", .resident_blocks = " << options.resident_blocks
         << ", .row_stride_bytes = " << options.row_stride_bytes << ", .prefer = "
         << (options.prefer == bm::preference::resident_blocks  ? "resident_blocks"
             : options.prefer == bm::preference::simple_indices ? "simple_indices"
                                                                : "few_bytes")
         << ", .effort = " << options.effort;
    case_.search_text = text.str();
  }

  std::mt19937_64 random_;
  random_case case_;
};

std::string text_of(const random_case& c) {
  std::ostringstream text;
  text << "  machine " << c.machine_text << "\n  " << c.arrays_text << "\n  kernel(block_dim{"
       << c.block.x << ", " << c.block.y << ", " << c.block.z << "}";
  for (const auto& access : c.access_text) text << ", " << access;
  text << ")\n  {" << c.search_text << "}";
  return text.str();
}

// ---- checks ----

constexpr long long unlimited_effort = 1ll << 40;

// The failures of one kernel: of which kind, and their text.
using failures = std::vector<std::pair<std::string, std::string>>;

// One kernel, and how it is searched.
template <class Access>
struct subject {
  const bm::machine& machine;
  bm::block_dim block;
  const std::vector<Access>& accesses;
  bm::search options;
  std::vector<brute_force::one_array> arrays;
  std::vector<brute_force::limits> limits;
  long long most_bytes = 0;

  subject(const bm::machine& m, const bm::block_dim& shape, const std::vector<Access>& list,
          const bm::search& searched)
      : machine(m),
        block(shape),
        accesses(list),
        options(searched),
        arrays(brute_force::arrays_of(m, shape, list)) {
    const auto& limits_of = m.limits;
    most_bytes = options.shared_bytes > 0         ? options.shared_bytes
                 : limits_of.shared_per_block > 0 ? limits_of.shared_per_block
                                                  : 1ll << 40;
    if (options.resident_blocks > 0)
      most_bytes =
          std::min(most_bytes, bm::largest_shared_bytes(m, threads(), options.resident_blocks));
    find_rows();
    long long declared = 0;
    for (const auto& array : arrays) declared += array.declared_bytes();
    for (const auto& array : arrays) {
      brute_force::limits limit{options.layouts, options.keep.contain(array.declared.name),
                                options.row_stride_bytes, 1,
                                most_bytes - declared + array.declared_bytes()};
      for (const auto& run : array.runs) {
        const auto banks = brute_force::service_of(m, run.bytes, run.load).banks;
        limit.layer = std::max(limit.layer, banks.bank_num * banks.W);
      }
      limits.push_back(limit);
    }
  }

  // tests/search/row_lengths.cpp checks these.
  void find_rows() {
    std::vector<bm::detail::kernel_access> planned(accesses.size());
    int count = 0;
    for (const Access& access : accesses) {
      planned[static_cast<std::size_t>(count++)] = bm::detail::access_to_plan(access);
      for (std::size_t a = 0; a < arrays.size(); ++a)
        if (arrays[a].declared.name == access.array.name)
          planned[static_cast<std::size_t>(count - 1)].array = static_cast<int>(a);
    }
    bm::detail::effort_left effort(unlimited_effort);
    for (std::size_t a = 0; a < arrays.size(); ++a)
      arrays[a].row_lengths = bm::detail::row_lengths(
          machine, {block, planned.data(), count}, static_cast<int>(a), arrays[a].declared, effort);
  }

  int threads() const { return block.x * block.y * block.z; }
  int blocks(long long bytes) const {
    return machine.limits.shared_per_multiprocessor == 0
               ? 0
               : bm::resident(machine, {threads(), bytes, options.registers_per_thread}).blocks;
  }
  // The documented order of plans with equally many wavefronts, the preferred one first.
  auto rank(long long bytes, long long weight) const {
    const long long lost = -static_cast<long long>(blocks(bytes));
    switch (options.prefer) {
      case bm::preference::resident_blocks: return std::array{lost, weight, bytes};
      case bm::preference::simple_indices: return std::array{weight, lost, bytes};
      default: return std::array{bytes, lost, weight};
    }
  }

  brute_force::finder find(const brute_force::goal& sought) const {
    return brute_force::finder(machine, arrays, limits, sought);
  }
  // A plan with the fewest wavefronts; none if no plan fits.
  std::optional<brute_force::plan> fewest() const {
    std::optional<brute_force::plan> result;
    for (;;) {
      const brute_force::goal fewer = [&](long long bytes, long long) -> long long {
        if (bytes > most_bytes) return -1;
        return result ? static_cast<long long>(result->wavefronts) - 1 : 1ll << 60;
      };
      const auto next = find(fewer).best();
      if (!next) return result;
      result = next;
    }
  }
  // The number of layouts of all arrays with each bank width.
  long long layouts() const {
    long long number = 0;
    for (std::size_t a = 0; a < arrays.size(); ++a)
      all_of(a, [&](const brute_force::choice&) { return ++number < 1'000'000; });
    return number * (machine.other_bank_width != 0 ? 2 : 1);
  }
  void all_of(std::size_t array, const brute_force::all_layouts::visitor& visit) const {
    brute_force::all_layouts(arrays[array], limits[array], visit);
  }

  // work(kernel) of its one to three accesses.
  template <class Do>
  void with_kernel(const Do& work) const {
    if (accesses.size() == 1) return work(bm::kernel(block, accesses[0]));
    if (accesses.size() == 2) return work(bm::kernel(block, accesses[0], accesses[1]));
    return work(bm::kernel(block, accesses[0], accesses[1], accesses[2]));
  }

  // The cost of a plan found here, as the library gives it.
  brute_force::count library_total(const brute_force::plan& p) const {
    const bm::machine m = brute_force::widths_of(machine)[static_cast<std::size_t>(p.width)];
    brute_force::count sum = 0;
    for (Access access : accesses) {
      std::size_t a = 0;
      while (arrays[a].declared.name != access.array.name) ++a;
      access.array =
          access.array.with(brute_force::layout_of(arrays[a].declared, p.arrays[a].layout));
      access.array.base_bytes = p.arrays[a].offset;
      sum += bm::total(m, block, access).wavefronts;
    }
    return sum;
  }

  std::string text_of(const brute_force::plan& p) const {
    std::ostringstream text;
    text << p.wavefronts << " wavefronts in " << p.bytes << " bytes (" << blocks(p.bytes)
         << " blocks), bank width number " << p.width << "; bm::total() of it: ";
    try {
      text << library_total(p);
    } catch (const bm::error& e) {
      text << e.what();
    }
    for (std::size_t a = 0; a < arrays.size(); ++a)
      text << "\n    at " << p.arrays[a].offset << ": "
           << brute_force::text_of(arrays[a].declared,
                                   brute_force::layout_of(arrays[a].declared, p.arrays[a].layout));
    return text.str();
  }
  template <class Plan>
  std::string text_of(const Plan& p) const {
    std::ostringstream text;
    text << p.after().wavefronts << " wavefronts (before " << p.before().wavefronts << ", ideal "
         << p.after().ideal << ", least " << p.least_wavefronts() << ") in " << p.bytes()
         << " bytes (" << p.resident_blocks() << " blocks), bank width " << p.bank_width();
    for (int a = 0; a < p.arrays(); ++a)
      text << "\n    at " << p.array(a).offset_bytes << ": "
           << brute_force::text_of(p.array(a).declared, p.array(a).layout);
    return text.str();
  }
};

// How the better plan differs: the families of its permuted arrays, or padding.
template <class Access>
std::string kind_of(const subject<Access>& s, const brute_force::plan& better) {
  const char* const names[] = {"padding", "xor_swizzle", "rotation", "triangular", "modular"};
  std::vector<std::string> families;
  for (std::size_t a = 0; a < better.arrays.size(); ++a) {
    const brute_force::choice& c = better.arrays[a].layout;
    const auto& declared = s.arrays[a].declared.layout;
    if (c.family == bm::layout_family::rows) continue;
    const bool padded = !std::equal(c.stride.begin(), c.stride.begin() + declared.rank,
                                    brute_force::choice_of(declared).stride.begin());
    std::string name = padded ? "padded " : "";
    name += names[static_cast<int>(c.family)];
    if (c.family == bm::layout_family::modular && c.a == 1) name += " with a = 1";
    if (c.family == bm::layout_family::rotation && c.stride[0] % c.group != 0)
      name += " in groups that rows split";
    families.push_back(name);
  }
  std::sort(families.begin(), families.end());
  families.erase(std::unique(families.begin(), families.end()), families.end());
  std::string text = families.empty() ? names[0] : "";
  for (const auto& name : families) text += (text.empty() ? "" : " and ") + name;
  return better.at_other_bases > 0 ? text + ", not at a whole period" : text;
}

// The possible causes.
template <class Access>
std::vector<std::string> circumstances(const subject<Access>& s) {
  bool wide = false, narrow = false, differ = false;
  for (const auto& array : s.arrays)
    for (const auto& run : array.runs) {
      const auto& banks = brute_force::service_of(s.machine, run.bytes, run.load).banks;
      const auto& other = brute_force::service_of(s.machine, run.bytes, !run.load).banks;
      wide = wide || banks.W > banks.N;
      narrow = narrow || array.widest < banks.N;
      differ =
          differ || banks.W != other.W || banks.N != other.N || banks.bank_num != other.bank_num;
    }
  std::vector<std::string> result;
  const auto add = [&](bool holds, const char* text) {
    if (holds) result.push_back(text);
  };
  add(true, "all");
  add(wide, "W > N");
  add(narrow, "below a word");
  add(!wide && !narrow, "neither W > N nor below a word");
  add(differ, "loads and stores differ");
  add(s.machine.other_bank_width != 0, "two bank widths");
  add(s.arrays.size() > 1, "two arrays");
  add(s.options.shared_bytes != 0, "shared_bytes");
  add(s.options.resident_blocks != 0, "resident_blocks");
  add(s.options.row_stride_bytes != 0, "row_stride_bytes");
  add(s.options.effort != 0, "little effort");
  return result;
}

// True if another permutation of the same family and of the same rows, with as many bytes and no
// more wavefronts, has an index function of fewer instructions.
inline bool has_shorter_program(const bm::machine& m, const brute_force::one_array& array,
                                const brute_force::limits& limit,
                                const bm::planned_array& planned) {
  const auto wavefronts = [&](const brute_force::choice& c) {
    brute_force::count sum = 0;
    for (const auto& run : array.runs)
      sum += brute_force::counted_at(
                 m, array, run,
                 [&](const brute_force::coordinates& indices) {
                   return brute_force::place_of(array.declared.layout, c, indices);
                 },
                 planned.offset_bytes)
                 .wavefronts;
    return sum;
  };
  const int length = bm::index_instructions(planned.layout);
  brute_force::count current = 0;
  std::vector<brute_force::choice> shorter;
  brute_force::all_layouts(array, limit, [&](const brute_force::choice& c) {
    if (c.family != planned.layout.permutation.family ||
        c.elements != planned.layout.required_size())
      return true;
    const bm::layout candidate = brute_force::layout_of(array.declared, c);
    bool alike = true;
    for (int d = 0; d < candidate.rank; ++d)
      alike = alike && candidate.stride[d] == planned.layout.stride[d];
    if (!alike) return true;
    if (candidate == planned.layout) current = wavefronts(c);
    if (bm::index_instructions(candidate) < length) shorter.push_back(c);
    return true;
  });
  return std::any_of(shorter.begin(), shorter.end(),
                     [&](const brute_force::choice& c) { return wavefronts(c) <= current; });
}

// The requirements on any plan.
template <class Access, class Plan>
void check_plan(const subject<Access>& s, const Plan& plan, failures& wrong) {
  const auto check = [&](bool holds, const char* text) {
    if (!holds) wrong.push_back({text, s.text_of(plan)});
  };
  check(plan.arrays() == static_cast<int>(s.arrays.size()), "the number of arrays");
  if (!wrong.empty()) return;
  bm::machine switched = s.machine;
  if (plan.bank_width() != switched.bank_width)
    switched = switched.with_bank_width(plan.bank_width());
  long long end = 0;
  brute_force::count ideal = 0;
  std::vector<std::pair<long long, long long>> ranges;
  std::vector<std::size_t> next(s.arrays.size(), 0);
  for (int a = 0; a < plan.arrays(); ++a) {
    const auto& array = s.arrays[static_cast<std::size_t>(a)];
    const auto& planned = plan.array(a);
    const bm::layout& l = planned.layout;
    const long long bytes = l.required_size() * array.declared.element_bytes;
    check(planned.declared == array.declared, "arrays are not in the order of first use");
    check(planned.bytes() == bytes, "bytes() of an array");
    check(planned.offset_bytes >= 0 && planned.offset_bytes % array.widest == 0,
          "an offset is not aligned");
    ranges.push_back({planned.offset_bytes, planned.offset_bytes + bytes});
    end = std::max(end, ranges.back().second);
    ideal += array.ideal();
    const auto& limit = s.limits[static_cast<std::size_t>(a)];
    if (limit.keep) check(l == array.declared.layout, "an array that was to be kept");
    for (int d = 0; d < l.rank - 1 && limit.row_stride_bytes > 0 && !limit.keep; ++d)
      check(l.extent[d] == 1 ||
                l.stride[d] * array.declared.element_bytes % limit.row_stride_bytes == 0,
            "row_stride_bytes");
    if (l.permutation.family == bm::layout_family::linear) {
      check(s.options.layouts.contain(bm::layouts::linear), "a linear layout was not allowed");
      continue;
    }
    bool is_searched = false;
    auto space = limit;
    space.most_bytes = bytes;
    space.row_stride_bytes = 0;
    if (limit.row_stride_bytes > 0)
      space.layer =
          std::lcm(std::max<long long>(space.layer, array.widest), limit.row_stride_bytes);
    brute_force::all_layouts(array, space, [&](const brute_force::choice& c) {
      is_searched = c.family == l.permutation.family && c.elements == l.required_size() &&
                    brute_force::layout_of(array.declared, c) == l;
      return !is_searched;
    });
    check(is_searched, "a layout is not of the searched families");
    const bool is_xor = l.permutation.family == bm::layout_family::xor_swizzle,
               is_rotation = l.permutation.family == bm::layout_family::rotation && l.rank == 2;
    if ((is_xor || is_rotation) && plan.is_complete())
      check(!has_shorter_program(switched, array, space, planned),
            "a shorter index function costs as much");
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t number = 1; number < ranges.size(); ++number)
    check(ranges[number].first >= ranges[number - 1].second, "arrays overlap");
  check(plan.bytes() == end, "bytes() is not the end of the last array");
  check(plan.bytes() <= s.most_bytes, "more bytes than allowed");
  check(plan.resident_blocks() == s.blocks(plan.bytes()), "resident_blocks()");
  check(plan.resident_blocks() >= s.options.resident_blocks, "fewer resident blocks than required");
  for (int access = 0; access < plan.accesses(); ++access) {
    const auto& declared = s.accesses[static_cast<std::size_t>(access)];
    std::size_t a = 0;
    while (s.arrays[a].declared.name != declared.array.name) ++a;
    const auto& array = s.arrays[a];
    const auto& run = array.runs[next[a]++];
    const auto& planned = plan.array(static_cast<int>(a));
    const auto four_of = [](const brute_force::coordinates& indices) {
      return bm::detail::four{indices[0], indices[1], indices[2], indices[3]};
    };
    const auto same = [&](const bm::cost& cost, const bm::machine& m, const bm::layout& l,
                          long long base) {
      const auto counts = brute_force::counted_at(
          m, array, run,
          [&](const brute_force::coordinates& subscripts) { return l(four_of(subscripts)); }, base);
      return cost.requests == counts.requests && cost.wavefronts == counts.wavefronts &&
             cost.ideal == counts.ideal && cost.degree == counts.degree;
    };
    check(same(plan.before(access), s.machine, array.declared.layout, 0), "before() of an access");
    check(same(plan.after(access), switched, planned.layout, planned.offset_bytes),
          "after() of an access");
    check(same(plan.after(access), switched, planned.layout,
               planned.offset_bytes + 3 * plan.alignment()),
          "alignment()");
    for (const auto& element : array.elements) {
      auto last = element;
      for (int step = 1; step < declared.vector; ++step) {
        ++last[static_cast<std::size_t>(array.rank() - 1)];
        // Another access to the array may touch its last elements.
        if (element[static_cast<std::size_t>(array.rank() - 1)] % declared.vector != 0) break;
        if (planned.layout(four_of(last)) != planned.layout(four_of(element)) + step) {
          check(false, "a wide access is torn");
          return;
        }
      }
    }
  }
  check(plan.after().ideal == ideal || !wrong.empty(), "ideal");
  check(plan.least_wavefronts() <= plan.after().wavefronts, "a bound above the plan");
  check(plan.is_optimal() == (plan.least_wavefronts() == plan.after().wavefronts),
        "is_optimal() is not the bound");
  // With little effort the other bank width is not tried, in which requests may take fewer passes.
  if (plan.after().conflicts() == 0 && (s.machine.other_bank_width == 0 || plan.is_complete()))
    check(plan.is_optimal(), "no conflict is left, but is_optimal() is false");
}

long long weight_of(const auto& plan) {
  long long weight = 0;
  for (int a = 0; a < plan.arrays(); ++a)
    weight += brute_force::weight_of(plan.layout(a).permutation.family,
                                     plan.layout(a).interval != 0 && plan.array(a).row_length == 0);
  return weight;
}

// True if a layout of every array fits, whatever it costs.
template <class Access>
bool fits(const subject<Access>& s) {
  const brute_force::goal fitting = [&](long long bytes, long long) {
    return bytes <= s.most_bytes ? 1ll << 60 : -1;
  };
  bool result = true;
  for (std::size_t a = 0; a < s.arrays.size(); ++a) {
    bool exists = false;
    s.all_of(a, [&](const brute_force::choice&) { return !(exists = true); });
    result = result && exists;
  }
  return result && s.find(fitting).best().has_value();
}

struct tally {
  brute_force::count plans = 0, optimal = 0, improved = 0, refused = 0, repeated = 0, fronts = 0,
                     conflicting = 0;
  long long layouts = 0;
};

// The best plan in the whole space that beats `plan`. `exhaustive`: the search had all the effort
// that it needs, so the documented order decides as well; else only its lower bound is judged.
template <class Access, class Plan>
std::optional<brute_force::plan> better_than(const subject<Access>& s, const Plan& plan,
                                             bool exhaustive, tally& statistics) {
  const auto rank = s.rank(plan.bytes(), weight_of(plan));
  const auto limit =
      static_cast<long long>(exhaustive ? plan.after().wavefronts : plan.least_wavefronts());
  const brute_force::goal better = [&](long long bytes, long long weight) -> long long {
    if (bytes > s.most_bytes) return -1;
    return exhaustive && s.rank(bytes, weight) < rank ? limit : limit - 1;
  };
  const auto outcome = s.find(better);
  statistics.layouts += outcome.layouts();
  return outcome.best();
}

template <class Access, class Plan>
void add_better(const subject<Access>& s, const Plan& plan, const brute_force::plan& better,
                failures& wrong) {
  const std::string kind =
      better.wavefronts < plan.least_wavefronts()     ? plan.is_optimal()
                                                            ? "is_optimal(), but fewer wavefronts by "
                                                            : "below least_wavefronts() by "
      : better.wavefronts < plan.after().wavefronts   ? "no effort finds the fewer wavefronts by "
      : s.options.prefer == bm::preference::few_bytes ? "as many wavefronts, but fewer bytes by "
      : s.options.prefer == bm::preference::simple_indices
          ? "as many wavefronts, but simpler by "
          : "as many wavefronts, but more blocks, simpler or fewer bytes by ";
  wrong.push_back(
      {kind + kind_of(s, better), "plan: " + s.text_of(plan) + "\n  better: " + s.text_of(better)});
}

// optimize() against every layout.
template <class Access>
void check_optimize(const subject<Access>& s, failures& wrong, tally& statistics) {
  s.with_kernel([&](const auto& kernel) {
    try {
      auto plan = bm::optimize(s.machine, kernel, s.options);
      ++statistics.plans;
      statistics.optimal += plan.is_optimal();
      statistics.improved += plan.after().wavefronts < plan.before().wavefronts;
      statistics.conflicting += plan.after().conflicts() > 0;
      check_plan(s, plan, wrong);
      const bool little = s.options.effort != 0;
      auto better = better_than(s, plan, !little, statistics);
      if (!little && (!plan.is_optimal() || better) &&
          !(better && better->wavefronts < plan.least_wavefronts())) {
        bm::search options = s.options;  // the effort may have been spent
        options.effort = unlimited_effort;
        ++statistics.repeated;
        plan = bm::optimize(s.machine, kernel, options);
        better = better_than(s, plan, true, statistics);
        // A linear layout is synthesised, so its family is never exhausted.
        if (!better && !plan.is_optimal() && !s.options.layouts.contain(bm::layouts::linear))
          wrong.push_back({"not proven optimal with any effort", s.text_of(plan)});
      }
      if (better) add_better(s, plan, *better, wrong);
    } catch (const bm::error& e) {
      ++statistics.refused;
      if (std::string(e.rule()) == "rows_that_are_not_padded_must_be_the_row_stride_apart") {
        if (s.options.row_stride_bytes == 0 || s.options.layouts.contain(bm::layouts::padding))
          wrong.push_back({"an untrue error", e.what()});
      } else if (std::string(e.rule()) != "the_arrays_of_a_kernel_must_fit")
        wrong.push_back({std::string("an unexpected error: ") + e.rule(), e.what()});
      else if (fits(s))
        wrong.push_back(
            {s.options.effort != 0 ? "an untrue error with little effort" : "an untrue error",
             e.what()});
    }
  });
}

// pareto_front() against every layout.
template <class Access>
void check_front(const subject<Access>& s, failures& wrong, tally& statistics) {
  s.with_kernel([&](const auto& kernel) {
    try {
      bm::search options = s.options;
      if (options.effort != 0) options.effort = unlimited_effort;
      const auto front = bm::pareto_front(s.machine, kernel, options);
      ++statistics.fronts;
      for (const auto& plan : front) check_plan(s, plan, wrong);
      bool all_optimal = true;
      for (std::size_t number = 0; number < front.size(); ++number) {
        all_optimal = all_optimal && front[number].is_optimal();
        if (number > 0 &&
            (front[number].bytes() >= front[number - 1].bytes() ||
             front[number].after().wavefronts <= front[number - 1].after().wavefronts))
          wrong.push_back({"a front out of order", s.text_of(front[number])});
      }
      if (!all_optimal) return;
      const brute_force::goal dominates = [&](long long bytes, long long) -> long long {
        if (bytes > s.most_bytes) return -1;
        for (const auto& plan : front)
          if (plan.bytes() <= bytes) return static_cast<long long>(plan.after().wavefronts) - 1;
        return 1ll << 60;
      };
      const auto better = s.find(dominates).best();
      if (!better) return;
      std::string text = "front: ";
      for (const auto& plan : front) text += s.text_of(plan) + "\n  ";
      wrong.push_back(
          {"the front misses " + kind_of(s, *better), text + "better: " + s.text_of(*better)});
    } catch (const bm::error& e) {
      if (std::string(e.rule()) != "the_arrays_of_a_kernel_must_fit" &&
          std::string(e.rule()) != "rows_that_are_not_padded_must_be_the_row_stride_apart")
        wrong.push_back({std::string("an unexpected error of a front: ") + e.rule(), e.what()});
    }
  });
}

unsigned long long number_from(const char* name, unsigned long long otherwise) {
  const char* setting = std::getenv(name);
  return setting != nullptr ? std::strtoull(setting, nullptr, 10) : otherwise;
}

// An access of the index language in the form of the generated ones.
template <int Wrappers, int Nodes>
expression as_generated(const bm::access_expression<Wrappers, Nodes>& access) {
  expression result{};
  result.array = access.array;
  result.subscripts = access.subscripts;
  result.vector = access.vector;
  result.stated = access.stated;
  result.kind = access.kind;
  result.depth = access.depth;
  std::copy(std::begin(access.subscript), std::end(access.subscript), std::begin(result.subscript));
  std::copy(access.wrappers, access.wrappers + Wrappers, std::begin(result.wrappers));
  std::copy(std::begin(access.nodes), std::end(access.nodes), std::begin(result.nodes));
  return result;
}

// Checks a kernel's plan and front. `best`: the fewest wavefronts of all enumerated plans, 0 if
// none fits.
template <class... Accesses>
void expect(brute_force::count best, const bm::machine& m, const bm::search& options,
            const bm::block_dim& block, const Accesses&... accesses) {
  const std::vector<expression> list{as_generated(accesses)...};
  const subject<expression> s(m, block, list, options);
  const auto fewest = s.fewest();
  CHECK((fewest ? fewest->wavefronts : 0) == best);
  if (fewest) CHECK(s.library_total(*fewest) == best);

  failures wrong;
  tally plans;
  check_optimize(s, wrong, plans);
  check_front(s, wrong, plans);
  for (const auto& [kind, text] : wrong) FAIL_CHECK(kind << "\n  " << text);
  if (!fewest) return;
  try {
    const auto plan = bm::optimize(m, bm::kernel(block, accesses...), options);
    if (options.effort == 0) CHECK(plan.after().wavefronts <= best);
    if (options.effort == 0) CHECK(plan.is_optimal());
  } catch (const bm::error& e) {
    FAIL_CHECK(e.what());
  }
}

bm::machine own_machine(int lanes, const bm::service& loads, const bm::service& stores) {
  bm::machine m;
  m.lanes = lanes;
  m.loads = {loads, loads, loads, loads};
  m.stores = {stores, stores, stores, stores};
  m.bank_width = loads.N;
  return m;
}

}  // namespace

TEST_CASE("the degrees at all bases are those of the oracle", "[plan][oracle]") {
  std::mt19937_64 random(1);
  const auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int conflicts = 0;
  for (int number = 0; number < 20'000; ++number) {
    const long long N = 1ll << draw(4);
    const oracle::banks banks{1ll << draw(6), N << draw(3), N};
    const int align = 1 << draw(5), bytes = 1 << draw(std::countr_zero(16u) + 1);
    brute_force::degrees degrees(banks, align);
    std::vector<long long> addresses;
    const int lanes = 1 + draw(33), range = 1 + draw(1000);
    for (int lane = 0; lane < lanes; ++lane) addresses.push_back(draw(range));
    std::vector<int> at_base;
    degrees.count_at_all_bases(addresses, bytes, at_base);
    REQUIRE(static_cast<long long>(at_base.size()) * align == degrees.period());
    for (std::size_t r = 0; r < at_base.size(); ++r)
      for (const long long shift : {0ll, degrees.period()}) {
        auto moved = addresses;
        for (long long& address : moved) address += static_cast<long long>(r) * align + shift;
        if (oracle::degree(banks, moved, bytes) != at_base[r])
          FAIL("banks " << banks.bank_num << ", " << banks.W << ", " << banks.N << " bytes "
                        << bytes << " base " << r * static_cast<unsigned>(align));
      }
    conflicts += *std::max_element(at_base.begin(), at_base.end()) > 1;
  }
  CHECK(conflicts > 10'000);
}

TEST_CASE("the formulas of the layouts are the library's", "[plan][oracle]") {
  int layouts = 0;
  for (const bm::layout& l :
       {bm::row_major(13), bm::row_major(64), bm::row_major(5, 6), bm::row_major(8, 8),
        bm::row_major(4, 12).padded(3), bm::row_major(3, 4, 8), bm::row_major(2, 5, 6)})
    for (const int widest : {4, 8}) {
      const brute_force::one_array array{bm::shared_array<int>("a", 1), widest, {}, {}};
      brute_force::one_array searched = array;
      searched.declared.layout = l;
      if (widest == 8 && l.extent[l.rank - 1] % 2 != 0) continue;
      if (widest == 8 && l.rank > 1 && l.padding() % 2 != 0) continue;
      const brute_force::limits limit{bm::layouts::all, false, 0, 32};
      brute_force::all_layouts(searched, limit, [&](const brute_force::choice& c) {
        ++layouts;
        const bm::layout candidate = brute_force::layout_of(searched.declared, c);
        REQUIRE(candidate.required_size() == c.elements);
        std::vector<char> uses(static_cast<std::size_t>(c.elements), 0);
        for (long long number = 0;
             number < l.extent[0] * (l.rank > 1 ? l.extent[1] : 1) * (l.rank > 2 ? l.extent[2] : 1);
             ++number) {
          brute_force::coordinates subscripts{};
          long long rest = number;
          for (int d = l.rank - 1; d >= 0; --d) {
            subscripts[static_cast<std::size_t>(d)] = rest % l.extent[d];
            rest /= l.extent[d];
          }
          const long long place = brute_force::place_of(l, c, subscripts);
          if (candidate({subscripts[0], subscripts[1], subscripts[2], subscripts[3]}) != place ||
              place < 0 || place >= c.elements || uses[static_cast<std::size_t>(place)]++ != 0)
            FAIL(brute_force::text_of(searched.declared, candidate)
                 << " at " << subscripts[0] << ", " << subscripts[1] << ", " << subscripts[2]
                 << ": " << place);
        }
        return true;
      });
    }
  CHECK(layouts > 4'000);
}

TEST_CASE("the fast search for the best layout is the slow one", "[plan][oracle]") {
  int compared = 0;
  for (unsigned long long seed = 1; compared < 150; ++seed) {
    const random_case c = generator(seed).make();
    const subject<expression> s(c.machine, c.block, c.accesses, c.options);
    if (s.arrays.size() > 1 || s.layouts() > 500) continue;
    ++compared;
    const auto& array = s.arrays[0];
    brute_force::count slow = ~0ull;
    for (const bm::machine& m : brute_force::widths_of(c.machine)) {
      const long long period = brute_force::array_costs(m, array).period();
      s.all_of(0, [&](const brute_force::choice& layout) {
        for (long long base = 0; base < period; base += array.widest) {
          if (base + layout.elements * array.declared.element_bytes > s.most_bytes) break;
          if (base > 0 && layout.family != bm::layout_family::rows &&
              !brute_force::permuted_arrays_begin_anywhere)
            break;
          brute_force::count sum = 0;
          for (const auto& run : array.runs)
            sum += brute_force::counted_at(
                       m, array, run,
                       [&](const brute_force::coordinates& subscripts) {
                         return brute_force::place_of(array.declared.layout, layout, subscripts);
                       },
                       base)
                       .wavefronts;
          slow = std::min(slow, sum);
        }
        return true;
      });
    }
    for (const long long margin : {0, 1}) {
      const brute_force::goal sought = [&](long long bytes, long long) {
        return bytes <= s.most_bytes && slow != ~0ull ? static_cast<long long>(slow) - margin : -1;
      };
      const auto fast = s.find(sought).best();
      CHECK(fast.has_value() == (slow != ~0ull && margin == 0));
      if (fast) CHECK(fast->wavefronts == slow);
      if (fast) CHECK(s.library_total(*fast) == slow);
    }
  }
}

TEST_CASE("layouts that a search once missed", "[plan]") {
  using bm::block_dim, bm::shared_array;
  using bm::index::i, bm::index::tid, bm::index::tx, bm::index::ty;
  const auto sm_75 = bm::nvidia::compute_capability(7, 5);
  const bm::machine &sm_20 = bm::nvidia::sm_20, &sm_35 = bm::nvidia::sm_35,
                    &sm_90 = bm::nvidia::sm_90;

  SECTION("bases under a limit, of elements below a word: 2, rotation(1) takes 1") {
    const auto a = shared_array<char>("a", 16, 16);
    for (const bm::machine& m : {sm_90, sm_35})
      expect(1, m, {.shared_bytes = 256}, block_dim{16}, load(if_threads(tx < 9, a[tx][tx / 8])));
    const auto b = shared_array<char>("b", 13, 12);
    expect(1, sm_75, {.shared_bytes = 156}, block_dim{12}, store(b[tx][tx]));
  }
  SECTION("XOR of bits within a word into bits of the layer: 4, xor_swizzle(1, 0, -6) takes 2") {
    const auto h = shared_array<short>("h", 32, 3);
    expect(2, sm_90, {.layouts = bm::layouts::xor_swizzle}, block_dim{32}, load(h[tx][0]),
           load(h[tx][1]));
  }
  SECTION("the same with padding: 3, 2 is possible") {
    const auto a = shared_array<short>("a", 35, 11);
    expect(2, sm_75, {}, block_dim{7, 5}, load(a[tid][ty + tx]));
  }
  SECTION("modular layouts with a = 1: 10, 9 is possible") {
    const auto f = shared_array<float>("f", 4, 40);
    expect(9, sm_20, {.layouts = bm::layouts::modular}, block_dim{38},
           store(for_loop(i, bm::range(0, 3), f[i][tx])), store(f[tx % 4][4 * tx % 40]));
    expect(2, sm_20, {.layouts = bm::layouts::modular}, block_dim{12, 4}, store(f[ty][tx]));
  }
  SECTION("loads and stores with other layers: 14, xor_swizzle(3, 0, -5) takes 11") {
    const auto a = shared_array<float>("a", 25, 32);
    const auto m = own_machine(8, {.bank_num = 4, .W = 4, .N = 4}, {.bank_num = 4, .W = 8, .N = 4});
    expect(11, m, {}, block_dim{25}, load(a[tid][tx ^ 1]), store(a[tx][tx]));
  }
  SECTION("words wider than elements: 6, xor_swizzle(1, 0, -5) takes 4") {
    const auto a = shared_array<double>("a", 6, 8);
    const auto b = shared_array<float>("b", 27, 4);
    const bm::service words_of_4{.bank_num = 8, .W = 4, .N = 4},
        words_of_8{.bank_num = 8, .W = 8, .N = 8};
    expect(4, own_machine(32, words_of_4, words_of_8), {}, block_dim{26},
           load(if_threads(tid < 6, a[tx][tx])), store(b[tid][tx / 8]));
  }
  SECTION("a table of options that is full: 24, padded(29) takes 21") {
    const auto a = shared_array<float>("a", 8, 35);
    expect(21, sm_35, {.layouts = bm::layouts::padding}, block_dim{7, 7},
           load(for_loop(i, bm::range(0, 8), a[5 * ty % 8][(3 * tid + 4 * i) % 35])));
  }
  SECTION("rows a multiple of row_stride_bytes apart, where no padding may be added") {
    const auto a = shared_array<short>("a", 4, 10);
    expect(0, sm_90, {.layouts = bm::layouts::permutations, .row_stride_bytes = 16}, block_dim{25},
           load(a[tx % 3][tx % 9]));
  }
  SECTION("rows a multiple of row_stride_bytes apart, with little effort") {
    const auto a = shared_array<char>("a", 2, 38);
    for (const long long effort : {1, 2, 5, 10})
      for (const bm::machine& m : {sm_35, sm_90})
        expect(1, m, {.row_stride_bytes = 4, .effort = effort}, block_dim{30},
               load(a[tx % 2][tx + 8]));
  }
  SECTION("little effort, which is no reason that arrays do not fit") {
    const auto a = shared_array<short>("a", 8);
    const auto b = shared_array<char>("b", 2, 38);
    const bm::service banks{.bank_num = 8, .W = 4, .N = 2};
    for (const long long effort : {1, 2, 5, 10})
      expect(10, own_machine(8, banks, banks), {.row_stride_bytes = 4, .effort = effort},
             block_dim{5, 7}, load(a[ty ^ 1]), load(b[0][tx + ty]));
  }
  SECTION("a plan without a conflict is optimal, however little the effort") {
    const auto a = shared_array<short>("a", 2, 7);
    for (const long long effort : {1, 2, 5, 10})
      expect(1, sm_35, {.effort = effort}, block_dim{2, 4}, load(a[tx][6 * tx]));
  }
}

// Rotations of padded rows where declared rows are too close to each other; simpler paddings in
// more bytes with the other bank width; XOR swizzles of rows of one element.
TEST_CASE("generated kernels for which earlier searches missed the best plan", "[plan]") {
  tally statistics;
  for (const long long seed : {3006994, 3007464, 3011064, 3020223}) {
    const random_case c = generator(seed).make();
    failures wrong;
    check_optimize(subject<expression>(c.machine, c.block, c.accesses, c.options), wrong,
                   statistics);
    INFO("seed " << seed << ", " << c.accesses.size() << " accesses");
    for (const auto& [name, text] : wrong) FAIL_CHECK(name << "\n" << text);
  }
  CHECK(statistics.plans == 4);
}

TEST_CASE("plans of generated kernels against every layout", "[plan][generated]") {
  const auto first = number_from("BANKMODEL_FIRST_SEED", 1),
             cases = number_from("BANKMODEL_CASES", 5000);
  constexpr long long most_layouts = 60'000;
  tally statistics;
  // By kind: how often and in which circumstances, the seeds of the first ones, and the simplest.
  struct kind {
    std::map<std::string, brute_force::count> times;
    std::string seeds, text;
    std::size_t size = ~std::size_t{0};
    int listed = 0;
  };
  std::map<std::string, kind> kinds;
  brute_force::count failed = 0, left_out = 0;
  for (auto seed = first; seed < first + cases; ++seed) {
    const random_case c = generator(seed).make();
    const subject<expression> s(c.machine, c.block, c.accesses, c.options);
    if (s.layouts() > most_layouts) {
      ++left_out;
      continue;
    }
    failures wrong;
    check_optimize(s, wrong, statistics);
    if (c.front && wrong.empty()) check_front(s, wrong, statistics);
    failed += !wrong.empty();
    // Each kind once.
    for (const auto& [name, text] : std::map(wrong.begin(), wrong.end())) {
      kind& entry = kinds[name];
      for (const auto& circumstance : circumstances(s)) ++entry.times[circumstance];
      if (entry.listed++ < 8) entry.seeds += " " + std::to_string(seed);
      const std::string description = text_of(c) + "\n  " + text;
      const std::size_t size =
          description.size() + 200 * c.accesses.size() + 10 * static_cast<std::size_t>(s.threads());
      if (size > entry.size) continue;
      entry.size = size;
      entry.text = "  seed " + std::to_string(seed) + "\n" + description;
    }
  }
  std::cout << statistics.plans << " plans, " << statistics.layouts << " layouts; optimal "
            << statistics.optimal << ", better than declared " << statistics.improved
            << ", with conflicts " << statistics.conflicting << ", refused " << statistics.refused
            << ", searched again " << statistics.repeated << ", fronts " << statistics.fronts
            << "; left out " << left_out << "\n";
  for (const auto& [name, kind] : kinds) {
    std::cout << "\n" << name << "\n  times:";
    for (const auto& [circumstance, times] : kind.times)
      std::cout << " " << circumstance << " " << times << ";";
    std::cout << "\n  seeds" << kind.seeds << "\n" << kind.text << "\n";
  }
  if (failed != 0) FAIL_CHECK(failed << " of " << cases << " kernels: see above");
  if (cases < 1000) return;
  CHECK(statistics.plans > cases * 3 / 4);
  CHECK(statistics.improved > cases / 4);
  CHECK(statistics.conflicting > cases / 4);
  CHECK(statistics.fronts > cases / 20);
}
