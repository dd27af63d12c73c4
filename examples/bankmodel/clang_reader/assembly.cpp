// SPDX-License-Identifier: MIT
// Inline assembly of one PTX instruction: accesses to shared memory, copies and special registers.
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>

#include <cctype>
#include <optional>

#include "translation.hpp"

namespace compiled {

namespace {

bool starts_with(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}
bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "ldmatrix.sync.. {$0, $1}, [$2]" has the words "{$0, $1}" and "[$2]".
struct statement {
  std::string name;
  std::vector<std::string> words;
};

std::vector<statement> statements_of(const std::string& text) {
  std::vector<statement> result;
  statement now;
  std::string word;
  int depth = 0;
  const auto end_word = [&] {
    if (word.empty()) return;
    if (now.name.empty())
      now.name = word;
    else
      now.words.push_back(word);
    word.clear();
  };
  const auto end_statement = [&] {
    end_word();
    if (!now.name.empty()) result.push_back(now);
    now = {};
  };
  for (const char each : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(each)) != 0;
    depth += each == '[' || each == '{' ? 1 : each == ']' || each == '}' ? -1 : 0;
    if (each == ';')
      end_statement();
    else if (depth == 0 && (each == ',' || (is_space && now.name.empty())))
      end_word();
    else if (!is_space)
      word += each;
  }
  end_statement();
  return result;
}

// The numbers of operands in a word: 0 and 1 of "{$0,$1}".
std::vector<unsigned> numbers_in(std::string_view word) {
  std::vector<unsigned> result;
  for (std::size_t at = word.find('$'); at != std::string_view::npos; at = word.find('$', at + 1)) {
    unsigned number = 0;
    std::size_t digit = at + 1;
    if (digit < word.size() && word[digit] == '{') ++digit;
    if (digit >= word.size() || std::isdigit(static_cast<unsigned char>(word[digit])) == 0)
      return {};
    for (; digit < word.size() && std::isdigit(static_cast<unsigned char>(word[digit])) != 0;
         ++digit)
      number = 10 * number + static_cast<unsigned>(word[digit] - '0');
    result.push_back(number);
  }
  return result;
}

struct special_name {
  std::string_view name;
  special which;
};
constexpr special_name specials[] = {{"%laneid", special::lane},
                                     {"%warpid", special::warp},
                                     {"%tid.x", special::thread_x},
                                     {"%tid.y", special::thread_y},
                                     {"%lanemask_lt", special::lanes_below},
                                     {"%lanemask_le", special::lanes_up_to},
                                     {"%dynamic_smem_size", special::dynamic_shared_bytes}};

int bytes_of_type(std::string_view name) {
  const std::string_view type = name.substr(name.rfind('.') + 1);
  return has(type, "64") ? 8 : has(type, "32") ? 4 : has(type, "16") ? 2 : has(type, "8") ? 1 : 0;
}

}  // namespace

