#!/usr/bin/env python3
"""Measures the cost of a sweep on this machine's GPU, and prints Markdown tables (docs/benchmarks.md has one set).

  bench/sweep_figures.py            everything, in the tree that `make dist` packs: about two minutes
  bench/sweep_figures.py --quick    a trial run with small budgets
  bench/sweep_figures.py --scaling  only the scaling: 64 jobs on one, two, ... of several GPUs

The roofs are measured once, before the sweeps; each sweep starts with a copy of that database. Cold: the cubin cache is
empty. Cached: the cache has the cubins of the cold run. Times are the wall time of the whole command `warptune tune`.
"""
import argparse
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent


def cpu_seconds():
    """Returns the CPU time of this machine since its start, without idle time and waiting. Nothing else should run."""
    ticks = [int(x) for x in Path("/proc/stat").read_text(encoding="utf-8").split("\n")[0].split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


class Nvml:
    """The sampled share of the time in which a kernel ran; None without NVML."""

    def __init__(self):
        try:
            self.lib = ctypes.CDLL("libnvidia-ml.so.1")
            self.lib.nvmlInit_v2()
            self.handle = ctypes.c_void_p()
            self.lib.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.handle))
        except OSError:
            self.lib = None

    def busy_percent(self):
        if not self.lib:
            return None
        rates = (ctypes.c_uint * 2)()
        return rates[0] if self.lib.nvmlDeviceGetUtilizationRates(self.handle, rates) == 0 else None

    def clock_mhz(self):
        value = ctypes.c_uint()
        return value.value if self.lib and self.lib.nvmlDeviceGetClockInfo(self.handle, 1, ctypes.byref(value)) == 0 else 0


class Watch(threading.Thread):
    """Peak memory of one process and the busy share of the GPU while it lives."""

    def __init__(self, pid, nvml):
        super().__init__(daemon=True)
        self.pid, self.nvml, self.peak_kib, self.busy, self.over = pid, nvml, 0, [], threading.Event()

    def run(self):
        while not self.over.wait(0.05):
            try:
                status = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
            except OSError:
                return
            for line in status.splitlines():
                if line.startswith("VmHWM:"):
                    self.peak_kib = max(self.peak_kib, int(line.split()[1]))
            percent = self.nvml.busy_percent()
            if percent is not None:
                self.busy.append(percent)


class Bench:
    def __init__(self, tree, folder):
        self.binary, self.data, self.folder = tree / "bin" / "warptune", tree / "tests" / "data" / "bench", folder
        self.templates = os.environ.get("WARPTUNE_TEMPLATES") or str(tree / "share" / "warptune" / "kernel_templates")
        self.nvml, self.roofs = Nvml(), folder / "roofs.db"
        self.tune(Path(self.templates) / "axpy", "n=1048576", "roofs", database=self.roofs, more=["--budget", "1"])

    def environment(self, cache):
        return dict(os.environ, XDG_CACHE_HOME=str(self.folder / cache))

    def tune(self, kernel, shape, cache, database=None, more=(), device="cuda:0"):
        """Runs one sweep. Returns its JSON output, with its wall time, CPU time, peak memory and the GPU's busy
        share."""
        if database is None:
            database = self.folder / "sweep.db"
            for old in self.folder.glob("sweep.db*"):
                old.unlink()
            shutil.copy(self.roofs, database)
        before_bytes = sum(f.stat().st_size for f in self.folder.glob(database.name + "*"))
        command = [self.binary, "tune", kernel, "--shape", shape, "--device", device, "--db", database, "--json", *more]
        before, begin = cpu_seconds(), time.monotonic()
        child = subprocess.Popen(command, env=self.environment(cache), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        watch = Watch(child.pid, self.nvml)
        watch.start()
        out, err = child.communicate()
        wall = time.monotonic() - begin
        watch.over.set()
        cpu = cpu_seconds() - before
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, command))}: {err.decode()[-2000:]}")
        report = json.loads(out)
        busy = statistics.mean(watch.busy) if watch.busy else None
        size = sum(f.stat().st_size for f in self.folder.glob(database.name + "*")) - before_bytes
        report["bench"] = {"wall_s": wall, "cpu_s": cpu, "peak_mib": watch.peak_kib / 1024, "gpu_busy": busy, "bytes": size}
        return report

    def trials(self):
        out = subprocess.run([self.binary, "show", "trials", "--db", self.folder / "sweep.db", "--json"],
                             check=True, capture_output=True).stdout
        rows = json.loads(out)
        return rows if isinstance(rows, list) else rows["trials"]


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def spread(values, unit):
    return f"{statistics.median(values):.1f} {unit} ({min(values):.1f}-{max(values):.1f})"


