#!/usr/bin/env python3
"""Draws a recorded run as one picture: the bodies at the start, in the middle and at the end, the energy account, and the certificate of every step.

  plot_run.py RECORD.h5 [-o PICTURE.png] [--scene SCENE.xml]      --scene: where the meshes named by the scene are found

Needs numpy, h5py and matplotlib (scripts/setup_python.sh makes build/pyenv with them)."""
import argparse
import itertools
import pathlib
import xml.etree.ElementTree as ET

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

INK, FAINT = "#23272e", "#9aa1ab"
LINES = {"kinetic": "#2f6db3", "potential": "#6aa84f", "total": INK, "friction": "#c0392b", "impact": "#e69f00", "external_work": "#7d5ba6", "actuator_work": "#8c6d46",
         "scheme": "#777777", "stabilisation": "#3aa6a0", "compliance": "#b85c8e", "damping": "#5c7fb8", "elastic": "#a3b93a"}
LIGHT = np.array([0.35, -0.55, 0.76])


# ---------------------------------------------------------------- the scene: geoms as closed polygons in the frame of their body
def floats(text, default):
    return np.array([float(x) for x in text.split()]) if text else np.array(default, float)


def rotation(quaternion):
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def turn_of(get):
    """Rotation of a geom from quat, euler (degrees, intrinsic xyz) or zaxis."""
    if get("euler"):
        result = np.eye(3)
        for axis, angle in enumerate(np.radians(floats(get("euler"), [0, 0, 0]))):
            unit = np.eye(3)[axis]
            result = result @ rotation(np.array([np.cos(angle / 2), *(np.sin(angle / 2) * unit)]))
        return result
    if get("zaxis"):
        z = floats(get("zaxis"), [0, 0, 1])
        z = z / np.linalg.norm(z)
        x = np.cross(np.eye(3)[np.argmin(abs(z))], z)
        x /= np.linalg.norm(x)
        return np.column_stack([x, np.cross(z, x), z])
    return rotation(floats(get("quat"), [1, 0, 0, 0]))


def hull_faces(points):
    """Triangles of the convex hull of a few points, by testing every triple."""
    faces = []
    for i, j, k in itertools.combinations(range(len(points)), 3):
        normal = np.cross(points[j] - points[i], points[k] - points[i])
        side = (points - points[i]) @ normal
        if np.linalg.norm(normal) > 1e-12 and (side.max() < 1e-9 * abs(side).max() or side.min() > -1e-9 * abs(side).max()):
            faces.append(points[[i, j, k]])
    return faces


def read_obj(path):
    vertices, faces = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            faces.append([int(w.split("/")[0]) - 1 for w in words[1:]])
    return [np.array([vertices[i] for i in face]) for face in faces]


def revolve(profile, sides=20):
    """Faces of the surface of revolution of (radius, z) about z."""
    angles = np.linspace(0, 2 * np.pi, sides + 1)
    rings = [np.column_stack([r * np.cos(angles), r * np.sin(angles), np.full(sides + 1, z)]) for r, z in profile]
    return [np.array([low[i], low[i + 1], high[i + 1], high[i]]) for low, high in zip(rings, rings[1:]) for i in range(sides)]


def box_faces(half):
    corner = np.array(list(itertools.product((-1, 1), repeat=3))) * half
    return [corner[list(face)] for face in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))]


def tiles(face, count=12):
    """A large quadrilateral cut into small ones, so that painter's order holds for what stands on it."""
    s = np.linspace(0, 1, count + 1)
    grid = [[(1 - v) * ((1 - u) * face[0] + u * face[1]) + v * ((1 - u) * face[3] + u * face[2]) for u in s] for v in s]
    return [np.array([grid[j][i], grid[j][i + 1], grid[j + 1][i + 1], grid[j + 1][i]]) for j in range(count) for i in range(count)]


