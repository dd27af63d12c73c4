// SPDX-License-Identifier: MIT
#include "kept_limits.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../known_machines.hpp"
#include "chosen_kernels.hpp"
#include "page/issued_column.hpp"

namespace compiled {

using command_line::joined;
using command_line::limit;

namespace {

// What a page counts of one memory, and how it is called.
struct counted_memory {
  const char *memory, *unit;
  std::uint64_t excessive = 0, as_issued = 0;  // as written and as issued
  std::uint64_t least = 0, most = 0;           // of requests that data decide about
  bool is_partial = false, is_unbounded = false;
  std::optional<number_range> range = {};  // over the ranges of arguments
  std::uint64_t in_grid = 0;               // of all blocks, where they are known
};

counted_memory shared_of(const page& of) {
  const priced& costs = of.costs;
  return {"shared memory",
          "conflict",
          costs.cost.conflicts(),
          costs.issued_cost.conflicts(),
          costs.least,
          costs.most,
          costs.is_partial_shared,
          costs.is_unbounded,
          of.formulas.conflicts,
          costs.of_grid ? costs.of_grid->cost.conflicts() : 0};
}

counted_memory global_of(const page& of) {
  const priced& costs = of.costs;
  return {"global memory",
          "excessive transaction",
          costs.traffic.transactions - costs.traffic.ideal,
          costs.issued_traffic.transactions - costs.issued_traffic.ideal,
          costs.bounded_traffic.least,
          costs.bounded_traffic.most,
          costs.is_partial_global,
          costs.is_unbounded_traffic,
          {},
          costs.of_grid ? costs.of_grid->traffic.transactions - costs.of_grid->traffic.ideal : 0};
}

// One kernel compared with one limit.
class keeper {
 public:
  keeper(const std::string& kernel, const limit& allowed, command_line::answer& to)
      : kernel_(kernel), allowed_(allowed), to_(to) {}

  void leave_out(const std::string& what) {
    set_not_read();
    const std::string text =
        joined("bankmodel: not read, so ", allowed_.origin, " says nothing about it: ", what,
               "; correct it, or name the kernel in full with --kernel\n");
    if (to_.error.find(text) == text.npos) to_.error += text;
  }

  void pass_over(const std::set<int>& lines) {
    if (lines.empty()) return;
    set_not_read();
    say(joined(allowed_.origin, " says nothing about ", named_lines(lines), ", which ",
               lines.size() == 1 ? "is" : "are",
               " not executed with what is assumed; give the values with --arg"));
  }

  void compare(const page& of, const counted_memory& counted) {
    const std::string on = joined(command_line::shown_name(of.machine), ": ");
    // A limit is not kept that data could exceed, or what is not counted.
    if (const std::string why = why_not_kept(counted); !why.empty()) {
      if (counted.most > 0)
        to_.code = command_line::too_many_conflicts;
      else
        set_not_read();
      say(joined(on, why));
    }
    // The limit is one of a block, and the numbers are those of the first.
    if (of.costs.of_grid && counted.in_grid > counted.excessive * of.costs.of_grid->blocks) {
      set_not_read();
      say(joined(on, "the first block has ", count_text(counted.excessive, counted), ", and all ",
                 bm::grouped(of.costs.of_grid->blocks), " blocks have ",
                 bm::grouped(counted.in_grid), ": ", allowed_.origin,
                 " says nothing about the other blocks; write a number for blockIdx"));
    }
    for (const assumed_fact& fact : of.assumed)
      if (!fact.is_ranged) note(joined(allowed_.origin, ": ", text_of(fact)));
    // The run was made with smaller arguments than those that are given.
    const bool is_reduced = std::any_of(of.assumed.begin(), of.assumed.end(),
                                        [](const assumed_fact& fact) { return fact.is_reduced; });
    if (is_reduced && to_.code == command_line::fine) {
      set_not_read();
      say(joined(on, allowed_.origin,
                 " says nothing about the arguments that are given: the block was counted with "
                 "smaller ones; give smaller ones, or --max-steps"));
    }
    // The limit is one of accesses as written: those as issued are an estimate.
    const std::string issued =
        !knows_issued(of) || counted.as_issued == counted.excessive
            ? ""
            : joined(" as written (as issued, an estimate, it has ", counted.as_issued, ")");
    if (counted.excessive <= allowed_.most && counted.as_issued > allowed_.most && !issued.empty())
      note(joined(on, count_text(counted.excessive, counted), issued));
    if (!of.formulas.ranged.empty()) {
      compare_range(of, counted, on);
      if (counted.range) return;
    }
    if (counted.excessive <= allowed_.most) return;
    to_.code = command_line::too_many_conflicts;
    say(joined(on, count_text(counted.excessive, counted), ", ", allowed_.origin, " allows ",
               allowed_.most, issued));
  }

