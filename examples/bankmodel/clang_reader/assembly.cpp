// SPDX-License-Identifier: MIT
// Inline assembly of one PTX instruction: accesses to shared memory, copies and special registers.
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "translation.hpp"

namespace compiled {

namespace {

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

// 4 of "ld.shared.f32"; 0 if it is not a type of 1 to 8 bytes.
int bytes_of_type(std::string_view name) {
  const std::string_view type = name.substr(name.rfind('.') + 1);
  for (const auto& [bits, bytes] : {std::pair{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}})
    if (type.size() > 1 && type.substr(1) == bits && has("usbf", type.substr(0, 1))) return bytes;
  return 0;
}

// The "16" of "[$4+16]" or "[$4+-16]"; nothing if the address has another form.
std::optional<long long> distance_in(std::string_view word) {
  std::size_t at = word.find('$') + 1;
  const auto skip_digits = [&] {
    while (at < word.size() && std::isdigit(static_cast<unsigned char>(word[at])) != 0) ++at;
  };
  const bool is_braced = at < word.size() && word[at] == '{';
  if (is_braced) ++at;
  skip_digits();
  if (is_braced && (at >= word.size() || word[at++] != '}')) return std::nullopt;
  const std::string rest(word.substr(at));
  if (rest == "]") return 0;
  if (rest.size() < 3 || (rest[0] != '+' && rest[0] != '-')) return std::nullopt;
  const char* const number = rest.c_str() + (rest[0] == '+' ? 1 : 0);
  char* end = nullptr;
  const long long result = std::strtoll(number, &end, 0);
  return end != number && std::string_view(end) == "]" ? std::optional(result) : std::nullopt;
}

// Whether a word of a text that is not modelled may access shared memory: it names that, or it is
// an instruction for addresses without a memory, or for matrices in shared memory.
bool may_access_shared(std::string_view word) {
  if (has(word, ".shared")) return true;
  for (const std::string_view each : {"wgmma.mma", "tcgen05.", "mbarrier.", "ds_", "flat_", "lds"})
    if (starts_with(word, each)) return true;
  if (has(word, ".global") || has(word, ".param") || has(word, ".const") || has(word, ".local"))
    return false;
  for (const std::string_view each :
       {"ld.", "st.", "ldmatrix", "stmatrix", "atom.", "red.", "cp.", "wmma.load", "wmma.store"})
    if (starts_with(word, each)) return true;
  return false;
}

// Words between spaces and punctuation.
std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> result;
  std::string word;
  for (const char each : text + " ") {
    const bool is_of_word = std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '.' ||
                            each == '_' || each == ':';
    if (is_of_word) {
      word += each;
    } else if (!word.empty()) {
      result.push_back(word);
      word.clear();
    }
  }
  return result;
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
  const auto address_in = [&](const std::string& word) -> std::optional<operand> {
    const llvm::Value* const base = argument(word);
    const auto offset = distance_in(word);
    if (!starts_with(word, "[$") || base == nullptr || !offset) return std::nullopt;
    const operand found = value_of(base);
    if (*offset == 0) return found;
    return computed(opcode::add, 64, {found, constant(static_cast<std::uint64_t>(*offset))});
  };
  const auto number = [&](const std::string& word) -> std::optional<int> {
    if (word.size() < 9 && word.find_first_not_of("0123456789") == std::string::npos)
      return std::stoi(word);
    const auto* const known = llvm::dyn_cast_or_null<llvm::ConstantInt>(argument(word));
    if (known == nullptr) return std::nullopt;
    return static_cast<int>(known->getSExtValue());
  };
  if (starts_with(name, "cp.async.commit") || starts_with(name, "cp.async.wait"))
    return results == 0;
  if (has(name, "::cluster")) return false;  // it may be another block's memory
  if (starts_with(name, "bar.sync") || starts_with(name, "barrier.sync") ||
      starts_with(name, "bar.warp.sync")) {
    instruction meets;
    meets.does = starts_with(name, "bar.warp") ? opcode::warp_sync : opcode::barrier;
    for (const std::string& word : words) {
      const auto known = number(word);
      if (!known) return false;
      meets.from.push_back(constant(static_cast<std::uint64_t>(*known)));
    }
    if (meets.does == opcode::warp_sync) meets.from.clear();
    add(std::move(meets));
    return true;
  }
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
    one.memory.uncached = starts_with(name, "cp.async.cg");
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

  const std::vector<std::string> words = words_in(text);
  instruction& last = code_.blocks[block_].instructions.back();
  last.may_access_shared = std::any_of(words.begin(), words.end(), may_access_shared);
  last.from.clear();
}

}  // namespace compiled
