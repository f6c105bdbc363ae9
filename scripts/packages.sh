#!/usr/bin/env bash
# make packages: makes .deb (if dpkg-dev is installed) and .tar.gz files of the components runtime, dev and tools in
# dist/, from the build of make dist. The same commit gives the same bytes, because file times are the commit's.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

pack() {  # <generator> <cmake option...>: install paths are set at configuration, so nothing is compiled again
  cmake --preset dist "${@:2}" >/dev/null
  cmake --build --preset dist -j "$jobs" --target warptune wt_runtime
  cpack --config build/dist/CPackConfig.cmake -G "$1" -B dist >/dev/null
}
if command -v dpkg-shlibdeps >/dev/null && command -v file >/dev/null; then
  pack DEB -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)"
else
  echo "packages: .deb skipped, because dpkg-dev or file is not installed" >&2
fi
pack TGZ
rm -rf dist/_CPack_Packages

# Check the files that ship: size, needed libraries, names.
shipped=$(mktemp -d)
trap 'rm -rf "$shipped"' EXIT
tar -C "$shipped" -xzf dist/warptune-*-runtime.tar.gz
library=$(find "$shipped" -name 'libwarptune.so.*' -type f)
python3 -B tests/lint/lint.py binaries --binary "$library"
echo "dist/: $(cd dist && ls -1 ./*.deb ./*.tar.gz | tr '\n' ' ')"
echo "size of the runtime library: $(stat -c %s "$library") bytes"
