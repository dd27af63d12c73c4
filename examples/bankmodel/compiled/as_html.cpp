// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bankmodel/report.hpp>

#include "../html.hpp"
#include "../known_machines.hpp"
#include "../table.hpp"
#include "annotated.hpp"
#include "diagnostics.hpp"
#include "formats.hpp"
#include "page_style.hpp"
#include "request_picture.hpp"

namespace compiled {

using command_line::escaped;
using command_line::joined;

namespace {

// `name` is constant and is not escaped.
std::string element(const char* name, const std::string& content) {
  const std::string tag = name;
  return joined("<", tag, ">", content, "</", tag.substr(0, tag.find(' ')), ">");
}

std::string text_of(const bm::grid_dim& grid) {
  return joined(grid.x, " x ", grid.y, " x ", grid.z);
}

// The part of the page about one machine.
class machine_section {
 public:
  machine_section(const page& of, source_lines& lines, int number)
      : of_(of), lines_(lines), number_(number), found_(diagnostics_of(of)) {}

  std::string written() {
    return joined("<section>\n",
                  element("h2", joined(escaped(of_.kernel->name), " on ",
                                       escaped(command_line::name_of(of_.machine)))),
                  "\n", facts(), listings(), tables(), remarks(), "</section>\n");
  }

 private:
  std::string facts() const {
    std::string result = "<dl class=\"facts\">\n";
    const auto add = [&](const char* what, const std::string& value) {
      result += joined(element("dt", what), element("dd", escaped(value)), "\n");
    };
    const launch& how = of_.how;
    add("machine", bm::text(of_.machine));
    add("block", command_line::text_of(how.block));
    add("grid", joined(text_of(how.grid), " blocks, of which block ", how.at.x, ", ", how.at.y,
                       ", ", how.at.z, " is counted"));
    if (how.dynamic_shared_bytes != 0)
      add("dynamic shared memory",
          joined(bm::grouped(static_cast<std::uint64_t>(how.dynamic_shared_bytes)), " bytes"));
    std::string given;
    for (const auto& [name, value] : how.arguments)
      given += joined(given.empty() ? "" : ", ", name, " = ", static_cast<long long>(value));
    if (!given.empty()) add("arguments", given);
    given.clear();
    for (const auto& [line, taken] : how.assumed)
      given +=
          joined(given.empty() ? "" : ", ", "line ", line, taken ? " is taken" : " is not taken");
    if (!given.empty()) add("branches", given);
    const std::string partly = of_.costs.is_partial ? ", counted in part" : "";
    add("shared memory", joined(bm::grouped(of_.costs.cost.wavefronts), " wavefronts, ideal ",
                                bm::grouped(of_.costs.cost.ideal), partly));
    add("global memory",
        joined(bm::grouped(of_.costs.traffic.transactions), " transactions, ideal ",
               bm::grouped(of_.costs.traffic.ideal), partly));
    return result + "</dl>\n";
  }

  std::string listings() {
    const std::vector<annotated_part> parts = annotated(of_, lines_);
    if (parts.empty()) return "<p>It accesses neither shared nor global memory.</p>\n";
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
        "<h3>Source</h3>\n<p class=\"quiet\">Each cost is followed by its ideal; ! marks more than "
        "that, ? a count in part. Lines with accesses unfold.</p>\n<div style=\"--shared:",
        width(shared, 10), ";--global:", width(global, 12),
        ";--number:", std::to_string(last).size(), "ch\">\n");
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
    const std::string name = array_name(*of_.kernel, *one.first);
    const memory_access& how = one.first->memory;
    const int column = one.first->where.column;
    std::string result = element(
        "h4", joined(verb_of(how), name.empty() ? "" : " ", element("code", escaped(name)), ", ",
                     how.bytes * how.elements, how.bytes * how.elements == 1 ? " byte" : " bytes",
                     " a lane", column == 0 ? "" : joined(", column ", column)));
    bool is_explained = false;
    for (const diagnostic& each : found_) {
      if (each.access != &one) continue;
      is_explained = is_explained || each.rule != &counted_in_part;
      result += joined("\n<p><span class=\"bad\">", escaped(each.message), "</span>",
                       each.note.empty() ? "" : "; ", escaped(each.note), ".</p>");
    }
    if (!is_explained) result += element("p", as_few(one));
    return joined("\n", result, picture(one));
  }

