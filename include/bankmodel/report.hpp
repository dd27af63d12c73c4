// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_HPP
#define BANKMODEL_REPORT_HPP

#include <bankmodel/report/code.hpp>
#include <bankmodel/report/explanation_text.hpp>
#include <bankmodel/report/joint_table.hpp>
#include <bankmodel/report/plan_text.hpp>
#include <bankmodel/report/text.hpp>
#include <bankmodel/report/traffic_text.hpp>

#endif
