#!/usr/bin/env python3
"""Opens a pack or database, says which configuration it would launch, and launches it if torch has a GPU.

dispatch.py OPS.wtpack [ROWS COLS]      exits with 0, also without a GPU
"""
import sys

import warptune


def main(path, rows=32768, cols=4096):
    with warptune.open(path) as library:
        softmax = library.kernel("softmax", dtype="bf16")
        print(softmax.explain(rows=rows, cols=cols, device="NVIDIA H200"))
        try:
            import torch
        except ImportError:
            return print("no torch here: nothing is launched")
        if not torch.cuda.is_available():
            return print("no GPU here: nothing is launched")
        x = torch.randn(rows, cols, device="cuda", dtype=torch.bfloat16)
        y = torch.empty_like(x)
        softmax(x, y)  # on torch's current stream; the dims are x's shape
        error = (y.float() - torch.softmax(x.float(), -1)).abs().max().item()
        print(f"launched {softmax.select(rows=rows, cols=cols).config}; largest error {error:.1e}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
