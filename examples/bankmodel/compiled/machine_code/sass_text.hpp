// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "machine_code.hpp"

namespace compiled {

// The kernels in the text that cuobjdump -sass or nvdisasm makes of machine code of NVIDIA. Lines
// are those of nvdisasm -g, else 0.
machine_file kernels_in_sass(std::string_view text);

}  // namespace compiled
