// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_MACHINES_NVIDIA_HPP
#define BANKMODEL_MACHINES_NVIDIA_HPP

#include <bankmodel/machines/detail/nvidia_tables.hpp>

// NVIDIA GPUs from compute capability 1.0 to 12.1. Each number carries its source
// (machines/sources.hpp); the comments add the rest.
namespace bankmodel::nvidia {

inline constexpr machine sm_10 =
    detail::gpu(10, detail::tesla, detail::none, detail::limits_of_1(768));
inline constexpr machine sm_11 =
    detail::gpu(11, detail::tesla, detail::none, detail::limits_of_1(768));
inline constexpr machine sm_12 =
    detail::gpu(12, detail::tesla, detail::tesla_atomics, detail::limits_of_1(1024));
inline constexpr machine sm_13 =
    detail::gpu(13, detail::tesla, detail::tesla_atomics, detail::limits_of_1(1024));
inline constexpr machine sm_20 =
    detail::gpu(20, detail::fermi, detail::fermi_atomics, detail::limits_of_2);
inline constexpr machine sm_21 =
    detail::gpu(21, detail::fermi, detail::fermi_atomics, detail::limits_of_2);
inline constexpr machine sm_30 =
    detail::gpu(30, detail::kepler, detail::kepler_atomics,
                detail::until_volta(49152, 49152, 16, {.per_thread = 63}));
inline constexpr machine sm_32 =
    detail::gpu(32, detail::kepler, detail::kepler_atomics,
                detail::until_volta(49152, 49152, 16, {.per_block = 32768}));
inline constexpr machine sm_35 =
    detail::gpu(35, detail::kepler, detail::kepler_atomics, detail::until_volta(49152, 49152, 16));
inline constexpr machine sm_37 =
    detail::gpu(37, detail::kepler, detail::kepler_atomics,
                detail::until_volta(114688, 49152, 16, {.per_multiprocessor = 131072}));
inline constexpr machine sm_50 = detail::gpu(50, detail::maxwell, detail::maxwell_atomics,
                                             detail::until_volta(65536, 49152, 32));
inline constexpr machine sm_52 = detail::gpu(52, detail::maxwell, detail::maxwell_atomics,
                                             detail::until_volta(98304, 49152, 32));
inline constexpr machine sm_53 =
    detail::gpu(53, detail::maxwell, detail::maxwell_atomics,
                detail::until_volta(65536, 49152, 32, {.per_block = 32768}));
inline constexpr machine sm_60 =
    detail::gpu(60, detail::maxwell, detail::maxwell_atomics,
                detail::until_volta(65536, 49152, 32, {.sub_partitions = 2}));
inline constexpr machine sm_61 = detail::gpu(61, detail::maxwell, detail::maxwell_atomics,
                                             detail::until_volta(98304, 49152, 32));
inline constexpr machine sm_62 =
    detail::gpu(62, detail::maxwell, detail::maxwell_atomics,
                detail::until_volta(65536, 49152, 32, {.per_block = 32768}));
inline constexpr machine sm_70 = detail::gpu(70, detail::maxwell, detail::maxwell_atomics,
                                             detail::until_volta(98304, 98304, 32));
// 7.2 has the banks of 7.x. Its limits are those of 7.0, which is unconfirmed: query the
// device.
inline constexpr machine sm_72 =
    detail::gpu(72, detail::maxwell, detail::maxwell_atomics,
                detail::until_volta(98304, 98304, 32, {}, confidence::low));
// 7.5 is the first that the current guide lists.
inline constexpr machine sm_75 = detail::gpu(
    75, detail::maxwell, detail::turing,
    detail::limits_of(65536, 65536, 256, 0, 1024, 16, {}, sources::guide_13, confidence::high));
inline constexpr machine sm_80 =
    detail::gpu(80, detail::maxwell, detail::ampere, detail::since_ampere(167936, 2048, 32));
inline constexpr machine sm_86 =
    detail::gpu(86, detail::maxwell, detail::ampere, detail::since_ampere(102400, 1536, 16));
inline constexpr machine sm_87 =
    detail::gpu(87, detail::maxwell, detail::ampere, detail::since_ampere(167936, 1536, 16));
inline constexpr machine sm_89 =
    detail::gpu(89, detail::maxwell, detail::ampere, detail::since_ampere(102400, 1536, 24));
inline constexpr machine sm_90 =
    detail::gpu(90, detail::maxwell, detail::hopper, detail::since_ampere(233472, 2048, 32));
inline constexpr machine sm_100 =
    detail::gpu(100, detail::maxwell, detail::hopper, detail::since_ampere(233472, 2048, 32));
inline constexpr machine sm_103 =
    detail::gpu(103, detail::maxwell, detail::hopper, detail::since_ampere(233472, 2048, 32));
inline constexpr machine sm_110 =
    detail::gpu(110, detail::maxwell, detail::hopper,
                detail::since_ampere(233472, 1536, 24, confidence::medium));
inline constexpr machine sm_120 = detail::gpu(120, detail::maxwell, detail::blackwell_120,
                                              detail::since_ampere(102400, 1536, 24));
inline constexpr machine sm_121 =
    detail::gpu(121, detail::maxwell, detail::hopper, detail::since_ampere(102400, 1536, 24));

}  // namespace bankmodel::nvidia

namespace bankmodel::rule {
[[noreturn]] BANKMODEL_FN void minor_of_a_compute_capability_must_be_0_to_9(long long major,
                                                                            long long minor) {
  bankmodel::detail::fail(
      __func__,
      "compute_capability(%, %); use major and minor as in cudaDeviceProp: (9, 0) for sm_90", major,
      minor);
}
[[noreturn]] BANKMODEL_FN void compute_capability_must_be_a_known_one(long long model,
                                                                      long long lower,
                                                                      long long upper) {
  bankmodel::detail::fail(__func__,
                          "there is no record of compute capability % (10 * major + minor); the "
                          "nearest known ones are sm_% and sm_%, copy and "
                          "adjust one of them",
                          model, lower, upper);
}
}  // namespace bankmodel::rule

namespace bankmodel::nvidia {

// Returns the machine of this compute capability, as in cudaDeviceProp. Kepler (3.x) is in its
// 4-byte mode.
// Error: the compute capability is unknown; the message names the nearest known ones.
//
//   static_assert(nvidia::compute_capability(9, 0) == nvidia::sm_90);
//
// (A template, because a compiler fills the table of any other function when it reads it.)
template <class Machine = machine>
BANKMODEL_FN Machine compute_capability(int major, int minor) {
  constexpr Machine known[] = {sm_10,  sm_11,  sm_12,  sm_13,  sm_20, sm_21, sm_30, sm_32,
                               sm_35,  sm_37,  sm_50,  sm_52,  sm_53, sm_60, sm_61, sm_62,
                               sm_70,  sm_72,  sm_75,  sm_80,  sm_86, sm_87, sm_89, sm_90,
                               sm_100, sm_103, sm_110, sm_120, sm_121};
  constexpr int count = static_cast<int>(sizeof known / sizeof known[0]);
  if (minor < 0 || minor > 9) rule::minor_of_a_compute_capability_must_be_0_to_9(major, minor);
  const long long model = 10ll * major + minor;
  int lower = 0, upper = count - 1;
  for (int entry = 0; entry < count; ++entry) {
    if (known[entry].model == model) return known[entry];
    if (known[entry].model <= model) lower = entry;
    if (known[count - 1 - entry].model > model) upper = count - 1 - entry;
  }
  rule::compute_capability_must_be_a_known_one(model, known[lower].model, known[upper].model);
}

}  // namespace bankmodel::nvidia

#endif
