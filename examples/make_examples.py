#!/usr/bin/env python3
"""Writes the larger example scenes as MJCF: pyramid, struck_pyramid, cannonballs, arch, cards, heap, terrain."""
import argparse
import math
import pathlib
import random

SAND, STONE, RED, BLUE, GREEN = "0.80 0.72 0.55 1", "0.62 0.60 0.57 1", "0.75 0.25 0.20 1", "0.20 0.45 0.70 1", "0.35 0.55 0.35 1"


def numbers(values):
    return " ".join(f"{v:.17g}" for v in values)


def scene(name, comment, bodies, timestep=1 / 60, assets=""):
    assets = f"  <asset>\n{assets}  </asset>\n" if assets else ""
    return (
        f'<!-- {comment} -->\n<mujoco model="{name}">\n  <option timestep="{timestep:.17g}" gravity="0 0 -9.81"/>\n'
        f"{assets}  <worldbody>\n{bodies}  </worldbody>\n</mujoco>\n"
    )


def floor(friction):
    return f'    <geom name="floor" type="plane" size="50 50 1" friction="{friction} 0 0"/>\n'


def body(name, position, geom, quaternion=(1, 0, 0, 0)):
    return f'    <body name="{name}" pos="{numbers(position)}" quat="{numbers(quaternion)}"><freejoint/><geom {geom}/></body>\n'


def box(name, position, half, mass, friction, colour, quaternion=(1, 0, 0, 0)):
    return body(name, position, f'type="box" size="{numbers(half)}" mass="{mass:.17g}" friction="{friction} 0 0" rgba="{colour}"', quaternion)


def pyramid(rows=20, pitch=1.1, friction=0.6):
    bodies = floor(friction)
    for row in range(rows):
        count = rows - row
        for i in range(count):
            bodies += box(f"b{row}_{i}", (pitch * (i - (count - 1) / 2), 0, 0.5 + row), (0.5, 0.5, 0.5), 100, friction, SAND)
    return scene("pyramid", f"A wall of {rows * (rows + 1) // 2} boxes of 1 m and 100 kg in {rows} rows: about 1600 contact points that all hold.", bodies)


def struck_pyramid(rows=20, mass=1000, radius=0.5, speed=20):
    """The wall of `pyramid`, whose file it includes, and a ball that flies at it."""
    count = rows * (rows + 1) // 2
    ball = f'    <body name="ball" pos="0.3 -4 5.2"><freejoint/><geom type="sphere" size="{radius}" mass="{mass}" friction="0.6 0 0" rgba="{RED}"/></body>\n'
    velocity = "0 " * 6 * count + f"0 {speed} 0 0 0 0"
    return (f'<!-- A ball of {mass} kg is shot at {speed} m/s into a wall of {count} boxes of 100 kg. -->\n<mujoco model="struck_pyramid">\n  <include file="pyramid.xml"/>\n'
            f'  <worldbody>\n{ball}  </worldbody>\n  <keyframe>\n    <key name="shot" qvel="{velocity}"/>\n  </keyframe>\n</mujoco>\n')


def cannonballs(layers=8, radius=0.1, mass=4, friction=0.8):
    """Square layers, each ball in the hollow of four below."""
    bodies = floor(friction)
    for k in range(layers):
        for i in range(layers - k):
            for j in range(layers - k):
                place = (radius * (2 * i - (layers - 1 - k)), radius * (2 * j - (layers - 1 - k)), radius * (1 + k * math.sqrt(2)))
                bodies += body(f"c{k}_{i}_{j}", place, f'type="sphere" size="{radius}" mass="{mass}" friction="{friction} 0 0" rgba="{(STONE, SAND)[k % 2]}"')
    return scene("cannonballs", f"A square pile of cannonballs in {layers} layers, held up by friction alone. It could slump as well; what can stand stands.", bodies)


def arch(stones=25, radius=5.0, thickness=0.2, depth=1.0, friction=0.7):
    """A semicircular arch of equal wedges (voussoirs); thickness is relative to the mean radius."""
    inner, outer = radius * (1 - thickness / 2), radius * (1 + thickness / 2)
    assets, bodies = "", floor(friction)
    for i in range(stones):
        first, last = math.pi * i / stones, math.pi * (i + 1) / stones
        middle = (first + last) / 2
        centre = (radius * math.cos(middle), 0, radius * math.sin(middle))
        corners = [(r * math.cos(a) - centre[0], y, r * math.sin(a) - centre[2]) for a in (first, last) for r in (inner, outer) for y in (-depth / 2, depth / 2)]
        assets += f'    <mesh name="wedge{i}" vertex="{numbers(x for corner in corners for x in corner)}"/>\n'
        bodies += body(f"v{i}", centre, f'type="mesh" mesh="wedge{i}" density="2400" friction="{friction} 0 0" rgba="{STONE}"')
    return scene("arch", f"A dry stone arch of {stones} voussoirs, thickness {thickness:g} of the radius: it stands by friction alone.", bodies, assets=assets)


