#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# measure.sh [OUT]: measures this machine's first GPU and compares it with the model. OUT is ../measured/<device>.csv; the sectors of
# global memory are written beside it to <device>_global.csv, the plans of the 13 kernels to <device>_plans.csv (plans.sh).
# Environment: NVCC, NCU, CXX and TOOL (bankmodel, for the plans) are the programs if they are not in the PATH; WITHOUT_SOURCE=1 skips the slower of the two
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
"$nvcc" -std=c++20 -O2 -arch=native -I"$here/../../include" -o "$work/measure_global" "$here/measure_global.cu"
for program in compare compare_global; do
  "$cxx" -std=c++20 -O2 -I"$here/../../include" -o "$work/$program" "$here/$program.cpp"
done

driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader --id=0 2>/dev/null || true)
profiler=$("$ncu" --version 2>/dev/null | sed -n 's/^Version /, ncu /p' || true)
options=(--command "${WITHOUT_SOURCE:+WITHOUT_SOURCE=1 }tests/hardware/measure.sh$profiler")
[ -z "$driver" ] || options+=(--driver "$driver")
echo "timing every pattern"
"$work/measure" clocks "$work/timed.csv" "${options[@]}"
result=$work/timed.csv

# The counters NAMES that this GPU has, separated by commas: ncu --query-metrics lists them without .sum.
counters() {
  local listed chosen="" counter
  listed=$("$ncu" --query-metrics 2>/dev/null || true)
  for counter in "$@"; do
    if [ -z "$listed" ] || grep -qw -- "${counter%.sum}" <<<"$listed"; then chosen+="${chosen:+,}$counter"; fi
  done
  echo "$chosen"
}

# profile METRICS LOG PROGRAM..: runs a program under ncu.
profile() {
  "$ncu" --csv --page details --print-units base --clock-control none --cache-control none --metrics "$1" --log-file "$2" "${@:3}"
}

# count METRICS: every launch under ncu, joined with the timed ones.
count() {
  echo "counting $1: several thousand launches, some minutes"
  profile "$1" "$work/profile.csv" "$work/measure" counters "$work/launches.csv" &&
    "$work/compare" join "$work/timed.csv" "$work/launches.csv" "$work/profile.csv" "$work/joined.csv"
}

if ! command -v "$ncu" >/dev/null; then
  loudly "there is no ncu, so the hardware's counters are NOT read and the file holds clock cycles only." \
         "Install Nsight Compute (package nsight-compute, part of the CUDA toolkit), or set NCU, and run this again."
else
  chosen=$(counters l1tex__data_pipe_lsu_wavefronts_mem_shared.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum)
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

# Sectors of global memory: only a counter can tell them.
global=${out%.csv}_global.csv
if [ "$result" != "$work/joined.csv" ]; then
  loudly "without the hardware's counters the sectors of global memory are NOT measured, and $global is not written"
else
  mapfile -t names < <("$work/compare_global" metrics)
  echo "counting the sectors of global memory: several thousand launches, some minutes"
  if profile "$(counters "${names[@]}")" "$work/global_profile.csv" "$work/measure_global" "$work/global_launches.csv" &&
    "$work/compare_global" join "$work/timed.csv" "$work/global_launches.csv" "$work/global_profile.csv" "$global"; then
    echo "written: $global"
    of_global=0
    "$work/compare_global" "$global" || of_global=$?
    [ $status -ne 0 ] || status=$of_global
  else
    loudly "the sectors of global memory were NOT counted, and $global is not written; ncu's output is $work/global_profile.csv"
    status=2
  fi
fi

# Exit code 3: there is no bankmodel, which plans.sh says.
of_plans=0
NVCC=$nvcc NCU=$ncu CXX=$cxx WORK=$work "$here/plans.sh" "$work/timed.csv" "${out%.csv}_plans.csv" || of_plans=$?
[ $status -ne 0 ] || [ $of_plans -eq 3 ] || status=$of_plans

[ $status -ne 1 ] || loudly "this GPU does not do what the model says. That is worth more than agreement: please send the file all the more."
exit $status
