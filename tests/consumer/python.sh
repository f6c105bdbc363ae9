#!/usr/bin/env bash
# python.sh <work folder> <repository>: the Python package built offline against the packages, in a virtual environment.
work=$1 repository=$2
source "$(dirname "$0")/support.sh"
python=
for candidate in /usr/bin/python3 python3; do
  if "$candidate" -c 'from importlib.util import find_spec
raise SystemExit(not all(map(find_spec, ("pip", "pybind11", "setuptools", "venv", "wheel"))))'; then python=$candidate && break; fi
done
[[ -n $python ]] || { echo "needs Python with pip, venv, setuptools, wheel and pybind11"; exit 77; }

export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1
export CMAKE_TOOLCHAIN_FILE=$repository/tests/support/quick_release.cmake
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
rm -rf "$work/python"
mkdir "$work/python"
cp -r "$repository/python" "$work/python/source" # pip builds beside the sources
WARPTUNE_PREFIX=$work/root/usr "$python" -m pip wheel --quiet --no-build-isolation --no-deps -w "$work/python" "$work/python/source"
"$python" -m venv --without-pip "$work/python/venv"
"$python" -m pip --python "$work/python/venv/bin/python" install --quiet --no-deps "$work"/python/warptune-*.whl
cd "$work/python"
expect "tuned for exactly this problem" venv/bin/python "$repository/examples/python/dispatch.py" "$work/ops.db"
