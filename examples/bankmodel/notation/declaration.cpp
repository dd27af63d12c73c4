// SPDX-License-Identifier: MIT
#include "declaration.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>

namespace command_line {

namespace {

constexpr int anywhere = 16;  // a plan's alignment if a layer of all banks is not needed

const kernel_array& declared(const kernel_file& kernel, const bm::planned_array& one) {
  return *std::find_if(kernel.arrays.begin(), kernel.arrays.end(), [&](const kernel_array& each) {
    return each.description.name == one.declared.name;
  });
}

// The alignment of an array: its widest access, and a word of the banks.
int alignment_of(const kernel_file& kernel, const kernel_plan& plan, const bm::planned_array& one) {
  int bytes = std::max(one.declared.element_bytes, plan.bank_width());
  for (const kernel_access& access : kernel.accesses)
    if (access.expression.array.name == one.declared.name)
      bytes = std::max(bytes, access.expression.vector * one.declared.element_bytes);
  return bytes;
}

// True if each array can be declared separately, wherever the compiler places it.
bool can_lie_anywhere(const kernel_file& kernel, const kernel_plan& plan) {
  if (plan.alignment() != anywhere) return false;
  for (int at = 0; at < plan.arrays(); ++at)
    if (plan.offset_bytes(at) % alignment_of(kernel, plan, plan.array(at)) != 0) return false;
  return true;
}

std::string aligned(int bytes, int without) {
  return bytes > without ? joined("__align__(", bytes, ") ") : "";
}

}  // namespace

std::vector<std::string> declarations(const kernel_file& kernel, const bm::machine& m,
                                      const kernel_plan& plan) {
  std::vector<std::string> lines;
  const bool opts_in = plan.bytes() > m.limits.shared_per_block;
  if (!opts_in &&
      (can_lie_anywhere(kernel, plan) || (plan.arrays() == 1 && plan.offset_bytes(0) == 0))) {
    for (int at = 0; at < plan.arrays(); ++at) {
      const bm::planned_array& one = plan.array(at);
      const int bytes =
          plan.alignment() == anywhere ? alignment_of(kernel, plan, one) : plan.alignment();
      lines.push_back(joined("__shared__ ", aligned(bytes, one.declared.element_bytes),
                             declared(kernel, one).type, " ", declared(kernel, one).name,
                             bm::in_c(one.layout).extents, ";"));
    }
  } else {
    const std::string size = opts_in ? std::string() : std::to_string(plan.bytes());
    lines.push_back(joined(opts_in ? "extern " : "", "__shared__ __align__(", plan.alignment(),
                           ") char memory[", size, "];"));
    for (int at = 0; at < plan.arrays(); ++at) {
      const bm::planned_array& one = plan.array(at);
      lines.push_back(joined("auto& ", declared(kernel, one).name, " = *reinterpret_cast<",
                             declared(kernel, one).type, " (*)", bm::in_c(one.layout).extents,
                             ">(memory",
                             one.offset_bytes == 0 ? "" : joined(" + ", one.offset_bytes), ");"));
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
  for (int at = 0; at < plan.arrays(); ++at)
    if (plan.layout(at) != plan.array(at).declared.layout ||
        (plan.array(at).declared.base_bytes != 0 &&
         plan.offset_bytes(at) != plan.array(at).declared.base_bytes))
      return false;
  return true;
}

std::vector<std::string> changed_indices(const kernel_plan& plan) {
  std::vector<std::string> lines;
  for (int at = 0; at < plan.arrays(); ++at) {
    const bm::planned_array& one = plan.array(at);
    const bm::layout_in_c in_c = bm::in_c(one.layout);
    if (in_c.is_as_written()) continue;
    const std::string name = bm::text(one.declared.name);
    if (one.row_length != 0) {
      lines.push_back(joined(name, "[", one.row_length, " * y + x] -> ", name, "[",
                             one.row_length + one.layout.interval_padding, " * y + x]"));
      continue;
    }
    lines.push_back(joined(name, in_c.element, " -> ", name, in_c.place,
                           in_c.number.empty() ? "" : ", where e is ", in_c.number));
  }
  return lines;
}

std::string family_name(const bm::layout& of) {
  constexpr const char* names[] = {"",           "xor_swizzle", "rotation",
                                   "triangular", "modular",     "linear"};
  if (of.permutation.family != bm::layout_family::rows)
    return names[static_cast<int>(of.permutation.family)];
  bm::layout as_it_is = of;
  as_it_is.interval = as_it_is.interval_padding = 0;
  return of.interval == 0 && as_it_is.padded(0) == of ? "row_major" : "padded";
}

}  // namespace command_line
