#!/usr/bin/env bash
# setup.sh [demo]: installs the missing Debian 12 (or Ubuntu) packages to build and test warptune; with `demo`, only
# those to build the program and its library. On other systems, or without permission, it prints the packages and
# continues: CMake fetches pinned sources of missing libraries. docs/install.md has the same lists.
set -euo pipefail

required=(cmake ninja-build g++ make git python3 ca-certificates)
libraries=(libsqlitecpp-dev libsqlite3-dev zlib1g-dev libcli11-dev nlohmann-json3-dev libfmt-dev libexpected-dev
  libeigen3-dev)
tests=(libgtest-dev libgmock-dev libbenchmark-dev)
checks=(ccache clang clang-format clang-tidy python3-jsonschema)  # quicker builds and the style checks
# .deb files, and the tests of their contents
packaging=(dpkg-dev file pkg-config bash-completion man-db mandoc fish zsh)
python=(python3-dev python3-venv python3-pip python3-setuptools python3-wheel python3-pybind11 pybind11-dev)  # the package
web=(node:nodejs npm:npm)  # bundle the report; checked by command, because they often come from elsewhere
browsers=(chromium:chromium)                   # the tests of the report
packages=("${required[@]}" "${libraries[@]}")
tools=("${web[@]}")
if [[ ${1:-} != demo ]]; then
  packages+=("${tests[@]}" "${checks[@]}" "${packaging[@]}" "${python[@]}")
  tools+=("${browsers[@]}")
fi

if ! command -v dpkg-query >/dev/null; then
  missing=()
  for tool in cmake ninja g++ git python3 node npm; do command -v "$tool" >/dev/null || missing+=("$tool"); done
  if ((${#missing[@]})); then
    echo "setup: not a Debian system; please install: ${missing[*]}" >&2
    echo "setup: CMake fetches the libraries that are missing (${libraries[*]} by their Debian names)" >&2
  fi
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
done
for tool in "${tools[@]}"; do
  command -v "${tool%%:*}" >/dev/null || missing+=("${tool#*:}")
done
((${#missing[@]})) || exit 0

run=()
if ((EUID != 0)); then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    run=(sudo -n)
  else
    echo "setup: packages are missing; install them as root: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 0
  fi
fi
echo "setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
if ! { "${run[@]}" apt-get update -qq &&
  "${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; }; then
  echo "setup: apt-get could not install: ${missing[*]}; continuing without them" >&2
fi
