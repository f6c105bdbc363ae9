"""Rotary embeddings, embeddings, optimiser steps, losses and scans in PyTorch."""
from functools import partial

import torch
import torch.nn.functional as F

from operators_problem import CUDA, Problem, randn
from warptune.torch.embeddings import sort_indices
from warptune.torch.optimisers import _Table


def turned(x, cosines, sines, flags):
    """Returns the rotary embedding of the last dimension, in the dtype of x."""
    half = cosines.shape[-1]
    if flags["pairs"] == "halves":
        a, b = x[..., :half], x[..., half:2 * half]
    else:
        a, b = x[..., :2 * half:2], x[..., 1:2 * half:2]
    parts = (a * cosines - b * sines, b * cosines + a * sines)
    y = torch.cat(parts, -1) if flags["pairs"] == "halves" else torch.stack(parts, -1).flatten(-2)
    return torch.cat((y.to(x.dtype), x[..., 2 * half:]), -1)


def rotary(dims, dtype, flags):
    batch, seq, head_dim = dims["batch"], dims["seq"], dims["head_dim"]
    rows, half = dims["length"] or seq, (dims["rotated"] or head_dim) // 2
    heads = [randn(batch, seq, count, head_dim, dtype=dtype) for count in (dims["q_heads"], dims["k_heads"]) if count]
    tables = [randn(rows, half, dtype=torch.float32 if flags["table"] == "fp32" else dtype) for _ in range(2)]
    positions = [torch.randint(rows, (batch, seq), device=CUDA)] if flags["positions"] else []

    def forward(cosines, sines, *rest):
        rest = list(rest)
        if flags["positions"]:
            at = rest.pop(0)
            cosines, sines = cosines[at], sines[at]
        sines = -sines if flags["inverse"] else sines
        return tuple(turned(x, cosines.unsqueeze(-2), sines.unsqueeze(-2), flags) for x in rest)
    results = [torch.empty_like(x) for x in heads]
    return Problem((*heads, *tables, *positions, *results), forward, (*tables, *positions, *heads), sum(x.nbytes for x in heads))


INTEGERS = {"int64": torch.int64, "int32": torch.int32}


def embedding(dims, dtype, flags):
    batch, tokens, rows, cols = (dims[name] for name in ("batch", "tokens", "rows", "cols"))
    shape = (batch, rows, cols) if batch > 1 else (rows, cols)
    table, ids = randn(*shape, dtype=dtype), torch.randint(rows, (tokens,), device=CUDA, dtype=INTEGERS[flags["index"]])
    y = torch.empty(batch * tokens, cols, dtype=dtype, device=CUDA)
    forward = (lambda t, i: F.embedding(i, t)) if batch == 1 else (lambda t, i: torch.index_select(t, 1, i))
    return Problem((table, ids, y), forward, (table, ids), y.nbytes)


