// SPDX-License-Identifier: MIT
#include "worst_request.hpp"

#include "../../json.hpp"

namespace compiled {

using command_line::joined;
using command_line::json_string;

std::optional<explained_access> worst_request_of(const page& of, const priced_access& one) {
  if (one.explained != nullptr) return *one.explained;
  explained_access result;
  if (one.first->is_global) {
    if (one.worst.active == 0) return {};
    const bm::machine m = met_by(one.first->memory, of.machine);
    result.global.worst = one.worst;
    result.global.of_worst = bm::traffic(m, one.worst);
    result.global.segments = bm::segments_of(m, one.worst);
    return result;
  }
  if (one.classes.empty()) return {};
  result.shared = bm::explain(of.machine, one.classes.data(), static_cast<int>(one.classes.size()));
  return result;
}

namespace {

// The warp and the iteration, which expressions have.
std::string json_of_origin(const priced_access& one, const auto& found) {
  if (one.explained == nullptr) return {};
  std::string loops;
  for (int loop = 0; loop < found.loops; ++loop)
    loops += joined(loop == 0 ? "" : ", ",
                    json_string(one.explained->loop_names[static_cast<std::size_t>(loop)]), ": ",
                    found.loop[loop].value);
  return joined("\"warp\": ", found.warp, ", \"loops\": {", loops, "}, ");
}

std::string json_of(const priced_access& one, const bm::explanation& worst) {
  std::string lanes, words;
  for (int number = 0; number < worst.lanes; ++number) {
    lanes += joined(number == 0 ? "" : ", ", worst.meets[number].lane);
    words += joined(number == 0 ? "" : ", ", worst.meets[number].word);
  }
  return joined("{", json_of_origin(one, worst), "\"phase\": ", worst.phase,
                ", \"bank\": ", worst.bank, ", \"layers\": ", worst.degree,
                ", \"wavefronts\": ", worst.of_worst.wavefronts,
                ", \"ideal\": ", worst.of_worst.ideal, ",\n            \"lanes\": [", lanes,
                "],\n            \"words\": [", words, "]}");
}

std::string json_of(const priced_access& one, const bm::traffic_explanation& worst) {
  command_line::list segments("              ");
  for (int number = 0; number < worst.segments.count; ++number) {
    const bm::segment& segment = worst.segments.each[number];
    std::string lanes;
    for (int lane = 0; lane < bm::max_lanes; ++lane)
      if ((segment.lanes >> lane & 1) != 0) lanes += joined(lanes.empty() ? "" : ", ", lane);
    segments.add(joined("{\"begin\": ", segment.begin, ", \"bytes\": ", segment.bytes,
                        ", \"used\": ", segment.used, ", \"lanes\": [", lanes, "]}"));
  }
  return joined("{", json_of_origin(one, worst), "\"transactions\": ", worst.of_worst.transactions,
                ", \"ideal\": ", worst.of_worst.ideal, ",\n            \"segments\": [",
                segments.text(), "\n            ]}");
}

}  // namespace

std::string json_of_worst(const page& of, const priced_access& one) {
  const bool is_few = one.first->is_global ? one.traffic.transactions == one.traffic.ideal
                                           : one.cost.conflicts() == 0;
  if (is_few || is_copy_on(of.machine, one.first->memory)) return {};
  const std::optional<explained_access> worst = worst_request_of(of, one);
  if (!worst) return {};
  return joined(",\n          \"worst\": ",
                one.first->is_global ? json_of(one, worst->global) : json_of(one, worst->shared));
}

}  // namespace compiled
