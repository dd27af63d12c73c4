// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_COMPILER_HPP
#define BANKMODEL_BENCH_COMPILER_HPP

#include <string>
#include <vector>

// The compilers of this system, and the time that they take for small files.
namespace bench {

// A file that is compiled, with the options that it needs.
struct source {
  std::string text, options;
};

// Returns the least CPU time of each command, in milliseconds, of five runs that take turns.
// `folder` keeps what they print. Error: one fails.
std::vector<double> least_ms_of(const std::vector<std::string>& commands,
                                const std::string& folder);

class compiler {
 public:
  // `folder` keeps the files.
  compiler(const std::string& command, const std::string& folder);

  static bool is_installed(const std::string& command);
  const std::string& command() const { return command_; }
  // Its first line of --version.
  std::string version() const;

  bool compiles(const source& file) const;
  // Returns the least CPU time for each file, in milliseconds, of five compilations that take
  // turns. Error: a file does not compile.
  std::vector<double> least_ms(const std::vector<source>& files) const;
  // Writes a header and precompiles it. Returns the options that use it.
  std::string precompiled(const std::string& text) const;

 private:
  std::string write(const std::string& name, const std::string& text) const;
  std::string command_for(const source& file, const std::string& path) const;

  std::string command_, folder_;
};

}  // namespace bench

#endif
