// SPDX-License-Identifier: MIT
// Every plan of a kernel: each bank width, each padding of each array, each order, each offset.
// Costs are counted lane by lane by the oracle's rule, for addresses that are computed here;
// only the description of the kernel is the library's. The requirements on a plan, whatever was
// searched, are here too.
#ifndef BANKMODEL_TESTS_EXHAUSTIVE_PLANS_HPP
#define BANKMODEL_TESTS_EXHAUSTIVE_PLANS_HPP

#include <bankmodel/optimize.hpp>
#include <bit>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>

#include "run_plainly.hpp"

namespace exhaustive {

namespace bm = bankmodel;

// How the oracle serves requests of one width and kind.
struct service {
  oracle::banks banks{};
  std::vector<int> phase_of;
  bool pairs = false;
};

// For the oracle, a machine with one of its bank widths.
struct judged_machine {
  int lanes = 0;
  service loads[5], stores[5];  // for 1, 2, 4, 8, 16 bytes
  const service& rules(int bytes, bool load) const {
    return (load ? loads : stores)[std::countr_zero(static_cast<unsigned>(bytes))];
  }
};

inline judged_machine judged(const tested_machine& m) {
  judged_machine result{m.lanes, {}, {}};
  for (int width = 0; width < 5; ++width) {
    service& load = result.loads[width];
    const int group = group_of(m, 1 << width);
    load.banks = m.banks;
    for (int lane = 0; lane < m.lanes; ++lane) load.phase_of.push_back(lane / group);
    result.stores[width] = load;
    load.pairs = m.pairs && group < m.lanes;
  }
  return result;
}

// A machine, and for the oracle its data with each bank width, the initial one first.
struct machine_with_widths {
  bm::machine machine;
  std::vector<judged_machine> widths;
};

// ---- what a kernel touches ----

using coordinates = std::array<long long, bm::max_rank>;
using touched = std::map<int, long long>;  // for each lane the element's number without padding

// One access: its requests with their frequencies, and the same by phases, without lanes that
// share an element.
struct access_run {
  int array = 0, bytes = 0, vector = 1;
  bool load = true;
  std::map<touched, unsigned long long> requests;
  std::map<std::vector<long long>, unsigned long long> phases;
};

inline coordinates coordinates_of(const bm::layout& array_layout, long long element) {
  coordinates result{};
  for (int d = array_layout.rank - 1; d >= 0; --d) {
    result[static_cast<std::size_t>(d)] = element % array_layout.extent[d];
    element /= array_layout.extent[d];
  }
  return result;
}

// The array without padding, with elements of one byte: an address is the number of an element.
template <class Access>
Access in_numbers(Access access) {
  access.array.layout = access.array.layout.rank == 1 ? bm::row_major(access.array.layout.extent[0])
                                                      : access.array.layout.padded(0);
  access.array.element_bytes = 1;
  access.array.base_bytes = 0;
  return access;
}

template <class Access>
access_run run(const judged_machine& m, const bm::block_dim& block, const Access& access) {
  access_run result;
  result.bytes = access.array.element_bytes * access.vector;
  result.vector = access.vector;
  result.load = access.kind == bm::access_kind::load;
  const auto numbered = in_numbers(access);
  plainly::each_request(m.lanes, block, numbered, [&](const plainly::request& lanes) {
    ++result.requests[plainly::by_lane(numbered, lanes, [](long long element) { return element; })];
  });
  const service& rules = m.rules(result.bytes, result.load);
  for (const auto& [lanes, times] : result.requests) {
    for (auto& [number, elements] : oracle::phases(rules.phase_of, rules.pairs, lanes)) {
      std::sort(elements.begin(), elements.end());
      elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
      result.phases[elements] += times;
    }
  }
  return result;
}

// ---- one array ----

// The layout of an array: unused elements after each coordinate of each dimension, or after
// each interval.
struct choice {
  std::array<long long, bm::max_rank> padding{};
  long long interval = 0;
  std::array<long long, bm::max_rank> stride{};
  long long bytes = 0;
};

inline choice laid_out(const bm::array_description& a, std::array<long long, bm::max_rank> padding,
                       long long interval) {
  choice c{padding, interval, {}, 0};
  const int rank = a.layout.rank;
  c.stride[static_cast<std::size_t>(rank - 1)] = 1;
  for (int d = rank - 2; d >= 0; --d)
    c.stride[static_cast<std::size_t>(d)] =
        a.layout.extent[d + 1] * c.stride[static_cast<std::size_t>(d + 1)] +
        c.padding[static_cast<std::size_t>(d)];
  const long long elements =
      rank > 1 ? a.layout.extent[0] * c.stride[0]
               : a.layout.extent[0] +
                     (interval == 0 ? 0 : (a.layout.extent[0] - 1) / interval * padding[0]);
  c.bytes = elements * a.element_bytes;
  return c;
}

// An array as declared, which may already have padding.
inline choice as_laid_out(const bm::array_description& a, const bm::layout& l) {
  std::array<long long, bm::max_rank> padding{};
  for (int d = 0; d < l.rank - 1; ++d) padding[static_cast<std::size_t>(d)] = l.padding(d);
  if (l.interval != 0) padding[0] = l.interval_padding;
  return laid_out(a, padding, l.interval);
}

inline long long element_at(const bm::layout& extents, const choice& c, long long number) {
  if (extents.rank == 1) return number + (c.interval == 0 ? 0 : number / c.interval * c.padding[0]);
  const coordinates position = coordinates_of(extents, number);
  long long element = 0;
  for (int d = 0; d < extents.rank; ++d)
    element += position[static_cast<std::size_t>(d)] * c.stride[static_cast<std::size_t>(d)];
  return element;
}

// oracle::degree() without sorting.
class degree_counter {
 public:
  explicit degree_counter(const oracle::banks& banks)
      : banks_(banks), seen_(static_cast<std::size_t>(banks.bank_num)) {
    while (1ll << word_bits_ < banks.N) ++word_bits_;
    while (1ll << layer_bits_ < banks.bank_num * banks.W / banks.N) ++layer_bits_;
  }
  int operator()(const std::vector<long long>& addresses, long long base, int bytes) {
    ++stamp_;
    int maximum = 0;
    for (const long long address : addresses)
      for (long long word = (address + base) >> word_bits_;
           word <= (address + base + bytes - 1) >> word_bits_; ++word) {
        auto& bank = seen_[static_cast<std::size_t>(word & (banks_.bank_num - 1))];
        const long long layer = word >> layer_bits_;
        if (bank.stamp != stamp_) bank.stamp = stamp_, bank.count = 0;
        int index = 0;
        while (index < bank.count && bank.layer[index] != layer) ++index;
        if (index < bank.count) continue;
        bank.layer[bank.count++] = layer;
        maximum = std::max(maximum, bank.count);
      }
    return maximum;
  }

