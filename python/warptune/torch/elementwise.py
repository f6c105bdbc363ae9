"""torch.ops.warptune.elementwise: computes function(x + bias), and adds another tensor to the result or multiplies the
result by that tensor, in one launch. masked_elementwise also stores one bit per element; its gradient reads these bits
instead of x."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned
from .operators import no_gradient, operator
from .ops import Kernels

_forward = Kernels("elementwise", "function", "bias", "other")
_backward = Kernels("elementwise_backward", "function", "bias", "other")
_masked_forward = Kernels("elementwise", "function", "bias", "other", "mask")
_masked_backward = Kernels("elementwise_backward", "function", "mask")
TWO_SLOPES = ("relu", "leaky_relu", "hardsigmoid", "hardtanh")  # functions of masked_elementwise


def _name_of(function, combine):
    """Returns the name of warptune.torch's function, for errors."""
    return combine if function == "identity" else "gelu" if function == "gelu_tanh" else function


def _place(x, bias, function="elementwise", combine=None):
    """Returns the dims (rows, cols, batch), and how the bias varies: "none" (there is no bias), "columns" or
    "rows"."""
    shape = x.shape
    if bias is None:
        return (math.prod(shape[:-1]), shape[-1] if shape else 1, 1), "none"
    channel = len(shape) - bias.dim()  # the dim along which the bias varies
    if not 0 <= channel < len(shape) or any(size != 1 for size in bias.shape[1:]) or bias.shape[0] != shape[channel]:
        raise BadInput(f"{_name_of(function, combine)}: the bias has the shape {tuple(bias.shape)} and the input {tuple(shape)}; the bias must "
                       "be (cols,), or (channels, 1, ...) with a dim of 1 for each dim after the channels")
    before, after = math.prod(shape[:channel]), math.prod(shape[channel + 1:])
    return ((before, shape[channel], 1), "columns") if bias.dim() == 1 else ((shape[channel], after, before), "rows")


def _results(new, x, bias, other, function, combine, numbers):
    _place(x, bias, function, combine)
    if other is not None and other.shape != x.shape:
        raise BadInput(f"{_name_of(function, combine)}: the other tensor has the shape {tuple(other.shape)} but must have the shape of the input, {tuple(x.shape)}; nothing is broadcast")
    return new(x, x.shape)


def _launch(y, x, bias, other, function, combine, numbers):
    if x.numel():
        dims, kind = _place(x, bias)
        _forward.launch((function, kind, combine), x.dtype, dims, x, bias, other, y, *numbers)


def _setup(ctx, inputs, output):
    x, bias, other, ctx.function, ctx.combine, ctx.numbers = inputs
    needs_x, needs_bias, needs_other, *_ = ctx.needs_input_grad
    ctx.needs_inner = needs_x or needs_bias
    # Whether each gradient that is needed is that of the result, because its tensor is only added.
    ctx.is_sum = ctx.combine != "mul" and (ctx.function == "identity" or not ctx.needs_inner)
    ctx.bias_shape = None if bias is None else bias.shape
    if not ctx.is_sum:
        reads_x = ctx.function != "identity" or needs_other
        ctx.save_for_backward(x if reads_x else None, bias if reads_x else None,
                              other if ctx.combine == "mul" and ctx.needs_inner else None)


def _gradient(ctx, dy):
    dx = dother = dy
    _, needs_bias, needs_other, *_ = ctx.needs_input_grad
    if ctx.combine == "mul" and (not ctx.needs_inner or ctx.function == "identity" and (not needs_other or torch.is_grad_enabled())):
        # Products: one gradient needs no other kernel, and two may be differentiated again, which products can.
        dy, (x, bias, other) = dy.contiguous(), ctx.saved_tensors
        dx = elementwise(dy, None, other, "identity", "mul", []) if ctx.needs_inner else None
        dother = elementwise(x, bias, dy, ctx.function, "mul", ctx.numbers) if needs_other else None
    elif not ctx.is_sum:
        dx, of_factor = elementwise_backward(dy.contiguous(), *ctx.saved_tensors, ctx.function, ctx.numbers)
        dother = of_factor if ctx.combine == "mul" else dy
    return dx, dx.sum_to_size(ctx.bias_shape) if needs_bias else None, dother if needs_other else None, None, None, None


elementwise = operator("elementwise", "(Tensor x, Tensor? bias, Tensor? other, str function, str combine, float[] numbers) -> "
                       "Tensor", _results, _launch, _setup, _gradient)


def _backward_launch(made, dy, x, bias, other, function, numbers):
    if x.numel():
        dims, kind = _place(x, bias)
        dx, dother = made
        _backward.launch((function, kind, "none" if other is None else "mul"), x.dtype, dims, aligned(dy), x, bias, other,
                         dx, None if other is None else dother, *numbers)


elementwise_backward = operator(
    "elementwise_backward", "(Tensor dy, Tensor x, Tensor? bias, Tensor? other, str function, float[] numbers) -> "
    "(Tensor, Tensor)", lambda new, dy, x, bias, other, *_: (new(x, x.shape), new(x, None if other is None else x.shape)),
    _backward_launch, backward=no_gradient("elementwise has no second derivative"))


# --- With a mask ------------------------------------------------------------------------------------------------------

def _masked_results(new, x, bias, other, function, numbers):
    return _results(new, x, bias, other, function, None, numbers), new(x, ((x.numel() + 7) // 8,), torch.uint8)


def _masked_launch(made, x, bias, other, function, numbers):
    if x.numel():
        dims, kind = _place(x, bias)
        _masked_forward.launch((function, kind, "none" if other is None else "add", True), x.dtype, dims, x, bias, other, *made, *numbers)


def _masked_setup(ctx, inputs, output):
    _, bias, _, ctx.function, ctx.numbers = inputs
    ctx.bias_shape = None if bias is None else bias.shape
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(output[1])


def _masked_gradient(ctx, dy, _):
    dx = masked_elementwise_backward(dy.contiguous(), *ctx.saved_tensors, ctx.function, ctx.numbers)
    _, needs_bias, needs_other, *_ = ctx.needs_input_grad
    return dx, dx.sum_to_size(ctx.bias_shape) if needs_bias else None, dy if needs_other else None, None, None


masked_elementwise = operator(
    "masked_elementwise", "(Tensor x, Tensor? bias, Tensor? other, str function, float[] numbers) -> (Tensor, Tensor)",
    _masked_results, _masked_launch, _masked_setup, _masked_gradient)


def _masked_backward_launch(dx, dy, mask, function, numbers):
    if dy.numel():
        _masked_backward.launch((function, True), dy.dtype, _place(dy, None)[0], aligned(dy), mask, dx, *numbers)


masked_elementwise_backward = operator(
    "masked_elementwise_backward", "(Tensor dy, Tensor mask, str function, float[] numbers) -> Tensor",
    lambda new, dy, *_: new(dy, dy.shape), _masked_backward_launch, backward=no_gradient("elementwise has no second derivative"))
