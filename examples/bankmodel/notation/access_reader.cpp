// SPDX-License-Identifier: MIT
#include "access_reader.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <iterator>

#include "as_in_c.hpp"

namespace command_line {

namespace {

constexpr std::size_t longest_access = 4096;

}  // namespace

// ---- elements ----

void access_reader::read_accesses() {
  const token keyword = take();
  const bm::access_kind kind = keyword.is("load")    ? bm::access_kind::load
                               : keyword.is("store") ? bm::access_kind::store
                                                     : bm::access_kind::atomic;
  do add_access(kind, read_place());
  while (take_if(","));
  end_statement();
}

// `atomicAdd(&bins[a], b)`, `atomicCAS(&bins[a], b, c)`: the values are loaded first.
bool access_reader::is_atomic_here() const {
  if (front().text.substr(0, 6) != "atomic" || !peek(1).is("(")) return false;
  return is_array(peek(peek(2).is("&") ? 3 : 2).text);
}

access_reader::element access_reader::read_atomic() {
  const token name = take();
  constexpr std::string_view known[] = {"atomicAdd", "atomicSub", "atomicExch", "atomicMin",
                                        "atomicMax", "atomicInc", "atomicDec",  "atomicCAS",
                                        "atomicAnd", "atomicOr",  "atomicXor"};
  if (std::ranges::find(known, name.text) == std::end(known))
    throw refusal{name.location,
                  joined("`", name.text.substr(0, 40), "` is not a known atomic function"),
                  "write atomicAdd, atomicCAS, .. or `atomic a[..]`"};
  (void)expect("(", "and the address of an element");
  if (!take_if("&"))
    throw refusal{front().location, "an atomic function without `&` before its element",
                  "write atomicAdd(&a[tx], 1)"};
  const element place = read_place();
  while (take_if(",")) (void)read_value();
  (void)expect(")", "after the values");
  add_access(bm::access_kind::atomic, place);
  return place;
}

// A value: its array elements are loaded in their order; an atomic function has a value too.
program access_reader::read_element() {
  const bool is_atomic = is_atomic_here();
  const std::size_t first = cursor(), changes = journal_.size();
  const element target = is_atomic ? read_atomic() : read_place();
  if (!is_atomic && is_assigning(front()) && !front().first_of_line) {
    const std::size_t middle = cursor(), middle_changes = journal_.size();
    const program result = read_assigned(target, take());
    require_order(first, middle, changes, middle_changes);
    return result;
  }
  if (!is_atomic) add_access(bm::access_kind::load, target);
  const std::string& name = file_.arrays[static_cast<std::size_t>(target.array)].name;
  return unknown_program(target.location,
                         joined("a subscript, bound or condition that reads the array ", name,
                                ", which is not known before the kernel runs"),
                         "use thread variables, loop variables and constants");
}

// `tile[ty][tx]`, `(float4) tile[ty][4 * tx]`, `*(float4*)&tile[ty][4 * tx]`,
// `*reinterpret_cast<float4*>(&tile[..][..])`
access_reader::element access_reader::read_place() {
  const std::size_t first = cursor();
  element result;
  if (take_if("*")) {
    read_pointed_element(result);
  } else if (take_if("(")) {
    const type wide = read_wide_type();
    (void)expect(")", joined("after ", wide.name));
    read_subscripts(result);
    widen(result, wide);
  } else {
    read_subscripts(result);
  }
  if (front().is("."))
    throw refusal{front().location, "a member of an element",
                  "declare the array with the type that one instruction reads"};
  result.location = span(first);
  result.text = words(first);
  return result;
}

// After `*`: `(float4*)&tile[..]`, `reinterpret_cast<float4*>(&tile[..])`
void access_reader::read_pointed_element(element& target) {
  const bool spelled_out = take_if("reinterpret_cast");
  (void)expect(spelled_out ? "<" : "(", "and the type that is accessed");
  const type wide = read_wide_type();
  (void)expect("*", joined("after ", wide.name));
  (void)expect(spelled_out ? ">" : ")", "after the type");
  if (spelled_out && !front().is("(")) unexpected("`(` and the address");
  const bool parenthesis = take_if("(");
  (void)expect("&", "and the array");
  read_subscripts(target);
  if (parenthesis) (void)expect(")", "after the address");
  widen(target, wide);
}

access_reader::type access_reader::read_wide_type() {
  if (const auto wide = read_type()) return *wide;
  throw refusal{front().location,
                joined("`", front().text.substr(0, 40), "` is not a known type of an access"),
                type_question()};
}

void access_reader::widen(element& target, const type& wide) const {
  const kernel_array& array = file_.arrays[static_cast<std::size_t>(target.array)];
  const int bytes = array.description.element_bytes;
  if (wide.bytes % bytes != 0)
    throw refusal{
        wide.location,
        joined(wide.name, " has ", wide.bytes, " bytes, the elements of ", array.name, " ", bytes),
        "access whole elements, one or several"};
  target.vector = wide.bytes / bytes;
}

// The subscript of the array that this pointer, or the array itself, means.
program access_reader::moved(const program& subscript, const token& name) const {
  const array_pointer* const pointer = pointer_named(name.text);
  if (pointer == nullptr || pointer->offset.nodes.empty()) return as_subscript(subscript);
  program result =
      combined("+", name.location, pointer->offset, converted(subscript, long_long_type));
  result.location = subscript.location;
  return as_subscript(result);
}

// `a`, `a + e - f`, `&a[e]`, up to the end of the declaration; nothing, and nothing is read, if it
// is something else, or if its offset is not known.
std::optional<access_reader::array_pointer> access_reader::read_pointer_value() {
  const std::size_t start = cursor();
  int open = 0;
  while (take_if("(")) ++open;
  const bool has_address = take_if("&");
  const token name = front();
  array_pointer result;
  const auto ends = [&] {
    for (; open > 0 && take_if(")"); --open) {
    }
    return open == 0 && ends_value();
  };
  const bool is_pointer = is_array(name.text) && is_line(number_of(name.text));
  if (is_pointer) {
    result.array = number_of(name.text);
    if (const array_pointer* const base = pointer_named(name.text)) result.offset = base->offset;
    (void)take();
    if (has_address) {
      if (take_if("[")) {
        add_offset(result.offset, "+", read_number());
        if (take_if("]") && ends()) return result;
      }
    } else {
      while (front().is("+") || front().is("-")) {
        const token sign = take();
        add_offset(result.offset, sign.text, read_product());
      }
      if (ends()) return result;
    }
  }
  cursor_ = start;
  return {};
}

bool access_reader::ends_value() const { return front().is(";") || front().is(","); }

bool access_reader::is_line(int array) const {
  return file_.arrays[static_cast<std::size_t>(array)].description.layout.rank == 1;
}

void access_reader::add_offset(program& offset, std::string_view sign, const program& elements) {
  if (elements.is_unknown) throw elements.reason;
  const program start = offset.nodes.empty() ? zero_offset(elements.location) : offset;
  offset = combined(sign, elements.location, start, converted(elements, long_long_type));
}

program access_reader::zero_offset(const place& position) {
  return converted(constant_program(0, position), long_long_type);
}

// `a += e`, `++a` and `a = b + e` outside of loops and conditions. False: it is something else,
// which the caller refuses; a part of it may have been read.
bool access_reader::read_moved_pointer(const token& prefix, const token& name) {
  if (conditional_depth_ > 0 || lazy_ > 0 || !is_line(number_of(name.text))) return false;
  const auto known =
      std::find_if(pointers_.rbegin(), pointers_.rend(),
                   [&](const array_pointer& pointer) { return pointer.name == name.text; });
  if (known == pointers_.rend()) return false;
  const token symbol = prefix.text.empty() ? front() : prefix;
  const program unit = constant_program(1, name.location);
  if (symbol.is("++") || symbol.is("--")) {
    if (prefix.text.empty()) (void)take();
    if (!front().is(";")) return false;
    add_offset(known->offset, symbol.is("++") ? "+" : "-", unit);
    return true;
  }
  if (!symbol.is("+=") && !symbol.is("-=") && !symbol.is("=")) return false;
  (void)take();
  if (!symbol.is("=")) {
    const program distance = read_number();
    if (!front().is(";")) return false;
    add_offset(known->offset, symbol.is("+=") ? "+" : "-", distance);
    return true;
  }
  const auto value = read_pointer_value();
  const bool has_same_elements =
      value && file_.arrays[static_cast<std::size_t>(value->array)].description.element_bytes ==
                   file_.arrays[static_cast<std::size_t>(known->array)].description.element_bytes;
  if (!has_same_elements) return false;
  known->array = value->array;
  known->offset = value->offset;
  return true;
}

void access_reader::read_subscripts(element& target) {
  const token name = front();
  if (name.kind != token_kind::name) unexpected("the name of an array");
  (void)take();
  target.array = number_of(name.text);
  if (target.array < 0 || !is_array(name.text)) unknown_array(name);
  kernel_array& array = file_.arrays[static_cast<std::size_t>(target.array)];
  array.is_used = true;
  const int rank = array.description.layout.rank;
  int count = 0;
  const std::size_t first = cursor();
  while (take_if("[")) {
    const deeper inside(*this);
    const program subscript = moved(read_number(), name);
    if (count < rank) target.subscript[count] = subscript;
    ++count;
    (void)expect("]", "after the subscript");
  }
  if (count != rank)
    throw refusal{count == 0 ? name.location : span(first),
                  joined(count, count == 1 ? " subscript" : " subscripts", " on ", array.name,
                         ", which has ", rank, rank == 1 ? " dimension" : " dimensions"),
                  joined("write ", rank)};
}

// After load, store or atomic: it must be declared.
void access_reader::unknown_array(const token& name) const {
  nearest_word nearest(name.text);
  offer_arrays(nearest);
  throw refusal{name.location, joined("there is no array ", name.text.substr(0, 40)),
                nearest.question(joined("declare it, shared float ", name.text.substr(0, 32),
                                        "[32] or global float ", name.text.substr(0, 32),
                                        "[], or remove this access"))};
}

// ---- accesses ----

// Whether the lanes come here must be known.
void access_reader::require_known_execution(const element& target) const {
  for (const wrapping& w : wrappers_)
    for (const program* bound : {&w.first, &w.last, &w.step})
      if (bound->is_unknown) {
        refusal reason = bound->reason;
        reason.wrong +=
            joined(", and decides whether line ", line_number(source_, target.location.first),
                   " accesses ", file_.arrays[static_cast<std::size_t>(target.array)].name);
        throw reason;
      }
  if (wrappers_.size() > most_wrappers)
    throw refusal{wrappers_[most_wrappers].location,
                  joined("more than ", most_wrappers, " nested loops and conditions"),
                  "join conditions with &&"};
}

void access_reader::add_access(bm::access_kind kind, const element& target) {
  if (static_cast<int>(file_.accesses.size()) == most_accesses)
    throw refusal{target.location, joined("more than ", most_accesses, " accesses"),
                  "write alike ones as a loop, or describe the kernel in two files"};
  require_known_execution(target);
  kernel_access result{{}, {}, {}, target.location};
  access_expression& expression = result.expression;
  expression.array = file_.arrays[static_cast<std::size_t>(target.array)].description;
  expression.subscripts = expression.array.layout.rank;
  expression.vector = target.vector;
  expression.stated = true;
  expression.kind = kind;
  add_programs(result, target);
  result.text += joined(bm::detail::instruction_of(kind), " ", target.text);
  if (result.text.size() > longest_access)
    throw refusal{target.location,
                  joined("an access of more than ", longest_access,
                         " letters, its loops and conditions included"),
                  "shorten them"};
  file_.accesses.push_back(result);
}

void access_reader::add_programs(kernel_access& result, const element& target) const {
  access_expression& expression = result.expression;
  expression.depth = static_cast<int>(wrappers_.size());
  int used = 0;
  const auto pooled = [&](const program& piece) {
    if (used + static_cast<int>(piece.nodes.size()) > most_nodes)
      throw refusal{target.location,
                    joined("an access that needs more than ", most_nodes,
                           " numbers, names and operators, its loops and conditions included"),
                    "shorten them"};
    std::ranges::copy(piece.nodes, expression.nodes + used);
    const bm::slice result_slice{used, static_cast<int>(piece.nodes.size())};
    used += result_slice.size;
    return result_slice;
  };
  for (int level = 0; level < expression.depth; ++level) {
    const wrapping& w = wrappers_[static_cast<std::size_t>(level)];
    expression.wrappers[level] = {w.kind, w.variable, pooled(w.first), pooled(w.last),
                                  pooled(w.step)};
    result.text += joined(w.text, " ");
    if (w.kind != bm::wrapper_kind::filter) result.loop_names.push_back(w.name);
  }
  for (int dimension = 0; dimension < expression.subscripts; ++dimension)
    expression.subscript[dimension] = pooled(target.subscript[dimension]);
}

}  // namespace command_line
