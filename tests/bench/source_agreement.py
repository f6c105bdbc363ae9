#!/usr/bin/env python3
"""Checks that the samples and counts of `warptune profile --source` agree with Nsight Compute's source page. For two kernels
it compares `warptune profile --source` with `ncu --section SourceCounters` around `warptune run --once`: the same
configuration, a cold L2, no locked clocks. Both compile the same cubin, so an offset in a function names the same
instruction, and warptune's source lines apply to both.

Prints a Markdown table, and exits with 1 if the tools disagree: the share of the samples must be within 3 points for
each source line, and the executions by warps and by threads must be equal for each instruction. Sectors of global
memory and wavefronts of shared memory are compared but not judged: ncu counts them with other metrics.

usage: source_agreement.py [--warptune bin/warptune] [--ncu ncu] [--kernels softmax,sgemm] [--keep FOLDER]
Runs in a tree of `make dist` on a machine with a GPU. --keep saves the output of both tools in FOLDER.
"""
import argparse
import collections
import csv
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile

KERNELS = {  # name -> shape, dtype
    "softmax": ("rows=16384,cols=4096", "bf16"),
    "sgemm": ("m=2048,n=2048,k=2048", "fp32"),
}
POINTS = 3.0  # percentage points of all samples
COLUMNS = {  # the headings in the versions of ncu
    "address": r"Address$",
    "samples": r"(Warp Stall Sampling|Sampling Data) \(All|# ?Samples$",
    "executed": r"(# )?Inst(ructions|\.) Executed$",
    "threads": r"(Predicated-On|# Pred-On) Thread Inst",
    "sectors": r"L2 Theoretical Sectors Global$",
    "wavefronts": r"L1 Wavefronts Shared$",
}
EQUAL = ("executed", "threads")
SHOWN = ("sectors", "wavefronts")


class Unreadable(Exception):
    pass


def number(text):
    text = text.replace(",", "").strip()
    return int(float(text)) if text not in ("", "-") else 0


def find_columns(header):
    found = {}
    for name, pattern in COLUMNS.items():
        at = [i for i, heading in enumerate(header) if re.match(pattern, heading.strip())]
        if at:
            found[name] = at[0]
        elif name not in SHOWN:
            raise Unreadable(f"ncu's source page has no column for {name}; its header is {header}")
    return found


def read_source_page(text):
    """Returns {kernel: {offset: {"samples": ..., "executed": ..., ...}}}; the counts of several launches are added."""
    kernels, columns, name, first = {}, None, "", None
    for row in csv.reader(io.StringIO(text)):
        if row and row[0] == "Kernel Name":
            name, columns = row[1], None
        elif "Source" in row:
            columns, first = find_columns(row), None
        elif columns and len(row) > max(columns.values()) and re.fullmatch(r"(0x)?[0-9a-fA-F]+", row[columns["address"]]):
            address = int(row[columns["address"]], 16)
            first = address if first is None else first
            at = kernels.setdefault(name, {}).setdefault(address - first, collections.Counter())
            at.update({what: number(row[i]) for what, i in columns.items() if what != "address"})
    if not kernels:
        raise Unreadable(f"ncu's source page has no instruction: {text[:500]!r}")
    return kernels


def read_samples(samples):
    """Returns the same form from the JSON of `warptune profile --source`, and {(function, offset): (file, line)}."""
    kernels, lines = {}, {}
    for one in samples["instructions"]:
        values = collections.Counter({"samples": one["samples"], **(one["counts"] or {})})
        kernels.setdefault(one["function"], {})[one["offset"]] = values
        lines[one["function"], one["offset"]] = (one["file"], one["line"])
    return kernels, lines


def total(kernels, what):
    return sum(values[what] for offsets in kernels.values() for values in offsets.values())


def shares(kernels, place):
    """Returns {place: percent of all samples}."""
    out, samples = collections.Counter(), max(1, total(kernels, "samples"))
    for function, offsets in kernels.items():
        for offset, values in offsets.items():
            out[place(function, offset)] += 100 * values["samples"] / samples
    return out


def largest_difference(ours, theirs):
    """Returns the largest difference as (points, place)."""
    return max(((abs(ours[place] - theirs[place]), str(place)) for place in {*ours, *theirs}), default=(0.0, ""))


