// SPDX-License-Identifier: MIT
#include "ptx_reader.hpp"

#include "../code/address_origins.hpp"
#include "../code/linkage.hpp"
#include "fused_products.hpp"
#include "ptx_emitter.hpp"
#include "ptx_module.hpp"

namespace compiled {

namespace {

// tile, for the array tile in a function: _ZZ9transposePfPKfiE4tile.
std::string name_of_array(const std::string& linkage) {
  const std::string full_name = demangled(linkage);
  const std::size_t scope = full_name.rfind("::");
  return scope == std::string::npos ? full_name : full_name.substr(scope + 2);
}

}  // namespace

ptx_fragment read_ptx_fragment(const std::string& body, const std::vector<std::string>& types,
                               const std::optional<std::array<int, 3>>& cluster) {
  std::string text = ".entry fragment()\n";
  if (cluster)
    text += ".reqnctapercluster " + std::to_string((*cluster)[0]) + ", " +
            std::to_string((*cluster)[1]) + ", " + std::to_string((*cluster)[2]) + "\n";
  text += "{\n";
  const auto name_of = [](std::size_t operand) { return "%operand_" + std::to_string(operand); };
  for (std::size_t i = 0; i < types.size(); ++i)
    text += ".reg ." + types[i] + " " + name_of(i) + ";\n";
  text += body + "\n}\n";
  const ptx_module module = parse_ptx(text);
  if (module.functions.size() != 1 || !module.variables.empty())
    throw ptx_error(1, "inline assembly with declarations", "write instructions alone");
  for (const ptx_statement& statement : module.functions.front().statements)
    if (!statement.parts.empty() && statement.parts[0] == "ret")
      throw ptx_error(1, "inline assembly that returns", "return in the source");
  ptx_emitter emitter(module, module.functions.front());
  ptx_fragment result;
  for (std::size_t i = 0; i < types.size(); ++i)
    result.operands.push_back(emitter.register_named(name_of(i)));
  kernel_code code = emitter.take_code();
  if (!code.shared.empty() || !code.globals.empty() || code.local_bytes > 0)
    throw ptx_error(1, "inline assembly with variables", "write instructions alone");
  doubt_fused_products(code);
  result.registers = code.registers;
  result.end = emitter.last_block();
  result.blocks = std::move(code.blocks);
  if (result.end >= 0) result.blocks[slot(result.end)].instructions.pop_back();
  return result;
}

std::vector<kernel_code> read_ptx(const std::string& text,
                                  const std::optional<std::array<int, 3>>& cluster) {
  ptx_module module = parse_ptx(text);
  std::vector<kernel_code> result;
  for (ptx_function& function : module.functions) {
    if (!function.is_entry || !function.has_body) continue;
    if (!function.required_cluster) function.required_cluster = cluster;
    result.push_back(ptx_emitter(module, function).take_code());
    doubt_fused_products(result.back());
    set_address_origins(result.back());
    result.back().name = demangled(result.back().linkage);
    result.back().required_block = function.required_block;
    result.back().most_threads = function.most_threads;
    result.back().required_cluster = function.required_cluster;
    for (code_array& array : result.back().shared) array.name = name_of_array(array.name);
    for (code_array& array : result.back().globals) array.name = name_of_array(array.name);
  }
  return result;
}

}  // namespace compiled
