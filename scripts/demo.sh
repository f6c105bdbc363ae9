#!/usr/bin/env bash
# make demo: the whole flow on a machine without a GPU. It replays sweeps recorded on an H200 and an H100 through the
# session code that tunes on a GPU, stores the winners in a database, writes reports that show their limits, and asks
# the dispatcher. It only writes below build/.
set -euo pipefail
cd "$(dirname "$0")/.."

first=()  # the same batches as in test.sh, without targets that only tests need
[[ -e build/release/CMakeCache.txt ]] || first=(-DWARPTUNE_UNITY=ON -DWARPTUNE_BUILD_TESTS=OFF)
cmake --preset release "${first[@]}" >/dev/null
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
softmax=(softmax --shape rows=32768,cols=4096 --dtype bf16)
transpose=(transpose --shape rows=16384,cols=16384 --dtype bf16)

say "What this machine has"
warptune doctor
say "Tuning: every configuration was compiled, verified and timed on the recorded GPU"
warptune tune "${softmax[@]}" --device recorded --profile all
warptune tune sgemm --shape m=2048,n=2048,k=2048 --device recorded --profile all
say "A tenth of the space instead of all of it"
warptune tune "${transpose[@]}" --device recorded --profile all --strategy random --budget 10% --seed 1
say "The stored results"
warptune show devices
warptune show best

say "The roofs of the recorded GPU"
warptune roofs --device recorded
say "The sets of hardware counters that show what limits a kernel"
if ! warptune metrics; then
  echo "(needs CUPTI, which comes with the CUDA Toolkit)"
fi
say "What limits each kernel: an HTML page, an SVG picture and a CSV table"
warptune report -o "$work/report.html" --svg "$work/report.svg" --csv "$work/trials.csv"
say "The best of a tenth of the space against the best of the whole space: compare two databases"
warptune tune "${transpose[@]}" --device recorded --db "$work/whole.db" >/dev/null
warptune compare "$WARPTUNE_DB" "$work/whole.db" --kernel transpose

say "What an application launches for a tuned shape"
warptune explain "${softmax[@]}" --device "NVIDIA H100 80GB HBM3"
say "... for an untuned shape"
warptune explain softmax --shape rows=20000,cols=5000 --dtype bf16 --device "NVIDIA H100 80GB HBM3"
say "... for a GPU without results"
warptune explain "${softmax[@]}" --arch sm_80

say "13 matrix products in one sweep"
warptune sweep recorded --devices recorded

say "A pack for applications: the smallest set of configurations within 3 % of the best on every shape, as cubins"
if ! warptune pack --kernels gemm --programs 0 -o "$work/ops.wtpack"; then
  echo "(compiling needs NVRTC: a recording has times but no cubins)"
  warptune pack --kernels gemm --programs 0 -o "$work/ops.wtpack" --no-compile || echo "(without NVRTC the pack has no cubins)"
fi
warptune pack list "$work/ops.wtpack" || echo "(the cubins are missing)"
warptune explain gemm --shape m=64,n=4096,k=4096 --dtype bf16 --set layout=nt --db "$work/ops.wtpack" --device "NVIDIA H200"

say "The same choice, made by an application that links the installed library"
cmake --install build/release --prefix "$work/installed" >/dev/null
cmake -S examples/dispatch -B "$work/dispatch" -DCMAKE_PREFIX_PATH="$PWD/$work/installed" >/dev/null
cmake --build "$work/dispatch" >/dev/null
printf '\n$ dispatch demo.db 20000 5000\n'
"$work/dispatch/dispatch" "$WARPTUNE_DB" 20000 5000

grep -q '</html>' "$work/report.html" || { echo "demo: $work/report.html is incomplete" >&2; exit 1; }
say "Done"
cat <<END
The report    $PWD/$work/report.html (open it in a browser: one file, no network)
The database  $WARPTUNE_DB
Try           build/release/bin/warptune show trials --db $work/demo.db
END
