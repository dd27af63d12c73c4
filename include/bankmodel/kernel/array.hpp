// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_KERNEL_ARRAY_HPP
#define BANKMODEL_KERNEL_ARRAY_HPP

#include <bankmodel/kernel/index.hpp>
#include <bankmodel/layout/layout.hpp>

#include <cstdint>

#include <bankmodel/core/hide_macros.hpp>

namespace bankmodel {

namespace rule {
[[noreturn]] BANKMODEL_FN void array_names_must_have_at_most_32_characters() {
  detail::fail(__func__, "the name of an array is longer than 32 characters; shorten it");
}
[[noreturn]] BANKMODEL_FN void elements_must_have_1_2_4_8_or_16_bytes(long long bytes) {
  detail::fail(__func__,
               "an element has % bytes; use 1, 2, 4, 8 or 16, and describe a struct as an array "
               "of the words that one instruction reads",
               bytes);
}
[[noreturn]] BANKMODEL_FN void array_base_must_be_aligned_to_its_element(long long base,
                                                                         long long bytes) {
  detail::fail(__func__,
               ".at(%) does not fit elements of % bytes; use a multiple of the element size "
               "that is not negative",
               base, bytes);
}
[[noreturn]] BANKMODEL_FN void a_layout_must_have_the_extents_of_its_array(long long layout_rank,
                                                                           long long rank) {
  detail::fail(__func__,
               ".with() a layout of % dimensions for an array of %, or of other extents, does "
               "not fit; pad or permute the array's own .layout",
               layout_rank, rank);
}
[[noreturn]] BANKMODEL_FN void subscripts_must_lie_within_their_extent(long long dimension,
                                                                       long long value,
                                                                       long long extent) {
  detail::fail(__func__,
               "subscript % (counted from 0) reaches % in an active lane, but its extent is % (all "
               "elements of a wide access count); correct the subscript or guard it with "
               "if_threads",
               dimension, value, extent);
}
}  // namespace rule

// An array's name of up to 32 characters, stored as integers: a pointer to a string literal
// cannot be part of a template argument.
struct array_name {
  std::uint64_t characters_0 = 0, characters_8 = 0, characters_16 = 0, characters_24 = 0;

  // The character at `index`; '\0' after the last one.
  BANKMODEL_FN char operator[](int index) const {
    if (index >= 32) return '\0';
    const auto eight = index < 8    ? characters_0
                       : index < 16 ? characters_8
                       : index < 24 ? characters_16
                                    : characters_24;
    return static_cast<char>(eight >> (index % 8 * 8) & 0xff);
  }
  BANKMODEL_FN bool operator==(const array_name& other) const {
    return characters_0 == other.characters_0 && characters_8 == other.characters_8 &&
           characters_16 == other.characters_16 && characters_24 == other.characters_24;
  }
};

// Returns `text` as an array name.
// Error: it has more than 32 characters.
BANKMODEL_FN array_name name_of(const char* text) {
  std::uint64_t eights[4] = {};
  for (int index = 0; text[index] != '\0'; ++index) {
    if (index == 32) rule::array_names_must_have_at_most_32_characters();
    eights[index / 8] |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[index]))
                         << (index % 8 * 8);
  }
  return {eights[0], eights[1], eights[2], eights[3]};
}

// The source line of the shared_array() call that described an array. It distinguishes two arrays
// of one name from one array that several accesses use. (The column would also distinguish two
// calls in one line, but nvcc's compilers for host and device number columns differently.)
struct described_at {
  unsigned line = 0;
  std::uint64_t file = 0;  // the last 8 characters of its name
  BANKMODEL_FN bool operator==(const described_at& other) const {
    return line == other.line && file == other.file;
  }
};

namespace detail {

// The name argument of shared_array(), with the source line of the call.
struct name_of_a_call {
  const char* text;
  described_at place;

