#!/usr/bin/env bash
# The methods on ECOS, in a build of their own (build-ecos); then the same with exceptions for failures. Frictionless answers have to be the same bits as in the build without ECOS.
set -euo pipefail
cd "$(dirname "$0")/.."
suites=(test_constraints test_solvers test_portfolio)
scripts/build.sh ecos --configure
cmake -DSTICTION_ECOS_THROWS=OFF build-ecos >/dev/null
scripts/build.sh ecos "${suites[@]}"
bits=build-ecos/frictionless-bits
rm -f "$bits"
for folder in build build-ecos; do
  STICTION_FRICTIONLESS_BITS=$bits "$folder/tests/test_constraints" --gtest_brief=1 --gtest_filter='*FrictionlessBits'
done
ctest --test-dir build-ecos -j2 --output-on-failure --no-tests=error -R '^(constraints|solvers|portfolio)\.'
cmake -DSTICTION_ECOS_THROWS=ON build-ecos >/dev/null
scripts/build.sh ecos test_constraints
ctest --test-dir build-ecos -j2 --output-on-failure --no-tests=error -R '^constraints\..*ECOS|Ecos'
cmake -DSTICTION_ECOS_THROWS=OFF build-ecos >/dev/null
