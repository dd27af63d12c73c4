// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_ANALYZE_HPP
#define BANKMODEL_ANALYZE_HPP

#include <bankmodel/core/constant.hpp>
#include <bankmodel/count/guard.hpp>
#include <bankmodel/count/total.hpp>
#include <bankmodel/kernel/access.hpp>
#include <bankmodel/kernel/kernel.hpp>
#include <bankmodel/model/degree.hpp>
#include <bankmodel/model/wavefronts.hpp>

#endif
