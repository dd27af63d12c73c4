// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_PROFILE_HPP
#define BANKMODEL_PROFILE_HPP

#include <bankmodel/host/profile/comparison.hpp>

#endif
