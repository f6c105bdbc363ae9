#!/usr/bin/env bash
# run_python_gpu_tests.sh [--bench] [unittest argument...]: run it in the tree of make dist, on a machine with a GPU and
# torch. It builds the Python package against that tree with this machine's Python (which needs pybind11, CMake and a
# C++ compiler, but no network), and runs the package's GPU tests, or with --bench its benchmark.
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
exec "$python" -m unittest discover -v -p 'test_*.py'
