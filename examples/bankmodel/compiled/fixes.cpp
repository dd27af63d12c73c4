// SPDX-License-Identifier: MIT
#include "fixes.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <filesystem>
#include <map>
#include <memory>

#include "../file_content.hpp"
#include "compared_values.hpp"
#include "counted_kernel.hpp"
#include "counted_kernel_file.hpp"
#include "page/plan_text.hpp"
#include "plan/array_plans.hpp"
#include "plan/plan_edits.hpp"
#include "replaced_file.hpp"
#include "unified_diff.hpp"
#include "verified_plans.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

const std::string& name_of(const page& kernel_page, const array_plan& plan) {
  return array_of(kernel_page, plan).name;
}

std::string in_words(std::uint64_t wavefronts) {
  return bm::detail::counted_in_words(wavefronts, "wavefront");
}

// A kernel that is counted, and its page.
struct page_to_fix {
  planned_kernel kernel;
  std::string name;  // with ": "; empty if the file has one kernel
  const page* original = nullptr;
  std::vector<array_plan> plans = {};  // that are written
};

bool is_same(const text_edit& edit, const text_edit& other) {
  return edit.piece.file == other.piece.file && edit.piece.offset == other.piece.offset &&
         edit.piece.text == other.piece.text && edit.replacement == other.replacement;
}

bool overlaps(const text_edit& edit, const text_edit& other) {
  const auto end_of = [](const text_edit& span) {
    return span.piece.offset + span.piece.text.size();
  };
  return edit.piece.file == other.piece.file && edit.piece.offset < end_of(other) &&
         other.piece.offset < end_of(edit);
}

// The edits of all kernels' plans, and the reasons against those that are not written.
struct chosen_plans {
  std::vector<text_edit> edits;
  std::vector<std::string> not_written;
};

std::string declaration_of(const page& kernel_page, const array_plan& plan) {
  return declaration_of(*kernel_page.kernel, array_of(kernel_page, plan));
}

// Adds the edits of a plan. Returns why they cannot be added; empty if they are.
std::string add_edits(const page_to_fix& target, const array_plan& plan,
                      std::vector<text_edit>& edits) {
  const code_array& array = array_of(*target.original, plan);
  std::vector<text_edit> added;
  const question& asked = *target.kernel.asked;
  const std::string text = text_to_change(asked, declaring_file(asked, array));
  for (const text_edit& edit : source_edits(array, plan, text)) {
    const auto has_it = [&](const text_edit& other) { return is_same(other, edit); };
    if (std::any_of(edits.begin(), edits.end(), has_it)) continue;
    for (const text_edit& other : edits)
      if (overlaps(other, edit))
        return joined("its change of line ", edit.piece.line,
                      " overlaps that of another array; run --fix again for it");
    added.push_back(edit);
  }
  edits.insert(edits.end(), added.begin(), added.end());
  return {};
}

chosen_plans chosen(std::vector<page_to_fix>& pages) {
  chosen_plans result;
  const auto leave_out = [&](const page_to_fix& target, const std::string& reason) {
    const std::string text = joined(target.name, reason);
    if (std::find(result.not_written.begin(), result.not_written.end(), text) ==
        result.not_written.end())
      result.not_written.push_back(text);
  };
  std::map<std::string, bool> is_declaration;  // of each declaration the kind that is written
  for (const page_to_fix& target : pages)
    for (const array_plan& plan : target.original->plans)
      if (const std::string key = declaration_of(*target.original, plan);
          !key.empty() && reason_not_written(*target.original, plan).empty())
        is_declaration[key] = is_declaration[key] || plan.is_a_declaration;
  for (page_to_fix& target : pages)
    for (const array_plan& plan : target.original->plans) {
      const auto kind = is_declaration.find(declaration_of(*target.original, plan));
      std::string reason = reason_not_written(*target.original, plan);
      if (reason.empty() && kind != is_declaration.end() && kind->second != plan.is_a_declaration)
        reason = joined("the plan of ", name_of(*target.original, plan),
                        " changes subscripts, and another kernel's its declaration");
      if (reason.empty())
        if (const std::string obstacle = add_edits(target, plan, result.edits); !obstacle.empty())
          reason = joined(name_of(*target.original, plan), " is not changed: ", obstacle);
      if (reason.empty())
        target.plans.push_back(plan);
      else
        leave_out(target, reason);
    }
  return result;
}

