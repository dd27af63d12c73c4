// SPDX-License-Identifier: MIT
#include "declaration_reader.hpp"

#include <algorithm>
#include <bankmodel/kernel/global_array.hpp>

#include "../element_types.hpp"
#include "../known_machines.hpp"

namespace command_line {

namespace {

// of an array in global memory, from its base; more than any machine has
constexpr long long most_global_bytes = 1ll << 62;
constexpr long long largest_base = 1ll << 40;
constexpr std::size_t longest_name = 32;  // of an array

}  // namespace

void declaration_reader::end_statement() {
  if (take_if(";") || front().first_of_line || front().is("}")) return;
  unexpected("a semicolon or a new line");
}

void declaration_reader::read_arrays() {
  const token keyword = front();
  if (conditional_depth_ > 0)
    throw refusal{keyword.location, "an array declared within a loop or a condition",
                  "declare it above"};
  const bool is_global = is_global_word(keyword), is_extern = front().is("extern");
  while (is_global ? is_global_word(front()) : is_shared_word(front())) (void)take();
  // arrays are aligned to a layer of all banks, or to 256 bytes, anyway
  if (front().is("__align__") || front().is("alignas")) {
    (void)take();
    (void)expect("(", "and the alignment");
    (void)read_constant("the alignment");
    (void)expect(")", "after the alignment");
  }
  const auto element = read_type();
  if (!element)
    throw refusal{front().location,
                  joined("`", front().text.substr(0, 40), "` is not a known element type"),
                  type_question()};
  // `__device__ float sum;` is a variable, of which nothing is known.
  if (!keyword.is("global") && front().kind == token_kind::name &&
      (peek(1).is(";") || peek(1).is("="))) {
    const token name = take();
    declare(name, name_kind::value,
            unknown_program(name.location,
                            joined(name.text,
                                   " is a value from memory, which is not known before "
                                   "the kernel runs"),
                            "use thread variables, loop variables and constants"),
            true);
    names_.back().is_memory = true;
    if (take_if("=")) (void)read_value();
    return end_statement();
  }
  do
    read_array(*element, is_global ? bm::memory_space::global : bm::memory_space::shared,
               is_extern);
  while (take_if(","));
  end_statement();
}

bool declaration_reader::is_shared_word(const token& word) {
  return word.is("shared") || word.is("__shared__") || word.is("extern");
}
bool declaration_reader::is_global_word(const token& word) {
  return word.is("global") || word.is("__device__") || word.is("__managed__");
}

std::string declaration_reader::type_question() const {
  nearest_word nearest(front().text);
  for (const element_type& candidate : element_types)
    for (const std::string_view name : words_in(candidate.names)) nearest.offer(name);
  return nearest.question(
      "use char, short, int, float, double, half, bf16, float2, float4 and their kind");
}

void declaration_reader::add_pointer(const type& element, const token& name) {
  require_array_name(name, true);
  declared_array read{name, bm::memory_space::global};
  read.rank = 1;
  read.extent[0] = bm::unknown_extent;
  add_array(element, read);
}

void declaration_reader::require_array_name(const token& name, bool typed) const {
  require_new_name(name, typed);
  for (const kernel_array& array : file_.arrays)
    if (array.name == name.text && array.is_over)
      throw refusal{name.location, joined("a second array ", name.text.substr(0, 40)),
                    "give it another name"};
  if (static_cast<int>(file_.arrays.size()) == most_arrays)
    throw refusal{name.location, joined("more than ", most_arrays, " arrays"),
                  "leave out those without conflicts"};
  if (name.text.size() > longest_name)
    throw refusal{name.location,
                  joined("an array's name of more than ", longest_name, " characters"),
                  "shorten it"};
}

// `tile[32][33] at 1024`; of global memory also `in[1000][1000] stride 4096`, `p[]` and `*p`
void declaration_reader::read_array(const type& element, bm::memory_space memory, bool is_extern) {
  const bool is_global = memory == bm::memory_space::global;
  const bool is_pointer = is_global && take_if("*");
  if (is_pointer)
    while (front().is("const") || front().is("__restrict__") || front().is("restrict"))
      (void)take();
  declared_array read{front(), memory};
  const token& name = read.name;
  if (name.kind != token_kind::name) unexpected("the name of an array");
  (void)take();
  require_array_name(name, false);
  if (is_pointer) {
    if (front().is("["))
      throw refusal{front().location, joined("extents after the pointer ", name.text),
                    joined("write *", name.text, ", or ", name.text, "[..] without *")};
    read.rank = 1;
    read.extent[0] = bm::unknown_extent;
  } else {
    read_extents(read, element, is_extern);
  }
  read_place_in_memory(read);
  add_array(element, read);
}

// `at 1024`, `stride 4096`
void declaration_reader::read_place_in_memory(declared_array& read) {
  const token& name = read.name;
  const bool is_global = read.memory == bm::memory_space::global;
  read.base_at = read.stride_at = name.location;
  bool placed = false;
  while (!front().first_of_line) {
    if (!placed && front().is("at")) {
      (void)take();
      read.base_at = front().location;
      read.base = read_constant("the byte at which an array begins");
      placed = true;
    } else if (is_global && read.stride == 0 && front().is("stride")) {
      (void)take();
      read.stride_at = front().location;
      read.stride = read_constant("the bytes from one row to the next");
      if (read.stride <= 0)
        throw refusal{read.stride_at, joined("a stride of ", read.stride, " bytes"),
                      "use the bytes from one row to the next"};
    } else {
      break;
    }
  }
}

void declaration_reader::read_extents(declared_array& array, const type& element, bool is_extern) {
  const token& name = array.name;
  const bool is_global = array.memory == bm::memory_space::global;
  if (!front().is("["))
    throw refusal{name.location, joined("the array ", name.text, " has no extents"),
                  joined("write ", name.text, "[1] for a single element",
                         is_global ? joined(", or *", name.text, " for a pointer") : "")};
  while (take_if("[")) {
    if (array.rank == bm::max_rank)
      throw refusal{span(cursor() - 1), joined("more than ", bm::max_rank, " extents"),
                    "fold the outer ones into one"};
    const bool is_dynamic = is_extern && !is_global && array.rank == 0;
    if (front().is("]") && !is_dynamic && (!is_global || array.rank > 0))
      throw refusal{
          front().location, "an extent is missing",
          is_global ? "give the number of elements; only the first may be unknown"
                    : "give the number of elements, or write `extern` and give --dynamic-bytes"};
    const place position = front().location;
    array.is_dynamic = array.is_dynamic || (is_dynamic && front().is("]"));
    array.extent[array.rank] = !front().is("]") ? read_constant("an extent")
                               : is_dynamic     ? dynamic_extent(array, element)
                                                : bm::unknown_extent;
    if (array.extent[array.rank] < 1)
      throw refusal{position, joined("an extent of ", array.extent[array.rank]), "use 1 or more"};
    ++array.rank;
    (void)expect("]", "after the extent");
  }
}

// The elements of `extern __shared__ float a[]`: those of a launch.
long long declaration_reader::dynamic_extent(const declared_array& array,
                                             const type& element) const {
  const long long bytes =
      options_.dynamic_bytes != 0 ? options_.dynamic_bytes : options_.assumed_dynamic_bytes;
  if (bytes == 0)
    throw refusal{array.name.location,
                  joined("the bytes of ", array.name.text, " are those of a launch"),
                  "give them with --dynamic-bytes, or write its extent"};
  for (const kernel_array& other : file_.arrays)
    if (other.is_dynamic)
      throw refusal{
          array.name.location,
          joined(array.name.text, " and ", other.name, " are the same dynamic memory in C"),
          "write one of them with its extent, and `at` with the byte where it begins"};
  return bytes / element.bytes;
}

void declaration_reader::add_array(const type& element, const declared_array& read) {
  const token& name = read.name;
  const bool is_global = read.memory == bm::memory_space::global;
  require_room_for(element, read);
  if (element.bytes == 12)
    throw refusal{element.location, "elements of 12 bytes",
                  "describe an array of the words that one instruction reads, or float4"};
  const long long last_base = is_global ? largest_base : most_shared_bytes();
  if (read.base < 0 || read.base % element.bytes != 0 || read.base > last_base)
    throw refusal{read.base_at, joined(name.text, " cannot begin at byte ", read.base),
                  joined("use a multiple of ", element.bytes, " from 0 to ", last_base)};
  const std::string text(name.text);
  const long long(&extent)[bm::max_rank] = read.extent;
  const auto laid_out = read.rank == 1   ? bm::row_major(extent[0])
                        : read.rank == 2 ? bm::row_major(extent[0], extent[1])
                        : read.rank == 3
                            ? bm::row_major(extent[0], extent[1], extent[2])
                            : bm::row_major(extent[0], extent[1], extent[2], extent[3]);
  bm::array_description described{bm::name_of(text.c_str()), laid_out, element.bytes, read.base};
  described.memory = read.memory;
  if (read.stride != 0) described = bm::with_row_stride(described, read.stride);
  for (const row_padding& padding : options_.padding)
    if (padding.array == text && !is_global && read.rank > 1)
      pad(described, padding.elements, name.location);
  file_.arrays.push_back({text, element.name, described, name.location});
  file_.arrays.back().is_dynamic = read.is_dynamic;
}

void declaration_reader::pad(bm::array_description& array, long long elements,
                             const place& position) {
  long long rows = 1;
  for (int dimension = 0; dimension + 1 < array.layout.rank; ++dimension)
    rows *= array.layout.extent[dimension];
  long long bytes = 0;
  if (elements < 0 ||
      __builtin_add_overflow(array.layout.extent[array.layout.rank - 1], elements, &bytes) ||
      __builtin_mul_overflow(bytes, rows * array.element_bytes, &bytes) ||
      bytes > most_shared_bytes())
    throw refusal{position, joined("rows with ", elements, " unused elements do not fit"),
                  joined("use a padding of 0 or more; a block has at most ",
                         bm::grouped(static_cast<std::uint64_t>(most_shared_bytes())), " bytes")};
  array.layout = array.layout.padded(elements);
}

// The array's bytes must be those of a block's memory, or fit in 62 bits; a stride must hold a
// row.
void declaration_reader::require_room_for(const type& element, const declared_array& read) {
  const token& name = read.name;
  const bool is_global = read.memory == bm::memory_space::global;
  if (read.stride != 0) {
    long long row = 0;
    const bool too_long = __builtin_mul_overflow(read.extent[read.rank - 1], element.bytes, &row);
    if (read.rank < 2)
      throw refusal{read.stride_at, joined(name.text, " has one dimension, so it has no rows"),
                    "leave out `stride`, or write its rows and columns"};
    if (!too_long && (read.stride < row || read.stride % element.bytes != 0))
      throw refusal{read.stride_at,
                    joined("rows of ", row, " bytes cannot begin every ", read.stride, " bytes"),
                    joined("use a multiple of ", element.bytes, " of at least ", row)};
  }
  const long long limit = is_global ? most_global_bytes : most_shared_bytes();
  const int rows = read.stride != 0 ? read.rank - 1 : read.rank;  // extents before the bytes
  long long bytes = read.stride != 0 ? read.stride : element.bytes;
  for (int dimension = 0; dimension < rows; ++dimension)
    if (__builtin_mul_overflow(bytes, read.extent[dimension], &bytes) || bytes > limit) {
      if (!is_global)
        throw refusal{
            name.location,
            joined("the array ", name.text, " is larger than the shared memory of any machine"),
            joined("a block has at most ",
                   bm::grouped(static_cast<std::uint64_t>(most_shared_bytes())), " bytes")};
      throw refusal{name.location,
                    joined("the array ", name.text, " is larger than the memory of any machine"),
                    read.extent[0] == bm::unknown_extent ? "write its first extent too"
                                                         : "use smaller extents"};
    }
}

long long declaration_reader::most_shared_bytes() {
  static const long long limit = [] {
    int maximum = 0;
    for (const bm::machine& m : known_machines())
      maximum = std::max(maximum, m.limits.shared_per_block_opt_in);
    return maximum;
  }();
  return limit;
}

const declaration_reader::array_pointer* declaration_reader::pointer_named(
    std::string_view name) const {
  for (std::size_t index = pointers_.size(); index-- > 0;)
    if (pointers_[index].name == name) return &pointers_[index];
  return nullptr;
}

int declaration_reader::number_of(std::string_view name) const {
  if (const array_pointer* const pointer = pointer_named(name)) return pointer->array;
  for (std::size_t number = 0; number < file_.arrays.size(); ++number)
    if (file_.arrays[number].name == name && !file_.arrays[number].is_over)
      return static_cast<int>(number);
  return -1;
}

// A variable of the same name hides the array.
bool declaration_reader::is_array(std::string_view name) const {
  return number_of(name) >= 0 && find(name) == nullptr;
}

void declaration_reader::offer_arrays(nearest_word& nearest) const {
  for (const kernel_array& array : file_.arrays) nearest.offer(array.name);
}

long long declaration_reader::bytes_of(std::string_view array, int subscripts) const {
  const auto number = static_cast<std::size_t>(number_of(array));
  const bm::array_description& description = file_.arrays[number].description;
  long long bytes = description.element_bytes;
  if (subscripts == 0 && description.layout.extent[0] == bm::unknown_extent) return 8;  // a pointer
  for (int dimension = subscripts; dimension < description.layout.rank; ++dimension)
    bytes *= description.layout.extent[dimension];
  return bytes;
}

}  // namespace command_line
