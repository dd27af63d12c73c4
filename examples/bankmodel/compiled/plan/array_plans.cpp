// SPDX-License-Identifier: MIT
#include "array_plans.hpp"

#include <algorithm>
#include <bankmodel/model/occupancy.hpp>
#include <bankmodel/report.hpp>
#include <bankmodel/search/optimize_requests.hpp>

#include "../../search_options.hpp"
#include "../../source.hpp"
#include "../code/declared_layout.hpp"
#include "carved_plans.hpp"
#include "plan_edits.hpp"
#include "planned_arrays.hpp"
#include "planned_requests.hpp"

namespace compiled {

using command_line::joined;

namespace {

// A declaration does not choose the width of banks.
bm::machine as_it_is(bm::machine m) {
  m.other_bank_width = 0;
  return m;
}

// As declared; of a dynamic array the elements that the launch gives it, the only extent.
std::vector<long long> extents_of(const page& of, std::size_t number) {
  const code_array& array = of.kernel->shared[number];
  if (!is_dynamic(array)) return array.extents;
  return {of.how.dynamic_shared_bytes / std::max(array.element_bytes, 1)};
}

// Why no layout can be looked for; empty if one can.
std::string reason_without_extents(const page& of, std::size_t number) {
  const std::vector<code_array>& all = of.kernel->shared;
  const code_array& array = all[number];
  if (!is_dynamic(array))
    return has_layout(array, array.bytes) ? "" : "it is not declared as an array of elements";
  if (std::count_if(all.begin(), all.end(), is_dynamic) > 1)
    return "dynamic arrays begin at the same byte, and may be one array; declare one of them alone";
  const std::vector<subscripted_use>& uses = array.source.uses;
  if (std::any_of(uses.begin(), uses.end(),
                  [](const subscripted_use& one) { return one.subscripts.size() > 1; }))
    return "it is a dynamic array of several dimensions; declare it with all its extents";
  if (array.element_bytes < 1 || of.how.dynamic_shared_bytes < array.element_bytes ||
      of.how.dynamic_shared_bytes % array.element_bytes != 0)
    return joined("its ", of.how.dynamic_shared_bytes, " dynamic bytes are not whole elements of ",
                  array.element_bytes, " bytes; change --dynamic-bytes or the launch");
  return "";
}

// Accesses to any of several dynamic arrays are those of the first: "s and t".
std::string names_at(const page& of, std::size_t number) {
  const std::vector<code_array>& all = of.kernel->shared;
  if (!is_dynamic(all[number])) return all[number].name;
  std::string result;
  for (const code_array& one : all)
    if (is_dynamic(one)) result += joined(result.empty() ? "" : " and ", one.name);
  return result;
}

bool has_conflicts(const page& of, std::size_t number) {
  const int array = static_cast<int>(number);
  const bool counts_written = is_never_issued(of, array);
  return std::any_of(of.costs.shared.begin(), of.costs.shared.end(), [&](const auto& one) {
    return one.first->array == array &&
           (counts_written ? one.cost : one.issued.cost).conflicts() > 0;
  });
}

// The search for one array, beside arrays that are declared or planned.
class array_search {
 public:
  array_search(const page& of, std::size_t number, const planned_arrays& beside, widths wanted,
               const bm::search& how)
      : how_(how),
        machine_(as_it_is(of.machine)),
        block_(of.how.block),
        start_(planned_arrays(of).start(number)),
        planned_start_(beside.start(number)),
        most_bytes_(beside.most_bytes(number)),
        given_(requests_of(of, static_cast<int>(number), start_, wanted)) {
    const code_array& array = of.kernel->shared[number];
    extents_ = extents_of(of, number);
    now_ = {command_line::array_name_of(array.name), row_major(extents_), array.element_bytes};
  }

  bool knows_requests() const { return !given_.classes.empty(); }
  int widest() const { return given_.widest; }
  bool is_as_issued() const { return given_.is_as_issued; }
  const bm::layout& declared() const { return now_.layout; }

