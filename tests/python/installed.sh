#!/usr/bin/env bash
# By hand: the package as pip installs it, and as a wheel in another environment, without the folder of the project.
#   bash tests/python/installed.sh [LIBRARY]      LIBRARY: a libbankmodel.so that is there; without it one is compiled
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# = 0 ] || export BANKMODEL_LIBRARY=$(realpath "$1")
cd "$work"
for name in installed from_wheel; do python3 -m venv "$name"; done
installed/bin/pip -q install "$source/examples/python"
installed/bin/pip -q wheel --no-deps -w wheels "$source/examples/python"
from_wheel/bin/pip -q install wheels/*.whl
unset BANKMODEL_LIBRARY
for name in installed from_wheel; do "$name/bin/python" "$source/tests/python/package.py" "$source"; done
ls -l wheels
