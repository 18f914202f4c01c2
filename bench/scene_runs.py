"""Runs of the example scenes by `stiction run`, for the benchmarks beside this file."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run_scene(program, scene, keyframe, seconds, *more, threads=1, limit=None):
    """(whether every step is certified, what --json gives) of steps of 1/60 s. Raises subprocess.TimeoutExpired after `limit` seconds."""
    command = [program, "run", str(ROOT / "examples" / f"{scene}.xml"), "--duration", str(seconds), "--dt", repr(1 / 60), "--threads", str(threads), *more, "--quiet", "--json", "-"]
    if keyframe:
        command += ["--keyframe", keyframe]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return done.returncode == 0, json.loads(done.stdout)
