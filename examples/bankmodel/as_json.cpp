// SPDX-License-Identifier: MIT
#include "answer.hpp"
#include "declaration.hpp"
#include "json.hpp"
#include "known_machines.hpp"

namespace command_line {

namespace {

// The sums of both memories.
std::string sums(const kernel_file& kernel, const costs_of_accesses& of) {
  return joined(members(of.sum),
                kernel.has_global() ? joined(", \"global\": {", members(of.traffic_sum), "}") : "");
}

std::string access_json(const source& of, const kernel_access& access) {
  const access_expression& e = access.expression;
  return joined("\"line\": ", line_number(of, access.where.first),
                ", \"column\": ", column_number(of, access.where.first),
                ", \"access\": ", json_string(access.text),
                ", \"array\": ", json_string(bm::text(e.array.name)), ", \"direction\": ", "\"",
                bm::detail::instruction_of(e.kind), "\"",
                ", \"bytes\": ", e.vector * e.array.element_bytes);
}

// The warp and the iteration of a worst request.
std::string place_json(const kernel_access& access, const auto& found) {
  std::string loops;
  for (int at = 0; at < found.loops; ++at)
    loops +=
        joined(at == 0 ? "" : ", ", json_string(access.loop_names[static_cast<std::size_t>(at)]),
               ": ", found.loop[at].value);
  return joined("\"warp\": ", found.warp, ", \"loops\": {", loops, "}");
}

std::string worst_json(const kernel_access& access, const bm::explanation& e) {
  std::string lanes, words;
  for (int at = 0; at < e.lanes; ++at) {
    lanes += joined(at == 0 ? "" : ", ", e.meets[at].lane);
    words += joined(at == 0 ? "" : ", ", e.meets[at].word);
  }
  return joined("{", place_json(access, e), ", \"phase\": ", e.phase, ", \"bank\": ", e.bank,
                ", \"layers\": ", e.degree, ", \"wavefronts\": ", e.of_worst.wavefronts,
                ", \"ideal\": ", e.of_worst.ideal, ",\n            \"lanes\": [", lanes,
                "],\n            \"words\": [", words, "]}");
}

std::string worst_json(const kernel_access& access, const bm::traffic_explanation& e) {
  list segments("              ");
  for (int at = 0; at < e.segments.count; ++at) {
    const bm::segment& one = e.segments.each[at];
    std::string lanes;
    for (int lane = 0; lane < bm::max_lanes; ++lane)
      if ((one.lanes >> lane & 1) != 0) lanes += joined(lanes.empty() ? "" : ", ", lane);
    segments.add(joined("{\"begin\": ", one.begin, ", \"bytes\": ", one.bytes,
                        ", \"used\": ", one.used, ", \"lanes\": [", lanes, "]}"));
  }
  return joined("{", place_json(access, e), ", \"transactions\": ", e.of_worst.transactions,
                ", \"ideal\": ", e.of_worst.ideal, ",\n            \"segments\": [",
                segments.text(), "\n            ]}");
}

// The reason for its conflicts, or for transactions beyond the ideal.
std::string why_json(const kernel_file& kernel, const kernel_access& access, const bm::machine& on,
                     bool with_remedy) {
  const reason because = why(kernel, access, on, with_remedy);
  const std::string text =
      joined("\"why\": ",
             json_string(joined(because.text, because.remedy.empty() ? "" : " ", because.remedy)));
  if (because.found)
    return joined(text, ",\n            \"worst\": ", worst_json(access, *because.found));
  if (because.found_global)
    return joined(text, ",\n            \"worst\": ", worst_json(access, *because.found_global));
  return text;
}

// The cost of access number `at` in its memory.
std::string cost_json(const kernel_file& kernel, std::size_t at, const kernel_cost& cost) {
  const bool is_global = kernel.accesses[at].is_global();
  const auto of = [&](const costs_of_accesses& costs) {
    return is_global ? members(costs.traffic[at]) : members(costs.each[at]);
  };
  return joined(kernel.has_global()
                    ? joined("\"memory\": ", is_global ? "\"global\"" : "\"shared\"", ", ")
                    : "",
                of(cost), cost.of_grid ? joined(", \"grid\": {", of(*cost.of_grid), "}") : "");
}

std::string costs_json(const source& of, const kernel_file& kernel, const kernel_cost& cost,
                       bool with_remedy) {
  list accesses("          ");
  for (std::size_t at = 0; at < cost.each.size(); ++at)
    accesses.add(joined(
        "{", access_json(of, kernel.accesses[at]), ", ", cost_json(kernel, at, cost),
        cost.each[at].conflicts() == 0 && cost.traffic[at].transactions == cost.traffic[at].ideal
            ? ""
            : joined(",\n            ",
                     why_json(kernel, kernel.accesses[at], cost.machine, with_remedy)),
        "}"));
  return joined(
      "{\"bank_width\": ", cost.machine.bank_width, ", ", sums(kernel, cost),
      cost.of_grid ? joined(",\n        \"grid\": {", sums(kernel, *cost.of_grid), "}") : "",
      ",\n        \"accesses\": [", accesses.text(), "\n        ]}");
}

std::string plan_json(const kernel_file& kernel, const finding& on) {
  if (on.planning.plan == nullptr)
    return joined("\"plan\": null, \"no_plan\": ", json_string(on.planning.none));
  const kernel_plan& plan = *on.planning.plan;
  list arrays("          "), lines("          "), indices("          ");
  for (int at = 0; at < plan.arrays(); ++at)
    arrays.add(joined("{\"name\": ", json_string(bm::text(plan.array(at).declared.name)),
                      ", \"layout\": ", json_string(family_name(plan.layout(at))),
                      ", \"declare\": ", json_string(bm::text(plan.layout(at))),
                      ", \"offset_bytes\": ", plan.offset_bytes(at),
                      ", \"bytes\": ", plan.array(at).bytes(), "}"));
  for (const std::string& line : declarations(kernel, on.machine, plan))
    lines.add(json_string(line));
  for (const std::string& line : changed_indices(plan)) indices.add(json_string(line));
  return joined("\"plan\": {\"bank_width\": ", plan.bank_width(),
                ", \"optimal\": ", plan.is_optimal() ? "true" : "false",
                ", \"complete\": ", plan.is_complete() ? "true" : "false",
                ", \"least_wavefronts\": ", plan.least_wavefronts(),
                ", \"least_of_all_layouts\": ", plan.after().ideal, ", \"reached_by_tables\": ",
                plan.after().conflicts() == 0 || !on.planning.bound ? "null"
                : on.planning.bound->reached                        ? "true"
                                                                    : "false",
                ", \"alignment\": ", plan.alignment(), ",\n        \"before\": {",
                members(plan.before()), ", \"bytes\": ", declared_bytes(kernel),
                ", \"resident_blocks\": ", on.blocks_before, "},\n        \"after\": {",
                members(plan.after()), ", \"bytes\": ", plan.bytes(),
                ", \"resident_blocks\": ", plan.resident_blocks(), "},\n        \"arrays\": [",
                arrays.text(), "\n        ],\n        \"declarations\": [", lines.text(),
                "\n        ],\n        \"indices\": [", indices.text(), "\n        ]}");
}

// The lines of statements that were not counted, and memory that is not declared.
std::string skipped_json(const source& of, const skipped_part& skipped) {
  std::string lines, memory;
  for (const place& one : skipped.statements)
    lines += joined(lines.empty() ? "" : ", ", line_number(of, one.first));
  for (const std::string& one : skipped.memory)
    memory += joined(memory.empty() ? "" : ", ", json_string(one));
  if (lines.empty() && memory.empty()) return {};
  return joined("  \"skipped\": {\"lines\": [", lines, "], \"memory\": [", memory, "]},\n");
}

std::string notes_json(const std::vector<std::string>& all) {
  list result("    ");
  for (const std::string& one : all) result.add(json_string(one));
  return all.empty() ? "" : joined("  \"notes\": [", result.text(), "\n  ],\n");
}

}  // namespace

std::string as_json(const source& of, const std::vector<finding>& found, const question& asked) {
  const kernel_file& kernel = *found.front().kernel;
  list machines("    ");
  for (const finding& one : found) {
    list costs("        ");
    for (const kernel_cost& cost : one.costs)
      costs.add(costs_json(of, *one.kernel, cost, asked.plan));
    machines.add(joined(
        "{\"machine\": ", json_string(name_of(one.machine)), ",\n      \"costs\": [", costs.text(),
        "\n      ]",
        asked.plan && kernel.has_shared() ? joined(",\n      ", plan_json(*one.kernel, one)) : "",
        "}"));
  }
  const bm::block_dim& block = kernel.block;
  return joined("{\n  \"file\": ", json_string(of.name), ",\n  \"block\": [", block.x, ", ",
                block.y, ", ", block.z, "],\n",
                kernel.grid ? joined("  \"grid\": [", kernel.grid->x, ", ", kernel.grid->y, ", ",
                                     kernel.grid->z, "],\n")
                            : "",
                skipped_json(of, kernel.skipped), notes_json(notes(of, kernel, asked)),
                "  \"machines\": [", machines.text(), "\n  ]\n}\n");
}

}  // namespace command_line
