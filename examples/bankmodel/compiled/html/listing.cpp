// SPDX-License-Identifier: MIT
#include "listing.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

#include "../engine/prepared_kernel.hpp"
#include "../page/annotated.hpp"
#include "../page/argument_text.hpp"
#include "../page/call_chains.hpp"
#include "../page/diagnostics.hpp"
#include "../page/global_advice.hpp"
#include "../page/issued_column.hpp"
#include "../page/placed_arrays.hpp"
#include "../page/plan_text.hpp"
#include "../page/request_picture.hpp"
#include "markup.hpp"
#include "syntax_colours.hpp"

namespace compiled {

using command_line::escaped;

namespace {

class listing_writer {
 public:
  listing_writer(const page& shown_page, source_lines& lines, int section,
                 const drawn_requests& requests, command_line::page_pictures& pictures)
      : page_(shown_page),
        lines_(lines),
        section_(section),
        requests_(requests),
        pictures_(pictures),
        diagnostics_(diagnostics_of(shown_page)) {}

  html_listing written() {
    const std::vector<annotated_part> parts = annotated(page_, lines_);
    if (parts.empty()) {
      result_.text = element("p", text_without_access(page_)) + "\n";
      return std::move(result_);
    }
    for (const annotated_part& part : parts)
      for (const auto& [line, cost] : part.costs) {
        has_shared_ = has_shared_ || !cost.shared.empty();
        has_global_ = has_global_ || !cost.global.empty();
      }
    draw_plans(parts);
    result_.text = joined("<p class=\"quiet\">", meaning_of_margins(page_),
                          " Lines with accesses unfold.</p>\n", "<div", margins(parts), ">\n");
    for (const annotated_part& part : parts) add_part(part);
    result_.text += "</div>\n";
    return std::move(result_);
  }

 private:
  std::string margins(const std::vector<annotated_part>& parts) const {
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
    return joined(" style=\"--shared:", width(shared, 10), ";--global:", width(global, 12),
                  ";--number:", std::to_string(last).size(), "ch\"");
  }

  void add_part(const annotated_part& part) {
    const std::string file = part.file.empty()
                                 ? "accesses whose line is unknown"
                                 : joined(lines_.path(part.file), ":", part.lines.first);
    result_.text +=
        joined("<div class=\"listing\">\n", element("div class=\"file\"", escaped(file)),
               "\n<div class=\"line titles\"><span></span><span class=\"cost\">",
               has_shared_ ? "wavefronts" : "", "</span><span class=\"cost\">",
               has_global_ ? "transactions" : "", "</span><span></span><span></span></div>\n");
    const std::vector<std::string>& text = coloured(part.file);
    if (!part.file.empty() && text.empty())
      result_.text += "<p class=\"file\">The file cannot be read.</p>\n";
    for (int line = part.lines.first; line <= part.lines.last; ++line) {
      const auto number = static_cast<std::size_t>(line);
      const std::string id = line_id(section_, number_of_file(part.file), line);
      result_.lines.insert(id);
      add_line(part, line, id,
               joined("<span class=\"number\">", line, "</span><code>",
                      line > 0 && number <= text.size() ? text[number - 1] : "", "</code>"));
      add_changes(part.file, line);
    }
    result_.text += "</div>\n";
  }

  const std::vector<std::string>& coloured(const std::string& file) {
    const auto [entry, is_new] = coloured_.try_emplace(file);
    if (is_new && !file.empty()) entry->second = with_syntax_colours(lines_.text_lines(file));
    return entry->second;
  }
  int number_of_file(const std::string& file) const {
    const std::vector<std::string>& files = page_.kernel->files;
    return static_cast<int>(std::ranges::find(files, file) - files.begin());
  }

  void add_line(const annotated_part& part, int line, const std::string& id,
                const std::string& text) {
    const auto cost = part.costs.find(line);
    result_.text += cost == part.costs.end()
                        ? joined("<div class=\"line\" id=\"", id,
                                 "\"><span></span><span></span><span></span>", text, "</div>\n")
                        : unfolding_line(cost->second, id, text);
  }

  std::string unfolding_line(const line_cost& cost, const std::string& id,
                             const std::string& text) {
    const bool more_shared = cost.cost.conflicts() != 0,
               more_global = cost.traffic.transactions != cost.traffic.ideal;
    const auto span = [](bool is_more, const std::string& margin, const char* unit) {
      return joined("<span class=\"cost", is_more ? " more" : "", "\"",
                    margin.empty() ? "" : joined(" data-unit=\"", unit, "\""), ">", margin,
                    "</span>");
    };
    std::string result = joined(
        "<details id=\"", id, "\"", cost.is_over_ideal() ? " class=\"over\"" : "",
        "><summary><span class=\"sign\">", cost.is_over_ideal() ? "!" : "",
        cost.is_partial ? "?" : "", "</span>", span(more_shared, shared_margin(cost), "wavefronts"),
        span(more_global, global_margin(cost), "transactions"), text,
        "</summary>\n<div class=\"behind\">\n");
    for (const std::vector<const priced_access*>* accesses : {&cost.shared, &cost.global})
      for (const priced_access* access_row : *accesses) result += access(*access_row);
    return result + "</div></details>\n";
  }

