#!/usr/bin/env bash
# Runs the GPU tests beside this script (the tests/ folder of make dist) on this machine's GPU and counts them. It fails
# on a machine without a usable GPU, unless WARPTUNE_REQUIRE_GPU=0. Arguments are passed to each program
# (--gtest_filter=...). Tests that only compare results run side by side, WARPTUNE_GPU_TEST_LANES at a time (default: one
# for every four cores); the others measure, or need the whole GPU, and run alone.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
export WARPTUNE_REQUIRE_GPU=${WARPTUNE_REQUIRE_GPU:-1}
lanes=${WARPTUNE_GPU_TEST_LANES:-$(($(nproc) / 4))}
((lanes > 0)) || lanes=1

together_suites='(^|/)Templates\.'
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
passed=0 failed=0 skipped=0 programs=0
# Full names of the program's tests.
names() { "$@" --gtest_list_tests | awk '/^[^ ]/ { suite = $1 } /^  / { print suite $1 }'; }
count() { sed -nE "s/^\[  $1 *\] ([0-9]+) tests?.*/\1/p" "$2" | tail -n 1; }

# tally LOG STATUS: adds the tests of a program that has ended.
tally() {
  local log=$1 status=$2 bad good some
  bad=$(count FAILED "$log")
  # A program that ended without its summary counts as one failure.
  ((status != 0 && ${bad:-0} == 0)) && bad=1
  good=$(count PASSED "$log") some=$(count SKIPPED "$log")
  passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-0})) skipped=$((skipped + ${some:-0}))
}

run() {
  "$@" 2>&1 | tee "$logs/alone"
  tally "$logs/alone" "${PIPESTATUS[0]}"
}

# run_together PROGRAM [ARGUMENT]... -- FILTER...: a process for each filter; prints their outputs in order.
run_together() {
  local words=() i=0
  while [[ $1 != -- ]]; do words+=("$1"); shift; done
  shift
  for filter; do
    while (($(jobs -rp | wc -l) >= lanes)); do wait -n; done
    { rm -f "$logs/$i.status"; "${words[@]}" --gtest_filter="$filter" >"$logs/$i" 2>&1; echo $? >"$logs/$i.status"; } &
    i=$((i + 1))
  done
  wait
  for ((i = 0; i < $#; i++)); do
    cat "$logs/$i"
    tally "$logs/$i" "$(cat "$logs/$i.status" || echo 1)"
  done
}

for program in ./*; do
  [[ -f $program && -x $program && $program != *.sh ]] || continue
  programs=$((programs + 1))
  echo "== ${program#./}"
  mapfile -t tests < <(names "$program" "$@")
  if ((${#tests[@]} == 0)); then
    run "$program" "$@" # it says why it has no tests
    continue
  fi
  mapfile -t together < <(printf '%s\n' "${tests[@]}" | grep -E "$together_suites")
  ((${#together[@]} == 0)) || run_together "$program" "$@" -- "${together[@]}"
  # One process per suite, because a fault of an examined kernel destroys the device context for all later tests, and
  # CUPTI observes everything that a process loads. CUPTI counts instructions only once in a process, so these tests
  # have a process each.
  alone='CountedKernel|SassCounterTest|PlantedTest'
  [[ $* == *--gtest_filter* ]] && alone=  # whole suites would run more tests than the filter asks for
  mapfile -t parts < <(printf '%s\n' "${tests[@]}" | grep -vE "$together_suites" |
    sed -E "/^.*($alone)\./!s/\.[^.]*\$/.*/" | uniq)
  for part in "${parts[@]}"; do run "$program" "$@" --gtest_filter="$part"; done
done

echo "$passed tests passed, $failed tests failed, $skipped skipped in $programs programs"
((programs > 0 && failed == 0))
