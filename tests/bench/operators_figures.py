#!/usr/bin/env python3
"""Compares the row and elementwise operators with PyTorch, eager and compiled, on a GPU. It tunes the suite `default` of each
operator, then times the winners and PyTorch interleaved in one process, with the L2 cold.

  bench/operators_figures.py                               all operators in bf16
  bench/operators_figures.py --only row_norm adam --dtype fp32 --budget 40
  bench/operators_figures.py --problems 4                  only four problems of each suite, evenly spaced
  bench/operators_figures.py --match function=relu mask=1  only problems with one of these texts
  bench/operators_figures.py --db FILE --show              only show the results in FILE
  bench/operators_figures.py --json FILE --report FILE.html

Needs PyTorch and the Python package of warptune. Columns: medians of 31 rounds in us; the share of the roof that warptune
measured for the problem's mix of reads and writes; the smaller median of eager and compiled, divided by our median; the
spread of the ratios of single rounds (10th to 90th percentile). Before each call, other data of twice the size of the L2 is
read, and as many bytes are written as the operator writes. Calls wait behind a kernel that sleeps for three times as long as
the host needs for the call, so host time is not included. If the GPU reaches a call before the host has enqueued all of it,
the round is repeated with a longer sleep. An `h` behind a time: even the longest sleep was too short, for example because
the call waits for the GPU, so this time contains host time.
"""
import argparse
import json
import math
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_inputs import TREE, fail, kernel_templates, need_database_to_show, need_packages, need_warptune, open_database

ROUNDS = 31
HOST_CALLS = 7                          # whose host time is measured
MIN_SLEEP_US, MAX_SLEEP_US = 500, 50_000
CALIBRATION = 10_000_000                # cycles
OPERATORS = ("row_norm", "row_norm_backward", "cross_entropy", "cross_entropy_backward", "masked_softmax",
             "masked_softmax_backward", "reduce", "quantise", "dequantise", "quantise_groups", "dequantise_groups",
             "quantise_tensor", "row_norm_quantise", "permute", "elementwise", "elementwise_backward", "broadcast",
             "broadcast_backward", "rotary", "embedding", "embedding_backward", "adam", "adam_list", "loss",
             "loss_backward", "scan", "pool", "pool_backward", "batch_norm", "batch_norm_backward", "group_norm",
             "group_norm_backward", "normalise", "normalise_backward", "top_k", "slice", "concat", "row_loss",
             "row_loss_backward")
BESTS = """
SELECT p.kernel, p.key, b.median_us, b.roofline_share
FROM best b JOIN sessions s ON s.id = b.session_id JOIN problems p ON p.id = s.problem_id
WHERE b.id IN (SELECT MAX(b.id) FROM best b JOIN sessions s ON s.id = b.session_id GROUP BY s.problem_id) ORDER BY p.kernel, b.id"""


def folder_of(operator):
    """Returns an operator's kernel folder."""
    folder = kernel_templates() / operator
    return folder if (folder / "spec.json").exists() else fail(f"the kernel folder {folder} does not exist; run this script in the tree of `make dist`")


def spec_of(operator):
    return json.loads(without_comments((folder_of(operator) / "spec.json").read_text(encoding="utf-8")))


def jobs_of(operator, dtype, count, texts):
    """Returns entries of a sweep for the suite `default`, for those of its problems that contain one of `texts`, or for
    `count` of its problems, evenly spaced."""
    kernel = str(folder_of(operator))
    if count is None and not texts:
        return [{"kernel": kernel, "suite": "default", "dtypes": dtype}]
    problem, jobs = spec_of(operator)["problem"], []
    suite = [entry for entry in spec_of(operator)["suites"]["default"]
             if not texts or has_one(",".join(f"{name}={value}" for name, value in entry.items()), texts)]
    wanted = min(count or len(suite), len(suite))
    for i in range(wanted):
        entry = suite[i * len(suite) // wanted]
        shape = ",".join(f"{name}={value}" for name, value in entry.items() if name in problem["dims"])
        flags = {name: value for name, value in entry.items() if name in problem.get("flags", {})}
        jobs.append({"kernel": kernel, "shapes": shape, "dtypes": entry.get("dtype", dtype), "flags": flags})
    return jobs


def has_one(problem, texts):
    return any(text in problem for text in texts)


def tune(options, jobs, db, folder):
    file = Path(folder) / "sweep.json"
    file.write_text(json.dumps({"warptune_sweep": 1, "jobs": jobs}), encoding="utf-8")
    ended = subprocess.run([options.warptune, "sweep", str(file), "--db", db, "--budget", options.budget, "--resume"],
                           stdout=subprocess.DEVNULL, check=False)
    if ended.returncode not in (0, 1):
        sys.exit(ended.returncode)


def parse(key, spec):
    """Returns the dims, dtype and flags of a problem's key; the key leaves out defaults."""
    shape, dtype, *named = key.split(";")
    dims = {name: dim.get("default") for name, dim in spec["problem"]["dims"].items()}
    for name, value in re.findall(r"(\w+)=(\[[^]]*\]|\w+\([^)]*\)|\d+)", shape):
        dims[name] = int(value) if value.isdigit() else value  # the text of a list
    flags = {name: flag["values"][0] for name, flag in spec["problem"].get("flags", {}).items()}
    for name, value in (pair.split("=") for pair in named[0].split(",")) if named else ():
        flags[name] = int(value) if isinstance(flags[name], int) else value
    return dims, dtype, flags


def without_comments(text):
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))


