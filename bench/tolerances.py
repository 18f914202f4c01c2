#!/usr/bin/env python3
"""Cost against accuracy: scenes at tolerances from 1e-2 to 1e-12, and beside them what other engines reach.

  tolerances.py STICTION [--repeats N] [--peers FILE] [--figure FILE]     prints a Markdown table

For each run the worst certificate and the overlap left at the end, whatever was asked for. FILE of --peers is what peers/compare.py --json wrote.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Name, file, simulated time [s], the finest tolerance 10^-k, further options.
SCENES = (
    ("S4 pyramid, 210 boxes", "pyramid", 5.0, 12, []),
    ("S4b pyramid, struck", "struck_pyramid", 0.2, 10, ["--keyframe", "shot"]),
    ("S5 heap, 1000 spheres, falling", "heap", 0.4, 12, []),
    ("S5 heap, landing", "heap", 0.8, 12, []),
    ("S6 arch", "arch", 2.0, 12, []),
)
COLOURS = ("#c0392b", "#2980b9", "#27ae60", "#8e44ad", "#d68910", "#7f8c8d")


def measure(program, file, seconds, more, tolerance, repeats):
    """Median CPU [ms] per simulated second, worst certificate, overlap at the end [mm], steps certified and asked for."""
    runs = []
    for _ in range(repeats):
        command = [program, "run", str(ROOT / "examples" / f"{file}.xml"), "--duration", str(seconds), "--threads", "1", "--tol", f"{tolerance:g}", "--json", "-", *more]
        runs.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout))
    cpu = statistics.median(1e3 * run["cpu_s"] / run["time"] for run in runs)
    run = runs[0]
    return {"tolerance": tolerance, "cpu": cpu, "certificate": run["certificate"]["worst"], "overlap": 1e3 * run["penetration_m"]["end"], "certified": run["certified_steps"], "steps": run["steps"]}


def others(path):
    """(case, engine, CPU ms per simulated second, overlap [mm]) of other engines."""
    points = []
    for row in json.loads(pathlib.Path(path).read_text()):
        overlap = re.search(r"overlap ([-+.\de]+) mm", row.get("result", ""))
        if overlap and not row["engine"].startswith("Stiction"):
            points.append((row["case"], row["engine"], statistics.median(row["cpu_ms"]), float(overlap[1])))
    return points


def draw(results, peers, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "stiction"
    least = 1e-13  # mm, certificates below 1e-15 alike: drawn at the edge
    figure, panels = plt.subplots(2, len(results), figsize=(4.2 * len(results), 7.2), squeeze=False, constrained_layout=True)
    for column, (name, rows) in enumerate(results.items()):
        above, below = panels[:, column]
        cpu = [row["cpu"] for row in rows]
        above.loglog([max(row["certificate"], 1e-15) for row in rows], cpu, "o-", color=COLOURS[0], label="worst certificate reached")
        above.loglog([row["tolerance"] for row in rows], cpu, ".--", color="#999999", label="tolerance asked for")
        above.set_ylim(min(cpu) / 3, 3 * max(cpu))
        above.set_title(name, loc="left", fontsize=10)
        above.set_xlabel("relative certificate")
        below.loglog([max(row["overlap"], least) for row in rows], cpu, "o", color=COLOURS[0], label="Stiction, all tolerances")
        engines = sorted({engine.split(",")[0] for case, engine, _, _ in peers if case == name})
        for i, engine in enumerate(engines):
            points = [(max(overlap, least), time) for case, setting, time, overlap in peers if case == name and setting.split(",")[0] == engine]
            below.loglog(*zip(*points), "s", color=COLOURS[1 + i], markersize=5, label=f"{engine}, its settings")
        below.set_xlabel("overlap at the end [mm]")
        for axes in (above, below):
            axes.set_ylabel("CPU ms per simulated second")
            axes.grid(True, which="major", color="#dddddd")
            axes.legend(frameon=False, fontsize=8)
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peers", help="what peers/compare.py --json wrote")
    parser.add_argument("--figure", help="where to draw (needs matplotlib)")
    arguments = parser.parse_args()
    results = {
        name: [measure(arguments.program, file, seconds, more, 10.0**-k, arguments.repeats) for k in range(2, finest + 1)] for name, file, seconds, finest, more in SCENES
    }
    print("| scene | tolerance | certified | CPU ms per simulated s | worst certificate | overlap at the end, mm |")
    print("|---|---|---|---|---|---|")
    for name, rows in results.items():
        for row in rows:
            print(f"| {name} | {row['tolerance']:.0e} | {row['certified']} of {row['steps']} | {row['cpu']:.3g} | {row['certificate']:.1e} | {row['overlap']:.1e} |")
    if arguments.figure:
        draw(results, others(arguments.peers) if arguments.peers else [], arguments.figure)


if __name__ == "__main__":
    main()
