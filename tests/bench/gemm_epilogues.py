#!/usr/bin/env python3
"""Compares warptune's matrix products with epilogues against cuBLASLt and PyTorch on a GPU. Each product is tuned with
cuBLASLt's algorithms in the same finals. Then the winner and PyTorch, eager and compiled, are timed interleaved in one
process, with the L2 cold.

  bench/gemm_epilogues.py --budget 50
  bench/gemm_epilogues.py --shapes 4096,4096,4096 64,4096,4096      m, n and k of some products instead of the three usual ones
  bench/gemm_epilogues.py --db FILE --show      only show the results in FILE

cuBLASLt supports only some of the epilogues; the others have no figure for cuBLASLt. "Over the best" is the smaller of two
ratios: cuBLASLt's time divided by ours in the finals, and PyTorch's fastest time divided by ours in the PyTorch process. If
cuBLASLt wins the finals, "ours" is warptune's fastest kernel in them.
Needs PyTorch and the Python package of warptune.
"""
import argparse
import math
import statistics
import sys
import tempfile
from pathlib import Path

import operators_figures
from bench_inputs import TREE, fail, need_database_to_show, need_packages, need_warptune, open_database
from gemm_figures import Finals
from operators_figures import Rounds, parse, spec_of

SHAPES = ((4096, 4096, 4096), (1024, 4096, 4096), (64, 4096, 4096))
EPILOGUES = ({"bias": 1}, {"bias": 1, "activation": "relu"}, {"bias": 1, "activation": "gelu_tanh"}, {"bias": 1, "activation": "gelu"},
             {"bias": 1, "activation": "silu"}, {"residual": 1}, {"bias": 1, "residual": 1}, {"activation": "swiglu"})
BESTS = """
SELECT b.id, p.key FROM best b JOIN sessions s ON s.id = b.session_id JOIN problems p ON p.id = s.problem_id
WHERE p.kernel = 'gemm' AND b.id IN (SELECT MAX(id) FROM best GROUP BY session_id) ORDER BY b.id"""


def tune(options, db, folder):
    jobs = [{"kernel": "gemm", "shapes": [f"m={m},n={n},k={k}" for m, n, k in options.shapes], "dtypes": options.dtype, "baseline": True,
             "flags": {"layout": "nt", **flags}} for flags in EPILOGUES]
    operators_figures.tune(options, jobs, db, folder)


def torch_calls(torch, dims, dtype, flags):
    """Returns the buffers of warptune's kernel, and PyTorch's function for the same result."""
    from torch.nn import functional as F

    from operators_problem import DTYPES, randn

    dtype = DTYPES[dtype]
    a, b = randn(dims["m"], dims["k"], dtype=dtype), randn(dims["n"], dims["k"], dtype=dtype)
    gated = flags["activation"] == "swiglu"
    c = torch.empty(dims["m"], dims["n"] // 2 if gated else dims["n"], dtype=dtype, device="cuda")
    bias = [randn(dims["n"], dtype=dtype)] if flags["bias"] else []
    residual = [torch.randn_like(c)] if flags["residual"] else []

    def finish(x):
        if gated:
            gate, value = x.chunk(2, -1)
            x = F.silu(gate) * value
        elif flags["activation"] != "none":
            x = {"relu": F.relu, "silu": F.silu, "gelu": F.gelu,
                 "gelu_tanh": lambda v: F.gelu(v, approximate="tanh")}[flags["activation"]](x)
        return x + residual[0] if residual else x

    def forward(x, w):
        return finish(F.linear(x, w, *bias))

    torch._dynamo.reset()
    compiled = torch.compile(forward, dynamic=False)
    calls = {"eager": lambda: forward(a, b), "compiled": lambda: compiled(a, b)}
    if bias and flags["activation"] in ("relu", "gelu_tanh") and not residual:  # cuBLASLt's epilogue, if PyTorch has it
        fused = torch.ops.aten._addmm_activation
        calls["fused"] = lambda: fused(bias[0], a, b.mT, use_gelu=flags["activation"] == "gelu_tanh")
    return (a, b, c, *bias, *residual), calls


def results_of(path):
    """Returns for each product its key, and the times in its finals."""
    db = open_database(path)
    found = [(key, Finals(db, best_id)) for best_id, key in db.execute(BESTS).fetchall()]
    return found or fail(f"{path} holds no result of gemm; run this script without --show, to measure the products")


def measure(db, results):
    import torch
    import warptune

    library, rounds, ratios, spec = warptune.open(db), Rounds(torch), [], spec_of("gemm")
    for key, finals in results:
        dims, dtype, flags = parse(key, spec)
        buffers, calls = torch_calls(torch, dims, dtype, flags)
        kernel = library.kernel("gemm", dtype=dtype, **flags)
        times = rounds.time({"ours": lambda: kernel(tuple(dims.values()), *buffers), **calls}, buffers[2].nbytes)
        us = {name: statistics.median(values) for name, values in times.items()}
        over_torch = min(value for name, value in us.items() if name != "ours") / us["ours"]
        ratios.append(min(over_torch, finals.tuned / finals.own if finals.tuned and finals.own else math.inf))
        parts = [flags["activation"]] if flags["activation"] != "none" else []
        parts = ["bias"] * flags["bias"] + parts + ["residual"] * flags["residual"]
        cells = [f"{dims['m']} x {dims['n']} x {dims['k']}", ", ".join(parts),
                 *(f"{value:.1f}" if value else "" for value in (finals.own, finals.tuned, *map(us.get, ("ours", "eager", "compiled", "fused")))),
                 f"{ratios[-1]:.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
        del buffers, calls, kernel
        torch.cuda.empty_cache()
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\n{len(ratios)} products, geometric mean {mean:.3f} over the best, least {min(ratios):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warptune", default=str(TREE / "bin" / "warptune"), help="default: bin/warptune of this tree")
    parser.add_argument("--dtype", choices=["bf16", "fp16"], default="bf16")
    parser.add_argument("--budget", default="50", help="as in warptune tune; default: 50")
    parser.add_argument("--shapes", nargs="+", type=lambda text: tuple(map(int, text.split(","))), default=SHAPES, metavar="M,N,K")
    parser.add_argument("--db", help="database for the results; default: a temporary file")
    parser.add_argument("--show", action="store_true", help="only show the results in --db")
    options = parser.parse_args()
    need_database_to_show(options)
    if not options.show:
        need_warptune(options.warptune)
    need_packages()
    with tempfile.TemporaryDirectory() as folder:
        db = options.db or str(Path(folder) / "gemm.db")
        if not options.show:
            tune(options, db, folder)
        results = results_of(db)
        print("| m x n x k | epilogue | ours, finals | cuBLASLt, finals | ours | eager | compiled | `_addmm_activation` | over the best |")
        print("|---" * 9 + "|")
        measure(db, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
