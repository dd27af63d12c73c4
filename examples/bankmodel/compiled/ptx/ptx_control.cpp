// SPDX-License-Identifier: MIT
// PTX's branches, calls, barriers and exchanges between lanes, and instructions that are not
// modelled.
#include <algorithm>
#include <optional>

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
bool does_nothing(const ptx_statement& one) {
  constexpr std::string_view names[] = {"prefetch",      "prefetchu", "discard",
                                        "applypriority", "brkpt",     "nanosleep",
                                        "setmaxnreg",    "pmevent",   "griddepcontrol"};
  if (std::find(std::begin(names), std::end(names), one.parts[0]) != std::end(names)) return true;
  const bool waits =
      has_part(one, "commit_group") || has_part(one, "wait_group") || has_part(one, "wait_all");
  return waits && (one.parts[0] == "cp" || one.parts[0] == "wgmma");
}

}  // namespace

bool ptx_emitter::emit_control(frame& in, const ptx_statement& one) {
  const std::string_view name = one.parts[0];
  if (name == "bra") {
    jump_if_guarded(one, label(one, operand_term(one, 0).text));
  } else if (name == "brx") {
    emit_indexed_branch(one);
  } else if (name == "ret" && in.returns_to >= 0) {
    jump_if_guarded(one, in.returns_to);
  } else if (name == "ret" || name == "exit" || name == "trap") {
    if (one.guard.empty()) {
      add(opcode::leave, 32, {}, {}).what = name == "trap" ? "trap" : "";
      has_ended_ = true;
      return true;
    }
    const int ends = new_block();
    jump_if_guarded(one, ends);
    const int next = block_;
    begin_block(ends);
    add(opcode::leave, 32, {}, {}).what = name == "trap" ? "trap" : "";
    begin_block(next);
  } else if (name == "call") {
    emit_call(in, one);
  } else if (name == "bar" || name == "barrier") {
    emit_barrier(one);
  } else if (name == "membar" || name == "fence") {
    add(opcode::warp_sync, 32, {}, {});  // no access is moved past it
  } else if (name == "shfl" || name == "vote" || name == "activemask") {
    emit_exchange(one);
  } else {
    return does_nothing(one);
  }
  return true;
}

void ptx_emitter::emit_barrier(const ptx_statement& one) {
  // The threads of the block wait for each other too.
  if (has_part(one, "cluster") && has_part(one, "wait")) {
    add(opcode::barrier, 32, {}, {}).is_of_cluster = true;
    return;
  }
  if (has_part(one, "warp") || has_part(one, "cluster")) {
    if (has_part(one, "warp")) emit_meeting(one);
    add(opcode::warp_sync, 32, {}, {});
    return;
  }
  const bool reduces = has_part(one, "red");
  const std::size_t first = reduces ? 1 : 0;
  const std::size_t end = one.operands.size() - (reduces ? 1 : 0);
  std::vector<operand> from;
  for (std::size_t at = first; at < end; ++at) from.push_back(source(one, at, 32));
  if (!reduces) {
    add(opcode::barrier, 32, {}, std::move(from)).only_arrives = has_part(one, "arrive");
    return;
  }
  if (from.size() < 2) from.push_back(constant_operand(0));
  from.push_back(source(one, end, 1));
  instruction& made =
      add(opcode::barrier, 32, {destination(one, operand_term(one, 0))}, std::move(from));
  made.vote = has_part(one, "and")  ? vote_kind::all
              : has_part(one, "or") ? vote_kind::any
                                    : vote_kind::count;
}

// The last operand names the lanes that meet.
void ptx_emitter::emit_meeting(const ptx_statement& one) {
  add(opcode::warp_sync, 32, {}, {source(one, one.operands.size() - 1, 32)});
}

