// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_HPP
#define BANKMODEL_REPORT_HPP

#include <bankmodel/host/text/code.hpp>
#include <bankmodel/host/text/explanation_text.hpp>
#include <bankmodel/host/text/joint_table.hpp>
#include <bankmodel/host/text/plan_text.hpp>
#include <bankmodel/host/text/text.hpp>
#include <bankmodel/host/text/traffic_text.hpp>

#endif
