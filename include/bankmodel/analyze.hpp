// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_ANALYZE_HPP
#define BANKMODEL_ANALYZE_HPP

#include <bankmodel/constant.hpp>
#include <bankmodel/degree.hpp>
#include <bankmodel/expression.hpp>
#include <bankmodel/guard.hpp>
#include <bankmodel/kernel.hpp>
#include <bankmodel/total.hpp>
#include <bankmodel/wavefronts.hpp>

#endif
