#!/usr/bin/env bash
# tidy.sh <build folder> [file or folder...]: clang-tidy over the host sources (all without names), with the compile
# commands of a configured build. Ends in 77 where clang-tidy 14 is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || { echo "tidy: needs clang-tidy 14"; exit 77; }
"$tidy" --version | grep -q 'version 14\.' || { echo "tidy: needs clang-tidy 14"; exit 77; }

(($# > 0)) || set -- src search profiler db cli
mapfile -t files < <(find "$@" -name '*.cpp' | sort)
echo "clang-tidy: ${#files[@]} files"
((${#files[@]} > 0)) || exit 0
# clang does not read what g++ precompiled; every file includes what it needs.
mkdir -p "$build/tidy"
sed -E 's/ -include [^ ]*cmake_pch\.hxx//; s/ -Winvalid-pch| -fpch-preprocess//g' "$build/compile_commands.json" \
  >"$build/tidy/compile_commands.json"
# g++'s own warning flags are unknown to clang, which is no finding.
printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -n 1 "$tidy" --quiet -p "$build/tidy" --extra-arg=-Wno-unknown-warning-option
