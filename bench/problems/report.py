#!/usr/bin/env python3
"""Makes a Markdown table and a performance profile of what bench_problems wrote.   report.py IN.json [--figure OUT.svg]

The profile shows for every method the share of the problems that it solves to the certificate within τ times the best method's time. Times below 20 µs count as 20 µs: nobody waits for them."""
import argparse
import json
import math

FLOOR = 0.02  # [ms]
COLOURS = ("#2f6db3", "#1f8a70", "#7f3fbf", "#e69f00", "#444444", "#56b4e9", "#8c6d31", "#d4679f", "#7a9a01")
PROX = "Siconos PROX"


def certified(method):
    return method["status"] == "certified"


def time(method):
    return method["median_ms"]


def best(methods, peer):
    """Name and time of the fastest method of one side that certifies; None without one."""
    done = [(time(m), name) for name, m in methods.items() if m["peer"] == peer and certified(m) and (peer or name != "auto")]
    return min(done) if done else None


def cell(found):
    return f"{found[0]:.3g} ({found[1].removeprefix('Siconos ')})" if found else "–"


def ratio(a, b):
    return f"{max(a, FLOOR) / max(b, FLOOR):.2g}"


def table(problems):
    peers = any(m["peer"] for p in problems for m in p["methods"].values())
    head = ["problem", "form", "contacts", "auto, ms", "certificate", "fastest other method of ours, ms"]
    head += ["Siconos PROX, ms", "fastest Siconos variant, ms", "auto / fastest Siconos", "auto / PROX"] if peers else []
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for p in problems:
        methods, auto = p["methods"], p["methods"]["auto"]
        ok = certified(auto)
        row = [p["problem"], p["form"], str(p["contacts"]), f"{time(auto):.3g}" if ok else auto["status"], f"{auto['certificate']:.1e}" if "certificate" in auto else "–", cell(best(methods, False))]
        if peers:
            prox, fastest = methods.get(PROX, {"status": "not run"}), best(methods, True)
            row += [f"{time(prox):.3g}" if certified(prox) else prox["status"], cell(fastest), ratio(time(auto), fastest[0]) if ok and fastest else "–", ratio(time(auto), time(prox)) if ok and certified(prox) else "–"]
        lines.append("| " + " | ".join(row) + " |")
    return lines + [""] + sums(problems)


def sums(problems):
    autos = [p["methods"]["auto"] for p in problems]
    told = [f"`auto` certifies {sum(map(certified, autos))} of {len(autos)} problems in {sum(time(a) for a in autos if certified(a)):.3g} ms together."]
    both = [(p["methods"]["auto"], p["methods"][PROX]) for p in problems if PROX in p["methods"] and certified(p["methods"]["auto"]) and certified(p["methods"][PROX])]
    if both:
        ours, prox = sum(time(a) for a, _ in both), sum(time(b) for _, b in both)
        told.append(f"On the {len(both)} that Siconos PROX certifies too: `auto` {ours:.3g} ms, PROX {prox:.3g} ms, ratio {ours / prox:.2g}.")
    ratios = [(max(time(p["methods"]["auto"]), FLOOR) / max(best(p["methods"], True)[0], FLOOR), p["problem"]) for p in problems if best(p["methods"], True) and certified(p["methods"]["auto"])]
    if ratios:
        worst = max(ratios)
        told.append(f"Against the fastest Siconos variant of each problem, known only afterwards: at most {worst[0]:.2g} times its time ({worst[1]}); faster on {sum(r < 1 for r, _ in ratios)} of {len(ratios)}.")
    none = [name for name, m in problems[0]["methods"].items() if not any(certified(p["methods"].get(name, {"status": ""})) for p in problems)]
    if none:
        told.append(f"Not one is certified by {', '.join(none)}.")
    return [" ".join(told)]


def profiles(problems):
    """For every method the sorted ratios of its time to the best time, on the problems it certifies."""
    out = {}
    for p in problems:
        times = {name: max(time(m), FLOOR) for name, m in p["methods"].items() if certified(m)}
        for name, t in times.items():
            out.setdefault(name, []).append(t / min(times.values()))
    return {name: sorted(ratios) for name, ratios in out.items()}


def curve(axes, ratios, count, reach, **style):
    x, y = [1.0, *ratios, reach], [0.0, *((i + 1) / count for i in range(len(ratios))), len(ratios) / count]
    axes.step(x, [100 * v for v in y], where="post", **style)


def draw(problems, path):
    """Our methods above, the peers below, `auto` in both; the legends in the order of what is solved, then of how fast."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "stiction"
    curves, count = profiles(problems), len(problems)
    peers = {name: m["peer"] for p in problems for name, m in p["methods"].items()}
    reach = 10 ** math.ceil(math.log10(max(10, *(r[-1] for r in curves.values()))))
    sides = [side for side in (False, True) if side in peers.values()]
    figure, panels = plt.subplots(len(sides), 1, figsize=(9.6, 3.6 * len(sides)), sharex=True, squeeze=False, constrained_layout=True)
    for axes, side in zip(panels[:, 0], sides):
        names = sorted((n for n in curves if peers[n] == side and n != "auto"), key=lambda n: (-len(curves[n]), sum(map(math.log, curves[n]))))
        curve(axes, curves["auto"], count, reach, color="#c0392b", linewidth=2.8, label="auto", zorder=3)
        for i, name in enumerate(names):
            curve(axes, curves[name], count, reach, color=COLOURS[i % len(COLOURS)], linestyle=("-", "--")[i // len(COLOURS)], linewidth=1.3, label=name.removeprefix("Siconos "))
        axes.set_xscale("log")
        axes.set_xlim(1, reach)
        axes.set_ylim(0, 103)
        axes.set_ylabel("problems solved within τ [%]")
        axes.set_title("Siconos, and auto" if side else "Stiction's methods", loc="left", fontsize=11)
        axes.grid(True, which="major", color="#dddddd")
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9, handlelength=2.2, labelspacing=0.35)
    panels[-1, 0].set_xlabel("τ: time to a certificate of 1e-8 in multiples of the fastest method on that problem")
    figure.suptitle(f"{count} friction problems from cold, one thread", fontsize=12)
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input")
    parser.add_argument("--figure", help="where to draw the performance profile (needs matplotlib)")
    options = parser.parse_args()
    with open(options.input, encoding="utf-8") as file:
        problems = json.load(file)["problems"]
    print("\n".join(table(problems)))
    if options.figure:
        draw(problems, options.figure)


if __name__ == "__main__":
    main()
