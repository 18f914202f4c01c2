#!/usr/bin/env bash
# Configures a preset when needed and builds the targets named; no target: all of them; --configure: none.   build.sh PRESET [--configure | TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
folder=build-$preset
if [ "$preset" = release ]; then
  folder=build
elif [ ! -f build/build.ninja ]; then
  "$0" release --configure # every flavour shares the wheels of the release build folder
fi

if [ ! -f "$folder/build.ninja" ]; then
  printf 'build: configuring %s (the first time fetches two wheels)\n' "$folder"
  mkdir -p "$folder"
  if ! cmake --preset "$preset" >"$folder/configure.log" 2>&1; then
    cat "$folder/configure.log" >&2
    printf 'build: configuring failed; the message above says the remedy. To start over: rm -rf %s\n' "$folder" >&2
    exit 1
  fi
fi
[ "${1:-}" != --configure ] || exit 0
targets=()
[ $# -eq 0 ] || targets=(--target "$@")
if ! cmake --build "$folder" --parallel "$(nproc)" "${targets[@]}"; then
  printf 'build: stopped at the error above. To start over: rm -rf %s\n' "$folder" >&2
  exit 1
fi
