#!/usr/bin/env python3
"""Runs random scenes for a while and holds each to what must be true of any scene: every step certified, the ledger closed, friction and impact dissipative, nothing through the floor or the walls, the same
state hash with one and two threads. A scene that fails is kept, and its seed printed.

  random_scenes.py [--program build/stiction] [--minutes M] [--seed S]      one scene: --minutes 0
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HALF = 2.0  # [m] half width of the box that holds every scene


def unit(draw, count):
    values = [draw.gauss(0, 1) for _ in range(count)]
    norm = math.sqrt(sum(v * v for v in values))
    return " ".join(f"{v / norm:.17g}" for v in values)


def shape(draw, kinds, index):
    """(asset, geom attributes, bounding radius)"""
    kind, r = draw.choice(kinds), draw.uniform(0.1, 0.3)
    if kind == "sphere":
        return "", f'type="sphere" size="{r}"', r
    if kind == "box":
        size = [r * draw.choice((1, 1, draw.uniform(0.2, 1))) for _ in range(3)]
        return "", f'type="box" size="{size[0]} {size[1]} {size[2]}"', math.hypot(*size)
    if kind in ("capsule", "cylinder"):
        length = r * draw.uniform(0.3, 1.5)
        return "", f'type="{kind}" size="{r} {length}"', (r + length if kind == "capsule" else math.hypot(r, length))
    if kind == "ellipsoid":
        return "", f'type="ellipsoid" size="{r} {r * draw.uniform(0.4, 1)} {r * draw.uniform(0.4, 1)}"', r
    corners = " ".join(unit(draw, 3) for _ in range(draw.randint(5, 14)))
    return f'    <mesh name="hull{index}" vertex="{corners}" scale="{r} {r} {r}"/>\n', f'type="mesh" mesh="hull{index}"', 1.5 * r


def free_place(draw, reach, taken):
    """The lowest place over a random spot where the bounding sphere touches no other."""
    side = HALF - reach - 0.01
    x, y, z = draw.uniform(-side, side), draw.uniform(-side, side), reach + 0.01
    while any(math.dist((x, y, z), place) < reach + other + 0.01 for place, other in taken):
        z += 0.05
    return x, y, z


def scene(seed):
    draw = random.Random(seed)
    kinds = draw.choice((["sphere"], ["box"], ["box", "sphere"], ["capsule", "cylinder", "sphere"], ["hull"], ["box", "sphere", "capsule", "cylinder", "ellipsoid", "hull"]))
    step, restitution, heavy = draw.choice((1 / 60, 1 / 240, 0.01, 0.002)), draw.choice((0, 0, 0, 0.5, 1)), draw.choice((1, 1, 100, 1e4))
    assets, bodies, taken = "", "", []
    outside = {}  # how far a body's origin may be outside its shape: a hull of a few random corners need not hold it
    for index in range(draw.randint(2, 40)):
        asset, geom, reach = shape(draw, kinds, index)
        assets += asset
        place = free_place(draw, reach, taken)
        taken.append((place, reach))
        outside[f"b{index}"] = reach if "hull" in geom else 0.0
        density = 1000 * (heavy if draw.random() < 0.1 else 1)
        bodies += (f'    <body name="b{index}" pos="{" ".join(f"{x:.6f}" for x in place)}" quat="{unit(draw, 4)}"><freejoint/>'
                   f'<geom {geom} density="{density:g}" friction="{draw.choice((0, 0.1, 0.5, 0.9, 1.5))} 0 0"/></body>\n')
    walls = "".join(f'    <geom type="plane" size="9 9 1" pos="{HALF * x} {HALF * y} 0" zaxis="{-x} {-y} 0" friction="0.5 0 0"/>\n' for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))
    custom = f'  <custom><numeric name="stiction_restitution" data="{restitution}"/></custom>\n' if restitution else ""
    text = (f'<!-- random scene, seed {seed} -->\n<mujoco model="random{seed}">\n  <option timestep="{step:.17g}" gravity="0 0 -9.81"/>\n{custom}  <asset>\n{assets}  </asset>\n  <worldbody>\n'
            f'    <geom type="plane" size="9 9 1" friction="{draw.choice((0, 0.5))} 0 0"/>\n{walls}{bodies}  </worldbody>\n</mujoco>\n')
    return text, draw.choice((1.0, 2.0, 4.0)), outside


def run(program, path, seconds, threads):
    done = subprocess.run([program, "run", str(path), "--duration", repr(seconds), "--threads", str(threads), "--json", "-", "--quiet", "--keep-going"], capture_output=True, text=True, timeout=1800)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
    return json.loads(done.stdout)


def faults(first, second, outside):
    energy, found = first["energy_J"], []
    if first["certified_steps"] != first["steps"]:
        found.append(f"{first['certified_steps']} of {first['steps']} steps certified, first failure {first['first_uncertified']}")
    if not abs(energy["closure_relative"]) <= 1e-12:
        found.append(f"ledger closes to {energy['closure_relative']:.1e}")
    scale = max(abs(energy["start"]), abs(energy["end"]), energy["friction"], energy["impact"], 1.0)
    found += [f"{line} is {energy[line]:.3e} J" for line in ("friction", "impact") if energy[line] < -1e-8 * scale]
    for name, body in first["bodies"].items():
        x, y, z = body["position"]
        if not all(math.isfinite(v) for values in body.values() for v in values):
            found.append(f"{name} is not finite")
        elif max(abs(x), abs(y)) > HALF + outside[name] or z < -outside[name]:
            found.append(f"{name} left the box at {x:.3f} {y:.3f} {z:.3f}")
    if first["state_hash"] != second["state_hash"]:
        found.append("one and two threads differ")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/stiction")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    options = parser.parse_args()
    kept = pathlib.Path(tempfile.mkdtemp(prefix="random-scenes-"))
    end, seed, count, failed = time.monotonic() + 60 * options.minutes, options.seed, 0, 0
    while count == 0 or time.monotonic() < end:
        text, seconds, outside = scene(seed)
        path = kept / f"random{seed}.xml"
        path.write_text(text, encoding="utf-8")
        try:
            found = faults(run(options.program, path, seconds, 1), run(options.program, path, seconds, 2), outside)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            found = [str(error)]
        if found:
            failed += 1
            print(f"seed {seed}: {'; '.join(found)}   [{path}, {seconds:g} s]", flush=True)
        else:
            path.unlink()
        seed, count = seed + 1, count + 1
    print(f"random scenes: {count} run from seed {options.seed}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
