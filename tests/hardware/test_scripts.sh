#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# test_scripts.sh SIMULATED_GPU BUILD SCRATCH: measure.sh and plans.sh from begin to end without a GPU. nvcc, ncu, the compiler and
# bankmodel are scripts that pass on to SIMULATED_GPU, or copy the programs that are already in BUILD.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
simulated=$1 build=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch/bin"
failed=0

program() {
  { printf '#!/usr/bin/env bash\nset -euo pipefail\nsimulated=%q build=%q\n' "$simulated" "$build"; cat; } >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}
program nvcc <<'END'
out="" source=${!#}
while [ $# -gt 0 ]; do [ "$1" != -o ] || out=$2; [ "$1" != -cubin ] || { source=none; }; shift; done
name=$(basename "$source" .cu)
printf '#!/usr/bin/env bash\nexec %q %q "$@"\n' "$simulated" "$name" >"$out"
chmod +x "$out"
END
program c++ <<'END'
while [ $# -gt 0 ]; do [ "$1" != -o ] || cp "$build/hardware_$(basename "$2")" "$2"; shift; done
END
program ncu <<'END'
case $1 in
  --version) echo "Version 2025.3.0"; exit ;;
  --query-metrics) echo l1tex__data_pipe_lsu_wavefronts_mem_shared; "$build/hardware_compare_global" metrics | sed 's/\.sum$//'; exit ;;
esac
log=""
while [ "${1#-}" != "$1" ]; do case $1 in --csv) shift ;; --log-file) log=$2; shift 2 ;; *) shift 2 ;; esac; done
"$@"
"$simulated" profile "${!#}" "$log"
END
program bankmodel <<'END'
case "$*" in
  *shfl_vertical_shfl.cu*--fix*) echo "bankmodel: error: --fix: the plan changes subscripts, too" >&2; exit 2 ;;
  *--fix*) echo "bankmodel: $1: written: tile declared as tile[16][18]" >&2; sed -i 's/SPDX/planned/' "$1" ;;
  *--json*) echo "      \"issued\": {\"requests\": 8, \"wavefronts\": $(grep -q planned "$1" && echo 24 || echo 72), \"ideal\": 8}" ;;
esac
END
program without_clang <<<'exit 2'
export NVCC=$scratch/bin/nvcc NCU=$scratch/bin/ncu CXX=$scratch/bin/c++ TOOL=$scratch/bin/bankmodel

# is NAME EXIT_CODE FILES TEXT..: runs measure.sh; its exit code, the files that it wrote, and lines of its output.
is() {
  local name=$1 code=$2 files=$3 got=0 out=$scratch/$1 text
  shift 3
  mkdir -p "$out/work"
  WORK=$out/work "$here/measure.sh" "$out/gpu.csv" >"$out/output" 2>&1 || got=$?
  [ "$got" = "$code" ] || { echo "$name: exit code $got instead of $code"; failed=1; }
  text=$(cd "$out" && echo *.csv)
  [ "$text" = "$files" ] || { echo "$name: wrote $text instead of $files"; failed=1; }
  for text in "$@"; do
    grep -qF -- "$text" "$out/output" || { echo "$name: no \"$text\""; failed=1; }
  done
  [ $failed = 0 ] || { cat "$out/output"; exit 1; }
  echo "$name: as expected"
}
all="gpu.csv gpu_global.csv gpu_plans.csv"
is right 0 "$all" "4711 patterns judged, 0 disagreements; for 99 the record says a range" "3342 patterns judged, 0 disagreements" \
  "12 planned, geometric mean of the ratios 2.000; 0 differ" "shfl_vertical_shfl: --fix: the plan changes subscripts, too"
WRONG=shared is wrong_shared 1 "$all" "phases of stores of 8 and 16 bytes merge: in pairs, UNLIKE THE RECORD" "please send the file"
WRONG=global is wrong_global 1 "$all" "atomics on one word are counted: for each lane, UNLIKE THE RECORD" "please send the file"
WRONG=plans is wrong_plans 1 "$all" "12 differ from their prediction" "please send the file"
NCU=$scratch/none is without_ncu 0 "gpu.csv gpu_plans.csv" "there is no ncu" "sectors of global memory are NOT measured" \
  "wavefronts of the 13 kernels are NOT counted" "us, ratio 2.000; not counted"
TOOL=$scratch/bin/without_clang is without_tool 0 "gpu.csv gpu_global.csv" "cannot read CUDA source" "13 kernels are NOT timed"
NVCC=$scratch/none is without_nvcc 2 "*.csv" "there is no nvcc"
