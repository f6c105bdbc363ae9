#!/usr/bin/env python3
"""Times the vendor's kernels through PyTorch on the problems of record_sweeps.sh, and writes a baselines file for
`warptune report --baselines` (docs/report.md).

usage: vendor_figures.py OUT.json [--compile]      --compile: also time torch.compile; takes a minute more

Method: random data. Before each sample, other data of twice the size of the L2 is read, and as many bytes are modified as
the operator writes (as in profiler/l2_flush.cpp). Two events around the call measure it, behind a sleeping kernel that
hides the launch. 41 samples; the median with its 95 % interval from order statistics. TF32 is off. Problems that fail are
left out, with a message.
"""
import json
import sys
import time

import torch

SAMPLES = 41
LOW, HIGH = 13, 27  # ranks of the 95 % interval of the median of 41 samples (binomial)
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}

torch.backends.cuda.matmul.allow_tf32 = False
device = torch.device("cuda")
properties = torch.cuda.get_device_properties(0)
l2 = getattr(properties, "L2_cache_size", 64 << 20)
other = torch.rand(2 * l2 // 4, device=device)
sink = torch.empty(l2, dtype=torch.uint8, device=device)


def measure(call, written):
    for _ in range(3):
        call()
    times = []
    for i in range(SAMPLES):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(400_000)
        other.sum()
        sink[:min(written, l2)].fill_(i)
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    times.sort()
    return times[SAMPLES // 2], times[LOW], times[HIGH]


def rand(*shape, dtype="fp32"):
    return (torch.rand(*shape, device=device) * 2 - 1).to(DTYPES[dtype])


def axpy(n, dtype):
    x, y = rand(n, dtype=dtype), rand(n, dtype=dtype)
    return {"PyTorch add(out=)": lambda: torch.add(y, x, alpha=0.5, out=y)}, y.nbytes


def reduce_sum(n, dtype):
    x = rand(n, dtype=dtype)
    return {"PyTorch sum": lambda: torch.sum(x)}, 4


def softmax(rows, cols, dtype):
    x = rand(rows, cols, dtype=dtype)
    y = torch.empty_like(x)
    calls = {"PyTorch softmax": lambda: torch.softmax(x, -1, out=y)}
    if "--compile" in sys.argv:
        compiled = torch.compile(lambda v: torch.softmax(v, -1), dynamic=False)
        calls["torch.compile softmax"] = lambda: compiled(x)
    return calls, y.nbytes


def transpose(rows, cols, dtype):
    x = rand(rows, cols, dtype=dtype)
    y = torch.empty(cols, rows, dtype=x.dtype, device=device)
    return {"PyTorch copy_(x.t())": lambda: y.copy_(x.t())}, y.nbytes


def sgemm(m, n, k, dtype):
    a, b = rand(m, k, dtype=dtype), rand(k, n, dtype=dtype)
    c = torch.empty(m, n, device=device)
    return {f"cuBLAS {cublas_version()}": lambda: torch.mm(a, b, out=c)}, c.nbytes


def cublas_version():
    from importlib import metadata
    for name in ("nvidia-cublas", "nvidia-cublas-cu12"):
        try:
            return ".".join(metadata.version(name).split(".")[:2])
        except metadata.PackageNotFoundError:
            continue
    return "of " + torch.version.cuda


PROBLEMS = (
    [(axpy, {"n": n}, "fp32", "") for n in (268435456, 67108864, 4194304)] + [(axpy, {"n": 67108864}, "bf16", "")] +
    [(reduce_sum, {"n": n}, "fp32", "") for n in (268435456, 33554432, 1048576)] +
    [(reduce_sum, {"n": 268435456}, "bf16", "")] +
    [(softmax, {"rows": r, "cols": c}, "bf16", ";log=0")
     for r, c in ((32768, 4096), (65536, 1024), (16384, 8192), (4096, 32768), (1024, 131072))] +
    [(transpose, {"rows": r, "cols": c}, "bf16", "") for r, c in ((16384, 16384), (4096, 4096), (65536, 1024))] +
    [(sgemm, {"m": s, "n": s, "k": s}, "fp32", ";layout=nn") for s in (4096, 1024, 2048)])

entries = []
for make, dims, dtype, flags in PROBLEMS:
    problem = ",".join(f"{name}={value}" for name, value in dims.items()) + f";{dtype}{flags}"
    calls, written = make(**dims, dtype=dtype)
    for name, call in calls.items():
        try:
            median, low, high = measure(call, written)
        except Exception as error:  # one operator that cannot run must not stop the others
            print(f"left out: {make.__name__} {problem} {name}: {error}", file=sys.stderr)
            continue
        entries.append({"kernel": make.__name__, "problem": problem, "name": name, "median_us": round(median, 3),
                        "ci_low_us": round(low, 3), "ci_high_us": round(high, 3), "cold_l2": True})
        print(f"{make.__name__:12} {problem:38} {name:24} {median:10.2f} us")

with open(sys.argv[1], "w", encoding="utf-8") as out:
    json.dump({"warptune_baselines": 1, "device": properties.name,
               "source": f"tests/bench/vendor_figures.py, PyTorch {torch.__version__}, "
                         f"{time.strftime('%Y-%m-%d', time.gmtime())}, L2 cold, medians of {SAMPLES} samples",
               "entries": entries}, out, indent=1)
    out.write("\n")
