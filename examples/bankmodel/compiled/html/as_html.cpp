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
using command_line::joined;

namespace {

std::string assumption_text(const assumption& assumed) {
  if (!assumed.goes_on) return assumed.is_taken ? "is taken" : "is not taken";
  const auto& [least, most] = *assumed.goes_on;
  if (least == 1 && most == 1) return "goes on once";
  return joined("goes on ", least, least == most ? "" : joined(" to ", most), " times");
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
  for (const std::string& each : head.cell) cells += element("th scope=\"col\"", escaped(each));
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
std::string machines_side_by_side(const std::vector<page>& all) {
  std::vector<const page*> pages;
  for (const page& one : all)
    if (one.kernel->name == all[0].kernel->name) pages.push_back(&one);
  if (pages.size() < 2 || pages.size() != all.size()) return {};
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
  machine_section(const page& of, source_lines& lines, int number, const drawn_requests& requests,
                  command_line::page_pictures& pictures)
      : of_(of), number_(number), listing_(listing_of(of, lines, number, requests, pictures)) {}

  std::string written() const {
    return joined("<section id=\"", id(), "\">\n", element("h2", escaped(title())), "\n", sums(),
                  element("h3", "Source"), "\n", listing_.text, tables(), remarks(), facts(),
                  "</section>\n");
  }

  std::string link() const { return element(joined("a href=\"#", id(), "\""), escaped(title())); }

 private:
  std::string id() const { return joined("kernel-", number_); }
  std::string title() const {
    return joined(of_.kernel->shown_name(), " on ", command_line::shown_name(of_.machine));
  }

  static std::string sum(const char* memory, std::uint64_t known, const bounded_cost& data,
                         const char* unit, std::uint64_t ideal, const std::string& more) {
    const std::uint64_t least = known + data.least, most = known + data.most;
    ideal += data.least;
    return element("p", joined(memory, ": ",
                               element(most > ideal ? "b class=\"bad\"" : "b",
                                       range_in_words(least, most, unit)),
                               ", ideal ", bm::grouped(ideal),
                               least != most ? ", as data decide" : "", more)) +
           "\n";
  }
  std::string rest_of_sum(bool is_partial, std::uint64_t issued) const {
    return joined(has_issued_column(of_) ? joined(", as issued ", bm::grouped(issued)) : "",
                  is_partial ? ", counted in part" : "");
  }

  // What the kernel costs, before anything else.
  std::string sums() const {
    const priced& costs = of_.costs;
    std::string result;
    if (!costs.shared.empty() || costs.is_partial_shared)
      result += sum("Shared memory", costs.cost.wavefronts, costs, "wavefront", costs.cost.ideal,
                    rest_of_sum(costs.is_partial_shared, costs.issued_cost.wavefronts));
    if (!costs.global.empty() || costs.is_partial_global)
      result += sum("Global memory", costs.traffic.transactions, costs.bounded_traffic,
                    "transaction", costs.traffic.ideal,
                    rest_of_sum(costs.is_partial_global, costs.issued_traffic.transactions));
    const std::size_t assumed = of_.assumed.size();
    const std::string what = joined(
        "One block of ", command_line::text_of(of_.how.block),
        assumed == 0 ? "" : joined(", ", assumed, assumed == 1 ? " assumption" : " assumptions"));
    return joined(result, "<p class=\"quiet\">",
                  element(joined("a href=\"#for-", number_, "\""), what), "</p>\n");
  }

  std::string facts() const {
    std::string result =
        joined("<h3 id=\"for-", number_, "\">Counted for</h3>\n<dl class=\"facts\">\n");
    const auto add = [&](const char* what, const std::string& value) {
      result += joined(element("dt", what), element("dd", escaped(value)), "\n");
    };
    const launch& how = of_.how;
    if (of_.kernel->shown_name() != of_.kernel->name) add("kernel", of_.kernel->name);
    add("machine", bm::text(of_.machine));
    add("block", command_line::text_of(how.block));
    add("grid", joined(grid_text(how.grid), " blocks, of which block ", how.at.x, ", ", how.at.y,
                       ", ", how.at.z, " is counted"));
    if (how.dynamic_shared_bytes != 0)
      add("dynamic shared memory",
          joined(bm::grouped(static_cast<std::uint64_t>(how.dynamic_shared_bytes)), " bytes"));
    std::string given;
    for (const auto& [name, value] : how.arguments)
      if (const auto number = parameter_number(*of_.kernel, name))
        given += joined(given.empty() ? "" : ", ", text_of(of_.kernel->parameters[*number], value));
    if (!given.empty()) add("arguments", given);
    for (const assumed_fact& one : of_.assumed) add("assumption", text_of(one).substr(9));
    given.clear();
    for (const auto& [line, assumed] : how.assumed)
      given += joined(given.empty() ? "" : ", ", "line ", line, " ", assumption_text(assumed));
    if (!given.empty()) add("branches", given);
    return result + "</dl>\n";
  }

  std::string tables() const {
    std::string result = table(shared_rows(of_), of_.costs.shared, "Shared memory") +
                         table(global_rows(of_), of_.costs.global, "Global memory");
    result += table(alternative_rows(of_), {}, "Layouts to choose from");
    result += table(stride_rows(of_), {}, "From block to block");
    for (const std::string& note : stride_notes(of_)) result += element("p", escaped(note)) + "\n";
    result += formulas();
    for (const std::string& note : issued_notes(of_)) result += element("p", escaped(note)) + "\n";
    result += table(cycle_rows(of_), {}, "Does it matter?");
    for (const std::string& note : cycle_notes(of_)) result += element("p", escaped(note)) + "\n";
    return result;
  }

  // For all values of what was assumed.
  std::string formulas() const {
    std::string result = fields();
    for (const bool is_global : {false, true})
      result += table(formula_table(of_.formulas.rows, is_global), {},
                      title_of_formulas(of_.formulas), json_of_rows(is_global));
    for (const std::string& one : of_.formulas.assumptions)
      result += element("p", escaped(joined("the formulas assume: ", one))) + "\n";
    for (const bool is_global : {false, true})
      result += table(formula_table(of_.formulas.ranges, is_global), {},
                      joined("For ", of_.formulas.ranged));
    for (const std::string& one : of_.formulas.without_range)
      result += element("p", escaped(one)) + "\n";
    return result;
  }

  // The rows of formula_table().
  std::string json_of_rows(bool is_global) const {
    std::string result;
    for (const formula_row& one : of_.formulas.rows)
      if (one.is_global == is_global) result += joined(result.empty() ? "" : ", ", one.json);
    return joined("[", result, "]");
  }

  // To type numbers into, at first those of the count.
  std::string fields() const {
    std::string result;
    for (const std::string& name : of_.formulas.symbols)
      result += joined("<label><code>", escaped(name),
                       "</code> <input type=\"number\" min=\"0\" step=\"1\" data-symbol=\"",
                       escaped(name), "\" value=\"", value_of_symbol(name), "\"></label>\n");
    return result.empty() ? "" : joined("<p class=\"fields\">\n", result, "</p>\n");
  }
  long long value_of_symbol(const std::string& symbol) const {
    for (const auto& [name, bits] : of_.how.arguments) {
      const auto number = parameter_number(*of_.kernel, name);
      if (name == symbol || (number && of_.kernel->parameters[*number].name == symbol))
        return static_cast<long long>(bits);
    }
    return 1;  // of a loop: how often it goes on
  }

  // `formulas`: JSON with an object for each row; empty without formulas.
  std::string table(const std::vector<command_line::row>& rows,
                    const std::vector<priced_access>& accesses, const std::string& title,
                    const std::string& formulas = {}) const {
    return html_table(rows, title, formulas, [&](std::size_t row) {
      return row <= accesses.size() ? place_of(accesses[row - 1].first->where)
                                    : escaped(rows[row].line);
    });
  }

  // The whole place instead of the line, and the way to it.
  std::string place_of(const place& where) const {
    const std::string words = escaped(text(*of_.kernel, where)),
                      line = line_id(number_, where.file, where.line);
    return listing_.lines.count(line) == 0 ? words
                                           : element(joined("a href=\"#", line, "\""), words);
  }

  // With the changes of the source that it takes.
  static std::string plan_text(const array_plan& plan) {
    std::string result = escaped(text_of(plan));
    for (const text_edit& each : edits_of(plan))
      result +=
          joined("<br>\nline ", each.where.line, ": ", element("code", escaped(each.where.text)),
                 " becomes ", element("code", escaped(each.replacement)));
    return result;
  }

  std::string remarks() const {
    std::string result;
    for (std::size_t number = 0; number < of_.plans.size(); ++number)
      if (listing_.plans.count(number) == 0)
        result += element("li", plan_text(of_.plans[number])) + "\n";
    for (const global_advice& one : of_.advice)
      result += element("li", escaped(text_of(one))) + "\n";
    for (const std::string& note : notes_with_plan(of_))
      result += element("li", escaped(joined("note: ", note))) + "\n";
    if (result.empty()) return {};
    return joined("<h3>Remarks</h3>\n<ul>\n", result, "</ul>\n");
  }

  const page& of_;
  int number_ = 0;
  html_listing listing_;
};

std::string not_counted(const std::vector<uncounted_kernel>& others) {
  std::string result;
  for (const uncounted_kernel& one : others)
    result +=
        element("li", joined(element("code", escaped(one.name)), one.machine.empty() ? "" : " on ",
                             escaped(one.machine), ": ", escaped(one.reason))) +
        "\n";
  return result.empty()
             ? ""
             : joined("<section>\n<h2>Not counted</h2>\n<ul>\n", result, "</ul>\n</section>\n");
}

}  // namespace

html_parts html_parts_of(const std::vector<page>& all, source_lines& lines) {
  command_line::page_pictures pictures;
  const drawn_requests requests(all);
  std::string links, sections;
  int number = 0;
  for (const page& one : all) {
    const machine_section section(one, lines, ++number, requests, pictures);
    links += element("li", section.link()) + "\n";
    sections += section.written();
  }
  const std::string styles = pictures.styles();
  return {joined(style_sheet, styles), styles.empty() ? "" : command_line::page_pictures::hatch(),
          joined(all.size() > 1 ? element("nav", element("ul", "\n" + links)) + "\n" : "",
                 machines_side_by_side(all), sections)};
}

std::string as_html(const std::vector<page>& all, source_lines& lines, const std::string& file,
                    const std::vector<uncounted_kernel>& others) {
  const std::string title = all.empty() ? file : joined(all[0].kernel->shown_name(), " in ", file);
  const html_parts parts = html_parts_of(all, lines);
  const bool has_fields = std::any_of(
      all.begin(), all.end(), [](const page& one) { return !one.formulas.symbols.empty(); });
  return joined(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
      element("title", escaped(title)), "\n", element("style", parts.styles), "\n</head>\n<body>\n",
      parts.before, "<main>\n", element("h1", escaped(title)),
      "\n<p class=\"quiet\">Requests to shared and global memory of one block, counted by "
      "bankmodel.</p>\n",
      parts.sections, not_counted(others), "</main>\n",
      element("script", joined(link_script, has_fields ? formula_script : "")),
      "\n</body>\n</html>\n");
}

}  // namespace compiled
