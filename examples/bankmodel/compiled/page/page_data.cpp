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
using command_line::joined;
using command_line::json_string;
using command_line::list;
using command_line::members;

namespace {

// Both sides of cp.async.
std::string copy_json(const page& of, const priced_access& one) {
  if (one.first->is_global || one.first->memory.does != access_does::copy) return {};
  if (!is_copy_on(of.machine, one.first->memory)) return ", \"copy\": null";
  return joined(", \"copy\": {\"destination\": ", one.copied.destination, ", \"source\": ",
                one.has_unknown_source ? "null" : std::to_string(one.copied.source),
                ", \"tags\": ", one.copied.tags, ", \"least\": ", one.copied.least,
                ", \"most\": ", one.copied.most,
                ", \"cached\": ", one.first->memory.uncached ? "false" : "true",
                ", \"from\": ", json_string(source_of_copies(of.machine)), "}");
}

std::string grid_json(const std::optional<grid_cost>& of, bool is_global) {
  if (!of) return {};
  return joined(", \"grid\": {", is_global ? members(of->traffic) : members(of->cost), "}");
}

// `why`: the reason for what it takes beyond its ideal, if it does.
std::string access_json(const page& of, const priced_access& one, const std::string& why) {
  const recorded_access& access = *one.first;
  const std::string seen = seen_name(of, one);
  return joined(
      "{\"file\": ", json_string(file_of(*of.kernel, access.where)),
      ", \"line\": ", access.where.line, ", \"column\": ", access.where.column, ", \"memory\": \"",
      access.is_global ? "global" : "shared",
      "\", \"array\": ", json_string(array_name(*of.kernel, access)),
      seen == array_name(*of.kernel, access) ? "" : joined(", \"view\": ", json_string(seen)),
      ", \"does\": ", json_string(verb_of(access.memory.does)),
      ", \"bytes\": ", access.memory.bytes * access.memory.elements, ", ",
      access.is_global ? members(one.traffic) : members(one.cost), issued_json(of, one),
      one.is_partial ? joined(", \"partial\": ", json_string(one.reason)) : "", bounds_json(one),
      copy_json(of, one), json_of_calls(of, one), grid_json(one.of_grid, access.is_global),
      one.text.empty() ? "" : joined(",\n          \"access\": ", json_string(one.text)),
      why.empty() ? "" : joined(",\n          \"why\": ", json_string(why)), json_of_worst(of, one),
      "}");
}

std::string totals_as_issued(const page& of) {
  if (!knows_issued(of)) return {};
  return joined("\n      \"issued\": {", members(of.costs.issued_cost),
                bounds_json(of.costs.issued_bounded), ", \"global\": {",
                members(of.costs.issued_traffic), "}},");
}

std::string whole_grid_json(const page& of) {
  const std::optional<grid_cost>& grid = of.costs.of_grid;
  if (!grid) return {};
  return joined("\n      \"grid\": {\"blocks\": ", grid->blocks, ", ", members(grid->cost),
                ", \"global\": {", members(grid->traffic), "}},");
}

std::string page_json(const page& of) {
  list accesses("        "), notes("        "), assumed("        ");
  for (const assumed_fact& one : of.assumed)
    assumed.add(joined(
        "{\"subject\": ", json_string(one.subject), ", \"value\": ", json_string(one.value),
        ", \"option\": ", json_string(one.option), ", \"reason\": ", json_string(one.reason), "}"));
  std::map<const priced_access*, std::string> reasons;
  for (const diagnostic& one : diagnostics_of(of))
    if (one.rule != &counted_in_part) reasons.emplace(one.access, one.note);
  for (const std::vector<priced_access>* const all : {&of.costs.shared, &of.costs.global})
    for (const priced_access& one : *all) accesses.add(access_json(of, one, reasons[&one]));
  for (const std::string& note : all_notes(of)) notes.add(json_string(note));
  const bm::block_dim& block = of.how.block;
  return joined(
      "{\"kernel\": ", json_string(of.kernel->name),
      ", \"machine\": ", json_string(command_line::name_of(of.machine)),
      ", \"bank_width\": ", of.machine.bank_width, ", \"block\": [", block.x, ", ", block.y, ", ",
      block.z, "],\n      ", members(of.costs.cost), bounds_json(of.costs),
      ",\n      \"global\": {", members(of.costs.traffic), bounds_json(of.costs.bounded_traffic),
      "},", whole_grid_json(of), totals_as_issued(of), "\n      \"cycles\": ", json_of_cycles(of),
      ",", "\n      \"block_strides\": ", json_of_strides(of), ",", "\n      \"partial\": ",
      of.costs.is_partial_shared || of.costs.is_partial_global ? "true" : "false",
      ", \"partial_shared\": ", of.costs.is_partial_shared ? "true" : "false",
      ",\n      \"accesses\": [", accesses.text(), "\n      ],\n      \"plans\": [",
      json_of_plans(of), "\n      ],\n      \"joint_plan\": ", json_of_joint_plan(of),
      ",\n      \"alternatives\": [", json_of_alternatives(of), "\n      ],\n      \"advice\": [",
      json_of_advice(of), "\n      ],\n      \"assumed\": [", assumed.text(),
      "\n      ],\n      \"formulas\": ",
      of.formulas.is_empty() ? "null" : json_of_formulas(of.formulas), ",\n      \"notes\": [",
      notes.text(), "\n      ]}");
}

std::string copy_csv(const page& of, const priced_access& one) {
  if (one.first->is_global || !is_copy_on(of.machine, one.first->memory)) return ",,,";
  return joined(",", one.copied.destination, ",",
                one.has_unknown_source ? "" : std::to_string(one.copied.source), ",",
                one.copied.most);
}

std::string access_csv(const page& of, const priced_access& one) {
  const recorded_access& access = *one.first;
  const bm::cost& cost = one.cost;
  const bm::memory_traffic& traffic = one.traffic;
  return joined(command_line::shown_name(of.machine), ",", in_quotes(of.kernel->name), ",",
                in_quotes(file_of(*of.kernel, access.where)), ",", access.where.line, ",",
                access.where.column, ",", access.is_global ? "global" : "shared", ",",
                in_quotes(array_name(*of.kernel, access)), ",", verb_of(access.memory.does), ",",
                access.memory.bytes * access.memory.elements, ",",
                access.is_global
                    ? joined(traffic.requests, ",,", traffic.ideal, ",,,", traffic.transactions,
                             ",", traffic.lines, ",", traffic.bytes_used, ",", traffic.bytes_moved)
                    : joined(cost.requests, ",", cost.wavefronts, ",", cost.ideal, ",",
                             cost.conflicts(), ",", cost.degree, ",,,,"),
                ",", one.is_partial ? 1 : 0, issued_csv(of, one), copy_csv(of, one), ",",
                one.is_partial ? in_quotes(one.reason) : "", "\n");
}

}  // namespace

