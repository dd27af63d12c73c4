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

const reported_kernel& either(const kernel_change& of) { return of.after ? *of.after : *of.before; }
const reported_access& either(const access_change& of) { return of.after ? *of.after : *of.before; }

const char* verdict_of(const kernel_change& of) {
  if (!of.after) return "gone";
  if (!of.before && of.is_worse()) return "new, worse";
  if (of.is_worse())
    return of.excessive_after(false) < of.excessive_before(false) ||
                   of.excessive_after(true) < of.excessive_before(true)
               ? "mixed"
               : "worse";
  if (!of.before) return "new";
  return of.is_better() ? "better" : of.accesses.empty() ? "same" : "as good";
}

// "1,024 -> 32", or "32" where both are the same; "-" for a missing side.
std::string change_text(const std::string& before, const std::string& after) {
  return before == after ? after : joined(before, " -> ", after);
}

using number_of_access = std::uint64_t (*)(const reported_access&);
std::uint64_t requests_number(const reported_access& of) { return of.requests; }
std::uint64_t taken_number(const reported_access& of) { return of.taken; }
std::uint64_t excessive_number(const reported_access& of) { return of.excessive(); }

std::string change_text(const access_change& of, number_of_access number) {
  const auto text = [&](const reported_access* side) {
    return side ? bm::grouped(number(*side)) : "-";
  };
  return change_text(text(of.before), text(of.after));
}

// The sum over the accesses to one memory.
std::string change_text(const kernel_change& of, bool is_global, number_of_access number) {
  const auto text = [&](const reported_kernel* side) {
    return side ? bm::grouped(side->sum(is_global, number)) : "-";
  };
  return change_text(text(of.before), text(of.after));
}

// An access has those of its memory.
const command_line::cells columns = {"requests", "wavefronts", "conflicts", "transactions",
                                     "excessive"};

command_line::cells cells_of(const kernel_change& of) {
  return {"", change_text(of, false, taken_number), change_text(of, false, excessive_number),
          change_text(of, true, taken_number), change_text(of, true, excessive_number)};
}

command_line::cells cells_of(const access_change& of, bool is_global) {
  const std::string requests = change_text(of, requests_number),
                    taken = change_text(of, taken_number),
                    excessive = change_text(of, excessive_number);
  return is_global ? command_line::cells{requests, "", "", taken, excessive}
                   : command_line::cells{requests, taken, excessive, "", ""};
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
std::string name_of(const reported_access& of) {
  return of.array.empty() ? of.does : joined(of.does, " ", of.array);
}

bool has_several(const report& before, const report& after,
                 std::string reported_kernel::* const part) {
  const reported_kernel* first = nullptr;
  for (const report* const side : {&before, &after})
    for (const reported_kernel& one : side->kernels) {
      if (first == nullptr) first = &one;
      if (one.*part != first->*part) return true;
    }
  return false;
}

std::string full_name(const reported_kernel& of) { return joined(of.shown, of.arm); }

// The kernel's name, with its file and machine where there are several of them.
class kernel_names {
 public:
  kernel_names(const report& before, const report& after)
      : has_files_(has_several(before, after, &reported_kernel::file)),
        has_machines_(has_several(before, after, &reported_kernel::machine)) {}

  std::string name(const kernel_change& of) const {
    const reported_kernel& kernel = either(of);
    const bool is_renamed = of.before && of.after && full_name(*of.before) != full_name(*of.after);
    std::string result = has_files_ && !is_of_two_files(of) ? joined(kernel.file, ": ") : "";
    result +=
        is_renamed ? joined(full_name(*of.before), " -> ", full_name(kernel)) : full_name(kernel);
    if (has_machines_) result += joined(" on ", kernel.machine);
    return printable(result);
  }

 private:
  // Each report is of one file, which the heading names.
  static bool is_of_two_files(const kernel_change& of) {
    return of.before && of.after && of.before->file != of.after->file;
  }
  bool has_files_, has_machines_;
};

// What else differs: the block, what was assumed, and what is not counted.
std::vector<std::string> remarks_of(const kernel_change& of, const std::string& name) {
  std::vector<std::string> result;
  if (!of.before || !of.after) return result;
  if (of.before->block != of.after->block)
    result.push_back(
        joined(name, " has blocks of ", of.after->block, " instead of ", of.before->block));
  const auto list_of = [](const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& one : all) text += joined(text.empty() ? "" : ", ", one);
    return text.empty() ? std::string("nothing") : text;
  };
  if (of.before->assumed != of.after->assumed)
    result.push_back(joined("assumed of ", name, ": ", list_of(of.after->assumed), ", before ",
                            list_of(of.before->assumed)));
  if (of.before->is_partial != of.after->is_partial)
    result.push_back(joined(name, " is counted in part ", of.after->is_partial ? "now" : "before"));
  return result;
}

