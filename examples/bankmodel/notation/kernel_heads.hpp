// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "token.hpp"

// The kernels of a text in C++, by their tokens alone: `template <int N> __global__ void f(T* a)`.
namespace command_line {

// Of the kernel or of its template.
struct kernel_parameter {
  enum class kind : unsigned char {
    number,   // of an integer type
    flag,     // bool
    pointer,  // float* a, float a[]
    type,     // typename T
    other     // float, a structure
  };
  kind is = kind::other;
  token name;
  bool is_of_template = false;
  std::size_t type = 0;  // the first token of its type
  // Of a template's parameter: int N = 32, bool B = false, typename T = double.
  std::optional<long long> value = {};
  std::string_view stated_type = {};
};

struct kernel_head {
  token name;
  std::size_t first = 0, body = 0, end = 0;  // tokens: of the head, its brace, after its brace
  std::vector<kernel_parameter> parameters;  // in their order, those of the template first
  long long most_threads = 0;                // of __launch_bounds__(256); 0: none, or no number
};

// In their order. Those that are declared only are left out.
std::vector<kernel_head> kernel_heads(const std::vector<token>& stream);

}  // namespace command_line
