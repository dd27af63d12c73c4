// SPDX-License-Identifier: MIT
#include "document_notes.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include "../compiled/build_flags.hpp"
#include "../compiled/changed_files.hpp"
#include "../compiled/counted_kernel.hpp"
#include "../compiled/page/diagnostics.hpp"
#include "../compiled/page/plan_text.hpp"
#include "../compiled/page/request_picture.hpp"
#include "../compiled/plan/plan_edits.hpp"
#include "../known_machines.hpp"
#include "../sequences.hpp"
#include "../uri.hpp"
#include "utf16.hpp"

namespace editor {

using command_line::joined;
using command_line::refusal;
using compiled::page;
using compiled::priced_access;
using nlohmann::json;

namespace {

namespace bm = bankmodel;
namespace fs = std::filesystem;

enum severity : int { warning = 2, information = 3 };

// Lines and columns from 1, columns in bytes, as the reader has them.
class positions {
 public:
  positions(compiled::source_lines& lines, std::string file)
      : lines_(lines), file_(std::move(file)) {}

  json position(int line, int column) const {
    const std::string text = lines_.line(file_, line);
    return {{"line", line - 1},
            {"character", utf16_units(text, static_cast<std::size_t>(std::max(column, 1)) - 1)}};
  }

  // From a place to the end of the word there, or of one letter.
  json word(int line, int column) const {
    const std::string text = lines_.line(file_, line);
    auto end = static_cast<std::size_t>(std::max(column, 1)) - 1;
    const std::size_t begin = end;
    const auto is_word = [&](std::size_t offset) {
      return std::isalnum(static_cast<unsigned char>(text[offset])) != 0 || text[offset] == '_';
    };
    while (end < text.size() && is_word(end)) ++end;
    if (end == begin && end < text.size()) ++end;
    return {{"start", position(line, column)}, {"end", position(line, static_cast<int>(end) + 1)}};
  }

  json piece(const compiled::source_piece& range) const {
    return {{"start", position(range.line, range.column)},
            {"end", position(range.end_line, range.end_column)}};
  }

 private:
  compiled::source_lines& lines_;
  std::string file_;
};

bool is_same_file(const std::string& first, const std::string& other) {
  // A document may not be saved yet.
  std::error_code failure;
  return first == other || fs::weakly_canonical(fs::absolute(first, failure), failure) ==
                               fs::weakly_canonical(fs::absolute(other, failure), failure);
}

// "32-way, 1,024 of 32", "1,024 of 128 transactions"
std::string hint_of(const priced_access& access) {
  const auto range = [&](std::uint64_t known) {
    return compiled::range_text(known + access.minimum, known + access.maximum);
  };
  if (access.first->is_global)
    return joined(range(access.traffic.transactions), " of ",
                  bm::grouped(access.traffic.ideal + access.minimum), " transactions");
  return joined(access.cost.degree > 1 ? joined(access.cost.degree, "-way, ") : "",
                range(access.cost.wavefronts), " of ",
                bm::grouped(access.cost.ideal + access.minimum));
}

// What the document's notes are made of.
class notes {
 public:
  notes(const compiled::question& asked)
      : asked_(asked), lines_(asked.file), places_(lines_, asked.file) {
    lines_.give(asked.file, asked.text);
  }

  void add(const compiled::kernel_result& kernel) {
    if (kernel.counted == nullptr) {
      add_uncounted(kernel);
      return;
    }
    for (const page& kernel_page : kernel.counted->pages) {
      add_kernel(kernel_page);
      add_diagnostics(kernel_page);
      for (const auto* const accesses : {&kernel_page.costs.shared, &kernel_page.costs.global})
        for (const priced_access& access : *accesses) add_access(kernel_page, access);
      for (const compiled::array_plan& plan : kernel_page.plans) add_action(kernel_page, plan);
    }
  }

