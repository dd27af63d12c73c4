// SPDX-License-Identifier: MIT
#include "kernel_formulas.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "../json.hpp"
#include "argument_value.hpp"
#include "code/identifier.hpp"
#include "engine/prepared_kernel.hpp"
#include "nest/counted_nest.hpp"
#include "page/placed_arrays.hpp"

namespace compiled {

using command_line::joined;
using command_line::json_string;

namespace {

using argument_numbers = std::map<std::string, long long>;

// The values of the symbols in the run; those of loops are not there.
argument_numbers values_of(const counted_nest& nest, const page& of) {
  argument_numbers result;
  for (const nest_symbol& one : nest.symbols) {
    if (one.parameter < 0) continue;
    for (const auto& [name, bits] : of.how.arguments)
      if (parameter_number(*of.kernel, name) == static_cast<std::size_t>(one.parameter))
        result.emplace(one.name, static_cast<long long>(bits));
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
  formula requests, units, most, ideal;
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
    most = most + other.most;
    ideal = ideal + other.ideal;
    assumes.insert(other.assumes.begin(), other.assumes.end());
  }
  bool has_symbols() const {
    return !requests.is_constant() || !units.is_constant() || !most.is_constant();
  }
};

const recorded_access* recorded_as(const page& of, const counted_access& one) {
  for (const recorded_access& each : of.recorded->accesses)
    if (each.number == one.number && each.is_global == one.is_global) return &each;
  return nullptr;
}

std::string access_text(const page& of, const counted_access& one) {
  std::string name;
  if (const recorded_access* const recorded = recorded_as(of, one))
    name = seen_name(of, *recorded);
  else if (!one.is_global && one.memory.shared_array >= 0)
    name = of.kernel->shared[static_cast<std::size_t>(one.memory.shared_array)].name;
  return joined(verb_of(one.memory.does), name.empty() ? "" : " ", name);
}

row_sum sum_of(const page& of, const counted_access& one) {
  row_sum result;
  result.is_known = one.reason.empty() || one.has_bounds;
  if (!result.is_known) return result;
  result.has_bounds = one.has_bounds;
  result.requests = one.requests;
  result.units = one.wavefronts;
  result.most = one.has_bounds ? one.most : one.wavefronts;
  result.ideal = one.ideal;
  result.under.insert(one.under.begin(), one.under.end());
  result.assumes.insert(one.assumes.begin(), one.assumes.end());
  const recorded_access* const recorded = recorded_as(of, one);
  if (recorded == nullptr) return result;
  result.is_counted = !recorded->is_partial && recorded->bounded.empty() &&
                      recorded->moved.empty() && !one.has_bounds;
  recording alone;
  alone.accesses.push_back(*recorded);
  const priced costs = priced_on(of.machine, alone);
  result.counted_requests = one.is_global ? costs.traffic.requests : costs.cost.requests;
  result.counted_units = one.is_global ? costs.traffic.transactions : costs.cost.wavefronts;
  return result;
}

// True if the formulas say at these values what the run counted, or nothing can be compared.
bool agrees(const row_sum& of, const argument_numbers& values) {
  if (!of.is_counted) return true;
  for (const std::string& one : of.units.symbols())
    if (values.count(one) == 0) return true;
  for (const std::string& one : of.requests.symbols())
    if (values.count(one) == 0) return true;
  return of.requests.evaluated(values) == static_cast<long long>(of.counted_requests) &&
         of.units.evaluated(values) == static_cast<long long>(of.counted_units);
}

std::string units_text(const row_sum& of) {
  return of.has_bounds && !(of.units == of.most) ? joined(of.units.text(), " .. ", of.most.text())
                                                 : of.units.text();
}

std::set<std::string> symbols_of(const row_sum& of) {
  std::set<std::string> result;
  for (const formula* one : {&of.requests, &of.units, &of.most, &of.ideal})
    for (const std::string& name : one->symbols()) result.insert(name);
  return result;
}

std::string json_of(const row_key& key, const row_sum& of) {
  const char* const units = key.is_global ? "transactions" : "wavefronts";
  std::string under;
  for (const std::string& one : of.under)
    under += joined(under.empty() ? "" : ", ", json_string(one));
  return joined("{\"line\": ", key.line, ", \"memory\": \"", key.is_global ? "global" : "shared",
                "\", \"access\": ", json_string(key.text), ", \"requests\": ", of.requests.json(),
                ", \"", units, "\": ", of.units.json(),
                of.has_bounds ? joined(", \"most_", units, "\": ", of.most.json()) : "",
                ", \"ideal\": ", of.ideal.json(), ", \"text\": ", json_string(units_text(of)),
                ", \"under\": [", under, "]}");
}

formula_row made_row(const row_key& key, const row_sum& of) {
  formula_row result;
  result.line = key.line;
  result.text = key.text;
  for (const std::string& one : of.under)
    result.text += joined(result.text == key.text ? ", if " : " and ", one);
  result.is_global = key.is_global;
  result.requests = of.requests.text();
  result.units = units_text(of);
  result.ideal = of.ideal.text();
  result.json = json_of(key, of);
  return result;
}

std::string sentence(const nest_assumption& one) {
  const std::string where = one.where.line > 0 ? joined(" (line ", one.where.line, ")") : "";
  switch (one.is) {
    case nest_assumption::kind::condition:
      return joined(one.text, where, " holds for all threads of the block");
    case nest_assumption::kind::aligned_rows:
      return joined(one.text, " elements are a multiple of 128 bytes", where);
    default: return joined(one.text, where);
  }
}

// ---- ranges of arguments ----

using given_ranges = std::map<std::string, symbol_range>;

given_ranges ranges_of(const counted_nest& nest, const kernel_code& kernel, const launch& known) {
  given_ranges result;
  for (const nest_symbol& one : nest.symbols)
    if (const auto* const given = range_of_argument(kernel, known, one.name, one.parameter))
      result.emplace(one.name, symbol_range{given->first, given->second});
  return result;
}

// The least and the most of a formula over the ranges: by its structure where that is exact, else
// by all of its values. None: there are too many.
std::optional<number_range> extremes(const formula& of, const given_ranges& ranges) {
  constexpr long long cut_off = 1ll << 62, most_values = 1 << 18;
  bool is_exact = false;
  const symbol_range found = of.range(ranges, &is_exact);
  if (is_exact && found.least > -cut_off && found.most < cut_off)
    return number_range{found.least, found.most};
  const std::set<std::string> symbols = of.symbols();
  long long count = 1;
  argument_numbers values;
  for (const std::string& name : symbols) {
    const symbol_range& range = ranges.at(name);
    if (__builtin_mul_overflow(count, range.most - range.least + 1, &count) || count > most_values)
      return std::nullopt;
    values[name] = range.least;
  }
  number_range result{of.evaluated(values), of.evaluated(values)};
  for (long long number = 1; number < count; ++number) {
    for (auto& [name, value] : values) {
      const symbol_range& range = ranges.at(name);
      if (++value <= range.most) break;
      value = range.least;
    }
    const long long value = of.evaluated(values);
    result = {std::min(result.least, value), std::max(result.most, value)};
  }
  return result;
}

std::string signed_range_text(const number_range& of) {
  const auto text = [](long long value) {
    return (value < 0 ? "-" : "") + bm::grouped(value < 0 ? -static_cast<std::uint64_t>(value)
                                                          : static_cast<std::uint64_t>(value));
  };
  return of.least == of.most ? text(of.least) : joined(text(of.least), "..", text(of.most));
}

// "line 7, load a"
std::string name_of_row(const row_key& key) {
  return key.line == 0 ? key.text : joined("line ", key.line, ", ", key.text);
}

// Adds the row to each symbol that its costs, or what they assume, depend on.
void add_depending(const counted_nest& nest, const row_key& key, const row_sum& of,
                   page_formulas& to) {
  const std::set<std::string> own = symbols_of(of);
  for (const nest_symbol& symbol : nest.symbols) {
    const bool is_assumed = std::any_of(of.assumes.begin(), of.assumes.end(), [&](int number) {
      return find_identifier(nest.assumptions[static_cast<std::size_t>(number)].text,
                             symbol.name) != std::string::npos;
    });
    if (is_assumed || own.count(symbol.name) != 0)
      to.depending[symbol.name].push_back(name_of_row(key));
  }
}

// The costs of rows over the ranges.
class ranged_rows {
 public:
  ranged_rows(const counted_nest& nest, const given_ranges& ranges, page_formulas& to)
      : nest_(nest), ranges_(ranges), to_(to) {}

