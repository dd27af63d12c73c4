// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_DRAW_DETAIL_TOUCHED_BANKS_HPP
#define BANKMODEL_HOST_DRAW_DETAIL_TOUCHED_BANKS_HPP

#include <bankmodel/host/text/text.hpp>
#include <bankmodel/model/wavefronts.hpp>

#include <string>
#include <vector>

// The lanes that touch an element, and the passes that its bank takes for their phases: one for
// each layer, or for each lane.
namespace bankmodel::detail {

// One element of storage.
struct map_cell {
  long long byte = 0;  // its first byte, from a multiple of a layer of all banks
  // False after the end of a row: the last row of an array or a plane may be shorter.
  bool exists = false;
  bool unused = false;      // padding
  std::uint64_t lanes = 0;  // the lanes that touch it, lane 0 in bit 0
  // The most passes for the phase of one of these lanes, in a bank where it touches the element.
  int layers = 0;
};

// A set of numbers as text, with runs: "0, 4-7". The set is all numbers below `end` with
// has(number).
template <class Has>
std::string runs(long long end, const Has& has) {
  std::string result;
  for (long long number = 0; number < end; ++number) {
    if (!has(number)) continue;
    const long long first = number;
    while (number + 1 < end && has(number + 1)) ++number;
    result += line_of(result.empty() ? "" : ", ", std::to_string(first));
    if (number > first) result += line_of("-", std::to_string(number));
  }
  return result;
}

inline int size_of(std::uint64_t lanes) {
  int size = 0;
  for (; lanes != 0; lanes &= lanes - 1) ++size;
  return size;
}

// "lane 3", "lanes 0, 4-7".
inline std::string text_of_lanes(std::uint64_t lanes) {
  return line_of(size_of(lanes) == 1 ? "lane " : "lanes ",
                 runs(max_lanes, [&](long long lane) { return (lanes >> lane & 1) != 0; }));
}

// Short text for a cell: "3", "0-31"; for lanes that are not consecutive "0+15", which means
// lane 0 and 15 others.
inline std::string short_text_of_lanes(std::uint64_t lanes) {
  std::string list = runs(max_lanes, [&](long long lane) { return (lanes >> lane & 1) != 0; });
  const std::size_t comma = list.find(',');
  if (comma == std::string::npos) return list;
  int first = 0;
  while ((lanes >> first & 1) == 0) ++first;
  return line_of(std::to_string(first), "+", std::to_string(size_of(lanes) - 1));
}

// The elements that a request touches, and the passes in each bank.
class touched_banks {
 public:
  touched_banks(const machine& m, const request& r)
      : request_(r), banks_(m.banks(r.bytes, r.kind)) {
    const service rules = m.served(r.bytes, r.kind);
    const lane_groups phases = phases_of(m, rules, r);
    const int piece = rules.bytes_at_a_time(r.bytes);
    const std::uint64_t of_machine = ~std::uint64_t{0} >> (max_lanes - m.lanes);
    for (int phase = 0; phase < 1 << phases.bits(); ++phase) {
      const std::uint64_t lanes = r.active & phases.lanes_of(phase) & of_machine;
      if (lanes == 0) continue;
      lanes_.push_back(lanes);
      layers_.emplace_back(banks_.bank_num);
      for (int offset = 0; offset < r.bytes; offset += piece) {
        long long address[max_lanes];
        std::vector<int> in_bank(static_cast<std::size_t>(banks_.bank_num));
        const int count = gather(r, lanes, offset, m.lanes, address);
        (void)count_passes_of_phase(rules.serves, banks_, address, count, piece, in_bank.data());
        for (std::size_t bank = 0; bank < in_bank.size(); ++bank)
          if (in_bank[bank] > layers_.back()[bank]) layers_.back()[bank] = in_bank[bank];
      }
    }
  }

  std::size_t phases() const { return lanes_.size(); }
  std::uint64_t lanes(std::size_t phase) const { return lanes_[phase]; }
  int layers(std::size_t phase, int bank) const {
    return layers_[phase][static_cast<std::size_t>(bank)];
  }

  // The number of the `bytes` bytes from `byte` on that a lane touches.
  long long overlap(int lane, long long byte, long long bytes) const {
    const long long begin = request_.address[lane], end = begin + request_.bytes;
    const long long shared =
        (end < byte + bytes ? end : byte + bytes) - (begin > byte ? begin : byte);
    return shared > 0 ? shared : 0;
  }

  // Sets the lanes and layers of an element.
  void mark(map_cell& cell, int element_bytes) const {
    for (std::size_t phase = 0; phase < phases(); ++phase)
      for (int lane = 0; lane < max_lanes; ++lane) {
        if ((lanes_[phase] >> lane & 1) == 0 || overlap(lane, cell.byte, element_bytes) == 0)
          continue;
        cell.lanes |= std::uint64_t{1} << lane;
        for (long long byte = cell.byte; byte < cell.byte + element_bytes; ++byte)
          if (overlap(lane, byte, 1) != 0 && layers(phase, banks_.bank(byte)) > cell.layers)
            cell.layers = layers(phase, banks_.bank(byte));
      }
  }

 private:
  request request_;
  geometry banks_;
  std::vector<std::uint64_t> lanes_;  // of each phase that is not empty
  // Passes of each such phase in each bank, for the worst piece of its accesses.
  std::vector<std::vector<int>> layers_;
};

}  // namespace bankmodel::detail

#endif
