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

namespace every {

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
  const bm::service& from = (load ? m.loads : m.stores).of_width(bytes);
  service result{{from.bank_num, from.W, from.N}, {}, false, from.phases_overlap};
  const unsigned parity[] = {from.phases.parity_0, from.phases.parity_1, from.phases.parity_2};
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
                  one_array& of) {
  access_run result;
  result.bytes = access.array.element_bytes * access.vector;
  result.load = access.kind == bm::access_kind::load;
  const service how = service_of(m, result.bytes, result.load);
  plainly::each_request(m.lanes, block, access, [&](const plainly::request& lanes) {
    oracle::by_lane element;
    for (const plainly::touch& lane : lanes) {
      auto known = std::find(of.elements.begin(), of.elements.end(), lane.at);
      if (known == of.elements.end()) known = of.elements.insert(known, lane.at);
      element[lane.lane] = known - of.elements.begin();
    }
    phases request;
    for (const auto& [number, of_lanes] : oracle::phases(how.phase_of, how.pairs, element)) {
      std::vector<int> phase(of_lanes.begin(), of_lanes.end());
      std::sort(phase.begin(), phase.end());
      phase.erase(std::unique(phase.begin(), phase.end()), phase.end());
      request.push_back(phase);
    }
    ++result.number;
    result.ideal += how.overlap ? 2 : request.size();
    if (how.overlap)
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
    auto at = std::find_if(result.begin(), result.end(), [&](const one_array& a) {
      return a.declared.name == access.array.name;
    });
    if (at == result.end())
      at = result.insert(at, one_array{access.array, access.array.element_bytes, {}, {}});
    at->runs.push_back(run_of(m, block, access, *at));
    at->widest = std::max(at->widest, at->runs.back().bytes);
  }
  return result;
}

// ---- one layout ----

// Strides in elements; then at most one of: padding after intervals, a swizzle of bits, a
// permutation of the groups of a row.
struct choice {
  bm::layout_family family = bm::layout_family::rows;
  std::array<long long, bm::max_rank> stride{};
  long long interval = 0, behind = 0;
  int from = 0, to = 0, bits = 0;  // the lowest bits that are read and that change, and how many
  int group = 1, form = 0;         // form of a triangular layout, as in its four functions
  long long a = 1, b = 0;          // column a c + b r
  long long elements = 0;          // of storage

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

inline long long rows_before(const bm::layout& l, const coordinates& at) {
  long long row = 0;
  for (int d = 0; d < l.rank - 1; ++d) row = row * l.extent[d] + at[static_cast<std::size_t>(d)];
  return row;
}

inline long long place_of(const bm::layout& extents, const choice& c, const coordinates& at) {
  const int rank = extents.rank;
  const auto last = static_cast<std::size_t>(rank - 1);
  long long number = 0;
  for (int d = 0; d < rank; ++d)
    number += at[static_cast<std::size_t>(d)] * c.stride[static_cast<std::size_t>(d)];
  switch (c.family) {
    case bm::layout_family::rows:
      return number + (c.interval == 0 ? 0 : number / c.interval * c.behind);
    case bm::layout_family::xor_swizzle:
      return number ^ ((number >> c.from & ((1ll << c.bits) - 1)) << c.to);
    default: break;
  }
  const long long width = extents.extent[rank - 1] / c.group, row = rows_before(extents, at),
                  group = at[last] / c.group;
  long long to = 0;
  if (c.family != bm::layout_family::triangular) {
    to = (c.a * group + c.b * row) % width;
  } else if (c.form == 0) {
    to = (row + triangle(group)) % width;
  } else if (c.form == 1) {
    to = (group + triangle(row)) % width;
  } else if (c.form == 2) {  // the place to which form 0 moves what is stored at this one
    while ((row + triangle(to)) % width != group) ++to;
  } else {
    to = ((group - triangle(row)) % width + width) % width;
  }
  return number + (to - group) * c.group;
}

// The library's own form of it, to ask the library for its cost.
inline bm::layout layout_of(const bm::array_description& a, const choice& c) {
  bm::layout result = a.layout;
  if (c.interval != 0) return result.padded_every(c.interval, c.behind);
  for (int d = result.rank - 2; d >= 0; --d)
    result = result.padded(
        c.stride[static_cast<std::size_t>(d)] - result.extent[d + 1] * result.stride[d + 1], d);
  switch (c.family) {
    case bm::layout_family::xor_swizzle:
      return result.permuted(bm::xor_swizzle(c.bits, std::min(c.from, c.to), c.from - c.to));
    case bm::layout_family::rotation:
      return result.permuted(bm::rotation(c.b).in_groups_of(c.group));
    case bm::layout_family::modular:
      return result.permuted(bm::modular({c.a, c.b, 0, 1}).in_groups_of(c.group));
    case bm::layout_family::triangular: {
      const auto of = c.form % 2 == 0 ? bm::triangle::of_columns : bm::triangle::of_rows;
      return result.permuted(
          (c.form < 2 ? bm::triangular(of) : bm::inverse_triangular(of)).in_groups_of(c.group));
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
    for (int at = 0; at < 4; ++at) text << (at == 0 ? "" : ", ") << p.number[at];
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

  all_layouts(const one_array& of, const limits& within, const visitor& visit)
      : array_(of), extents_(of.declared.layout), within_(within), visit_(visit) {
    const choice declared = choice_of(extents_);
    const bool pads = has(bm::layouts::padding) && !within.keep;
    long long below = std::max<long long>(within.layer, of.widest);
    if (within.row_stride_bytes > 0) below = std::lcm(below, within.row_stride_bytes);
    below_ = pads ? below / of.declared.element_bytes : 1;
    padded(declared, rank() - 2);
    if (rank() == 1 && pads) at_intervals(declared);
    if (within.keep) return;
    for (inner_ = 0; inner_ < (rank() == 1 ? 1 : below_) && !done_; inner_ += of.unit()) {
      if (inner_ != 0 && rows() == 1) break;
      choice c = declared;
      restride(c, rank() - 2, inner_);
      if (!has_row_stride(c) || bytes_of(c) > within.most_bytes) continue;
      if (has(bm::layouts::xor_swizzle)) swizzles(c);
      if (has(bm::layouts::rotation)) permuted(c, bm::layout_family::rotation);
      if (inner_ != 0) continue;
      if (has(bm::layouts::triangular)) triangular(c);
      if (has(bm::layouts::modular) && rank() == 2) permuted(c, bm::layout_family::modular);
    }
  }

 private:
  static long long& at(std::array<long long, bm::max_rank>& of, int d) {
    return of[static_cast<std::size_t>(d)];
  }
  int rank() const { return extents_.rank; }
  long long rows() const {
    long long result = 1;
    for (int d = 0; d < rank() - 1; ++d) result *= extents_.extent[d];
    return result;
  }
  bool has(bm::layout_families one) const { return (within_.layouts.bits & one.bits) != 0; }
  long long bytes_of(choice& c) const {
    if (c.elements == 0) c.elements = extents_.extent[0] * c.stride[0];
    return c.elements * array_.declared.element_bytes;
  }
  bool has_row_stride(const choice& c) const {
    for (int d = 0; d < rank() - 1 && within_.row_stride_bytes > 0 && !within_.keep; ++d)
      if (extents_.extent[d] > 1 && c.stride[static_cast<std::size_t>(d)] *
                                            array_.declared.element_bytes %
                                            within_.row_stride_bytes !=
                                        0)
        return false;
    return true;
  }
  void visit(choice c) {
    if (!done_ && bytes_of(c) <= within_.most_bytes && has_row_stride(c)) done_ = !visit_(c);
  }

  // `more` elements after each coordinate of dimension d; the outer dimensions follow.
  void restride(choice& c, int d, long long more) const {
    for (int outer = d; outer >= 0; --outer)
      at(c.stride, outer) = extents_.padding(outer) + (outer == d ? more : 0) +
                            extents_.extent[outer + 1] * at(c.stride, outer + 1);
  }

  void padded(const choice& from, int d) {
    if (d < 0) {
      visit(from);
      return;
    }
    for (long long more = 0; more < below_ && !done_; more += array_.unit()) {
      if (more != 0 && extents_.extent[d] == 1) break;
      choice c = from;
      restride(c, d, more);
      if (extents_.extent[0] * c.stride[0] * array_.declared.element_bytes > within_.most_bytes)
        break;
      padded(c, d - 1);
    }
  }

  void at_intervals(const choice& declared) {
    const long long all = extents_.extent[0];
    for (long long interval = array_.unit(); interval < all; interval *= 2)
      for (long long behind = array_.unit(); behind < below_; behind += array_.unit()) {
        choice c = declared;
        c.interval = interval;
        c.behind = behind;
        c.elements = all + (all - 1) / interval * behind;
        visit(c);
      }
  }

  void swizzles(choice c) {
    const long long size = extents_.extent[0] * c.stride[0];
    const int all = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1))),
              lowest = std::countr_zero(static_cast<unsigned>(array_.unit()));
    c.family = bm::layout_family::xor_swizzle;
    for (c.from = lowest; c.from < all; ++c.from)
      for (c.to = lowest; c.to < all; ++c.to)
        for (c.bits = 1;
             c.bits <= std::abs(c.from - c.to) && c.from + c.bits <= all && c.to + c.bits <= all;
             ++c.bits) {
          const long long block = 1ll << (c.to + c.bits);
          c.elements = (size + block - 1) / block * block;
          visit(c);
          if (done_) return;
        }
  }

  template <class Each>
  void in_groups(choice c, const Each& each) {
    if (rank() < 2) return;
    const long long columns = extents_.extent[rank() - 1];
    for (c.group = array_.unit(); columns % c.group == 0 && columns / c.group > 1; c.group *= 2)
      each(c, columns / c.group);
  }

  void permuted(const choice& from, bm::layout_family family) {
    const bool modular = family == bm::layout_family::modular;
    in_groups(from, [&](choice c, long long width) {
      // A modular layout moves groups between rows, so these begin with a group.
      if (modular && c.stride[0] % c.group != 0) return;
      c.family = family;
      for (c.a = 1; c.a < (modular ? width : 2); ++c.a)
        for (c.b = c.a == 1 ? 1 : 0; c.b < width && std::gcd(c.a, width) == 1; ++c.b) visit(c);
    });
  }

  void triangular(const choice& from) {
    in_groups(from, [&](choice c, long long width) {
      c.family = bm::layout_family::triangular;
      for (c.form = 0; c.form < 4; ++c.form)
        if (c.form % 2 == 1 || std::has_single_bit(static_cast<std::uint64_t>(width))) visit(c);
    });
  }

  const one_array& array_;
  const bm::layout& extents_;
  const limits& within_;
  const visitor& visit_;
  long long below_ = 1, inner_ = 0;
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
                          std::vector<int>& to) {
    to.assign(static_cast<std::size_t>(period_ / align_), 0);
    const auto layers = static_cast<int>(banks_.W / banks_.N);  // rows of words in a layer
    for (long long within = 0; within < std::max<long long>(banks_.N, 1); within += align_) {
      collect(addresses, within, bytes);
      if (layers == 1) {
        std::size_t most = 0;
        for (const int bank : used_)
          most = std::max(most, rows_[static_cast<std::size_t>(bank)].size());
        to[static_cast<std::size_t>(within / align_)] = static_cast<int>(most);
      } else {
        shifted(within, layers, to);
      }
      for (const int bank : used_) rows_[static_cast<std::size_t>(bank)].clear();
      used_.clear();
    }
  }

 private:
  void collect(const std::vector<long long>& addresses, long long within, int bytes) {
    for (const long long address : addresses)
      for (long long word = (address + within) >> word_bits_;
           word <= (address + within + bytes - 1) >> word_bits_; ++word) {
        const auto bank = static_cast<std::size_t>(word & (banks_.bank_num - 1));
        auto& rows = rows_[bank];
        const long long row = word >> bank_bits_;
        if (rows.empty()) used_.push_back(static_cast<int>(bank));
        if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
      }
  }

  // A base of t words moves column c to bank (c + t) mod bank_num, and its rows by
  // (c + t) / bank_num: which of them are in one layer depends on that modulo `layers`.
  void shifted(long long within, int layers, std::vector<int>& to) {
    const auto banks = static_cast<std::size_t>(banks_.bank_num);
    most_below_.assign(static_cast<std::size_t>(layers) * (banks + 1), 0);
    most_from_.assign(static_cast<std::size_t>(layers) * (banks + 1), 0);
    for (int moved = 0; moved < layers; ++moved) {
      int* const below = &most_below_[static_cast<std::size_t>(moved) * (banks + 1)];
      int* const from = &most_from_[static_cast<std::size_t>(moved) * (banks + 1)];
      for (std::size_t bank = 0; bank < banks; ++bank) {
        from[bank] = distinct(rows_[bank], moved, layers);
        below[bank + 1] = std::max(below[bank], from[bank]);
      }
      for (std::size_t bank = banks; bank-- > 0;) from[bank] = std::max(from[bank], from[bank + 1]);
    }
    for (long long base = within; base < period_; base += std::max<long long>(banks_.N, align_)) {
      const auto words = static_cast<std::size_t>((base - within) >> word_bits_);
      const std::size_t stay = banks - words % banks,
                        moved = words / banks % static_cast<std::size_t>(layers);
      to[static_cast<std::size_t>(base / align_)] =
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
  array_costs(const bm::machine& m, const one_array& of) : array_(of) {
    for (const access_run& run : of.runs) {
      const service how = service_of(m, run.bytes, run.load);
      degrees_.emplace_back(how.banks, of.widest);
      overlap_.push_back(how.overlap);
      period_ = std::max(period_, degrees_.back().period());
    }
  }

  long long period() const { return period_; }

  // wavefronts[r] at base r * widest. False if all of them exceed `most`.
  bool count_up_to(const choice& c, count most, std::vector<count>& wavefronts) {
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
        count least = ~0ull;
        for (std::size_t r = 0, part = 0; r < wavefronts.size(); ++r, ++part) {
          if (part == slowest_.size()) part = 0;
          wavefronts[r] += times * static_cast<unsigned>(slowest_[part]);
          least = std::min(least, wavefronts[r]);
        }
        if (least + rest > most) return false;
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
inline oracle::counts counted_at(const bm::machine& m, const one_array& of, const access_run& run,
                                 const std::function<long long(const coordinates&)>& place,
                                 long long base) {
  const service how = service_of(m, run.bytes, run.load);
  oracle::counts sum{run.number, 0, run.ideal, 0};
  for (const auto& [request, times] : run.requests) {
    int slowest = 0;
    for (const auto& phase : request) {
      std::vector<long long> addresses;
      for (const int element : phase)
        addresses.push_back(base + place(of.elements[static_cast<std::size_t>(element)]) *
                                       of.declared.element_bytes);
      slowest = std::max(slowest, oracle::degree(how.banks, addresses, run.bytes));
    }
    if (how.overlap) ++slowest;
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
         const std::vector<limits>& within, const goal& sought)
      : arrays_(arrays), within_(within), sought_(sought) {
    const auto machines = widths_of(m);
    for (width_ = 0; width_ < static_cast<int>(machines.size()); ++width_) {
      options_.clear();
      for (std::size_t a = 0; a < arrays.size(); ++a)
        look_at(machines[static_cast<std::size_t>(width_)], a);
      if (arrays.size() == 1) continue;
      for (const option& one : options_[0])
        for (const option& other : options_[1]) {
          place(one, other, 0);
          place(other, one, 1);
        }
    }
  }

  const std::optional<plan>& found() const { return found_; }
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
    long long others = 0;
    count others_ideal = 0;
    for (std::size_t other = 0; other < arrays_.size(); ++other)
      if (other != a)
        others += arrays_[other].declared_bytes(), others_ideal += arrays_[other].ideal();
    array_costs costs(m, array);
    options_.emplace_back();
    all_layouts(array, within_[a], [&](const choice& c) {
      ++layouts_;
      const long long bytes = c.elements * array.declared.element_bytes,
                      weight = weight_of(array, c), most = sought_(bytes + others, weight);
      if (most < static_cast<long long>(others_ideal)) return true;
      if (!costs.count_up_to(c, static_cast<count>(most) - others_ideal, wavefronts_)) return true;
      for (std::size_t r = 0; r < wavefronts_.size(); ++r) {
        const long long residue = static_cast<long long>(r) * array.widest;
        if (static_cast<long long>(wavefronts_[r] + others_ideal) > most) continue;
        const option one{c, residue, costs.period(), bytes, weight, wavefronts_[r]};
        if (is_moved(one) > 0 && !permuted_arrays_begin_anywhere) break;
        if (arrays_.size() == 1)
          consider(
              {one.wavefronts, residue + bytes, weight, width_, is_moved(one), {{c, residue}}});
        else
          keep(one);
      }
      return true;
    });
  }

  static int is_moved(const option& one) {
    return one.layout.family != bm::layout_family::rows && one.residue != 0 ? 1 : 0;
  }

  void keep(const option& one) {
    auto& all = options_.back();
    for (const option& other : all)
      if (other.residue == one.residue && other.bytes <= one.bytes && other.weight <= one.weight &&
          other.wavefronts <= one.wavefronts)
        return;
    std::erase_if(all, [&](const option& other) {
      return other.residue == one.residue && other.bytes >= one.bytes &&
             other.weight >= one.weight && other.wavefronts >= one.wavefronts;
    });
    all.push_back(one);
  }

  void place(const option& first, const option& second, int number_of_first) {
    const long long end = first.residue + first.bytes,
                    behind =
                        ((second.residue - end) % second.period + second.period) % second.period;
    plan whole{first.wavefronts + second.wavefronts, end + behind + second.bytes,
               first.weight + second.weight,         width_,
               is_moved(first) + is_moved(second),   {}};
    whole.arrays = {{first.layout, first.residue}, {second.layout, end + behind}};
    if (number_of_first == 1) std::swap(whole.arrays[0], whole.arrays[1]);
    consider(whole);
  }

  void consider(const plan& one) {
    const long long most = sought_(one.bytes, one.weight);
    if (most < 0 || one.wavefronts > static_cast<count>(most)) return;
    const auto key = [](const plan& p) {
      return std::tuple(p.at_other_bases, p.wavefronts, p.bytes, p.weight);
    };
    if (!found_ || key(one) < key(*found_)) found_ = one;
  }

  const std::vector<one_array>& arrays_;
  const std::vector<limits>& within_;
  const goal& sought_;
  int width_ = 0;
  long long layouts_ = 0;
  std::vector<std::vector<option>> options_;
  std::vector<count> wavefronts_;
  std::optional<plan> found_;
};

}  // namespace every

#endif
