// SPDX-License-Identifier: MIT
#include "as_html.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../html.hpp"
#include "../../known_machines.hpp"
#include "../../table.hpp"
#include "../engine/prepared_kernel.hpp"
#include "../page/argument_text.hpp"
#include "../page/cost_rows.hpp"
#include "../page/cycle_bounds.hpp"
#include "../page/issued_column.hpp"
#include "../page/plan_text.hpp"
#include "../page/side_by_side.hpp"
#include "listing.hpp"
#include "markup.hpp"
#include "script.hpp"
#include "style.hpp"

namespace compiled {

using command_line::escaped;

namespace {

std::string assumption_text(const assumption& assumed) {
  if (!assumed.goes_on) return assumed.is_taken ? "is taken" : "is not taken";
  const auto& [minimum, maximum] = *assumed.goes_on;
  if (minimum == 1 && maximum == 1) return "goes on once";
  return joined("goes on ", minimum, minimum == maximum ? "" : joined(" to ", maximum), " times");
}

std::string grid_text(const bm::grid_dim& grid) {
  return joined(grid.x, " x ", grid.y, " x ", grid.z);
}

// `place`: what is in the first cell of a row, as HTML.
template <class Place>
std::string html_table(const std::vector<command_line::row>& rows, const std::string& title,
                       const std::string& formulas, const Place& place) {
  if (rows.empty()) return {};
  const command_line::row& head = rows[0];
  std::string cells =
      element("th scope=\"col\"", escaped(head.line)) +
      element("th scope=\"col\"", head.line.empty() ? escaped(head.text) : "access");
  for (const std::string& heading : head.cell)
    cells += element("th scope=\"col\"", escaped(heading));
  std::string result =
      joined(element("h3", escaped(title)), "\n<div class=\"scroll\"><table",
             formulas.empty() ? "" : joined(" data-formulas=\"", escaped(formulas), "\""), ">\n",
             element("thead", element("tr", cells)), "\n<tbody>\n");
  for (std::size_t row = 1; row < rows.size(); ++row) {
    cells = element("td", place(row)) + element("td", escaped(rows[row].text));
    for (std::size_t column = 0; column < rows[row].cell.size(); ++column)
      cells += element(joined("td data-title=\"", escaped(head.cell[column]), "\""),
                       escaped(rows[row].cell[column]));
    result += element("tr", cells) + "\n";
  }
  return result + "</tbody></table></div>\n";
}

// Of a kernel on several machines, one table for each memory.
std::string machines_side_by_side(const std::vector<page>& candidates) {
  std::vector<const page*> pages;
  for (const page& candidate : candidates)
    if (candidate.kernel->name == candidates[0].kernel->name) pages.push_back(&candidate);
  if (pages.size() < 2 || pages.size() != candidates.size()) return {};
  std::string result;
  for (const bool is_global : {false, true}) {
    const std::vector<command_line::row> rows = rows_side_by_side(pages, is_global);
    result += html_table(rows, is_global ? "Transactions side by side" : "Wavefronts side by side",
                         {}, [&](std::size_t row) { return escaped(rows[row].line); });
  }
  return result;
}

// The part of the page about one machine.
class machine_section {
 public:
  machine_section(const page& shown_page, source_lines& lines, int number,
                  const drawn_requests& requests, command_line::page_pictures& pictures)
      : page_(shown_page),
        number_(number),
        listing_(listing_of(shown_page, lines, number, requests, pictures)) {}

  std::string written() const {
    return joined("<section id=\"", id(), "\">\n", element("h2", escaped(title())), "\n", sums(),
                  element("h3", "Source"), "\n", listing_.text, tables(), remarks(), facts(),
                  "</section>\n");
  }

  std::string link() const { return element(joined("a href=\"#", id(), "\""), escaped(title())); }

 private:
  std::string id() const { return joined("kernel-", number_); }
  std::string title() const {
    return joined(page_.kernel->shown_name(), " on ", command_line::shown_name(page_.machine));
  }

  static std::string sum(const char* memory, std::uint64_t known, const bounded_cost& data,
                         const char* unit, std::uint64_t ideal, const std::string& addition) {
    const std::uint64_t minimum = known + data.minimum, maximum = known + data.maximum;
    ideal += data.minimum;
    return element("p", joined(memory, ": ",
                               element(maximum > ideal ? "b class=\"bad\"" : "b",
                                       range_in_words(minimum, maximum, unit)),
                               ", ideal ", bm::grouped(ideal),
                               minimum != maximum ? ", as data decide" : "", addition)) +
           "\n";
  }
  std::string rest_of_sum(bool is_partial, std::uint64_t issued) const {
    return joined(has_issued_column(page_) ? joined(", as issued ", bm::grouped(issued)) : "",
                  is_partial ? ", counted in part" : "");
  }