 private:
  struct in_bank {
    long long stamp = 0;
    int count = 0;
    long long layer[1024];  // 64 lanes of 16 bytes on banks of 1
  };
  oracle::banks banks_;
  int word_bits_ = 0, layer_bits_ = 0;
  long long stamp_ = 0;
  std::vector<in_bank> seen_;
};

// The limits of the choices for an array.
struct array_limits {
  bool keep = false;
  long long row_stride_bytes = 0;
  // Padding below this is tried after a coordinate; 0: below a layer of all banks.
  long long padding_bytes = 0;
  long long most_bytes = 1ll << 40;
  // False: if W = N, only bases within a word: whole words rotate the banks.
  bool whole_layer_of_bases = false;
};

struct one_array {
  bm::array_description declared;
  int widest = 1;  // bytes of its widest access
  std::vector<access_run> runs;

  long long unit() const { return widest / declared.element_bytes; }
};

// ---- the space ----

// An array with one of its layouts at one residue.
struct option {
  const choice* layout;
  long long residue;  // bytes
  unsigned long long wavefronts;
};

struct plan_found {
  unsigned long long wavefronts;
  long long bytes;
  int width;  // number
};

// The costs of all plans with one bank width.
class with_width {
 public:
  with_width(const judged_machine& m, const std::vector<one_array>& arrays,
             const std::vector<std::vector<choice>>& choices, bool whole_layer_of_bases) {
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      const one_array& array = arrays[a];
      long long period = array.widest;
      for (const access_run& run : array.runs) {
        const oracle::banks& banks = m.rules(run.bytes, run.load).banks;
        period = std::max(period, !whole_layer_of_bases && banks.W == banks.N
                                      ? banks.N
                                      : banks.bank_num * banks.W);
      }
      std::vector<degree_counter> degrees;
      for (const access_run& run : array.runs)
        degrees.emplace_back(m.rules(run.bytes, run.load).banks);
      periods_.push_back(period);
      options_.emplace_back();
      for (const choice& c : choices[a]) {
        std::vector<unsigned long long> at_base(static_cast<std::size_t>(period / array.widest), 0);
        for (std::size_t number = 0; number < array.runs.size(); ++number) {
          const access_run& run = array.runs[number];
          for (const auto& [elements, times] : run.phases) {
            std::vector<long long> addresses;
            for (const long long element : elements)
              addresses.push_back(element_at(array.declared.layout, c, element) *
                                  array.declared.element_bytes);
            for (std::size_t r = 0; r < at_base.size(); ++r)
              at_base[r] +=
                  times * static_cast<unsigned>(degrees[number](
                              addresses, static_cast<long long>(r) * array.widest, run.bytes));
          }
        }
        for (std::size_t r = 0; r < at_base.size(); ++r)
          add({&c, static_cast<long long>(r) * array.widest, at_base[r]});
      }
      plans_ *= static_cast<double>(choices[a].size()) *
                static_cast<double>(period / array.widest) * static_cast<double>(a + 1);
    }
  }

