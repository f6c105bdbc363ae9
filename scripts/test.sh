#!/usr/bin/env bash
# make test: configures, builds, runs every test and prints the counts. It builds in the tree of make demo, so that each of
# them uses what the other has built.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

batches=()  # of several files: half the work where nothing is built yet, and more after an edit
[[ -e build/release/CMakeCache.txt ]] || batches=(-DWARPTUNE_UNITY=ON)
libraries=() # where Debian's packages have them, one folder deeper than lib: the tests unpack packages
if command -v dpkg-architecture >/dev/null; then
  libraries=(-DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)")
fi
cmake --preset release -DWARPTUNE_BUILD_TESTS=ON "${libraries[@]}" "${batches[@]}"
cmake --build --preset release -j "$jobs"
# One more than the cores: for a fifth of their time, tests wait for time limits and other processes.
log=build/release/ctest.log
status=0
ctest --preset release -j "$((jobs + 1))" 2>&1 | tee "$log" || status=$?
# The counts again, below the lists of skipped and failed tests.
skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
grep -E '^[0-9]+% tests passed' "$log" |
  sed -E "s/^.*, ([0-9]+) tests failed out of ([0-9]+).*/\1 \2/" |
  while read -r failed total; do
    echo "$((total - failed - skipped)) tests passed, $failed tests failed out of $total ($skipped skipped)"
  done
exit "$status"
