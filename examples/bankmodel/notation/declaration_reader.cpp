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
  if (take_if(";") || here().first_of_line || here().is("}")) return;
  unexpected("a semicolon or a new line");
}

void declaration_reader::read_arrays() {
  const token keyword = here();
  if (conditional_depth_ > 0)
    throw refusal{keyword.where, "an array declared within a loop or a condition",
                  "declare it above"};
  const bool is_global = is_global_word(keyword), is_extern = here().is("extern");
  while (is_global ? is_global_word(here()) : is_shared_word(here())) (void)take();
  // arrays are aligned to a layer of all banks, or to 256 bytes, anyway
  if (here().is("__align__") || here().is("alignas")) {
    (void)take();
    (void)expect("(", "and the alignment");
    (void)read_constant("the alignment");
    (void)expect(")", "after the alignment");
  }
  const auto of = read_type();
  if (!of)
    throw refusal{here().where,
                  joined("`", here().text.substr(0, 40), "` is not a known element type"),
                  type_question()};
  // `__device__ float sum;` is a variable, of which nothing is known.
  if (!keyword.is("global") && here().kind == token_kind::name &&
      (peek(1).is(";") || peek(1).is("="))) {
    const token name = take();
    declare(name, name_kind::value,
            unknown_program(name.where,
                            joined(name.text,
                                   " is a value from memory, which is not known before "
                                   "the kernel runs"),
                            "use thread variables, loop variables and constants"),
            true);
    names_.back().is_memory = true;
    if (take_if("=")) (void)read_value();
    return end_statement();
  }
  do read_array(*of, is_global ? bm::memory_space::global : bm::memory_space::shared, is_extern);
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
  nearest_word nearest(here().text);
  for (const element_type& one : element_types) nearest.offer(one.name);
  return nearest.question(
      "use char, short, int, float, double, half, bf16, float2, float4 and their kind");
}

void declaration_reader::add_pointer(const type& of, const token& name) {
  require_array_name(name, true);
  declared_array read{name, bm::memory_space::global};
  read.rank = 1;
  read.extent[0] = bm::unknown_extent;
  add_array(of, read);
}

void declaration_reader::require_array_name(const token& name, bool typed) const {
  require_new_name(name, typed);
  for (const kernel_array& one : file_.arrays)
    if (one.name == name.text && one.is_over)
      throw refusal{name.where, joined("a second array ", name.text.substr(0, 40)),
                    "give it another name"};
  if (static_cast<int>(file_.arrays.size()) == most_arrays)
    throw refusal{name.where, joined("more than ", most_arrays, " arrays"),
                  "leave out those without conflicts"};
  if (name.text.size() > longest_name)
    throw refusal{name.where, joined("an array's name of more than ", longest_name, " characters"),
                  "shorten it"};
}

// `tile[32][33] at 1024`; of global memory also `in[1000][1000] stride 4096`, `p[]` and `*p`
void declaration_reader::read_array(const type& of, bm::memory_space memory, bool is_extern) {
  const bool is_global = memory == bm::memory_space::global;
  const bool is_pointer = is_global && take_if("*");
  if (is_pointer)
    while (here().is("const") || here().is("__restrict__") || here().is("restrict")) (void)take();
  declared_array read{here(), memory};
  const token& name = read.name;
  if (name.kind != token_kind::name) unexpected("the name of an array");
  (void)take();
  require_array_name(name, false);
  if (is_pointer) {
    if (here().is("["))
      throw refusal{here().where, joined("extents after the pointer ", name.text),
                    joined("write *", name.text, ", or ", name.text, "[..] without *")};
    read.rank = 1;
    read.extent[0] = bm::unknown_extent;
  } else {
    read_extents(read, of, is_extern);
  }
  read_place_in_memory(read);
  add_array(of, read);
}

// `at 1024`, `stride 4096`
void declaration_reader::read_place_in_memory(declared_array& read) {
  const token& name = read.name;
  const bool is_global = read.memory == bm::memory_space::global;
  read.base_at = read.stride_at = name.where;
  bool placed = false;
  while (!here().first_of_line) {
    if (!placed && here().is("at")) {
      (void)take();
      read.base_at = here().where;
      read.base = read_constant("the byte at which an array begins");
      placed = true;
    } else if (is_global && read.stride == 0 && here().is("stride")) {
      (void)take();
      read.stride_at = here().where;
      read.stride = read_constant("the bytes from one row to the next");
      if (read.stride <= 0)
        throw refusal{read.stride_at, joined("a stride of ", read.stride, " bytes"),
                      "use the bytes from one row to the next"};
    } else {
      break;
    }
  }
}

