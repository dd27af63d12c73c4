// SPDX-License-Identifier: MIT
#include "confirmed_kernel.hpp"

#include <fstream>
#include <sstream>

#include "../known_machines.hpp"
#include "issued/confirmed.hpp"
#include "machine_code/cubin.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

std::string content_of(const std::string& file) {
  std::ifstream from(file, std::ios::binary);
  std::ostringstream text;
  text << from.rdbuf();
  if (!from || text.str().size() > most_bytes)
    throw refusal{{},
                  joined("cannot read the cubin ", file),
                  "name the file that nvcc -cubin -lineinfo wrote"};
  return text.str();
}

void confirm_with(const machine_code& code, bool describes, counted_kernel& of) {
  issued_recording issued = of.issued != nullptr
                                ? *of.issued
                                : issued_recording{of.recorded, issued_source::rules, {}, {}};
  const bm::block_dim& block = of.how.block;
  const int warps = (block.x * block.y * block.z + of.kernel->lanes - 1) / of.kernel->lanes;
  confirm_with(code, *of.kernel, of.recorded, issued.recorded, warps);
  if (describes)
    take_joins(issued.recorded, of.recorded);
  else
    of.issued = std::make_unique<issued_recording>(std::move(issued));
}

void confirm_with_given(const question& asked, const std::vector<bm::machine>& machines,
                        counted_kernel& of) {
  const std::string text = content_of(asked.cubin);
  try {
    const machine_code code = read_cubin(text, of.kernel->linkage);
    for (const bm::machine& m : machines)
      if (m.made_by != bm::vendor::nvidia || m.model != code.model)
        throw machine_code_error(
            joined("is for sm_", code.model, ", and not for ", command_line::name_of(m)),
            joined("compile it for that machine, or name --machine sm_", code.model));
    confirm_with(code, asked.describe, of);
  } catch (const machine_code_error& why) {
    throw refusal{{}, joined("the cubin ", asked.cubin, " ", why.what()), why.right};
  }
}

// Nobody asked for it: one that cannot be read, or is not for the only machine, says nothing.
void confirm_with_made(const std::vector<bm::machine>& machines, counted_kernel& of) {
  try {
    const machine_code code = read_cubin(of.code->cubin, of.kernel->linkage);
    if (machines.size() == 1 && machines[0].model == code.model) confirm_with(code, false, of);
  } catch (const machine_code_error&) {
  }
}

}  // namespace

void confirm(const question& asked, const std::vector<bm::machine>& machines, counted_kernel& of) {
  if (!asked.cubin.empty())
    confirm_with_given(asked, machines, of);
  else if (!of.code->cubin.empty() && of.kernel->is_of_ptx)
    confirm_with_made(machines, of);
}

}  // namespace compiled
