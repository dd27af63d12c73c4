// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../compiled/build/compiler_flags.hpp"
#include "../compiled/code/code.hpp"
#include "../compiled/machine_code/machine_code.hpp"

// Reads kernels from CUDA and HIP source with Clang's libraries. No toolkit is needed, nothing is
// executed, and no type of LLVM is visible here.
namespace compiled {

// The names of template parameters and what they are assumed to be: {"T", "float"}.
using template_arguments = std::vector<std::pair<std::string, std::string>>;

// Why a kernel whose code compiles is not read.
enum class passed_over : unsigned char { none, unasked, further_instance, large };

struct readable_kernel {
  std::string name, linkage, file;  // as kernel_code's
  bool is_launched = false;
  std::uint64_t instructions = 0;  // with those of all that it calls; 0 before code is generated
  passed_over reason = passed_over::none;
};

// A place in the text of a file, for errors and for tokens that it lacks.
struct place_in_text {
  std::string file;
  unsigned line = 0, column = 0;  // from 1, in bytes
  auto operator<=>(const place_in_text&) const = default;
};

struct source_options {
  compiler_flags flags;  // its folders, macros and included files
  std::string standard = "c++17";
  // The folder of a CUDA toolkit whose headers are read; empty: our own declarations are used.
  std::string cuda_path;
  // What the program is started with, for its launches: those of main()'s argv after its name.
  std::vector<std::string> program_arguments;
  // The values of a kernel's arguments, by their names, which the variables of the host code have.
  std::map<std::string, long long> kernel_arguments;
  bool is_hip = false;
  std::string architecture;  // sm_75, gfx90a; empty: one of these two
  int cuda_arch = 900;       // __CUDA_ARCH__: the machine's, which may be a later one
  // What nvcc's -arch has beside the number: of sm_90a the instructions of that machine alone, of
  // sm_100f those of its family.
  char arch_suffix = 'a';
  // The blocks of a cluster, of kernels whose declaration does not say them; else the launches do.
  std::optional<std::array<int, 3>> cluster = {};
  std::uint64_t widest_access = 16;     // the most bytes of a thread's access to global memory
  std::optional<std::string> contents;  // read instead of the file's own, from the same place
  std::map<std::string, std::string> header_contents = {};  // the same of headers, by their names
  // A name that converts to any type and whose value is unknown; empty: none is declared.
  std::string unknown_argument;
  // A template that nothing instantiates gets an instance, as assumed_instances.hpp says.
  bool assumes_instances = false;
  std::vector<std::string> instances;  // more ones, by their names: k<double, 64>
  // Sets readable_kernel::reason of those that are not read; empty: all are. Called before code
  // is generated, which instances that are passed over do not get, and after it.
  std::function<void(std::vector<readable_kernel>&)> passes_over;
  // One pass over the file: what it includes and lacks. Otherwise it is read again with the tokens
  // that errors ask for, and with each argument unknown whose error hides a launch.
  bool reads_once = false;
  // As read_source's of an earlier reading of the file.
  std::set<place_in_text> added_tokens = {};
  // Loops are unrolled as nvcc would, which accesses as issued depend on; as written they are the
  // same with loops.
  bool unrolls = true;
};

// A launch `kernel<<<grid, block, bytes>>>(..)` in the file. Its numbers are those of a program
// that is started with source_options::program_arguments; those that depend on more are absent.
struct found_launch {
  std::string kernel;   // as kernel_code::name
  std::string linkage;  // as kernel_code::linkage
  std::optional<std::array<unsigned, 3>> grid, block;
  std::optional<std::array<unsigned, 3>> cluster = {};  // in blocks; 1 x 1 x 1 if it asks for none
  std::optional<long long> dynamic_shared_bytes;
  // The bits of each argument, in the kernel's order; absent where the file does not say them.
  std::vector<std::optional<std::uint64_t>> arguments;
  // The bits of the numbers in each that is a structure, by the rest of their names: ".rows".
  std::vector<std::map<std::string, std::uint64_t>> fields = {};
  bool is_passed_over = false;  // the program does not come here
  // Of one in a loop: how often the program comes here, and those of them with other numbers.
  int times = 1;
  std::vector<found_launch> later = {};
  int number = 0;  // among these: 0 is the first
  // Without `block`: its threads along x, y and z where they are known, else 0: {0, 1, 1} of
  // `<<<1, threads>>>`.
  std::array<unsigned, 3> known_axes = {};
  // The block, a number among the arguments, or its bytes are what a caller of the host function
  // says: another call may say other ones.
  bool has_block_of_caller = false, has_arguments_of_caller = false, has_bytes_of_caller = false;
  // Without `block`: the variables and calls whose values are not known, as text for people.
  std::string block_depends_on = {};
  std::string file;
  int line = 0, column = 0;
  // Its dynamic bytes as they are written, and those of the calls that limit the kernel's bytes;
  // empty where they are not known. Arguments have no text if they change something.
  std::vector<source_piece> bytes_written = {};
  std::vector<std::string> arguments_written = {};
};

// A launch that was not read, since the host code around it has an error; or a call of a template
// that launches kernels.
struct unread_launch {
  std::string kernel;    // as written: "k<scalar_t>"; empty if the launch does not name it
  bool is_call = false;  // of the template `kernel`
  std::string file;
  int line = 0;
  std::string reason;
  bool is_by_device = false;  // made by a kernel: the code around it is read without it
};

// A kernel that the file has and that was not read.
struct unread_kernel {
  std::string name;
  std::string reason;
  bool is_read_by_nvcc = false;  // its code is there all the same, as PTX
};

// A kernel that the preprocessor leaves out, and the directive that does: "#ifdef FAST".
struct skipped_kernel {
  std::string name, directive;
  int line = 0, directive_line = 0;
};

struct read_source {
  std::size_t readable = 0;  // the number of kernels whose code compiles
  std::vector<kernel_code> kernels;
  std::vector<found_launch> launches;
  std::vector<unread_kernel> unread;
  std::vector<readable_kernel> passed_over;
  std::vector<skipped_kernel> skipped_kernels;  // of the file itself
  std::vector<unread_launch> unread_launches;
  std::vector<std::string> kernels_without_instance;            // templates
  std::map<std::string, template_arguments> assumed_templates;  // by the kernel's name
  std::vector<std::string> missing_headers;                     // they were read as empty files
  std::vector<std::string> missing_own_headers;                 // those in quotes
  // Those in angle brackets that were found beside the file that includes them.
  std::vector<std::string> headers_beside;
  // Clang's own text: the errors in kernels and in what they use; if there is no kernel, all. Empty
  // for a file without kernels and errors.
  std::string diagnostics;
  std::string errors;  // all that Clang says of the file, its host code too
  // With source_options::reads_once: further passes would add something. Then `kernels` and
  // `passed_over` are empty.
  bool is_incomplete = false;
  std::set<place_in_text> added_tokens;  // with those that it lacks, as missing_tokens.hpp says
  bool failed = false;                   // no kernel, or one of them has an error
  // The text asks which machine it is for, so that another one may have another code.
  bool depends_on_machine = false;
  // The kernel number `index` of `kernels` with the accesses that a compiler leaves of it: LLVM's
  // passes for CUDA, and for HIP its whole pipeline and back end. Set if there is a kernel.
  std::function<optimized_code(std::size_t index)> optimized;
};

// Never throws: an unreadable file is a failure with diagnostics.
read_source read_cuda(const std::string& path, const source_options& options);

// The version of Clang's libraries, such as "14.0.6".
std::string clang_version();

}  // namespace compiled
