// SPDX-License-Identifier: MIT
// Inline assembly: the reader of PTX reads it.
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "translation.hpp"

namespace compiled {

namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether a word of a text that is not modelled may access shared memory: it names that, or it is
// an instruction for addresses without a memory, or for matrices in shared memory.
bool may_access_shared(std::string_view word) {
  if (has(word, ".shared")) return true;
  for (const std::string_view prefix :
       {"wgmma.mma", "tcgen05.", "mbarrier.", "ds_", "flat_", "lds"})
    if (starts_with(word, prefix)) return true;
  if (has(word, ".global") || has(word, ".param") || has(word, ".const") || has(word, ".local"))
    return false;
  for (const std::string_view prefix :
       {"ld.", "st.", "ldmatrix", "stmatrix", "atom.", "red.", "cp.", "wmma.load", "wmma.store"})
    if (starts_with(word, prefix)) return true;
  return false;
}

// Words between spaces and punctuation.
std::vector<std::string> plain_words(const std::string& text) {
  std::vector<std::string> result;
  std::string word;
  for (const char character : text + " ") {
    const bool is_of_word = std::isalnum(static_cast<unsigned char>(character)) != 0 ||
                            character == '.' || character == '_' || character == ':';
    if (is_of_word) {
      word += character;
    } else if (!word.empty()) {
      result.push_back(word);
      word.clear();
    }
  }
  return result;
}

// The first instruction, on one line: "mma.sync $0, $1; ..".
std::string shown(const std::string& text) {
  std::string result;
  const std::size_t end = std::min(text.find(';'), text.size());
  for (const char character : text.substr(0, end)) {
    const bool is_space = std::isspace(static_cast<unsigned char>(character)) != 0;
    if (!is_space)
      result += character;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  const bool has_more = text.find_first_not_of("; \t\n}", end) != std::string::npos;
  return has_more ? result + "; .." : result;
}

// The type of a register for a constraint of inline assembly; empty if it is no register.
std::string type_for(const std::string& constraint) {
  constexpr std::pair<std::string_view, const char*> types[] = {
      {"b", "pred"}, {"h", "b16"}, {"r", "b32"}, {"l", "b64"}, {"f", "f32"}, {"d", "f64"}};
  for (const auto& [letter, type] : types)
    if (constraint == letter) return type;
  return {};
}

// The text with `operand(i)` for $i and ${i}, and without ${:uid}, which makes labels of several
// copies differ; nothing if it has another form.
template <class Operand>
std::optional<std::string> with_operands(const std::string& text, const Operand& operand) {
  std::string result;
  for (std::size_t position = 0; position < text.size(); ++position) {
    if (text[position] != '$') {
      result += text[position];
      continue;
    }
    if (++position == text.size()) return std::nullopt;
    if (text[position] == '$') {
      result += '$';
      continue;
    }
    constexpr std::string_view of_copy = "{:uid}";
    if (text.compare(position, of_copy.size(), of_copy) == 0) {
      position += of_copy.size() - 1;
      continue;
    }
    const bool is_braced = text[position] == '{';
    if (is_braced) ++position;
    std::size_t number = 0, digits = 0;
    for (; position < text.size() && std::isdigit(static_cast<unsigned char>(text[position])) != 0;
         ++position)
      number = 10 * number + static_cast<std::size_t>(text[position] - '0'), ++digits;
    if (digits == 0 || digits > 3) return std::nullopt;
    if (is_braced && (position == text.size() || text[position] != '}')) return std::nullopt;
    if (!is_braced) --position;
    const std::string name = operand(number);
    if (name.empty()) return std::nullopt;
    result += name;
  }
  return result;
}

}  // namespace

// The operands of assembly are its results, then the call's arguments.
bool translation::add_ptx(const llvm::CallBase& call) {
  const auto& assembly = *llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  const std::string text = assembly.getAsmString();
  struct ptx_operand {
    std::string name;  // in the text
    const llvm::Value* value = nullptr;
    int tied = -1;  // the result whose register it is in
  };
  std::vector<ptx_operand> asm_operands;
  std::vector<std::string> types;
  std::size_t results = 0;
  unsigned arguments = 0;
  for (const llvm::InlineAsm::ConstraintInfo& constraint : assembly.ParseConstraints()) {
    if (constraint.Type == llvm::InlineAsm::isClobber) continue;
    if (constraint.isIndirect || constraint.Codes.size() != 1 ||
        (constraint.Type != llvm::InlineAsm::isOutput &&
         constraint.Type != llvm::InlineAsm::isInput))
      return false;
    ptx_operand next;
    const std::string& code = constraint.Codes.front();
    if (constraint.Type == llvm::InlineAsm::isOutput)
      ++results;
    else
      next.value = call.getArgOperand(arguments++);
    std::string type = type_for(code);
    if (std::isdigit(static_cast<unsigned char>(code[0])) != 0) {
      next.tied = std::stoi(code);
      type = types.at(slot(next.tied));
    } else if (type.empty()) {
      const auto* const number = llvm::dyn_cast_or_null<llvm::ConstantInt>(next.value);
      if (number == nullptr) return false;
      next.name = std::to_string(number->getSExtValue());
      type = "b64";
    }
    if (next.name.empty())
      next.name = "%operand_" + std::to_string(next.tied >= 0 ? static_cast<std::size_t>(next.tied)
                                                              : types.size());
    types.push_back(type);
    asm_operands.push_back(next);
  }
  if (results != widths_of(call.getType()).size()) return false;
  const auto body = with_operands(text, [&](std::size_t i) {
    return i < asm_operands.size() ? asm_operands[i].name : std::string();
  });
  if (!body) return false;

  ptx_fragment read;
  try {
    read = read_ptx_fragment(*body, types, code_.required_cluster);
  } catch (const ptx_error&) {
    return false;
  }
  const auto is_operand_of_32_bits = [&](const operand& candidate) {
    for (std::size_t i = 0; i < types.size(); ++i)
      if (candidate.is == operand::kind::reg && types[i] == "b32" && read.operands[i] >= 0 &&
          candidate.value == static_cast<std::uint64_t>(read.operands[i]))
        return true;
    return false;
  };
  for (const code_block& block : read.blocks)
    for (const instruction& step : block.instructions) {
      if (step.operation == opcode::unknown && step.unit == memory_unit::warp &&
          (step.may_access_shared || step.may_access_global))
        return false;
      // An address without a memory has 64 bits.
      if (step.operation == opcode::access && step.memory.memory == memory_kind::generic &&
          is_operand_of_32_bits(step.operands.front()))
        return false;
    }

  const int first = code_.registers;
  code_.registers += read.registers;
  const auto register_of = [&](std::size_t i) {
    return read.operands[i] < 0 ? -1 : first + read.operands[i];
  };
  for (std::size_t i = results; i < asm_operands.size(); ++i) {
    const int target =
        register_of(asm_operands[i].tied >= 0 ? static_cast<std::size_t>(asm_operands[i].tied) : i);
    if (target < 0) continue;
    instruction move;
    move.operation = opcode::move;
    move.bits = static_cast<std::uint8_t>(widths_of(asm_operands[i].value->getType()).front());
    move.results = {target};
    move.operands = {value_of(asm_operands[i].value)};
    add(std::move(move));
  }
  for (code_block& block : read.blocks)
    for (instruction& step : block.instructions) {
      for (int& target : step.results) target += first;
      for (operand& source : step.operands)
        if (source.is == operand::kind::reg) source.value += static_cast<std::uint64_t>(first);
      if (step.guard >= 0) step.guard += first;
      if (step.operation == opcode::unknown)
        step.description = "inline assembly \"" + step.description + "\"";
    }
  --code_.blocks[block_].read_instructions;  // the call, which is these instructions
  operands values;
  for (std::size_t i = 0; i < results; ++i)
    values.push_back(register_of(i) < 0
                         ? operand{}
                         : operand{operand::kind::reg, static_cast<std::uint64_t>(register_of(i))});
  add_blocks(std::move(read));
  set(call, values);
  return true;
}

// The first block goes on in the present one, and the present one becomes what follows the last.
void translation::add_blocks(ptx_fragment read) {
  const std::size_t first = code_.blocks.size();
  const std::size_t added = read.blocks.size() - 1;
  const bool goes_on_here = added == 0 && read.end == 0;
  if (!goes_on_here) code_.blocks.resize(first + added + 1);
  const auto number_of = [&](int block) {
    return static_cast<int>(first) + block - 1;  // nothing goes to the entry
  };
  const std::size_t next = first + added;
  for (std::size_t number = 0; number <= added; ++number) {
    if (number > 0) block_ = first + number - 1;
    code_.blocks[block_].read_instructions += read.blocks[number].read_instructions;
    for (instruction& step : read.blocks[number].instructions) {
      for (int& target : step.blocks) target = number_of(target);
      add(std::move(step));
    }
    if (goes_on_here || static_cast<int>(number) != read.end) continue;
    instruction last;
    last.operation = opcode::branch;
    last.blocks = {static_cast<int>(next)};
    add(std::move(last));
  }
  if (!goes_on_here) block_ = next;
}

void translation::add_assembly(const llvm::CallBase& call) {
  const std::string text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString();
  if (text.find_first_not_of("; \t\n") == std::string::npos && call.arg_size() == 0 &&
      call.getType()->isVoidTy())
    return;
  const bool is_ptx = function_.getParent()->getTargetTriple().rfind("nvptx", 0) == 0;
  if (is_ptx && add_ptx(call)) return;
  add_unknown_call("inline assembly \"" + shown(text) + "\"", call);

  const std::vector<std::string> words = plain_words(text);
  instruction& last = code_.blocks[block_].instructions.back();
  last.may_access_shared = std::ranges::any_of(words, may_access_shared);
  last.operands.clear();
}

}  // namespace compiled
