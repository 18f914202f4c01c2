#!/usr/bin/env python3
"""Writes scenes of real objects as MJCF into a folder (default: build/objects), with the meshes of two PyPI packages beside them:

  table.xml   bottle, bread, can, cereal, lemon and milk of robosuite on a table
  bin.xml     100 of the random objects of pybullet_data poured into a bin

Both packages are fetched as wheels with pip (260 MB together, once) and only the meshes are unpacked: nothing is installed.   make_object_scenes.py [FOLDER]
"""
import argparse
import io
import math
import pathlib
import random
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile

PACKAGES = {"robosuite": "1.5.2", "pybullet": "3.2.7"}
GROCERIES = ("bottle", "bread", "can", "cereal", "lemon", "milk")
COLOURS = ("0.75 0.25 0.20 1", "0.20 0.45 0.70 1", "0.80 0.72 0.55 1", "0.35 0.55 0.35 1", "0.55 0.40 0.60 1", "0.30 0.60 0.62 1")


def fetch(folder):
    """The wheels as open archives, by package name."""
    archives = {}
    for name, version in PACKAGES.items():
        wheels = list(folder.glob(f"{name}-{version}-*.whl"))
        if not wheels:
            print(f"fetching {name} {version}")
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--python-version", "3.11", "--implementation", "cp",
                       "--platform", "manylinux2014_x86_64", "--dest", str(folder), f"{name}=={version}"]
            if subprocess.run(command).returncode:
                sys.exit(f"make_object_scenes: pip could not fetch {name} {version}. Remedy: check the network, or put its wheel into {folder}")
            wheels = list(folder.glob(f"{name}-{version}-*.whl"))
        archives[name] = zipfile.ZipFile(wheels[0])
    return archives


def read_obj(text):
    """Vertices, and the faces of each object of the file as (name, [indices]) with indices from 0."""
    vertices, parts = [], []
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            vertices.append(tuple(float(x) for x in words[1:4]))
        elif words[0] == "o":
            parts.append((words[1], []))
        elif words[0] == "f":
            if not parts:
                parts.append(("all", []))
            parts[-1][1].append([int(w.split("/")[0]) - 1 for w in words[1:]])
    return vertices, [part for part in parts if part[1]]


def volume(vertices, faces):
    """By the divergence theorem over the fan of each face."""
    total = 0.0
    for face in faces:
        a = vertices[face[0]]
        for i, j in zip(face[1:], face[2:]):
            b, c = vertices[i], vertices[j]
            total += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    return abs(total) / 6


def write_obj(path, vertices, faces, scale, shift=(0, 0, 0)):
    used = sorted({i for face in faces for i in face})
    place = {index: k + 1 for k, index in enumerate(used)}
    with open(path, "w", encoding="utf-8") as out:
        for i in used:
            out.write("v %.9g %.9g %.9g\n" % tuple(s * x - d for x, s, d in zip(vertices[i], scale, shift)))
        for face in faces:
            out.write("f " + " ".join(str(place[i]) for i in face) + "\n")


def floats(text):
    return [float(x) for x in text.split()]


