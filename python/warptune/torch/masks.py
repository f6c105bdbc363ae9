"""torch.ops.warptune.masked_softmax: the softmax of scaled and masked rows, as in attention."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned
from .operators import no_gradient, operator
from .ops import Kernels

_forward = Kernels("masked_softmax", "log", "causal", "mask", "mask_rows")
_backward = Kernels("masked_softmax_backward", "log", "causal")


def _matrix(shape):
    """Returns (matrices, rows, cols)."""
    return math.prod(shape[:-2]), shape[-2] if len(shape) > 1 else 1, shape[-1] if shape else 1


def _samples(shape, mask):
    """Returns the number of samples that have their own mask: the product of the mask's leading dims that equal the
    input's. The mask's other dims before the last two are 1."""
    ahead = len(shape) - len(mask)
    own = 0 if ahead else next((i for i, size in enumerate(mask[:-2]) if size != shape[i]), len(mask) - 2)
    fits = len(shape) > 1 and ahead >= 0 and len(mask) > 1 and mask[-1] == shape[-1] and mask[-2] in (1, shape[-2])
    if not fits or any(size != 1 for size in mask[own:-2]):
        raise BadInput(f"masked_softmax: the mask has the shape {tuple(mask)} and the input {tuple(shape)}; the "
                       "mask's last two dims must be (rows or 1, cols), and the dims before them must first equal the "
                       "input's, then be 1")
    return math.prod(shape[:own])


def _results(new, x, mask, causal, scale, log):
    if mask is not None:
        _samples(x.shape, mask.shape)
    return new(x, x.shape)


def _launch(y, x, mask, causal, scale, log):
    if not x.numel():
        return
    matrices, rows, cols = _matrix(x.shape)
    if mask is None:
        dims = (matrices * rows, cols, 1, 1) if causal == "none" else (rows, cols, 1, matrices)
        kind = "none", "each"
    else:
        samples = _samples(x.shape, mask.shape)
        dims = rows, cols, matrices // samples, samples
        kind = "bool" if mask.dtype == torch.bool else "additive", "one" if mask.shape[-2] == 1 else "each"
    _forward.launch((log, causal, *kind), x.dtype, dims, x, mask, y, scale)


def _setup(ctx, inputs, output):
    _, mask, ctx.causal, ctx.scale, ctx.log = inputs
    ctx.mask_shape = None if mask is None else mask.shape
    ctx.save_for_backward(output, mask if mask is not None and mask.dtype == torch.bool else None)


def _gradient(ctx, dy):
    y, keep = ctx.saved_tensors
    if not ctx.needs_input_grad[1]:
        dx = masked_softmax_backward(dy.contiguous(), y, ctx.causal, ctx.scale, ctx.log)
        # The kernel does not read the mask, and the results do not always show what it removed: a removed row is NaN, and
        # the gradient of a logarithm of minus infinity would be that of the result.
        return dx if keep is None else torch.where(keep, dx, 0), None, None, None, None
    # The gradient of the scaled elements. An additive mask has this gradient too, summed over the elements that share a mask
    # element.
    inner = masked_softmax_backward(dy.contiguous(), y, ctx.causal, 1.0, ctx.log)
    return inner * ctx.scale, inner.sum_to_size(ctx.mask_shape), None, None, None


masked_softmax_op = operator("masked_softmax", "(Tensor x, Tensor? mask, str causal, float scale, bool log) -> Tensor",
                             _results, _launch, _setup, _gradient)


def _backward_launch(dx, dy, y, causal, scale, log):
    if y.numel():
        matrices, rows, cols = _matrix(y.shape)
        dims = (matrices * rows, cols, 1) if causal == "none" else (rows, cols, matrices)
        _backward.launch((log, causal), y.dtype, dims, aligned(dy), y, dx, scale)


masked_softmax_backward = operator(
    "masked_softmax_backward", "(Tensor dy, Tensor y, str causal, float scale, bool log) -> Tensor",
    lambda new, dy, y, *_: new(y, y.shape), _backward_launch, backward=no_gradient("masked_softmax has no second derivative"))


def masked_softmax(input, attn_mask=None, *, causal=None, scale=1.0, log=False):
    """Returns softmax(input * scale + attn_mask) along the last dim of an input of the shape (..., rows, cols). log:
    whether to return the logarithm of the softmax.

    attn_mask: a bool mask, where True keeps the element, or a mask in the input's dtype, which is added to the scaled
    input. The shape of the mask begins with leading dims of the input, continues with dims of size 1, and ends with
    (rows or 1, cols). For an input of the shape (batch, heads, rows, cols), the mask may have the shape (batch, 1, 1,
    cols) or (rows, cols). causal: None, "upper_left" (row i sees columns up to i) or "lower_right" (row i sees columns
    up to i + cols - rows), as in torch.nn.attention.bias. The result of a row without visible columns is NaN.
    """
    if causal not in (None, "upper_left", "lower_right"):
        raise BadInput(f"masked_softmax: causal is {causal!r}; use None, 'upper_left' or 'lower_right'")
    return masked_softmax_op(input, attn_mask, causal or "none", scale, log)
