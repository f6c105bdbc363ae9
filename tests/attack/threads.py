"""Many threads in the runtime library under valgrind, in shares of the time: memcheck, then helgrind. Each run is the whole of
runtime_stress_tests with other thread schedules (the seed of the scheduler is valgrind's own)."""
import os
import shutil
import subprocess
import time

from common import Finding

TOOLS = {"memcheck": ["--error-exitcode=9", "--leak-check=no"],
         "helgrind": ["--error-exitcode=9", "--history-level=approx"]}


def missing(attack):
    if shutil.which("valgrind") is None:
        return "valgrind is not installed (Debian: apt-get install valgrind)"
    if not program(attack).exists():
        return f"{program(attack)} is not built"
    return ""


def program(attack):
    return attack.build / "tests" / "runtime_stress_tests"


def run(attack, tool, seconds):
    """Runs until the time is over, at least once. How often."""
    end = time.monotonic() + seconds
    runs = 0
    while runs == 0 or time.monotonic() < end:
        done = subprocess.run(["valgrind", f"--tool={tool}", "-q", "--fair-sched=yes", *TOOLS[tool], str(program(attack))],
                              cwd=attack.work, env={**os.environ, **attack.environment()}, capture_output=True, text=True,
                              timeout=3600)
        if done.returncode != 0:
            raise Finding(f"{tool}: exit {done.returncode}: {(done.stderr + done.stdout)[-1500:]}")
        runs += 1
    return runs
