// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_TILE_HPP
#define BANKMODEL_TILE_HPP

#include <bankmodel/layout/tile_storage.hpp>

#endif
