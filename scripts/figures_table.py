#!/usr/bin/env python3
"""Prints the best configurations of a database as a Markdown table: times, and shares of the measured roofs.

Usage: warptune show best --json > best.json; warptune show devices --json > devices.json
       figures_table.py best.json devices.json
"""
import json
import sys


def load(path, key):
    with open(path, encoding="utf-8") as file:
        return json.load(file)[key]


def main():
    best, devices = load(sys.argv[1], "best"), load(sys.argv[2], "devices")
    roofs = devices[0]["roofs"]
    print(f'{devices[0]["name"]}, driver {devices[0]["driver"]}, {devices[0]["compiler"]}, L2 cold. Roofs measured in the same '
          f'run: DRAM read {roofs["dram_read_gbs"]:.0f}, copy {roofs["dram_copy_gbs"]:.0f}, write {roofs["dram_write_gbs"]:.0f} '
          f'GB/s, fp32 {roofs["fp32_tflops"]:.1f} TFLOP/s.\n')
    print("| kernel | problem | time (95 % interval) | of the roof | against the default | tie set |")
    print("|---|---|---|---|---|---|")
    for b in sorted(best, key=lambda row: row["id"]):
        against = f'{b["default_us"] / b["median_us"]:.2f}x' if b["default_us"] else "-"
        print(f'| {b["kernel"]} | {b["problem"]} | {b["median_us"]:.1f} us ({b["ci_low_us"]:.1f}-{b["ci_high_us"]:.1f}) '
              f'| {100 * b["roofline_share"]:.1f} % of {b["bound"]} | {against} | {len(b["tie_set"])} |')


if __name__ == "__main__":
    main()
