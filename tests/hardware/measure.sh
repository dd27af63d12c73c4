#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# measure.sh [OUT]: measures this machine's first GPU and compares it with the model. OUT is ../measured/<device>.csv.
# Environment: NVCC, NCU and CXX are the programs if they are not in the PATH; WITHOUT_SOURCE=1 skips the slower of the two
# counts of Nsight Compute; WORK is the build folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${WORK:-$(mktemp -d)}
nvcc=${NVCC:-nvcc} ncu=${NCU:-ncu} cxx=${CXX:-c++}
export LC_ALL=C # or ncu writes 1.234,5

loudly() { printf '\n*** %s\n\n' "$*" >&2; }

command -v "$nvcc" >/dev/null || { loudly "there is no nvcc; install the CUDA toolkit, or set NVCC=/usr/local/cuda/bin/nvcc"; exit 2; }
echo "building in $work"
"$nvcc" -std=c++20 -O2 -arch=native -I"$here/../../include" -o "$work/measure" "$here/measure.cu"
"$cxx" -std=c++20 -O2 -I"$here/../../include" -o "$work/compare" "$here/compare.cpp"

driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader --id=0 2>/dev/null || true)
profiler=$("$ncu" --version 2>/dev/null | sed -n 's/^Version /, ncu /p' || true)
options=(--command "${WITHOUT_SOURCE:+WITHOUT_SOURCE=1 }tests/hardware/measure.sh$profiler")
[ -z "$driver" ] || options+=(--driver "$driver")
echo "timing every pattern"
"$work/measure" clocks "$work/timed.csv" "${options[@]}"
result=$work/timed.csv

# The counters that this GPU has: ncu --query-metrics lists them without .sum.
counters() {
  local listed chosen="" counter
  listed=$("$ncu" --query-metrics 2>/dev/null || true)
  for counter in l1tex__data_pipe_lsu_wavefronts_mem_shared l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts; do
    if [ -z "$listed" ] || grep -qw -- "$counter" <<<"$listed"; then chosen+="${chosen:+,}$counter.sum"; fi
  done
  echo "$chosen"
}

# count METRICS: every launch under ncu, joined with the timed ones.
count() {
  echo "counting $1: several thousand launches, some minutes"
  "$ncu" --csv --page details --print-units base --clock-control none --cache-control none --metrics "$1" \
    --log-file "$work/profile.csv" "$work/measure" counters "$work/launches.csv" &&
    "$work/compare" join "$work/timed.csv" "$work/launches.csv" "$work/profile.csv" "$work/joined.csv"
}

if ! command -v "$ncu" >/dev/null; then
  loudly "there is no ncu, so the hardware's counters are NOT read and the file holds clock cycles only." \
         "Install Nsight Compute (package nsight-compute, part of the CUDA toolkit), or set NCU, and run this again."
else
  chosen=$(counters)
  attempts=("$chosen,memory_l1_wavefronts_shared" "$chosen")
  [ -z "${WITHOUT_SOURCE:-}" ] || attempts=("$chosen")
  for metrics in "${attempts[@]}"; do
    if count "$metrics"; then
      result=$work/joined.csv
      break
    elif grep -q ERR_NVGPUCTRPERM "$work/profile.csv" 2>/dev/null; then
      loudly "this user may not read the GPU's counters. Run this as root: sudo env \"PATH=\$PATH\" $0" \
             "(or let everyone read them: https://developer.nvidia.com/ERR_NVGPUCTRPERM)"
      break
    fi
  done
  [ "$result" = "$work/joined.csv" ] ||
    loudly "the hardware's counters are NOT in the file, which holds clock cycles only; ncu's output is $work/profile.csv"
fi

if [ $# -gt 0 ]; then
  out=$1
else
  device=$(sed -n 's/^# device: //p' "$result" | tr -cs 'A-Za-z0-9\n' '_')
  mkdir -p "$here/../measured"
  out=$here/../measured/$device.csv
fi
cp "$result" "$out"
echo "written: $out"
status=0
"$work/compare" "$out" || status=$?
[ $status -ne 1 ] || loudly "this GPU does not do what the model says. That is worth more than agreement: please send the file all the more."
exit $status
