// SPDX-License-Identifier: MIT
#include <bankmodel/version.hpp>
#include <cstdint>
#include <map>
#include <string_view>

#include "../../json.hpp"
#include "../../known_machines.hpp"
#include "../../table.hpp"
#include "../../uri.hpp"
#include "../../utf8.hpp"
#include "call_chains.hpp"
#include "diagnostics.hpp"
#include "formats.hpp"
#include "issued_column.hpp"

namespace compiled {

using command_line::json_string;
using command_line::list;
using command_line::members;

namespace {

// Columns count characters; those of the code count bytes.
std::string region_of(const page& kernel_page, const place& location, source_lines& lines) {
  std::string result = joined("\"startLine\": ", location.line);
  if (location.column < 1) return result;
  const std::string line = lines.line(file_of(*kernel_page.kernel, location), location.line);
  const auto offset = static_cast<std::size_t>(location.column) - 1;
  const std::size_t characters =
      offset <= line.size() ? command_line::length(line.substr(0, offset)) : offset;
  return joined(result, ", \"startColumn\": ", characters + 1);
}

std::string artifact_json(const std::string& path) {
  const char* const base = path.substr(0, 1) == "/" ? "" : ", \"uriBaseId\": \"%SRCROOT%\"";
  return joined("{\"uri\": ", json_string(command_line::uri_of(path)), base, "}");
}

// Where the place is unknown, it is the file that was given.
std::string location_json(const page& kernel_page, const place& location, source_lines& lines,
                          const std::string& input_file) {
  const std::string file = file_of(*kernel_page.kernel, location);
  const bool is_known = !file.empty() && location.line > 0;
  const std::string path = is_known ? lines.path(file) : path_from_here(input_file);
  return joined(
      "{\"physicalLocation\": {\"artifactLocation\": ", artifact_json(path),
      is_known ? joined(", \"region\": {", region_of(kernel_page, location, lines), "}") : "",
      "},\n            \"logicalLocations\": [{\"fullyQualifiedName\": ",
      json_string(kernel_page.kernel->name), ", \"kind\": \"function\"}]}");
}

std::string text_of_result(const page& kernel_page, const diagnostic& finding) {
  const std::string note = finding.note.empty() ? "" : joined("; ", finding.note);
  std::string result =
      joined(finding.message, ". One block of ", command_line::text_of(kernel_page.settings.block),
             " on ", command_line::shown_name(kernel_page.machine), note, ".");
  if (finding.rule == &uncoalesced)
    for (const global_advice& advice : kernel_page.advice)
      if (is_about(advice, kernel_page, *finding.access->first))
        result += joined(" ", text_of(advice));
  return result;
}

// A region of bytes, as characters.
std::string replacement_json(const text_edit& edit, source_lines& lines) {
  const source_piece& piece = edit.piece;
  const auto column = [&](int line, int bytes) {
    return command_line::length(
               lines.line(piece.file, line).substr(0, static_cast<std::size_t>(bytes) - 1)) +
           1;
  };
  return joined("{\"deletedRegion\": {\"startLine\": ", piece.line,
                ", \"startColumn\": ", column(piece.line, piece.column),
                ", \"endLine\": ", piece.end_line,
                ", \"endColumn\": ", column(piece.end_line, piece.end_column),
                "}, \"insertedContent\": {\"text\": ", json_string(edit.replacement), "}}");
}

// The changed declaration of the access's array, if there is one.
std::string fixes_json(const page& kernel_page, const diagnostic& finding, source_lines& lines) {
  for (const array_plan& plan : kernel_page.plans) {
    if (finding.rule != &bank_conflict || plan.array != finding.access->first->array ||
        plan.fix.empty())
      continue;
    list replacements("                ");
    for (const text_edit& edit : plan.fix) replacements.add(replacement_json(edit, lines));
    return joined(",\n          \"fixes\": [{\"description\": {\"text\": ", json_string(plan.text),
                  "},\n            \"artifactChanges\": [{\"artifactLocation\": ",
                  artifact_json(lines.path(plan.fix[0].piece.file)), ", \"replacements\": [",
                  replacements.text(), "]}]}]");
  }
  return {};
}

// The access's own code, and the calls around it.
std::string related_json(const page& kernel_page, const priced_access& access, source_lines& lines,
                         const std::string& input_file) {
  list locations("            ");
  for (const std::vector<place>& chain : call_chains(kernel_page, access))
    for (const place& call : chain) {
      const std::string location = location_json(kernel_page, call, lines, input_file);
      locations.add(joined("{\"message\": {\"text\": \"",
                           &call == &chain.front() ? "The access itself." : "Called here.", "\"}, ",
                           location.substr(1)));
    }
  const std::string text = locations.text();
  return text.empty() ? "" : joined(",\n          \"relatedLocations\": [", text, "]");
}

// What stays the same while code moves: the rule, the kernel, the machine, the access and the text
// of its line. The n-th result with the same of these has its number behind the hash.
class fingerprints {
 public:
  std::string next(const page& kernel_page, const diagnostic& finding, source_lines& lines) {
    const recorded_access& access = *finding.access->first;
    const std::string same =
        joined(finding.rule->name, "\n", kernel_page.kernel->name, "\n",
               command_line::shown_name(kernel_page.machine), "\n",
               array_name(*kernel_page.kernel, access), "\n", verb_of(access.memory.operation),
               "\n", access.memory.bytes * access.memory.elements, "\n",
               lines.line_of(*kernel_page.kernel, access.location));
    constexpr std::string_view digits = "0123456789abcdef";
    const std::uint64_t hash = hash_of(same);
    std::string result;
    for (int shift = 60; shift >= 0; shift -= 4) result += digits[hash >> shift & 15];
    return joined(result, ":", ++times_[same]);
  }

