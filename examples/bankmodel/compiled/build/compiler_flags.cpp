// SPDX-License-Identifier: MIT
#include "compiler_flags.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "../../source.hpp"

namespace compiled {

using command_line::joined;
using command_line::refusal;

namespace {

enum class meaning : unsigned char {
  folder,
  system_folder,
  define,
  undefine,
  file,
  standard,
  architecture,
  language,
  unread
};
enum class value : unsigned char {
  none,
  separate,  // `-o a`, `-o=a`
  joined     // `-Ia` too
};

struct flag_rule {
  std::string_view name;  // without dashes
  meaning means;
  value takes;
};

// Source: nvcc --help of CUDA 13.0, and the manuals of Clang 19 and GCC 12.
constexpr flag_rule rules[] = {
    {"I", meaning::folder, value::joined},
    {"include-path", meaning::folder, value::separate},
    {"iquote", meaning::folder, value::joined},
    {"isystem", meaning::system_folder, value::joined},
    {"system-include", meaning::system_folder, value::separate},
    {"idirafter", meaning::system_folder, value::joined},
    {"D", meaning::define, value::joined},
    {"define-macro", meaning::define, value::separate},
    {"U", meaning::undefine, value::joined},
    {"undefine-macro", meaning::undefine, value::separate},
    {"include", meaning::file, value::separate},
    {"pre-include", meaning::file, value::separate},
    {"std", meaning::standard, value::separate},
    {"x", meaning::language, value::joined},
    {"arch", meaning::architecture, value::separate},
    {"gpu-architecture", meaning::architecture, value::separate},
    {"code", meaning::architecture, value::separate},
    {"gpu-code", meaning::architecture, value::separate},
    {"gencode", meaning::architecture, value::separate},
    {"generate-code", meaning::architecture, value::separate},
    {"cuda-gpu-arch", meaning::architecture, value::separate},
    {"offload-arch", meaning::architecture, value::separate},
    {"amdgpu-target", meaning::architecture, value::separate},
    // Those without an effect on what is read.
    {"o", meaning::unread, value::separate},
    {"output-file", meaning::unread, value::separate},
    {"MF", meaning::unread, value::separate},
    {"MT", meaning::unread, value::separate},
    {"MQ", meaning::unread, value::separate},
    {"dependency-output", meaning::unread, value::separate},
    {"dependency-target-name", meaning::unread, value::separate},
    {"ccbin", meaning::unread, value::separate},
    {"compiler-bindir", meaning::unread, value::separate},
    {"Xcompiler", meaning::unread, value::separate},
    {"compiler-options", meaning::unread, value::separate},
    {"Xptxas", meaning::unread, value::separate},
    {"ptxas-options", meaning::unread, value::separate},
    {"Xlinker", meaning::unread, value::separate},
    {"linker-options", meaning::unread, value::separate},
    {"Xcudafe", meaning::unread, value::separate},
    {"Xarchive", meaning::unread, value::separate},
    {"archive-options", meaning::unread, value::separate},
    {"Xnvlink", meaning::unread, value::separate},
    {"nvlink-options", meaning::unread, value::separate},
    {"Xfatbin", meaning::unread, value::separate},
    {"fatbin-options", meaning::unread, value::separate},
    {"Xclang", meaning::unread, value::separate},
    {"Xassembler", meaning::unread, value::separate},
    {"Xpreprocessor", meaning::unread, value::separate},
    {"Xarch_host", meaning::unread, value::separate},
    {"Xarch_device", meaning::unread, value::separate},
    {"Xcuda-ptxas", meaning::unread, value::separate},
    {"Xcuda-fatbinary", meaning::unread, value::separate},
    {"mllvm", meaning::unread, value::separate},
    {"target", meaning::unread, value::separate},
    {"isysroot", meaning::unread, value::separate},
    {"sysroot", meaning::unread, value::separate},
    {"maxrregcount", meaning::unread, value::separate},
    {"diag-suppress", meaning::unread, value::separate},
    {"diag-error", meaning::unread, value::separate},
    {"diag-warn", meaning::unread, value::separate},
    {"default-stream", meaning::unread, value::separate},
    {"relocatable-device-code", meaning::unread, value::separate},
    {"rdc", meaning::unread, value::separate},
    {"threads", meaning::unread, value::separate},
    {"t", meaning::unread, value::separate},
    {"split-compile", meaning::unread, value::separate},
    {"cudart", meaning::unread, value::separate},
    {"ftz", meaning::unread, value::separate},
    {"prec-div", meaning::unread, value::separate},
    {"prec-sqrt", meaning::unread, value::separate},
    {"fmad", meaning::unread, value::separate},
    {"odir", meaning::unread, value::separate},
    {"output-directory", meaning::unread, value::separate},
    {"cuda-path", meaning::unread, value::separate},
    {"rocm-path", meaning::unread, value::separate},
    {"library-path", meaning::unread, value::separate},
    {"library", meaning::unread, value::separate},
    {"L", meaning::unread, value::joined},
    {"l", meaning::unread, value::joined},
    {"optimize", meaning::unread, value::separate},
    {"expt-relaxed-constexpr", meaning::unread, value::none},
    {"expt-extended-lambda", meaning::unread, value::none},
    {"extended-lambda", meaning::unread, value::none},
    {"use_fast_math", meaning::unread, value::none},
    {"ffast-math", meaning::unread, value::none},
    {"extra-device-vectorization", meaning::unread, value::none},
    {"restrict", meaning::unread, value::none},
    {"lineinfo", meaning::unread, value::none},
    {"generate-line-info", meaning::unread, value::none},
    {"device-debug", meaning::unread, value::none},
    {"G", meaning::unread, value::none},
    {"debug", meaning::unread, value::none},
    {"g", meaning::unread, value::none},
    {"compile", meaning::unread, value::none},
    {"c", meaning::unread, value::none},
    {"device-c", meaning::unread, value::none},
    {"dc", meaning::unread, value::none},
    {"dlto", meaning::unread, value::none},
    {"forward-unknown-to-host-compiler", meaning::unread, value::none},
    {"disable-warnings", meaning::unread, value::none},
    {"w", meaning::unread, value::none},
    {"source-in-ptx", meaning::unread, value::none},
    {"resource-usage", meaning::unread, value::none},
    {"res-usage", meaning::unread, value::none},
    {"pthread", meaning::unread, value::none},
    {"fPIC", meaning::unread, value::none},
    {"O0", meaning::unread, value::none},
    {"O1", meaning::unread, value::none},
    {"O2", meaning::unread, value::none},
    {"O3", meaning::unread, value::none},
    {"Wall", meaning::unread, value::none},
    {"Wextra", meaning::unread, value::none},
    {"m64", meaning::unread, value::none},
};

// An option and its value, as the words of a command have them.
struct read_option {
  const flag_rule* rule = nullptr;
  std::string text;         // the value
  std::size_t words = 1;    // that it takes
  bool is_without = false;  // the command ends before its value
};

// `words[index]` as an option; none: it is a file, or an option that no rule has.
read_option option_in(const std::vector<std::string>& words, std::size_t index) {
  const std::string& word = words[index];
  const std::size_t dashes = word.rfind("--", 0) == 0 ? 2 : word.rfind('-', 0) == 0 ? 1 : 0;
  if (dashes == 0 || word.size() == dashes) return {};
  const std::string_view body = std::string_view(word).substr(dashes);
  const std::string_view name = body.substr(0, body.find('='));
  for (const flag_rule& rule : rules) {
    if (rule.name != name) continue;
    const bool has_equals = name.size() < body.size();
    if (rule.takes == value::none) return {&rule, {}, 1, false};
    if (has_equals) return {&rule, std::string(body.substr(name.size() + 1)), 1, false};
    if (index + 1 == words.size()) return {&rule, {}, 1, true};
    return {&rule, words[index + 1], 2, false};
  }
  if (dashes == 2) return {};
  // The longest name, since -isystem begins as -I does not, and -iquote as nothing else.
  for (const flag_rule& rule : rules)
    if (rule.takes == value::joined && body.rfind(rule.name, 0) == 0)
      return {&rule, std::string(body.substr(rule.name.size())), 1, false};
  return {};
}

std::string name_of_macro(const std::string& define) {
  return define.substr(0, define.find_first_of("=("));
}

void remove_macro(const std::string& name, std::vector<std::string>& macros) {
  macros.erase(
      std::remove_if(macros.begin(), macros.end(),
                     [&](const std::string& macro) { return name_of_macro(macro) == name; }),
      macros.end());
}

void add_once(const std::string& entry, std::vector<std::string>& list) {
  if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
}

// The machines in `arch=compute_80,code=[compute_80,sm_80]`, `sm_90a` or `gfx90a:xnack+`. Returns
// false if there is none: `native`.
bool add_architectures(const std::string& text, std::vector<std::string>& architectures) {
  bool has_one = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(",=[] ", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    for (const std::string_view kind : {"sm_", "compute_", "lto_"}) {
      if (word.rfind(kind, 0) != 0) continue;
      const std::size_t last = word.find_first_not_of("0123456789", kind.size());
      if (last == kind.size() || word.size() == kind.size()) continue;
      const bool has_suffix = last + 1 == word.size() && (word[last] == 'a' || word[last] == 'f');
      add_once(joined("sm_", word.substr(kind.size(), last - kind.size()),
                      has_suffix ? word.substr(last) : ""),
               architectures);
      has_one = true;
    }
    if (word.rfind("gfx", 0) != 0) continue;
    add_once(word.substr(0, word.find(':')), architectures);
    has_one = true;
  }
  return has_one;
}

void apply(const read_option& option, const std::vector<std::string>& words, std::size_t index,
           const std::string& directory, compiler_flags& flags) {
  const std::string& text = option.text;
  bool is_read = true;
  switch (option.rule->means) {
    case meaning::folder: flags.include_folders.push_back(absolute_in(directory, text)); break;
    case meaning::system_folder:
      flags.system_folders.push_back(absolute_in(directory, text));
      break;
    case meaning::define:
      remove_macro(name_of_macro(text), flags.defines);
      remove_macro(name_of_macro(text), flags.undefines);
      flags.defines.push_back(text);
      break;
    case meaning::undefine:
      remove_macro(text, flags.defines);
      // What assert() does is not counted.
      if (text != "NDEBUG") add_once(text, flags.undefines);
      break;
    case meaning::file: {
      // Beside the file that the command is for, or in a folder of headers, which the reader knows.
      const std::string path = absolute_in(directory, text);
      std::error_code none;
      flags.included_files.push_back(std::filesystem::exists(path, none) ? path : text);
      break;
    }
    case meaning::standard: flags.standard = text; break;
    case meaning::architecture: is_read = add_architectures(text, flags.architectures); break;
    case meaning::language:
      if (text == "cu" || text == "cuda") flags.language = "cuda";
      if (text == "hip") flags.language = "hip";
      break;
    case meaning::unread: is_read = false; break;
  }
  if (is_read) return;
  std::string shown;
  for (std::size_t word = index; word < index + option.words; ++word)
    shown += joined(word == index ? "" : " ", words[word]);
  flags.unread.push_back(
      option.rule->means == meaning::architecture
          ? joined(shown, " (no machine that is known here; --machine names one)")
          : shown);
}

}  // namespace

std::string absolute_in(const std::string& directory, const std::string& name) {
  if (directory.empty() || name.empty()) return name;
  return (std::filesystem::path(directory) / name).lexically_normal().string();
}

compiler_flags flags_of_command(const std::vector<std::string>& command,
                                const std::string& directory) {
  compiler_flags result;
  for (const std::string& word : command) {
    const std::string program = std::filesystem::path(word).filename().string();
    if (word.rfind('-', 0) == 0) break;
    if (program == "nvcc") result.language = "cuda";
    if (program == "hipcc") result.language = "hip";
  }
  for (std::size_t index = 1; index < command.size();) {
    const read_option option = option_in(command, index);
    if (option.rule != nullptr && !option.is_without)
      apply(option, command, index, directory, result);
    index += option.words;
  }
  return result;
}

compiler_flags take_flags(std::vector<std::string>& arguments) {
  constexpr std::string_view own[] = {"I", "D", "std", "x", "e", "m", "p", "cuda-path"};
  compiler_flags result;
  std::vector<std::string> rest;
  for (std::size_t index = 0; index < arguments.size();) {
    const std::string& word = arguments[index];
    const read_option option = option_in(arguments, index);
    const bool is_own = option.rule == nullptr || std::find(std::begin(own), std::end(own),
                                                            option.rule->name) != std::end(own);
    // nvcc's -std is ours with two dashes.
    const bool is_standard = option.rule != nullptr && option.rule->means == meaning::standard &&
                             word.rfind("--", 0) != 0;
    if (is_own && !is_standard) {
      rest.push_back(word);
      ++index;
      continue;
    }
    // Words for other programs are options themselves.
    const bool is_other = option.words == 2 && option.rule->means != meaning::unread &&
                          arguments[index + 1].rfind('-', 0) == 0;
    if (option.is_without || is_other)
      throw refusal{{}, joined(word, " is given without its value"), "give it, or leave it out"};
    apply(option, arguments, index, {}, result);
    index += option.words;
  }
  arguments = std::move(rest);
  return result;
}

void add_missing(const compiler_flags& additions, compiler_flags& flags) {
  const auto append = [](const std::vector<std::string>& source, std::vector<std::string>& target) {
    for (const std::string& entry : source) add_once(entry, target);
  };
  append(additions.include_folders, flags.include_folders);
  append(additions.system_folders, flags.system_folders);
  append(additions.included_files, flags.included_files);
  const auto has = [&](const std::string& name) {
    const auto is_it = [&](const std::string& definition) {
      return name_of_macro(definition) == name;
    };
    return std::any_of(flags.defines.begin(), flags.defines.end(), is_it) ||
           std::any_of(flags.undefines.begin(), flags.undefines.end(), is_it);
  };
  compiler_flags added;
  for (const std::string& macro : additions.defines)
    if (!has(name_of_macro(macro))) added.defines.push_back(macro);
  for (const std::string& macro : additions.undefines)
    if (!has(macro)) added.undefines.push_back(macro);
  flags.defines.insert(flags.defines.end(), added.defines.begin(), added.defines.end());
  flags.undefines.insert(flags.undefines.end(), added.undefines.begin(), added.undefines.end());
  if (flags.standard.empty()) flags.standard = additions.standard;
  if (flags.language.empty()) flags.language = additions.language;
  if (flags.architectures.empty()) flags.architectures = additions.architectures;
}

std::vector<std::string> options_of(const compiler_flags& flags) {
  std::vector<std::string> result;
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& argument : values) result.insert(result.end(), {option, argument});
  };
  add("-I", flags.include_folders);
  add("-isystem", flags.system_folders);
  add("-D", flags.defines);
  add("-U", flags.undefines);
  add("-include", flags.included_files);
  return result;
}

std::string machine_of_flags(const compiler_flags& flags) {
  std::string result;
  const auto number_of = [](const std::string& name) { return std::atoi(name.c_str() + 3); };
  for (const std::string& architecture : flags.architectures) {
    // sm_90a is more than sm_90.
    const bool is_newer =
        architecture.rfind("sm_", 0) == 0 && result.rfind("sm_", 0) == 0 &&
        std::pair(number_of(architecture), architecture) > std::pair(number_of(result), result);
    if (result.empty() || is_newer) result = architecture;
  }
  return result;
}

}  // namespace compiled