def unequal(ours, theirs, what):
    """Returns the instructions whose counts differ: [(function, offset, ours, theirs)]."""
    none = collections.Counter()
    places = {(function, offset) for side in (ours, theirs) for function in side for offset in side[function]}
    pairs = [(function, offset, ours.get(function, {}).get(offset, none)[what],
              theirs.get(function, {}).get(offset, none)[what]) for function, offset in sorted(places)]
    return [pair for pair in pairs if pair[2] != pair[3]]


def compare(ours, theirs, lines):
    """Returns the cells of a row, whether the tools agree, and sentences about the differences."""
    known = set(lines.values())
    line = lambda function, offset: lines.get((function, offset), (None, None))
    by_line = largest_difference(shares(ours, line), shares(theirs, line))
    by_instruction = largest_difference(*(shares(side, lambda f, o: f"{o:04x}") for side in (ours, theirs)))
    good, remarks = by_line[0] <= POINTS and min(total(ours, "samples"), total(theirs, "samples")) > 0, []
    cells = [f"{total(ours, 'samples')} / {total(theirs, 'samples')}", f"{len(known)}", f"{by_line[0]:.2f} at {by_line[1]}",
             f"{by_instruction[0]:.2f} at {by_instruction[1]}"]
    for what in (*EQUAL, *SHOWN):
        differing, sums = unequal(ours, theirs, what), (total(ours, what), total(theirs, what))
        cells.append(f"{sums[0]} =" if not differing else f"{sums[0]} / {sums[1]}")
        if differing:
            function, offset, mine, other = max(differing, key=lambda pair: abs(pair[2] - pair[3]))
            remarks.append(f"{what}: {len(differing)} instructions differ, most at {offset:04x}: {mine} and {other}")
            good &= what not in EQUAL
    return cells, good, remarks


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} exited with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def measure(args, name, folder):
    shape, dtype = KERNELS[name]
    asked = [name, "--shape", shape, "--dtype", dtype, "--config", "default", "--db", str(folder / "none.db")]
    printed = run([args.warptune, "profile", *asked, "--source", "--json"])
    (folder / f"{name}.json").write_text(printed)
    samples = json.loads(printed).get("samples")
    if not samples or samples["no_counts"]:
        sys.exit(f"warptune did not sample or count {name}: {printed[-2000:]}")
    ours, lines = read_samples(samples)
    report = str(folder / name)
    run([args.ncu, "--force-overwrite", "-o", report, "--target-processes", "all", "--clock-control", "none",
         "--cache-control", "all", "--kernel-name-base", "mangled", "--kernel-name", f"regex:^({'|'.join(ours)})$",
         "--section", "SourceCounters", args.warptune, "run", *asked, "--once"])
    page = run([args.ncu, "--import", report + ".ncu-rep", "--csv", "--page", "source", "--print-source", "sass",
                "--print-kernel-base", "mangled", "--print-units", "base"])
    (folder / f"{name}.csv").write_text(page)
    return ours, read_source_page(page), lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = pathlib.Path(__file__).resolve().parents[1]
    parser.add_argument("--warptune", default=str(here / "bin" / "warptune"))
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    headings = ["kernel", "samples", "lines", "largest difference of a line, points", "of an instruction, points",
                "executed by warps", "by threads", "sectors", "wavefronts"]
    print("| " + " | ".join(headings) + " |\n" + "|---" * len(headings) + "|")
    all_good = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in args.kernels.split(","):
            try:
                ours, theirs, lines = measure(args, name, folder)
            except Unreadable as wrong:
                sys.exit(f"{name}: {wrong}")
            if len(ours) == len(theirs) == 1:  # ncu may spell the name differently
                theirs = {next(iter(ours)): next(iter(theirs.values()))}
            cells, good, remarks = compare(ours, theirs, lines)
            print("| " + " | ".join([f"{name} {KERNELS[name][0]} {KERNELS[name][1]}", *cells]) + " |", flush=True)
            for remark in remarks:
                print(f"{name}: {remark}", file=sys.stderr)
            all_good &= good
    print("\nEach pair: warptune / ncu; = is equal for each instruction.")
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
