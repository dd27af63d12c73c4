// SPDX-License-Identifier: MIT
#include "worst_request.hpp"

#include "../../json.hpp"

namespace compiled {

using command_line::json_string;

std::optional<explained_access> worst_request_of(const page& kernel_page,
                                                 const priced_access& entry) {
  if (entry.explained != nullptr) return *entry.explained;
  explained_access result;
  if (entry.first->is_global) {
    if (entry.worst.active == 0) return {};
    const bm::machine m = met_by(entry.first->memory, kernel_page.machine);
    result.global.worst = entry.worst;
    result.global.of_worst = bm::traffic(m, entry.worst);
    result.global.segments = bm::segments_of(m, entry.worst);
    return result;
  }
  if (entry.classes.empty()) return {};
  result.shared = bm::explain(kernel_page.machine, entry.classes.data(),
                              static_cast<int>(entry.classes.size()));
  return result;
}

namespace {

// The warp and the iteration, which expressions have.
std::string json_of_origin(const priced_access& entry, const auto& explanation) {
  if (entry.explained == nullptr) return {};
  std::string loops;
  for (int loop = 0; loop < explanation.loops; ++loop)
    loops += joined(loop == 0 ? "" : ", ", json_string(entry.explained->loop_names[slot(loop)]),
                    ": ", explanation.loop[loop].value);
  return joined("\"warp\": ", explanation.warp, ", \"loops\": {", loops, "}, ");
}

std::string json_of(const priced_access& entry, const bm::explanation& worst) {
  std::string lanes, words;
  for (int number = 0; number < worst.lanes; ++number) {
    lanes += joined(number == 0 ? "" : ", ", worst.meets[number].lane);
    words += joined(number == 0 ? "" : ", ", worst.meets[number].word);
  }
  return joined("{", json_of_origin(entry, worst), "\"phase\": ", worst.phase,
                ", \"bank\": ", worst.bank, ", \"layers\": ", worst.degree,
                ", \"wavefronts\": ", worst.of_worst.wavefronts,
                ", \"ideal\": ", worst.of_worst.ideal, ",\n            \"lanes\": [", lanes,
                "],\n            \"words\": [", words, "]}");
}

std::string json_of(const priced_access& entry, const bm::traffic_explanation& worst) {
  command_line::list segments("              ");
  for (int number = 0; number < worst.segments.count; ++number) {
    const bm::segment& segment = worst.segments.each[number];
    std::string lanes;
    for (int lane = 0; lane < bm::max_lanes; ++lane)
      if ((segment.lanes >> lane & 1) != 0) lanes += joined(lanes.empty() ? "" : ", ", lane);
    segments.add(joined("{\"begin\": ", segment.begin, ", \"bytes\": ", segment.bytes,
                        ", \"used\": ", segment.used, ", \"lanes\": [", lanes, "]}"));
  }
  return joined("{", json_of_origin(entry, worst),
                "\"transactions\": ", worst.of_worst.transactions,
                ", \"ideal\": ", worst.of_worst.ideal, ",\n            \"segments\": [",
                segments.text(), "\n            ]}");
}

}  // namespace

std::string json_of_worst(const page& kernel_page, const priced_access& entry) {
  const bool is_few = entry.first->is_global ? entry.traffic.transactions == entry.traffic.ideal
                                             : entry.cost.conflicts() == 0;
  if (is_few || is_copy_on(kernel_page.machine, entry.first->memory)) return {};
  const std::optional<explained_access> worst = worst_request_of(kernel_page, entry);
  if (!worst) return {};
  return joined(",\n          \"worst\": ", entry.first->is_global ? json_of(entry, worst->global)
                                                                   : json_of(entry, worst->shared));
}

}  // namespace compiled
