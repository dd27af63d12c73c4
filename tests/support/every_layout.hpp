// SPDX-License-Identifier: MIT
// Every layout of every family that optimize() searches, at every base, for kernels of one or two
// small arrays: enumerated by plain loops from the comments in search/options.hpp and
// search/optimizer.hpp, placed by formulas of its own, and counted from the requests of the kernel.
// From the library come the description of a kernel and the records of machines. Linear layouts are
// not enumerated: they can only be better than what is found here.
//
// Decisions where the comments leave room:
//   a wide access stays whole because rows, intervals, paddings, groups and the lowest bit of a
//   swizzle are multiples of the array's widest access;
//   padding is below one layer of all banks (the largest of the array's accesses), with
//   row_stride_bytes below their least common multiple; padded rows of a swizzle or a rotation are
//   searched if padding is among the families;
//   of two arrays, the plan with the less simple family is the less simple one; if they agree, the
//   other array decides.
#ifndef BANKMODEL_TESTS_EVERY_LAYOUT_HPP
#define BANKMODEL_TESTS_EVERY_LAYOUT_HPP

#include <bankmodel/optimize.hpp>

#include "run_plainly.hpp"

#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>

namespace brute_force {

namespace bm = bankmodel;
using count = unsigned long long;

// ---- machines ----

// How requests of one width and kind are served.
struct service {
  oracle::banks banks{};
  std::vector<int> phase_of;
  bool pairs = false, overlap = false;
};

inline service service_of(const bm::machine& m, int bytes, bool load) {
  const bm::service& rules = (load ? m.loads : m.stores).of_width(bytes);
  service result{{rules.bank_num, rules.W, rules.N}, {}, false, rules.phases_overlap};
  const unsigned parity[] = {rules.phases.parity_0, rules.phases.parity_1, rules.phases.parity_2};
  for (unsigned lane = 0; lane < static_cast<unsigned>(m.lanes); ++lane) {
    int phase = 0;
    for (int bit = 0; bit < 3; ++bit) phase |= std::popcount(lane & parity[bit]) % 2 << bit;
    result.phase_of.push_back(phase);
  }
  result.pairs = parity[0] != 0 && (load ? m.merges_loads : m.merges_stores) == bm::merging::pairs;
  return result;
}

// The machine with each of its bank widths, the initial one first.
inline std::vector<bm::machine> widths_of(const bm::machine& m) {
  std::vector<bm::machine> result{m};
  if (m.other_bank_width != 0) result.push_back(m.with_bank_width(m.other_bank_width));
  return result;
}

// ---- what a kernel touches ----

using coordinates = std::array<long long, bm::max_rank>;

// A request, or one phase of it: the indices into one_array::elements of its lanes without those
// that share an element, phase by phase.
using phases = std::vector<std::vector<int>>;

struct access_run {
  int bytes = 0;
  bool load = true;
  // With its frequency; the phases of a request are apart unless they overlap in time.
  std::map<phases, count> requests;
  count number = 0, ideal = 0;  // of requests, of passes without a conflict
};

struct one_array {
  bm::array_description declared;
  int widest = 1;  // bytes of its widest access
  std::vector<coordinates> elements;
  std::vector<access_run> runs;
  unsigned row_lengths = 0;  // of the rows of one dimension, see search/detail/row_lengths.hpp

