// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_PRECOMPILED_PRELUDE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_CLANG_READER_PRECOMPILED_PRELUDE_HPP

#include <memory>
#include <string>
#include <vector>

#include "invocation.hpp"

// Most of the time to read a small file is the time to parse the prelude and the C++ headers that
// it includes. Clang keeps what it has parsed as a precompiled header: it is made once for each
// list of options and kept in memory, and in a folder between runs.
namespace compiled {

// The prelude as Clang has parsed it with these options, of which the last is the prelude's file.
// Null: it cannot be made, and the prelude is read as text. Requires: one thread calls it.
std::shared_ptr<const std::string> precompiled_prelude(const std::vector<std::string>& arguments,
                                                       const file_system_pointer& files);

// The folder in which it is kept between runs: BANKMODEL_CACHE of the environment, or else
// bankmodel in XDG_CACHE_HOME or in ~/.cache. Empty, and nothing is kept: BANKMODEL_CACHE is empty,
// or there is no home.
std::string cache_folder();

}  // namespace compiled

#endif
