// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAIN_HPP
#define BANKMODEL_EXPLAIN_HPP

#include <bankmodel/report/explanation.hpp>
#include <bankmodel/report/traffic_explanation.hpp>

#endif
