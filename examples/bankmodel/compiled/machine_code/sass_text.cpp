// SPDX-License-Identifier: MIT
#include "sass_text.hpp"

#include <cctype>
#include <optional>
#include <sstream>

#include "../code/linkage.hpp"
#include "repeated_lines.hpp"

namespace compiled {

namespace {

struct instruction_name {
  std::string_view name;  // before the first point
  access_does operation;
  bool is_shared, is_global;
};
constexpr instruction_name instruction_names[] = {
    {"LDS", access_does::load, true, false},
    {"STS", access_does::store, true, false},
    {"LDG", access_does::load, false, true},
    {"STG", access_does::store, false, true},
    {"LD", access_does::load, true, true},
    {"ST", access_does::store, true, true},
    {"LDSM", access_does::load_matrix, true, false},
    {"STSM", access_does::store_matrix, true, false},
    {"LDGSTS", access_does::copy, true, true},
    {"ATOMS", access_does::atomic, true, false},
    {"ATOMG", access_does::atomic, false, true},
    {"ATOM", access_does::atomic, true, true},
    {"REDG", access_does::atomic, false, true},
    {"RED", access_does::atomic, false, true},
};

struct part_width {
  std::string_view part;  // between points
  int bytes;
};
// Of an access; one with none of them is of 4 bytes.
constexpr part_width part_widths[] = {{"U8", 1},    {"S8", 1},     {"U16", 2},    {"S16", 2},
                                      {"64", 8},    {"128", 16},   {"256", 32},   {"U64", 8},
                                      {"S64", 8},   {"F64", 8},    {"F32x2", 8},  {"F32x4", 16},
                                      {"F16x4", 8}, {"F16x8", 16}, {"BF16x4", 8}, {"BF16x8", 16}};
// Of matrices, of 8 x 8 halves.
constexpr part_width matrix_widths[] = {{"2", 8}, {"4", 16}};

template <std::size_t Size>
int bytes_of(const std::string& mnemonic, const part_width (&names)[Size]) {
  std::istringstream parts(mnemonic);
  int result = 4;
  for (std::string part; std::getline(parts, part, '.');)
    for (const part_width& entry : names)
      if (part == entry.part) result = entry.bytes;
  return result;
}

std::optional<machine_access> access_of_mnemonic(const std::string& mnemonic) {
  const std::string name = mnemonic.substr(0, mnemonic.find('.'));
  for (const instruction_name& entry : instruction_names) {
    if (name != entry.name) continue;
    const bool is_matrix =
        entry.operation == access_does::load_matrix || entry.operation == access_does::store_matrix;
    return machine_access{
        {},
        0,
        entry.operation,
        entry.is_shared,
        entry.is_global,
        is_matrix ? bytes_of(mnemonic, matrix_widths) : bytes_of(mnemonic, part_widths)};
  }
  return {};
}

// "/*0b20*/   @P0 BRA `(.L_x_1) ;   /* 0x.. */" without its comments.
std::string without_comments(const std::string& line) {
  std::string result;
  for (std::size_t place = 0; place < line.size();) {
    const std::size_t begin = line.find("/*", place);
    result += line.substr(place, begin == line.npos ? begin : begin - place);
    const std::size_t end = begin == line.npos ? begin : line.find("*/", begin + 2);
    place = end == line.npos ? line.size() : end + 2;
  }
  return result;
}

// 0xb20 of "/*0b20*/", as a jump names it.
std::string address_of(const std::string& line) {
  const std::size_t begin = line.find("/*");
  const std::size_t end = begin == line.npos ? begin : line.find("*/", begin);
  if (end == line.npos) return {};
  std::string digits = line.substr(begin + 2, end - begin - 2);
  if (digits.find_first_not_of("0123456789abcdef") != digits.npos) return {};
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return "0x" + digits;
}

class sass_reader {
 public:
  machine_file read(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) take(line);
    end_kernel();
    return std::move(result_);
  }

 private:
  void take(const std::string& line) {
    take_machine(line);
    if (const std::string kernel = name_of_kernel(line); !kernel.empty())
      begin_kernel(kernel);
    else if (const std::size_t file = line.find("//## File \""); file != line.npos)
      take_place(line, file);
    else if (is_inside_)
      take_code(line);
  }

