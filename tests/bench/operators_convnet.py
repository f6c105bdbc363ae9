"""Pooling, BatchNorm and GroupNorm in PyTorch."""
import math
from functools import partial

import torch
import torch.nn.functional as F

from operators_problem import CUDA, Problem, randn, rows_like


def is_deep(dims):
    return dims["depth"] > 1 or dims.get("window_d", 1) > 1


def randn_images(dims, flags, dtype):
    """Returns random images, NCHW or NCDHW, in the memory order that the layout names."""
    x = randn(*(dims[name] for name in (("batch", "channels", *(("depth",) if is_deep(dims) else ()), "height", "width"))), dtype=dtype)
    last = torch.channels_last_3d if is_deep(dims) else torch.channels_last
    return x.to(memory_format=last) if flags["layout"] == "nhwc" else x


def in_memory_order(x, flags):
    return x.detach().movedim(1, -1) if flags["layout"] == "nhwc" else x.detach()


def pooling(dims, flags):
    axes = "dhw" if is_deep(dims) else "hw"
    window, stride, pad = (tuple(dims[f"{name}_{axis}"] for axis in axes) for name in ("window", "stride", "pad"))
    options = {"kernel_size": window, "stride": stride, "padding": pad, "ceil_mode": bool(flags["ceil"])}
    if flags["op"].startswith("max"):
        function = F.max_pool3d if is_deep(dims) else F.max_pool2d
        return partial(function, return_indices=flags["op"] == "max_index", **options)
    function = F.avg_pool3d if is_deep(dims) else F.avg_pool2d
    return partial(function, count_include_pad=flags["op"] == "average", **options)


INDEX_TYPES = {"max_index": torch.int64, "max_place": torch.uint8}


def pool(dims, dtype, flags):
    """With places, PyTorch also stores the data that its backward pass reads; compiled, these are places too."""
    x, forward = randn_images(dims, flags, dtype), pooling(dims, flags)
    y = forward(x)
    count = (y[0] if isinstance(y, tuple) else y).numel()
    results = [torch.empty(count, dtype=kind, device=CUDA) for kind in (dtype, INDEX_TYPES.get(flags["op"])) if kind]
    return Problem((in_memory_order(x, flags), *results), forward, (x.requires_grad_(flags["op"] == "max_place"),),
                   sum(result.nbytes for result in results))


def pool_backward(dims, dtype, flags):
    x = randn_images(dims, flags, dtype).requires_grad_()
    pooled = pooling(dims, {**flags, "op": "max" if flags["op"].startswith("max") else flags["op"]})
    y = pooled(x)
    dy = torch.empty_like(y).normal_()
    indices = []
    if flags["op"] == "max_index":
        indices = [in_memory_order(pooling(dims, flags)(x)[1], flags)]
    elif flags["op"] == "max_place":  # every place in the window takes the same time
        indices = [torch.randint(0, 2, (y.numel(),), dtype=torch.uint8, device=CUDA)]
    return Problem((in_memory_order(dy, flags), *indices, torch.empty(x.numel(), dtype=dtype, device=CUDA)), pooled, (x,), x.nbytes, (dy,))


def images(dims, flags, dtype):
    """Returns random NCHW images for dims that give only the number of pixels."""
    side = math.isqrt(dims["pixels"])
    height, width = (side, side) if side * side == dims["pixels"] else (dims["pixels"], 1)
    return randn_images({**dims, "depth": 1, "height": height, "width": width}, flags, dtype)


def of_channels(count, low, high):
    return [torch.empty(count, device=CUDA).uniform_(low, high) for _ in range(2)]


def batch_norm(dims, dtype, flags):
    x, y, channels = images(dims, flags, dtype), torch.empty(dims["batch"] * dims["channels"] * dims["pixels"], dtype=dtype, device=CUDA), dims["channels"]
    residual = [images(dims, flags, dtype)] if flags["residual"] else []
    training = flags["mode"] == "training"
    (weight, bias), (mean, variance) = of_channels(channels, 0.5, 1.5), of_channels(channels, 1, 2)

    def forward(x, *rest):
        v = F.batch_norm(x, mean, variance, weight, bias, training, 0.1, 1e-5)
        v = v + rest[0] if rest else v
        return F.relu(v) if flags["relu"] else v
    saved = of_channels(channels, 0, 1) if training else []
    return Problem((*(in_memory_order(t, flags) for t in (x, *residual)), weight, bias, mean, variance, y, *saved, 1e-5, *([0.1] if training else [])),
                   forward, (x, *residual), y.nbytes)


def batch_norm_backward(dims, dtype, flags):
    x, dy = images(dims, flags, dtype).requires_grad_(), images(dims, flags, dtype)
    weight, bias = (tensor.requires_grad_() for tensor in of_channels(dims["channels"], 0.5, 1.5))
    residual = [images(dims, flags, dtype).requires_grad_()] if flags["after"] == "add_relu" else []

    def forward(x, weight, bias, *rest):
        v = F.batch_norm(x, None, None, weight, bias, True, 0.1, 1e-5)
        v = v + rest[0] if rest else v
        return v if flags["after"] == "nothing" else F.relu(v)
    inputs = (x, weight, bias, *residual)
    wide = x.detach().float()
    mean, rstd = wide.mean((0, 2, 3)), torch.rsqrt(wide.var((0, 2, 3), correction=0) + 1e-5)
    results = [torch.empty(x.numel(), dtype=dtype, device=CUDA) for _ in (x, *residual)] + of_channels(dims["channels"], 0, 1)
    ours = (dy, x, *([forward(*inputs)] if residual else []))
    return Problem((*(in_memory_order(tensor, flags) for tensor in ours), weight.detach(), *([bias.detach()] if flags["after"] == "relu" else []),
                    mean, rstd, *results), forward, inputs, (1 + len(residual)) * dy.nbytes, (dy,))


def group_norm(dims, dtype, flags):
    x, y = images(dims, flags, dtype), torch.empty(dims["batch"] * dims["channels"] * dims["pixels"], dtype=dtype, device=CUDA)
    channels = [randn(dims["channels"], dtype=dtype) for _ in range(2)]
    saved = [rows_like(dims["batch"] * dims["groups"]) for _ in range(2)]
    return Problem((in_memory_order(x, flags), *channels, y, *saved, 1e-5), lambda v, *rest: F.group_norm(v, dims["groups"], *rest), (x, *channels),
                   y.nbytes)


def group_norm_backward(dims, dtype, flags):
    x, dy, groups = images(dims, flags, dtype).requires_grad_(), images(dims, flags, dtype), dims["groups"]
    weight, bias = (randn(dims["channels"], dtype=dtype).requires_grad_() for _ in range(2))
    wide = x.detach().float().reshape(dims["batch"] * groups, -1)
    saved = [wide.mean(1), torch.rsqrt(wide.var(1, correction=0) + 1e-5)]
    results = [torch.empty(count, dtype=dtype, device=CUDA) for count in (x.numel(), dims["channels"], dims["channels"])]
    return Problem((in_memory_order(dy, flags), in_memory_order(x, flags), weight.detach(), *saved, *results),
                   lambda v, *rest: F.group_norm(v, groups, *rest), (x, weight, bias), dy.nbytes, (dy,))
