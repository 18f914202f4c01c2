#!/usr/bin/env python3
"""Times our scenes beside other engines and prints a Markdown table: CPU per simulated second (least and median of interleaved repeats), what moved, what overlaps.

  compare.py [--repeats N] [--only NAME]

Every engine gets the same bodies, the same step and one thread; sleeping is off. `moved` is the largest displacement of a body that ought to stand still, `overlap` the deepest overlap of two spheres, both from
the final positions by the same code. Our lines also carry the worst certificate and the state hash, which must not differ between repeats.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "build" / "bench"
STEP = 1 / 60
# name, scene, simulated seconds, does everything stand still, time the last second alone
SCENES = (("S3 tower 1:1000", "examples/heavy_top.xml", 10, True, False), ("S4 pyramid, 210 boxes", "examples/pyramid.xml", 5, True, False),
          ("heap, 1000 spheres, falling", "examples/heap.xml", 0.4, False, False))
LONG = (("S5 heap, 1000 spheres, settled", "examples/heap.xml", 6, False, True),)


def floats(text):
    return [float(x) for x in text.split()]


def read_scene(path):
    """The geoms of a scene of planes, boxes and spheres as dictionaries, in file order."""
    root = ET.parse(path).getroot()
    default = root.find("default/geom")
    default = default.attrib if default is not None else {}
    geoms = []
    for parent in root.iter():
        if parent.tag not in ("worldbody", "body"):
            continue
        for element in parent.findall("geom"):
            get = {**default, **element.attrib}
            kind, size, mu = get.get("type", "sphere"), floats(get["size"]), floats(get["friction"])[0]
            place = floats(parent.get("pos", "0 0 0")) if parent.tag == "body" else floats(get.get("pos", "0 0 0"))
            mass = float(get["mass"]) if "mass" in get else float(get.get("density", 1000)) * 4 / 3 * math.pi * size[0] ** 3
            geoms.append({"kind": kind, "name": parent.get("name"), "place": place, "size": size, "mass": mass, "mu": mu, "normal": floats(get.get("zaxis", "0 0 1"))})
    return geoms


def plain(geoms):
    lines = []
    for g in geoms:
        if g["kind"] == "plane":
            lines.append(["plane", *g["normal"], sum(n * p for n, p in zip(g["normal"], g["place"])), g["mu"]])
        else:
            lines.append([g["kind"], *g["place"], *g["size"], g["mass"], g["mu"]])
    return "".join(" ".join(str(x) for x in line) + "\n" for line in lines)


def moved(geoms, positions):
    return max(math.dist(g["place"], p) for g, p in zip((g for g in geoms if g["kind"] != "plane"), positions))


def overlap(geoms, positions):
    """The deepest overlap of two spheres, by a grid of cells as wide as a sphere."""
    radius = next(g["size"][0] for g in geoms if g["kind"] == "sphere")
    cells, worst = {}, 0.0
    for p in positions:
        cells.setdefault(tuple(math.floor(x / (2 * radius)) for x in p), []).append(p)
    offsets = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]
    for cell, inside in cells.items():
        near = [q for o in offsets for q in cells.get(tuple(c + d for c, d in zip(cell, o)), ())]
        worst = max(worst, max(2 * radius - math.dist(p, q) for p in inside for q in near if p is not q) if len(near) > 1 else 0.0)
    return worst


def command(arguments):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"bench: {' '.join(map(str, arguments))} ended with code {done.returncode}:\n{done.stderr.strip()}")
    return done.stdout


def run_ours(scene, geoms, seconds, last_second):
    """CPU seconds, final positions, certificate, hash. The last second is the difference of the per-step times in the record."""
    import h5py

    record = OUT / "ours.h5"
    run = json.loads(command([ROOT / "build/stiction", "run", ROOT / scene, "--duration", seconds, "--dt", repr(STEP), "--threads", 1, "--quiet", "--keep-going", "--json", "-", *(["--record", record, "--every", 1] if last_second else [])]))
    cpu = run["cpu_s"]
    if last_second:
        with h5py.File(record) as file:
            cpu = float(file["step/cpu_s"][-round(1 / STEP):].sum())
    positions = [run["bodies"][g["name"]]["position"] for g in geoms if g["kind"] != "plane"]
    return {"cpu": cpu, "positions": positions, "certificate": run["certificate"]["worst"], "hash": run["state_hash"]}


def run_bullet(scene, geoms, seconds, last_second, step, iterations):
    text = OUT / (pathlib.Path(scene).stem + ".txt")
    text.write_text(plain(geoms), encoding="utf-8")
    run = json.loads(command([ROOT / "build/peer_bullet", text, seconds, repr(step), iterations]))
    return {"cpu": run["cpu_last_second_s"] if last_second else run["cpu_s"], "positions": run["positions"]}


def engines():
    found = {"Stiction, 1/60": run_ours}
    if (ROOT / "build/peer_bullet").exists():
        found["Bullet, 1/60, 10 sweeps"] = lambda *a: run_bullet(*a, STEP, 10)
        found["Bullet, 1/240, 10 sweeps"] = lambda *a: run_bullet(*a, STEP / 4, 10)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--long", action="store_true", help="the settled heap too, whose fall takes very long")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    print("| scene | engine | CPU ms per simulated s: least | median | ratio of medians | moved or overlap | certificate | state hash |\n|---|---|---|---|---|---|---|---|", flush=True)
    steady = True
    for name, scene, seconds, still, last_second in SCENES + (LONG if options.long else ()):
        if options.only not in name:
            continue
        geoms, runs = read_scene(ROOT / scene), {engine: [] for engine in engines()}
        for _ in range(options.repeats):
            for engine, run in engines().items():
                runs[engine].append(run(scene, geoms, seconds, last_second))
        base = statistics.median(r["cpu"] for r in next(iter(runs.values())))
        for engine, results in runs.items():
            cpu, last = [1e3 * r["cpu"] / (1 if last_second else seconds) for r in results], results[-1]
            error = f"moved {1e3 * moved(geoms, last['positions']):.3g} mm" if still else f"overlap {1e3 * overlap(geoms, last['positions']):.3g} mm"
            proof = f"{last['certificate']:.1e} | {last['hash']}" if "hash" in last else "– | –"
            print(f"| {name} | {engine} | {min(cpu):.3g} | {statistics.median(cpu):.3g} | {statistics.median(r['cpu'] for r in results) / base:.3g} | {error} | {proof} |", flush=True)
            if len({r.get("hash") for r in results}) > 1:
                steady = False
                print(f"bench: {name}: the state hash differs between repeats of {engine}", file=sys.stderr)
    return 0 if steady else 1


if __name__ == "__main__":
    sys.exit(main())
