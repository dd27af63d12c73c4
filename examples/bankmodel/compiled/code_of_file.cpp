// SPDX-License-Identifier: MIT
#include "code_of_file.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "../file_content.hpp"
#include "../included_headers.hpp"
#include "../known_machines.hpp"
#include "argument_value.hpp"
#include "build/paths.hpp"
#include "build/project_headers.hpp"
#include "chosen_kernels.hpp"
#include "code/short_names.hpp"
#include "code_by_nvcc.hpp"
#include "code_of_ptx.hpp"
#include "launch_arguments.hpp"
#include "nvcc.hpp"

namespace compiled {

namespace {

// Of all kernels of the file, so that different ones differ.
void set_short_names(std::vector<kernel_code>& kernels, const std::vector<readable_kernel>& skipped,
                     bool is_shown_in_full) {
  std::vector<std::string> names;
  for (const kernel_code& kernel : kernels) names.push_back(kernel.name);
  for (const readable_kernel& kernel : skipped) names.push_back(kernel.name);
  const std::vector<std::string> shortened = short_names(names);
  for (std::size_t index = 0; index < kernels.size(); ++index)
    kernels[index].short_name = shortened[index];
  for (kernel_code& kernel : kernels) kernel.is_shown_in_full = is_shown_in_full;
}

}  // namespace

refusal does_not_compile(const std::string& name, const std::string& diagnostics,
                         const std::string& missing_headers) {
  const std::string what_to_do =
      missing_headers.empty()
          ? "correct it, or give the same -I, -D and --std that your build uses"
          : joined("these headers were not found, give their folder with -I: ", missing_headers);
  return {{},
          joined(name, " does not compile here"),
          joined(what_to_do, "\n", diagnostics.substr(0, diagnostics.find_last_not_of('\n') + 1))};
}

namespace {

constexpr int most_errors_of_file = 3;

// The first errors of several, with their notes, and a line that counts the others.
std::string first_errors_of(const std::string& diagnostics, int limit) {
  std::istringstream lines(diagnostics);
  std::string result, includes;
  int errors = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool is_include = line.starts_with("In file included from ");
    if (line.find(": error: ") != std::string::npos) ++errors;
    if (is_include)
      includes += line + '\n';  // of the error behind it
    else if (errors <= limit)
      result += std::exchange(includes, "") + line + '\n';
  }
  if (errors > limit)
    result +=
        joined("and ", errors - limit, errors == limit + 1 ? " more error\n" : " more errors\n");
  return result;
}

// With arguments that were assumed; nothing if they were not.
std::optional<refusal> template_does_not_compile(
    const std::map<std::string, template_arguments>& assumed_templates, const std::string& name,
    const std::string& diagnostics, const std::string& missing_headers) {
  const auto assumed = assumed_templates.find(name);
  if (assumed == assumed_templates.end()) return std::nullopt;
  refusal result;
  const std::string bare = name.substr(0, name.find('<'));
  std::string values;
  for (const auto& [parameter, value] : assumed->second)
    values += joined(values.empty() ? "" : ", ", parameter, " = ", value);
  result.wrong = joined(bare, " does not compile here with ", values,
                        ", which is assumed since nothing here instantiates the template");
  result.right = joined(
      "give --kernel '", bare, "<..>'",
      missing_headers.empty() ? "" : ", and the folder of these headers with -I: ", missing_headers,
      "\n", first_errors_of(diagnostics, 1));
  result.right.pop_back();
  return result;
}

}  // namespace

refusal kernel_does_not_compile(const code_of_file& code, const std::string& name,
                                const std::string& diagnostics) {
  const auto assumed =
      template_does_not_compile(code.assumed_templates, name, diagnostics, code.missing_headers);
  return assumed ? *assumed
                 : does_not_compile(name, first_errors_of(diagnostics, 1), code.missing_headers);
}