  struct found {
    bm::layout layout;
    bm::cost before, after;
  };
  // False: a search ended since its effort was spent.
  bool is_complete() const { return is_complete_; }
  // The best declaration, and the best layout if that one takes fewer wavefronts. Columns that are
  // never accessed have no place in a layout that takes no more without them.
  std::vector<found> run() const {
    if (given_.classes.empty()) return {};
    std::vector<found> result = best(how_.layouts);
    if (!result.empty() && is_declaration(result[0].layout)) return result;
    const std::vector<found> packed = best_of_used_columns();
    if (!packed.empty() &&
        (result.empty() || packed[0].after.wavefronts <= result[0].after.wavefronts))
      result = packed;
    if (result.empty()) return result;
    std::vector<found> declaration = best_declaration();
    if (declaration.empty()) return result;
    if (result[0].after.wavefronts < declaration[0].after.wavefronts)
      declaration.push_back(result[0]);
    return declaration;
  }

  // See layout_alternatives().
  std::vector<found> alternatives() const {
    const std::vector<bm::cost> before = cost_of(now_.layout);
    if (before.empty()) return {};
    std::vector<found> result = {{now_.layout, before[0], before[0]}};
    const auto add = [&](const bm::layout& tried, const bm::cost& cost) {
      if (std::none_of(result.begin(), result.end(), [&](const found& other) {
            return bm::text(other.layout) == bm::text(tried);
          }))
        result.push_back({tried, before[0], cost});
    };
    const int inner = now_.layout.rank - 1;
    std::uint64_t least = before[0].wavefronts;
    for (long long more = 1; inner > 0 && more < most_columns_to_pad(); ++more) {
      const bm::layout tried = now_.layout.padded(more, inner - 1);
      if (!how_.layouts.contain(bm::layouts::padding) ||
          tried.required_size() * now_.element_bytes > most_bytes_)
        break;
      const std::vector<bm::cost> cost = cost_of(tried);
      if (cost.empty() || cost[0].wavefronts >= least) continue;
      least = cost[0].wavefronts;
      add(tried, cost[0]);
    }
    for (const bm::layout_families family :
         {bm::layouts::padding, bm::layouts::xor_swizzle, bm::layouts::rotation,
          bm::layouts::modular, bm::layouts::triangular, bm::layouts::linear})
      if (how_.layouts.contain(family))
        for (const found& one : best(family)) add(one.layout, one.after);
    return result;
  }

 private:
  // Nothing if no layout of these families is better.
  std::vector<found> best(bm::layout_families families) const {
    const auto plan = bm::optimize(machine_, block_, now_, given_.classes.data(), count(),
                                   {.layouts = families,
                                    .shared_bytes = most_bytes_,
                                    .prefer = how_.prefer,
                                    .effort = how_.effort});
    is_complete_ = is_complete_ && plan.is_complete();
    // Where costs do not depend on the base, a word of the banks and the widest access are enough.
    constexpr int anywhere = 16;
    const int alignment = plan.alignment() == anywhere
                              ? std::max(machine_.bank_width, given_.widest)
                              : plan.alignment();
    // An array begins at a multiple of its alignment: elements of less than a word might be better
    // elsewhere.
    if (plan.offset_bytes(0) != 0 && now_.layout.rank > 1 && families.contain(bm::layouts::padding))
      return best_padding(most_columns_to_pad(), 1);
    if (plan.after().wavefronts >= plan.before().wavefronts || plan.layout(0) == now_.layout ||
        plan.offset_bytes(0) != 0 || start_ % alignment != 0 || planned_start_ % alignment != 0)
      return {};
    const bm::cost before = with_sources(now_.layout, plan.before()),
                   after = with_sources(plan.layout(0), plan.after());
    if (after.wavefronts >= before.wavefronts) return {};
    return {{plan.layout(0), before, after}};
  }

