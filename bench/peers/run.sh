#!/usr/bin/env bash
# All benchmarks: our scenes, the same scenes in other engines, cost against accuracy, a tree, the ladder, factorisations, pairs of shapes, large scenes, threads, and friction problems beside Siconos; rewrites the tables of docs/benchmarks.md.
#   run.sh [--build FOLDER] [--repeats N] [--long] [--no-docs]
#     --build    programs are there already, nothing is installed or built (default: build, brought up to date)
#     --repeats  of everything, interleaved (default 5)
#     --long     the scenes that take minutes, too
#     --no-docs  only print
# The problems are the FCLIB files of the folder that STICTION_FCLIB_PROBLEMS names; none without it. States and certificates are compared with FOLDER/bench/baseline.json, which the first run writes.
# Ends with 3 where a result of ours is not certified or has moved.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=build repeats=5 long=() docs=docs/benchmarks.md ready=
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$2 ready=1 && shift ;;
    --repeats) repeats=$2 && shift ;;
    --long) long=(--long) ;;
    --no-docs) docs= ;;
    *) printf 'bench: unknown option %s (see the head of bench/peers/run.sh)\n' "$1" >&2 && exit 2 ;;
  esac
  shift
done

if [ -z "$ready" ]; then
  scripts/setup.sh peers || for peer in bullet ode siconos openblas; do
    scripts/setup.sh $peer || printf 'bench: without %s, which cannot be installed here\n' $peer >&2
  done
  scripts/build.sh release --configure
  cmake "$build" >/dev/null # finds what has been installed since
  scripts/build.sh release bench_programs >/dev/null
fi
python=$(scripts/setup_python.sh)
out=$build/bench
mkdir -p "$out"
worst=0
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

section() { # NAME FILE
  [ -z "$docs" ] || "$python" bench/write_section.py "$docs" "$1" "$2"
}

printf 'On: %s, %d cores; %s.\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(nproc --all)" "$(c++ --version | head -1)" >"$out/machine.md"
section machine "$out/machine.md"

baseline=$out/baseline.json
printf '## Our scenes\n\n'
if [ -f "$baseline" ]; then
  "$build/stiction" bench --repeats "$repeats" --against "$baseline" >"$out/against.md" || worst=3
  cat "$out/against.md"
  [ $worst -eq 0 ] || printf 'bench: to take the new results as the baseline, delete %s and repeat\n' "$baseline" >&2
  sed 's/[^|]*|$//' "$out/against.md" >"$out/scenes.md" # without the ratios
else
  "$build/stiction" bench --repeats "$repeats" --save "$baseline" >"$out/scenes.md" || worst=3
  cat "$out/scenes.md"
fi
section scenes "$out/scenes.md"

printf '\n## The same scenes in other engines\n\n'
"$python" bench/peers/compare.py --build "$build" --repeats "$repeats" "${long[@]}" --json "$out/peers.json" | tee "$out/peers.md" || worst=3
section peers "$out/peers.md"

printf '\n## Cost against accuracy\n\n'
figure=$out/tolerances.svg
[ -z "$docs" ] || figure=docs/figures/tolerances.svg
"$python" bench/tolerances.py "$build/stiction" --repeats "$repeats" --peers "$out/peers.json" --figure "$figure" | tee "$out/tolerances.md"
section tolerances "$out/tolerances.md"

printf '\n## A tree in minimal coordinates\n\n'
"$build/bench_tree" --repeats "$repeats" | tee "$out/tree.md" || worst=3
section tree "$out/tree.md"

printf '\n## The ladder and its rungs\n\n'
"$python" bench/ladder.py "$build/stiction" | tee "$out/ladder.md"
section ladder "$out/ladder.md"

printf '\n## Factorisations\n\n'
"$build/bench_factor" --repeats "$repeats" | tee "$out/factors.md"
section factors "$out/factors.md"

printf '\n## Pairs of shapes\n\n'
"$build/bench_pairs" --repeats "$repeats" | tee "$out/pairs.md"
section pairs "$out/pairs.md"
"$build/bench_pairs" --ground --repeats "$repeats" | tee "$out/ground.md"
section ground "$out/ground.md"

printf '\n## Large scenes\n\n'
"$build/bench_large" heap:1000 heap:10000 heap:100000 wall:1000 wall:5000 wall:20000 | tee "$out/large.md" || worst=3
section large "$out/large.md"
if [ ${#long[@]} -gt 0 ]; then
  "$build/bench_large" column:2000:0.5 column:2000:1 column:1000:2 column:2000:2 column:5000:2 column:2000:4 --duration 2 | tee "$out/columns.md" || worst=3
  section columns "$out/columns.md"
fi

printf '\n## Threads\n\n'
"$python" bench/threads.py "$build/stiction" "$build/bench_large" --repeats "$repeats" | tee "$out/threads.md" || worst=3
section threads "$out/threads.md"

printf '\n## Friction problems\n\n'
if [ -n "${STICTION_FCLIB_PROBLEMS:-}" ]; then
  "$build/bench_problems" --repeats "$repeats" --json "$out/problems.json"
  figure=$out/performance-profile.svg
  [ -z "$docs" ] || figure=docs/figures/performance-profile.svg
  "$python" bench/problems/report.py "$out/problems.json" --figure "$figure" | tee "$out/problems.md"
  section problems "$out/problems.md"
else
  printf 'none: STICTION_FCLIB_PROBLEMS names no folder of FCLIB files\n'
fi
exit $worst
