// SPDX-License-Identifier: MIT
#include "carved_plans.hpp"

#include <algorithm>
#include <bankmodel/count/request_classes.hpp>
#include <iterator>
#include <optional>
#include <tuple>

#include "../../source.hpp"
#include "../code/declared_layout.hpp"
#include "../code/identifier.hpp"
#include "../engine/prepared_kernel.hpp"
#include "../page/placed_arrays.hpp"
#include "plan_edits.hpp"
#include "planned_requests.hpp"
#include "size_text.hpp"

namespace compiled {

using command_line::joined;

namespace {

// Sizes that depend on no argument are those of each launch.
bool is_constant_size(const size_form& size) {
  return std::all_of(size.begin(), size.end(), [](const auto& term) { return term.first.empty(); });
}

size_form difference(const size_form& left, const size_form& right) {
  size_form result = left;
  for (const auto& [names, times] : right)
    if ((result[names] -= times) == 0) result.erase(names);
  return result;
}

// Nothing if a term is no multiple of the divisor, which has one term.
std::optional<size_form> quotient(const size_form& dividend, const size_form& divisor) {
  if (divisor.size() != 1) return std::nullopt;
  const auto& [divisor_names, divisor_times] = *divisor.begin();
  size_form result;
  for (const auto& [names, times] : dividend) {
    if (times % divisor_times != 0 ||
        !std::includes(names.begin(), names.end(), divisor_names.begin(), divisor_names.end()))
      return std::nullopt;
    std::vector<std::string> left;
    std::set_difference(names.begin(), names.end(), divisor_names.begin(), divisor_names.end(),
                        std::back_inserter(left));
    result[left] += times / divisor_times;
  }
  return result;
}

size_form product(size_form size, long long factor) {
  for (auto& [names, times] : size) times *= factor;
  return size;
}

size_form sum(size_form left, const size_form& right) {
  for (const auto& [names, times] : right)
    if ((left[names] += times) == 0) left.erase(names);
  return left;
}

class carved_search {
 public:
  carved_search(const page& kernel_page, std::size_t number, long long start, long long byte_limit,
                widths wanted)
      : page_(kernel_page),
        array_(kernel_page.kernel->shared[number]),
        bytes_(bytes_in_launch(kernel_page, array_)),
        arrays_(placed_arrays(kernel_page, array_)),
        requests_(requests_of(kernel_page, static_cast<int>(number), start, wanted)),
        most_more_(byte_limit - bytes_) {
    plan_.array = static_cast<int>(number);
  }

  std::vector<array_plan> run() {
    constexpr std::uint64_t request_limit = 1 << 14;
    if (arrays_.empty() || requests_.classes.empty() || !requests_.slow_copies.empty() ||
        requests_without_loops(requests_.classes) > request_limit || !array_.source.refusal.empty())
      return {};
    const auto previous = cost_of({});
    if (!previous || previous->conflicts() == 0) return {};
    for (const placed_array& array : arrays_)
      if (auto rows = best_rows(array, *previous)) plan_.rows.push_back(*rows);
    const auto changed = cost_of(plan_.rows);
    if (plan_.rows.empty() || !changed || changed->wavefronts >= previous->wavefronts) return {};
    plan_.declared = plan_.planned = row_major({bytes_ / std::max(array_.element_bytes, 1)});
    plan_.declared_cost = *previous;
    plan_.planned_cost = *changed;
    plan_.is_as_issued = requests_.is_as_issued;
    plan_.widest = requests_.widest;
    plan_.refusal = set_changes();
    if (!is_dynamic(array_)) return {plan_};
    plan_.dynamic_bytes = static_cast<std::uint64_t>(moved_byte(plan_.rows, bytes_));
    plan_.has_subscripts_alone = has_subscripts_alone();
    set_launch_bytes();
    return {plan_};
  }

 private:
  // Nothing if an access would not be aligned.
  std::optional<bm::cost> cost_of(const std::vector<longer_rows>& rows) const {
    try {
      bm::cost result;
      for (const bm::request_class& requests : moved_requests(
               requests_.classes, [&](long long byte) { return moved_byte(rows, byte); }))
        result = result + bm::total(page_.machine, requests);
      return result;
    } catch (const bm::error&) {
      return std::nullopt;
    }
  }