  // The search prices the destinations of copies. A copy takes at least what its source takes: no
  // layout saves that.
  bm::cost with_sources(const bm::layout& in, bm::cost sum) const {
    for (const requests_to_plan::slow_copy& one : given_.slow_copies) {
      const bm::request_class each{.lanes = one.made.lanes, .base = one.made.base, .times = 1};
      const std::uint64_t destination = bm::optimize(machine_, block_, now_.with(in), &each, 1,
                                                     {.layouts = bm::layouts::as_declared})
                                            .before()
                                            .wavefronts;
      if (destination < one.source) sum.wavefronts += (one.source - destination) * one.made.times;
    }
    return sum;
  }

  // The accessed columns, and what the widest access needs to be aligned in each row.
  std::vector<long long> kept_extents() const {
    std::vector<long long> result = used_extents(extents_, now_.element_bytes, given_.classes);
    const long long step = std::max(1, given_.widest / now_.element_bytes);
    result.back() = std::min(extents_.back(), (result.back() + step - 1) / step * step);
    return result;
  }

  // The best layout of the accessed columns, if there are others; not a declaration, whose rows
  // would be shorter than in other blocks' accesses.
  std::vector<found> best_of_used_columns() const {
    constexpr std::uint64_t most_requests = 1 << 16;
    if (now_.layout.rank == 1 || requests_without_loops(given_.classes) > most_requests) return {};
    const std::vector<long long> used = kept_extents();
    if (used == extents_) return {};
    array_search packed = *this;
    packed.given_.classes = in_used_columns(given_.classes, extents_, used, now_.element_bytes);
    for (requests_to_plan::slow_copy& one : packed.given_.slow_copies)
      one.made = in_used_columns({one.made}, extents_, used, now_.element_bytes)[0];
    packed.now_.layout = row_major(used);
    if (packed.cost_of(packed.now_.layout).empty()) return {};
    std::vector<found> result = packed.best(how_.layouts);
    is_complete_ = packed.is_complete_;
    if (result.empty() || is_declaration(result[0].layout)) return {};
    result[0].before = cost_of(now_.layout).at(0);
    if (result[0].after.wavefronts >= result[0].before.wavefronts) return {};
    return result;
  }

  std::vector<found> best_declaration() const {
    if (now_.layout.rank == 1 || !how_.layouts.contain(bm::layouts::padding)) return {};
    std::vector<found> result = best(bm::layouts::padding);
    if (result.empty() || is_declaration(result[0].layout)) return result;
    // Planes need not be whole rows apart in that one.
    return best_padding(machine_.lanes, now_.layout.rank > 2 ? machine_.lanes : 1);
  }

  // The best of arrays with fewer than so many columns more, and rows between planes.
  std::vector<found> best_padding(long long most_columns, long long most_rows) const {
    const std::vector<bm::cost> before = cost_of(now_.layout);
    if (before.empty()) return {};
    std::vector<found> result;
    const int inner = now_.layout.rank - 1;
    for (long long columns = 0; columns < most_columns; ++columns)
      for (long long rows = 0; rows < most_rows; ++rows) {
        const long long row = now_.layout.extent[inner] + columns;
        bm::layout tried = now_.layout.padded(columns, inner - 1);
        if (rows > 0) tried = tried.padded(rows * row, inner - 2);
        if (tried.required_size() * now_.element_bytes > most_bytes_) break;
        const std::vector<bm::cost> cost = cost_of(tried);
        if (!cost.empty() && is_better(tried, cost[0], before[0], result))
          result = {{tried, before[0], cost[0]}};
      }
    return result;
  }

  // Longer rows begin in the same banks again.
  long long most_columns_to_pad() const {
    const bm::geometry banks = machine_.banks(given_.widest, bm::access_kind::load);
    return std::max(1, banks.bank_num * banks.W / now_.element_bytes);
  }

  // Nothing if an access would not be aligned.
  std::vector<bm::cost> cost_of(const bm::layout& tried) const {
    try {
      return {with_sources(
          tried, bm::optimize(machine_, block_, now_.with(tried), given_.classes.data(), count(),
                              {.layouts = bm::layouts::as_declared})
                     .before())};
    } catch (const bm::error&) {
      return {};
    }
  }