namespace {

// What nvcc may compile all the same.
struct uncompiled_source : refusal {
  source_reading reading;
  uncompiled_source(refusal cause, source_reading read)
      : refusal(std::move(cause)), reading(std::move(read)) {}
};

#ifdef BANKMODEL_HAS_CLANG
// A dynamic array that several kernels share is not changed for one of them: each launch has its
// own bytes. A kernel that is not read may use any array that is not declared in a kernel.
void refuse_shared_declarations(read_source& source) {
  for (kernel_code& kernel : source.kernels)
    for (code_array& array : kernel.shared) {
      std::string& refusal = array.source.refusal;
      if (!refusal.empty() || array.source.is_of_one_kernel) continue;
      for (const kernel_code& other : source.kernels)
        for (const code_array& also : other.shared)
          if (array.bytes == 0 && &other != &kernel && also.name == array.name &&
              also.location.line == array.location.line &&
              also.location.column == array.location.column)
            refusal = joined("the kernel ", other.name, " uses it too");
      if (refusal.empty() && !source.unread.empty())
        refusal =
            joined("the kernel ", source.unread[0].name, ", which is not read, may use it too");
    }
}

// Sources of HIP often end with .cu or .cpp: those that include HIP's headers and not CUDA's, or
// neither and use words of HIP's. One that is for both is CUDA, unless a machine of AMD is named.
bool is_hip(const question& asked) {
  if (std::filesystem::path(asked.file).extension() == ".hip") return true;
  if (!asked.machines.empty()) return asked.machines[0].starts_with("gfx");
  if (!asked.flags.language.empty()) return asked.flags.language == "hip";
  const std::string text =
      asked.contents ? *asked.contents : command_line::file_content(asked.file);
  // A program's own header may be named after a toolkit: those beside the files are none.
  std::set<std::string> headers;
  command_line::any_header(asked.file, text, {},
                           [&](const command_line::included_header& header, const auto& path) {
                             if (path.empty()) headers.insert(header.name);
                             return false;
                           });
  const auto begins = [&](const char* prefix) {
    const auto match = headers.lower_bound(prefix);
    return match != headers.end() && match->rfind(prefix, 0) == 0;
  };
  const auto is_used = [&](const char* word) { return text.find(word) != std::string::npos; };
  return !begins("cuda") && (begins("hip/") || is_used("HIP_DYNAMIC_SHARED(") ||
                             is_used("hipLaunchKernelGGL(") || is_used("hipThreadIdx_x"));
}

// Error: a folder of CUDA that is not there. Other folders that are not there are noted, as
// compilers leave them out.
void check_folders(const question& asked) {
  std::error_code none;
  if (!asked.cuda_path.empty() && !std::filesystem::is_directory(asked.cuda_path, none))
    throw input_error(joined("--cuda-path ", asked.cuda_path, ": there is no such folder"),
                      "give the folder of a CUDA toolkit, or leave it out");
  const auto note = [&](const char* option, const std::vector<std::string>& folders) {
    for (const std::string& folder : folders)
      if (asked.tell && !std::filesystem::is_directory(folder, none))
        asked.tell(joined("bankmodel: note: ", option, " ", folder, ": there is no such folder\n"));
  };
  note("-I", asked.flags.include_folders);
  note("-isystem", asked.flags.system_folders);
}

source_options options_of_source(const question& asked, bool unrolls) {
  source_options options;
  options.flags = asked.flags;
  if (!asked.flags.standard.empty()) options.standard = asked.flags.standard;
  options.cuda_path = asked.cuda_path;
  std::istringstream words(asked.program_arguments);
  for (std::string word; words >> word;) options.program_arguments.push_back(word);
  for (const std::string& argument : asked.arguments)
    if (const std::size_t equals = argument.find('='); equals != std::string::npos)
      if (const auto bits = integer_bits(argument.substr(equals + 1), 8))
        options.kernel_arguments.emplace(argument.substr(0, equals), static_cast<long long>(*bits));
  options.is_hip = is_hip(asked);
  if (options.is_hip && !asked.machines.empty()) options.architecture = asked.machines[0];
  if (!options.is_hip && !asked.machines.empty())
    if (const bankmodel::machine m = command_line::machine_of(asked.machines[0], {});
        m.made_by == bankmodel::vendor::nvidia) {
      options.cuda_arch = m.model * 10;
      options.arch_suffix = command_line::suffix_of_architecture(asked.machines[0]);
      options.widest_access = static_cast<std::uint64_t>(m.global.most_bytes);
    }
  options.contents = asked.contents;
  options.header_contents = asked.header_contents;
  options.cluster = cluster_of(asked.cluster);
  options.unrolls = unrolls;
  options.passes_over = [&asked](std::vector<readable_kernel>& kernels) {
    pass_over_kernels(asked, kernels);
  };
  options.assumes_instances = true;
  return options;
}

const std::string& file_to_read(const question& asked) {
  return asked.unit.empty() ? asked.file : asked.unit;
}

// The launches in the host code. It is read with our own declarations: how a toolkit's headers
// declare a launch depends on the compiler.
std::vector<found_launch> launches_in(question asked) {
  asked.cuda_path.clear();
  return read_cuda(file_to_read(asked), options_of_source(asked, false)).launches;
}

// The line of the first `__global__` in the file; 0 if there is none.
int line_of_a_kernel(const question& asked) {
  std::ifstream file;
  std::istringstream text(asked.contents.value_or(""));
  if (!asked.contents) file.open(asked.file);
  std::istream& lines = asked.contents ? static_cast<std::istream&>(text) : file;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t comment = std::min(line.find("//"), line.size());
    if (line.rfind("__global__", comment) != std::string::npos) return number;
  }
  return 0;
}

