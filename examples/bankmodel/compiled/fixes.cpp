// SPDX-License-Identifier: MIT
#include "fixes.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <filesystem>
#include <map>
#include <memory>

#include "../file_content.hpp"
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

const std::string& name_of(const page& of, const array_plan& plan) {
  return array_of(of, plan).name;
}

std::string in_words(std::uint64_t wavefronts) {
  return bm::detail::counted_in_words(wavefronts, "wavefront");
}

// A kernel that is counted, and its page.
struct page_to_fix {
  planned_kernel kernel;
  std::string name;  // with ": "; empty if the file has one kernel
  const page* before = nullptr;
  std::vector<array_plan> plans = {};  // that are written
};

bool is_same(const text_edit& one, const text_edit& other) {
  return one.where.file == other.where.file && one.where.offset == other.where.offset &&
         one.where.text == other.where.text && one.replacement == other.replacement;
}

bool overlaps(const text_edit& one, const text_edit& other) {
  const auto end_of = [](const text_edit& of) { return of.where.offset + of.where.text.size(); };
  return one.where.file == other.where.file && one.where.offset < end_of(other) &&
         other.where.offset < end_of(one);
}

// The edits of all kernels' plans, and the reasons against those that are not written.
struct chosen_plans {
  std::vector<text_edit> edits;
  std::vector<std::string> not_written;
};

std::string declaration_of(const page& of, const array_plan& plan) {
  return declaration_of(*of.kernel, array_of(of, plan));
}

// Adds the edits of a plan. Returns why they cannot be added; empty if they are.
std::string add_edits(const page_to_fix& of, const array_plan& plan, std::vector<text_edit>& to) {
  const code_array& array = array_of(*of.before, plan);
  std::vector<text_edit> added;
  const question& asked = *of.kernel.asked;
  const std::string text = text_to_change(asked, declaring_file(asked, array));
  for (const text_edit& edit : source_edits(array, plan, text)) {
    const auto has_it = [&](const text_edit& other) { return is_same(other, edit); };
    if (std::any_of(to.begin(), to.end(), has_it)) continue;
    for (const text_edit& other : to)
      if (overlaps(other, edit))
        return joined("its change of line ", edit.where.line,
                      " overlaps that of another array; run --fix again for it");
    added.push_back(edit);
  }
  to.insert(to.end(), added.begin(), added.end());
  return {};
}

chosen_plans chosen(std::vector<page_to_fix>& pages) {
  chosen_plans result;
  const auto leave_out = [&](const page_to_fix& of, const std::string& reason) {
    const std::string text = joined(of.name, reason);
    if (std::find(result.not_written.begin(), result.not_written.end(), text) ==
        result.not_written.end())
      result.not_written.push_back(text);
  };
  std::map<std::string, bool> is_declaration;  // of each declaration the kind that is written
  for (const page_to_fix& one : pages)
    for (const array_plan& plan : one.before->plans)
      if (const std::string key = declaration_of(*one.before, plan);
          !key.empty() && reason_not_written(*one.before, plan).empty())
        is_declaration[key] = is_declaration[key] || plan.is_a_declaration;
  for (page_to_fix& one : pages)
    for (const array_plan& plan : one.before->plans) {
      const auto kind = is_declaration.find(declaration_of(*one.before, plan));
      std::string reason = reason_not_written(*one.before, plan);
      if (reason.empty() && kind != is_declaration.end() && kind->second != plan.is_a_declaration)
        reason = joined("the plan of ", name_of(*one.before, plan),
                        " changes subscripts, and another kernel's its declaration");
      if (reason.empty())
        if (const std::string why = add_edits(one, plan, result.edits); !why.empty())
          reason = joined(name_of(*one.before, plan), " is not changed: ", why);
      if (reason.empty())
        one.plans.push_back(plan);
      else
        leave_out(one, reason);
    }
  return result;
}

// The first ones; a template may have hundreds of instances.
std::string joined_reasons(const std::vector<std::string>& all) {
  constexpr std::size_t most = 5;
  std::string result;
  for (std::size_t number = 0; number < std::min(all.size(), most); ++number)
    result += joined(number == 0 ? "" : "; ", all[number]);
  return all.size() > most ? joined(result, "; and ", all.size() - most, " more") : result;
}

