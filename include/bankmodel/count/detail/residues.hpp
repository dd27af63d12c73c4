// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_RESIDUES_HPP
#define BANKMODEL_COUNT_DETAIL_RESIDUES_HPP

#include <bankmodel/count/detail/lines.hpp>

// Many requests of the same lanes that differ only in their base.
namespace bankmodel::detail {

// A loop that moves the base by `step` bytes each time.
struct progression {
  long long step, trips;
};

// Whoever wants the requests themselves and not what they cost.
class request_sink {
 public:
  // Requests of the lanes of `shape`, whose addresses are relative to the base, at base + k * step
  // for k in [0, trips) of each progression, in all combinations, and each `times` over.
  BANKMODEL_FN virtual void add(const request& shape, long long base, const progression* nest,
                                int depth, std::uint64_t times) = 0;

 protected:
  ~request_sink() = default;
};

// The passes that one pattern of lanes takes do not change when its base moves by a whole layer of
// all banks; where W = N they do not change when it moves by whole words either, since that only
// rotates the banks. So requests are counted by the residue of their base, and each residue is
// evaluated once.
class requests_by_residue {
 public:
  static constexpr int most_residues = 256;

  // With a sink nothing is counted: each base is another request.
  BANKMODEL_FN requests_by_residue(const machine& m, int bytes, access_kind kind, int element_bytes,
                                   request_sink* sink = nullptr)
      : machine_(m),
        how_(m.served(bytes, kind)),
        banks_(m.banks(bytes, kind)),
        element_bytes_(element_bytes),
        line_(m, banks_, bytes, kind),
        sink_(sink) {
    shape_.bytes = bytes;
    shape_.kind = kind;
    modulus_ = banks_.W == banks_.N ? banks_.N : banks_.bank_num * banks_.W;
    residues_ = modulus_ > element_bytes ? modulus_ / element_bytes : 1;
    if (sink == nullptr) return;
    residues_ = 2;
    line_.use_for_nothing();
  }

  // Whether residues can be kept: there are not too many of them, nor rows of words in a layer.
  // Otherwise only add_single() may be called.
  BANKMODEL_FN bool few() const {
    return sink_ != nullptr || (residues_ <= most_residues && banks_.W / banks_.N <= max_rows);
  }

  // How many bases of a request may differ in cost; 0 if they are too many to keep.
  BANKMODEL_FN int residues() const { return few() ? residues_ : 0; }

  // How many requests were evaluated so far, for the tests: all bases of one request count once.
  BANKMODEL_FN std::uint64_t evaluated() const { return evaluated_; }
  BANKMODEL_FN void count_as_evaluated() { ++evaluated_; }

  // From here on lanes in a line are so many bytes apart.
  BANKMODEL_FN void set_stride(long long bytes) {
    if (line_lanes_ > 0) finish();
    line_.set_stride(bytes);
  }
  BANKMODEL_FN const lane_line& line() const { return line_; }

  // What a request of these lanes costs at these bytes. Required: all that was added was
  // add_known().
  BANKMODEL_FN cost cost_of(std::uint64_t active, const long long* relative) {
    shape_.active = active;
    for (int lane = 0; lane < machine_.lanes; ++lane)
      if ((active >> lane & 1) != 0) shape_.address[lane] = relative[lane];
    ++evaluated_;
    const cost result = count_passes(machine_, banks_, shape_);
    shape_.active = 0;
    return result;
  }

  // Requests that cost so many passes each.
  BANKMODEL_FN void add_known(int passes, int ideal, int degree, std::uint64_t times) {
    if (degree > sum_.degree) sum_.degree = degree;
    if (at_all_bases_ != nullptr)
      everywhere_ = checked_count_sum(
          everywhere_, checked_count_product(static_cast<std::uint64_t>(passes), times));
    // nothing can overflow: no request takes 2^20 passes
    if (times < 1ull << 40 && sum_.wavefronts < 1ull << 62) {
      sum_.requests += times;
      sum_.wavefronts += times * static_cast<std::uint64_t>(passes);
      sum_.ideal += times * static_cast<std::uint64_t>(ideal);
      return;
    }
    sum_.requests = checked_count_sum(sum_.requests, times);
    sum_.wavefronts = checked_count_sum(
        sum_.wavefronts, checked_count_product(static_cast<std::uint64_t>(passes), times));
    sum_.ideal = checked_count_sum(sum_.ideal,
                                   checked_count_product(static_cast<std::uint64_t>(ideal), times));
  }