  double plans() const { return plans_; }

  // For each useful number of bytes the fewest wavefronts, over all orders, layouts and
  // offsets: the next array is placed at the first byte of each residue. Of plans of the same
  // arrays that end at the same byte, or later with no fewer wavefronts, one is enough.
  std::map<long long, unsigned long long> front(long long most_bytes) const {
    const std::size_t sets = std::size_t{1} << options_.size();
    std::vector<std::map<long long, unsigned long long>> reached(sets);
    reached[0][0] = 0;
    for (std::size_t set = 0; set < sets; ++set) {
      thin_out(reached[set]);
      for (const auto& [end, wavefronts] : reached[set])
        for (std::size_t a = 0; a < options_.size(); ++a) {
          if ((set >> a & 1) != 0) continue;
          for (const option& o : options_[a]) {
            const long long period = periods_[a],
                            gap = ((o.residue - end) % period + period) % period;
            const long long next_end = end + gap + o.layout->bytes;
            if (next_end > most_bytes) continue;
            const auto sum = wavefronts + o.wavefronts;
            const auto known = reached[set | std::size_t{1} << a].emplace(next_end, sum).first;
            known->second = std::min(known->second, sum);
          }
        }
    }
    return reached[sets - 1];
  }

 private:
  void add(const option& o) {
    for (const option& other : options_.back())
      if (other.residue == o.residue && other.layout->bytes <= o.layout->bytes &&
          other.wavefronts <= o.wavefronts)
        return;
    options_.back().push_back(o);
  }
  static void thin_out(std::map<long long, unsigned long long>& front) {
    unsigned long long minimum = ~0ull;
    for (auto entry = front.begin(); entry != front.end();) {
      if (entry->second < minimum) {
        minimum = entry->second;
        ++entry;
      } else {
        entry = front.erase(entry);
      }
    }
  }

  std::vector<std::vector<option>> options_;
  std::vector<long long> periods_;
  double plans_ = 1;
};

