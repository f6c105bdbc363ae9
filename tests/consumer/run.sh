#!/usr/bin/env bash
# run.sh <build folder> <work folder> <compiler>: installs the build, moves the tree (it must not know where it lay),
# builds the outside project against it and starts both programs. A machine without a GPU is a case the example must
# explain; only a program that does not start or dies fails here.
set -euo pipefail
build=$1 work=$2 compiler=$3
consumer=$(cd "$(dirname "$0")" && pwd)

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"

cmake -S "$consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_CXX_COMPILER="$compiler" \
  -DWARPTUNE_EXAMPLES="$work/moved/share/warptune/examples"
cmake --build "$work/build"

"$work/build/version"
status=0
"$work/build/dispatch" || status=$?
echo "dispatch: exit code $status"
((status < 126))
