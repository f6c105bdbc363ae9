#!/usr/bin/env bash
# packages.sh <build folder> <work folder> <sample_db>: packs the build and unpacks it where the other tests expect it.
# It installs nothing on this machine. Without dpkg, trees of cmake --install replace the packages.
build=$1 work=$2 sample_db=$3
source "$(dirname "$0")/support.sh"

rm -rf "$work"
mkdir -p "$work/packages" "$work/archive" "$work/root" "$work/bare"
generators=TGZ
if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then generators="DEB;TGZ"; fi
export SOURCE_DATE_EPOCH=1700000000
cpack --config "$build/CPackConfig.cmake" -G "$generators" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -B "$work/packages" >"$work/cpack.log" 2>&1 ||
  { cat "$work/cpack.log"; exit 1; }
rm -rf "$work/packages/_CPack_Packages"
for archive in "$work"/packages/*.tar.gz; do tar -C "$work/archive" --strip-components=1 -xzf "$archive"; done

if [[ $generators == DEB* ]]; then
  for deb in "$work"/packages/*.deb; do dpkg-deb -x "$deb" "$work/root"; done
  dpkg-deb -x "$work"/packages/libwarptune0_*.deb "$work/bare"
  version=$(dpkg-deb -f "$work"/packages/libwarptune0_*.deb Version)
  expect "libwarptune0 (= $version)" dpkg-deb -f "$work"/packages/libwarptune-dev_*.deb Depends
  expect "libc6 (>=" dpkg-deb -f "$work"/packages/libwarptune0_*.deb Depends
  mkdir -p "$work/control"
  dpkg-deb -e "$work"/packages/libwarptune0_*.deb "$work/control"
  expect "libwarptune 0 libwarptune0" cat "$work/control/shlibs"
else
  cmake --install "$build" --prefix "$work/root/usr" >/dev/null
  cmake --install "$build" --prefix "$work/bare/usr" --component runtime --strip >/dev/null
fi
# No file is in two packages, and the runtime's package holds only the library and its documents.
if find "$work/bare" -type f -o -type l | grep -v -e /libwarptune.so.0 -e /doc/libwarptune0/; then
  echo "the runtime package holds files that an application does not need"
  exit 1
fi
python3 -B "$(dirname "$0")/../lint/lint.py" binaries --binary "$(find "$work/bare" -name 'libwarptune.so.*' -type f)" \
  --binary "$work/root/usr/bin/warptune"
"$sample_db" "$work/ops.db"
