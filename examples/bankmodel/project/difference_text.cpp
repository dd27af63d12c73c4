// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bankmodel/report.hpp>

#include "../json.hpp"
#include "../table.hpp"
#include "../utf8.hpp"
#include "difference.hpp"

namespace project {

using command_line::joined;
using command_line::json_string;
using command_line::printable;

namespace {

namespace bm = bankmodel;

constexpr std::size_t longest_source = 40, most_accesses = 8;
constexpr std::size_t most_kernels = 60;  // a comment on GitHub has at most 65,536 characters

const reported_kernel& either(const kernel_change& change) {
  return change.current ? *change.current : *change.previous;
}
const reported_access& either(const access_change& change) {
  return change.current ? *change.current : *change.previous;
}

const char* verdict_of(const kernel_change& change) {
  if (!change.current) return "gone";
  if (!change.previous && change.is_worse()) return "new, worse";
  if (change.is_worse())
    return change.excessive_after(false) < change.excessive_before(false) ||
                   change.excessive_after(true) < change.excessive_before(true)
               ? "mixed"
               : "worse";
  if (!change.previous) return "new";
  return change.is_better() ? "better" : change.accesses.empty() ? "same" : "as good";
}

// "1,024 -> 32", or "32" where both are the same; "-" for a missing side.
std::string change_text(const std::string& previous, const std::string& current) {
  return previous == current ? current : joined(previous, " -> ", current);
}

using number_of_access = std::uint64_t (*)(const reported_access&);
std::uint64_t requests_number(const reported_access& access) { return access.requests; }
std::uint64_t taken_number(const reported_access& access) { return access.units; }
std::uint64_t excessive_number(const reported_access& access) { return access.excessive(); }

std::string change_text(const access_change& change, number_of_access number) {
  const auto text = [&](const reported_access* side) {
    return side ? bm::grouped(number(*side)) : "-";
  };
  return change_text(text(change.previous), text(change.current));
}

// The sum over the accesses to one memory.
std::string change_text(const kernel_change& change, bool is_global, number_of_access number) {
  const auto text = [&](const reported_kernel* side) {
    return side ? bm::grouped(side->sum(is_global, number)) : "-";
  };
  return change_text(text(change.previous), text(change.current));
}

// An access has those of its memory.
const command_line::cells columns = {"requests", "wavefronts", "conflicts", "transactions",
                                     "excessive"};

command_line::cells cells_of(const kernel_change& change) {
  return {"", change_text(change, false, taken_number),
          change_text(change, false, excessive_number), change_text(change, true, taken_number),
          change_text(change, true, excessive_number)};
}

command_line::cells cells_of(const access_change& change, bool is_global) {
  const std::string requests = change_text(change, requests_number),
                    taken_text = change_text(change, taken_number),
                    excessive = change_text(change, excessive_number);
  return is_global ? command_line::cells{requests, "", "", taken_text, excessive}
                   : command_line::cells{requests, taken_text, excessive, "", ""};
}

std::string without_blanks_at_ends(const std::string& lines) {
  std::string result;
  for (const char letter : lines) {
    if (letter == '\n') result.erase(result.find_last_not_of(' ') + 1);
    result += letter;
  }
  return result;
}

// "load tile"
std::string name_of(const reported_access& access) {
  return access.array.empty() ? access.operation : joined(access.operation, " ", access.array);
}

bool has_several(const report& previous, const report& current,
                 std::string reported_kernel::* const part) {
  const reported_kernel* first = nullptr;
  for (const report* const side : {&previous, &current})
    for (const reported_kernel& kernel : side->kernels) {
      if (first == nullptr) first = &kernel;
      if (kernel.*part != first->*part) return true;
    }
  return false;
}

std::string full_name(const reported_kernel& kernel) { return joined(kernel.shown, kernel.arm); }

// The kernel's name, with its file and machine where there are several of them.
class kernel_names {
 public:
  kernel_names(const report& previous, const report& current)
      : has_files_(has_several(previous, current, &reported_kernel::file)),
        has_machines_(has_several(previous, current, &reported_kernel::machine)) {}

  std::string name(const kernel_change& change) const {
    const reported_kernel& kernel = either(change);
    const bool is_renamed = change.previous && change.current &&
                            full_name(*change.previous) != full_name(*change.current);
    std::string result = has_files_ && !is_of_two_files(change) ? joined(kernel.file, ": ") : "";
    result += is_renamed ? joined(full_name(*change.previous), " -> ", full_name(kernel))
                         : full_name(kernel);
    if (has_machines_) result += joined(" on ", kernel.machine);
    return printable(result);
  }

