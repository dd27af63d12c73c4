// SPDX-License-Identifier: MIT
#include "kernel_formulas.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <bit>
#include <map>
#include <optional>
#include <set>

#include "../json.hpp"
#include "code/identifier.hpp"
#include "engine/prepared_kernel.hpp"
#include "nest/counted_nest.hpp"
#include "page/placed_arrays.hpp"

namespace compiled {

using command_line::json_string;

namespace {

using argument_numbers = std::map<std::string, long long>;

// The values of the symbols in the run; those of loops are not there.
argument_numbers values_of(const counted_nest& nest, const page& shown_page) {
  argument_numbers result;
  for (const nest_symbol& symbol : nest.symbols) {
    if (symbol.parameter < 0) continue;
    for (const auto& [name, bits] : shown_page.settings.arguments)
      if (parameter_number(*shown_page.kernel, name) == static_cast<std::size_t>(symbol.parameter))
        result.emplace(symbol.name, static_cast<long long>(bits));
  }
  return result;
}

struct row_key {
  bool is_global;
  int file, line;
  std::string text;
  auto operator<=>(const row_key&) const = default;
};

// The sum of the accesses of a row; nothing if one of them has no formula.
struct row_sum {
  bool is_known = true, has_bounds = false;
  formula requests, units, maximum, ideal;
  std::set<std::string> under;
  std::set<int> assumes;
  std::uint64_t counted_requests = 0, counted_units = 0;  // in the page's run
  bool is_counted = true;                                 // all of them, without bounds

