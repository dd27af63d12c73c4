// SPDX-License-Identifier: MIT
#include "amd_assembly.hpp"

#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "../code/linkage.hpp"
#include "repeated_lines.hpp"

namespace compiled {

namespace {

struct access_name {
  std::string_view begins;
  access_does operation;
  bool is_shared, is_global;  // neither: of a buffer, which may be private
};
constexpr access_name access_names[] = {
    {"ds_read ds_load", access_does::load, true, false},
    {"ds_write ds_store", access_does::store, true, false},
    {"global_load_", access_does::load, false, true},
    {"global_store_", access_does::store, false, true},
    {"flat_load_", access_does::load, true, true},
    {"flat_store_", access_does::store, true, true},
    {"buffer_load_", access_does::load, false, false},
    {"buffer_store_", access_does::store, false, false},
    {"global_atomic_", access_does::atomic, false, true},
    {"flat_atomic_", access_does::atomic, true, true},
    {"buffer_atomic_", access_does::atomic, false, false},
    {"ds_add ds_sub ds_rsub ds_inc ds_dec ds_min ds_max ds_and ds_or ds_xor ds_cmpst ds_cmpstore "
     "ds_wrxchg ds_storexchg ds_pk_add",
     access_does::atomic, true, false}};

struct width_name {
  std::string_view part;
  int bytes;
};
// In this order: dword is a part of dwordx2. ds_read2_b32 has two addresses, 4 bytes at each.
constexpr width_name width_names[] = {
    {"dwordx2", 8}, {"dwordx3", 12}, {"dwordx4", 16}, {"dword", 4}, {"b128", 16}, {"b96", 12},
    {"b64", 8},     {"u64", 8},      {"i64", 8},      {"f64", 8},   {"_x2", 8},   {"pk_", 4},
    {"b32", 4},     {"u32", 4},      {"i32", 4},      {"f32", 4},   {"b16", 2},   {"u16", 2},
    {"i16", 2},     {"short", 2},    {"b8", 1},       {"u8", 1},    {"i8", 1},    {"byte", 1}};

std::optional<machine_access> access_named(std::string_view name) {
  if (name.find("_lds_") != std::string_view::npos) return {};  // a copy to shared memory
  for (const access_name& entry : access_names) {
    if (std::ranges::none_of(words_in(entry.begins),
                             [&](std::string_view begin) { return name.starts_with(begin); }))
      continue;
    for (const width_name& width : width_names)
      if (name.find(width.part) != std::string_view::npos)
        return machine_access{{},         0, entry.operation, entry.is_shared, entry.is_global,
                              width.bytes};
    // global_atomic_add of gfx9 is of 4 bytes, and has no type.
    if (entry.operation == access_does::atomic)
      return machine_access{{}, 0, entry.operation, entry.is_shared, entry.is_global, 4};
  }
  return {};
}

class assembly_reader {
 public:
  machine_file read(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) take(line);
    for (machine_kernel& function : functions_)
      if (kernels_.empty() || kernels_.count(function.linkage) != 0)
        result_.kernels.push_back(std::move(function));
    return std::move(result_);
  }

 private:
  void take(const std::string& line) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == ".file") {
      take_file(line, words);
    } else if (first == ".loc") {  // .loc 1 7 10
      int number = 0;
      if (words >> number >> line_) file_ = files_[number];
    } else if (first == ".amdgcn_target") {
      take_target(line);
    } else if (first == ".amdhsa_kernel") {
      std::string name;
      words >> name;
      kernels_.insert(name);
    } else if (first == ".type") {  // .type k,@function
      std::string name;
      words >> name;
      if (const std::size_t comma = name.find(",@function"); comma != name.npos)
        named_.insert(name.substr(0, comma));
    } else if (first.size() > 1 && first.back() == ':') {
      take_label(first.substr(0, first.size() - 1));
    } else if (is_inside_ && !first.empty() && first[0] != '.' && first[0] != ';') {
      take_instruction(first, words);
    }
  }

  void take_file(const std::string& line, std::istringstream& words) {
    int number = 0;  // .file 1 "folder" "name"
    if (!(words >> number)) return;
    const std::size_t md5 = line.find(" md5 "), end = line.rfind('"', md5);
    const std::size_t begin = end == line.npos ? end : line.rfind('"', end - 1);
    if (begin == line.npos) return;
    const std::string name = line.substr(begin + 1, end - begin - 1);
    files_[number] = name.substr(name.rfind('/') + 1);
  }

  // gfx942 of "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"
  void take_target(const std::string& line) {
    const std::size_t begin = line.find("gfx");
    if (begin == line.npos) return;
    result_.machine = line.substr(begin, line.find_first_of(":\"", begin) - begin);
  }

  void take_label(const std::string& name) {
    if (named_.count(name) != 0) {
      functions_.push_back({demangled(name), name, {}});
      functions_.back().code.name = "assembly";
      repeated_ = {};
      places_.clear();
      is_inside_ = true;
    } else if (name.starts_with(".Lfunc_end")) {
      if (is_inside_)
        for (std::size_t number = 0; number < places_.size(); ++number)
          functions_.back().code.accesses[number].is_repeated = repeated_.has(places_[number]);
      is_inside_ = false;
    } else {
      repeated_.add_label(name);
    }
  }

  void take_instruction(const std::string& name, std::istringstream& words) {
    repeated_.next();
    std::string target;
    if (name.starts_with("s_cbranch") || name == "s_branch") {
      words >> target;
      repeated_.add_jump(target);
    }
    if (name.starts_with("s_swappc") || name.starts_with("s_setpc")) repeated_.add_unknown_jump();
    if (std::optional<machine_access> access = access_named(name)) {
      access->file = file_;
      access->line = line_;
      functions_.back().code.accesses.push_back(std::move(*access));
      places_.push_back(repeated_.place());
    }
  }

  machine_file result_;
  std::vector<machine_kernel> functions_;
  std::set<std::string> kernels_, named_;
  std::map<int, std::string> files_;
  std::string file_;
  int line_ = 0;
  bool is_inside_ = false;
  repeated_lines repeated_;
  std::vector<std::size_t> places_;  // of the function's accesses
};

}  // namespace

std::vector<machine_access> accesses_in_assembly(std::string_view text,
                                                 const std::string& function) {
  machine_file file = assembly_reader().read(text);
  for (machine_kernel& kernel : file.kernels) {
    if (kernel.linkage != function) continue;
    for (machine_access& access : kernel.code.accesses) access.is_repeated = true;
    return std::move(kernel.code.accesses);
  }
  return {};
}

machine_file kernels_in_amd_assembly(std::string_view text) { return assembly_reader().read(text); }

}  // namespace compiled
