// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_ACCESSES_HPP
#define BANKMODEL_SEARCH_DETAIL_ACCESSES_HPP

#include <bankmodel/count/price_at_all_bases.hpp>
#include <bankmodel/search/detail/kernel_access.hpp>

// The accesses of a kernel during the search for its layout.
namespace bankmodel::detail {

// The remaining effort: requests, and in a constant expression also approximate steps of clang,
// whose limit is 1 048 576.
struct effort_left {
  long long requests = 0;
  long long steps = 850'000;
  long long reserve = 0;  // steps that are kept for later work

  BANKMODEL_FN bool allows(long long more_steps) const {
    return requests > 0 && (!__builtin_is_constant_evaluated() || steps > more_steps + reserve);
  }
  // Subtracts the work of one walk of an access: `residues` residues of its base, and
  // `steps_of_lanes` steps for requests whose lanes had to be evaluated one by one.
  BANKMODEL_FN void spend(const counted_total& on, int residues, long long steps_of_lanes) {
    const auto evaluated = static_cast<long long>(on.evaluated);
    // in plain ones
    requests -= (evaluated + 3) *
                (residues == 1   ? 1
                 : residues == 2 ? 2
                                 : 8) *
                (steps_of_lanes == 0 ? 1 : 4);
    steps -= residues == 1   ? 2500 + 230 * evaluated
             : residues == 2 ? 4500 + 750 * evaluated
                             : 7000 + 900 * evaluated;
    steps -= steps_of_lanes * evaluated;
  }
};

// The cost of an array that begins at r * align bytes, for each r below `count`, and its cost
// without any conflict.
struct costs_by_base {
  int count;
  std::uint64_t wavefronts[price::most_residues];
  std::uint64_t ideal;
  bool known;  // false if counting takes too long
};

// All accesses of a kernel.
struct kernel_accesses {
  block_dim block;
  kernel_access* each;
  int count;

  // The number of bases at which an access may have different costs; 0 if they are too many to
  // store.
  BANKMODEL_FN static int residues_of(const machine& m, const kernel_access& one) {
    const int element_bytes = one.declared->element_bytes;
    return price::residues_of(m.banks(one.vector * element_bytes, one.kind), element_bytes);
  }

  // The approximate number of requests of an array to be evaluated.
  BANKMODEL_FN std::uint64_t requests_of(int array) const {
    std::uint64_t sum = 0;
    for (int at = 0; at < count; ++at)
      if (each[at].array == array && !each[at].is_twin) sum += each[at].evaluated;
    return sum;
  }

  // Requires: each access has the number of its array.
  BANKMODEL_FN void find_twins(const machine& m) {
    for (int at = 0; at < count; ++at) {
      each[at].read_constants();
      each[at].is_twin = false;
      each[at].next_twin = each[at].same_as = -1;
      for (int before = 0; before < at && !each[at].is_twin; ++before) {
        if (each[before].is_twin || !each[at].is_twin_of(each[before], m)) continue;
        each[at].is_twin = true;
        int last = before;
        for (;; last = each[last].next_twin) {
          if (each[at].same_as < 0 && each[at].has_the_constants_of(each[last]))
            each[at].same_as = last;
          if (each[last].next_twin < 0) break;
        }
        each[last].next_twin = at;
      }
    }
  }

  // Copies the counts to accesses that are equal to a counted one.
  BANKMODEL_FN void copy_counts() const {
    for (int at = 0; at < count; ++at) {
      const int same = each[at].same_as;
      if (each[at].is_counted || same < 0 || !each[same].is_counted) continue;
      each[at].is_counted = true;
      each[at].before = each[same].before;
    }
  }

  // The cost of all accesses of one array as declared, at base 0.
  // Requires: they are counted.
  BANKMODEL_FN void add_declared(int array, costs_by_base& to) const {
    to.known = true;
    to.wavefronts[0] = to.ideal = 0;
    for (int at = 0; at < count; ++at) {
      if (each[at].array != array) continue;
      to.wavefronts[0] = checked_count_sum(to.wavefronts[0], each[at].before.wavefronts);
      to.ideal = checked_count_sum(to.ideal, each[at].before.ideal);
    }
  }