  // Why nothing is counted, at its line if it names one of this file.
  void add_refusal(const refusal& reason) {
    std::string text = joined(reason.wrong, reason.right.empty() ? "" : "; ", reason.right);
    int line = 1, column = 1;
    const std::string name = joined(fs::path(asked_.file).filename().string(), ":");
    const std::size_t place = text.find(name);
    if (place != text.npos &&
        std::sscanf(text.c_str() + place + name.size(), "%d:%d", &line, &column) < 1)
      line = column = 1;
    // The place is that of the diagnostic.
    const std::string prefix = joined(asked_.file, ":", line, ":", column, ": ");
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
    // That of a kernel file has its place.
    const command_line::source document{asked_.file, asked_.text};
    if (place == text.npos && reason.location.size != 0) {
      line = command_line::line_number(document, reason.location.first);
      column = command_line::column_number(document, reason.location.first);
    }
    add_diagnostic(std::max(line, 1), column, information, "not-counted", text);
  }

  json collect() const {
    json hovers = json::array();
    for (const auto& [line, text] : hovers_) hovers.push_back({{"line", line - 1}, {"text", text}});
    json hints = json::array();
    for (const auto& [place, best] : hints_)
      hints.push_back(
          {{"position", places_.position(place.first, place.second)}, {"label", best.second}});
    return {
        {"diagnostics", diagnostics_}, {"hints", hints}, {"hovers", hovers}, {"actions", actions_}};
  }

 private:
  bool is_here(const page& kernel_page, const compiled::place& position) {
    const std::string file = file_of(*kernel_page.kernel, position);
    // PTX without lines of source has its own; a #line may be none of the document's.
    const auto count = static_cast<int>(lines_.text_lines(asked_.file).size());
    if (position.line < 1 || position.line > count) return false;
    return kernel_page.kernel->is_of_ptx ? file == "PTX"
                                         : is_same_file(lines_.path(file), asked_.file);
  }

  void add_diagnostic(int line, int column, severity level, const char* code,
                      const std::string& message) {
    json entry = {{"range", places_.word(line, column)},
                  {"severity", static_cast<int>(level)},
                  {"source", "bankmodel"},
                  {"code", code},
                  {"message", message}};
    if (!command_line::includes(diagnostics_, entry)) diagnostics_.push_back(std::move(entry));
  }

  void add_uncounted(const compiled::kernel_result& kernel) {
    refusal reason = kernel.reason;
    if (reason.wrong.find(kernel.shown) == reason.wrong.npos)
      reason.wrong = joined(kernel.shown, " is not counted: ", reason.wrong);
    add_refusal(reason);
  }

  // "gemm<float> on sm_90"
  static std::string name_of(const page& kernel_page) {
    return joined(kernel_page.kernel->shown_name(), " on ",
                  command_line::shown_name(kernel_page.machine));
  }

  void add_diagnostics(const page& kernel_page) {
    for (const compiled::diagnostic& finding : compiled::diagnostics_of(kernel_page)) {
      const compiled::place& position = finding.access->first->location;
      if (!is_here(kernel_page, position)) continue;
      const bool is_cost =
          finding.rule == &compiled::bank_conflict || finding.rule == &compiled::uncoalesced;
      add_diagnostic(position.line, position.column, is_cost ? warning : information,
                     finding.rule->name,
                     joined(finding.message, " (", name_of(kernel_page), ")",
                            finding.note.empty() ? "" : joined("\n", finding.note)));
    }
  }

  void add_access(const page& kernel_page, const priced_access& access) {
    const compiled::place& position = access.first->location;
    if (!is_here(kernel_page, position)) return;
    std::string text = joined("**", compiled::verb_of(access.first->memory.operation), " ",
                              compiled::array_name(*kernel_page.kernel, *access.first), "**, ",
                              name_of(kernel_page), ": ");
    const std::uint64_t requests =
        access.bounded_requests +
        (access.first->is_global ? access.traffic.requests : access.cost.requests);
    text += joined(bm::detail::counted_in_words(requests, "request"), ", ", hint_of(access),
                   access.first->is_global ? "" : " wavefronts", "\n\n");
    for (const compiled::diagnostic& finding : compiled::diagnostics_of(kernel_page))
      if (finding.access == &access && !finding.note.empty()) text += joined(finding.note, "\n\n");
    if (most_excessive(access) > 0) {
      const std::string picture = compiled::text_picture_of(kernel_page, access);
      constexpr std::size_t most_shown = 6000;  // of a picture; an editor's window is small
      if (!picture.empty() && picture.size() <= most_shown)
        text += joined("```text\n", picture, "```\n\n");
      const std::pair<int, int> place{position.line, position.column};
      const auto hint = std::pair(most_excessive(access), hint_of(access));
      const auto known = hints_.find(place);
      if (known == hints_.end() || known->second.first < hint.first) hints_[place] = hint;
    }
    hovers_[position.line] += text;
  }

