// SPDX-License-Identifier: MIT
#include "kept_limits.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../known_machines.hpp"
#include "chosen_kernels.hpp"
#include "page/issued_column.hpp"

namespace compiled {

using command_line::limit;

namespace {

// What a page counts of one memory, and how it is called.
struct counted_memory {
  const char *memory, *unit;
  std::uint64_t excessive = 0, as_issued = 0;  // as written and as issued
  std::uint64_t minimum = 0, maximum = 0;      // of requests that data decide about
  bool is_partial = false, is_unbounded = false;
  std::optional<number_range> range = {};  // over the ranges of arguments
  std::uint64_t in_grid = 0;               // of all blocks, where they are known
};

counted_memory shared_of(const page& shown_page) {
  const priced& costs = shown_page.costs;
  return {"shared memory",
          "conflict",
          costs.cost.conflicts(),
          costs.issued_cost.conflicts(),
          costs.minimum,
          costs.maximum,
          costs.is_partial_shared,
          costs.is_unbounded,
          shown_page.formulas.conflicts,
          costs.of_grid ? costs.of_grid->cost.conflicts() : 0};
}

counted_memory global_of(const page& shown_page) {
  const priced& costs = shown_page.costs;
  return {"global memory",
          "excessive transaction",
          costs.traffic.transactions - costs.traffic.ideal,
          costs.issued_traffic.transactions - costs.issued_traffic.ideal,
          costs.bounded_traffic.minimum,
          costs.bounded_traffic.maximum,
          costs.is_partial_global,
          costs.is_unbounded_traffic,
          {},
          costs.of_grid ? costs.of_grid->traffic.transactions - costs.of_grid->traffic.ideal : 0};
}

// One kernel compared with one limit.
class keeper {
 public:
  keeper(const std::string& kernel, const limit& allowed, command_line::answer& result)
      : kernel_(kernel), allowed_(allowed), answer_(result) {}

  void leave_out(const std::string& reason) {
    set_not_read();
    const std::string text =
        joined("bankmodel: not read, so ", allowed_.origin, " says nothing about it: ", reason,
               "; correct it, or name the kernel in full with --kernel\n");
    if (answer_.error.find(text) == text.npos) answer_.error += text;
  }

  void pass_over(const std::set<int>& lines) {
    if (lines.empty()) return;
    set_not_read();
    say(joined(allowed_.origin, " says nothing about ", named_lines(lines), ", which ",
               lines.size() == 1 ? "is" : "are",
               " not executed with what is assumed; give the values with --arg"));
  }

  void compare(const page& shown_page, const counted_memory& counted) {
    const std::string prefix = joined(command_line::shown_name(shown_page.machine), ": ");
    // A limit is not kept that data could exceed, or what is not counted.
    if (const std::string reason = why_not_kept(counted); !reason.empty()) {
      if (counted.maximum > 0)
        answer_.code = command_line::too_many_conflicts;
      else
        set_not_read();
      say(joined(prefix, reason));
    }
    // The limit is one of a block, and the numbers are those of the first.
    if (shown_page.costs.of_grid &&
        counted.in_grid > counted.excessive * shown_page.costs.of_grid->blocks) {
      set_not_read();
      say(joined(prefix, "the first block has ", count_text(counted.excessive, counted),
                 ", and all ", bm::grouped(shown_page.costs.of_grid->blocks), " blocks have ",
                 bm::grouped(counted.in_grid), ": ", allowed_.origin,
                 " says nothing about the other blocks; write a number for blockIdx"));
    }
    for (const assumed_fact& fact : shown_page.assumed)
      if (!fact.is_ranged) note(joined(allowed_.origin, ": ", text_of(fact)));
    // The run was made with smaller arguments than those that are given.
    const bool is_reduced = std::ranges::any_of(shown_page.assumed, &assumed_fact::is_reduced);
    if (is_reduced && answer_.code == command_line::fine) {
      set_not_read();
      say(joined(prefix, allowed_.origin,
                 " says nothing about the arguments that are given: the block was counted with "
                 "smaller ones; give smaller ones, or --max-steps"));
    }
    // The limit is one of accesses as written: those as issued are an estimate.
    const std::string issued =
        !knows_issued(shown_page) || counted.as_issued == counted.excessive
            ? ""
            : joined(" as written (as issued, an estimate, it has ", counted.as_issued, ")");
    if (counted.excessive <= allowed_.maximum && counted.as_issued > allowed_.maximum &&
        !issued.empty())
      note(joined(prefix, count_text(counted.excessive, counted), issued));
    if (!shown_page.formulas.ranged.empty()) {
      compare_range(shown_page, counted, prefix);
      if (counted.range) return;
    }
    if (counted.excessive <= allowed_.maximum) return;
    answer_.code = command_line::too_many_conflicts;
    say(joined(prefix, count_text(counted.excessive, counted), ", ", allowed_.origin, " allows ",
               allowed_.maximum, issued));
  }