  // What the kernel costs, before anything else.
  std::string sums() const {
    const priced& costs = page_.costs;
    std::string result;
    if (!costs.shared.empty() || costs.is_partial_shared)
      result += sum("Shared memory", costs.cost.wavefronts, costs, "wavefront", costs.cost.ideal,
                    rest_of_sum(costs.is_partial_shared, costs.issued_cost.wavefronts));
    if (!costs.global.empty() || costs.is_partial_global)
      result += sum("Global memory", costs.traffic.transactions, costs.bounded_traffic,
                    "transaction", costs.traffic.ideal,
                    rest_of_sum(costs.is_partial_global, costs.issued_traffic.transactions));
    const std::size_t assumed = page_.assumed.size();
    const std::string basis = joined(
        "One block of ", command_line::text_of(page_.settings.block),
        assumed == 0 ? "" : joined(", ", assumed, assumed == 1 ? " assumption" : " assumptions"));
    return joined(result, "<p class=\"quiet\">",
                  element(joined("a href=\"#for-", number_, "\""), basis), "</p>\n");
  }

  std::string facts() const {
    std::string result =
        joined("<h3 id=\"for-", number_, "\">Counted for</h3>\n<dl class=\"facts\">\n");
    const auto add = [&](const char* term, const std::string& value) {
      result += joined(element("dt", term), element("dd", escaped(value)), "\n");
    };
    const launch& options = page_.settings;
    if (page_.kernel->shown_name() != page_.kernel->name) add("kernel", page_.kernel->name);
    add("machine", bm::text(page_.machine));
    add("block", command_line::text_of(options.block));
    add("grid", joined(grid_text(options.grid), " blocks, of which block ", options.grid_index.x,
                       ", ", options.grid_index.y, ", ", options.grid_index.z, " is counted"));
    if (options.dynamic_shared_bytes != 0)
      add("dynamic shared memory",
          joined(bm::grouped(static_cast<std::uint64_t>(options.dynamic_shared_bytes)), " bytes"));
    std::string list;
    for (const auto& [name, value] : options.arguments)
      if (const auto number = parameter_number(*page_.kernel, name))
        list += joined(list.empty() ? "" : ", ", text_of(page_.kernel->parameters[*number], value));
    if (!list.empty()) add("arguments", list);
    for (const assumed_fact& fact : page_.assumed) add("assumption", text_of(fact).substr(9));
    list.clear();
    for (const auto& [line, assumed] : options.assumed)
      list += joined(list.empty() ? "" : ", ", "line ", line, " ", assumption_text(assumed));
    if (!list.empty()) add("branches", list);
    return result + "</dl>\n";
  }

  std::string tables() const {
    std::string result = table(shared_rows(page_), page_.costs.shared, "Shared memory") +
                         table(global_rows(page_), page_.costs.global, "Global memory");
    result += table(alternative_rows(page_), {}, "Layouts to choose from");
    result += table(stride_rows(page_), {}, "From block to block");
    for (const std::string& note : stride_notes(page_))
      result += element("p", escaped(note)) + "\n";
    result += formulas();
    for (const std::string& note : issued_notes(page_))
      result += element("p", escaped(note)) + "\n";
    result += table(cycle_rows(page_), {}, "Does it matter?");
    for (const std::string& note : cycle_notes(page_)) result += element("p", escaped(note)) + "\n";
    return result;
  }

  // For all values of what was assumed.
  std::string formulas() const {
    std::string result = fields();
    for (const bool is_global : {false, true})
      result += table(formula_table(page_.formulas.rows, is_global), {},
                      title_of_formulas(page_.formulas), json_of_rows(is_global));
    for (const std::string& assumption : page_.formulas.assumptions)
      result += element("p", escaped(joined("the formulas assume: ", assumption))) + "\n";
    for (const bool is_global : {false, true})
      result += table(formula_table(page_.formulas.ranges, is_global), {},
                      joined("For ", page_.formulas.ranged));
    for (const std::string& reason : page_.formulas.without_range)
      result += element("p", escaped(reason)) + "\n";
    return result;
  }

  // The rows of formula_table().
  std::string json_of_rows(bool is_global) const {
    std::string result;
    for (const formula_row& row : page_.formulas.rows)
      if (row.is_global == is_global) result += joined(result.empty() ? "" : ", ", row.json);
    return joined("[", result, "]");
  }