  // The costs of the array with the description `as`. If its cost at base 0 reaches `enough`,
  // and there is no other base, the rest is not counted: then the result is at least `enough`.
  BANKMODEL_FN void add(const machine& m, int array, const array_description& as, int align,
                        std::uint64_t enough, costs_by_base& to, effort_left& effort) const {
    for (int r = 0; r < to.count; ++r) to.wavefronts[r] = 0;
    to.ideal = 0;
    to.known = true;
    // If so, a constant changes more than the base.
    const bool in_rows = !as.layout.is_strided();
    for (int at = 0; at < count; ++at) {
      const kernel_access& one = each[at];
      if (one.array != array || (one.is_twin && !in_rows && bases_matter_alike(m, one, to)))
        continue;
      if (to.count == 1 && to.wavefronts[0] >= enough) return;
      if (in_rows && one.given == nullptr) {
        const access_as_laid_out rows(one.view(as), as.layout);
        add(m, one, rows.view(), false, align, to, effort);
      } else {
        add(m, one, one.view(as), !in_rows && bases_matter_alike(m, one, to), align, to, effort);
      }
    }
  }

 private:
  // True if equivalent accesses cost the same, or if the costs at other bases give theirs.
  BANKMODEL_FN static bool bases_matter_alike(const machine& m, const kernel_access& one,
                                              const costs_by_base& to) {
    const int residues = residues_of(m, one);
    return to.count == 1 ? residues == 1 : residues > 0;
  }

  // Accesses not counted before are counted as declared first.
  BANKMODEL_FN void keep_count(const kernel_access& access, const counted_total& counted) const {
    kernel_access& kept = each[&access - each];
    if (kept.is_counted) return;
    kept.is_counted = true;
    kept.before = counted.sum;
  }

  BANKMODEL_FN void add(const machine& m, const kernel_access& access, const access_view& view,
                        bool with_twins, int align, costs_by_base& to, effort_left& effort) const {
    if (to.count == 1) {
      const counted_total one = counted_in_rows(m, block, access, view);
      if (one.evaluated >= too_much_effort) return (void)(to.known = false);
      effort.spend(one, residues_of(m, access), one.steps_of_lanes);
      std::uint64_t twins = 1;
      for (int next = access.next_twin; with_twins && next >= 0; next = each[next].next_twin)
        ++twins;
      to.wavefronts[0] =
          checked_count_sum(to.wavefronts[0], checked_count_product(one.sum.wavefronts, twins));
      to.ideal = checked_count_sum(to.ideal, checked_count_product(one.sum.ideal, twins));
      return;
    }
    const int residues = residues_of(m, access);
    if (residues == 0) {  // too many to store: each base separately
      array_description there = view.array;
      for (int r = 0; r < to.count; ++r) {
        there.base_bytes = static_cast<long long>(r) * align;
        const access_view moved{there,     view.subscripts, view.subscript, view.vector,
                                view.kind, view.wrappers,   view.depth,     view.nodes};
        const counted_total one = counted_in_rows(m, block, access, moved);
        if (one.evaluated >= too_much_effort) return (void)(to.known = false);
        effort.spend(one, residues, one.steps_of_lanes);
        to.wavefronts[r] = checked_count_sum(to.wavefronts[r], one.sum.wavefronts);
        if (r > 0) continue;
        to.ideal = checked_count_sum(to.ideal, one.sum.ideal);
        keep_count(access, one);
      }
      return;
    }
    std::uint64_t at_base[price::most_residues];
    price_at_all_bases costs(m, view.bytes(), view.kind, view.array.element_bytes, at_base);
    const walked all = give_requests(m, block, access, view, costs.taker());
    counted_total one{costs.sum_and_all(), costs.evaluated() + all.effort, all.steps_of_lanes};
    one.sum.method = all.how;
    if (one.evaluated >= too_much_effort) return (void)(to.known = false);
    effort.spend(one, residues, one.steps_of_lanes);
    keep_count(access, one);
    const int pace = align / view.array.element_bytes;
    for (int twin = static_cast<int>(&access - each); twin >= 0;
         twin = with_twins ? each[twin].next_twin : -1) {
      long long further = 0;  // distance in elements from the evaluated access
      for (int d = 0; with_twins && d < access.subscripts; ++d)
        further += (each[twin].constant[d] - access.constant[d]) * view.array.layout.stride[d];
      for (int r = 0; r < to.count; ++r) {
        const long long base = (r * pace + further) & (residues - 1);
        to.wavefronts[r] = checked_count_sum(to.wavefronts[r], at_base[base]);
      }
      to.ideal = checked_count_sum(to.ideal, one.sum.ideal);
    }
  }
};

}  // namespace bankmodel::detail

#endif