  static std::string as_few(const priced_access& one) {
    const bool is_global = one.first->is_global;
    const std::uint64_t requests = is_global ? one.traffic.requests : one.cost.requests;
    return joined(bm::detail::counted_in_words(requests, "request"),
                  requests == 1 ? " takes " : " take ",
                  is_global ? bm::detail::counted_in_words(one.traffic.transactions, "transaction")
                            : bm::detail::counted_in_words(one.cost.wavefronts, "wavefront"),
                  ", the ideal.");
  }

  std::string picture(const priced_access& one) {
    try {
      const std::string svg = picture_of(of_, one);
      if (svg.empty()) return "\n";
      return joined("\n<figure>\n",
                    command_line::in_page(svg, joined("picture-", number_, "-", ++pictures_)),
                    "</figure>\n");
    } catch (const bm::error& why) {
      return joined("\n<p>There is no picture: ", escaped(why.what()), "</p>\n");
    }
  }

  std::string tables() const {
    return table(of_.costs.shared, "Shared memory", command_line::shared_head, of_.costs.cost) +
           table(of_.costs.global, "Global memory", command_line::global_head, of_.costs.traffic);
  }

  static const bm::cost& cost_of(const priced_access& one, const bm::cost&) { return one.cost; }
  static const bm::memory_traffic& cost_of(const priced_access& one, const bm::memory_traffic&) {
    return one.traffic;
  }

  template <class Cost>
  std::string table(const std::vector<priced_access>& accesses, const char* title,
                    const command_line::cells& head, const Cost& sum) const {
    if (accesses.empty()) return {};
    const auto row = [](const char* cell, const std::string& line, const std::string& what,
                        const command_line::cells& cells) {
      std::string result = element(cell, escaped(line)) + element(cell, escaped(what));
      for (const std::string& each : cells) result += element(cell, escaped(each));
      return element("tr", result) + "\n";
    };
    std::string result = joined(element("h3", title), "\n<div class=\"scroll\"><table>\n",
                                row("th scope=\"col\"", "line", "access", head));
    for (const priced_access& one : accesses)
      result += row("td", text(*of_.kernel, one.first->where),
                    joined(verb_of(one.first->memory), " ", array_name(*of_.kernel, *one.first),
                           one.is_partial ? " (in part)" : ""),
                    command_line::row_of("", "", cost_of(one, sum)).cell);
    result +=
        row("td", "", of_.costs.is_partial ? "the whole kernel (in part)" : "the whole kernel",
            command_line::row_of("", "", sum).cell);
    return result + "</table></div>\n";
  }

  // With the changes of the source that it takes.
  static std::string plan_text(const array_plan& plan) {
    std::string result = escaped(plan.text);
    for (const std::vector<text_edit>* edits : {&plan.fix, &plan.subscripts})
      for (const text_edit& each : *edits)
        result +=
            joined("<br>\nline ", each.where.line, ": ", element("code", escaped(each.where.text)),
                   each.replacement.empty() ? ", to be changed by hand" : " becomes ",
                   each.replacement.empty() ? "" : element("code", escaped(each.replacement)));
    return result;
  }

  std::string remarks() const {
    std::string result;
    for (const array_plan& plan : of_.plans) result += element("li", plan_text(plan)) + "\n";
    for (const std::string& note : of_.recorded->notes)
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
  const std::string title = all.empty() ? file : joined(all[0].kernel->name, " in ", file);
  std::string result = joined(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
      element("title", escaped(title)), "\n<style>", page_style,
      "</style>\n</head>\n<body>\n<main>\n", element("h1", escaped(title)),
      "\n<p class=\"quiet\">Requests to shared and global memory of one block, counted by "
      "bankmodel.</p>\n");
  int number = 0;
  for (const page& one : all) result += machine_section(one, lines, ++number).written();
  return result + "</main>\n</body>\n</html>\n";
}

}  // namespace compiled
