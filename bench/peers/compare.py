#!/usr/bin/env python3
"""Times the scenes of the benchmark beside other engines: CPU per simulated second (least and median of interleaved repeats), and how far each is from what ought to happen.

  compare.py --build FOLDER [--repeats N] [--only TEXT] [--long] [--limit S] [--json FILE]     prints a Markdown table

Every engine gets the same bodies and one thread; sleeping is off. What moved and what overlaps is measured on the final poses by the same code (scenes.py). `Stiction, all steps` computes the
steps that repeat the last one bit for bit as well; by default those cost nothing. State hash and certificate must not differ between repeats.
"""
import argparse
import dataclasses
import json
import math
import pathlib
import statistics
import subprocess
import sys

import numpy as np
import scenes

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass
class Case:
    name: str
    file: str
    seconds: float
    judge: str  # rest: what moved; heading; distance: how far it slid; overlap
    keyframe: str = ""
    last_second: bool = False  # time the last second alone
    long: bool = False  # takes minutes


CASES = (
    Case("S1 block on a slope", "incline", 10, "rest"),
    Case("S1b slide at azimuth 30°", "oblique", 2, "heading"),
    Case("S2 stop from 10 m/s", "stopping", 4, "distance", "start"),
    Case("S3 tower 1:1000", "heavy_top", 10, "rest"),
    Case("S4 pyramid, 210 boxes", "pyramid", 5, "rest"),
    Case("S4b pyramid struck by a ball", "struck_pyramid", 0.25, "overlap", "shot", long=True),
    Case("S5 heap, 1000 spheres, falling", "heap", 0.4, "overlap"),
    Case("S5b heap, the last of 6 s", "heap", 6, "overlap", last_second=True, long=True),
    Case("S5c heap at rest, the second of 2 s", "settled_heap", 2, "rest", last_second=True),
    Case("S6 arch", "arch", 10, "rest"),
    Case("S6b card house", "cards", 10, "rest"),
)


@dataclasses.dataclass
class Engine:
    name: str
    program: str
    step: float
    setting: str

    def ours(self):
        return self.program == "stiction"


ENGINES = (
    Engine("Stiction, 1/60", "stiction", 1 / 60, ""),
    Engine("Stiction, 1/60, all steps", "stiction", 1 / 60, "--recompute"),
    Engine("Bullet, 1/60, 10 sweeps", "peer_bullet", 1 / 60, "10"),
    Engine("Bullet, 1/60, 50 sweeps", "peer_bullet", 1 / 60, "50"),
    Engine("Bullet, 1/240, 10 sweeps", "peer_bullet", 1 / 240, "10"),
    Engine("ODE, 1/60, 20 sweeps", "peer_ode", 1 / 60, "20"),
    Engine("ODE, 1/240, 20 sweeps", "peer_ode", 1 / 240, "20"),
    Engine("ODE, 1/60, direct", "peer_ode", 1 / 60, "direct"),
    Engine("MuJoCo, 1/500, default", "peer_mujoco", 1 / 500, "default"),
    Engine("MuJoCo, 1/500, noslip", "peer_mujoco", 1 / 500, "noslip"),
    Engine("MuJoCo, 1/500, stiff", "peer_mujoco", 1 / 500, "stiff"),
    Engine("MuJoCo, 1/60, CG", "peer_mujoco", 1 / 60, "cg"),
)


class Failure(Exception):
    """An engine that gave no result, with the reason for the table."""


def output(arguments, limit):
    try:
        done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"over {limit:g} s") from None
    if done.returncode not in (0, 3):
        raise Failure(done.stderr.strip().splitlines()[-1].split(": ", 1)[-1] if done.returncode == 4 else "crashed")
    return json.loads(done.stdout)


def run_ours(case, scene, engine, options):
    more = ["--keyframe", case.keyframe] if case.keyframe else []
    more += [engine.setting] if engine.setting else []
    command = [options.build / "stiction", "bench", ROOT / "examples" / f"{case.file}.xml", "--duration", case.seconds, "--dt", repr(engine.step), "--repeats", 1, "--json", "-", *more]
    one = output(command, options.limit)["cases"][0]
    frames = [one["bodies"][b.name] for b in scene.bodies]
    poses = [np.array([*(f["position"] + scenes.matrix(f["quaternion"]) @ b.offset), *f["quaternion"]]) for f, b in zip(frames, scene.bodies)]
    cpu = one["last_second_ms"] if case.last_second else one["cpu_ms"]["median"]
    return {"cpu_ms": cpu, "dearest_ms": one["dearest_step_ms"], "poses": poses, "certified": one["certified"], "certificate": one["certificate"], "hash": one["hash"]}


