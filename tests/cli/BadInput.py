#!/usr/bin/env python3
"""Every kind of bad input ends with exit code 2 and a message that names element, value, range and remedy.   BadInput.py PROGRAM"""
import os
import random

from program import ProgramTest, main, scene

MESH = '<asset><mesh name="m" vertex="{}"{}/></asset>'
TETRAHEDRON = "0 0 0 1 0 0 0 1 0 0 0 1"
MESH_BODY = '<body name="b" pos="0 0 1"><freejoint/><geom name="g" type="mesh" mesh="m"/></body>'


class Usage(ProgramTest):
    def test_commands_and_options(self):
        self.write("s.xml", scene())
        self.refused([], "subcommand")
        self.refused(["fly"])
        self.refused(["run"], "SCENE")
        self.refused(["run", "s.xml", "--fly"], "--fly")
        self.refused(["run", "s.xml", "--duration", "long"], "--duration")
        self.refused(["run", "s.xml", "--threads", "2.5"], "--threads")

    def test_numbers(self):
        self.write("s.xml", scene())
        for option, values in {"--dt": ("0", "-0.01", "nan", "inf", "2"), "--threads": ("0", "-1"), "--tol": ("0", "-1e-8", "nan"), "--duration": ("-1", "nan", "inf"), "--every": ("0", "-3"), "--step-limit": ("-1", "nan", "inf")}.items():
            for value in values:
                self.refused(["run", "s.xml", option, value], option, "allowed")

    def test_solver(self):
        self.write("s.xml", scene())
        for command in (["run", "s.xml"], ["solve", "p.hdf5"]):
            told = self.refused([*command, "--solver", "magic"], "magic", "allowed")
            for name in ("nsgs", "newton", "ipm"):
                self.assertIn(name, told)

    def test_unwritable_output(self):
        self.write("s.xml", scene())
        self.call("run", "s.xml", "--duration", ".05", "--dump-worst", "p.hdf5", "--quiet")
        (self.folder / "folder").mkdir()
        for path in ("nowhere/out", "folder"):
            for option in ("--json", "--record", "--dump-worst"):
                self.refused(["run", "s.xml", option, path], option, path, "allowed")
            for option in ("--json", "--write"):
                self.refused(["solve", "p.hdf5", option, path], option, path, "allowed")
        self.refused(["solve", "p.hdf5", "--write", "p.hdf5"], "p.hdf5")


