#!/usr/bin/env python3
"""Updates the tables of docs/operators.md with new figures of bench/operators_figures.py: replaces the rows of the problems
that were measured, adds rows of new problems, and computes the summaries again. Prints what changes. A row with the ratio `-`
was not compared with PyTorch: the means leave it out.

  tests/bench/operators_table.py FIGURES.json...           only prints
  tests/bench/operators_table.py --write FIGURES.json...   also writes docs/operators.md
"""
import argparse
import json
import math
import re
import statistics
import sys
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "operators.md"
SLOWER = 0.98
DEFAULT_FLAGS = {"out=same", "causal=none", "mask=none", "mask_rows=each", "bias=none", "other=none", "state=fp32", "grads=same"}  # not in the tables
ALL_HEADER = "| operator | shape | flags | ours, us | eager, us | compiled, us | share of the roof | over PyTorch | spread |"
SUMMARY_HEADER = "| operator | problems | over PyTorch, geometric mean | least | slower | share of the roof, median | median above 40 us |"
FAMILY_HEADER = "| family | problems | over PyTorch, geometric mean | slower |"
GOAL_HEADER = "| operator | goal | problems above 40 us | of them below the goal | lowest share |"
SLOWER_HEADER = "| operator | shape | flags | ours, us | eager, us | compiled, us | over PyTorch |"

FAMILIES = {  # the sections below "All problems", and the operators of each in their order
    "Elementwise operators": ("elementwise", "elementwise_backward", "broadcast", "broadcast_backward"),
    "Softmax and losses": ("masked_softmax", "masked_softmax_backward", "cross_entropy", "cross_entropy_backward", "loss", "loss_backward",
                           "row_loss", "row_loss_backward"),
    "Normalisation": ("row_norm", "row_norm_backward", "batch_norm", "batch_norm_backward", "group_norm", "group_norm_backward", "normalise",
                      "normalise_backward"),
    "Reductions and scans": ("reduce", "scan", "top_k"),
    "Layout and embeddings": ("permute", "concat", "slice", "embedding", "embedding_backward"),
    "Pooling, optimiser steps, rotary embedding": ("pool", "pool_backward", "adam", "adam_list", "rotary"),
    "Quantisation": ("quantise", "dequantise", "quantise_groups", "dequantise_groups", "quantise_tensor", "row_norm_quantise"),
}
LONG_US = 40  # the goals are for problems that take longer
# The operator, a flag that its problems must have, and the least share of the roof in %.
GOALS = (("elementwise", "", 97), ("elementwise_backward", "", 97), ("broadcast", "", 97), ("broadcast_backward", "", 97),
         ("masked_softmax", "", 93), ("cross_entropy", "", 93), ("row_norm", "", 93), ("masked_softmax_backward", "", 88),
         ("cross_entropy_backward", "", 88), ("row_norm_backward", "", 88), ("batch_norm", "mode=inference", 95), ("reduce", "", 96),
         ("permute", "", 93), ("concat", "", 95), ("slice", "", 95), ("pool", "", 90), ("pool_backward", "", 90), ("quantise", "", 90),
         ("adam", "", 95), ("adam_list", "", 95))


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


class Time:
    """A cell: a time in us, or `-`; ` h` if the time contains host time."""

    def __init__(self, us, has_host_time=False):
        self.us, self.has_host_time = us, has_host_time

    @staticmethod
    def of_cell(cell):
        return Time(None if cell == "-" else float(cell.removesuffix(" h")), cell.endswith(" h"))

    def cell(self):
        return "-" if self.us is None else f"{self.us:.1f}{' h' if self.has_host_time else ''}"


class Row:
    """One problem: its cells in the table of all problems, and the numbers that summaries need. `times`: ours, eager and
    compiled; the ratio is None if it is not known."""

    def __init__(self, operator, shape, flags, times, share, ratio, spread, ratio_text=None):
        self.ratio_text = ratio_text or f"{ratio:.2f}"
        self.operator, self.shape, self.flags = operator, shape, flags
        self.times, self.ours, self.share, self.ratio, self.spread = times, times[0].us, share, ratio, spread

    @staticmethod
    def of_line(line):
        operator, shape, flags, *cells, share, ratio, spread = cells_of(line)
        times, exact = [Time.of_cell(cell) for cell in cells], None
        if ratio != "-":  # the times have more digits than the ratio, unless they are short
            ours, eager, compiled = (time.us for time in times)
            exact = min(max(min(eager, compiled) / ours, float(ratio) - 0.00499), float(ratio) + 0.00499)
        return Row(operator.strip("`"), shape, flags, times, float(share.rstrip(" %")), exact, spread, ratio)

    @staticmethod
    def of_result(result):
        dims, dtype, flags = (result["problem"] + ";").split(";")[:3]
        kept = [flag for flag in flags.split(",") if flag and flag not in DEFAULT_FLAGS]
        kept += [] if dtype == "bf16" else [f"dtype={dtype}"]
        times = [Time(result["us"][name], name in result.get("with_host_time", ())) for name in ("ours", "eager", "compiled")]
        spread = result["spread"]
        exact = Row(result["kernel"], dims.replace(",", ", "), ", ".join(kept), times, 100 * result["roof_share"], result["ratio"],
                    f"{spread[0]:.2f} to {spread[1]:.2f}")
        return Row.of_line(exact.line())  # rounded, so that the summaries are those of the rows in the document

    def key(self):
        return self.operator, self.shape, self.flags

    def cells(self):
        return f"| `{self.operator}` | {self.shape} | {self.flags} | {' | '.join(time.cell() for time in self.times)} |"

    def line(self):
        return f"{self.cells()} {self.share:.1f} % | {self.ratio_text} | {self.spread} |"

    def slower_line(self):
        """With three digits, rounded down, if two would not show that the ratio is below 0.98."""
        text = f"{math.floor(1000 * self.ratio) / 1000:.3f}" if float(self.ratio_text) >= SLOWER else self.ratio_text
        return f"{self.cells()} {text} |"

    def is_slower(self):
        return self.ratio is not None and self.ratio < SLOWER