void declaration_reader::read_extents(declared_array& to, const type& of, bool is_extern) {
  const token& name = to.name;
  const bool is_global = to.memory == bm::memory_space::global;
  if (!here().is("["))
    throw refusal{name.where, joined("the array ", name.text, " has no extents"),
                  joined("write ", name.text, "[1] for a single element",
                         is_global ? joined(", or *", name.text, " for a pointer") : "")};
  while (take_if("[")) {
    if (to.rank == bm::max_rank)
      throw refusal{from(now() - 1), joined("more than ", bm::max_rank, " extents"),
                    "fold the outer ones into one"};
    const bool is_dynamic = is_extern && !is_global && to.rank == 0;
    if (here().is("]") && !is_dynamic && (!is_global || to.rank > 0))
      throw refusal{
          here().where, "an extent is missing",
          is_global ? "give the number of elements; only the first may be unknown"
                    : "give the number of elements, or write `extern` and give --dynamic-bytes"};
    const place where = here().where;
    to.is_dynamic = to.is_dynamic || (is_dynamic && here().is("]"));
    to.extent[to.rank] = !here().is("]") ? read_constant("an extent")
                         : is_dynamic    ? dynamic_extent(to, of)
                                         : bm::unknown_extent;
    if (to.extent[to.rank] < 1)
      throw refusal{where, joined("an extent of ", to.extent[to.rank]), "use 1 or more"};
    ++to.rank;
    (void)expect("]", "after the extent");
  }
}

// The elements of `extern __shared__ float a[]`: those of a launch.
long long declaration_reader::dynamic_extent(const declared_array& to, const type& of) const {
  const long long all = how_.dynamic_bytes != 0 ? how_.dynamic_bytes : how_.assumed_dynamic_bytes;
  if (all == 0)
    throw refusal{to.name.where, joined("the bytes of ", to.name.text, " are those of a launch"),
                  "give them with --dynamic-bytes, or write its extent"};
  for (const kernel_array& one : file_.arrays)
    if (one.is_dynamic)
      throw refusal{to.name.where,
                    joined(to.name.text, " and ", one.name, " are the same dynamic memory in C"),
                    "write one of them with its extent, and `at` with the byte where it begins"};
  return all / of.bytes;
}

void declaration_reader::add_array(const type& of, const declared_array& read) {
  const token& name = read.name;
  const bool is_global = read.memory == bm::memory_space::global;
  require_room_for(of, read);
  if (of.bytes == 12)
    throw refusal{of.where, "elements of 12 bytes",
                  "describe an array of the words that one instruction reads, or float4"};
  const long long last_base = is_global ? largest_base : most_shared_bytes();
  if (read.base < 0 || read.base % of.bytes != 0 || read.base > last_base)
    throw refusal{read.base_at, joined(name.text, " cannot begin at byte ", read.base),
                  joined("use a multiple of ", of.bytes, " from 0 to ", last_base)};
  const std::string text(name.text);
  const long long(&extent)[bm::max_rank] = read.extent;
  const auto laid_out = read.rank == 1   ? bm::row_major(extent[0])
                        : read.rank == 2 ? bm::row_major(extent[0], extent[1])
                        : read.rank == 3
                            ? bm::row_major(extent[0], extent[1], extent[2])
                            : bm::row_major(extent[0], extent[1], extent[2], extent[3]);
  bm::array_description described{bm::name_of(text.c_str()), laid_out, of.bytes, read.base};
  described.memory = read.memory;
  if (read.stride != 0) described = bm::with_row_stride(described, read.stride);
  for (const row_padding& one : how_.padding)
    if (one.array == text && !is_global && read.rank > 1) pad(described, one.elements, name.where);
  file_.arrays.push_back({text, of.name, described, name.where});
  file_.arrays.back().is_dynamic = read.is_dynamic;
}

