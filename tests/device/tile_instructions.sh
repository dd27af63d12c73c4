#!/usr/bin/env bash
# Compiles tile_instructions.cu to PTX, default optimization, and compares each kernel with a tile with the same one
# written by hand: neither more integer instructions nor more shared memory instructions. Called by ctest:
#   bash tile_instructions.sh /usr/local/cuda/bin/nvcc ../../include /tmp/scratch
set -euo pipefail
nvcc=$1 include=$2 scratch=$3
here=$(dirname "$0")
ptx=$scratch/tile_instructions.ptx

# Integer arithmetic: instructions with an integer type, also address conversions, but neither copies between registers (mov),
# which vanish, nor comparisons (setp), which belong to loops.
integer='add|sub|mul|mul24|mad|mad24|sad|div|rem|abs|neg|min|max|popc|clz|bfind|brev|bfe|bfi|prmt|dp4a'
integer="$integer|and|or|xor|not|cnot|lop3|shl|shr|shf|cvt|cvta"

mkdir -p "$scratch"
"$nvcc" -std=c++20 -Werror all-warnings -I"$include" -ptx -o "$ptx" "$here/tile_instructions.cu"
awk -v integer="^($integer)[.]([a-z0-9:]+[.])*[sub](8|16|32|64)([.]|\$)" '
  /\.entry/ { kernel = $0; sub(/.*\.entry */, "", kernel); sub(/\(.*/, "", kernel); next }
  { instruction = $1 ~ /^@/ ? $2 : $1; sub(/;$/, "", instruction) }
  instruction ~ integer { arithmetic[kernel]++ }
  instruction ~ /^(ld|st)\.shared/ { shared[kernel]++ }
  END {
    printf "%-12s %22s %26s\n", "", "integer instructions", "shared loads and stores"
    printf "%-12s %11s %10s %15s %10s\n", "kernel", "tile", "by hand", "tile", "by hand"
    for (kernel in arithmetic) {
      if (kernel !~ /_tile$/) continue
      name = substr(kernel, 1, length(kernel) - 5)
      by_hand = name "_by_hand"
      more = arithmetic[kernel] > arithmetic[by_hand] || shared[kernel] > shared[by_hand]
      printf "%-12s %11d %10d %15d %10d%s\n", name, arithmetic[kernel], arithmetic[by_hand], shared[kernel], shared[by_hand],
             more ? "  MORE" : ""
      pairs++
      if (more) failed = 1
    }
    if (pairs != 8) { print "8 pairs of kernels expected, " pairs + 0 " found"; failed = 1 }
    exit failed
  }' "$ptx"
