// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "page.hpp"

namespace compiled {

// The kinds of diagnostics, what each means, in one sentence and in several, and what to do.
struct diagnostic_rule {
  const char *name, *title, *meaning, *remedy;
};
inline constexpr diagnostic_rule bank_conflict = {
    "bank-conflict", "An access to shared memory has bank conflicts.",
    "Lanes of a warp access different words of one memory bank, which serves one of them after "
    "another: a request takes more wavefronts than its bytes need.",
    "Longer rows of the array, or another layout of it, spread the words over the banks: bankmodel "
    "prints the one that takes the fewest wavefronts, --alternatives prints others, and --fix "
    "writes it."};
inline constexpr diagnostic_rule uncoalesced = {
    "uncoalesced", "An access to global memory takes more transactions than its bytes need.",
    "The addresses of a warp's lanes are spread over more segments of memory than their bytes "
    "fill, or begin in the middle of one: bytes are moved that no lane uses.",
    "Let neighbouring lanes access neighbouring elements: exchange threadIdx.x and threadIdx.y, "
    "load a vector, keep members of structures in arrays of their own, or go through a tile in "
    "shared memory. bankmodel counts each of these changes below the tables."};
inline constexpr diagnostic_rule few_lanes = {
    "few-lanes", "Requests of few lanes use a small part of the bytes that they move.",
    "Only some lanes of each warp access global memory here, so that a transaction moves bytes "
    "that no lane uses, although no request takes more transactions than its bytes need.",
    "Let one warp access the elements of all of them: it takes fewer requests."};
inline constexpr diagnostic_rule counted_in_part = {
    "counted-in-part", "Some requests of an access are unknown and not counted.",
    "They depend on data that only a real run has, or on an argument that was not given.",
    "Give them: --arg, --data, --assume; --unknowns lists what is missing."};

struct diagnostic {
  const diagnostic_rule* rule = nullptr;
  const priced_access* access = nullptr;
  std::string message;  // "8-way bank conflict: 64 requests take 288 wavefronts, ideal 64"
  std::string note;     // the lanes and words, or segments, of the worst request; may be empty
};

// One for each access that takes more than its ideal, those to shared memory first; then one for
// each access of few lanes to global memory; then one for each reason why accesses are counted in
// part. They refer to the page.
std::vector<diagnostic> diagnostics_of(const page& kernel_page);

// That an access is counted in part, and the limits of its other requests.
// Requires: it is.
diagnostic partial_diagnostic(const priced_access& access);

// "; as issued (an estimate) 512 requests take 2,048 wavefronts, ideal 2,048"; empty if the access
// is issued as it is written.
std::string text_as_issued(const page& kernel_page, const priced_access& access);

// As compilers write them: transpose.cu:12:58: warning: .. [bank-conflict], the source line with a
// mark at the column, and the note.
std::string text_of(const page& kernel_page, const diagnostic& finding, source_lines& lines,
                    const command_line::text_shape& shape);

}  // namespace compiled
