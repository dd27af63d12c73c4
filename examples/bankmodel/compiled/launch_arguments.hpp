// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "../clang_reader/source_reader.hpp"
#include "ask.hpp"

namespace compiled {

// What a launch's text says where its grid is not known.
inline constexpr std::string_view one_block_is_assumed = ", and 1 is assumed";

// "32x8" of --block or --grid as {32, 8, 1}; nothing if it is empty.
// Error (command_line::refusal): it is not one to three numbers, or a number no launch has.
std::optional<bm::block_dim> block_of(const std::string& text);
std::optional<bm::grid_dim> grid_of(const std::string& text);
// The blocks of a cluster along x, y and z.
std::optional<std::array<int, 3>> cluster_of(const std::string& text);

// The values of --arg by name: those of a kernel file, which has no types.
// Error (command_line::refusal): one is no integer, or is given twice.
std::map<std::string, long long> numbers_of(const std::vector<std::string>& arguments);

// Returns the launch that --block, --grid, --at, --arg, --data, --assume and --dynamic-bytes
// describe. What is not given is taken from the file's launch of this kernel, as far as it is known
// there (the grid only with its block), and `note` says so: "launched as in line 14: grid 4x4,
// n=1024". A block that the code requires needs no option.
// Error (command_line::refusal): an option is not as --help says; an argument's value does not fit
// its type; an argument or a line is given twice; a file of --data cannot be read; the block is not
// the required one. A block that nobody gives is launch::unknown_block.
launch launch_of(const question& asked, const kernel_code& kernel,
                 const std::vector<found_launch>& launches, std::string* note = nullptr);

}  // namespace compiled
