// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_COPIES_HPP
#define BANKMODEL_GLOBAL_COPIES_HPP

#include <bankmodel/global/costs.hpp>

// cp.async with both of its sides: a copy reads global memory and writes shared memory in one
// instruction, and the slower side decides.
//
//   destination = total() of the write alone: in each phase the most lanes that touch one bank
//   source      = the same of the addresses in global memory, in the banks of the first cache
//   tags        = the lines of the source / the lines that the first cache looks up per cycle
//   wavefronts  = the larger of destination and source
//   conflicts   = wavefronts - max(tags, phases)
//
// Lanes of one address count separately. The rule gives each number of wavefronts that was counted
// on 12.0 with one side in order (machine.special has the source and how sure it is). It is not
// known what happens where both sides are scattered, where the source touches more lines than its
// banks account for, and where lanes share words of the source: then the cost is a range.
namespace bankmodel {

// One cp.async of one warp.
//
//   destination[lane]  the first byte in shared memory, source[lane] in global memory; multiples
//                      of `bytes`, not negative. Not read for inactive lanes.
//   active             bit mask of active lanes, lane 0 in bit 0
//   loading            those of them that read their source (a copy of source size 0 only writes)
//   bytes              4, 8 or 16
//   cached             cp.async.ca; false: cp.async.cg, past the first cache, which has 16 bytes
struct copy_request {
  long long destination[max_lanes] = {}, source[max_lanes] = {};
  std::uint64_t active = 0, loading = ~std::uint64_t{0};
  int bytes = 16;
  bool cached = true;
};

// The cost of copies. One warp that copies 16 bytes per lane from 32 * lane to 16 * lane on
// nvidia::sm_120: destination 4, source 8, tags 2, wavefronts 8 to 8, ideal 4.
struct copy_cost {
  std::uint64_t requests = 0;
  std::uint64_t destination = 0, source = 0;  // the wavefronts of each side alone
  std::uint64_t tags = 0;                     // cycles in which the first cache looks up lines
  std::uint64_t least = 0, most = 0;          // wavefronts
  std::uint64_t ideal = 0;                    // the larger of tags and phases of each request
  int degree = 0;  // the most lanes of a phase that touch one bank, of both sides

  // True if least == most: the number of wavefronts is known.
  BANKMODEL_FN bool is_known() const { return least == most; }

  // As a cost with the fewest wavefronts that the copies may take.
  BANKMODEL_FN cost at_least() const { return {requests, least, ideal, degree}; }

  // The cost of doing this `times` times. Error: a count overflows 64 bits.
  BANKMODEL_FN copy_cost operator*(std::uint64_t times) const {
    if (times == 0) return {};
    const auto product = [times](std::uint64_t count) {
      return detail::checked_count_product(count, times);
    };
    return {product(requests), product(destination), product(source), product(tags),
            product(least),    product(most),        product(ideal),  degree};
  }
  // The cost of both. Error: a count overflows 64 bits.
  BANKMODEL_FN copy_cost operator+(const copy_cost& other) const {
    return {detail::checked_count_sum(requests, other.requests),
            detail::checked_count_sum(destination, other.destination),
            detail::checked_count_sum(source, other.source),
            detail::checked_count_sum(tags, other.tags),
            detail::checked_count_sum(least, other.least),
            detail::checked_count_sum(most, other.most),
            detail::checked_count_sum(ideal, other.ideal),
            degree > other.degree ? degree : other.degree};
  }
};

// Returns the cost of one copy on `m`; nothing if no lane is active.
//
// The range where it is not known: a wavefront serves at least one lane, so there are at most as
// many as active lanes; and at least as many as either side, or the tags, take alone. Past the
// first cache the counter of conflicts was 0 for every pattern that was tried, so `most` is `ideal`
// there, one for each phase. Error: as for total() of a request of kind copy or copy_uncached, and
// for traffic() of a load.
// Example: 32 lanes that copy 16 bytes each:
//
//   const auto copied = [](long long source_stride, long long destination_stride) {
//     copy_request r{.active = 0xffffffff, .loading = 0xffffffff, .bytes = 16};
//     for (int lane = 0; lane < 32; ++lane) {
//       r.source[lane] = source_stride * lane;
//       r.destination[lane] = destination_stride * lane;
//     }
//     return total(nvidia::sm_120, r);
//   };
//   assert(copied(16, 0).least == 32 && copied(16, 0).most == 32 && copied(16, 0).ideal == 4);
//   assert(copied(128, 16).least == 32 && copied(128, 16).ideal == 8);
//   assert(copied(128, 128).least == 32 && copied(128, 128).most == 32);  // each lane takes one
//   assert(copied(32, 32).least == 8 && copied(32, 32).most == 32);
BANKMODEL_FN copy_cost total(const machine& m, const copy_request& r) {
  request write{.active = r.active,
                .bytes = r.bytes,
                .kind = r.cached ? access_kind::copy : access_kind::copy_uncached};
  request read = write;
  for (int lane = 0; lane < max_lanes; ++lane) {
    write.address[lane] = r.destination[lane];
    read.address[lane] = r.source[lane];
  }
  read.active &= r.loading;
  copy_cost result;
  const cost write_cost = total(m, write), read_cost = total(m, read);
  read.kind = access_kind::store;
  const cost from_merged = total(m, read);
  if (write_cost.requests == 0) return result;
  read.kind = access_kind::load;
  const std::uint64_t lines = traffic(m, read).lines;
  result.requests = 1;
  result.destination = write_cost.wavefronts;
  result.source = read_cost.wavefronts;
  result.tags = detail::cycles_of(lines, rates_of(m).lines);
  result.degree = write_cost.degree > read_cost.degree ? write_cost.degree : read_cost.degree;
  result.ideal = write_cost.ideal;
  result.least = result.most = write_cost.wavefronts;
  if (!r.cached || lines == 0) return result;
  const auto larger = [](std::uint64_t value, std::uint64_t other) {
    return value > other ? value : other;
  };
  result.ideal = larger(write_cost.ideal, result.tags);
  const bool source_in_order = read_cost.wavefronts == read_cost.ideal && result.tags == 1;
  // As in every count of strided sources: the banks take as long as the tags of each phase.
  const bool source_decides = write_cost.wavefronts == write_cost.ideal &&
                              read_cost.wavefronts >= read_cost.ideal * result.tags &&
                              read_cost.wavefronts == from_merged.wavefronts;
  result.least = result.most =
      larger(larger(write_cost.wavefronts, from_merged.wavefronts), result.tags);
  if (source_in_order || source_decides) return result;
  result.most = 0;
  for (std::uint64_t rest = r.active; rest != 0; rest &= rest - 1) ++result.most;
  return result;
}

}  // namespace bankmodel

#endif
