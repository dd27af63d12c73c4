// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_COUNTING_NEST_HPP
#define BANKMODEL_COUNTING_NEST_HPP

#include <bankmodel/counting/addresses.hpp>
#include <bankmodel/counting/structure.hpp>

// What can be said of one access of one block before it is walked.
namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN inline void the_block_must_have_threads(long long x, long long y, long long z) {
  detail::fail("the_block_must_have_threads", "a block of % x % x % threads; each must be 1 or more", x, y, z);
}
[[noreturn]] BANKMODEL_FN inline void the_block_must_fit_the_machine(long long threads, long long limit) {
  detail::fail("the_block_must_fit_the_machine", "a block of % threads; this machine takes at most %", threads, limit);
}
[[noreturn]] BANKMODEL_FN inline void loop_variables_must_stand_inside_their_for_loop(long long which) {
  detail::fail("loop_variables_must_stand_inside_their_for_loop",
               "loop variable % (i is 0, j is 1, ..) is read where no for_loop around it sets it; add the loop or use another variable",
               which);
}
[[noreturn]] BANKMODEL_FN inline void nested_loops_must_have_different_variables(long long which) {
  detail::fail("nested_loops_must_have_different_variables",
               "loop variable % (i is 0, j is 1, ..) belongs to two nested loops; give one of them another", which);
}
}  // namespace rule

namespace detail {

struct nest {
  const access_view& access;
  int lanes, warps = 0, last_lanes = 0;       // lanes of a full warp and of the last one
  unsigned used = 0, used_by_subscripts = 0;  // variables
  unsigned in_lockstep = 0;                   // loop variables that differ from lane to lane
  bool apart = false;                         // loops move all lanes alike
  bool warps_alike = false;                   // and so do warps
  int closed_from = 0;                        // wrappers from here on are loops that need no walking
  bool warps_closed = false;                  // and neither do the warps

  // `keeps_residues`: requests that differ in their base alone can be told apart by its residue.
  BANKMODEL_FN constexpr nest(const machine& m, const block_dim& block, const access_view& of, bool keeps_residues)
      : access(of), lanes(m.lanes) {
    const long long threads = checked_threads(m, block);
    warps = static_cast<int>((threads + lanes - 1) / lanes);
    last_lanes = static_cast<int>(threads - static_cast<long long>(warps - 1) * lanes);
    read_structure(pattern_of_warps(block, lanes), keeps_residues);
  }

  BANKMODEL_FN constexpr unsigned used_by(const slice& program) const {
    return variables_in(access.nodes + program.first, program.size);
  }

  // The variables that a wrapper's bounds or condition read.
  BANKMODEL_FN constexpr unsigned used_by(const wrapper& w) const {
    if (w.kind == wrapper_kind::values) return 0;
    return used_by(w.first) | used_by(w.last) | used_by(w.step);
  }

  // Whether anything inside the wrapper at `level` reads that variable.
  BANKMODEL_FN constexpr bool is_read_inside(int level, variable which) const {
    unsigned inside = used_by_subscripts;
    for (int inner = level + 1; inner < access.depth; ++inner) inside |= used_by(access.wrappers[inner]);
    return (inside & variable_bit(which)) != 0;
  }

  // About what clang counts for one iteration. A filter may change the lanes each time, and then all are read.
  BANKMODEL_FN constexpr long long steps_of_an_iteration() const {
    long long operators = 0;
    bool reads_lanes = !apart;
    const auto add = [&](const slice& program) {
      for (int at = 0; at < program.size; ++at) operators += access.nodes[program.first + at].op > operation::variable;
    };
    for (int d = 0; d < access.subscripts; ++d) add(access.subscript[d]);
    for (int level = 0; level < access.depth; ++level) {
      const wrapper& w = access.wrappers[level];
      add(w.first), add(w.last), add(w.step);
      reads_lanes = reads_lanes || w.kind == wrapper_kind::filter || (in_lockstep & variable_bit(w.variable)) != 0;
    }
    return reads_lanes ? lanes * (45 + 8 * operators) : 60 + 20 * operators;
  }

 private:
  BANKMODEL_FN static constexpr long long checked_threads(const machine& m, const block_dim& block) {
    if (block.x < 1 || block.y < 1 || block.z < 1) rule::the_block_must_have_threads(block.x, block.y, block.z);
    const long long threads = checked_multiply(static_cast<long long>(block.x) * block.y, block.z);
    const int limit = m.limits.threads_per_block != 0 ? m.limits.threads_per_block : 1 << 20;
    if (threads > limit) rule::the_block_must_fit_the_machine(threads, limit);
    return threads;
  }

  BANKMODEL_FN static constexpr void require_set(unsigned read, unsigned set) {
    const unsigned unset = (read & ~set) >> static_cast<int>(variable::loop_0);
    if (unset != 0) rule::loop_variables_must_stand_inside_their_for_loop(trailing_zeros(unset));
  }

  BANKMODEL_FN constexpr void read_structure(const warp_pattern& pattern, bool keeps_residues) {
    unsigned set = 0;  // loop variables
    for (int level = 0; level < access.depth; ++level) {
      const wrapper& w = access.wrappers[level];
      const unsigned read = used_by(w);
      require_set(read, set);
      used |= read;
      if (w.kind == wrapper_kind::filter) continue;
      const unsigned bit = variable_bit(w.variable);
      if ((set & bit) != 0)
        rule::nested_loops_must_have_different_variables(static_cast<int>(w.variable) - static_cast<int>(variable::loop_0));
      set |= bit;
      if ((read & (thread_variables | in_lockstep)) != 0) in_lockstep |= bit;
    }
    subscript_structure subscripts;
    for (int d = 0; d < access.subscripts; ++d)
      subscripts.read(access.nodes + access.subscript[d].first, access.subscript[d].size, pattern, set);
    require_set(subscripts.used, set);
    used_by_subscripts = subscripts.used;
    used |= subscripts.used;

    closed_from = access.depth;
    // A loop that differs from lane to lane changes the pattern of the lanes itself.
    if ((subscripts.used & in_lockstep) != 0 || !keeps_residues) return;
    apart = subscripts.apart_in_warp;
    warps_alike = pattern.alike && subscripts.apart_in_block;
    if (apart) close(subscripts.not_affine, pattern.in_warps);
  }

  // Finds the inner loops, and perhaps the warps around them, that only move the base, each by the same amount each
  // time: those need no walking. Of such a loop the first two iterations and the last are looked at; an intermediate
  // value that overflows in another one only, and cancels, is not seen.
  BANKMODEL_FN constexpr void close(unsigned not_affine, unsigned in_warps) {
    while (closed_from > 0) {
      const wrapper& w = access.wrappers[closed_from - 1];
      const unsigned bit = variable_bit(w.variable);
      if (w.kind != wrapper_kind::range || ((in_lockstep | not_affine) & bit) != 0 || (bounds_inside & bit) != 0) return;
      bounds_inside |= used_by(w);
      --closed_from;
    }
    const unsigned moved_by_warps = in_warps & (used_by_subscripts | bounds_inside);
    warps_closed = warps > 1 && warps_alike && last_lanes == lanes && (not_affine & moved_by_warps) == 0 &&
                   (in_warps & bounds_inside) == 0;
  }

  unsigned bounds_inside = 0;  // variables that the closed loops' bounds read
};

}  // namespace detail
}  // namespace bankmodel

#endif
