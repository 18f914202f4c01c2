#!/usr/bin/env bash
# Writes docs/worked-examples.md from a run of the worked examples; with the program of the ECOS build ecos-strict is among the methods.   worked_examples.sh [TEST_PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build-ecos/tests/test_laws}
[ -x "$program" ] || { printf 'worked_examples: %s is not there. Remedy: scripts/test_ecos.sh, or name the program\n' "$program" >&2 && exit 1; }
table=$(mktemp)
trap 'rm -f "$table"' EXIT
STICTION_WORKED_EXAMPLES=$table "$program" --gtest_filter='*WorkedExamples*' --gtest_brief=1
{
  cat <<'END'
# Worked examples

Six cases that can be done by hand, through the world, by every method that claims strict Coulomb friction, alone and held to a certificate of 1e-9. Given is what each is off by; "refused": the method alone did not
certify a step, and said so (`auto` goes on to another). Bodies that must not turn have their rotation locked.
Written by `scripts/worked_examples.sh` from a build with ECOS; `tests/laws/WorkedExamplesTest.cpp` holds every number to 1e-7, and the same six again as objects through `solveWithContacts`.

- stick and slide: 10 kg on an incline of 20° with μ = 0.6, and of 45° with μ = 0.3
- stop: 5 kg at 10 m/s, μ = 0.5, steps of 1/240 s
- glancing sphere: 2 kg, radius 0.1 m, 5 m/s at 30° from the normal onto a free block of 10 kg that does not turn, μ = 0.4, restitution 1
- pushed: 8 kg, μ = 0.3; it holds up to 23.54 N
- stacked pair: 3 kg on 5 kg on ice, μ = 0.5 between them, 10 N on the upper one

END
  cat "$table"
} >docs/worked-examples.md
printf 'docs/worked-examples.md\n'
