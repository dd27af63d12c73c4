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

using command_line::joined;
using command_line::refusal;

namespace {

// sm_90 for `.target sm_90a, debug`.
std::string target_of(const std::string& text) {
  const std::size_t at = text.find(".target");
  const std::size_t begin = at == std::string::npos ? at : text.find("sm_", at);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_first_not_of("0123456789", begin + 3) - begin);
}

#ifdef BANKMODEL_HAS_CLANG
std::string content_beside(const std::string& ptx, const char* ending) {
  return command_line::file_content(std::filesystem::path(ptx).replace_extension(ending));
}

// Triton's cache has the launch of k.ptx in k.json, and its machine code in k.cubin.
void add_files_of_triton(const question& asked, code_of_file& to) {
  const std::string text = content_beside(asked.file, ".json");
  if (text.empty()) return;
  const std::string name =
      std::filesystem::path(asked.file).replace_extension(".json").filename().string();
  std::string fault;
  const std::optional<triton_launch> found = read_triton_launch(text, fault);
  if (!fault.empty() && asked.tell)
    asked.tell(joined("bankmodel: note: ", name, " beside the PTX is no JSON: ", fault, "\n"));
  if (!found) return;
  for (const kernel_code& one : to.kernels) {
    if (one.name != found->kernel && (!found->kernel.empty() || to.kernels.size() > 1)) continue;
    found_launch launch;
    launch.kernel = one.name;
    launch.linkage = one.linkage;
    launch.block = {static_cast<unsigned>(found->threads), 1, 1};
    launch.dynamic_shared_bytes = found->dynamic_shared_bytes;
    launch.file = name;
    to.launches.push_back(std::move(launch));
    to.cubin = content_beside(asked.file, ".cubin");
  }
}
#else
void add_files_of_triton(const question&, code_of_file&) {}
#endif

}  // namespace

code_of_file code_of_ptx(const question& asked, const std::string& text,
                         const std::string& made_of) {
  if (text.size() > most_bytes)
    throw refusal{{},
                  joined(asked.file, " has more than ", most_bytes, " bytes"),
                  "give the part with the kernel"};
  try {
    code_of_file result{read_ptx(text, cluster_of(asked.cluster)), {}, {}, target_of(text)};
    source_lines lines(asked.file);
    for (kernel_code& one : result.kernels) {
      one.is_of_ptx = true;
      take_names_of_source(one, lines);
      show_calls_of_libraries(one, made_of);
    }
    if (made_of.empty()) add_files_of_triton(asked, result);
    return result;
  } catch (const ptx_error& why) {
    throw refusal{{}, joined(asked.file, ":", why.line, ": ", why.what()), why.right};
  }
}

void pass_over_kernels_of_ptx(const question& asked, const std::string& made_of,
                              code_of_file& from) {
  std::vector<readable_kernel> all;
  for (const kernel_code& kernel : from.kernels) {
    readable_kernel readable = {kernel.name, kernel.linkage, "", false, 0, passed_over::no};
    if (!made_of.empty() && kernel.definition.file >= 0)
      readable.file = kernel.files[static_cast<std::size_t>(kernel.definition.file)];
    readable.is_launched =
        std::any_of(from.launches.begin(), from.launches.end(),
                    [&](const found_launch& launch) { return launch.linkage == kernel.linkage; });
    for (const code_block& block : kernel.blocks)
      readable.instructions += block.instructions.size();
    all.push_back(std::move(readable));
  }
  pass_over_kernels(asked, all);
  std::set<std::string> read;
  for (readable_kernel& kernel : all) {
    if (kernel.why == passed_over::no)
      read.insert(kernel.linkage);
    else
      from.passed_over_kernels.push_back(std::move(kernel));
  }
  if (read.empty()) {
    from.kernels.clear();
    return;
  }
  keep_kernels(from, [&](const kernel_code& kernel) { return read.count(kernel.linkage) != 0; });
}

}  // namespace compiled
