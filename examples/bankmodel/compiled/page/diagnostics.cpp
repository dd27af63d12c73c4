// SPDX-License-Identifier: MIT
#include "diagnostics.hpp"

#include <algorithm>
#include <bankmodel/explain.hpp>
#include <bankmodel/report.hpp>
#include <set>

#include "../../source.hpp"
#include "../../table.hpp"
#include "../../utf8.hpp"
#include "call_chains.hpp"
#include "issued_column.hpp"
#include "lane_distances.hpp"
#include "worst_request.hpp"

namespace compiled {

using command_line::joined;

namespace {

// "1 request takes 2 wavefronts, ideal 1"
std::string text_of_sum(std::uint64_t requests, std::uint64_t units, const char* unit,
                        std::uint64_t ideal) {
  return joined(bm::detail::counted_in_words(requests, "request"),
                requests == 1 ? " takes " : " take ", bm::detail::counted_in_words(units, unit),
                ", ideal ", bm::grouped(ideal));
}

}  // namespace

std::string text_as_issued(const page& of, const priced_access& one) {
  if (!knows_issued(of) || is_issued_as_written(one)) return {};
  const issued_label label = one.issued.label;
  const bool has_widths = label == issued_label::confirmed || label == issued_label::corrected;
  const std::string begin = joined(
      "; as issued (an estimate",
      has_widths
          ? joined(" with the widths of the ", of.machine_code.empty() ? "cubin" : of.machine_code)
          : "",
      ") ");
  const bm::cost& cost = one.issued.cost;
  const bm::memory_traffic& traffic = one.issued.traffic;
  if (cost.requests + traffic.requests == 0)
    return joined(begin, "no instruction of its own does this");
  return joined(
      begin, one.first->is_global
                 ? text_of_sum(traffic.requests, traffic.transactions, "transaction", traffic.ideal)
                 : text_of_sum(cost.requests, cost.wavefronts, "wavefront", cost.ideal));
}

namespace {

diagnostic shared_diagnostic(const page& of, const priced_access& one) {
  const bm::cost& cost = one.cost;
  const std::string message = joined(
      cost.degree,
      "-way bank conflict: ", text_of_sum(cost.requests, cost.wavefronts, "wavefront", cost.ideal));
  if (!one.not_explained.empty()) return {&bank_conflict, &one, message, one.not_explained};
  const bool is_described = one.explained != nullptr;
  const explained_access worst = *worst_request_of(of, one);
  // "worst in the request: .." of classes, "worst in warp 0, j = 0: .." of an expression
  const std::string meeting = bm::detail::text_of_meeting(worst.shared, worst.loop_names);
  const std::string_view begin = is_described ? "worst" : "worst in the request";
  return {&bank_conflict, &one, message,
          joined("in the worst request", is_described ? "," : "", meeting.substr(begin.size()),
                 text_as_issued(of, one))};
}

// A copy's two sides: what decides, and how sure it is.
diagnostic copy_diagnostic(const page& of, const priced_access& one) {
  const bm::copy_cost& both = one.copied;
  const std::string range = range_in_words(both.least, both.most, "wavefront");
  std::string note = joined(
      "lanes that write to one bank, also to one place, take ", bm::grouped(both.destination),
      both.destination == 1 ? " wavefront" : " wavefronts", " alone; the source ",
      one.has_unknown_source ? std::string("is not known")
                             : joined("takes ", bm::grouped(both.source), " alone"),
      both.is_known() || one.has_unknown_source ? "" : "; no rule is known for both sides together",
      " (", source_of_copies(of.machine), ")");
  return {
      &bank_conflict, &one,
      joined(both.at_least().conflicts() == 0
                 ? std::string("possible bank conflict of a copy: ")
                 : joined(both.degree, "-way bank conflict of a copy: "),
             bm::detail::counted_in_words(both.requests, "request"),
             both.requests == 1 ? " takes " : " take ", range, ", ideal ", bm::grouped(both.ideal)),
      note};
}

diagnostic global_diagnostic(const page& of, const priced_access& one) {
  const bm::memory_traffic& traffic = one.traffic;
  const std::string message =
      joined("uncoalesced access: ",
             text_of_sum(traffic.requests, traffic.transactions, "transaction", traffic.ideal));
  if (!one.not_explained.empty()) return {&uncoalesced, &one, message, one.not_explained};
  const bm::traffic_explanation why = worst_request_of(of, one)->global;
  const std::string cause =
      text_of_lane_distances(why.worst, why.segments.each[0].bytes, why.of_worst.ideal);
  return {&uncoalesced, &one, message,
          joined(cause, cause.empty() ? "" : ": ", "the worst request moves ",
                 bm::detail::text_of_segments(why), ", instead of ",
                 bm::grouped(why.of_worst.ideal), text_as_issued(of, one))};
}

// Several requests, of a quarter of the lanes at most, that use no more than half of the bytes
// which they move. One request of one lane is how a block stores its result.
bool is_of_few_lanes(const page& of, const priced_access& one) {
  const bm::memory_traffic& traffic = one.traffic;
  const auto lanes = static_cast<std::uint64_t>(of.machine.lanes);
  return traffic.requests > 1 && traffic.transactions == traffic.ideal &&
         one.lanes * 4 <= traffic.requests * lanes && traffic.bytes_used * 2 <= traffic.bytes_moved;
}

diagnostic few_lanes_diagnostic(const page& of, const priced_access& one) {
  const bm::memory_traffic& traffic = one.traffic;
  const std::uint64_t lanes = one.lanes / traffic.requests;
  return {&few_lanes, &one,
          joined("few lanes: ", bm::detail::counted_in_words(traffic.requests, "request"), " with ",
                 lanes * traffic.requests == one.lanes ? "" : "about ",
                 std::max<std::uint64_t>(lanes, 1), " of ", of.machine.lanes, " lanes active use ",
                 bm::detail::counted_in_words(traffic.bytes_used, "byte"), " of ",
                 bm::grouped(traffic.bytes_moved), " that they move"),
          ""};
}

}  // namespace

diagnostic partial_diagnostic(const priced_access& one) {
  const char* const unit = one.first->is_global ? "transaction" : "wavefront";
  return {&counted_in_part, &one, joined("counted in part: ", one.reason),
          one.most == 0
              ? ""
              : joined("these requests take ", range_in_words(one.least, one.most, unit), " more",
                       one.stays_in_its_array ? " if no index leaves its array" : "")};
}

std::vector<diagnostic> diagnostics_of(const page& of) {
  std::vector<diagnostic> result;
  for (const priced_access& one : of.costs.shared)
    if (is_copy_on(of.machine, one.first->memory)) {
      if (one.cost.conflicts() != 0 || !one.copied.is_known())
        result.push_back(copy_diagnostic(of, one));
    } else if (one.cost.conflicts() != 0) {
      result.push_back(shared_diagnostic(of, one));
    }
  for (const priced_access& one : of.costs.global)
    if (one.traffic.transactions != one.traffic.ideal) result.push_back(global_diagnostic(of, one));
  for (const priced_access& one : of.costs.global)
    if (is_of_few_lanes(of, one)) result.push_back(few_lanes_diagnostic(of, one));
  std::set<std::string> said;
  for (const std::vector<priced_access>* accesses : {&of.costs.shared, &of.costs.global})
    for (const priced_access& one : *accesses)
      if (one.is_partial && (said.insert(one.reason).second || one.most > 0))
        result.push_back(partial_diagnostic(one));
  return result;
}

namespace {

// "   12 |   for (..) ..", and below it a mark at the column.
std::string marked_line(const page& of, const place& where, source_lines& lines,
                        std::size_t width) {
  const std::string line = lines.line(file_of(*of.kernel, where), where.line);
  if (line.find_first_not_of(" \t") == std::string::npos) return {};
  const std::string margin = joined(command_line::right(std::to_string(where.line), 5), " | ");
  const auto column = static_cast<std::size_t>(where.column);
  const bool has_mark = where.column > 0 && column <= line.size();
  std::size_t mark =
      has_mark ? command_line::length(command_line::printable(line.substr(0, column - 1))) : 0;
  const std::string shown = command_line::cut_around(
      command_line::printable(line), mark, width > margin.size() ? width - margin.size() : 0);
  const std::string blanks(margin.size() - 2, ' ');
  return joined(margin, shown, "\n",
                has_mark ? joined(blanks, "| ", std::string(mark, ' '), "^\n") : "");
}

}  // namespace

std::string text_of(const page& of, const diagnostic& one, source_lines& lines,
                    const command_line::text_shape& shape) {
  const place& where = one.access->first->where;
  const std::string at = command_line::printable(lines.text_of(*of.kernel, where));
  // An editor reads a message as one line, however long the name of the file is.
  const auto message = [&](const std::string& text) {
    return shape.is_terminal ? command_line::wrapped(text, "", shape.width) : joined(text, "\n");
  };
  std::string result =
      joined(message(joined(at, ": warning: ", command_line::printable(one.message), " [",
                            one.rule->name, "]")),
             marked_line(of, where, lines, shape.width),
             one.note.empty() ? "" : message(joined(at, ": note: ", one.note)));
  for (const std::string& calls : texts_of_calls(of, *one.access, lines))
    result += message(joined(at, ": note: ", calls));
  return result;
}

}  // namespace compiled
