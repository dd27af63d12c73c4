// SPDX-License-Identifier: MIT
#include "made_up_memory.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "../../bits_as.hpp"
#include "global_data.hpp"
#include "memory.hpp"
#include "values.hpp"

namespace compiled {

namespace {

using content = element_format::content;

// Calls take(word) for the words of a type.
template <class Take>
void for_each_word(std::string_view type, const Take& take) {
  const auto is_letter = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  for (auto begin = type.begin(); begin != type.end();) {
    begin = std::find_if(begin, type.end(), is_letter);
    const auto end = std::find_if_not(begin, type.end(), is_letter);
    if (begin != end) take(std::string_view(begin, end));
    begin = end;
  }
}

// Of the elements of a type, or of what it points to: those of a vector are its members. Floats
// where the words say nothing.
element_format format_of(std::string_view type) {
  element_format result;
  for_each_word(type, [&](std::string_view word) {
    const auto contains = [&](std::string_view part) { return word.find(part) != word.npos; };
    if (contains("bfloat16") || contains("bf16"))
      result = {content::brain_float, 2};
    else if (contains("half") || contains("Float16"))
      result = {content::half, 2};
    else if (contains("float"))
      result = {content::single, 4};
    else if (contains("double"))
      result = {content::double_precision, 8};
    else if (contains("char") || contains("int8") || word == "bool")
      result = {content::integer, 1};
    else if (contains("short") || contains("int16"))
      result = {content::integer, 2};
    else if (contains("long") || contains("int64") || contains("size_t"))
      result = {content::integer, 8};
    else if (contains("int") || word == "unsigned")
      if (result.is != content::integer) result = {content::integer, 4};
  });
  return result;
}

std::uint64_t bits_of(double number, const element_format& format) {
  const auto single = command_line::bits_as<std::uint32_t>(static_cast<float>(number));
  switch (format.is) {
    case content::double_precision: return command_line::bits_as<std::uint64_t>(number);
    case content::brain_float: return single >> 16;
    case content::half: {
      int exponent = 0;
      const double fraction = std::frexp(std::fabs(number), &exponent);  // from 1/2 to 1
      return (number < 0 ? 0x8000u : 0u) | static_cast<unsigned>(exponent + 14) << 10 |
             static_cast<unsigned>((2 * fraction - 1) * 1024);
    }
    default: return single;
  }
}

constexpr std::uint64_t pointed_distance = std::uint64_t{1} << 30;

// Of element `index` of an array.
std::uint64_t initial_value(const element_format& format, std::uint64_t array,
                            std::uint64_t index) {
  const std::uint64_t random = mixed(array, index);
  switch (format.is) {
    case content::integer: return random % 8;
    case content::address: return global_base(array) + pointed_distance + random % 64 * 4096;
    default: {
      const auto number = static_cast<double>(random % 8 + 1);
      return bits_of((random & 8) != 0 ? -number : number, format);
    }
  }
}

}  // namespace

made_up_memory::made_up_memory(const kernel_code& kernel, const launch& settings)
    : kernel_(kernel) {
  for (const code_parameter& parameter : kernel.parameters) {
    const element_format format = format_of(parameter.type);
    const bool points_to_pointers = std::ranges::count(parameter.type, '*') > 1;
    arrays_.push_back({points_to_pointers ? element_format{content::address, 8} : format, format});
  }
  for (const code_array& declared : kernel.globals) {
    const element_format format = format_of(declared.element_type);
    arrays_.push_back({format, format, &declared.content});
  }
  for (const auto& [name, data] : settings.data)
    if (const auto number = number_in_global(kernel, name))
      arrays_[slot(*number)].content = &data.bytes;
}

std::uint8_t made_up_memory::initial(std::uint64_t address) const {
  const int number = global_number(address);
  element_format format;
  std::uint64_t offset = address;
  if (number >= 0 && slot(number) < arrays_.size()) {
    const array& target = arrays_[slot(number)];
    offset = address - global_base(slot(number));
    if (target.content != nullptr && offset < target.content->size())
      return (*target.content)[offset];
    format = offset < pointed_distance ? target.elements : target.pointed;
  }
  const auto bytes = static_cast<std::uint64_t>(format.bytes);
  const std::uint64_t value = initial_value(format, slot(number), offset / bytes);
  return static_cast<std::uint8_t>(value >> (8 * (offset % bytes)));
}

std::uint64_t made_up_memory::load(std::uint64_t address, int bytes) const {
  std::uint64_t result = 0;
  for (int byte = 0; byte < bytes; ++byte) {
    const std::uint64_t place_of_byte = address + static_cast<std::uint64_t>(byte);
    const auto entry = stored_.find(place_of_byte);
    const std::uint8_t value = entry != stored_.end() ? entry->second : initial(place_of_byte);
    result |= static_cast<std::uint64_t>(value) << (8 * byte);
  }
  return result;
}

void made_up_memory::store(std::uint64_t address, int bytes, std::uint64_t value) {
  for (int byte = 0; byte < bytes; ++byte)
    stored_[address + static_cast<std::uint64_t>(byte)] =
        static_cast<std::uint8_t>(value >> (8 * byte));
}

std::uint64_t made_up_memory::argument(std::size_t number, std::uint64_t first, int bytes) const {
  const code_parameter& parameter = kernel_.parameters[number];
  // A structure may have pointers: a number of 8 bytes is an address, and its lower half a size.
  if (parameter.bytes > 8) return global_base(number) + 64 * (first / 8 + 1);
  const element_format format = format_of(parameter.type);
  const std::uint64_t one_to_eight = mixed(number) % 8 + 1;
  return (format.is == content::integer ? one_to_eight
                                        : bits_of(static_cast<double>(one_to_eight), format)) &
         low_bits(8 * bytes);
}

}  // namespace compiled
