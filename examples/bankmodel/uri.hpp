// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace command_line {

// A path as a URI: file:///home/a%20b.cu, or relative to the base if the path is relative.
std::string uri_of(const std::string& path);

// The path of such a URI; empty if it is none of a file on this machine.
std::string path_of_uri(const std::string& uri);

}  // namespace command_line