  // Rows of the lengths that subscripts name, with up to a warp of elements more.
  std::optional<longer_rows> best_rows(const placed_array& array, const bm::cost& previous) const {
    std::optional<longer_rows> result;
    std::uint64_t best = previous.wavefronts;
    std::vector<long long> tried;
    for (const carved_use& use : array.source->uses)
      for (const spelled_size& size : use.rows) {
        const auto row = launch_number(page_, size.value);
        if (!row || *row < 2 || std::find(tried.begin(), tried.end(), *row) != tried.end())
          continue;
        tried.push_back(*row);
        for (long long added = 1; added <= page_.machine.lanes; ++added) {
          const int bytes = array.source->element_bytes;
          const longer_rows rows{array.source->name, bytes,         array.first,    array.end,
                                 *row * bytes,       added * bytes, size.piece.text};
          if (rows.all_more() > most_more_) break;
          const auto cost = cost_of({rows});
          if (!cost || cost->wavefronts >= best) continue;
          best = cost->wavefronts;
          result = rows;
        }
      }
    return result;
  }

  static std::string longer(const std::string& size, long long added) {
    const bool is_number = !size.empty() && size[0] != '0' &&
                           std::all_of(size.begin(), size.end(),
                                       [](char digit) { return digit >= '0' && digit <= '9'; });
    return is_number ? std::to_string(std::stoll(size) + added)
                     : joined("(", size, " + ", added, ")");
  }

  // The size that a factor has, if it is this row.
  const spelled_size* row_in(const std::vector<spelled_size>& sizes,
                             const longer_rows& rows) const {
    const spelled_size* result = nullptr;
    for (const spelled_size& size : sizes)
      if (const auto number = launch_number(page_, size.value);
          number && *number * rows.element_bytes == rows.row)
        result = &size;
    return result;
  }

  // The new extent of a declared array. Returns why it cannot be written; empty if it can.
  std::string add_extent(const carved_array& source, const longer_rows& rows) {
    const long long added = rows.added / rows.element_bytes;
    if (const spelled_size* const size = row_in(source.factors, rows)) {
      add_change(size->piece, size->piece, longer(size->piece.text, added));
      return {};
    }
    const std::vector<spelled_extent>& extents = array_.source.extents;
    if (extents.size() != 1 || array_.source.is_of_template)
      return joined("its extent does not name the ", rows.spelled, " of its rows");
    const long long extent = extents[0].number + rows.all_more() / rows.element_bytes;
    add_change(extents[0].piece, extents[0].piece, joined(extents[0].prefix, extent));
    return {};
  }

  // Returns why the plan cannot be written; empty if it can.
  std::string set_changes() {
    for (const longer_rows& rows : plan_.rows) {
      const auto array = std::find_if(arrays_.begin(), arrays_.end(), [&](const auto& candidate) {
        return candidate.first == rows.first;
      });
      const carved_array& source = *array->source;
      if (!source.refusal.empty()) return source.refusal;
      if (std::string refusal = add_subscripts(source, rows); !refusal.empty()) return refusal;
      if (!is_dynamic(array_))
        if (std::string reason = add_extent(source, rows); !reason.empty()) return reason;
    }
    for (const placed_array& array : arrays_)
      if (std::string reason = add_pointer(array); !reason.empty()) return reason;
    std::sort(plan_.subscripts.begin(), plan_.subscripts.end(),
              [](const text_edit& left, const text_edit& right) {
                return std::tie(left.piece.file, left.piece.offset) <
                       std::tie(right.piece.file, right.piece.offset);
              });
    for (std::size_t number = 1; number < plan_.subscripts.size(); ++number) {
      const source_piece& previous = plan_.subscripts[number - 1].piece;
      const source_piece& next = plan_.subscripts[number].piece;
      if (previous.file == next.file && next.offset < previous.offset + previous.text.size())
        return joined("a change at line ", next.line, " is within another one");
    }
    return {};
  }

