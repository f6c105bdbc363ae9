#!/usr/bin/env python3
"""Measures how fast an H200's results are on another GPU without tuning. For each recorded problem, it compares the H200's
winner with the best configuration of a short search on this GPU, interleaved, with the L2 cold. Run it on an H100.

  bench/transfer.py                                   60 problems, spread over all kernels; all GPUs of this machine
  bench/transfer.py --problems 20 --only gemm softmax --budget 40
  bench/transfer.py --devices recorded                without a GPU: only shows which winners differ

It first replays the shipped recordings into a database (--db), which then has the H200's winners. The search on this GPU
gets hints from this database. Loss: time of the H200's winner / time of the faster of both - 1, from the medians of
--rounds rounds.
"""
import argparse
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

TREE = Path(__file__).resolve().parent.parent
RECORDED_ON = "NVIDIA H200"
WINNERS = """
SELECT p.kernel, p.key, c.text FROM best b JOIN sessions s ON s.id = b.session_id JOIN problems p ON p.id = s.problem_id
JOIN configs c ON c.id = b.config_id JOIN devices d ON d.id = s.device_id
WHERE s.id > ? ORDER BY b.id"""


def share(name):
    """Returns a folder of the shipped files, in the tree of make dist or in the sources."""
    for folder in (TREE / "share" / "warptune" / name, TREE.parent / name):
        if folder.exists():
            return folder
    return sys.exit(f"transfer.py: no {name} below {TREE}")


def recorded_problems(only, count):
    """Returns (kernel, key) of `count` shipped recordings, taken from the kernels in rotation."""
    by_kernel = {}
    for file in sorted(share("recordings").glob("*.json")):
        recording = json.loads(file.read_text(encoding="utf-8"))
        if recording["device"]["name"] == RECORDED_ON and (not only or recording["kernel"] in only):
            by_kernel.setdefault(recording["kernel"], []).append(recording["problem"])
    chosen = []
    while len(chosen) < count and any(by_kernel.values()):
        for kernel in [kernel for kernel, left in by_kernel.items() if left][:count - len(chosen)]:
            chosen.append((kernel, by_kernel[kernel].pop(0)))
    return chosen


def job_of(kernel, key, **options):
    shape, dtype, *named = key.split(";")
    flags = dict(pair.split("=") for pair in named[0].split(",")) if named else {}
    flags = {name: int(value) if value.isdigit() else value for name, value in flags.items()}
    return {"kernel": kernel, "shapes": shape, "dtypes": dtype, "flags": flags, **options}


class Sweeps:
    """Runs sweeps of the problems into one database, and reads the winner of each."""

    def __init__(self, warptune, problems, folder, db):
        self.warptune, self.problems, self.folder, self.db = warptune, problems, folder, db

    def run(self, devices, limit_s, **options):
        before = self.sessions()
        file = Path(self.folder) / "sweep.json"
        jobs = [job_of(*problem, **options) for problem in self.problems]
        file.write_text(json.dumps({"warptune_sweep": 1, "jobs": jobs}), encoding="utf-8")
        try:
            subprocess.run([self.warptune, "sweep", str(file), "--devices", devices, "--db", self.db],
                           stdout=subprocess.DEVNULL, check=False, timeout=limit_s)
        except subprocess.TimeoutExpired:
            print("the search reached the time limit; the problems that it finished count", file=sys.stderr)
        return {(kernel, key): config for kernel, key, config in sqlite3.connect(self.db).execute(WINNERS, (before,))}

    def sessions(self):
        if not os.path.exists(self.db):
            return 0
        return sqlite3.connect(self.db).execute("SELECT COALESCE(MAX(id), 0) FROM sessions").fetchone()[0]


def interleaved(gpu, kernel, key, configs, rounds, limit_s):
    """Returns the medians of configurations in us on one GPU; None if they cannot be measured."""
    shape, problem = key.split(";", 1)
    command = [str(TREE / "bench" / "interleave"), str(share("kernel_templates") / kernel), shape, problem, str(rounds), *configs]
    try:
        ended = subprocess.run(command, env={**os.environ, "CUDA_VISIBLE_DEVICES": str(gpu)}, capture_output=True, text=True,
                               check=False, timeout=limit_s)
        return json.loads(ended.stdout)["median_us"]
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError):
        return None


def measured_losses(pairs, gpus, rounds, until):
    """Returns the loss of the first of two configurations, keyed by (kernel, key). Each GPU measures one problem at a
    time."""
    free = Queue()
    for gpu in gpus:
        free.put(gpu)

    def loss(item):
        (kernel, key), (there, here) = item
        if there == here:
            return 0.0
        gpu = free.get()
        try:
            times = interleaved(gpu, kernel, key, (there, here), rounds, max(1.0, until - time.monotonic()))
        finally:
            free.put(gpu)
        return times and max(0.0, times[0] / times[1] - 1)
    with ThreadPoolExecutor(len(gpus)) as pool:
        return dict(zip(pairs, pool.map(loss, pairs.items())))


def visible_gpus():
    if chosen := os.environ.get("CUDA_VISIBLE_DEVICES"):
        return chosen.split(",")
    try:
        return list(range(len(subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=True).stdout.splitlines())))
    except (OSError, subprocess.CalledProcessError):
        return [0]


def report(losses, pairs):
    for (kernel, key), loss in sorted(losses.items(), key=lambda item: -1 if item[1] is None else item[1]):
        there, here = pairs[kernel, key]
        text = "not measured" if loss is None else f"{100 * loss:.1f} %"
        print(f"| {kernel} | {key} | {text} | {'same' if there == here else f'{there} -> {here}'} |")
    found = [loss for loss in losses.values() if loss is not None]
    if found:
        print(f"{len(found)} of {len(losses)} problems measured: mean loss {100 * statistics.fmean(found):.2f} %, "
              f"worst {100 * max(found):.1f} % (goals: 1 %, 5 %)")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warptune", default=str(TREE / "bin" / "warptune"), help="default: bin/warptune of this tree")
    parser.add_argument("--devices", default="all", help="as in warptune sweep; default: all")
    parser.add_argument("--only", nargs="+", default=[], help="only these kernels; default: all")
    parser.add_argument("--problems", type=int, default=60, help="number of problems; default: 60")
    parser.add_argument("--budget", type=int, default=24, help="configurations of each search; default: 24")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of each comparison; default: 15")
    parser.add_argument("--limit", type=float, default=200, help="time limit of the whole run, in seconds; default: 200")
    parser.add_argument("--db", help="database for the results; default: a temporary file")
    options = parser.parse_args()
    until = time.monotonic() + options.limit
    with tempfile.TemporaryDirectory() as folder:
        db = str(Path(folder) / "transfer.db")
        sweeps = Sweeps(options.warptune, recorded_problems(options.only, options.problems), folder, db)
        there = sweeps.run("recorded", options.limit / 3, strategy="exhaustive", budget="all")
        here = sweeps.run(options.devices, (until - time.monotonic()) * 2 / 3, strategy="portfolio", budget=options.budget, seed=1)
        if options.db:
            shutil.copyfile(db, options.db)
        pairs = {problem: (there[problem], here[problem]) for problem in sweeps.problems if problem in there and problem in here}
        print(f"{len(sweeps.problems)} problems, {len(there)} with a recorded winner, {len(here)} tuned here")
        print("| kernel | problem | loss | recorded winner -> best here |\n|---|---|---|---|")
        found = report(measured_losses(pairs, visible_gpus(), options.rounds, until), pairs)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
