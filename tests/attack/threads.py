"""Many threads in the runtime library, in shares of the time: under valgrind's memcheck and helgrind, and under the thread
sanitizer. Each run is the whole of runtime_stress_tests."""
import os
import shutil
import subprocess
import time
from pathlib import Path

from common import Finding

HERE = Path(__file__).resolve().parent
TEST = "tests/runtime_stress_tests"
VALGRIND = ["valgrind", "-q", "--fair-sched=yes", "--error-exitcode=9"]
TOOLS = {
    "memcheck": [*VALGRIND, "--tool=memcheck", "--leak-check=no"],
    "helgrind": [*VALGRIND, "--tool=helgrind", "--history-level=none", f"--suppressions={HERE / 'helgrind.supp'}"],
    "thread sanitizer": [],
}


def missing(attack, tool):
    """Why the tool cannot be used here; empty where it can."""
    if tool != "thread sanitizer" and shutil.which("valgrind") is None:
        return "not done: valgrind is not installed (Debian: apt-get install valgrind)"
    if not program(attack, tool).exists():
        preset = program(attack, tool).parents[1].name
        return f"not done: not built (cmake --preset {preset} && cmake --build --preset {preset} --target runtime_stress_tests)"
    return ""


def program(attack, tool):
    return (attack.root / "build/tsan" if tool == "thread sanitizer" else attack.build) / TEST


def run(attack, tool, seconds):
    """Runs until the time is over, at least once. How often."""
    end = time.monotonic() + seconds
    runs = 0
    while runs == 0 or time.monotonic() < end:
        done = subprocess.run([*TOOLS[tool], str(program(attack, tool))], cwd=attack.work,
                              env={**os.environ, **attack.environment()}, capture_output=True, text=True, timeout=3600)
        if done.returncode != 0:
            raise Finding(f"{tool}: exit {done.returncode}: {(done.stderr + done.stdout)[-1500:]}")
        runs += 1
    return runs
