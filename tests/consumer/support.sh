# Shared by the consumer tests; sourced with the work folder in $work. Its trees: root (all packages), bare (only the
# runtime package), archive (the .tar.gz files in one folder).
set -euo pipefail

expect() {  # <text> <command...>: exits with 0 and prints the text
  local output
  output=$("${@:2}") || { echo "failed: ${*:2}" >&2; return 1; }
  echo "$output"
  grep -qF -- "$1" <<<"$output" || { echo "no '$1' in what this printed: ${*:2}" >&2; return 1; }
}

# The folder in a tree that holds the library.
libdir_of() { dirname "$(find "$1" -name 'libwarptune.so.0' | head -n 1)"; }
