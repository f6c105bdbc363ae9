"""Selections, copies of slices, and losses of rows in PyTorch, for operators_figures.py."""
from functools import partial

import torch
import torch.nn.functional as F
from operators_problem import CUDA, Problem, randn, rows_like

INTEGERS = {"int64": torch.int64, "int32": torch.int32}


def top_k(dims, dtype, flags):
    rows, cols, k = (dims[name] for name in ("rows", "cols", "k"))
    x, values = randn(rows, cols, dtype=dtype), torch.empty(rows, k, dtype=dtype, device=CUDA)
    indices = torch.empty(rows, k, dtype=INTEGERS[flags["index"]], device=CUDA)
    return Problem((x, values, indices), lambda v: torch.topk(v, k, dim=1, largest=bool(flags["largest"])), (x,),
                   values.nbytes + indices.nbytes)


def slice(dims, dtype, flags):
    outer, n, count, inner, first, step = (dims[name] for name in ("outer", "n", "count", "inner", "from", "step"))
    last = first + (count - 1) * step + 1
    whole, part = randn(outer, n, inner, dtype=dtype), randn(outer, count, inner, dtype=dtype)

    def forward(to, x):
        to.copy_(x[:, first:last:step])

    def into(to, x):
        to[:, first:last:step] = x
    used = whole.flatten()[:((outer - 1) * n + last) * inner]
    if flags["into"]:
        return Problem((part, used), into, (whole, part), part.nbytes)
    return Problem((used, part), forward, (part, whole), part.nbytes)


def concat(dims, dtype, flags):
    parts = [randn(dims["outer"], dims[name], dims["inner"], dtype=dtype) for name in ("n0", "n1", "n2", "n3") if dims[name]]
    y = torch.cat(parts, 1)
    return Problem((*parts, y), lambda *x: torch.cat(x, 1), tuple(parts), y.nbytes)


def row_loss_of(dims, dtype, flags):
    """Returns the matrices, the targets of cosines, the sums of the rows, warptune's scalars, and the loss as a
    function of the matrices."""
    is_cosine, rows = flags["function"] == "cosine_embedding", dims["rows"]
    x = [randn(rows, dims["cols"], dtype=dtype) for _ in range(2 if is_cosine else 3)]
    target = [torch.randint(0, 2, (rows,), device=CUDA).mul(2).sub(1).to(dtype)] if is_cosine else []
    function = F.cosine_embedding_loss if is_cosine else partial(F.triplet_margin_loss, swap=flags["function"].endswith("swap"))

    def forward(*tensors):
        y = function(*tensors, *target, reduction=flags["reduction"])
        return y.float() if flags["out"] == "fp32" else y
    sums = [rows_like(3 * rows).uniform_(dims["cols"], dims["cols"] + 1)] if flags["sums"] else []
    return x, target, sums, [0.0] if is_cosine else [1.0, 1e-6], forward


def row_loss(dims, dtype, flags):
    x, target, sums, numbers, forward = row_loss_of(dims, dtype, flags)
    y = torch.empty_like(forward(*x))
    return Problem((*x, *target, y.reshape(-1), *sums, *numbers), forward, tuple(x), y.nbytes)


def row_loss_backward(dims, dtype, flags):
    x, target, sums, numbers, forward = row_loss_of(dims, dtype, flags)
    dloss = torch.ones_like(forward(*x))
    return Problem((dloss.reshape(-1), *x, *target, *sums, *(torch.empty_like(v) for v in x), *numbers), forward,
                   tuple(v.clone().requires_grad_() for v in x), sum(v.nbytes for v in x), (dloss,))