  BANKMODEL_FN name_of_a_call(const char* name, unsigned line = __builtin_LINE(),
                              const char* file = __builtin_FILE())
      : text(name), place{line, 0} {
    for (; *file != '\0'; ++file) place.file = place.file << 8 | static_cast<unsigned char>(*file);
  }
};

}  // namespace detail

template <int Wrappers, int Nodes>
struct access_expression;

// The memory of an array: that of a block, or that of the device.
enum class memory_space : unsigned char { shared, global };

// One array: its name, layout, element size and base. Made by shared_array(), or by global_array()
// (kernel/global_array.hpp). array[index] begins an access: one subscript for each dimension,
// tile[ty][tx].
struct array_description {
  array_name name;
  bankmodel::layout layout;
  int element_bytes = 0;
  // Counted from a multiple of a layer of all banks; in global memory, of 256 bytes.
  long long base_bytes = 0;
  described_at place = {};  // set by shared_array(); copies, .at() and .with() keep it
  memory_space memory = memory_space::shared;

  // Returns the same array with its base `bytes` bytes after the start of a layer of all banks (in
  // global memory, after a multiple of 256 bytes).
  // Error: `bytes` is negative or not a multiple of the element size.
  // Example: an array that begins in bank 16 of 32 banks of 4 bytes:
  //
  //   static_assert(shared_array<float>("a", 32).at(64).base_bytes / 4 % 32 == 16);
  BANKMODEL_FN array_description at(long long bytes) const {
    if (bytes < 0 || element_bytes < 1 || bytes % element_bytes != 0)
      rule::array_base_must_be_aligned_to_its_element(bytes, element_bytes);
    array_description result = *this;
    result.base_bytes = bytes;
    return result;
  }

  // Returns the same array with a different layout of the same extents:
  // a.with(a.layout.padded(1)).
  // Error: the layout has other extents.
  BANKMODEL_FN array_description with(const bankmodel::layout& other) const {
    if (other.rank != layout.rank || other.extent != layout.extent)
      rule::a_layout_must_have_the_extents_of_its_array(other.rank, layout.rank);
    array_description result = *this;
    result.layout = other;
    return result;
  }

  // Returns an access with its first subscript; [..] on the access adds the next one:
  // tile[tx][ty + j].
  template <detail::index_or_number Index>
  BANKMODEL_FN auto operator[](const Index& subscript) const;

  // True if the descriptions are equal; `place` is ignored.
  BANKMODEL_FN bool operator==(const array_description& other) const {
    return name == other.name && layout == other.layout && element_bytes == other.element_bytes &&
           base_bytes == other.base_bytes && memory == other.memory;
  }
};

// Returns the description of `__shared__ T name[extents]..`, with one to four extents. Its base
// counts as aligned to a layer of all banks unless .at() sets it. Each call describes an array of
// its own, and copies of the result are that array: describe an array once, and use the description
// in every access. Calls in different source lines are different arrays, a call in a function or a
// loop is one, however often it runs. A plan of two arrays with one name is an error.
// Requires: T has 1, 2, 4, 8 or 16 bytes.
// Error: T has another size; the name has more than 32 characters; there are not one to four
// extents, all 1 or more.
// Example: rows of 33 floats, and an access to them:
//
//   constexpr auto tile = shared_array<float>("tile", 32, 33);
//   constexpr auto column = tile[tx][ty];
//   static_assert(tile.layout(1, 0) == 33 && column.array == tile);
template <class T, detail::number... Extents>
BANKMODEL_FN array_description shared_array(const detail::name_of_a_call& name,
                                            Extents... extents) {
  constexpr auto bytes = static_cast<long long>(sizeof(T));
  if (bytes > 16 || !detail::is_power_of_two(bytes))
    rule::elements_must_have_1_2_4_8_or_16_bytes(bytes);
  return {.name = name_of(name.text),
          .layout = row_major(extents...),
          .element_bytes = static_cast<int>(bytes),
          .base_bytes = 0,
          .place = name.place};
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
