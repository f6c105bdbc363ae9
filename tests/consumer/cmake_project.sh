#!/usr/bin/env bash
# cmake_project.sh <work folder>: builds the examples as external CMake projects against the packages, in a folder that
# the build does not know, and once against the archives.
work=$1
source "$(dirname "$0")/support.sh"
examples=$work/root/usr/share/warptune/examples

build_example() { # <name> <prefix> <cmake option...>
  rm -rf "$work/cmake-$1"
  cmake -S "$examples/$1" -B "$work/cmake-$1" -DCMAKE_PREFIX_PATH="$2" "${@:3}" >/dev/null
  cmake --build "$work/cmake-$1"
}

build_example c "$work/root/usr" -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror"
expect "match: exact" "$work/cmake-c/explain" "$work/ops.db" softmax rows=32768,cols=4096 bf16
expect "match: nearest shape" "$work/cmake-c/explain" "$work/ops.db" softmax rows=30000,cols=4096 bf16
expect "match: default" "$work/cmake-c/explain" "$work/ops.db" softmax rows=32768,cols=4096 fp32 sm_80
status=0
"$work/cmake-c/explain" "$work/absent.db" softmax rows=1,cols=1 || status=$?
((status == 5))

build_example dispatch "$work/archive" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
expect "tuned for exactly this problem" "$work/cmake-dispatch/dispatch" "$work/ops.db"
expect "nearest shape" "$work/cmake-dispatch/dispatch" "$work/ops.db" 1000 4096

# An application with its own kernel: tuned from its folder, launched by its name.
build_example own_kernel_app "$work/archive" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
rm -f "$work/convolve.db"
"$work/root/usr/bin/warptune" tune "$examples/user_kernel" --shape height=8192,width=8192,radius=2 --quiet \
  --device "recorded:$examples/recordings" --db "$work/convolve.db"
expect "tuned for exactly this problem" "$work/cmake-own_kernel_app/own_kernel_app" "$work/convolve.db"
"$work/root/usr/bin/warptune" space "$examples/from_kernel_tuner" --shape n=16777216 >/dev/null

# Without a GPU, both programs say so and exit with 0.
build_example first_run "$work/root/usr" -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
for program in first_run first_run_c; do
  [[ -e /dev/nvidiactl ]] || expect "no CUDA device here" "$work/cmake-first_run/$program"
done
for name in graph_capture server; do
  build_example "$name" "$work/root/usr" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
  [[ -e /dev/nvidiactl ]] || expect "no CUDA device here" "$work/cmake-$name/$name" "$work/ops.db"
done

# The typed call of gemm; without a database, because the pack was made from other kernels and need not hold gemm.
build_example linear_layer "$work/root/usr" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
[[ -e /dev/nvidiactl ]] || expect "no CUDA device here" env WARPTUNE_DB="$work/none.db" "$work/cmake-linear_layer/linear_layer"

# find_package also provides versions, components, and the command line as a target.
mkdir -p "$work/finder"
cat >"$work/finder/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(finder LANGUAGES C)
find_package(warptune ${WANTED} REQUIRED COMPONENTS runtime tools)
get_target_property(program warptune::cli IMPORTED_LOCATION)
execute_process(COMMAND ${program} --version COMMAND_ERROR_IS_FATAL ANY)
EOF
version=$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$(find "$work/root" -name warptuneConfigVersion.cmake)")
find_version() { cmake -S "$work/finder" -B "$work/finder/build" -DCMAKE_PREFIX_PATH="$work/root/usr" -DWANTED="$1" 2>&1; }
expect "warptune $version" find_version "$version"
if find_version 99.0 >/dev/null; then echo "find_package takes a version that is not there"; exit 1; fi
rm -rf "$work/finder/build" "$work/no_tools"
cp -a "$work/root/usr" "$work/no_tools"
rm "$work/no_tools/bin/warptune"
if cmake -S "$work/finder" -B "$work/finder/build" -DCMAKE_PREFIX_PATH="$work/no_tools" >/dev/null 2>&1; then
  echo "find_package finds tools where there are none"
  exit 1
fi