// The first ones; a template may have hundreds of instances.
std::string joined_reasons(const std::vector<std::string>& reasons) {
  constexpr std::size_t limit = 5;
  std::string result;
  for (std::size_t number = 0; number < std::min(reasons.size(), limit); ++number)
    result += joined(number == 0 ? "" : "; ", reasons[number]);
  return reasons.size() > limit ? joined(result, "; and ", reasons.size() - limit, " more")
                                : result;
}

// Error: the file is not the one that was read.
void require_as_read(const question& asked) {
  if (command_line::file_content(asked.file) != asked.text)
    throw refusal{{}, joined(asked.file, " changed while it was read"), "run --fix again"};
}

// The plans that are written, as those of this kernel: of each of its arrays with such a
// declaration, also where it gains nothing.
std::vector<array_plan> written_plans_in(const page& previous, const page& changed,
                                         const std::vector<page_to_fix>& pages) {
  std::vector<array_plan> result;
  for (const page_to_fix& target : pages)
    for (const array_plan& plan : target.plans)
      for (array_plan& own : plans_in(previous, changed, *target.original, plan))
        if (std::none_of(result.begin(), result.end(),
                         [&](const array_plan& other) { return other.array == own.array; }))
          result.push_back(std::move(own));
  return result;
}

// Error: the changed kernel is not the same one with the arrays as planned.
void require_as_planned(const page_to_fix& target, const page& changed,
                        const std::vector<page_to_fix>& targets) {
  const page& previous = *target.original;
  std::string wrong =
      difference_from_plans(previous, changed, written_plans_in(previous, changed, targets));
  for (const array_plan& plan : target.plans) {
    const std::uint64_t counted = issued_cost_of(changed, plan.array).wavefronts;
    if (wrong.empty() && counted != plan.planned_cost.wavefronts)
      wrong = joined("with all changes together ", name_of(previous, plan), " takes ",
                     in_words(counted), ", and its plan has ",
                     bm::grouped(plan.planned_cost.wavefronts));
  }
  if (!wrong.empty())
    throw refusal{{},
                  joined("--fix: ", target.name, wrong),
                  "nothing was written; change the arrays by hand"};
}

// Returns what is said of the values that a block computes before and after the changes.
// Error: they differ.
std::string said_of_values(const page_to_fix& target, const counted_kernel& changed) {
  const value_comparison compared = compared_values(*target.kernel.counted, changed);
  if (!compared.difference.empty())
    throw refusal{{},
                  joined("--fix: ", target.name, "with the change ", compared.difference,
                         ", computed from made-up data"),
                  "nothing was written; change the arrays by hand"};
  if (!compared.incomplete.empty())
    return joined("bankmodel: note: --fix: ", target.name,
                  "values are not compared, requests are: ", compared.incomplete, "\n");
  return joined("bankmodel: note: --fix: ", target.name, "a block stores the same values, ",
                bm::detail::counted_in_words(compared.bytes, "byte"),
                ", before and after, computed from made-up data",
                compared.has_small_arguments ? " and smaller arguments" : "", "\n");
}

// "tile declared as tile[32][33]", "smem with longer rows of sq and sk"
std::string changed_array(const page& previous, const array_plan& plan) {
  const std::string& name = name_of(previous, plan);
  if (plan.rows.empty())
    return joined(name, plan.is_flat ? " as " : " declared as ", name, bm::text(plan.planned));
  if (previous.kernel->shared[static_cast<std::size_t>(plan.array)].bytes != 0)
    return text_of_declared_rows(plan);
  std::string result = joined(name, " with longer rows of ");
  for (std::size_t number = 0; number < plan.rows.size(); ++number)
    result += joined(number == 0                     ? ""
                     : number + 1 < plan.rows.size() ? ", "
                                                     : " and ",
                     plan.rows[number].name);
  return result;
}

// "tile declared as tile[32][33], counted again: 64 wavefronts instead of 1,056"
std::string said_of(const page& previous, const page& changed, const array_plan& plan) {
  return joined(changed_array(previous, plan),
                ", counted again: ", in_words(issued_cost_of(changed, plan.array).wavefronts),
                " instead of ", bm::grouped(issued_cost_of(previous, plan.array).wavefronts),
                plan.is_as_issued ? " as issued" : "");
}

