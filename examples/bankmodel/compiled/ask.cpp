// SPDX-License-Identifier: MIT
#include "ask.hpp"

#include <filesystem>

#include "../known_machines.hpp"
#include "code_of_file.hpp"
#include "description.hpp"
#include "launch_arguments.hpp"
#include "page.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

// The name without its parameters.
std::string short_name(const kernel_code& kernel) {
  return kernel.name.substr(0, kernel.name.find('('));
}

const kernel_code& chosen(const code_of_file& code, const question& asked) {
  const std::vector<kernel_code>& all = code.kernels;
  std::vector<const kernel_code*> found;
  std::string names;
  for (const kernel_code& one : all) {
    names += joined(names.empty() ? "" : ", ", one.name);
    if (one.name.find(asked.kernel) != std::string::npos ||
        one.linkage.find(asked.kernel) != std::string::npos)
      found.push_back(&one);
  }
  if (all.empty()) throw refusal{{}, joined(asked.file, " has no kernel"), "give another file"};
  if (found.size() > 1)
    for (const kernel_code* one : found)
      if (short_name(*one) == asked.kernel || one->name == asked.kernel ||
          one->linkage == asked.kernel)
        return *one;
  if (found.size() == 1) return *found[0];
  for (const unread_kernel& one : code.unread)
    if (found.empty() && one.name.find(asked.kernel) != std::string::npos)
      throw refusal{{}, joined(one.name, " is not read: ", one.reason), ""};
  if (found.empty())
    throw refusal{{}, joined("no kernel is named ", asked.kernel), joined("the file has ", names)};
  throw refusal{{},
                asked.kernel.empty()
                    ? joined("the file has ", all.size(), " kernels")
                    : joined(found.size(), " kernels have ", asked.kernel, " in their names"),
                joined("choose one with --kernel: ", names)};
}

std::vector<bm::machine> machines_of(const question& asked, const std::string& machine) {
  std::vector<std::string> names = asked.machines;
  if (names.empty()) names.push_back(machine);
  std::vector<bm::machine> result;
  for (const std::string& name : names) result.push_back(command_line::machine_of(name, {}));
  return result;
}

command_line::answer answer_or_throw(const question& asked) {
  const code_of_file code = read_code(asked);
  const kernel_code& kernel = chosen(code, asked);
  const launch how = launch_of(asked, kernel, code.launches);
  recording recorded;
  try {
    recorded = run(kernel, how);
  } catch (const cannot_run& why) {
    throw refusal{{}, joined(text_with_path(kernel, why.where), ": ", why.what()), why.right};
  }
  source_lines lines(asked.file);
  command_line::answer result;
  std::vector<page> pages;
  for (const bm::machine& m : machines_of(asked, code.machine)) {
    if (m.lanes != kernel.lanes)
      throw refusal{{},
                    joined("the code is for warps of ", kernel.lanes, " lanes, and ",
                           command_line::name_of(m), " has ", m.lanes),
                    "name another --machine"};
    pages.push_back({&kernel, &recorded, how, m, {}});
    try {
      pages.back().costs = priced_on(m, recorded);
    } catch (const bm::error& why) {
      throw refusal{{}, joined(command_line::name_of(m), ": ", why.what()), ""};
    }
    const bm::cost& cost = pages.back().costs.cost;
    if (asked.max_conflicts && cost.conflicts() > *asked.max_conflicts) {
      result.code = command_line::too_many_conflicts;
      result.error += joined("bankmodel: ", command_line::name_of(m), ": ", cost.conflicts(),
                             cost.conflicts() == 1 ? " conflict" : " conflicts",
                             ", --max-conflicts allows ", *asked.max_conflicts, "\n");
    }
  }
  if (asked.describe)
    add_description(result, kernel, how, recorded, machines_of(asked, code.machine), asked.file);
  else if (asked.as == command_line::format::json)
    result.out = as_json(pages, asked.file);
  else if (asked.as == command_line::format::csv)
    result.out = as_csv(pages);
  else
    for (const page& one : pages)
      result.out += joined(result.out.empty() ? "" : "\n\n", as_text(one, lines));
  return result;
}

}  // namespace

bool is_source(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  return ending == ".cu" || ending == ".cuh" || ending == ".hip" || ending == ".cpp" ||
         ending == ".cc";
}

bool is_compiled(const std::string& file) {
  return is_source(file) || std::filesystem::path(file).extension() == ".ptx";
}

command_line::answer answer_to(const question& asked) {
  try {
    return answer_or_throw(asked);
  } catch (const refusal& why) {
    return {
        command_line::bad_input,
        {},
        joined("bankmodel: error: ", why.wrong, why.right.empty() ? "" : "; ", why.right, "\n")};
  } catch (const bm::error& why) {
    return {command_line::bad_input, {}, joined("bankmodel: error: ", why.what(), "\n")};
  }
}

}  // namespace compiled
