#!/usr/bin/env python3
"""The ladder against its rungs: what the solves of a scene cost by `auto`, and by each method alone.

  ladder.py STICTION [--repeats N] [--limit S]     prints a Markdown table

A method counts where it certifies every step by itself. Its time is the least of the repeats, which are interleaved, and five times as many where `auto` takes less than 10 ms; a run of more than S seconds is given up.
"""
import argparse
import math
import subprocess

from scene_runs import run_scene

SCENES = (("S1 block on a slope", "incline", None, 2.0), ("S1b slide at 35 degrees", "oblique", None, 10.0), ("S2 stop from 10 m/s", "stopping", "start", 4.0), ("S3 tower 1000:1", "heavy_top", None, 2.0), ("tower 1:1e6:1", "tower1e6", None, 2.0),
          ("S4 pyramid", "pyramid", None, 1.0), ("S4b pyramid, struck", "struck_pyramid", "shot", 0.2), ("S5 heap, falling", "heap", None, 0.4),
          ("S5 heap, settled", "settled_heap", None, 0.5), ("S6 arch", "arch", None, 2.0), ("S6b card house", "cards", None, 2.0),
          ("S7 glancing ball", "glancing_ball", "spin40", 0.15), ("solids rolling down a height field", "terrain", None, 2.0))
METHODS = ("nsgs", "newton", "prox", "proxac", "ipm", "continuation", "centralpath", "lagged")
AUTO = "auto"
BRIEF, MORE = 10.0, 5  # [ms]; repeats of what takes less, where a look of the system at something else is half of the time


def solve_time(program, scene, keyframe, seconds, method, limit):
    """CPU [ms] of all solves, or why there is none."""
    try:
        certified, run = run_scene(program, scene, keyframe, seconds, "--solver", method, limit=limit)
    except subprocess.TimeoutExpired:
        return f"over {limit:g} s"
    return 1e3 * run["phases_s"]["solve"] if certified else f"fails at step {run['first_uncertified']['step']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60, help="seconds of one run")
    parser.add_argument("--scenes", nargs="*", help="only these files")
    arguments = parser.parse_args()
    print("| scene | auto, ms | " + " | ".join(METHODS) + " | auto / best |\n|---|---|" + "---|" * len(METHODS) + "---|")
    for name, scene, keyframe, seconds in SCENES:
        if arguments.scenes and scene not in arguments.scenes:
            continue
        best = {}
        repeat = 0
        while repeat < arguments.repeats * (MORE if isinstance(best.get(AUTO), float) and best[AUTO] < BRIEF else 1):
            repeat += 1
            for method in (AUTO, *METHODS):
                if isinstance(best.get(method), str):
                    continue
                taken = solve_time(arguments.program, scene, keyframe, seconds, method, arguments.limit if method != AUTO else None)
                best[method] = taken if isinstance(taken, str) else min(taken, best.get(method, math.inf))
        alone = [best[method] for method in METHODS if not isinstance(best[method], str)]
        ratio = f"{best[AUTO] / min(alone):.2g}" if alone and not isinstance(best[AUTO], str) else "–"
        cells = [best[method] if isinstance(best[method], str) else f"{best[method]:.3g}" for method in (AUTO, *METHODS)]
        print(f"| {name} | " + " | ".join(cells) + f" | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