def per_configuration(bench, sizes, repetitions):
    """Prints the wall time of a whole sweep by number of configurations. The cached reports of the first size are
    kept."""
    rows, kept = [], []
    for size in sizes:
        shape, cold, cached = f"m={size},n={size},k={size}", [], []
        for _ in range(repetitions):
            shutil.rmtree(bench.folder / "matmul", ignore_errors=True)
            for times in (cold, cached):
                report = bench.tune(bench.data / "matmul40", shape, "matmul")
                times.append(report["bench"]["wall_s"] * 1e3 / report["space_size"])
            if size == sizes[0]:
                kept.append(report)
        rows.append([f"matmul40 {size}^3", str(report["space_size"]), spread(cold, "ms"), spread(cached, "ms")])
    print("## A configuration, end to end\n")
    table(["kernel", "configurations", "cold", "compiled before"], rows)
    return kept


def flips(bench, name, kernel, shape, dtype, cache, reports, rounds):
    """Measures the winners of the repeated sweeps again, in interleaved rounds. Returns a row."""
    winners = [r["best"]["config_text"] for r in reports]
    distinct = sorted(set(winners))
    ties = [set(r["best"].get("tie_set") or [r["best"]["config_text"]]) for r in reports]
    out = subprocess.run([TREE / "bench" / "interleave", kernel, shape, dtype, str(rounds), *distinct],
                         check=True, capture_output=True, env=bench.environment(cache)).stdout
    medians = json.loads(out)["median_us"]
    changed = sum(a != b for a, b in zip(winners, winners[1:])) / max(1, len(winners) - 1)
    inside = sum(b in t for t, b in zip(ties, winners[1:])) / max(1, len(winners) - 1)
    return [name, str(len(winners)), str(len(distinct)), f"{100 * (max(medians) / min(medians) - 1):.2f} %",
            f"{100 * changed:.0f} %", f"{100 * inside:.0f} %", str(max(map(len, ties)))]


def repeats(bench, matmul_reports, size, repetitions, rounds):
    rows = [flips(bench, f"matmul40 {size}^3", bench.data / "matmul40", f"m={size},n={size},k={size}", "fp32", "matmul",
                  matmul_reports, rounds)]
    for name, shape, dtype in (("softmax", "rows=32768,cols=4096", "bf16"), ("transpose", "rows=16384,cols=16384", "bf16")):
        kernel = Path(bench.templates) / name
        reports = [bench.tune(kernel, shape, name, more=["--dtype", dtype]) for _ in range(repetitions)]
        rows.append(flips(bench, f"{name} {shape} {dtype}", kernel, shape, dtype, name, reports, rounds))
    print("## The same sweep again\n")
    table(["kernel", "sweeps", "different winners", "slowest winner over fastest, interleaved", "flips",
           "next winner in the tie set", "largest tie set"], rows)


def throughput(bench, name, kernel, shape, more):
    """Sweeps a large space, cold and cached. Returns rows with the busy shares and the time between the launches."""
    rows = []
    for cache in ("cold", "cached"):
        report = bench.tune(kernel, shape, "large-" + name, more=more)
        trials, b, count = bench.trials(), report["bench"], report["measured"]
        # Each sample takes the median, and so does the verified launch, which is not a sample of a short kernel.
        device_ms = sum(t["timing"]["median_us"] * (len(t["timing"]["samples_us"]) + 1) for t in trials if t.get("timing")) / 1e3
        answering_ms = sum(t.get("verify_ms", 0) + t.get("measure_ms", 0) for t in trials)
        known = b["gpu_busy"] is not None
        gpu = f"{b['gpu_busy']:.0f} %" if known else "not known"
        idle = f"{b['wall_s'] * 1e3 * (1 - b['gpu_busy'] / 100) / count:.2f} ms" if known else "not known"
        rows.append([name, cache, str(count), f"{b['wall_s']:.1f} s", f"{100 * b['cpu_s'] / b['wall_s'] / os.cpu_count():.0f} %",
                     gpu, idle, f"{answering_ms / b['wall_s'] / 10:.0f} %", f"{(answering_ms - device_ms) / count:.2f} ms",
                     f"{b['bytes'] / count:.0f}", f"{b['peak_mib']:.0f} MiB"])
    return rows


