#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# plans.sh TIMED OUT: plans the 13 kernels of the demo, and times and counts each before and after. TIMED is the same device's file of
# measure.sh. plans.sh --compile sm_XX [KERNEL..] makes the programs and runs none.
# Environment: TOOL, NVCC, NCU and CXX are the programs if they are not in the PATH; WORK is the build folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cuda=$here/../../examples/cuda
work=${WORK:-$(mktemp -d)}
nvcc=${NVCC:-nvcc} ncu=${NCU:-ncu} cxx=${CXX:-c++} tool=${TOOL:-bankmodel}
export LC_ALL=C

# The kernels, and the numbers that their launch() takes, as arguments of bankmodel.
all=(stencil_3D_16x16_order8 needle_cuda_shared_1 copySharedMem transposeCoalesced transposeNoBankConflicts transposeDiagonal
  transposeFineGrained transposeCoarseGrained lud_diagonal lud_perimeter convolutionRowsKernel convolutionColumnsKernel shfl_vertical_shfl)
declare -A numbers=([needle_cuda_shared_1]=diagonal=8 [lud_diagonal]=offset=0 [lud_perimeter]=offset=0)
declare -A constants=([stencil_3D_16x16_order8]=coefficient [convolutionRowsKernel]=c_Kernel [convolutionColumnsKernel]=c_Kernel)

loudly() { printf '\n*** %s\n\n' "$*" >&2; }
missing() {
  loudly "$1, so the plans of the 13 kernels are NOT timed. apt-get install libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libclang-dev llvm-dev (Debian)," \
    "build the project's command line, and run this again with TOOL=.../bankmodel"
  exit 3
}
command -v "$nvcc" >/dev/null || { loudly "there is no nvcc; set NVCC=/usr/local/cuda/bin/nvcc"; exit 2; }
if ! command -v "$tool" >/dev/null; then
  command -v cmake >/dev/null || missing "there is no bankmodel, and no cmake to build it"
  echo "building bankmodel: some minutes"
  { cmake -S "$here/../.." -B "$work/tool" -DCMAKE_BUILD_TYPE=Release -DBANKMODEL_BUILD_TESTS=OFF -DBANKMODEL_BUILD_BENCHMARKS=OFF \
    -DBANKMODEL_BUILD_EXAMPLES=OFF -DBANKMODEL_BUILD_COMMAND_LINE=ON &&
    cmake --build "$work/tool" -j --target bankmodel_tool; } >"$work/tool.log" 2>&1 || missing "bankmodel cannot be built ($work/tool.log)"
  tool=$work/tool/bankmodel
fi
"$tool" "$cuda/copySharedMem.cu" --machine sm_90 --no-plan >/dev/null 2>&1 || missing "$tool cannot read CUDA source"

