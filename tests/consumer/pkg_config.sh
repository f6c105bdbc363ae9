#!/usr/bin/env bash
# pkg_config.sh <work folder>: builds a C program by hand with pkg-config, and runs it with only the runtime package.
work=$1
source "$(dirname "$0")/support.sh"
command -v pkg-config >/dev/null || { echo "needs pkg-config"; exit 77; }

export PKG_CONFIG_PATH=$(libdir_of "$work/root")/pkgconfig
pkg-config --atleast-version 0.1 warptune
read -ra flags <<<"$(pkg-config --cflags --libs warptune)"
gcc -std=c11 -Wall -Wextra -Werror "$work/root/usr/share/warptune/examples/c/main.c" "${flags[@]}" -o "$work/by_hand"

# No rpath: the loader finds the library as it would in /usr/lib.
LD_LIBRARY_PATH=$(libdir_of "$work/bare") expect "match: exact" "$work/by_hand" "$work/ops.db" softmax rows=32768,cols=4096 bf16
if LD_LIBRARY_PATH=$work "$work/by_hand" "$work/ops.db" softmax rows=1,cols=1 2>/dev/null; then
  echo "the program found a library that is not in the runtime package"
  exit 1
fi
