// SPDX-License-Identifier: MIT
#include <map>

#include "../../csv.hpp"
#include "../../json.hpp"
#include "../../known_machines.hpp"
#include "call_chains.hpp"
#include "cycle_bounds.hpp"
#include "diagnostics.hpp"
#include "issued_column.hpp"
#include "page.hpp"
#include "placed_arrays.hpp"
#include "plan_text.hpp"
#include "worst_request.hpp"

namespace compiled {

using command_line::in_quotes;
using command_line::json_string;
using command_line::list;
using command_line::members;

namespace {

// Both sides of cp.async.
std::string copy_json(const page& kernel_page, const priced_access& entry) {
  if (entry.first->is_global || entry.first->memory.operation != access_does::copy) return {};
  if (!is_copy_on(kernel_page.machine, entry.first->memory)) return ", \"copy\": null";
  return joined(", \"copy\": {\"destination\": ", entry.copied.destination, ", \"source\": ",
                entry.has_unknown_source ? "null" : std::to_string(entry.copied.source),
                ", \"tags\": ", entry.copied.tags, ", \"least\": ", entry.copied.least,
                ", \"most\": ", entry.copied.most,
                ", \"cached\": ", entry.first->memory.uncached ? "false" : "true",
                ", \"from\": ", json_string(source_of_copies(kernel_page.machine)), "}");
}

std::string grid_json(const std::optional<grid_cost>& grid, bool is_global) {
  if (!grid) return {};
  return joined(", \"grid\": {", is_global ? members(grid->traffic) : members(grid->cost), "}");
}

// `reason`: the reason for what it takes beyond its ideal, if it does.
std::string access_json(const page& kernel_page, const priced_access& entry,
                        const std::string& reason) {
  const recorded_access& access = *entry.first;
  const std::string seen = seen_name(kernel_page, entry);
  return joined(
      "{\"file\": ", json_string(file_of(*kernel_page.kernel, access.location)),
      ", \"line\": ", access.location.line, ", \"column\": ", access.location.column,
      ", \"memory\": \"", access.is_global ? "global" : "shared",
      "\", \"array\": ", json_string(array_name(*kernel_page.kernel, access)),
      seen == array_name(*kernel_page.kernel, access) ? ""
                                                      : joined(", \"view\": ", json_string(seen)),
      ", \"does\": ", json_string(verb_of(access.memory.operation)),
      ", \"bytes\": ", access.memory.bytes * access.memory.elements, ", ",
      access.is_global ? members(entry.traffic) : members(entry.cost),
      issued_json(kernel_page, entry),
      entry.is_partial ? joined(", \"partial\": ", json_string(entry.reason)) : "",
      bounds_json(entry), copy_json(kernel_page, entry), json_of_calls(kernel_page, entry),
      grid_json(entry.of_grid, access.is_global),
      entry.text.empty() ? "" : joined(",\n          \"access\": ", json_string(entry.text)),
      reason.empty() ? "" : joined(",\n          \"why\": ", json_string(reason)),
      json_of_worst(kernel_page, entry), "}");
}

std::string totals_as_issued(const page& kernel_page) {
  if (!knows_issued(kernel_page)) return {};
  return joined("\n      \"issued\": {", members(kernel_page.costs.issued_cost),
                bounds_json(kernel_page.costs.issued_bounded), ", \"global\": {",
                members(kernel_page.costs.issued_traffic), "}},");
}

std::string whole_grid_json(const page& kernel_page) {
  const std::optional<grid_cost>& grid = kernel_page.costs.of_grid;
  if (!grid) return {};
  return joined("\n      \"grid\": {\"blocks\": ", grid->blocks, ", ", members(grid->cost),
                ", \"global\": {", members(grid->traffic), "}},");
}

std::string page_json(const page& kernel_page) {
  list accesses("        "), notes("        "), assumed("        ");
  for (const assumed_fact& fact : kernel_page.assumed)
    assumed.add(joined("{\"subject\": ", json_string(fact.subject), ", \"value\": ",
                       json_string(fact.value), ", \"option\": ", json_string(fact.option),
                       ", \"reason\": ", json_string(fact.reason), "}"));
  std::map<const priced_access*, std::string> reasons;
  for (const diagnostic& finding : diagnostics_of(kernel_page))
    if (finding.rule != &counted_in_part) reasons.emplace(finding.access, finding.note);
  for (const std::vector<priced_access>* const entries :
       {&kernel_page.costs.shared, &kernel_page.costs.global})
    for (const priced_access& entry : *entries)
      accesses.add(access_json(kernel_page, entry, reasons[&entry]));
  for (const std::string& note : all_notes(kernel_page)) notes.add(json_string(note));
  const bm::block_dim& block = kernel_page.settings.block;
  return joined(
      "{\"kernel\": ", json_string(kernel_page.kernel->name),
      ", \"machine\": ", json_string(command_line::name_of(kernel_page.machine)),
      ", \"bank_width\": ", kernel_page.machine.bank_width, ", \"block\": [", block.x, ", ",
      block.y, ", ", block.z, "],\n      ", members(kernel_page.costs.cost),
      bounds_json(kernel_page.costs), ",\n      \"global\": {", members(kernel_page.costs.traffic),
      bounds_json(kernel_page.costs.bounded_traffic), "},", whole_grid_json(kernel_page),
      totals_as_issued(kernel_page), "\n      \"cycles\": ", json_of_cycles(kernel_page),
      ", \"instructions\": ",
      kernel_page.costs.executed ? std::to_string(*kernel_page.costs.executed) : "null", ",",
      "\n      \"block_strides\": ", json_of_strides(kernel_page), ",", "\n      \"partial\": ",
      kernel_page.costs.is_partial_shared || kernel_page.costs.is_partial_global ? "true" : "false",
      ", \"partial_shared\": ", kernel_page.costs.is_partial_shared ? "true" : "false",
      ",\n      \"accesses\": [", accesses.text(), "\n      ],\n      \"plans\": [",
      json_of_plans(kernel_page),
      "\n      ],\n      \"joint_plan\": ", json_of_joint_plan(kernel_page),
      ",\n      \"alternatives\": [", json_of_alternatives(kernel_page),
      "\n      ],\n      \"advice\": [", json_of_advice(kernel_page),
      "\n      ],\n      \"assumed\": [", assumed.text(), "\n      ],\n      \"formulas\": ",
      kernel_page.formulas.is_empty() ? "null" : json_of_formulas(kernel_page.formulas),
      ",\n      \"notes\": [", notes.text(), "\n      ]}");
}

std::string copy_csv(const page& kernel_page, const priced_access& entry) {
  if (entry.first->is_global || !is_copy_on(kernel_page.machine, entry.first->memory)) return ",,,";
  return joined(",", entry.copied.destination, ",",
                entry.has_unknown_source ? "" : std::to_string(entry.copied.source), ",",
                entry.copied.most);
}

std::string access_csv(const page& kernel_page, const priced_access& entry) {
  const recorded_access& access = *entry.first;
  const bm::cost& cost = entry.cost;
  const bm::memory_traffic& traffic = entry.traffic;
  return joined(
      command_line::shown_name(kernel_page.machine), ",", in_quotes(kernel_page.kernel->name), ",",
      in_quotes(file_of(*kernel_page.kernel, access.location)), ",", access.location.line, ",",
      access.location.column, ",", access.is_global ? "global" : "shared", ",",
      in_quotes(array_name(*kernel_page.kernel, access)), ",", verb_of(access.memory.operation),
      ",", access.memory.bytes * access.memory.elements, ",",
      access.is_global
          ? joined(traffic.requests, ",,", traffic.ideal, ",,,", traffic.transactions, ",",
                   traffic.lines, ",", traffic.bytes_used, ",", traffic.bytes_moved)
          : joined(cost.requests, ",", cost.wavefronts, ",", cost.ideal, ",", cost.conflicts(), ",",
                   cost.degree, ",,,,"),
      ",", entry.is_partial ? 1 : 0, issued_csv(kernel_page, entry), copy_csv(kernel_page, entry),
      ",", entry.is_partial ? in_quotes(entry.reason) : "", "\n");
}

}  // namespace

std::string json_of(const uncounted_kernel& failure) {
  return joined("{\"kernel\": ", json_string(failure.name),
                failure.machine.empty() ? "" : ", \"machine\": ",
                failure.machine.empty() ? "" : json_string(failure.machine),
                ", \"reason\": ", json_string(failure.reason), "}");
}

std::string as_json(const std::vector<page>& kernel_pages, const std::string& file,
                    const std::vector<uncounted_kernel>& failures, const std::string& error) {
  list pages("    "), uncounted("    ");
  for (const page& kernel_page : kernel_pages) pages.add(page_json(kernel_page));
  for (const uncounted_kernel& failure : failures) uncounted.add(json_of(failure));
  return joined("{\n  \"file\": ", json_string(file), ",\n  \"kernels\": [", pages.text(),
                "\n  ],\n  \"not_counted\": [", uncounted.text(), "\n  ]",
                error.empty() ? "" : ",\n  \"error\": ", error.empty() ? "" : json_string(error),
                "\n}\n");
}

std::string as_csv(const std::vector<page>& kernel_pages) {
  std::string result = joined(
      "machine,kernel,file,line,column,memory,array,does,bytes,requests,wavefronts,ideal,conflicts,"
      "degree,transactions,lines,bytes_used,bytes_moved,partial",
      issued_csv_head, ",copy_destination,copy_source,copy_most,reason\n");
  for (const page& kernel_page : kernel_pages) {
    for (const priced_access& access : kernel_page.costs.shared)
      result += access_csv(kernel_page, access);
    for (const priced_access& access : kernel_page.costs.global)
      result += access_csv(kernel_page, access);
  }
  return result;
}

}  // namespace compiled
