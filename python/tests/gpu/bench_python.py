#!/usr/bin/env python3
"""Measures the host time of a launch from C++, from Python, by torch's custom operator and by torch's own operator. Also
times a model block: eager, compiled and captured.

bench_python.py [--loop LAUNCH_LOOP.so] [--library PACK_OR_DB] [--tune]
Without --loop (python/CMakeLists.txt builds it with -DWARPTUNE_PYTHON_BENCH=ON) the C++ column is left out. --tune first
tunes the block's shapes on this device for about half a minute each.
"""
import argparse
import ctypes
import statistics
import time

from support import Folder, recorded_database, require_torch

torch = require_torch()

import warptune  # noqa: E402
import warptune.torch as wt  # noqa: E402

BATCH = 200  # launches between synchronisations: fewer than the queue holds, so that none waits for the device
ROUNDS = 41


def host_ns(functions, cpp=None):
    """Returns the median ns of a call of each, measured interleaved; `cpp` makes a batch of launches by itself and returns
    the ns."""
    samples = {name: [] for name in functions}
    if cpp:
        samples["cpp"] = []
    for round_ in range(ROUNDS + 3):
        for name in samples:
            torch.cuda.synchronize()
            if name == "cpp":
                spent = cpp()
            else:
                function = functions[name]
                begin = time.perf_counter_ns()
                for _ in range(BATCH):
                    function()
                spent = (time.perf_counter_ns() - begin) / BATCH
            if round_ >= 3:
                samples[name].append(spent)
    torch.cuda.synchronize()
    return {name: statistics.median(values) for name, values in samples.items()}


def wall_us(functions, count=20):
    """Returns the median us of a call of each, including its device time, measured interleaved."""
    samples = {name: [] for name in functions}
    for round_ in range(15):
        for name, function in functions.items():
            torch.cuda.synchronize()
            begin = time.perf_counter_ns()
            for _ in range(count):
                function()
            torch.cuda.synchronize()
            if round_ >= 3:
                samples[name].append((time.perf_counter_ns() - begin) / count / 1000)
    return {name: statistics.median(values) for name, values in samples.items()}


class CppLoop:
    """Calls wt_run from C++ with the same kernel, dims and memory."""

    def __init__(self, path, library_path):
        self.loop = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.loop.launch_loop.restype = ctypes.c_double
        self.library = ctypes.c_void_p()
        self.check(self.loop.wt_open(str(library_path).encode(), ctypes.byref(self.library)))

    def check(self, status):
        if status != 0:
            self.loop.wt_last_error.restype = ctypes.c_char_p
            raise SystemExit(self.loop.wt_last_error().decode())

    def batch(self, name, dtype, flags, dims, args):
        """Returns a function that makes BATCH launches and returns the ns per launch."""
        kernel = ctypes.c_void_p()
        self.check(self.loop.wt_find_kernel(self.library, name.encode(), dtype.encode(), flags.encode(),
                                            ctypes.byref(kernel)))
        values = [ctypes.c_float(a) if isinstance(a, float) else ctypes.c_void_p(a.data_ptr()) for a in args]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        workspace = torch.empty(1 << 24, dtype=torch.uint8, device="cuda")
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        sizes = (ctypes.c_int64 * len(dims))(*dims)

        def run():
            ns = self.loop.launch_loop(kernel, sizes, len(dims), pointers, len(values),
                                       ctypes.c_void_p(workspace.data_ptr()), ctypes.c_size_t(workspace.numel()), stream,
                                       BATCH)
            if ns < 0:
                raise SystemExit(f"{name}: wt_run failed")
            return ns
        return run