  int unit() const { return widest / declared.element_bytes; }
  int rank() const { return declared.layout.rank; }
  count ideal() const {
    count sum = 0;
    for (const access_run& run : runs) sum += run.ideal;
    return sum;
  }
  long long declared_bytes() const {
    const auto& l = declared.layout;
    return l.extent[0] * l.stride[0] * declared.element_bytes;
  }
};

template <class Access>
access_run run_of(const bm::machine& m, const bm::block_dim& block, const Access& access,
                  one_array& array) {
  access_run result;
  result.bytes = access.array.element_bytes * access.vector;
  result.load = access.kind == bm::access_kind::load;
  const service rules = service_of(m, result.bytes, result.load);
  plainly::each_request(m.lanes, block, access, [&](const plainly::request& lanes) {
    oracle::by_lane element;
    for (const plainly::touch& lane : lanes) {
      auto known = std::find(array.elements.begin(), array.elements.end(), lane.subscripts);
      if (known == array.elements.end()) known = array.elements.insert(known, lane.subscripts);
      element[lane.lane] = known - array.elements.begin();
    }
    phases request;
    for (const auto& [number, of_lanes] : oracle::phases(rules.phase_of, rules.pairs, element)) {
      std::vector<int> phase(of_lanes.begin(), of_lanes.end());
      std::sort(phase.begin(), phase.end());
      phase.erase(std::unique(phase.begin(), phase.end()), phase.end());
      request.push_back(phase);
    }
    ++result.number;
    result.ideal += rules.overlap ? 2 : request.size();
    if (rules.overlap)
      ++result.requests[request];
    else
      for (const auto& phase : request) ++result.requests[{phase}];
  });
  return result;
}

// The arrays of accesses in the order of their first use.
template <class Access>
std::vector<one_array> arrays_of(const bm::machine& m, const bm::block_dim& block,
                                 const std::vector<Access>& accesses) {
  std::vector<one_array> result;
  for (const Access& access : accesses) {
    auto entry = std::find_if(result.begin(), result.end(), [&](const one_array& a) {
      return a.declared.name == access.array.name;
    });
    if (entry == result.end())
      entry = result.insert(entry, one_array{access.array, access.array.element_bytes, {}, {}});
    entry->runs.push_back(run_of(m, block, access, *entry));
    entry->widest = std::max(entry->widest, entry->runs.back().bytes);
  }
  return result;
}

// ---- one layout ----

// Strides in elements; then at most one of: padding after intervals, a swizzle of bits, a
// permutation of the groups of a row.
struct choice {
  bm::layout_family family = bm::layout_family::rows;
  std::array<long long, bm::max_rank> stride{};
  long long interval = 0, padding = 0;
  int source = 0, target = 0,
      bits = 0;             // the lowest bits that are read and that change, and how many
  int group = 1, form = 0;  // form of a triangular layout, as in its four functions
  long long a = 1, b = 0;   // column a c + b r
  long long elements = 0;   // of storage

  bool operator==(const choice&) const = default;
};

// The array as declared: its rows may be padded.
inline choice choice_of(const bm::layout& declared) {
  choice result;
  for (int d = 0; d < declared.rank; ++d)
    result.stride[static_cast<std::size_t>(d)] = declared.stride[d];
  return result;
}

inline long long triangle(long long n) { return n * (n + 1) / 2; }

inline long long rows_before(const bm::layout& l, const coordinates& position) {
  long long row = 0;
  for (int d = 0; d < l.rank - 1; ++d)
    row = row * l.extent[d] + position[static_cast<std::size_t>(d)];
  return row;
}

inline long long place_of(const bm::layout& extents, const choice& c, const coordinates& position) {
  const int rank = extents.rank;
  const auto last = static_cast<std::size_t>(rank - 1);
  long long number = 0;
  for (int d = 0; d < rank; ++d)
    number += position[static_cast<std::size_t>(d)] * c.stride[static_cast<std::size_t>(d)];
  switch (c.family) {
    case bm::layout_family::rows:
      return number + (c.interval == 0 ? 0 : number / c.interval * c.padding);
    case bm::layout_family::xor_swizzle:
      return number ^ ((number >> c.source & ((1ll << c.bits) - 1)) << c.target);
    default: break;
  }
  const long long width = extents.extent[rank - 1] / c.group, row = rows_before(extents, position),
                  group = position[last] / c.group;
  long long column = 0;
  if (c.family != bm::layout_family::triangular) {
    column = (c.a * group + c.b * row) % width;
  } else if (c.form == 0) {
    column = (row + triangle(group)) % width;
  } else if (c.form == 1) {
    column = (group + triangle(row)) % width;
  } else if (c.form == 2) {  // the place to which form 0 moves what is stored at this one
    while ((row + triangle(column)) % width != group) ++column;
  } else {
    column = ((group - triangle(row)) % width + width) % width;
  }
  return number + (column - group) * c.group;
}

// The library's own form of it, to ask the library for its cost.
inline bm::layout layout_of(const bm::array_description& a, const choice& c) {
  bm::layout result = a.layout;
  if (c.interval != 0) return result.padded_every(c.interval, c.padding);
  for (int d = result.rank - 2; d >= 0; --d)
    result = result.padded(
        c.stride[static_cast<std::size_t>(d)] - result.extent[d + 1] * result.stride[d + 1], d);
  switch (c.family) {
    case bm::layout_family::xor_swizzle:
      return result.permuted(
          bm::xor_swizzle(c.bits, std::min(c.source, c.target), c.source - c.target));
    case bm::layout_family::rotation:
      return result.permuted(bm::rotation(c.b).in_groups_of(c.group));
    case bm::layout_family::modular:
      return result.permuted(bm::modular({c.a, c.b, 0, 1}).in_groups_of(c.group));
    case bm::layout_family::triangular: {
      const auto direction = c.form % 2 == 0 ? bm::triangle::of_columns : bm::triangle::of_rows;
      return result.permuted(
          (c.form < 2 ? bm::triangular(direction) : bm::inverse_triangular(direction))
              .in_groups_of(c.group));
    }
    default: return result;
  }
}

inline std::string text_of(const bm::array_description& a, const bm::layout& l) {
  std::ostringstream text;
  text << a.name[0];
  for (int d = 0; d < l.rank; ++d) text << '[' << l.extent[d] << ']';
  if (l.interval != 0) text << ".padded_every(" << l.interval << ", " << l.interval_padding << ')';
  for (int d = 0; d < l.rank - 1; ++d)
    if (l.padding(d) != 0) text << ".padded(" << l.padding(d) << ", " << d << ')';
  const auto& p = l.permutation;
  const char* const names[] = {"rows",    "xor_swizzle", "rotation", "triangular",
                               "modular", "linear",      "table",    "other"};
  if (p.family != bm::layout_family::rows) {
    text << ' ' << names[static_cast<int>(p.family)] << '(';
    for (int index = 0; index < 4; ++index) text << (index == 0 ? "" : ", ") << p.number[index];
    text << ") form " << static_cast<int>(p.form) << ", groups of " << p.group;
  }
  return text.str();
}

// ---- all layouts of an array ----

// False: where costs depend on the base, a permuted array begins at a multiple of its period.
constexpr bool permuted_arrays_begin_anywhere = false;

// The limits of the choices for an array.
struct limits {
  bm::layout_families layouts;
  bool keep = false;
  long long row_stride_bytes = 0;
  long long layer = 1;  // bytes of the largest layer of all banks
  long long most_bytes = 1ll << 60;
};

// Calls visit(choice) for each layout until it returns false.
class all_layouts {
 public:
  using visitor = std::function<bool(const choice&)>;

