// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_ANSWER_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_ANSWER_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <bankmodel/explain.hpp>

#include "counts.hpp"
#include "limits.hpp"
#include "search_options.hpp"
#include "table.hpp"

// Everything that the program does except reading its arguments and files.
namespace command_line {

// From sarif to source they are those of compiled/page/formats.hpp; markdown is for differences.
enum class format : unsigned char { text, json, csv, sarif, html, source, markdown };

// What is asked about every kind of input.
struct common_question {
  std::vector<std::string> machines;   // empty: those that the file names
  bool all_machines = false;           // instead of `machines`
  bool plan = true;                    // look for better layouts
  plan_limits limits = {};             // of these
  bool picture = false;                // of the worst request
  bool brief = false;                  // the totals and the plans alone
  long long dynamic_shared_bytes = 0;  // of `extern __shared__` arrays
  format as = format::text;
  all_limits allowed = {};                            // on any machine, with either bank width
  std::string rules_address = {};                     // of the page with SARIF's rules
  bool report = false;                                // answer::report is wanted
  std::optional<profile> measured = {};               // to be compared, on one machine
  std::function<void(const std::string&)> tell = {};  // before and while what takes long is done
  std::function<void(std::size_t done, std::size_t all, const char* what)> progress = {};
};

struct question : common_question {
  std::vector<row_padding> padding;  // of declared arrays
  launch_values values;              // instead of those of the file
  std::size_t width = 0;             // of the terminal, in characters; 0: not known
  std::string header;  // the namespace of the plan as a header; empty if none is wanted
};

// `not_read`: of several files one was not read, or --max-conflicts is kept by what was read, and
// something was not.
enum exit_code { fine = 0, too_many_conflicts = 1, bad_input = 2, not_read = 3 };

// A kernel in the table of all kernels.
struct kernel_row {
  std::uint64_t conflicts = 0, transactions = 0;  // at most, and beyond the ideal: those sort it
  row shown;
  bool is_assumed = false;  // some of what nobody gave was assumed
};

// A machine of several that has no results.
struct skipped_machine {
  std::string name;
  refusal why;
};
// "bankmodel: note: not counted on gfx900, gfx906: ..": those with the same reason have one line.
std::string text_of_skipped(const std::vector<skipped_machine>& machines);

struct answer {
  exit_code code = fine;
  std::string out, error;    // for the two streams
  bool is_text = false;      // `out` is for people alone
  std::string picture = {};  // for the file of --svg
  std::string header = {};   // for the file of --plan-header
  std::string html = {};     // for the file of --html
  std::string report = {};   // project::text_of() what was counted
  // Of compiled code and source that is one of several files: what is not in `out`, but below
  // those of all files.
  std::vector<kernel_row> kernels = {};
  std::vector<std::string> notes = {};
};

// Throws only if memory runs out: bad input is reported in the answer's error.
answer answer_to(const source& of, const question& asked);

// The results on one machine.
struct finding {
  bm::machine machine;
  std::shared_ptr<const kernel_file> kernel;  // as it is there: warpSize may be 32 or 64
  std::vector<kernel_cost> costs;  // for each bank width, the machine's initial one first
  planned planning;
  int blocks_before = 0;  // resident blocks with the declared arrays
};

// The same for a program that shows the results in its own way: fills in the answer's outputs.
using presentation = std::function<void(const std::vector<finding>& found, answer& to)>;
answer answer_to(const source& of, const question& asked, const presentation& shown);

// Fills in the outputs of a kernel file, of text, JSON and CSV.
void show(const source& of, const std::vector<finding>& found, const question& asked,
          answer& result);

// `found` has an element for each machine, and all have the same accesses.
std::string as_text(const source& of, const std::vector<finding>& found, const question& asked);
std::string as_json(const source& of, const std::vector<finding>& found, const question& asked);
std::string as_csv(const source& of, const std::vector<finding>& found);

// "7 statements without shared memory were skipped", and the like.
std::vector<std::string> notes(const source& of, const kernel_file& kernel, const question& asked);

// Why an access conflicts, or takes more transactions than its bytes need. A remedy for conflicts
// is searched for only if it is wanted.
struct reason {
  std::string text;         // without the remedy
  std::string remedy = {};  // empty if it is not wanted
  // One of them, that of the access's memory, unless the library refuses.
  std::optional<bm::explanation> found = {};
  std::optional<bm::traffic_explanation> found_global = {};
};
reason why(const kernel_file& kernel, const kernel_access& access, const bm::machine& on,
           bool with_remedy);

// The access with the most conflicts. Without a conflict it is the access with the most
// transactions beyond its ideal, and without these the first one, in shared memory if there is any.
std::size_t drawn_access(const finding& of);

// Returns the worst request of an access as SVG, with the initial bank width.
// Error: the library refuses to explain it.
std::string drawn(const finding& of, std::size_t access);

}  // namespace command_line

#endif
