#!/usr/bin/env bash
# Installs a build, builds a consumer with find_package(assay) and another one that takes the tree
# with add_subdirectory, and runs docs/example_conformance and docs/example_cpp against what is installed. usage: install_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The command alone, as `cmake --install --component command` leaves it after tools/demo: conformance tests are there,
# and who asks for the libraries is told what is missing.
cmake --install "$build_dir" --prefix "$work/command" --component command >/dev/null
test ! -e "$work/command/include/assay/spec" || { echo 'the component command has headers of libraries'; exit 1; }
package() {  # prefix, components, further lines
  rm -rf "$work/asks"; mkdir "$work/asks"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(asks LANGUAGES C CXX)' 'set(ASSAY_BUILD_TOOLS mine)' \
    'set(ASSAY_BUILD_TESTS mine)' 'enable_testing()' "find_package(assay REQUIRED $2)" \
    'if(NOT "${ASSAY_BUILD_TOOLS}${ASSAY_BUILD_TESTS}" STREQUAL minemine)' \
    '  message(FATAL_ERROR "variables of the consumer are overwritten")' 'endif()' \
    'get_cmake_property(names VARIABLES)' 'list(FILTER names INCLUDE REGEX "^ASSAY_")' \
    'list(FILTER names EXCLUDE REGEX "^ASSAY_(BUILD_TOOLS|BUILD_TESTS|COMMAND|PYTHON_DIR|ZIP_LIBRARY|ZIP_INCLUDE_DIR)$")' \
    'if(names)' '  message(FATAL_ERROR "the package sets ${names}")' 'endif()' "$3" >"$work/asks/CMakeLists.txt"
  cmake -S "$work/asks" -B "$work/asks/build" -DCMAKE_PREFIX_PATH="$work/$1" >"$work/asks.log" 2>&1
}
asks() { package "$@" || { cat "$work/asks.log"; exit 1; }; }
one_test='assay_add_conformance_test(NAME golden TARGET golden FILTER "abs/*")'
asks command 'COMPONENTS conformance' "$one_test"
asks command '' "$one_test"
if package command 'COMPONENTS libraries' '' || ! grep -q 'libraries are not installed' "$work/asks.log"; then
  cat "$work/asks.log"; echo 'the package does not say that its libraries are missing'; exit 1
fi

cmake --install "$build_dir" --prefix "$work/prefix" >/dev/null
test ! -e "$work/prefix/assay" || { echo "what only a wheel has is installed"; exit 1; }
asks prefix 'COMPONENTS libraries' 'add_library(x INTERFACE)
target_link_libraries(x INTERFACE assay::interpreter)'
asks prefix 'COMPONENTS libraries conformance' "$one_test"
# Users of the libraries see nothing of what no public header includes.
if grep -E '[;"](Boost|hwy|libzip|ZLIB)::' "$work/prefix/lib/cmake/assay/assayTargets.cmake"; then
  echo 'these dependencies are private, but exported'; exit 1
fi
for header in evaluator/kernels/kernel.h evaluator/real/dd_tier.h backends/cpu/fold.h; do
  test ! -e "$work/prefix/include/assay/$header" || { echo "$header is internal, but installed"; exit 1; }
done
cmake -S "$source_dir/cmake/consumer" -B "$work/package" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/package" >/dev/null
"$work/package/consumer" | tee "$work/out"
grep -qx 'f32\[2\]{0} {4, 6}' "$work/out"
"$work/prefix/bin/assay" --version >/dev/null

# What help texts cite is there, and so is what recipes start.
for file in docs/profiles.md docs/process_backend.md docs/corpus_format.md docs/ops/add.md profiles/xla-cpu.textproto \
            python/xla_cpu.py docs/example_cpp/my_target.cc; do
  test -s "$work/prefix/share/assay/$file" || { echo "share/assay/$file is not installed"; exit 1; }
done

# A target in C++, built from what is installed: it passes, and with a defect in its sums fails for that.
cpp() {  # build folder, defect
  cmake -S "$work/prefix/share/assay/docs/example_cpp" -B "$work/$1" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DBUG="$2" >/dev/null
  cmake --build "$work/$1" >/dev/null
  ctest --test-dir "$work/$1" >"$work/$1.log"
}
cpp cpp_right '' || { cat "$work/cpp_right.log"; exit 1; }
if cpp cpp_wrong saturate; then
  echo 'the suite does not see that sums of the C++ example saturate'; exit 1
fi
python3 - "$work" <<'END'
import json, sys
def outcomes(name):
    with open(f'{sys.argv[1]}/{name}/conformance/mine/run.json') as f:
        return {case['id']: case['outcome'] for case in json.load(f)['cases']}
right, wrong = outcomes('cpp_right'), outcomes('cpp_wrong')
ran = {case.split('/')[0] for case, outcome in right.items() if outcome not in ('not supported', 'not run')}
assert ran == {'add', 'exponential', 'multiply', 'transpose', 'tuple', 'xor'}, ran
failed = [case for case, outcome in wrong.items() if outcome == 'wrong']
assert failed and all(case.startswith('add/s32/') for case in failed), failed
END

# The Python example, which passes, and with a defect in its sums fails for that.
example() {  # build folder, defect, arguments of ctest
  cmake -S "$source_dir/docs/example_conformance" -B "$work/$1" -DCMAKE_PREFIX_PATH="$work/prefix" -DBUG="$2" >/dev/null
  ctest --test-dir "$work/$1" -j2 "${@:3}" >"$work/$1.log"
}
example right '' || { cat "$work/right.log"; exit 1; }
grep -q '<html' "$work/right/conformance/mine/run.html"
if example wrong saturate -R shard-0; then
  echo 'the suite does not see that sums saturate'; exit 1
fi
python3 - "$work/wrong/conformance/mine/shard-0.json" <<'END'
import json, sys
with open(sys.argv[1]) as f:
    wrong = [case['id'] for case in json.load(f)['cases'] if case['outcome'] == 'wrong']
# Programs that add show it as well.
assert any(case.startswith('add/') for case in wrong), wrong
assert all(case.startswith(('add/', 'program/')) for case in wrong), wrong
END

# A test for each operation, labelled with it.
mkdir "$work/operations"
cat >"$work/operations/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(operations LANGUAGES NONE)
enable_testing()
find_package(assay REQUIRED COMPONENTS conformance)
assay_add_conformance_test(NAME golden TARGET golden TIER quick BY_OPERATION)
END
cmake -S "$work/operations" -B "$work/operations/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
ctest --test-dir "$work/operations/build" -L '^popcnt$' | grep '100% tests passed, 0 tests failed out of 1' >/dev/null

# Without optimisation, and only a few libraries: that targets, generated files and include folders are right where the
# tree is not the top of the project is of interest, and the rest was built once already.
cmake -S "$source_dir/cmake/consumer" -B "$work/subdirectory" -G Ninja -DASSAY_SUBDIRECTORY="$source_dir" \
  -DCMAKE_BUILD_TYPE= -DASSAY_PRECOMPILE_HEADERS=ON -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 >/dev/null
cmake --build "$work/subdirectory" --target shape >/dev/null
"$work/subdirectory/shape" | grep -qx 'f32\[2,3\]'
echo 'both consumers built and ran, and so did the example of the suite'