  // `reason`: why it has no formula.
  void add(const row_key& key, const row_sum& of, const std::string& reason) {
    const std::string name = name_of_row(key);
    const std::string wrong = why_not(of, reason);
    if (!wrong.empty()) {
      const std::string text = joined("no range of ", name, ": ", wrong);
      if (std::find(to_.without_range.begin(), to_.without_range.end(), text) ==
          to_.without_range.end())
        to_.without_range.push_back(text);
      return;
    }
    if (!of.has_symbols() && key.line != 0) return;  // its row of numbers is for all of the range
    const auto requests = extremes(of.requests, ranges_), units = extremes(of.units, ranges_),
               ideal = extremes(of.ideal, ranges_);
    if (!requests || !units || !ideal) {
      to_.without_range.push_back(
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
    const auto json = [](const number_range& one) {
      return joined("[", one.least, ", ", one.most, "]");
    };
    row.json =
        joined("{\"line\": ", key.line, ", \"memory\": \"", key.is_global ? "global" : "shared",
               "\", \"access\": ", json_string(key.text), ", \"requests\": ", json(*requests),
               ", \"", key.is_global ? "transactions" : "wavefronts", "\": ", json(*units),
               ", \"ideal\": ", json(*ideal), "}");
    to_.ranges.push_back(std::move(row));
  }

  // Of the sum of all accesses to shared memory.
  void set_conflicts(const row_sum& of) {
    if (why_not(of, "").empty()) to_.conflicts = extremes(of.units - of.ideal, ranges_);
  }

 private:
  // Why the least and the most are not those of the formula; empty if they are.
  std::string why_not(const row_sum& of, const std::string& reason) const {
    if (!of.is_known) return joined(reason, "; give a number instead of the range");
    // Bounds hold for all of the range, but are not what each of its values takes.
    if (of.has_bounds)
      return joined("it has bounds alone", reason.empty() ? "" : joined(" (", reason, ")"),
                    "; give a number instead of the range");
    if (!of.is_counted)
      return "the run with one of its values counts it in part; give a number, or a smaller range";
    for (const std::string& name : symbols_of(of))
      if (ranges_.count(name) == 0)
        return joined("it depends on ", name, " too; give --arg ", name, "=..");
    for (const int number : of.assumes) {
      const nest_assumption& one = nest_.assumptions[static_cast<std::size_t>(number)];
      for (const auto& [name, range] : ranges_)
        if (find_identifier(one.text, name) != std::string::npos)
          return joined("the formula assumes that ", sentence(one),
                        ", which not all of the range do; give a number, or a smaller range");
    }
    return {};
  }

  const counted_nest& nest_;
  const given_ranges& ranges_;
  page_formulas& to_;
};

std::string text_of_ranges(const launch& known) {
  std::string result;
  for (const auto& [name, range] : known.ranges)
    result += joined(result.empty() ? "" : ", ", name, " = ", range.first, "..", range.second);
  return result;
}

}  // namespace

page_formulas formulas_of(const page& of, const launch& known) try {
  page_formulas result;
  result.ranged = text_of_ranges(known);
  const counted_nest nest = count_nest(*of.kernel, known, of.machine);
  const bool is_reduced = of.recorded->is_stopped ||
                          std::any_of(of.assumed.begin(), of.assumed.end(),
                                      [](const assumed_fact& one) { return one.is_reduced; });
  if (nest.symbols.empty() && !is_reduced) {
    if (known.ranges.empty()) return result;
    result.without_range.push_back("no cost depends on it");
    const auto conflicts = static_cast<long long>(of.costs.cost.conflicts());
    result.conflicts = number_range{conflicts, conflicts};
    return result;
  }
  const given_ranges ranges = ranges_of(nest, *of.kernel, known);
  ranged_rows ranged(nest, ranges, result);
  const bool is_ranged = !known.ranges.empty();
  const argument_numbers values = values_of(nest, of);
  std::map<row_key, row_sum> rows;
  std::map<row_key, std::string> reasons;
  for (const counted_access& one : nest.accesses) {
    const row_sum sum = sum_of(of, one);
    const row_key key = {one.is_global, one.where.file, one.where.line, access_text(of, one)};
    if (!one.reason.empty()) reasons.emplace(key, one.reason);
    const auto [found, is_new] = rows.try_emplace(key, sum);
    if (is_new) continue;
    found->second.add(sum);
    found->second.is_counted = found->second.is_counted && sum.is_counted;
    found->second.counted_requests += sum.counted_requests;
    found->second.counted_units += sum.counted_units;
    if (found->second.under != sum.under) found->second.under.clear();
  }
  std::set<int> assumes;
  std::set<std::string> symbols;
  for (const bool is_global : {false, true}) {
    row_sum whole;
    const std::size_t before = result.rows.size();
    for (auto& [key, sum] : rows) {
      if (key.is_global != is_global) continue;
      sum.is_known = sum.is_known && (is_reduced || agrees(sum, values));
      whole.add(sum);
      add_depending(nest, key, sum, result);
      if (is_ranged)
        ranged.add(key, sum,
                   reasons.count(key) != 0 ? reasons[key] : "its formula is not proven here");
      if (!sum.is_known || !(is_reduced || sum.has_symbols())) continue;
      assumes.insert(sum.assumes.begin(), sum.assumes.end());
      for (const formula* one : {&sum.requests, &sum.units, &sum.most, &sum.ideal})
        for (const std::string& name : one->symbols()) symbols.insert(name);
      result.rows.push_back(made_row(key, sum));
    }
    if (is_ranged && !is_global) ranged.set_conflicts(whole);
    if (result.rows.size() == before || !whole.is_known) continue;
    if (is_ranged) ranged.add({is_global, -1, 0, "the whole kernel"}, whole, "");
    result.rows.push_back(made_row({is_global, -1, 0, "the whole kernel"}, whole));
  }
  for (const int number : assumes)
    result.assumptions.push_back(sentence(nest.assumptions[static_cast<std::size_t>(number)]));
  result.symbols.assign(symbols.begin(), symbols.end());
  if (!result.ranges.empty())
    result.without_range.push_back("the ranges assume: no access leaves its array");
  if (is_ranged && result.ranges.empty() && result.without_range.empty())
    result.without_range.push_back("no cost depends on it");
  return result;
} catch (const formula_error& why) {  // more than 64 bits: the numbers of the run are there
  page_formulas result;
  result.ranged = text_of_ranges(known);
  if (!known.ranges.empty())
    result.without_range.push_back(joined("no range: ", why.what(), "; give smaller ranges"));
  return result;
}

namespace {

// True if other executions make the access with these lanes, or with fewer: nothing but the thread
// decides which do, or in the counted block all do wherever any may.
bool has_most_lanes(const counted_nest& nest, const page& of, const counted_access& access,
                    const recorded_access& recorded) {
  using kind = nest_assumption::kind;
  if (std::none_of(access.assumes.begin(), access.assumes.end(), [&](int number) {
        const kind assumed = nest.assumptions[static_cast<std::size_t>(number)].is;
        return assumed == kind::condition || assumed == kind::equal_trips;
      }))
    return true;
  const bm::block_dim& block = of.how.block;
  const int lanes = of.kernel->lanes;
  if (block.x * block.y * block.z % lanes != 0 || recorded.is_partial ||
      !std::all_of(recorded.classes.begin(), recorded.classes.end(),
                   [&](const auto& one) { return std::popcount(one.lanes.active) == lanes; }))
    return false;
  const argument_numbers values = values_of(nest, of);
  const std::set<std::string> symbols = access.requests.symbols();
  return std::all_of(symbols.begin(), symbols.end(),
                     [&](const std::string& name) { return values.count(name) != 0; }) &&
         access.requests.evaluated(values) == static_cast<long long>(recorded.requests);
}

}  // namespace

std::set<int> arrays_with_known_addresses(const page& of, const launch& known) try {
  const counted_nest nest = count_nest(*of.kernel, known, of.machine);
  std::set<int> result, others;
  for (const recorded_access& one : of.recorded->accesses)
    if (!one.is_global) result.insert(one.array);
  std::set<int> counted;  // the numbers of instructions
  for (const counted_access& access : nest.accesses) {
    if (access.is_global) continue;
    counted.insert(access.number);
    const recorded_access* const recorded = recorded_as(of, access);
    if (recorded == nullptr)
      others.insert(access.memory.shared_array);
    else if (!access.has_known_addresses || access.is_possible || !access.reason.empty() ||
             !has_most_lanes(nest, of, access, *recorded))
      others.insert(recorded->array);
  }
  for (const recorded_access& one : of.recorded->accesses)
    if (!one.is_global && counted.count(one.number) == 0) others.insert(one.array);
  if (others.count(-1) != 0) return {};  // it may access any of them
  for (const int array : others) result.erase(array);
  return result;
} catch (const formula_error&) {
  return {};
}

}  // namespace compiled
