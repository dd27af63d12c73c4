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
  nest_counter(const kernel_code& kernel, const launch& options, const bm::machine& m)
      : kernel_(kernel),
        settings_(options),
        machine_(m),
        analysis_(kernel),
        run_(analysis_, options, missing_arguments::are_symbols),
        is_separated_(separated_lanes(options, run_)) {
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
      for (const instruction& item : kernel.blocks[block].instructions)
        if (item.operation == opcode::access) block_.push_back(static_cast<int>(block));
    for (const argument_symbol& symbol : run_.symbols())
      nest_.symbols.push_back(
          {symbol.name, symbol.parameter, {}, {symbol.range.lowest, symbol.range.highest}});
    for (const symbolic_access& access : run_.accesses())
      for (const path_item& item : access.path.items)
        if (item.loop < 0) add_conditions(item.truth);
  }

  counted_nest result() {
    std::vector<const symbolic_access*> accesses;
    for (const symbolic_access& item : run_.accesses()) accesses.push_back(&item);
    std::ranges::stable_sort(accesses, [](const auto* left, const auto* other) {
      const place &a = left->code->location, &b = other->code->location;
      return std::tuple(a.file, a.line, a.column) < std::tuple(b.file, b.line, b.column);
    });
    for (const symbolic_access* const access : accesses) {
      const symbolic_access& item = *access;
      const memory_access& memory = item.code->memory;
      if (memory.memory == memory_kind::arguments || memory.memory == memory_kind::local ||
          memory.memory == memory_kind::constant)
        continue;
      if (memory.operation == access_does::copy) {
        add(item, false);
        add(item, true);
        continue;
      }
      switch (memory_of(item, analysis_.may_be_shared())) {
        case memory_kind::shared: add(item, false); break;
        case memory_kind::global: add(item, true); break;
        default: break;
      }
    }
    if (run_.forms().believes())
      nest_.assumptions.push_back({nest_assumption::kind::no_overflow,
                                   {},
                                   "numbers that are computed from arguments fit in their types"});
    return std::move(nest_);
  }

 private:
  void add_conditions(const condition_pointer& test) {
    for (const condition_pointer& part : test->parts) add_conditions(part);
    if (test->is != condition::kind::comparison || !is_of_arguments_alone(run_.forms(), *test))
      return;
    try {
      conditions_.insert(argument_condition_of(run_, *test).factor.json());
    } catch (const inexpressible&) {  // the access that has it says so
    }
  }

  void add(const symbolic_access& access, bool is_global) {
    counted_access tally;
    tally.number = access.number;
    tally.location = access.code->location;
    tally.memory = access.code->memory;
    tally.is_global = is_global;
    nest_notes notes(nest_, loops_, requests_, tally.assumes);
    try {
      // Also of accesses on a way that is left out.
      for (std::size_t loop = 0; loop < run_.structure().loops.size(); ++loop)
        for (const path_item& item : run_.loop(static_cast<int>(loop)).assumed)
          notes.assume(
              {nest_assumption::kind::condition, item.location, text_of(run_, item.truth)});
      if (!access.path.is_dead) {
        if (!access.path.reason.empty() && (!access.path.has_more || is_global))
          throw inexpressible{access.path.reason};
        if (is_separated_[slot(block_[slot(access.number)])])
          throw inexpressible{"lanes that wait for others on the way may come to it apart"};
        if (!access.reason.empty() && !is_shared_only(access.code->memory))
          throw inexpressible{access.reason};
        count(access, is_global, notes, tally);
      }
    } catch (const inexpressible& failure) {
      tally.reason = failure.reason;
    } catch (const formula_error& formula_failure) {
      tally.reason = formula_failure.what();
    } catch (const bm::error& model_failure) {
      tally.reason = model_failure.what();
    }
    if (!tally.reason.empty() && !tally.has_bounds) {
      tally.is_possible = false;
      tally.requests = tally.wavefronts = tally.ideal = {};
      tally.under.clear();
    }
    nest_.accesses.push_back(std::move(tally));
  }

  // Where the addresses say nothing, the requests are counted, and what they cost at least and
  // most.
  void count(const symbolic_access& access, bool is_global, nest_notes& notes,
             counted_access& tally) {
    const nest_access site{kernel_, settings_, run_, access, is_global};
    try {
      return count_access(site, machine_, conditions_, notes, "", tally);
    } catch (const inexpressible& failure) {
      const memory_access& memory = access.code->memory;
      if (is_global || !access.reason.empty() || memory.operation == access_does::copy) throw;
      try {
        count_access(site, machine_, conditions_, notes, failure.reason, tally);
      } catch (const inexpressible&) {
        throw failure;
      }
      if (tally.reason.empty()) tally.reason = failure.reason;
    }
  }

  const kernel_code& kernel_;
  const launch& settings_;
  const bm::machine& machine_;
  kernel_analysis analysis_;
  symbolic_run run_;
  std::vector<bool> is_separated_;  // by block
  std::vector<int> block_;          // of each access
  std::set<std::string> conditions_;
  std::map<int, std::string> loops_;
  long long requests_ = 0;
  counted_nest nest_;
};

}  // namespace

counted_nest count_nest(const kernel_code& kernel, const launch& options, const bm::machine& m) {
  return nest_counter(kernel, options, m).result();
}

}  // namespace compiled
