// SPDX-License-Identifier: MIT
#include "known_machines.hpp"

#include <algorithm>
#include <cstdlib>

#include "gpu_names.hpp"
#include "sequences.hpp"

namespace command_line {

namespace {

// In lower case, without blanks, - and _.
std::string plain(std::string_view name) {
  std::string result;
  for (const char letter : name)
    if (letter != ' ' && letter != '-' && letter != '_')
      result += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return result;
}

bool is_memory_size(std::string_view word) {  // "80gb", "hbm3"
  const bool is_size = word.ends_with("gb"), is_kind = word.starts_with("hbm");
  const std::string_view number = is_size ? word.substr(0, word.size() - 2)
                                          : word.substr(std::min<std::size_t>(3, word.size()));
  return (is_size || is_kind) && number.find_first_not_of("0123456789e") == number.npos;
}

bool is_family(std::string_view word) { return includes(gpu_families, word); }

// The name of a product without the words that do not change its machine: "rtx3080" of "NVIDIA
// GeForce RTX 3080 Ti", "a100" of "A100-SXM4-80GB".
std::string product_name(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of(" -_"), name.size());
    const std::string word = plain(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
    if (!is_family(word) && !is_memory_size(word)) result += word;
  }
  for (bool is_shorter = true; is_shorter;) {
    is_shorter = false;
    for (const std::string_view word : gpu_variants)
      if (result.size() > word.size() && result.ends_with(word)) {
        result.resize(result.size() - word.size());
        is_shorter = true;
      }
  }
  return result;
}

// Empty: there is no such product.
std::string_view machine_of_product(std::string_view name) {
  for (const std::string& text : {plain(name), product_name(name)})
    for (const gpu_name& gpu : gpu_names)
      if (has_word(gpu.products, text)) return gpu.machine;
  return {};
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() <= 4 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

// 90 for sm_90, sm90, compute_90, sm_90a, 9.0 and 90; -1 for other names.
int capability_of(std::string_view name) {
  std::string text = plain(name);
  bool prefixed = false;
  for (const std::string_view prefix : {"sm", "compute", "cc"})
    if (!prefixed && text.starts_with(prefix)) text.erase(0, prefix.size()), prefixed = true;
  const std::size_t point = text.find('.');
  if (point != std::string::npos && point + 2 == text.size()) text.erase(point, 1);
  // sm_90a and sm_100f are machines with more instructions, and the same memory
  if (prefixed && !text.empty() && (text.back() == 'a' || text.back() == 'f')) text.pop_back();
  return is_number(text) ? std::atoi(text.c_str()) : -1;
}

}  // namespace

char suffix_of_architecture(std::string_view name) {
  const std::string text = plain(name);
  if (!machine_of_product(name).empty()) return 'a';
  const char last = text.empty() ? '\0' : text.back();
  return last == 'a' || last == 'f' ? last : '\0';
}

namespace {

bm::machine amd_machine(std::string_view name, const place& position) {
  try {
    return bm::amd::gfx(std::string(name).c_str());
  } catch (const bm::error& reason) {
    const std::string text = reason.what();
    throw refusal{position, joined("there is no machine ", name.substr(0, 40)),
                  text.substr(text.find(reason.rule()) + std::string(reason.rule()).size() + 2)};
  }
}

// The name that was meant, if one is near: of the nearest number, or of the most similar letters.
std::string suggestion(std::string_view name) {
  const int capability = capability_of(name);
  const bm::machine* nearest_number = nullptr;
  const auto distance = [&](const bm::machine& candidate) {
    return std::abs(candidate.model - capability);
  };
  nearest_word nearest(plain(name));
  for (const bm::machine& known : known_machines()) {
    nearest.offer(name_of(known));
    if (known.made_by == bm::vendor::nvidia &&
        (nearest_number == nullptr || distance(known) < distance(*nearest_number)))
      nearest_number = &known;
  }
  for (const gpu_name& gpu : gpu_names)
    for (const std::string_view product : words_in(gpu.products)) nearest.offer(product);
  // Far beyond them all, a digit too many is likelier: sm_1000 is sm_100.
  constexpr int limit = 10;
  for (int shorter = capability / 10; shorter > 0 && distance(*nearest_number) > limit;
       shorter /= 10)
    for (const bm::machine& known : known_machines())
      if (known.made_by == bm::vendor::nvidia && known.model == shorter)
        return joined("did you mean ", name_of(known), "? ");
  return capability >= 0 ? joined("did you mean ", name_of(*nearest_number), "? ")
                         : joined(nearest.question(""), nearest.question("").empty() ? "" : " ");
}

}  // namespace

bm::machine machine_of(std::string_view name, const place& position) {
  const std::string_view of_product = machine_of_product(name);
  const std::string_view meant = of_product.empty() ? name : of_product;
  if (meant.substr(0, 3) == "gfx") return amd_machine(meant, position);
  const int capability = capability_of(meant);
  std::string names;
  for (const bm::machine& known : known_machines()) {
    if (known.made_by == bm::vendor::nvidia && known.model == capability) return known;
    names += joined(names.empty() ? "" : ", ", name_of(known));
  }
  throw refusal{position, joined("there is no machine ", name.substr(0, 40)),
                joined(suggestion(name), "known are ", names)};
}

std::string shown_name(const bm::machine& m) {
  const std::string name = name_of(m);
  return m.other_bank_width == 0 || machine_of(name, {}).bank_width == m.bank_width
             ? name
             : joined(name, " with ", m.bank_width, "-byte banks");
}

namespace {

// `is_each_known`: those that do not offer it are left out.
std::vector<bm::machine> with_banks_of(int bytes, const std::vector<bm::machine>& machines,
                                       bool is_each_known) {
  std::vector<bm::machine> result;
  for (const bm::machine& m : machines)
    if (m.bank_width == bytes || m.other_bank_width == bytes)
      result.push_back(m.with_bank_width(bytes));
    else if (!is_each_known)
      throw input_error(joined("--bank-width ", bytes, ": ", name_of(m), " has banks of ",
                               m.bank_width, " bytes"),
                        "leave it out; sm_30 to sm_37 have banks of 4 and of 8 bytes");
  return result;
}

}  // namespace

std::vector<bm::machine> machines_named(const std::vector<std::string>& names, bool is_each_known,
                                        const std::vector<bm::machine>& otherwise, int bank_width) {
  std::vector<bm::machine> named = is_each_known ? known_machines() : std::vector<bm::machine>();
  for (const std::string& name : names)
    if (!is_each_known) named.push_back(machine_of(name, {}));
  if (named.empty()) named = otherwise;
  std::vector<bm::machine> distinct;
  for (const bm::machine& m : named)
    if (!includes(distinct, m)) distinct.push_back(m);
  if (distinct.empty()) distinct.push_back(machine_of(default_machine, {}));
  return bank_width == 0 ? distinct : with_banks_of(bank_width, distinct, is_each_known);
}

}  // namespace command_line
