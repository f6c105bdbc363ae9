#!/usr/bin/env bash
# make sanitize: builds and runs the tests under the address and undefined-behaviour sanitizers, with leaks (in the tree
# of make fuzz), then those of threads under the thread sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

status=0
cmake --preset fuzz
cmake --build --preset fuzz -j "$jobs"
ctest --preset fuzz -j "$jobs" || status=$?
cmake --preset tsan
cmake --build --preset tsan -j "$jobs" --target runtime_{launch,pack,part,stress}_tests runtime_tests session_tests fault_tests
ctest --preset tsan -j "$jobs" || status=$?
exit "$status"
