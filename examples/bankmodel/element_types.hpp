// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_ELEMENT_TYPES_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_ELEMENT_TYPES_HPP

#include <string_view>

namespace command_line {

// A type of one word, its bytes, and whether it is an integer: such a variable may be used in a
// subscript.
struct element_type {
  std::string_view name;
  int bytes;
  bool counts;
};

inline constexpr element_type element_types[] = {{"bool", 1, false},
                                                 {"char", 1, true},
                                                 {"uchar", 1, true},
                                                 {"int8_t", 1, true},
                                                 {"uint8_t", 1, true},
                                                 {"short", 2, true},
                                                 {"ushort", 2, true},
                                                 {"int16_t", 2, true},
                                                 {"uint16_t", 2, true},
                                                 {"int", 4, true},
                                                 {"uint", 4, true},
                                                 {"int32_t", 4, true},
                                                 {"uint32_t", 4, true},
                                                 {"int64_t", 8, true},
                                                 {"uint64_t", 8, true},
                                                 {"size_t", 8, true},
                                                 {"half", 2, false},
                                                 {"__half", 2, false},
                                                 {"bf16", 2, false},
                                                 {"__nv_bfloat16", 2, false},
                                                 {"half2", 4, false},
                                                 {"__half2", 4, false},
                                                 {"__nv_bfloat162", 4, false},
                                                 {"float", 4, false},
                                                 {"double", 8, false},
                                                 {"char2", 2, false},
                                                 {"char4", 4, false},
                                                 {"uchar2", 2, false},
                                                 {"uchar4", 4, false},
                                                 {"short2", 4, false},
                                                 {"short4", 8, false},
                                                 {"ushort2", 4, false},
                                                 {"ushort4", 8, false},
                                                 {"int2", 8, false},
                                                 {"int3", 12, false},
                                                 {"int4", 16, false},
                                                 {"uint2", 8, false},
                                                 {"uint3", 12, false},
                                                 {"uint4", 16, false},
                                                 {"float2", 8, false},
                                                 {"float3", 12, false},
                                                 {"float4", 16, false},
                                                 {"longlong2", 16, false},
                                                 {"ulonglong2", 16, false},
                                                 {"double2", 16, false}};

inline const element_type* find_element_type(std::string_view name) {
  for (const element_type& element : element_types)
    if (element.name == name) return &element;
  return nullptr;
}

// Words of a type before its name.
inline bool is_qualifier(std::string_view word) {
  for (const std::string_view qualifier : {"const", "volatile", "static", "constexpr", "register"})
    if (word == qualifier) return true;
  return false;
}

// True for every word of a type that is known.
inline bool is_type_word(std::string_view word) {
  return find_element_type(word) != nullptr || is_qualifier(word) || word == "unsigned" ||
         word == "signed" || word == "long" || word == "auto";
}

}  // namespace command_line

#endif