// Error: the file is not the one that was read.
void require_as_read(const question& asked) {
  if (command_line::file_content(asked.file) != asked.text)
    throw refusal{{}, joined(asked.file, " changed while it was read"), "run --fix again"};
}

// The plans that are written, as those of this kernel: of each of its arrays with such a
// declaration, also where it gains nothing.
std::vector<array_plan> written_plans_in(const page& before, const page& after,
                                         const std::vector<page_to_fix>& pages) {
  std::vector<array_plan> result;
  for (const page_to_fix& one : pages)
    for (const array_plan& plan : one.plans)
      for (array_plan& own : plans_in(before, after, *one.before, plan))
        if (std::none_of(result.begin(), result.end(),
                         [&](const array_plan& other) { return other.array == own.array; }))
          result.push_back(std::move(own));
  return result;
}

// Error: the changed kernel is not the same one with the arrays as planned.
void require_as_planned(const page_to_fix& of, const page& after,
                        const std::vector<page_to_fix>& all) {
  const page& before = *of.before;
  std::string wrong = difference_from_plans(before, after, written_plans_in(before, after, all));
  for (const array_plan& plan : of.plans) {
    const std::uint64_t counted = issued_cost_of(after, plan.array).wavefronts;
    if (wrong.empty() && counted != plan.after.wavefronts)
      wrong = joined("with all changes together ", name_of(before, plan), " takes ",
                     in_words(counted), ", and its plan has ", bm::grouped(plan.after.wavefronts));
  }
  if (!wrong.empty())
    throw refusal{
        {}, joined("--fix: ", of.name, wrong), "nothing was written; change the arrays by hand"};
}

// "tile declared as tile[32][33]", "smem with longer rows of sq and sk"
std::string changed_array(const page& before, const array_plan& plan) {
  const std::string& name = name_of(before, plan);
  if (plan.rows.empty())
    return joined(name, plan.is_flat ? " as " : " declared as ", name, bm::text(plan.planned));
  if (before.kernel->shared[static_cast<std::size_t>(plan.array)].bytes != 0)
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
std::string said_of(const page& before, const page& after, const array_plan& plan) {
  return joined(changed_array(before, plan),
                ", counted again: ", in_words(issued_cost_of(after, plan.array).wavefronts),
                " instead of ", bm::grouped(issued_cost_of(before, plan.array).wavefronts),
                plan.is_as_issued ? " as issued" : "");
}

// Relative to the working directory if the file is below it: patch refuses other absolute names.
std::string name_in_diff(const std::string& file) {
  const std::filesystem::path near =
      std::filesystem::path(file).lexically_normal().lexically_proximate(
          std::filesystem::current_path());
  return near.empty() || *near.begin() == ".." ? file : near.string();
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
  if (asked.fix == "dry-run" && (asked.as != command_line::format::text || asked.html))
    throw refusal{{}, "--fix=dry-run prints a difference", "leave out --json, --csv and --html"};
  if (asked.text.size() > most_bytes)
    throw refusal{{}, joined(asked.file, " has more than ", most_bytes, " bytes"), "split it"};
}

// The kernels of a kernel file with its new text.
std::vector<std::unique_ptr<counted_kernel>> counted_again_in_file(
    const std::vector<page_to_fix>& pages, const changed_texts& changed) {
  std::vector<std::unique_ptr<counted_kernel>> result;
  for (const page_to_fix& one : pages) {
    question again = *one.kernel.asked;
    again.text = changed.at(again.file);
    const kernel_code& kernel = *one.before->kernel;
    result.push_back(counted_expressions_of(again, kernel.is_unnamed ? "" : kernel.name).counted);
  }
  return result;
}

bm::cost cost_of_array(const page& of, int array) {
  bm::cost result;
  for (const priced_access& one : of.costs.shared)
    if (one.first->array == array) result = result + one.cost;
  return result;
}

// Error: an access of a kernel file costs another number than its plan says, or than before where
// its array stays.
void require_counts_as_planned(const page_to_fix& of, const page& after) {
  const page& before = *of.before;
  const auto array_count = static_cast<int>(before.kernel->shared.size());
  std::string wrong;
  for (int array = 0; array < array_count; ++array) {
    const auto plan = std::find_if(of.plans.begin(), of.plans.end(),
                                   [&](const array_plan& one) { return one.array == array; });
    const bm::cost wanted = plan == of.plans.end() ? cost_of_array(before, array) : plan->after;
    if (!(cost_of_array(after, array) == wanted))
      wrong =
          joined("with the change ", before.kernel->shared[static_cast<std::size_t>(array)].name,
                 " takes ", in_words(cost_of_array(after, array).wavefronts), ", and not ",
                 bm::grouped(wanted.wavefronts));
  }
  if (!(before.costs.traffic == after.costs.traffic))
    wrong = "with the change global memory takes another number of transactions";
  if (!wrong.empty())
    throw refusal{
        {}, joined("--fix: ", of.name, wrong), "nothing was written; change the arrays by hand"};
}

}  // namespace