std::vector<std::string> uncounted_of(const report& of, const std::string& name) {
  std::vector<std::string> result;
  for (const uncounted& one : of.others)
    result.push_back(joined(one.name.empty() ? one.file : one.name,
                            one.machine.empty() ? "" : " on ", one.machine, " is not counted in ",
                            name, ": ", one.reason.substr(0, one.reason.find('\n'))));
  return result;
}

// Of all kernels and both sides.
std::vector<std::string> notes_of(const std::vector<kernel_change>& changes,
                                  const kernel_names& names, const report& before,
                                  const report& after, const std::string& before_name,
                                  const std::string& after_name) {
  std::vector<std::string> result;
  for (const kernel_change& one : changes)
    for (const std::string& remark : remarks_of(one, names.name(one))) result.push_back(remark);
  for (const auto& [side, name] : {std::pair(&before, before_name), std::pair(&after, after_name)})
    for (const std::string& note : uncounted_of(*side, name)) result.push_back(note);
  return result;
}

// Those that change the most first.
std::vector<access_change> shown_accesses(const kernel_change& of) {
  std::vector<access_change> result = of.accesses;
  const auto size = [](const access_change& one) {
    const std::uint64_t left = one.before ? one.before->excessive() : 0,
                        right = one.after ? one.after->excessive() : 0;
    return left > right ? left - right : right - left;
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const auto& left, const auto& right) { return size(left) > size(right); });
  return result;
}

// The worse ones first.
std::vector<kernel_change> changed_ones(const std::vector<kernel_change>& all) {
  std::vector<kernel_change> result;
  for (const kernel_change& one : all)
    if (!one.is_same()) result.push_back(one);
  std::stable_partition(result.begin(), result.end(),
                        [](const kernel_change& one) { return one.is_worse(); });
  return result;
}

std::string summary_of(const std::vector<kernel_change>& all) {
  const auto count = [&](const auto& has) {
    return static_cast<std::uint64_t>(std::count_if(all.begin(), all.end(), has));
  };
  const std::uint64_t worse = count([](const auto& one) { return one.is_worse(); }),
                      better = count([](const auto& one) { return one.is_better(); });
  return joined(bm::detail::counted_in_words(all.size(), "kernel"), ", ", bm::grouped(worse),
                " worse, ", bm::grouped(better), " better, ",
                bm::grouped(count([](const auto& one) { return one.is_same(); })), " the same");
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

std::string side_json(const reported_kernel* of) {
  if (of == nullptr) return "null";
  return joined("{\"file\": ", json_string(of->file), ", \"block\": ", json_string(of->block),
                ", \"conflicts\": ", of->excessive(false),
                ", \"excessive_transactions\": ", of->excessive(true),
                ", \"partial\": ", of->is_partial ? "true" : "false", "}");
}

std::string side_json(const reported_access* of) {
  if (of == nullptr) return "null";
  return joined("{\"line\": ", of->line, ", \"source\": ", json_string(of->source),
                ", \"requests\": ", of->requests, ", \"taken\": ", of->taken,
                ", \"ideal\": ", of->ideal, "}");
}

}  // namespace

