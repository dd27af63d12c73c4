// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../json.hpp"
#include "../sequences.hpp"

namespace project {

using command_line::input_error;
using command_line::joined;
using command_line::json_string;
using command_line::refusal;

namespace {

constexpr int version = 1;

std::string text_of(const reported_access& access) {
  return joined("{\"memory\": \"", access.is_global ? "global" : "shared",
                "\", \"array\": ", json_string(access.array),
                ", \"does\": ", json_string(access.operation), ", \"bytes\": ", access.bytes,
                ", \"requests\": ", access.requests, ", \"taken\": ", access.units,
                ", \"ideal\": ", access.ideal, ", \"line\": ", access.line,
                ", \"source\": ", json_string(access.source), "}");
}

std::string text_of(const reported_kernel& kernel) {
  command_line::list accesses("      ");
  std::string assumed;
  for (const std::string& fact : kernel.assumed)
    assumed += joined(assumed.empty() ? "" : ", ", json_string(fact));
  for (const reported_access& access : kernel.accesses) accesses.add(text_of(access));
  return joined(
      "{\"file\": ", json_string(kernel.file), ", \"kernel\": ", json_string(kernel.name),
      ", \"shown\": ", json_string(kernel.shown), ", \"symbol\": ", json_string(kernel.symbol),
      ", \"arm\": ", json_string(kernel.arm), ", \"machine\": ", json_string(kernel.machine),
      ", \"block\": ", json_string(kernel.block), ",\n     \"assumed\": [", assumed,
      "], \"partial\": ", kernel.is_partial ? "true" : "false", ", \"accesses\": [",
      accesses.text(), kernel.accesses.empty() ? "]}" : "\n    ]}");
}

std::uint64_t count_in(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = object.at(name);
  if (!value.is_number_unsigned())
    throw input_error(joined(name, " is no number of at least 0"), "");
  return value.get<std::uint64_t>();
}

const nlohmann::json& list_in(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = object.at(name);
  if (!value.is_array()) throw input_error(joined(name, " is no list"), "");
  return value;
}

reported_access access_of(const nlohmann::json& object) {
  reported_access result;
  const auto memory = object.at("memory").get<std::string>();
  if (memory != "shared" && memory != "global")
    throw input_error(joined("there is no memory ", memory), "write shared or global");
  result.is_global = memory == "global";
  result.array = object.at("array").get<std::string>();
  result.operation = object.at("does").get<std::string>();
  result.bytes = object.at("bytes").get<int>();
  result.line = object.at("line").get<int>();
  result.source = object.at("source").get<std::string>();
  result.requests = count_in(object, "requests");
  result.units = count_in(object, "taken");
  result.ideal = count_in(object, "ideal");
  if (result.units < result.ideal)
    throw input_error(
        joined("an access takes ", result.units, ", less than the ideal, ", result.ideal), "");
  return result;
}

reported_kernel kernel_of(const nlohmann::json& object) {
  reported_kernel result;
  result.file = object.at("file").get<std::string>();
  result.name = object.at("kernel").get<std::string>();
  result.shown = object.at("shown").get<std::string>();
  result.symbol = object.at("symbol").get<std::string>();
  result.arm = object.at("arm").get<std::string>();
  result.machine = object.at("machine").get<std::string>();
  result.block = object.at("block").get<std::string>();
  result.assumed = object.at("assumed").get<std::vector<std::string>>();
  result.is_partial = object.at("partial").get<bool>();
  for (const nlohmann::json& entry : list_in(object, "accesses"))
    result.accesses.push_back(access_of(entry));
  return result;
}

report report_of(const nlohmann::json& object) {
  report result;
  for (const nlohmann::json& entry : list_in(object, "kernels"))
    result.kernels.push_back(kernel_of(entry));
  for (const nlohmann::json& entry : list_in(object, "not_counted"))
    result.uncounted_kernels.push_back(
        {entry.at("file").get<std::string>(), entry.at("kernel").get<std::string>(),
         entry.at("reason").get<std::string>(), entry.at("machine").get<std::string>()});
  return result;
}

template <class Change>
report with_paths(report result, const Change& changed) {
  const auto change = [&](std::string& path) {
    if (!path.empty() && path[0] != '<') path = changed(path);
  };
  for (reported_kernel& kernel : result.kernels) change(kernel.file);
  for (uncounted& entry : result.uncounted_kernels) change(entry.file);
  return result;
}

namespace fs = std::filesystem;

std::string path_between(const fs::path& file, const fs::path& folder) {
  std::error_code failure;
  const fs::path result = fs::proximate(fs::absolute(file, failure), folder, failure);
  return failure ? file.string() : result.generic_string();
}

}  // namespace

std::uint64_t reported_kernel::sum(bool is_global,
                                   std::uint64_t (*number)(const reported_access&)) const {
  std::uint64_t result = 0;
  for (const reported_access& access : accesses)
    if (access.is_global == is_global) result += number(access);
  return result;
}

std::uint64_t reported_kernel::excessive(bool is_global) const {
  return sum(is_global, [](const reported_access& access) { return access.excessive(); });
}

void report::add(const report& other) {
  command_line::append(kernels, other.kernels);
  command_line::append(uncounted_kernels, other.uncounted_kernels);
}

std::string text_of(const report& contents) {
  command_line::list kernels("    "), uncounted_list("    ");
  for (const reported_kernel& kernel : contents.kernels) kernels.add(text_of(kernel));
  for (const uncounted& entry : contents.uncounted_kernels)
    uncounted_list.add(joined("{\"file\": ", json_string(entry.file),
                              ", \"kernel\": ", json_string(entry.name),
                              ", \"machine\": ", json_string(entry.machine),
                              ", \"reason\": ", json_string(entry.reason), "}"));
  return joined("{\n  \"bankmodel_report\": ", version, ",\n  \"kernels\": [", kernels.text(),
                "\n  ],\n  \"not_counted\": [", uncounted_list.text(), "\n  ]\n}\n");
}

bool is_report(const std::string& file) { return fs::path(file).extension() == ".json"; }

bool is_report_text(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n{");
  return first != text.npos && text.compare(first, 18, "\"bankmodel_report\"") == 0;
}

report read_report(const std::string& text, const std::string& name) {
  const auto refused = [&](const std::string& reason) {
    return input_error(
        joined(name, " is no report of bankmodel", reason.empty() ? "" : ": ", reason),
        "write one with --write-baseline");
  };
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    if (!document.is_object() || !document.contains("bankmodel_report")) throw refused("");
    if (document.at("bankmodel_report") != version)
      throw refused(
          joined("its version is ", document.at("bankmodel_report").dump(), ", not ", version));
    return report_of(document);
  } catch (const nlohmann::json::exception& failure) {
    const std::string said =
        failure.what();  // "[json.exception.parse_error.101] parse error at .."
    throw refused(said.substr(std::min(said.size(), said.find("] ") + 2)));
  } catch (const refusal& error) {
    if (error.wrong.starts_with(name)) throw;
    throw refused(error.wrong);
  }
}

report with_paths_from(const std::string& folder, report original) {
  std::error_code failure;
  const fs::path root = fs::absolute(folder.empty() ? "." : folder, failure);
  return with_paths(std::move(original),
                    [&](const std::string& path) { return path_between(path, root); });
}

report with_paths_from_here(const std::string& folder, report original) {
  std::error_code failure;
  const fs::path working_folder = fs::current_path(failure);
  return with_paths(std::move(original), [&](const std::string& path) {
    return path_between(fs::path(folder) / path, working_folder);
  });
}

}  // namespace project
