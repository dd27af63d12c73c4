// SPDX-License-Identifier: MIT
#pragma once

#include <bankmodel/model/machine.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../../terminal.hpp"
#include "../engine/assumed_fact.hpp"
#include "../issued/issued_recording.hpp"
#include "array_plan.hpp"
#include "block_stride.hpp"
#include "global_advice.hpp"
#include "joint_plan.hpp"
#include "layout_alternative.hpp"
#include "page_formulas.hpp"
#include "priced.hpp"
#include "source_lines.hpp"

// What a person or a program reads about a compiled kernel.
namespace compiled {

// A kernel on one machine. The code and the recording outlive it.
struct page {
  const kernel_code* kernel = nullptr;
  const recording* recorded = nullptr;
  launch settings;
  bm::machine machine;
  priced costs;
  std::vector<array_plan> plans = {};    // better layouts of its arrays, if they were looked for
  std::optional<joint_plan> joint = {};  // of all arrays, which `plans` are of one each
  std::string no_joint_plan = {};        // why a kernel file has none
  // "there is no plan of s: ..", of arrays with conflicts.
  std::vector<std::string> without_plan = {};
  std::vector<layout_alternative> alternatives = {};  // if they were asked for
  std::vector<global_advice> advice = {};  // about global memory, if plans were looked for
  issued_source issued_by = issued_source::rules;
  std::string not_issued = {};    // why `issued_by` is `rules`, for people
  std::string machine_code = {};  // its name, of what is issued by the back end
  std::vector<assumed_fact> assumed = {};
  block_strides strides = {};   // if they were asked for
  page_formulas formulas = {};  // for all values of the arguments that were assumed
  // How the file was read, and what of it was not; text says it once, below the kernels.
  std::vector<std::string> file_notes = {};
};

// What is said of the kernel, and then of its file.
std::vector<std::string> all_notes(const page& kernel_page);
// The same and the joint plan as a sentence, where it has no table.
std::vector<std::string> notes_with_plan(const page& kernel_page);

// A kernel of the file without a page, or without one on a machine.
struct uncounted_kernel {
  std::string name, reason;
  std::string machine = {};
};

// {"kernel": .., "reason": ..}
std::string json_of(const uncounted_kernel& failure);

// What is wrong with the bytes of declared arrays, which no compiler accepts; empty if nothing is.
std::string declares_too_much(const page& kernel_page);

// sm_90: transpose, one block of 32 x 8 threads
std::string heading_of(const page& kernel_page, std::size_t width);
// The same for several machines: sm_80, sm_90
std::string heading_of(const page& kernel_page, const std::string& machines, std::size_t width);

// "on sm_35 with 8-byte banks the kernel takes 544 wavefronts, ideal 64; --bank-width 8 counts with
// them". `other`: the machine with its other bank width.
std::string text_of_other_banks(const bm::machine& other, std::uint64_t minimum,
                                std::uint64_t maximum, std::uint64_t ideal);

// What a page without an access says.
std::string text_without_access(const page& kernel_page);

// Two tables, and what diagnostics_of() finds, with the source lines.
std::string as_text(const page& kernel_page, source_lines& lines,
                    const command_line::text_shape& shape = {});
// The same below the heading. `brief`: the sums and the plans alone.
std::string body_of(const page& kernel_page, source_lines& lines,
                    const command_line::text_shape& shape, bool brief = false);
std::string as_json(const std::vector<page>& kernel_pages, const std::string& file,
                    const std::vector<uncounted_kernel>& failures = {},
                    const std::string& error = {});
std::string as_csv(const std::vector<page>& kernel_pages);

// "load", "store", "ldmatrix", ..
std::string verb_of(access_does operation);

// "32..1,024", or "32" where both ends are equal.
std::string range_text(std::uint64_t minimum, std::uint64_t maximum);
// "1 wavefront", or "32 to 1,024 wavefronts"; unit: "wavefront" or "transaction".
std::string range_in_words(std::uint64_t minimum, std::uint64_t maximum, const char* unit);

// Of cp.async: ", to 4, from 8", the wavefronts of each side; empty of other accesses.
std::string text_of_copy(const page& kernel_page, const priced_access& entry);

// How the rule of cp.async is known on this machine: "counted on sm_120".
std::string source_of_copies(const bm::machine& m);

// The name of the array, or of the pointer; empty if it is not known.
std::string array_name(const kernel_code& kernel, const recorded_access& access);

}  // namespace compiled
