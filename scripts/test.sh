#!/usr/bin/env bash
# Every test: layering, style, a short run of each fuzzer, the build with ECOS, then the whole suite; the last lines are ctest's summary.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/check_layers.py --self-test
scripts/check_layers.py
scripts/format.sh --check
scripts/build.sh release
scripts/fuzz.sh "${FUZZ_SECONDS:-60}"
scripts/test_ecos.sh
ctest --test-dir build -j2 --output-on-failure --no-tests=error
