// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_GLOBAL_HPP
#define BANKMODEL_GLOBAL_HPP

#include <bankmodel/global/block_stride.hpp>
#include <bankmodel/global/partition_camping.hpp>
#include <bankmodel/global/traffic.hpp>
#include <bankmodel/kernel/global_array.hpp>
#include <bankmodel/kernel/variables.hpp>

#endif
