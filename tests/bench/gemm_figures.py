#!/usr/bin/env python3
"""Prints the table of docs/gemm.md: the shipped sweeps of matrix products, with cuBLASLt's algorithms in the same finals.

  bench/gemm_figures.py                        the sweep gemm in bf16; about ten minutes on an H200 with 16 cores
  bench/gemm_figures.py --dtype fp16           the same in fp16; fp32 is the sweep gemm_fp32
  bench/gemm_figures.py --budget 40 --match 'm=(128|512),n=4096,k=4096 nt'    products whose shape and layout match
  bench/gemm_figures.py --match ... --kernel DIR                             the kernel folder DIR instead of the shipped one
  bench/gemm_figures.py --db FILE --show       only the table of a database: the newest result of each product
  bench/gemm_figures.py --report FILE.html --pack FILE.wtpack      also write the roofline report, and a pack of the winners

Columns: the fastest of our own implementations; cuBLASLt's heuristic (its first choice), the fastest of its eight
algorithms, and the fastest of these and of those with other options ("tuned"); the times of the heuristic and of the eight
divided by ours; the SM clock of the finals. All times are those of the finals, in which the heuristic's choice and the fastest
algorithms of the search, with and without other options, take part. "Roofline" is the share of the roof that our rate
reaches. The means "with cuBLASLt where it is faster" divide the heuristic's time, or that of the fastest of the eight, by the
smaller of our time and that of cuBLASLt tuned.
"""
import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_inputs import TREE, fail, kernel_templates, need_database_to_show, need_warptune, open_database

VENDOR = "implementation=cublaslt"  # with and without the search among its options
EIGHT = VENDOR + ","

BESTS = """
SELECT b.id, p.key, c.text, b.median_us, b.roofline_share
FROM best b JOIN sessions s ON s.id = b.session_id JOIN problems p ON p.id = s.problem_id JOIN configs c ON c.id = b.config_id
WHERE b.id IN (SELECT MAX(b.id) FROM best b JOIN sessions s ON s.id = b.session_id GROUP BY s.problem_id)
  AND p.kernel = 'gemm' ORDER BY b.id"""
FINALISTS = """
SELECT c.text, f.median_us FROM best_finalists f JOIN configs c ON c.id = f.config_id WHERE f.best_id = ? ORDER BY f.median_us"""
CLOCKS = "SELECT sm_clock_mhz FROM best_rounds WHERE best_id = ? AND sm_clock_mhz > 0 ORDER BY sm_clock_mhz"


def listed(value):
    return value if isinstance(value, list) else [value]


def sweep_file(dtype, match, kernel):
    """Returns the shipped sweep in this dtype as a file, with only the products whose shape and layout ("m=1,n=2,k=3
    nt") match."""
    name = "gemm_fp32" if dtype == "fp32" else "gemm"
    sweep = json.loads((kernel_templates() / "suites" / f"{name}.json").read_text(encoding="utf-8"))
    jobs = []
    for job in sweep["jobs"]:
        for layout in listed(job["flags"]["layout"]) if "flags" in job else ["nn"]:
            shapes = [shape for shape in listed(job["shapes"]) if re.search(match, f"{shape} {layout}")]
            if shapes:
                jobs.append({"kernel": kernel, "shapes": shapes, "dtypes": dtype, "baseline": True, "flags": {"layout": layout}})
    if not jobs:
        fail(f"no product of the sweep {name} matches '{match}'; --match takes a text such as 'm=128,n=4096,k=4096 nt'")
    return {**sweep, "jobs": jobs}


def dims_of(key):
    shape, dtype, *flags = key.split(";")
    dims = {name: int(value) for name, value in (pair.split("=") for pair in shape.split(","))}
    layout = dict(pair.split("=") for pair in flags[0].split(",")).get("layout", "nn") if flags else "nn"
    return dims, dtype, layout


class Finals:
    """Times in the finals of a result, in us; None: it took no part."""

    def __init__(self, db, best_id):
        self.times = db.execute(FINALISTS, (best_id,)).fetchall()
        self.own = self.fastest(lambda text: not text.startswith(VENDOR))
        self.tuned = self.fastest(lambda text: text.startswith(VENDOR))
        self.eight = self.fastest(lambda text: text.startswith(EIGHT))
        self.heuristic = self.fastest(lambda text: text == EIGHT + "RANK=0")

    def fastest(self, wanted):
        return next((us for text, us in self.times if wanted(text)), None)


