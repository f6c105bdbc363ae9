"""torch.ops.warptune.scan: cumulative sums and products along the last dim."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned, refuse
from .operators import operator
from .ops import Kernels

_kernels = Kernels("scan", "op", "exclusive", "reverse", "mask")


def _results(new, x, mask, op, exclusive, reverse):
    if mask is not None and (mask.dtype != torch.bool or mask.shape != x.shape):
        raise BadInput(f"cum{op}: the mask has the dtype {mask.dtype} and the shape {tuple(mask.shape)}, but must have the dtype "
                       f"torch.bool and the input's shape, {tuple(x.shape)}; nothing is broadcast")
    return new(x, x.shape)


def _launch(y, x, mask, op, exclusive, reverse):
    if x.numel():
        cols = x.shape[-1] if x.dim() else 1
        _kernels.launch((op, exclusive, reverse, mask is not None), x.dtype, (math.prod(x.shape[:-1]), cols),
                        aligned(x), mask, y)


def _setup(ctx, inputs, output):
    x, mask, ctx.op, ctx.exclusive, ctx.reverse = inputs
    if ctx.op == "sum":
        ctx.save_for_backward(mask)
    else:
        ctx.save_for_backward(mask, x, output)


def _of_products(dy, x, y, exclusive, reverse):
    """Returns the gradient of x. torch has it for products that begin at the first element of a row and include the element itself."""
    if not x.numel():
        return dy
    shape = x.shape
    dy, x, y = (part.reshape(shape or (1,)) for part in (dy, x, y))
    if reverse:
        dy, x, y = (part.flip(-1) for part in (dy, x, y))
    if exclusive:  # y is 1, then the products of all elements except the last, on which no result depends
        dy, x, y = dy[..., 1:], x[..., :-1], y[..., 1:]
    dx = torch.ops.aten.cumprod_backward(dy, x, -1, y)
    if exclusive:
        dx = torch.nn.functional.pad(dx, (0, 1))
    return (dx.flip(-1) if reverse else dx).reshape(shape)


def _gradient(ctx, dy):
    if ctx.op == "sum":
        mask, = ctx.saved_tensors
        dx = scan(dy.contiguous(), None, "sum", ctx.exclusive, not ctx.reverse)
    else:
        mask, x, y = ctx.saved_tensors
        dx = _of_products(dy, x if mask is None else torch.where(mask, x, 1), y, ctx.exclusive, ctx.reverse)
    return dx if mask is None else torch.where(mask, dx, 0), None, None, None, None


scan = operator("scan", "(Tensor x, Tensor? mask, str op, bool exclusive, bool reverse) -> Tensor", _results, _launch, _setup,
                _gradient)


def _scanned(name, op, x, mask, dim, unsupported, exclusive, reverse):
    if unsupported:
        refuse(name, x, unsupported)
    if dim not in (-1, max(x.dim(), 1) - 1):
        raise BadInput(f"{name}: dim is {dim}, but the kernel works only on the last of the {x.dim()} dims; transpose the input first")
    return scan(x, mask, op, exclusive, reverse)


def cumsum(input, dim=-1, *, exclusive=False, reverse=False, mask=None, **unsupported):
    """Like torch.cumsum, along the last dim; computed in fp32.

    exclusive: whether the sum at an element leaves out this element. reverse: whether the sums begin at the end of each
    row. mask: a bool tensor of the input's shape; elements where it is False do not contribute, even if they are NaN:
    torch.where(mask, input, 0).cumsum(-1).
    """
    return _scanned("cumsum", "sum", input, mask, dim, unsupported, bool(exclusive), bool(reverse))


def cumprod(input, dim=-1, *, exclusive=False, reverse=False, mask=None, **unsupported):
    """Like torch.cumprod, along the last dim; computed in fp32. torch's own operators compute the gradient.

    exclusive, reverse: as for cumsum. mask: as for cumsum: torch.where(mask, input, 1).cumprod(-1).
    """
    return _scanned("cumprod", "prod", input, mask, dim, unsupported, bool(exclusive), bool(reverse))
