# What the consumer tests share; sourced with the work folder in $work. Its trees: root (all packages), bare (the runtime
# package alone), archive (the .tar.gz files in one folder).
set -euo pipefail

expect() { # <text> <command...>: ends in 0 and prints the text
  local output
  output=$("${@:2}") || { echo "failed: ${*:2}" >&2; return 1; }
  echo "$output"
  grep -qF -- "$1" <<<"$output" || { echo "no '$1' in what this printed: ${*:2}" >&2; return 1; }
}

# The folder of a tree that holds the library.
libdir_of() { dirname "$(find "$1" -name 'libwarptune.so.0' | head -n 1)"; }
