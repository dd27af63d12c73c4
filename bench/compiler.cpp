// SPDX-License-Identifier: MIT
#include "compiler.hpp"

#include "page.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace bench {
namespace {

// CPU time of all processes that have ended.
double children_ms() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

bool runs(const std::string& command) { return std::system(command.c_str()) == 0; }

}  // namespace

std::vector<double> least_ms_of(const std::vector<std::string>& commands,
                                const std::string& folder) {
  std::vector<double> minimum(commands.size(), 1e300);
  for (int round = 0; round < 5; ++round)
    for (std::size_t number = 0; number < commands.size(); ++number) {
      const double begin_ms = children_ms();
      if (!runs(commands[number] + " >" + folder + "/said 2>&1")) {
        std::fprintf(stderr, "WRONG: a command fails, see %s/said: %s\n", folder.c_str(),
                     commands[number].c_str());
        std::exit(1);
      }
      minimum[number] = std::min(minimum[number], children_ms() - begin_ms);
    }
  return minimum;
}

compiler::compiler(const std::string& command, const std::string& folder)
    : command_(command), folder_(folder) {}

bool compiler::is_installed(const std::string& command) {
  return runs("command -v " + command + " >/dev/null");
}

std::string compiler::version() const {
  const std::string said = output_of(command_ + " --version");
  return said.substr(0, said.find('\n'));
}

std::string compiler::write(const std::string& name, const std::string& text) const {
  const std::string path = folder_ + "/" + name;
  std::ofstream(path) << text;
  return path;
}

std::string compiler::command_for(const source& file, const std::string& path) const {
  return command_ +
         " -std=c++20 -fsyntax-only -I" BANKMODEL_SOURCE "/include -I" BANKMODEL_SOURCE "/bench " +
         file.options + " " + path;
}

bool compiler::compiles(const source& file) const {
  return runs(command_for(file, write("tried.cpp", file.text)) + " >/dev/null 2>&1");
}

std::vector<double> compiler::least_ms(const std::vector<source>& files) const {
  std::vector<std::string> commands;
  for (std::size_t index = 0; index < files.size(); ++index)
    commands.push_back(command_for(
        files[index], write("file" + std::to_string(index) + ".cpp", files[index].text)));
  return least_ms_of(commands, folder_);
}

std::string compiler::precompiled(const std::string& text) const {
  const std::string header = write("front.hpp", text), result = header + ".gch";
  const bool is_clang = version().find("clang") != std::string::npos;
  if (!runs(command_ + " -std=c++20 -I" BANKMODEL_SOURCE "/include -x c++-header " + header +
            " -o " + result)) {
    std::fprintf(stderr, "WRONG: %s is not precompiled\n", header.c_str());
    std::exit(1);
  }
  return is_clang ? "-include-pch " + result : "-include " + header;
}

}  // namespace bench
