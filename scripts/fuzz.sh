#!/usr/bin/env bash
# make fuzz: runs every fuzz target for SECONDS, JOBS targets at a time, and prints the runs and coverage of each. New
# corpus files are kept in build/fuzz/corpus, failing inputs in build/fuzz/artifacts.
#   scripts/fuzz.sh SECONDS JOBS [TARGET...]     TARGET: pack, capi, ...; all without one
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1 jobs=$2
shift 2
if (($# == 0)); then
  for folder in tests/fuzz/corpus/*/; do set -- "$@" "$(basename "$folder")"; done
fi

cmake --preset fuzz
cmake --build --preset fuzz -j "$jobs" --target "${@/%/_fuzz}"

fuzz_one() {
  local target=$1 top=build/fuzz
  mkdir -p "$top/corpus/$target" "$top/artifacts/$target"
  "$top/tests/${target}_fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$top/artifacts/$target/" "$top/corpus/$target" "tests/fuzz/corpus/$target" &>"$top/$target.log" ||
    echo "$target failed: see $top/$target.log and $top/artifacts/$target"
}
export -f fuzz_one
export seconds
failed=$(printf '%s\n' "$@" | xargs -P "$jobs" -I{} bash -c 'fuzz_one {}')

printf '%-8s %12s %10s\n' target runs coverage
for target in "$@"; do
  log=build/fuzz/$target.log
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(grep -oE 'cov: [0-9]+' "$log" | tail -1 || true)
  printf '%-8s %12s %10s\n' "$target" "${runs:-?}" "${coverage#cov: }"
done
[[ -z $failed ]] || {
  echo "$failed" >&2
  exit 1
}
