// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bankmodel/report.hpp>

#include "../../html.hpp"
#include "../../known_machines.hpp"
#include "../../table.hpp"
#include "../engine/prepared_kernel.hpp"
#include "annotated.hpp"
#include "argument_text.hpp"
#include "call_chains.hpp"
#include "cost_rows.hpp"
#include "cycle_bounds.hpp"
#include "diagnostics.hpp"
#include "formats.hpp"
#include "issued_column.hpp"
#include "page_script.hpp"
#include "page_style.hpp"
#include "placed_arrays.hpp"
#include "plan_text.hpp"
#include "request_picture.hpp"

namespace compiled {

using command_line::escaped;
using command_line::joined;

namespace {

std::string assumption_text(const assumption& assumed) {
  if (!assumed.goes_on) return assumed.is_taken ? "is taken" : "is not taken";
  const auto& [least, most] = *assumed.goes_on;
  return joined("goes on ", least, least == most ? "" : joined(" to ", most), " times");
}

// `name` is constant and is not escaped.
std::string element(const char* name, const std::string& content) {
  const std::string tag = name;
  return joined("<", tag, ">", content, "</", tag.substr(0, tag.find(' ')), ">");
}

std::string grid_text(const bm::grid_dim& grid) {
  return joined(grid.x, " x ", grid.y, " x ", grid.z);
}

// The part of the page about one machine.
class machine_section {
 public:
  machine_section(const page& of, source_lines& lines, int number)
      : of_(of), lines_(lines), number_(number), found_(diagnostics_of(of)) {}

  std::string written() {
    return joined("<section>\n",
                  element("h2", joined(escaped(of_.kernel->shown_name()), " on ",
                                       escaped(command_line::name_of(of_.machine)))),
                  "\n", facts(), listings(), tables(), remarks(), "</section>\n");
  }

 private:
  std::string sums(std::uint64_t units, const char* unit, std::uint64_t ideal, bool is_partial,
                   std::uint64_t issued) const {
    return joined(bm::grouped(units), unit, ", ideal ", bm::grouped(ideal),
                  has_issued_column(of_) ? joined(", as issued ", bm::grouped(issued)) : "",
                  is_partial ? ", counted in part" : "");
  }

  std::string facts() const {
    std::string result = "<dl class=\"facts\">\n";
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
    const bm::cost& cost = of_.costs.cost;
    const bm::memory_traffic& traffic = of_.costs.traffic;
    add("shared memory", sums(cost.wavefronts, " wavefronts", cost.ideal,
                              of_.costs.is_partial_shared, of_.costs.issued_cost.wavefronts));
    add("global memory", sums(traffic.transactions, " transactions", traffic.ideal,
                              of_.costs.is_partial_global, of_.costs.issued_traffic.transactions));
    if (of_.costs.most > 0)
      add("bounds", joined(range_in_words(of_.costs.least, of_.costs.most, "wavefront"),
                           " more, which data decide"));
    if (of_.costs.bounded_traffic.most > 0)
      add("bounds of global memory",
          joined(range_in_words(of_.costs.bounded_traffic.least, of_.costs.bounded_traffic.most,
                                "transaction"),
                 " more, which data decide"));
    return result + "</dl>\n";
  }

  std::string listings() {
    const std::vector<annotated_part> parts = annotated(of_, lines_);
    if (parts.empty()) return element("p", text_without_access(of_)) + "\n";
    std::size_t shared = 0, global = 0;
    int last = 0;
    for (const annotated_part& part : parts) {
      last = std::max(last, part.lines.last);
      for (const auto& [line, cost] : part.costs) {
        shared = std::max(shared, shared_margin(cost).size());
        global = std::max(global, global_margin(cost).size());
      }
    }
    const auto width = [](std::size_t longest, std::size_t title) {
      return joined(longest == 0 ? 0 : std::max(longest, title), "ch");
    };
    std::string result = joined(
        "<h3>Source</h3>\n<p class=\"quiet\">", meaning_of_margins(of_),
        " Lines with accesses unfold.</p>\n<div style=\"--shared:", width(shared, 10),
        ";--global:", width(global, 12), ";--number:", std::to_string(last).size(), "ch\">\n");
    for (const annotated_part& part : parts) result += listing(part, shared != 0, global != 0);
    return result + "</div>\n";
  }

