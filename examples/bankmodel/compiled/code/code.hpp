// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../common_names.hpp"
#include "array_source.hpp"

// A compiled kernel in the form that run.hpp executes: what a reader makes of PTX or of LLVM IR.
//
// A kernel has registers, which each lane has for itself, and blocks of instructions. A register
// holds 64 bits; an instruction states how many of them it means. Calls are inlined and phi nodes
// are moves before a reader is done. Readers do not evaluate anything.
namespace compiled {

// Generic addresses: those of a memory start at its window. Accesses to shared, local or argument
// memory take generic addresses and distances from the window alike.
constexpr std::uint64_t shared_window = std::uint64_t{1} << 56;
constexpr std::uint64_t local_window = std::uint64_t{2} << 56;
constexpr std::uint64_t argument_window = std::uint64_t{3} << 56;
constexpr std::uint64_t window_mask = ~((std::uint64_t{1} << 56) - 1);

// Shared memory of another block of the cluster: bits 24 to 31 of the address, which survive
// arithmetic on 32 bits. Addresses in a block's own memory are less than 1 MiB.
constexpr std::uint64_t block_mask = std::uint64_t{0xff} << 24;
constexpr std::uint64_t another_block = std::uint64_t{0x6a} << 24;
constexpr std::uint64_t unknown_block = std::uint64_t{0x6b} << 24;
constexpr bool is_of_another_block(std::uint64_t address) {
  return (address & block_mask) == another_block || (address & block_mask) == unknown_block;
}

// A place in the source, for messages: 0 where it is unknown.
struct place {
  int file = -1;  // in kernel_code::files
  int line = 0, column = 0;
  // Of inlined code, in kernel_code::calls: its own place and those of the calls around it.
  int calls = -1;
  bool shows_call = false;  // `line` is that of one of these calls, and not the code's own
  // The code has no line of its own, since the compiler moved it: it is that of the code before.
  bool is_moved = false;
  bool operator==(const place& other) const {
    return file == other.file && line == other.line && column == other.column;
  }
};

enum class opcode : std::uint8_t {
  // ---- results[0] = f(operands[0], operands[1], operands[2]), on integers of `bits` bits ----
  move,
  add,
  subtract,
  multiply,
  multiply_high_signed,
  multiply_high_unsigned,  // the upper half of the product
  divide_signed,
  divide_unsigned,
  remainder_signed,
  remainder_unsigned,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right_signed,
  shift_right_unsigned,  // by operands[1]; 0 or the sign from `bits` on
  funnel_left,
  funnel_right,  // of operands[1]:operands[0] by operands[2] modulo `bits`, as PTX's shf.wrap
  minimum_signed,
  minimum_unsigned,
  maximum_signed,
  maximum_unsigned,
  count_ones,
  count_leading_zeros,
  reverse_bits,
  highest_bit_signed,
  highest_bit_unsigned,  // PTX's bfind: its number, or all ones
  extract_signed,
  extract_unsigned,  // operands[2] bits of operands[0] from bit operands[1] on, as PTX's bfe
  // operands[0] with operands[3] bits of operands[1] at bit operands[2], as PTX's bfi has them
  insert,
  permute,  // bytes of operands[1]:operands[0] as operands[2] selects them, as PTX's prmt
  // ---- of another width: operands[0] has `from_bits` bits, the result `bits` ----
  extend_signed,
  extend_unsigned,  // also truncation
  // ---- results[0] is 0 or 1 ----
  equal,
  not_equal,
  less_signed,
  less_equal_signed,
  less_unsigned,
  less_equal_unsigned,
  // ---- results[0] = operands[0] ? operands[1] : operands[2] ----
  select,
  // ---- results[0] = the address operands[0] in the shared memory of the block with rank
  // operands[1] of the cluster, in which operands[2] is the rank of this block: PTX's mapa ----
  map_to_block,
  // ---- IEEE arithmetic on 16 (not evaluated), 32 and 64 bits: `floating` says which ----
  floating,
  // ---- results[..] = something that only runs know: real data, a clock, an unmodelled
  // instruction, which depends on the operands if it accesses no memory ----
  unknown,
  // ---- memory: `memory` says all about it ----
  access,
  // ---- warps and blocks ----
  // Of the block; operands[0]: the number of a barrier; operands[1], if present: its threads, or 0
  // for all; operands[2], if present: 0 or 1, of which results[0] gets any, all or the count over
  // these threads.
  barrier,
  // With a mask as their last operand, lanes wait for those that it names.
  warp_sync,  // operands[0]: the mask; without one it is a fence, past which no access is moved
  // results[0] = operands[0] of lane f(operands[1], operands[2]); results[1], if present: it is in
  // range; operands[3], if present: the mask
  shuffle,
  // results[0] = any, all, ballot .. of operands[0] over the active lanes; operands[1], if present:
  // the mask
  vote,
  // ---- the last instruction of a block ----
  branch,  // to blocks[0] if operands[0] is not 0, else to blocks[1]; to blocks[0] without operands
  leave,   // the thread ends; if `description` is "trap", as an error that no correct run reaches
};

// equal to less_equal_unsigned
inline bool is_comparison(opcode operation) {
  return operation >= opcode::equal && operation <= opcode::less_equal_unsigned;
}

enum class floating_operation : std::uint8_t {
  none,
  add,
  subtract,
  multiply,
  divide,
  fused,
  minimum,
  maximum,
  negative,
  absolute,
  square_root,
  floor,
  ceiling,
  truncate,
  nearest,
  round,                // half away from 0
  truncated_remainder,  // C's fmod
  nearest_remainder,    // C's remainder
  copy_sign,            // operands[0] with the sign of operands[1]
  logarithm,            // to base 2; only that of a power of 2 in 32 bits is evaluated
  fast_quotient,        // CUDA's __fdividef; only that by a power of 2 is evaluated
  from_signed,
  from_unsigned,  // from an integer of `from_bits` bits
  to_signed,
  to_unsigned,  // toward zero, of a number of `from_bits` bits, as PTX's cvt.rzi
  resize,       // from `from_bits` bits
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,  // false for NaN
  unordered,
};
enum class shuffle_kind : std::uint8_t { index, up, down, butterfly };
// `count` is of barriers alone.
enum class vote_kind : std::uint8_t { any, all, uniform, ballot, active_mask, count };

// Values that are the same in each run of a launch.
enum class special : std::uint8_t {
  thread_x,
  thread_y,
  thread_z,
  block_x,
  block_y,
  block_z,
  threads_x,
  threads_y,
  threads_z,
  blocks_x,
  blocks_y,
  blocks_z,
  lane,
  warp,
  warp_size,
  lanes_equal,
  lanes_below,
  lanes_up_to,
  lanes_above,
  lanes_from,  // PTX's %lanemask_*
  dynamic_shared_bytes,
  // Of the cluster that kernel_code::required_cluster describes: the block's place in it, the
  // block's rank, the number of its blocks, the cluster's place in the grid, the grid in clusters.
  cluster_block_x,
  cluster_block_y,
  cluster_block_z,
  cluster_rank,
  cluster_blocks,
  cluster_x,
  cluster_y,
  cluster_z,
  clusters_x,
  clusters_y,
  clusters_z,
  last = clusters_z,
};

struct operand {
  enum class kind : std::uint8_t {
    none,
    reg,
    constant,
    special,
    shared_array,
    global_array,
    argument_bytes
  };
  kind is = kind::none;
  // The register; the constant; the special; the number of the array, whose generic address is
  // meant; the offset in the bytes of all arguments, whose content is meant.
  std::uint64_t value = 0;
};

enum class memory_kind : std::uint8_t {
  generic,  // the address says which
  shared,
  global,
  local,
  constant,
  arguments
};
enum class access_does : std::uint8_t {
  load,
  store,
  atomic,
  load_matrix,
  store_matrix,  // operands[0]: the address of a row of 16 bytes
  copy,          // cp.async: from global memory operands[1] to shared memory operands[0]
};
struct memory_access {
  access_does operation = access_does::load;
  memory_kind memory = memory_kind::generic;
  int bytes = 4;     // of an element
  int elements = 1;  // of a vector: results[..] of a load, operands[1 ..] of a store
  long long offset = 0;
  bool sign_extends = false;
  bool uncached = false;  // past the first cache: ld.global.cg, cp.async.cg
  // A power of 2 that the source's types say each address to be a multiple of; 1: nothing.
  int alignment = 1;
  bool is_volatile = false;        // compilers keep it as it is
  bool gives_pointers = false;     // what is loaded is a pointer, as far as the source says
  int matrices = 0;                // of ldmatrix and stmatrix: a row is one element of 16 bytes
  bool may_be_of_cluster = false;  // the address may be in another block's shared memory
  // In kernel_code::shared, the array that the address is derived from, which it must not leave;
  // -1: several, or the reader does not know.
  int shared_array = -1;
};
constexpr int bytes_as_written(const memory_access& access) {
  return access.bytes * access.elements;
}
// The bytes of which its addresses are multiples. Vectors of three elements are aligned as one.
constexpr int alignment_of(const memory_access& access) {
  const int bytes = bytes_as_written(access);
  return (bytes & (bytes - 1)) == 0 ? bytes : access.bytes;
}

// Who accesses memory.
enum class memory_unit : std::uint8_t {
  warp,            // by requests, which are counted
  barrier_object,  // mbarrier: 8 bytes in shared memory at which threads arrive, and wait for them
  copy_engine,     // cp.async.bulk and the like: bytes that move by themselves
  tensor_core,     // wgmma, tcgen05: it reads matrices that descriptors name
};

struct instruction {
  opcode operation = opcode::move;
  std::uint8_t bits = 32, from_bits = 32;
  floating_operation floating = floating_operation::none;
  shuffle_kind shuffle = shuffle_kind::index;
  vote_kind vote = vote_kind::any;
  memory_access memory = {};
  std::vector<int> results;  // registers
  std::vector<operand> operands;
  int guard = -1;  // a register: only lanes where it is not 0 execute it
  bool guard_is_negated = false;
  std::vector<int> blocks;  // of a branch
  place location = {};
  // Of `unknown`: what it is, for messages ("tex.2d", "clock()"); of a comparison by which a lane
  // is elected: "elect.sync".
  std::string description;
  // Of `unknown`: it may access shared memory, unless operands[0] is an operand whose address is in
  // other memory. A count leaves that out, and is marked partial.
  bool may_access_shared = false;
  bool may_access_global = false;  // of `unknown`: the same
  // Of `unknown`: not by requests of the warp, if it is another one. Memory that it may access
  // changes; operands[0], if present, is the address in shared memory.
  memory_unit unit = memory_unit::warp;
  bool only_arrives = false;        // of `barrier`: warps do not wait, as PTX's bar.arrive
  bool is_of_cluster = false;       // of `barrier`: of all blocks of the cluster
  bool flushes_subnormals = false;  // of `floating`: not evaluated near 0
  bool may_fuse = false;            // of `floating`, until doubt_fused_products()
  // Of `floating`: not the kernel's, but what a compiler may make of a sum and a product, so that
  // the result is known if both are the same.
  bool is_doubt = false;
};

struct code_block {
  std::vector<instruction> instructions;
  int read_instructions = 0;  // of PTX or of LLVM IR, which these are made of
};

struct code_array {
  std::string name;
  std::uint64_t bytes = 0;  // 0: as many as the launch has, `extern __shared__`
  int alignment = 4;
  // As declared, if the reader knows: the bytes of an element, and the extents.
  int element_bytes = 0;
  std::string element_type;
  std::vector<long long> extents;
  // With this one, the arrays behind it that its address may reach: members of one structure.
  int members = 1;
  std::vector<std::uint8_t> content;  // of a constant or initialised global array; else empty
  bool is_constant = false;           // in global memory: no kernel stores to it
  place location = {};
  array_source source = {};  // of an array in shared memory, if the reader knows it
};

// What the bits of an argument are, if the reader knows.
enum class value_kind : std::uint8_t { unknown, integer, floating };

struct code_parameter {
  std::string name, type;     // as in the source, if the reader knows; else p0, p1, ..
  int offset = 0, bytes = 4;  // in the bytes of all arguments
  bool is_pointer = false;
  value_kind holds = value_kind::unknown;
};

// Lines of a statement in the source that has several.
struct statement_lines {
  std::string file;  // without folders
  int first = 0, last = 0;
};

struct kernel_code {
  std::string name;             // as written: transpose
  std::string linkage;          // mangled: _Z9transposePfPKfi
  std::string short_name = {};  // among those of its file, see short_names(); empty: `name`
  std::vector<std::string> files;
  std::vector<code_block> blocks;  // blocks[0] is the entry
  int registers = 0;
  std::vector<code_array> shared, globals;
  std::vector<code_parameter> parameters;
  int local_bytes = 0;  // of a thread: `local` addresses are below
  int lanes = 32;       // of a warp: 64 for HIP on GCN and CDNA
  // The threads of a block that each launch must have, as PTX's .reqntid; absent if any will do.
  std::optional<std::array<int, 3>> required_block;
  // The most threads of a block, as __launch_bounds__ or PTX's .maxntid; 0: the code does not say.
  int most_threads = 0;
  // The blocks of a cluster, as PTX's .reqnctapercluster; absent if the launch decides.
  std::optional<std::array<int, 3>> required_cluster;
  // Files and lines of branches in the source that guard nothing but a jump: `if (..) return;`
  std::set<std::pair<int, int>> guarded_jumps;
  // The same of branches with an `else`, and the first and the last place of that.
  std::map<std::pair<int, int>, std::pair<place, place>> else_branches;
  place definition = {};    // the kernel's, if the reader knows it
  bool is_unnamed = false;  // of a kernel file, whose name it has
  // Of code that was inlined: the places of the code and of the calls around it, innermost first.
  std::vector<std::vector<place>> calls;
  // Statements of several lines, of functions that the kernel calls too.
  std::vector<statement_lines> statements;
  // The code is a compiler's PTX, so that no place of the source is known that could be changed.
  bool is_of_ptx = false;
  // Each iteration of a loop on data is one of the source: compilers unroll such loops too.
  bool loops_are_as_written = false;
  // Where host code names the kernel other than in the launches that are read, so that there may be
  // further ones: "gemm.cu:25", the first place; empty: nowhere.
  std::string named_at = {};

  bool is_shown_in_full = false;  // not by its short name

  // For people; data have the whole name.
  const std::string& shown_name() const {
    return short_name.empty() || is_shown_in_full ? name : short_name;
  }
};

}  // namespace compiled