def hill_faces(field, every=2):
    rows, columns = int(field.get("nrow")), int(field.get("ncol"))
    half_x, half_y, top, _ = floats(field.get("size"), [1, 1, 1, 1])
    z = floats(field.get("elevation"), np.zeros(rows * columns)).reshape(rows, columns)[::-1]
    z = top * (z - z.min()) / max(np.ptp(z), 1e-12)
    x, y = np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows)
    return [np.array([[x[i + di], y[j + dj], z[j + dj, i + di]] for di, dj in ((0, 0), (every, 0), (every, every), (0, every))])
            for j in range(0, rows - every, every) for i in range(0, columns - every, every)]


class Scene:
    """Geoms by body: (kind, faces or radius, colour). Reads the part of MJCF that the example scenes use."""

    def __init__(self, text, folder):
        root = ET.fromstring(text)
        default = root.find("default/geom")
        self.default = default.attrib if default is not None else {}
        self.folder = folder
        self.meshes = {m.get("name"): m for m in root.iter("mesh") if m.get("name")}
        self.fields = {f.get("name"): f for f in root.iter("hfield")}
        self.bodies, self.floors = {}, []
        world = root.find("worldbody")
        self.bodies["world"] = [(kind, [tile for face in shape for tile in tiles(face)] if kind == "box" else shape, colour)
                                for kind, shape, colour in filter(None, map(self.geom, world.findall("geom")))]
        for index, body in enumerate(world.iter("body"), 1):
            self.bodies[body.get("name") or f"body_{index}"] = [g for g in map(self.geom, body.findall("geom")) if g]

    def geom(self, element):
        def get(key, fallback=None):
            return element.get(key, self.default.get(key, fallback))

        kind, size, offset, turn = get("type", "sphere"), floats(get("size"), [0, 0, 0]), floats(get("pos"), [0, 0, 0]), turn_of(get)
        colour = floats(get("rgba"), [0.62, 0.66, 0.71, 1])
        if kind == "plane":
            if colour[3] > 0.5:
                self.floors.append((offset, turn))
            return None
        if kind == "sphere":
            return "sphere", (offset, size[0]), colour
        faces = {"box": lambda: box_faces(size), "mesh": lambda: self.mesh(self.meshes[get("mesh")]), "hfield": lambda: hill_faces(self.fields[get("hfield")]),
                 "cylinder": lambda: revolve([(0, -size[1]), (size[0], -size[1]), (size[0], size[1]), (0, size[1])]),
                 "ellipsoid": lambda: [f * size for f in revolve([(np.sin(a), -np.cos(a)) for a in np.linspace(0, np.pi, 11)])],
                 "capsule": lambda: revolve([(size[0] * np.cos(a), np.sign(a) * size[1] + size[0] * np.sin(a)) for a in np.radians([-90, -60, -30, -1e-9, 1e-9, 30, 60, 90])])}[kind]()
        return kind, [face @ turn.T + offset for face in faces], colour

    def mesh(self, element):
        scale = floats(element.get("scale"), [1, 1, 1])
        if element.get("vertex"):
            return hull_faces(floats(element.get("vertex"), []).reshape(-1, 3) * scale)
        path = self.folder / element.get("file")
        return [face * scale for face in read_obj(path)] if path.suffix == ".obj" and path.exists() else []


# ---------------------------------------------------------------- the camera
class Camera:
    """Orthographic, painter's order."""

    def __init__(self, low, high):
        extent = high - low
        azimuth, elevation = np.radians(-74 if extent[1] < 0.35 * extent[0] else -58), np.radians(16 if extent[2] > 0.6 * extent[0] else 26)
        back = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
        right = np.array([-np.sin(azimuth), np.cos(azimuth), 0])
        self.axes, self.back = np.array([right, np.cross(back, right)]), back

    def flat(self, points):
        return points @ self.axes.T

    def depth(self, points):
        return points @ self.back


def shade(colour, normal):
    light = 0.62 + 0.38 * max(0.0, normal @ LIGHT) ** 0.8
    return np.clip(np.array(colour[:3]) * light, 0, 1)