  // From here on requests have these lanes, at these bytes from the base.
  BANKMODEL_FN void set_shape(std::uint64_t active, const long long* relative) {
    if (shape_.active != 0) {
      bool as_before = shape_.active == active;
      for (int lane = 0; lane < machine_.lanes && as_before; ++lane)
        as_before = (active >> lane & 1) == 0 || shape_.address[lane] == relative[lane];
      if (as_before) return;
    }
    finish();
    shape_.active = active;
    for (int lane = 0; lane < machine_.lanes; ++lane)
      if ((active >> lane & 1) != 0) shape_.address[lane] = relative[lane];
    for (int at = 0; at < residues_; ++at) times_[at] = 0;
  }

  // From here on requests are so many lanes in a line, the first of them at the base. Required:
  // line().usable().
  BANKMODEL_FN void set_line(int lanes) {
    if (line_lanes_ == lanes) return;
    finish();
    line_lanes_ = lanes;
    for (int at = 0; at < residues_; ++at) times_[at] = 0;
  }

  // So many requests of these lanes at these bytes from the base, evaluated for themselves.
  BANKMODEL_FN void add_single(std::uint64_t active, const long long* relative, long long base,
                               std::uint64_t times) {
    request now{.address = {}, .active = active, .bytes = shape_.bytes, .kind = shape_.kind};
    for (int lane = 0; lane < machine_.lanes; ++lane)
      if ((active >> lane & 1) != 0) now.address[lane] = relative[lane] + base;
    sum_ = sum_ + count_passes(machine_, banks_, now) * times;
    ++evaluated_;
  }

  // So many requests at that base, a multiple of the element.
  BANKMODEL_FN void add(long long base, std::uint64_t times) {
    std::uint64_t& count = times_[residue_of(base)];
    count = checked_count_sum(count, times);
  }

  // Requests at base + k * step for k in [0, trips) of each progression, in all combinations:
  // nested loops that move the base. Their residues are progressions too, and the numbers of
  // requests convolve, one progression at a time.
  BANKMODEL_FN void add_nest(long long base, const progression* nest, int depth,
                             std::uint64_t times) {
    if (sink_ != nullptr) {
      sink_->add(shape_, base, nest, depth, times);
      return;
    }
    if (depth == 0) {
      add(base, times);
      return;
    }
    std::uint64_t all = times, still = times;  // still: of the loops that do not move the base
    for (int at = 0; at < depth; ++at) {
      all = checked_count_product(all, static_cast<std::uint64_t>(nest[at].trips));
      if (residue_of(nest[at].step) == 0) still *= static_cast<std::uint64_t>(nest[at].trips);
    }
    if (residues_ == 1) {
      add(base, all);
      return;
    }
    std::uint64_t first[most_residues], second[most_residues];
    std::uint64_t *here = first, *next = second;
    for (int at = 0; at < residues_; ++at) here[at] = 0;
    here[residue_of(base)] = still;
    std::uint64_t reached = 1;  // residues that are not empty, at most
    for (int at = 0; at < depth; ++at) {
      const int step = residue_of(nest[at].step);
      const auto trips = static_cast<std::uint64_t>(nest[at].trips);
      if (step == 0) continue;
      const bool few_moves = trips <= static_cast<std::uint64_t>(residues_) / reached;
      if (few_moves)
        spread(here, next, step, static_cast<int>(trips));
      else
        slide(here, next, step, trips);
      reached = few_moves ? reached * trips : static_cast<std::uint64_t>(residues_);
      std::uint64_t* const before = here;
      here = next;
      next = before;
    }
    for (int at = 0; at < residues_; ++at)
      if (here[at] != 0) times_[at] = checked_count_sum(times_[at], here[at]);
  }

  // From here on the sum over all requests is kept for each of the residues() that the array's
  // base could have more than it has: to[r] are the wavefronts if it begins r elements later,
  // without those of everywhere(), which cost the same at each.
  BANKMODEL_FN void sum_at_all_bases(std::uint64_t* to) {
    at_all_bases_ = to;
    for (int at = 0; at < residues_; ++at) to[at] = 0;
  }

  BANKMODEL_FN std::uint64_t everywhere() const { return everywhere_; }

  // What all requests so far cost.
  BANKMODEL_FN cost sum() {
    finish();
    return sum_;
  }

 private:
  // to[r] = the sum of from[r - k * step] for k in [0, trips), modulo residues_. Here each request
  // is moved trips times.
  BANKMODEL_FN void spread(const std::uint64_t* from, std::uint64_t* to, int step,
                           int trips) const {
    for (int at = 0; at < residues_; ++at) to[at] = 0;
    for (int at = 0; at < residues_; ++at)
      if (from[at] != 0)
        for (int trip = 0; trip < trips; ++trip)
          to[(at + trip * step) & (residues_ - 1)] += from[at];
  }