  all_layouts(const one_array& array, const limits& bounds, const visitor& visit)
      : array_(array), extents_(array.declared.layout), limits_(bounds), visit_(visit) {
    const choice declared = choice_of(extents_);
    const bool pads = has(bm::layouts::padding) && !bounds.keep;
    long long limit = std::max<long long>(bounds.layer, array.widest);
    if (bounds.row_stride_bytes > 0) limit = std::lcm(limit, bounds.row_stride_bytes);
    padding_end_ = pads ? limit / array.declared.element_bytes : 1;
    padded(declared, rank() - 2);
    if (rank() == 1 && pads) at_intervals(declared);
    if (bounds.keep) return;
    for (inner_ = 0; inner_ < (rank() == 1 ? 1 : padding_end_) && !done_; inner_ += array.unit()) {
      if (inner_ != 0 && rows() == 1) break;
      choice c = declared;
      restride(c, rank() - 2, inner_);
      if (!has_row_stride(c) || bytes_of(c) > bounds.most_bytes) continue;
      if (has(bm::layouts::xor_swizzle)) swizzles(c);
      if (has(bm::layouts::rotation)) permuted(c, bm::layout_family::rotation);
      if (inner_ != 0) continue;
      if (has(bm::layouts::triangular)) triangular(c);
      if (has(bm::layouts::modular) && rank() == 2) permuted(c, bm::layout_family::modular);
    }
  }

 private:
  static long long& entry(std::array<long long, bm::max_rank>& values, int d) {
    return values[static_cast<std::size_t>(d)];
  }
  int rank() const { return extents_.rank; }
  long long rows() const {
    long long result = 1;
    for (int d = 0; d < rank() - 1; ++d) result *= extents_.extent[d];
    return result;
  }
  bool has(bm::layout_families families) const {
    return (limits_.layouts.bits & families.bits) != 0;
  }
  long long bytes_of(choice& c) const {
    if (c.elements == 0) c.elements = extents_.extent[0] * c.stride[0];
    return c.elements * array_.declared.element_bytes;
  }
  bool has_row_stride(const choice& c) const {
    for (int d = 0; d < rank() - 1 && limits_.row_stride_bytes > 0 && !limits_.keep; ++d)
      if (extents_.extent[d] > 1 && c.stride[static_cast<std::size_t>(d)] *
                                            array_.declared.element_bytes %
                                            limits_.row_stride_bytes !=
                                        0)
        return false;
    return true;
  }
  void visit(choice c) {
    if (!done_ && bytes_of(c) <= limits_.most_bytes && has_row_stride(c)) done_ = !visit_(c);
  }

