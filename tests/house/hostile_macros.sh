#!/usr/bin/env bash
# Compiles all headers after hostile macros, with the standard library before the macros and after them.
#   hostile_macros.sh INCLUDE COMPILER [OPTION..]      BANKMODEL_ORDER=STANDARD_FIRST or =MACROS_FIRST: one of the two
set -eu
include=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$include" && find bankmodel -name '*.hpp' ! -name '*_macros.hpp' | sort) | sed 's|.*|#include <&>|' >"$work/every_header.hpp"
grep -rhoE '^#include <[a-z_]+>' "$include" | sort -u >"$work/every_standard_header.hpp"
for order in ${BANKMODEL_ORDER:-STANDARD_FIRST MACROS_FIRST}; do
  "$@" -std=c++20 -D$order -fsyntax-only -I"$include" -I"$work" "$here/hostile_macros.cpp"
done
echo "$(wc -l <"$work/every_header.hpp") headers after hostile macros: $*"
