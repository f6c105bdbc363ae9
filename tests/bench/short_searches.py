#!/usr/bin/env python3
"""Replays short searches on the shipped recordings, and compares what they find with the best of the whole space. A large
loss means that the expected times (expected_us) of a kernel rank its configurations badly.

  tests/bench/short_searches.py                         all recordings, with build/release/bin/warptune
  tests/bench/short_searches.py pool reduce --budget 24 --seeds 5

Needs no GPU. Columns: the largest ratio found / best of the seeds, the ratios, the problem, and the best configuration with
its time. Both are times of the finals, so ratios can be below 1.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tune(program, file, recording, options):
    shape, dtype, *flags = recording["problem"].split(";")
    words = [program, "tune", recording["kernel"], "--shape", shape, "--dtype", dtype, "--device", f"recorded:{file}", "-q", "--json"]
    for flag in flags[0].split(",") if flags and flags[0] else []:
        words += ["--set", flag]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*words, "--db", f"{folder}/one.db", *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"short_searches.py: {file.name}: {done.stderr.strip()}")
    return json.loads(done.stdout)["best"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", help="only these kernels; default: all")
    parser.add_argument("--budget", default="24", help="as in warptune tune; default: 24")
    parser.add_argument("--seeds", type=int, default=2, help="searches of each problem; default: 2")
    parser.add_argument("--warptune", default=str(ROOT / "build/release/bin/warptune"), help="default: build/release/bin/warptune")
    options = parser.parse_args()
    os.environ["WARPTUNE_TEMPLATES"] = str(ROOT / "kernel_templates")
    for file in sorted((ROOT / "recordings").glob("*.json")):
        recording = json.loads(file.read_text(encoding="utf-8"))
        if options.kernels and recording["kernel"] not in options.kernels:
            continue
        best = tune(options.warptune, file, recording, [])
        found = [tune(options.warptune, file, recording, ["--budget", options.budget, "--seed", str(seed)])["median_us"]
                 for seed in range(1, options.seeds + 1)]
        ratios = [us / best["median_us"] for us in found]
        print(f"{max(ratios):.3f} ({' '.join(f'{ratio:.3f}' for ratio in ratios)}) {recording['kernel']} {recording['problem']}: "
              f"{best['median_us']:.1f} us with {best['config_text']}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
