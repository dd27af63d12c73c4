// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TESTS_HARDWARE_CLOCKS_HPP
#define BANKMODEL_TESTS_HARDWARE_CLOCKS_HPP

#include "calibration.hpp"
#include "measured.hpp"

#include <map>

// The second witness: wavefronts from clock cycles, on any device that can time an instruction.
namespace hardware {

struct known_pattern {
  bankmodel::request asked = {};
  int wavefronts = 0;
};

namespace detail {

inline bankmodel::request request_of(instruction opcode, int lanes) {
  bankmodel::request r;
  r.bytes = describe(opcode).bytes;
  r.kind = describe(opcode).kind;
  r.active = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
  return r;
}

// Far enough apart to be in one bank of any machine with up to 256 banks of 4 bytes.
constexpr int row = 1024;

}  // namespace detail

// Patterns whose wavefronts do not depend on any open question: n lanes in n rows of the same
// banks take n passes in any phases, merged or not. ldmatrix uses all addresses of its
// matrices: in each, n rows conflict, the other 8 - n are in other banks, no two lanes share an
// address, and the phases are the matrices.
inline std::vector<known_pattern> known_patterns(instruction opcode) {
  std::vector<known_pattern> result;
  const int lanes = describe(opcode).lanes;
  for (int n = 1; n <= (is_matrix(opcode) ? 8 : 32); ++n) {
    known_pattern entry{detail::request_of(opcode, is_matrix(opcode) ? lanes : n),
                        is_matrix(opcode) ? n * lanes / 8 : n};
    for (int lane = 0; lane < 32; ++lane) {
      const int slot = is_matrix(opcode) ? lane % lanes : lane, in_matrix = slot % 8;
      entry.asked.address[lane] = !is_matrix(opcode)
                                      ? lane * detail::row
                                      : slot * detail::row + (in_matrix < n ? 0 : in_matrix * 16);
    }
    result.push_back(entry);
  }
  return result;
}

// All lanes at one address, for the time that the data of 32 lanes take in addition to the
// wavefronts. Not for atomics, which are served lane by lane; for matrices the known patterns
// have all lanes.
inline std::optional<bankmodel::request> broadcast_pattern(instruction opcode) {
  if (is_matrix(opcode) || opcode == instruction::atomic_4) return std::nullopt;
  return detail::request_of(opcode, 32);
}

// Device: timing time(instruction, const bankmodel::request&).
template <class Device>
calibration calibrate_on(Device& device, instruction opcode) {
  if (has_source_pattern(opcode)) {
    // Wavefronts that do not depend on an open question: there are none of a source.
    calibration result;
    result.unusable = "since how its source is served is the question";
    return result;
  }
  std::vector<sample> samples;
  for (const known_pattern& known : known_patterns(opcode))
    samples.push_back({known.wavefronts, device.time(opcode, known.asked)});
  std::optional<timing> broadcast;
  if (const auto asked = broadcast_pattern(opcode)) broadcast = device.time(opcode, *asked);
  return calibrate(samples, broadcast);
}

// The state of `calibrations` as text, for the user.
inline std::string in_words(instruction opcode, const calibration& line) {
  std::string text = std::string(describe(opcode).name) + ": ";
  if (!line.unusable.empty()) return text + "no wavefronts by clock, " + line.unusable;
  text += detail::decimal(line.a) + " + " + detail::decimal(line.b) +
          " cycles per wavefront, valid from " + std::to_string(line.lowest) + " to " +
          std::to_string(line.highest);
  if (line.hidden > 0) text += ", above " + detail::decimal(line.hidden) + " only";
  return text;
}

// Reads each pattern by clock. `said` gets a line for each instruction.
template <class Device>
std::vector<reading> measure_clocks(Device& device, const std::vector<pattern>& patterns,
                                    std::vector<std::string>& said) {
  std::map<instruction, calibration> lines;
  std::vector<reading> result;
  for (const pattern& p : patterns) {
    auto line = lines.find(p.opcode);
    if (line == lines.end()) {
      line = lines.emplace(p.opcode, calibrate_on(device, p.opcode)).first;
      said.push_back(in_words(p.opcode, line->second));
    }
    const timing took = device.time(p.opcode, p.asked);
    reading r;
    r.id = p.id;
    r.clock = line->second.wavefronts(took);
    r.cycles = took.cycles;
    result.push_back(r);
  }
  return result;
}

}  // namespace hardware

#endif
