#!/usr/bin/env bash
# tidy.sh <build folder> [file or folder...]: runs clang-tidy on host sources (default: all), with the compile commands
# of a configured build. Exits with 77 if clang-tidy 14 is missing.
# tidy.sh <build folder> --joined FOLDER: joins the files of a folder into one, so that clang parses and checks their
# headers once; without the static analyzer, which takes ten times as long as all other checks. If this finds anything,
# the files are checked one by one, which gives the lines of the findings.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || { echo "tidy: needs clang-tidy 14"; exit 77; }
"$tidy" --version | grep -q 'version 14\.' || { echo "tidy: needs clang-tidy 14"; exit 77; }
joined=
if [[ ${1:-} == --joined ]]; then
  joined=$build/tidy/joined.cpp
  shift
fi

(($# > 0)) || set -- src search profiler db cli
mapfile -t files < <(find "$@" -name '*.cpp' | sort)
echo "clang-tidy: ${#files[@]} files"
((${#files[@]} > 0)) || exit 0
# clang cannot read g++'s precompiled headers; every file includes what it needs.
mkdir -p "$build/tidy"
sed -E 's/ -include [^ ]*cmake_pch\.hxx//; s/ -Winvalid-pch| -fpch-preprocess| --param=[^ ]*//g' "$build/compile_commands.json" \
  >"$build/tidy/compile_commands.json"
# clang does not have g++'s own warning flags, which is not a finding.
check=("$tidy" --quiet -p "$build/tidy" --extra-arg=-Wno-unknown-warning-option)
if [[ $joined ]]; then
  cat "${files[@]}" >"$joined"
  python3 - "$build/tidy/compile_commands.json" "$1" "$joined" <<'EOF'
import json, os, sys
path, folder, joined = sys.argv[1:]
commands = json.load(open(path))
like = next(c for c in commands if f"/{folder}/" in c["file"])
command = like["command"].split(" -o ")[0] + " -c " + joined
json.dump(commands + [{"directory": like["directory"], "command": command, "file": joined}], open(path, "w"))
EOF
  # A name of one file may hide a name of another; builds check this within each file.
  if "${check[@]}" --config-file=.clang-tidy --checks=-clang-analyzer-* --extra-arg=-Wno-shadow "$joined"; then exit 0; fi
fi
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 "${check[@]}"
