#!/usr/bin/env bash
# make demo: the whole flow on a machine without a GPU. Sweeps that were recorded on an H200 are replayed through the same
# session code that tunes on a GPU; the winners go into a database, and the dispatcher is asked. Writes below build/ only.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset release >/dev/null
cmake --build --preset release -j "$(nproc)" --target warptune wt_runtime

work=build/demo
rm -rf "$work"
mkdir -p "$work"
export WARPTUNE_DB=$PWD/$work/demo.db
export WARPTUNE_RECORDINGS=$PWD/recordings

say() { printf '\n== %s\n' "$*"; }
warptune() {
  printf '\n$ warptune%s\n' "$(printf ' %q' "$@")"
  build/release/bin/warptune "$@"
}

say "What this machine has"
warptune doctor
say "Tuning: every configuration was compiled, verified and timed on the recorded GPU"
warptune tune softmax --shape rows=32768,cols=4096 --dtype bf16 --device replay
warptune tune sgemm --shape m=4096,n=4096,k=4096 --device replay
say "A tenth of the space instead of all of it"
warptune tune transpose --shape rows=16384,cols=16384 --dtype bf16 --device replay \
  --strategy random --budget 10% --seed 1
say "What is stored"
warptune show devices
warptune show best
say "What limits each of them, as a page"
warptune report -o "$work/report.html" --svg "$work/report.svg" --csv "$work/trials.csv"
say "What the dispatcher picks for a shape that was tuned"
warptune explain softmax --shape rows=32768,cols=4096 --dtype bf16 --device "NVIDIA H200"
say "... for a shape that never was"
warptune explain softmax --shape rows=20000,cols=5000 --dtype bf16 --device "NVIDIA H200"
say "... for a GPU that was never seen"
warptune explain softmax --shape rows=32768,cols=4096 --dtype bf16 --arch sm_80

say "The same from an application that links the installed library"
cmake --install build/release --prefix "$work/installed" >/dev/null
cmake -S examples/dispatch -B "$work/dispatch" -DCMAKE_PREFIX_PATH="$PWD/$work/installed" >/dev/null
cmake --build "$work/dispatch" >/dev/null
printf '\n$ dispatch demo.db 20000 5000\n'
"$work/dispatch/dispatch" "$WARPTUNE_DB" 20000 5000

say "Done. Open $PWD/$work/report.html. The database is $WARPTUNE_DB; try: WARPTUNE_DB=$WARPTUNE_DB build/release/bin/warptune show trials"