def sphere_layers(camera, centre, radius, colour):
    """A disc, and two lighter ones that make it round."""
    ring = np.linspace(0, 2 * np.pi, 25)
    circle = np.column_stack([np.cos(ring), np.sin(ring)])
    middle = camera.flat(centre)
    for k, (size, light) in enumerate(((1.0, 0.72), (0.78, 0.86), (0.45, 1.0))):
        shift = radius * (1 - size) * np.array([-0.35, 0.55])
        yield camera.depth(centre) + k * 1e-6 * radius, middle + shift + size * radius * circle, np.clip(np.array(colour[:3]) * light, 0, 1), k == 0


def polygons(scene, camera, poses):
    for name, geoms in scene.bodies.items():
        turn, place = poses.get(name, (np.eye(3), np.zeros(3)))
        for kind, shape, colour in geoms:
            if colour[3] < 0.3:
                continue
            if kind == "sphere":
                yield from sphere_layers(camera, turn @ shape[0] + place, shape[1], colour)
                continue
            centre = np.mean([face.mean(0) for face in shape], axis=0) if shape else 0
            for face in shape:
                normal = np.cross(face[1] - face[0], face[2] - face[0])
                if np.linalg.norm(normal) < 1e-15:
                    normal = np.cross(face[2] - face[0], face[3] - face[0]) if len(face) > 3 else normal
                normal = normal / max(np.linalg.norm(normal), 1e-15)
                if (face.mean(0) - centre) @ normal < 0 and kind != "hfield":
                    normal = -normal
                normal = turn @ normal
                if normal @ camera.back < 0 and kind != "hfield":
                    continue
                points = face @ turn.T + place
                yield camera.depth(points).mean(), camera.flat(points), shade(colour, normal), len(shape) <= 12