// Each layout that the search may choose for an array: see optimize.hpp and
// search/detail/paddings.hpp.
inline std::vector<choice> choices_of(const one_array& array, long long layer,
                                      const array_limits& limits) {
  const bm::array_description& a = array.declared;
  const choice declared = as_laid_out(a, a.layout);
  const long long stride = limits.row_stride_bytes, unit = array.unit();
  std::vector<choice> result;
  const auto add = [&](const choice& c) {
    if (c.bytes > limits.most_bytes) return;
    bool fits = true;
    for (int d = 0; stride > 0 && d < a.layout.rank - 1; ++d)
      fits = fits && (a.layout.extent[d] == 1 ||
                      c.stride[static_cast<std::size_t>(d)] * a.element_bytes % stride == 0);
    if (fits) result.push_back(c);
  };
  if (limits.keep || a.layout.interval != 0) {
    if (declared.bytes <= limits.most_bytes) result.push_back(declared);
    return result;
  }
  long long bytes =
      std::max<long long>(limits.padding_bytes > 0 ? limits.padding_bytes : layer, array.widest);
  if (stride > 0) bytes = std::lcm(bytes, stride);
  const long long limit = std::max<long long>(bytes / a.element_bytes, 1);
  if (a.layout.rank == 1) {
    add(declared);
    for (long long interval = 1; interval < a.layout.extent[0]; interval *= 2)
      for (long long p = unit; interval % unit == 0 && p < limit; p += unit)
        add(laid_out(a, {p}, interval));
    return result;
  }
  std::array<long long, bm::max_rank> padding{};
  const auto visit = [&](const auto& self, int d) -> void {
    if (d == a.layout.rank - 1) {
      add(laid_out(a, padding, 0));
      return;
    }
    auto& current = padding[static_cast<std::size_t>(d)];
    for (current = a.layout.padding(d); current < a.layout.padding(d) + limit; current += unit)
      self(self, d + 1);
  };
  visit(visit, 0);
  return result;
}

// The bytes of the largest layer of all banks among the array's accesses.
inline long long layer_of(const judged_machine& m, const one_array& array) {
  long long layer = 1;
  for (const access_run& run : array.runs) {
    const oracle::banks& banks = m.rules(run.bytes, run.load).banks;
    layer = std::max(layer, banks.bank_num * banks.W);
  }
  return layer;
}

// Every plan of a kernel.
class space {
 public:
  space(const machine_with_widths& m, const std::vector<one_array>& arrays,
        const std::vector<array_limits>& limits, long long most_bytes) {
    for (std::size_t a = 0; a < arrays.size(); ++a)
      choices_.push_back(choices_of(arrays[a], layer_of(m.widths[0], arrays[a]), limits[a]));
    for (const auto& width : m.widths) {
      const with_width costs(width, arrays, choices_, limits[0].whole_layer_of_bases);
      fronts_.push_back(costs.front(most_bytes));
      plans_ += costs.plans();
    }
  }

  double plans() const { return plans_; }
  const std::map<long long, unsigned long long>& front(int width) const {
    return fronts_[static_cast<std::size_t>(width)];
  }

  // Fewest wavefronts, then fewest bytes, then the first width; nothing if no plan fits.
  std::optional<plan_found> best(long long most_bytes) const {
    std::optional<plan_found> result;
    for (std::size_t width = 0; width < fronts_.size(); ++width)
      for (const auto& [bytes, wavefronts] : fronts_[width]) {
        if (bytes > most_bytes) break;
        if (!result || std::pair(wavefronts, bytes) < std::pair(result->wavefronts, result->bytes))
          result = plan_found{wavefronts, bytes, static_cast<int>(width)};
      }
    return result;
  }

 private:
  std::vector<std::vector<choice>> choices_;
  std::vector<std::map<long long, unsigned long long>> fronts_;
  double plans_ = 0;
};

// ---- a kernel of some accesses ----

// The arrays of accesses in the order of their first use, with their accesses.
template <class Access>
std::vector<one_array> arrays_of(const judged_machine& m, const bm::block_dim& block,
                                 const std::vector<Access>& accesses) {
  std::vector<one_array> result;
  for (const Access& access : accesses) {
    auto entry = std::find_if(result.begin(), result.end(), [&](const one_array& a) {
      return a.declared.name == access.array.name;
    });
    if (entry == result.end())
      entry = result.insert(entry, one_array{access.array, access.array.element_bytes, {}});
    entry->runs.push_back(run(m, block, access));
    entry->runs.back().array = static_cast<int>(entry - result.begin());
    const int bytes = entry->runs.back().bytes;
    entry->widest = std::max(entry->widest, bytes == 12 ? 4 : bytes);
  }
  return result;
}

