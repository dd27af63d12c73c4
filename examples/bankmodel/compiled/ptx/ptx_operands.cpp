// SPDX-License-Identifier: MIT
// The names and operands of PTX's instructions.
#include <bit>
#include <cctype>

#include "ptx_emitter.hpp"
#include "ptx_reader.hpp"

namespace compiled {

namespace {

constexpr std::pair<std::string_view, special> special_names[] = {
    {"%tid.x", special::thread_x},
    {"%tid.y", special::thread_y},
    {"%tid.z", special::thread_z},
    {"%ctaid.x", special::block_x},
    {"%ctaid.y", special::block_y},
    {"%ctaid.z", special::block_z},
    {"%ntid.x", special::threads_x},
    {"%ntid.y", special::threads_y},
    {"%ntid.z", special::threads_z},
    {"%nctaid.x", special::blocks_x},
    {"%nctaid.y", special::blocks_y},
    {"%nctaid.z", special::blocks_z},
    {"%laneid", special::lane},
    {"%warpid", special::warp},
    {"WARP_SZ", special::warp_size},
    {"%lanemask_eq", special::lanes_equal},
    {"%lanemask_lt", special::lanes_below},
    {"%lanemask_le", special::lanes_up_to},
    {"%lanemask_gt", special::lanes_above},
    {"%lanemask_ge", special::lanes_from},
    {"%dynamic_smem_size", special::dynamic_shared_bytes},
};

// Known where the file says how large a cluster is.
constexpr std::pair<std::string_view, special> cluster_names[] = {
    {"%cluster_ctaid.x", special::cluster_block_x}, {"%cluster_ctaid.y", special::cluster_block_y},
    {"%cluster_ctaid.z", special::cluster_block_z}, {"%cluster_ctarank", special::cluster_rank},
    {"%cluster_nctarank", special::cluster_blocks}, {"%clusterid.x", special::cluster_x},
    {"%clusterid.y", special::cluster_y},           {"%clusterid.z", special::cluster_z},
    {"%nclusterid.x", special::clusters_x},         {"%nclusterid.y", special::clusters_y},
    {"%nclusterid.z", special::clusters_z},
};

}  // namespace

const ptx_variable* ptx_emitter::variable(const ptx_statement& in, std::string_view name) const {
  const auto& scopes = now_->function->scopes;
  for (int at = in.scope; at >= 0; at = scopes[static_cast<std::size_t>(at)].parent) {
    const auto& variables = scopes[static_cast<std::size_t>(at)].variables;
    const auto found = variables.find(name);
    if (found != variables.end()) return found->second;
  }
  const auto found = module_.variable.find(name);
  return found == module_.variable.end() ? nullptr : found->second;
}

int ptx_emitter::find_register(const ptx_statement& in, std::string_view name) {
  const auto& scopes = now_->function->scopes;
  std::string_view stem = name;
  while (!stem.empty() && std::isdigit(static_cast<unsigned char>(stem.back())) != 0)
    stem.remove_suffix(1);
  for (int at = in.scope; at >= 0; at = scopes[static_cast<std::size_t>(at)].parent) {
    const ptx_scope& scope = scopes[static_cast<std::size_t>(at)];
    if (scope.registers.count(name) == 0 &&
        (stem.size() == name.size() || scope.ranges.count(stem) == 0))
      continue;
    const auto [found, is_new] = registers_.emplace(std::make_tuple(now_->function, at, name), 0);
    if (is_new) found->second = new_register();
    return found->second;
  }
  return -1;
}

int ptx_emitter::register_named(std::string_view name) const {
  const auto found = registers_.find(std::make_tuple(kernel_, 0, name));
  return found == registers_.end() ? -1 : found->second;
}

int ptx_emitter::label(const ptx_statement& in, std::string_view name) const {
  const auto& scopes = now_->function->scopes;
  for (int at = in.scope; at >= 0; at = scopes[static_cast<std::size_t>(at)].parent) {
    const auto found = now_->labels.find({at, name});
    if (found != now_->labels.end()) return found->second;
  }
  wrong(in, "a branch to " + std::string(name) + ", which is not there");
}

operand ptx_emitter::address_of(const ptx_statement& in, const ptx_variable& of) {
  const auto describe = [&](code_array& made) {
    made.name = std::string(of.name);
    made.bytes = of.bytes;
    made.alignment = of.alignment;
    made.element_bytes = of.element_bytes;
    made.content = of.content;
    made.is_constant = of.space == ptx_space::constant;
  };
  switch (of.space) {
    case ptx_space::shared: {
      const auto [found, is_new] =
          shared_of_functions_.emplace(&of, static_cast<int>(made_.shared.size()));
      if (is_new) describe(made_.shared.emplace_back());
      return {operand::kind::shared_array, static_cast<std::uint64_t>(found->second)};
    }
    case ptx_space::global:
    case ptx_space::constant: {
      const auto [found, is_new] =
          globals_.emplace(of.name, static_cast<int>(made_.globals.size()));
      if (is_new) describe(made_.globals.emplace_back());
      return {operand::kind::global_array, static_cast<std::uint64_t>(found->second)};
    }
    case ptx_space::local:
    case ptx_space::parameter: {
      const auto parameter = parameter_at_.find(&of);
      if (parameter != parameter_at_.end()) return constant_operand(parameter->second);
      const auto found = now_->at.find(&of);
      if (found != now_->at.end()) return constant_operand(found->second);
      break;
    }
    default: break;
  }
  wrong(in, "the address of " + std::string(of.name) + ", which has none");
}

operand ptx_emitter::value(const ptx_statement& in, const ptx_term& of, int bits) {
  switch (of.is) {
    case ptx_term::kind::number: return constant_operand(of.value);
    case ptx_term::kind::floating:
      if (of.text.size() > 1 && std::isalpha(static_cast<unsigned char>(of.text[1])) != 0)
        return constant_operand(of.value);
      return constant_operand(bits == 32 ? std::bit_cast<std::uint32_t>(
                                               static_cast<float>(std::bit_cast<double>(of.value)))
                                         : of.value);
    case ptx_term::kind::word: break;
    default: wrong(in, "an operand that is no value");
  }
  const int found = find_register(in, of.text);
  if (found >= 0)
    return of.is_negated ? register_operand(negated(register_operand(found)))
                         : register_operand(found);
  for (const auto& [name, which] : special_names)
    if (name == of.text) return {operand::kind::special, static_cast<std::uint64_t>(which)};
  if (kernel_->required_cluster) {
    const std::array<int, 3>& blocks = *kernel_->required_cluster;
    for (std::size_t axis = 0; axis < blocks.size(); ++axis)
      if (of.text == "%cluster_nctaid." + std::string(1, "xyz"[axis]))
        return constant_operand(static_cast<std::uint64_t>(blocks[axis]));
    for (const auto& [name, which] : cluster_names)
      if (name == of.text) return {operand::kind::special, static_cast<std::uint64_t>(which)};
  }
  const ptx_variable* const array = variable(in, of.text);
  operand result;
  if (array != nullptr) {
    result = address_of(in, *array);
    if (of.offset == 0) return result;
    const int sum = new_register();
    add(opcode::add, 64, {sum}, {result, constant_operand(static_cast<std::uint64_t>(of.offset))});
    return register_operand(sum);
  }
  // A clock, a number of the machine, the address of a function.
  const int unknown = new_register();
  add(opcode::unknown, bits, {unknown}, {}).what = std::string(of.text);
  return register_operand(unknown);
}

int ptx_emitter::destination(const ptx_statement& in, const ptx_term& of) {
  if (of.is == ptx_term::kind::word) {
    if (of.text == "_") return new_register();
    const int found = find_register(in, of.text);
    if (found >= 0) return found;
  }
  wrong(in, "a result that is no register");
}

std::vector<int> ptx_emitter::destinations(const ptx_statement& in, const ptx_term& of) {
  if (of.is != ptx_term::kind::list && of.is != ptx_term::kind::pair) return {destination(in, of)};
  std::vector<int> result;
  for (const ptx_term& part : of.parts) {
    const std::vector<int> more = destinations(in, part);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

void ptx_emitter::wrong(const ptx_statement& one, const std::string& what) const {
  throw ptx_error(one.line, what + " (" + std::string(one.name) + ")",
                  "give PTX text as nvcc -ptx writes it");
}

const ptx_term& ptx_emitter::operand_term(const ptx_statement& one, std::size_t number) const {
  if (number >= one.operands.size()) wrong(one, "an instruction with too few operands");
  return one.operands[number];
}

operand ptx_emitter::source(const ptx_statement& one, std::size_t number, int bits) {
  return value(one, operand_term(one, number), bits);
}

int ptx_emitter::negated(operand predicate) {
  const int result = new_register();
  add(opcode::bit_xor, 1, {result}, {predicate, constant_operand(1)});
  return result;
}

// What is used as an address of global memory, is a pointer.
void ptx_emitter::note_pointer(const operand& address) {
  if (address.is != operand::kind::reg) return;
  const auto found = from_parameter_.find(static_cast<int>(address.value));
  if (found != from_parameter_.end()) pointers_.insert(found->second);
}

}  // namespace compiled