def embedding_backward(dims, dtype, flags):
    """warptune's time includes sorting the indices, as PyTorch's does; torch sorts them where the kernel does not."""
    tokens, rows, cols = (dims[name] for name in ("tokens", "rows", "cols"))
    ids = torch.randint(rows, (tokens,), device=CUDA, dtype=INTEGERS[flags["index"]])
    ids[torch.randperm(tokens, device=CUDA)[:tokens // 16]] = rows // 8
    padding = rows - 1 if flags["padding"] else None
    table, dy = randn(rows, cols, dtype=dtype).requires_grad_(), randn(tokens, cols, dtype=dtype)
    dtable, last = torch.empty_like(table).detach(), [] if padding is None else [padding]
    return Problem(lambda: (dy, *(sort_indices(ids, rows) if flags["sorted"] else (ids,)), dtable, *last),
                   lambda t: F.embedding(ids, t, padding), (table,), table.nbytes, (dy,))


STEP = {"rate": 1e-3, "decay": 0.01, "scale": 1.0, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "correction1": 0.1, "correction2": 1e-3}


def numbers_of(flags):
    """Returns the numbers that an application passes to adam and adam_list."""
    is_adam = flags["rule"].startswith("adam")
    return ([STEP[name] for name in list(STEP)[:8 if is_adam else 3]] + ([] if is_adam else [0.9])
            + ([0.0] if flags["rule"] == "sgd" else []))


def fused_step(flags, weights, grads, params):
    """The kernels that torch.optim with fused=True calls, without torch.optim, which needs more host time than they need on the
    GPU and cannot be captured into a graph. With a master copy, the time includes the casts to and from it."""
    wide = grads if grads[0].dtype == weights[0].dtype else [torch.empty_like(x) for x in weights]
    means, squares = ([torch.zeros_like(x) for x in weights] for _ in range(2))
    counts = [torch.ones((), device=CUDA) for _ in weights]
    names = {"lr": STEP["rate"], "weight_decay": STEP["decay"], "maximize": False}
    fused = torch._fused_adamw_ if flags["rule"] == "adamw" else torch._fused_adam_

    def step():
        if wide is not grads:
            torch._foreach_copy_(wide, grads)
        if flags["rule"].startswith("adam"):
            torch._foreach_add_(counts, 1)
            fused(weights, wide, means, squares, [], counts, beta1=0.9, beta2=0.999, eps=1e-8, amsgrad=False, **names)
        else:
            torch._fused_sgd_(weights, wide, means, momentum=0.9, dampening=0.0, nesterov=flags["rule"] == "nesterov", is_first_step=False, **names)
        if params:
            torch._foreach_copy_(params, weights)
    return step


def new_step(n, dtype, flags):
    """Returns grads, weights, the running means and, in a list, params with a master copy."""
    wide = {"master": torch.float32 if flags["master"] else dtype, "state": torch.float32 if flags["state"] == "fp32" else dtype}
    return (randn(n, dtype=torch.float32 if flags["grads"] == "fp32" else dtype), randn(n, dtype=wide["master"]),
            [torch.zeros(n, dtype=wide["state"], device=CUDA) for _ in range(1 + flags["rule"].startswith("adam"))],
            [torch.empty(n, dtype=dtype, device=CUDA)] if flags["master"] else [])


def step_of(flags, g, w, states, params):
    """One step of one tensor, written out for torch.compile."""
    wide, m = w.float(), states[0].float()
    g = g.float() + (0 if flags["rule"] == "adamw" else STEP["decay"] * wide)
    if flags["rule"].startswith("adam"):
        wide = wide * (1 - STEP["rate"] * STEP["decay"] if flags["rule"] == "adamw" else 1)
        m, v = 0.9 * m + 0.1 * g, 0.999 * states[1].float() + 0.001 * g * g
        wide = wide - STEP["rate"] / STEP["correction1"] * m / ((v / STEP["correction2"]).sqrt() + STEP["eps"])
        states[1].copy_(v)
    else:
        m = 0.9 * m + g
        wide = wide - STEP["rate"] * (g + 0.9 * m if flags["rule"] == "nesterov" else m)
    states[0].copy_(m)
    for to in (w, *params):
        to.copy_(wide)


def adam(dims, dtype, flags):
    grads, weights, means, params = new_step(dims["n"], dtype, flags)
    return Problem((grads, weights, *means, *params, *numbers_of(flags)), lambda g, w, *states: step_of(flags, g, w, states, params),
                   (grads, weights, *means), sum(x.nbytes for x in (weights, *means, *params)),
                   eager=fused_step(flags, [weights.clone()], [grads], params))


def adam_list(dims, dtype, flags):
    """warptune's tensors are where PyTorch has allocated them. Compiled, all tensors are in one graph."""
    parts = [new_step(n, dtype, flags) for n in dims["sizes"]]
    rows = [(grads, weights, *means, *params) for grads, weights, means, params in parts]
    table = _Table("adam_list", rows, [x.data_ptr() for row in rows for x in row], dims["sizes"])

    def forward():
        for grads, weights, means, params in parts:
            step_of(flags, grads, weights, means, params)
    weights, params = [part[1].clone() for part in parts], [x for part in parts for x in part[3]]
    return Problem((*table.buffers, table.offsets, table.starts, *numbers_of(flags)), forward, (), sum(x.nbytes for row in rows for x in row[1:]),
                   eager=fused_step(flags, weights, [row[0] for row in rows], params))


LOSSES = {"mse": F.mse_loss, "l1": F.l1_loss, "smooth_l1": F.smooth_l1_loss, "huber": F.huber_loss, "kl_div": F.kl_div,
          "kl_div_log": partial(F.kl_div, log_target=True), "bce_with_logits": F.binary_cross_entropy_with_logits,
          "hinge_embedding": F.hinge_embedding_loss}
SETTINGS_OF_LOSS = ("smooth_l1", "huber", "hinge_embedding")


def loss_of(dims, dtype, flags):
    """Returns x, a target, and the loss as a function of both; PyTorch has no batchmean for some losses, so sum / rows
    is written out."""
    x, target = (torch.rand(dims["rows"], dims["cols"], device=CUDA).to(dtype) for _ in range(2))
    function, is_batchmean = LOSSES[flags["function"]], flags["reduction"] == "batchmean"

    def forward(v, t):
        y = function(v, t, reduction="sum" if is_batchmean else flags["reduction"])
        y = y / dims["rows"] if is_batchmean else y
        return y.float() if flags["out"] == "fp32" else y
    return x, target, forward


def loss(dims, dtype, flags):
    """With signs, PyTorch also stores the data that its backward pass reads."""
    x, target, forward = loss_of(dims, dtype, flags)
    y = torch.empty_like(forward(x, target))
    signs = [torch.empty((x.numel() + 3) // 4, dtype=torch.uint8, device=CUDA)] if flags["signs"] else []
    ours = (x.detach(), target, y.reshape(-1), *signs, *([1.0] if flags["function"] in SETTINGS_OF_LOSS else []))
    return Problem(ours, forward, (x.requires_grad_(bool(signs)), target), y.nbytes)


def loss_backward(dims, dtype, flags):
    x, target, forward = loss_of(dims, dtype, flags)
    dloss = torch.ones_like(forward(x, target))
    read = [torch.randint(256, ((x.numel() + 3) // 4,), dtype=torch.uint8, device=CUDA)] if flags["signs"] else [x, target]
    return Problem((dloss.reshape(-1), *read, torch.empty_like(x), *([1.0] if flags["function"] in SETTINGS_OF_LOSS else [])),
                   lambda v: forward(v, target), (x.clone().requires_grad_(),), x.nbytes, (dloss,))


def scan(dims, dtype, flags):
    x = randn(dims["rows"], dims["cols"], dtype=dtype)
    function, first = (torch.cumsum, 0) if flags["op"] == "sum" else (torch.cumprod, 1)

    mask = [torch.randint(2, x.shape, dtype=torch.bool, device=CUDA)] if flags["mask"] else []

    def forward(v, *mask):
        if mask:
            v = v * mask[0] if flags["op"] == "sum" else torch.where(mask[0], v, 1)
        v = v.flip(1) if flags["reverse"] else v
        y = function(F.pad(v, (1, 0), value=first)[:, :-1] if flags["exclusive"] else v, 1)
        return y.flip(1) if flags["reverse"] else y
    return Problem((x, *mask, torch.empty_like(x)), forward, (x, *mask), x.nbytes)