  // `padding` elements after each coordinate of dimension d; the outer dimensions follow.
  void restride(choice& c, int d, long long padding) const {
    for (int outer = d; outer >= 0; --outer)
      entry(c.stride, outer) = extents_.padding(outer) + (outer == d ? padding : 0) +
                               extents_.extent[outer + 1] * entry(c.stride, outer + 1);
  }

  void padded(const choice& start, int d) {
    if (d < 0) {
      visit(start);
      return;
    }
    for (long long padding = 0; padding < padding_end_ && !done_; padding += array_.unit()) {
      if (padding != 0 && extents_.extent[d] == 1) break;
      choice c = start;
      restride(c, d, padding);
      if (extents_.extent[0] * c.stride[0] * array_.declared.element_bytes > limits_.most_bytes)
        break;
      padded(c, d - 1);
    }
  }

  void at_intervals(const choice& declared) {
    const long long length = extents_.extent[0];
    for (long long interval = array_.unit(); interval < length; interval *= 2)
      for (long long padding = array_.unit(); padding < padding_end_; padding += array_.unit()) {
        choice c = declared;
        c.interval = interval;
        c.padding = padding;
        c.elements = length + (length - 1) / interval * padding;
        visit(c);
      }
  }

  void swizzles(choice c) {
    const long long size = extents_.extent[0] * c.stride[0];
    const int address_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1))),
              lowest = std::countr_zero(static_cast<unsigned>(array_.unit()));
    c.family = bm::layout_family::xor_swizzle;
    for (c.source = lowest; c.source < address_bits; ++c.source)
      for (c.target = lowest; c.target < address_bits; ++c.target)
        for (c.bits = 1; c.bits <= std::abs(c.source - c.target) &&
                         c.source + c.bits <= address_bits && c.target + c.bits <= address_bits;
             ++c.bits) {
          const long long block = 1ll << (c.target + c.bits);
          c.elements = (size + block - 1) / block * block;
          visit(c);
          if (done_) return;
        }
  }

  template <class Each>
  void in_groups(choice c, const Each& action) {
    if (rank() < 2) return;
    const long long columns = extents_.extent[rank() - 1];
    for (c.group = array_.unit(); columns % c.group == 0 && columns / c.group > 1; c.group *= 2)
      action(c, columns / c.group);
  }

  void permuted(const choice& start, bm::layout_family family) {
    const bool modular = family == bm::layout_family::modular;
    in_groups(start, [&](choice c, long long width) {
      // A modular layout moves groups between rows, so these begin with a group.
      if (modular && c.stride[0] % c.group != 0) return;
      c.family = family;
      for (c.a = 1; c.a < (modular ? width : 2); ++c.a)
        for (c.b = c.a == 1 ? 1 : 0; c.b < width && std::gcd(c.a, width) == 1; ++c.b) visit(c);
    });
  }

  void triangular(const choice& start) {
    in_groups(start, [&](choice c, long long width) {
      c.family = bm::layout_family::triangular;
      for (c.form = 0; c.form < 4; ++c.form)
        if (c.form % 2 == 1 || std::has_single_bit(static_cast<std::uint64_t>(width))) visit(c);
    });
  }

  const one_array& array_;
  const bm::layout& extents_;
  const limits& limits_;
  const visitor& visit_;
  long long padding_end_ = 1, inner_ = 0;
  bool done_ = false;
};

// ---- costs ----

// The degrees of one phase at all bases, as the definition in the design says: sums over the words
// that its lanes touch. Its numbers are compared with oracle::degree() in a test.
class degrees {
 public:
  degrees(const oracle::banks& banks, int align)
      : banks_(banks),
        align_(align),
        period_(
            std::max<long long>(align, banks.W == banks.N ? banks.N : banks.bank_num * banks.W)),
        rows_(static_cast<std::size_t>(banks.bank_num)) {
    while (1ll << word_bits_ < banks.N) ++word_bits_;
    while (1ll << bank_bits_ < banks.bank_num) ++bank_bits_;
  }