class Rounds:
    """Times calls, interleaved, with a cold L2. After `time`, `host_us` has the host time of each call, and `late` the
    names of the calls whose times contain host time."""

    def __init__(self, torch):
        self.torch = torch
        l2 = torch.cuda.get_device_properties(0).L2_cache_size
        self.other = torch.rand(2 * l2 // 4, device="cuda")
        self.sink = torch.empty(l2, dtype=torch.uint8, device="cuda")
        self.host_us, self.late, self.cycles_per_us = {}, [], 0.0

    def time(self, calls, written):
        for call in calls.values():
            for _ in range(3):
                call()
        self.cycles_per_us = CALIBRATION / self.events(lambda: self.torch.cuda._sleep(CALIBRATION))[0]
        self.host_us = {name: self.host_time(call) for name, call in calls.items()}
        sleeps = {name: max(MIN_SLEEP_US, 3 * us) for name, us in self.host_us.items()}
        times, late = {name: [] for name in calls}, set()
        for i in range(ROUNDS):
            for name, call in calls.items():
                us, is_late = self.round(call, written, i, sleeps[name])
                while is_late and sleeps[name] < MAX_SLEEP_US:
                    sleeps[name] *= 2
                    us, is_late = self.round(call, written, i, sleeps[name])
                times[name].append(us)
                if is_late:
                    late.add(name)
        self.late = [name for name in calls if name in late]
        return times

    def host_time(self, call):
        """Returns the median time in us until a call returns, if no other work is enqueued."""
        times = []
        for _ in range(HOST_CALLS):
            self.torch.cuda.synchronize()
            begin = time.perf_counter()
            call()
            times.append(1e6 * (time.perf_counter() - begin))
        return statistics.median(times)

    def round(self, call, written, value, sleep_us):
        self.torch.cuda._sleep(int(sleep_us * self.cycles_per_us))
        self.other.sum()
        self.sink[:written].fill_(value)
        return self.events(call)

    def events(self, call):
        """Returns a call's time on the GPU in us, and whether the GPU reached the call before all of it was enqueued."""
        cuda = self.torch.cuda
        begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        is_late = begin.query()
        cuda.synchronize()
        return begin.elapsed_time(end) * 1e3, is_late


def tuned(db, operators, texts):
    """Returns (kernel, key of the problem, us, share of the roof) of each result in the database that is asked for."""
    found = open_database(db).execute(BESTS).fetchall()
    return [one for one in found if one[0] in operators and (not texts or has_one(one[1], texts))]


def problem_of(kernel, key):
    """Returns the dims, dtype and flags of a problem, and the problem in PyTorch."""
    from operators_problem import DTYPES, list_of
    from operators_torch import MAKERS

    dims, dtype, flags = parse(key, spec_of(kernel))
    dims = {name: list_of(value) if isinstance(value, str) else value for name, value in dims.items()}
    return dims, dtype, flags, MAKERS[kernel](dims, DTYPES[dtype], flags)


def arguments_of(problem):
    """Returns the arguments of warptune's kernel."""
    return problem.ours() if callable(problem.ours) else problem.ours


def calls_of(library, kernel, key):
    """Returns the problem in PyTorch, and calls by name: warptune's kernel and PyTorch."""
    dims, dtype, flags, problem = problem_of(kernel, key)
    ours = library.kernel(kernel, dtype=dtype, **flags)
    return problem, {"ours": lambda: ours(tuple(dims.values()), *arguments_of(problem)), **problem.calls()}


def compared(times):
    """Returns the medians, the ratio of the medians, and the spread of the ratios of single rounds."""
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratios = sorted(min(eager, compiled) / own for own, eager, compiled in zip(times["ours"], times["eager"], times["compiled"]))
    return {"us": medians, "ratio": min(medians["eager"], medians["compiled"]) / medians["ours"],
            "spread": [ratios[ROUNDS // 10], ratios[-1 - ROUNDS // 10]]}


def about(torch):
    return {"device": torch.cuda.get_device_name(0), "torch": torch.__version__}


def measure(db, operators, texts, json_file):
    import torch
    import warptune

    library, rounds, results, facts = warptune.open(db), Rounds(torch), [], about(torch)
    for kernel, key, tuned_us, share in tuned(db, operators, texts):
        try:
            problem, calls = calls_of(library, kernel, key)
            times = rounds.time(calls, problem.written)
        except Exception as error:  # one problem that cannot run must not stop the others
            print(f"left out: {kernel} {key}: {error}", file=sys.stderr)
            continue
        figures = compared(times)
        results.append({"kernel": kernel, "problem": key, **figures, "host_us": rounds.host_us, "with_host_time": rounds.late,
                        "tuned_us": tuned_us, "roof_share": share * tuned_us / figures["us"]["ours"]})
        print(row(results[-1]), flush=True)
        write_json(json_file, facts, results)  # now, so that a stopped run keeps its results
        del problem, calls
        torch.cuda.empty_cache()
    return results, facts


def times_of(r, digits=1):
    """Returns the cells with the times of a result."""
    return "".join(f" {r['us'][name]:.{digits}f}{' h' if name in r['with_host_time'] else ''} |" for name in ("ours", "eager", "compiled"))


def row(r):
    return (f"| {r['kernel']} | {r['problem']} |{times_of(r)} {100 * r['roof_share']:.1f} % | {r['ratio']:.2f} | "
            f"{r['spread'][0]:.2f} to {r['spread'][1]:.2f} |")


def mean_ratio(results):
    return math.exp(sum(math.log(r["ratio"]) for r in results) / len(results))


def summarise(results):
    for kernel in dict.fromkeys(r["kernel"] for r in results):
        own = [r for r in results if r["kernel"] == kernel]
        print(f"\n{kernel}: {len(own)} problems, geometric mean {mean_ratio(own):.2f}, least share of the roof "
              f"{100 * min(r['roof_share'] for r in own):.1f} %")
        for r in own:
            if r["ratio"] < 0.98:
                print(f"  slower than PyTorch: {r['problem']}: {r['ratio']:.2f}")


def make_parser(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warptune", default=str(TREE / "bin" / "warptune"), help="default: bin/warptune of this tree")
    parser.add_argument("--dtype", choices=["bf16", "fp16", "fp32"], default="bf16")
    parser.add_argument("--budget", default="60", help="as in warptune tune; default: 60")
    parser.add_argument("--only", choices=OPERATORS, nargs="+", default=OPERATORS, help="only these operators; default: all")
    parser.add_argument("--match", nargs="+", default=[], help="only problems that contain one of these texts, such as cols=64 or function=relu")
    parser.add_argument("--db", help="database for the results; default: a temporary file")
    parser.add_argument("--show", action="store_true", help="only show the results in --db")
    parser.add_argument("--json", help="write the figures to this file, after each problem")
    return parser


def write_json(file, facts, results):
    """Writes the figures, if a file is given; the file always holds a complete document."""
    if not file:
        return
    facts = {**facts, "date": time.strftime("%Y-%m-%d", time.gmtime())}
    unfinished = Path(f"{file}.part")
    unfinished.write_text(json.dumps({**facts, "results": results}, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(file)


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--problems", type=int, help="at most N problems of each suite, evenly spaced; default: all")
    parser.add_argument("--report", help="write the roofline report to this file")
    options = parser.parse_args()
    need_database_to_show(options)
    if not options.show or options.report:
        need_warptune(options.warptune)
    need_packages()
    with tempfile.TemporaryDirectory() as folder:
        db = options.db or str(Path(folder) / "operators.db")
        if not options.show:
            tune(options, [job for operator in options.only for job in jobs_of(operator, options.dtype, options.problems, options.match)],
                 db, folder)
        print("| operator | problem | ours, us | eager, us | compiled, us | share of the roof | over PyTorch | spread |")
        print("|---|---|---|---|---|---|---|---|")
        results, facts = measure(db, options.only, options.match, options.json)
        write_json(options.json, facts, results)
        summarise(results)
        if options.report:
            subprocess.run([options.warptune, "report", "--limit", "0", "-o", options.report, "--db", db],
                           stdout=subprocess.DEVNULL, check=True)
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
