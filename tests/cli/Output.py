#!/usr/bin/env python3
"""What scripts rely on: exit codes, the JSON objects, clean pipes, readable records after Ctrl-C and after a kill.   Output.py PROGRAM"""
import json
import pathlib
import re
import signal
import subprocess
import time
from xml.etree import ElementTree

from program import PROGRAM, ProgramTest, main, scene

RUN_KEYS = {"stiction", "scene", "solver", "law", "dt", "steps", "time", "threads", "certified_steps", "first_uncertified", "certificate", "contacts", "penetration_m", "joint_error_m", "impacts", "energy_J", "bodies",
            "joints", "wall_s", "cpu_s", "phases_s", "rungs", "state_hash", "import"}
ENERGY_KEYS = {"start", "end", "external_work", "actuator_work", "friction", "impact", "compliance", "damping", "scheme", "stabilisation", "closure_relative"}
SOLVE_KEYS = {"problem", "form", "contacts", "dof", "solver", "rung", "status", "certified", "certificate", "iterations", "factorisations", "cpu_ms"}
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
CUBE = '<body name="cube" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="2" friction=".5 0 0"/></body>'
# A leaning pile thrown over the floor: no method reaches a certificate of 1e-15 in every step.
PILE = "".join(f'<body name="c{i}" pos="{.03 * i} {.02 * i} {.1 + .2 * i}" euler="0 0 {20 * i}"><freejoint/><geom type="box" size=".1 .1 .1" mass="{1 + 3.3 * i}" friction=".37 0 0"/></body>'
               for i in range(4))
THROW = '<keyframe><key name="slide" qvel="' + " ".join(f"{2 - .3 * i} {.7 + .4 * i} 0 0 0 {.5 * i}" for i in range(4)) + '"/></keyframe>'
SLIDE = '<keyframe><key name="slide" qpos="0 0 .1 1 0 0 0" qvel="3 0 0 0 0 0"/></keyframe>'


