"""torch.ops.warptune.row_norm: LayerNorm and RMSNorm of rows, optionally after adding a residual. row_norm_quantise: the
same with a result in int8 or fp8, with one scale per row."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned
from .operators import no_gradient, operator, wants_gradient
from .ops import Kernels

_forward = Kernels("row_norm", "norm", "weight", "bias", "residual", "stats")
_backward = Kernels("row_norm_backward", "norm", "weight", "bias", "residual")
_narrow = Kernels("row_norm_quantise", "norm", "to", "weight", "bias", "residual")
_NARROW = {torch.int8: "int8", torch.float8_e4m3fn: "e4m3"}
_DTYPES = {name: dtype for dtype, name in _NARROW.items()}


def _sizes(x, dims):
    return math.prod(x.shape[:-dims]), math.prod(x.shape[-dims:])


def _results(new, x, weight, bias, residual, norm, dims, eps, stats):
    rows = x.shape[:-dims]
    return (new(x, x.shape), new(x, None if residual is None else x.shape),
            new(x, rows if stats and norm == "layer" else None, torch.float32),
            new(x, rows if stats else None, torch.float32))


def _launch(made, x, weight, bias, residual, norm, dims, eps, stats):
    y, total, mean, rstd = made
    if x.numel():
        flags = norm, weight is not None, bias is not None, residual is not None, stats
        _forward.launch(flags, x.dtype, _sizes(x, dims), x, residual, weight, bias, y, None if residual is None else total,
                        mean if stats and norm == "layer" else None, rstd if stats else None, eps)


def _setup(ctx, inputs, output):
    x, weight, bias, residual, norm, dims, _, stats = inputs
    _, total, mean, rstd = output
    if not stats:
        raise BadInput("torch.ops.warptune.row_norm has a gradient only with stats=True")
    ctx.mark_non_differentiable(mean, rstd, *([total] if residual is None else []))
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(x if residual is None else total, weight, mean, rstd)
    ctx.norm, ctx.dims, ctx.has_bias, ctx.has_residual = norm, dims, bias is not None, residual is not None


def _gradient(ctx, dy, dsum, *_):
    if dy is None:  # only the sum was used
        return dsum, None, None, dsum, None, None, None, None
    x, weight, mean, rstd = ctx.saved_tensors
    dx, dweight, dbias = row_norm_backward(dy.contiguous(), x, weight, mean, rstd,
                                           None if dsum is None else dsum.contiguous(), ctx.norm, ctx.dims, ctx.has_bias)
    return (dx, None if weight is None else dweight, dbias if ctx.has_bias else None, dx if ctx.has_residual else None,
            None, None, None, None)


row_norm = operator("row_norm", "(Tensor x, Tensor? weight, Tensor? bias, Tensor? residual, str norm, int dims, float eps, "
                    "bool stats) -> (Tensor, Tensor, Tensor, Tensor)", _results, _launch, _setup, _gradient)


def _backward_results(new, dy, x, weight, mean, rstd, dsum, norm, dims, has_bias):
    row = x.shape[-dims:]
    return new(x, x.shape), new(x, None if weight is None else row), new(x, row if has_bias else None)


def _backward_launch(made, dy, x, weight, mean, rstd, dsum, norm, dims, has_bias):
    dx, dweight, dbias = made
    if not x.numel():
        for sums in (dweight, dbias):
            if sums is not None:
                sums.zero_()
        return
    flags = norm, weight is not None, has_bias, dsum is not None
    # The kernel of the forward pass takes inputs that are less aligned than this kernel needs.
    _backward.launch(flags, x.dtype, _sizes(x, dims), aligned(dy), aligned(x), aligned(weight), mean if norm == "layer" else None,
                     rstd, aligned(dsum), dx, None if weight is None else dweight, dbias if has_bias else None)


_once_only = no_gradient("layer_norm and rms_norm have no second derivative")
row_norm_backward = operator("row_norm_backward", "(Tensor dy, Tensor x, Tensor? weight, Tensor mean, Tensor rstd, "
                             "Tensor? dsum, str norm, int dims, bool has_bias) -> (Tensor, Tensor, Tensor)",
                             _backward_results, _backward_launch, backward=_once_only)


def _narrow_results(new, x, weight, bias, residual, norm, dims, eps, to, least_scale):
    return (new(x, x.shape, _DTYPES[to]), new(x, (*x.shape[:-dims], *[1] * dims), torch.float32),
            new(x, None if residual is None else x.shape))


def _narrow_launch(made, x, weight, bias, residual, norm, dims, eps, to, least_scale):
    y, scales, total = made
    if x.numel():
        flags = norm, to, weight is not None, bias is not None, residual is not None
        _narrow.launch(flags, x.dtype, _sizes(x, dims), x, residual, weight, bias, y, scales, None if residual is None else total,
                       eps, least_scale)
    else:
        scales.fill_(least_scale)  # rows of 0 elements have scales too


_refuse = no_gradient("layer_norm_quantised and rms_norm_quantised have no gradient; detach their inputs, or use torch.no_grad()")
row_norm_quantise = operator("row_norm_quantise", "(Tensor x, Tensor? weight, Tensor? bias, Tensor? residual, str norm, int dims, "
                             "float eps, str to, float least_scale) -> (Tensor, Tensor, Tensor)", _narrow_results, _narrow_launch,
                             _refuse, _refuse)


def _checked(name, x, shape, weight, bias, residual):
    """Returns the number of the normalised dims."""
    shape = tuple(shape)
    if not shape or x.shape[-len(shape):] != shape:
        raise BadInput(f"{name}: the input has the shape {tuple(x.shape)}, but normalized_shape is {shape}; it must be "
                       "the input's last dims")
    for what, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tuple(tensor.shape) != shape:
            raise BadInput(f"{name}: the {what} has the shape {tuple(tensor.shape)} but must have {shape}")
    if residual is not None and residual.shape != x.shape:
        raise BadInput(f"{name}: the residual has the shape {tuple(residual.shape)} but must have the shape of the input, {tuple(x.shape)}")
    return len(shape)


def _normalised(name, norm, x, shape, weight, bias, residual, eps):
    dims = _checked(name, x, shape, weight, bias, residual)
    stats = wants_gradient(x, weight, bias, residual)
    y, total, _, _ = row_norm(x, weight, bias, residual, norm, dims, eps, stats)
    return y if residual is None else (y, total)


def _quantised(name, norm, x, shape, weight, bias, residual, eps, dtype, least_scale):
    dims = _checked(name, x, shape, weight, bias, residual)
    if dtype not in _NARROW:
        raise BadInput(f"{name}: there is no kernel for the result {dtype}; use one of {', '.join(map(str, _NARROW))}")
    y, scales, total = row_norm_quantise(x, weight, bias, residual, norm, dims, eps, _NARROW[dtype], least_scale)
    return (y, scales) if residual is None else (y, scales, total)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5, *, residual=None):
    """Like torch.nn.functional.layer_norm.

    residual: a tensor of the shape of the input. If it is given, the function normalises input + residual, and returns
    (result, input + residual).
    """
    return _normalised("layer_norm", "layer", input, normalized_shape, weight, bias, residual, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None, *, residual=None):
    """Like torch.nn.functional.rms_norm. residual: as in layer_norm. eps: None means 2^-23, the epsilon of float32,
    because all dtypes are computed in float32."""
    eps = torch.finfo(torch.float32).eps if eps is None else eps
    return _normalised("rms_norm", "rms", input, normalized_shape, weight, None, residual, eps)


def layer_norm_quantised(input, normalized_shape, weight=None, bias=None, eps=1e-5, *, dtype=torch.float8_e4m3fn, residual=None,
                         least_scale=2.0 ** -23):
    """Returns quantise(layer_norm(...), dtype) in one launch, without a gradient: (values, scales).

    dtype: torch.int8 or torch.float8_e4m3fn. The normalised numbers are not rounded before they are quantised. scales has
    the shape of the input, with 1 for the normalised dims. residual: as in layer_norm; the function then returns (values,
    scales, input + residual). least_scale: as in quantise.
    """
    return _quantised("layer_norm_quantised", "layer", input, normalized_shape, weight, bias, residual, eps, dtype, least_scale)


def rms_norm_quantised(input, normalized_shape, weight=None, eps=None, *, dtype=torch.float8_e4m3fn, residual=None,
                       least_scale=2.0 ** -23):
    """Returns quantise(rms_norm(...), dtype) in one launch; arguments and results as in layer_norm_quantised. eps: as in
    rms_norm."""
    eps = torch.finfo(torch.float32).eps if eps is None else eps
    return _quantised("rms_norm_quantised", "rms", input, normalized_shape, weight, None, residual, eps, dtype, least_scale)