  void take_machine(const std::string& line) {
    if (!result_.machine.empty()) return;
    for (const char* const begin : {"code for sm_", ".target", "arch = sm_"}) {
      const std::size_t place = line.find(begin);
      const std::size_t number = place == line.npos ? place : line.find("sm_", place);
      if (number == line.npos) continue;
      const std::size_t end = line.find_first_not_of("0123456789", number + 3);
      result_.machine = line.substr(number, end - number);
    }
  }

  // cuobjdump's "Function : k", and nvdisasm's ".text.k:".
  static std::string name_of_kernel(const std::string& line) {
    constexpr std::string_view function = "Function : ", begin = ".text.";
    if (const std::size_t place = line.find(function); place != line.npos)
      return line.substr(place + function.size(),
                         line.find_last_not_of(" \r") + 1 - place - function.size());
    const std::size_t end = line.find_last_not_of(" \r");
    if (!line.starts_with(begin) || end == line.npos || line[end] != ':') return {};
    return line.substr(begin.size(), end - begin.size());
  }

  void begin_kernel(const std::string& linkage) {
    end_kernel();
    result_.kernels.push_back({demangled(linkage), linkage, {}});
    result_.kernels.back().code.name = "SASS";
    is_inside_ = true;
    file_.clear();
    line_ = 0;
  }

  void end_kernel() {
    if (!is_inside_) return;
    machine_code& code = result_.kernels.back().code;
    for (std::size_t number = 0; number < code.accesses.size(); ++number)
      code.accesses[number].is_repeated = repeated_.has(places_[number]);
    repeated_ = {};
    places_.clear();
    is_inside_ = false;
  }

  // //## File "/a/k.cu", line 8 inlined at ..
  void take_place(const std::string& line, std::size_t place) {
    const std::string quote = "\"";
    const std::size_t begin = line.find(quote, place) + 1, end = line.find(quote, begin);
    const std::size_t number = line.find("line ", end);
    if (end == line.npos || number == line.npos) return;
    const std::string name = line.substr(begin, end - begin);
    file_ = name.substr(name.rfind('/') + 1);
    line_ = std::atoi(line.c_str() + number + 5);
  }

  void take_code(const std::string& line) {
    if (const std::string address = address_of(line); !address.empty())
      repeated_.add_label(address);
    std::istringstream words(without_comments(line));
    std::string word;
    words >> word;
    if (word.size() > 1 && word.back() == ':') {
      repeated_.add_label(word.substr(0, word.size() - 1));
      return;
    }
    const bool is_never = word == "@!PT" || word == "@!UPT";
    if (!word.empty() && word[0] == '@') words >> word;
    while (!word.empty() && word.back() == ';') word.pop_back();
    if (word.empty() || std::isupper(static_cast<unsigned char>(word[0])) == 0) return;
    repeated_.next();
    const std::string name = word.substr(0, word.find('.'));
    if (name == "BRA") {
      std::string target;
      while (words >> target && target.find("0x") != 0 && target.find("`(") != 0) {
      }
      if (target.rfind("`(", 0) == 0) target = target.substr(2, target.find(")") - 2);
      repeated_.add_jump(target);
    }
    for (const char* const unknown : {"CALL", "BRX", "BRXU", "JMP", "JMX", "JMXU"})
      if (name == unknown) repeated_.add_unknown_jump();
    std::optional<machine_access> access = access_of_mnemonic(word);
    if (!access || is_never) return;
    access->file = file_;
    access->line = line_;
    result_.kernels.back().code.accesses.push_back(std::move(*access));
    places_.push_back(repeated_.place());
  }

  machine_file result_;
  bool is_inside_ = false;
  std::string file_;
  int line_ = 0;
  repeated_lines repeated_;
  std::vector<std::size_t> places_;  // of the kernel's accesses
};

}  // namespace

machine_file kernels_in_sass(std::string_view text) { return sass_reader().read(text); }

}  // namespace compiled
