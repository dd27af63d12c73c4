// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_EXCESS_BY_BASE_HPP
#define BANKMODEL_GLOBAL_EXCESS_BY_BASE_HPP

#include <bankmodel/global/detail/traffic_price.hpp>

// The traffic of requests to global memory, and the transactions that each of them makes beyond its
// ideal.
//
// Example: 32 neighbouring elements are 4 sectors, and 5 if they begin one element later:
//
//   constexpr auto a = global_array<float>("a", 64);
//   const auto read = load(a[tx]);
//   detail::excess_by_base excess(nvidia::sm_90, 4, access_kind::load, 4);
//   detail::splitter(nvidia::sm_90, block_dim{32}, detail::view_of(read), {}, excess.costs())
//       .run();
//   assert(excess.residue(0) == 0 && excess.residue(1) == 1);
//   assert(excess.sum().transactions == 4);
namespace bankmodel::detail {

class excess_by_base {
 public:
  // Requires: the machine's global memory is described.
  BANKMODEL_FN excess_by_base(const machine& m, int bytes, access_kind kind, int element_bytes)
      : costs_(m, bytes, kind, element_bytes), known_(new memory_traffic[kept()]) {
    costs_.keep_in(known_);
  }
  excess_by_base(const excess_by_base&) = delete;  // its price has a pointer into it
  BANKMODEL_FN ~excess_by_base() { delete[] known_; }

  BANKMODEL_FN traffic_price& costs() { return costs_; }
  BANKMODEL_FN const memory_traffic& sum() { return costs_.sum(); }

  // ---- of the lanes that the price took last ----

  BANKMODEL_FN int everywhere() const { return -1; }
  BANKMODEL_FN int residue(int remainder) {
    const memory_traffic traffic = costs_.at_residue(remainder);
    return static_cast<int>(traffic.transactions - traffic.ideal);
  }
  BANKMODEL_FN int highest() const { return 1 << 30; }  // not known
  BANKMODEL_FN int base(long long) const { return 0; }  // there are never too many residues

 private:
  // One of each residue.
  BANKMODEL_FN std::size_t kept() const { return static_cast<std::size_t>(costs_.residues()); }

  traffic_price costs_;
  memory_traffic* known_;
};

}  // namespace bankmodel::detail

#endif
