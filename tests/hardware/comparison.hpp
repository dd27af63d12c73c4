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
  instruction by = instruction::load_4;
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
    auto found = std::find_if(
        result.classes.begin(), result.classes.end(),
        [&](const class_of_patterns& c) { return c.by == p.by && c.family == p.family; });
    if (found == result.classes.end())
      found = result.classes.insert(found, {p.by, p.family, 0, 0, {}, {}, {}});
    ++found->patterns;
    if (is_open(m, p)) {
      ++result.open;
      continue;
    }
    const std::optional<int> model = wavefronts_on(m, p, p.asked.kind), judged = verdict(seen);
    found->counter.add(seen.counter, model);
    found->source.add(seen.source, model);
    found->clock.add(seen.clock, model);
    ++(judged ? result.judged : result.silent);
    const auto says_else = [&](const std::optional<int>& witness) {
      return witness && witness != model;
    };
    if (says_else(judged)) {
      result.disagreements.push_back({seen, model});
      ++found->disagreements;
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
  for (std::size_t at = 0; at < cells.size(); ++at) {
    line += cells[at];
    if (at + 1 < cells.size())
      line.append(cells[at].size() < widths[at] ? widths[at] - cells[at].size() : 1, ' ');
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

inline void print_differences(std::ostream& out, const char* title,
                              const std::vector<difference>& all,
                              const std::vector<pattern>& patterns, int most) {
  if (all.empty()) return;
  out << '\n' << title << '\n';
  int in_class = 0;
  const pattern* before = nullptr;
  const auto end_of_class = [&] {
    if (in_class > most)
      out << "  and " << in_class - most << " more of this class, see them with --all\n";
  };
  for (const difference& one : all) {
    const pattern& p = patterns.at(static_cast<std::size_t>(one.seen.id));
    if (before != nullptr && (before->by != p.by || before->family != p.family))
      end_of_class(), in_class = 0;
    before = &p;
    if (++in_class > most) continue;
    out << "  " << p.id << ' ' << describe(p.by).name << ", " << p.family << ": " << p.label
        << ", mask " << hex(p.asked.active, 8) << ": counter " << said(one.seen.counter)
        << ", source " << said(one.seen.source) << ", clock " << said(one.seen.clock);
    if (one.seen.cycles) out << " (" << decimal(*one.seen.cycles) << " cycles)";
    out << ", model " << (one.model ? std::to_string(*one.model) : "has no such instruction")
        << '\n';
  }
  end_of_class();
}

}  // namespace detail

// The most differences that are listed for a class.
inline void print(std::ostream& out, const comparison& c, const measured& file,
                  const std::vector<pattern>& patterns, int most) {
  using namespace detail;
  out << file.device << ", compute capability " << file.major << '.' << file.minor << ", driver "
      << file.driver << ", toolkit " << file.toolkit << ", " << file.date
      << "\nagreeing / measured, by each witness:\n\n";
  out << in_columns(
      {"instruction", "class", "patterns", "by counter", "by source", "by clock", "disagreements"});
  for (const class_of_patterns& one : c.classes)
    out << in_columns({describe(one.by).name, one.family, std::to_string(one.patterns),
                       of_all(one.counter), of_all(one.source), of_all(one.clock),
                       one.disagreements == 0 ? "" : std::to_string(one.disagreements)});
  print_differences(out, "disagreements with the model:", c.disagreements, patterns, most);
  print_differences(out, "agreements that another witness contradicts:", c.contradictions, patterns,
                    most);
  out << "\nopen questions:\n";
  for (const answer& one : c.answers) out << "  " << in_words(one) << '\n';
  out << '\n' << c.judged << " patterns judged, " << c.disagreements.size() << " disagreements";
  if (!c.contradictions.empty())
    out << ", " << c.contradictions.size() << " contradicted by another witness";
  if (c.silent > 0) out << "; for " << c.silent << " no witness is certain";
  if (c.open > 0) out << "; for " << c.open << " the record says a range";
  out << '\n';
}

}  // namespace hardware

#endif
