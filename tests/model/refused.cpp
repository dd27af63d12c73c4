// SPDX-License-Identifier: MIT
// Geometries, strided patterns and requests that are errors.
#include <bankmodel/analyze.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/model/degree.hpp>
#include <bankmodel/model/pattern.hpp>
#include <bankmodel/model/wavefronts.hpp>

#include "refused.hpp"

namespace bm = bankmodel;

namespace {

constexpr bm::bank_geometry<32, 4, 4, 4> banks{};
constexpr bm::request one_float(int address) {
  bm::request r{.active = 1, .bytes = 4};
  r.address[0] = address;
  return r;
}

// A machine that serves accesses of 8 bytes in pieces of `bytes` bytes.
constexpr bm::machine in_pieces_of(unsigned char bytes) {
  bm::machine m;
  m.lanes = 16;
  m.loads.bytes_8 = {.bank_num = 16, .W = 4, .N = 4};
  m.loads.bytes_8.serves = bm::serving::by_broadcast;
  m.loads.bytes_8.piece_bytes = bytes;
  return m;
}

constexpr bm::machine with_lanes(int lanes) {
  bm::machine m;
  m.lanes = lanes;
  m.loads.up_to_4 = {.bank_num = 32, .W = 4, .N = 4};
  return m;
}

}  // namespace

const refusal refusals_of_model[] = {
    refused(
        "bank_num_must_be_a_power_of_two_up_to_256",
        [] { (void)bm::geometry{.bank_num = 31, .W = 4, .N = 4, .M = 4}.bank(0); },
        [] { return bm::geometry{.bank_num = 32, .W = 4, .N = 4, .M = 4}.bank(0) == 0; }),
    refused(
        "bank_num_must_be_a_power_of_two_up_to_256",
        [] { (void)bm::geometry{.bank_num = 512, .W = 4, .N = 4, .M = 4}.layer(0); },
        [] { return bm::geometry{.bank_num = 256, .W = 4, .N = 4, .M = 4}.layer(0) == 0; }),
    refused(
        "W_N_and_M_must_be_powers_of_two_up_to_1024",
        [] { (void)bm::geometry{.bank_num = 32, .W = 8, .N = 4, .M = 0}.layer(0); },
        [] { return bm::geometry{.bank_num = 32, .W = 8, .N = 4, .M = 1}.layer(0) == 0; }),
    refused(
        "N_must_not_exceed_W",
        [] {
          (void)bm::degree(bm::geometry{.bank_num = 32, .W = 4, .N = 8, .M = 4},
                           bm::access_1d{.stride = 1});
        },
        [] {
          return bm::degree(bm::geometry{.bank_num = 32, .W = 8, .N = 8, .M = 4},
                            bm::access_1d{.stride = 1}) == 1;
        }),
    // A double on 4-byte banks is a question for a machine, not for a geometry.
    refused(
        "M_must_not_exceed_W",
        [] {
          (void)bm::degree(bm::geometry{.bank_num = 32, .W = 4, .N = 4, .M = 8},
                           bm::access_1d{.stride = 1});
        },
        [] {
          return bm::degree(bm::geometry{.bank_num = 32, .W = 8, .N = 4, .M = 8},
                            bm::access_1d{.stride = 1}) == 1;
        }),

    refused(
        "lanes_must_be_1_to_256",
        [] { (void)bm::degree(banks, bm::access_1d{.stride = 0, .lanes = 257}); },
        [] { return bm::degree(banks, bm::access_1d{.stride = 0, .lanes = 256}) == 1; }),
    refused(
        "lanes_must_be_1_to_256", [] { (void)bm::degree(banks, bm::access_2d{0, 16, 0, 17}); },
        [] { return bm::degree(banks, bm::access_2d{0, 16, 0, 16}) == 1; }),
    refused(
        "strides_and_offsets_must_lie_within_2_to_the_40",
        [] { (void)bm::degree(banks, bm::access_1d{.stride = (1ll << 40) + 1}); },
        [] { return bm::degree(banks, bm::access_1d{.stride = 1ll << 40}) == 32; }),
    refused(
        "a_warp_must_be_whole_rows_of_the_block_or_lie_in_one",
        [] { (void)bm::stride_pattern({1, 0, 0, 0, 1, 0}, 24, 24, 32); },
        [] { return bm::stride_pattern({1, 0, 0, 0, 1, 0}, 24, 16, 32).stride_y == 24; }),
    refused(
        "lanes_of_a_warp_must_be_1_to_32_or_64",
        [] { (void)bm::stride_pattern({1, 0, 0, 0, 1, 0}, 24, 33, 33); },
        [] { return bm::stride_pattern({1, 0, 0, 0, 1, 0}, 24, 32, 32).repeat_y == 1; }),

    refused(
        "active_lanes_must_be_of_the_warp",
        [] { (void)bm::wavefronts(bm::nvidia::sm_90, bm::request{.active = 0x1ffffffff}); },
        [] { return bm::wavefronts(bm::nvidia::sm_90, bm::request{.active = 0xffffffff}) == 1; }),
    refused(
        "addresses_of_a_request_must_not_be_negative",
        [] { (void)bm::wavefronts(bm::nvidia::sm_90, one_float(-128)); },
        [] { return bm::wavefronts(bm::nvidia::sm_90, one_float(128)) == 1; }),
    refused(
        "accesses_must_be_aligned_to_their_width",
        [] { (void)bm::wavefronts(bm::nvidia::sm_90, one_float(2)); },
        [] { return bm::wavefronts(bm::nvidia::sm_90, one_float(8)) == 1; }),
    refused(
        "accesses_must_divide_into_their_pieces",
        [] { (void)bm::wavefronts(in_pieces_of(0), bm::request{.active = 1, .bytes = 8}); },
        [] { return bm::wavefronts(in_pieces_of(4), bm::request{.active = 1, .bytes = 8}) == 2; }),
    refused(
        "lanes_of_a_machine_must_be_1_to_32_or_64",
        [] { (void)bm::total(with_lanes(128), bm::request{.active = 1, .bytes = 4}); },
        [] {
          return bm::total(with_lanes(64), bm::request{.active = 1, .bytes = 4}).wavefronts == 1;
        }),
    refused(
        "bank_width_must_be_one_that_the_machine_offers",
        [] { (void)bm::nvidia::sm_90.with_bank_width(8); },
        [] { return bm::nvidia::sm_35.with_bank_width(8).bank_width == 8; }),
    {},
};