def draw_floor(axes, camera, floors, low, high):
    reach = 1.3 * max(high - low) / 2 + 0.1
    for offset, turn in floors:
        middle = (low + high) / 2
        middle = middle - turn[:, 2] * ((middle - offset) @ turn[:, 2])
        if turn[:, 2] @ camera.back <= 0:
            continue
        corners = np.array([middle + reach * (a * turn[:, 0] + b * turn[:, 1]) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        axes.add_collection(PolyCollection([camera.flat(corners)], facecolor="#eceff2", edgecolor="none", zorder=0))
        for s in np.linspace(-1, 1, 9):
            for a, b in (((s, -1), (s, 1)), ((-1, s), (1, s))):
                line = camera.flat(np.array([middle + reach * (p[0] * turn[:, 0] + p[1] * turn[:, 1]) for p in (a, b)]))
                axes.plot(*line.T, color="#d5dae0", lw=0.6, zorder=1)


def draw_bodies(axes, scene, camera, poses, low, high):
    draw_floor(axes, camera, scene.floors, low, high)
    parts = sorted(polygons(scene, camera, poses), key=lambda p: p[0])
    fine = len(parts) > 1500
    edges = [(*INK_RGB, 0.55 if outlined else 0.0) for _, _, _, outlined in parts]
    axes.add_collection(PolyCollection([p[1] for p in parts], facecolors=[p[2] for p in parts], edgecolors=edges, linewidths=0.25 if fine else 0.5, zorder=2))
    corners = camera.flat(np.array(list(itertools.product(*zip(low, high)))))
    margin = 0.06 * np.ptp(corners, axis=0).max()
    axes.set_xlim(corners[:, 0].min() - margin, corners[:, 0].max() + margin)
    axes.set_ylim(corners[:, 1].min() - margin, corners[:, 1].max() + margin)
    axes.set_aspect("equal")
    axes.axis("off")


INK_RGB = tuple(int(INK[i:i + 2], 16) / 255 for i in (1, 3, 5))


# ---------------------------------------------------------------- the record
def poses_at(record, frame):
    names = [n.decode() if isinstance(n, bytes) else str(n) for n in record["bodies"][()]]
    return {name: (rotation(record["quaternion"][frame, i]), record["position"][frame, i]) for i, name in enumerate(names)}


def bounds(scene, record, frames):
    """The box of every moving body in the frames drawn, and of the static geoms that are not planes."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for frame in frames:
        for name, (turn, place) in poses_at(record, frame).items():
            for kind, shape, _ in scene.bodies.get(name, []):
                points = [turn @ shape[0] + place + s * shape[1] for s in (-1, 1)] if kind == "sphere" else [face @ turn.T + place for face in shape]
                points = np.vstack(points)
                low, high = np.minimum(low, points.min(0)), np.maximum(high, points.max(0))
    for kind, shape, _ in scene.bodies["world"]:
        if kind == "hfield":
            points = np.vstack(shape)
            low, high = np.minimum(low, points.min(0)), np.maximum(high, points.max(0))
    return low, high


def draw_energy(axes, time, energy):
    shown = {name: value for name, value in energy.items() if name in LINES and np.ptp(value) + abs(value).max() > 0}
    largest = max((abs(v).max() for v in shown.values()), default=1.0)
    for name, value in shown.items():
        if abs(value).max() > 1e-6 * largest:
            axes.plot(time, value, color=LINES[name], lw=1.6, label=name.replace("_", " "))
    axes.set_title("energy [J]", loc="left")
    if axes.lines:
        axes.legend(frameon=False, fontsize=8, ncol=2)


def draw_certificate(axes, time, certificate, contacts, tolerance):
    floor = 1e-17
    axes.semilogy(time, np.maximum(certificate, floor), ".", ms=3, color="#2f6db3")
    axes.axhline(tolerance, color="#c0392b", lw=1, ls="--")
    axes.text(time[-1], tolerance * 1.6, "tolerance", color="#c0392b", ha="right", va="bottom", fontsize=8)
    axes.set_ylim(floor / 3, max(1e-6, 10 * certificate.max()))
    axes.set_title("certificate of each step (relative)", loc="left")
    twin = axes.twinx()
    twin.plot(time, contacts, color=FAINT, lw=1)
    twin.set_ylabel("contacts", color=FAINT)
    twin.tick_params(colors=FAINT)
    twin.set_ylim(bottom=0)
    twin.spines[["top", "left"]].set_visible(False)


def attribute(record, name, default=""):
    value = record.attrs.get(name, default)
    return value.decode() if isinstance(value, bytes) else value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--scene", type=pathlib.Path)
    options = parser.parse_args()
    output = options.output or options.record.with_suffix(".png")
    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9, "axes.titlesize": 10, "axes.edgecolor": FAINT, "text.color": INK, "axes.labelcolor": INK,
                         "xtick.color": INK, "ytick.color": INK, "axes.spines.top": False, "axes.spines.right": False})
    with h5py.File(options.record) as record:
        text = options.scene.read_text() if options.scene else attribute(record, "scene_text")
        scene = Scene(text, options.scene.parent if options.scene else options.record.parent)
        time = record["time"][()]
        frames = [0, len(time) // 2, len(time) - 1]
        low, high = bounds(scene, record, frames)
        camera = Camera(low, high)
        figure = plt.figure(figsize=(13, 7.4), facecolor="white")
        views = figure.add_gridspec(1, 3, wspace=0.02, left=0.01, right=0.99, top=0.9, bottom=0.45)
        curves = figure.add_gridspec(1, 2, wspace=0.16, left=0.05, right=0.95, top=0.39, bottom=0.07)
        for column, frame in enumerate(frames):
            axes = figure.add_subplot(views[column])
            draw_bodies(axes, scene, camera, poses_at(record, frame), low, high)
            axes.set_title(f"t = {time[frame]:.3g} s", fontsize=10)
        draw_energy(figure.add_subplot(curves[0], xlabel="time [s]"), time, {name: data[()] for name, data in record["energy"].items()})
        draw_certificate(figure.add_subplot(curves[1], xlabel="time [s]"), time, record["step/certificate"][()], record["step/contacts"][()], float(record.attrs.get("tolerance", 1e-8)))
        figure.suptitle(f"{options.record.stem}", x=0.05, ha="left", fontsize=15, fontweight="bold")
        figure.savefig(output, dpi=120)
    print(output)


if __name__ == "__main__":
    main()
