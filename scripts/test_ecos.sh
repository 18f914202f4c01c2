#!/usr/bin/env bash
# The build with ECOS, of its own (build-ecos): every test that runs methods; then exceptions for failures. Frictionless answers have to be the same bits as in the build without ECOS.
#   test_ecos.sh [--whole]     --whole builds everything else, too
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh ecos --configure
cmake -DSTICTION_ECOS_THROWS=OFF build-ecos >/dev/null
if [ "${1:-}" = --whole ]; then
  scripts/build.sh ecos
else
  scripts/build.sh ecos stiction test_constraints test_laws test_oracle test_portfolio test_solvers
fi
bits=build-ecos/frictionless-bits
rm -f "$bits"
for folder in build build-ecos; do
  STICTION_FRICTIONLESS_BITS=$bits "$folder/tests/test_constraints" --gtest_brief=1 --gtest_filter='*FrictionlessBitsOfBuilds*'
  [ -s "$bits" ]
done
ctest --test-dir build-ecos -j2 --output-on-failure --no-tests=error -R '^(cli|constraints|laws|oracle|portfolio|solvers)\.'
cmake -DSTICTION_ECOS_THROWS=ON build-ecos >/dev/null
scripts/build.sh ecos test_constraints
ctest --test-dir build-ecos -j2 --output-on-failure --no-tests=error -R '^constraints\..*ECOS|Ecos'
cmake -DSTICTION_ECOS_THROWS=OFF build-ecos >/dev/null