def scaling(bench, repetitions):
    """Sweeps 64 jobs on one, two, ... devices of this machine, with all cubins cached, and prints the jobs per time."""
    count = ctypes.c_uint()
    bench.nvml.lib.nvmlDeviceGetCount_v2(ctypes.byref(count))
    sizes = [n for n in (1, 2, 4, 8) if n <= count.value]

    def sweep(devices):
        for old in bench.folder.glob("sweep.db*"):
            old.unlink()
        shutil.copy(bench.roofs, bench.folder / "sweep.db")
        command = [bench.binary, "sweep", bench.data / "scaling64.json", "--db", bench.folder / "sweep.db", "--json",
                   "--devices", ",".join(f"cuda:{i}" for i in range(devices))]
        begin = time.monotonic()
        done = subprocess.run(command, env=bench.environment("scaling"), capture_output=True, check=False)
        wall = time.monotonic() - begin
        if done.returncode != 0:
            raise SystemExit(f"sweep: exit {done.returncode}: {done.stderr.decode()[-2000:]}")
        return wall

    for i in range(count.value):  # the roofs of each device, as in daily use
        bench.tune(Path(bench.templates) / "axpy", "n=1048576", "roofs", bench.roofs, ["--budget", "1"], f"cuda:{i}")
    cold = sweep(sizes[-1])
    walls = {n: [] for n in sizes}
    for _ in range(repetitions):
        for n in sizes:
            walls[n].append(sweep(n))
    print("## Several devices\n")
    one = statistics.median(walls[1])
    table(["devices", "64 jobs", "times the throughput of one", "jobs a minute"],
          [[str(n), spread(walls[n], "s"), f"{one / statistics.median(walls[n]):.2f}",
            f"{64 * 60 / statistics.median(walls[n]):.0f}"] for n in sizes])
    print(f"With nothing compiled before, on {sizes[-1]}: {cold:.1f} s.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a trial run with small budgets")
    parser.add_argument("--scaling", action="store_true", help="only 64 jobs on one, two, ... GPUs")
    parser.add_argument("--tree", type=Path, default=TREE, help="the unpacked tree; default: the one that contains this script")
    options = parser.parse_args()
    repetitions, budget, rounds = (2, 60, 7) if options.quick else (5, 2000, 31)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.tree.resolve(), Path(folder))
        sizes = [4096, 2048]
        device = per_device(bench)
        print(f"`bench/sweep_figures.py`, {device}, {os.cpu_count()} CPU cores\n")
        if options.scaling:
            scaling(bench, 1 if options.quick else 2)
            return
        reports = per_configuration(bench, sizes, repetitions)
        repeats(bench, reports, sizes[0], repetitions, rounds)
        print("## Many configurations\n")
        large = ["--strategy", "random", "--budget", str(budget), "--seed", "1"]
        rows = throughput(bench, "sgemm", Path(bench.templates) / "sgemm", "m=1024,n=1024,k=1024", large)
        for spec in sorted(bench.data.glob("*/spec.json")):
            if spec.parent.name == "matmul40":
                continue
            dims = json.loads(spec.read_text(encoding="utf-8"))["suites"]["default"][0]
            rows += throughput(bench, spec.parent.name, spec.parent, ",".join(f"{k}={v}" for k, v in dims.items()), [])
        table(["kernel", "cache", "configurations", "wall", "CPU cores busy", "GPU busy (NVML)",
               "GPU idle a configuration", "device worker busy", "beside the timed launches", "database bytes a trial", "coordinator's peak memory"], rows)


def per_device(bench):
    shown = subprocess.run([bench.binary, "show", "devices", "--db", bench.roofs, "--json"], check=True, capture_output=True)
    devices = json.loads(shown.stdout)
    device = (devices if isinstance(devices, list) else devices["devices"])[0]
    return f"{device['name']}, driver {device['driver']}, {device['compiler']}, SM clock {bench.nvml.clock_mhz()} MHz"


if __name__ == "__main__":
    main()
