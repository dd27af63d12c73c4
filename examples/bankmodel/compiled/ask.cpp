// SPDX-License-Identifier: MIT
#include "ask.hpp"

#include <filesystem>

#include "../known_machines.hpp"
#include "array_plans.hpp"
#include "counted_kernel.hpp"
#include "description.hpp"
#include "fixes.hpp"
#include "launch_arguments.hpp"

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

// Error: the machine has other warps than the code; the requests cannot be priced on it.
page page_on(const bm::machine& m, const counted_kernel& of, const question& asked) {
  if (m.lanes != of.kernel->lanes)
    throw refusal{{},
                  joined("the code is for warps of ", of.kernel->lanes, " lanes, and ",
                         command_line::name_of(m), " has ", m.lanes),
                  "name another --machine"};
  page result{of.kernel, &of.recorded, of.how, m, {}};
  try {
    result.costs = priced_on(m, of.recorded);
  } catch (const bm::error& why) {
    throw refusal{{}, joined(command_line::name_of(m), ": ", why.what()), ""};
  }
  if (asked.plan && !asked.describe) result.plans = array_plans(result);
  return result;
}

}  // namespace

std::unique_ptr<counted_kernel> counted(const question& asked) {
  auto result = std::make_unique<counted_kernel>();
  result->code = read_code(asked);
  result->kernel = &chosen(result->code, asked);
  result->how = launch_of(asked, *result->kernel, result->code.launches);
  try {
    result->recorded = run(*result->kernel, result->how);
  } catch (const cannot_run& why) {
    throw refusal{
        {}, joined(text_with_path(*result->kernel, why.where), ": ", why.what()), why.right};
  }
  for (const bm::machine& m : machines_of(asked, result->code.machine))
    result->pages.push_back(page_on(m, *result, asked));
  return result;
}

command_line::answer answer_about(const std::vector<page>& pages, const question& asked) {
  command_line::answer result;
  source_lines lines(asked.file);
  for (const page& one : pages) {
    const bm::cost& cost = one.costs.cost;
    if (!asked.max_conflicts || cost.conflicts() <= *asked.max_conflicts) continue;
    result.code = command_line::too_many_conflicts;
    result.error += joined("bankmodel: ", command_line::name_of(one.machine), ": ",
                           cost.conflicts(), cost.conflicts() == 1 ? " conflict" : " conflicts",
                           ", --max-conflicts allows ", *asked.max_conflicts, "\n");
  }
  if (asked.describe)
    add_description(result, pages, asked.file);
  else if (asked.as == command_line::format::json)
    result.out = as_json(pages, asked.file);
  else if (asked.as == command_line::format::csv)
    result.out = as_csv(pages);
  else
    for (const page& one : pages)
      result.out += joined(result.out.empty() ? "" : "\n\n", as_text(one, lines));
  return result;
}

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
    return asked.fix.empty() ? answer_about(counted(asked)->pages, asked) : answer_with_fix(asked);
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
