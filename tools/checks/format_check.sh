#!/usr/bin/env bash
# Every C++ file is formatted as .clang-format says.
set -euo pipefail
cd "$(dirname "$0")/../.."
formatter=$(command -v clang-format-14 || command -v clang-format)
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  files=$(git ls-files '*.cc' '*.h')
else
  files=$(find spec runtime evaluator interpreter backends conformance fuzz tools cmake -name '*.cc' -o -name '*.h')
fi
# shellcheck disable=SC2086
"$formatter" --dry-run --Werror $files
