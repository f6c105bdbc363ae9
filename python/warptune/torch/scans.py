"""torch.ops.warptune.scan: cumulative sums and products along the last dim."""
import math

import torch

from ..errors import BadInput
from .arguments import refuse
from .operators import operator
from .ops import Kernels

_kernels = Kernels("scan", "op", "exclusive", "reverse")


def _launch(y, x, op, exclusive, reverse):
    if x.numel():
        cols = x.shape[-1] if x.dim() else 1
        _kernels.launch((op, exclusive, reverse), x.dtype, (math.prod(x.shape[:-1]), cols), x, y)


def _setup(ctx, inputs, output):
    x, ctx.op, ctx.exclusive, ctx.reverse = inputs
    if ctx.op == "prod":
        if ctx.exclusive or ctx.reverse:
            raise BadInput("torch.ops.warptune.scan: a product has a gradient only if exclusive and reverse are False")
        ctx.save_for_backward(x, output)


def _gradient(ctx, dy):
    if ctx.op == "sum":
        return scan(dy.contiguous(), "sum", ctx.exclusive, not ctx.reverse), None, None, None
    x, y = ctx.saved_tensors
    return torch.ops.aten.cumprod_backward(dy, x, -1, y), None, None, None


scan = operator("scan", "(Tensor x, str op, bool exclusive, bool reverse) -> Tensor", lambda new, x, *_: new(x, x.shape), _launch,
                _setup, _gradient)


def _scanned(name, op, x, dim, unsupported, exclusive=False, reverse=False):
    if unsupported:
        refuse(name, x, unsupported)
    if dim not in (-1, max(x.dim(), 1) - 1):
        raise BadInput(f"{name}: dim is {dim}, but the kernel works only on the last of the {x.dim()} dims; transpose the input first")
    return scan(x, op, exclusive, reverse)


def cumsum(input, dim=-1, *, exclusive=False, reverse=False, **unsupported):
    """Like torch.cumsum, along the last dim; computed in fp32.

    exclusive: whether the sum at an element leaves out this element. reverse: whether the sums begin at the end of each
    row.
    """
    return _scanned("cumsum", "sum", input, dim, unsupported, bool(exclusive), bool(reverse))


def cumprod(input, dim=-1, **unsupported):
    """Like torch.cumprod, along the last dim; computed in fp32. torch's own operators compute the gradient."""
    return _scanned("cumprod", "prod", input, dim, unsupported)
