// SPDX-License-Identifier: MIT
#include "build_flags.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "../clang_reader/compile_commands.hpp"
#include "../file_content.hpp"
#include "../included_headers.hpp"
#include "../known_machines.hpp"
#include "build/paths.hpp"

namespace compiled {

namespace {

namespace fs = std::filesystem;

constexpr char database_name[] = "compile_commands.json";

using teller = std::function<void(const std::string&)>;

// The file that -p names: a database, or the folder of one.
std::string named_database(const std::string& build) {
  const fs::path file = is_file(build) ? fs::path(build) : fs::path(build) / database_name;
  if (!is_file(file))
    throw input_error(joined("-p ", build, ": there is no ", file.string()),
                      "name the folder of the build: cmake -D CMAKE_EXPORT_COMPILE_COMMANDS=ON or "
                      "`bear -- make` writes it there");
  return canonical(file.string());
}

#ifdef BANKMODEL_HAS_CLANG
// Of the file's folders the first with one; empty: none has one.
std::string database_above(const std::string& file) {
  for (fs::path folder = fs::path(canonical(file)).parent_path(); !folder.empty();
       folder = folder.parent_path()) {
    for (const fs::path& database : {folder / database_name, folder / "build" / database_name})
      if (is_file(database)) return database.string();
    if (folder == folder.parent_path()) break;
  }
  return {};
}
#endif

// Empty: there is none.
std::string database_of(const std::string& build, const std::string& file) {
  if (!is_source(file)) return {};
  if (!build.empty()) return named_database(build);
#ifdef BANKMODEL_HAS_CLANG
  if (is_file(file)) return database_above(file);  // text without a file has no folder
#endif
  return {};
}

bool is_language_of_kernels(const compile_command& command) {
  const std::string ending = fs::path(command.file).extension().string();
  return ending == ".cu" || ending == ".hip" ||
         !flags_of_command(command.words, command.directory).language.empty();
}

#ifdef BANKMODEL_HAS_CLANG
compile_commands read_database(const std::string& path) { return read_compile_commands(path); }
#else
compile_commands read_database(const std::string&) {
  throw input_error("this program was built without Clang's libraries, which read source",
                    "apt-get install libclang-dev llvm-dev and build it again, or leave out -p");
}
#endif

// The entries of a database, read once in a run of the program, in which its faults are said once.
const compile_commands& commands_in(const std::string& path, const teller& tell) {
  static std::map<std::string, compile_commands> databases;
  const auto [known, is_new] = databases.try_emplace(path);
  if (!is_new) return known->second;
  compile_commands& read = known->second;
  read = read_database(path);
  for (compile_command& command : read.commands) command.file = canonical(command.file);
  constexpr std::size_t most_said = 5;
  for (std::size_t number = 0; tell && number < read.faults.size(); ++number) {
    const std::size_t left = read.faults.size() - number;
    const bool is_last = number == most_said;
    tell(joined("bankmodel: note: ", name_from_here(path), ": ",
                is_last ? joined("and ", left, " more such entries") : read.faults[number], "\n"));
    if (is_last) break;
  }
  return read;
}

bool includes_file(const compile_command& command, const std::string& file) {
  return command_line::any_header(
      command.file, command_line::file_content(command.file),
      flags_of_command(command.words, command.directory).include_folders,
      [&](const command_line::included_header&, const std::string& path) { return path == file; });
}

enum class relation : unsigned char { itself, includes, is_near };
struct found_command {
  const compile_command* command = nullptr;  // null: there is none
  relation kind = relation::itself;
};

found_command command_for(const std::string& file, const compile_commands& database) {
  for (const compile_command& command : database.commands)
    if (command.file == file) return {&command, relation::itself};
  std::vector<const compile_command*> neighbours;
  for (const compile_command& command : database.commands)
    if (is_language_of_kernels(command)) neighbours.push_back(&command);
  std::ranges::stable_sort(neighbours,
                           [&](const compile_command* left, const compile_command* right) {
                             return is_nearer(left->file, right->file, file);
                           });
  for (const compile_command* const command : neighbours)
    if (includes_file(*command, file)) return {command, relation::includes};
  return neighbours.empty() ? found_command{}
                            : found_command{neighbours.front(), relation::is_near};
}

// "sm_90 (also for sm_80)"; empty: the options name no machine.
std::string machines_in(const compiler_flags& flags, bool is_known) {
  const std::string machine = machine_of_flags(flags);
  std::string rest;
  for (const std::string& architecture : flags.architectures)
    if (architecture != machine) rest += joined(rest.empty() ? " (also for " : ", ", architecture);
  return joined(machine, is_known ? "" : ", which is not known here", rest,
                rest.empty() ? "" : ")");
}

// "sm_90, c++17, 2 folders of headers, 3 macros"
std::string summary_of(const compiler_flags& flags, bool is_known) {
  std::vector<std::string> parts;
  if (!flags.architectures.empty()) parts.push_back(machines_in(flags, is_known));
  if (!flags.standard.empty()) parts.push_back(flags.standard);
  const std::size_t folders = flags.include_folders.size() + flags.system_folders.size();
  if (folders > 0)
    parts.push_back(joined(bm::detail::counted_in_words(folders, "folder"), " of headers"));
  const std::size_t macros = flags.defines.size() + flags.undefines.size();
  if (macros > 0) parts.push_back(bm::detail::counted_in_words(macros, "macro"));
  std::string result;
  for (const std::string& part : parts) result += joined(result.empty() ? "" : ", ", part);
  return result.empty() ? "none that change what is read" : result;
}

bool is_known_machine(const std::string& name) {
  try {
    (void)command_line::machine_of(name, {});
    return true;
  } catch (const refusal&) {
    return false;
  }
}

std::string origin_of(const found_command& match, const std::string& database,
                      const std::string& options) {
  const std::string other = name_from_here(match.command->file);
  switch (match.kind) {
    case relation::itself: return joined("read with the options in ", database, ": ", options);
    case relation::includes:
      return joined("read through ", other, ", which includes it, with its options in ", database,
                    ": ", options);
    default:
      return joined("read with the options of ", other, ", since ", database,
                    " has no entry for it or for a file that includes it: ", options);
  }
}

}  // namespace

void load_build(const std::string& build, const std::string& file, const teller& tell) {
  if (const std::string path = database_of(build, file); !path.empty()) commands_in(path, tell);
}

question with_flags_of_build(const question& asked) {
  const std::string path = database_of(asked.build, asked.file);
  if (path.empty()) return asked;
  const compile_commands& database = commands_in(path, asked.tell);
  const found_command match = command_for(canonical(asked.file), database);
  if (match.command == nullptr) {
    if (!asked.build.empty() && asked.tell && !database.commands.empty())
      asked.tell(joined("bankmodel: note: ", name_from_here(path),
                        " has no file of CUDA or HIP, and ", asked.file,
                        " is read without options of it\n"));
    return asked;
  }
  question result = asked;
  const compile_command& command = *match.command;
  std::error_code none;
  if (asked.tell && !fs::is_directory(command.directory, none))
    asked.tell(joined("bankmodel: note: ", name_from_here(path), ": the folder ", command.directory,
                      " of the entry of ", name_from_here(command.file),
                      " is not there, and names in its options are relative to it\n"));
  const compiler_flags flags = flags_of_command(command.words, command.directory);
  add_missing(flags, result.flags);
  const std::string machine = machine_of_flags(flags);
  const bool is_known = machine.empty() || is_known_machine(machine);
  // The language that was given may be another one than the build's.
  const bool is_of_language = result.flags.language.empty() ||
                              (result.flags.language == "hip") == (machine.starts_with("gfx"));
  if (asked.machines.empty() && !asked.all_machines && !machine.empty() && is_known &&
      is_of_language)
    result.machines = {machine};
  if (match.kind == relation::includes) result.unit = command.file;
  result.origin_of_flags = origin_of(match, name_from_here(path), summary_of(flags, is_known));
  return result;
}

build_files files_of_build(const std::string& build, const teller& tell) {
  const std::string path = named_database(build);
  std::set<std::string> present, missing;
  for (const compile_command& command : commands_in(path, tell).commands)
    if (is_language_of_kernels(command) && is_source(command.file))
      (is_file(command.file) ? present : missing).insert(name_from_here(command.file));
  if (present.empty())
    throw input_error(
        joined(name_from_here(path), missing.empty() ? " has no file of CUDA or HIP"
                                                     : joined(" names ", *missing.begin(),
                                                              " and no such file that is there")),
        "build the project with its CUDA or HIP files, or name a file");
  return {{present.begin(), present.end()}, {missing.begin(), missing.end()}};
}

}  // namespace compiled
