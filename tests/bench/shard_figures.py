#!/usr/bin/env python3
"""Measures how a sweep scales when processes with one GPU each share it through a run folder. Prints a Markdown table.

  bench/shard_figures.py                       64 jobs on 1 and on 2 GPUs, in the tree that `make dist` packs
  bench/shard_figures.py --gpus 1,2,4          on a machine with four GPUs
  bench/shard_figures.py --devices recorded --sweep FILE   a trial run without a GPU

Each process sees one GPU (CUDA_VISIBLE_DEVICES), as a task of Slurm does. A first run, which is not in the table, fills the cache of
compiled kernels. Each run begins with an empty run folder and no database. Its time is from the start of the first process to the end
of the last one. Exits with 1 if the merged databases differ in their jobs or configurations.
"""
import argparse
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
FINISHED = """SELECT k.name, p.key, c.text FROM trials t JOIN sessions s ON s.id = t.session_id JOIN kernels k ON k.id = s.kernel_id
              JOIN problems p ON p.id = s.problem_id JOIN configs c ON c.id = t.config_id WHERE s.state = 'finished'"""


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.binary = options.tree.resolve() / "bin" / "warptune"
        self.deadline = time.monotonic() + options.limit

    def call(self, words, **environment):
        # Each process has the same number of cores for compiling, however many processes there are.
        return subprocess.Popen([self.binary, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), **environment})

    def finish(self, child):
        try:
            _, said = child.communicate(timeout=max(1, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise SystemExit(f"not done within {self.options.limit} s: {self.progress()}; --limit allows more, --budget asks for less") from None
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, child.args))}: exit {child.returncode}: {said[-2000:]}")

    def progress(self):
        """Returns a sentence about the progress of the running sweep."""
        done = len(list((self.run / "claims").glob("*.finished")))
        return f"{self.run.name} has {done} jobs after {time.monotonic() - self.begin:.1f} s"

    def sweep(self, name, processes):
        """Runs one sweep. Returns its seconds, and the trials of the merged database."""
        run, local = self.folder / f"run-{name}", self.folder / f"local-{name}"
        cores = (os.cpu_count() or 1) // max(self.options.gpus)
        words = ["sweep", str(self.options.sweep), "--run", str(run), "--local", str(local), "--devices", self.options.devices,
                 "--budget", str(self.options.budget), "--knowledge", "none", "--compile-workers", str(max(1, cores - 1)), "-q"]
        self.begin, self.run = time.monotonic(), run
        children = [self.call([*words, "--shard", f"{i}/{processes}"], CUDA_VISIBLE_DEVICES=str(i)) for i in range(processes)]
        try:
            for child in children:
                self.finish(child)
        finally:
            for child in children:
                if child.poll() is None:
                    child.terminate()
                    child.wait()
        seconds = time.monotonic() - self.begin
        merged = self.folder / f"{name}.db"
        self.finish(self.call(["merge", "-o", str(merged), str(run)]))
        shutil.rmtree(run)
        trials = set(sqlite3.connect(f"file:{merged}?mode=ro", uri=True).execute(FINISHED).fetchall())
        print(f"{name}: {seconds:.1f} s, {len(jobs_of(trials))} jobs, {len(trials)} configurations", flush=True)
        return seconds, trials


def jobs_of(trials):
    return {(kernel, problem) for kernel, problem, _ in trials}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    parser.add_argument("--budget", type=int, default=60, help="configurations of each job; default: 60")
    parser.add_argument("--limit", type=float, default=540, help="time limit of all runs together, in seconds; default: 540")
    parser.add_argument("--devices", default="cuda:0", help="--devices of each process; default: cuda:0")
    parser.add_argument("--tree", type=Path, default=TREE, help="the unpacked tree; default: the one that contains this script")
    parser.add_argument("--sweep", type=Path, help="a sweep file; default: tests/data/bench/scaling64.json of the tree")
    options = parser.parse_args()
    options.sweep = options.sweep or options.tree / "tests" / "data" / "bench" / "scaling64.json"
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, Path(folder))
        cold, expected = bench.sweep("cold", max(options.gpus))
        # The run with the most GPUs is first. So if the time limit ends the last run, the others are complete.
        runs = {gpus: bench.sweep(f"{gpus}-gpus", gpus) for gpus in sorted(options.gpus, reverse=True)}
    fewest = min(options.gpus)
    one = fewest * runs[fewest][0]
    print(f"\n| GPUs, a process for each | {len(jobs_of(expected))} jobs, warm cache | times the throughput of one | the same jobs |")
    print("|---|---|---|---|")
    for gpus, (seconds, trials) in sorted(runs.items()):
        print(f"| {gpus} | {seconds:.1f} s | {one / seconds:.2f} | {'yes' if jobs_of(trials) == jobs_of(expected) else 'NO'} |")
    print(f"\nWith nothing compiled before, on {max(options.gpus)}: {cold:.1f} s.")
    if different := [gpus for gpus, (_, trials) in runs.items() if trials != expected]:
        raise SystemExit(f"on {different} GPUs: other configurations than in the first run")


if __name__ == "__main__":
    main()