  void add(const row_sum& other) {
    is_known = is_known && other.is_known;
    has_bounds = has_bounds || other.has_bounds;
    is_counted = is_counted && other.is_counted;
    requests = requests + other.requests;
    units = units + other.units;
    maximum = maximum + other.maximum;
    ideal = ideal + other.ideal;
    assumes.insert(other.assumes.begin(), other.assumes.end());
  }
  bool has_symbols() const {
    return !requests.is_constant() || !units.is_constant() || !maximum.is_constant();
  }
};

const recorded_access* recorded_as(const page& shown_page, const counted_access& access) {
  for (const recorded_access& recorded : shown_page.recorded->accesses)
    if (recorded.number == access.number && recorded.is_global == access.is_global)
      return &recorded;
  return nullptr;
}

std::string access_text(const page& shown_page, const counted_access& access) {
  std::string name;
  if (const recorded_access* const recorded = recorded_as(shown_page, access))
    name = seen_name(shown_page, *recorded);
  else if (!access.is_global && access.memory.shared_array >= 0)
    name = shown_page.kernel->shared[slot(access.memory.shared_array)].name;
  return joined(verb_of(access.memory.operation), name.empty() ? "" : " ", name);
}

row_sum sum_of(const page& shown_page, const counted_access& access) {
  row_sum result;
  result.is_known = access.reason.empty() || access.has_bounds;
  if (!result.is_known) return result;
  result.has_bounds = access.has_bounds;
  result.requests = access.requests;
  result.units = access.wavefronts;
  result.maximum = access.has_bounds ? access.maximum : access.wavefronts;
  result.ideal = access.ideal;
  result.under.insert(access.under.begin(), access.under.end());
  result.assumes.insert(access.assumes.begin(), access.assumes.end());
  const recorded_access* const recorded = recorded_as(shown_page, access);
  if (recorded == nullptr) return result;
  result.is_counted = !recorded->is_partial && recorded->bounded.empty() &&
                      recorded->moved.empty() && !access.has_bounds;
  recording alone;
  alone.accesses.push_back(*recorded);
  const priced costs = priced_on(shown_page.machine, alone);
  result.counted_requests = access.is_global ? costs.traffic.requests : costs.cost.requests;
  result.counted_units = access.is_global ? costs.traffic.transactions : costs.cost.wavefronts;
  return result;
}

// True if the formulas say at these values what the run counted, or nothing can be compared.
bool agrees(const row_sum& sum, const argument_numbers& values) {
  if (!sum.is_counted) return true;
  for (const std::string& symbol : sum.units.symbols())
    if (values.count(symbol) == 0) return true;
  for (const std::string& symbol : sum.requests.symbols())
    if (values.count(symbol) == 0) return true;
  return sum.requests.evaluated(values) == static_cast<long long>(sum.counted_requests) &&
         sum.units.evaluated(values) == static_cast<long long>(sum.counted_units);
}

bool assumes_conditions(const counted_nest& nest, const row_sum& sum) {
  return std::ranges::any_of(sum.assumes, [&](int number) {
    return nest.assumptions[slot(number)].is == nest_assumption::kind::condition;
  });
}

std::string units_text(const row_sum& sum) {
  return sum.has_bounds && !(sum.units == sum.maximum)
             ? joined(sum.units.text(), " .. ", sum.maximum.text())
             : sum.units.text();
}

std::set<std::string> symbols_of(const row_sum& sum) {
  std::set<std::string> result;
  for (const formula* cost : {&sum.requests, &sum.units, &sum.maximum, &sum.ideal})
    for (const std::string& name : cost->symbols()) result.insert(name);
  return result;
}

std::string json_of(const row_key& key, const row_sum& sum) {
  const char* const units = key.is_global ? "transactions" : "wavefronts";
  std::string under;
  for (const std::string& condition : sum.under)
    under += joined(under.empty() ? "" : ", ", json_string(condition));
  return joined("{\"line\": ", key.line, ", \"memory\": \"", key.is_global ? "global" : "shared",
                "\", \"access\": ", json_string(key.text), ", \"requests\": ", sum.requests.json(),
                ", \"", units, "\": ", sum.units.json(),
                sum.has_bounds ? joined(", \"most_", units, "\": ", sum.maximum.json()) : "",
                ", \"ideal\": ", sum.ideal.json(), ", \"text\": ", json_string(units_text(sum)),
                ", \"under\": [", under, "]}");
}

formula_row made_row(const row_key& key, const row_sum& sum) {
  formula_row result;
  result.line = key.line;
  result.text = key.text;
  for (const std::string& condition : sum.under)
    result.text += joined(result.text == key.text ? ", if " : " and ", condition);
  result.is_global = key.is_global;
  result.requests = sum.requests.text();
  result.units = units_text(sum);
  result.ideal = sum.ideal.text();
  result.json = json_of(key, sum);
  return result;
}

std::string sentence(const nest_assumption& assumption) {
  const std::string location =
      assumption.location.line > 0 ? joined(" (line ", assumption.location.line, ")") : "";
  switch (assumption.is) {
    case nest_assumption::kind::condition:
      return joined(assumption.text, location, " holds for all threads of the block");
    case nest_assumption::kind::aligned_rows:
      return joined(assumption.text,
                    " elements are a multiple of 128 bytes, and rows do not overlap", location);
    default: return joined(assumption.text, location);
  }
}

// ---- ranges of arguments ----

using given_ranges = std::map<std::string, symbol_range>;

given_ranges ranges_of(const counted_nest& nest, const kernel_code& kernel, const launch& known) {
  given_ranges result;
  for (const nest_symbol& symbol : nest.symbols)
    if (const auto* const range = range_of_argument(kernel, known, symbol.name, symbol.parameter))
      result.emplace(symbol.name, symbol_range{range->first, range->second});
  return result;
}

// The least and the most of a formula over the ranges: by its structure where that is exact, else
// by all of its values. None: there are too many.
std::optional<number_range> extremes(const formula& cost, const given_ranges& ranges) {
  constexpr long long cut_off = 1ll << 62, most_values = 1 << 18;
  bool is_exact = false;
  const symbol_range bounds = cost.range(ranges, &is_exact);
  if (is_exact && bounds.minimum > -cut_off && bounds.maximum < cut_off)
    return number_range{bounds.minimum, bounds.maximum};
  const std::set<std::string> symbols = cost.symbols();
  long long count = 1;
  argument_numbers values;
  for (const std::string& name : symbols) {
    const symbol_range& range = ranges.at(name);
    if (__builtin_mul_overflow(count, range.maximum - range.minimum + 1, &count) ||
        count > most_values)
      return std::nullopt;
    values[name] = range.minimum;
  }
  number_range result{cost.evaluated(values), cost.evaluated(values)};
  for (long long number = 1; number < count; ++number) {
    for (auto& [name, value] : values) {
      const symbol_range& range = ranges.at(name);
      if (++value <= range.maximum) break;
      value = range.minimum;
    }
    const long long value = cost.evaluated(values);
    result = {std::min(result.minimum, value), std::max(result.maximum, value)};
  }
  return result;
}

std::string signed_range_text(const number_range& range) {
  const auto text = [](long long value) {
    return (value < 0 ? "-" : "") + bm::grouped(value < 0 ? -static_cast<std::uint64_t>(value)
                                                          : static_cast<std::uint64_t>(value));
  };
  return range.minimum == range.maximum ? text(range.minimum)
                                        : joined(text(range.minimum), "..", text(range.maximum));
}

// "line 7, load a"
std::string name_of_row(const row_key& key) {
  return key.line == 0 ? key.text : joined("line ", key.line, ", ", key.text);
}

// Adds the row to each symbol that its costs, or what they assume, depend on.
void add_depending(const counted_nest& nest, const row_key& key, const row_sum& sum,
                   page_formulas& result) {
  const std::set<std::string> own = symbols_of(sum);
  for (const nest_symbol& symbol : nest.symbols) {
    const bool is_assumed = std::ranges::any_of(sum.assumes, [&](int number) {
      return find_identifier(nest.assumptions[slot(number)].text, symbol.name) != std::string::npos;
    });
    if (is_assumed || own.count(symbol.name) != 0)
      result.depending[symbol.name].push_back(name_of_row(key));
  }
}

// The costs of rows over the ranges.
class ranged_rows {
 public:
  ranged_rows(const counted_nest& nest, const given_ranges& ranges, page_formulas& result)
      : nest_(nest), ranges_(ranges), formulas_(result) {}

