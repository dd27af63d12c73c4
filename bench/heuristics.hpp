// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_HEURISTICS_HPP
#define BANKMODEL_BENCH_HEURISTICS_HPP

#include <bankmodel/model/geometry.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

// How S. Gao's dissertation (2014), section 6.4, chooses paddings: what optimize() is to beat.
// Rows of arrays of two dimensions are padded, array by array and then offset by offset; a
// multiple-choice problem is left, for which there are two methods, and a strategy that looks at
// few paddings first. Where the text leaves something open, what finds the better layouts is
// taken; and conflicts are counted exactly here, not estimated.
namespace dissertation {

namespace bm = bankmodel;

struct array_to_pad {
  long long rows, row_bytes;
  int element_bytes;
  long long bytes(long long padding) const { return rows * (row_bytes + padding * element_bytes); }
};

struct kernel_to_pad {
  std::vector<array_to_pad> arrays;              // in the order in which they lie
  std::vector<std::vector<bm::geometry>> banks;  // with each bank width, as each array sees them
  // With that bank width, of that array, with so many elements behind each row, if it begins there.
  std::function<unsigned long long(std::size_t width, std::size_t array, long long padding,
                                   long long base_bytes)>
      conflicts;

  // Where the arrays end, from number `first` on.
  long long end(const std::vector<long long>& padding, long long begin = 0,
                std::size_t first = 0) const {
    for (std::size_t a = first; a < arrays.size(); ++a)
      begin = aligned(begin, a) + arrays[a].bytes(padding[a]);
    return begin;
  }
  long long aligned(long long begin, std::size_t array) const {
    const long long multiple = arrays[array].element_bytes;
    return (begin + multiple - 1) / multiple * multiple;
  }
};

// ---- what can be chosen: fewer conflicts for more padding, from option to option ----

struct option {
  long long padding, bytes;
  unsigned long long conflicts;
};
using option_lists = std::vector<std::vector<option>>;  // one for each array
using choice = std::vector<std::size_t>;                // the number of an option in each list
using fit = std::function<bool(const choice&)>;         // whether there is memory for it
// required: what is not padded fits
using method = std::function<choice(const option_lists&, const fit&)>;

inline unsigned long long conflicts_of(const option_lists& lists, const choice& picks) {
  unsigned long long sum = 0;
  for (std::size_t a = 0; a < lists.size(); ++a) sum += lists[a][picks[a]].conflicts;
  return sum;
}
inline long long bytes_of(const option_lists& lists, const choice& picks) {
  long long sum = 0;
  for (std::size_t a = 0; a < lists.size(); ++a) sum += lists[a][picks[a]].bytes;
  return sum;
}
// Fewer conflicts, or as many in fewer bytes.
inline bool is_better(const option_lists& lists, const choice& candidate, const choice& other) {
  return std::pair(conflicts_of(lists, candidate), bytes_of(lists, candidate)) <
         std::pair(conflicts_of(lists, other), bytes_of(lists, other));
}

// All of them, which section 6.4 has for short lists.
inline choice every_combination(const option_lists& lists, const fit& fits) {
  choice best(lists.size(), 0), current = best;
  for (;;) {
    std::size_t a = 0;
    while (a < lists.size() && ++current[a] == lists[a].size()) current[a++] = 0;
    if (a == lists.size()) return best;
    if (is_better(lists, current, best) && fits(current)) best = current;
  }
}

// ---- method one: lists side by side, their last options repeated up to equal length; whole
// columns are tried ----

struct two_columns {
  // G_a, the last column that fits, and G_b, the first that does not; the same if all fit
  choice fits, next;
};
inline two_columns columns_of(const option_lists& lists, const fit& fits) {
  std::size_t count = 0;
  for (const auto& list : lists) count = std::max(count, list.size());
  choice next;
  for (std::size_t column = count; column-- > 0;) {
    choice current;
    for (const auto& list : lists) current.push_back(std::min(column, list.size() - 1));
    if (fits(current)) return {current, next.empty() ? current : next};
    next = current;
  }
  return {choice(lists.size(), 0), next};
}

// The simplest: G_a itself.
inline choice last_column_that_fits(const option_lists& lists, const fit& fits) {
  return columns_of(lists, fits).fits;
}

// Option one: each array has its option of G_a or of G_b (7 candidates for three arrays); the best
// that fits.
inline choice between_two_columns(const option_lists& lists, const fit& fits) {
  const two_columns columns = columns_of(lists, fits);
  choice best = columns.fits;
  for (std::size_t set = 1; set < std::size_t{1} << lists.size(); ++set) {
    choice current = columns.fits;
    for (std::size_t a = 0; a < lists.size(); ++a)
      if ((set >> a & 1) != 0) current[a] = columns.next[a];
    if (is_better(lists, current, best) && fits(current)) best = current;
  }
  return best;
}

// Option two: of the options of G_b always that one which saves most conflicts and still fits.
inline choice greedily_from_the_next_column(const option_lists& lists, const fit& fits) {
  const two_columns columns = columns_of(lists, fits);
  choice best = columns.fits;
  for (;;) {
    choice step = best;
    for (std::size_t a = 0; a < lists.size(); ++a) {
      choice current = best;
      current[a] = columns.next[a];
      if (is_better(lists, current, step) && fits(current)) step = current;
    }
    if (step == best) return best;
    best = step;
  }
}

// ---- method two: a front that moves where the next option saves most ----

// In steps of one array, or, `with_combinations`, of several at once where these save more for
// less memory than the best single step. A step that does not fit is passed over for the next
// best.
inline choice along_a_front(const option_lists& lists, const fit& fits, bool with_combinations) {
  choice front(lists.size(), 0);
  const auto moved = [&](std::size_t set) {
    choice neighbour = front;
    for (std::size_t a = 0; a < lists.size(); ++a)
      if ((set >> a & 1) != 0 && ++neighbour[a] == lists[a].size()) return choice{};
    return neighbour;
  };
  for (;;) {
    choice step = front;
    for (std::size_t a = 0; a < lists.size(); ++a) {
      const choice neighbour = moved(std::size_t{1} << a);
      if (!neighbour.empty() && is_better(lists, neighbour, step) && fits(neighbour))
        step = neighbour;
    }
    if (step == front) return front;
    const long long bytes = bytes_of(lists, step);
    for (std::size_t set = 1; with_combinations && set < std::size_t{1} << lists.size(); ++set) {
      const choice neighbour = moved(set);
      if (!neighbour.empty() && bytes_of(lists, neighbour) < bytes &&
          is_better(lists, neighbour, step) && fits(neighbour))
        step = neighbour;
    }
    front = step;
  }
}
inline choice along_a_front_by_one(const option_lists& lists, const fit& fits) {
  return along_a_front(lists, fits, false);
}
inline choice along_a_front_by_several(const option_lists& lists, const fit& fits) {
  return along_a_front(lists, fits, true);
}

// ---- the framework of figure 6.7 ----

struct solution {
  unsigned long long conflicts = std::numeric_limits<unsigned long long>::max();
  long long bytes = 0;
  std::size_t width = 0;
  std::vector<long long> padding, offset_bytes;
  bool operator<(const solution& other) const {
    return std::pair(conflicts, bytes) < std::pair(other.conflicts, other.bytes);
  }
};

class framework {
 public:
  framework(const kernel_to_pad& kernel, long long most_bytes, const method& procedure)
      : kernel_(kernel), most_bytes_(most_bytes), method_(procedure) {}