class Run(ProgramTest):
    def test_json(self):
        self.write("s.xml", scene(CUBE, more=SLIDE))
        result = self.call("run", "s.xml", "--keyframe", "slide", "--duration", ".5", "--dt", ".01", "--json", "-", "--quiet")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        self.assertEqual(set(report), RUN_KEYS)
        self.assertEqual(set(report["energy_J"]), ENERGY_KEYS)
        self.assertEqual(set(report["phases_s"]), {"collide", "assemble", "solve", "certify", "integrate", "account", "record"})
        self.assertEqual(set(report["certificate"]), {"worst", "worst_m_s", "worst_fclib", "step", "contact", "tolerance"})
        self.assertEqual((report["steps"], report["certified_steps"], report["first_uncertified"]), (50, 50, None))
        self.assertEqual(set(report["bodies"]), {"cube"})
        cube = report["bodies"]["cube"]
        # Implicit Euler under Coulomb friction: v falls by mu g h a step, x adds h v: x = h Σ (v0 − k mu g h).
        h, mu, g = 0.01, 0.5, 9.81
        self.assertAlmostEqual(cube["velocity"][0], 3 - 50 * mu * g * h, delta=1e-7)
        self.assertAlmostEqual(cube["position"][0], sum(h * (3 - k * mu * g * h) for k in range(1, 51)), delta=1e-7)
        self.assertRegex(report["state_hash"], "^[0-9a-f]{16}$")
        # Seventeen digits: every number of the text is the number of the object, exactly.
        self.assertTrue(any(len(re.sub(r"\D", "", number)) >= 17 for number in re.findall(r"-?\d\.\d+(?:e-?\d+)?", result.stdout)))

    def test_phases_are_where_the_time_went(self):
        # The blow throws boxes farther than their start lets expect: its step is computed once more with the contacts that this adds, and both count.
        pyramid = EXAMPLES / "struck_pyramid.xml"
        report = json.loads(self.call("run", pyramid, "--keyframe", "shot", "--duration", "0.1666", "--dt", repr(1 / 60), "--threads", 1, "--json", "-", "--quiet").stdout)
        self.assertGreater(sum(report["phases_s"].values()), 0.9 * report["cpu_s"])

    def test_same_bits_twice_and_for_threads(self):
        self.write("s.xml", scene(CUBE, more=SLIDE))
        hashes = set()
        for threads in (1, 1, 3):
            result = self.call("run", "s.xml", "--keyframe", "slide", "--duration", ".3", "--threads", threads, "--json", "-", "--quiet")
            hashes.add(json.loads(result.stdout)["state_hash"])
        self.assertEqual(len(hashes), 1)

    def test_step_limit(self):
        self.write("s.xml", scene(PILE, more=THROW))
        hopeless = ("run", "s.xml", "--keyframe", "slide", "--duration", ".2", "--tol", "1e-15", "--quiet")
        given_up = self.call(*hopeless, "--step-limit", "1e-6")
        self.assertEqual(given_up.returncode, 3)
        self.assertRegex(given_up.stderr, r"step \d+ at .* s is not certified: given up after 1e-06 s, at a certificate of ")
        self.assertIn("halvings", self.call(*hopeless).stderr)
        # A limit that is not reached changes nothing.
        run = ("run", "s.xml", "--keyframe", "slide", "--duration", ".2", "--json", "-", "--quiet")
        hashes = {json.loads(self.call(*run, *limit).stdout)["state_hash"] for limit in ((), ("--step-limit", "100"), ("--step-limit", "0"))}
        self.assertEqual(len(hashes), 1)

    def test_default_step(self):
        for option, dt in (("", 1 / 240), ('<option timestep="0.002"/>', 0.002), ('<option timestep="0.005"/>', 0.005), ('<!-- <option timestep="1"/> -->', 1 / 240)):
            self.write("s.xml", scene(CUBE, option=option))
            report = json.loads(self.call("run", "s.xml", "--duration", ".1", "--json", "-", "--quiet").stdout)
            self.assertEqual(report["dt"], dt, option)
            self.assertEqual(report["steps"], round(0.1 / dt), option)

    def test_uncertified(self):
        self.write("s.xml", scene(PILE, more=THROW))
        tight = ["run", "s.xml", "--keyframe", "slide", "--duration", ".06", "--dt", ".01", "--tol", "1e-15", "--json", "-"]
        stopped = self.call(*tight)
        self.assertEqual(stopped.returncode, 3)
        report = json.loads(stopped.stdout)
        first = report["first_uncertified"]
        self.assertEqual(report["certified_steps"], report["steps"] - 1)
        self.assertEqual(first["step"], report["steps"] - 1)
        self.assertGreater(first["certificate"], 1e-15)
        self.assertTrue(first["reason"])
        on = self.call(*tight, "--keep-going")
        self.assertEqual(on.returncode, 3)
        report = json.loads(on.stdout)
        self.assertEqual(report["steps"], 6)
        self.assertLess(report["certified_steps"], 6)

    def test_pipes_are_clean(self):
        self.write("s.xml", scene(CUBE, geom='size=".1" rgba="1 0 0 1"'))
        result = self.call("run", "s.xml", "--duration", ".1", "--record", "r.h5", "--json", "j.json")
        self.assertEqual(result.returncode, 0)
        for text in (result.stdout, result.stderr, (self.folder / "j.json").read_text()):
            self.assertIsNone(re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text))
        self.assertIn("certified", result.stdout)
        for command in (["compare", "s.xml", "--duration", ".05"], ["info", "s.xml"], ["info", "r.h5"], ["solvers"], ["--version"], ["--help"], ["run", "--help"]):
            result = self.call(*command)
            self.assertEqual(result.returncode, 0, command)
            self.assertIsNone(re.search(r"[\x00-\x09\x0b-\x1f\x7f]", result.stdout))
        self.assertRegex(self.call("--version").stdout, r"^stiction \d+\.\d+\.\d+\n$")

    def test_solvers_lists_every_method_that_can_be_named(self):
        listed = {line.split()[0]: line.split()[1] for line in self.call("solvers").stdout.splitlines()[1:]}
        self.write("s.xml", scene(CUBE))
        known = self.call("run", "s.xml", "--solver", "none").stderr
        named = {name.strip() for name in re.search(r"allowed: ([^;]*);", known).group(1).split(",")}
        self.assertEqual(set(listed), named, known)
        self.assertEqual({listed[name] for name in ("box", "convex", "auto")}, {"box", "convex", "coulomb"})

    def test_solvers_say_what_is_proved_of_each(self):
        head, *lines = self.call("solvers").stdout.splitlines()
        column = slice(head.index("guarantee"), head.index("good for"))
        proved = {line.split()[0]: line[column].strip() for line in lines}
        self.assertEqual((proved["newton"], proved["convex"], proved["box"], proved["fb"]), ("local, quadratic", "global", "finite at fixed bounds", "none: may cycle"))
        for name, line in zip(proved, lines):
            self.assertEqual(line[column.stop - 1], " ", name)
            self.assertTrue(proved[name] and line[column.stop:].strip(), name)

    def test_compare_tells_methods_and_laws_apart(self):
        self.write("s.xml", scene(CUBE, more=SLIDE))
        listed = [line.split()[0] for line in self.call("solvers").stdout.splitlines()[1:]]
        table = json.loads(self.call("compare", "s.xml", "--keyframe", "slide", "--duration", ".2", "--json", "-").stdout)["methods"]
        self.assertEqual([line["method"] for line in table], listed)
        for line in table:
            if line["law"] == "coulomb" and line["outcome"] == "certified":
                self.assertLess(line["error_m"], 1e-6, line)
        errors = {line["method"]: line["error_m"] for line in table}
        self.assertGreater(errors["convex"], 1e-2)  # it lifts what slides
        self.call("run", "s.xml", "--keyframe", "slide", "--duration", ".2", "--dump-worst", "p.hdf5", "--quiet")
        table = json.loads(self.call("compare", "p.hdf5", "--solvers", "auto,prox,convex", "--json", "-").stdout)["methods"]
        self.assertEqual([line["outcome"] for line in table], ["certified", "certified", "converged"])
        self.assertLess(table[1]["error_m_s"], 1e-6)
        self.assertGreater(table[2]["certificate"], 1e-3)
        self.assertIn("error [m/s]", self.call("compare", "p.hdf5").stdout)
        self.assertEqual(self.call("compare", "s.xml", "--solvers", "auto,nonsense").returncode, 2)

    def test_import_report(self):
        body = '<body name="b" pos="0 0 1"><freejoint/><geom size=".1" solref=".01 1" condim="4"/><site name="s"/></body>'
        self.write("s.xml", scene(body, more='<sensor><accelerometer site="s"/></sensor>'))
        report = json.loads(self.call("run", "s.xml", "--duration", ".05", "--json", "-", "--quiet").stdout)["import"]
        self.assertEqual({(e["element"].split()[0], e["attribute"]) for e in report["ignored"]}, {("geom", "solref"), ("site", ""), ("sensor/accelerometer", "")})
        self.assertEqual([e["attribute"] for e in report["changed"]], ["condim"])
        self.assertTrue(all(e["why"] for e in report["ignored"] + report["changed"]))

    def test_joints(self):
        self.write("s.xml", scene('<body name="pole" pos="0 0 2"><joint name="pin" axis="0 1 0"/><geom type="capsule" size=".05 .5" pos=".5 0 0" euler="0 90 0"/></body>'))
        result = self.call("run", "s.xml", "--duration", ".5", "--json", "r.json")
        self.assertRegex(result.stdout, r"\njoints +off by \S+ m at most, \S+ m at the end\n")
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(set(report["joints"]), {"pin"})
        self.assertLess(0, report["joint_error_m"]["max"])
        self.assertLess(report["joint_error_m"]["max"], 1e-10)
        self.assertLessEqual(report["joint_error_m"]["end"], report["joint_error_m"]["max"])

    def long_run(self):
        self.write("s.xml", scene(CUBE, more=SLIDE))
        process = subprocess.Popen([PROGRAM, "run", "s.xml", "--duration", "1e6", "--dt", ".001", "--record", "r.h5", "--json", "j.json"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(3)
        self.assertIsNone(process.poll())
        return process

    def frames(self):
        result = self.call("info", "r.h5")
        self.assertEqual(result.returncode, 0, result.stderr)
        return int(re.search(r"frames\s+(\d+)", result.stdout)[1])

    def test_interrupt(self):
        process = self.long_run()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, told)
        self.assertIn("interrupted", told)
        report = json.loads((self.folder / "j.json").read_text())
        self.assertEqual(report["steps"], report["certified_steps"])
        self.assertEqual(self.frames(), report["steps"] + 1)

    def test_kill(self):
        process = self.long_run()
        process.kill()
        process.communicate()
        self.assertGreater(self.frames(), 1)

    def test_a_heap_at_rest_stays_so(self):
        """1000 spheres as they lie, 2592 contacts: not one bit of a position changes."""
        path = pathlib.Path(__file__).resolve().parents[2] / "examples" / "settled_heap.xml"
        result = self.call("run", path, "--duration", ".1", "--json", "-", "--quiet")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        self.assertEqual((report["steps"], report["certified_steps"]), (6, 6))
        self.assertLessEqual(report["penetration_m"]["max"], 1e-8)
        placed = {b.get("name"): [float(x) for x in b.get("pos").split()] for b in ElementTree.parse(path).getroot().iterfind("worldbody/body")}
        self.assertEqual(len(placed), 1000)
        self.assertEqual({name: body["position"] for name, body in report["bodies"].items()}, placed)


class Solve(ProgramTest):
    def test_json_and_answer(self):
        self.write("s.xml", scene(CUBE, more=SLIDE))
        self.assertEqual(self.call("run", "s.xml", "--keyframe", "slide", "--duration", ".1", "--dump-worst", "p.hdf5", "--quiet").returncode, 0)
        result = self.call("solve", "p.hdf5", "--repeat", 3, "--json", "-", "--write", "a.hdf5")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        self.assertEqual(set(report), SOLVE_KEYS)
        self.assertEqual((report["form"], report["contacts"], report["dof"], report["certified"]), ("global", 4, 6, True))
        self.assertEqual(set(report["certificate"]), {"relative", "m_s", "fclib"})
        self.assertLessEqual(report["certificate"]["relative"], 1e-8)
        self.assertGreater(report["cpu_ms"], 0)
        self.assertEqual(self.call("solve", "a.hdf5").returncode, 0)   # what was written is a problem again

    def test_not_certified(self):
        self.write("s.xml", scene(PILE, more=THROW))
        self.call("run", "s.xml", "--keyframe", "slide", "--duration", ".2", "--dump-worst", "p.hdf5", "--quiet")
        result = self.call("solve", "p.hdf5", "--tol", "1e-15", "--solver", "nsgs", "--json", "-")   # a pile is redundant: Gauss–Seidel stalls above round-off
        self.assertEqual(result.returncode, 3)
        report = json.loads(result.stdout)
        self.assertFalse(report["certified"])
        self.assertGreater(report["certificate"]["relative"], 1e-15)


if __name__ == "__main__":
    main()
