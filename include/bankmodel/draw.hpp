// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_DRAW_HPP
#define BANKMODEL_DRAW_HPP

#include <bankmodel/host/draw/picture.hpp>

#endif