void declaration_reader::pad(bm::array_description& array, long long elements, const place& where) {
  long long rows = 1;
  for (int at = 0; at + 1 < array.layout.rank; ++at) rows *= array.layout.extent[at];
  long long bytes = 0;
  if (elements < 0 ||
      __builtin_add_overflow(array.layout.extent[array.layout.rank - 1], elements, &bytes) ||
      __builtin_mul_overflow(bytes, rows * array.element_bytes, &bytes) ||
      bytes > most_shared_bytes())
    throw refusal{where, joined("rows with ", elements, " unused elements do not fit"),
                  joined("use a padding of 0 or more; a block has at most ",
                         bm::grouped(static_cast<std::uint64_t>(most_shared_bytes())), " bytes")};
  array.layout = array.layout.padded(elements);
}

// The array's bytes must be those of a block's memory, or fit in 62 bits; a stride must hold a
// row.
void declaration_reader::require_room_for(const type& of, const declared_array& read) {
  const token& name = read.name;
  const bool is_global = read.memory == bm::memory_space::global;
  if (read.stride != 0) {
    long long row = 0;
    const bool too_long = __builtin_mul_overflow(read.extent[read.rank - 1], of.bytes, &row);
    if (read.rank < 2)
      throw refusal{read.stride_at, joined(name.text, " has one dimension, so it has no rows"),
                    "leave out `stride`, or write its rows and columns"};
    if (!too_long && (read.stride < row || read.stride % of.bytes != 0))
      throw refusal{read.stride_at,
                    joined("rows of ", row, " bytes cannot begin every ", read.stride, " bytes"),
                    joined("use a multiple of ", of.bytes, " of at least ", row)};
  }
  const long long most = is_global ? most_global_bytes : most_shared_bytes();
  const int rows = read.stride != 0 ? read.rank - 1 : read.rank;  // extents before the bytes
  long long bytes = read.stride != 0 ? read.stride : of.bytes;
  for (int at = 0; at < rows; ++at)
    if (__builtin_mul_overflow(bytes, read.extent[at], &bytes) || bytes > most) {
      if (!is_global)
        throw refusal{
            name.where,
            joined("the array ", name.text, " is larger than the shared memory of any machine"),
            joined("a block has at most ",
                   bm::grouped(static_cast<std::uint64_t>(most_shared_bytes())), " bytes")};
      throw refusal{name.where,
                    joined("the array ", name.text, " is larger than the memory of any machine"),
                    read.extent[0] == bm::unknown_extent ? "write its first extent too"
                                                         : "use smaller extents"};
    }
}

long long declaration_reader::most_shared_bytes() {
  static const long long most = [] {
    int found = 0;
    for (const bm::machine& one : known_machines())
      found = std::max(found, one.limits.shared_per_block_opt_in);
    return found;
  }();
  return most;
}

const declaration_reader::array_pointer* declaration_reader::pointer_named(
    std::string_view name) const {
  for (std::size_t at = pointers_.size(); at-- > 0;)
    if (pointers_[at].name == name) return &pointers_[at];
  return nullptr;
}

int declaration_reader::number_of(std::string_view name) const {
  if (const array_pointer* const pointer = pointer_named(name)) return pointer->array;
  for (std::size_t at = 0; at < file_.arrays.size(); ++at)
    if (file_.arrays[at].name == name && !file_.arrays[at].is_over) return static_cast<int>(at);
  return -1;
}

// A variable of the same name hides the array.
bool declaration_reader::is_array(std::string_view name) const {
  return number_of(name) >= 0 && find(name) == nullptr;
}

void declaration_reader::offer_arrays(nearest_word& nearest) const {
  for (const kernel_array& one : file_.arrays) nearest.offer(one.name);
}

long long declaration_reader::bytes_of(std::string_view array, int subscripts) const {
  const auto at = static_cast<std::size_t>(number_of(array));
  const bm::array_description& of = file_.arrays[at].description;
  long long bytes = of.element_bytes;
  if (subscripts == 0 && of.layout.extent[0] == bm::unknown_extent) return 8;  // a pointer
  for (int rank = subscripts; rank < of.layout.rank; ++rank) bytes *= of.layout.extent[rank];
  return bytes;
}

}  // namespace command_line
