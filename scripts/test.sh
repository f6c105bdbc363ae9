#!/usr/bin/env bash
# make test: configures, builds, runs every test and prints the counts. It builds in the tree of make demo, so the two
# share their builds.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

batches=()  # compile several files at once: half the time from scratch, but more after an edit
[[ -e build/release/CMakeCache.txt ]] || batches=(-DWARPTUNE_UNITY=ON)
libraries=()  # Debian's folder of libraries, one level deeper than lib: the tests unpack packages
if command -v dpkg-architecture >/dev/null; then
  libraries=(-DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)")
fi
cmake --preset release -DWARPTUNE_BUILD_TESTS=ON "${libraries[@]}" "${batches[@]}"
cmake --build --preset release -j "$jobs"
# More jobs than there are cores, because tests wait for time limits and other processes for a fifth of their time.
log=build/release/ctest.log
status=0
ctest --preset release -j "$((jobs + 2))" 2>&1 | tee "$log" || status=$?
# Repeat the counts below the lists of skipped and failed tests.
skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
grep -E '^[0-9]+% tests passed' "$log" |
  sed -E "s/^.*, ([0-9]+) tests failed out of ([0-9]+).*/\1 \2/" |
  while read -r failed total; do
    echo "$((total - failed - skipped)) tests passed, $failed tests failed out of $total ($skipped skipped)"
  done
exit "$status"
