"""torch.ops.warptune.row_loss: losses that compare the rows of two or three matrices, and the gradients of the
matrices."""
import math

from ..errors import BadInput
from .operators import no_gradient, operator
from .ops import Kernels

_forward = Kernels("row_loss", "function", "reduction", "out")
_backward = Kernels("row_loss_backward", "function", "reduction", "out")


def _sizes(shape):
    return math.prod(shape[:-1]), shape[-1]


def _launch(y, x, x2, x3, target, function, reduction, numbers):
    if x.numel():
        _forward.launch((function, reduction, "same"), x.dtype, _sizes(x.shape), x, x2, x3, target, y, *numbers)
    elif reduction != "none":
        y.fill_(math.nan if reduction == "mean" else 0.0)


def _setup(ctx, inputs, output):
    *tensors, ctx.function, ctx.reduction, ctx.numbers = inputs
    ctx.save_for_backward(*tensors)


def _gradient(ctx, dloss):
    saved = ctx.saved_tensors
    dx, dx2, dx3 = row_loss_backward(dloss.contiguous(), *saved, ctx.function, ctx.reduction, ctx.numbers)
    return dx, dx2, None if saved[2] is None else dx3, None, None, None, None  # the target has none, as in torch


row_loss = operator(
    "row_loss", "(Tensor x, Tensor x2, Tensor? x3, Tensor? target, str function, str reduction, float[] numbers) -> Tensor",
    lambda new, x, x2, x3, target, function, reduction, numbers: new(x, x.shape[:-1] if reduction == "none" else ()), _launch,
    _setup, _gradient)


def _backward_results(new, dloss, x, x2, x3, *_):
    return new(x, x.shape), new(x, x.shape), new(x, None if x3 is None else x.shape)


def _backward_launch(made, dloss, x, x2, x3, target, function, reduction, numbers):
    if x.numel():
        dx, dx2, dx3 = made
        _backward.launch((function, reduction, "same"), x.dtype, _sizes(x.shape), dloss, x, x2, x3, target, dx, dx2,
                         None if x3 is None else dx3, *numbers)


row_loss_backward = operator(
    "row_loss_backward", "(Tensor dloss, Tensor x, Tensor x2, Tensor? x3, Tensor? target, str function, str reduction, "
    "float[] numbers) -> (Tensor, Tensor, Tensor)", _backward_results, _backward_launch,
    backward=no_gradient("the losses have no second derivative"))


def _check(name, reduction, x, *others):
    if reduction not in ("none", "mean", "sum"):
        raise BadInput(f"{name}: there is no reduction {reduction!r}; use 'none', 'mean' or 'sum'")
    if any(other.shape != x.shape for other in others):
        raise BadInput(f"{name}: the inputs have the shapes {', '.join(str(tuple(one.shape)) for one in (x, *others))}; the shapes "
                       "must be equal, nothing is broadcast")
    if not x.dim() or not x.shape[-1]:
        raise BadInput(f"{name}: the inputs have the shape {tuple(x.shape)}; the last dim must have the elements of a sample")


def cosine_embedding_loss(input1, input2, target, margin=0.0, *, reduction="mean"):
    """Like torch.nn.functional.cosine_embedding_loss, for inputs of (N, D) and a target of (N,), or for inputs of
    (D,) and a target of ().

    The target is 1 or -1, in the inputs' dtype; for any other number the loss is 0. As in torch, the target has no
    gradient.
    """
    _check("cosine_embedding_loss", reduction, input1, input2)
    if input1.dim() > 2 or target.shape != input1.shape[:-1]:
        raise BadInput(f"cosine_embedding_loss: the target has the shape {tuple(target.shape)} and the inputs {tuple(input1.shape)}; "
                       "they must be (N,) and (N, D), or () and (D,)")
    if target.dtype != input1.dtype:
        raise BadInput(f"cosine_embedding_loss: the target is {target.dtype}; the kernel takes the inputs' dtype, {input1.dtype}. "
                       "Convert it with .to()")
    return row_loss(input1, input2, None, target, "cosine_embedding", reduction, [float(margin)])


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, *, reduction="mean"):
    """Like torch.nn.functional.triplet_margin_loss, with Euclidean distances along the last dim; p must be 2."""
    if p != 2:
        raise BadInput(f"triplet_margin_loss: p is {p}; the kernel computes the Euclidean distance, p=2")
    _check("triplet_margin_loss", reduction, anchor, positive, negative)
    function = "triplet_margin_swap" if swap else "triplet_margin"
    return row_loss(anchor, positive, negative, None, function, reduction, [float(margin), float(eps)])