  // Its sums, at its name.
  void add_kernel(const page& kernel_page) {
    const compiled::place& position = kernel_page.kernel->definition;
    if (!is_here(kernel_page, position)) return;
    std::string text = joined("```text\n", compiled::heading_of(kernel_page, 80),
                              compiled::body_of(kernel_page, lines_, {80, false}, true), "```\n\n");
    hovers_[position.line] += text;
  }

  // The edits of a plan, at each line of an access to its array.
  void add_action(const page& kernel_page, const compiled::array_plan& plan) {
    if (!compiled::reason_not_written(kernel_page, plan).empty() || has_other_line_ends()) return;
    const compiled::code_array& array = compiled::array_of(kernel_page, plan);
    const std::string text =
        compiled::text_to_change(asked_, compiled::declaring_file(asked_, array));
    json changes = json::object();
    for (const compiled::text_edit& counted : compiled::source_edits(array, plan, text)) {
      const compiled::text_edit edit = counted.as_written();
      const std::string path = lines_.path(edit.piece.file);
      std::error_code failure;
      const std::string uri = command_line::uri_of(fs::absolute(path, failure).string());
      changes[uri].push_back({{"range", positions(lines_, edit.piece.file).piece(edit.piece)},
                              {"newText", edit.replacement}});
    }
    if (changes.empty()) return;
    std::set<int> line_numbers;
    for (const priced_access& access : kernel_page.costs.shared)
      if (access.first->array == plan.array && is_here(kernel_page, access.first->location))
        line_numbers.insert(access.first->location.line);
    for (const auto& [uri, edits] : changes.items())
      for (const json& edit : edits)
        if (is_same_file(command_line::path_of_uri(uri), asked_.file))
          line_numbers.insert(edit["range"]["start"]["line"].get<int>() + 1);
    json lines = json::array();
    for (const int line : line_numbers) lines.push_back(line - 1);
    // Instances and kernels that share an array have the same change.
    for (json& known : actions_)
      if (known["edit"]["changes"] == changes) {
        for (const json& line : lines)
          if (std::find(known["lines"].begin(), known["lines"].end(), line) == known["lines"].end())
            known["lines"].push_back(line);
        return;
      }
    actions_.push_back({{"title", joined("bankmodel: ", plan.text)},
                        {"lines", lines},
                        {"edit", {{"changes", changes}}}});
  }

  // A \r alone ends a line for the compiler and for editors, and not here.
  bool has_other_line_ends() const {
    for (std::size_t offset = asked_.text.find('\r'); offset != asked_.text.npos;
         offset = asked_.text.find('\r', offset + 1))
      if (asked_.text.compare(offset, 2, "\r\n") != 0) return true;
    return false;
  }

  const compiled::question& asked_;
  compiled::source_lines lines_;
  positions places_;
  json diagnostics_ = json::array(), actions_ = json::array();
  std::map<int, std::string> hovers_;
  std::map<std::pair<int, int>, std::pair<std::uint64_t, std::string>> hints_;
};

}  // namespace

json notes_of_document(const compiled::question& request) {
  notes result(request);
  try {
    const compiled::question asked = compiled::with_flags_of_build(request);
    const std::vector<compiled::kernel_result> kernels = compiled::counted_kernels(asked);
    notes of_kernels(asked);
    for (const compiled::kernel_result& kernel : kernels) of_kernels.add(kernel);
    return of_kernels.collect();
  } catch (const refusal& reason) {
    result.add_refusal(reason);
  } catch (const bm::error& failure) {
    result.add_refusal({{}, failure.what(), ""});
  }
  return result.collect();
}

}  // namespace editor
