// SPDX-License-Identifier: MIT
#include "array_plans.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <bankmodel/search/optimize_requests.hpp>
#include <bit>

#include "../../source.hpp"
#include "../code/declared_layout.hpp"
#include "../engine/memory.hpp"
#include "../page/issued_column.hpp"
#include "plan_edits.hpp"

namespace compiled {

using command_line::joined;

namespace {

// The requests to one array as they are issued, with bases from its start: a layout that takes
// accesses apart which the compiler joins would cost more than it says.
struct requests_to_plan {
  std::vector<bm::request_class> classes;  // none if not all are known
  int widest = 0;                          // the bytes of the widest access
  bool is_as_issued = false;               // some are not issued as they are written
};

enum class widths : std::uint8_t { as_issued, as_written };

requests_to_plan requests_of(const page& of, int number, long long start, widths wanted) {
  requests_to_plan result;
  for (const priced_access& one : of.costs.shared) {
    if (one.first->array < 0 || (one.first->array == number && one.is_partial)) return {};
    if (one.first->array != number) continue;
    // The rules of joined accesses are nvcc's.
    const bool is_as_issued = knows_issued(of) && !is_issued_as_written(one);
    result.is_as_issued = result.is_as_issued || is_as_issued;
    for (bm::request_class each :
         is_as_issued&& wanted == widths::as_issued ? one.issued.classes : one.classes) {
      each.base -= start;
      result.widest = std::max(result.widest, each.lanes.bytes);
      result.classes.push_back(each);
    }
  }
  return result;
}

// A declaration does not choose the width of banks.
bm::machine as_it_is(bm::machine m) {
  m.other_bank_width = 0;
  return m;
}

// Where the arrays of a kernel are, and what else fits beside them. Declared arrays are limited to
// what a block has without opting in; all of them too, unless dynamic ones take more already: then
// all may have what the machine has.
class planned_arrays {
 public:
  explicit planned_arrays(const page& of)
      : arrays_(of.kernel->shared),
        dynamic_bytes_(static_cast<std::uint64_t>(of.how.dynamic_shared_bytes)),
        most_declared_(static_cast<std::uint64_t>(of.machine.limits.shared_per_block)),
        most_(places().total <= most_declared_
                  ? most_declared_
                  : static_cast<std::uint64_t>(of.machine.limits.shared_per_block_opt_in)) {}

  long long start(std::size_t number) const {
    return static_cast<long long>(places().first[number]);
  }

  // The most bytes that an array may have, at least those that it has.
  long long most_bytes(std::size_t number) const {
    std::uint64_t least = places().bytes[number], most = std::max(least, most_);
    while (least < most) {
      const std::uint64_t middle = least + (most - least + 1) / 2;
      planned_arrays tried = *this;
      tried.set_bytes(number, static_cast<long long>(middle));
      if (tried.fits())
        least = middle;
      else
        most = middle - 1;
    }
    return static_cast<long long>(least);
  }

  void set_bytes(std::size_t number, long long bytes) {
    (arrays_[number].bytes == 0 ? dynamic_bytes_ : arrays_[number].bytes) =
        static_cast<std::uint64_t>(bytes);
  }

 private:
  shared_layout places() const { return laid_out(arrays_, dynamic_bytes_); }
  bool fits() const {
    return laid_out(arrays_, 0).total <= most_declared_ && places().total <= most_;
  }

