// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

// The launch that Triton keeps in its cache beside a kernel's PTX, read with LLVM's parser of JSON.
namespace compiled {

struct triton_launch {
  std::string kernel;  // its name; empty: the file does not say it
  int threads = 0;     // of a block
  long long dynamic_shared_bytes = 0;
};

// Returns the launch in the text of a file such as k.json beside k.ptx; none if the text is no
// JSON, or of something else, or has a number that no launch has. `fault`: where the text is no
// JSON.
// Source: Triton 3.9, num_warps, warp_size and shared in triton/compiler/compiler.py.
std::optional<triton_launch> read_triton_launch(const std::string& text, std::string& fault);

}  // namespace compiled