def cards(levels=3, length=1.0, depth=0.7, thickness=0.02, friction=0.6, lean=70):
    """Pairs of cards leaning at `lean` degrees from the floor, roofed by flat cards, level upon level."""
    angle, tilt = math.radians(lean), math.radians(90 - lean) / 2
    height = length * math.sin(angle) + thickness * math.cos(angle)
    reach = (length * math.cos(angle) + thickness * math.sin(angle)) / 2  # from the ridge to the middle of a card, seen from above
    bodies, z, count = floor(friction), 0.0, 0
    for level in range(levels):
        tents = levels - level
        ridges = [4 * reach * (i - (tents - 1) / 2) for i in range(tents)]
        for ridge in ridges:
            for side in (-1, 1):
                bodies += box(f"card{count}", (ridge + side * reach, 0, z + height / 2), (thickness / 2, depth / 2, length / 2), 0.1, friction,
                              RED if side < 0 else BLUE, (math.cos(tilt), 0, -side * math.sin(tilt), 0))
                count += 1
        z += height
        for left, right in zip(ridges, ridges[1:]):
            bodies += box(f"card{count}", ((left + right) / 2, 0, z + thickness / 2), (2 * reach * 0.999, depth / 2, thickness / 2), 0.1, friction, SAND)
            count += 1
        z += thickness
    return scene("cards", f"A card house of {levels} storeys, {count} cards leaning at {lean} degrees.", bodies)


def heap(side=10, layers=10, radius=0.1, half_width=1.2, friction=0.5, seed=12345):
    draw = random.Random(seed)
    walls = ((-1, 0), (1, 0), (0, -1), (0, 1))
    bodies = floor(friction) + "".join(
        f'    <geom type="plane" size="5 5 1" pos="{half_width * x:g} {half_width * y:g} 0" zaxis="{-x} {-y} 0" friction="{friction} 0 0" rgba="0.8 0.8 0.8 0.1"/>\n' for x, y in walls)
    for k in range(layers):
        for j in range(side):
            for i in range(side):
                place = (0.23 * (i - (side - 1) / 2) + draw.uniform(-0.01, 0.01), 0.23 * (j - (side - 1) / 2) + draw.uniform(-0.01, 0.01), 0.15 + 0.23 * k)
                bodies += body(f"s{(k * side + j) * side + i}", place, f'type="sphere" size="{radius}" density="1000" friction="{friction} 0 0" rgba="{(BLUE, SAND, GREEN)[k % 3]}"')
    return scene("heap", f"{side * side * layers} spheres of radius {radius} m fall into a box of {2 * half_width:g} m and come to rest.", bodies)


def terrain(cells=41, half=4.0, seed=7):
    """A bumpy valley, the same on both sides of its middle line y = 0, and solids that roll and slide down it."""
    def height(x, y):
        return 0.30 * (half - x) + 0.04 * y * y + 0.10 * math.sin(2.2 * x) * math.cos(1.9 * y) + 0.05 * math.cos(4.1 * x + 0.5) * math.cos(3.3 * y)

    grid = [-half + 2 * half * i / (cells - 1) for i in range(cells)]
    heights = [height(x, y) for y in grid for x in grid]
    low, high = min(heights), max(heights)
    assets = f'    <hfield name="hill" nrow="{cells}" ncol="{cells}" size="{half} {half} {high - low:.17g} 0.5" elevation="{" ".join(f"{z - low:.6f}" for z in heights)}"/>\n'
    bodies = '    <geom name="hill" type="hfield" hfield="hill" friction="0.4 0 0" rgba="0.45 0.52 0.38 1"/>\n'
    bodies += f'    <geom name="stop" type="box" size="0.1 {half} 0.9" pos="{half - 0.1:g} 0 0.9" friction="0.4 0 0" rgba="0.5 0.5 0.5 1"/>\n'
    draw = random.Random(seed)
    shapes = [("sphere", "0.15", RED), ("box", "0.15 0.12 0.10", SAND), ("capsule", "0.10 0.15", BLUE), ("cylinder", "0.14 0.10", GREEN)]
    for row in range(3):
        for column in range(8):
            kind, size, colour = shapes[(row + column) % 4]
            x, y = -half + 0.8 + 0.8 * row, -2.8 + 0.8 * column
            axis = [draw.gauss(0, 1) for _ in range(4)]
            norm = math.sqrt(sum(a * a for a in axis))
            bodies += body(f"{kind}{row}_{column}", (x, y, height(x, y) - low + 0.35), f'type="{kind}" size="{size}" density="500" friction="0.4 0 0" rgba="{colour}"', [a / norm for a in axis])
    return scene("terrain", "Spheres, boxes, capsules and cylinders roll and slide down a bumpy valley, a height field.", bodies, timestep=0.005, assets=assets)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent, help="where to (default: beside this script)")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for make in (pyramid, struck_pyramid, cannonballs, arch, cards, heap, terrain):
        (folder / f"{make.__name__}.xml").write_text(make(), encoding="utf-8")
        print(folder / f"{make.__name__}.xml")


if __name__ == "__main__":
    main()
