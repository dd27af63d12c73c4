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

using command_line::joined;
using command_line::json_string;
using command_line::list;
using command_line::members;

namespace {

// Columns count characters; those of the code count bytes.
std::string region_of(const page& of, const place& where, source_lines& lines) {
  std::string result = joined("\"startLine\": ", where.line);
  if (where.column < 1) return result;
  const std::string line = lines.line(file_of(*of.kernel, where), where.line);
  const auto before = static_cast<std::size_t>(where.column) - 1;
  const std::size_t characters =
      before <= line.size() ? command_line::length(line.substr(0, before)) : before;
  return joined(result, ", \"startColumn\": ", characters + 1);
}

std::string artifact_json(const std::string& path) {
  const char* const base = path.substr(0, 1) == "/" ? "" : ", \"uriBaseId\": \"%SRCROOT%\"";
  return joined("{\"uri\": ", json_string(command_line::uri_of(path)), base, "}");
}

// Where the place is unknown, it is the file that was given.
std::string location_json(const page& of, const place& where, source_lines& lines,
                          const std::string& given) {
  const std::string file = file_of(*of.kernel, where);
  const bool is_known = !file.empty() && where.line > 0;
  const std::string path = is_known ? lines.path(file) : path_from_here(given);
  return joined("{\"physicalLocation\": {\"artifactLocation\": ", artifact_json(path),
                is_known ? joined(", \"region\": {", region_of(of, where, lines), "}") : "",
                "},\n            \"logicalLocations\": [{\"fullyQualifiedName\": ",
                json_string(of.kernel->name), ", \"kind\": \"function\"}]}");
}

std::string text_of_result(const page& of, const diagnostic& one) {
  const std::string note = one.note.empty() ? "" : joined("; ", one.note);
  std::string result = joined(one.message, ". One block of ", command_line::text_of(of.how.block),
                              " on ", command_line::shown_name(of.machine), note, ".");
  if (one.rule == &uncoalesced)
    for (const global_advice& advice : of.advice)
      if (is_about(advice, of, *one.access->first)) result += joined(" ", text_of(advice));
  return result;
}

// A region of bytes, as characters.
std::string replacement_json(const text_edit& edit, source_lines& lines) {
  const source_piece& at = edit.where;
  const auto column = [&](int line, int bytes) {
    return command_line::length(
               lines.line(at.file, line).substr(0, static_cast<std::size_t>(bytes) - 1)) +
           1;
  };
  return joined("{\"deletedRegion\": {\"startLine\": ", at.line,
                ", \"startColumn\": ", column(at.line, at.column), ", \"endLine\": ", at.end_line,
                ", \"endColumn\": ", column(at.end_line, at.end_column),
                "}, \"insertedContent\": {\"text\": ", json_string(edit.replacement), "}}");
}

// The changed declaration of the access's array, if there is one.
std::string fixes_json(const page& of, const diagnostic& one, source_lines& lines) {
  for (const array_plan& plan : of.plans) {
    if (one.rule != &bank_conflict || plan.array != one.access->first->array || plan.fix.empty())
      continue;
    list replacements("                ");
    for (const text_edit& each : plan.fix) replacements.add(replacement_json(each, lines));
    return joined(",\n          \"fixes\": [{\"description\": {\"text\": ", json_string(plan.text),
                  "},\n            \"artifactChanges\": [{\"artifactLocation\": ",
                  artifact_json(lines.path(plan.fix[0].where.file)), ", \"replacements\": [",
                  replacements.text(), "]}]}]");
  }
  return {};
}

// The access's own code, and the calls around it.
std::string related_json(const page& of, const priced_access& access, source_lines& lines,
                         const std::string& given) {
  list locations("            ");
  for (const std::vector<place>& chain : call_chains(of, access))
    for (const place& each : chain) {
      const std::string location = location_json(of, each, lines, given);
      locations.add(joined("{\"message\": {\"text\": \"",
                           &each == &chain.front() ? "The access itself." : "Called here.", "\"}, ",
                           location.substr(1)));
    }
  const std::string all = locations.text();
  return all.empty() ? "" : joined(",\n          \"relatedLocations\": [", all, "]");
}

// What stays the same while code moves: the rule, the kernel, the machine, the access and the text
// of its line. The n-th result with the same of these has its number behind the hash.
class fingerprints {
 public:
  std::string next(const page& of, const diagnostic& one, source_lines& lines) {
    const recorded_access& access = *one.access->first;
    const std::string same =
        joined(one.rule->name, "\n", of.kernel->name, "\n", command_line::shown_name(of.machine),
               "\n", array_name(*of.kernel, access), "\n", verb_of(access.memory.does), "\n",
               access.memory.bytes * access.memory.elements, "\n",
               lines.line_of(*of.kernel, access.where));
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

std::string result_json(const page& of, const diagnostic& one, source_lines& lines,
                        const std::string& given, fingerprints& known) {
  const priced_access& access = *one.access;
  return joined("{\"ruleId\": ", json_string(one.rule->name),
                ", \"level\": \"warning\",\n          \"message\": ", "{\"text\": ",
                json_string(text_of_result(of, one)),
                "},\n          \"locations\": [\n            ",
                location_json(of, access.first->where, lines, given), "]",
                related_json(of, access, lines, given), fixes_json(of, one, lines),
                ",\n          \"partialFingerprints\": {\"bankmodelAccess/v1\": ",
                json_string(known.next(of, one, lines)), "},", "\n          \"properties\": {",
                "\"machine\": ", json_string(command_line::shown_name(of.machine)),
                ", \"array\": ", json_string(array_name(*of.kernel, *access.first)), ", ",
                access.first->is_global ? members(access.traffic) : members(access.cost),
                issued_json(of, access), "}}");
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
  for (const diagnostic_rule* one : {&bank_conflict, &uncoalesced, &few_lanes})
    rules.add(joined(
        "{\"id\": ", json_string(one->name),
        ", \"shortDescription\": {\"text\": ", json_string(one->title),
        "},\n           \"fullDescription\": {\"text\": ", json_string(one->meaning),
        "},\n           \"help\": {\"text\": ", json_string(joined(one->meaning, " ", one->remedy)),
        ", \"markdown\": ",
        json_string(joined("**", one->title, "**\n\n", one->meaning, "\n\n", one->remedy)), "},",
        address.empty() ? ""
                        : joined("\n           \"helpUri\": ",
                                 json_string(joined(address, "#", one->name)), ","),
        "\n           \"defaultConfiguration\": {\"level\": \"warning\"}}"));
  return rules.text();
}

}  // namespace

std::string sarif_run(const std::vector<page>& all, source_lines& lines, const sarif_input& input,
                      const std::vector<uncounted_kernel>& others, const std::string& error) {
  list results("        "), notifications("          ");
  fingerprints known;
  if (!error.empty()) notifications.add(notification_json("error", error, ""));
  for (const page& of : all) {
    for (const diagnostic& one : diagnostics_of(of)) {
      if (one.rule == &counted_in_part)
        notifications.add(
            notification_json("warning", text_of_result(of, one),
                              location_json(of, one.access->first->where, lines, input.file)));
      else
        results.add(result_json(of, one, lines, input.file, known));
    }
    for (const assumed_fact& one : of.assumed)
      notifications.add(notification_json("note", joined(of.kernel->name, ": ", text_of(one)), ""));
    for (const std::string& note : notes_with_plan(of))
      notifications.add(notification_json("note", note, ""));
  }
  for (const uncounted_kernel& one : others)
    notifications.add(notification_json("warning",
                                        joined(one.name, one.machine.empty() ? "" : " on ",
                                               one.machine, " is not counted: ", one.reason),
                                        ""));
  return joined(
      "    {\n      \"tool\": {\"driver\": {\"name\": \"bankmodel\", \"version\": "
      "\"" BANKMODEL_VERSION_STRING "\", \"rules\": [",
      rules_json(input.rules_address),
      "\n      ]}},\n      \"columnKind\": \"unicodeCodePoints\",\n"
      "      \"originalUriBaseIds\": {\"%SRCROOT%\": {\"description\": {\"text\": \"The folder in "
      "which bankmodel was run.\"}}},\n      \"results\": [",
      results.text(), "\n      ],\n      \"invocations\": [{\"executionSuccessful\": ",
      error.empty() && (!all.empty() || others.empty()) ? "true" : "false", ", ",
      "\"toolExecutionNotifications\": [", notifications.text(), "\n      ]}]\n    }");
}

std::string sarif_of(const std::string& runs) {
  return joined(
      "{\n  \"$schema\": "
      "\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
      "sarif-schema-2.1.0.json\",\n  \"version\": \"2.1.0\",\n  \"runs\": [\n",
      runs, "\n  ]\n}\n");
}

std::string as_sarif(const std::vector<page>& all, source_lines& lines, const sarif_input& of) {
  return sarif_of(sarif_run(all, lines, of, {}));
}

}  // namespace compiled
