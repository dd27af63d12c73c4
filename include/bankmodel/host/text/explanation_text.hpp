// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_TEXT_EXPLANATION_TEXT_HPP
#define BANKMODEL_HOST_TEXT_EXPLANATION_TEXT_HPP

#include <bankmodel/explain/explanation.hpp>
#include <bankmodel/host/text/text.hpp>

#include <string>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Explanations as text.
namespace bankmodel {

namespace detail {

// "0", "0, 4", "0, 1, 2, 3", "0, 32, 64, .. 992".
template <class Number>
std::string list_of_numbers(const std::vector<Number>& numbers) {
  std::string result;
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    if (numbers.size() > 5 && index == 3) {
      index = numbers.size() - 1;
      result += ", .. ";
    } else if (index > 0) {
      result += ", ";
    }
    result += std::to_string(numbers[index]);
  }
  return result;
}

inline std::string text_of_meeting(const explanation& e,
                                   const std::vector<std::string>& loop_names) {
  std::vector<int> lanes;
  std::vector<long long> words;
  for (int meeting = 0; meeting < e.lanes; ++meeting) {
    lanes.push_back(e.meets[meeting].lane);
    bool seen = false;
    for (const long long word : words) seen = seen || word == e.meets[meeting].word;
    if (!seen) words.push_back(e.meets[meeting].word);
  }
  const bool of_an_access = e.array.element_bytes > 0;
  std::string place = of_an_access ? line_of("warp ", std::to_string(e.warp)) : "the request";
  for (int loop = 0; loop < e.loops; ++loop) {
    const auto number = static_cast<std::size_t>(loop);
    place += line_of(
        ", ",
        number < loop_names.size() ? loop_names[number] : variable_name(e.loop[loop].variable),
        " = ", std::to_string(e.loop[loop].value));
  }
  if (e.phases > 1)
    place += line_of(", phase ", std::to_string(e.phase), " of ", std::to_string(e.phases));
  const bool is_single = e.degree == 1;
  const std::string passes =
      e.counts == serving::by_layer
          ? line_of(std::to_string(e.degree), is_single ? " layer" : " layers", " of it")
      : e.counts == serving::by_lane || e.counts == serving::by_copy
          ? std::string("one lane after another")
          : line_of("in ", std::to_string(e.degree), is_single ? " step" : " steps");
  return line_of("worst in ", place, ": lane", lanes.size() == 1 ? " " : "s ",
                 list_of_numbers(lanes), lanes.size() == 1 ? " touches word" : " touch word",
                 words.size() == 1 ? " " : "s ", list_of_numbers(words), " of bank ",
                 std::to_string(e.bank), ", ", passes, ", and the request takes ",
                 grouped(e.of_worst.wavefronts), " wavefronts instead of ",
                 grouped(e.of_worst.ideal));
}

inline std::string text_of_remedy(const explanation& e) {
  const layout_change& change = e.remedy;
  if (change.has_too_many_requests)
    return "Other layouts were not tried: with so many requests their counts may overflow 64 bits; "
           "use fewer iterations.";
  if (!change.found) return "The array does not fit in the shared memory of a block.";
  // Then a search at run time, or with more effort, may find a better one.
  const char* const early =
      change.is_complete || change.removes_all() ? "" : " The search for it ended early.";
  if (change.after.wavefronts >= e.all.wavefronts)
    return line_of("No layout, base offset or bank width that costs less was found.", early);
  std::string remedy;
  const auto add = [&](const std::string& part) {
    remedy += line_of(remedy.empty() ? "" : ", ", part);
  };
  if (change.switches_banks)
    add(line_of("with banks of ", std::to_string(change.bank_width), " bytes"));
  if (change.layout != e.array.layout)
    add(line_of("declared as ", text(e.array.name), text(change.layout)));
  if (change.offset_bytes != 0)
    add(line_of("placed ", std::to_string(change.offset_bytes),
                " bytes past a layer of all banks"));
  if (remedy.empty()) add("placed at a layer of all banks");
  remedy[0] = static_cast<char>(remedy[0] - 'a' + 'A');
  remedy += change.more_bytes == 0
                ? ""
                : line_of(", which takes ", grouped(static_cast<std::uint64_t>(change.more_bytes)),
                          " bytes more");
  if (change.removes_all()) return line_of(remedy, ", it has no conflict.");
  return line_of(remedy, ", it has ", grouped(change.after.conflicts()),
                 change.after.conflicts() == 1 ? " conflict." : " conflicts.", early);
}

// An explanation without its remedy.
inline std::string text_of_reason(const explanation& e,
                                  const std::vector<std::string>& loop_names) {
  const auto counted = [](std::uint64_t number, const char* noun) {
    return line_of(grouped(number), " ", noun, number == 1 ? "" : "s");
  };
  const std::string summary =
      line_of(counted(e.all.requests, "request"), e.all.requests == 1 ? " takes " : " take ",
              counted(e.all.wavefronts, "wavefront"), ", ideal ", grouped(e.all.ideal), ": ");
  if (e.all.conflicts() == 0) return line_of(summary, "no conflict.");
  return line_of(summary, counted(e.all.conflicts(), "conflict"), ", ",
                 text_of_meeting(e, loop_names), ".");
}

}  // namespace detail

// Returns an explanation in two or three sentences with its numbers, in the profiler's words:
// the cost, the worst request and the lanes that collide there, and a remedy. host/text/text.hpp
// has an example.
//
// `loop_names` replaces the names i j k l m n of the loops, from the outermost inwards.
inline std::string text(const explanation& e, const std::vector<std::string>& loop_names = {}) {
  const std::string reason = detail::text_of_reason(e, loop_names);
  return e.array.element_bytes > 0 && e.all.conflicts() != 0
             ? detail::line_of(reason, " ", detail::text_of_remedy(e))
             : reason;
}

}  // namespace bankmodel

#include <bankmodel/core/restore_macros.hpp>

#endif