class Scenes(ProgramTest):
    def bad(self, content, *told, extra=()):
        self.write("s.xml", content)
        self.refused(["run", "s.xml", "--duration", "0.01", *extra], "s.xml", *told)
        self.refused(["info", "s.xml"], "s.xml", *told) if not extra else None

    def test_missing_file(self):
        self.refused(["run", "none.xml"], "none.xml", "no such file")
        self.refused(["info", "none.xml"], "none.xml", "no such file")
        self.refused(["run", "."], "cannot be read")

    def test_not_xml(self):
        self.bad("these are words", "not XML")
        self.bad("", "not XML")
        self.bad(os.urandom(4096).replace(b"<", b""), "not XML")
        self.bad("<svg/>", "root element svg")
        self.bad(scene()[:-20], "libmujoco")
        links = '<link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
        self.bad(f'<robot name="r">{links}<joint name="elbow" type="revolute"><parent link="a"/><child link="c"/><limit lower="-1" upper="1"/></joint></robot>', "libmujoco")

    def test_unknown_words(self):
        self.bad(scene(geom='size=".1" colour="red"'), "s.xml:6", "colour")
        self.bad(scene(more="<wheels/>"), "wheels", "s.xml:8")

    def test_unknown_keyframe(self):
        self.write("s.xml", scene(more='<keyframe><key name="up" qpos="0 0 1 1 0 0 0"/></keyframe>'))
        self.refused(["run", "s.xml", "--keyframe", "down"], "down", "up")

    def test_masses(self):
        self.bad(scene(geom='size=".1" mass="-1"'), "s.xml:6", "negative")
        self.bad(scene(geom='size=".1" mass="0"'), "s.xml:", "mass")
        self.bad(scene(geom='size=".1" density="nan"'), "s.xml")
        self.bad(scene('<body name="b"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/></body>'), "s.xml:5", "inertia")

    def test_friction(self):
        self.bad(scene(geom='size=".1" friction="-.5 0 0"'), "geom g", "line 6", "friction", "-0.5", ">= 0")
        self.bad(scene(geom='size=".1" friction="nan 0 0"'), "geom g", "friction", "nan", ">= 0")

    def test_keyframe_numbers(self):
        for field, value in (("qpos", "0 0 nan 1 0 0 0"), ("qpos", "inf 0 0 1 0 0 0"), ("qvel", "0 0 0 nan 0 0")):
            self.bad(scene(more=f'<keyframe><key name="k" {field}="{value}"/></keyframe>'), "key k", field, "finite")

    def test_sizes(self):
        self.bad(scene(geom='size="0"'), "s.xml:6", "size 0")
        self.bad(scene(geom='type="box" size=".1 -.1 .1"'), "s.xml:6", "size 1")
        self.bad(scene(geom='size="nan"'), "s.xml:6", "nan size")

    def test_meshes(self):
        flat = "0 0 0 1 0 0 0 1 0 1 1 0"
        self.bad(scene(MESH_BODY, option=MESH.format(flat, "")), "mesh 'm'", "coplanar")
        self.bad(scene(MESH_BODY, option=MESH.format(TETRAHEDRON, ' face="0 2 1 0 1 3 0 3 2"')), "geom g", "mesh m", "open")
        self.bad(scene(MESH_BODY, option=MESH.format(TETRAHEDRON, ' face="0 2 1 0 1 3 0 3 2 1 2 9"')), "s.xml", "9")
        self.bad(scene(MESH_BODY, option=MESH.format("0 0 0 1 0 0 nan 1 0 0 0 1", "")), "s.xml")
        self.bad(scene(MESH_BODY, option='<asset><mesh name="m" file="none.stl"/></asset>'), "none.stl")

    def test_unsupported(self):
        hinge = '<body name="b"><joint name="turn" type="ball" stiffness="3"/><geom size=".1"/></body>'
        self.bad(scene(hinge), "joint \"turn\"", "a spring of a ball", "three hinges")
        arm = '<body pos="0 0 1"><joint name="j"/><geom size=".1"/></body>'
        self.bad(scene(arm, more='<actuator><muscle name="m" joint="j" lengthrange="0 1"/></actuator>'), "actuator m (line 7)", "gaintype fixed")

    def test_timestep(self):
        for value in ("0", "-1", "nan"):
            self.bad(scene(option=f'<option timestep="{value}"/>'), "option timestep", "> 0")

    def test_restitution(self):
        self.bad(scene(more='<custom><numeric name="stiction_restitution" data="1.5"/></custom>'), "stiction_restitution", "1.5", "0 to 1")

    def test_strict_import(self):
        self.bad(scene(geom='size=".1" solref=".01 1"'), "solref", "line 6", extra=["--strict-import"])
        self.bad(scene(geom='size=".1" condim="6"'), "condim", extra=["--strict-import"])
        self.bad(scene(more='<sensor><clock name="c"/></sensor>'), "sensor/clock", extra=["--strict-import"])
        self.write("s.xml", scene())
        self.assertEqual(self.call("run", "s.xml", "--duration", ".01", "--strict-import").returncode, 0)

    def test_no_log_file(self):
        self.bad(scene(geom='size="nan"'))
        self.assertEqual([p.name for p in self.folder.iterdir()], ["s.xml"])


class Problems(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.xml", scene())
        self.assertEqual(self.call("run", "s.xml", "--duration", ".05", "--dump-worst", "p.hdf5", "--quiet").returncode, 0)
        self.whole = (self.folder / "p.hdf5").read_bytes()

    def test_missing_or_other_format(self):
        self.refused(["solve", "none.hdf5"], "none.hdf5", "no such file")
        self.refused(["solve", "."], "not a regular file")
        self.refused(["solve", "s.xml"], "s.xml", "HDF5")
        self.call("run", "s.xml", "--duration", ".05", "--record", "r.h5", "--quiet")
        self.refused(["solve", "r.h5"], "r.h5", "fclib_local or fclib_global")

    def test_truncated(self):
        for cut in range(0, len(self.whole), max(1, len(self.whole) // 20)):
            self.write("cut.hdf5", self.whole[:cut])
            self.refused(["solve", "cut.hdf5"], "cut.hdf5")

    def test_damaged(self):
        """Any damage is either harmless or told: exit 0, 2 or 3, never a fault."""
        seed = random.randrange(1 << 30)
        print(f"seed {seed}")
        chance = random.Random(seed)
        for _ in range(60):
            data = bytearray(self.whole)
            for _ in range(chance.randrange(1, 20)):
                data[chance.randrange(96, len(data))] = chance.choice((0, 0xFF, 0x7F, chance.randrange(256)))
            self.write("bad.hdf5", bytes(data))
            result = self.call("solve", "bad.hdf5")
            self.assertIn(result.returncode, (0, 2, 3), f"seed {seed}: {result.stderr}")


if __name__ == "__main__":
    main()
