// SPDX-License-Identifier: MIT
#include "lane_distances.hpp"

#include <algorithm>
#include <bankmodel/report.hpp>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "../../common_names.hpp"

namespace compiled {

namespace {

struct active_lane {
  int number = 0;
  long long address = 0;
};

std::vector<active_lane> active_lanes(const bankmodel::request& lanes) {
  std::vector<active_lane> result;
  for (int number = 0; number < bankmodel::max_lanes; ++number)
    if ((lanes.active >> number & 1) != 0) result.push_back({number, lanes.address[number]});
  return result;
}

std::string in_bytes(long long distance) {
  return joined(bankmodel::grouped(static_cast<std::uint64_t>(std::llabs(distance))),
                std::llabs(distance) == 1 ? " byte" : " bytes");
}

// The segments that lanes touch whose addresses are `shift` lower.
std::uint64_t segments_touched(const std::vector<active_lane>& lanes, int bytes, int segment,
                               long long shift) {
  std::set<long long> touched;
  for (const active_lane& lane : lanes)
    for (long long place = (lane.address - shift) / segment;
         place <= (lane.address - shift + bytes - 1) / segment; ++place)
      touched.insert(place);
  return touched.size();
}

// The distance for each lane number, where all lanes have it.
std::optional<long long> common_step(const std::vector<active_lane>& lanes) {
  const active_lane &first = lanes.front(), &last = lanes.back();
  const long long step = (last.address - first.address) / (last.number - first.number);
  for (const active_lane& lane : lanes)
    if (lane.address - first.address != (lane.number - first.number) * step) return std::nullopt;
  return step;
}

// Groups of lanes, each with the same steps from lane to lane, whose first lanes are `stride`
// apart. The first and the last group may be a part of one.
struct lane_groups {
  std::size_t lanes = 0;
  long long step = 0, stride = 0;
};

std::optional<lane_groups> common_groups(const std::vector<active_lane>& lanes) {
  if (lanes.back().number - lanes.front().number + 1 != static_cast<int>(lanes.size()))
    return std::nullopt;
  std::map<long long, int> counts;  // of each distance to the lane before
  for (std::size_t index = 1; index < lanes.size(); ++index)
    ++counts[lanes[index].address - lanes[index - 1].address];
  const long long step = std::ranges::max_element(counts, [](const auto& some, const auto& other) {
                           return some.second < other.second;
                         })->first;
  if (counts.size() != 2) return std::nullopt;
  const long long jump =
      counts.begin()->first == step ? counts.rbegin()->first : counts.begin()->first;
  std::vector<std::size_t> lengths = {1};
  for (std::size_t index = 1; index < lanes.size(); ++index)
    if (lanes[index].address - lanes[index - 1].address == step)
      ++lengths.back();
    else
      lengths.push_back(1);
  const std::size_t longest = *std::ranges::max_element(lengths);
  // One lane beside the others is no group.
  if (lengths.size() == 2 && std::min(lengths[0], lengths[1]) < 2) return std::nullopt;
  for (std::size_t group = 1; group + 1 < lengths.size(); ++group)
    if (lengths[group] != longest) return std::nullopt;
  return lane_groups{longest, step, jump + static_cast<long long>(longest - 1) * step};
}

}  // namespace

std::string text_of_lane_distances(const bankmodel::request& request, int segment,
                                   std::uint64_t ideal) {
  const std::vector<active_lane> lanes = active_lanes(request);
  if (lanes.size() < 2 || segment <= 0) return {};
  const long long lowest = std::ranges::min_element(lanes, [](const auto& some, const auto& other) {
                             return some.address < other.address;
                           })->address;
  const long long offset = lowest % segment;
  if (offset != 0 && segments_touched(lanes, request.bytes, segment, offset) <= ideal)
    return joined("the first byte is ", in_bytes(offset), " after a multiple of ", segment);
  if (const std::optional<long long> step = common_step(lanes))
    return joined("neighbouring lanes are ", in_bytes(*step), " apart");
  const std::optional<lane_groups> groups = common_groups(lanes);
  if (!groups) return "the lanes have no common distance";
  const std::string of_lanes = joined("groups of ", groups->lanes, " lanes");
  const std::string spacing = groups->stride == 0
                                  ? std::string(" have the same addresses")
                                  : joined(" are ", in_bytes(groups->stride), " apart");
  return groups->step == request.bytes ? joined(of_lanes, spacing)
         : groups->step == 0           ? joined(of_lanes, " with one address", spacing)
                                       : joined("neighbouring lanes are ", in_bytes(groups->step),
                                                " apart, and ", of_lanes, spacing);
}

}  // namespace compiled