  std::string add_subscripts(const carved_array& source, const longer_rows& rows) {
    const long long added = rows.added / rows.element_bytes;
    for (const carved_use& use : source.uses) {
      if (row_in(use.rows, rows) != nullptr) {
        add_longer_rows(use, rows);
        continue;
      }
      const std::string& index = use.index.text;
      if (index == "0") continue;
      if (use.has_effects)
        return joined("a subscript of ", source.name, " at line ", use.index.line,
                      " has an effect, and the layout repeats subscripts");
      const std::string operand = is_identifier(index) ? index : joined("(", index, ")");
      add_change(use.piece, use.index,
                 joined(operand, " + ", operand, " / ", as_operand(rows.spelled),
                        added == 1 ? std::string() : joined(" * ", added)));
    }
    return {};
  }

  // Of each term of the subscript that has the row: both of t[stage * 32 * d + i * d].
  void add_longer_rows(const carved_use& use, const longer_rows& rows) {
    std::vector<const spelled_size*> sizes;
    bool has_one = false;  // of the same term
    for (const spelled_size& size : use.rows) {
      has_one = has_one && size.is_of_same_term;
      if (has_one || row_in({size}, rows) == nullptr) continue;
      sizes.push_back(&size);
      has_one = true;
    }
    std::sort(sizes.begin(), sizes.end(), [](const auto* left, const auto* right) {
      return left->piece.offset > right->piece.offset;
    });
    text_edit change{use.piece, use.piece.text};
    for (const spelled_size* const size : sizes)
      change.replacement.replace(size->piece.offset - use.piece.offset, size->piece.text.size(),
                                 longer(size->piece.text, rows.added / rows.element_bytes));
    plan_.subscripts.push_back(change);
  }

  // True unless the use names the row, and what it adds may pass the end of it.
  bool keeps_to_row(const carved_use& use, const longer_rows& rows) const {
    const spelled_size* const row = row_in(use.rows, rows);
    if (row == nullptr) return true;
    bool has_one = false, has_all = true;  // terms with the row
    for (std::size_t term = 0; term < use.rows.size(); ++term) {
      const bool is_row = row_in({use.rows[term]}, rows) != nullptr;
      has_one = is_row || (use.rows[term].is_of_same_term && has_one);
      const bool is_last = term + 1 == use.rows.size() || !use.rows[term + 1].is_of_same_term;
      has_all = has_all && (has_one || !is_last);
    }
    return has_all && use.column_end && (use.column_end->empty() || *use.column_end == row->value);
  }

  bool has_subscripts_alone() const {
    const auto is_subscripted = [&](const placed_array& array) {
      const std::vector<carved_use>& uses = array.source->uses;
      const auto keeps_to_rows = [&](const carved_use& use) {
        return std::all_of(plan_.rows.begin(), plan_.rows.end(), [&](const longer_rows& rows) {
          return rows.first != array.first || keeps_to_row(use, rows);
        });
      };
      return array.source->refusal.empty() &&
             std::all_of(uses.begin(), uses.end(),
                         [&](const carved_use& use) { return use.is_value && keeps_to_rows(use); });
    };
    const std::vector<other_use>& other_uses = array_.source.other_uses;
    return std::all_of(arrays_.begin(), arrays_.end(), is_subscripted) &&
           std::all_of(other_uses.begin(), other_uses.end(), [&](const other_use& use) {
             return std::any_of(arrays_.begin(), arrays_.end(), [&](const placed_array& candidate) {
               const source_piece& piece = candidate.source->dynamic;
               return piece.line > 0 && piece.file == use.piece.file &&
                      piece.offset == use.piece.offset;
             });
           });
  }

  const placed_array& array_with(const longer_rows& rows) const {
    return *std::find_if(arrays_.begin(), arrays_.end(), [&](const placed_array& candidate) {
      return candidate.first == rows.first;
    });
  }

  // The bytes of a row, as the arguments make it.
  std::optional<size_form> bytes_of_row(const longer_rows& rows) const {
    for (const carved_use& use : array_with(rows).source->uses)
      if (const spelled_size* const size = row_in(use.rows, rows))
        return product(size->value, rows.element_bytes);
    return std::nullopt;
  }

  // The bytes by which longer rows make the array longer. Nothing: they are not known for all
  // arguments, or are not those of this launch; the end of the last array is not known.
  std::optional<size_form> all_more(const longer_rows& rows) const {
    const placed_array& array = array_with(rows);
    const auto next =
        std::find_if(arrays_.begin(), arrays_.end(),
                     [&](const placed_array& candidate) { return candidate.first == rows.end; });
    const auto row = bytes_of_row(rows);
    if (next == arrays_.end() || !row) return std::nullopt;
    const auto number = quotient(difference(next->source->first, array.source->first), *row);
    if (!number) return std::nullopt;
    const size_form result = product(*number, rows.added);
    return launch_number(page_, result) == rows.all_more() ? std::optional(result) : std::nullopt;
  }

