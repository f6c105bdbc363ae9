"""torch.ops.warptune.slice, slice_scatter and slice_scatter_: copy a slice along one dim out of a tensor or into
it."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned, refuse, refuse_overlap
from .operators import operator, wants_gradient
from .ops import Kernels, define, row_major, unwatched

_kernels = Kernels("slice", "into")
_increment_version = torch.autograd.graph.increment_version
_is_compiling = torch.compiler.is_compiling


def copy_slice(whole, part, dim, start, step, into, in_place=False):
    """Copies between `part` and the slice of `whole` that begins at `start` and has the shape of `part`. If `into` is true,
    copies from `part` to the slice, otherwise from the slice to `part`. in_place: whether the two may share memory, which is
    then refused."""
    if not part.numel():
        return
    if not whole.is_contiguous():
        raise BadInput(f"slice: the tensor of the shape {tuple(whole.shape)} with the strides {tuple(whole.stride())} is not "
                       "contiguous; copy it with .contiguous()")
    outer, count, inner = math.prod(part.shape[:dim]), part.shape[dim], math.prod(part.shape[dim + 1:])
    n, skipped = whole.shape[dim], start * inner
    if skipped * whole.element_size() % 16 == 0:
        start = 0  # the kernel gets the slice's address: one tuned problem serves all such slices
    else:
        skipped = 0
    extent = ((outer - 1) * n + start + (count - 1) * step + 1) * inner
    used = whole if extent == whole.numel() else whole.as_strided((extent,), (1,), whole.storage_offset() + skipped)
    if into:
        if in_place:
            refuse_overlap("slice_scatter_", used, part)
        tensors = aligned(part, 8), used
    elif used.data_ptr() % 8 == 0:
        tensors = used, part
    else:  # the kernel then copies a copy of the slice
        strides = list(row_major(whole.shape))
        strides[dim] *= step
        view = whole.as_strided(part.shape, strides, whole.storage_offset() + skipped + start * inner)
        return copy_slice(view.clone(), part, dim, 0, 1, False)
    _kernels.launch((into,), whole.dtype, (outer, n, count, inner, start, step), *tensors)


# --- Out of a tensor --------------------------------------------------------------------------------------------------

def _results(new, x, dim, start, count, step):
    return new(x, (*x.shape[:dim], count, *x.shape[dim + 1:]))


def _launch(y, x, dim, start, count, step):
    copy_slice(x, y, dim, start, step, False)


def _setup(ctx, inputs, output):
    x, ctx.dim, ctx.start, _, ctx.step = inputs
    ctx.shape = x.shape


def _gradient(ctx, dy):
    return slice_backward(dy.contiguous(), ctx.shape, ctx.dim, ctx.start, ctx.step), None, None, None, None


slice_op = operator("slice", "(Tensor x, int dim, SymInt start, SymInt count, SymInt step) -> Tensor", _results, _launch, _setup,
                    _gradient)


def _backward_launch(dx, dy, shape, dim, start, step):
    if dy.numel() < dx.numel():
        dx.zero_()
    copy_slice(dx, dy, dim, start, step, True)


def _backward_setup(ctx, inputs, output):
    dy, _, ctx.dim, ctx.start, ctx.step = inputs
    ctx.count = dy.shape[ctx.dim]


def _second_gradient(ctx, ddx):
    return slice_op(ddx.contiguous(), ctx.dim, ctx.start, ctx.count, ctx.step), None, None, None, None


slice_backward = operator("slice_backward", "(Tensor dy, SymInt[] shape, int dim, SymInt start, SymInt step) -> Tensor",
                          lambda new, dy, shape, *_: new(dy, shape), _backward_launch, _backward_setup, _second_gradient)


# --- Into a tensor ----------------------------------------------------------------------------------------------------

def _scatter_launch(y, x, src, dim, start, step):
    y.copy_(x)
    copy_slice(y, src, dim, start, step, True)


def _scatter_setup(ctx, inputs, output):
    _, src, *ctx.place = inputs
    ctx.shape = src.shape


def _scatter_gradient(ctx, dy):
    dim, start, step = ctx.place
    dy, (of_x, of_src, *_) = dy.contiguous(), ctx.needs_input_grad
    dx = slice_scatter_op(dy, dy.new_zeros(ctx.shape), dim, start, step) if of_x else None
    return dx, slice_op(dy, dim, start, ctx.shape[dim], step) if of_src else None, None, None, None


slice_scatter_op = operator("slice_scatter", "(Tensor x, Tensor src, int dim, SymInt start, SymInt step) -> Tensor",
                            lambda new, x, *_: new(x, x.shape), _scatter_launch, _scatter_setup, _scatter_gradient)


def _scatter_kernel(target, src, dim, start, step):
    copy_slice(target, src, dim, start, step, True, in_place=True)
    _increment_version(target)  # so that autograd detects the change of a saved tensor


_scatter_in_place = define("slice_scatter_", "(Tensor(a!) target, Tensor src, int dim, SymInt start, SymInt step) -> ()",
                           _scatter_kernel, lambda *args: None)


# --- torch's functions ------------------------------------------------------------------------------------------------

def positive_dim(name, x, dim):
    count = x.dim()
    if not -count <= dim < count:
        raise BadInput(f"{name}: dim is {dim}, but the input has {count} dims")
    return dim % count


def _bound(given, default, n):
    if given is None:
        return default
    return max(given + n, 0) if given < 0 else min(given, n)


def _range(name, x, dim, start, end, step):
    """Returns (dim, start, number of elements) of a slice. As in Python, negative bounds count from the end, and
    bounds are clamped."""
    dim = positive_dim(name, x, dim)
    if step < 1:
        raise BadInput(f"{name}: step is {step}, but must be at least 1")
    n = x.shape[dim]
    start = _bound(start, 0, n)
    return dim, start, (max(_bound(end, n, n) - start, 0) + step - 1) // step


def _index(name, x, dim, index):
    dim = positive_dim(name, x, dim)
    n = x.shape[dim]
    if not -n <= index < n:
        raise BadInput(f"{name}: index is {index}, but dim {dim} of the input has {n} elements")
    return dim, index % n


def _check_source(name, x, src, dim, count):
    shape = (*x.shape[:dim], count, *x.shape[dim + 1:])
    if tuple(src.shape) != shape:
        raise BadInput(f"{name}: src has the shape {tuple(src.shape)}, but the slice of the input has {shape}")


def narrow_copy(input, dim, start, length, **unsupported):
    """Like torch.narrow_copy: a contiguous copy of torch.narrow(input, dim, start, length)."""
    refuse("narrow_copy", input, unsupported)
    dim = positive_dim("narrow_copy", input, dim)
    n = input.shape[dim]
    first = start + n if start < 0 else start
    if first < 0 or length < 0 or first + length > n:
        raise BadInput(f"narrow_copy: start is {start} and length {length}, but dim {dim} of the input has {n} elements")
    return slice_op(input, dim, first, length, 1)


def select_copy(input, dim, index, **unsupported):
    """Like torch.select_copy: a contiguous copy of torch.select(input, dim, index)."""
    refuse("select_copy", input, unsupported)
    dim, index = _index("select_copy", input, dim, index)
    return slice_op(input, dim, index, 1, 1).squeeze(dim)


def slice_copy(input, dim=0, start=None, end=None, step=1, **unsupported):
    """Like torch.slice_copy: a contiguous copy of the slice start:end:step along this dim."""
    refuse("slice_copy", input, unsupported)
    dim, start, count = _range("slice_copy", input, dim, start, end, step)
    return slice_op(input, dim, start, count, step)


def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    """Like torch.slice_scatter: a copy of the input, in which src replaces the slice start:end:step of this dim."""
    dim, start, count = _range("slice_scatter", input, dim, start, end, step)
    _check_source("slice_scatter", input, src, dim, count)
    return slice_scatter_op(input, src, dim, start, step)


def select_scatter(input, src, dim, index):
    """Like torch.select_scatter: a copy of the input, in which src replaces the elements at this index of this dim."""
    dim, index = _index("select_scatter", input, dim, index)
    if src.dim() != input.dim() - 1:
        raise BadInput(f"select_scatter: src has {src.dim()} dims, but must have {input.dim() - 1}")
    src = src.unsqueeze(dim)
    _check_source("select_scatter", input, src, dim, 1)
    return slice_scatter_op(input, src, dim, index, 1)


def slice_scatter_(input, src, dim=0, start=None, end=None, step=1):
    """Like slice_scatter, but in place: writes only the slice, and returns input. For tensors that need no gradient, such
    as caches."""
    dim, start, count = _range("slice_scatter_", input, dim, start, end, step)
    _check_source("slice_scatter_", input, src, dim, count)
    if not _is_compiling() and unwatched(input, src):
        _scatter_kernel(input, src, dim, start, step)
        return input
    if wants_gradient(input, src):
        raise BadInput("slice_scatter_ has no gradient; use slice_scatter, or torch.no_grad()")
    _scatter_in_place(input, src, dim, start, step)
    return input
