// SPDX-License-Identifier: MIT
// A random kernel as a tree. It is printed as CUDA and as PTX, and executed as it is: no part of
// the command line is included here, in its emulation, or in what draws and prints it.
#ifndef BANKMODEL_TESTS_RANDOM_KERNELS_PROGRAM_HPP
#define BANKMODEL_TESTS_RANDOM_KERNELS_PROGRAM_HPP

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace random_kernels {

// Of a value in a register: what C's integral promotions leave.
enum class type : std::uint8_t { s32, u32, s64, f32 };

// Of an element of an array.
enum class element : std::uint8_t {
  s8,
  u8,
  s16,
  u16,
  s32,
  u32,
  s64,
  f32,
  f64,
  half,
  bfloat,
  pair,      // float2
  quadruple  // float4
};
int bytes(element kind);
type promoted(element kind);  // the type of a loaded element, f32 if it is only summed
std::int64_t stored(element kind, std::int64_t value);  // as the element keeps an integer

struct array {
  std::string name;
  element kind = element::f32;
  int rows = 0;  // 0: it has one dimension
  int columns = 0;
  bool is_global = false;   // a parameter of the kernel
  bool is_outside = false;  // of shared memory, declared outside the kernel
  // Its values are known: they are stored by the program's rules (drawing.cpp), or are `content`.
  bool is_data = false;
  std::vector<std::int64_t> content;
  int elements() const { return (rows == 0 ? 1 : rows) * columns; }
};

enum class operation : std::uint8_t {
  constant,
  variable,  // value: its number
  thread_x,
  thread_y,
  block_x,
  argument,  // value: 0 is n, 1 is m
  add,
  subtract,
  multiply,
  divide,
  remainder,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  minimum,
  maximum,
  complement,
  negate,
  ones,  // __popc
  logical_not,
  logical_and,
  logical_or,
  choice,
  convert,  // to `has`, by way of `narrow` if that is no register's type
  load,     // value: the array
  shuffle_index,
  shuffle_xor,
  shuffle_up,
  shuffle_down,  // value: the mask of lanes; parts: the value, the lane or distance
  ballot,
  any_lane,
  all_lanes,  // value: the mask of lanes
  call,       // value: the function
  sort        // value: what `text` is, a number that its type decides
};

struct expression {
  operation code = operation::constant;
  type has = type::s32;
  std::int64_t value = 0;
  std::vector<expression> parts = {};
  element narrow = element::s32;
  int access = -1;  // of a load
  std::string text = {};
};

enum class action : std::uint8_t {
  assign,  // index: the variable
  store,   // index: the array; parts: the value, the subscripts
  add_atomically,
  accumulate,   // the element is added to a sum that decides nothing; parts: the subscripts
  store_typed,  // into the bytes of `index`, as the type of `text`: `width` bytes; parts: the
                // subscript
  branch,       // parts: the condition
  for_loop,     // index: the variable; parts: first, end, the further condition; value: step
  while_loop,
  do_loop,
  choose,   // switch
  leave,    // break
  proceed,  // continue
  finish,   // return; parts: the value, in a function
  barrier,
  warp_barrier,     // value: the mask of lanes
  lanes_of_mask,    // value: the mask of the lanes that run the body
  by_architecture,  // value: the first arm is for this and later ones
  call              // value: the function; parts: its arguments
};

struct statement {
  action kind = action::assign;
  int index = -1;
  std::int64_t value = 0;
  std::vector<expression> parts = {};
  std::vector<std::vector<statement>> bodies = {};
  // Of a switch: the labels of each body. A body without a `break` at its end falls through.
  std::vector<std::vector<int>> labels = {};
  int access = -1;
  int width = 0;
  std::string text = {};
};
constexpr int default_label = -1;

struct function {
  std::vector<int> parameters;  // variables
  std::vector<statement> body;
  bool has_result = false;
  int pointer = -1;  // the array that callers pass as `q`; -1: none
};

struct program {
  std::uint64_t seed = 0;
  int threads_x = 32, threads_y = 1, block = 0;
  std::int64_t n = 0, m = 0;
  std::vector<array> arrays;
  std::vector<type> variables;
  std::vector<function> functions;
  std::vector<statement> body;
  int lane = 0;  // the variable with the number of the lane
  int accesses = 0;
  int threads() const { return threads_x * threads_y; }
};

// ---- drawing.cpp ----
program drawn(std::uint64_t seed);

// ---- emulation.cpp ----
struct request {
  int access = -1;
  char kind = 'l';  // 's'tore, 'a'tomic
  int bytes = 0;
  int array = -1;
  std::vector<std::int64_t> address;  // by lane, from the array's first byte; -1: not active
  auto operator<=>(const request&) const = default;
};
using requests = std::map<request, std::uint64_t>;
struct outcome {
  requests request_counts;
  bool is_defined = true;  // as C++ and CUDA define it
  std::string reason = {};
};
outcome emulated(const program& source, int architecture);

// ---- as_cuda.cpp, as_ptx.cpp ----
struct printed {
  std::string text;
  std::map<int, int> line;  // by access
};
std::string cuda_head();  // once, before all kernels
// `number` makes names unique; lines count from `first_line`.
printed as_cuda(const program& source, int number, int first_line);
std::string ptx_head();
// Each access has its number plus 1 as the line of `.loc`.
std::string as_ptx(const program& source, int number, int architecture);

}  // namespace random_kernels

#endif
