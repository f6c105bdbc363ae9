#!/usr/bin/env python3
"""Checks that our counters agree with Nsight Compute's. For eight kernels it compares `warptune profile` with `ncu` around
`warptune run`: the same configuration, the same cubin and a cold L2 (ncu: --cache-control all, --clock-control none). It
takes the median of several runs of each, because cache hits differ from run to run. Prints a Markdown table, and exits
with 1 if a value disagrees: instructions and operations must be equal, bytes within 1 % or 64 KB, whichever is larger.

Two values are shown but not judged. Bytes written to DRAM: ncu's own preparations leave about 2.5 MB modified in the L2
of an H200 (so for a kernel that writes 16 KB, ncu shows 2.6 MB); ours leave none. Total L2 bytes: they include the
traffic between the two halves of the L2, which depends on the place of the buffers and not on the kernel.

usage: ncu_agreement.py [--warptune bin/warptune] [--ncu ncu] [--kernels copy,axpy] [--runs 3]
                        [--json FILE]
Runs in a tree of `make dist`, where tests/data and share/warptune are beside bin/, on a machine with a GPU.
"""
import argparse
import csv
import io
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

KERNELS = {  # name -> shape, dtype
    "copy": ("n=67108864", "fp32"),
    "axpy": ("n=67108864", "fp32"),
    "reduce_sum": ("n=67108864", "fp32"),
    "softmax": ("rows=16384,cols=4096", "bf16"),
    "transpose": ("rows=8192,cols=8192", "fp32"),
    "sgemm": ("m=2048,n=2048,k=2048", "fp32"),
    "mma": ("m=2048,n=2048,k=2048", "bf16"),
    "wgmma": ("m=2048,n=2048,k=2048", "bf16"),
}
OPERATION = "smsp__sass_thread_inst_executed_op_{}{}_pred_on.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
TENSOR = "sm__ops_path_tensor_src_bf16_dst_fp32.sum"
BYTES = {  # metric -> heading, bytes per unit
    "dram__bytes_read.sum": ("DRAM read", 1),
    "dram__bytes_write.sum": ("DRAM written", 1),
    "lts__t_sectors_srcunit_tex.sum": ("L2 with the SMs", 32),
    "lts__t_bytes.sum": ("L2 in all", 1),
}
NOT_JUDGED = ("dram__bytes_write.sum", "lts__t_bytes.sum")
WEIGHTS = {OPERATION.format(pipe, op): weight * (2 if pipe == "h" else 1)
           for pipe in "fdh" for op, weight in (("fma", 2), ("add", 1), ("mul", 1))}