  std::vector<code_array> arrays_;
  std::uint64_t dynamic_bytes_, most_declared_, most_;
};

bool is_dynamic(const code_array& array) { return array.bytes == 0; }

// The formulas of triangular layouts may need a root, which C has no operator for.
constexpr bm::layout_families searched = bm::layouts::padding | bm::layouts::xor_swizzle |
                                         bm::layouts::rotation | bm::layouts::modular |
                                         bm::layouts::linear;

}  // namespace

std::string text_of_layout(const code_array& array, const array_plan& plan) {
  const bm::layout& to = plan.planned;
  const std::uint64_t left = plan.after.conflicts();
  const long long declared_bytes = plan.declared.required_size() * array.element_bytes;
  return joined(
      array.name, is_dynamic(array) ? " as " : " declared as ", array.name, bm::text(to),
      plan.is_a_declaration ? "" : ",", " takes ",
      bm::detail::counted_in_words(plan.after.wavefronts, "wavefront"), " instead of ",
      bm::grouped(plan.before.wavefronts), plan.is_as_issued ? " as issued" : "", ", in ",
      bm::grouped(static_cast<std::uint64_t>(to.required_size() * array.element_bytes)),
      is_dynamic(array) ? " dynamic" : "", " bytes instead of ",
      bm::grouped(static_cast<std::uint64_t>(declared_bytes)),
      plan.widest > array.element_bytes && !plan.takes_joins_apart
          ? joined("; accesses of ", plan.widest, " bytes stay aligned and in one piece")
          : "",
      left == 0 ? "."
                : joined("; ", bm::detail::counted_in_words(left, "conflict"),
                         left == 1 ? " remains" : " remain", ", and no layout takes fewer than ",
                         bm::grouped(plan.after.ideal), "."));
}

namespace {

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
  return std::any_of(of.costs.shared.begin(), of.costs.shared.end(), [&](const auto& one) {
    return one.first->array == static_cast<int>(number) && one.issued.cost.conflicts() > 0;
  });
}

std::uint64_t requests_without_loops(const std::vector<bm::request_class>& classes) {
  std::uint64_t result = 0;
  for (const bm::request_class& one : classes)
    result += one.loops == 0 ? 1 : static_cast<std::uint64_t>(one.loop[0].trips);
  return result;
}

// Calls do_for(class, base) for each base of each class. Those of a recording have one loop at
// most.
template <class Do>
void for_each_access(const std::vector<bm::request_class>& classes, const Do& do_for) {
  for (const bm::request_class& one : classes) {
    const bm::progression loop = one.loops == 0 ? bm::progression{0, 1} : one.loop[0];
    for (long long trip = 0; trip < loop.trips; ++trip) do_for(one, one.base + trip * loop.step);
  }
}

// The extents that accesses use: columns at the end of each row that none does are left out.
std::vector<long long> used_extents(const std::vector<long long>& declared, int element_bytes,
                                    const std::vector<bm::request_class>& classes) {
  std::vector<long long> used(declared.size(), 1);
  used[0] = declared[0];
  for_each_access(classes, [&](const bm::request_class& one, long long base) {
    for (std::uint64_t rest = one.lanes.active; rest != 0; rest &= rest - 1) {
      const long long first = (base + one.lanes.address[std::countr_zero(rest)]) / element_bytes;
      const long long last = first + (one.lanes.bytes - 1) / element_bytes;
      long long low = first, high = last;
      for (std::size_t d = declared.size() - 1; d > 0; --d) {
        // One that is continued in the next row uses all of it.
        const bool is_in_row = low / declared[d] == high / declared[d];
        used[d] = std::max(used[d], is_in_row ? high % declared[d] + 1 : declared[d]);
        low /= declared[d];
        high /= declared[d];
      }
    }
  });
  return used;
}

// The same requests to an array of fewer columns, without loops.
// Requires: they use no others.
std::vector<bm::request_class> in_used_columns(const std::vector<bm::request_class>& classes,
                                               const std::vector<long long>& declared,
                                               const std::vector<long long>& used,
                                               int element_bytes) {
  std::vector<bm::request_class> result;
  const bm::layout packed = row_major(used), whole = row_major(declared);
  const auto moved = [&](long long byte) {
    return packed(whole.coordinates(byte / element_bytes)) * element_bytes + byte % element_bytes;
  };
  for_each_access(classes, [&](const bm::request_class& one, long long base) {
    bm::request_class made{.lanes = one.lanes, .base = 0, .times = one.times};
    bool is_first = true;
    for (std::uint64_t rest = one.lanes.active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const long long address = moved(base + one.lanes.address[lane]);
      if (is_first) made.base = address;
      is_first = false;
      made.lanes.address[lane] = address - made.base;
    }
    result.push_back(made);
  });
  return result;
}

// The search for one array, beside arrays that are declared or planned.
class array_search {
 public:
  array_search(const page& of, std::size_t number, const planned_arrays& beside, widths wanted)
      : machine_(as_it_is(of.machine)),
        block_(of.how.block),
        start_(planned_arrays(of).start(number)),
        planned_start_(beside.start(number)),
        most_bytes_(beside.most_bytes(number)),
        given_(requests_of(of, static_cast<int>(number), start_, wanted)) {
    const code_array& array = of.kernel->shared[number];
    extents_ = extents_of(of, number);
    now_ = {bm::name_of(array.name.c_str()), row_major(extents_), array.element_bytes};
  }

