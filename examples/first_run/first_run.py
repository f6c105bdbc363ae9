#!/usr/bin/env python3
"""first_run.c in Python: y = 2 x + y for vectors of each size, before and after tuning.

first_run.py [--wait] [N ...]      exits with 0, also without a GPU
"""
import sys

import warptune


def main(arguments):
    waits = arguments[:1] == ["--wait"]
    sizes = [int(text) for text in arguments[waits:]] or [1000000, 4096]
    try:
        import torch
    except ImportError:
        return print("no torch here: nothing is launched")
    if not torch.cuda.is_available():
        return print("no GPU here: nothing is launched")
    axpy = warptune.open().kernel("axpy", dtype="fp32")  # no path: the user's own database, or none yet
    for n in sizes:
        x, y = torch.ones(n, device="cuda"), torch.ones(n, device="cuda")
        axpy(x, y, 2.0)
        print(f"n={n}: {axpy.select(n=n).match}, {'correct' if (y == 3).all() else 'WRONG'}")
    if waits:
        print("waiting", flush=True)
        sys.stdin.read(1)


if __name__ == "__main__":
    main(sys.argv[1:])