  // Bases that are equal modulo this number of bytes cost the same.
  long long period() const { return period_; }

  // to[r] for base r * align: the degree of lanes that touch `bytes` bytes from each address.
  void count_at_all_bases(const std::vector<long long>& addresses, int bytes,
                          std::vector<int>& result) {
    result.assign(static_cast<std::size_t>(period_ / align_), 0);
    const auto layers = static_cast<int>(banks_.W / banks_.N);  // rows of words in a layer
    for (long long offset = 0; offset < std::max<long long>(banks_.N, 1); offset += align_) {
      collect(addresses, offset, bytes);
      if (layers == 1) {
        std::size_t highest = 0;
        for (const int bank : used_)
          highest = std::max(highest, rows_[static_cast<std::size_t>(bank)].size());
        result[static_cast<std::size_t>(offset / align_)] = static_cast<int>(highest);
      } else {
        shifted(offset, layers, result);
      }
      for (const int bank : used_) rows_[static_cast<std::size_t>(bank)].clear();
      used_.clear();
    }
  }

 private:
  void collect(const std::vector<long long>& addresses, long long offset, int bytes) {
    for (const long long address : addresses)
      for (long long word = (address + offset) >> word_bits_;
           word <= (address + offset + bytes - 1) >> word_bits_; ++word) {
        const auto bank = static_cast<std::size_t>(word & (banks_.bank_num - 1));
        auto& rows = rows_[bank];
        const long long row = word >> bank_bits_;
        if (rows.empty()) used_.push_back(static_cast<int>(bank));
        if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
      }
  }

  // A base of t words moves column c to bank (c + t) mod bank_num, and its rows by
  // (c + t) / bank_num: which of them are in one layer depends on that modulo `layers`.
  void shifted(long long offset, int layers, std::vector<int>& result) {
    const auto banks = static_cast<std::size_t>(banks_.bank_num);
    most_below_.assign(static_cast<std::size_t>(layers) * (banks + 1), 0);
    most_from_.assign(static_cast<std::size_t>(layers) * (banks + 1), 0);
    for (int moved = 0; moved < layers; ++moved) {
      int* const prefix = &most_below_[static_cast<std::size_t>(moved) * (banks + 1)];
      int* const suffix = &most_from_[static_cast<std::size_t>(moved) * (banks + 1)];
      for (std::size_t bank = 0; bank < banks; ++bank) {
        suffix[bank] = distinct(rows_[bank], moved, layers);
        prefix[bank + 1] = std::max(prefix[bank], suffix[bank]);
      }
      for (std::size_t bank = banks; bank-- > 0;)
        suffix[bank] = std::max(suffix[bank], suffix[bank + 1]);
    }
    for (long long base = offset; base < period_; base += std::max<long long>(banks_.N, align_)) {
      const auto words = static_cast<std::size_t>((base - offset) >> word_bits_);
      const std::size_t stay = banks - words % banks,
                        moved = words / banks % static_cast<std::size_t>(layers);
      result[static_cast<std::size_t>(base / align_)] =
          std::max(most_below_[moved * (banks + 1) + stay],
                   most_from_[(moved + 1) % static_cast<std::size_t>(layers) * (banks + 1) + stay]);
    }
  }

  int distinct(const std::vector<long long>& rows, int moved, int layers) {
    if (rows.size() < 2) return static_cast<int>(rows.size());
    layers_.clear();
    for (const long long row : rows) {
      const long long layer = (row + moved) / layers;
      if (std::find(layers_.begin(), layers_.end(), layer) == layers_.end())
        layers_.push_back(layer);
    }
    return static_cast<int>(layers_.size());
  }

  oracle::banks banks_;
  long long align_, period_;
  int word_bits_ = 0, bank_bits_ = 0;
  std::vector<std::vector<long long>> rows_;  // by column: the rows of words touched there
  std::vector<int> used_;
  std::vector<long long> layers_;
  std::vector<int> most_below_, most_from_;
};

// The costs of one array's layouts on a machine with one of its bank widths.
class array_costs {
 public:
  array_costs(const bm::machine& m, const one_array& array) : array_(array) {
    for (const access_run& run : array.runs) {
      const service rules = service_of(m, run.bytes, run.load);
      degrees_.emplace_back(rules.banks, array.widest);
      overlap_.push_back(rules.overlap);
      period_ = std::max(period_, degrees_.back().period());
    }
  }

