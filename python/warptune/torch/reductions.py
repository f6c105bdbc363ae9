"""torch.ops.warptune.reduce: sums, means, maxima, minima and similar reductions over neighbouring dims, with torch's
names."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned, dims_of, refuse, sizes_around
from .operators import operator
from .ops import Kernels

_kernels = Kernels("reduce", "op")
_INDICES = ("argmax", "argmin")
_NAMES = {"max": "amax", "min": "amin", "l1_norm": "norm", "l2_norm": "norm", "variance": "var"}  # of functions, for errors
_OF_NOTHING = {"sum": 0.0, "mean": math.nan, "prod": 1.0, "l1_norm": 0.0, "l2_norm": 0.0, "variance": math.nan}


def _sizes(shape, dims, op):
    """Returns (outer, n, inner): the products of the sizes before, in and after the reduced dims."""
    return sizes_around(shape, dims, _NAMES.get(op, op) + ": {}; the kernel reduces only neighbouring dims. Reduce the dims one after the other")


def _results(new, x, dims, keepdim, op, correction):
    kept = [1 if dim in dims else size for dim, size in enumerate(x.shape) if keepdim or dim not in dims]
    return new(x, kept, torch.int64 if op in _INDICES else None)


def _launch(y, x, dims, keepdim, op, correction):
    if not y.numel():
        return
    sizes = _sizes(x.shape, dims, op)
    if x.numel():
        _kernels.launch((op,), x.dtype, sizes, aligned(x), y, correction if op == "variance" else None)
    elif op in _OF_NOTHING:
        y.fill_(_OF_NOTHING[op])
    else:
        raise BadInput(f"{_NAMES.get(op, op)}: the result for no elements is not defined; the input has the shape {tuple(x.shape)}")


def _setup(ctx, inputs, output):
    x, ctx.dims, ctx.keepdim, ctx.op, ctx.correction = inputs
    ctx.shape, ctx.dtype = x.shape, x.dtype
    if ctx.op in ("max", "min", "l2_norm"):
        ctx.save_for_backward(x, output)
    elif ctx.op not in ("sum", "mean", *_INDICES):
        ctx.save_for_backward(x)


def _others(x, dims):
    """Returns, for each element, the product of all other elements along the dims. It is computed as the product of the
    elements before it times the product of the elements after it, so zeros need no special case."""
    last = tuple(range(-len(dims), 0))
    moved = x.movedim(dims, last)
    flat = moved.flatten(-len(dims)).float() if dims else x.reshape(*x.shape, 1).float()

    def before(values):
        return torch.cat([torch.ones_like(values[..., :1]), values[..., :-1]], -1).cumprod(-1)

    return (before(flat) * before(flat.flip(-1)).flip(-1)).reshape(moved.shape).movedim(last, dims)


def _of_each(ctx, grad, restored):
    """Returns the gradient of x. grad and restored(y) still have the reduced dims, with size 1."""
    n = math.prod(ctx.shape[dim] for dim in ctx.dims)
    if ctx.op in ("sum", "mean"):
        return (grad if ctx.op == "sum" else grad / n).expand(ctx.shape)
    x, *y = ctx.saved_tensors
    if ctx.op == "prod":
        return (grad.float() * _others(x, ctx.dims)).to(ctx.dtype)
    if ctx.op == "l1_norm":
        return grad * x.sign()
    if ctx.op == "variance":
        return grad * (x - x.mean(ctx.dims, keepdim=True)) * (2 / (n - ctx.correction) if n != ctx.correction else math.inf)
    y = restored(y[0])
    if ctx.op == "l2_norm":
        return (x * (grad / y)).masked_fill(y == 0, 0)
    extreme = x == y  # elements equal to the extreme share its gradient equally, as in torch
    return grad / extreme.sum(ctx.dims, keepdim=True) * extreme


def _gradient(ctx, grad):
    def restored(y):
        for dim in () if ctx.keepdim else ctx.dims:
            y = y.unsqueeze(dim)
        return y

    return _of_each(ctx, restored(grad), restored), None, None, None, None


reduce = operator("reduce", "(Tensor x, int[] dims, bool keepdim, str op, float correction) -> Tensor", _results, _launch,
                  _setup, _gradient)


def _reduce(name, op, x, dim, keepdim, unsupported, correction=1.0):
    if unsupported:
        refuse(name, x, unsupported)
    return reduce(x, dims_of(name, x, dim), keepdim, op, float(correction))


def sum(input, dim=None, keepdim=False, **unsupported):
    """Like torch.sum; the result has the input's dtype."""
    return _reduce("sum", "sum", input, dim, keepdim, unsupported)


def mean(input, dim=None, keepdim=False, **unsupported):
    """Like torch.mean."""
    return _reduce("mean", "mean", input, dim, keepdim, unsupported)


def prod(input, dim=None, keepdim=False, **unsupported):
    """Like torch.prod. torch's own operators compute the gradient."""
    return _reduce("prod", "prod", input, dim, keepdim, unsupported)


def amax(input, dim=(), keepdim=False, **unsupported):
    """Like torch.amax; NaN if any element is NaN."""
    return _reduce("amax", "max", input, dim, keepdim, unsupported)


def amin(input, dim=(), keepdim=False, **unsupported):
    """Like torch.amin; NaN if any element is NaN."""
    return _reduce("amin", "min", input, dim, keepdim, unsupported)


def argmax(input, dim=None, keepdim=False, **unsupported):
    """Like torch.argmax: the index of the first NaN or, if there is no NaN, of the first maximum. The result has no gradient."""
    return _reduce("argmax", "argmax", input, dim, keepdim, unsupported)


def argmin(input, dim=None, keepdim=False, **unsupported):
    """Like torch.argmin: the index of the first NaN or, if there is no NaN, of the first minimum. The result has no gradient."""
    return _reduce("argmin", "argmin", input, dim, keepdim, unsupported)


def norm(input, p="fro", dim=None, keepdim=False, **unsupported):
    """Like torch.norm, for p = 1, 2 or "fro" (the same as 2)."""
    if p not in (1, 2, "fro"):
        raise BadInput(f"norm: p is {p!r}; the kernel computes the norms 1 and 2")
    return _reduce("norm", "l1_norm" if p == 1 else "l2_norm", input, dim, keepdim, unsupported)


def var(input, dim=None, *, correction=None, keepdim=False, unbiased=None, **unsupported):
    """Like torch.var: the sum of squared deviations, divided by (number of elements - correction). correction: 1 by
    default. unbiased: True for a correction of 1, False for 0."""
    if correction is not None and unbiased is not None:
        raise BadInput("var: give correction or unbiased, but not both")
    if correction is None:
        correction = 0 if unbiased is False else 1
    return _reduce("var", "variance", input, dim, keepdim, unsupported, correction)
