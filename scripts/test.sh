#!/usr/bin/env bash
# make test: configure, build, run every test; ends with the line that counts them.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

batches=()  # of several files: half the work where nothing is built yet, and more after an edit
[[ -e build/ci/CMakeCache.txt ]] || batches=(-DWARPTUNE_UNITY=ON)
cmake --preset ci "${batches[@]}"
cmake --build --preset ci -j "$jobs"
# One more than the cores: for a fifth of their time, tests wait for time limits and other processes.
log=build/ci/ctest.log
status=0
ctest --preset ci -j "$((jobs + 1))" 2>&1 | tee "$log" || status=$?
# The counts again, below the lists of skipped and failed tests.
skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
grep -E '^[0-9]+% tests passed' "$log" |
  sed -E "s/^.*, ([0-9]+) tests failed out of ([0-9]+).*/\1 \2/" |
  while read -r failed total; do
    echo "$((total - failed - skipped)) tests passed, $failed tests failed out of $total ($skipped skipped)"
  done
exit "$status"
