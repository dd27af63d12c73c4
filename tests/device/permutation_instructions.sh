#!/usr/bin/env bash
# Compiles permutation_instructions.cu to PTX, default optimization, and counts the integer instructions of each kernel:
# they must equal the result of index_instructions(), which is a variable in the PTX. Called by ctest:
#   bash permutation_instructions.sh /usr/local/cuda/bin/nvcc ../../include /tmp/scratch
set -euo pipefail
nvcc=$1 include=$2 scratch=$3
here=$(dirname "$0")
ptx=$scratch/permutation_instructions.ptx

# As in tile_instructions.sh, without the address of the kernels' result, and with comparisons, which no loop has here.
integer='add|sub|mul|mul24|mad|mad24|sad|div|rem|abs|neg|min|max|popc|clz|bfind|brev|bfe|bfi|prmt|dp4a'
integer="$integer|and|or|xor|not|cnot|lop3|shl|shr|shf|cvt|setp|selp|slct"

mkdir -p "$scratch"
"$nvcc" -std=c++20 -Werror all-warnings -I"$include" -ptx -o "$ptx" "$here/permutation_instructions.cu"
awk -v integer="^($integer)[.]([a-z0-9:]+[.])*[subp](8|16|32|64|red)([.]|\$)" '
  / claim_/ {
    name = $0
    sub(/.* claim_/, "", name)
    value = name ~ /=/ ? name : "0"
    sub(/.*= */, "", value)
    sub(/[ ;].*/, "", name)
    claims[name] = value + 0
    next
  }
  /\.entry/ { kernel = $0; sub(/.*\.entry *(column|row)_/, "", kernel); sub(/\(.*/, "", kernel); kernels[kernel]++; next }
  { instruction = $1 ~ /^@/ ? $2 : $1; sub(/;$/, "", instruction) }
  instruction ~ integer { counted[kernel]++ }
  END {
    for (name in claims) {
      layouts++
      if (!kernels[name] || counted[name] + 0 != claims[name]) {
        printf "%s: %d instructions claimed, %d counted\n", name, claims[name], counted[name]
        failed = 1
      }
    }
    if (layouts < 100) { print "only " layouts + 0 " layouts found: has the form of PTX changed?"; failed = 1 }
    print layouts " layouts"
    exit failed
  }' "$ptx"
