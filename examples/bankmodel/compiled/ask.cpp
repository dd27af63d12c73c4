// SPDX-License-Identifier: MIT
#include "ask.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <set>

#include "../known_machines.hpp"
#include "build_flags.hpp"
#include "compared_profile.hpp"
#include "counted_kernel.hpp"
#include "counted_kernel_file.hpp"
#include "description/description.hpp"
#include "fixes.hpp"
#include "html/as_html.hpp"
#include "kept_limits.hpp"
#include "page/formats.hpp"
#include "page/issued_column.hpp"
#include "page/kernel_table.hpp"
#include "page/reported.hpp"
#include "page/request_picture.hpp"
#include "page/side_by_side.hpp"
#include "page/unknowns.hpp"

namespace compiled {

namespace {

std::vector<page> pages_of(const std::vector<kernel_result>& outcomes) {
  std::vector<page> result;
  for (const kernel_result& outcome : outcomes)
    if (outcome.counted != nullptr) append(result, outcome.counted->pages);
  return result;
}

// The first line of the refusal, and what to do.
std::string reason_of(const refusal& cause) {
  const std::string wrong = cause.wrong.substr(0, cause.wrong.find('\n'));
  return cause.right.empty() ? wrong : joined(wrong, "; ", cause.right);
}

std::vector<uncounted_kernel> uncounted_of(const std::vector<kernel_result>& outcomes) {
  std::vector<uncounted_kernel> result;
  for (const kernel_result& outcome : outcomes)
    if (outcome.counted == nullptr)
      result.push_back({outcome.name, reason_of(outcome.reason)});
    else
      for (const command_line::skipped_machine& skipped : outcome.counted->skipped)
        result.push_back({outcome.counted->kernel->name, reason_of(skipped.reason), skipped.name});
  return result;
}

// The pages of a kernel as text, each below its machine's name: those with the same text share it.
std::string text_of_machines(const std::vector<const page*>& pages, const question& asked,
                             source_lines& lines) {
  std::vector<command_line::named_text> bodies;
  for (const page* const kernel_page : pages)
    bodies.push_back({command_line::shown_name(kernel_page->machine),
                      body_of(*kernel_page, lines, asked.shape, asked.brief)});
  std::string result;
  const std::vector<command_line::named_text> different = command_line::by_text(bodies);
  for (const command_line::named_text& body : different)
    result += joined(result.empty() ? "" : "\n\n",
                     heading_of(*pages[body.first], body.names, asked.shape.width), body.text);
  if (different.size() < 2) return result;
  const std::string beside = text_side_by_side(pages, asked.shape);
  return joined(result, beside.empty() ? "" : "\nOn each machine:\n", beside);
}

// Each note about the file once.
std::vector<std::string> distinct_file_notes(const std::vector<page>& pages) {
  std::vector<std::string> result;
  std::set<std::string> said;
  for (const page& kernel_page : pages)
    for (const std::string& note : kernel_page.file_notes)
      if (said.insert(note).second) result.push_back(note);
  return result;
}

std::string text_of_pages(const std::vector<kernel_result>& outcomes, const question& asked,
                          source_lines& lines) {
  const std::vector<page> pages = pages_of(outcomes);
  const bool is_of_kernels = outcomes.size() > 1 || asked.is_of_several;
  const bool has_table = is_of_kernels || (asked.all_machines && pages.size() > 1);
  std::string result;
  bool has_rest = false;
  for (const kernel_result& kernel : outcomes) {
    if (kernel.counted == nullptr) continue;
    const bool is_whole = kernel.counted->unexecuted_lines.empty();
    std::vector<const page*> shown;
    for (const page& kernel_page : kernel.counted->pages) {
      // Those with nothing to gain have their row, unless they are asked about.
      if (is_of_kernels && asked.kernels.empty() && is_whole && !has_something_to_gain(kernel_page))
        has_rest = true;
      else
        shown.push_back(&kernel_page);
    }
    const std::string text = text_of_machines(shown, asked, lines);
    result += joined(result.empty() || text.empty() ? "" : "\n\n", text);
  }
  if (asked.is_of_several) return result;
  std::string notes;
  for (const std::string& note : distinct_file_notes(pages))
    notes += command_line::wrapped(joined("note: ", note), "", asked.shape.width);
  if (!notes.empty()) notes = joined("\n", notes);
  if (!has_table) return joined(result, notes);
  const auto is_elsewhere = [&](const page& other) {
    return command_line::shown_name(other.machine) != command_line::shown_name(pages[0].machine);
  };
  const bool is_of_one_machine = std::ranges::none_of(pages, is_elsewhere);
  std::string table = text_of_kernels(
      rows_of_kernels(pages, ""),
      joined(asked.file,
             is_of_one_machine ? joined(" on ", command_line::shown_name(pages[0].machine)) : ""),
      asked.shape);
  if (has_rest) table += rest_of_kernels;
  return joined(table, result.empty() ? "" : "\n\n", result, notes);
}

// What rows have no place for, each once.
std::string notes_beside_rows(const std::vector<page>& pages) {
  std::set<std::string> said, names;
  for (const page& kernel_page : pages) names.insert(kernel_page.kernel->name);
  std::string result, kernel;
  const auto add = [&](const std::string& note) {
    if (said.insert(kernel + note).second)
      result += joined("bankmodel: note: ", kernel, note, "\n");
  };
  for (const page& kernel_page : pages) {
    if (names.size() > 1) kernel = joined(kernel_page.kernel->shown_name(), ": ");
    for (const assumed_fact& fact : kernel_page.assumed) add(text_of(fact));
    for (const std::string& note : all_notes(kernel_page)) add(note);
  }
  return result;
}

// The first page of each kernel.
std::vector<page> pages_of_kernels(const std::vector<kernel_result>& outcomes) {
  std::vector<page> result;
  std::set<const kernel_code*> kernels;
  for (const kernel_result& outcome : outcomes)
    if (outcome.counted != nullptr && !outcome.counted->pages.empty() &&
        kernels.insert(outcome.counted->kernel).second)
      result.push_back(outcome.counted->pages.front());
  return result;
}

std::string printed(const std::vector<kernel_result>& outcomes, const question& asked,
                    source_lines& lines) {
  const bool is_text = asked.format == command_line::format::text;
  if (is_text && asked.unknowns) return text_of_unknowns(pages_of_kernels(outcomes), asked.shape);
  if (is_text) return text_of_pages(outcomes, asked, lines);
  const std::vector<uncounted_kernel> uncounted = uncounted_of(outcomes);
  const std::vector<page> pages = pages_of(outcomes);
  switch (asked.format) {
    case command_line::format::json:
      return asked.unknowns ? json_of_unknowns(pages_of_kernels(outcomes), asked.file, uncounted)
                            : as_json(pages, asked.file, uncounted);
    case command_line::format::csv: return as_csv(pages);
    case command_line::format::sarif: {
      const std::string run = sarif_run(pages, lines, {asked.file, asked.rules_address}, uncounted);
      return asked.is_of_several ? run : sarif_of(run);
    }
    case command_line::format::html: return as_html(pages, lines, asked.file, uncounted);
    default: return as_source(pages, lines, asked.shape);
  }
}

// The plan of a kernel file as a header.
// Error (refusal): there are several plans, or none.
std::string header_of(const std::vector<page>& pages) {
  if (pages.size() != 1)
    throw input_error(
        joined("a plan's header is of one kernel on one machine, but ", pages.size(), " are given"),
        "name one, --machine sm_90 and --kernel");
  if (pages[0].joint) return pages[0].joint->header;
  if (pages[0].costs.shared.empty())
    throw input_error("there is no access to shared memory", "leave out --plan-header");
  throw input_error(joined("--plan-header: ", pages[0].no_joint_plan), "leave it out");
}

// A limit is not kept on a machine that was named and has no page.
void add_skipped(const counted_kernel& counted, const question& asked,
                 command_line::answer& result) {
  const std::string text = command_line::text_of_skipped(counted.skipped);
  if (result.error.find(text) == text.npos) result.error += text;
  if (!text.empty() && limits_of(asked, *counted.kernel).has_any() && !asked.all_machines &&
      result.code == command_line::fine)
    result.code = command_line::not_read;
}

// The worst request of all kernels on the first machine: of the access with the most conflicts, or
// else of that with the most transactions beyond the ideal, or else of the first one.
// Error (refusal): no request is known.
std::string picture_of_worst(const std::vector<page>& pages) {
  const page* worst_page = nullptr;
  const priced_access* worst = nullptr;
  const auto is_worse = [&](const priced_access& candidate) {
    if (worst == nullptr) return true;
    const auto excess = [](const priced_access& item) {
      return item.traffic.transactions - item.traffic.ideal;
    };
    if (candidate.cost.conflicts() != worst->cost.conflicts())
      return candidate.cost.conflicts() > worst->cost.conflicts();
    return worst->cost.conflicts() == 0 && excess(candidate) > excess(*worst);
  };
  for (const page& kernel_page : pages) {
    if (kernel_page.machine != pages.front().machine) continue;
    for (const auto* const accesses : {&kernel_page.costs.shared, &kernel_page.costs.global})
      for (const priced_access& access : *accesses)
        if (is_worse(access) && !picture_of(kernel_page, access).empty()) {
          worst = &access;
          worst_page = &kernel_page;
        }
  }
  if (worst == nullptr)
    throw input_error("--svg: no request of the accesses is known", "leave out --svg");
  return picture_of(*worst_page, *worst);
}

}  // namespace

command_line::answer answer_about(const std::vector<kernel_result>& outcomes,
                                  const question& asked) {
  command_line::answer result;
  const bool is_counted =
      std::ranges::any_of(outcomes, [](const auto& item) { return item.counted != nullptr; });
  // Of the file, once.
  for (const kernel_result& outcome : outcomes) {
    if (outcome.counted == nullptr) continue;
    if (const std::string& skipped = outcome.counted->code->skipped_kernels; !skipped.empty())
      result.error += joined("bankmodel: note: ", skipped, "\n");
    break;
  }
  // Errors that were said, and by template the number of its other instances with one of them.
  std::set<std::string> errors;
  std::map<std::string, std::uint64_t> repeated;
  for (const kernel_result& outcome : outcomes) {
    if (outcome.counted != nullptr) {
      add_skipped(*outcome.counted, asked, result);
      keep_limits(*outcome.counted, asked, outcomes.size() > 1, result);
      continue;
    }
    if (outcomes.size() == 1) throw outcome.reason;
    const std::string bare = outcome.shown.substr(0, outcome.shown.find('<')),
                      reason = reason_of(outcome.reason);
    const bool has_name = reason.starts_with(outcome.name);
    // Its notes say which instance it was found in.
    const std::string first_error = reason.substr(0, reason.rfind('\n', reason.find(": note: ")));
    if (errors.insert(bare + first_error.substr(has_name ? outcome.name.size() : 0)).second)
      result.error += joined("bankmodel: ", is_counted ? "note" : "error", ": ", outcome.shown,
                             " is not counted: ", reason, "\n");
    else
      ++repeated[bare];
    if (!is_counted)
      result.code = command_line::bad_input;
    else if (asked.allowed.has_any() && result.code == command_line::fine)
      result.code = command_line::not_read;
  }
  for (const auto& [bare, count] : repeated)
    result.error += joined("bankmodel: ", is_counted ? "note" : "error", ": ",
                           bm::detail::counted_in_words(count, "more instance"), " of ", bare,
                           count == 1 ? " is" : " are", " not counted, for the same reason\n");
  const bool is_data =
      asked.format == command_line::format::json || asked.format == command_line::format::sarif;
  if (!is_counted && (!is_data || asked.describe)) return result;
  source_lines lines(asked.file);
  if (asked.contents) lines.give(asked.file, *asked.contents);
  for (const auto& [name, text] : asked.header_contents) lines.give(name, text);
  if (asked.describe)
    add_description(result, outcomes[0].counted->pages, asked.file);
  else
    result.output = printed(outcomes, asked, lines);
  if (asked.format == command_line::format::csv)
    result.error += notes_beside_rows(pages_of(outcomes));
  if (asked.measured) result.output += text_of_profile(pages_of(outcomes), asked);
  if (asked.is_of_several && !asked.unknowns) {
    result.kernels = rows_of_kernels(pages_of(outcomes), asked.file);
    result.notes = distinct_file_notes(pages_of(outcomes));
  }
  if (asked.report) {
    project::report report = report_of({}, uncounted_of(outcomes), lines, asked.file);
    for (const kernel_result& outcome : outcomes)
      if (outcome.counted != nullptr)
        report.add(report_of(outcome.counted->pages, {}, lines, asked.file,
                             outcome.counted->unexecuted_lines.empty() &&
                                 outcome.counted->unexecuted_global_lines.empty()));
    result.report = project::text_of(report);
  }
  if (asked.picture) result.picture = picture_of_worst(pages_of(outcomes));
  if (!asked.header.empty()) result.header = header_of(pages_of(outcomes));
  if (asked.html)
    result.html = as_html(pages_of(outcomes), lines, asked.file, uncounted_of(outcomes));
  return result;
}

namespace {

command_line::answer answer_about_kernel_file(question asked) {
  try {
    asked.contents = asked.text;
    if (!asked.fix.empty()) return answer_with_fix(asked);
    return answer_about(counted_kernels(asked), asked);
  } catch (const refusal& reason) {
    return {command_line::bad_input, {}, text_of_error(asked, reason)};
  }
}

}  // namespace

command_line::answer answer_to(const question& request) {
  try {
    if (!is_compiled(request.file)) return answer_about_kernel_file(request);
    const question asked = with_flags_of_build(request);
    return asked.fix.empty() ? answer_about(counted_kernels(asked), asked) : answer_with_fix(asked);
  } catch (const refusal& reason) {
    return {command_line::bad_input, {}, command_line::text_without_place(reason)};
  } catch (const bm::error& failure) {
    return {
        command_line::bad_input, {}, command_line::text_without_place({{}, failure.what(), ""})};
  }
}

}  // namespace compiled
