// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNT_DETAIL_PRICE_HPP
#define BANKMODEL_COUNT_DETAIL_PRICE_HPP

#include <bankmodel/count/detail/lane_line.hpp>
#include <bankmodel/count/request_class.hpp>

// What request classes cost: a pattern of lanes and a histogram of where its bases are.
namespace bankmodel::detail {

// The lanes of a request, relative to a base. What is not filled in is not read.
struct lane_pattern {
  std::uint64_t active = 0;
  bool in_line =
      false;  // the lowest active lane is at the base, and lanes are `stride` bytes apart,
  long long stride = 0;
  long long offset[max_lanes];  // or each active lane is so many bytes behind it
};

// Whoever takes the requests that split() finds.
class request_taker {
 public:
  // How many bases of a request, in elements, make a difference; 0 for each.
  BANKMODEL_FN int residues() const { return residues_; }

  // Requests of these lanes, the lowest of them at base + k * step for k in [0, trips) of each
  // progression, in all combinations, and each `times` over.
  BANKMODEL_FN virtual void add(const lane_pattern& lanes, long long base, const progression* loops,
                                int depth, std::uint64_t times) = 0;

 protected:
  ~request_taker() = default;
  int residues_ = 2;
};

// The passes that one pattern of lanes takes do not change when its base moves by a whole layer of
// all banks; where W = N they do not change when it moves by whole words either, since that only
// rotates the banks. So requests are counted by the residue of their base, and each residue is
// evaluated once.
class price;

// Takes the histogram of a pattern's residues instead of having it priced at each base that occurs.
// (Not a class that derives from `price`: nvcc's constant expressions lose members of such.)
class histogram_taker {
 public:
  BANKMODEL_FN virtual void add_histogram(price& of) = 0;

 protected:
  ~histogram_taker() = default;
};

class price : public request_taker {
 public:
  static constexpr int most_residues = 256, max_rows = 16;

  BANKMODEL_FN price(const machine& m, int bytes, access_kind kind, int element_bytes)
      : machine_(m),
        how_(m.served(bytes, kind)),
        banks_(m.banks(bytes, kind)),
        element_bytes_(element_bytes),
        line_(how_, banks_, bytes) {
    modulus_ = banks_.W == banks_.N ? banks_.N : banks_.bank_num * banks_.W;
    residues_ = modulus_ > element_bytes ? modulus_ / element_bytes : 1;
    if (residues_ > most_residues || banks_.W / banks_.N > max_rows) residues_ = 0;
    shape_.bytes = bytes;
    shape_.kind = kind;
  }

  BANKMODEL_FN void add(const lane_pattern& lanes, long long base, const progression* loops,
                        int depth, std::uint64_t times) override {
    if (!is_present(lanes)) begin(lanes);
    if (known_.degree == 0 && residues_ > 1) return add_residues(base, loops, depth, times);
    for (int at = 0; at < depth; ++at)
      times = checked_count_product(times, static_cast<std::uint64_t>(loops[at].trips));
    if (known_.degree == 0 || residues_ == 0) {
      known_ = cost_at(base);
      ++evaluated_;
    }
    add_known(times);
  }

  // What all requests so far cost.
  BANKMODEL_FN const cost& sum() {
    finish();
    return sum_;
  }
  // How many requests were evaluated so far, for the tests: many bases of one request count once.
  BANKMODEL_FN std::uint64_t evaluated() const { return evaluated_; }

  // Sets who takes the histogram of every pattern, of those too whose cost is one at all bases.
  BANKMODEL_FN void give_histograms_to(histogram_taker& taker) { taker_ = &taker; }

 private:
  friend class price_at_all_bases;

  // Adds what was counted for the present pattern to the sum.
  BANKMODEL_FN void add_histogram() {
    if (taker_ != nullptr) return taker_->add_histogram(*this);
    int used = 0;
    for (int at = 0; at < residues_ && used < 3; ++at) used += times_[at] != 0;
    int wavefronts[most_residues], degree[most_residues];
    const int ideal = evaluate_bases(true, wavefronts, degree);
    sum_ = sum_ + cost_of_histogram(wavefronts, degree, ideal);
    evaluated_ += static_cast<std::uint64_t>(used > 2 && banks_.W > banks_.N ? 1 : used);
  }
  BANKMODEL_FN cost cost_of_histogram(const int* wavefronts, const int* degree, int ideal) const {
    cost all{};
    for (int at = 0; at < residues_; ++at) {
      const std::uint64_t times = times_[at];
      if (times == 0) continue;
      const auto passes = static_cast<std::uint64_t>(wavefronts[at]);
      if (degree[at] > all.degree) all.degree = degree[at];
      const bool fits =
          times < 1ull << 40 && all.wavefronts < 1ull << 62;  // no request takes 2^20 passes
      all.requests = fits ? all.requests + times : checked_count_sum(all.requests, times);
      all.wavefronts =
          fits ? all.wavefronts + passes * times
               : checked_count_sum(all.wavefronts, checked_count_product(passes, times));
    }
    all.ideal = checked_count_product(all.requests, static_cast<std::uint64_t>(ideal));
    return all;
  }

