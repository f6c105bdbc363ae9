#!/usr/bin/env bash
# make sanitize: builds and runs the tests under the address and undefined-behaviour sanitizers, with leaks, then those
# of threads under the thread sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

status=0
for preset in asan tsan; do
  cmake --preset "$preset"
  cmake --build --preset "$preset" -j "$jobs"
  ctest --preset "$preset" -j "$jobs" || status=$?
done
exit "$status"
