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
std::vector<long long> extents_of(const page& kernel_page, std::size_t number) {
  const code_array& array = kernel_page.kernel->shared[number];
  if (!is_dynamic(array)) return array.extents;
  return {kernel_page.settings.dynamic_shared_bytes / std::max(array.element_bytes, 1)};
}

// Why no layout can be looked for; empty if one can.
std::string reason_without_extents(const page& kernel_page, std::size_t number) {
  const std::vector<code_array>& arrays = kernel_page.kernel->shared;
  const code_array& array = arrays[number];
  if (!is_dynamic(array))
    return has_layout(array, array.bytes) ? "" : "it is not declared as an array of elements";
  if (std::count_if(arrays.begin(), arrays.end(), is_dynamic) > 1)
    return "dynamic arrays begin at the same byte, and may be one array; declare one of them alone";
  const std::vector<subscripted_use>& uses = array.source.uses;
  if (std::any_of(uses.begin(), uses.end(),
                  [](const subscripted_use& use) { return use.subscripts.size() > 1; }))
    return "it is a dynamic array of several dimensions; declare it with all its extents";
  if (array.element_bytes < 1 || kernel_page.settings.dynamic_shared_bytes < array.element_bytes ||
      kernel_page.settings.dynamic_shared_bytes % array.element_bytes != 0)
    return joined("its ", kernel_page.settings.dynamic_shared_bytes,
                  " dynamic bytes are not whole elements of ", array.element_bytes,
                  " bytes; change --dynamic-bytes or the launch");
  return "";
}

// Accesses to any of several dynamic arrays are those of the first: "s and t".
std::string names_at(const page& kernel_page, std::size_t number) {
  const std::vector<code_array>& arrays = kernel_page.kernel->shared;
  if (!is_dynamic(arrays[number])) return arrays[number].name;
  std::string result;
  for (const code_array& array : arrays)
    if (is_dynamic(array)) result += joined(result.empty() ? "" : " and ", array.name);
  return result;
}

bool has_conflicts(const page& kernel_page, std::size_t number) {
  const int array = static_cast<int>(number);
  const bool counts_written = is_never_issued(kernel_page, array);
  return std::any_of(kernel_page.costs.shared.begin(), kernel_page.costs.shared.end(),
                     [&](const auto& entry) {
                       return entry.first->array == array &&
                              (counts_written ? entry.cost : entry.issued.cost).conflicts() > 0;
                     });
}

// The search for one array, beside arrays that are declared or planned.
class array_search {
 public:
  array_search(const page& kernel_page, std::size_t number, const planned_arrays& beside,
               widths wanted, const bm::search& options)
      : options_(options),
        machine_(as_it_is(kernel_page.machine)),
        block_(kernel_page.settings.block),
        start_(planned_arrays(kernel_page).start(number)),
        planned_start_(beside.start(number)),
        most_bytes_(beside.most_bytes(number)),
        requests_(requests_of(kernel_page, static_cast<int>(number), start_, wanted)) {
    const code_array& array = kernel_page.kernel->shared[number];
    extents_ = extents_of(kernel_page, number);
    array_ = {command_line::array_name_of(array.name), row_major(extents_), array.element_bytes};
    has_members_ = are_of_members(requests_, array.element_bytes) &&
                   requests_without_loops(requests_.classes) <= most_requests_of_members;
  }

  bool knows_requests() const { return !requests_.classes.empty(); }
  int widest() const { return requests_.widest; }
  bool has_members() const { return has_members_; }
  bool is_as_issued() const { return requests_.is_as_issued; }
  const bm::layout& declared() const { return array_.layout; }

  struct proposal {
    bm::layout layout;
    bm::cost declared_cost, planned_cost;
  };
  // False: a search ended since its effort was spent.
  bool is_complete() const { return is_complete_; }
  // The best declaration, and the best layout if that one takes fewer wavefronts. Columns that are
  // never accessed have no place in a layout that takes no more without them.
  std::vector<proposal> run() const {
    if (requests_.classes.empty()) return {};
    if (has_members_) return best_for_members();
    std::vector<proposal> result = best(options_.layouts);
    const bool is_declared = !result.empty() && is_declaration(result[0].layout);
    std::vector<proposal> declaration = is_declared ? result : best_declaration();
    const std::vector<proposal> packed = best_of_used_columns(options_.layouts);
    if (!packed.empty() && !is_declaration(packed[0].layout) && !takes_fewer(result, packed))
      result = packed;
    if (declaration.empty()) return result;
    if (takes_fewer(result, declaration)) declaration.push_back(result[0]);
    return declaration;
  }

