#!/usr/bin/env bash
# Installs a build and builds a consumer with find_package(assay), and another one that takes the
# tree with add_subdirectory. usage: install_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build_dir" --prefix "$work/prefix" >/dev/null
cmake -S "$source_dir/cmake/consumer" -B "$work/package" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/package" >/dev/null
"$work/package/consumer" | tee "$work/out"
grep -qx 'f32\[2\]{0} {4, 6}' "$work/out"
"$work/prefix/bin/assay" --version >/dev/null

# Without optimisation: only that it builds and runs is of interest.
cmake -S "$source_dir/cmake/consumer" -B "$work/subdirectory" -G Ninja -DASSAY_SUBDIRECTORY="$source_dir" \
  -DCMAKE_BUILD_TYPE= -DASSAY_PRECOMPILE_HEADERS=ON >/dev/null
cmake --build "$work/subdirectory" --target printer >/dev/null
"$work/subdirectory/printer" | grep -q 'ROOT %sum'
echo 'both consumers built and ran'
