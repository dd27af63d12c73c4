// SPDX-License-Identifier: MIT
#include "matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace inputs {

matrix read_matrix_market(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::uint64_t number = 0;
  const auto wrong = [&](const std::string& reason) {
    return std::runtime_error(file + ":" + std::to_string(number) + ": " + reason);
  };
  const auto next = [&] {
    while (std::getline(stream, line)) {
      ++number;
      if (number == 1 || (!line.empty() && line[0] != '%')) return true;
    }
    return false;
  };
  if (!stream || !next()) throw wrong("cannot be read; name a Matrix Market file");
  std::transform(line.begin(), line.end(), line.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  std::string begin, object, form, field, symmetry;
  std::istringstream(line) >> begin >> object >> form >> field >> symmetry;
  if (begin != "%%matrixmarket" || object != "matrix" || form != "coordinate" || symmetry.empty())
    throw wrong("does not begin with %%MatrixMarket matrix coordinate");
  long long rows = 0, columns = 0, entries = 0;
  if (!next() || !(std::istringstream(line) >> rows >> columns >> entries) || rows < 1 ||
      columns < 1 || entries < 0 || rows > 0x7fffffff || columns > 0x7fffffff)
    throw wrong("needs the numbers of rows, columns and entries");
  matrix result{static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns), {}};
  for (long long index = 0; index < entries; ++index) {
    long long row = 0, column = 0;
    if (!next()) throw wrong("ends after " + std::to_string(index) + " entries");
    if (!(std::istringstream(line) >> row >> column) || row < 1 || row > rows || column < 1 ||
        column > columns)
      throw wrong("needs a row and a column of the matrix");
    const auto r = static_cast<std::uint32_t>(row - 1), c = static_cast<std::uint32_t>(column - 1);
    result.entries.push_back({r, c});
    if (symmetry != "general" && r != c) result.entries.push_back({c, r});
  }
  if (next()) throw wrong("has more entries than its header says");
  std::sort(result.entries.begin(), result.entries.end(),
            [](const matrix_entry& a, const matrix_entry& b) {
              return std::tie(a.row, a.column) < std::tie(b.row, b.column);
            });
  return result;
}

}  // namespace inputs
