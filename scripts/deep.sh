#!/usr/bin/env bash
# The long checks: a thousand spheres to their rest, the suites under the sanitizers, the whole build with ECOS, the fuzzers for ten minutes each, 100,000 random small scenes, and larger ones at length.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release stiction random_scenes test_constraints test_long
printf '== a thousand spheres, on one core beside what follows\n'
build/tests/test_long >build/test_long.log 2>&1 &
long=$!
export ASAN_OPTIONS=detect_stack_use_after_return=1 TSAN_OPTIONS=halt_on_error=1 LSAN_OPTIONS=suppressions=$PWD/tests/fuzz/leaks.supp
for flavour in asan tsan; do
  printf '== %s\n' "$flavour"
  scripts/build.sh "$flavour"
  ctest --test-dir "build-$flavour" -j2 --output-on-failure --no-tests=error
done
printf '== the whole build with ECOS\n'
scripts/test_ecos.sh --whole
printf '== fuzzers\n'
scripts/fuzz.sh "${FUZZ_SECONDS:-600}"
printf '== random scenes\n'
build/tests/random_scenes --scenes "${SCENES:-100000}" --jobs "$(nproc)"
scripts/random_scenes.py --program build/stiction --minutes "${SCENE_MINUTES:-10}"
printf '== a thousand spheres\n'
outcome=0
wait "$long" || outcome=$?
cat build/test_long.log
exit "$outcome"
