// SPDX-License-Identifier: MIT
// The names and operands of PTX's instructions.
#include <bit>
#include <cctype>

#include "../code/special_names.hpp"
#include "ptx_emitter.hpp"
#include "ptx_reader.hpp"

namespace compiled {

namespace {

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

const ptx_scope& ptx_emitter::scope(int index) const {
  return frame_->function->scopes[slot(index)];
}

template <class Condition>
int ptx_emitter::scope_with(const ptx_statement& statement, Condition condition) const {
  int index = statement.scope;
  while (index >= 0 && !condition(index)) index = scope(index).parent;
  return index;
}

const ptx_variable* ptx_emitter::variable(const ptx_statement& statement,
                                          std::string_view name) const {
  const int declares =
      scope_with(statement, [&](int index) { return scope(index).variables.count(name) != 0; });
  if (declares >= 0) return scope(declares).variables.at(name);
  const auto entry = module_.variable.find(name);
  return entry == module_.variable.end() ? nullptr : entry->second;
}

int ptx_emitter::find_register(const ptx_statement& statement, std::string_view name) {
  const std::string_view stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
  const int declares = scope_with(statement, [&](int index) {
    return scope(index).registers.count(name) != 0 ||
           (stem.size() < name.size() && scope(index).ranges.count(stem) != 0);
  });
  if (declares < 0) return -1;
  const auto [entry, is_new] =
      registers_.emplace(std::make_tuple(frame_->function, declares, name), 0);
  if (is_new) entry->second = new_register();
  return entry->second;
}

int ptx_emitter::register_named(std::string_view name) const {
  const auto entry = registers_.find(std::make_tuple(kernel_, 0, name));
  return entry == registers_.end() ? -1 : entry->second;
}

int ptx_emitter::label(const ptx_statement& statement, std::string_view name) const {
  const int has =
      scope_with(statement, [&](int index) { return frame_->labels.count({index, name}) != 0; });
  if (has >= 0) return frame_->labels.at({has, name});
  wrong(statement, "a branch to " + std::string(name) + ", which is not there");
}

operand ptx_emitter::address_of(const ptx_statement& statement, const ptx_variable& declared) {
  const auto describe = [&](code_array& array) {
    array.name = std::string(declared.name);
    array.bytes = declared.bytes;
    array.alignment = declared.alignment;
    array.element_bytes = declared.element_bytes;
    array.content = declared.content;
    array.is_constant = declared.space == ptx_space::constant;
  };
  switch (declared.space) {
    case ptx_space::shared: {
      const auto [entry, is_new] =
          shared_of_functions_.emplace(&declared, static_cast<int>(code_.shared.size()));
      if (is_new) describe(code_.shared.emplace_back());
      return {operand::kind::shared_array, static_cast<std::uint64_t>(entry->second)};
    }
    case ptx_space::global:
    case ptx_space::constant: {
      const auto [entry, is_new] =
          globals_.emplace(declared.name, static_cast<int>(code_.globals.size()));
      if (is_new) describe(code_.globals.emplace_back());
      return {operand::kind::global_array, static_cast<std::uint64_t>(entry->second)};
    }
    case ptx_space::local:
    case ptx_space::parameter: {
      const auto parameter = parameter_at_.find(&declared);
      if (parameter != parameter_at_.end()) return constant_operand(parameter->second);
      const auto entry = frame_->addresses.find(&declared);
      if (entry != frame_->addresses.end()) return constant_operand(entry->second);
      break;
    }
    default: break;
  }
  wrong(statement, "the address of " + std::string(declared.name) + ", which has none");
}

operand ptx_emitter::value(const ptx_statement& statement, const ptx_term& term, int bits) {
  switch (term.is) {
    case ptx_term::kind::number: return constant_operand(term.value);
    case ptx_term::kind::floating:
      if (term.text.size() > 1 && std::isalpha(static_cast<unsigned char>(term.text[1])) != 0)
        return constant_operand(term.value);
      return constant_operand(bits == 32 ? std::bit_cast<std::uint32_t>(static_cast<float>(
                                               std::bit_cast<double>(term.value)))
                                         : term.value);
    case ptx_term::kind::word: break;
    default: wrong(statement, "an operand that is no value");
  }
  const int number = find_register(statement, term.text);
  if (number >= 0)
    return term.is_negated ? negated(register_operand(number)) : register_operand(number);
  for (const special_name& known : special_names)
    if (known.ptx == term.text)
      return {operand::kind::special, static_cast<std::uint64_t>(known.value)};
  if (kernel_->required_cluster) {
    const std::array<int, 3>& blocks = *kernel_->required_cluster;
    for (std::size_t axis = 0; axis < blocks.size(); ++axis)
      if (term.text == "%cluster_nctaid." + std::string(1, "xyz"[axis]))
        return constant_operand(static_cast<std::uint64_t>(blocks[axis]));
    for (const auto& [name, special] : cluster_names)
      if (name == term.text) return {operand::kind::special, static_cast<std::uint64_t>(special)};
  }
  if (const ptx_variable* const array = variable(statement, term.text))
    return sum(address_of(statement, *array), term.offset);
  // A clock, a number of the machine, the address of a function.
  const int unknown = new_register();
  add(opcode::unknown, bits, {unknown}, {}).description = std::string(term.text);
  return register_operand(unknown);
}

int ptx_emitter::destination(const ptx_statement& statement, const ptx_term& term) {
  if (term.is == ptx_term::kind::word) {
    if (term.text == "_") return new_register();
    const int number = find_register(statement, term.text);
    if (number >= 0) return number;
  }
  wrong(statement, "a result that is no register");
}

int ptx_emitter::destination(const ptx_statement& statement) {
  return destination(statement, operand_term(statement, 0));
}

std::vector<int> ptx_emitter::destinations(const ptx_statement& statement, const ptx_term& term) {
  if (term.is != ptx_term::kind::list && term.is != ptx_term::kind::pair)
    return {destination(statement, term)};
  std::vector<int> result;
  for (const ptx_term& part : term.parts) append(result, destinations(statement, part));
  return result;
}

void ptx_emitter::wrong(const ptx_statement& statement, const std::string& problem) const {
  throw ptx_error(statement.line, problem + " (" + std::string(statement.name) + ")",
                  "give PTX text as nvcc -ptx writes it");
}

const ptx_term& ptx_emitter::operand_term(const ptx_statement& statement,
                                          std::size_t number) const {
  if (number >= statement.operands.size()) wrong(statement, "an instruction with too few operands");
  return statement.operands[number];
}

operand ptx_emitter::source(const ptx_statement& statement, std::size_t number, int bits) {
  return value(statement, operand_term(statement, number), bits);
}

operand ptx_emitter::negated(const operand& predicate) {
  return computed(opcode::bit_xor, 1, {predicate, constant_operand(1)});
}

operand ptx_emitter::sum(const operand& base, long long offset) {
  if (offset == 0) return base;
  return computed(opcode::add, 64, {base, constant_operand(static_cast<std::uint64_t>(offset))});
}

std::optional<std::uint64_t> ptx_emitter::parameter_in(const operand& content) const {
  if (content.is != operand::kind::reg) return std::nullopt;
  const auto entry = from_parameter_.find(static_cast<int>(content.value));
  return entry == from_parameter_.end() ? std::nullopt : std::optional(entry->second);
}

void ptx_emitter::move(int bits, int target, const operand& content) {
  const std::optional<std::uint64_t> parameter = parameter_in(content);
  add(opcode::move, bits, {target}, {content});
  if (parameter) from_parameter_[target] = *parameter;
}

// What is used as an address of global memory, is a pointer.
void ptx_emitter::note_pointer(const operand& address) {
  if (const auto parameter = parameter_in(address)) pointers_.insert(*parameter);
}

}  // namespace compiled