// "k in line 8 is left out by `#ifdef FAST` in line 7"
std::string text_of_skipped(const skipped_kernel& kernel) {
  return joined(kernel.name, " in line ", kernel.line, " is left out by `", kernel.directive,
                "` in line ", kernel.directive_line);
}

// The kernels that the preprocessor leaves out, unless one of the same name is read.
std::string text_of_skipped(const read_source& source) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> texts;
  for (const skipped_kernel& skipped : source.skipped_kernels) {
    const auto has_its_name = [&](const auto& kernel) {
      const std::string name = unqualified_name(kernel.name);
      return name.substr(0, name.find_first_of("<(")) == skipped.name;
    };
    if (std::ranges::none_of(source.kernels, has_its_name) &&
        std::ranges::none_of(source.passed_over, has_its_name))
      texts.push_back(text_of_skipped(skipped));
  }
  std::string result;
  for (std::size_t number = 0; number < std::min(texts.size(), most_named); ++number)
    result += joined(number == 0 ? "" : ", ", texts[number]);
  if (texts.size() > most_named)
    result += joined(", and ", texts.size() - most_named, " more kernels are left out");
  return texts.empty() ? "" : joined(result, "; -D defines a macro");
}

refusal has_no_kernel(const question& asked, const read_source& source) {
  if (!source.unread_launches.empty())
    return {{},
            joined(asked.file, " has no kernel that was read; not read: ",
                   text_of_unread(source.unread_launches.front(), asked.file,
                                  {source.unread_launches.front().line})),
            "correct it, or give the same -I, -D and --std that your build uses"};
  if (!source.kernels_without_instance.empty())
    return {{},
            joined(asked.file, " has no kernel: the template ", source.kernels_without_instance[0],
                   " has no instance"),
            "a template needs a launch or an explicit instantiation"};
  if (!source.skipped_kernels.empty())
    return {{},
            joined(asked.file, " has no kernel that is compiled here: ",
                   text_of_skipped(source.skipped_kernels.front())),
            "give the macros that your build defines with -D"};
  if (const int line = line_of_a_kernel(asked); line > 0)
    return {{},
            joined(asked.file, ":", line,
                   ": the preprocessor leaves this __global__ function out, or it is a declaration "
                   "without a body; no other is defined"),
            "give the macros that your build defines with -D"};
  return {{},
          joined(asked.file, " has no kernel: no __global__ function is defined in it"),
          "give another file; a template needs a launch or an explicit instantiation"};
}

// The instances that are asked for by name, k<double, 64>, and that the file does not have.
std::vector<std::string> missing_instances(const question& asked, const read_source& source) {
  std::vector<std::string> result;
  for (const std::string& name : asked.kernels) {
    const bool is_instance = name.find('<') != std::string::npos && name.back() == '>' &&
                             name.find_first_of("*?;{}\"'") == std::string::npos;
    const auto is_it = [&](const kernel_code& kernel) {
      return candidate{kernel.name, kernel.linkage, &kernel, "", kernel.short_name}.is(name);
    };
    if (is_instance && std::ranges::none_of(source.kernels, is_it)) result.push_back(name);
  }
  return result;
}