  // The same for any number of trips, by a window that slides along each of the cycles that the
  // step makes.
  BANKMODEL_FN void slide(const std::uint64_t* from, std::uint64_t* to, int step,
                          std::uint64_t trips) const {
    const int cycles = step & -step, length = residues_ / cycles, mask = residues_ - 1;
    const std::uint64_t rounds = trips / static_cast<std::uint64_t>(length);
    const int rest = static_cast<int>(trips % static_cast<std::uint64_t>(length));
    for (int start = 0; start < cycles; ++start) {
      std::uint64_t cycle = 0, window = 0;
      for (int at = 0, residue = start; at < length; ++at, residue = (residue + step) & mask) {
        cycle += from[residue];
        if (at >= length - rest) window += from[residue];
      }
      for (int at = 0, residue = start; at < length; ++at, residue = (residue + step) & mask) {
        if (rest != 0) window += from[residue] - from[(residue - rest * step) & mask];
        to[residue] = rounds * cycle + window;
      }
    }
  }

  // Of a base or a step, in elements.
  BANKMODEL_FN int residue_of(long long bytes) const {
    return residues_ == 1 ? 0 : static_cast<int>(bytes & (modulus_ - 1)) / element_bytes_;
  }

  // Evaluates what was counted for the present shape or line.
  BANKMODEL_FN void finish() {
    if (shape_.active == 0 && line_lanes_ == 0) return;
    int used = 0;
    for (int at = 0; at < residues_ && used < 3; ++at) used += times_[at] != 0;
    if (at_all_bases_ != nullptr || (used > 2 && banks_.W > banks_.N)) {
      int wavefronts[most_residues], degree[most_residues];
      const int ideal = evaluate_bases(at_all_bases_ == nullptr, wavefronts, degree);
      add_each_base(wavefronts, degree, ideal);
      if (at_all_bases_ != nullptr) add_at_all_bases(wavefronts);
    } else {
      for (int at = 0; at < residues_; ++at)
        if (times_[at] != 0)
          sum_ = sum_ + at_base(static_cast<long long>(at) * element_bytes_) * times_[at];
    }
    shape_.active = 0;
    line_lanes_ = 0;
  }

  BANKMODEL_FN cost at_base(long long base) {
    ++evaluated_;
    if (line_lanes_ > 0) {
      const int passes = line_.passes(base, line_lanes_);
      return {.requests = 1,
              .wavefronts = static_cast<std::uint64_t>(passes),
              .ideal = 1,
              .degree = passes,
              .method = method::each_request};
    }
    if (base == 0) return count_passes(machine_, banks_, shape_);
    request now = shape_;
    for (int lane = 0; lane < machine_.lanes; ++lane)
      if ((now.active >> lane & 1) != 0) now.address[lane] += base;
    return count_passes(machine_, banks_, now);
  }

  // Where a layer has several rows of words: a base `rows` rows and `words` words into a layer
  // moves the lanes of each bank by that many rows, and those that pass the last bank by one more.
  // So the layers in each bank are counted once for each number of rows, and the degree at a base
  // is the most among the banks that stay and those that pass. Writes what a request costs at each
  // base, or only at those that occur; returns the passes without any conflict.
  BANKMODEL_FN int evaluate_bases(bool only_those_that_occur, int* wavefronts, int* degree) {
    ++evaluated_;
    if (line_lanes_ > 0) {
      line_.passes_from_0(element_bytes_, residues_, line_lanes_, wavefronts);
      for (int at = 0; at < residues_; ++at) degree[at] = wavefronts[at];
      return 1;
    }
    // few, those in one word; or none is known from another
    if (banks_.W == banks_.N || !how_.is_plain()) {
      int ideal = 0;
      for (int at = 0; at < residues_; ++at) {
        const cost one = at_base(static_cast<long long>(at) * element_bytes_);
        wavefronts[at] = static_cast<int>(one.wavefronts);
        degree[at] = one.degree;
        if (at == 0) ideal = static_cast<int>(one.ideal);
      }
      return ideal;
    }
    for (int at = 0; at < residues_; ++at) wavefronts[at] = degree[at] = 0;
    const int rows = banks_.W / banks_.N, banks = banks_.bank_num, word = banks_.N;
    const int within_word = word > element_bytes_ ? word / element_bytes_ : 1;  // bases in one word
    const lane_groups phases = phases_of(machine_, how_, shape_);
    int ideal = 0;
    for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
      const std::uint64_t lanes = shape_.active & phases.lanes_of(phase);
      if (lanes == 0) continue;
      ++ideal;
      for (int part = 0; part < within_word; ++part) {
        // most layers in banks [0, b), in [b, banks)
        int before[max_rows][max_banks + 1], behind[max_rows][max_banks + 1];
        for (int row = 0; row < rows; ++row) {
          long long address[max_lanes];
          int count = 0;
          for (int lane = 0; lane < machine_.lanes; ++lane)
            if ((lanes >> lane & 1) != 0)
              address[count++] = shape_.address[lane] + part * element_bytes_ + row * banks * word;
          int layers[max_banks];
          count_layers(banks_, address, count, shape_.bytes, layers);
          before[row][0] = behind[row][banks] = 0;
          for (int bank = 0; bank < banks; ++bank)
            before[row][bank + 1] =
                layers[bank] > before[row][bank] ? layers[bank] : before[row][bank];
          for (int bank = banks - 1; bank >= 0; --bank)
            behind[row][bank] =
                layers[bank] > behind[row][bank + 1] ? layers[bank] : behind[row][bank + 1];
        }
        for (int at = part; at < residues_; at += within_word) {
          if (only_those_that_occur && times_[at] == 0) continue;
          const int words = at * element_bytes_ / word, row = words / banks,
                    stay = banks - words % banks;
          const int passing = behind[(row + 1) % rows][stay], staying = before[row][stay];
          const int most = passing > staying ? passing : staying;
          wavefronts[at] += most;
          if (most > degree[at]) degree[at] = most;
        }
      }
    }
    return ideal;
  }