  std::string access(const priced_access& access_row) {
    const std::string name = seen_name(page_, access_row);
    const memory_access& memory = access_row.first->memory;
    const int column = access_row.first->location.column;
    std::string result =
        element("h4", joined(verb_of(memory.operation), name.empty() ? "" : " ",
                             element("code", escaped(name)), ", ", memory.bytes * memory.elements,
                             memory.bytes * memory.elements == 1 ? " byte" : " bytes", " a lane",
                             column == 0 ? "" : joined(", column ", column)));
    bool is_explained = false;
    for (const diagnostic& finding : diagnostics_) {
      if (finding.access != &access_row || finding.rule == &counted_in_part) continue;
      is_explained = true;
      result += paragraph(finding);
    }
    if (!is_explained) result += element("p", as_few(access_row));
    for (const global_advice& advice : page_.advice)
      if (advice.location.line != 0 && is_about(advice, page_, *access_row.first))
        result += "\n" + element("p", escaped(text_of(advice)));
    for (const std::string& calls : texts_of_calls(page_, access_row, lines_))
      result += element("p class=\"quiet\"", escaped(calls));
    if (access_row.is_partial) result += paragraph(partial_diagnostic(access_row));
    return joined(result, "\n", picture(access_row));
  }

  static std::string paragraph(const diagnostic& finding) {
    return joined("\n<p><span class=\"bad\">", escaped(finding.message), "</span>",
                  finding.note.empty() ? "" : "; ", escaped(finding.note), ".</p>");
  }

  std::string as_few(const priced_access& access_row) const {
    const bool is_global = access_row.first->is_global;
    const std::uint64_t requests =
        is_global ? access_row.traffic.requests : access_row.cost.requests;
    if (access_row.bounded_requests > 0) {
      const std::uint64_t known =
          is_global ? access_row.traffic.transactions : access_row.cost.wavefronts;
      return joined(bm::detail::counted_in_words(requests + access_row.bounded_requests, "request"),
                    requests + access_row.bounded_requests == 1 ? " takes " : " take ",
                    range_in_words(known + access_row.minimum, known + access_row.maximum,
                                   is_global ? "transaction" : "wavefront"),
                    ", which data decide", text_as_issued(page_, access_row), ".");
    }
    return joined(
        bm::detail::counted_in_words(requests, "request"), requests == 1 ? " takes " : " take ",
        is_global ? bm::detail::counted_in_words(access_row.traffic.transactions, "transaction")
                  : bm::detail::counted_in_words(access_row.cost.wavefronts, "wavefront"),
        ", the ideal", text_as_issued(page_, access_row), ".");
  }

  // Of what takes more than its ideal: of the others there is nothing to see. One that is drawn at
  // its array's plan is not drawn again.
  std::string picture(const priced_access& access_row) {
    if (most_excessive(access_row) == 0) return {};
    if (requests_.leaves_out(access_row))
      return "<p class=\"quiet\">The page has the pictures of the worst accesses alone.</p>\n";
    if (const auto plan = at_a_plan_.find(&access_row); plan != at_a_plan_.end())
      return joined("<p><a href=\"#", plan->second, "\">The plan has the picture.</a></p>\n");
    for (std::size_t number = 0; number < page_.plans.size(); ++number) {
      if (!has_conflict_in(page_.plans[number], access_row)) continue;
      if (drawn_.count(number) != 0) break;  // the plan is seen already
      const std::string pair = before_and_after(access_row, page_.plans[number]);
      if (!pair.empty()) return pair;
    }
    return drawn([&] {
      const std::string svg = requests_.draw(page_, access_row);
      return svg.empty() ? "" : figure(svg, "");
    });
  }
  std::string before_and_after(const priced_access& access_row, const array_plan& plan) {
    return drawn([&]() -> std::string {
      const std::string current = requests_.draw(page_, access_row),
                        planned = picture_of_plan(page_, access_row, plan);
      if (current.empty() || planned.empty()) return {};
      const std::string current_figure = figure(current, "as it is"),
                        planned_figure = figure(planned, "as planned");
      return joined("<div class=\"pair\">\n", current_figure, planned_figure, "</div>\n");
    });
  }
  template <class Draw>
  static std::string drawn(const Draw& draw) {
    try {
      return draw();
    } catch (const bm::error& failure) {
      return joined("<p>There is no picture: ", escaped(failure.what()), "</p>\n");
    }
  }
  std::string figure(const std::string& svg, const char* caption) {
    const std::string title = caption;
    return joined(
        "<figure>\n", title.empty() ? "" : element("figcaption class=\"quiet\"", title) + "\n",
        pictures_.add(svg, joined("picture-", section_, "-", ++picture_number_)), "</figure>\n");
  }

  // ---- plans ----

