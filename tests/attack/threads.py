"""Many threads in the runtime library, one tool after another: valgrind's memcheck and helgrind, and the thread
sanitizer. Each run is runtime_stress_tests, under valgrind with fewer rounds."""
import os
import shutil
import subprocess
import time
from pathlib import Path

from common import Finding

HERE = Path(__file__).resolve().parent
TEST = "tests/runtime_stress_tests"
ROUNDS = 40  # per thread, under valgrind
TIMEOUT_S = 900
VALGRIND = ["valgrind", "-q", "--fair-sched=yes", "--error-exitcode=9"]
TOOLS = {
    "memcheck": [*VALGRIND, "--tool=memcheck", "--leak-check=no"],
    "helgrind": [*VALGRIND, "--tool=helgrind", "--history-level=none", f"--suppressions={HERE / 'helgrind.supp'}"],
    "thread sanitizer": [],
}


def missing(attack, tool):
    """The reason why the tool cannot be used here, or an empty text."""
    if tool != "thread sanitizer" and shutil.which("valgrind") is None:
        return "not done: valgrind is not installed (Debian: apt-get install valgrind)"
    if not program(attack, tool).exists():
        preset = program(attack, tool).parents[1].name
        return f"not done: not built (cmake --preset {preset} && cmake --build --preset {preset} --target runtime_stress_tests)"
    return ""


def program(attack, tool):
    return (attack.root / "build/tsan" if tool == "thread sanitizer" else attack.build) / TEST


def run(attack, tool, seconds):
    """Repeats the run until the time is over, at least once. Returns the number of runs."""
    end = time.monotonic() + seconds
    runs = 0
    environment = {**os.environ, **attack.environment()}
    if TOOLS[tool]:
        environment["WARPTUNE_STRESS_ROUNDS"] = str(ROUNDS)
    while runs == 0 or time.monotonic() < end:
        try:
            done = subprocess.run([*TOOLS[tool], str(program(attack, tool))], cwd=attack.work, env=environment,
                                  capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise Finding(f"{tool}: no end after {TIMEOUT_S} s")
        if done.returncode != 0:
            raise Finding(f"{tool}: exit {done.returncode}: {(done.stderr + done.stdout)[-1500:]}")
        runs += 1
    return runs
