// SPDX-License-Identifier: MIT
#include "code_of_ptx.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "../clang_reader/triton_launch.hpp"
#include "../file_content.hpp"
#include "chosen_kernels.hpp"
#include "code/shown_places.hpp"
#include "launch_arguments.hpp"
#include "ptx/ptx_reader.hpp"
#include "source_names.hpp"

namespace compiled {

namespace {

// sm_90 for `.target sm_90a, debug`.
std::string target_of(const std::string& text) {
  const std::size_t directive = text.find(".target");
  const std::size_t begin =
      directive == std::string::npos ? directive : text.find("sm_", directive);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_first_not_of("0123456789", begin + 3) - begin);
}

#ifdef BANKMODEL_HAS_CLANG
std::string content_beside(const std::string& ptx, const char* ending) {
  return command_line::file_content(std::filesystem::path(ptx).replace_extension(ending));
}

// Triton's cache has the launch of k.ptx in k.json, and its machine code in k.cubin.
void add_files_of_triton(const question& asked, code_of_file& code) {
  const std::string text = content_beside(asked.file, ".json");
  if (text.empty()) return;
  const std::string name =
      std::filesystem::path(asked.file).replace_extension(".json").filename().string();
  std::string fault;
  const std::optional<triton_launch> settings = read_triton_launch(text, fault);
  if (!fault.empty() && asked.tell)
    asked.tell(joined("bankmodel: note: ", name, " beside the PTX is no JSON: ", fault, "\n"));
  if (!settings) return;
  for (const kernel_code& kernel : code.kernels) {
    if (kernel.name != settings->kernel && (!settings->kernel.empty() || code.kernels.size() > 1))
      continue;
    found_launch launch;
    launch.kernel = kernel.name;
    launch.linkage = kernel.linkage;
    launch.block = {static_cast<unsigned>(settings->threads), 1, 1};
    launch.dynamic_shared_bytes = settings->dynamic_shared_bytes;
    launch.file = name;
    code.launches.push_back(std::move(launch));
    code.cubin = content_beside(asked.file, ".cubin");
  }
}
#else
void add_files_of_triton(const question&, code_of_file&) {}
#endif

}  // namespace

code_of_file code_of_ptx(const question& asked, const std::string& text,
                         const std::string& made_of) {
  if (text.size() > most_bytes)
    throw input_error(joined(asked.file, " has more than ", most_bytes, " bytes"),
                      "give the part with the kernel");
  try {
    code_of_file result{read_ptx(text, cluster_of(asked.cluster)), {}, {}, target_of(text)};
    source_lines lines(asked.file);
    for (kernel_code& kernel : result.kernels) {
      kernel.is_of_ptx = true;
      take_names_of_source(kernel, lines);
      show_calls_of_libraries(kernel, made_of);
    }
    if (made_of.empty()) add_files_of_triton(asked, result);
    return result;
  } catch (const ptx_error& reason) {
    throw input_error(joined(asked.file, ":", reason.line, ": ", reason.what()), reason.right);
  }
}

void pass_over_kernels_of_ptx(const question& asked, const std::string& made_of,
                              code_of_file& code) {
  std::vector<readable_kernel> candidates;
  for (const kernel_code& kernel : code.kernels) {
    readable_kernel readable = {kernel.name, kernel.linkage, "", false, 0, passed_over::none};
    if (!made_of.empty() && kernel.definition.file >= 0)
      readable.file = kernel.files[slot(kernel.definition.file)];
    readable.is_launched = includes(code.launches, kernel.linkage, &found_launch::linkage);
    for (const code_block& block : kernel.blocks)
      readable.instructions += block.instructions.size();
    candidates.push_back(std::move(readable));
  }
  pass_over_kernels(asked, candidates);
  std::set<std::string> read;
  for (readable_kernel& kernel : candidates) {
    if (kernel.reason == passed_over::none)
      read.insert(kernel.linkage);
    else
      code.passed_over_kernels.push_back(std::move(kernel));
  }
  if (read.empty()) {
    code.kernels.clear();
    return;
  }
  keep_kernels(code, [&](const kernel_code& kernel) { return read.count(kernel.linkage) != 0; });
}

}  // namespace compiled
