// SPDX-License-Identifier: MIT
#include "static_accesses.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <filesystem>
#include <map>
#include <tuple>

#include "../csv.hpp"
#include "../file_content.hpp"
#include "../json.hpp"
#include "../table.hpp"
#include "../utf8.hpp"
#include "chosen_kernels.hpp"
#include "machine_code/amd_assembly.hpp"
#include "machine_code/cubin.hpp"
#include "machine_code/sass_text.hpp"
#include "page/page.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

namespace fs = std::filesystem;

std::string ending_of(const std::string& file) { return fs::path(file).extension().string(); }

machine_file read_machine_code(const question& asked) {
  const std::string ending = ending_of(asked.file);
  try {
    machine_file result = ending == ".cubin"  ? kernels_in_cubin(asked.text)
                          : ending == ".sass" ? kernels_in_sass(asked.text)
                                              : kernels_in_amd_assembly(asked.text);
    if (!result.kernels.empty()) return result;
  } catch (const machine_code_error& why) {
    throw refusal{{}, joined(asked.file, " ", why.what()), why.right};
  }
  throw refusal{{},
                joined(asked.file, " has no kernel"),
                ending == ".cubin"  ? "give the file that nvcc -cubin -lineinfo writes"
                : ending == ".sass" ? "give the text that cuobjdump -sass or nvdisasm -g prints"
                                    : "give the assembly that hipcc -S or Triton writes"};
}

std::vector<machine_kernel> chosen(machine_file& from, const question& asked) {
  if (asked.kernels.empty()) return std::move(from.kernels);
  std::vector<machine_kernel> result;
  for (machine_kernel& kernel : from.kernels) {
    const candidate named{kernel.name, kernel.linkage, nullptr, ""};
    if (std::any_of(asked.kernels.begin(), asked.kernels.end(),
                    [&](const std::string& name) { return named.is(name) || named.has(name); }))
      result.push_back(std::move(kernel));
  }
  if (!result.empty()) return result;
  std::string names;
  for (const machine_kernel& kernel : from.kernels)
    names += joined(names.empty() ? "" : ", ", kernel.name);
  throw refusal{{},
                joined("no kernel is named ", asked.kernels.front()),
                joined("give a part of a name with --kernel, of ", names)};
}

const char* name_of_memory(const machine_access& of) {
  if (of.does == access_does::copy) return "global to shared";
  if (of.is_shared && of.is_global) return "generic";
  return of.is_shared ? "shared" : of.is_global ? "global" : "buffer";
}

// Instructions of a line that are alike.
struct static_row {
  machine_access like;
  int instructions = 0;
};

std::vector<static_row> rows_of(const machine_code& code) {
  using key = std::tuple<std::string, int, std::string, access_does, int, bool>;
  std::map<key, std::size_t> numbers;
  std::vector<static_row> result;
  for (const machine_access& one : code.accesses) {
    const auto [found, is_new] = numbers.try_emplace(
        key(one.file, one.line, name_of_memory(one), one.does, one.bytes, one.is_repeated),
        result.size());
    if (is_new) result.push_back({one});
    ++result[found->second].instructions;
  }
  std::map<std::string, int> of_file;
  for (const static_row& one : result) of_file[one.like.file] += one.instructions;
  // The file with the most of them first.
  const auto order = [&](const static_row& one) {
    return std::tuple(-of_file[one.like.file], one.like.file, one.like.line);
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const auto& left, const auto& right) { return order(left) < order(right); });
  return result;
}

// Rows of files that are not the first one have its name.
std::string text_of(const machine_kernel& kernel, std::size_t width) {
  const std::vector<static_row> rows = rows_of(kernel.code);
  std::string result =
      joined("\n", command_line::wrapped(command_line::printable(kernel.name), "", width));
  if (rows.empty()) return joined(result, "It accesses neither shared nor global memory.\n");
  std::vector<command_line::row> table = {
      {"line", "", {"bytes of a lane", "instructions", "in a loop"}}};
  const std::string& first_file = rows.front().like.file;
  for (const static_row& one : rows) {
    const std::string file =
        one.like.file == first_file ? "" : joined(", in ", command_line::printable(one.like.file));
    table.push_back({one.like.line > 0 ? std::to_string(one.like.line) : "-",
                     joined(verb_of(one.like.does), ", ", name_of_memory(one.like), file),
                     {one.like.bytes > 0 ? std::to_string(one.like.bytes) : "?",
                      std::to_string(one.instructions), one.like.is_repeated ? "yes" : "no"}});
  }
  return joined(result, command_line::printed(table, 0, width));
}