command_line::answer answer_with_fix(const question& asked) {
  require_possible(asked);
  require_as_read(asked);
  const bool is_in_notation = !is_compiled(asked.file);
  std::vector<kernel_result> before = counted_kernels(asked);
  for (const kernel_result& one : before)
    if (one.counted != nullptr && one.counted->pages.size() > 1)
      throw refusal{
          {}, "--fix plans for one machine, and the file names several", "name one --machine"};
  std::vector<page_to_fix> pages;
  for (const kernel_result& one : before)
    if (one.counted != nullptr)
      pages.push_back({{one.asked.get(), one.counted.get()},
                       before.size() > 1 ? joined(one.shown, ": ") : "",
                       &one.counted->pages[0]});
  const chosen_plans todo = chosen(pages);
  const bool shows = asked.fix == "dry-run";
  if (todo.edits.empty() && !todo.not_written.empty())
    throw refusal{{},
                  joined("--fix: ", joined_reasons(todo.not_written)),
                  "nothing was written; make the change by hand, as the page without --fix has it"};
  if (todo.edits.empty()) {
    std::vector<std::string> without;
    for (const page_to_fix& one : pages)
      for (const std::string& why : one.before->without_plan)
        without.push_back(joined(one.name, why));
    command_line::answer result = answer_about(before, asked);
    if (shows) result.out.clear();
    if (without.empty()) without.push_back("no other declaration takes fewer wavefronts");
    for (const std::string& why : without)
      result.error += joined("bankmodel: note: --fix: ", why, "\n");
    return result;
  }

  const changed_texts changed = texts_with(asked, todo.edits);
  changed_texts old;
  for (const auto& [file, text] : changed) old[file] = text_to_change(asked, file);
  std::vector<planned_kernel> kernels;
  for (const page_to_fix& one : pages) kernels.push_back(one.kernel);
  std::vector<std::unique_ptr<counted_kernel>> after =
      is_in_notation ? counted_again_in_file(pages, changed) : counted_again(kernels, changed);
  std::string written;
  for (std::size_t number = 0; number < pages.size(); ++number) {
    const page_to_fix& one = pages[number];
    if (is_in_notation)
      require_counts_as_planned(one, after[number]->pages[0]);
    else
      require_as_planned(one, after[number]->pages[0], pages);
    for (const array_plan& plan : one.plans)
      written += joined("bankmodel: ", declaring_file(asked, array_of(*one.before, plan)),
                        shows ? ": not written yet: " : ": written: ", one.name,
                        said_of(*one.before, after[number]->pages[0], plan), "\n");
    if (std::any_of(one.plans.begin(), one.plans.end(),
                    [](const array_plan& plan) { return !plan.launches.empty(); }))
      written += joined("bankmodel: note: --fix: ", one.name,
                        "launches in other files must have more dynamic bytes too\n");
  }
  if (!shows) replace_files(old, changed);
  std::size_t number = 0;
  std::vector<std::unique_ptr<counted_kernel>> kept;  // that the pages of `pages` belong to
  for (kernel_result& one : before)
    if (one.counted != nullptr) {
      kept.push_back(std::move(one.counted));
      one.counted = std::move(after[number++]);
    }
  question again = asked;
  set_texts(changed, again);
  command_line::answer result = answer_about(before, again);
  if (shows) {
    result.out.clear();
    for (const auto& [file, text] : changed)
      result.out += unified_diff(name_in_diff(file), old[file], text);
  }
  result.error += written;
  if (!todo.not_written.empty())
    result.error += joined("bankmodel: note: --fix: ", joined_reasons(todo.not_written), "\n");
  return result;
}

}  // namespace compiled
