// SPDX-License-Identifier: MIT
// The assembly text of LLVM's back end for AMD: what its loads and stores are called.
#include <map>
#include <optional>
#include <sstream>

#include "amd_code.hpp"
#include "translation.hpp"

namespace compiled {

namespace {

struct access_name {
  std::string_view begin;
  access_does does;
  bool is_shared, is_global;
};
constexpr access_name access_names[] = {{"ds_read", access_does::load, true, false},
                                        {"ds_load", access_does::load, true, false},
                                        {"ds_write", access_does::store, true, false},
                                        {"ds_store", access_does::store, true, false},
                                        {"global_load_", access_does::load, false, true},
                                        {"global_store_", access_does::store, false, true},
                                        {"flat_load_", access_does::load, true, true},
                                        {"flat_store_", access_does::store, true, true}};

struct width_name {
  std::string_view part;
  int bytes;
};
// In this order: dword is a part of dwordx2. ds_read2_b32 has two addresses, 4 bytes at each.
constexpr width_name width_names[] = {
    {"dwordx2", 8}, {"dwordx3", 12}, {"dwordx4", 16}, {"dword", 4}, {"b128", 16}, {"b96", 12},
    {"b64", 8},     {"b32", 4},      {"b16", 2},      {"u16", 2},   {"i16", 2},   {"short", 2},
    {"b8", 1},      {"u8", 1},       {"i8", 1},       {"byte", 1}};

std::optional<machine_access> access_named(std::string_view name) {
  if (name.find("_lds_") != std::string_view::npos) return {};  // a copy to shared memory
  for (const access_name& each : access_names) {
    if (!starts_with(name, each.begin)) continue;
    for (const width_name& width : width_names)
      if (name.find(width.part) != std::string_view::npos)
        return machine_access{{}, 0, each.does, each.is_shared, each.is_global, width.bytes};
  }
  return {};
}

}  // namespace

std::vector<machine_access> accesses_in_assembly(std::string_view text,
                                                 const std::string& function) {
  std::vector<machine_access> result;
  std::map<int, std::string> files;
  std::string file;
  int line = 0;
  bool is_inside = false;
  std::istringstream lines{std::string(text)};
  for (std::string all; std::getline(lines, all);) {
    std::istringstream words(all);
    std::string first;
    words >> first;
    if (first == ".file") {  // .file 1 "folder" "name"
      int number = 0;
      if (!(words >> number)) continue;
      const std::size_t md5 = all.find(" md5 "), end = all.rfind('"', md5);
      const std::size_t begin = end == std::string::npos ? end : all.rfind('"', end - 1);
      if (begin == std::string::npos) continue;
      const std::string name = all.substr(begin + 1, end - begin - 1);
      files[number] = name.substr(name.rfind('/') + 1);
    } else if (first == ".loc") {  // .loc 1 7 10
      int number = 0;
      if (words >> number >> line) file = files[number];
    } else if (first == function + ":") {
      is_inside = true;
    } else if (first.rfind(".Lfunc_end", 0) == 0) {
      is_inside = false;
    } else if (is_inside) {
      if (std::optional<machine_access> found = access_named(first)) {
        found->file = file;
        found->line = line;
        result.push_back(std::move(*found));
      }
    }
  }
  return result;
}

}  // namespace compiled