  // Returns the best declaration without the columns that no access uses, such as a padding that
  // costs more than it saves. The caller shows that other blocks do not use these columns either.
  std::vector<proposal> with_shorter_rows() const {
    if (!may_be_padding(extents_.back() - kept_extents().back())) return {};
    std::vector<proposal> result = best_of_used_columns(bm::layouts::padding);
    std::erase_if(result, [](const proposal& shorter) { return !is_declaration(shorter.layout); });
    return result;
  }

  // Returns rows of a multiple of 16 bytes, if the declared ones are not: compilers join accesses
  // that are aligned in each row. The cost is known only after the changed source was counted; here
  // it is 0.
  std::vector<proposal> in_whole_vectors() const {
    constexpr int vector_bytes = 16;
    std::vector<proposal> result;
    if (array_.layout.rank == 1 || vector_bytes % array_.element_bytes != 0) return result;
    const long long step = vector_bytes / array_.element_bytes, declared = extents_.back();
    const long long accessed =
        used_extents(extents_, array_.element_bytes, requests_.classes).back();
    if (declared % step == 0) return result;
    for (const long long columns : {accessed, declared}) {
      const long long whole = (columns + step - 1) / step * step;
      if (!may_be_padding(declared - whole)) continue;
      std::vector<long long> shorter = extents_;
      shorter.back() = whole;
      const bm::layout tried = whole > declared
                                   ? array_.layout.padded(whole - declared, array_.layout.rank - 2)
                                   : row_major(shorter);
      const bool is_known = !result.empty() && result[0].layout == tried;
      if (!is_known && tried.required_size() * array_.element_bytes <= most_bytes_)
        result.push_back({tried, {}, {}});
    }
    return result;
  }

  // See layout_alternatives().
  std::vector<proposal> alternatives() const {
    const std::vector<bm::cost> previous = cost_of(array_.layout);
    if (previous.empty()) return {};
    std::vector<proposal> result = {{array_.layout, previous[0], previous[0]}};
    const auto add = [&](const bm::layout& tried, const bm::cost& cost) {
      if (std::none_of(result.begin(), result.end(), [&](const proposal& other) {
            return bm::text(other.layout) == bm::text(tried);
          }))
        result.push_back({tried, previous[0], cost});
    };
    const int inner = array_.layout.rank - 1;
    std::uint64_t lowest = previous[0].wavefronts;
    for (long long columns = 1; inner > 0 && columns < most_columns_to_pad(); ++columns) {
      const bm::layout tried = array_.layout.padded(columns, inner - 1);
      if (!options_.layouts.contain(bm::layouts::padding) ||
          tried.required_size() * array_.element_bytes > most_bytes_)
        break;
      const std::vector<bm::cost> cost = cost_of(tried);
      if (cost.empty() || cost[0].wavefronts >= lowest) continue;
      lowest = cost[0].wavefronts;
      add(tried, cost[0]);
    }
    for (const bm::layout_families family :
         {bm::layouts::padding, bm::layouts::xor_swizzle, bm::layouts::rotation,
          bm::layouts::modular, bm::layouts::triangular, bm::layouts::linear})
      if (options_.layouts.contain(family))
        for (const proposal& candidate : best(family))
          add(candidate.layout, candidate.planned_cost);
    return result;
  }

