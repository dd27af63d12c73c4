// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXPLAIN_HPP
#define BANKMODEL_EXPLAIN_HPP

#include <bankmodel/explain/explanation.hpp>
#include <bankmodel/explain/traffic_explanation.hpp>

#endif