  void set_launch_bytes() {
    more_launch_bytes result;
    result.is_known = true;
    for (const longer_rows& rows : plan_.rows) {
      if (const auto added = all_more(rows)) {
        result.fixed = sum(result.fixed, *added);
        continue;
      }
      const placed_array& array = array_with(rows);
      const auto row = bytes_of_row(rows);
      if (rows.end != page_.settings.dynamic_shared_bytes || !row || result.added != 0) return;
      result.first = array.source->first;
      result.row = *row;
      result.added = rows.added;
    }
    plan_.launch_bytes = result;
  }

  // The piece with another text for a part of it.
  void add_change(const source_piece& piece, const source_piece& part, const std::string& text) {
    text_edit change{piece, piece.text};
    change.replacement.replace(part.offset - piece.offset, part.text.size(), text);
    plan_.subscripts.push_back(change);
  }

  // A pointer behind longer rows that begins before them.
  std::string add_pointer(const placed_array& array) {
    const carved_array& source = *array.source;
    long long first = 0;
    const carved_array* origin = nullptr;
    if (source.origin >= 0) {
      origin = &array_.source.carved[static_cast<std::size_t>(source.origin)];
      first = launch_number(page_, origin->first).value_or(0);
    }
    size_form added;
    text_edit change{source.offset, source.offset.text};
    for (const longer_rows& rows : plan_.rows) {
      if (rows.first < first || array.first < rows.end) continue;
      const spelled_size* const size =
          origin != nullptr && rows.first == first ? row_in(source.factors, rows) : nullptr;
      const bool is_within = size != nullptr && size->piece.offset >= source.offset.offset &&
                             size->piece.offset + size->piece.text.size() <=
                                 source.offset.offset + source.offset.text.size();
      if (is_within && change.replacement == change.piece.text) {
        change.replacement.replace(size->piece.offset - source.offset.offset,
                                   size->piece.text.size(),
                                   longer(size->piece.text, rows.added / rows.element_bytes));
        continue;
      }
      auto bytes = all_more(rows);
      if (!bytes && is_constant_size(source.first)) bytes = size_form{{{}, rows.all_more()}};
      const auto elements =
          bytes ? quotient(*bytes, {{{}, source.origin_bytes}}) : std::optional<size_form>();
      if (!elements || source.offset.text.empty())
        return joined("how far ", source.name, " moves depends on the arguments");
      added = sum(added, *elements);
    }
    if (!added.empty())
      change.replacement +=
          joined(" + ", text_of_size(added, [](const std::string& name) { return name; }));
    if (change.replacement != change.piece.text) plan_.subscripts.push_back(change);
    return {};
  }

  const page& page_;
  const code_array& array_;
  long long bytes_;
  std::vector<placed_array> arrays_;
  requests_to_plan requests_;
  long long most_more_;
  array_plan plan_;
};

}  // namespace

std::vector<array_plan> carved_plans(const page& kernel_page, std::size_t number, long long start,
                                     long long byte_limit, widths wanted) {
  return carved_search(kernel_page, number, start, byte_limit, wanted).run();
}

std::optional<longer_rows> rows_of_instance(const page& kernel_page, std::size_t number,
                                            const longer_rows& planned) {
  const code_array& array = kernel_page.kernel->shared[number];
  const std::vector<placed_array> own = placed_arrays(kernel_page, array);
  if (own.size() != 1 || is_dynamic(array)) return std::nullopt;
  for (const carved_use& use : own[0].source->uses)
    for (const spelled_size& size : use.rows)
      if (size.piece.text == planned.spelled)
        if (const auto row = launch_number(kernel_page, size.value)) {
          const long long added = planned.added / planned.element_bytes;
          const int bytes = array.element_bytes;
          return longer_rows{planned.name,  bytes,          0, own[0].end, *row * bytes,
                             added * bytes, planned.spelled};
        }
  return std::nullopt;
}

}  // namespace compiled
