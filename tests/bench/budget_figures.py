#!/usr/bin/env python3
"""Compares `tune --budget 10%` with `tune` over the whole space, for the problems of recorded sweeps.

    budget_figures.py WARPTUNE RECORDING.json ... [--device replay] [--budget 10%] [--seeds 5] [--whole DB]

With --device auto, it measures on a GPU. --whole takes the best of the whole space from a database that has those sweeps
already (scripts/record_sweeps.sh makes one) instead of tuning it again. Each run has its own database, so no run uses the
results of another. Prints a table for docs/search.md: best time of the whole space / best time found, as the mean and the
worst of the seeds.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def problem_arguments(path):
    """Returns the problem of a recording as options of the command line, from a key such as
    `rows=32768,cols=4096;bf16;log=0`."""
    with open(path, encoding="utf-8") as file:
        recording = json.load(file)
    shape, dtype, *flags = recording["problem"].split(";")
    words = [recording["kernel"], "--shape", shape, "--dtype", dtype]
    for flag in flags:
        words += ["--set", flag]
    return words, f"{recording['kernel']} {recording['problem']}", recording["trials"]


def tune(program, words, *options):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "tune", *words, "--json", "--db", os.path.join(folder, "a.db"), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr or done.stdout}")
    return json.loads(done.stdout)


def best_times(program, database):
    """Returns the winners' times in a database, keyed by "kernel problem"."""
    command = [program, "show", "best", "--db", database, "--limit", "0", "--json"]
    rows = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["best"]
    return {f"{row['kernel']} {row['problem']}": row["median_us"] for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune")
    parser.add_argument("recordings", nargs="+")
    parser.add_argument("--device", default="replay", help="as in warptune tune; default: replay")
    parser.add_argument("--budget", default="10%", help="as in warptune tune; default: 10%%")
    parser.add_argument("--seeds", type=int, default=5, help="searches of each problem; default: 5")
    parser.add_argument("--whole", metavar="DB", help="database with the whole sweeps")
    args = parser.parse_args()
    known = best_times(args.warptune, args.whole) if args.whole else {}
    print(f"| problem | space | tried | mean of {args.seeds} seeds | worst |\n|---|---|---|---|---|")
    for path in args.recordings:
        words, name, space = problem_arguments(path)
        whole = known.get(name) or tune(args.warptune, words, "--device", args.device)["best"]["median_us"]
        shares, tried = [], 0
        for seed in range(args.seeds):
            found = tune(args.warptune, words, "--device", args.device, "--budget", args.budget, "--seed", str(seed),
                         "--knowledge", "prior")  # the shipped recordings are hints that contain the answer
            shares.append(whole / found["best"]["median_us"])
            tried = found["measured"]
        print(f"| {name} | {space} | {tried} | {sum(shares) / len(shares):.3f} | {min(shares):.3f} |", flush=True)


if __name__ == "__main__":
    main()
