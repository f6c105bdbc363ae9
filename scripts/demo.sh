#!/usr/bin/env bash
# make demo: builds warptune and shows it at work.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset release >/dev/null
cmake --build --preset release -j "$(nproc)" --target warptune wt_runtime
build/release/bin/warptune doctor
