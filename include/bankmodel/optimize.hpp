// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_OPTIMIZE_HPP
#define BANKMODEL_OPTIMIZE_HPP

#include <bankmodel/search/expect_complete.hpp>
#include <bankmodel/search/optimizer.hpp>

#endif
