// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "missing_tokens.hpp"
#include "source_conditions.hpp"
#include "source_reader.hpp"

// The names and types that the source has and that LLVM IR lacks.
namespace compiled {

// Where our own headers are, and the name of the file that the prelude is; places in them belong to
// the caller.
inline constexpr char own_folder[] = "/bankmodel/";
inline constexpr char prelude_file[] = "/bankmodel/prelude.h";

struct declared_array {
  std::string name, element_type;
  int element_bytes = 0;
  std::vector<long long> extents;
  std::string file;
  int line = 0, column = 0;
  array_source source;  // of an array in shared memory
  // Of a dynamic array, as each kernel that declares it has it, and the kernel's linkage name
  // there.
  std::vector<declared_array> in_kernels = {};
  std::string kernel = {};
  // Of a structure in shared memory: its members, one behind the other.
  std::vector<declared_array> members = {};
  long long bytes = 0;  // of a member
  int alignment = 1;
};

struct declared_kernel {
  std::string name, linkage;
  struct parameter {
    std::string name, type;
    bool is_pointer = false;
    std::vector<code_parameter> fields;  // of a structure; offsets are from its first byte
  };
  std::vector<parameter> parameters;
  int most_threads = 0;  // of a block, as __launch_bounds__ has it; 0: it does not say
  // In blocks, as __cluster_dims__ has it, source_options, or all launches.
  std::optional<std::array<int, 3>> required_cluster = {};
  std::string named_at = {};  // as kernel_code
};

struct parsed_source {
  parsed_source() = default;
  parsed_source(parsed_source&&) = default;
  parsed_source& operator=(parsed_source&&) = default;
  // What a back end left behind that ended in a signal is not touched any more.
  ~parsed_source() {
    if (!is_damaged) return;
    (void)module.release();
    (void)unlowered.release();
    (void)context.release();
  }

  std::string path;                            // of the file that is read
  std::unique_ptr<llvm::LLVMContext> context;  // before the module, which uses it
  std::unique_ptr<llvm::Module> module;        // null if there is none
  std::unique_ptr<llvm::Module> unlowered;     // of HIP: a copy from before lower()
  mutable bool is_damaged = false;
  std::vector<declared_kernel> kernels;
  std::map<std::string, declared_array> arrays;           // by linkage name
  std::map<std::string, std::string> functions_in_error;  // linkage name: Clang's diagnostics
  std::vector<unread_kernel> without_code;                // kernels whose declaration has an error
  std::vector<skipped_kernel> skipped_kernels;
  std::vector<found_launch> launches;
  std::vector<unread_launch> unread_launches;
  std::vector<std::string> kernels_without_instance;
  bool assumes_instances = false;                                  // as in source_options
  std::function<void(std::vector<readable_kernel>&)> passes_over;  // as there
  // With passes_over(): all kernels that have a body and no error of their own. Passed over are
  // those that got no code.
  std::vector<readable_kernel> defined;
  std::map<std::string, template_arguments> assumed_templates;  // by the kernel's name
  std::optional<std::string> mended;                            // as in unread_launches.hpp
  std::set<place_in_text> added_tokens;    // places behind which a token is read that is not there
  std::set<place_in_text> missing_tokens;  // those that errors of this reading ask for
  std::string unknown_argument;            // the name in it
  source_conditions conditions;
  std::vector<statement_lines> statements;  // as long_statements.hpp
  std::vector<std::string> missing_headers, missing_own_headers, headers_beside;
  std::string errors;                                 // all of them
  bool depends_on_machine = false;                    // as read_source
  int lanes = 32;                                     // of a warp
  std::optional<std::array<int, 3>> cluster;          // as in source_options
  std::vector<std::string> program_arguments;         // as there
  std::map<std::string, long long> kernel_arguments;  // as there
};

parsed_source parse(const std::string& path, const source_options& options);

}  // namespace compiled