 private:
  // Nothing if no layout of these families is better.
  std::vector<proposal> best(bm::layout_families families) const {
    const auto plan = bm::optimize(machine_, block_, array_, requests_.classes.data(), count(),
                                   {.layouts = families,
                                    .shared_bytes = most_bytes_,
                                    .prefer = options_.prefer,
                                    .effort = options_.effort});
    is_complete_ = is_complete_ && plan.is_complete();
    // Where costs do not depend on the base, a word of the banks and the widest access are enough.
    constexpr int anywhere = 16;
    const int alignment = plan.alignment() == anywhere
                              ? std::max(machine_.bank_width, requests_.widest)
                              : plan.alignment();
    // An array begins at a multiple of its alignment: elements of less than a word might be better
    // elsewhere.
    if (plan.offset_bytes(0) != 0 && array_.layout.rank > 1 &&
        families.contain(bm::layouts::padding))
      return best_padding(most_columns_to_pad(), 1);
    if (plan.after().wavefronts >= plan.before().wavefronts || plan.layout(0) == array_.layout ||
        plan.offset_bytes(0) != 0 || start_ % alignment != 0 || planned_start_ % alignment != 0)
      return {};
    const bm::cost previous = with_sources(array_.layout, plan.before()),
                   planned = with_sources(plan.layout(0), plan.after());
    if (planned.wavefronts >= previous.wavefronts) return {};
    return {{plan.layout(0), previous, planned}};
  }

  // The search prices the destinations of copies. A copy takes at least what its source takes: no
  // layout saves that.
  bm::cost with_sources(const bm::layout& array_layout, bm::cost sum) const {
    for (const requests_to_plan::slow_copy& copy : requests_.slow_copies) {
      const bm::request_class requests{
          .lanes = copy.requests.lanes, .base = copy.requests.base, .times = 1};
      const std::uint64_t destination =
          bm::optimize(machine_, block_, array_.with(array_layout), &requests, 1,
                       {.layouts = bm::layouts::as_declared})
              .before()
              .wavefronts;
      if (destination < copy.source)
        sum.wavefronts += (copy.source - destination) * copy.requests.times;
    }
    return sum;
  }

  // A padding is at most a quarter of a row: longer unused parts have another purpose.
  bool may_be_padding(long long columns) const { return columns * 4 <= extents_.back(); }

  // The accessed columns, and what the widest access needs to be aligned in each row.
  std::vector<long long> kept_extents() const {
    std::vector<long long> result = used_extents(extents_, array_.element_bytes, requests_.classes);
    const long long step = std::max(1, requests_.widest / array_.element_bytes);
    result.back() = std::min(extents_.back(), (result.back() + step - 1) / step * step);
    return result;
  }

  // The best layout of the accessed columns, if there are others. The rows are shorter than
  // declared: whether they are so in other blocks' accesses too is to be shown.
  std::vector<proposal> best_of_used_columns(bm::layout_families families) const {
    constexpr std::uint64_t most_requests = 1 << 16;
    if (array_.layout.rank == 1 || requests_without_loops(requests_.classes) > most_requests)
      return {};
    const std::vector<long long> used = kept_extents();
    if (used == extents_) return {};
    const std::vector<bm::cost> declared = cost_of(array_.layout);
    array_search packed = *this;
    packed.requests_.classes =
        in_used_columns(requests_.classes, extents_, used, array_.element_bytes);
    for (requests_to_plan::slow_copy& copy : packed.requests_.slow_copies)
      copy.requests = in_used_columns({copy.requests}, extents_, used, array_.element_bytes)[0];
    packed.array_.layout = row_major(used);
    const std::vector<bm::cost> in_rows = packed.cost_of(packed.array_.layout);
    if (declared.empty() || in_rows.empty()) return {};
    std::vector<proposal> result = packed.best(families);
    is_complete_ = packed.is_complete_;
    if (result.empty()) result = {{packed.array_.layout, in_rows[0], in_rows[0]}};
    result[0].declared_cost = declared[0];
    if (result[0].planned_cost.wavefronts >= declared[0].wavefronts) return {};
    return result;
  }

