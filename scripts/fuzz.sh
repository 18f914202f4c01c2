#!/usr/bin/env bash
# Builds the libFuzzer targets with clang and the address and undefined-behaviour sanitizers, and runs each for SECONDS, two at a time.   fuzz.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
scripts/build.sh fuzz --configure
mapfile -t fuzzers < <(ninja -C build-fuzz -t targets all | sed -nE 's/^(fuzz_[A-Za-z0-9_]+): .*$/\1/p' | sort -u)
[ ${#fuzzers[@]} -gt 0 ] || { printf 'fuzz: no target named fuzz_* in tests/fuzz. Remedy: rm -rf build-fuzz and repeat\n' >&2 && exit 1; }
scripts/build.sh fuzz "${fuzzers[@]}"
scripts/build.sh release stiction

# Seeds: the small example scenes, and step problems of theirs as FCLIB files.
seeds=build-fuzz/fuzzing/seeds
mkdir -p "$seeds"/{fuzz_xml,fuzz_scene,fuzz_fclib}
cp examples/*.xml "$seeds/fuzz_xml"
cp examples/*.xml "$seeds/fuzz_scene"
for scene in slope tower1e6; do
  build/stiction run "examples/$scene.xml" --duration 0.05 --quiet --dump-worst "$seeds/fuzz_fclib/$scene.hdf5" >/dev/null
done

one() {
  local fuzzer=$1 seconds=$2 work=build-fuzz/fuzzing/$1 binary
  binary=$(find build-fuzz -type f -name "$fuzzer" -perm -u+x -print -quit)
  mkdir -p "$work/found" "$work/crashes"
  local corpora=("$work/found")
  [ ! -d "build-fuzz/fuzzing/seeds/$fuzzer" ] || corpora+=("build-fuzz/fuzzing/seeds/$fuzzer")
  if LSAN_OPTIONS=suppressions=tests/fuzz/leaks.supp "$binary" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$work/crashes/" "${corpora[@]}" >"$work/log" 2>&1; then
    printf 'fuzz: %-24s %s inputs in %s s, none failed\n' "$fuzzer" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")" "$seconds"
  else
    tail -n 40 "$work/log" >&2
    printf 'fuzz: %s failed; the input that does it is in %s/crashes\n' "$fuzzer" "$work" >&2
    return 1
  fi
}
export -f one
printf '%s\n' "${fuzzers[@]}" | xargs -P 2 -I{} bash -c 'one {} '"$seconds"
