#!/usr/bin/env bash
# Plants every wrong edit, of the headers and of the command line's files: each must be noticed by its test. (Of these ctest
# draws four.) It builds what it needs in build/planted, with g++ and without sanitizers.
#   every_planted_bug.sh [NAME]      NAME: only files whose name contains it
set -eu
cd "$(dirname "$0")/../.."
cmake -S . -B build/planted -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=g++ -DBANKMODEL_BUILD_TESTS=ON -DBANKMODEL_BUILD_EXAMPLES=OFF \
  -DBANKMODEL_BUILD_BENCHMARKS=OFF -DBANKMODEL_SANITIZE=OFF
cmake --build build/planted -j"$(nproc)" --target planted_programs
code=0
echo "== the headers"
bash tests/house/planted_bugs.sh g++ build/planted/tests/libcatch_main.a "$@" || code=1
echo "== the command line"
bash tests/house/planted_program_bugs.sh g++ build/planted/tests/planted "$@" || code=1
exit $code