def launches(loop):
    x, y = torch.randn(64, 256, device="cuda"), torch.randn(64, 256, device="cuda")
    w, c, one = torch.randn(256, 64, device="cuda"), torch.empty(64, 64, device="cuda"), torch.empty((), device="cuda")
    t, row, z, sums = (torch.ones(*shape, device="cuda") for shape in ((256, 64), (256,), (64, 256), (64,)))
    n = x.numel()
    kernels = {"softmax": ("softmax", {"log": 0}, (64, 256), (x, y)), "transpose": ("transpose", {}, (64, 256), (x, t)),
               "axpy_": ("axpy", {}, (n,), (x, y, 0.5)), "reduce_sum": ("reduce_sum", {}, (n,), (x, one)),
               "matmul": ("gemm", {"layout": "nn"}, (64, 64, 256, 1, 0, 0, 0), (x, w, c)),
               "layer_norm": ("row_norm", {"norm": "layer", "weight": 1, "bias": 1}, (64, 256), (x, row, row, z, 1e-5)),
               "silu": ("elementwise", {"function": "silu"}, (64, 256, 1), (x, z)),
               "sum": ("reduce", {"op": "sum"}, (64, 256, 1), (x, sums))}
    functional = torch.nn.functional
    ops = torch.ops.warptune  # .default is what compiled code calls
    custom = {"softmax": (lambda: wt.softmax(x), lambda: ops.softmax.default(x, False), lambda: torch.softmax(x, -1)),
              "transpose": (lambda: wt.transpose(x), lambda: ops.transpose.default(x), lambda: x.t().contiguous()),
              "axpy_": (lambda: wt.axpy_(y, x, 0.5), lambda: ops.axpy_.default(y, x, 0.5), lambda: y.add_(x, alpha=0.5)),
              "reduce_sum": (lambda: wt.reduce_sum(x), lambda: ops.reduce_sum.default(x), lambda: x.sum()),
              "matmul": (lambda: wt.matmul(x, w), lambda: ops.gemm.default(x, w, None, None, "none", False), lambda: torch.matmul(x, w)),
              "layer_norm": (lambda: wt.layer_norm(x, (256,), row, row),
                             lambda: ops.row_norm.default(x, row, row, None, "layer", 1, 1e-5, False),
                             lambda: functional.layer_norm(x, (256,), row, row)),
              "silu": (lambda: wt.silu(x), lambda: ops.elementwise.default(x, None, None, "silu", "none", []), lambda: functional.silu(x)),
              "sum": (lambda: wt.sum(x, -1), lambda: ops.reduce.default(x, [1], False, "sum", 1.0), lambda: x.sum(-1))}
    print("ns of host time a launch (median of {} x {})".format(ROUNDS, BATCH))
    print(f"{'':12}{'C++ wt_run':>12}{'operation()':>13}{'kernel()':>10}{'over C++':>10}{'warptune.torch':>16}"
          f"{'dispatcher':>12}{'torch':>8}")
    for name, (kernel_name, flags, dims, args) in kernels.items():
        kernel = wt.kernel(kernel_name, torch.float32, **flags)
        operation = kernel.select(*dims)
        text = ",".join(f"{k}={v}" for k, v in flags.items())
        found = host_ns({"operation": lambda: operation(*args), "kernel": lambda: kernel(dims, *args),
                         "direct": custom[name][0], "dispatcher": custom[name][1], "torch": custom[name][2]},
                        loop.batch(kernel_name, "fp32", text, dims, args) if loop else None)
        cpp = found.get("cpp", float("nan"))
        print(f"{name:12}{cpp:12.0f}{found['operation']:13.0f}{found['kernel']:10.0f}{found['kernel'] - cpp:10.0f}"
              f"{found['direct']:16.0f}{found['dispatcher']:12.0f}{found['torch']:8.0f}")


def captured(function):
    for _ in range(3):
        function()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = function()
    return graph, result


def model_block(size):
    torch.backends.cuda.matmul.allow_tf32 = False
    torch._dynamo.reset()  # else the second size is compiled for any size
    x, norm, weight = torch.randn(size, size, device="cuda"), torch.randn(size, device="cuda"), \
        torch.randn(size, size, device="cuda") / size**0.5

    def rms_norm(x):
        return torch.nn.functional.rms_norm(x, (size,), norm)

    def ours():
        return wt.softmax(wt.matmul(rms_norm(x), weight))

    def theirs():
        return torch.softmax(rms_norm(x) @ weight, -1)

    functions = {"torch eager": theirs, "warptune eager": ours}
    for mode in ("default", "reduce-overhead"):
        for who, function in (("torch", theirs), ("warptune", ours)):
            functions[f"torch.compile of {who}, {mode}"] = compiled = torch.compile(function, fullgraph=True, mode=mode)
            for _ in range(4):  # compiled, recorded, replayed
                torch.testing.assert_close(compiled(), theirs(), rtol=1e-3, atol=1e-6)
    compiled = functions["torch.compile of warptune, default"]
    for name, function in (("warptune", ours), ("torch.compile of warptune", compiled)):
        graph, result = captured(function)
        graph.replay()
        torch.testing.assert_close(result, theirs(), rtol=1e-3, atol=1e-6)
        functions[f"CUDA graph of {name}"] = graph.replay
    found = wall_us(functions)
    print(f"\nRMSNorm, matmul, softmax of {size} x {size} fp32: us a call, the same results")
    for name, us in found.items():
        print(f"  {name:42}{us:10.1f}   {found['torch eager'] / us:5.2f} times torch eager")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loop", help="launch_loop.so")
    parser.add_argument("--library", help="a pack or a database; default: recorded results")
    parser.add_argument("--tune", action="store_true", help="tune the block's shapes on this device first")
    parser.add_argument("--sizes", default="1024,4096", help="of the block")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",") if size]
    with Folder() as folder:
        path = options.library or recorded_database(folder)
        if options.tune:
            for size in sizes:
                for kernel, shape in (("softmax", {"rows": size, "cols": size}), ("gemm", dict.fromkeys("mnk", size))):
                    found = warptune.tune(kernel, shape=shape, dtype="fp32", db=path, budget="150,30s")
                    print(f"tuned {kernel} {size}: {found.median_us:.1f} us, {found.speedup or 1:.2f} times the default")
        wt.use(path)
        launches(CppLoop(options.loop, path) if options.loop else None)
        for size in sizes:
            model_block(size)


if __name__ == "__main__":
    main()