  long long period() const { return period_; }

  // wavefronts[r] at base r * widest. False if all of them exceed `limit`.
  bool count_up_to(const choice& c, count limit, std::vector<count>& wavefronts) {
    wavefronts.assign(static_cast<std::size_t>(period_ / array_.widest), 0);
    count rest = array_.ideal();
    for (std::size_t number = 0; number < array_.runs.size(); ++number) {
      const access_run& run = array_.runs[number];
      for (const auto& [request, times] : run.requests) {
        slowest_.assign(1, 0);
        for (const auto& phase : request) {
          addresses_.clear();
          for (const int element : phase)
            addresses_.push_back(place_of(array_.declared.layout, c,
                                          array_.elements[static_cast<std::size_t>(element)]) *
                                 array_.declared.element_bytes);
          degrees_[number].count_at_all_bases(addresses_, run.bytes, at_base_);
          slowest_.resize(at_base_.size(), 0);
          for (std::size_t r = 0; r < at_base_.size(); ++r)
            slowest_[r] = std::max(slowest_[r], at_base_[r] + (overlap_[number] ? 1 : 0));
        }
        rest -= times * (overlap_[number] ? 2 : 1);
        count minimum = ~0ull;
        for (std::size_t r = 0, part = 0; r < wavefronts.size(); ++r, ++part) {
          if (part == slowest_.size()) part = 0;
          wavefronts[r] += times * static_cast<unsigned>(slowest_[part]);
          minimum = std::min(minimum, wavefronts[r]);
        }
        if (minimum + rest > limit) return false;
      }
    }
    return true;
  }

 private:
  const one_array& array_;
  std::vector<degrees> degrees_;
  std::vector<char> overlap_;
  long long period_ = 1;
  std::vector<long long> addresses_;
  std::vector<int> at_base_, slowest_;
};

// The cost of one access with its elements at these places, at this base, by the oracle itself.
inline oracle::counts counted_at(const bm::machine& m, const one_array& array,
                                 const access_run& run,
                                 const std::function<long long(const coordinates&)>& place,
                                 long long base) {
  const service rules = service_of(m, run.bytes, run.load);
  oracle::counts sum{run.number, 0, run.ideal, 0};
  for (const auto& [request, times] : run.requests) {
    int slowest = 0;
    for (const auto& phase : request) {
      std::vector<long long> addresses;
      for (const int element : phase)
        addresses.push_back(base + place(array.elements[static_cast<std::size_t>(element)]) *
                                       array.declared.element_bytes);
      slowest = std::max(slowest, oracle::degree(rules.banks, addresses, run.bytes));
    }
    if (rules.overlap) ++slowest;
    sum.wavefronts += times * static_cast<unsigned>(slowest);
    sum.degree = std::max(sum.degree, slowest);
  }
  return sum;
}

// ---- plans ----

// How simple a plan's index functions are, the smaller the simpler: the least simple one first.
// Padding after intervals that are not the kernel's rows is less simple than padded rows.
inline long long weight_of(bm::layout_family family, bool after_other_intervals) {
  if (family == bm::layout_family::rows) return after_other_intervals ? 1 : 0;
  long long weight = 1;
  for (int simpler = 0; simpler < static_cast<int>(family); ++simpler) weight *= 17;
  return weight;
}
inline long long weight_of(const one_array& array, const choice& c) {
  return weight_of(c.family, (c.interval & ~static_cast<long long>(array.row_lengths)) != 0);
}

struct placed {
  choice layout;
  long long offset = 0;
};
struct plan {
  count wavefronts = 0;
  long long bytes = 0, weight = 0;
  int width = 0;  // number
  // The permuted arrays that do not begin at a multiple of their period.
  int at_other_bases = 0;
  std::vector<placed> arrays;
};

// The most wavefronts with which a plan of so many bytes and this weight is what is sought; -1 if
// it never is. It does not grow with the bytes, nor with the weight.
using goal = std::function<long long(long long bytes, long long weight)>;