 private:
  static std::string count_text(std::uint64_t count, const counted_memory& counted) {
    return joined(count, " ", counted.unit, count == 1 ? "" : "s");
  }

  // Why the kernel may take more than is counted and allowed; empty if it cannot.
  std::string why_not_kept(const counted_memory& counted) const {
    const std::uint64_t maximum = counted.excessive + counted.maximum - counted.minimum;
    if (counted.maximum > 0 && !counted.is_unbounded && maximum <= allowed_.maximum) return {};
    if (counted.maximum > 0)
      return joined("data decide about ", counted.unit, "s, ",
                    counted.is_unbounded ? joined("which ", allowed_.origin, " cannot limit")
                                         : joined("at most ", maximum, ", and ", allowed_.origin,
                                                  " allows ", allowed_.maximum),
                    "; leave out ", allowed_.origin, ", or give --assume or --data");
    if (counted.is_partial)
      return joined(counted.memory, " is counted in part, and ", allowed_.origin,
                    " cannot limit the rest; leave it out, or change what the notes name");
    return {};
  }

  void compare_range(const page& shown_page, const counted_memory& counted,
                     const std::string& prefix) {
    if (!counted.range) {
      set_not_read();
      say(joined(prefix, allowed_.origin, " says nothing about all of ", shown_page.formulas.ranged,
                 ": no range of the ", counted.unit, "s is proven; give numbers"));
    } else if (counted.range->maximum > static_cast<long long>(allowed_.maximum)) {
      answer_.code = command_line::too_many_conflicts;
      say(joined(prefix, "up to ", counted.range->maximum, " ", counted.unit, "s for ",
                 shown_page.formulas.ranged, ", ", allowed_.origin, " allows ", allowed_.maximum));
    }
  }

  void set_not_read() {
    if (answer_.code == command_line::fine) answer_.code = command_line::not_read;
  }
  void say(const std::string& text) { answer_.error += joined("bankmodel: ", kernel_, text, "\n"); }
  void note(const std::string& text) {
    answer_.error += joined("bankmodel: note: ", kernel_, text, "\n");
  }

  const std::string& kernel_;
  const limit& allowed_;
  command_line::answer& answer_;
};

}  // namespace

command_line::cost_limits limits_of(const question& asked, const kernel_code& kernel) {
  const candidate named{kernel.name, kernel.linkage, &kernel, "", kernel.short_name};
  // A part of the name is not enough: the limit of k is none of k_fast.
  return asked.allowed.select([&](const std::string& name) {
    return named.is(name) || (name.find_first_of("*?") != name.npos && named.has(name));
  });
}

void keep_limits(const counted_kernel& counted, const question& asked, bool is_named,
                 command_line::answer& result) {
  const command_line::cost_limits limits = limits_of(asked, *counted.kernel);
  std::string kernel;
  if (asked.is_of_several) kernel = joined(asked.file, ": ");
  if (asked.is_of_several || is_named) kernel += joined(counted.kernel->shown_name(), ": ");
  for (const bool is_global : {false, true}) {
    const std::optional<limit>& allowed = limits.memory_limit(is_global);
    if (!allowed) continue;
    keeper checker(kernel, *allowed, result);
    for (const std::string& reason : counted.left_out) checker.leave_out(reason);
    checker.pass_over(is_global ? counted.unexecuted_global_lines : counted.unexecuted_lines);
    for (const page& shown_page : counted.pages)
      checker.compare(shown_page, is_global ? global_of(shown_page) : shared_of(shown_page));
  }
}

}  // namespace compiled
