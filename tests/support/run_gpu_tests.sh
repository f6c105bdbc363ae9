#!/usr/bin/env bash
# Runs the GPU tests that lie beside this script (the tests/ folder of make dist) on this machine's GPU and counts them.
# A machine without a usable GPU is a failure, unless WARPTUNE_REQUIRE_GPU=0. Arguments go to each program
# (--gtest_filter=...).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
export WARPTUNE_REQUIRE_GPU=${WARPTUNE_REQUIRE_GPU:-1}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0 programs=0
# Full names of the program's tests.
names() { "$@" --gtest_list_tests | awk '/^[^ ]/ { suite = $1 } /^  / { print suite $1 }'; }
count() { sed -nE "s/^\[  $1 *\] ([0-9]+) tests?.*/\1/p" "$log" | tail -n 1; }

run() {
  "$@" 2>&1 | tee "$log"
  local status=${PIPESTATUS[0]} bad good some
  bad=$(count FAILED)
  # A program that died without its summary counts as one failure.
  ((status != 0 && ${bad:-0} == 0)) && bad=1
  good=$(count PASSED) some=$(count SKIPPED)
  passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-0})) skipped=$((skipped + ${some:-0}))
}

for program in ./*; do
  [[ -f $program && -x $program && $program != *.sh ]] || continue
  programs=$((programs + 1))
  echo "== ${program#./}"
  mapfile -t tests < <(names "$program" "$@")
  ((${#tests[@]} > 0)) || run "$program" "$@" # says why it has none
  # A process for each suite: a fault of an examined kernel would take the device from all tests after it, and CUPTI
  # watches all that a process loads. It counts instructions once in a process, so there each test has its own.
  alone='CountedKernel|SassCounterTest|PlantedTest'
  [[ $* == *--gtest_filter* ]] && alone= # a suite would be more than was asked for
  mapfile -t parts < <(printf '%s\n' "${tests[@]}" | sed -E "/^.*($alone)\./!s/\.[^.]*\$/.*/" | uniq)
  for part in "${parts[@]}"; do run "$program" "$@" --gtest_filter="$part"; done
done

echo "$passed tests passed, $failed tests failed, $skipped skipped in $programs programs"
((programs > 0 && failed == 0))