void ptx_emitter::emit_exchange(const ptx_statement& one) {
  const std::vector<int> to = destinations(one, operand_term(one, 0));
  if (one.parts[0] == "activemask") {
    add(opcode::vote, 32, to, {constant_operand(1)}).vote = vote_kind::active_mask;
    return;
  }
  if (one.parts[0] == "vote") {
    std::vector<operand> from = {source(one, 1, 1)};
    if (one.operands.size() > 2) from.push_back(source(one, 2, 32));
    instruction& made = add(opcode::vote, 32, to, std::move(from));
    made.vote = has_part(one, "any")   ? vote_kind::any
                : has_part(one, "all") ? vote_kind::all
                : has_part(one, "uni") ? vote_kind::uniform
                                       : vote_kind::ballot;
    return;
  }
  const operand given = source(one, 1, 32), by = source(one, 2, 32), clamp = source(one, 3, 32);
  std::vector<operand> from = {given, by, clamp};
  if (one.operands.size() > 4) from.push_back(source(one, 4, 32));
  instruction& made = add(opcode::shuffle, 32, to, std::move(from));
  made.shuffle = has_part(one, "up")     ? shuffle_kind::up
                 : has_part(one, "down") ? shuffle_kind::down
                 : has_part(one, "bfly") ? shuffle_kind::butterfly
                                         : shuffle_kind::index;
}

// brx.idx index, table: a chain of branches, the last without a condition.
void ptx_emitter::emit_indexed_branch(const ptx_statement& one) {
  const operand index = source(one, 0, 32);
  const std::string_view table = operand_term(one, 1).text;
  const auto& scopes = now_->function->scopes;
  const std::vector<std::string_view>* targets = nullptr;
  for (int at = one.scope; at >= 0 && targets == nullptr;
       at = scopes[static_cast<std::size_t>(at)].parent) {
    const auto& known = scopes[static_cast<std::size_t>(at)].targets;
    if (const auto found = known.find(table); found != known.end()) targets = &found->second;
  }
  if (targets == nullptr || targets->empty()) wrong(one, "a branch without its table");
  const int passed = new_block();
  if (!one.guard.empty()) {
    const int taken = new_block();
    jump_if_guarded(one, taken);
    jump(passed);
    begin_block(taken);
  }
  for (std::size_t at = 0; at + 1 < targets->size(); ++at) {
    const int is_here = new_register(), next = new_block(), to = label(one, (*targets)[at]);
    add(opcode::equal, 32, {is_here}, {index, constant_operand(at)}).guard = -1;
    add(opcode::branch, 1, {}, {register_operand(is_here)}).blocks = {to, next};
    begin_block(next);
  }
  jump(label(one, targets->back()));
  begin_block(passed);
  if (one.guard.empty()) jump(passed);  // nothing goes there
}

// call (result), name, (arguments);
void ptx_emitter::emit_call(frame& in, const ptx_statement& one) {
  const auto named = std::find_if(one.operands.begin(), one.operands.end(),
                                  [](const auto& term) { return term.is == ptx_term::kind::word; });
  if (named == one.operands.end()) wrong(one, "a call without a function");
  if (!one.guard.empty()) {
    const int called = new_block(), after = new_block();
    jump_if_guarded(one, called);
    jump(after);
    begin_block(called);
    ptx_statement plain = one;
    plain.guard = {};
    const ptx_statement* const before = statement_;
    statement_ = &plain;
    emit_call(in, plain);
    if (!has_ended_) jump(after);
    statement_ = before;
    begin_block(after);
    return;
  }
  const std::string_view name = named->text;
  const auto found = module_.function.find(name);
  if (find_register(one, name) >= 0)
    call_external(one, "an indirect call", true);
  else if (fails(name))
    add(opcode::leave, 32, {}, {}).what = "trap", has_ended_ = true;
  else if (found == module_.function.end() || !found->second->has_body)
    call_external(one, "a call of " + std::string(name) + " (not in this file)",
                  !is_harmless(name));
  else
    call_function(in, one, *found->second);
}

