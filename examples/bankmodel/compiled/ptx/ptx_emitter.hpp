// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../code/code.hpp"
#include "ptx_module.hpp"

// Translates one kernel of a PTX module, with the functions that it calls, to kernel_code.
namespace compiled {

// The type in an instruction's name: 's', 'u', 'b' and 'f' as PTX has them, 'p' for pred, 'x' for
// pairs of numbers and other formats that are not evaluated.
struct ptx_type {
  char kind = 'b';
  int bits = 32;
  bool is_signed() const { return kind == 's'; }
};

class ptx_emitter {
 public:
  ptx_emitter(const ptx_module& ptx, const ptx_function& kernel);
  kernel_code take_code() { return std::move(code_); }
  // The register of the kernel with this name; -1 if no instruction has it.
  int register_named(std::string_view name) const;
  // The block at whose end the kernel's text ends; -1 if nothing comes there.
  int last_block() const { return last_block_; }

 private:
  // A function as it is inlined in one place.
  struct frame {
    const ptx_function* function = nullptr;
    const frame* caller = nullptr;
    std::map<const ptx_variable*, std::uint64_t> addresses;  // in local memory
    std::map<std::pair<int, std::string_view>, int> labels;
    std::uint64_t end = 0;  // of its local memory
    int returns_to = -1;    // a block; -1: the thread ends
  };
  using parts = std::vector<std::string_view>;

  // ---- ptx_emitter.cpp: functions and blocks ----
  void set_parameters(const ptx_function& kernel);
  void finish_parameters();
  void emit_function(frame& call_frame);
  void place_variables(frame& call_frame);
  void emit(frame& call_frame, const ptx_statement& statement);

  int new_register() { return code_.registers++; }
  int new_block();
  void begin_block(int block);
  instruction& add(opcode code, int bits, std::vector<int> targets, std::vector<operand> sources);
  // The same with a new register as target, which is returned.
  operand computed(opcode code, int bits, std::vector<operand> sources);
  // The same for an instruction whose results are not modelled.
  instruction& add_unknown(const ptx_statement& statement, int bits, std::vector<int> targets,
                           std::vector<operand> sources = {});
  void jump(int block);
  // Ends the block: lanes for which the statement's guard is set go on in the block returned.
  void jump_if_guarded(const ptx_statement& statement, int block);

  // ---- ptx_operands.cpp: names and operands ----
  // The innermost scope around the statement for which it is true; -1 if there is none.
  template <class Condition>
  int scope_with(const ptx_statement& statement, Condition condition) const;
  const ptx_scope& scope(int index) const;
  const ptx_variable* variable(const ptx_statement& statement, std::string_view name) const;
  int find_register(const ptx_statement& statement, std::string_view name);
  int label(const ptx_statement& statement, std::string_view name) const;
  operand address_of(const ptx_statement& statement, const ptx_variable& declared);
  operand value(const ptx_statement& statement, const ptx_term& term, int bits);
  int destination(const ptx_statement& statement, const ptx_term& term);
  int destination(const ptx_statement& statement);  // the first operand
  std::vector<int> destinations(const ptx_statement& statement, const ptx_term& term);
  [[noreturn]] void wrong(const ptx_statement& statement, const std::string& problem) const;
  const ptx_term& operand_term(const ptx_statement& statement, std::size_t number) const;
  operand source(const ptx_statement& statement, std::size_t number, int bits);
  operand negated(const operand& predicate);
  operand sum(const operand& base, long long offset);
  // Moves a value; a pointer among the parameters stays one.
  void move(int bits, int target, const operand& content);
  std::optional<std::uint64_t> parameter_in(const operand& content) const;
  void note_pointer(const operand& address);

  // ---- ptx_arithmetic.cpp ----
  bool emit_arithmetic(const ptx_statement& statement);
  bool emit_floating(const ptx_statement& statement, const ptx_type& type);
  bool emit_integer(const ptx_statement& statement, const ptx_type& type);
  bool emit_bits(const ptx_statement& statement, const ptx_type& type);
  bool emit_video(const ptx_statement& statement);
  instruction& add_floating(const ptx_statement& statement, floating_operation operation, int bits,
                            std::vector<int> targets, std::vector<operand> sources);