  // The whole range of paddings at once.
  solution run() {
    choose_within(std::numeric_limits<long long>::max());
    return placed();
  }

  // Paddings 0 to 2 with each bank width, and only if each leaves a conflict further ones. The
  // text goes no further than this first range; the others double what has been looked at.
  solution run_progressively() {
    for (long long end = 3; !choose_within(end); end *= 2) continue;
    return placed();
  }

  // Layouts and offsets of arrays whose conflicts were counted.
  long long counted() const { return counted_; }

 private:
  // Options of one array with one bank width, as far as they have been looked at.
  struct options_so_far {
    std::vector<option> list;
    long long next = 0;
  };
  struct chosen {
    std::size_t width;
    std::vector<long long> padding;
  };

  // Intra-padding with each bank width. False if there are further paddings and no choice is
  // without a conflict.
  bool choose_within(long long end) {
    chosen_.clear();
    bool done = false, is_complete = true;
    for (std::size_t width = 0; width < kernel_.banks.size(); ++width) {
      option_lists lists;
      for (std::size_t a = 0; a < kernel_.arrays.size(); ++a) {
        lists.push_back(options(width, a, end));
        is_complete =
            is_complete && (lists.back().back().conflicts == 0 || end >= most_paddings(width, a));
      }
      // Some memory is kept for inter-padding; how much is left open, so: none, and as much as it
      // can use.
      long long usable = 0;
      for (std::size_t a = 1; a < kernel_.arrays.size(); ++a)
        usable += bases(width, a) - kernel_.arrays[a].element_bytes;
      for (const long long kept : {0ll, usable}) {
        const fit fits = [&](const choice& picks) {
          return kernel_.end(paddings(lists, picks)) + kept <= most_bytes_;
        };
        if (!fits(choice(lists.size(), 0))) continue;
        const choice selection = method_(lists, fits);
        chosen_.push_back({width, paddings(lists, selection)});
        done = done || conflicts_of(lists, selection) == 0;
        if (usable == 0) break;
      }
    }
    return done || is_complete;
  }