// Relative to the working directory if the file is below it: patch refuses other absolute names.
std::string name_in_diff(const std::string& file) {
  const std::filesystem::path relative =
      std::filesystem::path(file).lexically_normal().lexically_proximate(
          std::filesystem::current_path());
  return relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

// Returns a note if callers choose the dynamic bytes of a launch: whether each call stays within
// the limit of a block is not known here.
std::string notes_of_bytes(const page_to_fix& target) {
  const counted_kernel& counted = *target.kernel.counted;
  const auto is_open = [&](const found_launch& launch) {
    return launch.linkage == counted.kernel->linkage &&
           (!launch.dynamic_shared_bytes || launch.has_bytes_of_caller);
  };
  const std::vector<found_launch>& launches = counted.code->launches;
  if (std::none_of(launches.begin(), launches.end(), is_open)) return {};
  return joined("bankmodel: note: --fix: ", target.name,
                "launches with other sizes must stay within the shared memory of a block\n");
}

void require_possible(const question& asked) {
  if (is_compiled(asked.file) && !is_source(asked.file))
    throw refusal{
        {},
        joined("--fix changes CUDA and HIP source, and ", asked.file, " is compiled code"),
        "name the source that it was compiled from"};
  if (asked.file[0] == '<')
    throw refusal{{}, "--fix changes a file, and this is none", "name the file"};
  if (asked.fix != "write" && asked.fix != "dry-run")
    throw refusal{{}, joined("--fix=", asked.fix, " is not known"), "use --fix or --fix=dry-run"};
  if (asked.machines.size() > 1)
    throw refusal{{}, "--fix plans for one machine", "name one --machine"};
  if (asked.fix == "dry-run" && (asked.format != command_line::format::text || asked.html))
    throw refusal{{}, "--fix=dry-run prints a difference", "leave out --json, --csv and --html"};
  if (asked.text.size() > most_bytes)
    throw refusal{{}, joined(asked.file, " has more than ", most_bytes, " bytes"), "split it"};
}

// The kernels of a kernel file with its new text.
std::vector<std::unique_ptr<counted_kernel>> counted_again_in_file(
    const std::vector<page_to_fix>& pages, const changed_texts& changed) {
  std::vector<std::unique_ptr<counted_kernel>> result;
  for (const page_to_fix& target : pages) {
    question renewed = *target.kernel.asked;
    renewed.text = changed.at(renewed.file);
    const kernel_code& kernel = *target.original->kernel;
    result.push_back(counted_expressions_of(renewed, kernel.is_unnamed ? "" : kernel.name).counted);
  }
  return result;
}

bm::cost cost_of_array(const page& kernel_page, int array) {
  bm::cost result;
  for (const priced_access& access : kernel_page.costs.shared)
    if (access.first->array == array) result = result + access.cost;
  return result;
}

// Error: an access of a kernel file costs another number than its plan says, or than before where
// its array stays.
void require_counts_as_planned(const page_to_fix& target, const page& changed) {
  const page& previous = *target.original;
  const auto array_count = static_cast<int>(previous.kernel->shared.size());
  std::string wrong;
  for (int array = 0; array < array_count; ++array) {
    const auto plan =
        std::find_if(target.plans.begin(), target.plans.end(),
                     [&](const array_plan& candidate) { return candidate.array == array; });
    const bm::cost wanted =
        plan == target.plans.end() ? cost_of_array(previous, array) : plan->planned_cost;
    if (!(cost_of_array(changed, array) == wanted))
      wrong =
          joined("with the change ", previous.kernel->shared[static_cast<std::size_t>(array)].name,
                 " takes ", in_words(cost_of_array(changed, array).wavefronts), ", and not ",
                 bm::grouped(wanted.wavefronts));
  }
  if (!(previous.costs.traffic == changed.costs.traffic))
    wrong = "with the change global memory takes another number of transactions";
  if (!wrong.empty())
    throw refusal{{},
                  joined("--fix: ", target.name, wrong),
                  "nothing was written; change the arrays by hand"};
}

bool cost_the_same(const counted_kernel& some, const counted_kernel& other) {
  return std::equal(some.pages.begin(), some.pages.end(), other.pages.begin(), other.pages.end(),
                    [](const page& left, const page& right) {
                      return left.costs.cost == right.costs.cost &&
                             left.costs.issued_cost == right.costs.issued_cost &&
                             left.costs.traffic == right.costs.traffic;
                    });
}

// Returns the texts to write: those that were counted, with what is added on lines of its own where
// that has the same costs. `recounted` becomes their kernels.
changed_texts in_lines(const question& asked, std::vector<text_edit> edits,
                       const std::vector<planned_kernel>& kernels, const changed_texts& counted,
                       std::vector<std::unique_ptr<counted_kernel>>& recounted) {
  for (text_edit& edit : edits) edit = edit.as_written();
  changed_texts result = texts_with(asked, edits);
  // Assumptions are given by lines, which may be others now.
  if (result == counted || !asked.assumed.empty()) return counted;
  std::vector<std::unique_ptr<counted_kernel>> again = counted_again(kernels, result);
  for (std::size_t number = 0; number < again.size(); ++number)
    if (!cost_the_same(*again[number], *recounted[number])) return counted;
  recounted = std::move(again);
  return result;
}

}  // namespace