  // ---- ptx_composed.cpp ----
  void emit_multiply(const ptx_statement& statement, const ptx_type& type);
  void emit_carry(const ptx_statement& statement, const ptx_type& type);
  void emit_lop3(const ptx_statement& statement);
  void emit_funnel(const ptx_statement& statement);
  operand table_of_two(unsigned table, const operand& b, const operand& c);

  // ---- ptx_conversions.cpp ----
  bool emit_conversion(const ptx_statement& statement);
  void emit_move(const ptx_statement& statement, const ptx_type& type);
  void emit_convert(const ptx_statement& statement);
  void emit_set(const ptx_statement& statement);
  void emit_generic(const ptx_statement& statement);
  void emit_mapped(const ptx_statement& statement);
  operand compare(const ptx_statement& statement, std::string_view name, const ptx_type& type,
                  const operand& a, const operand& b);

  // ---- ptx_memory.cpp ----
  bool emit_memory(const ptx_statement& statement);
  void emit_load(const ptx_statement& statement);
  void emit_store(const ptx_statement& statement);
  void emit_atomic(const ptx_statement& statement);
  void emit_matrix(const ptx_statement& statement);
  bool emit_fragment(const ptx_statement& statement);  // false if it is not known what it accesses
  void emit_copy(const ptx_statement& statement);
  memory_access memory_of(const ptx_statement& statement) const;
  bool is_predicate_register(const ptx_statement& statement, const ptx_term& term) const;
  // Sets the memory's offset, and its kind if the name is that of a parameter.
  operand address(const ptx_statement& statement, const ptx_term& term, memory_access& memory);
  void load_parameter(const ptx_statement& statement, const memory_access& memory,
                      const std::vector<int>& targets, std::uint64_t offset);

  // ---- ptx_control.cpp ----
  bool emit_control(frame& call_frame, const ptx_statement& statement);
  void emit_barrier(const ptx_statement& statement);
  void emit_meeting(const ptx_statement& statement);
  void emit_exchange(const ptx_statement& statement);
  void emit_call(frame& call_frame, const ptx_statement& statement);
  void call_function(frame& call_frame, const ptx_statement& statement, const ptx_function& callee);
  void call_external(const ptx_statement& statement, const std::string& reason,
                     bool may_access_shared);
  void emit_indexed_branch(const ptx_statement& statement);
  std::vector<int> results_of(const ptx_statement& statement);
  std::vector<operand> inputs_of(const ptx_statement& statement);
  void emit_unknown(const ptx_statement& statement);

  // ---- ptx_units.cpp ----
  bool emit_unit(const ptx_statement& statement);
  bool emit_election(const ptx_statement& statement);

  const ptx_module& module_;
  const ptx_function* kernel_;
  kernel_code code_;
  frame* frame_ = nullptr;
  const ptx_statement* statement_ = nullptr;
  long long instructions_ = 0;
  int block_ = 0, last_block_ = -1;
  bool has_ended_ = false;  // the block has its branch
  int carry_ = -1;          // the register of add.cc
  std::map<std::tuple<const ptx_function*, int, std::string_view>, int> registers_;
  std::map<std::string_view, int> globals_;
  std::map<int, int> calls_;  // by the number in the module
  std::map<const ptx_variable*, int> shared_of_functions_;
  std::map<const ptx_variable*, std::uint64_t> parameter_at_;
  // Registers that were loaded from a parameter, or are such a value and a scaled index.
  std::map<int, std::uint64_t> from_parameter_;
  std::set<int> scaled_;
  std::set<std::uint64_t> pointers_;     // offsets of parameters
  std::map<std::uint64_t, int> fields_;  // read from structures: bytes by offset
};

ptx_type ptx_type_of(std::string_view text);
// The types in an instruction's name, in order.
std::vector<ptx_type> ptx_types_of(const ptx_statement& statement);
bool has_part(const ptx_statement& statement, std::string_view part);
bool names_shared(const ptx_statement& statement);  // shared, or shared::cta and the like

inline operand constant_operand(std::uint64_t value) { return {operand::kind::constant, value}; }
inline operand register_operand(int number) {
  return {operand::kind::reg, static_cast<std::uint64_t>(number)};
}

}  // namespace compiled
