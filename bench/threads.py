#!/usr/bin/env python3
"""What a second thread saves: wall time of scenes on one thread and on several, and whether they end on the same bits.

  threads.py STICTION BENCH_LARGE [--threads N] [--repeats N]     prints a Markdown table; exit code 3 where a step is not certified, or bits differ

Times are the least of the repeats, which are interleaved.
"""
import argparse
import math
import subprocess
import sys

from scene_runs import run_scene

SCENES = (("S5 heap, falling", "heap", None, 0.4), ("S4b pyramid, struck", "struck_pyramid", "shot", 0.2))
LARGE = (("ten thousand falling spheres", "heap:10000", 0.3), ("a hundred thousand", "heap:100000", 0.2), ("a wall of 5000 bricks", "wall:5000", 0.2),
         ("a collapsing column of 2000 spheres", "column:2000:2", 1.2), ("five hundred spheres that settle", "heap:500", 1.0))


def measure_scene(program, scene, keyframe, seconds, threads):
    """(wall [ms] a step, state hash), and None for the hash where a step is not certified."""
    certified, run = run_scene(program, scene, keyframe, seconds, threads=threads)
    return 1e3 * run["wall_s"] / run["steps"], run["state_hash"] if certified else None


def measure_large(program, row, seconds, threads):
    """The same of `bench_large`."""
    done = subprocess.run([program, row, "--duration", str(seconds), "--threads", str(threads)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{program} {row}: {done.stderr}")
    names, _, values = ([cell.strip() for cell in line.strip("|\n").split("|")] for line in done.stdout.strip().splitlines())
    cells = dict(zip(names, values))
    return float(cells["a step, ms of wall"]), cells["state hash"] if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("bench_large")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    rows = [(name, lambda threads, a=rest: measure_scene(arguments.program, *a, threads)) for name, *rest in SCENES]
    rows += [(name, lambda threads, a=rest: measure_large(arguments.bench_large, *a, threads)) for name, *rest in LARGE]
    print(f"| scene | a step on one thread, ms of wall | on {arguments.threads} | ratio | bits |\n|---|---|---|---|---|")
    holds = True
    for name, run in rows:
        best, hashes = {1: math.inf, arguments.threads: math.inf}, set()
        for _ in range(arguments.repeats):
            for threads in best:
                wall, state = run(threads)
                best[threads] = min(best[threads], wall)
                hashes.add(state)
        same = len(hashes) == 1 and None not in hashes
        holds = holds and same
        print(f"| {name} | {best[1]:.3g} | {best[arguments.threads]:.3g} | {best[1] / best[arguments.threads]:.2f} | {'the same' if same else 'DIFFERENT or not certified'} |", flush=True)
    sys.exit(0 if holds else 3)


if __name__ == "__main__":
    main()
