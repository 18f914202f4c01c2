"""Scenes of planes and single-geom free bodies from MJCF, as the plain text that the drivers of other engines read, and what is measured on final poses."""
import dataclasses
import itertools
import pathlib
import xml.etree.ElementTree as ET

import numpy as np


@dataclasses.dataclass
class Body:
    name: str
    shape: str  # box, sphere, hull
    mass: float
    mu: float
    size: np.ndarray  # half sizes, radius, or corners seen from the centre of mass
    position: np.ndarray  # of the centre of mass
    quaternion: np.ndarray  # w first
    offset: np.ndarray  # from the body frame of the file to the centre of mass, in body axes
    velocity: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(3))
    angular: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(3))


@dataclasses.dataclass
class Scene:
    gravity: np.ndarray
    planes: list  # (normal, offset, mu)
    bodies: list


def floats(text):
    return np.array([float(x) for x in text.split()])


def matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def product(a, b):
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def rotation(attributes):
    """The quaternion of an element with quat, euler (degrees, about its own x, y, z in turn) or zaxis (exactly along a world axis)."""
    if "quat" in attributes:
        return floats(attributes["quat"])
    q = np.array([1.0, 0, 0, 0])
    for axis, angle in enumerate(np.radians(floats(attributes.get("euler", "0 0 0"))) / 2):
        q = product(q, np.array([np.cos(angle), *(np.sin(angle) * np.eye(3)[axis])]))
    return q


def hull_mass(points):
    """Volume and centre of mass of the convex hull of a few points: a tetrahedron from their mean to each triangle of each face."""
    middle, volume, moment, seen = points.mean(axis=0), 0.0, np.zeros(3), set()
    for a, b, c in itertools.combinations(range(len(points)), 3):
        normal = np.cross(points[b] - points[a], points[c] - points[a])
        height = (points - points[a]) @ normal / np.linalg.norm(normal)
        if height.max() > 1e-9 and height.min() < -1e-9:
            continue
        face = [int(i) for i in np.flatnonzero(abs(height) < 1e-9)]
        if tuple(face) in seen:
            continue
        seen.add(tuple(face))
        heart, u = points[face].mean(axis=0), points[b] - points[a]
        v = np.cross(normal, u) / np.linalg.norm(normal)
        face.sort(key=lambda i: np.arctan2((points[i] - heart) @ v, (points[i] - heart) @ u))
        for i, j in zip(face, face[1:] + face[:1]):
            part = abs(np.dot(heart - middle, np.cross(points[i] - middle, points[j] - middle))) / 6
            volume += part
            moment += part * (middle + heart + points[i] + points[j]) / 4
    return volume, moment / volume


def read_xml(path):
    root = ET.parse(path).getroot()
    for include in root.findall("include"):
        root.extend(read_xml(path.parent / include.get("file")))
    return root


def read_body(element, default, meshes):
    geom = element.find("geom")
    get = {**default, **geom.attrib}
    kind, place, q = get.get("type", "sphere"), floats(element.get("pos", "0 0 0")), rotation(element.attrib)
    mu, offset = floats(get["friction"])[0], np.zeros(3)
    if kind == "mesh":
        volume, offset = hull_mass(meshes[get["mesh"]])
        kind, size = "hull", meshes[get["mesh"]] - offset
    else:
        size = floats(get["size"])
        volume = 8 * np.prod(size) if kind == "box" else 4 / 3 * np.pi * size[0] ** 3
    mass = float(get["mass"]) if "mass" in get else float(get.get("density", 1000)) * volume
    return Body(element.get("name"), kind, mass, mu, size, place + matrix(q) @ offset, q, offset)


def read_scene(path, keyframe=""):
    root = read_xml(pathlib.Path(path))
    default = next((g.attrib for g in root.findall("default/geom")), {})
    meshes = {m.get("name"): floats(m.get("vertex")).reshape(-1, 3) for m in root.findall("asset/mesh")}
    planes = []
    for geom in root.findall("worldbody/geom"):
        get = {**default, **geom.attrib}
        normal = floats(get["zaxis"]) if "zaxis" in get else matrix(rotation(get)) @ [0, 0, 1]
        planes.append((normal, normal @ floats(get.get("pos", "0 0 0")), floats(get["friction"])[0]))
    scene = Scene(floats(next((o.get("gravity") for o in root.findall("option")), "0 0 -9.81")), planes, [read_body(b, default, meshes) for b in root.findall("worldbody/body")])
    for key in root.findall("keyframe/key"):
        if key.get("name") == keyframe:
            start(scene, key)
    return scene


