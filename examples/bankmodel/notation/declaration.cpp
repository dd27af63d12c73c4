// SPDX-License-Identifier: MIT
#include "declaration.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

namespace command_line {

namespace {

constexpr int anywhere = 16;  // a plan's alignment if a layer of all banks is not needed

const kernel_array& declared(const kernel_file& kernel, const bm::planned_array& array) {
  return *std::ranges::find_if(kernel.arrays, [&](const kernel_array& candidate) {
    return candidate.description.name == array.declared.name;
  });
}

// The alignment of an array: its widest access, and a word of the banks.
int alignment_of(const kernel_file& kernel, const kernel_plan& plan,
                 const bm::planned_array& array) {
  int bytes = std::max(array.declared.element_bytes, plan.bank_width());
  for (const kernel_access& access : kernel.accesses)
    if (access.expression.array.name == array.declared.name)
      bytes = std::max(bytes, access.expression.vector * array.declared.element_bytes);
  return bytes;
}

// True if each array can be declared separately, wherever the compiler places it.
bool can_lie_anywhere(const kernel_file& kernel, const kernel_plan& plan) {
  if (plan.alignment() != anywhere) return false;
  for (int number = 0; number < plan.arrays(); ++number)
    if (plan.offset_bytes(number) % alignment_of(kernel, plan, plan.array(number)) != 0)
      return false;
  return true;
}

std::string aligned(int bytes, int natural) {
  return bytes > natural ? joined("__align__(", bytes, ") ") : "";
}

}  // namespace

std::vector<std::string> declarations(const kernel_file& kernel, const bm::machine& m,
                                      const kernel_plan& plan) {
  std::vector<std::string> lines;
  const bool opts_in = plan.bytes() > m.limits.shared_per_block;
  if (!opts_in &&
      (can_lie_anywhere(kernel, plan) || (plan.arrays() == 1 && plan.offset_bytes(0) == 0))) {
    for (int number = 0; number < plan.arrays(); ++number) {
      const bm::planned_array& array = plan.array(number);
      const int bytes =
          plan.alignment() == anywhere ? alignment_of(kernel, plan, array) : plan.alignment();
      lines.push_back(joined("__shared__ ", aligned(bytes, array.declared.element_bytes),
                             declared(kernel, array).type, " ", declared(kernel, array).name,
                             bm::in_c(array.layout).extents, ";"));
    }
  } else {
    const std::string size = opts_in ? std::string() : std::to_string(plan.bytes());
    lines.push_back(joined(opts_in ? "extern " : "", "__shared__ __align__(", plan.alignment(),
                           ") char memory[", size, "];"));
    for (int number = 0; number < plan.arrays(); ++number) {
      const bm::planned_array& array = plan.array(number);
      lines.push_back(
          joined("auto& ", declared(kernel, array).name, " = *reinterpret_cast<",
                 declared(kernel, array).type, " (*)", bm::in_c(array.layout).extents, ">(memory",
                 array.offset_bytes == 0 ? "" : joined(" + ", array.offset_bytes), ");"));
    }
  }
  if (opts_in)
    lines.push_back(
        joined("cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ",
               plan.bytes(), ");  // on the host, and ", plan.bytes(), " in the launch"));
  if (plan.bank_width() != m.bank_width)
    lines.push_back(joined(
        "cudaDeviceSetSharedMemConfig(",
        plan.bank_width() == 8 ? "cudaSharedMemBankSizeEightByte" : "cudaSharedMemBankSizeFourByte",
        ");  // on the host, before the launch"));
  return lines;
}

bool changes_nothing(const bm::machine& m, const kernel_plan& plan) {
  if (plan.bank_width() != m.bank_width || plan.after().wavefronts != plan.before().wavefronts)
    return false;
  for (int number = 0; number < plan.arrays(); ++number)
    if (plan.layout(number) != plan.array(number).declared.layout ||
        (plan.array(number).declared.base_bytes != 0 &&
         plan.offset_bytes(number) != plan.array(number).declared.base_bytes))
      return false;
  return true;
}

std::vector<std::string> changed_indices(const kernel_plan& plan) {
  std::vector<std::string> lines;
  for (int number = 0; number < plan.arrays(); ++number) {
    const bm::planned_array& array = plan.array(number);
    const bm::layout_in_c in_c = bm::in_c(array.layout);
    if (in_c.is_as_written()) continue;
    const std::string name = bm::text(array.declared.name);
    if (array.row_length != 0) {
      lines.push_back(joined(name, "[", array.row_length, " * y + x] -> ", name, "[",
                             array.row_length + array.layout.interval_padding, " * y + x]"));
      continue;
    }
    lines.push_back(joined(name, in_c.element, " -> ", name, in_c.place,
                           in_c.number.empty() ? "" : ", where e is ", in_c.number));
  }
  return lines;
}

std::string family_name(const bm::layout& array_layout) {
  constexpr const char* names[] = {"",           "xor_swizzle", "rotation",
                                   "triangular", "modular",     "linear"};
  if (array_layout.permutation.family != bm::layout_family::rows)
    return names[static_cast<int>(array_layout.permutation.family)];
  bm::layout as_it_is = array_layout;
  as_it_is.interval = as_it_is.interval_padding = 0;
  return array_layout.interval == 0 && as_it_is.padded(0) == array_layout ? "row_major" : "padded";
}

}  // namespace command_line
