// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_REORGANIZE_HPP
#define BANKMODEL_REORGANIZE_HPP

#include <bankmodel/reorganize/block_tables.hpp>
#include <bankmodel/reorganize/duplication.hpp>
#include <bankmodel/reorganize/padding.hpp>
#include <bankmodel/reorganize/repositioning.hpp>
#include <bankmodel/reorganize/thread_swapping.hpp>

#endif
