#!/usr/bin/env bash
# make attack: repeats the attack of docs/reliability.md, about an hour on two cores with SCALE 1.
#   scripts/attack.sh SCALE JOBS [OPTION...]     options of tests/attack/attack.py: --only kills, --seed 7, ...
set -euo pipefail
cd "$(dirname "$0")/.."
scale=$1 jobs=$2
shift 2

cmake --preset release -DWARPTUNE_BUILD_TESTS=ON
cmake --build --preset release -j "$jobs" --target warptune wt_runtime runtime_stress_tests
{ cmake --preset tsan && cmake --build --preset tsan -j "$jobs" --target runtime_stress_tests; } ||
  echo "attack: the build with the thread sanitizer failed; continuing without that part" >&2
exec python3 -B tests/attack/attack.py --build build/release --scale "$scale" --jobs "$jobs" "$@"
