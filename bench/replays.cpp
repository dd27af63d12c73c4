// SPDX-License-Identifier: MIT
// The dissertation's figure 8.9: how much of what its 13 kernels execute is done again because of
// bank conflicts.
#include <cstdio>
#include <cstdlib>

#include "page.hpp"
#include "sections.hpp"

namespace bench {
namespace {

// As the dissertation's table 8.1 names the kernels.
struct kernel_of_table {
  const char *name, *file;
};
constexpr kernel_of_table kernels[] = {{"3DFD", "stencil_3D_16x16_order8"},
                                       {"NW", "needle_cuda_shared_1"},
                                       {"TP-GSM", "copySharedMem"},
                                       {"TP-TC", "transposeCoalesced"},
                                       {"TP-TNBC", "transposeNoBankConflicts"},
                                       {"TP-TD", "transposeDiagonal"},
                                       {"TP-TFG", "transposeFineGrained"},
                                       {"TP-TCG", "transposeCoarseGrained"},
                                       {"LUD-DIA", "lud_diagonal"},
                                       {"LUD-PERI", "lud_perimeter"},
                                       {"CS-CRK", "convolutionRowsKernel"},
                                       {"CS-CCK", "convolutionColumnsKernel"},
                                       {"Shfl_scan", "shfl_vertical_shfl"}};

// The number of the first member with this name from `begin` on. Ends the program without one.
unsigned long long member(const std::string& json, const std::string& name, std::size_t begin = 0) {
  const std::string key = "\"" + name + "\": ";
  const std::size_t first = json.find(key, begin);
  const char* const digits = first == json.npos ? "" : json.c_str() + first + key.size();
  char* end = nullptr;
  const unsigned long long result = std::strtoull(digits, &end, 10);
  if (end == digits) {
    std::fprintf(stderr, "WRONG: the command line prints no number of %s\n", name.c_str());
    std::exit(1);
  }
  return result;
}

std::string share_text(unsigned long long part, unsigned long long rest) {
  return number_text(100.0 * static_cast<double>(part) / static_cast<double>(part + rest)) + " %";
}

}  // namespace

void replays(page& output) {
  const std::string tool = BANKMODEL_TOOL;
  output.text(
      "The conflicts of the 13 kernels as the compiler issues them, among the instructions that "
      "their warps execute, conflicts included: figure 8.9 of the dissertation, whose numbers are "
      "not printed in it. Instructions are those of LLVM's optimized code until nothing is "
      "accessed "
      "any more, as the command line counts them (`instructions` of `--json`), not a machine's.");
  if (tool.empty()) {
    output.text(
        "Result: not counted here; it needs libcli11-dev, nlohmann-json3-dev, libtomlplusplus-dev, "
        "libclang-dev and llvm-dev.");
    output.table({"kernel", "instructions"}, {{"not counted", ""}});
    return;
  }
  std::vector<page::row> rows;
  int large = 0;
  for (const kernel_of_table& kernel : kernels) {
    page::row row = {kernel.name};
    for (const char* const machine : {"sm_35", "sm_90"}) {
      const std::string json = output_of(tool + " --json --no-plan -m " + machine + " " +
                                         BANKMODEL_SOURCE "/examples/cuda/" + kernel.file + ".cu");
      const unsigned long long executed = member(json, "instructions"),
                               conflicts = member(json, "conflicts", json.find("\"issued\""));
      if (row.size() == 1) row.push_back(count_text(executed));
      row.push_back(count_text(conflicts));
      row.push_back(share_text(conflicts, executed));
      if (row.size() == 4 && 10 * conflicts >= conflicts + executed) ++large;
    }
    rows.push_back(row);
  }
  output.text("Result: on sm_35 conflicts are a tenth or more in " + std::to_string(large) +
              " of the 13 kernels.");
  output.table(
      {"kernel", "instructions", "conflicts on sm_35", "share", "conflicts on sm_90", "share"},
      rows);
}

}  // namespace bench
