#!/usr/bin/env python3
"""Draws how far a pendulum drifts off its constraint, from the table of examples/cpp/Pendulum.cpp.

  plot_drift.py drift.csv [-o docs/figures/pendulum-drift.svg]

Needs matplotlib (scripts/setup_python.sh makes build/pyenv with it)."""
import argparse
import csv

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SERIES = {
    "position_level": ("position level (default)", "#2f6db3", "o"),
    "baumgarte": ("Baumgarte, α = 10 / s², β = 10 / s", "#c0392b", "s"),
    "baumgarte_without_velocity_product": ("the same without $\\dot J \\dot q$", "#e69f00", "^"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("-o", "--output", default="docs/figures/pendulum-drift.svg")
    options = parser.parse_args()
    with open(options.table, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    matplotlib.rcParams["svg.hashsalt"] = "stiction"
    figure, axes = plt.subplots(figsize=(6.4, 3.8), constrained_layout=True)
    for key, (label, colour, marker) in SERIES.items():
        axes.loglog([1e3 * float(row["dt"]) for row in rows], [min(float(row[key]), 1e3) for row in rows], marker=marker, color=colour, label=label)
    axes.set_ylim(1e-15, 1e3)
    axes.set_xlabel("time step [ms]")
    axes.set_ylabel("largest | |X| − d | in 10 s [m]")
    axes.set_title("A pendulum of 1 m, released level")
    axes.grid(True, which="major", color="#dddddd")
    axes.legend(frameon=False, loc="center right")
    figure.savefig(options.output, metadata={"Date": None})
    print(options.output)


if __name__ == "__main__":
    main()
