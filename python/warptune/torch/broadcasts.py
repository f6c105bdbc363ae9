"""torch.ops.warptune.broadcast: multiplies a tensor by a smaller tensor or a number, or adds it, with torch's rules for
broadcasting."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned, float_of
from .elementwise import elementwise
from .operators import no_gradient, operator
from .ops import Kernels
from .reductions import reduce

_kernels = Kernels("broadcast", "combine", "along")
_backward = Kernels("broadcast_backward", "along")
_MOST = 1 << 30  # rows or columns of the kernel of the gradients
# By the groups of neighbouring dims, of which the values have all (True) or are broadcast over them (False): the place of
# each group in (batch, rows, cols), and how the values vary.
_PLACES = {(): ((), "rows"), (True,): ((2,), "columns"), (False,): ((2,), "rows"), (False, True): ((1, 2), "columns"),
           (True, False): ((1, 2), "rows"), (False, True, False): ((0, 1, 2), "rows"), (True, False, True): ((0, 1, 2), "matrices")}


def _fits(small, large):
    """Whether a tensor of the shape `small` can be broadcast to the shape `large`."""
    ahead = len(large) - len(small)
    return ahead >= 0 and all(own == 1 or own == size for own, size in zip(small, large[ahead:]))


def _groups(shape, small):
    """Returns (whether the values have these dims, the dims) for each group of neighbouring dims, without dims of size 1."""
    found = []
    for dim, (size, own) in enumerate(zip(shape, (1,) * (len(shape) - len(small)) + tuple(small))):
        if size != 1:
            kept = bool(own != 1)  # not a symbol of torch.compile
            if not found or found[-1][0] != kept:
                found.append((kept, []))
            found[-1][1].append(dim)
    return found


def _place(shape, values, function="mul"):
    """Returns the dims (rows, cols, batch) of the kernel, and how the values vary. values: their shape; None: a number.
    function: for errors."""
    if values is None:
        return (1, math.prod(shape), 1), "number"
    groups = _groups(shape, values)
    kinds = tuple(kept for kept, _ in groups)
    if kinds not in _PLACES:
        raise BadInput(f"{function}: the smaller operand has the shape {tuple(values)} and the larger {tuple(shape)}; the kernel broadcasts over at "
                       "most two groups of neighbouring dims, with one group of dims between them; pass .expand(...).contiguous() of the "
                       "smaller operand")
    places, along = _PLACES[kinds]
    sizes = [1, 1, 1]
    for place, (_, dims) in zip(places, groups):
        sizes[place] = math.prod(shape[dim] for dim in dims)
    batch, rows, cols = sizes
    return (rows, cols, batch), along


def _results(new, x, values, combine, alpha, number):
    _place(x.shape, None if values is None else values.shape, combine)
    return new(x, x.shape)


def _launch(y, x, values, combine, alpha, number):
    if x.numel():
        dims, along = _place(x.shape, None if values is None else values.shape)
        _kernels.launch((combine, along), x.dtype, dims, x, values, y, alpha if combine == "add" else None,
                        number if values is None else None)


def _setup(ctx, inputs, output):
    x, values, ctx.combine, ctx.alpha, ctx.number = inputs
    ctx.shape = None if values is None else values.shape
    if ctx.combine == "mul":
        needs_x, needs_values, *_ = ctx.needs_input_grad
        ctx.save_for_backward(x if needs_values else None, values if needs_x else None)


def _sum_to(x, shape):
    """Returns the sums over the dims along which values of this shape were broadcast."""
    for kept, dims in reversed(_groups(x.shape, shape)):
        if not kept:
            x = reduce(x, dims, True, "sum", 1.0)
    return x.reshape(shape)


def _gradient(ctx, dy):
    needs_x, needs_values, *_ = ctx.needs_input_grad
    if ctx.combine == "add":
        dvalues = _sum_to(dy.contiguous(), ctx.shape) if needs_values else None
        if needs_values and ctx.alpha != 1:
            dvalues = broadcast(dvalues, None, "mul", 1.0, ctx.alpha)
        return dy, dvalues, None, None, None
    dy, (x, values) = dy.contiguous(), ctx.saved_tensors
    if needs_x and needs_values and not torch.is_grad_enabled() and max(_place(dy.shape, ctx.shape)[0]) <= _MOST:
        return *broadcast_backward(dy, x, values), None, None, None
    # Operators whose derivatives exist, because these gradients may be differentiated again.
    dx = broadcast(dy, values, "mul", 1.0, ctx.number) if needs_x else None
    dvalues = _sum_to(elementwise(dy, None, x, "identity", "mul", []), ctx.shape) if needs_values else None
    return dx, dvalues, None, None, None


broadcast = operator("broadcast", "(Tensor x, Tensor? values, str combine, float alpha, float number) -> Tensor", _results, _launch,
                     _setup, _gradient)

def _backward_launch(made, dy, x, values):
    dx, dvalues = made
    if x.numel():
        dims, along = _place(x.shape, values.shape)
        _backward.launch((along,), x.dtype, dims, aligned(dy), x, values, dx, dvalues)
    else:
        dvalues.zero_()


broadcast_backward = operator(
    "broadcast_backward", "(Tensor dy, Tensor x, Tensor values) -> (Tensor, Tensor)",
    lambda new, dy, x, values: (new(x, x.shape), new(values, values.shape)), _backward_launch,
    backward=no_gradient("broadcast_backward has no second derivative"))


def combined(function, input, other, alpha=1):
    """Returns input * other, or input + alpha * other, for a number or a tensor of another shape. function: "mul" or "add"."""
    if not isinstance(other, torch.Tensor):
        if isinstance(other, (int, float)):
            return broadcast(input, None, function, float_of(function, "alpha", alpha), float_of(function, "other", other))
        raise BadInput(f"{function}: other is {other!r}, but must be a tensor or a number")
    if _fits(other.shape, input.shape):
        return broadcast(input, other, function, float_of(function, "alpha", alpha), 0.0)
    if not _fits(input.shape, other.shape):
        raise BadInput(f"{function}: the input has the shape {tuple(input.shape)} and other {tuple(other.shape)}; one of the two must have the "
                       "shape of the result; pass .expand(...).contiguous() of one of the two")
    if alpha != 1:
        raise BadInput(f"{function}: alpha is {alpha}, but must be 1 if the input is broadcast to the shape of other")
    return broadcast(other, input, function, 1.0, 0.0)