std::string names_with_commas(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += joined(result.empty() ? "" : ", ", name);
  return result;
}

// "math.cuh, tile.cuh in src/utils; cub/cub.cuh in /usr/local/cuda/include"
std::string text_of_places(const std::vector<found_header>& headers) {
  std::map<std::string, std::vector<std::string>> by_folder;
  for (const found_header& header : headers) {
    std::vector<std::string>& names = by_folder[name_from_here(header.folder)];
    if (!includes(names, header.name)) names.push_back(header.name);
  }
  std::string result;
  for (const auto& [folder, names] : by_folder)
    result += joined(result.empty() ? "" : "; ", names_with_commas(names), " in ", folder);
  return result;
}

void add_folders(const std::vector<found_header>& headers, source_options& options) {
  std::vector<std::string>& folders = options.flags.include_folders;
  for (const found_header& header : headers)
    if (!includes(folders, header.folder)) folders.push_back(header.folder);
}

// Reads the source, and again with the folders of headers that were not found and that its project
// has, which may name more; these folders are added to the options. What was found in earlier
// readings of a file is taken at once.
read_source read_with_headers_of_project(const question& asked, source_options& options,
                                         std::vector<found_header>& in_project) {
  static std::map<std::string, std::vector<found_header>> earlier;
  constexpr int most_rounds = 6;
  const std::string& file = file_to_read(asked);
  const auto add = [&](const std::vector<found_header>& headers) {
    append(in_project, headers);
    add_folders(headers, options);
  };
  if (const auto known = earlier.find(file); known != earlier.end()) add(known->second);
  read_source source = read_cuda(file, options);
  options.added_tokens = source.added_tokens;
  if (asked.is_recount || !is_file(file)) return source;
  for (int round = 0; round < most_rounds && !source.missing_headers.empty(); ++round) {
    const std::size_t folder_count = options.flags.include_folders.size();
    add(headers_in_project(file, source.missing_headers));
    if (options.flags.include_folders.size() == folder_count) break;
    source = read_cuda(file, options);
    options.added_tokens = source.added_tokens;
  }
  earlier[file] = in_project;
  return source;
}

source_reading reading_of(const read_source& source, const source_options& options,
                          const std::vector<found_header>& in_project) {
  source_reading result;
  result.is_hip = options.is_hip;
  result.toolkit_has_missing_headers =
      headers_in_toolkit(source.missing_headers).size() == source.missing_headers.size();
  for (const found_header& header : in_project) result.folders_in_project.push_back(header.folder);
  return result;
}

