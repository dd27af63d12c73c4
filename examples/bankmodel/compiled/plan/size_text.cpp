// SPDX-License-Identifier: MIT
#include "size_text.hpp"

#include "../../source.hpp"

namespace compiled {

using command_line::joined;

std::string text_of_size(const size_form& size,
                         const std::function<std::string(const std::string& name)>& text_of) {
  std::string result;
  for (const auto& [names, times] : size) {
    const long long magnitude = times < 0 ? -times : times;
    std::string product = magnitude == 1 && !names.empty() ? "" : std::to_string(magnitude);
    for (const std::string& name : names)
      product += joined(product.empty() ? "" : " * ", text_of(name));
    result += joined(result.empty() ? (times < 0 ? "-" : "") : times < 0 ? " - " : " + ", product);
  }
  return result.empty() ? "0" : result;
}

}  // namespace compiled
