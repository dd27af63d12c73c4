// SPDX-License-Identifier: MIT
#include "access_reader.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <iterator>

#include "../element_types.hpp"
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
  if (here().text.substr(0, 6) != "atomic" || !peek(1).is("(")) return false;
  return is_array(peek(peek(2).is("&") ? 3 : 2).text);
}

access_reader::element access_reader::read_atomic() {
  const token name = take();
  constexpr std::string_view known[] = {"atomicAdd", "atomicSub", "atomicExch", "atomicMin",
                                        "atomicMax", "atomicInc", "atomicDec",  "atomicCAS",
                                        "atomicAnd", "atomicOr",  "atomicXor"};
  if (std::find(std::begin(known), std::end(known), name.text) == std::end(known))
    throw refusal{name.where,
                  joined("`", name.text.substr(0, 40), "` is not a known atomic function"),
                  "write atomicAdd, atomicCAS, .. or `atomic a[..]`"};
  (void)expect("(", "and the address of an element");
  if (!take_if("&"))
    throw refusal{here().where, "an atomic function without `&` before its element",
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
  const std::size_t first = now(), changes = journal_.size();
  const element one = is_atomic ? read_atomic() : read_place();
  if (!is_atomic && is_assigning(here()) && !here().first_of_line) {
    const std::size_t middle = now(), between = journal_.size();
    const program result = read_assigned(one, take());
    require_order(first, middle, changes, between);
    return result;
  }
  if (!is_atomic) add_access(bm::access_kind::load, one);
  const std::string& name = file_.arrays[static_cast<std::size_t>(one.array)].name;
  return unknown_program(one.where,
                         joined("a subscript, bound or condition that reads the array ", name,
                                ", which is not known before the kernel runs"),
                         "use thread variables, loop variables and constants");
}

// `tile[ty][tx]`, `(float4) tile[ty][4 * tx]`, `*(float4*)&tile[ty][4 * tx]`,
// `*reinterpret_cast<float4*>(&tile[..][..])`
access_reader::element access_reader::read_place() {
  const std::size_t first = now();
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
  if (here().is("."))
    throw refusal{here().where, "a member of an element",
                  "declare the array with the type that one instruction reads"};
  result.where = from(first);
  result.text = words(first);
  return result;
}

// After `*`: `(float4*)&tile[..]`, `reinterpret_cast<float4*>(&tile[..])`
void access_reader::read_pointed_element(element& to) {
  const bool spelled_out = take_if("reinterpret_cast");
  (void)expect(spelled_out ? "<" : "(", "and the type that is accessed");
  const type wide = read_wide_type();
  (void)expect("*", joined("after ", wide.name));
  (void)expect(spelled_out ? ">" : ")", "after the type");
  if (spelled_out && !here().is("(")) unexpected("`(` and the address");
  const bool parenthesis = take_if("(");
  (void)expect("&", "and the array");
  read_subscripts(to);
  if (parenthesis) (void)expect(")", "after the address");
  widen(to, wide);
}

access_reader::type access_reader::read_wide_type() {
  if (const auto wide = read_type()) return *wide;
  throw refusal{here().where,
                joined("`", here().text.substr(0, 40), "` is not a known type of an access"),
                type_question()};
}

void access_reader::widen(element& one, const type& wide) const {
  const kernel_array& array = file_.arrays[static_cast<std::size_t>(one.array)];
  const int bytes = array.description.element_bytes;
  if (wide.bytes % bytes != 0)
    throw refusal{
        wide.where,
        joined(wide.name, " has ", wide.bytes, " bytes, the elements of ", array.name, " ", bytes),
        "access whole elements, one or several"};
  one.vector = wide.bytes / bytes;
}

// The subscript of the array that this pointer, or the array itself, means.
program access_reader::moved(const program& subscript, const token& name) const {
  const array_pointer* const pointer = pointer_named(name.text);
  if (pointer == nullptr || pointer->offset.nodes.empty()) return as_subscript(subscript);
  program result = combined("+", name.where, pointer->offset, converted(subscript, long_long_type));
  result.where = subscript.where;
  return as_subscript(result);
}

// `a`, `a + e - f`, `&a[e]`, up to the end of the declaration; nothing, and nothing is read, if it
// is something else, or if its offset is not known.
std::optional<access_reader::array_pointer> access_reader::read_pointer_value() {
  const std::size_t before = now();
  int open = 0;
  while (take_if("(")) ++open;
  const bool has_address = take_if("&");
  const token name = here();
  array_pointer result;
  const auto ends = [&] {
    for (; open > 0 && take_if(")"); --open) {
    }
    return open == 0 && ends_value();
  };
  const bool is_pointer = is_array(name.text) && is_line(number_of(name.text));
  if (is_pointer) {
    result.array = number_of(name.text);
    if (const array_pointer* const from = pointer_named(name.text)) result.offset = from->offset;
    (void)take();
    if (has_address) {
      if (take_if("[")) {
        add_offset(result.offset, "+", read_number());
        if (take_if("]") && ends()) return result;
      }
    } else {
      while (here().is("+") || here().is("-")) {
        const token sign = take();
        add_offset(result.offset, sign.text, read_product());
      }
      if (ends()) return result;
    }
  }
  at_ = before;
  return {};
}

bool access_reader::ends_value() const { return here().is(";") || here().is(","); }

bool access_reader::is_line(int array) const {
  return file_.arrays[static_cast<std::size_t>(array)].description.layout.rank == 1;
}

void access_reader::add_offset(program& to, std::string_view sign, const program& elements) {
  if (elements.is_unknown) throw elements.why;
  const program from = to.nodes.empty() ? zero_offset(elements.where) : to;
  to = combined(sign, elements.where, from, converted(elements, long_long_type));
}

program access_reader::zero_offset(const place& where) {
  return converted(constant_program(0, where), long_long_type);
}

// `a += e`, `++a` and `a = b + e` outside of loops and conditions. False: it is something else,
// which the caller refuses; a part of it may have been read.
bool access_reader::read_moved_pointer(const token& prefix, const token& name) {
  if (conditional_depth_ > 0 || lazy_ > 0 || !is_line(number_of(name.text))) return false;
  const auto known = std::find_if(pointers_.rbegin(), pointers_.rend(),
                                  [&](const array_pointer& one) { return one.name == name.text; });
  if (known == pointers_.rend()) return false;
  const token symbol = prefix.text.empty() ? here() : prefix;
  const program one = constant_program(1, name.where);
  if (symbol.is("++") || symbol.is("--")) {
    if (prefix.text.empty()) (void)take();
    if (!here().is(";")) return false;
    add_offset(known->offset, symbol.is("++") ? "+" : "-", one);
    return true;
  }
  if (!symbol.is("+=") && !symbol.is("-=") && !symbol.is("=")) return false;
  (void)take();
  if (!symbol.is("=")) {
    const program by = read_number();
    if (!here().is(";")) return false;
    add_offset(known->offset, symbol.is("+=") ? "+" : "-", by);
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

void access_reader::read_subscripts(element& one) {
  const token name = here();
  if (name.kind != token_kind::name) unexpected("the name of an array");
  (void)take();
  one.array = number_of(name.text);
  if (one.array < 0 || !is_array(name.text)) unknown_array(name);
  kernel_array& array = file_.arrays[static_cast<std::size_t>(one.array)];
  array.is_used = true;
  const int rank = array.description.layout.rank;
  int count = 0;
  const std::size_t first = now();
  while (take_if("[")) {
    const deeper inside(*this);
    const program subscript = moved(read_number(), name);
    if (count < rank) one.subscript[count] = subscript;
    ++count;
    (void)expect("]", "after the subscript");
  }
  if (count != rank)
    throw refusal{count == 0 ? name.where : from(first),
                  joined(count, count == 1 ? " subscript" : " subscripts", " on ", array.name,
                         ", which has ", rank, rank == 1 ? " dimension" : " dimensions"),
                  joined("write ", rank)};
}

// After load, store or atomic: it must be declared.
void access_reader::unknown_array(const token& name) const {
  nearest_word nearest(name.text);
  offer_arrays(nearest);
  throw refusal{name.where, joined("there is no array ", name.text.substr(0, 40)),
                nearest.question(joined("declare it, shared float ", name.text.substr(0, 32),
                                        "[32] or global float ", name.text.substr(0, 32),
                                        "[], or remove this access"))};
}

// ---- accesses ----

// Whether the lanes come here must be known.
void access_reader::require_known_execution(const element& one) const {
  for (const wrapping& w : around_)
    for (const program* each : {&w.first, &w.last, &w.step})
      if (each->is_unknown) {
        refusal why = each->why;
        why.wrong += joined(", and decides whether line ", line_number(source_, one.where.first),
                            " accesses ", file_.arrays[static_cast<std::size_t>(one.array)].name);
        throw why;
      }
  if (around_.size() > most_wrappers)
    throw refusal{around_[most_wrappers].where,
                  joined("more than ", most_wrappers, " nested loops and conditions"),
                  "join conditions with &&"};
}

void access_reader::add_access(bm::access_kind kind, const element& one) {
  if (static_cast<int>(file_.accesses.size()) == most_accesses)
    throw refusal{one.where, joined("more than ", most_accesses, " accesses"),
                  "write alike ones as a loop, or describe the kernel in two files"};
  require_known_execution(one);
  kernel_access result{{}, {}, {}, one.where};
  access_expression& to = result.expression;
  to.array = file_.arrays[static_cast<std::size_t>(one.array)].description;
  to.subscripts = to.array.layout.rank;
  to.vector = one.vector;
  to.stated = true;
  to.kind = kind;
  add_programs(result, one);
  result.text += joined(bm::detail::instruction_of(kind), " ", one.text);
  if (result.text.size() > longest_access)
    throw refusal{one.where,
                  joined("an access of more than ", longest_access,
                         " letters, its loops and conditions included"),
                  "shorten them"};
  file_.accesses.push_back(result);
}

void access_reader::add_programs(kernel_access& result, const element& one) const {
  access_expression& to = result.expression;
  to.depth = static_cast<int>(around_.size());
  int used = 0;
  const auto pooled = [&](const program& of) {
    if (used + static_cast<int>(of.nodes.size()) > most_nodes)
      throw refusal{one.where,
                    joined("an access that needs more than ", most_nodes,
                           " numbers, names and operators, its loops and conditions included"),
                    "shorten them"};
    std::copy(of.nodes.begin(), of.nodes.end(), to.nodes + used);
    const bm::slice result_slice{used, static_cast<int>(of.nodes.size())};
    used += result_slice.size;
    return result_slice;
  };
  for (int at = 0; at < to.depth; ++at) {
    const wrapping& w = around_[static_cast<std::size_t>(at)];
    to.wrappers[at] = {w.kind, w.variable, pooled(w.first), pooled(w.last), pooled(w.step)};
    result.text += joined(w.text, " ");
    if (w.kind != bm::wrapper_kind::filter) result.loop_names.push_back(w.name);
  }
  for (int at = 0; at < to.subscripts; ++at) to.subscript[at] = pooled(one.subscript[at]);
}

}  // namespace command_line