// An access with its array in this layout and at this base, request by request, by the oracle
// itself.
inline oracle::counts count(const judged_machine& m, const bm::array_description& a,
                            const access_run& run, const choice& c, long long base) {
  oracle::counts sum;
  for (const auto& [lanes, times] : run.requests) {
    touched address;
    for (const auto& [lane, number] : lanes)
      address[lane] = base + element_at(a.layout, c, number) * a.element_bytes;
    const service& rules = m.rules(run.bytes, run.load);
    add_to(sum, oracle::request(rules.banks, rules.phase_of, rules.pairs, address, run.bytes),
           times);
  }
  return sum;
}

inline bool same(const bm::cost& a, const oracle::counts& b) {
  return a.requests == b.requests && a.wavefronts == b.wavefronts && a.ideal == b.ideal &&
         a.degree == b.degree;
}

// Checks the requirements on any plan. Returns the first that is not met, or nothing. `runs`
// are in the kernel's order.
template <class Plan, class Access>
std::string wrong_with(const Plan& plan, const machine_with_widths& m,
                       const std::vector<Access>& accesses, const std::vector<one_array>& arrays,
                       const std::vector<array_limits>& limits, long long most_bytes) {
  std::ostringstream wrong;
  const auto check = [&](bool holds, const char* message) {
    if (!holds) wrong << message << "; ";
  };
  check(plan.arrays() == static_cast<int>(arrays.size()), "the number of arrays");
  check(plan.accesses() == static_cast<int>(accesses.size()), "the number of accesses");
  if (!wrong.str().empty()) return wrong.str();

  const judged_machine* chosen = nullptr;
  for (std::size_t width = 0; width < m.widths.size(); ++width)
    if (plan.bank_width() == (width == 0 ? m.machine.bank_width : m.machine.other_bank_width))
      chosen = &m.widths[width];
  check(chosen != nullptr, "a bank width that the machine has not");
  if (chosen == nullptr) return wrong.str();

  std::vector<std::pair<long long, long long>> extents;
  for (int a = 0; a < plan.arrays(); ++a) {
    const one_array& array = arrays[static_cast<std::size_t>(a)];
    const array_limits& limit = limits[static_cast<std::size_t>(a)];
    const auto& planned = plan.array(a);
    const bm::layout &l = planned.layout, &declared = array.declared.layout;
    check(planned.declared == array.declared, "an array is not in the order of first use");
    check(l.rank == declared.rank && l.extent == declared.extent, "an array has other extents");
    const choice c = as_laid_out(array.declared, l);
    check(l == (l.interval != 0 ? declared.padded_every(c.interval, c.padding[0]) : l),
          "a strange layout");
    check(l.required_size() * array.declared.element_bytes == c.bytes && planned.bytes() == c.bytes,
          "the size of an array");
    for (int d = 0; d < l.rank; ++d)
      check(l.stride[d] == c.stride[static_cast<std::size_t>(d)], "a pitch");
    for (int d = 0; d < l.rank - 1; ++d)
      check(l.padding(d) >= declared.padding(d) &&
                (l.padding(d) - declared.padding(d)) % array.unit() == 0,
            "a padding");
    if (declared.interval == 0 && l.interval != 0)
      check(l.interval % array.unit() == 0 && l.interval_padding % array.unit() == 0 &&
                l.interval < l.extent[0],
            "an interval");
    if (limit.keep || declared.interval != 0) check(l == declared, "an array that was to be kept");
    if (!limit.keep && limit.row_stride_bytes > 0)
      for (int d = 0; d < l.rank - 1; ++d)
        check(l.extent[d] == 1 ||
                  l.stride[d] * array.declared.element_bytes % limit.row_stride_bytes == 0,
              "a row's pitch");
    check(planned.offset_bytes >= 0 && planned.offset_bytes % array.widest == 0,
          "an offset is not aligned");
    extents.push_back({planned.offset_bytes, planned.offset_bytes + c.bytes});
  }
  std::sort(extents.begin(), extents.end());
  for (std::size_t a = 1; a < extents.size(); ++a)
    check(extents[a].first >= extents[a - 1].second, "arrays overlap");
  check(extents.back().second == plan.bytes(), "bytes() is not the end of the last array");
  check(plan.bytes() <= most_bytes, "more bytes than allowed");

  std::vector<std::size_t> next(arrays.size(), 0);
  for (int access = 0; access < plan.accesses(); ++access) {
    const auto& description = accesses[static_cast<std::size_t>(access)];
    std::size_t a = 0;
    while (arrays[a].declared.name != description.array.name) ++a;
    const one_array& array = arrays[a];
    const access_run& run = array.runs[next[a]++];
    const auto& planned = plan.array(static_cast<int>(a));
    const choice c = as_laid_out(array.declared, planned.layout),
                 declared = as_laid_out(array.declared, array.declared.layout);
    check(same(plan.before(access),
               count(m.widths[0], array.declared, run, declared, array.declared.base_bytes)),
          "before() of an access");
    check(same(plan.after(access), count(*chosen, array.declared, run, c, planned.offset_bytes)),
          "after() of an access");
    check(same(plan.after(access),
               count(*chosen, array.declared, run, c, planned.offset_bytes + 3 * plan.alignment())),
          "alignment()");
    for (const auto& [lanes, times] : run.requests)
      for (const auto& [lane, number] : lanes) {
        const long long element = element_at(array.declared.layout, c, number);
        const long long last = element_at(array.declared.layout, c, number + run.vector - 1);
        check(last == element + run.vector - 1, "a wide access is torn");
        check((planned.offset_bytes + element * array.declared.element_bytes) %
                      (run.bytes == 12 ? 4 : run.bytes) ==
                  0,
              "an access is not aligned");
        check((element + run.vector) * array.declared.element_bytes <= c.bytes,
              "an access after the end of its array");
        if (wrong.str().size() > 200) return wrong.str();
      }
  }
  check(plan.least_wavefronts() <= plan.after().wavefronts, "a bound above the plan");
  check(plan.is_optimal() == (plan.least_wavefronts() == plan.after().wavefronts), "is_optimal()");
  if (m.machine.limits.shared_per_multiprocessor == 0)
    check(plan.resident_blocks() == 0, "blocks on a machine without limits");
  return wrong.str();
}

