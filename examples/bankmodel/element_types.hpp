// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "sequences.hpp"

namespace command_line {

// Types of one word, the bytes of each, and whether it is an integer: such a variable may be used
// in a subscript.
struct element_type {
  std::string_view names;
  int bytes;
  bool counts;
};

inline constexpr element_type element_types[] = {
    {"bool", 1, false},
    {"char uchar int8_t uint8_t", 1, true},
    {"short ushort int16_t uint16_t", 2, true},
    {"int uint int32_t uint32_t", 4, true},
    {"int64_t uint64_t size_t", 8, true},
    {"half __half bf16 __nv_bfloat16", 2, false},
    {"half2 __half2 __nv_bfloat162 float", 4, false},
    {"double", 8, false},
    {"char2", 2, false},
    {"char4", 4, false},
    {"uchar2", 2, false},
    {"uchar4 short2", 4, false},
    {"short4", 8, false},
    {"ushort2", 4, false},
    {"ushort4 int2", 8, false},
    {"int3", 12, false},
    {"int4", 16, false},
    {"uint2", 8, false},
    {"uint3", 12, false},
    {"uint4", 16, false},
    {"float2", 8, false},
    {"float3", 12, false},
    {"float4 longlong2 ulonglong2 double2", 16, false}};

inline const element_type* find_element_type(std::string_view name) {
  for (const element_type& element : element_types)
    if (has_word(element.names, name)) return &element;
  return nullptr;
}

// Words of a type before its name.
inline bool is_qualifier(std::string_view word) {
  return has_word("const volatile static constexpr register", word);
}

// True for every word of a type that is known.
inline bool is_type_word(std::string_view word) {
  return find_element_type(word) != nullptr || is_qualifier(word) || word == "unsigned" ||
         word == "signed" || word == "long" || word == "auto";
}

}  // namespace command_line
