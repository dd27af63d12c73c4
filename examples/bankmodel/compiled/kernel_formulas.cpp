// SPDX-License-Identifier: MIT
#include "kernel_formulas.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "../json.hpp"
#include "argument_value.hpp"
#include "engine/prepared_kernel.hpp"
#include "nest/counted_nest.hpp"

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
    name = array_name(*of.kernel, *recorded);
  else if (!one.is_global && one.memory.shared_array >= 0)
    name = of.kernel->shared[static_cast<std::size_t>(one.memory.shared_array)].name;
  return joined(verb_of(one.memory), name.empty() ? "" : " ", name);
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

}  // namespace

page_formulas formulas_of(const page& of, const launch& known) try {
  page_formulas result;
  const counted_nest nest = count_nest(*of.kernel, known, of.machine);
  const bool is_reduced = of.recorded->is_stopped ||
                          std::any_of(of.assumed.begin(), of.assumed.end(),
                                      [](const assumed_fact& one) { return one.is_reduced; });
  if (nest.symbols.empty() && !is_reduced) return result;
  const argument_numbers values = values_of(nest, of);
  std::map<row_key, row_sum> rows;
  for (const counted_access& one : nest.accesses) {
    const row_sum sum = sum_of(of, one);
    const row_key key = {one.is_global, one.where.file, one.where.line, access_text(of, one)};
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
      if (!sum.is_known || !(is_reduced || sum.has_symbols())) continue;
      assumes.insert(sum.assumes.begin(), sum.assumes.end());
      for (const formula* one : {&sum.requests, &sum.units, &sum.most, &sum.ideal})
        for (const std::string& name : one->symbols()) symbols.insert(name);
      result.rows.push_back(made_row(key, sum));
    }
    if (result.rows.size() == before || !whole.is_known) continue;
    result.rows.push_back(made_row({is_global, -1, 0, "the whole kernel"}, whole));
  }
  for (const int number : assumes)
    result.assumptions.push_back(sentence(nest.assumptions[static_cast<std::size_t>(number)]));
  result.symbols.assign(symbols.begin(), symbols.end());
  return result;
} catch (const formula_error&) {  // more than 64 bits: the numbers of the run are there
  return {};
}

}  // namespace compiled