METRICS = [INSTRUCTIONS, TENSOR, *BYTES, *WEIGHTS]


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended in {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def kernel_folder(tree, name):
    shipped = tree / "share" / "warptune" / "kernel_templates" / name
    return shipped if shipped.is_dir() else tree / "tests" / "data" / "agreement" / name


def launches_of(folder, spec):
    """Returns the launches of the default configuration's implementation."""
    if "launches" in spec:
        return spec["launches"]
    return json.loads((folder / spec["default_implementation"] / "implementation.json").read_text())["launches"]


def model(spec, shape, dtype):
    """Returns the operations according to the spec, whose formulas here are products of dims."""
    names = {key: int(value) for key, value in (part.split("=") for part in shape.split(","))}
    names["dtype_bytes"] = {"fp32": 4, "bf16": 2}[dtype]
    formulas = spec["cost"].get("flops", {}).values()
    return sum(eval(str(formula), {}, names) for formula in formulas)  # the formulas come from this repository


def ours(args, folder, shape, dtype, database):
    output = run([args.warptune, "profile", folder, "--shape", shape, "--dtype", dtype, "--config", "default", "--metrics",
                  ",".join(METRICS), "--db", database, "--json"])
    return {metric: float(value) for metric, value in json.loads(output)["counters"].items()}


def theirs(args, spec, folder, shape, dtype, database):
    """Returns one launch sequence: the launches before the first kernel repeats."""
    names = [launch["kernel"] for launch in launches_of(pathlib.Path(folder), spec)]
    with tempfile.NamedTemporaryFile(suffix=".ncu-rep") as report:
        run([args.ncu, "--force-overwrite", "-o", report.name.removesuffix(".ncu-rep"), "--target-processes", "all",
             "--clock-control", "none", "--cache-control", "all", "--kernel-name", f"regex:^({'|'.join(names)})$",
             "--launch-count", str(len(set(names))), "--metrics", ",".join(METRICS),
             args.warptune, "run", folder, "--shape", shape, "--dtype", dtype, "--db", database])
        page = run([args.ncu, "--import", report.name, "--csv", "--page", "raw", "--print-units", "base"])
    rows = list(csv.DictReader(io.StringIO(page[page.index('"ID"'):])))[1:]  # the first row contains the units
    seen, total = set(), dict.fromkeys(METRICS, 0.0)
    for row in rows:
        if row["Kernel Name"] in seen:
            break
        seen.add(row["Kernel Name"])
        for metric in METRICS:
            total[metric] += float(row[metric].replace(",", ""))
    if not seen:
        sys.exit(f"ncu saw none of {names}")
    return total


def median_of(runs, once):
    all_runs = [once() for _ in range(runs)]
    return {metric: statistics.median(one.get(metric, 0.0) for one in all_runs) for metric in METRICS}


def operations(counters):
    return sum(counters.get(metric, 0) * weight for metric, weight in WEIGHTS.items()) + counters.get(TENSOR, 0)


def human(value):
    for unit, size in (("G", 1e9), ("M", 1e6), ("K", 1e3)):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = pathlib.Path(__file__).resolve().parents[1]
    parser.add_argument("--warptune", default=str(here / "bin" / "warptune"))
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json")
    args = parser.parse_args()
    tree = pathlib.Path(args.warptune).resolve().parents[1]

    print("| kernel | instructions | " + " | ".join(f"{heading}, bytes" for heading, _ in BYTES.values()) +
          " | operations | model |")
    print("|---" * (len(BYTES) + 4) + "|")
    good, everything = True, {}
    with tempfile.TemporaryDirectory() as folder:
        for name in args.kernels.split(","):
            shape, dtype = KERNELS[name]
            path = kernel_folder(tree, name)
            spec = json.loads((path / "spec.json").read_text())
            database = str(pathlib.Path(folder) / "agreement.db")
            a = median_of(args.runs, lambda: ours(args, str(path), shape, dtype, database))
            b = median_of(args.runs, lambda: theirs(args, spec, str(path), shape, dtype, database))
            everything[name] = {"shape": shape, "dtype": dtype, "warptune": a, "ncu": b}
            cells = []
            equal = a[INSTRUCTIONS] == b[INSTRUCTIONS]
            good &= equal
            cells.append(human(a[INSTRUCTIONS]) + (" =" if equal else f" **≠ {human(b[INSTRUCTIONS])}**"))
            for metric, (_, size) in BYTES.items():
                mine, other = a[metric] * size, b[metric] * size
                near = abs(mine - other) <= max(0.01 * other, 65536)
                judged = metric not in NOT_JUDGED
                good &= near or not judged
                side = "more" if mine > other else "less"
                off = f"{100 * (mine / other - 1):+.2f} %" if other >= 1e7 else f"({human(abs(mine - other))} {side})"
                cells.append(f"{human(mine)} {off}" if near or not judged else f"**{human(mine)} {off}**")
            mine, other = operations(a), operations(b)
            good &= mine == other
            cells.append(human(mine) + (" =" if mine == other else f" **≠ {human(other)}**"))
            predicted = model(spec, shape, dtype)
            cells.append("=" if predicted == mine else f"{human(predicted)} ({mine / predicted:.4f})" if predicted else human(0))
            print(f"| {name} {shape} {dtype} | " + " | ".join(cells) + " |", flush=True)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(everything, indent=1))
    print("\nEach cell: what warptune counted and how far ncu is off; = is equal. Model: operations by the spec, with the "
          "counted ones over it where they differ.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
