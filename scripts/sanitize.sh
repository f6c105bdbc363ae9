#!/usr/bin/env bash
# make sanitize: builds the library, the command line and all CPU-only tests, and runs the tests under the address and
# undefined-behaviour sanitizers, with leak checks (in the tree of make fuzz), then those with threads under the thread
# sanitizer. docs/reliability.md, "Sanitizers", lists the exceptions and their reasons.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

# As in test.sh and demo.sh: compile in batches of files if nothing is built yet.
configure() {
  local batches=()
  [[ -e build/$1/CMakeCache.txt ]] || batches=(-DWARPTUNE_UNITY=ON -DWARPTUNE_PCH=ON)
  cmake --preset "$1" "${batches[@]}"
}

status=0
configure fuzz
cmake --build --preset fuzz -j "$jobs"
ctest --preset fuzz -j "$jobs" || status=$?
configure tsan
cmake --build --preset tsan -j "$jobs" --target warptune \
  runtime{,_launch,_library_call,_stress,_exit,_part}_tests {library_call,first_run}_tests \
  {unit,session,nvrtc,cli}_tests
ctest --preset tsan -j "$jobs" || status=$?
exit "$status"
