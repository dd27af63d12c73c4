// SPDX-License-Identifier: MIT
#include "page.hpp"

#include <algorithm>
#include <bankmodel/explain.hpp>
#include <bankmodel/report.hpp>
#include <filesystem>
#include <fstream>

#include "../known_machines.hpp"
#include "../table.hpp"
#include "issued_column.hpp"
#include "plan_text.hpp"

namespace compiled {

using command_line::joined;
using command_line::row;

std::string source_lines::line(const std::string& file, int number, std::size_t* indent) {
  auto [at, is_new] = files_.try_emplace(file);
  if (is_new) {
    for (const std::filesystem::path& path :
         {std::filesystem::path(file),
          std::filesystem::path(beside_).parent_path() / std::filesystem::path(file).filename()}) {
      std::ifstream from(path);
      for (std::string text; std::getline(from, text);) at->second.push_back(text);
      if (!at->second.empty()) break;
    }
  }
  if (number < 1 || static_cast<std::size_t>(number) > at->second.size()) return {};
  const std::string& all = at->second[static_cast<std::size_t>(number) - 1];
  const std::size_t begin = all.find_first_not_of(" \t"), end = all.find_last_not_of(" \t\r");
  if (indent != nullptr) *indent = begin == std::string::npos ? 0 : begin;
  return begin == std::string::npos ? "" : all.substr(begin, end - begin + 1);
}

std::string text_with_path(const kernel_code& kernel, const place& where) {
  const std::string name = text(kernel, where);
  if (name.empty()) return kernel.name;
  if (where.file < 0 || static_cast<std::size_t>(where.file) >= kernel.files.size()) return name;
  // Relative to the working directory if the file is below it.
  const std::filesystem::path folder =
      std::filesystem::path(kernel.files[static_cast<std::size_t>(where.file)]).parent_path();
  const std::filesystem::path near = folder.lexically_proximate(std::filesystem::current_path());
  const bool is_below = near.empty() || *near.begin() != "..";
  return ((is_below ? near : folder) / name).lexically_normal().string();
}

std::string verb_of(const memory_access& access) {
  switch (access.does) {
    case access_does::load: return "load";
    case access_does::store: return "store";
    case access_does::atomic: return "atomic";
    case access_does::load_matrix: return "ldmatrix";
    case access_does::store_matrix: return "stmatrix";
    default: return "copy";
  }
}

std::string array_name(const kernel_code& kernel, const recorded_access& access) {
  if (access.array < 0) return {};
  auto number = static_cast<std::size_t>(access.array);
  if (!access.is_global) return number < kernel.shared.size() ? kernel.shared[number].name : "";
  if (number < kernel.parameters.size()) return kernel.parameters[number].name;
  number -= kernel.parameters.size();
  return number < kernel.globals.size() ? kernel.globals[number].name : "";
}

namespace {

// load tile, 16 bytes
std::string what_of(const kernel_code& kernel, const priced_access& one) {
  const std::string name = array_name(kernel, *one.first);
  const memory_access& access = one.first->memory;
  std::string result = joined(verb_of(access), name.empty() ? "" : " ", name);
  if (access.elements > 1) result += joined(", ", access.bytes * access.elements, " bytes");
  return one.is_partial ? joined(result, " (in part)") : result;
}

const auto& cost_of(const priced_access& one, const bm::cost&) { return one.cost; }
const auto& cost_of(const priced_access& one, const bm::memory_traffic&) { return one.traffic; }

template <class Cost>
std::string table(const page& of, const std::vector<priced_access>& accesses,
                  const std::string& memory, const command_line::cells& head, const Cost& sum,
                  source_lines& lines) {
  if (accesses.empty()) return {};
  std::vector<row> rows = {{"line", memory, head}};
  const bool is_issued = has_issued_column(of.machine);
  if (is_issued) add_issued_head(rows.back().cell, sum);
  std::size_t width = 0;
  for (const priced_access& one : accesses)
    width = std::max(width, what_of(*of.kernel, one).size());
  for (const priced_access& one : accesses) {
    const place& where = one.first->where;
    const std::string source =
        where.file < 0
            ? ""
            : lines.line(of.kernel->files[static_cast<std::size_t>(where.file)], where.line);
    std::string text = command_line::left(what_of(*of.kernel, one), source.empty() ? 0 : width + 2);
    const std::size_t longest = is_issued ? 24 : 40;
    text += source.size() <= longest ? source : joined(source.substr(0, longest - 2), "..");
    rows.push_back(command_line::row_of(where.line == 0 ? "" : std::to_string(where.line), text,
                                        cost_of(one, sum)));
    if (is_issued) add_issued(rows.back().cell, one.issued.bytes, issued_of(one, sum));
  }
  const bool in_part = std::any_of(accesses.begin(), accesses.end(),
                                   [](const priced_access& one) { return one.is_partial; });
  rows.push_back(
      command_line::row_of("", joined("the whole kernel", in_part ? " (in part)" : ""), sum));
  if (is_issued) add_issued(rows.back().cell, {}, issued_of(of.costs, sum));
  return joined("\n", command_line::printed(rows, 0));
}

// The message, the line, and a mark at the column.
std::string message(const page& of, const priced_access& one, const std::string& wrong,
                    const std::string& why, source_lines& lines) {
  const place& where = one.first->where;
  std::string result = joined("\n", text_with_path(*of.kernel, where), ": ", wrong, "\n");
  if (where.file >= 0) {
    std::size_t indent = 0;
    const std::string line =
        lines.line(of.kernel->files[static_cast<std::size_t>(where.file)], where.line, &indent);
    if (!line.empty()) result += joined("    ", line, "\n");
    const auto column = static_cast<std::size_t>(where.column);
    if (column > indent && column - indent <= line.size())
      result += joined(std::string(4 + column - 1 - indent, ' '), "^\n");
  }
  return result + command_line::wrapped(why, "  ", command_line::longest_text);
}

std::string shared_message(const page& of, const priced_access& one, source_lines& lines) {
  const bm::explanation why =
      bm::explain(of.machine, one.classes.data(), static_cast<int>(one.classes.size()));
  return message(of, one, joined(one.cost.degree, "-way bank conflict"), bm::text(why), lines);
}

std::string global_message(const page& of, const priced_access& one, source_lines& lines) {
  bm::traffic_explanation why;
  why.all = one.traffic;
  why.worst = one.worst;
  why.of_worst = bm::traffic(of.machine, one.worst);
  why.segments = bm::segments_of(of.machine, one.worst);
  return message(of, one,
                 joined(bm::grouped(one.traffic.transactions), " transactions, ideal ",
                        bm::grouped(one.traffic.ideal)),
                 joined("The worst request moves ", bm::detail::text_of_segments(why),
                        ", instead of ", bm::grouped(why.of_worst.ideal), "."),
                 lines);
}

// Why accesses are counted in part, each reason once.
std::string partial_messages(const page& of) {
  std::string result, said;
  for (const std::vector<priced_access>* accesses : {&of.costs.shared, &of.costs.global})
    for (const priced_access& one : *accesses) {
      if (!one.is_partial) continue;
      std::string message = joined("\n", text_with_path(*of.kernel, one.first->where),
                                   ": counted in part: ", one.reason, "\n");
      if (one.most > 0)
        message +=
            joined("  These requests take ", one.least, " to ", one.most, " wavefronts more.\n");
      if (said != one.reason || one.most > 0) result += message;
      said = one.reason;
    }
  return result;
}

}  // namespace

std::string as_text(const page& of, source_lines& lines) {
  std::string result = joined(command_line::name_of(of.machine), ": ", of.kernel->name,
                              ", one block of ", command_line::text_of(of.how.block), "\n");
  result +=
      table(of, of.costs.shared, "shared memory", command_line::shared_head, of.costs.cost, lines);
  result += table(of, of.costs.global, "global memory", command_line::global_head, of.costs.traffic,
                  lines);
  if (has_issued_column(of.machine)) result += issued_note(of);
  if (of.costs.shared.empty() && of.costs.global.empty())
    result += "\nIt accesses neither shared nor global memory.\n";
  for (const priced_access& one : of.costs.shared)
    if (one.cost.conflicts() != 0) result += shared_message(of, one, lines);
  result += text_of_plans(of, lines);
  for (const priced_access& one : of.costs.global)
    if (one.traffic.transactions != one.traffic.ideal) result += global_message(of, one, lines);
  result += partial_messages(of);
  if (of.costs.most > 0)
    result += joined("\nThe whole kernel takes ", of.costs.cost.wavefronts + of.costs.least, " to ",
                     of.costs.cost.wavefronts + of.costs.most, " wavefronts in shared memory.\n");
  if (!of.recorded->notes.empty()) result += "\n";
  for (const std::string& note : of.recorded->notes) result += joined("note: ", note, "\n");
  return result;
}

}  // namespace compiled
