#!/usr/bin/env python3
"""Make recordings/spaces from complete recordings of other tuners, such as AutoTuningAssociation/benchmark_hub's.

    scripts/compact_spaces.py ORIGINALS OUT [--traces PEERS.jsonl.gz]

ORIGINALS is a folder of Kernel Tuner cache files (*.json.gz). Each file of OUT is a cache too, but an entry has only the
params and the time (six significant digits) or the name of the failure. --traces copies the traces of other tuners
(score.py's format) with six digits, and puts the tuner's name before the name of each strategy.
"""
import argparse
import gzip
import json
import os

DIGITS = 6
TUNERS = {"OPTUNA_TPE": "Optuna TPE"}


def write(path, text):
    with open(path, "wb") as out:  # no name and no time in the header: equal texts give equal bytes
        with gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
            packed.write(text.encode())


def compact_time(value):
    return float(f"{value:.{DIGITS}g}") if isinstance(value, (int, float)) else value


def failure(entry):
    return next((v for v in entry.values() if isinstance(v, str) and v.endswith("Config")), None)


def compact(original):
    names = original["tune_params_keys"]
    head = {k: original[k] for k in ("device_name", "kernel_name", "problem_size", "tune_params_keys", "tune_params")}
    head["objective"] = "time"
    entries = []
    for key, entry in original["cache"].items():
        short = {name: entry[name] for name in names}
        short["time"] = failure(entry) or compact_time(entry["time"])
        entries.append(f"{json.dumps(key)}:{json.dumps(short, separators=(',', ':'))}")
    return json.dumps(head, separators=(",", ":"))[:-1] + ',"cache":{\n' + ",\n".join(entries) + "}}\n"


def compact_trace(line):
    run = json.loads(line)
    name = run["strategy"]
    run["strategy"] = TUNERS.get(name, "Kernel Tuner " + name.split(":")[0])
    run["trace"] = [[k, compact_time(t)] for k, t in run["trace"]]
    return json.dumps(run)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("originals")
    parser.add_argument("out")
    parser.add_argument("--traces")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for name in sorted(os.listdir(args.originals)):
        if not name.endswith(".json.gz"):
            continue
        with gzip.open(os.path.join(args.originals, name), "rt") as packed:
            text = packed.read()
        try:
            original = json.loads(text)
        except json.JSONDecodeError:  # the closing braces may be missing
            original = json.loads(text.rstrip().rstrip(",") + "}}")
        if "cache" in original:
            write(os.path.join(args.out, name), compact(original))
    if args.traces:
        with gzip.open(args.traces, "rt") as packed:
            write(os.path.join(args.out, "peers.jsonl.gz"), "\n".join(compact_trace(line) for line in packed) + "\n")


if __name__ == "__main__":
    main()
