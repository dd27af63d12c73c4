// SPDX-License-Identifier: MIT
#include "code_by_nvcc.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "../known_machines.hpp"
#include "chosen_kernels.hpp"
#include "code/linkage.hpp"
#include "code_of_ptx.hpp"
#include "nvcc.hpp"

namespace compiled {

namespace {

// Clang mangles static kernels, and those of unnamed namespaces, otherwise than nvcc.
void take_linkage_of(const std::vector<kernel_code>& kernels, std::vector<found_launch>& launches) {
  for (found_launch& launch : launches)
    for (const kernel_code& kernel : kernels)
      if (common_linkage(launch.linkage) == common_linkage(kernel.linkage))
        launch.linkage = kernel.linkage;
}

}  // namespace

code_of_file code_by_nvcc(const question& asked, std::vector<found_launch> launches) {
  const std::string ptx = ptx_by_nvcc(asked);
  code_of_file result = code_of_ptx(asked, ptx, asked.file);
  if (!asked.describe) result.cubin = cubin_by_ptxas(ptx, result.machine);
  result.launches = std::move(launches);
  take_linkage_of(result.kernels, result.launches);
  result.depends_on_machine = true;
  pass_over_kernels_of_ptx(asked, asked.file, result);
  return result;
}

bool may_ask_nvcc(const question& asked, const source_reading& reading) {
  // Changes are of text that was read, changed text is not in the file, and nvcc has no AMD.
  if (asked.nvcc != nvcc_use::where_reading_fails || !asked.fix.empty() || asked.contents ||
      reading.is_hip || !reading.toolkit_has_missing_headers)
    return false;
  const bool is_for_nvidia =
      asked.machines.empty() ||
      command_line::machine_of(asked.machines[0], {}).made_by == bm::vendor::nvidia;
  return is_for_nvidia && !nvcc_program().empty();
}

namespace {

// The question to nvcc, with what the reading has found.
question asked_of_nvcc(const question& asked, const source_reading& reading) {
  question result = asked;
  for (const std::string& folder : reading.folders_in_project)
    result.flags.include_folders.push_back(folder);
  if (asked.tell)
    asked.tell(joined("bankmodel: note: nvcc is asked about ", asked.file,
                      ", since Clang's libraries do not read all of it; BANKMODEL_NVCC=none "
                      "leaves it out\n"));
  return result;
}

// The first error: "k.cu:3:5: error: ..", without what is below it.
std::string first_error_of(const std::string& diagnostics) {
  const std::size_t error = diagnostics.find("error: ");
  if (error == diagnostics.npos) return diagnostics.substr(0, diagnostics.find('\n'));
  const std::size_t begin = diagnostics.rfind('\n', error) + 1;
  return diagnostics.substr(begin, diagnostics.find('\n', error) - begin);
}

std::string note_of(const std::string& names, const std::string& diagnostics) {
  return joined(names, " as nvcc compiles it, since Clang's libraries do not read it here: ",
                first_error_of(diagnostics));
}

}  // namespace

code_of_file code_by_nvcc_alone(const question& asked, const source_reading& reading,
                                const refusal& reason, std::vector<found_launch> launches) {
  code_of_file result = code_by_nvcc(asked_of_nvcc(asked, reading), std::move(launches));
  result.notes.push_back(note_of("the file is counted", joined(reason.wrong, "\n", reason.right)));
  return result;
}

namespace {

// The question is about a kernel that was not read, or about one that nothing read has the name of.
bool is_about_unread(const question& asked, const code_of_file& code) {
  const auto has = [](const candidate& kernel, const std::string& name) {
    return kernel.is(name) || kernel.has(name);
  };
  const auto is_unread = [&](const std::string& name) {
    return std::ranges::any_of(code.unread, [&](const unread_kernel& item) {
      return has({item.name, "", nullptr, ""}, name);
    });
  };
  const auto is_read = [&](const std::string& name) {
    return std::ranges::any_of(code.kernels, [&](const kernel_code& known) {
      return has({known.name, known.linkage, &known, ""}, name);
    });
  };
  return asked.kernels.empty() || std::ranges::any_of(asked.kernels, [&](const std::string& name) {
           return is_unread(name) || !is_read(name);
         });
}

}  // namespace

void add_kernels_by_nvcc(const question& asked, code_of_file& result) {
  if (!is_about_unread(asked, result)) return;
  code_of_file produced;
  try {
    produced = code_by_nvcc(asked_of_nvcc(asked, result.reading), {});
  } catch (const refusal&) {
    return;  // what Clang says is said
  }
  const auto is_known = [&](const auto& kernel) {
    const auto is_it = [&](const auto& known) {
      return common_linkage(known.linkage) == common_linkage(kernel.linkage);
    };
    return std::any_of(result.kernels.begin(), result.kernels.end(), is_it) ||
           std::any_of(result.passed_over_kernels.begin(), result.passed_over_kernels.end(), is_it);
  };
  std::vector<kernel_code> added;
  for (kernel_code& kernel : produced.kernels)
    if (!is_known(kernel)) added.push_back(std::move(kernel));
  std::map<std::string, std::vector<const unread_kernel*>> by_template;
  for (unread_kernel& unread : result.unread) {
    const auto has_its_name = [&](const kernel_code& kernel) {
      return template_of(kernel.name) == template_of(unread.name);
    };
    unread.is_read_by_nvcc = std::ranges::any_of(added, has_its_name);
    if (unread.is_read_by_nvcc) by_template[template_of(unread.name)].push_back(&unread);
  }
  for (const auto& [name, instances] : by_template)
    result.notes.push_back(
        note_of(instances.size() == 1
                    ? joined(instances[0]->name, " is counted")
                    : joined("each of ", instances.size(), " instances of ", name, " is counted"),
                instances[0]->reason));
  if (added.empty()) return;
  take_linkage_of(added, result.launches);
  std::vector<readable_kernel> passed_over;
  for (readable_kernel& kernel : produced.passed_over_kernels)
    if (!is_known(kernel)) passed_over.push_back(std::move(kernel));
  for (kernel_code& kernel : added) result.kernels.push_back(std::move(kernel));
  for (readable_kernel& kernel : passed_over)
    result.passed_over_kernels.push_back(std::move(kernel));
  result.cubin = std::move(produced.cubin);
  result.depends_on_machine = true;
}

}  // namespace compiled
