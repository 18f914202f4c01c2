#!/usr/bin/env python3
"""Holds the includes of the sources to the layering of the rooms.

The ranks stand in src/CMakeLists.txt (stiction_room(NAME RANK n ...)) and nowhere else. The rules:
  src/A may include src/B when B is A or has a lower rank; equal ranks do not include each other;
  nothing in src includes the public API, the program or the tests;
  a third-party library is included by the rooms that own it alone, and <iostream> by no room;
  the program, the benchmarks and the tests may include any room, the examples and bindings only the public API.

  check_layers.py               checks the working tree; exit 1 with a line for each violation
  check_layers.py --self-test   checks that violations are found
"""
import argparse
import pathlib
import re
import sys
import tempfile

ROOM = re.compile(r"^\s*stiction_room\((\w+)\s+RANK\s+(\d+)", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)
SOURCES = {".cpp", ".hpp", ".h", ".cc"}

# Third-party headers (the start of the include path) and the rooms that own them.
OWNERS = {
    "mujoco/": {"io"},
    "hdf5": {"io"},
    "H5": {"io"},
    "nlohmann/": {"io"},
    "coal/": {"collision"},
    "libqhull_r/": {"geometry"},
    "amd.h": {"linalg"},
    "iostream": set(),
}
# Folders outside src that see the public API alone.
PUBLIC_ONLY = ("examples", "bindings", "viewer")


def ranks_of(root):
    text = (root / "src" / "CMakeLists.txt").read_text(encoding="utf-8")
    return {name: int(rank) for name, rank in ROOM.findall(text)}


def includes_of(path):
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def sources_below(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SOURCES) if folder.is_dir() else []


def violations_in_room(room, quote, target, ranks):
    """What is wrong with src/<room> including <target>; None when nothing is."""
    first = target.split("/")[0]
    if quote == '"' and first in ranks and "/" in target:
        if first != room and ranks[first] >= ranks[room]:
            return f"src/{room} (rank {ranks[room]}) may not include src/{first} (rank {ranks[first]}): only rooms of lower rank"
        return None
    if first in ("stiction", "cli", "tests", "bench"):
        return f"src/{room} may not include {first}/: the rooms know nothing of what is built on them"
    for prefix, owners in OWNERS.items():
        if target.startswith(prefix) and room not in owners:
            return f"src/{room} may not include <{target}>: it belongs to {', '.join(sorted('src/' + o for o in owners)) or 'no room'}"
    return None


def check(root):
    ranks = ranks_of(root)
    found = [] if ranks else [f"{root}/src/CMakeLists.txt: no stiction_room(NAME RANK n ...) in it"]
    for path in sources_below(root / "src"):
        room = path.relative_to(root / "src").parts[0]
        if room not in ranks:
            found.append(f"{path.relative_to(root)}: src/{room} is not a room of src/CMakeLists.txt")
            continue
        for line, quote, target in includes_of(path):
            wrong = violations_in_room(room, quote, target, ranks)
            if wrong:
                found.append(f"{path.relative_to(root)}:{line}: {wrong}")
    for folder in PUBLIC_ONLY:
        for path in sources_below(root / folder):
            for line, quote, target in includes_of(path):
                if target.split("/")[0] in ranks and "/" in target:
                    found.append(f"{path.relative_to(root)}:{line}: {folder}/ sees the public API alone, not src/{target}")
    return found


def self_test():
    """Writes a small tree with one violation of each rule and expects exactly those."""
    files = {
        "src/CMakeLists.txt": "stiction_room(base RANK 0)\nstiction_room(math RANK 1)\nstiction_room(solvers RANK 4)\nstiction_room(certify RANK 4)\n",
        "src/math/Good.hpp": '#include <vector>\n#include "base/Assert.hpp"\n#include "math/Types.hpp"\n',
        "src/base/Upward.cpp": '#include "math/Types.hpp"\n',
        "src/certify/Sideways.cpp": '\n  #  include "solvers/Solver.hpp"\n',
        "src/math/Foreign.hpp": "#include <mujoco/mujoco.h>\n",
        "src/math/Print.cpp": "#include <iostream>\n",
        "src/math/Public.cpp": "#include <stiction/stiction.hpp>\n",
        "src/attic/Lost.cpp": "\n",
        "examples/Reach.cpp": '#include "math/Types.hpp"\n',
    }
    expected = {"src/base/Upward.cpp:1", "src/certify/Sideways.cpp:2", "src/math/Foreign.hpp:1", "src/math/Print.cpp:1", "src/math/Public.cpp:1", "src/attic/Lost.cpp", "examples/Reach.cpp:1"}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        found = {line.split(": ")[0] for line in check(root)}
    if found != expected:
        print(f"layers: the self-test missed {sorted(expected - found)} and invented {sorted(found - expected)}", file=sys.stderr)
        return 1
    print(f"layers: self-test finds all {len(expected)} violations")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true")
    if parser.parse_args().self_test:
        return self_test()
    root = pathlib.Path(__file__).resolve().parent.parent
    found = check(root)
    for line in found:
        print(line, file=sys.stderr)
    if found:
        print("layers: move the code to the room it belongs to, or the shared part to a lower room (docs/architecture.md)", file=sys.stderr)
        return 1
    print(f"layers: {len(ranks_of(root))} rooms in order")
    return 0


if __name__ == "__main__":
    sys.exit(main())