def run_peer(case, scene, engine, options):
    text = options.build / "bench" / f"{case.file}{case.keyframe}.txt"
    text.write_text(scenes.plain(scene), encoding="utf-8")
    run = output([options.build / engine.program, text, case.seconds, repr(engine.step), engine.setting], options.limit)
    cpu = run["cpu_last_second_s"] if case.last_second else run["cpu_s"] / case.seconds
    return {"cpu_ms": 1e3 * cpu, "dearest_ms": 1e3 * run["dearest_step_s"], "poses": [np.array(p) for p in run["poses"]]}


def slide(scene, poses):
    """Displacement of the one body, across the way it ought to go (down the slope, or the way it was thrown) and along it."""
    body, normal = scene.bodies[0], scene.planes[0][0]
    way = body.velocity if body.velocity.any() else scene.gravity - (scene.gravity @ normal) * normal
    way, path = way / np.linalg.norm(way), poses[0][:3] - body.position
    return float(path @ np.cross(normal, way)), float(path @ way), float(path @ normal)


def verdict(case, scene, poses):
    if not np.isfinite(poses).all():
        return "not finite"
    deep = scenes.overlap(scene, poses)
    depth = "" if deep is None else f"overlap {1e3 * deep:.2g} mm"
    if case.judge == "overlap":
        return depth
    if case.judge == "rest":
        return ", ".join(filter(None, (f"moved {1e3 * scenes.moved(scene, poses):.2g} mm", depth)))
    across, along, away = slide(scene, poses)
    told = f"heading {math.degrees(math.atan2(across, along)):.2g}° off" if case.judge == "heading" else f"{along:.3f} m"
    return f"{told}, gap {1e3 * away:.2g} mm"


def measure(case, engines, options):
    """Results of each engine, a list of runs or the reason why there is none; one turn of all engines after another."""
    scene, runs = scenes.read_scene(ROOT / "examples" / f"{case.file}.xml", case.keyframe), {e.name: [] for e in engines}
    for _ in range(options.repeats):
        for engine in engines:
            if isinstance(runs[engine.name], Failure):
                continue
            try:
                runs[engine.name].append((run_ours if engine.ours() else run_peer)(case, scene, engine, options))
            except Failure as failure:
                runs[engine.name] = failure
    return scene, runs


def row(case, scene, engine, results, base):
    if isinstance(results, Failure):
        return f"| {case.name} | {engine.name} | – | – | – | – | {results} | – | – |"
    cpu, last = [r["cpu_ms"] for r in results], results[-1]
    ratio = f"{statistics.median(cpu) / base:.3g}" if base else "–"
    proof = f"{last['certificate']:.1e}{'' if last['certified'] else ' NOT CERTIFIED'} | {last['hash']}" if engine.ours() else "– | –"
    return f"| {case.name} | {engine.name} | {min(cpu):.3g} | {statistics.median(cpu):.3g} | {ratio} | {last['dearest_ms']:.3g} | {verdict(case, scene, last['poses'])} | {proof} |"


def faults(case, engine, results):
    if isinstance(results, Failure):
        return [f"{case.name}: {engine.name}: {results}"]
    told = [] if all(r["certified"] for r in results) else [f"{case.name}: {engine.name}: not certified"]
    return told + ([f"{case.name}: {engine.name}: state hash or certificate differ between repeats"] if len({(r["hash"], r["certificate"]) for r in results}) > 1 else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="folder of the programs (default: build)")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--long", action="store_true", help="also the cases that take minutes")
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a run is given up")
    parser.add_argument("--json", type=pathlib.Path, help="write the numbers, too")
    options = parser.parse_args()
    (options.build / "bench").mkdir(parents=True, exist_ok=True)
    engines = [e for e in ENGINES if (options.build / e.program).exists()]
    wrong, numbers = [], []
    print("| scene | engine | CPU ms per simulated s: least | median | ratio of medians to ours | dearest step, ms | what came of it | worst certificate | state hash |\n" + "|---" * 9 + "|", flush=True)
    for case in CASES:
        if options.only not in case.name or (case.long and not options.long):
            continue
        scene, runs = measure(case, engines, options)
        first = runs[engines[0].name]
        base = None if isinstance(first, Failure) else statistics.median(r["cpu_ms"] for r in first)
        for engine in engines:
            results = runs[engine.name]
            print(row(case, scene, engine, results, base), flush=True)
            if engine.ours():
                wrong += faults(case, engine, results)
            told = {"failed": str(results)} if isinstance(results, Failure) else {"cpu_ms": [r["cpu_ms"] for r in results], "result": verdict(case, scene, results[-1]["poses"])}
            numbers.append({"case": case.name, "engine": engine.name, **told})
    if options.json:
        options.json.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    for line in wrong:
        print(f"bench: {line}", file=sys.stderr)
    return 3 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
