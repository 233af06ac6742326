#!/bin/bash -eu
# Builds the fuzz targets as OSS-Fuzz demands: $OUT gets each target, its seed corpus as a zip, its dictionary, its
# options, and the shared libraries that the image of the runner lacks. $CC, $CXX, $CXXFLAGS, $LIB_FUZZING_ENGINE, $SRC,
# $WORK and $OUT are those of OSS-Fuzz. $FUZZ_TARGETS names some of the targets (default: all), and $ASSAY_BUILD a folder
# in which they are built already. tools/oss_fuzz_check runs this and then what the runner does.
source_folder=${ASSAY_SOURCE:-$SRC/assay}
build=${ASSAY_BUILD:-$WORK/assay}

# target, folder of its seeds, target of the build: one program fuzzes two backends, by its name
targets='text text text
proto proto proto
literal literal literal
npz npz npz
suite suite suite
programs_target programs programs_target
programs_cpu programs programs_backend
programs_cuda programs programs_backend
stablehlo_text stablehlo_text stablehlo_text
stablehlo_bytecode stablehlo_bytecode stablehlo_bytecode'

wanted=${FUZZ_TARGETS:-$(cut -d' ' -f1 <<<"$targets")}
if [ -z "${ASSAY_BUILD:-}" ]; then
  # The libraries of the system are those of libstdc++.
  cmake -S "$source_folder" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Sanitize -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="${CXXFLAGS/-stdlib=libc++/} -DNDEBUG" -DCMAKE_UNITY_BUILD=ON \
    -DASSAY_FUZZING_ENGINE="$LIB_FUZZING_ENGINE"
  while read -r name _ built; do
    if grep -qxF "$name" <<<"$(tr ' ' '\n' <<<"$wanted")"; then cmake --build "$build" --target "assay_fuzz_$built" </dev/null; fi
  done <<<"$targets"
fi

mkdir -p "$OUT/lib"
while read -r name seeds built; do
  grep -qxF "$name" <<<"$(tr ' ' '\n' <<<"$wanted")" || continue
  cp "$build/fuzz/assay_fuzz_$built" "$OUT/fuzz_$name"
  ldd "$OUT/fuzz_$name" | awk '$3 ~ /^\// {print $3}' | while read -r library; do
    case $(basename "$library") in
      libc.so*|libm.so*|libdl.so*|libpthread.so*|librt.so*|ld-linux*) ;;  # of the runner
      *) cp -n "$library" "$OUT/lib/" ;;
    esac
  done
  if command -v patchelf >/dev/null; then patchelf --force-rpath --set-rpath '$ORIGIN/lib' "$OUT/fuzz_$name"; fi
  found=()
  for folder in "$build/fuzz/corpus/$seeds" "$source_folder/fuzz/found/$seeds"; do
    if [ -d "$folder" ]; then found+=("$folder"); fi
  done
  mapfile -t files < <(find "${found[@]}" -type f | sort)
  python3 -m zipfile -c "$OUT/fuzz_${name}_seed_corpus.zip" "${files[@]}"
  cp "$build/fuzz/corpus/words.dict" "$OUT/fuzz_$name.dict"
  printf '[libfuzzer]\nmax_len = 4096\ndict = fuzz_%s.dict\ntimeout = 60\nrss_limit_mb = 2560\n\n[asan]\nallocator_may_return_null = 1\ndetect_leaks = 0\n' \
    "$name" > "$OUT/fuzz_$name.options"
done <<<"$targets"
