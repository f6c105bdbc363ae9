"""Reductions, quantisation, permutes and elementwise operators in PyTorch."""
from functools import partial

import torch
import torch.nn.functional as F

from operators_problem import CUDA, DTYPES, Problem, randn, rows_like


REDUCTIONS = {
    "sum": torch.sum, "mean": torch.mean, "prod": torch.prod, "max": torch.amax, "min": torch.amin, "variance": torch.var,
    "argmax": torch.argmax, "argmin": torch.argmin, "l1_norm": lambda x, dim: torch.linalg.vector_norm(x, 1, dim),
    "l2_norm": lambda x, dim: torch.linalg.vector_norm(x, 2, dim)}


def reduce(dims, dtype, flags):
    outer, n, inner = (dims[name] for name in ("outer", "n", "inner"))
    x = randn(*(size for size in (outer,) if size > 1), n, *(size for size in (inner,) if size > 1), dtype=dtype)
    dim, op = int(outer > 1), REDUCTIONS[flags["op"]]
    y = torch.empty(outer * inner, dtype=torch.int64 if flags["op"].startswith("arg") else dtype, device=CUDA)
    return Problem((x, y, *([1.0] if flags["op"] == "variance" else [])), lambda v: op(v, dim), (x,), y.nbytes)


NARROW = {"int8": torch.int8, "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}


def quantise(dims, dtype, flags):
    x, narrow, given = randn(dims["rows"], dims["cols"], dtype=dtype), NARROW[flags["to"]], flags["scaling"] == "given"
    is_int = narrow == torch.int8
    largest = 127.0 if is_int else torch.finfo(narrow).max
    scale, y = torch.full((1,), 0.03125, device=CUDA), torch.empty(x.shape, dtype=narrow, device=CUDA)

    def forward(v, scale):
        scales = scale if given else (v.abs().amax(1, keepdim=True).float() / largest).clamp(min=2.0 ** -23)
        v = v.float() / scales
        return (v.round() if is_int else v).clamp(-largest, largest).to(narrow), scales
    ours = (x, scale, y) if given else (x, y, rows_like(dims["rows"]), 2.0 ** -23)
    return Problem(ours, forward, (x, scale), y.nbytes)


def dequantise(dims, dtype, flags):
    rows, cols = dims["rows"], dims["cols"]
    x = randn(rows, cols, dtype=torch.float32).mul_(32).clamp_(-127, 127).to(NARROW[flags["from"]])
    scales = torch.rand(1 if flags["scaling"] == "given" else rows, device=CUDA)
    y = torch.empty(rows, cols, dtype=dtype, device=CUDA)
    return Problem((x, scales, y), lambda v, s: (v.float() * s[:, None]).to(dtype), (x, scales), y.nbytes)


def quantise_groups(dims, dtype, flags):
    groups, size = dims["groups"], flags["size"]
    x, y = randn(groups, size, dtype=dtype), torch.empty(groups, size // 2, dtype=torch.uint8, device=CUDA)

    def forward(v):
        scales = (v.abs().amax(1, keepdim=True).float() / 7).clamp(min=2.0 ** -23)
        v = (v.float() / scales).round().clamp(-8, 7).to(torch.int8).view(torch.uint8) & 15
        return v[:, ::2] | v[:, 1::2] << 4, scales
    return Problem((x, y, rows_like(groups), 2.0 ** -23), forward, (x,), y.nbytes)


def dequantise_groups(dims, dtype, flags):
    groups, size = dims["groups"], flags["size"]
    x = torch.randint(256, (groups, size // 2), dtype=torch.uint8, device=CUDA)
    scales, y = torch.rand(groups, device=CUDA), torch.empty(groups, size, dtype=dtype, device=CUDA)

    def forward(v, s):
        v = torch.stack((v & 15, v >> 4), -1).flatten(1).to(torch.int8)
        return (torch.where(v > 7, v - 16, v) * s[:, None]).to(dtype)
    return Problem((x, scales, y), forward, (x, scales), y.nbytes)


def quantise_tensor(dims, dtype, flags):
    x, narrow = randn(dims["n"], dtype=dtype), NARROW[flags["to"]]
    is_int = narrow == torch.int8
    largest = 127.0 if is_int else torch.finfo(narrow).max
    y = torch.empty(x.shape, dtype=narrow, device=CUDA)

    def forward(v):
        scale = (v.abs().amax().float() / largest).clamp(min=2.0 ** -23)
        v = v.float() / scale
        return (v.round() if is_int else v).clamp(-largest, largest).to(narrow), scale
    return Problem((x, y, rows_like(1), 2.0 ** -23), forward, (x,), y.nbytes)


def permute(dims, dtype, flags):
    del flags
    x = randn(*(dims[name] for name in ("batch", "rows", "cols", "run")), dtype=dtype)
    return Problem((x, torch.empty_like(x)), lambda v: v.transpose(1, 2).contiguous(), (x,), x.nbytes)


FUNCTIONS = {"identity": lambda x: x, "gelu_tanh": partial(F.gelu, approximate="tanh"), "sigmoid": torch.sigmoid, "tanh": torch.tanh,
             **{name: getattr(F, name) for name in ("relu", "leaky_relu", "elu", "selu", "gelu", "silu", "hardsigmoid", "hardtanh",
                                                    "softplus", "softsign")}}
SETTINGS = {"leaky_relu": (0.01,), "elu": (1.0,), "softplus": (1.0, 20.0), "hardtanh": (-1.0, 1.0)}


def chain(flags, out):
    """Returns a function that computes function(x + bias), plus or times the other input, in the dtype `out`."""
    def forward(x, *rest):
        rest = list(rest)
        y = FUNCTIONS[flags["function"]](x + rest.pop(0) if flags["bias"] != "none" else x)
        if flags["other"] != "none":
            y = y + rest.pop(0) if flags["other"] == "add" else y * rest.pop(0)
        return y.clone() if y is x and y.dtype == out else y.to(out)
    return forward


def bias_of(dims, dtype, flags):
    shape = {"none": None, "columns": (dims["cols"],), "rows": (dims["rows"], 1)}[flags["bias"]]
    return [] if shape is None else [randn(*shape, dtype=dtype)]


def elementwise(dims, dtype, flags):
    """With a mask, PyTorch also stores the data that its backward pass reads."""
    shape, out = (dims["batch"], dims["rows"], dims["cols"]), DTYPES.get(flags["out"], dtype)
    x, bias, y = randn(*shape, dtype=dtype), bias_of(dims, dtype, flags), torch.empty(shape, dtype=out, device=CUDA)
    other = [] if flags["other"] == "none" else [randn(*shape, dtype=dtype)]
    mask = [torch.empty((x.numel() + 7) // 8, dtype=torch.uint8, device=CUDA)] if flags["mask"] else []
    ours = (x.detach(), *bias, *other, y, *mask, *SETTINGS.get(flags["function"], ()))
    return Problem(ours, chain(flags, out), (x.requires_grad_(bool(mask)), *bias, *other), y.nbytes)


def shape_of_values(dims, flags):
    rows, cols, batch = dims["rows"], dims["cols"], dims["batch"]
    return {"columns": (cols,), "rows": (rows, 1), "matrices": (batch, 1, cols), "number": None}[flags["along"]]


def broadcast(dims, dtype, flags):
    x, alpha, number = randn(dims["batch"], dims["rows"], dims["cols"], dtype=dtype), 0.75, 1.7
    shape = shape_of_values(dims, flags)
    values, y = [] if shape is None else [randn(*shape, dtype=dtype)], torch.empty_like(x)
    numbers = [alpha] * (flags["combine"] == "add") + [number] * (shape is None)

    def forward(v, w=number):
        return torch.add(v, w, alpha=alpha) if flags["combine"] == "add" else v * w
    return Problem((x, *values, y, *numbers), forward, (x, *values), y.nbytes)


def broadcast_backward(dims, dtype, flags):
    x, dy = (randn(dims["batch"], dims["rows"], dims["cols"], dtype=dtype) for _ in range(2))
    values = randn(*shape_of_values(dims, flags), dtype=dtype)
    return Problem((dy, x, values, torch.empty_like(x), torch.empty_like(values)), lambda v, w: v * w,
                   (x.clone().requires_grad_(), values.clone().requires_grad_()), x.nbytes + values.nbytes, (dy,))


def elementwise_backward(dims, dtype, flags):
    shape, is_gated = (dims["batch"], dims["rows"], dims["cols"]), flags["other"] == "mul"
    x, dy, bias = randn(*shape, dtype=dtype).requires_grad_(), randn(*shape, dtype=dtype), bias_of(dims, dtype, flags)
    other = [randn(*shape, dtype=dtype).requires_grad_()] if is_gated else []
    results = [torch.empty_like(dy) for _ in (x, *other)]
    if flags["mask"]:
        mask = torch.randint(256, ((dy.numel() + 7) // 8,), dtype=torch.uint8, device=CUDA)
        ours = (dy, mask, *results, *SETTINGS.get(flags["function"], ()))
        return Problem(ours, chain(flags, dtype), (x,), x.nbytes, (dy,))
    return Problem((dy, x.detach(), *bias, *(gate.detach() for gate in other), *results, *SETTINGS.get(flags["function"], ())),
                   chain(flags, dtype), (x, *bias, *other), len(results) * x.nbytes, (dy,))