code_of_file code_of_source(const question& asked, bool unrolls) {
  check_folders(asked);
  source_options options = options_of_source(asked, unrolls);
  options.reads_once = true;  // until the folders are known
  std::vector<found_header> in_project;
  read_source source = read_with_headers_of_project(asked, options, in_project);
  // nvcc's default comes first: a later standard only for what does not compile with it.
  std::vector<std::string> notes;
  if (!asked.origin_of_flags.empty()) notes.push_back(asked.origin_of_flags);
  const auto has_failed = [&] {
    return !source.unread.empty() || (source.readable == 0 && !source.diagnostics.empty());
  };
  // Templates that do not compile with arguments that were assumed do so with no other standard.
  const auto has_failed_by_standard = [&] {
    const auto is_assumed = [&](const unread_kernel& kernel) {
      return source.assumed_templates.count(kernel.name) != 0;
    };
    return has_failed() &&
           (source.unread.empty() || !std::ranges::all_of(source.unread, is_assumed));
  };
  // Libraries that kernels call, such as cub, have no declarations of our own.
  std::vector<found_header> in_toolkit;
  if (has_failed() && asked.cuda_path.empty() && !options.is_hip)
    in_toolkit = headers_in_toolkit(source.missing_headers);
  if (!in_toolkit.empty()) {
    source_options with_toolkit = options;
    add_folders(in_toolkit, with_toolkit);
    with_toolkit.reads_once = false;
    read_source retry = read_cuda(file_to_read(asked), with_toolkit);
    if (retry.unread.size() < source.unread.size() || retry.readable > source.readable) {
      source = std::move(retry);
      options = with_toolkit;
      options.added_tokens = source.added_tokens;
      notes.push_back(joined("these headers were found in a toolkit, and -I names other folders: ",
                             text_of_places(in_toolkit)));
    }
  }
  const auto complete = [&] {
    options.reads_once = false;
    if (source.is_incomplete) source = read_cuda(file_to_read(asked), options);
  };
  if (asked.flags.standard.empty() && has_failed_by_standard()) complete();
  if (asked.flags.standard.empty() && has_failed_by_standard()) {
    source_options by_later = options;
    by_later.standard = "c++20";
    read_source retry = read_cuda(file_to_read(asked), by_later);
    if (retry.unread.size() <= source.unread.size() && retry.readable > source.readable) {
      source = std::move(retry);
      options = by_later;
      notes.push_back(
          "read as C++20, without which kernels of the file do not compile; --std says another "
          "standard");
    }
  }
  complete();
  set_short_names(source.kernels, source.passed_over, false);
  options.instances = missing_instances(asked, source);
  if (!options.instances.empty()) source = read_cuda(file_to_read(asked), options);
  const std::string missing = names_with_commas(source.missing_headers);
  if (!in_project.empty())
    notes.push_back(joined("these headers were found in the project, and -I names other folders: ",
                           text_of_places(in_project)));
  if (!source.headers_beside.empty())
    notes.push_back(
        joined("these headers in angle brackets were found beside the files that ",
               "include them; -I names other folders: ", names_with_commas(source.headers_beside)));
  // Errors in a file without a kernel are of no interest.
  const bool is_without = source.diagnostics.empty() || (source.unread.empty() && missing.empty() &&
                                                         line_of_a_kernel(asked) == 0);
  const source_reading reading = reading_of(source, options, in_project);
  if (source.readable == 0 && is_without) {
    if (source.unread_launches.empty()) throw has_no_kernel(asked, source);
    throw uncompiled_source{has_no_kernel(asked, source), reading};
  }
  if (source.readable == 0 && source.unread.size() < 2) {
    std::optional<refusal> assumed;
    if (!source.unread.empty())
      assumed = template_does_not_compile(source.assumed_templates, source.unread[0].name,
                                          source.unread[0].reason, missing);
    throw uncompiled_source{
        assumed
            ? *assumed
            : does_not_compile(asked.file, first_errors_of(source.diagnostics, most_errors_of_file),
                               missing),
        reading};
  }
  const std::string skipped = text_of_skipped(source);
  if (source.launches.empty() && !asked.cuda_path.empty()) source.launches = launches_in(asked);
  refuse_shared_declarations(source);
  return {std::move(source.kernels),
          std::move(source.launches),
          std::move(source.unread),
          options.is_hip ? "gfx90a" : "sm_90",
          missing,
          "",
          std::move(source.optimized),
          source.depends_on_machine,
          std::move(source.unread_launches),
          std::move(source.kernels_without_instance),
          std::move(source.missing_own_headers),
          std::move(source.assumed_templates),
          std::move(notes),
          skipped,
          std::move(source.passed_over),
          std::move(source.errors),
          reading};
}
#else
std::vector<found_launch> launches_in(const question&) { return {}; }

code_of_file code_of_source(const question& asked, bool) {
  throw uncompiled_source{
      {{},
       joined("this program was built without Clang's libraries, which read ", asked.file),
       "apt-get install libclang-dev llvm-dev and build it again, or give it the "
       "PTX that nvcc -lineinfo -ptx makes of the file"},
      {}};
}
#endif

}  // namespace

bool keep_kernels(code_of_file& code, const std::function<bool(const kernel_code&)>& is_meant) {
  std::vector<std::size_t> meant;
  for (std::size_t index = 0; index < code.kernels.size(); ++index)
    if (is_meant(code.kernels[index])) meant.push_back(index);
  if (meant.empty()) return false;
  if (meant.size() == code.kernels.size()) return true;
  std::vector<kernel_code> kernels;
  for (const std::size_t index : meant) kernels.push_back(std::move(code.kernels[index]));
  code.kernels = std::move(kernels);
  if (code.optimized)
    code.optimized = [optimized = std::move(code.optimized), meant](std::size_t index) {
      return optimized(meant[index]);
    };
  return true;
}

