#!/usr/bin/env python3
"""One line of a table for each run that `stiction run --json` wrote.   summary.py --header | summary.py FILE.json..."""
import json
import pathlib
import sys

COLUMNS = "{:<15}{:>7}{:>10}{:>12}{:>11}{:>13}{:>12}{:>14}"


def line(run, name):
    steps, certified = run["steps"], run["certified_steps"]
    return COLUMNS.format(name, f"{run['time']:.3g} s", run["contacts"]["max"], f"{certified}/{steps}", f"{run['certificate']['worst']:.1e}", f"{run['penetration_m']['max'] * 1e9:.3g} nm",
                          f"{abs(run['energy_J']['closure_relative']):.1e}", f"{1e3 * run['cpu_s'] / run['time']:.3g} ms/s")


def main():
    if "--header" in sys.argv:
        print(COLUMNS.format("scene", "time", "contacts", "certified", "worst", "penetration", "closure", "CPU per s"), flush=True)
        return
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        print(line(json.loads(path.read_text(encoding="utf-8")), path.stem), flush=True)


if __name__ == "__main__":
    main()
