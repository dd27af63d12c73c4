// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_REORGANIZE_DETAIL_PACKED_WARPS_HPP
#define BANKMODEL_HOST_REORGANIZE_DETAIL_PACKED_WARPS_HPP

#include <bankmodel/host/reorganize/detail/incidence.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

// Threads with one reference packed into warps, as items into bins: the case of theorem 2.
namespace bankmodel::detail {

// Threads that access the same segment fill whole warps; fewer than a warp's are a piece. Pieces go
// into warps by best fit, the largest first. A segment is in two warps only if its threads are more
// than fit in the first, or if its piece fills up other warps at the end.
class warp_packer {
 public:
  explicit warp_packer(std::uint64_t warp) : warp_(warp), with_room_(warp) {}

  // Adds the threads of a segment.
  void add(std::span<const std::uint32_t> threads) {
    const std::size_t in_whole_warps = threads.size() / warp_ * warp_;
    order_.insert(order_.end(), threads.begin(),
                  threads.begin() + static_cast<std::ptrdiff_t>(in_whole_warps));
    if (in_whole_warps < threads.size()) pieces_.push_back(threads.subspan(in_whole_warps));
  }

  // Returns the order of all threads; `without_access` ones fill room that is left.
  std::vector<std::uint32_t> order(const std::vector<std::uint32_t>& without_access) {
    put_largest_first(pieces_);
    for (const std::span<const std::uint32_t> piece : pieces_) fit(piece);
    put_largest_first(warps_);
    auto next = without_access.begin();
    for (std::vector<std::uint32_t>& warp : warps_)
      while (warp.size() < warp_ && next != without_access.end()) warp.push_back(*next++);
    // The emptiest warps fill up the fullest.
    std::size_t last = warps_.size();
    for (std::size_t fullest = 0; fullest < last; ++fullest)
      while (warps_[fullest].size() < warp_ && fullest + 1 < last) {
        warps_[fullest].push_back(warps_[last - 1].back());
        warps_[last - 1].pop_back();
        if (warps_[last - 1].empty()) --last;
      }
    for (const std::vector<std::uint32_t>& warp : warps_)
      order_.insert(order_.end(), warp.begin(), warp.end());
    order_.insert(order_.end(), next, without_access.end());
    return order_;
  }

 private:
  // Those of one size keep their order.
  template <class Threads>
  void put_largest_first(std::vector<Threads>& groups) const {
    std::vector<std::vector<Threads>> of_size(warp_ + 1);
    for (Threads& group : groups) of_size[group.size()].push_back(std::move(group));
    groups.clear();
    for (auto largest = of_size.rbegin(); largest != of_size.rend(); ++largest)
      std::move(largest->begin(), largest->end(), std::back_inserter(groups));
  }

  // Puts a piece into the warp with the least room that is enough.
  void fit(std::span<const std::uint32_t> piece) {
    std::size_t room = piece.size(), warp = warps_.size();
    while (room < warp_ && with_room_[room].empty()) ++room;
    if (room < warp_) {
      warp = with_room_[room].back();
      with_room_[room].pop_back();
    } else {
      warps_.emplace_back();
    }
    warps_[warp].insert(warps_[warp].end(), piece.begin(), piece.end());
    const std::size_t left = warp_ - warps_[warp].size();
    if (left > 0) with_room_[left].push_back(warp);
  }

  std::uint64_t warp_;
  std::vector<std::uint32_t> order_;
  std::vector<std::span<const std::uint32_t>> pieces_;
  std::vector<std::vector<std::uint32_t>> warps_;
  std::vector<std::vector<std::size_t>> with_room_;  // of each room below a warp's threads
};

// `threads_of` has the threads of each segment. Requires: one reference.
inline std::vector<std::uint32_t> packed_warps(const reorganize::irregular_references& references,
                                               const number_lists& threads_of) {
  warp_packer packer(static_cast<std::uint64_t>(references.warp));
  for (std::uint64_t segment = 0; segment < threads_of.size(); ++segment)
    packer.add(threads_of[segment]);
  std::vector<std::uint32_t> without_access;
  for (std::uint64_t thread = 0; thread < references.threads(); ++thread)
    if (references.references[0][thread] == reorganize::no_element)
      without_access.push_back(static_cast<std::uint32_t>(thread));
  return packer.order(without_access);
}

}  // namespace bankmodel::detail

#endif