  // Inter-padding for each of these; the best.
  solution placed() {
    solution best;
    for (const chosen& entry : chosen_) {
      const solution candidate = placed(entry.width, entry.padding);
      if (candidate < best) best = candidate;
    }
    return best;
  }

  static std::vector<long long> paddings(const option_lists& lists, const choice& picks) {
    std::vector<long long> result;
    for (std::size_t a = 0; a < lists.size(); ++a) result.push_back(lists[a][picks[a]].padding);
    return result;
  }

  // Section 6.3.2: paddings below bank_num, or, column-major, below a layer of all banks; and
  // those for which there is memory if no other array is padded.
  long long most_paddings(std::size_t width, std::size_t array) const {
    const bm::geometry& g = kernel_.banks[width][array];
    const long long bound =
        g.mapping() == bm::mapping::column_major ? g.bank_num * g.W / g.M : g.bank_num;
    const array_to_pad& entry = kernel_.arrays[array];
    const long long left =
        most_bytes_ - kernel_.end(std::vector<long long>(kernel_.arrays.size(), 0));
    return std::min(bound, 1 + left / (entry.bytes(1) - entry.bytes(0)));
  }

  // Section 6.2: bytes after which offsets repeat: an element (offsets make no difference), a word
  // of several elements (column-major), or a layer of all banks.
  long long bases(std::size_t width, std::size_t array) const {
    const bm::geometry& g = kernel_.banks[width][array];
    return std::max(g.W == g.N ? g.W : g.bank_num * g.W, kernel_.arrays[array].element_bytes);
  }

  // An option has fewer conflicts than all before it; what follows one without any has nothing to
  // add.
  const std::vector<option>& options(std::size_t width, std::size_t array, long long end) {
    so_far_.resize(kernel_.banks.size(), std::vector<options_so_far>(kernel_.arrays.size()));
    auto& [list, next] = so_far_[width][array];
    const long long limit = most_paddings(width, array);
    for (; next < std::min(end, limit) && (list.empty() || list.back().conflicts != 0); ++next) {
      ++counted_;
      const unsigned long long conflicts = kernel_.conflicts(width, array, next, 0);
      if (list.empty() || conflicts < list.back().conflicts)
        list.push_back({next, kernel_.arrays[array].bytes(next), conflicts});
    }
    return list;
  }

  // Steps 1 to 5 of inter-padding: each array in turn where it has fewest conflicts, and the
  // others still fit behind.
  solution placed(std::size_t width, const std::vector<long long>& padding) {
    solution result{0, 0, width, padding, {}};
    for (std::size_t a = 0; a < kernel_.arrays.size(); ++a) {
      const int element = kernel_.arrays[a].element_bytes;
      const long long begin = kernel_.aligned(result.bytes, a),
                      bytes = kernel_.arrays[a].bytes(padding[a]);
      long long offset = begin;
      unsigned long long minimum = kernel_.conflicts(width, a, padding[a], begin);
      for (long long other = begin + element;
           a > 0 && minimum > 0 && other < begin + bases(width, a); other += element) {
        if (kernel_.end(padding, other + bytes, a + 1) > most_bytes_) break;
        ++counted_;
        const unsigned long long conflicts = kernel_.conflicts(width, a, padding[a], other);
        if (conflicts < minimum) minimum = conflicts, offset = other;
      }
      result.conflicts += minimum;
      result.offset_bytes.push_back(offset);
      result.bytes = offset + bytes;
    }
    return result;
  }

  const kernel_to_pad& kernel_;
  long long most_bytes_;
  const method& method_;
  std::vector<std::vector<options_so_far>> so_far_;
  std::vector<chosen> chosen_;
  long long counted_ = 0;
};

}  // namespace dissertation

#endif
