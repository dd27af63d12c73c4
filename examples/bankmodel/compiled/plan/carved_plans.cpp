// SPDX-License-Identifier: MIT
#include "carved_plans.hpp"

#include <algorithm>
#include <bankmodel/count/request_classes.hpp>
#include <optional>
#include <tuple>

#include "../../source.hpp"
#include "../code/declared_layout.hpp"
#include "../code/identifier.hpp"
#include "../engine/prepared_kernel.hpp"
#include "planned_requests.hpp"

namespace compiled {

using command_line::joined;

namespace {

// Sizes that depend on no argument are those of each launch.
bool is_constant_size(const size_form& of) {
  return std::all_of(of.begin(), of.end(), [](const auto& one) { return one.first.empty(); });
}

std::optional<long long> argument_number(const page& of, const std::string& name) {
  const auto number = parameter_number(*of.kernel, name);
  if (!number) return std::nullopt;
  auto found = of.how.arguments.find(name);
  if (found == of.how.arguments.end())
    found = of.how.arguments.find(joined("p", static_cast<int>(*number)));
  if (found == of.how.arguments.end()) return std::nullopt;
  const bool is_narrow = of.kernel->parameters[*number].bytes == 4;
  return is_narrow ? static_cast<std::int32_t>(found->second)
                   : static_cast<long long>(found->second);
}

std::optional<long long> launch_number(const page& of, const size_form& size) {
  long long result = 0;
  for (const auto& [names, times] : size) {
    long long product = times;
    for (const std::string& name : names) {
      const auto value = argument_number(of, name);
      if (!value) return std::nullopt;
      product *= *value;
    }
    result += product;
  }
  return result;
}

// An array of the kernel with its bytes in this launch.
struct placed_array {
  const carved_array* source = nullptr;
  std::size_t number = 0;  // in array_source::carved
  long long first = 0, end = 0;
};

bool belongs_to_kernel(const page& of, const carved_array& one) {
  const std::string& name = of.kernel->name;
  return name == one.function || name.ends_with("::" + one.function);
}

// None if a first byte is not known, or if two arrays begin at the same one.
std::vector<placed_array> placed_arrays(const page& of, const std::vector<carved_array>& all) {
  std::vector<placed_array> result;
  for (std::size_t number = 0; number < all.size(); ++number) {
    if (!belongs_to_kernel(of, all[number])) continue;
    const auto first = launch_number(of, all[number].first);
    if (!first || *first < 0) return {};
    result.push_back({&all[number], number, *first, of.how.dynamic_shared_bytes});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  for (std::size_t at = 1; at < result.size(); ++at) {
    if (result[at].first == result[at - 1].first) return {};
    result[at - 1].end = result[at].first;
  }
  return result;
}

class carved_search {
 public:
  carved_search(const page& of, std::size_t number, long long start, long long byte_limit)
      : of_(of),
        array_(of.kernel->shared[number]),
        arrays_(placed_arrays(of, array_.source.carved)),
        given_(requests_of(of, static_cast<int>(number), start, widths::as_issued)),
        most_more_(byte_limit - of.how.dynamic_shared_bytes) {
    plan_.array = static_cast<int>(number);
  }

  std::vector<array_plan> run() {
    constexpr std::uint64_t request_limit = 1 << 14;
    if (arrays_.empty() || given_.classes.empty() || !given_.slow_copies.empty() ||
        requests_without_loops(given_.classes) > request_limit || !array_.source.refusal.empty())
      return {};
    const auto before = cost_of({});
    if (!before || before->conflicts() == 0) return {};
    for (const placed_array& one : arrays_)
      if (auto rows = best_rows(one, *before)) plan_.rows.push_back(*rows);
    const auto after = cost_of(plan_.rows);
    if (plan_.rows.empty() || !after || after->wavefronts >= before->wavefronts) return {};
    plan_.declared = plan_.planned =
        row_major({of_.how.dynamic_shared_bytes / std::max(array_.element_bytes, 1)});
    plan_.before = *before;
    plan_.after = *after;
    plan_.is_as_issued = given_.is_as_issued;
    plan_.widest = given_.widest;
    plan_.dynamic_bytes = static_cast<std::uint64_t>(
        moved_byte(plan_.rows, static_cast<long long>(of_.how.dynamic_shared_bytes)));
    plan_.refusal = set_changes();
    return {plan_};
  }

 private:
  // Nothing if an access would not be aligned.
  std::optional<bm::cost> cost_of(const std::vector<longer_rows>& rows) const {
    try {
      bm::cost result;
      for (const bm::request_class& one :
           moved_requests(given_.classes, [&](long long byte) { return moved_byte(rows, byte); }))
        result = result + bm::total(of_.machine, one);
      return result;
    } catch (const bm::error&) {
      return std::nullopt;
    }
  }

  // Rows of the lengths that subscripts name, with up to a warp of elements more.
  std::optional<longer_rows> best_rows(const placed_array& one, const bm::cost& before) const {
    std::optional<longer_rows> result;
    std::uint64_t best = before.wavefronts;
    std::vector<long long> tried;
    for (const carved_use& use : one.source->uses)
      for (const spelled_size& size : use.rows) {
        const auto row = launch_number(of_, size.value);
        if (!row || *row < 2 || std::find(tried.begin(), tried.end(), *row) != tried.end())
          continue;
        tried.push_back(*row);
        for (long long more = 1; more <= of_.machine.lanes; ++more) {
          const int bytes = one.source->element_bytes;
          const longer_rows rows{one.source->name, bytes,        one.first,
                                 one.end,          *row * bytes, more * bytes};
          if (rows.all_more() > most_more_) break;
          const auto cost = cost_of({rows});
          if (!cost || cost->wavefronts >= best) continue;
          best = cost->wavefronts;
          result = rows;
        }
      }
    return result;
  }

  static std::string longer(const std::string& size, long long more) {
    const bool is_number = !size.empty() && size[0] != '0' &&
                           std::all_of(size.begin(), size.end(),
                                       [](char digit) { return digit >= '0' && digit <= '9'; });
    return is_number ? std::to_string(std::stoll(size) + more)
                     : joined("(", size, " + ", more, ")");
  }

  // The size that a factor has, if it is this row.
  const spelled_size* row_in(const std::vector<spelled_size>& sizes,
                             const longer_rows& rows) const {
    const spelled_size* result = nullptr;
    for (const spelled_size& one : sizes)
      if (const auto number = launch_number(of_, one.value);
          number && *number * rows.element_bytes == rows.row)
        result = &one;
    return result;
  }

  // Returns why the plan cannot be written; empty if it can.
  std::string set_changes() {
    for (const longer_rows& rows : plan_.rows) {
      const auto array = std::find_if(arrays_.begin(), arrays_.end(),
                                      [&](const auto& one) { return one.first == rows.first; });
      const carved_array& source = *array->source;
      if (!source.refusal.empty()) return source.refusal;
      if (std::string why = add_subscripts(source, rows); !why.empty()) return why;
    }
    for (const placed_array& one : arrays_)
      if (std::string why = add_pointer(one); !why.empty()) return why;
    std::sort(plan_.subscripts.begin(), plan_.subscripts.end(),
              [](const text_edit& left, const text_edit& right) {
                return std::tie(left.where.file, left.where.offset) <
                       std::tie(right.where.file, right.where.offset);
              });
    for (std::size_t at = 1; at < plan_.subscripts.size(); ++at) {
      const source_piece& before = plan_.subscripts[at - 1].where;
      const source_piece& next = plan_.subscripts[at].where;
      if (before.file == next.file && next.offset < before.offset + before.text.size())
        return joined("a change at line ", next.line, " is within another one");
    }
    return {};
  }

  std::string add_subscripts(const carved_array& source, const longer_rows& rows) {
    const long long more = rows.more / rows.element_bytes;
    std::string row;  // as the source has it
    for (const carved_use& use : source.uses)
      if (const spelled_size* const size = row_in(use.rows, rows)) row = size->where.text;
    for (const carved_use& use : source.uses) {
      if (const spelled_size* const size = row_in(use.rows, rows)) {
        add_change(use.where, size->where, longer(size->where.text, more));
        continue;
      }
      const std::string& index = use.index.text;
      if (index == "0") continue;
      if (use.has_effects)
        return joined("a subscript of ", source.name, " at line ", use.index.line,
                      " has an effect, and the layout repeats subscripts");
      const std::string operand = is_identifier(index) ? index : joined("(", index, ")");
      add_change(use.where, use.index,
                 joined(operand, " + ", operand, " / ", row,
                        more == 1 ? std::string() : joined(" * ", more)));
    }
    return {};
  }

  // The whole with another text for a part of it.
  void add_change(const source_piece& whole, const source_piece& part, const std::string& text) {
    text_edit change{whole, whole.text};
    change.replacement.replace(part.offset - whole.offset, part.text.size(), text);
    plan_.subscripts.push_back(change);
  }

  // A pointer behind longer rows that begins before them.
  std::string add_pointer(const placed_array& one) {
    const carved_array& source = *one.source;
    long long first = 0;
    const carved_array* origin = nullptr;
    if (source.origin >= 0) {
      origin = &array_.source.carved[static_cast<std::size_t>(source.origin)];
      first = launch_number(of_, origin->first).value_or(0);
    }
    long long more = 0;
    text_edit change{source.offset, source.offset.text};
    for (const longer_rows& rows : plan_.rows) {
      if (rows.first < first || one.first < rows.end) continue;
      const spelled_size* const size =
          origin != nullptr && rows.first == first ? row_in(source.factors, rows) : nullptr;
      const bool is_within = size != nullptr && size->where.offset >= source.offset.offset &&
                             size->where.offset + size->where.text.size() <=
                                 source.offset.offset + source.offset.text.size();
      if (is_within && change.replacement == change.where.text) {
        change.replacement.replace(size->where.offset - source.offset.offset,
                                   size->where.text.size(),
                                   longer(size->where.text, rows.more / rows.element_bytes));
        continue;
      }
      if (!is_constant_size(source.first) || source.offset.text.empty() ||
          rows.all_more() % source.origin_bytes != 0)
        return joined("how far ", source.name, " moves depends on the arguments");
      more += rows.all_more() / source.origin_bytes;
    }
    if (more > 0) change.replacement += joined(" + ", more);
    if (change.replacement != change.where.text) plan_.subscripts.push_back(change);
    return {};
  }

  const page& of_;
  const code_array& array_;
  std::vector<placed_array> arrays_;
  requests_to_plan given_;
  long long most_more_;
  array_plan plan_;
};

}  // namespace

std::vector<array_plan> carved_plans(const page& of, std::size_t number, long long start,
                                     long long byte_limit) {
  return carved_search(of, number, start, byte_limit).run();
}

}  // namespace compiled
