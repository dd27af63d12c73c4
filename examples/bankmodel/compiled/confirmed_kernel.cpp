// SPDX-License-Identifier: MIT
#include "confirmed_kernel.hpp"

#include <fstream>
#include <sstream>

#include "../known_machines.hpp"
#include "issued/confirmed.hpp"
#include "machine_code/cubin.hpp"

namespace compiled {

namespace {

std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || text.str().size() > most_bytes)
    throw input_error(joined("cannot read the cubin ", file),
                      "name the file that nvcc -cubin -lineinfo wrote");
  return text.str();
}

void confirm_with(const machine_code& code, bool describes, counted_kernel& counted) {
  issued_recording issued = counted.issued != nullptr
                                ? *counted.issued
                                : issued_recording{counted.recorded, issued_source::rules, {}, {}};
  const bm::block_dim& block = counted.settings.block;
  const int warps =
      (block.x * block.y * block.z + counted.kernel->lanes - 1) / counted.kernel->lanes;
  confirm_with(code, *counted.kernel, counted.recorded, issued.recorded, warps);
  if (describes)
    take_joins(issued.recorded, counted.recorded);
  else
    counted.issued = std::make_unique<issued_recording>(std::move(issued));
}

void confirm_with_given(const question& asked, const std::vector<bm::machine>& machines,
                        counted_kernel& counted) {
  const std::string text = content_of(asked.cubin);
  try {
    const machine_code code = read_cubin(text, counted.kernel->linkage);
    for (const bm::machine& m : machines)
      if (m.made_by != bm::vendor::nvidia || m.model != code.model)
        throw machine_code_error(
            joined("is for sm_", code.model, ", and not for ", command_line::name_of(m)),
            joined("compile it for that machine, or name --machine sm_", code.model));
    confirm_with(code, asked.describe, counted);
  } catch (const machine_code_error& reason) {
    throw input_error(joined("the cubin ", asked.cubin, " ", reason.what()), reason.right);
  }
}

// Nobody asked for it: one that cannot be read, or is not for the only machine, says nothing.
void confirm_with_made(const std::vector<bm::machine>& machines, counted_kernel& counted) {
  try {
    const machine_code code = read_cubin(counted.code->cubin, counted.kernel->linkage);
    if (machines.size() == 1 && machines[0].model == code.model) confirm_with(code, false, counted);
  } catch (const machine_code_error&) {
  }
}

}  // namespace

void confirm(const question& asked, const std::vector<bm::machine>& machines,
             counted_kernel& counted) {
  if (!asked.cubin.empty())
    confirm_with_given(asked, machines, counted);
  else if (!counted.code->cubin.empty() && counted.kernel->is_of_ptx)
    confirm_with_made(machines, counted);
}

}  // namespace compiled