def ratios(rows):
    return [row.ratio for row in rows if row.ratio is not None]


def mean(rows):
    return math.exp(sum(math.log(ratio) for ratio in ratios(rows)) / len(ratios(rows)))


def slower(rows):
    return sum(row.is_slower() for row in rows)


def summary(operator, rows):
    long = [row.share for row in rows if row.ours > LONG_US] or [row.share for row in rows]
    return (f"| `{operator}` | {len(rows)} | {mean(rows):.2f} | {min(ratios(rows)):.2f} | {slower(rows)} | "
            f"{statistics.median(row.share for row in rows):.0f} % | {statistics.median(long):.0f} % |")


def goal_lines(every):
    """Returns a line for each goal, and two for all goals: for the shorter and for the longer problems."""
    lines, found = [], []
    for operator, flag, goal in GOALS:
        own = [(row, goal) for row in every
               if row.operator == operator and row.ours > LONG_US and (not flag or flag in row.flags.split(", "))]
        found += own
        lines.append(goal_line(f"`{operator}`" + (f", {flag}" if flag else ""), f"{goal} %", own))
    limit = 2 * LONG_US
    return lines + [goal_line(f"all, up to {limit} us", "", [pair for pair in found if pair[0].ours <= limit]),
                    goal_line(f"all, above {limit} us", "", [pair for pair in found if pair[0].ours > limit])]


def goal_line(name, goal_cell, own):
    """`own`: pairs of a row and its goal."""
    lowest = f"{min(row.share for row, _ in own):.1f} %" if own else "-"
    return f"| {name} | {goal_cell} | {len(own)} | {sum(row.share < goal for row, goal in own)} | {lowest} |"


def tables_of(lines):
    """Returns (heading, index of the first row, index behind the last) of each table of problems."""
    found, heading = [], ""
    for i, line in enumerate(lines):
        if line.startswith("### "):
            heading = line[4:]
        if line == ALL_HEADER:
            end = i + 2
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            found.append((heading, i + 2, end))
    return found


def put(lines, header, rows):
    """Replaces the rows of the table below `header`."""
    begin = lines.index(header) + 2
    end = begin
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    lines[begin:end] = rows


def place_of(row, home):
    """Returns where a new row belongs among the rows of its family: behind those of its operator and of the operators before it."""
    order = FAMILIES[family_of(row.operator)].index
    return max((i + 1 for i, own in enumerate(home) if order(own.operator) <= order(row.operator)), default=0)


def family_of(operator):
    return next(heading for heading, names in FAMILIES.items() if operator in names)


def merge(families, results):
    new = {row.key(): row for row in map(Row.of_result, results)}
    for _, rows in families:
        for i, row in enumerate(rows):
            if row.key() in new:
                other = new.pop(row.key())
                print(f"{row.line()} -> {' '.join(time.cell() for time in other.times)} {other.ratio:.3f}")
                rows[i] = other
    for row in new.values():
        print(f"new: {row.line()}")
        home = dict(families)[family_of(row.operator)]
        home.insert(place_of(row, home), row)


def update(lines, results):
    """Replaces the tables in `lines` by tables that contain the results too. Returns all rows."""
    tables = tables_of(lines)
    families = [(heading, [Row.of_line(line) for line in lines[begin:end]]) for heading, begin, end in tables]
    merge(families, results)
    for (_, begin, end), (_, rows) in reversed(list(zip(tables, families))):
        lines[begin:end] = [row.line() for row in rows]
    every = [row for _, rows in families for row in rows]
    names = sorted({row.operator for row in every})
    put(lines, SUMMARY_HEADER, [summary(name, [row for row in every if row.operator == name]) for name in names])
    put(lines, FAMILY_HEADER, [f"| {heading[0].lower() + heading[1:]} | {len(rows)} | {mean(rows):.2f} | {slower(rows)} |"
                               for heading, rows in families])
    put(lines, GOAL_HEADER, goal_lines(every))
    put(lines, SLOWER_HEADER, [row.slower_line() for row in sorted(filter(Row.is_slower, every), key=lambda row: row.ratio)])
    return every


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", help="files of operators_figures.py --json")
    parser.add_argument("--write", action="store_true", help="write docs/operators.md")
    options = parser.parse_args()
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    every = update(lines, [result for file in options.figures for result in json.loads(Path(file).read_text())["results"]])
    compared = ratios(every)
    print(f"{len(every)} problems, of which {len(compared)} were compared; geometric mean {mean(every):.3f}; at least as fast: "
          f"{sum(ratio >= 0.995 for ratio in compared)}; up to 2 % slower: {sum(SLOWER <= ratio < 0.995 for ratio in compared)}; "
          f"slower: {slower(every)}")
    if options.write:
        DOCUMENT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