  // Writes what a request costs at each base, or only at those that occur; returns the passes
  // without any conflict.
  BANKMODEL_FN int evaluate_bases(bool only_those_that_occur, int* wavefronts, int* degree) const {
    int used = 0;  // where few occur, each by itself is less
    for (int at = 0; at < residues_ && used < 3; ++at)
      used += times_[at] != 0 || !only_those_that_occur;
    if (used > 2 && lanes_in_line_ == 0 && banks_.W != banks_.N && how_.is_plain())
      return evaluate_rows(only_those_that_occur, wavefronts, degree);
    int ideal = 1;
    for (int at = 0; at < residues_;
         ++at) {  // few, those in one word; in a closed form; or none is known from another
      if (only_those_that_occur && times_[at] == 0) continue;
      const long long base = static_cast<long long>(at) * element_bytes_;
      if (lanes_in_line_ > 0) {
        wavefronts[at] = degree[at] = line_.passes(base, lanes_in_line_);
        continue;
      }
      const cost one = cost_at(base);
      wavefronts[at] = static_cast<int>(one.wavefronts);
      degree[at] = one.degree;
      ideal = static_cast<int>(one.ideal);
    }
    return ideal;
  }
  // Where a layer has several rows of words: a base `rows` rows and `words` words into a layer
  // moves the lanes of each bank by that many rows, and those that pass the last bank by one more.
  // So the layers in each bank are counted once for each number of rows, and the degree at a base
  // is the most among the banks that stay and those that pass.
  BANKMODEL_FN int evaluate_rows(bool only_those_that_occur, int* wavefronts, int* degree) const {
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
        int before[max_rows][max_banks + 1],
            behind[max_rows][max_banks + 1];  // most layers in banks [0, b), in [b, banks)
        for (int row = 0; row < rows; ++row) {
          long long address[max_lanes];
          const int count = gather(shape_, lanes, part * element_bytes_ + row * banks * word,
                                   machine_.lanes, address);
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

  BANKMODEL_FN cost cost_at(long long base) const {
    if (lanes_in_line_ > 0) return cost_of_line(line_.passes(base, lanes_in_line_));
    if (base == 0) return count_passes(machine_, banks_, shape_);
    request there = shape_;
    for (std::uint64_t rest = shape_.active; rest != 0; rest &= rest - 1)
      there.address[trailing_zeros(rest)] += base;
    return count_passes(machine_, banks_, there);
  }

  const machine& machine_;
  const service& how_;
  geometry banks_;
  int element_bytes_;
  int modulus_;  // bases that are equal modulo this cost the same; residues_ of them are multiples
                 // of an element
  lane_line line_;
  request shape_ = {};  // the present pattern at base 0; lanes in a line whose cost has a closed
                        // form are not filled in
  bool in_line_ = false;
  int lanes_in_line_ = 0;  // so many where it has
  long long stride_ = 0;  // of lanes in a line, and so many of them have been seen with it, as bits
  std::uint64_t lines_seen_ = 0;
  cost known_;  // of the pattern, wherever its base is; a degree of 0: not known
  histogram_taker* taker_ = nullptr;  // of the histograms, if it is not this
  bool many_ =
      false;  // whether there is a histogram: requests at each residue; or so many at one of them
  int one_ = 0;
  std::uint64_t times_at_one_ = 0;
  std::uint64_t times_[most_residues];
  cost sum_;
  std::uint64_t evaluated_ = 0;

 private:
  // How many, if they are neighbours; else 0.
  BANKMODEL_FN static int neighbours(std::uint64_t active) {
    const std::uint64_t run = active >> trailing_zeros(active);
    return (run & (run + 1)) != 0 ? 0 : highest_bit(run) + 1;
  }
  BANKMODEL_FN static cost cost_of_line(int passes) {
    return {1, static_cast<std::uint64_t>(passes), 1, passes, method::each_request};
  }

  BANKMODEL_FN bool is_present(const lane_pattern& lanes) const {
    if (lanes.active != shape_.active || lanes.in_line != in_line_) return false;
    if (in_line_) return lanes.stride == stride_;
    for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1)
      if (lanes.offset[trailing_zeros(rest)] != shape_.address[trailing_zeros(rest)]) return false;
    return true;
  }
  BANKMODEL_FN void begin(const lane_pattern& lanes) {
    finish();
    shape_.active = lanes.active;
    in_line_ = lanes.in_line;
    lanes_in_line_ = in_line_ && line_.usable() ? neighbours(lanes.active) : 0;
    if (in_line_ && (lanes.stride != stride_ || lines_seen_ == 0)) {
      stride_ = lanes.stride;
      line_.set_stride(stride_);
      lines_seen_ = 0;
    }
    if (lanes_in_line_ > 0) {
      const int passes = line_.passes_everywhere(lanes_in_line_);
      if (passes > 0) {
        known_ = cost_of_line(passes);
        const std::uint64_t bit = std::uint64_t{1} << (lanes_in_line_ - 1);
        if ((lines_seen_ & bit) == 0) ++evaluated_;
        lines_seen_ |= bit;
        return;
      }
      if (residues_ == 1) lanes_in_line_ = 0;
    }
    if (lanes_in_line_ == 0) set_addresses(lanes);
    times_at_one_ = 0;
    many_ = false;
  }

  BANKMODEL_FN void set_addresses(const lane_pattern& lanes) {
    const int low = trailing_zeros(lanes.active), high = highest_bit(lanes.active);
    for (int lane = low; lane <= high && in_line_; ++lane)
      shape_.address[lane] = stride_ * (lane - low);
    for (int lane = low; lane <= high && !in_line_; ++lane)
      if ((lanes.active >> lane & 1) != 0) shape_.address[lane] = lanes.offset[lane];
  }

  BANKMODEL_FN void finish() {
    if (shape_.active != 0 && known_.degree == 0 && residues_ > 1) {
      if (many_ || taker_ != nullptr) {
        begin_histogram();
        add_histogram();
      } else {
        sum_ = sum_ + cost_at(static_cast<long long>(one_) * element_bytes_) * times_at_one_;
        ++evaluated_;
      }
    }
    shape_.active = 0;
    known_.degree = 0;
  }
  // From here on requests are counted by residue, while one residue needs no histogram.
  BANKMODEL_FN void begin_histogram() {
    if (many_) return;
    many_ = true;
    for (int at = 0; at < residues_; ++at) times_[at] = 0;
    times_[one_] = times_at_one_;
  }

  BANKMODEL_FN void add_known(std::uint64_t times) {
    if (known_.degree > sum_.degree) sum_.degree = known_.degree;
    if (times >= 1ull << 40 || sum_.wavefronts >= 1ull << 62) {
      sum_ = sum_ + known_ * times;
      return;
    }
    sum_.requests += times;  // nothing can overflow: no request takes 2^20 passes
    sum_.wavefronts += times * known_.wavefronts;
    sum_.ideal += times * known_.ideal;
  }

  // Of a base or a step, in elements.
  BANKMODEL_FN int residue_of(long long bytes) const {
    return static_cast<int>(bytes & (modulus_ - 1)) / element_bytes_;
  }

  // The residues of each progression are a progression too, and the numbers of requests convolve,
  // one at a time.
  BANKMODEL_FN void add_residues(long long base, const progression* loops, int depth,
                                 std::uint64_t times) {
    std::uint64_t all = times, still = times;  // still: of the loops that do not move the base
    int moving = 0;
    for (int at = 0; at < depth; ++at) {
      const auto trips = static_cast<std::uint64_t>(loops[at].trips);
      all = checked_count_product(all, trips);
      if (residue_of(loops[at].step) == 0)
        still *= trips;
      else
        ++moving;
    }
    const int residue = residue_of(base);
    if (moving == 0 && !many_ && (times_at_one_ == 0 || one_ == residue)) {
      one_ = residue;
      times_at_one_ = checked_count_sum(times_at_one_, all);
      return;
    }
    begin_histogram();
    if (moving == 0) {
      times_[residue] = checked_count_sum(times_[residue], all);
      return;
    }
    convolve(residue, loops, depth, still);
  }
  // Adds requests at a residue, so many, moved by each loop in turn.
  BANKMODEL_FN void convolve(int residue, const progression* loops, int depth,
                             std::uint64_t still) {
    std::uint64_t first[most_residues], second[most_residues];
    std::uint64_t *here = first, *next = second;
    for (int at = 0; at < residues_; ++at) here[at] = 0;
    here[residue] = still;
    std::uint64_t reached = 1;  // residues that are not empty, at most
    for (int at = 0; at < depth; ++at) {
      const int step = residue_of(loops[at].step);
      if (step == 0) continue;
      const auto trips = static_cast<std::uint64_t>(loops[at].trips);
      if (trips <= static_cast<std::uint64_t>(residues_) / reached) {
        spread(here, next, step, static_cast<int>(trips));
        reached *= trips;
      } else {
        slide(here, next, step, trips);
        reached = static_cast<std::uint64_t>(residues_);
      }
      std::uint64_t* const before = here;
      here = next;
      next = before;
    }
    for (int at = 0; at < residues_; ++at)
      if (here[at] != 0) times_[at] = checked_count_sum(times_[at], here[at]);
  }

  // to[r] = the sum of from[r - k * step] for k in [0, trips), modulo residues_. Where few residues
  // are reached, each is moved trips times.
  BANKMODEL_FN void spread(const std::uint64_t* from, std::uint64_t* to, int step,
                           int trips) const {
    for (int at = 0; at < residues_; ++at) to[at] = 0;
    for (int at = 0; at < residues_; ++at)
      if (from[at] != 0)
        for (int trip = 0; trip < trips; ++trip)
          to[(at + trip * step) & (residues_ - 1)] += from[at];
  }
  // The same for any number of trips: a window slides along each of the cycles that the step makes.
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
};

}  // namespace bankmodel::detail

#endif
