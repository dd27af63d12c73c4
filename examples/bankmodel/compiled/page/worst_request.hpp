// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "page.hpp"

namespace compiled {

// The worst request of an access, in the member of its memory: that with the highest degree, or
// with the most transactions beyond its ideal. Nothing if no request is known.
std::optional<explained_access> worst_request_of(const page& kernel_page,
                                                 const priced_access& entry);

// ", "worst": {..}" of an access that takes more than its ideal; else empty.
std::string json_of_worst(const page& kernel_page, const priced_access& entry);

}  // namespace compiled