 private:
  static std::string count_text(std::uint64_t count, const counted_memory& of) {
    return joined(count, " ", of.unit, count == 1 ? "" : "s");
  }

  // Why the kernel may take more than is counted and allowed; empty if it cannot.
  std::string why_not_kept(const counted_memory& counted) const {
    const std::uint64_t most = counted.excessive + counted.most - counted.least;
    if (counted.most > 0 && !counted.is_unbounded && most <= allowed_.most) return {};
    if (counted.most > 0)
      return joined("data decide about ", counted.unit, "s, ",
                    counted.is_unbounded ? joined("which ", allowed_.origin, " cannot limit")
                                         : joined("at most ", most, ", and ", allowed_.origin,
                                                  " allows ", allowed_.most),
                    "; leave out ", allowed_.origin, ", or give --assume or --data");
    if (counted.is_partial)
      return joined(counted.memory, " is counted in part, and ", allowed_.origin,
                    " cannot limit the rest; leave it out, or change what the notes name");
    return {};
  }

  void compare_range(const page& of, const counted_memory& counted, const std::string& on) {
    if (!counted.range) {
      set_not_read();
      say(joined(on, allowed_.origin, " says nothing about all of ", of.formulas.ranged,
                 ": no range of the ", counted.unit, "s is proven; give numbers"));
    } else if (counted.range->most > static_cast<long long>(allowed_.most)) {
      to_.code = command_line::too_many_conflicts;
      say(joined(on, "up to ", counted.range->most, " ", counted.unit, "s for ", of.formulas.ranged,
                 ", ", allowed_.origin, " allows ", allowed_.most));
    }
  }

  void set_not_read() {
    if (to_.code == command_line::fine) to_.code = command_line::not_read;
  }
  void say(const std::string& text) { to_.error += joined("bankmodel: ", kernel_, text, "\n"); }
  void note(const std::string& text) {
    to_.error += joined("bankmodel: note: ", kernel_, text, "\n");
  }

  const std::string& kernel_;
  const limit& allowed_;
  command_line::answer& to_;
};

}  // namespace

command_line::cost_limits limits_of(const question& asked, const kernel_code& kernel) {
  const candidate named{kernel.name, kernel.linkage, &kernel, "", kernel.short_name};
  // A part of the name is not enough: the limit of k is none of k_fast.
  return asked.allowed.of([&](const std::string& name) {
    return named.is(name) || (name.find_first_of("*?") != name.npos && named.has(name));
  });
}

void keep_limits(const counted_kernel& counted, const question& asked, bool is_named,
                 command_line::answer& to) {
  const command_line::cost_limits most = limits_of(asked, *counted.kernel);
  std::string kernel;
  if (asked.is_of_several) kernel = joined(asked.file, ": ");
  if (asked.is_of_several || is_named) kernel += joined(counted.kernel->shown_name(), ": ");
  for (const bool is_global : {false, true}) {
    const std::optional<limit>& allowed = most.in(is_global);
    if (!allowed) continue;
    keeper of(kernel, *allowed, to);
    for (const std::string& one : counted.left_out) of.leave_out(one);
    of.pass_over(is_global ? counted.unexecuted_global_lines : counted.unexecuted_lines);
    for (const page& one : counted.pages)
      of.compare(one, is_global ? global_of(one) : shared_of(one));
  }
}

}  // namespace compiled
