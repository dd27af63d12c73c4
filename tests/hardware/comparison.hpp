// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_COMPARISON_HPP
#define BANKMODEL_TESTS_HARDWARE_COMPARISON_HPP

#include "questions.hpp"

#include <algorithm>

// Compares a measured file with the model: agreement by class of patterns and by witness.
namespace hardware {

struct tally {
  int agree = 0, differ = 0;
  void add(const std::optional<int>& seen, const std::optional<int>& model) {
    if (seen) ++(seen == model ? agree : differ);
  }
};

struct class_of_patterns {
  instruction opcode = instruction::load_4;
  std::string family;
  int patterns = 0, disagreements = 0;
  tally counter, source, clock;
};

struct difference {
  reading seen;
  std::optional<int> model;  // nothing if the record has no such instruction
};

struct comparison {
  std::vector<class_of_patterns> classes;
  std::vector<difference> disagreements;   // the verdict differs from the model
  std::vector<difference> contradictions;  // it agrees, but another witness differs
  int judged = 0, silent = 0;              // patterns with and without a verdict
  int open = 0;                            // those whose wavefronts the record does not say
  std::vector<answer> answers;
};

inline comparison compare(const bankmodel::machine& m, const measured& file,
                          const std::vector<pattern>& patterns) {
  comparison result;
  for (const reading& seen : file.readings) {
    const pattern& p = patterns.at(static_cast<std::size_t>(seen.id));
    auto entry = std::find_if(
        result.classes.begin(), result.classes.end(),
        [&](const class_of_patterns& c) { return c.opcode == p.opcode && c.family == p.family; });
    if (entry == result.classes.end())
      entry = result.classes.insert(entry, {p.opcode, p.family, 0, 0, {}, {}, {}});
    ++entry->patterns;
    if (is_open(m, p)) {
      ++result.open;
      continue;
    }
    const std::optional<int> model = wavefronts_on(m, p, p.asked.kind), judged = verdict(seen);
    entry->counter.add(seen.counter, model);
    entry->source.add(seen.source, model);
    entry->clock.add(seen.clock, model);
    ++(judged ? result.judged : result.silent);
    const auto says_else = [&](const std::optional<int>& witness) {
      return witness && witness != model;
    };
    if (says_else(judged)) {
      result.disagreements.push_back({seen, model});
      ++entry->disagreements;
    } else if (says_else(seen.counter) || says_else(seen.source) || says_else(seen.clock)) {
      result.contradictions.push_back({seen, model});
    }
  }
  for (const question& asked : questions(m)) result.answers.push_back(ask(asked, file, patterns));
  return result;
}

namespace detail {

inline std::string in_columns(const std::vector<std::string>& cells) {
  constexpr std::size_t widths[] = {16, 32, 9, 14, 14, 14, 14};
  std::string line;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    line += cells[column];
    if (column + 1 < cells.size())
      line.append(cells[column].size() < widths[column] ? widths[column] - cells[column].size() : 1,
                  ' ');
  }
  return line + '\n';
}

inline std::string of_all(const tally& t) {
  return t.agree + t.differ == 0
             ? "-"
             : std::to_string(t.agree) + "/" + std::to_string(t.agree + t.differ);
}

inline std::string said(const std::optional<int>& wavefronts) {
  return wavefronts ? std::to_string(*wavefronts) : "-";
}

inline void print_differences(std::ostream& output, const char* title,
                              const std::vector<difference>& differences,
                              const std::vector<pattern>& patterns, int limit) {
  if (differences.empty()) return;
  output << '\n' << title << '\n';
  int in_class = 0;
  const pattern* previous = nullptr;
  const auto end_of_class = [&] {
    if (in_class > limit)
      output << "  and " << in_class - limit << " more of this class, see them with --all\n";
  };
  for (const difference& entry : differences) {
    const pattern& p = patterns.at(static_cast<std::size_t>(entry.seen.id));
    if (previous != nullptr && (previous->opcode != p.opcode || previous->family != p.family))
      end_of_class(), in_class = 0;
    previous = &p;
    if (++in_class > limit) continue;
    output << "  " << p.id << ' ' << describe(p.opcode).name << ", " << p.family << ": " << p.label
           << ", mask " << hex(p.asked.active, 8) << ": counter " << said(entry.seen.counter)
           << ", source " << said(entry.seen.source) << ", clock " << said(entry.seen.clock);
    if (entry.seen.cycles) output << " (" << decimal(*entry.seen.cycles) << " cycles)";
    output << ", model " << (entry.model ? std::to_string(*entry.model) : "has no such instruction")
           << '\n';
  }
  end_of_class();
}

}  // namespace detail

// The most differences that are listed for a class.
inline void print(std::ostream& output, const comparison& c, const measured& file,
                  const std::vector<pattern>& patterns, int limit) {
  using namespace detail;
  output << file.device << ", compute capability " << file.major << '.' << file.minor << ", driver "
         << file.driver << ", toolkit " << file.toolkit << ", " << file.date
         << "\nagreeing / measured, by each witness:\n\n";
  output << in_columns(
      {"instruction", "class", "patterns", "by counter", "by source", "by clock", "disagreements"});
  for (const class_of_patterns& entry : c.classes)
    output << in_columns({describe(entry.opcode).name, entry.family, std::to_string(entry.patterns),
                          of_all(entry.counter), of_all(entry.source), of_all(entry.clock),
                          entry.disagreements == 0 ? "" : std::to_string(entry.disagreements)});
  print_differences(output, "disagreements with the model:", c.disagreements, patterns, limit);
  print_differences(output, "agreements that another witness contradicts:", c.contradictions,
                    patterns, limit);
  output << "\nopen questions:\n";
  for (const answer& entry : c.answers) output << "  " << in_words(entry) << '\n';
  output << '\n' << c.judged << " patterns judged, " << c.disagreements.size() << " disagreements";
  if (!c.contradictions.empty())
    output << ", " << c.contradictions.size() << " contradicted by another witness";
  if (c.silent > 0) output << "; for " << c.silent << " no witness is certain";
  if (c.open > 0) output << "; for " << c.open << " the record says a range";
  output << '\n';
}

}  // namespace hardware

#endif
