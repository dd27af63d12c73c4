// SPDX-License-Identifier: MIT
#include "nvcc.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "../file_content.hpp"
#include "../known_machines.hpp"
#include "build/paths.hpp"

extern char** environ;

namespace compiled {

namespace {

namespace fs = std::filesystem;

// A new folder that only this user can read; it is removed with all that is in it.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (fs::temp_directory_path() / "bankmodel-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw input_error(joined("cannot make a folder ", name), "set TMPDIR to one that exists");
    path_ = name;
  }
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// Runs a program without a shell, its output and errors in a file. Returns its exit code.
int run_program(const std::string& program, const std::vector<std::string>& arguments,
                const std::string& output) {
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0)
    throw input_error(joined("cannot run ", program, ": ", std::generic_category().message(failed)),
                      "mend the installation of nvcc, or leave out --nvcc");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string architecture_of(const question& asked) {
  if (asked.machines.empty()) return "sm_90";
  const bm::machine m = command_line::machine_of(asked.machines[0], {});
  if (m.made_by != bm::vendor::nvidia)
    throw input_error(joined("nvcc does not compile for ", asked.machines[0]),
                      "leave out --nvcc, or name an NVIDIA machine with --machine");
  return joined("sm_", m.model);
}

// `suffix`: of the architecture.
std::vector<std::string> arguments_of(const question& asked, const std::string& output,
                                      const char* suffix) {
  std::vector<std::string> result = {"-lineinfo", "-ptx",
                                     joined("-arch=", architecture_of(asked), suffix)};
  for (const std::string& option : options_of(asked.flags)) result.push_back(option);
  if (!asked.flags.standard.empty()) result.push_back(joined("-std=", asked.flags.standard));
  // An absolute name does not begin as an option does.
  result.insert(result.end(),
                {"-x", "cu", fs::absolute(asked.unit.empty() ? asked.file : asked.unit).string(),
                 "-o", output});
  // nvcc hands all of them to a shell, in double quotes.
  for (const std::string& argument : result)
    if (argument.find('`') != std::string::npos || argument.find("$(") != std::string::npos)
      throw input_error(
          joined("nvcc would give ", argument, " to a shell, which runs a part of it"),
          "leave out that option, or --nvcc");
  return result;
}

}  // namespace

std::string program_in(const std::string& path, const std::string& name) {
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string program = (fs::path(folder.empty() ? "." : folder) / name).string();
    std::error_code ignored;
    if (access(program.c_str(), X_OK) == 0 && fs::is_regular_file(program, ignored)) return program;
  }
  return {};
}

namespace {

std::string program_on_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  return program_in(path == nullptr ? "" : path, name);
}

// Those that are there or not.
std::vector<fs::path> toolkits() {
  std::vector<fs::path> result;
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const folder = std::getenv(name); folder != nullptr && *folder != '\0')
      result.emplace_back(folder);
  const std::string nvcc = program_on_path("nvcc");
  if (!nvcc.empty()) result.push_back(fs::path(canonical(nvcc)).parent_path().parent_path());
  result.emplace_back("/usr/local/cuda");
  return result;
}

}  // namespace

std::string nvcc_program() {
  const char* const variable = std::getenv("BANKMODEL_NVCC");
  if (const std::string named = variable == nullptr ? "" : variable; !named.empty())
    return named == "none" ? "" : named;
  if (std::string path = program_on_path("nvcc"); !path.empty()) return path;
  for (const fs::path& toolkit : toolkits())
    if (std::string program = program_in((toolkit / "bin").string(), "nvcc"); !program.empty())
      return program;
  return {};
}

std::vector<found_header> headers_in_toolkit(const std::vector<std::string>& names) {
  std::vector<fs::path> folders;
  for (const fs::path& toolkit : toolkits())
    for (const char* const libraries : {"include/cccl", "include"})  // those of CUDA 13 and 12
      folders.push_back(toolkit / libraries);
  std::vector<found_header> result;
  for (const std::string& name : names) {
    const auto match = std::ranges::find_if(
        folders, [&](const fs::path& folder) { return is_file(folder / name); });
    if (match != folders.end()) result.push_back({name, match->string()});
  }
  return result;
}

std::string cubin_by_ptxas(const std::string& ptx, const std::string& machine) {
  const std::string nvcc = nvcc_program();
  const std::string beside = nvcc.empty() ? "" : fs::path(nvcc).parent_path().string();
  std::string ptxas = program_on_path("ptxas");
  if (ptxas.empty()) ptxas = program_in(beside, "ptxas");
  if (ptxas.empty()) return {};
  const temporary_folder folder;
  const std::string source = folder.file("kernel.ptx"), target = folder.file("kernel.cubin");
  std::ofstream(source, std::ios::binary) << ptx;
  const int code =
      run_program(ptxas, {"-lineinfo", joined("-arch=", machine), source, "-o", target},
                  folder.file("output.txt"));
  return code == 0 ? command_line::file_content(target) : std::string();
}

std::string ptx_by_nvcc(const question& asked) {
  if (!is_source(asked.file) || fs::path(asked.file).extension() == ".hip")
    throw input_error(joined("--nvcc compiles CUDA source, and ", asked.file, " is none"),
                      "leave out --nvcc");
  const std::string nvcc = nvcc_program();
  if (nvcc.empty())
    throw input_error(
        "nvcc is not on the path",
        "add the toolkit's folder to PATH, as /usr/local/cuda/bin, or leave out --nvcc: "
        "Clang's libraries read the file then");
  const temporary_folder folder;
  const std::string ptx = folder.file("kernel.ptx"), output = folder.file("output.txt");
  int code = run_program(nvcc, arguments_of(asked, ptx, ""), output);
  // wgmma, tcgen05 and the like are of one machine alone, which nvcc names sm_90a.
  const std::string said = code == 0 ? "" : command_line::file_content(output);
  if (said.find(" not supported on .target '") != std::string::npos)
    code = run_program(nvcc, arguments_of(asked, ptx, "a"), output);
  if (code != 0 && asked.flags.standard.empty()) {
    question by_later = asked;
    by_later.flags.standard = "c++20";
    code = run_program(nvcc, arguments_of(by_later, ptx, ""), folder.file("later.txt"));
  }
  if (code != 0)
    throw input_error(
        joined("nvcc does not compile ", asked.file, "\n", command_line::file_content(output)),
        "correct it, or give the same -I, -D, --std and --machine that your build uses");
  return command_line::file_content(ptx);
}

}  // namespace compiled
