// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_BENCH_PAGE_HPP
#define BANKMODEL_BENCH_PAGE_HPP

#include <map>
#include <string>
#include <vector>

// bench/README.md while it is made: Markdown, pictures, and what the sections report to the page's
// beginning and end.
namespace bench {

struct aim {
  std::string subject, wanted, measured;
  bool reached;
};

class page {
 public:
  // A paragraph, broken into lines.
  void text(const std::string& words);
  using row = std::vector<std::string>;
  // A table: the first column to the left, all others to the right.
  void table(const row& head, const std::vector<row>& rows);
  void code(const std::string& lines);
  // A picture beside the page; `words` describe it to those who do not see it.
  void picture(const std::string& file, const std::string& svg, const std::string& words);
  void heading(const std::string& words) { markdown += "## " + words + "\n\n"; }

  std::string markdown;
  std::map<std::string, std::string> pictures;  // file name -> SVG
  std::vector<aim> aims;
  std::map<std::string, double> figures;  // for the page's first sentence
};

// A time: 204 ns, 1.21 µs, 33.8 ms, 1.06 s.
std::string time_text(double ns);
// Three digits, with commas: 7.71, 487, 5,170,000.
std::string number_text(double value);
// All digits, with commas.
std::string count_text(unsigned long long value);

// The paragraph's lines, of at most `columns` bytes where its words allow it.
std::string wrapped(const std::string& words, std::size_t columns);

// The text that the command prints.
std::string output_of(const std::string& command);

// Ends the program if two programs that are compared do not compute the same number.
void require_same(const std::string& subject, unsigned long long first, unsigned long long other);

}  // namespace bench

#endif
