#!/usr/bin/env python3
"""Measures how stable the finals are at the board's power cap. The finals of several sessions order two configurations
of one product whose times are about 1 % apart. Then the same is done with the fastest of cuBLASLt's algorithms.

  bench/power_cap.py [--shape m=8192,n=8192,k=8192] [--sessions 10] [--budget 60]

First tunes the product (with --baseline). Then repeats the finals of the same configurations (bench/finals_order), each
session in a new process."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_inputs import TREE, fail, need_program

WARPTUNE = Path(os.environ.get("WARPTUNE", TREE / "bin" / "warptune"))
FINALS_ORDER = Path(os.environ.get("FINALS_ORDER", TREE / "bench" / "finals_order"))
APART = 1.01


def ask(*words):
    ended = subprocess.run([WARPTUNE, *words, "--json"], capture_output=True, text=True, check=False)
    if ended.returncode:
        print(ended.stdout + ended.stderr, file=sys.stderr)
        fail(f"`warptune {words[0]}` failed with the exit code {ended.returncode}; its message is above")
    return json.loads(ended.stdout)


def choose(trials):
    """Returns the fastest of warptune's own configurations, the one closest to 1 % slower, and the library's
    fastest."""
    correct = [t for t in trials if t["status"] == "ok" and t["timing"]["complete"]]
    correct.sort(key=lambda t: t["timing"]["median_us"])
    own = [t for t in correct if "implementation=cublaslt" not in t["config_text"]]
    library = [t for t in correct if "implementation=cublaslt" in t["config_text"]]
    wanted = APART * own[0]["timing"]["median_us"]
    second = min(own[1:], key=lambda t: abs(t["timing"]["median_us"] - wanted))
    return [t["config_text"] for t in (own[0], second, *library[:1])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", default="m=8192,n=8192,k=8192")
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--flags", default="layout=nt")
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--budget", default="60")
    options = parser.parse_args()
    for program, variable in ((WARPTUNE, "WARPTUNE"), (FINALS_ORDER, "FINALS_ORDER")):
        need_program(program, f"run this script in the tree of `make dist`, or name the program in the environment variable {variable}")
    with tempfile.TemporaryDirectory() as folder:
        db = str(Path(folder) / "power.db")
        tuned = ask("tune", "gemm", "--shape", options.shape, "--dtype", options.dtype, "--set", options.flags,
                    "--budget", options.budget, "--baseline", "--db", db)
        best = tuned["best"]
        print("tuned: ", best["config_text"], "--", best["outcome"])
        print(f"       {best['median_us']:.1f} us at {best['sm_clock_min_mhz']} to {best['sm_clock_max_mhz']} MHz, "
              f"{len(best['rounds'])} rounds")
        for note in tuned["notes"]:
            print("note:  ", note)
        configs = choose(ask("show", "trials", "--session", str(tuned["session"]), "--limit", "0", "--db", db)["trials"])
    for place, config in enumerate(configs):
        print(f"{place}: {config}")
    subprocess.run([FINALS_ORDER, WARPTUNE, "gemm", options.shape, options.dtype, options.flags, str(options.sessions),
                    *configs], check=True)


if __name__ == "__main__":
    main()