std::string text_of_difference(const report& before, const report& after,
                               const std::string& before_name, const std::string& after_name,
                               const command_line::text_shape& shape) {
  const std::vector<kernel_change> all = differences_of(before, after);
  const kernel_names names(before, after);
  std::string result = joined(before_name, " -> ", after_name,
                              ", one block of each kernel: ", summary_of(all), "\n");
  std::vector<command_line::row> rows = {{"line", "", columns}};
  for (const kernel_change& one : changed_ones(all)) {
    rows.push_back({"", joined(names.name(one), ": ", verdict_of(one)), cells_of(one)});
    for (const access_change& access : shown_accesses(one)) {
      const reported_access& now = either(access);
      const std::string source = command_line::cut(printable(now.source), longest_source);
      rows.push_back({std::to_string(now.line), joined("  ", name_of(now), "  ", source),
                      cells_of(access, now.is_global)});
    }
  }
  if (rows.size() > 1)
    result += joined("\n", without_blanks_at_ends(command_line::printed(
                               rows, 0, shape.is_terminal ? shape.width : 0)));
  std::string notes;
  for (const std::string& note : notes_of(all, names, before, after, before_name, after_name))
    notes += command_line::wrapped(joined("note: ", note), "", shape.width);
  return joined(result, notes.empty() ? "" : "\n", notes);
}

std::string markdown_of_difference(const report& before, const report& after,
                                   const std::string& before_name, const std::string& after_name) {
  const std::vector<kernel_change> all = differences_of(before, after);
  const kernel_names names(before, after);
  std::string result = joined("**bankmodel**, one block of each kernel: ", summary_of(all), "\n");
  const std::vector<kernel_change> changed = changed_ones(all);
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
    const kernel_change& one = changed[number];
    add_row(joined("**", verdict_of(one), "**"), as_code(names.name(one)), cells_of(one));
    const std::vector<access_change> accesses = shown_accesses(one);
    for (std::size_t i = 0; i < std::min(accesses.size(), most_accesses); ++i) {
      const reported_access& now = either(accesses[i]);
      add_row(joined("line ", now.line),
              joined(name_of(now), ": ",
                     as_code(command_line::cut(printable(now.source), 2 * longest_source))),
              cells_of(accesses[i], now.is_global));
    }
    if (accesses.size() > most_accesses)
      add_row("", joined("and ", accesses.size() - most_accesses, " more accesses"),
              command_line::cells(columns.size()));
  }
  if (changed.size() > most_kernels)
    result += joined("\nand ", changed.size() - most_kernels, " more kernels that changed\n");
  std::string notes;
  for (const std::string& note : notes_of(all, names, before, after, before_name, after_name))
    notes += joined("- ", as_code(note), "\n");
  return joined(result, notes.empty() ? "" : "\n", notes);
}

std::string json_of_difference(const report& before, const report& after) {
  command_line::list kernels("    ");
  for (const kernel_change& one : differences_of(before, after)) {
    command_line::list accesses("      ");
    for (const access_change& access : one.accesses) {
      const reported_access& now = either(access);
      accesses.add(joined("{\"memory\": \"", now.is_global ? "global" : "shared", "\", \"array\": ",
                          json_string(now.array), ", \"does\": ", json_string(now.does),
                          ", \"bytes\": ", now.bytes, ", \"before\": ", side_json(access.before),
                          ", \"after\": ", side_json(access.after), "}"));
    }
    const reported_kernel& kernel = either(one);
    kernels.add(joined(
        "{\"kernel\": ", json_string(kernel.name), ", \"machine\": ", json_string(kernel.machine),
        ", \"verdict\": ", json_string(verdict_of(one)),
        ", \"worse\": ", one.is_worse() ? "true" : "false",
        ",\n     \"before\": ", side_json(one.before), ",\n     \"after\": ", side_json(one.after),
        ",\n     \"accesses\": [", accesses.text(), one.accesses.empty() ? "]}" : "\n    ]}"));
  }
  command_line::list others("    ");
  for (const auto& [side, name] : {std::pair(&before, "before"), std::pair(&after, "after")})
    for (const uncounted& one : side->others)
      others.add(joined("{\"side\": \"", name, "\", \"kernel\": ", json_string(one.name),
                        ", \"reason\": ", json_string(one.reason), "}"));
  return joined("{\n  \"kernels\": [", kernels.text(), "\n  ],\n  \"not_counted\": [",
                others.text(), "\n  ]\n}\n");
}