std::string text_of(const std::vector<machine_kernel>& all, const std::string& machine,
                    const question& asked) {
  const std::size_t width = asked.shape.width;
  const bool is_cubin = ending_of(asked.file) == ".cubin";
  std::string result = command_line::wrapped(
      joined(machine.empty() ? "machine code" : machine, ": ",
             bm::detail::counted_in_words(all.size(), "kernel"), " of ", asked.file,
             ". Machine code shows the instructions that access memory and their widths, not "
             "their addresses: conflicts are counted from ",
             is_cubin ? joined("source or PTX, which --cubin ", asked.file, " then compares")
                      : std::string("source or PTX"),
             "."),
      "", width);
  for (const machine_kernel& kernel : all) result += text_of(kernel, width);
  return result;
}

std::string json_of(const std::vector<machine_kernel>& all, const std::string& machine,
                    const question& asked) {
  command_line::list kernels("    ");
  for (const machine_kernel& kernel : all) {
    command_line::list accesses("        ");
    for (const static_row& one : rows_of(kernel.code))
      accesses.add(
          joined("{\"line\": ", one.like.line,
                 ", \"file\": ", command_line::json_string(one.like.file), ", \"access\": \"",
                 verb_of(one.like.does), "\", \"memory\": \"", name_of_memory(one.like),
                 "\", \"bytes\": ", one.like.bytes > 0 ? std::to_string(one.like.bytes) : "null",
                 ", \"instructions\": ", one.instructions,
                 ", \"in_a_loop\": ", one.like.is_repeated ? "true" : "false", "}"));
    kernels.add(joined("{\"kernel\": ", command_line::json_string(kernel.name),
                       ", \"linkage\": ", command_line::json_string(kernel.linkage),
                       ",\n      \"static_accesses\": [", accesses.text(), "\n      ]}"));
  }
  return joined("{\n  \"file\": ", command_line::json_string(asked.file),
                ",\n  \"machine\": ", machine.empty() ? "null" : command_line::json_string(machine),
                ",\n  \"kernels\": [", kernels.text(), "\n  ]\n}\n");
}

std::string csv_of(const std::vector<machine_kernel>& all, const std::string& machine) {
  std::string result = "machine,kernel,file,line,access,memory,bytes,instructions,in_a_loop\n";
  for (const machine_kernel& kernel : all)
    for (const static_row& one : rows_of(kernel.code))
      result += joined(machine, ",", command_line::in_quotes(kernel.name), ",",
                       command_line::in_quotes(one.like.file), ",", one.like.line, ",",
                       verb_of(one.like.does), ",", name_of_memory(one.like), ",",
                       one.like.bytes > 0 ? std::to_string(one.like.bytes) : "", ",",
                       one.instructions, ",", one.like.is_repeated ? 1 : 0, "\n");
  return result;
}

}  // namespace

bool is_machine_code(const std::string& file) {
  const std::string ending = ending_of(file);
  return ending == ".cubin" || ending == ".sass" || ending == ".amdgcn" || ending == ".s";
}

std::string file_beside_cubin(const std::string& cubin) {
  if (ending_of(cubin) != ".cubin") return {};
  std::error_code none;
  // CuPy keeps k.cubin.cu.
  for (const char* const ending : {".ptx", ".cubin.cu", ".cu", ".cpp"}) {
    const fs::path beside = fs::path(cubin).replace_extension(ending);
    if (fs::is_regular_file(beside, none)) return beside.string();
  }
  return {};
}

std::string machine_of_cubin(const std::string& file) {
  try {
    return kernels_in_cubin(command_line::file_content(file)).machine;
  } catch (const machine_code_error&) {
    return {};
  }
}

command_line::answer answer_about_machine_code(const question& asked) {
  try {
    machine_file file = read_machine_code(asked);
    const std::string machine = file.machine;
    const std::vector<machine_kernel> all = chosen(file, asked);
    switch (asked.as) {
      case command_line::format::json:
        return {command_line::fine, json_of(all, machine, asked), {}};
      case command_line::format::csv: return {command_line::fine, csv_of(all, machine), {}};
      default: return {command_line::fine, text_of(all, machine, asked), {}};
    }
  } catch (const refusal& why) {
    return {command_line::bad_input, {}, command_line::text_without_place(why)};
  }
}

}  // namespace compiled