 private:
  // Fowler, Noll and Vo's hash 1a of 64 bits.
  static std::uint64_t hash_of(std::string_view text) {
    std::uint64_t result = 0xcbf29ce484222325;
    for (const char letter : text)
      result = (result ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    return result;
  }
  std::map<std::string, int> times_;
};

std::string result_json(const page& kernel_page, const diagnostic& finding, source_lines& lines,
                        const std::string& input_file, fingerprints& known) {
  const priced_access& access = *finding.access;
  return joined(
      "{\"ruleId\": ", json_string(finding.rule->name),
      ", \"level\": \"warning\",\n          \"message\": ", "{\"text\": ",
      json_string(text_of_result(kernel_page, finding)),
      "},\n          \"locations\": [\n            ",
      location_json(kernel_page, access.first->location, lines, input_file), "]",
      related_json(kernel_page, access, lines, input_file), fixes_json(kernel_page, finding, lines),
      ",\n          \"partialFingerprints\": {\"bankmodelAccess/v1\": ",
      json_string(known.next(kernel_page, finding, lines)), "},", "\n          \"properties\": {",
      "\"machine\": ", json_string(command_line::shown_name(kernel_page.machine)),
      ", \"array\": ", json_string(array_name(*kernel_page.kernel, *access.first)), ", ",
      access.first->is_global ? members(access.traffic) : members(access.cost),
      issued_json(kernel_page, access), "}}");
}

// What the program could not count, and what it assumed.
std::string notification_json(const char* level, const std::string& text,
                              const std::string& location) {
  return joined("{\"level\": \"", level, "\", \"message\": {\"text\": ", json_string(text), "}",
                location.empty()
                    ? ""
                    : joined(",\n            \"locations\": [\n            ", location, "]"),
                "}");
}

std::string rules_json(const std::string& address) {
  list rules("          ");
  for (const diagnostic_rule* rule : {&bank_conflict, &uncoalesced, &few_lanes})
    rules.add(joined(
        "{\"id\": ", json_string(rule->name),
        ", \"shortDescription\": {\"text\": ", json_string(rule->title),
        "},\n           \"fullDescription\": {\"text\": ", json_string(rule->meaning),
        "},\n           \"help\": {\"text\": ",
        json_string(joined(rule->meaning, " ", rule->remedy)), ", \"markdown\": ",
        json_string(joined("**", rule->title, "**\n\n", rule->meaning, "\n\n", rule->remedy)), "},",
        address.empty() ? ""
                        : joined("\n           \"helpUri\": ",
                                 json_string(joined(address, "#", rule->name)), ","),
        "\n           \"defaultConfiguration\": {\"level\": \"warning\"}}"));
  return rules.text();
}

}  // namespace

std::string sarif_run(const std::vector<page>& pages, source_lines& lines, const sarif_input& input,
                      const std::vector<uncounted_kernel>& failures, const std::string& error) {
  list results("        "), notifications("          ");
  fingerprints known;
  if (!error.empty()) notifications.add(notification_json("error", error, ""));
  for (const page& kernel_page : pages) {
    for (const diagnostic& finding : diagnostics_of(kernel_page)) {
      if (finding.rule == &counted_in_part)
        notifications.add(notification_json(
            "warning", text_of_result(kernel_page, finding),
            location_json(kernel_page, finding.access->first->location, lines, input.file)));
      else
        results.add(result_json(kernel_page, finding, lines, input.file, known));
    }
    for (const assumed_fact& fact : kernel_page.assumed)
      notifications.add(
          notification_json("note", joined(kernel_page.kernel->name, ": ", text_of(fact)), ""));
    for (const std::string& note : notes_with_plan(kernel_page))
      notifications.add(notification_json("note", note, ""));
  }
  for (const uncounted_kernel& failure : failures)
    notifications.add(
        notification_json("warning",
                          joined(failure.name, failure.machine.empty() ? "" : " on ",
                                 failure.machine, " is not counted: ", failure.reason),
                          ""));
  return joined(
      "    {\n      \"tool\": {\"driver\": {\"name\": \"bankmodel\", \"version\": "
      "\"" BANKMODEL_VERSION_STRING "\", \"rules\": [",
      rules_json(input.rules_address),
      "\n      ]}},\n      \"columnKind\": \"unicodeCodePoints\",\n"
      "      \"originalUriBaseIds\": {\"%SRCROOT%\": {\"description\": {\"text\": \"The folder in "
      "which bankmodel was run.\"}}},\n      \"results\": [",
      results.text(), "\n      ],\n      \"invocations\": [{\"executionSuccessful\": ",
      error.empty() && (!pages.empty() || failures.empty()) ? "true" : "false", ", ",
      "\"toolExecutionNotifications\": [", notifications.text(), "\n      ]}]\n    }");
}

std::string sarif_of(const std::string& runs) {
  return joined(
      "{\n  \"$schema\": "
      "\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
      "sarif-schema-2.1.0.json\",\n  \"version\": \"2.1.0\",\n  \"runs\": [\n",
      runs, "\n  ]\n}\n");
}

std::string as_sarif(const std::vector<page>& pages, source_lines& lines,
                     const sarif_input& input) {
  return sarif_of(sarif_run(pages, lines, input, {}));
}

}  // namespace compiled