  BANKMODEL_FN void add_each_base(const int* wavefronts, const int* degree, int ideal) {
    cost all{};
    for (int at = 0; at < residues_; ++at) {
      if (times_[at] == 0) continue;
      all.requests = checked_count_sum(all.requests, times_[at]);
      all.wavefronts = checked_count_sum(
          all.wavefronts,
          checked_count_product(times_[at], static_cast<std::uint64_t>(wavefronts[at])));
      if (degree[at] > all.degree) all.degree = degree[at];
    }
    all.ideal = checked_count_product(all.requests, static_cast<std::uint64_t>(ideal));
    sum_ = sum_ + all;
  }

  BANKMODEL_FN void add_at_all_bases(const int* wavefronts) {
    std::uint64_t all = 0;
    int most = 0, used = 0, changes = 0;
    short change[most_residues];  // where the next base costs something else
    for (int at = 0; at < residues_; ++at) {
      all = checked_count_sum(all, times_[at]);
      used += times_[at] != 0;
      if (wavefronts[at] > most) most = wavefronts[at];
      if (wavefronts[at] != wavefronts[(at + residues_ - 1) & (residues_ - 1)])
        change[changes++] = static_cast<short>(at);
    }
    // nothing can overflow: no request takes 2^20 passes
    const bool fits = all < 1ull << 40 && highest_ < 1ull << 62;
    highest_ = fits ? highest_ + all * static_cast<std::uint64_t>(most) : ~std::uint64_t{0};
    if (fits && changes < used) {
      add_where_it_changes(wavefronts, change, changes);
      return;
    }
    for (int at = 0; at < residues_; ++at) {
      if (times_[at] == 0) continue;
      for (int later = 0; later < residues_; ++later) {
        const auto passes = static_cast<std::uint64_t>(wavefronts[(at + later) & (residues_ - 1)]);
        if (fits)
          at_all_bases_[later] += passes * times_[at];
        else
          at_all_bases_[later] =
              checked_count_sum(at_all_bases_[later], checked_count_product(times_[at], passes));
      }
    }
  }

  // The same sum, from one base to the next: it changes by the requests that come to a change of
  // their cost.
  BANKMODEL_FN void add_where_it_changes(const int* wavefronts, const short* change, int changes) {
    std::uint64_t sum = 0, by[most_residues] = {};  // modulo 2^64
    for (int at = 0; at < residues_; ++at)
      sum += times_[at] * static_cast<std::uint64_t>(wavefronts[at]);
    const int mask = residues_ - 1;
    for (int number = 0; number < changes; ++number) {
      const int at = change[number];
      const auto more = static_cast<std::uint64_t>(static_cast<long long>(wavefronts[at]) -
                                                   wavefronts[(at + mask) & mask]);
      for (int later = 0; later < residues_; ++later)
        by[later] += more * times_[(at - later) & mask];
    }
    at_all_bases_[0] += sum;
    for (int later = 1; later < residues_; ++later) at_all_bases_[later] += sum += by[later];
  }

  static constexpr int max_rows = 16;

  const machine& machine_;
  const service& how_;
  geometry banks_;
  int element_bytes_;
  int modulus_ = 1;   // bases that are equal modulo this cost the same
  int residues_ = 1;  // and this many of them are multiples of an element
  request shape_;     // the lanes relative to the base; none active: no shape yet,
  lane_line line_;    // or so many in a line
  request_sink* sink_;
  int line_lanes_ = 0;
  std::uint64_t times_[most_residues];
  std::uint64_t* at_all_bases_ = nullptr;
  std::uint64_t everywhere_ = 0, highest_ = 0;  // the latter: no sum at any base is above this
  std::uint64_t evaluated_ = 0;
  cost sum_;
};

}  // namespace bankmodel::detail

#endif
