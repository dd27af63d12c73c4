// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../json.hpp"

namespace project {

using command_line::joined;
using command_line::json_string;
using command_line::refusal;

namespace {

constexpr int version = 1;

std::string text_of(const reported_access& one) {
  return joined("{\"memory\": \"", one.is_global ? "global" : "shared",
                "\", \"array\": ", json_string(one.array), ", \"does\": ", json_string(one.does),
                ", \"bytes\": ", one.bytes, ", \"requests\": ", one.requests,
                ", \"taken\": ", one.taken, ", \"ideal\": ", one.ideal, ", \"line\": ", one.line,
                ", \"source\": ", json_string(one.source), "}");
}

std::string text_of(const reported_kernel& one) {
  command_line::list accesses("      ");
  std::string assumed;
  for (const std::string& fact : one.assumed)
    assumed += joined(assumed.empty() ? "" : ", ", json_string(fact));
  for (const reported_access& each : one.accesses) accesses.add(text_of(each));
  return joined("{\"file\": ", json_string(one.file), ", \"kernel\": ", json_string(one.name),
                ", \"shown\": ", json_string(one.shown), ", \"symbol\": ", json_string(one.symbol),
                ", \"arm\": ", json_string(one.arm), ", \"machine\": ", json_string(one.machine),
                ", \"block\": ", json_string(one.block), ",\n     \"assumed\": [", assumed,
                "], \"partial\": ", one.is_partial ? "true" : "false", ", \"accesses\": [",
                accesses.text(), one.accesses.empty() ? "]}" : "\n    ]}");
}

std::uint64_t count_in(const nlohmann::json& from, const char* name) {
  const nlohmann::json& value = from.at(name);
  if (!value.is_number_unsigned())
    throw refusal{{}, joined(name, " is no number of at least 0"), ""};
  return value.get<std::uint64_t>();
}

const nlohmann::json& list_in(const nlohmann::json& from, const char* name) {
  const nlohmann::json& value = from.at(name);
  if (!value.is_array()) throw refusal{{}, joined(name, " is no list"), ""};
  return value;
}

reported_access access_of(const nlohmann::json& from) {
  reported_access result;
  const auto memory = from.at("memory").get<std::string>();
  if (memory != "shared" && memory != "global")
    throw refusal{{}, joined("there is no memory ", memory), "write shared or global"};
  result.is_global = memory == "global";
  result.array = from.at("array").get<std::string>();
  result.does = from.at("does").get<std::string>();
  result.bytes = from.at("bytes").get<int>();
  result.line = from.at("line").get<int>();
  result.source = from.at("source").get<std::string>();
  result.requests = count_in(from, "requests");
  result.taken = count_in(from, "taken");
  result.ideal = count_in(from, "ideal");
  if (result.taken < result.ideal)
    throw refusal{
        {}, joined("an access takes ", result.taken, ", less than the ideal, ", result.ideal), ""};
  return result;
}

reported_kernel kernel_of(const nlohmann::json& from) {
  reported_kernel result;
  result.file = from.at("file").get<std::string>();
  result.name = from.at("kernel").get<std::string>();
  result.shown = from.at("shown").get<std::string>();
  result.symbol = from.at("symbol").get<std::string>();
  result.arm = from.at("arm").get<std::string>();
  result.machine = from.at("machine").get<std::string>();
  result.block = from.at("block").get<std::string>();
  result.assumed = from.at("assumed").get<std::vector<std::string>>();
  result.is_partial = from.at("partial").get<bool>();
  for (const nlohmann::json& one : list_in(from, "accesses"))
    result.accesses.push_back(access_of(one));
  return result;
}

report report_of(const nlohmann::json& from) {
  report result;
  for (const nlohmann::json& one : list_in(from, "kernels"))
    result.kernels.push_back(kernel_of(one));
  for (const nlohmann::json& one : list_in(from, "not_counted"))
    result.others.push_back({one.at("file").get<std::string>(), one.at("kernel").get<std::string>(),
                             one.at("reason").get<std::string>(),
                             one.at("machine").get<std::string>()});
  return result;
}

template <class Change>
report with_paths(report of, const Change& changed) {
  const auto change = [&](std::string& path) {
    if (!path.empty() && path[0] != '<') path = changed(path);
  };
  for (reported_kernel& one : of.kernels) change(one.file);
  for (uncounted& one : of.others) change(one.file);
  return of;
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
  for (const reported_access& one : accesses)
    if (one.is_global == is_global) result += number(one);
  return result;
}

std::uint64_t reported_kernel::excessive(bool is_global) const {
  return sum(is_global, [](const reported_access& one) { return one.excessive(); });
}

void report::add(const report& other) {
  kernels.insert(kernels.end(), other.kernels.begin(), other.kernels.end());
  others.insert(others.end(), other.others.begin(), other.others.end());
}

std::string text_of(const report& of) {
  command_line::list kernels("    "), others("    ");
  for (const reported_kernel& one : of.kernels) kernels.add(text_of(one));
  for (const uncounted& one : of.others)
    others.add(joined("{\"file\": ", json_string(one.file), ", \"kernel\": ", json_string(one.name),
                      ", \"machine\": ", json_string(one.machine),
                      ", \"reason\": ", json_string(one.reason), "}"));
  return joined("{\n  \"bankmodel_report\": ", version, ",\n  \"kernels\": [", kernels.text(),
                "\n  ],\n  \"not_counted\": [", others.text(), "\n  ]\n}\n");
}

bool is_report(const std::string& file) { return fs::path(file).extension() == ".json"; }

bool is_report_text(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n{");
  return first != text.npos && text.compare(first, 18, "\"bankmodel_report\"") == 0;
}

report read_report(const std::string& text, const std::string& name) {
  const auto refused = [&](const std::string& why) {
    return refusal{{},
                   joined(name, " is no report of bankmodel", why.empty() ? "" : ": ", why),
                   "write one with --write-baseline"};
  };
  try {
    const nlohmann::json all = nlohmann::json::parse(text);
    if (!all.is_object() || !all.contains("bankmodel_report")) throw refused("");
    if (all.at("bankmodel_report") != version)
      throw refused(
          joined("its version is ", all.at("bankmodel_report").dump(), ", not ", version));
    return report_of(all);
  } catch (const nlohmann::json::exception& why) {
    const std::string said = why.what();  // "[json.exception.parse_error.101] parse error at .."
    throw refused(said.substr(std::min(said.size(), said.find("] ") + 2)));
  } catch (const refusal& why) {
    if (why.wrong.rfind(name, 0) == 0) throw;
    throw refused(why.wrong);
  }
}

report with_paths_from(const std::string& folder, report of) {
  std::error_code failure;
  const fs::path to = fs::absolute(folder.empty() ? "." : folder, failure);
  return with_paths(std::move(of), [&](const std::string& path) { return path_between(path, to); });
}

report with_paths_from_here(const std::string& folder, report of) {
  std::error_code failure;
  const fs::path here = fs::current_path(failure);
  return with_paths(std::move(of), [&](const std::string& path) {
    return path_between(fs::path(folder) / path, here);
  });
}

}  // namespace project
