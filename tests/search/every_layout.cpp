// SPDX-License-Identifier: MIT
// optimize() and pareto_front() of generated small kernels, and of kernels for which they once
// missed a better layout, against every layout of every family at every base. The seeds are the
// case numbers: BANKMODEL_FIRST_SEED and BANKMODEL_CASES in the environment select others.
#include "every_layout.hpp"

#include <bankmodel/layout/instruction_count.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/search/pareto.hpp>

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
  bm::search how;
  bool front = false;  // pareto_front() too
};

class generator {
 public:
  explicit generator(unsigned long long seed) : random_(seed) {}

  random_case make() {
    do {
      made_ = {};
      choose_machine();
      choose_block();
    } while (!choose_kernel());
    choose_search();
    made_.front = one_in(12);
    return made_;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(static_cast<int>(all.size()))];
  }

  // ---- machines ----

  void choose_machine() {
    const int which = below(16);
    const auto known = [&](const char* name, const bm::machine& m) {
      made_.machine_text = name;
      made_.machine = m;
    };
    if (which == 0) return known("nvidia::sm_20", bm::nvidia::sm_20);
    if (which <= 2) return known("nvidia::sm_35", bm::nvidia::sm_35);
    if (which == 3)
      return known("nvidia::compute_capability(7, 5)", bm::nvidia::compute_capability(7, 5));
    if (which == 4) return known("nvidia::sm_90", bm::nvidia::sm_90);
    if (which == 5) return known("amd::gfx942", bm::amd::gfx942);
    bm::machine m;
    m.lanes = one_of({4, 8, 16, 32});
    const bm::service loads = own_service();
    set(m.loads, loads, m.lanes);
    set(m.stores, one_in(3) ? own_service() : loads, m.lanes);
    if (one_in(4)) m.merges_loads = bm::merging::pairs;
    m.bank_width = loads.N;
    const int narrowest = std::min(m.loads.up_to_4.W, m.stores.up_to_4.W);
    if (one_in(4)) {  // with the same words for both
      m.other_bank_width = 1 << below(std::countr_zero(static_cast<unsigned>(narrowest)) + 1);
      if (m.other_bank_width == m.bank_width || m.bank_width > narrowest) {
        m.other_bank_width = 0;
      } else {
        for (bm::service* const one : {&m.stores.up_to_4, &m.stores.bytes_8, &m.stores.bytes_16})
          one->N = loads.N;
      }
    }
    if (one_in(2)) set_limits(m.limits);
    made_.machine = m;
    made_.machine_text = text_of(m);
  }

  bm::service own_service() {
    bm::service how;
    how.bank_num = static_cast<short>(one_of({4, 8, 16}));
    how.N = static_cast<short>(one_of({1, 2, 4, 4}));
    how.W = static_cast<short>(how.N * one_of({1, 1, 2, 4}));
    return how;
  }
  void set(bm::services& to, bm::service how, int lanes) {
    to.up_to_4 = how;
    if (one_in(2)) how.phases.parity_0 = static_cast<unsigned char>(lanes / 2);
    to.bytes_8 = how;
    if (how.phases.parity_0 != 0 && one_in(2)) {
      how.phases.parity_1 = how.phases.parity_0;
      how.phases.parity_0 = static_cast<unsigned char>(lanes / 4);
    }
    to.bytes_16 = how;
  }
  void set_limits(bm::residency& limits) {
    limits.shared_granularity = one_of({1, 16, 64});
    limits.shared_reserved = one_of({0, 0, 32});
    limits.shared_per_multiprocessor = 256 * (4 + below(60));
    limits.shared_per_block_opt_in = limits.shared_per_multiprocessor - limits.shared_reserved;
    limits.shared_per_block = limits.shared_per_block_opt_in / (1 + below(3));
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
    const auto services = [&](const char* name, const bm::services& all) {
      text << ", ." << name << " = {" << text_of(all.up_to_4) << ", " << text_of(all.bytes_8)
           << ", {}, " << text_of(all.bytes_16) << "}";
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
    int x = 1 + below(16), y = 1 + below(16), z = one_in(8) ? 1 + below(3) : 1;
    if (one_in(2)) y = 1, x = 7 + below(58);
    while (x * y * z > 64) (x > y ? x : y) /= 2, z = 1;
    if (x * y * z < 7) x = 7, y = z = 1;
    made_.block = {x, y, z};
  }

  static term constant(long long value) {
    return {std::to_string(value), {{bm::operation::constant, value}}};
  }
  static term variable(bm::variable which) {
    const char* const names[] = {"tx", "ty", "tz", "bx", "by", "bz", "tid", "lane", "warp", "i"};
    return {names[static_cast<int>(which)],
            {{bm::operation::variable, static_cast<long long>(which)}}};
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
  static term times(const term& a, long long by) {
    return by == 1 ? a : binary(a, "*", bm::operation::multiply, constant(by));
  }
  static term plus(const term& a, const term& b) { return binary(a, "+", bm::operation::add, b); }

  term thread_variable() {
    const int which = below(8);
    if (which == 0) return variable(bm::variable::tid);
    if (made_.block.z > 1 && which == 1) return variable(bm::variable::tz);
    return made_.block.y > 1 && which > 4 ? variable(bm::variable::ty) : variable(bm::variable::tx);
  }
  term any_variable(bool in_loop) {
    return in_loop && one_in(3) ? variable(bm::variable::loop_0) : thread_variable();
  }
  term subscript(bool in_loop) {
    const term v = any_variable(in_loop), other = any_variable(in_loop);
    const int number = one_of({2, 3, 4, 8}), small = below(4), factor = 1 + below(5);
    switch (below(12)) {
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

  static void append(expression& to, int& count, const term& from, bm::slice& as) {
    as = {count, static_cast<int>(from.nodes.size())};
    for (const bm::node& one : from.nodes) to.nodes[count++] = one;
  }

  bool choose_kernel() {
    const int arrays = one_in(3) ? 2 : 1, accesses = arrays == 2 ? 2 + below(2) : 1 + below(3);
    struct shape {
      int rank, bytes;
    } shapes[2];
    for (auto& one : shapes)
      one = {one_of({1, 2, 2, 2, 2, 3}), one_of({1, 1, 2, 2, 4, 4, 4, 8, 16})};
    for (int at = 0; at < accesses; ++at) {
      const int array = at < arrays ? at : below(arrays);
      made_.accesses.push_back(access_to(array, shapes[array].rank, shapes[array].bytes));
    }
    for (int array = 0; array < arrays; ++array)
      if (!fit(array)) return false;
    return true;
  }

  expression access_to(int array, int rank, int bytes) {
    expression result{};
    int count = 0;
    std::string before, after;
    result.array.name = bm::name_of(array == 0 ? "a" : "b");
    result.array.element_bytes = bytes;
    result.array.layout.rank = rank;
    result.subscripts = rank;
    result.stated = true;
    result.kind = one_in(3) ? bm::access_kind::store : bm::access_kind::load;
    result.vector =
        !one_in(4) ? 1 : 1 << below(std::countr_zero(16u / static_cast<unsigned>(bytes)) + 1);
    result.depth = 0;
    const bool in_loop = one_in(3);
    if (in_loop) {
      auto& loop = result.wrappers[result.depth++];
      const int trips = 2 + below(3), step = one_of({1, 1, 2, 8});
      loop.kind = bm::wrapper_kind::range;
      loop.variable = bm::variable::loop_0;
      append(result, count, constant(0), loop.first);
      append(result, count, constant(trips * step), loop.last);
      append(result, count, constant(step), loop.step);
      before += "for_loop(i, range(0, " + std::to_string(trips * step) + ", " +
                std::to_string(step) + "), ";
      after += ")";
    }
    if (one_in(3)) {
      auto& filter = result.wrappers[result.depth++];
      const term v = thread_variable();
      const int limit = 1 + below(12);
      const term condition =
          one_in(3) ? binary(binary(v, "%", bm::operation::remainder, constant(2 + limit % 3)),
                             "==", bm::operation::equal, constant(0))
                    : binary(v, "<", bm::operation::less, constant(limit));
      append(result, count, condition, filter.first);
      before += "if_threads(" + condition.text + ", ";
      after += ")";
    }
    std::string text = array == 0 ? "a" : "b";
    for (int d = 0; d < rank; ++d) {
      term t = subscript(in_loop);
      if (d == rank - 1) t = times(t, result.vector);
      append(result, count, t, result.subscript[d]);
      text += "[" + t.text + "]";
    }
    if (result.vector > 1) text = "vectorized<" + std::to_string(result.vector) + ">(" + text + ")";
    made_.access_text.push_back((result.kind == bm::access_kind::load ? "load(" : "store(") +
                                before + text + after + ")");
    return result;
  }

  // Extents that the accesses need, or a few more.
  bool fit(int array) {
    const auto name = bm::name_of(array == 0 ? "a" : "b");
    long long extent[3] = {1, 1, 1};
    long long vector = 1;
    int rank = 0;
    const expression* one = nullptr;
    for (const expression& access : made_.accesses) {
      if (access.array.name != name) continue;
      one = &access;
      rank = access.array.layout.rank;
      vector = std::max<long long>(vector, access.vector);
      const int threads = made_.block.x * made_.block.y * made_.block.z;
      bool touched = false;
      for (int warp = 0; warp * made_.machine.lanes < threads; ++warp)
        for (const auto& touch :
             plainly::run_warp(made_.machine.lanes, made_.block, access, warp)) {
          touched = true;
          for (int d = 0; d < rank; ++d)
            extent[d] = std::max(extent[d], touch.at[static_cast<std::size_t>(d)] +
                                                (d == rank - 1 ? access.vector : 1));
        }
      if (!touched) return false;
    }
    for (int d = 0; d < rank; ++d) {
      if (one_in(4)) extent[d] += below(3);
      if (one_in(5))
        extent[d] =
            static_cast<long long>(std::bit_ceil(static_cast<unsigned long long>(extent[d])));
    }
    extent[rank - 1] = (extent[rank - 1] + vector - 1) / vector * vector;
    if (extent[0] * extent[1] * extent[2] * one->array.element_bytes > 4096) return false;
    bm::layout as = rank == 1   ? bm::row_major(extent[0])
                    : rank == 2 ? bm::row_major(extent[0], extent[1])
                                : bm::row_major(extent[0], extent[1], extent[2]);
    if (rank > 1 && one_in(10)) as = as.padded(vector * (1 + below(2)), rank - 2);
    for (expression& access : made_.accesses)
      if (access.array.name == name) access.array.layout = as;
    made_.arrays_text += std::to_string(one->array.element_bytes) + "-byte elements " +
                         every::text_of(one->array.with(as), as) + "; ";
    return true;
  }

  // ---- options ----

  void choose_search() {
    bm::search& how = made_.how;
    std::ostringstream text;
    if (one_in(3)) how.layouts = {static_cast<unsigned>(one_in(3) ? 1 : below(64))};
    text << ".layouts = {" << how.layouts.bits << "}";
    long long declared = 0;
    for (std::size_t at = 0; at < made_.accesses.size(); ++at) {
      const auto& array = made_.accesses[at].array;
      if (at == 0 || array.name != made_.accesses[0].array.name)
        declared = std::max(declared + (at == 0 ? 0 : array.layout.required_size()),
                            array.layout.required_size() * array.element_bytes);
    }
    const auto& limits = made_.machine.limits;
    if (one_in(3)) {
      const long long unit = one_of({1, 4, 16});
      how.shared_bytes = std::max(1ll, declared + unit * (below(40) - 2));
      if (one_in(3)) how.shared_bytes = declared;
      if (limits.shared_per_block_opt_in > 0)
        how.shared_bytes = std::min<long long>(how.shared_bytes, limits.shared_per_block_opt_in);
    }
    const int threads = made_.block.x * made_.block.y * made_.block.z;
    if (limits.shared_per_multiprocessor > 0 && one_in(6))
      how.resident_blocks = 1 + below(bm::resident(made_.machine, {threads, 0, 0}).blocks);
    if (one_in(8)) how.row_stride_bytes = one_of({2, 4, 8, 12, 16, 32});
    if (one_in(16)) {
      how.keep.name[how.keep.count++] = bm::name_of("a");
      text << ", .keep = arrays(a)";
    }
    how.prefer = one_of({bm::preference::resident_blocks, bm::preference::resident_blocks,
                         bm::preference::simple_indices, bm::preference::few_bytes});
    if (one_in(12)) how.effort = one_of({1, 2, 10, 100, 1000, 10000});
    text << ", .shared_bytes = " << how.shared_bytes
         << ", .resident_blocks = " << how.resident_blocks
         << ", .row_stride_bytes = " << how.row_stride_bytes << ", .prefer = "
         << (how.prefer == bm::preference::resident_blocks  ? "resident_blocks"
             : how.prefer == bm::preference::simple_indices ? "simple_indices"
                                                            : "few_bytes")
         << ", .effort = " << how.effort;
    made_.search_text = text.str();
  }

  std::mt19937_64 random_;
  random_case made_;
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
  bm::search how;
  std::vector<every::one_array> arrays;
  std::vector<every::limits> limits;
  long long most_bytes = 0;

  subject(const bm::machine& m, const bm::block_dim& of, const std::vector<Access>& all,
          const bm::search& searched)
      : machine(m), block(of), accesses(all), how(searched), arrays(every::arrays_of(m, of, all)) {
    const auto& limits_of = m.limits;
    most_bytes = how.shared_bytes > 0             ? how.shared_bytes
                 : limits_of.shared_per_block > 0 ? limits_of.shared_per_block
                                                  : 1ll << 40;
    if (how.resident_blocks > 0)
      most_bytes =
          std::min(most_bytes, bm::largest_shared_bytes(m, threads(), how.resident_blocks));
    find_rows();
    long long declared = 0;
    for (const auto& array : arrays) declared += array.declared_bytes();
    for (const auto& array : arrays) {
      every::limits one{how.layouts, how.keep.contain(array.declared.name), how.row_stride_bytes, 1,
                        most_bytes - declared + array.declared_bytes()};
      for (const auto& run : array.runs) {
        const auto banks = every::service_of(m, run.bytes, run.load).banks;
        one.layer = std::max(one.layer, banks.bank_num * banks.W);
      }
      limits.push_back(one);
    }
  }

  // tests/search/row_lengths.cpp checks these.
  void find_rows() {
    std::vector<bm::detail::kernel_access> each(accesses.size());
    int count = 0;
    for (const Access& access : accesses) {
      each[static_cast<std::size_t>(count++)] = bm::detail::access_to_plan(access);
      for (std::size_t a = 0; a < arrays.size(); ++a)
        if (arrays[a].declared.name == access.array.name)
          each[static_cast<std::size_t>(count - 1)].array = static_cast<int>(a);
    }
    bm::detail::effort_left effort(unlimited_effort);
    for (std::size_t a = 0; a < arrays.size(); ++a)
      arrays[a].row_lengths = bm::detail::row_lengths(
          machine, {block, each.data(), count}, static_cast<int>(a), arrays[a].declared, effort);
  }

  int threads() const { return block.x * block.y * block.z; }
  int blocks(long long bytes) const {
    return machine.limits.shared_per_multiprocessor == 0
               ? 0
               : bm::resident(machine, {threads(), bytes, how.registers_per_thread}).blocks;
  }
  // The documented order of plans with equally many wavefronts, the preferred one first.
  auto rank(long long bytes, long long weight) const {
    const long long few = -static_cast<long long>(blocks(bytes));
    switch (how.prefer) {
      case bm::preference::resident_blocks: return std::array{few, weight, bytes};
      case bm::preference::simple_indices: return std::array{weight, few, bytes};
      default: return std::array{bytes, few, weight};
    }
  }

  every::finder find(const every::goal& sought) const {
    return every::finder(machine, arrays, limits, sought);
  }
  // A plan with the fewest wavefronts; none if no plan fits.
  std::optional<every::plan> fewest() const {
    std::optional<every::plan> result;
    for (;;) {
      const every::goal fewer = [&](long long bytes, long long) -> long long {
        if (bytes > most_bytes) return -1;
        return result ? static_cast<long long>(result->wavefronts) - 1 : 1ll << 60;
      };
      const auto next = find(fewer).found();
      if (!next) return result;
      result = next;
    }
  }
  // The number of layouts of all arrays with each bank width.
  long long layouts() const {
    long long number = 0;
    for (std::size_t a = 0; a < arrays.size(); ++a)
      all_of(a, [&](const every::choice&) { return ++number < 1'000'000; });
    return number * (machine.other_bank_width != 0 ? 2 : 1);
  }
  void all_of(std::size_t array, const every::all_layouts::visitor& visit) const {
    every::all_layouts(arrays[array], limits[array], visit);
  }

  // work(kernel) of its one to three accesses.
  template <class Do>
  void with_kernel(const Do& work) const {
    if (accesses.size() == 1) return work(bm::kernel(block, accesses[0]));
    if (accesses.size() == 2) return work(bm::kernel(block, accesses[0], accesses[1]));
    return work(bm::kernel(block, accesses[0], accesses[1], accesses[2]));
  }

  // The cost of a plan found here, as the library gives it.
  every::count library_total(const every::plan& p) const {
    const bm::machine m = every::widths_of(machine)[static_cast<std::size_t>(p.width)];
    every::count sum = 0;
    for (Access access : accesses) {
      std::size_t a = 0;
      while (arrays[a].declared.name != access.array.name) ++a;
      access.array = access.array.with(every::layout_of(arrays[a].declared, p.arrays[a].layout));
      access.array.base_bytes = p.arrays[a].offset;
      sum += bm::total(m, block, access).wavefronts;
    }
    return sum;
  }

  std::string text_of(const every::plan& p) const {
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
           << every::text_of(arrays[a].declared,
                             every::layout_of(arrays[a].declared, p.arrays[a].layout));
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
           << every::text_of(p.array(a).declared, p.array(a).layout);
    return text.str();
  }
};

// How the better plan differs: the families of its permuted arrays, or padding.
template <class Access>
std::string kind_of(const subject<Access>& s, const every::plan& better) {
  const char* const names[] = {"padding", "xor_swizzle", "rotation", "triangular", "modular"};
  std::vector<std::string> families;
  for (std::size_t a = 0; a < better.arrays.size(); ++a) {
    const every::choice& c = better.arrays[a].layout;
    const auto& declared = s.arrays[a].declared.layout;
    if (c.family == bm::layout_family::rows) continue;
    const bool padded = !std::equal(c.stride.begin(), c.stride.begin() + declared.rank,
                                    every::choice_of(declared).stride.begin());
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
      const auto& banks = every::service_of(s.machine, run.bytes, run.load).banks;
      const auto& other = every::service_of(s.machine, run.bytes, !run.load).banks;
      wide = wide || banks.W > banks.N;
      narrow = narrow || array.widest < banks.N;
      differ =
          differ || banks.W != other.W || banks.N != other.N || banks.bank_num != other.bank_num;
    }
  std::vector<std::string> result;
  const auto add = [&](bool holds, const char* what) {
    if (holds) result.push_back(what);
  };
  add(true, "all");
  add(wide, "W > N");
  add(narrow, "below a word");
  add(!wide && !narrow, "neither W > N nor below a word");
  add(differ, "loads and stores differ");
  add(s.machine.other_bank_width != 0, "two bank widths");
  add(s.arrays.size() > 1, "two arrays");
  add(s.how.shared_bytes != 0, "shared_bytes");
  add(s.how.resident_blocks != 0, "resident_blocks");
  add(s.how.row_stride_bytes != 0, "row_stride_bytes");
  add(s.how.effort != 0, "little effort");
  return result;
}

// True if another permutation of the same family and of the same rows, with as many bytes and no
// more wavefronts, has an index function of fewer instructions.
inline bool has_shorter_program(const bm::machine& m, const every::one_array& array,
                                const every::limits& within, const bm::planned_array& planned) {
  const auto wavefronts = [&](const every::choice& c) {
    every::count sum = 0;
    for (const auto& run : array.runs)
      sum += every::counted_at(
                 m, array, run,
                 [&](const every::coordinates& at) {
                   return every::place_of(array.declared.layout, c, at);
                 },
                 planned.offset_bytes)
                 .wavefronts;
    return sum;
  };
  const int length = bm::index_instructions(planned.layout);
  every::count now = 0;
  std::vector<every::choice> shorter;
  every::all_layouts(array, within, [&](const every::choice& c) {
    if (c.family != planned.layout.permutation.family ||
        c.elements != planned.layout.required_size())
      return true;
    const bm::layout as = every::layout_of(array.declared, c);
    bool alike = true;
    for (int d = 0; d < as.rank; ++d) alike = alike && as.stride[d] == planned.layout.stride[d];
    if (!alike) return true;
    if (as == planned.layout) now = wavefronts(c);
    if (bm::index_instructions(as) < length) shorter.push_back(c);
    return true;
  });
  return std::any_of(shorter.begin(), shorter.end(),
                     [&](const every::choice& c) { return wavefronts(c) <= now; });
}

// The requirements on any plan.
template <class Access, class Plan>
void check_plan(const subject<Access>& s, const Plan& plan, failures& to) {
  const auto check = [&](bool holds, const char* what) {
    if (!holds) to.push_back({what, s.text_of(plan)});
  };
  check(plan.arrays() == static_cast<int>(s.arrays.size()), "the number of arrays");
  if (!to.empty()) return;
  bm::machine now = s.machine;
  if (plan.bank_width() != now.bank_width) now = now.with_bank_width(plan.bank_width());
  long long end = 0;
  every::count ideal = 0;
  std::vector<std::pair<long long, long long>> taken;
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
    taken.push_back({planned.offset_bytes, planned.offset_bytes + bytes});
    end = std::max(end, taken.back().second);
    ideal += array.ideal();
    const auto& limit = s.limits[static_cast<std::size_t>(a)];
    if (limit.keep) check(l == array.declared.layout, "an array that was to be kept");
    for (int d = 0; d < l.rank - 1 && limit.row_stride_bytes > 0 && !limit.keep; ++d)
      check(l.extent[d] == 1 ||
                l.stride[d] * array.declared.element_bytes % limit.row_stride_bytes == 0,
            "row_stride_bytes");
    if (l.permutation.family == bm::layout_family::linear) {
      check(s.how.layouts.contain(bm::layouts::linear), "a linear layout was not allowed");
      continue;
    }
    bool is_searched = false;
    auto all = limit;
    all.most_bytes = bytes;
    all.row_stride_bytes = 0;
    if (limit.row_stride_bytes > 0)
      all.layer = std::lcm(std::max<long long>(all.layer, array.widest), limit.row_stride_bytes);
    every::all_layouts(array, all, [&](const every::choice& c) {
      is_searched = c.family == l.permutation.family && c.elements == l.required_size() &&
                    every::layout_of(array.declared, c) == l;
      return !is_searched;
    });
    check(is_searched, "a layout is not of the searched families");
    const bool is_xor = l.permutation.family == bm::layout_family::xor_swizzle,
               is_rotation = l.permutation.family == bm::layout_family::rotation && l.rank == 2;
    if ((is_xor || is_rotation) && plan.is_complete())
      check(!has_shorter_program(now, array, all, planned),
            "a shorter index function costs as much");
  }
  std::sort(taken.begin(), taken.end());
  for (std::size_t at = 1; at < taken.size(); ++at)
    check(taken[at].first >= taken[at - 1].second, "arrays overlap");
  check(plan.bytes() == end, "bytes() is not the end of the last array");
  check(plan.bytes() <= s.most_bytes, "more bytes than allowed");
  check(plan.resident_blocks() == s.blocks(plan.bytes()), "resident_blocks()");
  check(plan.resident_blocks() >= s.how.resident_blocks, "fewer resident blocks than required");
  for (int access = 0; access < plan.accesses(); ++access) {
    const auto& declared = s.accesses[static_cast<std::size_t>(access)];
    std::size_t a = 0;
    while (s.arrays[a].declared.name != declared.array.name) ++a;
    const auto& array = s.arrays[a];
    const auto& run = array.runs[next[a]++];
    const auto& planned = plan.array(static_cast<int>(a));
    const auto four_of = [](const every::coordinates& at) {
      return bm::detail::four{at[0], at[1], at[2], at[3]};
    };
    const auto same = [&](const bm::cost& cost, const bm::machine& m, const bm::layout& l,
                          long long base) {
      const auto counts = every::counted_at(
          m, array, run, [&](const every::coordinates& at) { return l(four_of(at)); }, base);
      return cost.requests == counts.requests && cost.wavefronts == counts.wavefronts &&
             cost.ideal == counts.ideal && cost.degree == counts.degree;
    };
    check(same(plan.before(access), s.machine, array.declared.layout, 0), "before() of an access");
    check(same(plan.after(access), now, planned.layout, planned.offset_bytes),
          "after() of an access");
    check(
        same(plan.after(access), now, planned.layout, planned.offset_bytes + 3 * plan.alignment()),
        "alignment()");
    for (const auto& at : array.elements) {
      auto last = at;
      for (int more = 1; more < declared.vector; ++more) {
        ++last[static_cast<std::size_t>(array.rank() - 1)];
        // Another access to the array may touch its last elements.
        if (at[static_cast<std::size_t>(array.rank() - 1)] % declared.vector != 0) break;
        if (planned.layout(four_of(last)) != planned.layout(four_of(at)) + more) {
          check(false, "a wide access is torn");
          return;
        }
      }
    }
  }
  check(plan.after().ideal == ideal || !to.empty(), "ideal");
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
    weight += every::weight_of(plan.layout(a).permutation.family,
                               plan.layout(a).interval != 0 && plan.array(a).row_length == 0);
  return weight;
}

// True if a layout of every array fits, whatever it costs.
template <class Access>
bool fits(const subject<Access>& s) {
  const every::goal any = [&](long long bytes, long long) {
    return bytes <= s.most_bytes ? 1ll << 60 : -1;
  };
  bool each = true;
  for (std::size_t a = 0; a < s.arrays.size(); ++a) {
    bool one = false;
    s.all_of(a, [&](const every::choice&) { return !(one = true); });
    each = each && one;
  }
  return each && s.find(any).found().has_value();
}

struct tally {
  every::count plans = 0, optimal = 0, improved = 0, refused = 0, repeated = 0, fronts = 0,
               conflicting = 0;
  long long layouts = 0;
};

// The best plan in the whole space that beats `plan`. `exhaustive`: the search had all the effort
// that it needs, so the documented order decides as well; else only its lower bound is judged.
template <class Access, class Plan>
std::optional<every::plan> better_than(const subject<Access>& s, const Plan& plan, bool exhaustive,
                                       tally& all) {
  const auto rank = s.rank(plan.bytes(), weight_of(plan));
  const auto most =
      static_cast<long long>(exhaustive ? plan.after().wavefronts : plan.least_wavefronts());
  const every::goal better = [&](long long bytes, long long weight) -> long long {
    if (bytes > s.most_bytes) return -1;
    return exhaustive && s.rank(bytes, weight) < rank ? most : most - 1;
  };
  const auto found = s.find(better);
  all.layouts += found.layouts();
  return found.found();
}

template <class Access, class Plan>
void add_better(const subject<Access>& s, const Plan& plan, const every::plan& better,
                failures& to) {
  const std::string kind =
      better.wavefronts < plan.least_wavefronts()   ? plan.is_optimal()
                                                          ? "is_optimal(), but fewer wavefronts by "
                                                          : "below least_wavefronts() by "
      : better.wavefronts < plan.after().wavefronts ? "no effort finds the fewer wavefronts by "
      : s.how.prefer == bm::preference::few_bytes   ? "as many wavefronts, but fewer bytes by "
      : s.how.prefer == bm::preference::simple_indices
          ? "as many wavefronts, but simpler by "
          : "as many wavefronts, but more blocks, simpler or fewer bytes by ";
  to.push_back(
      {kind + kind_of(s, better), "plan: " + s.text_of(plan) + "\n  better: " + s.text_of(better)});
}

// optimize() against every layout.
template <class Access>
void check_optimize(const subject<Access>& s, failures& to, tally& all) {
  s.with_kernel([&](const auto& kernel) {
    try {
      auto plan = bm::optimize(s.machine, kernel, s.how);
      ++all.plans;
      all.optimal += plan.is_optimal();
      all.improved += plan.after().wavefronts < plan.before().wavefronts;
      all.conflicting += plan.after().conflicts() > 0;
      check_plan(s, plan, to);
      const bool little = s.how.effort != 0;
      auto better = better_than(s, plan, !little, all);
      if (!little && (!plan.is_optimal() || better) &&
          !(better && better->wavefronts < plan.least_wavefronts())) {
        bm::search again = s.how;  // the effort may have been spent
        again.effort = unlimited_effort;
        ++all.repeated;
        plan = bm::optimize(s.machine, kernel, again);
        better = better_than(s, plan, true, all);
        // A linear layout is synthesised, so its family is never exhausted.
        if (!better && !plan.is_optimal() && !s.how.layouts.contain(bm::layouts::linear))
          to.push_back({"not proven optimal with any effort", s.text_of(plan)});
      }
      if (better) add_better(s, plan, *better, to);
    } catch (const bm::error& e) {
      ++all.refused;
      if (std::string(e.rule()) == "rows_that_are_not_padded_must_be_the_row_stride_apart") {
        if (s.how.row_stride_bytes == 0 || s.how.layouts.contain(bm::layouts::padding))
          to.push_back({"an untrue error", e.what()});
      } else if (std::string(e.rule()) != "the_arrays_of_a_kernel_must_fit")
        to.push_back({std::string("an unexpected error: ") + e.rule(), e.what()});
      else if (fits(s))
        to.push_back({s.how.effort != 0 ? "an untrue error with little effort" : "an untrue error",
                      e.what()});
    }
  });
}

// pareto_front() against every layout.
template <class Access>
void check_front(const subject<Access>& s, failures& to, tally& all) {
  s.with_kernel([&](const auto& kernel) {
    try {
      bm::search how = s.how;
      if (how.effort != 0) how.effort = unlimited_effort;
      const auto front = bm::pareto_front(s.machine, kernel, how);
      ++all.fronts;
      for (const auto& plan : front) check_plan(s, plan, to);
      bool all_optimal = true;
      for (std::size_t at = 0; at < front.size(); ++at) {
        all_optimal = all_optimal && front[at].is_optimal();
        if (at > 0 && (front[at].bytes() >= front[at - 1].bytes() ||
                       front[at].after().wavefronts <= front[at - 1].after().wavefronts))
          to.push_back({"a front out of order", s.text_of(front[at])});
      }
      if (!all_optimal) return;
      const every::goal dominates = [&](long long bytes, long long) -> long long {
        if (bytes > s.most_bytes) return -1;
        for (const auto& plan : front)
          if (plan.bytes() <= bytes) return static_cast<long long>(plan.after().wavefronts) - 1;
        return 1ll << 60;
      };
      const auto found = s.find(dominates).found();
      if (!found) return;
      std::string text = "front: ";
      for (const auto& plan : front) text += s.text_of(plan) + "\n  ";
      to.push_back(
          {"the front misses " + kind_of(s, *found), text + "better: " + s.text_of(*found)});
    } catch (const bm::error& e) {
      if (std::string(e.rule()) != "the_arrays_of_a_kernel_must_fit" &&
          std::string(e.rule()) != "rows_that_are_not_padded_must_be_the_row_stride_apart")
        to.push_back({std::string("an unexpected error of a front: ") + e.rule(), e.what()});
    }
  });
}

unsigned long long number_from(const char* name, unsigned long long otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

// An access of the index language in the form of the generated ones.
template <int Wrappers, int Nodes>
expression as_generated(const bm::access_expression<Wrappers, Nodes>& from) {
  expression to{};
  to.array = from.array;
  to.subscripts = from.subscripts;
  to.vector = from.vector;
  to.stated = from.stated;
  to.kind = from.kind;
  to.depth = from.depth;
  std::copy(std::begin(from.subscript), std::end(from.subscript), std::begin(to.subscript));
  std::copy(from.wrappers, from.wrappers + Wrappers, std::begin(to.wrappers));
  std::copy(std::begin(from.nodes), std::end(from.nodes), std::begin(to.nodes));
  return to;
}

// Checks a kernel's plan and front. `best`: the fewest wavefronts of all enumerated plans, 0 if
// none fits.
template <class... Accesses>
void expect(every::count best, const bm::machine& m, const bm::search& how,
            const bm::block_dim& block, const Accesses&... accesses) {
  const std::vector<expression> all{as_generated(accesses)...};
  const subject<expression> s(m, block, all, how);
  const auto least = s.fewest();
  CHECK((least ? least->wavefronts : 0) == best);
  if (least) CHECK(s.library_total(*least) == best);

  failures wrong;
  tally plans;
  check_optimize(s, wrong, plans);
  check_front(s, wrong, plans);
  for (const auto& [kind, text] : wrong) FAIL_CHECK(kind << "\n  " << text);
  if (!least) return;
  try {
    const auto plan = bm::optimize(m, bm::kernel(block, accesses...), how);
    if (how.effort == 0) CHECK(plan.after().wavefronts <= best);
    if (how.effort == 0) CHECK(plan.is_optimal());
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
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int conflicts = 0;
  for (int number = 0; number < 20'000; ++number) {
    const long long N = 1ll << below(4);
    const oracle::banks banks{1ll << below(6), N << below(3), N};
    const int align = 1 << below(5), bytes = 1 << below(std::countr_zero(16u) + 1);
    every::degrees degrees(banks, align);
    std::vector<long long> addresses;
    const int lanes = 1 + below(33), range = 1 + below(1000);
    for (int lane = 0; lane < lanes; ++lane) addresses.push_back(below(range));
    std::vector<int> at_base;
    degrees.count_at_all_bases(addresses, bytes, at_base);
    REQUIRE(static_cast<long long>(at_base.size()) * align == degrees.period());
    for (std::size_t r = 0; r < at_base.size(); ++r)
      for (const long long more : {0ll, degrees.period()}) {
        auto moved = addresses;
        for (long long& address : moved) address += static_cast<long long>(r) * align + more;
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
      const every::one_array array{bm::shared_array<int>("a", 1), widest, {}, {}};
      every::one_array of = array;
      of.declared.layout = l;
      if (widest == 8 && l.extent[l.rank - 1] % 2 != 0) continue;
      if (widest == 8 && l.rank > 1 && l.padding() % 2 != 0) continue;
      const every::limits all{bm::layouts::all, false, 0, 32};
      every::all_layouts(of, all, [&](const every::choice& c) {
        ++layouts;
        const bm::layout as = every::layout_of(of.declared, c);
        REQUIRE(as.required_size() == c.elements);
        std::vector<char> taken(static_cast<std::size_t>(c.elements), 0);
        for (long long number = 0;
             number < l.extent[0] * (l.rank > 1 ? l.extent[1] : 1) * (l.rank > 2 ? l.extent[2] : 1);
             ++number) {
          every::coordinates at{};
          long long rest = number;
          for (int d = l.rank - 1; d >= 0; --d) {
            at[static_cast<std::size_t>(d)] = rest % l.extent[d];
            rest /= l.extent[d];
          }
          const long long place = every::place_of(l, c, at);
          if (as({at[0], at[1], at[2], at[3]}) != place || place < 0 || place >= c.elements ||
              taken[static_cast<std::size_t>(place)]++ != 0)
            FAIL(every::text_of(of.declared, as)
                 << " at " << at[0] << ", " << at[1] << ", " << at[2] << ": " << place);
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
    const subject<expression> s(c.machine, c.block, c.accesses, c.how);
    if (s.arrays.size() > 1 || s.layouts() > 500) continue;
    ++compared;
    const auto& array = s.arrays[0];
    every::count slow = ~0ull;
    for (const bm::machine& m : every::widths_of(c.machine)) {
      const long long period = every::array_costs(m, array).period();
      s.all_of(0, [&](const every::choice& layout) {
        for (long long base = 0; base < period; base += array.widest) {
          if (base + layout.elements * array.declared.element_bytes > s.most_bytes) break;
          if (base > 0 && layout.family != bm::layout_family::rows &&
              !every::permuted_arrays_begin_anywhere)
            break;
          every::count sum = 0;
          for (const auto& run : array.runs)
            sum += every::counted_at(
                       m, array, run,
                       [&](const every::coordinates& at) {
                         return every::place_of(array.declared.layout, layout, at);
                       },
                       base)
                       .wavefronts;
          slow = std::min(slow, sum);
        }
        return true;
      });
    }
    for (const long long less : {0, 1}) {
      const every::goal sought = [&](long long bytes, long long) {
        return bytes <= s.most_bytes && slow != ~0ull ? static_cast<long long>(slow) - less : -1;
      };
      const auto fast = s.find(sought).found();
      CHECK(fast.has_value() == (slow != ~0ull && less == 0));
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
  tally all;
  for (const long long seed : {3006994, 3007464, 3011064, 3020223}) {
    const random_case c = generator(seed).make();
    failures wrong;
    check_optimize(subject<expression>(c.machine, c.block, c.accesses, c.how), wrong, all);
    INFO("seed " << seed << ", " << c.accesses.size() << " accesses");
    for (const auto& [name, text] : wrong) FAIL_CHECK(name << "\n" << text);
  }
  CHECK(all.plans == 4);
}

TEST_CASE("plans of generated kernels against every layout", "[plan][generated]") {
  const auto first = number_from("BANKMODEL_FIRST_SEED", 1),
             cases = number_from("BANKMODEL_CASES", 5000);
  constexpr long long most_layouts = 60'000;
  tally all;
  // By kind: how often and in which circumstances, the seeds of the first ones, and the simplest.
  struct kind {
    std::map<std::string, every::count> times;
    std::string seeds, text;
    std::size_t size = ~std::size_t{0};
    int listed = 0;
  };
  std::map<std::string, kind> kinds;
  every::count failed = 0, left_out = 0;
  for (auto seed = first; seed < first + cases; ++seed) {
    const random_case c = generator(seed).make();
    const subject<expression> s(c.machine, c.block, c.accesses, c.how);
    if (s.layouts() > most_layouts) {
      ++left_out;
      continue;
    }
    failures wrong;
    check_optimize(s, wrong, all);
    if (c.front && wrong.empty()) check_front(s, wrong, all);
    failed += !wrong.empty();
    // Each kind once.
    for (const auto& [name, text] : std::map(wrong.begin(), wrong.end())) {
      kind& one = kinds[name];
      for (const auto& what : circumstances(s)) ++one.times[what];
      if (one.listed++ < 8) one.seeds += " " + std::to_string(seed);
      const std::string whole = text_of(c) + "\n  " + text;
      const std::size_t size =
          whole.size() + 200 * c.accesses.size() + 10 * static_cast<std::size_t>(s.threads());
      if (size > one.size) continue;
      one.size = size;
      one.text = "  seed " + std::to_string(seed) + "\n" + whole;
    }
  }
  std::cout << all.plans << " plans, " << all.layouts << " layouts; optimal " << all.optimal
            << ", better than declared " << all.improved << ", with conflicts " << all.conflicting
            << ", refused " << all.refused << ", searched again " << all.repeated << ", fronts "
            << all.fronts << "; left out " << left_out << "\n";
  for (const auto& [name, one] : kinds) {
    std::cout << "\n" << name << "\n  times:";
    for (const auto& [what, times] : one.times) std::cout << " " << what << " " << times << ";";
    std::cout << "\n  seeds" << one.seeds << "\n" << one.text << "\n";
  }
  if (failed != 0) FAIL_CHECK(failed << " of " << cases << " kernels: see above");
  if (cases < 1000) return;
  CHECK(all.plans > cases * 3 / 4);
  CHECK(all.improved > cases / 4);
  CHECK(all.conflicting > cases / 4);
  CHECK(all.fronts > cases / 20);
}
