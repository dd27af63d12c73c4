// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_DETAIL_GCN_AND_CDNA_HPP
#define BANKMODEL_MACHINES_DETAIL_GCN_AND_CDNA_HPP

#include <bankmodel/machines/detail/amd_services.hpp>

// The AMD generations with warps of 64 lanes: GCN (gfx6 to gfx9) and CDNA 1 to 4.
namespace bankmodel::amd::detail {

// GCN and the first two CDNA. 4 and 8 bytes per lane are documented; the phases of 12 and 16
// bytes are those of gfx942, where they were first measured. gfx6 has no accesses of 12 and 16
// bytes (LLVM, hasDS96AndDS128). Mesa treats gfx702 as gfx701 (Hawaii) and gives 16 banks only
// to Kabini and Stoney; LLVM gives it 16 banks. We follow Mesa, with low confidence.
BANKMODEL_FN machine gcn(int model) {
  const bool cdna = model == 0x908 || model == 0x90a;
  const source banks_from = cdna             ? sources::ck_docs
                            : model == 0x702 ? sources::mesa
                                             : sources::amd_opencl;
  const confidence sure = model == 0x702 ? confidence::low : confidence::high;
  machine m;
  m.loads.up_to_4 = banks_of_4(32, banks_from, halves(), sources::amd_opencl, sure);
  m.loads.bytes_8 = banks_of_4(32, banks_from, quarters(), sources::amd_opencl, sure);
  m.stores = m.loads;
  if (model >= 0x700) {
    m.loads.bytes_12 = m.loads.bytes_16 = inferred(m.loads.up_to_4, crossed_eighths());
    m.stores.bytes_12 = m.stores.bytes_16 = inferred(m.stores.up_to_4, eighths());
  }
  m.limits = limits_of(65536, model < 0x700 ? 32768 : 65536, model < 0x700 ? 256 : 512,
                       model == 0x90a ? 32 : 40, 64);
  // the vector L1; the L2 of CDNA has lines of 128 bytes
  m.global = {64, 64, confidence::medium, cdna ? sources::rocprofiler : sources::amd_opencl};
  return with_the_rest(m, model, 64);
}

// CDNA 3. Loads of 4, 8 and 16 bytes were measured on gfx942; gfx940 and gfx941 are its
// prototypes, which LLVM has dropped. 12 bytes were measured on gfx950, which AMD says is
// unchanged there. AMD documents the groups of 16-byte accesses.
BANKMODEL_FN machine cdna_3(int model) {
  const confidence sure = model == 0x942 ? confidence::high : confidence::medium;
  machine m;
  m.loads.up_to_4 = banks_of_4(32, sources::shark_guide, halves(), sources::shark_guide, sure);
  m.loads.bytes_8 = banks_of_4(32, sources::shark_guide, quarters(), sources::shark_guide, sure);
  m.loads.bytes_12 = banks_of_4(32, sources::shark_guide, crossed_eighths(), sources::hipkittens,
                                confidence::medium);
  m.loads.bytes_16 =
      banks_of_4(32, sources::shark_guide, crossed_eighths(), sources::ck_docs, sure);
  m.stores.up_to_4 =
      banks_of_4(32, sources::ck_docs, halves(), sources::rocroller, confidence::medium);
  m.stores.bytes_8 =
      banks_of_4(32, sources::ck_docs, quarters(), sources::rocroller, confidence::medium);
  m.stores.bytes_16 = banks_of_4(32, sources::ck_docs, eighths(), sources::ck_docs, sure);
  m.stores.bytes_12 = inferred(m.stores.bytes_16, m.stores.bytes_16.phases);
  m.limits = limits_of(65536, 65536, 512, 32, 64);
  m.global = {128, 128, sure, sources::shark_guide};
  m = with_the_rest(m, model, 64);
  // as two loads: 8 phases
  m.special.paired_loads_8 =
      banks_of_4(32, sources::shark_guide, quarters(), sources::shark_guide, sure);
  return m;
}

// CDNA 4: 64 banks for loads of 8 and of 16 bytes, 32 for everything else (measured for 8, 12
// and 16 bytes and for stores of 8).
//
// Loads of 4 bytes: AMD's rocRoller, which was compared with counters, and Triton have 32 banks
// and halves of the warp. The shark guide has 64 banks and one phase, found by pairs of lanes,
// but shows latencies for 8 bytes only. We follow the former: elsewhere 64 banks were measured
// only if they double the bandwidth, and 16 addresses per clock limit 4-byte loads.
// gfx950_with_64_banks_for_4_bytes is the other reading.
//
// A lane of ds_read_b96 whose address has another remainder modulo 16 than the others' is served
// apart, and the counter has no conflict: two lanes were counted at distances of 3 to 127 words,
// and conflict at 32, 64 and 96, not at 30, 31, 33, 34, .. where they share banks. The same counts
// of ds_read_b64 and _b128 and ds_write_b64 have conflicts at aligned distances only. How many
// passes the lanes that are served apart take was not counted: one for each remainder is assumed.
//
// ds_read_b64_tr_b16 is like a load of 8 bytes: AMD's Primus-Turbo (HipKittens' attention)
// counted its conflicts with two swizzles, 2 per instruction and none. These banks and phases
// explain that, 32 banks do not.
BANKMODEL_FN machine cdna_4(int model) {
  machine m;
  m.loads.up_to_4 =
      banks_of_4(32, sources::rocroller, halves(), sources::triton_backend, confidence::low);
  m.loads.bytes_8 =
      banks_of_4(64, sources::hipkittens, halves(), sources::hipkittens, confidence::high);
  m.loads.bytes_12 =
      banks_of_4(32, sources::hipkittens, crossed_eighths(), sources::hipkittens, confidence::high);
  m.loads.bytes_12.serves = serving::by_alignment;
  m.loads.bytes_16 = banks_of_4(64, sources::hipkittens, crossed_quarters(), sources::hipkittens,
                                confidence::high);
  m.stores.up_to_4 =
      banks_of_4(32, sources::rocroller, halves(), sources::rocroller, confidence::medium);
  m.stores.bytes_8 =
      banks_of_4(32, sources::hipkittens, quarters(), sources::hipkittens, confidence::high);
  m.stores.bytes_16 =
      banks_of_4(32, sources::rocroller, eighths(), sources::rocroller, confidence::medium);
  m.stores.bytes_12 = inferred(m.stores.bytes_16, m.stores.bytes_16.phases);
  m.limits = limits_of(163840, 163840, 1280, 32, 64);
  m.global = {128, 128, confidence::medium, sources::shark_guide};  // those of gfx942
  m = with_the_rest(m, model, 64);
  m.special.paired_loads_8 = banks_of_4(32, sources::triton_backend, quarters(),
                                        sources::triton_backend, confidence::medium);
  m.special.transposed_loads =
      banks_of_4(64, sources::hipkittens, halves(), sources::primus_turbo, confidence::medium);
  return m;
}

}  // namespace bankmodel::amd::detail

#endif