// The arrays as declared, one after another in the order of first use: their wavefronts and
// their end.
inline std::pair<unsigned long long, long long> one_after_another(
    const judged_machine& m, const std::vector<one_array>& arrays) {
  unsigned long long wavefronts = 0;
  long long end = 0;
  for (const one_array& array : arrays) {
    const choice c = as_laid_out(array.declared, array.declared.layout);
    end = (end + array.widest - 1) / array.widest * array.widest;
    for (const access_run& run : array.runs)
      wavefronts += count(m, array.declared, run, c, end).wavefronts;
    end += c.bytes;
  }
  return {wavefronts, end};
}

// Calls visit(kernel) with the accesses of a vector as a kernel.
template <int Most, class Access, class Visit>
void as_kernel(const bm::block_dim& block, const std::vector<Access>& accesses,
               const Visit& visit) {
  if constexpr (Most > 0) {
    if (static_cast<int>(accesses.size()) != Most) {
      as_kernel<Most - 1>(block, accesses, visit);
      return;
    }
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      visit(bm::kernel(block, accesses[At]...));
    }(std::make_index_sequence<Most>{});
  }
}

inline std::string text_of(const bm::array_description& a, const bm::layout& l) {
  std::ostringstream text;
  for (int index = 0; a.name[index] != '\0'; ++index) text << a.name[index];
  text << " of " << a.element_bytes << " bytes";
  for (int d = 0; d < l.rank; ++d) text << " [" << l.extent[d] << "]";
  for (int d = 0; d < l.rank - 1; ++d) text << " + " << l.padding(d);
  if (l.interval != 0) text << " + " << l.interval_padding << " every " << l.interval;
  return text.str();
}

template <class Plan>
std::string text_of(const Plan& plan) {
  std::ostringstream text;
  text << plan.after().wavefronts << " wavefronts (before " << plan.before().wavefronts
       << ", ideal " << plan.after().ideal << ", least " << plan.least_wavefronts() << ") in "
       << plan.bytes() << " bytes, banks of " << plan.bank_width();
  for (int a = 0; a < plan.arrays(); ++a)
    text << "\n  at " << plan.array(a).offset_bytes << ": "
         << text_of(plan.array(a).declared, plan.array(a).layout);
  return text.str();
}

}  // namespace exhaustive

#endif
