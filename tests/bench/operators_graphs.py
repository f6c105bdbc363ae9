#!/usr/bin/env python3
"""Compares small problems of the operators with PyTorch, eager and compiled, in CUDA graphs on a GPU. It tunes the small
problems of the suite `default` of each operator except adam_list. Then it captures calls of the winner, and as many calls of
PyTorch, into one graph each, and times the graphs interleaved in one process.

  bench/operators_graphs.py                             all operators in bf16, problems below 1 MB
  bench/operators_graphs.py --only elementwise reduce --below 4 --calls 50
  bench/operators_graphs.py --db FILE --show            only show the results in FILE, such as one of operators_figures.py
  bench/operators_graphs.py --json FILE

Needs PyTorch and the Python package of warptune. The size of a problem is that of all tensors that warptune's kernel takes.
Columns: the size; medians of 31 rounds in us for each call; the smaller median of eager and compiled, divided by our median;
the spread of the ratios of single rounds (10th to 90th percentile). The calls of a graph run one after the other with the same
tensors, so small problems stay in the L2, and the times include the start of each kernel by the GPU, but no host time. An `h`
behind a time: the GPU reached a graph before the host had launched it, so this time contains host time.
"""
import sys
import tempfile
from pathlib import Path

from operators_figures import (Rounds, about, arguments_of, calls_of, compared, jobs_of, make_parser, mean_ratio, problem_of, times_of, tune,
                               tuned, write_json)

EVERY = 10 ** 6  # more problems than a suite has
BEHIND_ADDRESSES = {"adam_list"}  # operators whose tensors are no arguments of the kernel, so that the size is not known
WARM_CALLS = 3


class GraphRounds(Rounds):
    """Times launches of graphs, interleaved. Nothing runs between them that would replace the data in the L2."""

    def round(self, call, written, value, sleep_us):
        self.torch.cuda._sleep(int(sleep_us * self.cycles_per_us))
        return self.events(call)


def megabytes(problem):
    return sum(one.nbytes for one in arguments_of(problem) if hasattr(one, "nbytes")) / 1e6


def key_of(job):
    """Returns the key of a job's problem."""
    flags = ",".join(f"{name}={value}" for name, value in job["flags"].items())
    return ";".join([job["shapes"], job["dtypes"]] + ([flags] if flags else []))


def is_small(operator, key, below):
    """Whether the tensors of a problem have fewer than `below` MB. They are not allocated, because fake tensors only have
    shapes."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    try:
        with FakeTensorMode():
            return megabytes(problem_of(operator, key)[3]) < below
    except Exception as error:  # a problem that reads its tensors
        print(f"left out: {operator} {key}: its size is not known: {error}", file=sys.stderr)
        return False


def small_jobs(options):
    jobs = [job for operator in options.only if operator not in BEHIND_ADDRESSES for job in jobs_of(operator, options.dtype, options.problems or EVERY, options.match)
            if is_small(operator, key_of(job), options.below)]
    return jobs or sys.exit(f"operators_graphs.py: no problem is below {options.below} MB; raise --below")


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
    with torch.cuda.stream(stream):  # a backward pass runs in the stream of its forward pass, which must be the captured one
        rounds = GraphRounds(torch)
        for kernel, key, _, _ in tuned(db, options.only, options.match):
            if kernel in BEHIND_ADDRESSES or not is_small(kernel, key, options.below):  # a database can have other results
                continue
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
            del problem, calls, graphs
            torch.cuda.empty_cache()
    return results, {**about(torch), "calls": options.calls}


def row(r):
    return (f"| {r['kernel']} | {r['problem']} | {r['megabytes']:.2f} |{times_of(r, 2)} {r['ratio']:.2f} | "
            f"{r['spread'][0]:.2f} to {r['spread'][1]:.2f} |")


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--below", type=float, default=1.0, help="only problems with fewer MB; default: 1")
    parser.add_argument("--calls", type=int, default=20, help="calls in a graph; default: 20")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = options.db or str(Path(folder) / "operators.db")
        if not options.show:
            tune(options, small_jobs(options), db, folder)
        print("| operator | problem | MB | ours, us | eager, us | compiled, us | over PyTorch | spread |")
        print("|---|---|---|---|---|---|---|---|")
        results, facts = measure(db, options)
        if results:
            print(f"\n{len(results)} problems, geometric mean {mean_ratio(results):.2f}")
        if options.json:
            write_json(options.json, facts, results)
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