class Row(Finals):
    def __init__(self, db, best_id, key, config, median, share):
        super().__init__(db, best_id)
        self.dims, self.dtype, self.layout = dims_of(key)
        self.vendor_won = config.startswith(VENDOR)
        self.share = share * median / self.own if self.own else None  # `share` is that of the winner
        clocks = [mhz for mhz, in db.execute(CLOCKS, (best_id,))]
        self.clock = clocks[len(clocks) // 2] if clocks else None

    def ratio(self, time):
        return time / self.own if time and self.own else None

    def ratio_with_vendor(self, time):
        """As ratio, if an application uses cuBLASLt, tuned, where it is faster than our own kernel."""
        return time / min(self.own, self.tuned) if time and self.own and self.tuned else None

    def text(self):
        d = self.dims
        name = (f"{d['batch']} of " if d.get("batch", 1) > 1 else "") + f"{d['m']} x {d['n']} x {d['k']}"
        flops = 2 * d.get("batch", 1) * d["m"] * d["n"] * d["k"]
        show = lambda value, digits: "" if value is None else f"{value:.{digits}f}"
        us = lambda value: show(value, 2 if value and value < 100 else 1)
        cells = [name, self.layout, us(self.own), show(flops / self.own * 1e-6, 0) if self.own else "", f"{100 * self.share:.0f} %" if self.share else "",
                 us(self.heuristic), us(self.eight), us(self.tuned), show(self.ratio(self.heuristic), 2), show(self.ratio(self.eight), 2),
                 show(self.clock, 0)]
        return "| " + " | ".join(cells) + " |"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def show(path):
    db = open_database(path)
    rows = [Row(db, *found) for found in db.execute(BESTS).fetchall()]
    if not rows:
        fail(f"{path} holds no result of gemm; run this script without --show, to measure the products")
    print("| m x n x k | layout | ours, us | TFLOP/s | roofline | heuristic, us | cuBLASLt, us | tuned, us | over heuristic | over cuBLASLt | MHz |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        print(row.text())
    for what, of in (("the heuristic", "heuristic"), ("the fastest of cuBLASLt", "eight")):
        ratios = [r for r in (row.ratio(getattr(row, of)) for row in rows) if r]
        print(f"\n{len(ratios)} {'shape' if len(ratios) == 1 else 'shapes'} over {what}: geometric mean {geometric_mean(ratios):.3f}, least {min(ratios, default=0):.3f}, "
              f"below 1.00: {sum(r < 0.995 for r in ratios)}")
        with_vendor = [r for r in (row.ratio_with_vendor(getattr(row, of)) for row in rows) if r]
        print(f"with cuBLASLt where it is faster: geometric mean {geometric_mean(with_vendor):.3f}")
    print(f"\nfaster: ours {sum(not row.vendor_won for row in rows)}, cuBLASLt {sum(row.vendor_won for row in rows)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warptune", default=str(TREE / "bin" / "warptune"), help="default: bin/warptune of this tree")
    parser.add_argument("--dtype", choices=["bf16", "fp16", "fp32"], default="bf16")
    parser.add_argument("--budget", default="100", help="as in warptune tune; default: 100")
    parser.add_argument("--match", default="", help="a regular expression for \"m=1,n=2,k=3 nt\"; default: all products")
    parser.add_argument("--kernel", help="a kernel folder; default: the shipped gemm")
    parser.add_argument("--db", help="database for the results; default: a temporary file")
    parser.add_argument("--show", action="store_true", help="only show the newest result of each product in --db")
    parser.add_argument("--report", help="write the roofline report to this file")
    parser.add_argument("--pack", help="write a pack of the winners to this file")
    options = parser.parse_args()
    need_database_to_show(options)
    if not options.show or options.report or options.pack:
        need_warptune(options.warptune)
    with tempfile.TemporaryDirectory() as folder:
        path = options.db or str(Path(folder) / "gemm.db")
        if not options.show:
            file = Path(folder) / "sweep.json"
            file.write_text(json.dumps(sweep_file(options.dtype, options.match, str(Path(options.kernel).resolve()) if options.kernel else "gemm")), encoding="utf-8")
            ended = subprocess.run([options.warptune, "sweep", str(file), "--db", path, "--budget", options.budget, "--resume"],
                                   stdout=subprocess.DEVNULL, check=False)
            if ended.returncode not in (0, 1):
                return ended.returncode
        show(path)
        for command in ([["report", "--limit", "0", "-o", options.report]] if options.report else []) + (
                [["pack", "--kernels", "gemm", "-o", options.pack]] if options.pack else []):
            subprocess.run([options.warptune, *command, "--db", path], stdout=subprocess.DEVNULL, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