namespace {

std::string count_text(std::uint64_t count, const char* what) {
  return bm::detail::counted_in_words(count, what);
}

// "  line 12, load tile: 32 requests take 1,024 wavefronts, before 32"
std::string worse_access_text(const access_change& of) {
  const reported_access& now = *of.after;
  std::string before;
  if (of.before && of.before->requests == now.requests)
    before = joined(", before ", bm::grouped(of.before->taken));
  else if (of.before)
    before = joined(", before ", bm::grouped(of.before->requests), " took ",
                    bm::grouped(of.before->taken));
  return joined("  line ", now.line, ", ", name_of(now), ": ", count_text(now.requests, "request"),
                now.requests == 1 ? " takes " : " take ",
                count_text(now.taken, now.is_global ? "transaction" : "wavefront"), before, "\n");
}

// Of one memory; empty if it takes no more there.
std::string worse_text(const kernel_change& of, bool is_global, const std::string& name,
                       const std::string& baseline_name) {
  const std::uint64_t before = of.excessive_before(is_global),
                      after = of.excessive_after(is_global);
  if (after <= before) return {};
  std::string result =
      joined("bankmodel: ", name, ": ",
             count_text(after, is_global ? "excessive transaction" : "conflict"), ", ",
             of.before ? joined(bm::grouped(before), " in ", baseline_name)
                       : joined("and it is not in ", baseline_name),
             "\n");
  for (const access_change& one : shown_accesses(of))
    if (one.after && one.after->is_global == is_global &&
        one.after->excessive() > (one.before ? one.before->excessive() : 0))
      result += worse_access_text(one);
  return result;
}

}  // namespace

complaints compared_with_baseline(const report& baseline, const report& now,
                                  const std::string& baseline_name) {
  complaints result;
  const kernel_names names(baseline, now);
  for (const kernel_change& one : differences_of(baseline, now, renaming::excluded)) {
    if (!one.after) continue;
    const std::string name = names.name(one);
    if (one.is_worse()) {
      result.is_worse = true;
      for (const bool is_global : {false, true})
        result.text += worse_text(one, is_global, name, baseline_name);
      for (const std::string& remark : remarks_of(one, name))
        result.text += joined("  ", remark, "\n");
    }
    if (!one.after->is_partial || (one.before && one.before->is_partial)) continue;
    result.is_incomplete = true;
    result.text += joined("bankmodel: ", name, ": counted in part, or not executed as a whole, ",
                          one.before ? "and as a whole in " : "and not in ", baseline_name,
                          "; give what its notes name\n");
  }
  for (const uncounted& one : now.others) {
    const auto is_that = [&](const uncounted& known) {
      return known.file == one.file && known.name == one.name && known.machine == one.machine;
    };
    if (std::any_of(baseline.others.begin(), baseline.others.end(), is_that)) continue;
    result.is_incomplete = true;
    result.text +=
        joined("bankmodel: ", one.name.empty() ? one.file : one.name,
               one.machine.empty() ? "" : " on ", one.machine, ": not counted, and ", baseline_name,
               " does not say so: ", one.reason.substr(0, one.reason.find('\n')), "\n");
  }
  return result;
}

}  // namespace project
