#!/usr/bin/env python3
"""Runs `warptune check` for the shipped operators on a GPU, and prints the findings of each as a Markdown table.

  bench/check_operators.py                          in the tree that `make dist` packs; all operators, all tools
  bench/check_operators.py --kernels adam,scan --json findings.json
  bench/check_operators.py --budget 16              also the fastest of 16 configurations of each problem

Each operator is checked for two problems of its suite `ragged`, with the flags that the suite names. They are the
largest problem in bf16 and the largest in fp32 whose product of dims is at most --elements, so that compute-sanitizer
ends within seconds. The examinations and tools run the default of each implementation and --run-sample other
configurations; with --budget also the winner of a search, which runs first. The same finding for several
configurations is one line. An operator that was not checked within the limit is listed as not checked. Exits with 1 if an operator was not checked.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_inputs import TREE, need_warptune, positive

EXAMINED = {"wrong-result", "nondeterminism", "nan-input", "infinite-input", "denormal-input", "zero-input", "large-input",
            "pointer-offset", "dirty-shared-memory", "crash", "hang", "memory-error", "race", "uninitialised-read",
            "barrier-error"}


def kernels_of(binary):
    return json.loads(subprocess.run([binary, "kernels", "--json"], capture_output=True, text=True, check=True).stdout)["kernels"]


def sum_of_list(shape):
    """Returns the sum of the sizes if a dim of the shape is a list, or more; else 1."""
    found = re.search(r"=(\w*)[\[(]([\d,]+)", shape)
    if not found:
        return 1
    numbers = [int(number) for number in found[2].split(",")]
    return {"": sum(numbers), "equal": math.prod(numbers[:2]), "uniform": numbers[0] * numbers[2 % len(numbers)]}.get(found[1], numbers[1 % len(numbers)])


def problems_of(kernel, most):
    """Returns (shape, dtype, flags) of two problems of the suite `ragged`, one for each of two dtypes."""
    rows = []
    for text in kernel["suites"]["ragged"]:
        shape, *rest = text.split(";")
        words = [word for part in rest for word in part.split(",")]
        dtype = next((word for word in words if "=" not in word), None)
        size = math.prod(int(number) for number in re.findall(r"=(\d+)", shape) if int(number) > 0) * sum_of_list(shape)
        rows.append((size, shape, dtype, [word for word in words if "=" in word]))
    rows = sorted((row for row in rows if row[0] <= most), key=lambda row: -row[0]) or rows[:1]
    for dtype in [name for name in ("bf16", "fp32") if name in kernel["dtypes"]]:
        _, shape, _, flags = next((row for row in rows if row[2] in (None, dtype)), rows[0])
        yield shape, dtype, flags


def commands(options, name, problem, database):
    """Yields the commands that check a problem: the search, if there is one, and the check, which also examines the best
    configuration in the database."""
    shape, dtype, flags = problem
    of_problem = [name, "--shape", shape, "--dtype", dtype, *(word for flag in flags for word in ("--set", flag)), "--compile-workers", "2", "-q"]
    if options.budget:
        of_problem += ["--db", database]
        yield [options.binary, "tune", *of_problem, "--budget", str(options.budget)]
    yield [options.binary, "check", *of_problem, "--sample", str(options.sample), "--run-sample", str(options.run_sample), "--json"]


def check(options, name, problem, deadline):
    begin = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for words in commands(options, name, problem, f"{folder}/c.db"):
                done = subprocess.run(words, capture_output=True, text=True, timeout=max(1, deadline - time.monotonic()))
                if "tune" in words and done.returncode != 0:
                    return {"error": f"tune: exit {done.returncode}: {done.stderr[-500:]}"}
    except subprocess.TimeoutExpired:
        return {"error": f"not done within {options.limit} s"}
    try:
        found = json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"error": f"exit {done.returncode}: {done.stderr[-500:]}"}
    if "error" in found:
        return {"error": found["error"]["message"]}
    return {"findings": found["findings"], "notes": found["notes"], "seconds": time.monotonic() - begin}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=lambda text: text.split(","), help="operators to check, separated by commas; default: all shipped ones")
    parser.add_argument("--elements", type=int, default=300_000, help="largest product of dims; default: 300000")
    parser.add_argument("--sample", type=int, default=6, help="configurations to compile for each problem; default: 6")
    parser.add_argument("--run-sample", type=int, default=1, help="configurations to run in addition to the defaults; default: 1")
    parser.add_argument("--budget", type=positive, help="configurations of a search whose winner is checked too; default: no search")
    parser.add_argument("--jobs", type=int, default=8, help="number of parallel checks; default: 8")
    parser.add_argument("--limit", type=float, default=500, help="time limit of all checks together, in seconds; default: 500")
    parser.add_argument("--json", type=Path, help="also write all findings and notes to this file")
    parser.add_argument("--tree", type=Path, default=TREE, help="the unpacked tree; default: the one that contains this script")
    options = parser.parse_args()
    options.binary = str(options.tree.resolve() / "bin" / "warptune")
    need_warptune(options.binary)
    deadline = time.monotonic() + options.limit
    tasks = [(kernel["name"], problem) for kernel in kernels_of(options.binary)
             if not options.kernels or kernel["name"] in options.kernels for problem in problems_of(kernel, options.elements)]
    with concurrent.futures.ThreadPoolExecutor(min(options.jobs, os.cpu_count() or 1)) as pool:
        results = list(pool.map(lambda task: check(options, *task, deadline), tasks))
    print("| operator, problem | finding | configurations | the first |\n|---|---|---|---|")
    is_whole = True
    for (name, (shape, dtype, flags)), result in zip(tasks, results):
        what = f"{name} {shape} {dtype} {','.join(flags)}".strip()
        if "error" in result:
            is_whole = False
            print(f"| {what} | NOT CHECKED | | {result['error']} |")
            continue
        kinds = collections.defaultdict(list)
        for finding in result["findings"]:
            if finding["kind"] in EXAMINED:
                kinds[finding["kind"]].append(finding["message"])
        for kind, messages in kinds.items():
            print(f"| {what} | `{kind}` | {len(messages)} | {messages[0]} |")
        if not kinds:
            print(f"| {what} | none | | {result['seconds']:.0f} s |")
    if options.json:
        options.json.write_text(json.dumps([{"kernel": name, "problem": problem, **result}
                                            for (name, problem), result in zip(tasks, results)], indent=1))
    sys.exit(0 if is_whole else 1)


if __name__ == "__main__":
    main()