command_line::answer answer_with_fix(const question& asked) {
  require_possible(asked);
  require_as_read(asked);
  const bool is_in_notation = !is_compiled(asked.file);
  std::vector<kernel_result> results = counted_kernels(asked);
  for (const kernel_result& kernel : results)
    if (kernel.counted != nullptr && kernel.counted->pages.size() > 1)
      throw refusal{
          {}, "--fix plans for one machine, and the file names several", "name one --machine"};
  std::vector<page_to_fix> pages;
  for (const kernel_result& kernel : results)
    if (kernel.counted != nullptr)
      pages.push_back({{kernel.asked.get(), kernel.counted.get()},
                       results.size() > 1 ? joined(kernel.shown, ": ") : "",
                       &kernel.counted->pages[0]});
  const chosen_plans todo = chosen(pages);
  const bool shows = asked.fix == "dry-run";
  if (todo.edits.empty() && !todo.not_written.empty())
    throw refusal{{},
                  joined("--fix: ", joined_reasons(todo.not_written)),
                  "nothing was written; make the change by hand, as the page without --fix has it"};
  if (todo.edits.empty()) {
    std::vector<std::string> reasons;
    for (const page_to_fix& target : pages)
      for (const std::string& reason : target.original->without_plan)
        reasons.push_back(joined(target.name, reason));
    command_line::answer result = answer_about(results, asked);
    if (shows) result.output.clear();
    if (reasons.empty()) reasons.push_back("no other declaration takes fewer wavefronts");
    for (const std::string& reason : reasons)
      result.error += joined("bankmodel: note: --fix: ", reason, "\n");
    return result;
  }

  const changed_texts counted = texts_with(asked, todo.edits);
  changed_texts old;
  for (const auto& [file, text] : counted) old[file] = text_to_change(asked, file);
  std::vector<planned_kernel> kernels;
  for (const page_to_fix& target : pages) kernels.push_back(target.kernel);
  std::vector<std::unique_ptr<counted_kernel>> recounted =
      is_in_notation ? counted_again_in_file(pages, counted) : counted_again(kernels, counted);
  std::string written;
  for (std::size_t number = 0; number < pages.size(); ++number) {
    const page_to_fix& target = pages[number];
    if (is_in_notation)
      require_counts_as_planned(target, recounted[number]->pages[0]);
    else
      require_as_planned(target, recounted[number]->pages[0], pages);
    for (const array_plan& plan : target.plans)
      written += joined("bankmodel: ", declaring_file(asked, array_of(*target.original, plan)),
                        shows ? ": not written yet: " : ": written: ", target.name,
                        said_of(*target.original, recounted[number]->pages[0], plan), "\n");
    if (!is_in_notation && !target.plans.empty())
      written += said_of_values(target, *recounted[number]);
    if (std::any_of(target.plans.begin(), target.plans.end(),
                    [](const array_plan& plan) { return !plan.launches.empty(); }))
      written += joined("bankmodel: note: --fix: ", target.name,
                        "launches in other files must have more dynamic bytes too\n",
                        notes_of_bytes(target));
  }
  const changed_texts changed = in_lines(asked, todo.edits, kernels, counted, recounted);
  if (!shows) replace_files(old, changed);
  std::size_t number = 0;
  std::vector<std::unique_ptr<counted_kernel>> kept;  // that the pages of `pages` belong to
  for (kernel_result& kernel : results)
    if (kernel.counted != nullptr) {
      kept.push_back(std::move(kernel.counted));
      kernel.counted = std::move(recounted[number++]);
    }
  question renewed = asked;
  set_texts(changed, renewed);
  command_line::answer result = answer_about(results, renewed);
  if (shows) {
    result.output.clear();
    for (const auto& [file, text] : changed)
      result.output += unified_diff(name_in_diff(file), old[file], text);
  }
  result.error += written;
  if (!todo.not_written.empty())
    result.error += joined("bankmodel: note: --fix: ", joined_reasons(todo.not_written), "\n");
  return result;
}

}  // namespace compiled