void ptx_emitter::call_function(frame& in, const ptx_statement& one, const ptx_function& callee) {
  for (const frame* at = &in; at != nullptr; at = at->caller)
    if (at->function == &callee)
      return call_external(one, "a recursive call of " + std::string(callee.name), true);
  frame inner;
  inner.function = &callee;
  inner.caller = &in;
  inner.end = in.end;
  bool is_after_name = false;
  for (const ptx_term& each : one.operands) {
    if (each.is == ptx_term::kind::word) is_after_name = true;
    if (each.is != ptx_term::kind::group) continue;
    const auto& parameters = is_after_name ? callee.parameters : callee.results;
    if (each.parts.size() != parameters.size())
      wrong(one, "a call with another number of arguments than the function has");
    for (std::size_t at = 0; at < each.parts.size(); ++at) {
      const ptx_variable* const given = variable(one, each.parts[at].text);
      const auto place = given == nullptr ? in.at.end() : in.at.find(given);
      if (place == in.at.end()) wrong(one, "an argument of a call that is no .param variable");
      inner.at[parameters[at]] = place->second;
    }
  }
  inner.returns_to = new_block();
  emit_function(inner);
  begin_block(inner.returns_to);
}

// The result is unknown.
void ptx_emitter::call_external(const ptx_statement& one, const std::string& what,
                                bool may_access_shared) {
  const int result = new_register();
  instruction& made = add(opcode::unknown, 64, {result}, {});
  made.what = what;
  made.may_access_shared = may_access_shared;
  if (one.operands.empty() || one.operands[0].is != ptx_term::kind::group) return;
  for (const ptx_term& each : one.operands[0].parts) {
    const ptx_variable* const to = variable(one, each.text);
    if (to == nullptr) continue;
    memory_access memory;
    memory.does = access_does::store;
    memory.memory = memory_kind::local;
    memory.bytes = 1;
    memory.elements = static_cast<int>(to->bytes);
    std::vector<operand> from = {address_of(one, *to)};
    from.resize(to->bytes + 1, register_operand(result));
    add(opcode::access, 64, {}, std::move(from)).memory = memory;
  }
}

// The registers that an instruction writes which has its results first.
std::vector<int> ptx_emitter::results_of(const ptx_statement& one) {
  std::vector<int> result;
  if (one.operands.empty()) return result;
  const ptx_term& first = one.operands[0];
  if (first.is == ptx_term::kind::address || first.is == ptx_term::kind::group) return result;
  for (const ptx_term& each :
       first.is == ptx_term::kind::word ? std::vector<ptx_term>{first} : first.parts)
    if (each.is == ptx_term::kind::word && find_register(one, each.text) >= 0)
      result.push_back(find_register(one, each.text));
  return result;
}

// What is not modelled has unknown results.
void ptx_emitter::emit_unknown(const ptx_statement& one) {
  const std::string_view name = one.parts[0];
  if (emit_unit(one) || emit_election(one)) return;
  if (name == "match" || name == "redux") emit_meeting(one);
  const bool is_texture = name == "tex" || name == "tld4" || name == "txq" || name == "suld" ||
                          name == "sust" || name == "sured" || name == "suq";
  const ptx_term* addressed = nullptr;
  for (const ptx_term& each : one.operands)
    if (each.is == ptx_term::kind::address && addressed == nullptr) addressed = &each;
  const bool is_shared = std::any_of(one.parts.begin(), one.parts.end(), [](std::string_view part) {
    return part.starts_with("shared");
  });
  const bool is_global = has_part(one, "global") && !is_shared;
  const bool is_elsewhere = is_texture || is_global || has_part(one, "const") ||
                            has_part(one, "local") || has_part(one, "param");
  std::vector<int> to = results_of(one);
  std::vector<operand> from;
  if (addressed != nullptr && !is_texture && !is_shared && !addressed->parts.empty()) {
    memory_access memory;
    memory.memory = is_global ? memory_kind::global : memory_kind::generic;
    from.push_back(address(one, *addressed, memory));
  }
  const int result = new_register();
  to.push_back(result);
  instruction& made = add(opcode::unknown, 64, std::move(to), std::move(from));
  made.what = std::string(one.name);
  made.may_access_shared = is_shared || (addressed != nullptr && !is_elsewhere);
  made.may_access_global = is_texture && name != "txq" && name != "suq";  // queries of its size
  if (!is_global || addressed == nullptr) return;
  // Its accesses to global memory are not counted, which a partial access states.
  memory_access memory;
  memory.memory = memory_kind::global;
  memory.does =
      one.operands[0].is == ptx_term::kind::address ? access_does::store : access_does::load;
  add(opcode::access, 64, {}, {register_operand(result)}).memory = memory;
}

}  // namespace compiled
