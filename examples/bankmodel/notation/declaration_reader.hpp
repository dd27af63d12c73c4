// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernel_file.hpp"
#include "loop_reader.hpp"

namespace command_line {

// Reads the lines that describe the launch, and the declarations of arrays.
class declaration_reader : public loop_reader {
 public:
  // Error: the values that are given are none of a launch, or of a name that the file has not.
  declaration_reader(const source& input, const reading& options);

 protected:
  void end_statement();   // a newline may replace C's semicolon
  void read_directive();  // machine, block, grid, define
  void read_arrays();
  static bool is_shared_word(const token& word);
  static bool is_global_word(const token& word);
  std::string type_question() const;

  int number_of(std::string_view name) const;

  // A pointer into an array of one dimension: element i of `float* p = a + e` is element e + i of
  // a.
  struct array_pointer {
    std::string_view name;
    int array = 0;
    program offset;  // in elements, of 64 bits; without nodes it is 0
  };
  const array_pointer* pointer_named(std::string_view name) const;
  std::vector<array_pointer> pointers_;  // the innermost last
  bool is_array(std::string_view name) const override;
  void offer_arrays(nearest_word& nearest) const override;
  long long bytes_of(std::string_view array, int subscripts) const override;

  // An array in global memory of unknown size.
  void add_pointer(const type& element, const token& name);

  kernel_file file_;
  reading options_;
  bool has_block_line_ = false, has_grid_line_ = false;
  int conditional_depth_ = 0;  // loops and conditions around the statement

 private:
  // An array as it is declared, after its type.
  struct declared_array {
    token name;
    bm::memory_space memory;
    long long extent[bm::max_rank] = {};
    int rank = 0;
    bool is_dynamic = false;
    long long base = 0, stride = 0;  // in bytes; a stride of 0 is not stated
    place base_at = {}, stride_at = {};
  };

  void take_given_values();
  bool is_argument(const std::string& name) const;
  void read_machine();
  void read_threads(const token& keyword);
  void read_grid(const token& keyword);
  void read_define(const token& keyword);
  void require_array_name(const token& name, bool typed) const;
  void read_array(const type& element, bm::memory_space memory, bool is_extern);
  void read_extents(declared_array& array, const type& element, bool is_extern);
  long long dynamic_extent(const declared_array& array, const type& element) const;
  void read_place_in_memory(declared_array& read);
  void add_array(const type& element, const declared_array& read);
  static void require_room_for(const type& element, const declared_array& read);
  static void pad(bm::array_description& array, long long elements, const place& position);
  static long long most_shared_bytes();
};

}  // namespace command_line