  // Where the plan is: at the first line that it changes, or else at the array's declaration. Line
  // 0: it is not known.
  struct line_of_file {
    std::string file;
    int line = 0;
    bool operator==(const line_of_file&) const = default;
  };
  line_of_file home_of(const array_plan& plan) const {
    const std::vector<text_edit> edits = edits_of(plan);
    if (!edits.empty()) return {edits.front().piece.file, edits.front().piece.line};
    const place& declared = array_of(page_, plan).location;
    return {file_of(*page_.kernel, declared), declared.line};
  }
  std::string home_id(const array_plan& plan) const {
    const line_of_file home = home_of(plan);
    return line_id(section_, number_of_file(home.file), home.line);
  }

  static bool has_conflict_in(const array_plan& plan, const priced_access& access_row) {
    return !access_row.first->is_global && access_row.first->array == plan.array &&
           access_row.cost.conflicts() != 0;
  }
  // The access of the plan's array with the most conflicts.
  const priced_access* drawn_with(const array_plan& plan) const {
    const priced_access* result = nullptr;
    for (const priced_access& access_row : page_.costs.shared)
      if (has_conflict_in(plan, access_row) &&
          (result == nullptr || access_row.cost.conflicts() > result->cost.conflicts()))
        result = &access_row;
    return result;
  }

  // The pictures of the plans that have a line in these parts: of an array's first one before and
  // after it, of its others after them, folded.
  void draw_plans(const std::vector<annotated_part>& parts) {
    std::set<int> arrays;
    for (std::size_t number = 0; number < page_.plans.size(); ++number) {
      const array_plan& plan = page_.plans[number];
      const line_of_file home = home_of(plan);
      const priced_access* const worst = drawn_with(plan);
      const bool is_listed = home.line > 0 && std::ranges::any_of(parts, [&](const auto& part) {
                               return part.file == home.file && part.lines.first <= home.line &&
                                      home.line <= part.lines.last;
                             });
      if (!is_listed || worst == nullptr || requests_.leaves_out(*worst)) continue;
      if (arrays.count(plan.array) != 0) {
        drawn_[number] = folded_after(*worst, plan);
        continue;
      }
      const std::string pair = before_and_after(*worst, plan);
      if (pair.empty()) continue;
      drawn_[number] = pair;
      arrays.insert(plan.array);
      at_a_plan_[worst] = home_id(plan);
    }
  }
  std::string folded_after(const priced_access& access_row, const array_plan& plan) {
    return drawn([&]() -> std::string {
      const std::string planned = picture_of_plan(page_, access_row, plan);
      if (planned.empty()) return {};
      return element("details class=\"folded\"",
                     "<summary>The picture</summary>\n" + figure(planned, "as planned")) +
             "\n";
    });
  }

  void add_changes(const std::string& file, int line) {
    if (line <= 0) return;
    for (std::size_t number = 0; number < page_.plans.size(); ++number) {
      const array_plan& plan = page_.plans[number];
      const bool is_home = home_of(plan) == line_of_file{file, line};
      if (is_home) result_.plans.insert(number);
      const std::string text = (is_home ? element("p", escaped(text_of(plan))) + "\n" : "") +
                               changed_line(plan, file, line) + (is_home ? drawn_[number] : "");
      if (!text.empty()) result_.text += joined("<div class=\"fix\">\n", text, "</div>\n");
    }
  }

  std::string changed_line(const array_plan& plan, const std::string& file, int line) {
    std::vector<text_edit> edits;
    for (const text_edit& edit : edits_of(plan))
      if (edit.piece.file == file && edit.piece.line == line) edits.push_back(edit);
    if (edits.empty()) return {};
    std::ranges::sort(edits, [](const text_edit& left, const text_edit& other) {
      return left.piece.column < other.piece.column;
    });
    const std::string changed = line_with_edits(edits, line, lines_);
    std::string result;
    if (!changed.empty())
      return joined("<div class=\"becomes\"><span>+</span>",
                    element("code", with_syntax_colours({changed}).front()), "</div>\n");
    for (const text_edit& edit : edits)
      result += joined("<p>", element("code", escaped(edit.piece.text)), " becomes ",
                       element("code", escaped(edit.replacement)), "</p>\n");
    return result;
  }

  const page& page_;
  source_lines& lines_;
  int section_ = 0, picture_number_ = 0;
  const drawn_requests& requests_;
  command_line::page_pictures& pictures_;
  std::vector<diagnostic> diagnostics_;
  std::map<std::string, std::vector<std::string>> coloured_;  // by file
  std::map<std::size_t, std::string> drawn_;                  // pictures by the plan's number
  std::map<const priced_access*, std::string> at_a_plan_;     // the plan's line
  bool has_shared_ = false, has_global_ = false;
  html_listing result_;
};

}  // namespace

html_listing listing_of(const page& shown_page, source_lines& lines, int section,
                        const drawn_requests& requests, command_line::page_pictures& pictures) {
  return listing_writer(shown_page, lines, section, requests, pictures).written();
}

}  // namespace compiled
