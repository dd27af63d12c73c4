// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_DETAIL_TRAFFIC_PRICE_HPP
#define BANKMODEL_GLOBAL_DETAIL_TRAFFIC_PRICE_HPP

#include <bankmodel/count/request_taker.hpp>
#include <bankmodel/count/residue_histogram.hpp>
#include <bankmodel/global/detail/line_traffic.hpp>

// The fourth step of counting for global memory: the traffic of request classes, from a histogram
// of the residues of their bases modulo a line.
namespace bankmodel::detail {

class traffic_price : public request_taker {
 public:
  // For accesses of this width to an array with elements of `element_bytes` bytes.
  // Requires: the machine's global memory is described.
  BANKMODEL_FN traffic_price(const machine& m, int bytes, access_kind kind, int element_bytes)
      : machine_(m),
        line_(m, bytes, kind),
        histogram_(modulus_of(m), element_bytes),
        element_bytes_(element_bytes) {
    at_base_.bytes = bytes;
    at_base_.kind = kind;
    modulus_ = histogram_.modulus();
    // More than one: else a subscript could lose terms that move requests within a line.
    residues_ = histogram_.residues() > 1 ? histogram_.residues() : 2;
  }

  BANKMODEL_FN void add(const lane_pattern& lanes, long long base, const progression* loops,
                        int depth, std::uint64_t times) override {
    if (!is_present(lanes)) {
      finish();
      set_present(lanes);
      histogram_.clear();
    }
    histogram_.add(base, loops, depth, times);
    work += 20 * histogram_.residues() * depth;
  }

  // Returns the traffic of all requests added.
  BANKMODEL_FN const memory_traffic& sum() {
    finish();
    return sum_;
  }

  // Sets the room in which each request that is evaluated is kept for the next question, one of
  // each residue.
  BANKMODEL_FN void keep_in(memory_traffic* kept) { kept_ = kept; }
  // The traffic of one request with the present lanes, those of the last call, whose base has this
  // residue.
  BANKMODEL_FN memory_traffic at_residue(int residue) {
    if (kept_ == nullptr) return evaluated(residue * element_bytes_);
    memory_traffic& traffic = kept_[residue];
    if (traffic.requests == 0) traffic = evaluated(residue * element_bytes_);
    return traffic;
  }

 private:
  BANKMODEL_FN memory_traffic evaluated(long long base) {
    const int low = trailing_zeros(active_);
    work += is_line_ ? 80 : 2000;
    if (is_line_) return line_.traffic(low, highest_bit(active_) - low + 1, stride_, base);
    at_base_.active = active_;
    for (std::uint64_t rest = active_; rest != 0; rest &= rest - 1)
      at_base_.address[trailing_zeros(rest)] = base + relative_[trailing_zeros(rest)];
    return count_transactions(machine_, at_base_);
  }

  // Segments of 1.x have up to 256 bytes.
  BANKMODEL_FN static int modulus_of(const machine& m) {
    return m.global.line_bytes > 128 ? m.global.line_bytes : 128;
  }
  BANKMODEL_FN bool is_present(const lane_pattern& lanes) const {
    if (lanes.active != active_) return false;
    const int low = trailing_zeros(lanes.active);
    for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      if (relative_[lane] != relative(lanes, low, lane)) return false;
    }
    return true;
  }
  BANKMODEL_FN void set_present(const lane_pattern& lanes) {
    for (int residue = 0; kept_ != nullptr && residue < histogram_.residues(); ++residue)
      kept_[residue].requests = 0;
    active_ = lanes.active;
    const int low = trailing_zeros(lanes.active);
    const std::uint64_t run = lanes.active >> low;
    is_line_ = lanes.in_line && line_.usable() && (run & (run + 1)) == 0;
    stride_ = lanes.stride;
    for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
      const int lane = trailing_zeros(rest);
      relative_[lane] = relative(lanes, low, lane);
    }
  }
  BANKMODEL_FN static long long relative(const lane_pattern& lanes, int low, int lane) {
    return lanes.in_line ? lanes.stride * (lane - low) : lanes.offset[lane];
  }
  BANKMODEL_FN void finish() {
    if (active_ == 0) return;
    histogram_.fill();
    for (int residue = 0; residue < histogram_.residues(); ++residue)
      if (histogram_.times()[residue] != 0)
        sum_ = sum_ + at_residue(residue) * histogram_.times()[residue];
    active_ = 0;
  }

  const machine& machine_;
  line_traffic line_;
  // The present pattern: its lanes, and the distance of each from the base in bytes.
  std::uint64_t active_ = 0;
  long long relative_[max_lanes];
  bool is_line_ = false;  // neighbours in steps of stride_
  long long stride_ = 0;
  residue_histogram histogram_;
  int element_bytes_;
  memory_traffic* kept_ = nullptr;
  request at_base_;
  memory_traffic sum_;
};

}  // namespace bankmodel::detail

#endif
