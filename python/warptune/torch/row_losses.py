"""torch.ops.warptune.row_loss: losses that compare the rows of two or three matrices, and the gradients of the
matrices. row_loss_with_sums also stores three sums over each row. With these sums, the gradients read long rows only
once."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned, refuse
from .operators import no_gradient, operator, wants_gradient
from .ops import Kernels

_forward = Kernels("row_loss", "function", "reduction", "out")
_backward = Kernels("row_loss_backward", "function", "reduction", "out")
_forward_with_sums = Kernels("row_loss", "function", "reduction", "out", "sums")
_backward_with_sums = Kernels("row_loss_backward", "function", "reduction", "out", "sums")
_LONG = 16384  # bytes of a row of one matrix, beyond which a block cannot hold the rows of all matrices in registers


def _sizes(shape):
    return math.prod(shape[:-1]), shape[-1]


def _results(new, x, x2, x3, target, function, reduction, numbers):
    return new(x, x.shape[:-1] if reduction == "none" else ())


def _launch(y, x, x2, x3, target, function, reduction, numbers):
    if x.numel():
        _forward.launch((function, reduction, "same"), x.dtype, _sizes(x.shape), x, x2, x3, target, y, *numbers)
    elif reduction != "none":
        y.fill_(math.nan if reduction == "mean" else 0.0)


def _setup(ctx, inputs, output):
    *tensors, ctx.function, ctx.reduction, ctx.numbers = inputs
    ctx.save_for_backward(*tensors, None)


def _gradient(ctx, dloss, *_):
    saved = ctx.saved_tensors
    dx, dx2, dx3 = row_loss_backward(dloss.contiguous(), *saved, ctx.function, ctx.reduction, ctx.numbers)
    return dx, dx2, None if saved[2] is None else dx3, None, None, None, None  # the target has none, as in torch


row_loss = operator(
    "row_loss", "(Tensor x, Tensor x2, Tensor? x3, Tensor? target, str function, str reduction, float[] numbers) -> Tensor",
    _results, _launch, _setup, _gradient)


def _results_with_sums(new, x, *others):
    return _results(new, x, *others), new(x, (3 * math.prod(x.shape[:-1]),), torch.float32)


def _launch_with_sums(made, x, x2, x3, target, function, reduction, numbers):
    if x.numel():
        _forward_with_sums.launch((function, reduction, "same", True), x.dtype, _sizes(x.shape), x, x2, x3, target, *made, *numbers)
    else:
        _launch(made[0], x, x2, x3, target, function, reduction, numbers)


def _setup_with_sums(ctx, inputs, output):
    *tensors, ctx.function, ctx.reduction, ctx.numbers = inputs
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(*tensors, output[1])


row_loss_with_sums = operator(
    "row_loss_with_sums", "(Tensor x, Tensor x2, Tensor? x3, Tensor? target, str function, str reduction, float[] numbers) "
    "-> (Tensor, Tensor)", _results_with_sums, _launch_with_sums, _setup_with_sums, _gradient)


def _backward_results(new, dloss, x, x2, x3, *_):
    return new(x, x.shape), new(x, x.shape), new(x, None if x3 is None else x.shape)


def _backward_launch(made, dloss, x, x2, x3, target, sums, function, reduction, numbers):
    if x.numel():
        dx, dx2, dx3 = made
        kernels, flags = (_backward, ()) if sums is None else (_backward_with_sums, (True,))
        kernels.launch((function, reduction, "same", *flags), x.dtype, _sizes(x.shape), aligned(dloss), x, x2, x3,
                       target, sums, dx, dx2, None if x3 is None else dx3, *numbers)


row_loss_backward = operator(
    "row_loss_backward", "(Tensor dloss, Tensor x, Tensor x2, Tensor? x3, Tensor? target, Tensor? sums, str function, "
    "str reduction, float[] numbers) -> (Tensor, Tensor, Tensor)", _backward_results, _backward_launch,
    backward=no_gradient("the losses have no second derivative"))


def _check(name, reduction, unsupported, x, *others):
    if unsupported:
        refuse(name, x, unsupported)
    if reduction not in ("none", "mean", "sum"):
        raise BadInput(f"{name}: there is no reduction {reduction!r}; use 'none', 'mean' or 'sum'")
    if any(other.shape != x.shape for other in others):
        raise BadInput(f"{name}: the inputs have the shapes {', '.join(str(tuple(one.shape)) for one in (x, *others))}; the shapes "
                       "must be equal, nothing is broadcast")
    if not x.dim() or not x.shape[-1]:
        raise BadInput(f"{name}: the inputs have the shape {tuple(x.shape)}, but must have a last dim that is not empty")


def _loss(x, x2, x3, *others):
    if x.shape[-1] * x.element_size() > _LONG and wants_gradient(x, x2, x3):
        return row_loss_with_sums(x, x2, x3, *others)[0]
    return row_loss(x, x2, x3, *others)


def cosine_embedding_loss(input1, input2, target, margin=0.0, *, reduction="mean", **unsupported):
    """Like torch.nn.functional.cosine_embedding_loss, for inputs of the shape (N, D) and a target of the shape (N,), or for
    inputs of the shape (D,) and a target of the shape ().

    The target is 1 or -1, in the inputs' dtype; for any other number the loss is 0. As in torch, the target has no
    gradient.
    """
    _check("cosine_embedding_loss", reduction, unsupported, input1, input2)
    if input1.dim() > 2 or target.shape != input1.shape[:-1]:
        raise BadInput(f"cosine_embedding_loss: the target has the shape {tuple(target.shape)} and the inputs {tuple(input1.shape)}; "
                       "they must be (N,) and (N, D), or () and (D,)")
    if target.dtype != input1.dtype:
        raise BadInput(f"cosine_embedding_loss: the target is {target.dtype}; the kernel takes the inputs' dtype, {input1.dtype}. "
                       "Convert it with .to()")
    return _loss(input1, input2, None, target, "cosine_embedding", reduction, [float(margin)])


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, *, reduction="mean", **unsupported):
    """Like torch.nn.functional.triplet_margin_loss, with Euclidean distances along the last dim; p must be 2."""
    if p != 2:
        raise BadInput(f"triplet_margin_loss: p is {p}; the kernel computes the Euclidean distance, p=2")
    _check("triplet_margin_loss", reduction, unsupported, anchor, positive, negative)
    function = "triplet_margin_swap" if swap else "triplet_margin"
    return _loss(anchor, positive, negative, None, function, reduction, [float(margin), float(eps)])
