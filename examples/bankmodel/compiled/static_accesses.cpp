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

namespace {

namespace fs = std::filesystem;

std::string ending_of(const std::string& file) { return fs::path(file).extension().string(); }

struct machine_code_format {
  std::string_view ending;
  machine_file (*read)(std::string_view text);
  const char* maker;  // "give what .."
};
constexpr machine_code_format formats[] = {
    {".cubin", kernels_in_cubin, "nvcc -cubin -lineinfo writes"},
    {".sass", kernels_in_sass, "cuobjdump -sass or nvdisasm -g prints"},
    {".s", kernels_in_amd_assembly, "hipcc -S writes"},
    {".amdgcn", kernels_in_amd_assembly, "Triton's cache has"}};

const machine_code_format* format_of(const std::string& file) {
  const std::string ending = ending_of(file);
  const auto known = std::ranges::find(formats, ending, &machine_code_format::ending);
  return known == std::end(formats) ? nullptr : known;
}

machine_file read_machine_code(const question& asked) {
  const machine_code_format& format = *format_of(asked.file);
  try {
    machine_file result = format.read(asked.text);
    if (!result.kernels.empty()) return result;
  } catch (const machine_code_error& reason) {
    throw input_error(joined(asked.file, " ", reason.what()), reason.right);
  }
  throw input_error(joined(asked.file, " has no kernel"), joined("give what ", format.maker));
}

// By the rules of chosen_kernels().
std::vector<machine_kernel> kernels_asked_for(const machine_file& file, const question& asked) {
  code_of_file named;
  for (const machine_kernel& kernel : file.kernels) {
    kernel_code& code = named.kernels.emplace_back();
    code.name = kernel.name;
    code.linkage = kernel.linkage;
  }
  std::vector<machine_kernel> result;
  for (const candidate& kernel : chosen_kernels(named, asked))
    result.push_back(file.kernels[static_cast<std::size_t>(kernel.code - named.kernels.data())]);
  return result;
}

const char* name_of_memory(const machine_access& access) {
  if (access.operation == access_does::copy) return "global to shared";
  if (access.is_shared && access.is_global) return "generic";
  return access.is_shared ? "shared" : access.is_global ? "global" : "buffer";
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
  for (const machine_access& row : code.accesses) {
    const auto [known, is_new] = numbers.try_emplace(
        key(row.file, row.line, name_of_memory(row), row.operation, row.bytes, row.is_repeated),
        result.size());
    if (is_new) result.push_back({row});
    ++result[known->second].instructions;
  }
  std::map<std::string, int> of_file;
  for (const static_row& row : result) of_file[row.like.file] += row.instructions;
  // The file with the most of them first.
  const auto order = [&](const static_row& row) {
    return std::tuple(-of_file[row.like.file], row.like.file, row.like.line);
  };
  std::ranges::stable_sort(
      result, [&](const auto& left, const auto& right) { return order(left) < order(right); });
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
  for (const static_row& row : rows) {
    const std::string file =
        row.like.file == first_file ? "" : joined(", in ", command_line::printable(row.like.file));
    table.push_back({row.like.line > 0 ? std::to_string(row.like.line) : "-",
                     joined(verb_of(row.like.operation), ", ", name_of_memory(row.like), file),
                     {row.like.bytes > 0 ? std::to_string(row.like.bytes) : "?",
                      std::to_string(row.instructions), row.like.is_repeated ? "yes" : "no"}});
  }
  return joined(result, command_line::printed(table, 0, width));
}

std::string text_of(const std::vector<machine_kernel>& kernels, const std::string& machine,
                    const question& asked) {
  const std::size_t width = asked.shape.width;
  const bool is_cubin = ending_of(asked.file) == ".cubin";
  std::string result = command_line::wrapped(
      joined(machine.empty() ? "machine code" : machine, ": ",
             bm::detail::counted_in_words(kernels.size(), "kernel"), " of ", asked.file,
             ". Machine code shows the instructions that access memory and their widths, not "
             "their addresses: conflicts are counted from ",
             is_cubin ? joined("source or PTX, which --cubin ", asked.file, " then compares")
                      : std::string("source or PTX"),
             "."),
      "", width);
  for (const machine_kernel& kernel : kernels) result += text_of(kernel, width);
  return result;
}

std::string json_of(const std::vector<machine_kernel>& kernels, const std::string& machine,
                    const question& asked) {
  command_line::list rows("    ");
  for (const machine_kernel& kernel : kernels) {
    command_line::list accesses("        ");
    for (const static_row& row : rows_of(kernel.code))
      accesses.add(
          joined("{\"line\": ", row.like.line,
                 ", \"file\": ", command_line::json_string(row.like.file), ", \"access\": \"",
                 verb_of(row.like.operation), "\", \"memory\": \"", name_of_memory(row.like),
                 "\", \"bytes\": ", row.like.bytes > 0 ? std::to_string(row.like.bytes) : "null",
                 ", \"instructions\": ", row.instructions,
                 ", \"in_a_loop\": ", row.like.is_repeated ? "true" : "false", "}"));
    rows.add(joined("{\"kernel\": ", command_line::json_string(kernel.name),
                    ", \"linkage\": ", command_line::json_string(kernel.linkage),
                    ",\n      \"static_accesses\": [", accesses.text(), "\n      ]}"));
  }
  return joined("{\n  \"file\": ", command_line::json_string(asked.file),
                ",\n  \"machine\": ", machine.empty() ? "null" : command_line::json_string(machine),
                ",\n  \"kernels\": [", rows.text(), "\n  ]\n}\n");
}

std::string csv_of(const std::vector<machine_kernel>& kernels, const std::string& machine) {
  std::string result = "machine,kernel,file,line,access,memory,bytes,instructions,in_a_loop\n";
  for (const machine_kernel& kernel : kernels)
    for (const static_row& row : rows_of(kernel.code))
      result += joined(machine, ",", command_line::in_quotes(kernel.name), ",",
                       command_line::in_quotes(row.like.file), ",", row.like.line, ",",
                       verb_of(row.like.operation), ",", name_of_memory(row.like), ",",
                       row.like.bytes > 0 ? std::to_string(row.like.bytes) : "", ",",
                       row.instructions, ",", row.like.is_repeated ? 1 : 0, "\n");
  return result;
}

}  // namespace

bool is_machine_code(const std::string& file) { return format_of(file) != nullptr; }

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
    const machine_file file = read_machine_code(asked);
    const std::vector<machine_kernel> kernels = kernels_asked_for(file, asked);
    switch (asked.format) {
      case command_line::format::json:
        return {command_line::fine, json_of(kernels, file.machine, asked), {}};
      case command_line::format::csv:
        return {command_line::fine, csv_of(kernels, file.machine), {}};
      default: return {command_line::fine, text_of(kernels, file.machine, asked), {}};
    }
  } catch (const refusal& reason) {
    return {command_line::bad_input, {}, command_line::text_without_place(reason)};
  }
}

}  // namespace compiled
