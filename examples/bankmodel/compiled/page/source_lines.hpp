// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "../engine/run.hpp"

namespace compiled {

// The lines of the sources that could be read; each file is read once.
class source_lines {
 public:
  // Relative names are looked for beside `beside` too, the file that was given to the program.
  explicit source_lines(std::string beside) : beside_(std::move(beside)) {}

  // A text that is there instead of the file's own.
  void give(const std::string& file, const std::string& text);

  // All lines of a file; none if it cannot be read.
  const std::vector<std::string>& text_lines(const std::string& file);
  // Line `number` as it is; empty if it cannot be read.
  std::string line(const std::string& file, int number);
  // The line of a place, without the blanks around it.
  std::string line_of(const kernel_code& kernel, const place& position);
  // Where the file was found, from the working directory if it is below it.
  std::string path(const std::string& file);
  // text_with_path() with this path.
  std::string text_of(const kernel_code& kernel, const place& position);

 private:
  struct file_lines {
    std::string path;
    std::vector<std::string> lines;
  };
  const file_lines& read(const std::string& file);

  std::string beside_;
  std::map<std::string, file_lines> files_;
};

// The name of the place's file as it is in the code; empty if it is unknown.
std::string file_of(const kernel_code& kernel, const place& position);

// True for source, by its name: it is read from the file, not from question::text.
bool is_source(const std::string& file);

// True for PTX, and for source for Clang's libraries, by the name; other text is a kernel file.
bool is_compiled(const std::string& file);

// A file's path from the working directory if it is below it, else as it is.
std::string path_from_here(const std::string& file);

// text() with the file's folder: src/transpose.cu:12:5. The kernel's name if the place is not
// known.
std::string text_with_path(const kernel_code& kernel, const place& position);

}  // namespace compiled
