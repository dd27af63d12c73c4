// SPDX-License-Identifier: MIT
#include "diagnostics.hpp"

#include <algorithm>
#include <bankmodel/explain.hpp>
#include <bankmodel/report.hpp>
#include <set>

#include "../../table.hpp"
#include "../../utf8.hpp"
#include "call_chains.hpp"
#include "issued_column.hpp"
#include "lane_distances.hpp"
#include "worst_request.hpp"

namespace compiled {

namespace {

// "1 request takes 2 wavefronts, ideal 1"
std::string text_of_sum(std::uint64_t requests, std::uint64_t units, const char* unit,
                        std::uint64_t ideal) {
  return joined(bm::detail::counted_in_words(requests, "request"),
                requests == 1 ? " takes " : " take ", bm::detail::counted_in_words(units, unit),
                ", ideal ", bm::grouped(ideal));
}

}  // namespace

std::string text_as_issued(const page& kernel_page, const priced_access& access) {
  if (!knows_issued(kernel_page) || is_issued_as_written(access)) return {};
  const issued_label label = access.issued.label;
  const bool has_widths = label == issued_label::confirmed || label == issued_label::corrected;
  const std::string begin = joined(
      "; as issued (an estimate",
      has_widths ? joined(" with the widths of the ",
                          kernel_page.machine_code.empty() ? "cubin" : kernel_page.machine_code)
                 : "",
      ") ");
  const bm::cost& cost = access.issued.cost;
  const bm::memory_traffic& traffic = access.issued.traffic;
  if (cost.requests + traffic.requests == 0)
    return joined(begin, "no instruction of its own does this");
  return joined(
      begin, access.first->is_global
                 ? text_of_sum(traffic.requests, traffic.transactions, "transaction", traffic.ideal)
                 : text_of_sum(cost.requests, cost.wavefronts, "wavefront", cost.ideal));
}

namespace {

diagnostic shared_diagnostic(const page& kernel_page, const priced_access& access) {
  const bm::cost& cost = access.cost;
  const std::string message = joined(
      cost.degree,
      "-way bank conflict: ", text_of_sum(cost.requests, cost.wavefronts, "wavefront", cost.ideal));
  if (!access.not_explained.empty())
    return {&bank_conflict, &access, message, access.not_explained};
  const bool is_described = access.explained != nullptr;
  const explained_access worst = *worst_request_of(kernel_page, access);
  // "worst in the request: .." of classes, "worst in warp 0, j = 0: .." of an expression
  const std::string meeting = bm::detail::text_of_meeting(worst.shared, worst.loop_names);
  const std::string_view begin = is_described ? "worst" : "worst in the request";
  return {&bank_conflict, &access, message,
          joined("in the worst request", is_described ? "," : "", meeting.substr(begin.size()),
                 text_as_issued(kernel_page, access))};
}

// A copy's two sides: what decides, and how sure it is.
diagnostic copy_diagnostic(const page& kernel_page, const priced_access& access) {
  const bm::copy_cost& copy = access.copied;
  const std::string range = range_in_words(copy.least, copy.most, "wavefront");
  std::string note = joined(
      "lanes that write to one bank, also to one place, take ", bm::grouped(copy.destination),
      copy.destination == 1 ? " wavefront" : " wavefronts", " alone; the source ",
      access.has_unknown_source ? std::string("is not known")
                                : joined("takes ", bm::grouped(copy.source), " alone"),
      copy.is_known() || access.has_unknown_source ? ""
                                                   : "; no rule is known for both sides together",
      " (", source_of_copies(kernel_page.machine), ")");
  return {
      &bank_conflict, &access,
      joined(copy.at_least().conflicts() == 0
                 ? std::string("possible bank conflict of a copy: ")
                 : joined(copy.degree, "-way bank conflict of a copy: "),
             bm::detail::counted_in_words(copy.requests, "request"),
             copy.requests == 1 ? " takes " : " take ", range, ", ideal ", bm::grouped(copy.ideal)),
      note};
}

diagnostic global_diagnostic(const page& kernel_page, const priced_access& access) {
  const bm::memory_traffic& traffic = access.traffic;
  const std::string message =
      joined("uncoalesced access: ",
             text_of_sum(traffic.requests, traffic.transactions, "transaction", traffic.ideal));
  if (!access.not_explained.empty()) return {&uncoalesced, &access, message, access.not_explained};
  const bm::traffic_explanation explanation = worst_request_of(kernel_page, access)->global;
  const std::string cause = text_of_lane_distances(
      explanation.worst, explanation.segments.each[0].bytes, explanation.of_worst.ideal);
  return {&uncoalesced, &access, message,
          joined(cause, cause.empty() ? "" : ": ", "the worst request moves ",
                 bm::detail::text_of_segments(explanation), ", instead of ",
                 bm::grouped(explanation.of_worst.ideal), text_as_issued(kernel_page, access))};
}

// Several requests, of a quarter of the lanes at most, that use no more than half of the bytes
// which they move. One request of one lane is how a block stores its result.
bool is_of_few_lanes(const page& kernel_page, const priced_access& access) {
  const bm::memory_traffic& traffic = access.traffic;
  const auto lanes = static_cast<std::uint64_t>(kernel_page.machine.lanes);
  return traffic.requests > 1 && traffic.transactions == traffic.ideal &&
         access.lanes * 4 <= traffic.requests * lanes &&
         traffic.bytes_used * 2 <= traffic.bytes_moved;
}

diagnostic few_lanes_diagnostic(const page& kernel_page, const priced_access& access) {
  const bm::memory_traffic& traffic = access.traffic;
  const std::uint64_t lanes = access.lanes / traffic.requests;
  return {&few_lanes, &access,
          joined("few lanes: ", bm::detail::counted_in_words(traffic.requests, "request"), " with ",
                 lanes * traffic.requests == access.lanes ? "" : "about ",
                 std::max<std::uint64_t>(lanes, 1), " of ", kernel_page.machine.lanes,
                 " lanes active use ", bm::detail::counted_in_words(traffic.bytes_used, "byte"),
                 " of ", bm::grouped(traffic.bytes_moved), " that they move"),
          ""};
}

}  // namespace

diagnostic partial_diagnostic(const priced_access& access) {
  const char* const unit = access.first->is_global ? "transaction" : "wavefront";
  return {&counted_in_part, &access, joined("counted in part: ", access.reason),
          access.maximum == 0
              ? ""
              : joined("these requests take ", range_in_words(access.minimum, access.maximum, unit),
                       " more", access.stays_in_its_array ? " if no index leaves its array" : "")};
}

std::vector<diagnostic> diagnostics_of(const page& kernel_page) {
  std::vector<diagnostic> result;
  for (const priced_access& access : kernel_page.costs.shared)
    if (is_copy_on(kernel_page.machine, access.first->memory)) {
      if (access.cost.conflicts() != 0 || !access.copied.is_known())
        result.push_back(copy_diagnostic(kernel_page, access));
    } else if (access.cost.conflicts() != 0) {
      result.push_back(shared_diagnostic(kernel_page, access));
    }
  for (const priced_access& access : kernel_page.costs.global)
    if (access.traffic.transactions != access.traffic.ideal)
      result.push_back(global_diagnostic(kernel_page, access));
  for (const priced_access& access : kernel_page.costs.global)
    if (is_of_few_lanes(kernel_page, access))
      result.push_back(few_lanes_diagnostic(kernel_page, access));
  std::set<std::string> said;
  for (const std::vector<priced_access>* accesses :
       {&kernel_page.costs.shared, &kernel_page.costs.global})
    for (const priced_access& access : *accesses)
      if (access.is_partial && (said.insert(access.reason).second || access.maximum > 0))
        result.push_back(partial_diagnostic(access));
  return result;
}

namespace {

// "   12 |   for (..) ..", and below it a mark at the column.
std::string marked_line(const page& kernel_page, const place& location, source_lines& lines,
                        std::size_t width) {
  const std::string line = lines.line(file_of(*kernel_page.kernel, location), location.line);
  if (line.find_first_not_of(" \t") == std::string::npos) return {};
  const std::string margin = joined(command_line::right(std::to_string(location.line), 5), " | ");
  const auto column = static_cast<std::size_t>(location.column);
  const bool has_mark = location.column > 0 && column <= line.size();
  std::size_t mark =
      has_mark ? command_line::length(command_line::printable(line.substr(0, column - 1))) : 0;
  const std::string shown = command_line::cut_around(
      command_line::printable(line), mark, width > margin.size() ? width - margin.size() : 0);
  const std::string blanks(margin.size() - 2, ' ');
  return joined(margin, shown, "\n",
                has_mark ? joined(blanks, "| ", std::string(mark, ' '), "^\n") : "");
}

}  // namespace

std::string text_of(const page& kernel_page, const diagnostic& finding, source_lines& lines,
                    const command_line::text_shape& shape) {
  const place& location = finding.access->first->location;
  const std::string prefix = command_line::printable(lines.text_of(*kernel_page.kernel, location));
  // An editor reads a message as one line, however long the name of the file is.
  const auto message = [&](const std::string& text) {
    return shape.is_terminal ? command_line::wrapped(text, "", shape.width) : joined(text, "\n");
  };
  std::string result =
      joined(message(joined(prefix, ": warning: ", command_line::printable(finding.message), " [",
                            finding.rule->name, "]")),
             marked_line(kernel_page, location, lines, shape.width),
             finding.note.empty() ? "" : message(joined(prefix, ": note: ", finding.note)));
  for (const std::string& calls : texts_of_calls(kernel_page, *finding.access, lines))
    result += message(joined(prefix, ": note: ", calls));
  return result;
}

}  // namespace compiled
