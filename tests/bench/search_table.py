#!/usr/bin/env python3
"""Writes the comparison of search strategies into docs/search.md, between its two markers.

    tests/bench/search_table.py WARPTUNE [--spaces DIR] [--seeds N] [--document FILE]

Replays every strategy on the recorded spaces of recordings/spaces, and adds the recorded runs of other tuners. The
columns are those that `warptune replay` prints; docs/search.md says what they mean.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BEGIN, END = "<!-- bench-search: begin -->", "<!-- bench-search: end -->"
BUDGETS = ("25", "50", "100", "200", "400")


def row(strategy, default):
    own = strategy["own_ms_per_evaluation"]
    name = strategy["strategy"]
    name = name if own is None else f"**{name}**" if name == default else f"`{name}`"
    shares = [f"{strategy['optimum_over_best_at'][b]:.3f}".lstrip("0") for b in BUDGETS]
    worst = f"{strategy['worst_space_at_100']:.3f}".lstrip("0")
    cells = [name, *shares, worst, f"{strategy['evaluations_to_95']:.0f} / {strategy['evaluations_to_99']:.0f}",
             "" if own is None else f"{own:.3f}"]
    return "| " + " | ".join(cells) + " |"


def table(result, default, command):
    seeds = max(s["seeds"] for s in result["strategies"])
    lines = [f"{len(result['spaces'])} spaces, {seeds} seeds; `{command}`", "",
             "| strategy | " + " | ".join(BUDGETS) + " | worst space at 100 | evaluations to 95 % / 99 % | strategy ms per evaluation |",
             "|---" * (len(BUDGETS) + 4) + "|"]
    return "\n".join(lines + [row(s, default) for s in result["strategies"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune")
    parser.add_argument("--spaces", default=os.path.join(TOP, "recordings", "spaces"))
    parser.add_argument("--seeds", default="30")
    parser.add_argument("--document", default=os.path.join(TOP, "docs", "search.md"))
    args = parser.parse_args()
    with open(args.document) as file:
        before, _, rest = file.read().partition(BEGIN)
    _, marker, after = rest.partition(END)
    if not marker:
        sys.exit(f"{args.document} has no lines {BEGIN} and {END}")
    listed = json.loads(subprocess.run([args.warptune, "strategies", "--json"], check=True, capture_output=True).stdout)
    default = next((s["name"] for s in listed["strategies"] if s["default"]), "")
    peers = os.path.join(args.spaces, "peers.jsonl.gz")
    inputs = [args.spaces] + ([peers] if os.path.exists(peers) else [])
    done = subprocess.run([args.warptune, "replay", *inputs, "--seeds", args.seeds, "--json"], check=True,
                          stdout=subprocess.PIPE)
    text = table(json.loads(done.stdout), default, "make bench-search")
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(args.document), delete=False) as out:
        out.write(before + BEGIN + "\n" + text + "\n" + END + after)
    os.chmod(out.name, os.stat(args.document).st_mode & 0o777)
    os.replace(out.name, args.document)
    print(text)


if __name__ == "__main__":
    main()