  static bool is_better(const bm::layout& tried, const bm::cost& cost, const bm::cost& before,
                        const std::vector<found>& than) {
    if (than.empty()) return cost.wavefronts < before.wavefronts;
    if (cost.wavefronts != than[0].after.wavefronts)
      return cost.wavefronts < than[0].after.wavefronts;
    return tried.required_size() < than[0].layout.required_size();
  }

  int count() const { return static_cast<int>(given_.classes.size()); }

  bm::search how_;
  mutable bool is_complete_ = true;
  bm::machine machine_;
  bm::block_dim block_;
  std::vector<long long> extents_ = {};
  bm::array_description now_;
  long long start_, planned_start_;  // as declared, and after earlier arrays as planned
  long long most_bytes_;
  requests_to_plan given_;
};

array_plan plan_of(const code_array& array, std::size_t number, const array_search& search,
                   const array_search::found& from) {
  array_plan plan;
  plan.array = static_cast<int>(number);
  plan.declared = search.declared();
  plan.planned = from.layout;
  plan.before = from.before;
  plan.after = from.after;
  plan.is_as_issued = search.is_as_issued();
  plan.widest = search.widest();
  plan.is_complete = search.is_complete();
  set_edits(array, plan);
  return plan;
}

// True if what a cast makes one piece of, such as a float4, is one piece in this layout too, and is
// as aligned: compilers access it at once, whatever the requests of its elements are.
bool keeps_pieces(const code_array& array, const array_plan& plan) {
  const long long elements = array.source.largest_piece() / std::max(array.element_bytes, 1);
  if (elements <= 1) return true;
  const long long all = plan.declared.required_size();
  for (long long first = 0; first + elements <= all; first += elements) {
    const auto begin = plan.declared.coordinates(first);
    const auto end = plan.declared.coordinates(first + elements - 1);
    bool is_within = true;  // the extents that are planned: others may be left out
    for (int d = 0; d < plan.planned.rank; ++d)
      is_within = is_within && begin[d] < plan.planned.extent[d] && end[d] < plan.planned.extent[d];
    if (!is_within) continue;
    const long long place = plan.planned(begin);
    if (place % elements != 0) return false;
    for (long long next = 1; next < elements; ++next)
      if (plan.planned(plan.declared.coordinates(first + next)) != place + next) return false;
  }
  return true;
}

// Nothing if the array is best as it is, or if its requests cannot be planned: then with a reason.
std::vector<array_plan> plans_of(const page& of, std::size_t number, const planned_arrays& beside,
                                 candidates wanted, const bm::search& how, std::string& reason,
                                 bool& is_complete) {
  const code_array& array = of.kernel->shared[number];
  std::vector<array_plan> result;
  try {
    const auto add_longer_rows = [&](widths of_accesses) {
      if (!how.layouts.contain(bm::layouts::padding)) return;
      for (array_plan& plan : carved_plans(of, number, planned_arrays(of).start(number),
                                           beside.most_bytes(number), of_accesses))
        result.push_back(std::move(plan));
    };
    if (is_dynamic(array)) add_longer_rows(widths::as_issued);
    if (!result.empty()) return result;
    const array_search search(of, number, beside, widths::as_issued, how);
    if (!search.knows_requests()) reason = "the addresses of some requests are not known";
    for (const array_search::found& one : search.run())
      result.push_back(plan_of(array, number, search, one));
    is_complete = search.is_complete();
    const auto erase_broken = [&] {
      std::erase_if(result, [&](const array_plan& plan) { return !keeps_pieces(array, plan); });
    };
    erase_broken();
    if (wanted == candidates::known) return result;
    // Only the count of the changed source shows that subscripts keep to their rows.
    if (!is_dynamic(array)) add_longer_rows(widths::as_issued);
    if (!search.is_as_issued()) return result;
    // A layout may be better that takes accesses apart which the compiler joins, such as rows of an
    // odd number of words.
    const array_search apart(of, number, beside, widths::as_written, how);
    for (const array_search::found& one : apart.run()) {
      const bool is_found = std::any_of(result.begin(), result.end(), [&](const array_plan& other) {
        return other.planned == one.layout;
      });
      if (is_found) continue;
      result.push_back(plan_of(array, number, apart, one));
      result.back().before = issued_cost_of(of, static_cast<int>(number));
      result.back().is_as_issued = true;
      result.back().takes_joins_apart = true;
    }
    erase_broken();
    if (is_dynamic(array)) return result;
    const std::size_t known = result.size();
    add_longer_rows(widths::as_written);
    for (std::size_t at = known; at < result.size(); ++at) {
      result[at].before = issued_cost_of(of, static_cast<int>(number));
      result[at].is_as_issued = true;
      result[at].takes_joins_apart = true;
    }
  } catch (const bm::error& why) {
    const std::string rule = why.rule();
    // Structures whose members are accessed one by one are not arrays of such elements.
    reason =
        rule == "requests_must_be_of_whole_elements" || rule == "requests_must_begin_at_an_element"
            ? joined("not all of its accesses are to whole elements of ", array.element_bytes,
                     " bytes")
            : std::string(why.what()).substr(joined("bankmodel: ", rule, ": ").size());
  }
  return result;
}

}  // namespace

bm::cost issued_cost_of(const page& of, int array) {
  const bool counts_written = is_never_issued(of, array);
  bm::cost result;
  for (const priced_access& one : of.costs.shared)
    if (one.first->array == array) result = result + (counts_written ? one.cost : one.issued.cost);
  return result;
}

namespace {

// True if a unit beside the warps accesses the array, or one behind it in its structure, which
// would move.
bool is_accessed_by_units(const page& of, std::size_t number) {
  const std::set<int>& arrays = of.recorded->arrays_of_units;
  const auto first = static_cast<int>(number);
  const auto found = arrays.lower_bound(first);
  return arrays.count(-1) != 0 ||
         (found != arrays.end() && *found < first + of.kernel->shared[number].members);
}

// What is not modelled would not follow a new layout.
std::string reason_against_all(const page& of) {
  if (!of.recorded->leaves_out_shared) return {};
  return of.recorded->is_stopped
             ? "the block is not executed to its end, so no layout is proposed"
             : "calls or instructions are not modelled, so no layout is proposed";
}

}  // namespace

std::string reason_against_plans(const page& of, std::size_t number, const bm::search& how) {
  if (std::string why = reason_against_all(of); !why.empty()) return why;
  const code_array& array = of.kernel->shared[number];
  if (array.element_type.empty() && !has_layout(array, array.bytes))
    return "PTX has its bytes and not its extents, which source has that Clang's libraries read";
  if (is_accessed_by_units(of, number))
    return array.members == 1
               ? "the copy engine, the tensor core or an mbarrier accesses it, in a layout of "
                 "its own"
               : "the copy engine, the tensor core or an mbarrier accesses it, or a member "
                 "behind it";
  if (how.keep.contain(command_line::array_name_of(array.name)))
    return "--keep keeps it as it is declared";
  return reason_without_extents(of, number);
}

namespace {

// Why the search has no plan of an array with conflicts: the bound.
std::string reason_without_better(const page& of, std::size_t number, bool is_complete) {
  const bm::cost now = issued_cost_of(of, static_cast<int>(number));
  return joined("no layout that was searched takes fewer than its ",
                bm::detail::counted_in_words(now.wavefronts, "wavefront"),
                ", and none at all fewer than ", bm::grouped(now.ideal),
                is_complete ? "" : "; the search ended early, raise --effort");
}

}  // namespace

std::vector<array_plan> array_plans(const page& of, std::vector<std::string>* without,
                                    candidates wanted, const bm::search& how) {
  const std::size_t arrays_of_kernel = of.kernel->shared.size();
  const auto say_without = [&](const std::string& why) {
    if (without != nullptr) without->push_back(why);
  };
  if (const std::string why = reason_against_all(of); !why.empty()) {
    for (std::size_t at = 0; at < arrays_of_kernel; ++at) {
      if (!has_conflicts(of, at)) continue;
      say_without(why);
      break;
    }
    return {};
  }
  if (!declares_too_much(of).empty()) {
    say_without(declares_too_much(of));
    return {};
  }
  planned_arrays arrays(of, how);
  const bool is_limited = how.shared_bytes != 0 || how.resident_blocks != 0;
  if (arrays.limit() > 0 && !arrays.fits()) {
    say_without(joined("there is no plan: the arrays take ", bm::grouped(arrays.bytes()),
                       " bytes, and ",
                       is_limited ? "--shared-bytes or --resident-blocks allows "
                                  : "a block of this machine has at most ",
                       bm::grouped(arrays.limit())));
    return {};
  }
  std::vector<array_plan> result;
  for (std::size_t at = 0; at < arrays_of_kernel; ++at) {
    const code_array& array = of.kernel->shared[at];
    std::string reason = reason_against_plans(of, at, how);
    std::vector<array_plan> plans;
    bool is_complete = true;
    if (reason.empty()) plans = plans_of(of, at, arrays, wanted, how, reason, is_complete);
    if (reason.empty() && plans.empty()) reason = reason_without_better(of, at, is_complete);
    if (!reason.empty() && has_conflicts(of, at))
      say_without(joined("there is no plan of ", names_at(of, at), ": ", reason));
    if (!plans.empty()) arrays.set_bytes(at, plans[0].bytes(array.element_bytes));
    for (array_plan& one : plans) one.text = text_of_layout(array, one);
    result.insert(result.end(), plans.begin(), plans.end());
  }
  return result;
}

std::vector<layout_alternative> layout_alternatives(const page& of, const bm::search& how) {
  const planned_arrays declared(of, how);
  if (!reason_against_all(of).empty() || !declared.fits()) return {};
  const bm::block_dim& block = of.how.block;
  std::vector<layout_alternative> result;
  for (std::size_t at = 0; at < of.kernel->shared.size(); ++at) {
    const code_array& array = of.kernel->shared[at];
    if (!has_conflicts(of, at) || !reason_against_plans(of, at, how).empty()) continue;
    std::vector<array_search::found> all;
    try {
      all = array_search(of, at, declared, widths::as_issued, how).alternatives();
    } catch (const bm::error&) {  // its plan says why
    }
    for (const array_search::found& one : all) {
      layout_alternative made;
      made.array = static_cast<int>(at);
      made.layout = joined(array.name, bm::text(one.layout));
      made.cost = one.after;
      made.bytes = one.layout.required_size() * array.element_bytes;
      planned_arrays changed = declared;
      changed.set_bytes(at, made.bytes);
      const int threads = block.x * block.y * block.z;
      if (of.machine.limits.shared_per_multiprocessor > 0)
        made.resident_blocks =
            bm::resident(of.machine, {threads, static_cast<long long>(changed.bytes()),
                                      how.registers_per_thread})
                .blocks;
      result.push_back(std::move(made));
    }
  }
  return result;
}

std::vector<std::string> notes_of_unused_columns(const page& of) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < of.kernel->shared.size(); ++at) {
    const code_array& array = of.kernel->shared[at];
    if (array.extents.size() < 2 || !has_layout(array, array.bytes) || !has_conflicts(of, at))
      continue;
    const requests_to_plan all =
        requests_of(of, static_cast<int>(at), planned_arrays(of).start(at), widths::as_written);
    if (all.classes.empty()) continue;
    const long long declared = array.extents.back();
    const long long unused =
        declared - used_extents(array.extents, array.element_bytes, all.classes).back();
    if (unused > 0)
      result.push_back(
          joined(unused, unused == 1 ? " declared column of " : " declared columns of ", array.name,
                 unused == 1 ? " is" : " are", " never accessed by this block"));
  }
  return result;
}

}  // namespace compiled