# plan KERNEL MACHINE: $work/KERNEL.cu as planned; sets outcome to "planned" or why there is no plan.
plan() {
  local argument=() log=$work/$1.txt
  [ -z "${numbers[$1]:-}" ] || argument=(--arg "${numbers[$1]}")
  cp "$cuda/$1.cu" "$work/$1.cu"
  outcome=planned
  if ! "$tool" "$work/$1.cu" --machine "$2" "${argument[@]}" --fix >"$log" 2>"$log.messages"; then
    outcome=$(sed -n 's/^bankmodel: error: //p' "$log.messages" | head -1)
  elif ! grep -q ': written: ' "$log.messages"; then
    outcome=$(sed -n 's/^bankmodel: note: --fix: //p' "$log.messages" | head -1)
  fi
  [ -n "$outcome" ] || { loudly "bankmodel $1.cu --fix failed: $(tail -3 "$log.messages")"; return 1; }
  outcome=${outcome//\"/\'}
}

# predict KERNEL SOURCE MACHINE: the wavefronts of a block, with the accesses that nvcc issues.
predict() {
  local argument=()
  [ -z "${numbers[$1]:-}" ] || argument=(--arg "${numbers[$1]}")
  "$nvcc" -std=c++20 -lineinfo -cubin -arch "$3" -o "$work/$1.cubin" "$2"
  "$tool" "$2" --machine "$3" "${argument[@]}" --cubin "$work/$1.cubin" --no-plan --json 2>"$work/$1.predicted" |
    sed -n 's/^ *"issued": {"requests": [0-9]*, "wavefronts": \([0-9]*\),.*/\1/p' >"$work/$1.wavefronts"
  [ "$(wc -l <"$work/$1.wavefronts")" = 1 ] || { loudly "bankmodel $2 --json has not one sum of wavefronts"; return 1; }
  cat "$work/$1.wavefronts"
}

# build KERNEL MACHINE: the program that times it.
build() {
  local constant=()
  [ -z "${constants[$1]:-}" ] || constant=("-DPLAN_CONSTANT=${constants[$1]}")
  "$nvcc" -std=c++20 -Werror all-warnings -arch "$2" -I"$here/../../include" "${constant[@]}" -DPLAN_ORIGINAL="\"$cuda/$1.cu\"" \
    -DPLAN_PLANNED="\"$work/$1.cu\"" -o "$work/$1" "$here/time_plan.cu"
}

if [ "${1:-}" = --compile ] && [ $# -ge 2 ]; then
  machine=$2
  shift 2
  [ $# -gt 0 ] || set -- "${all[@]}"
  for kernel in "$@"; do
    plan "$kernel" "$machine"
    before=$(predict "$kernel" "$cuda/$kernel.cu" "$machine")
    [ "$outcome" = planned ] || { echo "$kernel: no plan, $before wavefronts of a block: $outcome"; continue; }
    build "$kernel" "$machine"
    echo "$kernel: compiled, $before wavefronts of a block, planned $(predict "$kernel" "$work/$kernel.cu" "$machine")"
  done
  exit
fi
[ $# -eq 2 ] || { echo "plans.sh TIMED OUT, or plans.sh --compile sm_XX [KERNEL..]" >&2; exit 2; }
machine=sm_$(sed -n 's/^# compute capability: \([0-9]*\)\.\([0-9]\)$/\1\2/p' "$1")
"$cxx" -std=c++20 -O2 -I"$here/../../include" -o "$work/compare_plans" "$here/compare_plans.cpp"

metrics="" # the lists of metrics to try
if command -v "$ncu" >/dev/null; then
  metrics="$("$work/compare_plans" metrics | paste -sd, -) $("$work/compare_plans" metrics | head -1)"
else
  loudly "there is no ncu, so the wavefronts of the 13 kernels are NOT counted; their times are measured"
fi

# measure KERNEL: its times, and the counts of one launch before and after.
measure() {
  local number=${numbers[$1]:-} times counts=,,,, each
  times=$("$work/$1" time ${number:+"${number#*=}"}) || return 1
  for each in $metrics; do # the second without the source page
    if "$ncu" --csv --page details --print-units base --clock-control none --cache-control none --metrics "$each" \
      --log-file "$work/$1.csv" "$work/$1" count ${number:+"${number#*=}"} >/dev/null &&
      counts=$("$work/compare_plans" counted "$work/$1.csv"); then
      break
    fi
    counts=,,,,
  done
  [ -z "$metrics" ] || [ "$counts" != ,,,, ] || loudly "the wavefronts of $1 are NOT counted; ncu's output is $work/$1.csv"
  echo "${times/ /,},$counts"
}

rows=$work/plans.rows
: >"$rows"
for kernel in "${all[@]}"; do
  echo "planning, compiling and timing $kernel"
  plan "$kernel" "$machine"
  before=$(predict "$kernel" "$cuda/$kernel.cu" "$machine") after="" measured=,,,,,,
  if [ "$outcome" = planned ]; then
    after=$(predict "$kernel" "$work/$kernel.cu" "$machine")
    build "$kernel" "$machine"
    measured=$(measure "$kernel") || { loudly "$kernel failed, see above; no file is written"; exit 1; }
  fi
  printf '%s,"%s",%s,%s,%s\n' "$kernel" "$outcome" "$before" "$after" "$measured" >>"$rows"
done
{
  "$work/compare_plans" head "$1" "$(wc -l <"$rows")"
  cat "$rows"
} >"$2"
echo "written: $2"
"$work/compare_plans" "$2"
