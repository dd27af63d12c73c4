// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/global/memory_traffic.hpp>
#include <bankmodel/model/cost.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "source.hpp"

// Parts of the JSON that --json prints.
namespace command_line {

namespace bm = bankmodel;

std::string json_string(std::string_view text);

// The elements, separated by commas, each on a line that begins with `indent`.
class list {
 public:
  explicit list(std::string indent) : indent_(std::move(indent)) {}
  void add(const std::string& element) {
    text_ += joined(text_.empty() ? "" : ",", "\n", indent_, element);
  }
  std::string text() const { return text_; }

 private:
  std::string indent_, text_;
};

// "requests": 32, "wavefronts": 1024, ..
std::string members(const bm::cost& cost);
std::string members(const bm::memory_traffic& traffic);

}  // namespace command_line
