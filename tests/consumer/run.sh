#!/usr/bin/env bash
# run.sh <build folder> <work folder> <sample_db>: installs the build, moves the tree (it must not know where it lay),
# builds the examples as outside projects against it, each on its own, and runs them on a sample database.
set -euo pipefail
build=$1 work=$2 sample_db=$3

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
examples=$work/moved/share/warptune/examples
"$sample_db" "$work/ops.db"

build_example() { # <name> [cmake option...]
  cmake -S "$examples/$1" -B "$work/$1" -DCMAKE_PREFIX_PATH="$work/moved" "${@:2}" >/dev/null
  cmake --build "$work/$1"
}
expect() { # <text> <command...>: ends in 0 and prints the text
  local output
  output=$("${@:2}")
  echo "$output"
  grep -qF -- "$1" <<<"$output"
}

build_example c -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror"
expect "match: exact" "$work/c/explain" "$work/ops.db" softmax rows=32768,cols=4096 bf16
expect "match: nearest shape" "$work/c/explain" "$work/ops.db" softmax rows=30000,cols=4096 bf16
expect "match: default" "$work/c/explain" "$work/ops.db" softmax rows=32768,cols=4096 fp32 sm_80
status=0
"$work/c/explain" "$work/absent.db" softmax rows=1,cols=1 || status=$?
((status == 5))

build_example dispatch -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
expect "tuned for exactly this problem" "$work/dispatch/dispatch" "$work/ops.db"
expect "nearest shape" "$work/dispatch/dispatch" "$work/ops.db" 1000 4096

# Without a GPU both say so and end well.
for name in graph_capture server; do
  build_example "$name" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
  [[ -e /dev/nvidiactl ]] || expect "no CUDA device here" "$work/$name/$name" "$work/ops.db"
done
