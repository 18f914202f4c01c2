#!/usr/bin/env python3
"""`stiction bench`: the table, the baseline and what it catches, bad input.   Bench.py PROGRAM"""
import json
import shutil
import subprocess

from program import PROGRAM, ProgramTest, main, scene

SLIDE = '<keyframe><key name="slide" qpos="0 0 .1 1 0 0 0" qvel="3 0 0 0 0 0"/></keyframe>'
CUBE = '<body name="cube" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="2" friction=".5 0 0"/></body>'
QUICK = ("--duration", ".1", "--repeats", "2")


class Bench(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.xml", scene(CUBE, more=SLIDE))

    def report(self, *arguments):
        result = self.call("bench", *arguments, "--json", "-")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def problem(self):
        self.call("run", "s.xml", "--keyframe", "slide", "--duration", ".1", "--dump-worst", "p.hdf5", "--quiet")
        return "p.hdf5"

    def test_standard_scene(self):
        result = self.call("bench", "--only", "S3", "--duration", ".1", "--repeats", 2)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        rows = [line for line in result.stdout.splitlines() if line.startswith("| S")]
        self.assertEqual(len(rows), 1)
        cells = [cell.strip() for cell in rows[0].split("|")[1:-1]]
        self.assertEqual((cells[0], cells[1], cells[2]), ("S3 tower 1000:1", "40", "6"))
        self.assertRegex(cells[-1], "^[0-9a-f]{16}$")

    def test_standard_scenes_by_expression(self):
        names = [one["case"].split()[0] for one in self.report("--only", "^S1|S8", *QUICK)["cases"]]
        self.assertEqual(names, ["S1", "S1b", "S8"])

    def test_standard_scenes_missing(self):
        alone = shutil.copy(PROGRAM, self.folder / "alone")
        result = subprocess.run([alone, "bench"], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        for text in ("share/stiction/scenes", "cmake --install", "remedy"):
            self.assertIn(text, result.stderr)

    def test_scene_and_problem(self):
        cases = self.report("s.xml", self.problem(), "--keyframe", "slide", *QUICK)["cases"]
        self.assertEqual([one["kind"] for one in cases], ["scene", "problem"])
        cube = cases[0]
        self.assertEqual((cube["steps"], cube["contacts"], cube["certified"], cube["steady"]), (24, 4, True, True))
        self.assertLessEqual(cube["cpu_ms"]["min"], cube["cpu_ms"]["median"])
        self.assertAlmostEqual(cube["bodies"]["cube"]["position"][0], cube["moved_m"], delta=1e-6)
        self.assertEqual((cases[1]["form"], cases[1]["contacts"], cases[1]["certified"]), ("global", 4, True))

    def test_same_hash_as_run(self):
        bench = self.report("s.xml", "--keyframe", "slide", "--recompute", *QUICK)["cases"][0]
        run = json.loads(self.call("run", "s.xml", "--keyframe", "slide", "--duration", ".1", "--json", "-", "--quiet").stdout)
        self.assertEqual((bench["hash"], bench["certificate"]), (run["state_hash"], run["certificate"]["worst"]))

    def test_baseline(self):
        command = ["bench", "s.xml", self.problem(), "--keyframe", "slide", *QUICK]
        self.assertEqual(self.call(*command, "--save", "base.json").returncode, 0)
        again = self.call(*command, "--against", "base.json")
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertIn("ratio to baseline", again.stdout)
        base = json.loads((self.folder / "base.json").read_text())
        for key, value in (("hash", "0123456789abcdef"), ("certificate", 1e-9)):
            for i in range(2):
                forged = json.loads(json.dumps(base))
                forged["cases"][i][key] = value
                self.write("forged.json", json.dumps(forged))
                moved = self.call(*command, "--against", "forged.json")
                self.assertEqual(moved.returncode, 3)
                for text in (base["cases"][i]["case"], key, str(value), "remedy", "--save"):
                    self.assertIn(text, moved.stderr)

    def test_new_case_is_no_failure(self):
        self.call("bench", "--only", "S8", *QUICK, "--save", "base.json")
        result = self.call("bench", "--only", "S1|S8", *QUICK, "--against", "base.json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("| new |", result.stdout)

    def test_not_certified(self):
        result = self.call("bench", "s.xml", "--keyframe", "slide", "--tol", "1e-15", *QUICK, "--json", "-")
        case = json.loads(result.stdout)["cases"][0]
        self.assertEqual(result.returncode, 0 if case["certified"] else 3)
        self.assertEqual(case["certified"], case["certificate"] <= 1e-15)

    def test_bad_input(self):
        self.call("bench", "s.xml", *QUICK, "--save", "base.json")
        self.write("list.json", "[]")
        self.write("torn.json", '{"cases": [')
        self.write("empty.json", '{"tolerance": 1e-8, "cases": [{}]}')
        self.refused(["bench", "none.xml"], "none.xml", "no such file")
        self.refused(["bench", "s.xml", "s.xml"], "s.xml", "twice")
        self.refused(["bench", "s.xml", "--repeats", "0"], "--repeats", "allowed")
        self.refused(["bench", "s.xml", "--threads", "-1"], "--threads", "allowed")
        self.refused(["bench", "s.xml", "--tol", "0"], "--tol", "allowed")
        self.refused(["bench", "s.xml", "--duration", ".0001"], "--duration", "allowed")
        self.refused(["bench", "s.xml", "--keyframe", "fly"], "fly", "slide")
        self.refused(["bench", "--keyframe", "slide"], "--keyframe")
        self.refused(["bench", "--only", "S99"], "S99", "S4 pyramid")
        self.refused(["bench", "--only", "("], "--only", "regular expression")
        for option in ("--save", "--json"):
            self.refused(["bench", "s.xml", option, "nowhere/out"], option, "allowed")
        for name in ("none.json", "list.json", "torn.json", "empty.json"):
            self.refused(["bench", "s.xml", "--against", name], name, "--save")
        self.refused(["bench", "s.xml", "--duration", ".2", "--against", "base.json"], "base.json", "--duration")
        self.refused(["bench", "s.xml", "--duration", ".1", "--tol", "1e-7", "--against", "base.json"], "--tol")


if __name__ == "__main__":
    main()
