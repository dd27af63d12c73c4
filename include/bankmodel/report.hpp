// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REPORT_HPP
#define BANKMODEL_REPORT_HPP

#include <bankmodel/report/text.hpp>

#endif
