// SPDX-License-Identifier: MIT
#include "counted_nest.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "../code/control_flow.hpp"
#include "../description/symbolic_run.hpp"
#include "access_counter.hpp"
#include "form_text.hpp"
#include "separated_lanes.hpp"

namespace compiled {

namespace {

class nest_counter {
 public:
  nest_counter(const kernel_code& kernel, const launch& how, const bm::machine& m)
      : kernel_(kernel),
        how_(how),
        machine_(m),
        analysis_(kernel),
        run_(analysis_, how, missing_arguments::are_symbols),
        is_separated_(separated_lanes(how, run_)) {
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
      for (const instruction& one : kernel.blocks[block].instructions)
        if (one.does == opcode::access) block_.push_back(static_cast<int>(block));
    for (const argument_symbol& one : run_.symbols())
      made_.symbols.push_back({one.name, one.parameter, {}, {one.range.least, one.range.most}});
    for (const symbolic_access& one : run_.accesses())
      for (const path_item& item : one.path.items)
        if (item.loop < 0) add_conditions(item.truth);
  }

  counted_nest result() {
    std::vector<const symbolic_access*> all;
    for (const symbolic_access& one : run_.accesses()) all.push_back(&one);
    std::stable_sort(all.begin(), all.end(), [](const auto* one, const auto* other) {
      const place &a = one->does->where, &b = other->does->where;
      return std::tuple(a.file, a.line, a.column) < std::tuple(b.file, b.line, b.column);
    });
    for (const symbolic_access* const access : all) {
      const symbolic_access& one = *access;
      const memory_access& memory = one.does->memory;
      if (memory.memory == memory_kind::arguments || memory.memory == memory_kind::local ||
          memory.memory == memory_kind::constant)
        continue;
      if (memory.does == access_does::copy) {
        add(one, false);
        add(one, true);
        continue;
      }
      switch (memory_of(one, analysis_.may_be_shared())) {
        case memory_kind::shared: add(one, false); break;
        case memory_kind::global: add(one, true); break;
        default: break;
      }
    }
    if (run_.forms().believes())
      made_.assumptions.push_back({nest_assumption::kind::no_overflow,
                                   {},
                                   "numbers that are computed from arguments fit in their types"});
    return std::move(made_);
  }

 private:
  void add_conditions(const condition_pointer& of) {
    for (const condition_pointer& part : of->parts) add_conditions(part);
    if (of->is != condition::kind::comparison || !is_of_arguments_alone(run_.forms(), *of)) return;
    try {
      conditions_.insert(argument_condition_of(run_, *of).factor.json());
    } catch (const inexpressible&) {  // the access that has it says so
    }
  }

  void add(const symbolic_access& access, bool is_global) {
    counted_access to;
    to.number = access.number;
    to.where = access.does->where;
    to.memory = access.does->memory;
    to.is_global = is_global;
    nest_notes notes(made_, loops_, requests_, to.assumes);
    try {
      // Also of accesses on a way that is left out.
      for (std::size_t loop = 0; loop < run_.structure().loops.size(); ++loop)
        for (const path_item& one : run_.loop(static_cast<int>(loop)).assumed)
          notes.assume({nest_assumption::kind::condition, one.where, text_of(run_, one.truth)});
      if (!access.path.is_dead) {
        if (!access.path.reason.empty() && (!access.path.has_more || is_global))
          throw inexpressible{access.path.reason};
        if (is_separated_[at(block_[at(access.number)])])
          throw inexpressible{"lanes that wait for others on the way may come to it apart"};
        if (!access.reason.empty() && !is_shared_only(access.does->memory))
          throw inexpressible{access.reason};
        count(access, is_global, notes, to);
      }
    } catch (const inexpressible& why) {
      to.reason = why.reason;
    } catch (const formula_error& why) {
      to.reason = why.what();
    } catch (const bm::error& why) {
      to.reason = why.what();
    }
    if (!to.reason.empty() && !to.has_bounds) {
      to.is_possible = false;
      to.requests = to.wavefronts = to.ideal = {};
      to.under.clear();
    }
    made_.accesses.push_back(std::move(to));
  }

  // Where the addresses say nothing, the requests are counted, and what they cost at least and
  // most.
  void count(const symbolic_access& access, bool is_global, nest_notes& notes, counted_access& to) {
    const nest_access of{kernel_, how_, run_, access, is_global};
    try {
      return count_access(of, machine_, conditions_, notes, "", to);
    } catch (const inexpressible& why) {
      const memory_access& memory = access.does->memory;
      if (is_global || !access.reason.empty() || memory.does == access_does::copy) throw;
      try {
        count_access(of, machine_, conditions_, notes, why.reason, to);
      } catch (const inexpressible&) {
        throw why;
      }
      if (to.reason.empty()) to.reason = why.reason;
    }
  }

  const kernel_code& kernel_;
  const launch& how_;
  const bm::machine& machine_;
  kernel_analysis analysis_;
  symbolic_run run_;
  std::vector<bool> is_separated_;  // by block
  std::vector<int> block_;          // of each access
  std::set<std::string> conditions_;
  std::map<int, std::string> loops_;
  long long requests_ = 0;
  counted_nest made_;
};

}  // namespace

counted_nest count_nest(const kernel_code& kernel, const launch& how, const bm::machine& m) {
  return nest_counter(kernel, how, m).result();
}

}  // namespace compiled