// Finds a plan of one or two arrays that meets the goal: of those one whose permuted arrays begin
// at whole periods, if there is one, then one with the fewest wavefronts.
class finder {
 public:
  finder(const bm::machine& m, const std::vector<one_array>& arrays,
         const std::vector<limits>& bounds, const goal& sought)
      : arrays_(arrays), limits_(bounds), sought_(sought) {
    const auto machines = widths_of(m);
    for (width_ = 0; width_ < static_cast<int>(machines.size()); ++width_) {
      options_.clear();
      for (std::size_t a = 0; a < arrays.size(); ++a)
        look_at(machines[static_cast<std::size_t>(width_)], a);
      if (arrays.size() == 1) continue;
      for (const option& candidate : options_[0])
        for (const option& other : options_[1]) {
          place(candidate, other, 0);
          place(other, candidate, 1);
        }
    }
  }

  const std::optional<plan>& best() const { return best_; }
  // Layouts visited, with each bank width.
  long long layouts() const { return layouts_; }

 private:
  struct option {
    choice layout;
    long long residue, period, bytes, weight;
    count wavefronts;
  };

  void look_at(const bm::machine& m, std::size_t a) {
    const one_array& array = arrays_[a];
    long long other_bytes = 0;
    count others_ideal = 0;
    for (std::size_t other = 0; other < arrays_.size(); ++other)
      if (other != a)
        other_bytes += arrays_[other].declared_bytes(), others_ideal += arrays_[other].ideal();
    array_costs costs(m, array);
    options_.emplace_back();
    all_layouts(array, limits_[a], [&](const choice& c) {
      ++layouts_;
      const long long bytes = c.elements * array.declared.element_bytes,
                      weight = weight_of(array, c), limit = sought_(bytes + other_bytes, weight);
      if (limit < static_cast<long long>(others_ideal)) return true;
      if (!costs.count_up_to(c, static_cast<count>(limit) - others_ideal, wavefronts_)) return true;
      for (std::size_t r = 0; r < wavefronts_.size(); ++r) {
        const long long residue = static_cast<long long>(r) * array.widest;
        if (static_cast<long long>(wavefronts_[r] + others_ideal) > limit) continue;
        const option candidate{c, residue, costs.period(), bytes, weight, wavefronts_[r]};
        if (is_moved(candidate) > 0 && !permuted_arrays_begin_anywhere) break;
        if (arrays_.size() == 1)
          consider({candidate.wavefronts,
                    residue + bytes,
                    weight,
                    width_,
                    is_moved(candidate),
                    {{c, residue}}});
        else
          keep(candidate);
      }
      return true;
    });
  }

  static int is_moved(const option& candidate) {
    return candidate.layout.family != bm::layout_family::rows && candidate.residue != 0 ? 1 : 0;
  }

  void keep(const option& candidate) {
    auto& kept = options_.back();
    for (const option& other : kept)
      if (other.residue == candidate.residue && other.bytes <= candidate.bytes &&
          other.weight <= candidate.weight && other.wavefronts <= candidate.wavefronts)
        return;
    std::erase_if(kept, [&](const option& other) {
      return other.residue == candidate.residue && other.bytes >= candidate.bytes &&
             other.weight >= candidate.weight && other.wavefronts >= candidate.wavefronts;
    });
    kept.push_back(candidate);
  }

  void place(const option& first, const option& second, int number_of_first) {
    const long long end = first.residue + first.bytes,
                    gap = ((second.residue - end) % second.period + second.period) % second.period;
    plan combined{first.wavefronts + second.wavefronts, end + gap + second.bytes,
                  first.weight + second.weight,         width_,
                  is_moved(first) + is_moved(second),   {}};
    combined.arrays = {{first.layout, first.residue}, {second.layout, end + gap}};
    if (number_of_first == 1) std::swap(combined.arrays[0], combined.arrays[1]);
    consider(combined);
  }

  void consider(const plan& candidate) {
    const long long limit = sought_(candidate.bytes, candidate.weight);
    if (limit < 0 || candidate.wavefronts > static_cast<count>(limit)) return;
    const auto key = [](const plan& p) {
      return std::tuple(p.at_other_bases, p.wavefronts, p.bytes, p.weight);
    };
    if (!best_ || key(candidate) < key(*best_)) best_ = candidate;
  }

  const std::vector<one_array>& arrays_;
  const std::vector<limits>& limits_;
  const goal& sought_;
  int width_ = 0;
  long long layouts_ = 0;
  std::vector<std::vector<option>> options_;
  std::vector<count> wavefronts_;
  std::optional<plan> best_;
};

}  // namespace brute_force

#endif