 private:
  // Each report is of one file, which the heading names.
  static bool is_of_two_files(const kernel_change& change) {
    return change.previous && change.current && change.previous->file != change.current->file;
  }
  bool has_files_, has_machines_;
};

// What else differs: the block, what was assumed, and what is not counted.
std::vector<std::string> remarks_of(const kernel_change& change, const std::string& name) {
  std::vector<std::string> result;
  if (!change.previous || !change.current) return result;
  if (change.previous->block != change.current->block)
    result.push_back(joined(name, " has blocks of ", change.current->block, " instead of ",
                            change.previous->block));
  const auto list_of = [](const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += joined(text.empty() ? "" : ", ", item);
    return text.empty() ? std::string("nothing") : text;
  };
  if (change.previous->assumed != change.current->assumed)
    result.push_back(joined("assumed of ", name, ": ", list_of(change.current->assumed),
                            ", before ", list_of(change.previous->assumed)));
  if (change.previous->is_partial != change.current->is_partial)
    result.push_back(
        joined(name, " is counted in part ", change.current->is_partial ? "now" : "before"));
  return result;
}

std::vector<std::string> uncounted_of(const report& side, const std::string& name) {
  std::vector<std::string> result;
  for (const uncounted& entry : side.uncounted_kernels)
    result.push_back(joined(entry.name.empty() ? entry.file : entry.name,
                            entry.machine.empty() ? "" : " on ", entry.machine,
                            " is not counted in ", name, ": ",
                            entry.reason.substr(0, entry.reason.find('\n'))));
  return result;
}

// Of all kernels and both sides.
std::vector<std::string> notes_of(const std::vector<kernel_change>& changes,
                                  const kernel_names& names, const report& previous,
                                  const report& current, const std::string& before_name,
                                  const std::string& after_name) {
  std::vector<std::string> result;
  for (const kernel_change& change : changes)
    for (const std::string& remark : remarks_of(change, names.name(change)))
      result.push_back(remark);
  for (const auto& [side, name] :
       {std::pair(&previous, before_name), std::pair(&current, after_name)})
    for (const std::string& note : uncounted_of(*side, name)) result.push_back(note);
  return result;
}

// Those that change the most first.
std::vector<access_change> shown_accesses(const kernel_change& change) {
  std::vector<access_change> result = change.accesses;
  const auto size = [](const access_change& access) {
    const std::uint64_t left = access.previous ? access.previous->excessive() : 0,
                        right = access.current ? access.current->excessive() : 0;
    return left > right ? left - right : right - left;
  };
  std::ranges::stable_sort(
      result, [&](const auto& left, const auto& right) { return size(left) > size(right); });
  return result;
}

// The worse ones first.
std::vector<kernel_change> changed_ones(const std::vector<kernel_change>& changes) {
  std::vector<kernel_change> result;
  for (const kernel_change& change : changes)
    if (!change.is_same()) result.push_back(change);
  // Clang 14 does not read what std::ranges::stable_partition returns.
  std::stable_partition(result.begin(), result.end(),
                        [](const kernel_change& change) { return change.is_worse(); });
  return result;
}

std::string summary_of(const std::vector<kernel_change>& changes) {
  const auto count = [&](const auto& has) {
    return static_cast<std::uint64_t>(std::count_if(changes.begin(), changes.end(), has));
  };
  const std::uint64_t worse = count([](const auto& change) { return change.is_worse(); }),
                      better = count([](const auto& change) { return change.is_better(); });
  return joined(bm::detail::counted_in_words(changes.size(), "kernel"), ", ", bm::grouped(worse),
                " worse, ", bm::grouped(better), " better, ",
                bm::grouped(count([](const auto& change) { return change.is_same(); })),
                " the same");
}

// A text in a cell of Markdown's tables, as code.
std::string as_code(const std::string& text) {
  std::string result = "`";
  for (const char letter : text) {
    if (letter == '|') result += '\\';
    result += letter == '`' ? '\'' : letter;
  }
  return result + "`";
}

std::string side_json(const reported_kernel* kernel) {
  if (kernel == nullptr) return "null";
  return joined("{\"file\": ", json_string(kernel->file),
                ", \"block\": ", json_string(kernel->block),
                ", \"conflicts\": ", kernel->excessive(false),
                ", \"excessive_transactions\": ", kernel->excessive(true),
                ", \"partial\": ", kernel->is_partial ? "true" : "false", "}");
}

std::string side_json(const reported_access* access) {
  if (access == nullptr) return "null";
  return joined("{\"line\": ", access->line, ", \"source\": ", json_string(access->source),
                ", \"requests\": ", access->requests, ", \"taken\": ", access->units,
                ", \"ideal\": ", access->ideal, "}");
}

}  // namespace

std::string text_of_difference(const report& previous, const report& current,
                               const std::string& before_name, const std::string& after_name,
                               const command_line::text_shape& shape) {
  const std::vector<kernel_change> changes = differences_of(previous, current);
  const kernel_names names(previous, current);
  std::string result = joined(before_name, " -> ", after_name,
                              ", one block of each kernel: ", summary_of(changes), "\n");
  std::vector<command_line::row> rows = {{"line", "", columns}};
  for (const kernel_change& change : changed_ones(changes)) {
    rows.push_back({"", joined(names.name(change), ": ", verdict_of(change)), cells_of(change)});
    for (const access_change& access : shown_accesses(change)) {
      const reported_access& latest = either(access);
      const std::string source = command_line::cut(printable(latest.source), longest_source);
      rows.push_back({std::to_string(latest.line), joined("  ", name_of(latest), "  ", source),
                      cells_of(access, latest.is_global)});
    }
  }
  if (rows.size() > 1)
    result += joined("\n", without_blanks_at_ends(command_line::printed(
                               rows, 0, shape.is_terminal ? shape.width : 0)));
  std::string notes;
  for (const std::string& note :
       notes_of(changes, names, previous, current, before_name, after_name))
    notes += command_line::wrapped(joined("note: ", note), "", shape.width);
  return joined(result, notes.empty() ? "" : "\n", notes);
}

std::string markdown_of_difference(const report& previous, const report& current,
                                   const std::string& before_name, const std::string& after_name) {
  const std::vector<kernel_change> changes = differences_of(previous, current);
  const kernel_names names(previous, current);
  std::string result =
      joined("**bankmodel**, one block of each kernel: ", summary_of(changes), "\n");
  const std::vector<kernel_change> changed = changed_ones(changes);
  const auto add_row = [&](const std::string& first, const std::string& text,
                           const command_line::cells& cells) {
    result += joined("| ", first, " | ", text, " |");
    for (const std::string& cell : cells) result += joined(" ", cell, " |");
    result += "\n";
  };
  if (!changed.empty()) {
    result += "\n";
    add_row("", "kernel, access", columns);
    add_row("---", "---", command_line::cells(columns.size(), "---:"));
  }
  for (std::size_t number = 0; number < std::min(changed.size(), most_kernels); ++number) {
    const kernel_change& change = changed[number];
    add_row(joined("**", verdict_of(change), "**"), as_code(names.name(change)), cells_of(change));
    const std::vector<access_change> accesses = shown_accesses(change);
    for (std::size_t i = 0; i < std::min(accesses.size(), most_accesses); ++i) {
      const reported_access& latest = either(accesses[i]);
      add_row(joined("line ", latest.line),
              joined(name_of(latest), ": ",
                     as_code(command_line::cut(printable(latest.source), 2 * longest_source))),
              cells_of(accesses[i], latest.is_global));
    }
    if (accesses.size() > most_accesses)
      add_row("", joined("and ", accesses.size() - most_accesses, " more accesses"),
              command_line::cells(columns.size()));
  }
  if (changed.size() > most_kernels)
    result += joined("\nand ", changed.size() - most_kernels, " more kernels that changed\n");
  std::string notes;
  for (const std::string& note :
       notes_of(changes, names, previous, current, before_name, after_name))
    notes += joined("- ", as_code(note), "\n");
  return joined(result, notes.empty() ? "" : "\n", notes);
}

std::string json_of_difference(const report& previous, const report& current) {
  command_line::list kernels("    ");
  for (const kernel_change& change : differences_of(previous, current)) {
    command_line::list accesses("      ");
    for (const access_change& access : change.accesses) {
      const reported_access& latest = either(access);
      accesses.add(joined("{\"memory\": \"", latest.is_global ? "global" : "shared",
                          "\", \"array\": ", json_string(latest.array), ", \"does\": ",
                          json_string(latest.operation), ", \"bytes\": ", latest.bytes,
                          ", \"before\": ", side_json(access.previous),
                          ", \"after\": ", side_json(access.current), "}"));
    }
    const reported_kernel& kernel = either(change);
    kernels.add(joined("{\"kernel\": ", json_string(kernel.name),
                       ", \"machine\": ", json_string(kernel.machine),
                       ", \"verdict\": ", json_string(verdict_of(change)),
                       ", \"worse\": ", change.is_worse() ? "true" : "false",
                       ",\n     \"before\": ", side_json(change.previous),
                       ",\n     \"after\": ", side_json(change.current), ",\n     \"accesses\": [",
                       accesses.text(), change.accesses.empty() ? "]}" : "\n    ]}"));
  }
  command_line::list uncounted_list("    ");
  for (const auto& [side, name] : {std::pair(&previous, "before"), std::pair(&current, "after")})
    for (const uncounted& entry : side->uncounted_kernels)
      uncounted_list.add(joined("{\"side\": \"", name, "\", \"kernel\": ", json_string(entry.name),
                                ", \"reason\": ", json_string(entry.reason), "}"));
  return joined("{\n  \"kernels\": [", kernels.text(), "\n  ],\n  \"not_counted\": [",
                uncounted_list.text(), "\n  ]\n}\n");
}

namespace {

std::string count_text(std::uint64_t count, const char* noun) {
  return bm::detail::counted_in_words(count, noun);
}

// "  line 12, load tile: 32 requests take 1,024 wavefronts, before 32"
std::string worse_access_text(const access_change& change) {
  const reported_access& latest = *change.current;
  std::string comparison;
  if (change.previous && change.previous->requests == latest.requests)
    comparison = joined(", before ", bm::grouped(change.previous->units));
  else if (change.previous)
    comparison = joined(", before ", bm::grouped(change.previous->requests), " took ",
                        bm::grouped(change.previous->units));
  return joined("  line ", latest.line, ", ", name_of(latest), ": ",
                count_text(latest.requests, "request"), latest.requests == 1 ? " takes " : " take ",
                count_text(latest.units, latest.is_global ? "transaction" : "wavefront"),
                comparison, "\n");
}

// Of one memory; empty if it takes no more there.
std::string worse_text(const kernel_change& change, bool is_global, const std::string& name,
                       const std::string& baseline_name) {
  const std::uint64_t old_excess = change.excessive_before(is_global),
                      new_excess = change.excessive_after(is_global);
  if (new_excess <= old_excess) return {};
  std::string result =
      joined("bankmodel: ", name, ": ",
             count_text(new_excess, is_global ? "excessive transaction" : "conflict"), ", ",
             change.previous ? joined(bm::grouped(old_excess), " in ", baseline_name)
                             : joined("and it is not in ", baseline_name),
             "\n");
  for (const access_change& access : shown_accesses(change))
    if (access.current && access.current->is_global == is_global &&
        access.current->excessive() > (access.previous ? access.previous->excessive() : 0))
      result += worse_access_text(access);
  return result;
}

}  // namespace

complaints compared_with_baseline(const report& baseline, const report& current,
                                  const std::string& baseline_name) {
  complaints result;
  const kernel_names names(baseline, current);
  for (const kernel_change& change : differences_of(baseline, current, renaming::excluded)) {
    if (!change.current) continue;
    const std::string name = names.name(change);
    if (change.is_worse()) {
      result.is_worse = true;
      for (const bool is_global : {false, true})
        result.text += worse_text(change, is_global, name, baseline_name);
      for (const std::string& remark : remarks_of(change, name))
        result.text += joined("  ", remark, "\n");
    }
    if (!change.current->is_partial || (change.previous && change.previous->is_partial)) continue;
    result.is_incomplete = true;
    result.text += joined("bankmodel: ", name, ": counted in part, or not executed as a whole, ",
                          change.previous ? "and as a whole in " : "and not in ", baseline_name,
                          "; give what its notes name\n");
  }
  for (const uncounted& entry : current.uncounted_kernels) {
    const auto is_that = [&](const uncounted& known) {
      return known.file == entry.file && known.name == entry.name && known.machine == entry.machine;
    };
    if (std::ranges::any_of(baseline.uncounted_kernels, is_that)) continue;
    result.is_incomplete = true;
    result.text += joined(
        "bankmodel: ", entry.name.empty() ? entry.file : entry.name,
        entry.machine.empty() ? "" : " on ", entry.machine, ": not counted, and ", baseline_name,
        " does not say so: ", entry.reason.substr(0, entry.reason.find('\n')), "\n");
  }
  return result;
}

}  // namespace project