  std::string listing(const annotated_part& part, bool has_shared, bool has_global) {
    const std::string file = part.file.empty()
                                 ? "accesses whose line is unknown"
                                 : joined(lines_.path(part.file), ":", part.lines.first);
    std::string result =
        joined("<div class=\"listing\">\n", element("div class=\"file\"", escaped(file)),
               "\n<div class=\"line titles\"><span></span><span class=\"cost\">",
               has_shared ? "wavefronts" : "", "</span><span class=\"cost\">",
               has_global ? "transactions" : "", "</span><span></span><span></span></div>\n");
    if (!part.file.empty() && lines_.all(part.file).empty())
      result += "<p class=\"file\">The file cannot be read.</p>\n";
    for (int line = part.lines.first; line <= part.lines.last; ++line) {
      const auto cost = part.costs.find(line);
      const std::string text = joined("<span class=\"number\">", line, "</span><code>",
                                      escaped(lines_.line(part.file, line)), "</code>");
      result += cost == part.costs.end()
                    ? joined("<div class=\"line\"><span></span><span></span><span></span>", text,
                             "</div>\n")
                    : unfolding_line(cost->second, text);
    }
    return result + "</div>\n";
  }

  std::string unfolding_line(const line_cost& cost, const std::string& text) {
    const bool more_shared = cost.cost.conflicts() != 0,
               more_global = cost.traffic.transactions != cost.traffic.ideal;
    const auto span = [](bool is_more, const std::string& margin) {
      return joined("<span class=\"cost", is_more ? " more" : "", "\">", margin, "</span>");
    };
    std::string result = joined(
        "<details", cost.is_over_ideal() ? " class=\"over\"" : "",
        "><summary><span class=\"sign\">", cost.is_over_ideal() ? "!" : "",
        cost.is_partial ? "?" : "", "</span>", span(more_shared, shared_margin(cost)),
        span(more_global, global_margin(cost)), text, "</summary>\n<div class=\"behind\">\n");
    for (const std::vector<const priced_access*>* accesses : {&cost.shared, &cost.global})
      for (const priced_access* one : *accesses) result += access(*one);
    return result + "</div></details>\n";
  }

  std::string access(const priced_access& one) {
    const std::string name = seen_name(of_, one);
    const memory_access& how = one.first->memory;
    const int column = one.first->where.column;
    std::string result =
        element("h4", joined(verb_of(how.does), name.empty() ? "" : " ",
                             element("code", escaped(name)), ", ", how.bytes * how.elements,
                             how.bytes * how.elements == 1 ? " byte" : " bytes", " a lane",
                             column == 0 ? "" : joined(", column ", column)));
    bool is_explained = false;
    for (const diagnostic& each : found_) {
      if (each.access != &one || each.rule == &counted_in_part) continue;
      is_explained = true;
      result += paragraph(each);
    }
    if (!is_explained) result += element("p", as_few(one));
    for (const std::string& calls : texts_of_calls(of_, one, lines_))
      result += element("p class=\"quiet\"", escaped(calls));
    if (one.is_partial) result += paragraph(partial_diagnostic(one));
    return joined("\n", result, picture(one));
  }

  static std::string paragraph(const diagnostic& of) {
    return joined("\n<p><span class=\"bad\">", escaped(of.message), "</span>",
                  of.note.empty() ? "" : "; ", escaped(of.note), ".</p>");
  }

  std::string as_few(const priced_access& one) const {
    const bool is_global = one.first->is_global;
    const std::uint64_t requests = is_global ? one.traffic.requests : one.cost.requests;
    return joined(bm::detail::counted_in_words(requests, "request"),
                  requests == 1 ? " takes " : " take ",
                  is_global ? bm::detail::counted_in_words(one.traffic.transactions, "transaction")
                            : bm::detail::counted_in_words(one.cost.wavefronts, "wavefront"),
                  ", the ideal", text_as_issued(of_, one), ".");
  }

