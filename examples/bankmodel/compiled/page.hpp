// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_HPP

#include <bankmodel/model/machine.hpp>

#include "array_plan.hpp"
#include "priced.hpp"

// What a person or a program reads about a compiled kernel.
namespace compiled {

// A kernel on one machine. The code and the recording outlive it.
struct page {
  const kernel_code* kernel = nullptr;
  const recording* recorded = nullptr;
  launch how;
  bm::machine machine;
  priced costs;
  std::vector<array_plan> plans = {};  // better layouts of its arrays, if they were looked for
};

// The lines of the sources that could be read; each is read once.
class source_lines {
 public:
  // Relative names are looked for beside `beside` too, the file that was given to the program.
  explicit source_lines(std::string beside) : beside_(std::move(beside)) {}
  // Line `number` without the blanks around it; empty if it cannot be read. `indent`, if it is
  // given, becomes the number of blanks that were before it.
  std::string line(const std::string& file, int number, std::size_t* indent = nullptr);

 private:
  std::string beside_;
  std::map<std::string, std::vector<std::string>> files_;
};

// Two tables, and for each access with conflicts or with transactions beyond the ideal a message
// as compilers write them, with the source line below it.
std::string as_text(const page& of, source_lines& lines);
std::string as_json(const std::vector<page>& all, const std::string& file);
std::string as_csv(const std::vector<page>& all);

// text() with the file's folder: src/transpose.cu:12:5. The kernel's name if the place is not
// known.
std::string text_with_path(const kernel_code& kernel, const place& where);

// "load", "store of 16 bytes", ..
std::string verb_of(const memory_access& access);

// The name of the array, or of the pointer; empty if it is not known.
std::string array_name(const kernel_code& kernel, const recorded_access& access);

}  // namespace compiled

#endif
