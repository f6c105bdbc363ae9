#!/usr/bin/env python3
"""Compares small problems of the operators with PyTorch, eager and compiled, in CUDA graphs on a GPU. It tunes the problems
of the sweep `small`, with the inputs in the L2. Then it captures calls of the winner, and as many calls of PyTorch, into one
graph each, and times the graphs interleaved in one process.

  bench/operators_graphs.py                             all problems, in bf16 (adam: fp32)
  bench/operators_graphs.py --only elementwise reduce --calls 50
  bench/operators_graphs.py --db FILE --show            only show the results in FILE, such as one of operators_figures.py
  bench/operators_graphs.py --json FILE

Needs PyTorch and the Python package of warptune. Columns: the size of all tensors that warptune's kernel takes; medians of 31
rounds in us for each call; the smaller median of eager and compiled, divided by our median; the spread of the ratios of
single rounds (10th to 90th percentile). The calls of a graph run one after the other with the same tensors, so small problems
stay in the L2, and the times include the start of each kernel by the GPU, but no host time. An `h` behind a time: the GPU
reached a graph before the host had launched it, so this time contains host time.
"""
import json
import sys
import tempfile
from pathlib import Path

from bench_inputs import fail, need_database_to_show, need_packages, need_warptune, open_database
from operators_figures import (Rounds, about, arguments_of, calls_of, compared, folder_of, has_one, make_parser, mean_ratio, times_of, tune,
                               tuned, write_json)

WARM_CALLS = 3


class GraphRounds(Rounds):
    """Times launches of graphs, interleaved. Nothing runs between them that would replace the data in the L2."""

    def round(self, call, written, value, sleep_us):
        self.torch.cuda._sleep(int(sleep_us * self.cycles_per_us))
        return self.events(call)


def megabytes(problem):
    return sum(one.nbytes for one in arguments_of(problem) if hasattr(one, "nbytes")) / 1e6


def small_jobs(options):
    """Returns the jobs of the sweep `small` that are asked for. `dtype` replaces bf16."""
    file = folder_of("elementwise").parent / "suites" / "small.json"
    jobs = []
    for job in json.loads(file.read_text(encoding="utf-8"))["jobs"]:
        flags = "".join(f",{name}={value}" for name, value in job.get("flags", {}).items())
        shapes = [shape for shape in job["shapes"] if not options.match or has_one(shape + flags, options.match)]
        if job["kernel"] in options.only and shapes:
            jobs.append({**job, "warm_l2": True, "kernel": str(folder_of(job["kernel"])), "shapes": shapes,
                         "dtypes": [options.dtype if dtype == "bf16" else dtype for dtype in job["dtypes"]]})
    return jobs or fail("no problem of the sweep small has one of the texts of --match")


def captured(torch, call, count, stream):
    """Returns a function that launches a graph of `count` calls."""
    for _ in range(WARM_CALLS):  # what is loaded or compiled at the first call cannot be captured
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(count):
            call()
    return graph.replay


def measure(db, options):
    import torch
    import warptune

    library, stream, results = warptune.open(db), torch.cuda.Stream(), []
    facts = {**about(torch), "calls": options.calls}
    with torch.cuda.stream(stream):  # a backward pass runs in the stream of its forward pass, which must be the captured one
        rounds = GraphRounds(torch)
        for kernel, key, _, _ in tuned(db, options.only, options.match):
            try:
                problem, calls = calls_of(library, kernel, key)
                graphs = {name: captured(torch, call, options.calls, stream) for name, call in calls.items()}
                times = rounds.time(graphs, 0)
            except Exception as error:  # one problem that cannot be captured must not stop the others
                print(f"left out: {kernel} {key}: {error}", file=sys.stderr)
                continue
            each = {name: [us / options.calls for us in values] for name, values in times.items()}
            results.append({"kernel": kernel, "problem": key, "megabytes": megabytes(problem), **compared(each), "with_host_time": rounds.late})
            print(row(results[-1]), flush=True)
            write_json(options.json, facts, results)
            del problem, calls, graphs
            torch.cuda.empty_cache()
    return results, facts


def row(r):
    return (f"| {r['kernel']} | {r['problem']} | {r['megabytes']:.2f} |{times_of(r, 2)} {r['ratio']:.2f} | "
            f"{r['spread'][0]:.2f} to {r['spread'][1]:.2f} |")


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--calls", type=int, default=20, help="calls in a graph; default: 20")
    options = parser.parse_args()
    need_database_to_show(options)
    if not options.show:
        need_warptune(options.warptune)
    need_packages()
    with tempfile.TemporaryDirectory() as folder:
        db = options.db or str(Path(folder) / "operators.db")
        if not options.show:
            tune(options, small_jobs(options), db, folder)
        print("| operator | problem | MB | ours, us | eager, us | compiled, us | over PyTorch | spread |")
        print("|---|---|---|---|---|---|---|---|")
        results, facts = measure(db, options)
        if results:
            print(f"\n{len(results)} problems, geometric mean {mean_ratio(results):.2f}")
        write_json(options.json, facts, results)
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
