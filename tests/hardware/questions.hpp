// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_QUESTIONS_HPP
#define BANKMODEL_TESTS_HARDWARE_QUESTIONS_HPP

#include "measured.hpp"

#include <bankmodel/global/copies.hpp>
#include <bankmodel/model/wavefronts.hpp>

#include <algorithm>
#include <functional>

// The open questions about NVIDIA's machines, each with the rules that a device may follow. A
// pattern decides between rules that give different numbers for it.
namespace hardware {

// The wavefronts of a device: from its counter; if it has none, from the clock; and from the
// profiler's own count last.
inline std::optional<int> verdict(const reading& r) {
  return r.counter ? r.counter : r.clock ? r.clock : r.source;
}

namespace detail {

// A copy to places in order, from the places of the pattern.
inline bankmodel::copy_cost copied(const bankmodel::machine& m, const bankmodel::request& source) {
  bankmodel::copy_request copy{.active = source.active,
                               .loading = source.active,
                               .bytes = source.bytes,
                               .cached = source.kind == bankmodel::access_kind::copy};
  for (int lane = 0; lane < 32; ++lane) {
    copy.source[lane] = source.address[lane];
    copy.destination[lane] = static_cast<long long>(source.bytes) * lane;
  }
  return bankmodel::total(m, copy);
}

}  // namespace detail

// The model's wavefronts of a pattern, as an instruction of this kind; nothing if the machine has
// no such instruction, or if the record leaves a range open.
inline std::optional<int> wavefronts_on(const bankmodel::machine& m, const pattern& p,
                                        bankmodel::access_kind kind) {
  bankmodel::request asked = p.asked;
  asked.kind = kind;
  if (!m.has(asked.bytes, asked.kind)) return std::nullopt;
  if (!has_source_pattern(p.opcode)) return bankmodel::wavefronts(m, asked);
  if (kind == bankmodel::access_kind::store) {
    // Its source costs nothing.
    for (int lane = 0; lane < 32; ++lane) asked.address[lane] = asked.bytes * lane;
    return bankmodel::wavefronts(m, asked);
  }
  const bankmodel::copy_cost cost = detail::copied(m, asked);
  return cost.is_known() ? std::optional(static_cast<int>(cost.least)) : std::nullopt;
}

// True of a copy whose wavefronts the record does not say.
inline bool is_open(const bankmodel::machine& m, const pattern& p) {
  return has_source_pattern(p.opcode) && m.has(p.asked.bytes, p.asked.kind) &&
         !wavefronts_on(m, p, p.asked.kind);
}

// A rule: a machine, and the instruction's kind on it.
struct rule_to_try {
  std::string name;
  bankmodel::machine machine;
  bankmodel::access_kind kind = bankmodel::access_kind::load;
  bool of_record = false;  // the rule of the machine's record
};

struct question {
  std::string text;
  std::function<bool(instruction)> concerns;
  std::vector<rule_to_try> rules;
};

namespace detail {

inline bankmodel::machine merging_loads(bankmodel::machine m, bankmodel::merging method) {
  m.merges_loads = method;
  return m;
}

// One rule for loads and stores: how phases of 8 and 16 bytes merge. `kind` is the kind of the
// instruction.
inline std::vector<rule_to_try> ways_to_merge(const bankmodel::machine& m,
                                              const bankmodel::services& like,
                                              std::optional<bankmodel::merging> of_record) {
  using bankmodel::merging;
  bankmodel::machine never = m;
  never.loads = like;
  never.merges_loads = merging::none;
  bankmodel::machine always = never;
  always.loads.bytes_8.phases = always.loads.bytes_8.phases.merged();
  always.loads.bytes_16.phases = always.loads.bytes_16.phases.merged();
  return {{"never", never, bankmodel::access_kind::load, of_record == merging::none},
          {"in pairs", merging_loads(never, merging::pairs), bankmodel::access_kind::load,
           of_record == merging::pairs},
          {"always", always, bankmodel::access_kind::load, false}};
}

}  // namespace detail

inline std::vector<question> questions(const bankmodel::machine& m) {
  using bankmodel::access_kind;
  using bankmodel::merging;
  const auto wide = [](access_kind kind) {
    return [=](instruction opcode) {
      return describe(opcode).kind == kind && describe(opcode).bytes >= 8;
    };
  };
  const auto copies = [](access_kind kind, bool by_source) {
    return [=](instruction opcode) {
      return describe(opcode).kind == kind && has_source_pattern(opcode) == by_source;
    };
  };
  // A matrix consists of rows of 16 bytes, like a load of as many.
  bankmodel::services rows_loaded = m.loads, rows_stored = m.stores;
  rows_loaded.bytes_16 = m.special.matrix_loads;
  rows_stored.bytes_16 = m.special.matrix_stores;
  std::vector<question> result = {
      {"phases of loads of 8 and 16 bytes merge", wide(access_kind::load),
       detail::ways_to_merge(m, m.loads, m.merges_loads)},
      {"phases of stores of 8 and 16 bytes merge", wide(access_kind::store),
       detail::ways_to_merge(m, m.stores, m.merges_stores)}};
  if (m.special.has_copies) {
    result.push_back(
        {"lanes of cp.async are served",
         copies(access_kind::copy, false),
         {{"one by one", m, access_kind::copy, true}, {"like stores", m, access_kind::store}}});
    result.push_back({"lanes of cp.async past the first cache are served",
                      copies(access_kind::copy_uncached, false),
                      {{"at once", m, access_kind::copy_uncached, true},
                       {"one by one", m, access_kind::copy},
                       {"like stores", m, access_kind::store}}});
    result.push_back({"the source of cp.async is served",
                      copies(access_kind::copy, true),
                      {{"by banks, as its destination", m, access_kind::copy, true},
                       {"without wavefronts of its own", m, access_kind::store}}});
    result.push_back({"the source of cp.async past the first cache is served",
                      copies(access_kind::copy_uncached, true),
                      {{"without wavefronts of its own", m, access_kind::copy_uncached, true},
                       {"by banks, as its destination", m, access_kind::copy}}});
  }
  if (m.special.matrix_loads.bank_num != 0)
    result.push_back(
        {"matrices of ldmatrix merge",
         [](instruction opcode) { return describe(opcode).kind == access_kind::load_matrix; },
         detail::ways_to_merge(m, rows_loaded, merging::none)});
  if (m.special.matrix_stores.bank_num != 0)
    result.push_back(
        {"matrices of stmatrix merge",
         [](instruction opcode) { return describe(opcode).kind == access_kind::store_matrix; },
         detail::ways_to_merge(m, rows_stored, merging::none)});
  if (m.special.atomics_4.bank_num != 0)
    result.push_back({"atomics on one word are served",
                      [](instruction opcode) { return opcode == instruction::atomic_4; },
                      {{"lane by lane", m, access_kind::atomic,
                        m.special.atomics_4.serves == bankmodel::serving::by_lane},
                       {"at once", m, access_kind::store,
                        m.special.atomics_4.serves == bankmodel::serving::by_layer}}});
  return result;
}

struct answer {
  question asked;
  int deciding = 0;           // patterns with a verdict on which the rules differ
  std::vector<int> agreeing;  // of those, by rule
};

inline answer ask(const question& asked, const measured& file,
                  const std::vector<pattern>& patterns) {
  answer result{asked, 0, std::vector<int>(asked.rules.size())};
  for (const reading& seen : file.readings) {
    const pattern& p = patterns.at(static_cast<std::size_t>(seen.id));
    const std::optional<int> took = verdict(seen);
    if (!took || !asked.concerns(p.opcode)) continue;
    std::vector<int> says;
    for (const rule_to_try& rule : asked.rules)
      says.push_back(wavefronts_on(rule.machine, p, rule.kind).value_or(-1));
    if (std::find(says.begin(), says.end(), -1) != says.end()) continue;
    bool differ = false;
    for (const int count : says) differ = differ || count != says[0];
    if (!differ) continue;
    ++result.deciding;
    for (std::size_t index = 0; index < says.size(); ++index)
      result.agreeing[index] += says[index] == *took;
  }
  return result;
}

// The one rule that all deciding patterns agree with, or -1.
inline int settled(const answer& a) {
  int choice = -1;
  for (std::size_t index = 0; index < a.agreeing.size(); ++index) {
    if (a.deciding == 0 || a.agreeing[index] != a.deciding) continue;
    if (choice >= 0) return -1;
    choice = static_cast<int>(index);
  }
  return choice;
}

inline std::string in_words(const answer& a) {
  std::string text = a.asked.text + ": ";
  if (a.deciding == 0) return text + "not measured";
  const int choice = settled(a);
  if (choice >= 0) {
    const rule_to_try& rule = a.asked.rules[static_cast<std::size_t>(choice)];
    text += rule.name + (rule.of_record ? ", as in the record" : ", UNLIKE THE RECORD");
  } else {
    text += "by none of these rules";
  }
  text += " (of " + std::to_string(a.deciding) + " deciding patterns";
  for (std::size_t index = 0; index < a.agreeing.size(); ++index)
    text += (index == 0 ? ": " : ", ") + a.asked.rules[index].name + " " +
            std::to_string(a.agreeing[index]);
  return text + ")";
}

}  // namespace hardware

#endif