  // `reason`: why it has no formula.
  void add(const row_key& key, const row_sum& sum, const std::string& reason) {
    const std::string name = name_of_row(key);
    const std::string wrong = why_not(sum, reason);
    if (!wrong.empty()) {
      const std::string text = joined("no range of ", name, ": ", wrong);
      if (!includes(formulas_.without_range, text)) formulas_.without_range.push_back(text);
      return;
    }
    if (!sum.has_symbols() && key.line != 0) return;  // its row of numbers is for all of the range
    const auto requests = extremes(sum.requests, ranges_), units = extremes(sum.units, ranges_),
               ideal = extremes(sum.ideal, ranges_);
    if (!requests || !units || !ideal) {
      formulas_.without_range.push_back(
          joined("no range of ", name, ": too many values; give smaller ranges"));
      return;
    }
    formula_row row;
    row.line = key.line;
    row.text = key.text;
    row.is_global = key.is_global;
    row.requests = signed_range_text(*requests);
    row.units = signed_range_text(*units);
    row.ideal = signed_range_text(*ideal);
    const auto json = [](const number_range& range) {
      return joined("[", range.minimum, ", ", range.maximum, "]");
    };
    row.json =
        joined("{\"line\": ", key.line, ", \"memory\": \"", key.is_global ? "global" : "shared",
               "\", \"access\": ", json_string(key.text), ", \"requests\": ", json(*requests),
               ", \"", key.is_global ? "transactions" : "wavefronts", "\": ", json(*units),
               ", \"ideal\": ", json(*ideal), "}");
    formulas_.ranges.push_back(std::move(row));
  }

  // Of the sum of all accesses to shared memory.
  void set_conflicts(const row_sum& sum) {
    if (why_not(sum, "").empty()) formulas_.conflicts = extremes(sum.units - sum.ideal, ranges_);
  }

