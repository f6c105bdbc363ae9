#!/usr/bin/env bash
# make dist: a relocatable tree with the command line, the runtime, templates, recordings, examples and the GPU tests.
# Everything but CUDA is linked statically; the host needs Linux x86-64 with glibc 2.35 and libstdc++ of GCC 11 or newer.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

batches=()  # as in test.sh
[[ -e build/dist/CMakeCache.txt ]] || batches=(-DWARPTUNE_UNITY=ON -DWARPTUNE_PCH=ON)
cmake --preset dist "${batches[@]}"
cmake --build --preset dist -j "$jobs" --target warptune wt_runtime wt_gpu_tests

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:.*=//p' build/dist/CMakeCache.txt)
name=warptune-$version-linux-x86_64
rm -rf "dist/$name" "dist/$name.tar.gz"
cmake --install build/dist --strip --prefix "dist/$name" >/dev/null
cmake --install build/dist --strip --prefix "dist/$name" --component gpu_tests >/dev/null
tar -C dist -czf "dist/$name.tar.gz" "$name"
echo "dist/$name.tar.gz ($(du -h "dist/$name.tar.gz" | cut -f1)); on the GPU machine: $name/bin/warptune doctor"
