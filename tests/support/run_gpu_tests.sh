#!/usr/bin/env bash
# Runs the GPU tests beside this script (the tests/ folder of make dist) on this machine's GPU and counts them. It fails
# on a machine without a usable GPU, unless WARPTUNE_REQUIRE_GPU=0. Arguments are passed to each program
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
  # A program that ended without its summary counts as one failure.
  ((status != 0 && ${bad:-0} == 0)) && bad=1
  good=$(count PASSED) some=$(count SKIPPED)
  passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-0})) skipped=$((skipped + ${some:-0}))
}

for program in ./*; do
  [[ -f $program && -x $program && $program != *.sh ]] || continue
  programs=$((programs + 1))
  echo "== ${program#./}"
  mapfile -t tests < <(names "$program" "$@")
  ((${#tests[@]} > 0)) || run "$program" "$@"  # it says why it has no tests
  # One process per suite, because a fault of an examined kernel destroys the device context for all later tests, and
  # CUPTI observes everything that a process loads. CUPTI counts instructions only once in a process, so these tests
  # have a process each.
  alone='CountedKernel|SassCounterTest|PlantedTest'
  [[ $* == *--gtest_filter* ]] && alone=  # whole suites would run more tests than the filter asks for
  mapfile -t parts < <(printf '%s\n' "${tests[@]}" | sed -E "/^.*($alone)\./!s/\.[^.]*\$/.*/" | uniq)
  for part in "${parts[@]}"; do run "$program" "$@" --gtest_filter="$part"; done
done

echo "$passed tests passed, $failed tests failed, $skipped skipped in $programs programs"
((programs > 0 && failed == 0))
