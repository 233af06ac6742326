#!/usr/bin/env bash
# Judges XLA CPU's stored answers to a part of the corpus and writes the reports: what the suite
# says of another implementation, without that being installed.
# usage: judge_stored_answers.sh ASSAY FOLDER [TARGET]
# To store them anew: rm -f F; judge_stored_answers.sh ASSAY FOLDER \
#   "process:PYTHON tools/peers/xla_cpu.py --devices 4 --record F"; stored_answers.py F --pack
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
assay=$1 folder=$2
target=${3:-"process:python3 '$here/stored_answers.py' '$here/xla_cpu.answers.gz'"}
mkdir -p "$folder"
exec "$assay" test --target "$target" --profile xla-cpu --tier quick \
  --filter '*/f32/*' --filter '*/f16/*' --filter '*/s32/*' \
  --report "html=$folder/xla_cpu.html,json=$folder/xla_cpu.json,junit=$folder/xla_cpu.xml"
