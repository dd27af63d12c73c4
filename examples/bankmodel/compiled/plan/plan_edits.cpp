// SPDX-License-Identifier: MIT
#include "plan_edits.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

#include "../../source.hpp"
#include "../code/identifier.hpp"

namespace compiled {

namespace bm = bankmodel;
using command_line::joined;

namespace {

// The elements that dimension d of the declaration has.
long long declared_extent(const bm::layout& array_layout, int d) {
  return d == 0 ? array_layout.extent[0] : array_layout.stride[d - 1] / array_layout.stride[d];
}

// True for text that one pair of parentheses is around.
bool is_in_parentheses(const std::string& text) {
  int open = 0;
  for (std::size_t place = 0; place < text.size(); ++place) {
    open += text[place] == '(' ? 1 : text[place] == ')' ? -1 : 0;
    if (open == 0) return place > 0 && place + 1 == text.size();
  }
  return false;
}

bool is_name_at(const std::string& formula, std::size_t position) {
  return (position == 0 || !is_identifier_letter(formula[position - 1])) &&
         (position + 1 == formula.size() || !is_identifier_letter(formula[position + 1]));
}

std::size_t times_of(char name, const std::string& formula) {
  std::size_t result = 0;
  for (std::size_t position = 0; position < formula.size(); ++position)
    result += formula[position] == name && is_name_at(formula, position) ? 1 : 0;
  return result;
}

// True if the formula has a subscript more than once.
bool repeats_a_subscript(const bm::layout_in_c& formulas) {
  const std::string names = "xyzw";
  return std::any_of(names.begin(), names.end(), [&](char name) {
    return times_of(name, formulas.place) +
               times_of('e', formulas.place) * times_of(name, formulas.number) >
           1;
  });
}

// The text with one blank for its line breaks; the same text if it has a comment to the line's end.
std::string on_one_line(const std::string& text) {
  if (text.find("//") != std::string::npos || text.find('#') != std::string::npos) return text;
  std::string result;
  for (std::size_t position = 0; position < text.size(); ++position) {
    if (text[position] != '\n' && text[position] != '\r') {
      result += text[position];
      continue;
    }
    while (!result.empty() && (result.back() == ' ' || result.back() == '\t')) result.pop_back();
    while (position + 1 < text.size() &&
           std::isspace(static_cast<unsigned char>(text[position + 1])))
      ++position;
    result += ' ';
  }
  return result;
}

// The formula with a text for each name of one letter. Line breaks of a text stay once, since the
// lines behind it are to stay where they are.
std::string replaced(const std::string& formula, std::map<char, std::string> names) {
  std::string result;
  for (std::size_t position = 0; position < formula.size(); ++position) {
    const auto name = names.find(formula[position]);
    if (!is_name_at(formula, position) || name == names.end()) {
      result += formula[position];
      continue;
    }
    // A subscript that is this name alone needs no parentheses.
    const bool is_whole =
        position > 0 && formula[position - 1] == '[' && formula[position + 1] == ']';
    result += is_whole ? name->second : as_operand(name->second);
    name->second = on_one_line(name->second);
  }
  return result;
}

// The subscripts to write instead: `[ty][(tx + 1) ^ ty]`.
std::string subscripts_in(const bm::layout_in_c& formulas,
                          const std::vector<std::string>& subscripts) {
  std::map<char, std::string> names;
  for (std::size_t dimension = 0; dimension < subscripts.size(); ++dimension)
    names["xyzw"[subscripts.size() - 1 - dimension]] = subscripts[dimension];
  if (!formulas.number.empty()) names['e'] = replaced(formulas.number, names);
  return replaced(formulas.place, names);
}

// The number that a text is, of the digits of C alone.
std::optional<long long> number_in(const std::string& text) {
  long long result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  const bool is_octal = text.size() > 1 && text[0] == '0';
  if (error != std::errc() || end != text.data() + text.size() || result < 0 || is_octal) return {};
  return result;
}

// The place of an element whose subscripts are numbers: `[0]`, not `[0 + 0 / 32]`. Empty if they
// are not, or are outside the declared extents.
std::string place_of_numbers(const array_plan& plan, const std::string& extents,
                             const std::vector<std::string>& subscripts) {
  auto coordinates = plan.declared.coordinates(0);
  if (static_cast<int>(subscripts.size()) != plan.declared.rank) return "";
  for (int d = 0; d < plan.declared.rank; ++d) {
    const std::optional<long long> number = number_in(subscripts[static_cast<std::size_t>(d)]);
    if (!number || *number >= plan.planned.extent[d]) return "";
    coordinates[d] = *number;
  }
  long long place = plan.planned(coordinates);
  std::string result;
  // The last extent is that of consecutive elements.
  for (std::size_t end = extents.size(); end > 0;) {
    const std::size_t begin = extents.rfind('[', end - 1);
    const auto extent = number_in(extents.substr(begin + 1, end - begin - 2));
    if (!extent || *extent == 0) return "";
    result = joined("[", begin == 0 ? place : place % *extent, "]", result);
    place /= *extent;
    end = begin;
  }
  return result;
}

std::string new_subscripts(const array_plan& plan, const bm::layout_in_c& formulas,
                           const std::vector<std::string>& subscripts) {
  const std::string place = place_of_numbers(plan, formulas.extents, subscripts);
  return place.empty() ? subscripts_in(formulas, subscripts) : place;
}

// The text with each whole occurrence of `name` replaced: not `ss[i]` for `s[i]`.
std::string replaced_whole(std::string text, const std::string& name,
                           const std::string& replacement) {
  for (std::size_t position = text.find(name); position != std::string::npos;
       position = text.find(name, position)) {
    // Not z.s[i], p->s[i] or n::s[i] either, but c > s[i] and c ? x : s[i].
    std::size_t before = position;
    while (before > 0 && text[before - 1] == ' ') --before;
    const bool is_member = before > 0 && (text[before - 1] == '.' ||
                                          (before > 1 && (text.compare(before - 2, 2, "->") == 0 ||
                                                          text.compare(before - 2, 2, "::") == 0)));
    const bool is_whole =
        !is_member && (position == 0 || !is_identifier_letter(text[position - 1]));
    if (is_whole) text.replace(position, name.size(), replacement);
    position += is_whole ? replacement.size() : 1;
  }
  return text;
}

bool contains(const source_piece& outer, const source_piece& inner) {
  return outer.file == inner.file && outer.offset <= inner.offset &&
         inner.offset + inner.text.size() <= outer.offset + outer.text.size();
}

bool is_before(const text_edit& left, const text_edit& right) {
  return std::tie(left.piece.file, left.piece.offset) <
         std::tie(right.piece.file, right.piece.offset);
}

// With so many more elements, or fewer: TILE + 1 is TILE with one less.
// Requires: may_lose(extent, -added) if these are fewer.
text_edit resized(const spelled_extent& extent, long long added) {
  const long long number = extent.number + added;
  if (number > 0) return {extent.piece, extent.prefix + std::to_string(number)};
  const std::string& sum = extent.expression.text;
  std::string others = sum.substr(0, sum.size() - extent.piece.text.size());  // "TILE + "
  others.resize(others.find_last_not_of(" +") + 1);
  return {extent.expression, others};
}

// True if so many elements are a part of the number that is written: a name may be less elsewhere.
bool may_lose(const spelled_extent& extent, long long elements) {
  const bool is_sum = extent.piece.text.size() < extent.expression.text.size();
  return extent.prefix.empty() && extent.number >= elements + (is_sum ? 0 : 1);
}

// True for an array of a template whose extents are not numbers.
bool depends_on_instance(const array_source& source) {
  const auto is_number = [](const spelled_extent& extent) {
    return extent.expression.line > 0 &&
           extent.expression.text.find_first_not_of("0123456789") == std::string::npos;
  };
  return source.is_of_template &&
         !std::all_of(source.extents.begin(), source.extents.end(), is_number);
}

// True if one extent and the same subscripts are right for each instance of a template.
bool has_formula_for_instances(const array_source& source, const array_plan& plan) {
  return is_for_any_extent(plan) && source.extents.size() == 1;
}

// "BM * BK", "(N + 1)": an operand of a product or a sum.
std::string as_factor(const std::string& text) {
  const bool is_product = std::all_of(text.begin(), text.end(), [](char letter) {
    return is_identifier_letter(letter) || letter == ' ' || letter == '*';
  });
  return is_product ? text : as_operand(text);
}

// The extent of rows with elements between them, which is right for each instance of a template:
// "BM * BK + (BM * BK - 1) / 64" for element c at c + c / 64.
std::string extent_with_rows(const std::string& extent, const bm::layout& planned) {
  const std::string factor = as_factor(extent);
  const std::string padding =
      planned.interval_padding == 1 ? "" : joined(" * ", planned.interval_padding);
  return joined(factor, " + (", factor, " - 1) / ", planned.interval, padding);
}

// Another instance, with other extents, does not compile: the subscripts are those of this one.
// "static_assert(sizeof(t) == 4096 && sizeof(t[0]) == 4);" of float t[1024], and with a new
// declaration "static_assert(BM * BK == 1024);" of float t[2][BM * BK].
std::string assertion_of_extents(const code_array& array, const array_plan& plan) {
  std::string result, name = array.name;
  if (!plan.declaration.empty()) {
    for (int d = 0; d < plan.declared.rank; ++d) {
      const std::string& extent = array.source.extents[static_cast<std::size_t>(d)].expression.text;
      if (number_in(extent)) continue;
      result +=
          joined(result.empty() ? "" : " && ", as_factor(extent), " == ", plan.declared.extent[d]);
    }
    return joined("static_assert(", result, ");");
  }
  for (int first = 0; first <= plan.declared.rank; ++first, name += "[0]") {
    long long bytes = array.element_bytes;
    for (int d = first; d < plan.declared.rank; ++d) bytes *= plan.declared.extent[d];
    result += joined(first == 0 ? "" : " && ", "sizeof(", name, ") == ", bytes);
  }
  return joined("static_assert(", result, ");");
}

// "(&t[0][0])" of float t[8][128]: its elements have one subscript.
std::string flattened(const std::string& name, int rank) {
  std::string result = "(&" + name;
  for (int d = 0; d < rank; ++d) result += "[0]";
  return result + ")";
}

// "const auto t_swizzled = [](int r, int c) -> auto& {", "return t[r][c ^ r];" and "};"
std::vector<std::string> function_definition(const code_array& array,
                                             const bm::layout_in_c& formulas,
                                             const array_plan& plan) {
  const std::string letters = "prc";  // those of bm::text(layout)
  const int rank = plan.declared.rank;
  std::vector<std::string> coordinates;
  std::string parameters;
  for (int d = 0; d < rank; ++d) {
    coordinates.push_back(rank <= 3
                              ? std::string(1, letters[static_cast<std::size_t>(3 - rank + d)])
                              : joined("c", d));
    parameters += joined(d == 0 ? "" : ", ", "int ", coordinates.back());
  }
  bm::layout_in_c of_number = formulas;
  std::vector<std::string> result = {
      joined("const auto ", array.source.function_name, " = [](", parameters, ") -> auto& {")};
  if (!formulas.number.empty()) {
    result.push_back(
        joined("const int e = ", subscripts_in({"", "", formulas.number, ""}, coordinates), ";"));
    of_number.number = "e";
  }
  result.push_back(joined("return ", plan.is_flat ? flattened(array.name, rank) : array.name,
                          subscripts_in(of_number, coordinates), ";"));
  result.push_back("};");
  return result;
}

// Adds these lines behind the declaration; those between the first and the last are of a body.
void add_behind_declaration(const array_source& source, const std::string& assertion,
                            const std::vector<std::string>& function, array_plan& plan) {
  text_edit added{source.declaration_end, ""};
  const bool has_tabs = source.line_break.find('\t') != std::string::npos;
  const bool is_wide = (source.line_break.size() - 1) % 4 == 0;
  const std::string inner = has_tabs ? "\t" : is_wide ? "    " : "  ";
  const auto add = [&](const std::string& line, bool is_of_body) {
    added.replacement += joined(" ", line);
    added.lines += joined(source.line_break, is_of_body ? inner : "", line);
  };
  if (!assertion.empty()) add(assertion, false);
  for (std::size_t line = 0; line < function.size(); ++line)
    add(function[line], line > 0 && line + 1 < function.size());
  if (added.replacement.empty()) return;
  added.line_end = source.line_end.line > 0 ? source.line_end : source.declaration_end;
  if (source.line_break.empty()) added.lines.clear();
  plan.subscripts.push_back(added);
}

std::string call_of_function(const code_array& array, const std::vector<std::string>& subscripts) {
  std::string result;
  for (const std::string& subscript : subscripts)
    result += joined(result.empty() ? "" : ", ", subscript);
  return joined(array.source.function_name, "(", result, ")");
}

// Returns why the uses of an array cannot have other subscripts; empty if they can.
std::string reason_against_subscripts(const code_array& array, const array_plan& plan) {
  if (depends_on_instance(array.source) && !has_formula_for_instances(array.source, plan) &&
      array.source.declaration_end.line == 0)
    return "it is declared in a template, and the layout depends on the extents of its instance";
  if (array.source.skipped_line > 0)
    return joined("line ", array.source.skipped_line,
                  ", which the preprocessor leaves out, names it");
  // Through a pointer a permuted row has its elements in another order, which requests do not show.
  const bool is_permuted = plan.planned.permutation.family != bm::layout_family::rows;
  for (const other_use& other : array.source.other_uses)
    if (is_permuted && !other.is_access && !other.is_received_row)
      return joined(other.description, " at line ", other.piece.line);
  for (const subscripted_use& use : array.source.uses)
    if (use.subscripts.empty())
      return joined("its subscripts come from a macro at line ", use.piece.line);
  return {};
}

// The formulas for a row, whose leading subscripts are given where it is passed: "[x ^ 1]" of
// "[y][x ^ 1]". Nothing: the place within the row depends on the row.
std::optional<bm::layout_in_c> formulas_in_row(bm::layout_in_c formulas, int rank, int given) {
  if (given == 0) return formulas;
  if (times_of('e', formulas.place) > 0) return {};
  for (int d = 0; d < given; ++d) {
    const char name = "xyzw"[rank - 1 - d];
    if (formulas.place.rfind(std::string{'[', name, ']'}, 0) != 0) return {};
    formulas.place.erase(0, 3);
  }
  for (int d = 0; d < given; ++d)
    if (times_of("xyzw"[rank - 1 - d], formulas.place) > 0) return {};
  return formulas;
}

// Returns each subscripted use with the text of `changed(use, subscripts)`. Of a use within another
// one's subscript, s[s[i]], the outer one has both changes, and is the one that is returned.
template <class Changed>
std::vector<text_edit> changed_uses(const array_source& source, const Changed& changed) {
  std::vector<const subscripted_use*> uses;
  for (const subscripted_use& use : source.uses) uses.push_back(&use);
  std::stable_sort(uses.begin(), uses.end(), [](const auto* left, const auto* right) {
    return left->piece.text.size() < right->piece.text.size();
  });
  std::vector<text_edit> edits;
  for (const subscripted_use* const use : uses) {
    std::vector<std::string> subscripts = use->subscripts;
    for (std::size_t inner = edits.size(); inner-- > 0;)  // the longest first
      if (contains(use->piece, edits[inner].piece))
        for (std::string& subscript : subscripts)
          subscript = replaced_whole(subscript, edits[inner].piece.text, edits[inner].replacement);
    edits.push_back({use->piece, changed(*use, subscripts)});
  }
  std::vector<text_edit> result;
  for (std::size_t number = 0; number < edits.size(); ++number) {
    const text_edit& edit = edits[number];
    const bool is_within =
        std::any_of(edits.begin() + static_cast<std::ptrdiff_t>(number) + 1, edits.end(),
                    [&](const text_edit& outer) { return contains(outer.piece, edit.piece); });
    if (!is_within && edit.replacement != edit.piece.text) result.push_back(edit);
  }
  return result;
}

// Sets the new text of each subscripted use: subscripts, or, where these would repeat an effect or
// be too long to read, a call of a function that the kernel then has. Returns why a use cannot be
// changed; empty if all can.
std::string set_changed_subscripts(const code_array& array, const bm::layout_in_c& formulas,
                                   array_plan& plan) {
  constexpr std::size_t longest_use = 1000, longest_readable_use = 120;
  const array_source& source = array.source;
  if (std::string reason = reason_against_subscripts(array, plan); !reason.empty()) return reason;
  const auto base_of = [&](const subscripted_use& use) {
    return use.base.empty() ? array.name : use.base;
  };
  bool has_receivers = false;
  for (const subscripted_use& use : source.uses) {
    has_receivers = has_receivers || !use.receiver.empty();
    if (!use.receiver.empty() && use.base.empty())
      return joined("`", use.receiver, "` writes a subscript at line ", use.piece.line,
                    " in another way than p[i]");
    if (!formulas_in_row(formulas, plan.declared.rank, use.given))
      return joined("`", use.receiver, "` receives a row at line ", use.piece.line,
                    ", and the place of its elements depends on the row");
  }
  plan.subscripts = changed_uses(
      source, [&](const subscripted_use& use, const std::vector<std::string>& subscripts) {
        return base_of(use) +
               new_subscripts(plan, *formulas_in_row(formulas, plan.declared.rank, use.given),
                              subscripts);
      });
  const bool repeats = repeats_a_subscript(formulas);
  const auto effect =
      std::find_if(source.uses.begin(), source.uses.end(),
                   [&](const subscripted_use& use) { return repeats && use.has_effects; });
  const auto longest = std::max_element(plan.subscripts.begin(), plan.subscripts.end(),
                                        [](const text_edit& left, const text_edit& right) {
                                          return left.replacement.size() < right.replacement.size();
                                        });
  const std::size_t length = longest == plan.subscripts.end() ? 0 : longest->replacement.size();
  std::string assertion;
  std::vector<std::string> function;
  // Another function has no function of the kernel's.
  if (source.declaration_end.line > 0 && source.is_of_one_kernel && !source.function_name.empty() &&
      !has_receivers &&
      (plan.is_flat || effect != source.uses.end() || length > longest_readable_use)) {
    const auto ordered =
        std::find_if(source.uses.begin(), source.uses.end(),
                     [](const subscripted_use& use) { return use.has_several_effects; });
    if (ordered != source.uses.end())
      return joined("subscripts of ", ordered->piece.text, " at line ", ordered->piece.line,
                    " have effects, and arguments of a function have no order");
    function = function_definition(array, formulas, plan);
    plan.subscripts = changed_uses(
        source, [&](const subscripted_use&, const std::vector<std::string>& arguments) {
          return call_of_function(array, arguments);
        });
  } else if (plan.is_flat) {
    return "it is declared in a template, and the layout depends on the extents of its instance";
  } else if (effect != source.uses.end()) {
    return joined("a subscript of ", effect->piece.text, " at line ", effect->piece.line,
                  " has an effect, and the layout repeats subscripts");
  } else if (length > longest_use) {
    return joined("the subscripts at line ", longest->piece.line, " become too long");
  }
  if (depends_on_instance(source) && !has_formula_for_instances(source, plan))
    assertion = assertion_of_extents(array, plan);
  add_behind_declaration(source, assertion, function, plan);
  std::sort(plan.subscripts.begin(), plan.subscripts.end(), is_before);
  return "";
}

// Why other extents cannot be written; empty if only the requests can say whether they are right.
std::string refusal_of_extents(const array_source& source) {
  if (!source.refusal.empty()) return source.refusal;
  const auto first = std::find_if(source.other_uses.begin(), source.other_uses.end(),
                                  [](const other_use& use) { return use.has_extents; });
  if (first == source.other_uses.end()) return {};
  return joined(first->description, " at line ", first->piece.line,
                ", and may depend on its extents");
}

// Why all extents cannot be replaced; empty if they can.
std::string refusal_of_new_declaration(const array_source& source) {
  if (std::any_of(source.extents.begin(), source.extents.end(),
                  [](const spelled_extent& extent) { return extent.expression.line == 0; }))
    return "a part of an extent comes from a macro";
  return refusal_of_extents(source);
}

}  // namespace

std::string as_operand(const std::string& text) {
  if (is_in_parentheses(text)) return text;
  const bool is_name = std::all_of(text.begin(), text.end(), [](char letter) {
    return is_identifier_letter(letter) || letter == '.' || letter == ':';
  });
  return is_name ? text : joined("(", text, ")");
}

bool is_declaration(const bm::layout& array_layout) {
  if (!array_layout.is_strided()) return false;
  for (int d = 1; d < array_layout.rank; ++d)
    if (array_layout.stride[d - 1] % array_layout.stride[d] != 0) return false;
  return true;
}

namespace {

// Of a dynamic array that becomes longer.
void set_dynamic_bytes(const code_array& array, array_plan& plan) {
  const bm::layout& planned = plan.planned;
  plan.dynamic_bytes = static_cast<std::uint64_t>(planned.required_size() * array.element_bytes);
  if (planned.rank != 1 || planned.interval == 0 ||
      planned.permutation.family != bm::layout_family::rows)
    return;
  plan.launch_bytes.is_known = true;
  plan.launch_bytes.row = {{{}, planned.interval * array.element_bytes}};
  plan.launch_bytes.added = planned.interval_padding * array.element_bytes;
}

// "t[1055]"; of an extent that is no number, which is another one in other instances of a template
// or when the author changes a constant, the extent that is right for all of them.
std::string declaration_in(const code_array& array, const array_plan& plan,
                           const bm::layout_in_c& formulas) {
  const array_source& source = array.source;
  if (!has_formula_for_instances(source, plan) || source.extents[0].expression.line == 0 ||
      number_in(source.extents[0].expression.text))
    return array.name + formulas.extents;
  return joined(array.name, "[", extent_with_rows(source.extents[0].expression.text, plan.planned),
                "]");
}

}  // namespace

bool is_for_any_extent(const array_plan& plan) {
  const bm::layout& planned = plan.planned;
  return plan.declared.rank == 1 && planned.rank == 1 && planned.interval > 0 &&
         planned.stride[0] == 1 && planned.permutation.family == bm::layout_family::rows;
}

void set_edits(const code_array& array, array_plan& plan) {
  const array_source& source = array.source;
  const bool is_dynamic = array.bytes == 0;
  plan.is_a_declaration = !is_dynamic && is_declaration(plan.planned);
  if (!plan.is_a_declaration) {
    const bm::layout_in_c formulas = bm::in_c(plan.planned);
    const bool is_as_large = formulas.extents == bm::in_c(plan.declared).extents;
    // The extents of a template's array are those of each instance, so that they stay.
    plan.is_flat = !is_as_large && !is_dynamic && depends_on_instance(source) &&
                   std::count(formulas.extents.begin(), formulas.extents.end(), '[') == 1 &&
                   plan.planned.required_size() <= plan.declared.required_size();
    if (!is_as_large && is_dynamic)
      set_dynamic_bytes(array, plan);
    else if (!is_as_large && !plan.is_flat)
      plan.declaration = declaration_in(array, plan, formulas);
    plan.refusal = plan.declaration.empty() ? source.refusal : refusal_of_new_declaration(source);
    if (plan.refusal.empty()) plan.refusal = set_changed_subscripts(array, formulas, plan);
    return;
  }
  plan.refusal = refusal_of_extents(source);
  if (!plan.refusal.empty()) return;
  const auto resize = [&](const spelled_extent& extent, long long added) {
    if (added > 0 || may_lose(extent, -added))
      plan.fix.push_back(resized(extent, added));
    else
      plan.refusal = "its extent is a name, which another build may have otherwise";
  };
  for (std::size_t dimension = 0; dimension < source.extents.size(); ++dimension) {
    const int d = static_cast<int>(dimension);
    const spelled_extent& extent = source.extents[dimension];
    const long long added = declared_extent(plan.planned, d) - plan.declared.extent[d];
    if (added != 0) resize(extent, added);
    if (added == 0 || dimension + 1 != source.extents.size()) continue;
    for (const spelled_extent& pitch : source.pitches) {
      constexpr int row_bytes = 16;  // CUDA C++ Programming Guide, load_matrix_sync
      if (declared_extent(plan.planned, d) * array.element_bytes % row_bytes != 0)
        plan.refusal = joined("rows that wmma accesses at line ", pitch.piece.line,
                              " are multiples of ", row_bytes, " bytes");
      resize(pitch, added);
    }
  }
  if (!plan.refusal.empty()) plan.fix.clear();
  std::sort(plan.fix.begin(), plan.fix.end(), is_before);
}

std::vector<text_edit> source_edits(const code_array& array, const array_plan& plan,
                                    const std::string& text) {
  if (plan.is_a_declaration) return plan.fix;
  std::vector<text_edit> result = plan.subscripts;
  result.insert(result.end(), plan.launches.begin(), plan.launches.end());
  if (plan.declaration.empty() || array.source.extents.empty()) return result;
  text_edit declaration{array.source.extents.front().expression, ""};
  const source_piece& last = array.source.extents.back().expression;
  const std::size_t end = last.offset + last.text.size();
  if (last.file != declaration.piece.file || end > text.size() || end < declaration.piece.offset)
    return result;
  declaration.piece.text = text.substr(declaration.piece.offset, end - declaration.piece.offset);
  declaration.piece.end_line = last.end_line;
  declaration.piece.end_column = last.end_column;
  // Between the first and the last bracket: "16][32" of tile[16][32].
  declaration.replacement = plan.declaration.substr(array.name.size() + 1);
  declaration.replacement.pop_back();
  result.push_back(declaration);
  return result;
}

std::string edited(std::string text, const std::vector<text_edit>& edits) {
  std::vector<const text_edit*> from_the_end;
  for (const text_edit& edit : edits) from_the_end.push_back(&edit);
  std::sort(from_the_end.begin(), from_the_end.end(), [](const auto* left, const auto* right) {
    return left->piece.offset > right->piece.offset;
  });
  for (const text_edit* edit : from_the_end)
    text.replace(edit->piece.offset, edit->piece.text.size(), edit->replacement);
  return text;
}

}  // namespace compiled