  // Returns the best plan for structures whose members are accessed one by one: longer rows, or, in
  // one dimension, unused elements at intervals. Other families require accesses to whole elements.
  std::vector<proposal> best_for_members() const {
    if (!options_.layouts.contain(bm::layouts::padding)) return {};
    if (array_.layout.rank > 1) return best_padding(most_columns_to_pad(), 1);
    const std::vector<bm::cost> previous = cost_of(array_.layout);
    std::vector<proposal> result;
    for (long long interval = 1; interval < extents_[0]; interval *= 2)
      for (long long elements = 1; elements <= most_elements_between; ++elements) {
        const bm::layout tried = array_.layout.padded_every(interval, elements);
        if (tried.required_size() * array_.element_bytes > most_bytes_) break;
        const std::vector<bm::cost> cost = cost_of(tried);
        if (is_better(tried, cost[0], previous[0], result))
          result = {{tried, previous[0], cost[0]}};
      }
    return result;
  }

  std::vector<proposal> best_declaration() const {
    if (array_.layout.rank == 1 || !options_.layouts.contain(bm::layouts::padding)) return {};
    std::vector<proposal> result = best(bm::layouts::padding);
    if (result.empty() || is_declaration(result[0].layout)) return result;
    // Planes need not be whole rows apart in that one.
    return best_padding(machine_.lanes, array_.layout.rank > 2 ? machine_.lanes : 1);
  }

  // The best of arrays with fewer than so many columns more, and rows between planes.
  std::vector<proposal> best_padding(long long most_columns, long long most_rows) const {
    const std::vector<bm::cost> previous = cost_of(array_.layout);
    if (previous.empty()) return {};
    std::vector<proposal> result;
    const int inner = array_.layout.rank - 1;
    for (long long columns = 0; columns < most_columns; ++columns)
      for (long long rows = 0; rows < most_rows; ++rows) {
        const long long row = array_.layout.extent[inner] + columns;
        bm::layout tried = array_.layout.padded(columns, inner - 1);
        if (rows > 0) tried = tried.padded(rows * row, inner - 2);
        if (tried.required_size() * array_.element_bytes > most_bytes_) break;
        const std::vector<bm::cost> cost = cost_of(tried);
        if (!cost.empty() && is_better(tried, cost[0], previous[0], result))
          result = {{tried, previous[0], cost[0]}};
      }
    return result;
  }

  // Longer rows begin in the same banks again.
  long long most_columns_to_pad() const {
    const bm::geometry banks = machine_.banks(requests_.widest, bm::access_kind::load);
    return std::max(1, banks.bank_num * banks.W / array_.element_bytes);
  }

  // Nothing if an access would not be aligned.
  std::vector<bm::cost> cost_of(const bm::layout& tried) const {
    if (has_members_) return {cost_of_members(tried)};
    try {
      return {with_sources(
          tried, bm::optimize(machine_, block_, array_.with(tried), requests_.classes.data(),
                              count(), {.layouts = bm::layouts::as_declared})
                     .before())};
    } catch (const bm::error&) {
      return {};
    }
  }

  // The cost of the requests after the elements moved: each part keeps its offset in its element.
  bm::cost cost_of_members(const bm::layout& tried) const {
    const std::vector<bm::request_class> moved =
        moved_requests(requests_.classes, [&](long long byte) {
          return tried(array_.layout.coordinates(byte / array_.element_bytes)) *
                     array_.element_bytes +
                 byte % array_.element_bytes;
        });
    const bm::array_description bytes{
        array_.name, bm::row_major(tried.required_size() * array_.element_bytes), 1};
    return bm::optimize(machine_, block_, bytes, moved.data(), static_cast<int>(moved.size()),
                        {.layouts = bm::layouts::as_declared})
        .before();
  }

  static bool takes_fewer(const std::vector<proposal>& first, const std::vector<proposal>& other) {
    return !first.empty() &&
           (other.empty() || first[0].planned_cost.wavefronts < other[0].planned_cost.wavefronts);
  }

  static bool is_better(const bm::layout& tried, const bm::cost& cost, const bm::cost& previous,
                        const std::vector<proposal>& current) {
    if (current.empty()) return cost.wavefronts < previous.wavefronts;
    if (cost.wavefronts != current[0].planned_cost.wavefronts)
      return cost.wavefronts < current[0].planned_cost.wavefronts;
    return tried.required_size() < current[0].layout.required_size();
  }

  int count() const { return static_cast<int>(requests_.classes.size()); }

