// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_DETAIL_RDNA_HPP
#define BANKMODEL_MACHINES_DETAIL_RDNA_HPP

#include <bankmodel/machines/detail/amd_services.hpp>

// The AMD generations with warps of 32 lanes: RDNA 1 to 4 (gfx10 to gfx12) and gfx1250.
namespace bankmodel::amd::detail {

// RDNA, warps of 32 in CU mode, in which a multiprocessor is one compute unit; in WGP mode two
// of them share twice its memory and warps. One set of 32 banks serves a warp. Measured: loads
// of 4, 8 and 16 bytes on gfx1100 and gfx1201. AMD says that gfx12 changed the order of 12 and
// 16 bytes, so before gfx12 we treat 12 bytes like 16. Stores are assumed to have phases of
// neighbouring lanes. Shared memory has a granularity of 1024 bytes from gfx10.3 on, though its
// encoding counts 512 (LLVM pull request 224852). A line of the L0 cache is 64 bytes in
// rocminfo (gfx1030) and 128 in the ISA guides.
BANKMODEL_FN machine rdna(int model) {
  const confidence sure =
      model == 0x1100 || model == 0x1201 ? confidence::high : confidence::medium;
  const lane_groups in_order{8, 16, 0}, crossed{20, 8, 0};
  machine m;
  // all 32 lanes
  m.loads.up_to_4 = banks_of_4(32, sources::rdna_isa, {}, sources::shark_guide, sure);
  m.loads.bytes_8 = banks_of_4(32, sources::rdna_isa, {16, 0, 0}, sources::shark_guide, sure);
  if (model < 0x1100) {
    m.loads.bytes_12 = m.loads.bytes_16 = inferred(m.loads.up_to_4, crossed);
  } else {
    m.loads.bytes_16 = banks_of_4(32, sources::rdna_isa, model < 0x1200 ? crossed : in_order,
                                  sources::shark_guide, sure);
    m.loads.bytes_12 = banks_of_4(32, sources::rdna_isa, m.loads.bytes_16.phases,
                                  sources::triton_banks, confidence::medium);
  }
  m.stores.up_to_4 = inferred(m.loads.up_to_4, m.loads.up_to_4.phases);
  m.stores.bytes_8 = inferred(m.loads.bytes_8, m.loads.bytes_8.phases);
  m.stores.bytes_12 = m.stores.bytes_16 = inferred(m.loads.up_to_4, in_order);
  m.limits = limits_of(65536, 65536, model < 0x1030 ? 512 : 1024, model < 0x1030 ? 40 : 32, 32);
  m.global = {64, 128, confidence::low, sources::rdna_isa};
  return with_the_rest(m, model, 32);
}

// gfx1250: 64 banks for everything (Triton), phases as on gfx12 (stated by AMD for 12 and 16
// bytes); none of it was measured. Its compute unit has four SIMDs of 16 warps and no WGP mode
// (LLVM pull request 153680), so twice the warps of an RDNA unit.
BANKMODEL_FN machine gfx125(int model) {
  machine m;
  m.loads.up_to_4 = banks_of_4(64, sources::triton_backend, {}, sources::inferred, confidence::low);
  m.loads.bytes_8 = inferred(m.loads.up_to_4, {16, 0, 0});
  m.stores = m.loads;
  m.loads.bytes_12 = m.loads.bytes_16 =
      banks_of_4(64, sources::triton_backend, {8, 16, 0}, sources::triton_banks, confidence::low);
  m.stores.bytes_12 = m.stores.bytes_16 = inferred(m.loads.up_to_4, {8, 16, 0});
  m.limits = limits_of(327680, 327680, 2048, 64, 32);
  m.limits.sure = confidence::low;
  m.global = {64, 128, confidence::low, sources::rdna_isa};
  return with_the_rest(m, model, 32);
}

}  // namespace bankmodel::amd::detail

#endif