def table(archive, folder):
    """The groceries with the density and friction of their own files, 2 mm above the table and standing free of each other."""
    root = "robosuite/models/assets/objects/"
    assets, bodies = "", '    <geom name="table" type="box" size="0.6 0.4 0.025" pos="0 0 -0.025" friction="0.8 0 0" rgba="0.62 0.50 0.36 1"/>\n'
    (folder / "meshes").mkdir(exist_ok=True)
    for k, name in enumerate(GROCERIES * 2):
        description = ET.fromstring(archive.read(f"{root}{name}.xml"))
        mesh, geom = description.find("asset/mesh"), description.findall(".//geom")[-1]
        scale = floats(mesh.get("scale", "1 1 1"))
        vertices, parts = read_obj(archive.read(f"{root}meshes/{name}.obj").decode())
        if k < len(GROCERIES):
            write_obj(folder / "meshes" / f"{name}.obj", vertices, [face for _, faces in parts for face in faces], scale)
            assets += f'    <mesh name="{name}" file="meshes/{name}.obj"/>\n'
        lowest = scale[2] * min(v[2] for v in vertices)
        x, y = -0.35 + 0.14 * (k % 6), -0.12 + 0.24 * (k // 6)
        bodies += (f'    <body name="{name}{k // 6}" pos="{x:g} {y:g} {0.002 - lowest:.9g}"><freejoint/><geom type="mesh" mesh="{name}" density="{geom.get("density")}" '
                   f'friction="{floats(geom.get("friction"))[0]:g} 0 0" rgba="{COLOURS[k % 6]}"/></body>\n')
    return write(folder / "table.xml", "Groceries as meshes on a table: bottle, bread, can, cereal, lemon, milk (robosuite).", assets, bodies)


def usable(vertices, parts, scale):
    """Compact objects of a few solid convex parts: slivers and plates thinner than a centimetre are left out."""
    extent = sorted(s * (max(v[i] for v in vertices) - min(v[i] for v in vertices)) for i, s in enumerate(scale))
    volumes = [volume(vertices, faces) * scale[0] * scale[1] * scale[2] for _, faces in parts]
    return len(parts) <= 8 and extent[0] > 0.02 and extent[2] < 0.12 and min(volumes) > 2e-8


def centre_of(vertices, scale):
    return [s * (max(v[i] for v in vertices) + min(v[i] for v in vertices)) / 2 for i, s in enumerate(scale)]


def pour(archive, folder, wanted=100, seed=3):
    """Mass and scale from each URDF. Its inertia is a placeholder of 1 kg m² for 100 g, which no body of that size can have, so the inertia is that of the meshes."""
    root = "pybullet_data/random_urdfs/"
    draw = random.Random(seed)
    names = sorted(n.split("/")[2] for n in archive.namelist() if n.startswith(root) and n.endswith(".urdf"))
    draw.shuffle(names)
    assets, bodies, count, pitch, side = "", bin_walls(0.36, 0.30), 0, 0.125, 5
    for name in names:
        if count == wanted:
            break
        link = ET.fromstring(archive.read(f"{root}{name}/{name}.urdf")).find("link")
        mesh = link.find("collision/geometry/mesh")
        scale, mass, friction = floats(mesh.get("scale")), float(link.find("inertial/mass").get("value")), float(link.find("contact/lateral_friction").get("value"))
        vertices, parts = read_obj(archive.read(f"{root}{name}/{mesh.get('filename')}").decode())
        if not usable(vertices, parts, scale):
            continue
        shift, volumes = centre_of(vertices, scale), [volume(vertices, faces) for _, faces in parts]
        geoms = ""
        for k, (_, faces) in enumerate(parts):
            file = f"meshes/{name}_{k}.obj"
            write_obj(folder / file, vertices, faces, scale, shift)
            assets += f'    <mesh name="{name}_{k}" file="{file}"/>\n'
            geoms += f'<geom type="mesh" mesh="{name}_{k}" mass="{mass * volumes[k] / sum(volumes):.9g}" friction="{friction:g} 0 0" rgba="{COLOURS[count % 6]}"/>'
        i, j, layer = count % side, count // side % side, count // (side * side)
        turn = [draw.gauss(0, 1) for _ in range(4)]
        norm = math.sqrt(sum(x * x for x in turn))
        position = (pitch * (i - (side - 1) / 2), pitch * (j - (side - 1) / 2), 0.10 + 0.15 * layer)
        bodies += f'    <body name="object{name}" pos="{position[0]:g} {position[1]:g} {position[2]:g}" quat="{" ".join(f"{x / norm:.9g}" for x in turn)}"><freejoint/>{geoms}</body>\n'
        count += 1
    return write(folder / "bin.xml", f"{count} random objects, each of a few convex meshes, poured into a bin (pybullet_data).", assets, bodies)


def bin_walls(half, height):
    grey, text = 'friction="0.5 0 0" rgba="0.7 0.7 0.72 0.15"', '    <geom name="floor" type="plane" size="5 5 1" friction="0.5 0 0"/>\n'
    for k, (x, y) in enumerate(((-1, 0), (1, 0), (0, -1), (0, 1))):
        size = f"0.02 {half + 0.04:g} {height}" if x else f"{half + 0.04:g} 0.02 {height}"
        text += f'    <geom name="wall{k}" type="box" size="{size}" pos="{x * (half + 0.02):g} {y * (half + 0.02):g} {height}" {grey}/>\n'
    return text


def write(path, comment, assets, bodies):
    text = io.StringIO()
    text.write(f'<!-- {comment} -->\n<mujoco model="{path.stem}">\n  <option timestep="{1 / 240:.17g}" gravity="0 0 -9.81"/>\n')
    text.write(f"  <asset>\n{assets}  </asset>\n  <worldbody>\n{bodies}  </worldbody>\n</mujoco>\n")
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = pathlib.Path(__file__).resolve().parent.parent / "build" / "objects"
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=usual, help="where the meshes and scenes go (default: build/objects)")
    folder = parser.parse_args().folder
    wheels = folder / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    archives = fetch(wheels)
    print(table(archives["robosuite"], folder))
    print(pour(archives["pybullet"], folder))


if __name__ == "__main__":
    main()