  // Of conflicts with a plan before and after it, side by side.
  std::string picture(const priced_access& one) {
    try {
      const std::string now = picture_of(of_, one);
      if (now.empty()) return "\n";
      const auto plan = std::find_if(of_.plans.begin(), of_.plans.end(), [&](const auto& each) {
        return !one.first->is_global && each.array == one.first->array;
      });
      const std::string then = plan == of_.plans.end() || one.cost.conflicts() == 0
                                   ? ""
                                   : picture_of_plan(of_, one, *plan);
      if (then.empty()) return joined("\n", figure(now, ""));
      const std::string before = figure(now, "as it is"), after = figure(then, "as planned");
      return joined("\n<div class=\"pair\">\n", before, after, "</div>\n");
    } catch (const bm::error& why) {
      return joined("\n<p>There is no picture: ", escaped(why.what()), "</p>\n");
    }
  }
  std::string figure(const std::string& svg, const char* caption) {
    const std::string title = caption;
    return joined(
        "<figure>\n", title.empty() ? "" : element("figcaption class=\"quiet\"", title) + "\n",
        command_line::in_page(svg, joined("picture-", number_, "-", ++pictures_)), "</figure>\n");
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
    if (rows.empty()) return {};
    std::string result =
        joined(element("h3", escaped(title)), "\n<div class=\"scroll\"><table",
               formulas.empty() ? "" : joined(" data-formulas=\"", escaped(formulas), "\""), ">\n");
    for (std::size_t at = 0; at < rows.size(); ++at) {
      const bool is_head = at == 0, is_access = at > 0 && at <= accesses.size();
      const char* const cell = is_head ? "th scope=\"col\"" : "td";
      // The whole place instead of the line.
      std::string cells = element(
          cell,
          escaped(is_access ? text(*of_.kernel, accesses[at - 1].first->where) : rows[at].line));
      cells += element(cell, escaped(is_head && !rows[at].line.empty() ? "access" : rows[at].text));
      for (const std::string& each : rows[at].cell) cells += element(cell, escaped(each));
      result += element("tr", cells) + "\n";
    }
    return result + "</table></div>\n";
  }

  // With the changes of the source that it takes.
  static std::string plan_text(const array_plan& plan) {
    std::string result = escaped(text_of(plan));
    for (const std::vector<text_edit>* edits : {&plan.fix, &plan.subscripts, &plan.launches})
      for (const text_edit& each : *edits)
        result +=
            joined("<br>\nline ", each.where.line, ": ", element("code", escaped(each.where.text)),
                   " becomes ", element("code", escaped(each.replacement)));
    return result;
  }

  std::string remarks() const {
    std::string result;
    for (const array_plan& plan : of_.plans) result += element("li", plan_text(plan)) + "\n";
    for (const global_advice& one : of_.advice)
      result += element("li", escaped(text_of(one))) + "\n";
    for (const std::string& note : all_notes(of_))
      result += element("li", escaped(joined("note: ", note))) + "\n";
    if (result.empty()) return {};
    return joined("<h3>Remarks</h3>\n<ul>\n", result, "</ul>\n");
  }

  const page& of_;
  source_lines& lines_;
  int number_ = 0, pictures_ = 0;
  std::vector<diagnostic> found_;
};

}  // namespace

std::string as_html(const std::vector<page>& all, source_lines& lines, const std::string& file) {
  const std::string title = all.empty() ? file : joined(all[0].kernel->shown_name(), " in ", file);
  std::string result = joined(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
      element("title", escaped(title)), "\n<style>", page_style,
      "</style>\n</head>\n<body>\n<main>\n", element("h1", escaped(title)),
      "\n<p class=\"quiet\">Requests to shared and global memory of one block, counted by "
      "bankmodel.</p>\n");
  int number = 0;
  for (const page& one : all) result += machine_section(one, lines, ++number).written();
  const bool has_fields = std::any_of(
      all.begin(), all.end(), [](const page& one) { return !one.formulas.symbols.empty(); });
  return joined(result, "</main>\n", has_fields ? element("script", page_script) + "\n" : "",
                "</body>\n</html>\n");
}

}  // namespace compiled