  bool knows_requests() const { return !given_.classes.empty(); }
  int widest() const { return given_.widest; }
  bool is_as_issued() const { return given_.is_as_issued; }
  const bm::layout& declared() const { return now_.layout; }

  struct found {
    bm::layout layout;
    bm::cost before, after;
  };
  // The best declaration, and the best layout if that one takes fewer wavefronts. Columns that are
  // never accessed have no place in a layout that takes no more without them.
  std::vector<found> run() const {
    if (given_.classes.empty()) return {};
    std::vector<found> result = best(searched);
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

 private:
  // Nothing if no layout of these families is better.
  std::vector<found> best(bm::layout_families families) const {
    const auto plan = bm::optimize(machine_, block_, now_, given_.classes.data(), count(),
                                   {.layouts = families,
                                    .shared_bytes = most_bytes_,
                                    .prefer = bm::preference::simple_indices});
    // Where costs do not depend on the base, a word of the banks and the widest access are enough.
    constexpr int anywhere = 16;
    const int alignment = plan.alignment() == anywhere
                              ? std::max(machine_.bank_width, given_.widest)
                              : plan.alignment();
    if (plan.after().wavefronts >= plan.before().wavefronts || plan.layout(0) == now_.layout ||
        plan.offset_bytes(0) != 0 || start_ % alignment != 0 || planned_start_ % alignment != 0)
      return {};
    return {{plan.layout(0), plan.before(), plan.after()}};
  }

  // The best layout of the accessed columns, if there are others; not a declaration, whose rows
  // would be shorter than in other blocks' accesses.
  std::vector<found> best_of_used_columns() const {
    constexpr std::uint64_t most_requests = 1 << 16;
    if (now_.layout.rank == 1 || requests_without_loops(given_.classes) > most_requests) return {};
    const std::vector<long long> used = used_extents(extents_, now_.element_bytes, given_.classes);
    if (used == extents_) return {};
    array_search packed = *this;
    packed.given_.classes = in_used_columns(given_.classes, extents_, used, now_.element_bytes);
    packed.now_.layout = row_major(used);
    std::vector<found> result = packed.best(searched);
    if (result.empty() || is_declaration(result[0].layout)) return {};
    result[0].before = cost_of(now_.layout).at(0);
    if (result[0].after.wavefronts >= result[0].before.wavefronts) return {};
    return result;
  }

  std::vector<found> best_declaration() const {
    if (now_.layout.rank == 1) return {};
    std::vector<found> result = best(bm::layouts::padding);
    if (result.empty() || is_declaration(result[0].layout)) return result;
    // Planes need not be whole rows apart in that one.
    const bm::cost before = result[0].before;
    result = {};
    const int inner = now_.layout.rank - 1;
    for (long long columns = 0; columns < machine_.lanes; ++columns)
      for (long long rows = 0; rows < machine_.lanes; ++rows) {
        const long long row = now_.layout.extent[inner] + columns;
        const bm::layout tried =
            now_.layout.padded(columns, inner - 1).padded(rows * row, inner - 2);
        if (tried.required_size() * now_.element_bytes > most_bytes_) break;
        const std::vector<bm::cost> cost = cost_of(tried);
        if (!cost.empty() && is_better(tried, cost[0], before, result))
          result = {{tried, before, cost[0]}};
      }
    return result;
  }

  // Nothing if an access would not be aligned.
  std::vector<bm::cost> cost_of(const bm::layout& tried) const {
    try {
      return {bm::optimize(machine_, block_, now_.with(tried), given_.classes.data(), count(),
                           {.layouts = bm::layouts::as_declared})
                  .before()};
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
  set_edits(array, plan);
  return plan;
}

// Nothing if the array is best as it is, or if its requests cannot be planned: then with a reason.
std::vector<array_plan> plans_of(const page& of, std::size_t number, const planned_arrays& beside,
                                 candidates wanted, std::string& reason) {
  const code_array& array = of.kernel->shared[number];
  std::vector<array_plan> result;
  try {
    const array_search search(of, number, beside, widths::as_issued);
    if (!search.knows_requests()) reason = "the addresses of some requests are not known";
    for (const array_search::found& one : search.run())
      result.push_back(plan_of(array, number, search, one));
    if (!search.is_as_issued() || wanted == candidates::known) return result;
    // A layout may be better that takes accesses apart which the compiler joins, such as rows of an
    // odd number of words.
    const array_search apart(of, number, beside, widths::as_written);
    for (const array_search::found& one : apart.run()) {
      const bool is_found = std::any_of(result.begin(), result.end(), [&](const array_plan& other) {
        return other.planned == one.layout;
      });
      if (is_found) continue;
      result.push_back(plan_of(array, number, apart, one));
      result.back().before = issued_cost_of(of, static_cast<int>(number));
      result.back().takes_joins_apart = true;
    }
  } catch (const bm::error&) {
    // Structures whose members are accessed one by one are not arrays of such elements.
    reason =
        joined("not all of its accesses are to whole elements of ", array.element_bytes, " bytes");
  }
  return result;
}

}  // namespace

bm::cost issued_cost_of(const page& of, int array) {
  bm::cost result;
  for (const priced_access& one : of.costs.shared)
    if (one.first->array == array) result = result + one.issued.cost;
  return result;
}

namespace {

// Why the search has no plan of an array with conflicts: the bound.
std::string reason_without_better(const page& of, std::size_t number) {
  const bm::cost now = issued_cost_of(of, static_cast<int>(number));
  return joined("no layout that was searched takes fewer than its ",
                bm::detail::counted_in_words(now.wavefronts, "wavefront"),
                ", and none at all fewer than ", bm::grouped(now.ideal));
}

}  // namespace

std::vector<array_plan> array_plans(const page& of, std::vector<std::string>* without,
                                    candidates wanted) {
  const std::size_t arrays_of_kernel = of.kernel->shared.size();
  const auto say_without = [&](const std::string& why) {
    if (without != nullptr) without->push_back(why);
  };
  // What is not modelled would not follow a new layout.
  if (of.recorded->leaves_out_shared) {
    for (std::size_t at = 0; at < arrays_of_kernel; ++at) {
      if (!has_conflicts(of, at)) continue;
      say_without("calls or instructions are not modelled, so no layout is proposed");
      break;
    }
    return {};
  }
  if (!declares_too_much(of).empty()) {
    say_without(declares_too_much(of));
    return {};
  }
  planned_arrays arrays(of);
  std::vector<array_plan> result;
  for (std::size_t at = 0; at < arrays_of_kernel; ++at) {
    const code_array& array = of.kernel->shared[at];
    std::string reason;
    std::vector<array_plan> plans;
    if (array.element_type.empty() && !has_layout(array, array.bytes))
      reason = "PTX has its bytes and not its extents; give the source";
    else
      reason = reason_without_extents(of, at);
    if (reason.empty()) plans = plans_of(of, at, arrays, wanted, reason);
    if (reason.empty() && plans.empty()) reason = reason_without_better(of, at);
    if (!reason.empty() && has_conflicts(of, at))
      say_without(joined("there is no plan of ", names_at(of, at), ": ", reason));
    if (!plans.empty())
      arrays.set_bytes(at, plans[0].planned.required_size() * array.element_bytes);
    for (array_plan& one : plans) one.text = text_of_layout(array, one);
    result.insert(result.end(), plans.begin(), plans.end());
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
