// SPDX-License-Identifier: MIT
#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace command_line {

text_shape shape_of_output() {
  text_shape result;
  if (isatty(STDOUT_FILENO) == 0) return result;
  result.is_terminal = true;
  constexpr long minimum = 40, maximum = 1000;  // narrower ones break words, not lines
  long columns = 0;
  if (const char* const setting = std::getenv("COLUMNS"); setting != nullptr)
    columns = std::strtol(setting, nullptr, 10);
  winsize size = {};
  if (columns <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  if (columns > 0) result.width = static_cast<std::size_t>(std::clamp(columns, minimum, maximum));
  return result;
}

}  // namespace command_line
