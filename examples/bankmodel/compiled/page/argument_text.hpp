// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "../code/code.hpp"

namespace compiled {

// n=1024, scale=0.5
std::string text_of(const code_parameter& parameter, std::uint64_t bits);

}  // namespace compiled