// The operands of assembly are its results, then the call's arguments.
bool translation::add_statement(const std::string& name, const std::vector<std::string>& words,
                                const llvm::CallBase& call) {
  const std::size_t results = widths_of(call.getType()).size();
  const auto argument = [&](const std::string& word) -> const llvm::Value* {
    const std::vector<unsigned> numbers = numbers_in(word);
    if (numbers.size() != 1 || numbers[0] < results || numbers[0] - results >= call.arg_size())
      return nullptr;
    return call.getArgOperand(static_cast<unsigned>(numbers[0] - results));
  };
  // "[$4+16]"
  const auto address_in = [&](const std::string& word) -> std::optional<operand> {
    const llvm::Value* const base = argument(word);
    if (word.front() != '[' || base == nullptr) return std::nullopt;
    const auto plus = word.find('+');
    const long long offset =
        plus == std::string::npos ? 0 : std::strtoll(word.c_str() + plus + 1, nullptr, 0);
    const operand found = value_of(base);
    if (offset == 0) return found;
    return computed(opcode::add, 64, {found, constant(static_cast<std::uint64_t>(offset))});
  };
  const auto number = [&](const std::string& word) -> std::optional<int> {
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) return std::stoi(word);
    const auto* const known = llvm::dyn_cast_or_null<llvm::ConstantInt>(argument(word));
    if (known == nullptr) return std::nullopt;
    return static_cast<int>(known->getSExtValue());
  };
  if (starts_with(name, "cp.async.commit") || starts_with(name, "cp.async.wait"))
    return results == 0;
  if (name == "mov.u32" && words.size() == 2 && results == 1)
    for (const special_name& each : specials)
      if (words[1] == each.name) {
        set(call, {{operand::kind::special, static_cast<std::uint64_t>(each.which)}});
        return true;
      }

  instruction one;
  one.does = opcode::access;
  one.memory.memory = memory_kind::shared;
  if (starts_with(name, "cp.async.c") && words.size() >= 3 && has(name, ".shared")) {
    const auto to = address_in(words[0]), from = address_in(words[1]);
    const auto bytes = number(words[2]);
    if (!to || !from || !bytes || words.size() > 3) return false;
    one.memory.does = access_does::copy;
    one.memory.bytes = *bytes;
    one.from = {*to, *from};
    add(std::move(one));
    return true;
  }
  const bool is_matrix = starts_with(name, "ldmatrix.") || starts_with(name, "stmatrix.");
  const bool loads = starts_with(name, "ld");
  const bool is_plain = starts_with(name, "ld.") || starts_with(name, "st.");
  if (words.size() != 2 || !has(name, ".shared") || (!is_matrix && !is_plain)) return false;
  const auto at = address_in(words[loads ? 1 : 0]);
  const std::vector<unsigned> values = numbers_in(words[loads ? 0 : 1]);
  if (!at || values.empty()) return false;
  one.memory.elements = static_cast<int>(values.size());
  one.from = {*at};
  if (is_matrix) {
    if (!has(name, "m8n8")) return false;
    one.memory.does = loads ? access_does::load_matrix : access_does::store_matrix;
    one.memory.matrices = one.memory.elements;
    one.memory.elements = 1;
    one.memory.bytes = 16;
  } else {
    one.memory.does = loads ? access_does::load : access_does::store;
    one.memory.bytes = bytes_of_type(name);
    if (one.memory.bytes == 0) return false;
  }
  if (!loads) {
    for (const unsigned each : values) {
      if (each < results || each - results >= call.arg_size()) return false;
      one.from.push_back(value_of(call.getArgOperand(static_cast<unsigned>(each - results))));
    }
    add(std::move(one));
    return true;
  }
  operands to(results);
  for (const unsigned each : values) {
    if (each >= results) return false;
    to[each] = new_operand();
    one.to.push_back(static_cast<int>(to[each].value));
  }
  add(std::move(one));
  set(call, to);
  return true;
}

void translation::add_assembly(const llvm::CallBase& call) {
  const std::string text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString();
  const std::vector<statement> all = statements_of(text);
  if (all.empty()) return;
  if (all.size() == 1 && add_statement(all[0].name, all[0].words, call)) return;
  std::string shown = all[0].name;
  for (const std::string& word : all[0].words) shown += " " + word;
  if (all.size() > 1) shown += "; ..";
  add_unknown_call("inline assembly \"" + shown + "\"", call);

  // It accesses shared memory only if it names that, or addresses without a memory.
  bool accesses = false;
  for (const statement& each : all) {
    const bool is_access = starts_with(each.name, "ld") || starts_with(each.name, "st") ||
                           starts_with(each.name, "atom") || starts_with(each.name, "red") ||
                           starts_with(each.name, "cp.") || each.name.front() == '{' ||
                           starts_with(each.name, "ds_") || starts_with(each.name, "@");
    const bool is_elsewhere = has(each.name, ".global") && !has(each.name, ".shared");
    accesses = accesses || has(each.name, ".shared") ||
               (is_access && !is_elsewhere && !has(each.name, ".param"));
  }
  instruction& last = code_.blocks[block_].instructions.back();
  last.may_access_shared = accesses;
  last.from.clear();
}

}  // namespace compiled
