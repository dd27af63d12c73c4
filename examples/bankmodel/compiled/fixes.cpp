// SPDX-License-Identifier: MIT
#include "fixes.hpp"

#include <bankmodel/report.hpp>
#include <filesystem>

#include "../file_content.hpp"
#include "counted_kernel.hpp"
#include "plan/array_plans.hpp"
#include "plan/plan_edits.hpp"
#include "replaced_file.hpp"
#include "unified_diff.hpp"
#include "verified_plans.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

const std::string& name_of(const page& of, const array_plan& plan) {
  return of.kernel->shared[static_cast<std::size_t>(plan.array)].name;
}

std::string in_words(std::uint64_t wavefronts) {
  return bm::detail::counted_in_words(wavefronts, "wavefront");
}

// Why --fix does not write this plan; empty if it does.
std::string reason_not_to_write(const page& of, const array_plan& plan) {
  const std::string& name = name_of(of, plan);
  if (!plan.is_a_declaration)
    return joined("the plan of ", name, " with ", in_words(plan.after.wavefronts),
                  " changes subscripts too");
  return plan.refusal.empty() ? "" : joined(name, " is not changed: ", plan.refusal);
}

// The plans that are written, and the reasons against the others.
struct chosen_plans {
  std::vector<array_plan> plans;
  std::vector<text_edit> edits;
  std::string not_written;
};

chosen_plans chosen(const page& of) {
  chosen_plans result;
  for (const array_plan& plan : of.plans) {
    const std::string reason = reason_not_to_write(of, plan);
    if (reason.empty()) {
      result.plans.push_back(plan);
      result.edits.insert(result.edits.end(), plan.fix.begin(), plan.fix.end());
    } else {
      result.not_written += joined(result.not_written.empty() ? "" : "; ", reason);
    }
  }
  return result;
}

// Error: the file is not the one that was read.
void require_as_read(const question& asked) {
  if (command_line::file_content(asked.file) != asked.text)
    throw refusal{{}, joined(asked.file, " changed while it was read"), "run --fix again"};
}

// Error: the changed kernel is not the same one with the arrays as planned.
void require_as_planned(const page& before, const page& after,
                        const std::vector<array_plan>& plans) {
  std::string wrong = difference_from_plans(before, after, plans);
  for (const array_plan& plan : plans) {
    const std::uint64_t counted = issued_cost_of(after, plan.array).wavefronts;
    if (wrong.empty() && counted != plan.after.wavefronts)
      wrong = joined("with all changes together ", name_of(before, plan), " takes ",
                     in_words(counted), ", and its plan has ", bm::grouped(plan.after.wavefronts));
  }
  if (!wrong.empty())
    throw refusal{{}, joined("--fix: ", wrong), "nothing was written; change the arrays by hand"};
}

// "tile declared as tile[32][33], counted again: 64 wavefronts instead of 1,056"
std::string said_of(const page& before, const page& after, const array_plan& plan) {
  return joined(name_of(before, plan), " declared as ", name_of(before, plan),
                bm::text(plan.planned),
                ", counted again: ", in_words(issued_cost_of(after, plan.array).wavefronts),
                " instead of ", bm::grouped(issued_cost_of(before, plan.array).wavefronts),
                plan.is_as_issued ? " as issued" : "");
}

// Relative to the working directory if the file is below it: patch refuses other absolute names.
std::string name_in_diff(const std::string& file) {
  const std::filesystem::path near =
      std::filesystem::path(file).lexically_proximate(std::filesystem::current_path());
  return near.empty() || *near.begin() == ".." ? file : near.string();
}

void require_possible(const question& asked) {
  if (!is_source(asked.file))
    throw refusal{
        {},
        joined("--fix changes CUDA and HIP source, and ", asked.file, " is compiled code"),
        "name the source that it was compiled from"};
  if (asked.fix != "write" && asked.fix != "dry-run")
    throw refusal{{}, joined("--fix=", asked.fix, " is not known"), "use --fix or --fix=dry-run"};
  if (asked.machines.size() > 1)
    throw refusal{{}, "--fix plans for one machine", "name one --machine"};
  if (asked.fix == "dry-run" && (asked.as != command_line::format::text || asked.html))
    throw refusal{{}, "--fix=dry-run prints a difference", "leave out --json, --csv and --html"};
  if (asked.text.size() > most_bytes)
    throw refusal{{}, joined(asked.file, " has more than ", most_bytes, " bytes"), "split it"};
}

std::vector<kernel_result> results_of(std::unique_ptr<counted_kernel> counted) {
  std::vector<kernel_result> result(1);
  result[0].name = counted->kernel->name;
  result[0].counted = std::move(counted);
  return result;
}

}  // namespace

command_line::answer answer_with_fix(const question& asked) {
  require_possible(asked);
  require_as_read(asked);
  auto before = counted(asked);
  const chosen_plans todo = chosen(before->pages[0]);
  const bool shows = asked.fix == "dry-run";
  if (todo.plans.empty() && !todo.not_written.empty())
    throw refusal{{},
                  joined("--fix: ", todo.not_written),
                  "nothing was written; make the change by hand, as the page without --fix has it"};
  if (todo.plans.empty()) {
    const std::vector<std::string> without = before->pages[0].without_plan;
    command_line::answer result = answer_about(results_of(std::move(before)), asked);
    if (shows) result.out.clear();
    for (const std::string& why : without)
      result.error += joined("bankmodel: note: --fix: ", why, "\n");
    if (without.empty())
      result.error += "bankmodel: note: --fix: no other declaration takes fewer wavefronts\n";
    return result;
  }

  const std::string text = edited(asked.text, todo.edits);
  auto after = counted_again(asked, *before->kernel, text);
  require_as_planned(before->pages[0], after->pages[0], todo.plans);
  if (!shows) replace_file(asked.file, asked.text, text);
  std::string written;
  for (const array_plan& plan : todo.plans)
    written += joined("bankmodel: ", asked.file, shows ? ": not written yet: " : ": written: ",
                      said_of(before->pages[0], after->pages[0], plan), "\n");
  command_line::answer result = answer_about(results_of(std::move(after)), asked);
  if (shows) result.out = unified_diff(name_in_diff(asked.file), asked.text, text);
  result.error += written;
  if (!todo.not_written.empty())
    result.error += joined("bankmodel: note: --fix: ", todo.not_written, "\n");
  return result;
}

}  // namespace compiled
