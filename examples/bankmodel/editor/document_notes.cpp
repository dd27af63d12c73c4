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
    const auto is_word = [&](std::size_t at) {
      return std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_';
    };
    while (end < text.size() && is_word(end)) ++end;
    if (end == begin && end < text.size()) ++end;
    return {{"start", position(line, column)}, {"end", position(line, static_cast<int>(end) + 1)}};
  }

  json piece(const compiled::source_piece& of) const {
    return {{"start", position(of.line, of.column)}, {"end", position(of.end_line, of.end_column)}};
  }

 private:
  compiled::source_lines& lines_;
  std::string file_;
};

bool is_same_file(const std::string& one, const std::string& other) {
  // A document may not be saved yet.
  std::error_code failure;
  return one == other || fs::weakly_canonical(fs::absolute(one, failure), failure) ==
                             fs::weakly_canonical(fs::absolute(other, failure), failure);
}

// "32-way, 1,024 of 32", "1,024 of 128 transactions"
std::string hint_of(const priced_access& one) {
  const auto range = [&](std::uint64_t known) {
    return compiled::range_text(known + one.least, known + one.most);
  };
  if (one.first->is_global)
    return joined(range(one.traffic.transactions), " of ",
                  bm::grouped(one.traffic.ideal + one.least), " transactions");
  return joined(one.cost.degree > 1 ? joined(one.cost.degree, "-way, ") : "",
                range(one.cost.wavefronts), " of ", bm::grouped(one.cost.ideal + one.least));
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
    for (const page& of : kernel.counted->pages) {
      add_kernel(of);
      add_diagnostics(of);
      for (const auto* const accesses : {&of.costs.shared, &of.costs.global})
        for (const priced_access& one : *accesses) add_access(of, one);
      for (const compiled::array_plan& plan : of.plans) add_action(of, plan);
    }
  }

  // Why nothing is counted, at its line if it names one of this file.
  void add_refusal(const refusal& why) {
    std::string text = joined(why.wrong, why.right.empty() ? "" : "; ", why.right);
    int line = 1, column = 1;
    const std::string name = joined(fs::path(asked_.file).filename().string(), ":");
    const std::size_t place = text.find(name);
    if (place != text.npos &&
        std::sscanf(text.c_str() + place + name.size(), "%d:%d", &line, &column) < 1)
      line = column = 1;
    // The place is that of the diagnostic.
    const std::string prefix = joined(asked_.file, ":", line, ":", column, ": ");
    if (text.rfind(prefix, 0) == 0) text.erase(0, prefix.size());
    // That of a kernel file has its place.
    const command_line::source of{asked_.file, asked_.text};
    if (place == text.npos && why.where.size != 0) {
      line = command_line::line_number(of, why.where.first);
      column = command_line::column_number(of, why.where.first);
    }
    add_diagnostic(std::max(line, 1), column, information, "not-counted", text);
  }

  json all() const {
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
  bool is_here(const page& of, const compiled::place& where) {
    const std::string file = file_of(*of.kernel, where);
    // PTX without lines of source has its own; a #line may be none of the document's.
    const auto count = static_cast<int>(lines_.all(asked_.file).size());
    if (where.line < 1 || where.line > count) return false;
    return of.kernel->is_of_ptx ? file == "PTX" : is_same_file(lines_.path(file), asked_.file);
  }

  void add_diagnostic(int line, int column, severity how, const char* code,
                      const std::string& message) {
    json one = {{"range", places_.word(line, column)},
                {"severity", static_cast<int>(how)},
                {"source", "bankmodel"},
                {"code", code},
                {"message", message}};
    if (std::find(diagnostics_.begin(), diagnostics_.end(), one) == diagnostics_.end())
      diagnostics_.push_back(std::move(one));
  }

  void add_uncounted(const compiled::kernel_result& kernel) {
    refusal why = kernel.why;
    if (why.wrong.find(kernel.shown) == why.wrong.npos)
      why.wrong = joined(kernel.shown, " is not counted: ", why.wrong);
    add_refusal(why);
  }

  // "gemm<float> on sm_90"
  static std::string name_of(const page& of) {
    return joined(of.kernel->shown_name(), " on ", command_line::shown_name(of.machine));
  }

  void add_diagnostics(const page& of) {
    for (const compiled::diagnostic& one : compiled::diagnostics_of(of)) {
      const compiled::place& where = one.access->first->where;
      if (!is_here(of, where)) continue;
      const bool is_cost =
          one.rule == &compiled::bank_conflict || one.rule == &compiled::uncoalesced;
      add_diagnostic(where.line, where.column, is_cost ? warning : information, one.rule->name,
                     joined(one.message, " (", name_of(of), ")",
                            one.note.empty() ? "" : joined("\n", one.note)));
    }
  }

  void add_access(const page& of, const priced_access& one) {
    const compiled::place& where = one.first->where;
    if (!is_here(of, where)) return;
    std::string text =
        joined("**", compiled::verb_of(one.first->memory.does), " ",
               compiled::array_name(*of.kernel, *one.first), "**, ", name_of(of), ": ");
    const std::uint64_t requests =
        one.bounded_requests + (one.first->is_global ? one.traffic.requests : one.cost.requests);
    text += joined(bm::detail::counted_in_words(requests, "request"), ", ", hint_of(one),
                   one.first->is_global ? "" : " wavefronts", "\n\n");
    for (const compiled::diagnostic& each : compiled::diagnostics_of(of))
      if (each.access == &one && !each.note.empty()) text += joined(each.note, "\n\n");
    if (most_excessive(one) > 0) {
      const std::string picture = compiled::text_picture_of(of, one);
      constexpr std::size_t most_shown = 6000;  // of a picture; an editor's window is small
      if (!picture.empty() && picture.size() <= most_shown)
        text += joined("```text\n", picture, "```\n\n");
      const std::pair<int, int> place{where.line, where.column};
      const auto hint = std::pair(most_excessive(one), hint_of(one));
      const auto known = hints_.find(place);
      if (known == hints_.end() || known->second.first < hint.first) hints_[place] = hint;
    }
    hovers_[where.line] += text;
  }

  // Its sums, at its name.
  void add_kernel(const page& of) {
    const compiled::place& where = of.kernel->definition;
    if (!is_here(of, where)) return;
    std::string text = joined("```text\n", compiled::heading_of(of, 80),
                              compiled::body_of(of, lines_, {80, false}, true), "```\n\n");
    hovers_[where.line] += text;
  }

  // The edits of a plan, at each line of an access to its array.
  void add_action(const page& of, const compiled::array_plan& plan) {
    if (!compiled::reason_not_written(of, plan).empty() || has_other_line_ends()) return;
    const compiled::code_array& array = compiled::array_of(of, plan);
    const std::string text =
        compiled::text_to_change(asked_, compiled::declaring_file(asked_, array));
    json changes = json::object();
    for (const compiled::text_edit& edit : compiled::source_edits(array, plan, text)) {
      const std::string path = lines_.path(edit.where.file);
      std::error_code failure;
      const std::string uri = command_line::uri_of(fs::absolute(path, failure).string());
      changes[uri].push_back({{"range", positions(lines_, edit.where.file).piece(edit.where)},
                              {"newText", edit.replacement}});
    }
    if (changes.empty()) return;
    std::set<int> at;
    for (const priced_access& one : of.costs.shared)
      if (one.first->array == plan.array && is_here(of, one.first->where))
        at.insert(one.first->where.line);
    for (const auto& [uri, edits] : changes.items())
      for (const json& edit : edits)
        if (is_same_file(command_line::path_of_uri(uri), asked_.file))
          at.insert(edit["range"]["start"]["line"].get<int>() + 1);
    json lines = json::array();
    for (const int line : at) lines.push_back(line - 1);
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
    for (std::size_t at = asked_.text.find('\r'); at != asked_.text.npos;
         at = asked_.text.find('\r', at + 1))
      if (asked_.text.compare(at, 2, "\r\n") != 0) return true;
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

json notes_of_document(const compiled::question& given) {
  notes result(given);
  try {
    const compiled::question asked = compiled::with_flags_of_build(given);
    const std::vector<compiled::kernel_result> kernels = compiled::counted_kernels(asked);
    notes of_kernels(asked);
    for (const compiled::kernel_result& one : kernels) of_kernels.add(one);
    return of_kernels.all();
  } catch (const refusal& why) {
    result.add_refusal(why);
  } catch (const bm::error& why) {
    result.add_refusal({{}, why.what(), ""});
  }
  return result.all();
}

}  // namespace editor
