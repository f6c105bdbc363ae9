#!/usr/bin/env python3
"""Measures the cost of the commands on a database of a million trials; needs no GPU (docs/database.md, "A million trials").

  million_trials make DIR                         # 256 shard databases (tests/bench/million_trials.cpp)
  million_trials.py BUILD DIR [--runs 3] [--only WORD] [--skip-merge]

BUILD: a build tree with bin/warptune and tests/million_trials. Merges the shards of DIR to DIR/million.db, runs each
command RUNS times, and prints the minima of user and system CPU time, wall time and peak memory of a run.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time


def run(words, env, out):
    """Runs one process, and returns its user CPU seconds, system CPU seconds, wall seconds, peak KB and exit code."""
    begin = time.monotonic()
    child = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, env=env)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return (usage.ru_utime, usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss), child.returncode


def measure(name, words, env, runs, before=None):
    best = None
    with tempfile.TemporaryFile() as out:
        for _ in range(runs):
            if before:
                before()
            out.seek(0)
            figures, code = run(words, env, out)
            if code != 0:
                out.seek(0)
                sys.exit(f"{' '.join(words)}: exit code {code}\n{out.read().decode()[-2000:]}")
            best = figures if best is None else tuple(map(min, best, figures))
    user, system, wall, peak = best
    print(f"{name:<44} {user * 1e3:10.0f} {system * 1e3:10.0f} {wall * 1e3:10.0f} {peak / 1024:9.0f}", flush=True)


def ask(words, env):
    return json.loads(subprocess.run(words, env=env, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("dir")
    parser.add_argument("--runs", type=int, default=3, help="runs of each command; default: 3")
    parser.add_argument("--only", default="", help="only rows whose name contains this word")
    parser.add_argument("--skip-merge", action="store_true", help="use the existing DIR/million.db")
    args = parser.parse_args()
    program = os.path.join(args.build, "bin/warptune")
    bench = os.path.join(args.build, "tests/million_trials")
    cuda = glob.glob(os.path.join(args.build, "**/libwt_fake_cuda.so"), recursive=True)
    db = os.path.join(args.dir, "million.db")
    scratch = tempfile.mkdtemp(dir=args.dir)
    env = dict(os.environ, XDG_CACHE_HOME=scratch, XDG_DATA_HOME=scratch)
    shards = sorted(glob.glob(os.path.join(args.dir, "shard-*.db")))
    print(f"{len(shards)} shards, {sum(map(os.path.getsize, shards)) / 1e6:.0f} MB; the least of {args.runs} runs")
    print(f"{'':<44} {'user ms':>10} {'system ms':>10} {'wall ms':>10} {'peak MB':>9}", flush=True)

    def remove(path):
        if os.path.exists(path):
            os.remove(path)

    if not args.skip_merge:
        measure("merge", [program, "merge", "-o", db] + shards, env, args.runs, lambda: remove(db))
    at_db = ["--db", db]
    chosen = ask([program, "show", "best", "--kernel", "softmax", "--limit", "1", "--json"] + at_db, env)["best"][0]
    shape, dtype, log = chosen["problem"].split(";")
    on = ["--dtype", dtype, "--set", log, "--device", "Fake H200"]
    rows, cols = (int(size.split("=")[1]) for size in shape.split(","))
    pack = os.path.join(scratch, "out.wtpack")
    tune = [program, "tune", "softmax", "--shape", "rows=32768,cols=4096", "--dtype", "bf16", "--device", "recorded",
            "--budget", "100"]
    page = os.path.join(scratch, "report.html")
    small = os.path.join(scratch, "small.db")
    commands = [
        ("show devices", ["show", "devices"] + at_db, None),
        ("show best", ["show", "best"] + at_db, None),
        ("show best --kernel softmax", ["show", "best", "--kernel", "softmax"] + at_db, None),
        ("show best --session", ["show", "best", "--session", str(chosen["session"])] + at_db, None),
        ("show sessions", ["show", "sessions"] + at_db, None),
        ("show trials --session", ["show", "trials", "--session", str(chosen["session"])] + at_db, None),
        ("explain, a tuned shape", ["explain", "softmax", "--shape", shape] + on + at_db, None),
        ("explain, an untuned shape", ["explain", "softmax", "--shape", f"rows={rows + 24},cols={cols}"] + on + at_db,
         None),
        ("report --kernel --shape", ["report", "--kernel", "softmax", "--shape", shape, "--dtype", dtype, "--set", log,
                                     "-o", page] + at_db, None),
        ("report --kernel", ["report", "--kernel", "softmax", "-o", page] + at_db, None),
        ("tune, a new database", tune[1:] + ["--db", small], lambda: remove(small)),
        ("tune", tune[1:] + at_db, None),
        ("tune --resume", tune[1:] + ["--resume"] + at_db, None),
        ("pack --kernels axpy", ["pack", "--kernels", "axpy", "--no-compile", "-o", pack] + at_db, lambda: remove(pack)),
    ]
    for name, words, before in commands:
        if args.only in name:
            measure(name, [program] + words, env, args.runs, before)
    for part in ("resume", "select"):
        if args.only and args.only not in part:
            continue
        result = subprocess.run([bench, part, db] + (cuda[:1] if part == "select" else []), env=env, check=True,
                                capture_output=True, text=True)
        print(result.stdout, end="", flush=True)


if __name__ == "__main__":
    main()
