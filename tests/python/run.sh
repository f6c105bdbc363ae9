#!/usr/bin/env bash
# run.sh <build folder> <work folder> <packages> <sample_db> <blend_db> <fake libcuda>: builds the wheel offline from an
# installed build, installs it into a new virtual environment and runs the tests of this folder there. <packages>: the
# unpacked packages, which must contain everything that building the wheel needs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 work=$2 packages=$3 sample_db=$4 blend_db=$5 fake_cuda=$6

python=
for candidate in ${WARPTUNE_PYTHON:-/usr/bin/python3 python3}; do
  if "$candidate" -c 'from importlib.util import find_spec
raise SystemExit(not all(map(find_spec, ("pip", "pybind11", "setuptools", "venv", "wheel"))))'; then
    python=$candidate
    break
  fi
done
if [[ -z $python ]]; then
  echo "no Python with pip, venv, setuptools, wheel and pybind11 here (Debian: scripts/setup.sh installs them)"
  exit 77
fi

rm -rf "$work"
mkdir -p "$work"
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH
export CMAKE_TOOLCHAIN_FILE=$here/../support/quick_release.cmake
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
cmake --install "$build" --prefix "$work/prefix" >/dev/null
diff -r "$work/prefix/include" "$packages/usr/include"
for folder in cmake pkgconfig; do
  diff -r "$(find "$work/prefix" -type d -name $folder)" "$(find "$packages/usr" -type d -name $folder)"
done
cp -r "$here/../../python" "$work/source"  # pip writes beside the sources, so build from a copy
WARPTUNE_PREFIX=$work/prefix "$python" -m pip wheel --quiet --no-build-isolation --no-deps -w "$work" "$work/source"
rm -rf "$work/prefix"  # the wheel must contain all that it needs

"$python" -m venv --without-pip "$work/venv"
"$python" -m pip --python "$work/venv/bin/python" install --quiet --no-deps "$work"/warptune-*.whl

"$sample_db" "$work/sample.db"
"$blend_db" "$work/blend.db" "$work/groups.db" "$work/mix.db"
cd "$work"
env -u WARPTUNE_DB -u WARPTUNE_MISSES -u WARPTUNE_TEMPLATES XDG_DATA_HOME="$work/data" XDG_CACHE_HOME="$work/cache" \
  WT_SAMPLE_DB="$work/sample.db" WT_BLEND_DB="$work/blend.db" WT_GROUPS_DB="$work/groups.db" \
  WT_MIX_DB="$work/mix.db" WARPTUNE_LIBCUDA="$fake_cuda" \
  "$work/venv/bin/python" -m unittest discover -s "$here" -t "$here"
"$work/venv/bin/python" "$here/../../examples/python/dispatch.py" "$work/sample.db" | grep -F "tuned for exactly this problem"
