#!/usr/bin/env bash
# Plants small wrong edits in a copy of the headers, one at a time; the test named beside each must then fail, by not
# compiling or by running to a failure. planted_bugs.sh COMPILER CATCH_MAIN_LIBRARY
set -u
compiler=$1 catch=$2
tests=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
survivors=0 planted=0

# plant TEST HEADER 'RIGHT' 'WRONG'
plant() {
  local test=$1 header=$2 right=$3 wrong=$4
  rm -rf "$work/include" && cp -r "$tests/../include" "$work/include"
  local file="$work/include/bankmodel/$header" text
  text=$(<"$file")
  if [[ "$text" != *"$right"* ]]; then
    echo "NOT PLANTED  $header has no longer: $right"
    survivors=$((survivors + 1))
    return
  fi
  printf '%s\n' "${text/"$right"/"$wrong"}" >"$file"
  planted=$((planted + 1))
  if "$compiler" -std=c++20 -O1 -w -I"$work/include" -I"$tests" -I"$tests/.." "$tests/$test.cpp" "$catch" -o "$work/test" 2>/dev/null &&
    BANKMODEL_CASES=20000 timeout 120 "$work/test" >/dev/null 2>&1; then
    echo "SURVIVED  $header: $right  ->  $wrong   ($test did not notice)"
    survivors=$((survivors + 1))
  else
    echo "noticed   $header: $wrong"
  fi
}

plant degree degree.hpp 'stride * (full - 1)' 'stride * full'
plant degree degree.hpp 'last < items_in_layer ? last :' ''
plant degree degree.hpp '(length - 1 - (' '(length - ('
plant degree degree.hpp 'a.stride > 0 ? a.offset : a.offset + a.stride * (lanes - 1)' 'a.offset'
plant degree geometry.hpp 'detail::trailing_zeros(static_cast<std::uint64_t>(N))' 'detail::trailing_zeros(static_cast<std::uint64_t>(W))'
plant request wavefronts.hpp 'layer < lowest[bank]' 'layer <= lowest[bank]'
plant request request.hpp 'lanes_pair_up(r, m.lanes, 1) || lanes_pair_up(r, m.lanes, 2)' 'lanes_pair_up(r, m.lanes, 1)'
plant request machine.hpp 'return {parity_1, parity_2, 0};' 'return {parity_0, parity_1, 0};'
plant generated counting/residues.hpp 'banks_.W == banks_.N ? banks_.N' 'banks_.W == banks_.N ? 1'
plant generated counting/residues.hpp 'behind[(row + 1) % rows][stay]' 'behind[row][stay]'
plant small_domains counting/residues.hpp 'if (at >= length - rest)' 'if (at > length - rest)'
plant generated counting/structure.hpp 'if ((both & warps.in_warps) != 0) apart_in_block = false;' ''
plant generated counting/structure.hpp '(op == operation::multiply && (left == 0 || right == 0))' 'op == operation::multiply'
plant generated counting/structure.hpp 'if (block.y % rows == 0)' 'if (block.y >= rows)'
plant generated counting/walk.hpp 'if (!nest_.warps_alike) known_ = 0;' ''
plant generated counting/nest.hpp 'last_lanes == lanes &&' ''
plant generated counting/nest.hpp 'in_lockstep |= bit;' ''
plant generated counting/walk.hpp 'if (trip > 0) value[lane]' 'value[lane]'
plant total counting/addresses.hpp 'end = checked_add(end, checked_multiply(by, trips - 1));' 'end = checked_multiply(by, trips - 1);'
plant generated counting/addresses.hpp 'relative[lane] = (differ ? relative[lane] : 0)' 'relative[lane] = 0'
plant generated counting/evaluate.hpp 'const bool decided = op == operation::skip_if_true;' 'const bool decided = false;'
plant generated counting/evaluate.hpp 'a <= b' 'a < b'
plant generated counting/warp.hpp 'thread / block_.x % block_.y' 'thread / block_.x'

echo "$planted planted, $survivors not noticed"
[ "$survivors" -eq 0 ]
