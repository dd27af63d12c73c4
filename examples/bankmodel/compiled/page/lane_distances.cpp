// SPDX-License-Identifier: MIT
#include "lane_distances.hpp"

#include <bankmodel/report.hpp>
#include <cstdlib>
#include <vector>

#include "../../source.hpp"

namespace compiled {

using command_line::joined;

namespace {

// Lane i is at i % lanes * step + i / lanes * stride from the first one.
struct lane_groups {
  std::size_t lanes = 0;  // of a group; all of them if there is one group
  long long step = 0, stride = 0;

  long long distance(std::size_t lane) const {
    return static_cast<long long>(lane % lanes) * step +
           static_cast<long long>(lane / lanes) * stride;
  }
};

std::vector<long long> addresses_of(const bankmodel::request& lanes) {
  std::vector<long long> result;
  for (int lane = 0; lane < bankmodel::max_lanes; ++lane)
    if ((lanes.active >> lane & 1) != 0) result.push_back(lanes.address[lane]);
  return result;
}

lane_groups groups_of(const std::vector<long long>& address) {
  lane_groups result{1, address[1] - address[0], 0};
  while (result.lanes < address.size() &&
         address[result.lanes] - address[result.lanes - 1] == result.step)
    ++result.lanes;
  if (result.lanes < address.size()) result.stride = address[result.lanes] - address[0];
  return result;
}

std::string in_bytes(long long distance) {
  return joined(bankmodel::grouped(static_cast<std::uint64_t>(std::llabs(distance))),
                std::llabs(distance) == 1 ? " byte" : " bytes");
}

}  // namespace

std::string text_of_lane_distances(const bankmodel::request& lanes, int segment) {
  const std::vector<long long> address = addresses_of(lanes);
  if (address.size() < 2) return {};
  const lane_groups groups = groups_of(address);
  for (std::size_t lane = 0; lane < address.size(); ++lane)
    if (address[lane] - address[0] != groups.distance(lane))
      return "the lanes have no common distance";
  const bool is_consecutive = groups.step == lanes.bytes;
  if (groups.lanes == address.size()) {
    if (!is_consecutive) return joined("neighbouring lanes are ", in_bytes(groups.step), " apart");
    const long long behind = segment > 0 ? address[0] % segment : 0;
    return behind == 0 ? ""
                       : joined("consecutive lanes begin ", in_bytes(behind),
                                " behind a multiple of ", segment);
  }
  const std::string apart = joined(" are ", in_bytes(groups.stride), " apart");
  const std::string of_lanes = joined("groups of ", groups.lanes, " lanes");
  return is_consecutive     ? joined(of_lanes, apart)
         : groups.step == 0 ? joined(of_lanes, " with one address", apart)
                            : joined("neighbouring lanes are ", in_bytes(groups.step),
                                     " apart, and ", of_lanes, apart);
}

}  // namespace compiled
