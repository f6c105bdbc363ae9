"""torch.ops.warptune.concat: joins up to four tensors along a dim in one launch."""
import math

from ..errors import BadInput
from .arguments import refuse
from .operators import operator
from .ops import Kernels
from .slices import copy_slice, positive_dim, slice_op

_kernels = Kernels("concat")
_MOST = 4


def _around(shape, dim):
    return tuple(shape[:dim]), tuple(shape[dim + 1:])


def _results(new, x0, x1, x2, x3, dim):
    joined = 0
    before, after = _around(x0.shape, dim)
    for x in (x0, x1, x2, x3):
        if x is not None:
            if x.dim() != x0.dim() or _around(x.shape, dim) != (before, after):
                raise BadInput(f"cat: tensors of the shapes {tuple(x0.shape)} and {tuple(x.shape)} cannot be joined along dim "
                               f"{dim}; all other dims must be equal")
            joined += x.shape[dim]
    return new(x0, (*before, joined, *after))


def _launch(y, x0, x1, x2, x3, dim):
    parts = [x for x in (x0, x1, x2, x3) if x is not None and x.numel()]
    if len(parts) == 1:  # the kernel takes two or more
        copy_slice(y, parts[0], dim, 0, 1, True)
    elif parts:
        before, after = _around(y.shape, dim)
        sizes = [x.shape[dim] for x in parts] + [0] * (_MOST - len(parts))
        _kernels.launch((), y.dtype, (math.prod(before), *sizes, math.prod(after)), *parts, y)


def _setup(ctx, inputs, output):
    *parts, ctx.dim = inputs
    ctx.sizes = [0 if x is None else x.shape[ctx.dim] for x in parts]


def _gradient(ctx, dy):
    dy, start, slices = dy.contiguous(), 0, []
    for needed, size in zip(ctx.needs_input_grad, ctx.sizes):
        slices.append(slice_op(dy, ctx.dim, start, size, 1) if needed else None)
        start += size
    return *slices, None


_concat = operator("concat", "(Tensor x0, Tensor x1, Tensor? x2, Tensor? x3, int dim) -> Tensor", _results, _launch, _setup,
                   _gradient)


def cat(tensors, dim=0, **unsupported):
    """Like torch.cat, for one to four tensors of the same dtype whose shapes differ only in this dim."""
    tensors = list(tensors)
    if not tensors:
        raise BadInput(f"cat: the list of tensors is empty; give one to {_MOST} tensors")
    refuse("cat", tensors[0], unsupported)
    if len(tensors) > _MOST:
        raise BadInput(f"cat: there are {len(tensors)} tensors; the kernel joins up to {_MOST}. Join groups of them, then the results")
    dim = positive_dim("cat", tensors[0], dim)
    if len(tensors) == 1:
        return slice_op(tensors[0], dim, 0, tensors[0].shape[dim], 1)
    return _concat(*tensors, *[None] * (_MOST - len(tensors)), dim)


concat = cat
