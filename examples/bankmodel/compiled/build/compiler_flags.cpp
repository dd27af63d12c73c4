// SPDX-License-Identifier: MIT
#include "compiler_flags.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "../../common_names.hpp"

namespace compiled {

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
  std::string_view names;  // without dashes
  meaning means;
  value takes;
};

// Source: nvcc --help of CUDA 13.0, and the manuals of Clang 19 and GCC 12.
constexpr flag_rule rules[] = {
    {"I iquote", meaning::folder, value::joined},
    {"include-path", meaning::folder, value::separate},
    {"isystem idirafter", meaning::system_folder, value::joined},
    {"system-include", meaning::system_folder, value::separate},
    {"D", meaning::define, value::joined},
    {"define-macro", meaning::define, value::separate},
    {"U", meaning::undefine, value::joined},
    {"undefine-macro", meaning::undefine, value::separate},
    {"include pre-include", meaning::file, value::separate},
    {"std", meaning::standard, value::separate},
    {"x", meaning::language, value::joined},
    {"arch gpu-architecture code gpu-code gencode generate-code cuda-gpu-arch offload-arch "
     "amdgpu-target",
     meaning::architecture, value::separate},
    // Those without an effect on what is read.
    {"o output-file MF MT MQ dependency-output dependency-target-name ccbin compiler-bindir "
     "Xcompiler compiler-options Xptxas ptxas-options Xlinker linker-options Xcudafe Xarchive "
     "archive-options Xnvlink nvlink-options Xfatbin fatbin-options Xclang Xassembler "
     "Xpreprocessor Xarch_host Xarch_device Xcuda-ptxas Xcuda-fatbinary mllvm target isysroot "
     "sysroot maxrregcount diag-suppress diag-error diag-warn default-stream "
     "relocatable-device-code rdc threads t split-compile cudart ftz prec-div prec-sqrt fmad odir "
     "output-directory cuda-path rocm-path library-path library optimize",
     meaning::unread, value::separate},
    {"L l", meaning::unread, value::joined},
    {"expt-relaxed-constexpr expt-extended-lambda extended-lambda use_fast_math ffast-math "
     "extra-device-vectorization restrict lineinfo generate-line-info device-debug G debug g "
     "compile c device-c dc dlto forward-unknown-to-host-compiler disable-warnings w source-in-ptx "
     "resource-usage res-usage pthread fPIC O0 O1 O2 O3 Wall Wextra m64",
     meaning::unread, value::none}};

// An option and its value, as the words of a command have them.
struct read_option {
  const flag_rule* rule = nullptr;
  std::string_view name;    // without dashes
  std::string text;         // the value
  std::size_t words = 1;    // that it takes
  bool is_without = false;  // the command ends before its value
};

// `words[index]` as an option; none: it is a file, or an option that no rule has.
read_option option_in(const std::vector<std::string>& words, std::size_t index) {
  const std::string& word = words[index];
  const std::size_t dashes = word.starts_with("--") ? 2 : word.starts_with('-') ? 1 : 0;
  if (dashes == 0 || word.size() == dashes) return {};
  const std::string_view body = std::string_view(word).substr(dashes);
  const std::string_view name = body.substr(0, body.find('='));
  for (const flag_rule& rule : rules) {
    if (!has_word(rule.names, name)) continue;
    const bool has_equals = name.size() < body.size();
    if (rule.takes == value::none) return {&rule, name, {}, 1, false};
    if (has_equals) return {&rule, name, std::string(body.substr(name.size() + 1)), 1, false};
    if (index + 1 == words.size()) return {&rule, name, {}, 1, true};
    return {&rule, name, words[index + 1], 2, false};
  }
  if (dashes == 2) return {};
  // The longest name, since -isystem begins as -I does not, and -iquote as nothing else.
  for (const flag_rule& rule : rules)
    for (const std::string_view begin : words_in(rule.names))
      if (rule.takes == value::joined && body.starts_with(begin))
        return {&rule, begin, std::string(body.substr(begin.size())), 1, false};
  return {};
}

std::string name_of_macro(const std::string& define) {
  return define.substr(0, define.find_first_of("=("));
}

void remove_macro(const std::string& name, std::vector<std::string>& macros) {
  std::erase_if(macros, [&](const std::string& macro) { return name_of_macro(macro) == name; });
}

void add_once(const std::string& entry, std::vector<std::string>& list) {
  if (!includes(list, entry)) list.push_back(entry);
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
      if (!word.starts_with(kind)) continue;
      const std::size_t last = word.find_first_not_of("0123456789", kind.size());
      if (last == kind.size() || word.size() == kind.size()) continue;
      const bool has_suffix = last + 1 == word.size() && (word[last] == 'a' || word[last] == 'f');
      add_once(joined("sm_", word.substr(kind.size(), last - kind.size()),
                      has_suffix ? word.substr(last) : ""),
               architectures);
      has_one = true;
    }
    if (!word.starts_with("gfx")) continue;
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
    if (word.starts_with('-')) break;
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
  compiler_flags result;
  std::vector<std::string> rest;
  for (std::size_t index = 0; index < arguments.size();) {
    const std::string& word = arguments[index];
    const read_option option = option_in(arguments, index);
    const bool is_own =
        option.rule == nullptr || has_word("I D std x e m p cuda-path", option.name);
    // nvcc's -std is ours with two dashes.
    const bool is_standard = option.rule != nullptr && option.rule->means == meaning::standard &&
                             !word.starts_with("--");
    if (is_own && !is_standard) {
      rest.push_back(word);
      ++index;
      continue;
    }
    // Words for other programs are options themselves.
    const bool is_other = option.words == 2 && option.rule->means != meaning::unread &&
                          arguments[index + 1].starts_with('-');
    if (option.is_without || is_other)
      throw input_error(joined(word, " is given without its value"), "give it, or leave it out");
    apply(option, arguments, index, {}, result);
    index += option.words;
  }
  arguments = std::move(rest);
  return result;
}

void add_missing(const compiler_flags& additions, compiler_flags& flags) {
  const auto add_each = [](const std::vector<std::string>& source,
                           std::vector<std::string>& target) {
    for (const std::string& entry : source) add_once(entry, target);
  };
  add_each(additions.include_folders, flags.include_folders);
  add_each(additions.system_folders, flags.system_folders);
  add_each(additions.included_files, flags.included_files);
  const auto has = [&](const std::string& name) {
    const auto is_it = [&](const std::string& definition) {
      return name_of_macro(definition) == name;
    };
    return std::ranges::any_of(flags.defines, is_it) || std::ranges::any_of(flags.undefines, is_it);
  };
  compiler_flags added;
  for (const std::string& macro : additions.defines)
    if (!has(name_of_macro(macro))) added.defines.push_back(macro);
  for (const std::string& macro : additions.undefines)
    if (!has(macro)) added.undefines.push_back(macro);
  append(flags.defines, added.defines);
  append(flags.undefines, added.undefines);
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
        architecture.starts_with("sm_") && result.starts_with("sm_") &&
        std::pair(number_of(architecture), architecture) > std::pair(number_of(result), result);
    if (result.empty() || is_newer) result = architecture;
  }
  return result;
}

}  // namespace compiled
