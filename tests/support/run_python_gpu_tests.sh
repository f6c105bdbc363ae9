#!/usr/bin/env bash
# run_python_gpu_tests.sh [--bench] [unittest argument...]: run it in the tree of make dist, on a machine with a GPU and
# torch. It builds the Python package against that tree with this machine's Python (which needs pybind11, CMake and a
# C++ compiler, but no network), and runs the package's GPU tests, or with --bench its benchmark. Without arguments, the
# modules run side by side, WARPTUNE_GPU_TEST_LANES at a time (default: one for every four cores).
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source=$tree/share/warptune/python
python=${WARPTUNE_PYTHON:-python3}
work=${WARPTUNE_PYTHON_BUILD:-${TMPDIR:-/tmp}/warptune-python-$(id -u)}
export WARPTUNE_REQUIRE_GPU=${WARPTUNE_REQUIRE_GPU:-1} PYTHONDONTWRITEBYTECODE=1

mkdir -p "$work"
cmake -S "$source" -B "$work" -DCMAKE_PREFIX_PATH="$tree" -DPython_EXECUTABLE="$(command -v "$python")" \
  -DWARPTUNE_PYTHON_BENCH=ON >"$work/build.log" && cmake --build "$work" --parallel >>"$work/build.log" || {
  tail -n 40 "$work/build.log" >&2
  exit 1
}
export PYTHONPATH=$work/package
cd "$source/tests/gpu"
if [[ ${1:-} == --bench ]]; then
  exec "$python" bench_python.py --loop "$work/launch_loop.so" "${@:2}"
fi
if (($#)); then exec "$python" -m unittest -v "$@"; fi
lanes=${WARPTUNE_GPU_TEST_LANES:-$(($(nproc) / 4))}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
status=0
# run_modules N [MODULE]...: N at a time. Each one's output is printed when it has ended.
run_modules() {
  (($# > 1)) || return 0
  printf '%s\n' "${@:2}" | xargs -P "$1" -I{} bash -c \
    '"$1" -m unittest -v "${2%.py}" >"$3/$2" 2>&1; status=$?; cat "$3/$2"; exit $((status != 0))' _ "$python" {} "$logs" ||
    status=1
}
alone=() together=()
for module in test_*.py; do # test_first_run runs a whole sweep
  if [[ $module == test_first_run.py ]]; then alone+=("$module"); else together+=("$module"); fi
done
run_modules 1 "${alone[@]}"
run_modules $((lanes > 0 ? lanes : 1)) "${together[@]}"
awk '/^Ran [0-9]+ tests? in / { ran += $2; ended[FILENAME] = 1 } /^FAILED/ { failed[FILENAME] = 1 }
     END { for (i = 1; i < ARGC; i++) { name = ARGV[i]; sub(/.*\//, "", name)
             if (failed[ARGV[i]] || !ended[ARGV[i]]) bad = bad " " name }
           printf "%d modules, %d tests; failed:%s\n", ARGC - 1, ran, bad == "" ? " none" : bad }' "$logs"/*
exit "$status"
