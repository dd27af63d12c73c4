// SPDX-License-Identifier: MIT
#include "settings_file.hpp"

#include <filesystem>

#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "../known_machines.hpp"
#include "../source.hpp"

namespace project {

using command_line::cost_limits;
using command_line::input_error;
using command_line::joined;
using command_line::limit;
using command_line::named_limits;
using command_line::nearest_word;
using command_line::refusal;

namespace {

namespace fs = std::filesystem;

std::string origin_of(const std::string& path, const toml::node& node) {
  return joined(path, ":", node.source().begin.line);
}

refusal refused(const std::string& path, const toml::node& node, const std::string& wrong,
                const std::string& right) {
  return input_error(joined(origin_of(path, node), ": ", wrong), right);
}

// Error: a key that is none of these.
void require_known(const std::string& path, const toml::table& table,
                   const std::vector<std::string>& keys) {
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    nearest_word nearest(name);
    bool is_known = false;
    std::string choices;
    for (const std::string& candidate : keys) {
      nearest.offer(candidate);
      is_known = is_known || candidate == name;
      choices += joined(choices.empty() ? "" : ", ", candidate);
    }
    if (!is_known)
      throw refused(path, value, joined("there is no key ", name),
                    nearest.question(joined("the keys are ", choices)));
  }
}

std::string text_in(const std::string& path, const toml::node& node, const std::string& name) {
  if (const auto* const text = node.as_string()) return text->get();
  throw refused(path, node, joined(name, " is no text"), "write it in quotes");
}

std::string machine_in(const std::string& path, const toml::node& node) {
  const std::string name = text_in(path, node, "a machine");
  try {
    (void)command_line::machine_of(name, {});
  } catch (const refusal& reason) {
    throw refused(path, node, reason.wrong, reason.right);
  }
  return name;
}

std::optional<limit> limit_in(const std::string& path, const toml::table& table, const char* name) {
  const toml::node* const value = table.get(name);
  if (value == nullptr) return {};
  const auto* const number = value->as_integer();
  if (number == nullptr || number->get() < 0)
    throw refused(path, *value, joined(name, " is no number of at least 0"),
                  "write how many are allowed");
  return limit{static_cast<std::uint64_t>(number->get()), origin_of(path, *value)};
}

cost_limits limits_in(const std::string& path, const toml::table& table) {
  return {limit_in(path, table, "conflicts"), limit_in(path, table, "excessive-transactions")};
}

named_limits kernel_in(const std::string& path, const toml::node& node) {
  const toml::table* const table = node.as_table();
  if (table == nullptr)
    throw refused(path, node, "a kernel is no table", "write [[kernel]] on a line, and keys below");
  require_known(path, *table, {"name", "conflicts", "excessive-transactions"});
  const toml::node* const name = table->get("name");
  if (name == nullptr)
    throw refused(path, node, "a kernel has no name",
                  "add name = \"..\", in full or as a pattern with * and ?");
  named_limits result{text_in(path, *name, "name"), limits_in(path, *table)};
  if (result.name.empty())
    throw refused(path, *name, "the name is empty",
                  "write a name in full, or a pattern with * and ?");
  if (!result.limits.has_any())
    throw refused(path, node, joined("kernel ", result.name, " has no limit"),
                  "add conflicts = .. or excessive-transactions = ..");
  return result;
}

settings settings_in(const std::string& path, const toml::table& root) {
  require_known(path, root, {"machines", "baseline", "rules", "limits", "kernel"});
  settings result;
  if (const toml::node* const machines = root.get("machines")) {
    const toml::array* const list = machines->as_array();
    if (list == nullptr)
      throw refused(path, *machines, "machines is no list", "write machines = [\"sm_90\"]");
    for (const toml::node& machine : *list) result.machines.push_back(machine_in(path, machine));
  }
  if (const toml::node* const rules = root.get("rules")) {
    result.rules_address = text_in(path, *rules, "rules");
    const bool is_absolute = result.rules_address.rfind("https://", 0) == 0 ||
                             result.rules_address.rfind("http://", 0) == 0 ||
                             result.rules_address.rfind("file://", 0) == 0;
    if (!is_absolute || result.rules_address.find_first_of("# \"") != std::string::npos)
      throw refused(path, *rules, "rules is no address of a page",
                    "write one such as https://our.host/bankmodel/rules.md");
  }
  if (const toml::node* const baseline = root.get("baseline")) {
    const std::string named = text_in(path, *baseline, "baseline");
    if (named.empty())
      throw refused(path, *baseline, "baseline is empty", "name a file, or leave it out");
    std::error_code failure;
    result.baseline = (fs::path(path).parent_path() / named).lexically_normal().string();
  }
  if (const toml::node* const limits = root.get("limits")) {
    const toml::table* const table = limits->as_table();
    if (table == nullptr)
      throw refused(path, *limits, "limits is no table", "write [limits], and keys below");
    require_known(path, *table, {"conflicts", "excessive-transactions"});
    result.allowed.of_all = limits_in(path, *table);
  }
  if (const toml::node* const kernels = root.get("kernel")) {
    const toml::array* const list = kernels->as_array();
    if (list == nullptr)
      throw refused(path, *kernels, "kernel is no list of tables", "write [[kernel]]");
    for (const toml::node& kernel : *list)
      result.allowed.of_some.push_back(kernel_in(path, kernel));
  }
  return result;
}

}  // namespace

std::optional<std::string> settings_above(const std::string& file) {
  std::error_code failure;
  fs::path folder = fs::absolute(file.empty() || file[0] == '<' ? "." : file, failure);
  folder = folder.lexically_normal();
  if (!fs::is_directory(folder, failure)) folder = folder.parent_path();
  for (; !folder.empty(); folder = folder.parent_path()) {
    const fs::path candidate = folder / "bankmodel.toml";
    if (fs::is_regular_file(candidate, failure)) {
      const fs::path from_here = fs::proximate(candidate, failure);
      return (failure ? candidate : from_here).string();
    }
    if (folder == folder.root_path()) break;
  }
  return {};
}

settings read_settings(const std::string& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure))
    throw input_error(joined("cannot read ", path,
                             fs::exists(path, failure) ? ": it is no file" : ": no such file"),
                      "name a bankmodel.toml");
  // Of a deeper one the parser would take too much of the stack.
  constexpr std::uintmax_t most_bytes = 1 << 16;
  if (fs::file_size(path, failure) > most_bytes)
    throw input_error(joined(path, " has more than ", most_bytes, " bytes"), "shorten it");
  try {
    return settings_in(path, toml::parse_file(path));
  } catch (const toml::parse_error& reason) {
    throw input_error(joined(path, ":", reason.source().begin.line, ":",
                             reason.source().begin.column, ": ", std::string(reason.description())),
                      "correct it, or name another file with --config");
  }
}

}  // namespace project