def start(scene, key):
    if key.get("qpos"):
        for body, q in zip(scene.bodies, floats(key.get("qpos")).reshape(-1, 7)):
            body.position, body.quaternion = q[:3] + matrix(q[3:]) @ body.offset, q[3:]
    if key.get("qvel"):
        for body, v in zip(scene.bodies, floats(key.get("qvel")).reshape(-1, 6)):
            body.angular = matrix(body.quaternion) @ v[3:]
            body.velocity = v[:3] + np.cross(body.angular, matrix(body.quaternion) @ body.offset)


def plain(scene):
    lines = [["gravity", *scene.gravity]] + [["plane", *n, offset, mu] for n, offset, mu in scene.planes]
    lines += [[b.shape, b.mass, b.mu, 0, *b.position, *b.quaternion, *b.velocity, *b.angular, *np.ravel(b.size)] for b in scene.bodies]
    return "".join(" ".join(x if isinstance(x, str) else repr(float(x)) for x in line) + "\n" for line in lines)


def moved(scene, poses):
    """The farthest that a centre of mass is from its start [m]."""
    return max(float(np.linalg.norm(pose[:3] - b.position)) for b, pose in zip(scene.bodies, poses))


def corners(body, pose):
    points = body.size if body.shape == "hull" else body.size * np.array(list(itertools.product((-1, 1), repeat=3)))
    return pose[:3] + points @ matrix(pose[3:]).T


def box_overlap(a, at, b, bt):
    """Depth of the separating-axis test on 15 axes, positive where the boxes overlap."""
    A, B = matrix(at[3:]), matrix(bt[3:])
    axes = np.vstack([A.T, B.T, np.cross(A.T[:, None, :], B.T[None, :, :]).reshape(-1, 3)])
    length = np.linalg.norm(axes, axis=1)
    axes = axes[length > 1e-3] / length[length > 1e-3, None]
    return float((abs(axes @ A) @ a.size + abs(axes @ B) @ b.size - abs(axes @ (bt[:3] - at[:3]))).min())


def sphere_box_overlap(sphere, st, box, bt):
    local = matrix(bt[3:]).T @ (st[:3] - bt[:3])
    beyond = abs(local) - box.size
    return float(sphere.size[0] - (np.linalg.norm(beyond.clip(0)) if (beyond > 0).any() else beyond.max()))


def pair_overlap(a, at, b, bt):
    if a.shape == b.shape == "sphere":
        return float(a.size[0] + b.size[0] - np.linalg.norm(at[:3] - bt[:3]))
    if a.shape == b.shape == "box":
        return box_overlap(a, at, b, bt)
    return sphere_box_overlap(a, at, b, bt) if a.shape == "sphere" else sphere_box_overlap(b, bt, a, at)


def overlap(scene, poses):
    """The deepest overlap of boxes, spheres and planes [m], never negative; None where hulls take part."""
    if any(b.shape == "hull" for b in scene.bodies):
        return None
    worst = 0.0
    for b, pose in zip(scene.bodies, poses):
        for normal, offset, _ in scene.planes:
            low = (corners(b, pose) @ normal).min() if b.shape == "box" else pose[:3] @ normal - b.size[0]
            worst = max(worst, float(offset - low))
    reach = np.array([np.linalg.norm(b.size) for b in scene.bodies])
    centre = np.array([pose[:3] for pose in poses])
    for i in range(len(reach) - 1):
        near = np.flatnonzero(((centre[i + 1:] - centre[i]) ** 2).sum(axis=1) < (reach[i + 1:] + reach[i]) ** 2) + i + 1
        worst = max([worst, *(pair_overlap(scene.bodies[i], poses[i], scene.bodies[j], poses[j]) for j in near)])
    return worst
