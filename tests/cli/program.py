"""Runs the program in a folder of its own and gives back exit code and output."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""


def scene(body="", geom='size=".1"', option="", more="", floor=True):
    plane = '<geom name="floor" type="plane" size="5 5 1" friction=".5 0 0"/>\n' if floor else ""
    ball = body or f'<body name="ball" pos="0 0 .1"><freejoint/>\n<geom name="g" {geom}/></body>'
    return f"<mujoco>\n{option}\n<worldbody>\n{plane}{ball}\n</worldbody>\n{more}\n</mujoco>\n"


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def call(self, *arguments, timeout=600):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=timeout)

    def refused(self, arguments, *told):
        """Exit 2, nothing on standard output, and a message with each of the texts."""
        result = self.call(*arguments)
        self.assertEqual(result.returncode, 2, f"{arguments}: {result.stdout}{result.stderr}")
        self.assertEqual(result.stdout, "", arguments)
        for text in told:
            self.assertIn(text, result.stderr, arguments)
        self.assertIn("remedy", result.stderr, arguments)
        return result.stderr


def main():
    unittest.main(verbosity=1)
