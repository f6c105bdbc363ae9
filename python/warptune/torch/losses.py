"""torch.ops.warptune.cross_entropy: the loss of each row of logits, and its gradient."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned, refuse
from .operators import no_gradient, operator
from .ops import Kernels

_forward = Kernels("cross_entropy", "smoothing")
_backward = Kernels("cross_entropy_backward", "smoothing")


def _sizes(logits):
    return math.prod(logits.shape[:-1]), logits.shape[-1]


def _results(new, logits, target, smoothing, ignore_index):
    rows = logits.shape[:-1]
    return new(logits, rows, torch.float32), new(logits, rows, torch.float32)


def _launch(made, logits, target, smoothing, ignore_index):
    if logits.numel():
        _forward.launch((smoothing > 0,), logits.dtype, _sizes(logits), logits, target, *made, smoothing, ignore_index)


def _setup(ctx, inputs, output):
    logits, target, ctx.smoothing, ctx.ignore_index = inputs
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(logits, target, output[1])


def _gradient(ctx, dloss, _):
    dlogits = cross_entropy_backward(dloss.contiguous(), *ctx.saved_tensors, ctx.smoothing, ctx.ignore_index)
    return dlogits, None, None, None


cross_entropy_rows = operator("cross_entropy", "(Tensor logits, Tensor target, float smoothing, int ignore_index) -> "
                              "(Tensor, Tensor)", _results, _launch, _setup, _gradient)


def _backward_launch(dlogits, dloss, logits, target, lse, smoothing, ignore_index):
    if logits.numel():
        _backward.launch((smoothing > 0,), logits.dtype, _sizes(logits), aligned(dloss), logits, target, lse, dlogits,
                         smoothing, ignore_index)


cross_entropy_backward = operator(
    "cross_entropy_backward", "(Tensor dloss, Tensor logits, Tensor target, Tensor lse, float smoothing, int ignore_index) "
    "-> Tensor", lambda new, dloss, logits, *_: new(logits, logits.shape), _backward_launch,
    backward=no_gradient("cross_entropy has no second derivative"))


def cross_entropy(input, target, weight=None, *, ignore_index=-100, reduction="mean", label_smoothing=0.0,
                  **unsupported):
    """Like torch.nn.functional.cross_entropy, for an input of (N, C) or (C,), and a target of (N,) or () with class
    indices in int64.

    The loss is float32, whatever the input's dtype. An index that is not a class gives NaN. Rows whose target is
    ignore_index have a loss and a gradient of 0.
    """
    if unsupported:
        refuse("cross_entropy", input, unsupported)
    if weight is not None:
        raise BadInput("cross_entropy: the kernel takes no class weights; weight must be None")
    if reduction not in ("none", "mean", "sum"):
        raise BadInput(f"cross_entropy: there is no reduction {reduction!r}; use 'none', 'mean' or 'sum'")
    if not 0 <= label_smoothing <= 1:
        raise BadInput(f"cross_entropy: label_smoothing is {label_smoothing}, but must be between 0 and 1")
    if input.dim() not in (1, 2) or input.shape[-1] == 0:
        raise BadInput(f"cross_entropy: the input has the shape {tuple(input.shape)}; the kernel takes (N, C) or (C,). Move "
                       "the classes last and flatten the other dims")
    if target.dtype != torch.int64:
        raise BadInput(f"cross_entropy: the target is {target.dtype}; the kernel takes class indices in torch.int64")
    if target.shape != input.shape[:-1]:
        raise BadInput(f"cross_entropy: the target has the shape {tuple(target.shape)} but must have "
                       f"{tuple(input.shape[:-1])}")
    losses = cross_entropy_rows(input, target, label_smoothing, ignore_index)[0]
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.sum() / (target != ignore_index).sum()