namespace {

// The kernels of a file as the unit has them that includes it. Nothing: it has none, and why.
std::optional<code_of_file> code_in_unit(const question& asked, bool unrolls, std::string& reason) {
  const std::string header = canonical(asked.file);
  const auto is_header = [&](const std::string& file) { return canonical(file) == header; };
  const auto is_defined_there = [&](const kernel_code& kernel) {
    return kernel.definition.file >= 0 && is_header(kernel.files[slot(kernel.definition.file)]);
  };
  const auto has_code_of_it = [&](const kernel_code& item) {
    return std::ranges::any_of(item.files, is_header);
  };
  try {
    code_of_file result = code_of_source(asked, unrolls);
    if (keep_kernels(result, is_defined_there) || keep_kernels(result, has_code_of_it))
      return result;
    reason = " has no kernel with code of it";
  } catch (const refusal&) {
    reason = " has no kernel that compiles";
  }
  return std::nullopt;
}

// A header's kernels as its unit has them; without any of them, the header alone.
code_of_file code_of_header(const question& asked, bool unrolls) {
  std::string reason;
  if (std::optional<code_of_file> unit_code = code_in_unit(asked, unrolls, reason))
    return std::move(*unit_code);
  question alone = asked;
  alone.unit.clear();
  alone.origin_of_flags =
      joined(asked.unit, reason, ", so this file is read alone, with the same options");
  return code_of_source(alone, unrolls);
}

// A file that does not compile alone may be a part of another one.
code_of_file code_of_file_or_part(const question& asked, bool unrolls) {
  constexpr std::size_t most_units = 3;
  std::optional<code_of_file> alone;
  std::exception_ptr failure;
  try {
    alone = code_of_source(asked, unrolls);
    if (alone->unread.empty()) return std::move(*alone);
  } catch (const refusal&) {
    failure = std::current_exception();
  }
  std::vector<std::string> units;
  if (!asked.contents && is_file(asked.file)) units = files_that_include(asked.file);
  for (std::size_t number = 0; number < std::min(units.size(), most_units); ++number) {
    question through = asked;
    through.unit = units[number];
    through.origin_of_flags =
        joined("read through ", name_from_here(through.unit), ", which includes it",
               asked.origin_of_flags.empty() ? "" : "; ", asked.origin_of_flags);
    std::string reason;
    std::optional<code_of_file> unit_code = code_in_unit(through, unrolls, reason);
    if (unit_code && (!alone || unit_code->unread.size() < alone->unread.size()))
      return std::move(*unit_code);
  }
  if (!alone) std::rethrow_exception(failure);
  return std::move(*alone);
}

code_of_file code_of_source_or_nvcc(const question& asked, bool unrolls) {
  try {
    code_of_file result =
        asked.unit.empty() ? code_of_file_or_part(asked, unrolls) : code_of_header(asked, unrolls);
    if (!result.unread.empty() && may_ask_nvcc(asked, result.reading))
      add_kernels_by_nvcc(asked, result);
    return result;
  } catch (const uncompiled_source& reason) {
    if (!may_ask_nvcc(asked, reason.reading)) throw;
    try {
      code_of_file result = code_by_nvcc_alone(asked, reason.reading, reason, launches_in(asked));
      if (!result.kernels.empty()) return result;
    } catch (const refusal&) {
    }
    throw;  // what Clang says, which has lines and columns
  }
}

code_of_file code_by_any_reader(const question& asked, bool unrolls) {
  if (asked.nvcc == nvcc_use::always) return code_by_nvcc(asked, launches_in(asked));
  if (is_source(asked.file)) return code_of_source_or_nvcc(asked, unrolls);
  code_of_file result = code_of_ptx(asked, asked.text, "");
  pass_over_kernels_of_ptx(asked, "", result);
  return result;
}

}  // namespace

code_of_file read_code(const question& asked, bool unrolls) {
  // What was read of headers and of the prelude is kept.
  static std::mutex lock;
  const std::lock_guard held(lock);
  code_of_file result = code_by_any_reader(asked, unrolls);
  set_short_names(result.kernels, result.passed_over_kernels, asked.long_names);
  return result;
}

}  // namespace compiled
