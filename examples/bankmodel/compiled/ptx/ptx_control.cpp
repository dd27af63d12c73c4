// SPDX-License-Identifier: MIT
// PTX's branches, calls, barriers and exchanges between lanes, and instructions that are not
// modelled.
#include <algorithm>

#include "ptx_emitter.hpp"
#include "ptx_reader.hpp"

namespace compiled {

namespace {

// Functions outside the file that do not access shared memory.
bool is_harmless(std::string_view name) {
  return name == "vprintf" || name == "malloc" || name == "free" || name.starts_with("cuda") ||
         name.starts_with("cnp") || name.starts_with("__cuda");
}
bool fails(std::string_view name) {
  return name == "__assertfail" || name == "__assert_fail" || name == "abort";
}

// Instructions that only order others, or that change nothing here.
bool does_nothing(const ptx_statement& statement) {
  constexpr std::string_view names[] = {"prefetch",      "prefetchu", "discard",
                                        "applypriority", "brkpt",     "nanosleep",
                                        "setmaxnreg",    "pmevent",   "griddepcontrol"};
  if (includes(names, statement.parts[0])) return true;
  const bool waits = has_part(statement, "commit_group") || has_part(statement, "wait_group") ||
                     has_part(statement, "wait_all");
  return waits && (statement.parts[0] == "cp" || statement.parts[0] == "wgmma");
}

}  // namespace

bool ptx_emitter::emit_control(frame& call_frame, const ptx_statement& statement) {
  const std::string_view name = statement.parts[0];
  if (name == "bra") {
    jump_if_guarded(statement, label(statement, operand_term(statement, 0).text));
  } else if (name == "brx") {
    emit_indexed_branch(statement);
  } else if (name == "ret" && call_frame.returns_to >= 0) {
    jump_if_guarded(statement, call_frame.returns_to);
  } else if (name == "ret" || name == "exit" || name == "trap") {
    if (statement.guard.empty()) {
      add(opcode::leave, 32, {}, {}).description = name == "trap" ? "trap" : "";
      has_ended_ = true;
      return true;
    }
    const int ends = new_block();
    jump_if_guarded(statement, ends);
    const int next = block_;
    begin_block(ends);
    add(opcode::leave, 32, {}, {}).description = name == "trap" ? "trap" : "";
    begin_block(next);
  } else if (name == "call") {
    emit_call(call_frame, statement);
  } else if (name == "bar" || name == "barrier") {
    emit_barrier(statement);
  } else if (name == "membar" || name == "fence") {
    add(opcode::warp_sync, 32, {}, {});  // no access is moved past it
  } else if (name == "shfl" || name == "vote" || name == "activemask") {
    emit_exchange(statement);
  } else {
    return does_nothing(statement);
  }
  return true;
}

void ptx_emitter::emit_barrier(const ptx_statement& statement) {
  // The threads of the block wait for each other too.
  if (has_part(statement, "cluster") && has_part(statement, "wait")) {
    add(opcode::barrier, 32, {}, {}).is_of_cluster = true;
    return;
  }
  if (has_part(statement, "warp") || has_part(statement, "cluster")) {
    if (has_part(statement, "warp")) emit_meeting(statement);
    add(opcode::warp_sync, 32, {}, {});
    return;
  }
  const bool reduces = has_part(statement, "red");
  const std::size_t first = reduces ? 1 : 0;
  const std::size_t end = statement.operands.size() - (reduces ? 1 : 0);
  std::vector<operand> sources;
  for (std::size_t number = first; number < end; ++number)
    sources.push_back(source(statement, number, 32));
  if (!reduces) {
    add(opcode::barrier, 32, {}, std::move(sources)).only_arrives = has_part(statement, "arrive");
    return;
  }
  if (sources.size() < 2) sources.push_back(constant_operand(0));
  sources.push_back(source(statement, end, 1));
  instruction& added = add(opcode::barrier, 32, {destination(statement)}, std::move(sources));
  added.vote = has_part(statement, "and")  ? vote_kind::all
               : has_part(statement, "or") ? vote_kind::any
                                           : vote_kind::count;
}

// The last operand names the lanes that meet.
void ptx_emitter::emit_meeting(const ptx_statement& statement) {
  add(opcode::warp_sync, 32, {}, {source(statement, statement.operands.size() - 1, 32)});
}

void ptx_emitter::emit_exchange(const ptx_statement& statement) {
  const std::vector<int> targets = destinations(statement, operand_term(statement, 0));
  if (statement.parts[0] == "activemask") {
    add(opcode::vote, 32, targets, {constant_operand(1)}).vote = vote_kind::active_mask;
    return;
  }
  if (statement.parts[0] == "vote") {
    std::vector<operand> sources = {source(statement, 1, 1)};
    if (statement.operands.size() > 2) sources.push_back(source(statement, 2, 32));
    instruction& added = add(opcode::vote, 32, targets, std::move(sources));
    added.vote = has_part(statement, "any")   ? vote_kind::any
                 : has_part(statement, "all") ? vote_kind::all
                 : has_part(statement, "uni") ? vote_kind::uniform
                                              : vote_kind::ballot;
    return;
  }
  const operand input = source(statement, 1, 32), distance = source(statement, 2, 32),
                clamp = source(statement, 3, 32);
  std::vector<operand> sources = {input, distance, clamp};
  if (statement.operands.size() > 4) sources.push_back(source(statement, 4, 32));
  instruction& added = add(opcode::shuffle, 32, targets, std::move(sources));
  added.shuffle = has_part(statement, "up")     ? shuffle_kind::up
                  : has_part(statement, "down") ? shuffle_kind::down
                  : has_part(statement, "bfly") ? shuffle_kind::butterfly
                                                : shuffle_kind::index;
}

// brx.idx index, table: a chain of branches, the last without a condition.
void ptx_emitter::emit_indexed_branch(const ptx_statement& statement) {
  const operand index = source(statement, 0, 32);
  const std::string_view table = operand_term(statement, 1).text;
  const std::vector<std::string_view>* targets = nullptr;
  for (int number = statement.scope; number >= 0 && targets == nullptr;
       number = scope(number).parent) {
    const auto& known = scope(number).targets;
    if (const auto entry = known.find(table); entry != known.end()) targets = &entry->second;
  }
  if (targets == nullptr || targets->empty()) wrong(statement, "a branch without its table");
  const int passed = new_block();
  if (!statement.guard.empty()) {
    const int guarded = new_block();
    jump_if_guarded(statement, guarded);
    jump(passed);
    begin_block(guarded);
  }
  for (std::size_t number = 0; number + 1 < targets->size(); ++number) {
    const int is_here = new_register(), next = new_block(),
              target = label(statement, (*targets)[number]);
    add(opcode::equal, 32, {is_here}, {index, constant_operand(number)}).guard = -1;
    add(opcode::branch, 1, {}, {register_operand(is_here)}).blocks = {target, next};
    begin_block(next);
  }
  jump(label(statement, targets->back()));
  begin_block(passed);
  if (statement.guard.empty()) jump(passed);  // nothing goes there
}

// call (result), name, (arguments);
void ptx_emitter::emit_call(frame& call_frame, const ptx_statement& statement) {
  const auto named = std::ranges::find_if(
      statement.operands, [](const auto& term) { return term.is == ptx_term::kind::word; });
  if (named == statement.operands.end()) wrong(statement, "a call without a function");
  if (!statement.guard.empty()) {
    const int called = new_block(), next = new_block();
    jump_if_guarded(statement, called);
    jump(next);
    begin_block(called);
    ptx_statement plain = statement;
    plain.guard = {};
    const ptx_statement* const previous = statement_;
    statement_ = &plain;
    emit_call(call_frame, plain);
    if (!has_ended_) jump(next);
    statement_ = previous;
    begin_block(next);
    return;
  }
  const std::string_view name = named->text;
  const auto callee = module_.function.find(name);
  if (find_register(statement, name) >= 0)
    call_external(statement, "an indirect call", true);
  else if (fails(name))
    add(opcode::leave, 32, {}, {}).description = "trap", has_ended_ = true;
  else if (callee == module_.function.end() || !callee->second->has_body)
    call_external(statement, "a call of " + std::string(name) + " (not in this file)",
                  !is_harmless(name));
  else
    call_function(call_frame, statement, *callee->second);
}

void ptx_emitter::call_function(frame& call_frame, const ptx_statement& statement,
                                const ptx_function& callee) {
  for (const frame* ancestor = &call_frame; ancestor != nullptr; ancestor = ancestor->caller)
    if (ancestor->function == &callee)
      return call_external(statement, "a recursive call of " + std::string(callee.name), true);
  frame inner;
  inner.function = &callee;
  inner.caller = &call_frame;
  inner.end = call_frame.end;
  bool is_after_name = false;
  for (const ptx_term& term : statement.operands) {
    if (term.is == ptx_term::kind::word) is_after_name = true;
    if (term.is != ptx_term::kind::group) continue;
    const auto& parameters = is_after_name ? callee.parameters : callee.results;
    if (term.parts.size() != parameters.size())
      wrong(statement, "a call with another number of arguments than the function has");
    for (std::size_t number = 0; number < term.parts.size(); ++number) {
      const ptx_variable* const argument = variable(statement, term.parts[number].text);
      const auto place =
          argument == nullptr ? call_frame.addresses.end() : call_frame.addresses.find(argument);
      if (place == call_frame.addresses.end())
        wrong(statement, "an argument of a call that is no .param variable");
      inner.addresses[parameters[number]] = place->second;
    }
  }
  inner.returns_to = new_block();
  emit_function(inner);
  begin_block(inner.returns_to);
}

// The result is unknown.
void ptx_emitter::call_external(const ptx_statement& statement, const std::string& reason,
                                bool may_access_shared) {
  const int result = new_register();
  instruction& added = add(opcode::unknown, 64, {result}, {});
  added.description = reason;
  added.may_access_shared = may_access_shared;
  if (statement.operands.empty() || statement.operands[0].is != ptx_term::kind::group) return;
  for (const ptx_term& term : statement.operands[0].parts) {
    const ptx_variable* const target = variable(statement, term.text);
    if (target == nullptr) continue;
    memory_access memory;
    memory.operation = access_does::store;
    memory.memory = memory_kind::local;
    memory.bytes = 1;
    memory.elements = static_cast<int>(target->bytes);
    std::vector<operand> sources = {address_of(statement, *target)};
    sources.resize(target->bytes + 1, register_operand(result));
    add(opcode::access, 64, {}, std::move(sources)).memory = memory;
  }
}

// The registers that an instruction writes which has its results first.
std::vector<int> ptx_emitter::results_of(const ptx_statement& statement) {
  std::vector<int> result;
  if (statement.operands.empty()) return result;
  const ptx_term& first = statement.operands[0];
  if (first.is == ptx_term::kind::address || first.is == ptx_term::kind::group) return result;
  for (const ptx_term& term :
       first.is == ptx_term::kind::word ? std::vector<ptx_term>{first} : first.parts)
    if (term.is == ptx_term::kind::word && find_register(statement, term.text) >= 0)
      result.push_back(find_register(statement, term.text));
  return result;
}

// The registers that it reads, if it has its results first.
std::vector<operand> ptx_emitter::inputs_of(const ptx_statement& statement) {
  std::vector<operand> result;
  for (std::size_t number = 1; number < statement.operands.size(); ++number) {
    const ptx_term& source = statement.operands[number];
    for (const ptx_term& term :
         source.is == ptx_term::kind::word ? std::vector<ptx_term>{source} : source.parts)
      if (term.is == ptx_term::kind::word && find_register(statement, term.text) >= 0)
        result.push_back(register_operand(find_register(statement, term.text)));
  }
  return result;
}

// What is not modelled has unknown results.
void ptx_emitter::emit_unknown(const ptx_statement& statement) {
  const std::string_view name = statement.parts[0];
  if (emit_unit(statement) || emit_election(statement)) return;
  if (name == "match" || name == "redux") emit_meeting(statement);
  const bool is_texture = name == "tex" || name == "tld4" || name == "txq" || name == "suld" ||
                          name == "sust" || name == "sured" || name == "suq";
  const ptx_term* addressed = nullptr;
  for (const ptx_term& term : statement.operands)
    if (term.is == ptx_term::kind::address && addressed == nullptr) addressed = &term;
  const bool is_shared = names_shared(statement);
  const bool is_global = has_part(statement, "global") && !is_shared;
  const bool is_elsewhere = is_texture || is_global || has_part(statement, "const") ||
                            has_part(statement, "local") || has_part(statement, "param");
  std::vector<int> targets = results_of(statement);
  std::vector<operand> sources;
  if (addressed != nullptr && !is_texture && !is_shared && !addressed->parts.empty()) {
    memory_access memory;
    memory.memory = is_global ? memory_kind::global : memory_kind::generic;
    sources.push_back(address(statement, *addressed, memory));
  }
  if (addressed == nullptr && !is_texture) sources = inputs_of(statement);
  const int result = new_register();
  targets.push_back(result);
  instruction& added = add_unknown(statement, 64, std::move(targets), std::move(sources));
  added.may_access_shared = is_shared || (addressed != nullptr && !is_elsewhere);
  added.may_access_global = is_texture && name != "txq" && name != "suq";  // queries of its size
  if (!is_global || addressed == nullptr) return;
  // Its accesses to global memory are not counted, which a partial access states.
  memory_access memory;
  memory.memory = memory_kind::global;
  memory.operation =
      statement.operands[0].is == ptx_term::kind::address ? access_does::store : access_does::load;
  add(opcode::access, 64, {}, {register_operand(result)}).memory = memory;
}

}  // namespace compiled