 private:
  // Why the least and the most are not those of the formula; empty if they are.
  std::string why_not(const row_sum& sum, const std::string& reason) const {
    if (!sum.is_known) return joined(reason, "; give a number instead of the range");
    // Bounds hold for all of the range, but are not what each of its values takes.
    if (sum.has_bounds)
      return joined("it has bounds alone", reason.empty() ? "" : joined(" (", reason, ")"),
                    "; give a number instead of the range");
    if (!sum.is_counted)
      return "the run with one of its values counts it in part; give a number, or a smaller range";
    for (const std::string& name : symbols_of(sum))
      if (ranges_.count(name) == 0)
        return joined("it depends on ", name, " too; give --arg ", name, "=..");
    for (const int number : sum.assumes) {
      const nest_assumption& assumption = nest_.assumptions[slot(number)];
      for (const auto& [name, range] : ranges_)
        if (find_identifier(assumption.text, name) != std::string::npos)
          return joined("the formula assumes that ", sentence(assumption),
                        ", which not all of the range do; give a number, or a smaller range");
    }
    return {};
  }

  const counted_nest& nest_;
  const given_ranges& ranges_;
  page_formulas& formulas_;
};

std::string text_of_ranges(const launch& known) {
  std::string result;
  for (const auto& [name, range] : known.ranges)
    result += joined(result.empty() ? "" : ", ", name, " = ", range.first, "..", range.second);
  return result;
}

}  // namespace

page_formulas formulas_of(const page& shown_page, const launch& known) try {
  page_formulas result;
  result.ranged = text_of_ranges(known);
  const counted_nest nest = count_nest(*shown_page.kernel, known, shown_page.machine);
  const bool is_reduced = shown_page.recorded->is_stopped ||
                          std::ranges::any_of(shown_page.assumed, &assumed_fact::is_reduced);
  if (nest.symbols.empty() && !is_reduced) {
    if (known.ranges.empty()) return result;
    result.without_range.push_back("no cost depends on it");
    const auto conflicts = static_cast<long long>(shown_page.costs.cost.conflicts());
    result.conflicts = number_range{conflicts, conflicts};
    return result;
  }
  const given_ranges ranges = ranges_of(nest, *shown_page.kernel, known);
  ranged_rows ranged(nest, ranges, result);
  const bool is_ranged = !known.ranges.empty();
  const argument_numbers values = values_of(nest, shown_page);
  std::map<row_key, row_sum> rows;
  std::map<row_key, std::string> reasons;
  for (const counted_access& access : nest.accesses) {
    const row_sum sum = sum_of(shown_page, access);
    const row_key key = {access.is_global, access.location.file, access.location.line,
                         access_text(shown_page, access)};
    if (!access.reason.empty()) reasons.emplace(key, access.reason);
    const auto [row, is_new] = rows.try_emplace(key, sum);
    if (is_new) continue;
    row->second.add(sum);
    row->second.is_counted = row->second.is_counted && sum.is_counted;
    row->second.counted_requests += sum.counted_requests;
    row->second.counted_units += sum.counted_units;
    if (row->second.under != sum.under) row->second.under.clear();
  }
  std::set<int> assumes;
  std::set<std::string> symbols;
  for (const bool is_global : {false, true}) {
    row_sum total;
    const std::size_t previous_count = result.rows.size();
    for (auto& [key, sum] : rows) {
      if (key.is_global != is_global) continue;
      if (sum.is_known && !is_reduced && !agrees(sum, values)) {
        sum.is_known = false;
        if (assumes_conditions(nest, sum)) {
          result.contradicted.push_back(name_of_row(key));
          result.contradicting.merge(symbols_of(sum));
        }
      }
      total.add(sum);
      add_depending(nest, key, sum, result);
      if (is_ranged)
        ranged.add(key, sum,
                   reasons.count(key) != 0 ? reasons[key] : "its formula is not proven here");
      if (!sum.is_known || !(is_reduced || sum.has_symbols())) continue;
      assumes.insert(sum.assumes.begin(), sum.assumes.end());
      for (const formula* cost : {&sum.requests, &sum.units, &sum.maximum, &sum.ideal})
        for (const std::string& name : cost->symbols()) symbols.insert(name);
      result.rows.push_back(made_row(key, sum));
    }
    if (is_ranged && !is_global) ranged.set_conflicts(total);
    if (result.rows.size() == previous_count || !total.is_known) continue;
    if (is_ranged) ranged.add({is_global, -1, 0, "the whole kernel"}, total, "");
    // Rows without a symbol are in the sum, too.
    assumes.insert(total.assumes.begin(), total.assumes.end());
    result.rows.push_back(made_row({is_global, -1, 0, "the whole kernel"}, total));
  }
  for (const int number : assumes)
    result.assumptions.push_back(sentence(nest.assumptions[slot(number)]));
  result.symbols.assign(symbols.begin(), symbols.end());
  if (!result.ranges.empty())
    result.without_range.push_back("the ranges assume: no access leaves its array");
  if (is_ranged && result.ranges.empty() && result.without_range.empty())
    result.without_range.push_back("no cost depends on it");
  return result;
} catch (const formula_error& failure) {  // more than 64 bits: the numbers of the run are there
  page_formulas result;
  result.ranged = text_of_ranges(known);
  if (!known.ranges.empty())
    result.without_range.push_back(joined("no range: ", failure.what(), "; give smaller ranges"));
  return result;
}

namespace {

// True if other executions make the access with these lanes, or with fewer: nothing but the thread
// decides which do, or in the counted block all do wherever any may.
bool has_most_lanes(const counted_nest& nest, const page& shown_page, const counted_access& access,
                    const recorded_access& recorded) {
  using kind = nest_assumption::kind;
  if (std::ranges::none_of(access.assumes, [&](int number) {
        const kind assumed = nest.assumptions[slot(number)].is;
        return assumed == kind::condition || assumed == kind::equal_trips;
      }))
    return true;
  const bm::block_dim& block = shown_page.settings.block;
  const int lanes = shown_page.kernel->lanes;
  if (block.x * block.y * block.z % lanes != 0 || recorded.is_partial ||
      !std::ranges::all_of(recorded.classes, [&](const auto& requests) {
        return std::popcount(requests.lanes.active) == lanes;
      }))
    return false;
  const argument_numbers values = values_of(nest, shown_page);
  const std::set<std::string> symbols = access.requests.symbols();
  return std::ranges::all_of(symbols,
                             [&](const std::string& name) { return values.count(name) != 0; }) &&
         access.requests.evaluated(values) == static_cast<long long>(recorded.requests);
}

}  // namespace

std::set<int> arrays_with_known_addresses(const page& shown_page, const launch& known,
                                          const std::set<int>& shown) try {
  const counted_nest nest = count_nest(*shown_page.kernel, known, shown_page.machine);
  std::set<int> result, unknown;
  for (const recorded_access& access : shown_page.recorded->accesses)
    if (!access.is_global) result.insert(access.array);
  std::set<int> counted;  // the numbers of instructions
  for (const counted_access& access : nest.accesses) {
    if (access.is_global) continue;
    counted.insert(access.number);
    if (shown.count(access.number) != 0) continue;
    const recorded_access* const recorded = recorded_as(shown_page, access);
    if (recorded == nullptr)
      unknown.insert(access.memory.shared_array);
    else if (!access.has_known_addresses || access.is_possible || !access.reason.empty() ||
             !has_most_lanes(nest, shown_page, access, *recorded))
      unknown.insert(recorded->array);
  }
  for (const recorded_access& access : shown_page.recorded->accesses)
    if (!access.is_global && counted.count(access.number) == 0) unknown.insert(access.array);
  if (unknown.count(-1) != 0) return {};  // it may access any of them
  for (const int array : unknown) result.erase(array);
  return result;
} catch (const formula_error&) {
  return {};
}

}  // namespace compiled
