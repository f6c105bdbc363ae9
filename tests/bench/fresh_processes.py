#!/usr/bin/env python3
"""Measures how often a new process finds the time of a result inside its stored interval.

  bench/fresh_processes.py [--processes 20] [--budget 12]

Tunes five problems, then times each winner in several new processes (`warptune run`), interleaved over the problems. For
each problem it prints how many medians were inside, below and above the interval, and the range of their deviation from
the stored median."""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
WARPTUNE = Path(os.environ.get("WARPTUNE", TREE / "bin" / "warptune"))
PROBLEMS = [
    ["sgemm", "--shape", "m=4096,n=4096,k=4096"],
    ["gemm", "--shape", "m=2048,n=2048,k=2048", "--dtype", "bf16", "--set", "layout=nt"],
    ["gemm", "--shape", "m=16,n=4096,k=14336", "--dtype", "bf16", "--set", "layout=nt"],
    ["softmax", "--shape", "rows=32768,cols=4096", "--dtype", "bf16"],
    ["axpy", "--shape", "n=67108864"],
]


def ask(*words):
    return json.loads(subprocess.run([WARPTUNE, *words, "--json"], check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=20, help="new processes for each problem; default: 20")
    parser.add_argument("--budget", default="12", help="as in warptune tune; default: 12")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = str(Path(folder) / "fresh.db")
        for problem in PROBLEMS:
            ask("tune", *problem, "--budget", options.budget, "--db", db)
        runs = [[ask("run", *problem, "--db", db) for problem in PROBLEMS] for _ in range(options.processes)]
    print("| problem | stored, us | interval | inside | below | above | fresh medians |")
    print("|---|---|---|---|---|---|---|")
    inside = 0
    for problem, of_problem in zip(PROBLEMS, zip(*runs)):
        stored = of_problem[0]["stored"]
        median = stored["median_us"]
        places = [run["stored"]["this_run"] for run in of_problem]
        fresh = sorted(run["timing"]["median_us"] / median - 1 for run in of_problem)
        inside += places.count("inside")
        print(f"| {problem[0]} {problem[2]} | {median:.2f} | {stored['ci_low_us'] / median - 1:+.2%} to "
              f"{stored['ci_high_us'] / median - 1:+.2%} | {places.count('inside')} | {places.count('below')} | "
              f"{places.count('above')} | {fresh[0]:+.2%} to {fresh[-1]:+.2%} |")
    print(f"\n{inside} of {options.processes * len(PROBLEMS)} inside")


if __name__ == "__main__":
    main()