std::string json_of(const uncounted_kernel& one) {
  return joined("{\"kernel\": ", json_string(one.name),
                one.machine.empty() ? "" : ", \"machine\": ",
                one.machine.empty() ? "" : json_string(one.machine),
                ", \"reason\": ", json_string(one.reason), "}");
}

std::string as_json(const std::vector<page>& all, const std::string& file,
                    const std::vector<uncounted_kernel>& others, const std::string& error) {
  list pages("    "), uncounted("    ");
  for (const page& one : all) pages.add(page_json(one));
  for (const uncounted_kernel& one : others) uncounted.add(json_of(one));
  return joined("{\n  \"file\": ", json_string(file), ",\n  \"kernels\": [", pages.text(),
                "\n  ],\n  \"not_counted\": [", uncounted.text(), "\n  ]",
                error.empty() ? "" : ",\n  \"error\": ", error.empty() ? "" : json_string(error),
                "\n}\n");
}

std::string as_csv(const std::vector<page>& all) {
  std::string result = joined(
      "machine,kernel,file,line,column,memory,array,does,bytes,requests,wavefronts,ideal,conflicts,"
      "degree,transactions,lines,bytes_used,bytes_moved,partial",
      issued_csv_head, ",copy_destination,copy_source,copy_most,reason\n");
  for (const page& one : all) {
    for (const priced_access& access : one.costs.shared) result += access_csv(one, access);
    for (const priced_access& access : one.costs.global) result += access_csv(one, access);
  }
  return result;
}

}  // namespace compiled