  // To type numbers into, at first those of the count.
  std::string fields() const {
    std::string result;
    for (const std::string& name : page_.formulas.symbols)
      result += joined("<label><code>", escaped(name),
                       "</code> <input type=\"number\" min=\"0\" step=\"1\" data-symbol=\"",
                       escaped(name), "\" value=\"", value_of_symbol(name), "\"></label>\n");
    return result.empty() ? "" : joined("<p class=\"fields\">\n", result, "</p>\n");
  }
  long long value_of_symbol(const std::string& symbol) const {
    for (const auto& [name, bits] : page_.settings.arguments) {
      const auto number = parameter_number(*page_.kernel, name);
      if (name == symbol || (number && page_.kernel->parameters[*number].name == symbol))
        return static_cast<long long>(bits);
    }
    return 1;  // of a loop: how often it goes on
  }

  // `formulas`: JSON with an object for each row; empty without formulas.
  std::string table(const std::vector<command_line::row>& rows,
                    const std::vector<priced_access>& accesses, const std::string& title,
                    const std::string& formulas = {}) const {
    return html_table(rows, title, formulas, [&](std::size_t row) {
      return row <= accesses.size() ? place_of(accesses[row - 1].first->location)
                                    : escaped(rows[row].line);
    });
  }

  // The whole place instead of the line, and the way to it.
  std::string place_of(const place& position) const {
    const std::string words = escaped(text(*page_.kernel, position)),
                      line = line_id(number_, position.file, position.line);
    return listing_.lines.count(line) == 0 ? words
                                           : element(joined("a href=\"#", line, "\""), words);
  }

  // With the changes of the source that it takes.
  static std::string plan_text(const array_plan& plan) {
    std::string result = escaped(text_of(plan));
    for (const text_edit& edit : edits_of(plan))
      result +=
          joined("<br>\nline ", edit.piece.line, ": ", element("code", escaped(edit.piece.text)),
                 " becomes ", element("code", escaped(edit.replacement)));
    return result;
  }

  std::string remarks() const {
    std::string result;
    for (std::size_t number = 0; number < page_.plans.size(); ++number)
      if (listing_.plans.count(number) == 0)
        result += element("li", plan_text(page_.plans[number])) + "\n";
    for (const global_advice& advice : page_.advice)
      result += element("li", escaped(text_of(advice))) + "\n";
    for (const std::string& note : notes_with_plan(page_))
      result += element("li", escaped(joined("note: ", note))) + "\n";
    if (result.empty()) return {};
    return joined("<h3>Remarks</h3>\n<ul>\n", result, "</ul>\n");
  }

  const page& page_;
  int number_ = 0;
  html_listing listing_;
};

std::string not_counted(const std::vector<uncounted_kernel>& uncounted) {
  std::string result;
  for (const uncounted_kernel& kernel : uncounted)
    result += element("li", joined(element("code", escaped(kernel.name)),
                                   kernel.machine.empty() ? "" : " on ", escaped(kernel.machine),
                                   ": ", escaped(kernel.reason))) +
              "\n";
  return result.empty()
             ? ""
             : joined("<section>\n<h2>Not counted</h2>\n<ul>\n", result, "</ul>\n</section>\n");
}

}  // namespace

html_parts html_parts_of(const std::vector<page>& pages, source_lines& lines) {
  command_line::page_pictures pictures;
  const drawn_requests requests(pages);
  std::string links, sections;
  int number = 0;
  for (const page& shown_page : pages) {
    const machine_section section(shown_page, lines, ++number, requests, pictures);
    links += element("li", section.link()) + "\n";
    sections += section.written();
  }
  const std::string styles = pictures.styles();
  return {joined(style_sheet, styles), styles.empty() ? "" : command_line::page_pictures::hatch(),
          joined(pages.size() > 1 ? element("nav", element("ul", "\n" + links)) + "\n" : "",
                 machines_side_by_side(pages), sections)};
}

std::string as_html(const std::vector<page>& pages, source_lines& lines, const std::string& file,
                    const std::vector<uncounted_kernel>& uncounted) {
  const std::string title =
      pages.empty() ? file : joined(pages[0].kernel->shown_name(), " in ", file);
  const html_parts parts = html_parts_of(pages, lines);
  const bool has_fields = std::ranges::any_of(
      pages, [](const page& shown_page) { return !shown_page.formulas.symbols.empty(); });
  return joined(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
      element("title", escaped(title)), "\n", element("style", parts.styles), "\n</head>\n<body>\n",
      parts.definitions, "<main>\n", element("h1", escaped(title)),
      "\n<p class=\"quiet\">Requests to shared and global memory of one block, counted by "
      "bankmodel.</p>\n",
      parts.sections, not_counted(uncounted), "</main>\n",
      element("script", joined(link_script, has_fields ? formula_script : "")),
      "\n</body>\n</html>\n");
}

}  // namespace compiled