  static constexpr std::uint64_t most_requests_of_members = 1 << 14;
  static constexpr long long most_elements_between = 4;

  bm::search options_;
  bool has_members_ = false;  // requests are of parts of elements
  mutable bool is_complete_ = true;
  bm::machine machine_;
  bm::block_dim block_;
  std::vector<long long> extents_ = {};
  bm::array_description array_;
  long long start_, planned_start_;  // as declared, and after earlier arrays as planned
  long long most_bytes_;
  requests_to_plan requests_;
};

array_plan plan_of(const code_array& array, std::size_t number, const array_search& search,
                   const array_search::proposal& choice) {
  array_plan plan;
  plan.array = static_cast<int>(number);
  plan.declared = search.declared();
  plan.planned = choice.layout;
  plan.declared_cost = choice.declared_cost;
  plan.planned_cost = choice.planned_cost;
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
  const long long total = plan.declared.required_size();
  for (long long first = 0; first + elements <= total; first += elements) {
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

// Why the requests of an array cannot be planned.
std::string reason_of(const bm::error& failure, const code_array& array) {
  const std::string rule = failure.rule();
  // Structures whose members are accessed together are not arrays of such elements.
  return rule == "requests_must_be_of_whole_elements" || rule == "requests_must_begin_at_an_element"
             ? joined("not all of its accesses are to whole elements of ", array.element_bytes,
                      " bytes")
             : std::string(failure.what()).substr(joined("bankmodel: ", rule, ": ").size());
}

// Nothing if the array is best as it is, or if its requests cannot be planned: then with a reason.
std::vector<array_plan> plans_of(const page& kernel_page, std::size_t number,
                                 const planned_arrays& beside, candidates wanted,
                                 const bm::search& options, std::string& reason,
                                 bool& is_complete) {
  const code_array& array = kernel_page.kernel->shared[number];
  std::vector<array_plan> result;
  try {
    const bool may_pad = options.layouts.contain(bm::layouts::padding);
    const auto with_longer_rows = [&](widths of_accesses) {
      return may_pad ? carved_plans(kernel_page, number, planned_arrays(kernel_page).start(number),
                                    beside.most_bytes(number), of_accesses)
                     : std::vector<array_plan>();
    };
    if (is_dynamic(array)) result = with_longer_rows(widths::as_issued);
    if (!result.empty()) return result;
    const array_search search(kernel_page, number, beside, widths::as_issued, options);
    if (!search.knows_requests()) reason = "the addresses of some requests are not known";
    try {
      for (const array_search::proposal& candidate : search.run())
        result.push_back(plan_of(array, number, search, candidate));
    } catch (const bm::error& failure) {
      // Joined accesses may pass the end of a row; those that are written do not.
      if (wanted == candidates::known || !search.is_as_issued()) throw;
      reason = reason_of(failure, array);
    }
    is_complete = search.is_complete();
    const auto erase_broken = [&] {
      std::erase_if(result, [&](const array_plan& plan) { return !keeps_pieces(array, plan); });
    };
    erase_broken();
    if (wanted == candidates::known) return result;
    // Only the count of the changed source shows that subscripts keep to their rows.
    if (!is_dynamic(array))
      for (array_plan& plan : with_longer_rows(widths::as_issued))
        result.push_back(std::move(plan));
    if (!is_dynamic(array) && may_pad && !search.has_members())
      for (const array_search::proposal& candidate : search.with_shorter_rows())
        result.push_back(plan_of(array, number, search, candidate));
    const bm::cost issued = issued_cost_of(kernel_page, static_cast<int>(number));
    // Adds a plan whose accesses the compiler may join in another way than those of the
    // declaration.
    const auto add_to_count = [&](array_plan plan) {
      const bool is_found = std::any_of(result.begin(), result.end(), [&](const array_plan& other) {
        return plan.rows.empty() && other.planned == plan.planned;
      });
      if (is_found) return;
      plan.declared_cost = issued;
      plan.is_as_issued = plan.takes_joins_apart = true;
      result.push_back(std::move(plan));
    };
    // A layout may be better that takes accesses apart which the compiler joins, such as rows of an
    // odd number of words.
    const array_search written_search(kernel_page, number, beside, widths::as_written, options);
    if (search.is_as_issued())
      for (const array_search::proposal& candidate : written_search.run())
        add_to_count(plan_of(array, number, written_search, candidate));
    if (!is_dynamic(array) && may_pad && issued.conflicts() > 0)
      for (const array_search::proposal& candidate : written_search.in_whole_vectors()) {
        array_plan plan = plan_of(array, number, written_search, candidate);
        plan.planned_cost = issued;
        add_to_count(std::move(plan));
      }
    erase_broken();
    if (!is_dynamic(array) && search.is_as_issued())
      for (array_plan& plan : with_longer_rows(widths::as_written)) add_to_count(std::move(plan));
  } catch (const bm::error& failure) {
    reason = reason_of(failure, array);
  }
  if (!result.empty()) reason.clear();
  return result;
}

}  // namespace

bm::cost issued_cost_of(const page& kernel_page, int array) {
  const bool counts_written = is_never_issued(kernel_page, array);
  bm::cost result;
  for (const priced_access& entry : kernel_page.costs.shared)
    if (entry.first->array == array)
      result = result + (counts_written ? entry.cost : entry.issued.cost);
  return result;
}

namespace {

// True if a unit beside the warps accesses the array, or one behind it in its structure, which
// would move.
bool is_accessed_by_units(const page& kernel_page, std::size_t number) {
  const std::set<int>& arrays = kernel_page.recorded->arrays_of_units;
  const auto first = static_cast<int>(number);
  const auto position = arrays.lower_bound(first);
  return arrays.count(-1) != 0 || (position != arrays.end() &&
                                   *position < first + kernel_page.kernel->shared[number].members);
}

// What is not modelled would not follow a new layout.
std::string reason_against_all(const page& kernel_page) {
  if (!kernel_page.recorded->leaves_out_shared) return {};
  return kernel_page.recorded->is_stopped
             ? "the block is not executed to its end, so no layout is proposed"
             : "calls or instructions are not modelled, so no layout is proposed";
}

}  // namespace

std::string reason_against_plans(const page& kernel_page, std::size_t number,
                                 const bm::search& options) {
  if (std::string reason = reason_against_all(kernel_page); !reason.empty()) return reason;
  const code_array& array = kernel_page.kernel->shared[number];
  if (array.element_type.empty() && !has_layout(array, array.bytes))
    return "PTX has its bytes and not its extents, which source has that Clang's libraries read";
  if (is_accessed_by_units(kernel_page, number))
    return array.members == 1
               ? "the copy engine, the tensor core or an mbarrier accesses it, in a layout of "
                 "its own"
               : "the copy engine, the tensor core or an mbarrier accesses it, or a member "
                 "behind it";
  if (options.keep.contain(command_line::array_name_of(array.name)))
    return "--keep keeps it as it is declared";
  return reason_without_extents(kernel_page, number);
}

namespace {

// Why the search has no plan of an array with conflicts: the bound.
std::string reason_without_better(const page& kernel_page, std::size_t number, bool is_complete) {
  const bm::cost current = issued_cost_of(kernel_page, static_cast<int>(number));
  return joined("no layout that was searched takes fewer than its ",
                bm::detail::counted_in_words(current.wavefronts, "wavefront"),
                ", and none at all fewer than ", bm::grouped(current.ideal),
                is_complete ? "" : "; the search ended early, raise --effort");
}

}  // namespace

std::vector<array_plan> array_plans(const page& kernel_page, std::vector<std::string>* unplanned,
                                    candidates wanted, const bm::search& options) {
  const std::size_t arrays_of_kernel = kernel_page.kernel->shared.size();
  const auto say_without = [&](const std::string& sentence) {
    if (unplanned != nullptr) unplanned->push_back(sentence);
  };
  if (const std::string refusal = reason_against_all(kernel_page); !refusal.empty()) {
    for (std::size_t number = 0; number < arrays_of_kernel; ++number) {
      if (!has_conflicts(kernel_page, number)) continue;
      say_without(refusal);
      break;
    }
    return {};
  }
  if (!declares_too_much(kernel_page).empty()) {
    say_without(declares_too_much(kernel_page));
    return {};
  }
  planned_arrays arrays(kernel_page, options);
  const bool is_limited = options.shared_bytes != 0 || options.resident_blocks != 0;
  if (arrays.limit() > 0 && !arrays.fits()) {
    say_without(joined("there is no plan: the arrays take ", bm::grouped(arrays.bytes()),
                       " bytes, and ",
                       is_limited ? "--shared-bytes or --resident-blocks allows "
                                  : "a block of this machine has at most ",
                       bm::grouped(arrays.limit())));
    return {};
  }
  std::vector<array_plan> result;
  for (std::size_t number = 0; number < arrays_of_kernel; ++number) {
    const code_array& array = kernel_page.kernel->shared[number];
    std::string reason = reason_against_plans(kernel_page, number, options);
    std::vector<array_plan> plans;
    bool is_complete = true;
    if (reason.empty())
      plans = plans_of(kernel_page, number, arrays, wanted, options, reason, is_complete);
    if (reason.empty() && plans.empty())
      reason = reason_without_better(kernel_page, number, is_complete);
    if (!reason.empty() && has_conflicts(kernel_page, number))
      say_without(joined("there is no plan of ", names_at(kernel_page, number), ": ", reason));
    if (!plans.empty()) arrays.set_bytes(number, plans[0].bytes(array.element_bytes));
    for (array_plan& plan : plans) plan.text = text_of_layout(array, plan);
    result.insert(result.end(), plans.begin(), plans.end());
  }
  return result;
}

std::vector<layout_alternative> layout_alternatives(const page& kernel_page,
                                                    const bm::search& options) {
  const planned_arrays declared(kernel_page, options);
  if (!reason_against_all(kernel_page).empty() || !declared.fits()) return {};
  const bm::block_dim& block = kernel_page.settings.block;
  std::vector<layout_alternative> result;
  for (std::size_t number = 0; number < kernel_page.kernel->shared.size(); ++number) {
    const code_array& array = kernel_page.kernel->shared[number];
    if (!has_conflicts(kernel_page, number) ||
        !reason_against_plans(kernel_page, number, options).empty())
      continue;
    std::vector<array_search::proposal> choices;
    try {
      choices =
          array_search(kernel_page, number, declared, widths::as_issued, options).alternatives();
    } catch (const bm::error&) {  // its plan says why
    }
    for (const array_search::proposal& choice : choices) {
      layout_alternative alternative;
      alternative.array = static_cast<int>(number);
      alternative.layout = joined(array.name, bm::text(choice.layout));
      alternative.cost = choice.planned_cost;
      alternative.bytes = choice.layout.required_size() * array.element_bytes;
      planned_arrays changed = declared;
      changed.set_bytes(number, alternative.bytes);
      const int threads = block.x * block.y * block.z;
      if (kernel_page.machine.limits.shared_per_multiprocessor > 0)
        alternative.resident_blocks =
            bm::resident(kernel_page.machine, {threads, static_cast<long long>(changed.bytes()),
                                               options.registers_per_thread})
                .blocks;
      result.push_back(std::move(alternative));
    }
  }
  return result;
}

std::vector<std::string> notes_of_unused_columns(const page& kernel_page) {
  std::vector<std::string> result;
  for (std::size_t number = 0; number < kernel_page.kernel->shared.size(); ++number) {
    const code_array& array = kernel_page.kernel->shared[number];
    if (array.extents.size() < 2 || !has_layout(array, array.bytes) ||
        !has_conflicts(kernel_page, number))
      continue;
    const requests_to_plan requests =
        requests_of(kernel_page, static_cast<int>(number),
                    planned_arrays(kernel_page).start(number), widths::as_written);
    if (requests.classes.empty()) continue;
    const long long declared = array.extents.back();
    const long long unused =
        declared - used_extents(array.extents, array.element_bytes, requests.classes).back();
    if (unused > 0)
      result.push_back(
          joined(unused, unused == 1 ? " declared column of " : " declared columns of ", array.name,
                 unused == 1 ? " is" : " are", " never accessed by this block"));
  }
  return result;
}

}  // namespace compiled
