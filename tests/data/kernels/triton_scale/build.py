"""Compiles scale.py with Triton to OUT/kernel.cubin; needs no GPU."""

import argparse
import json
import pathlib

import triton
from scale import scale
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

parser = argparse.ArgumentParser()
parser.add_argument("--block", type=int)
parser.add_argument("--warps", type=int)
parser.add_argument("--arch", type=int)
parser.add_argument("--out", type=pathlib.Path)
args = parser.parse_args()

source = ASTSource(
    fn=scale,
    signature={"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"},
    constexprs={"BLOCK": args.block},
)
made = triton.compile(source, target=GPUTarget("cuda", args.arch, 32), options={"num_warps": args.warps})
(args.out / "kernel.cubin").write_bytes(made.asm["cubin"])
kernel = {
    "symbol": made.metadata.name,
    "threads": 32 * made.metadata.num_warps,
    "shared_bytes": made.metadata.shared,
}
(args.out / "build.json").write_text(json.dumps({"kernels": {"scale": kernel}}))
