"""torch.ops.warptune.loss: the loss of each pair of elements of input and target, the mean or sum of these losses,
and the gradient of the input. signed_loss also stores two bits per element; its gradient reads these bits instead of
input and target. For all losses, input and target must have the same shape."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned, check_tensor, refuse
from .operators import no_gradient, operator, wants_gradient
from .ops import Kernels

_forward = Kernels("loss", "function", "reduction", "out")
_backward = Kernels("loss_backward", "function", "reduction", "out")
_signed_forward = Kernels("loss", "function", "reduction", "out", "signs")
_signed_backward = Kernels("loss_backward", "function", "reduction", "out", "signs")
_SIGNED = ("l1", "hinge_embedding")  # losses of signed_loss: gradients of -1, 0 and 1
_NAMES = {"kl_div": "kl_div", "kl_div_log": "kl_div", "bce_with_logits": "binary_cross_entropy_with_logits"}  # without _loss
_OF_A_DIFFERENCE = ("mse", "l1", "smooth_l1", "huber")  # the target's gradient is the input's, negated


def _name_of(function):
    """Returns the name of warptune.torch's function, for errors."""
    return _NAMES.get(function, function + "_loss")


def _sizes(shape):
    rows = shape[0] if shape else 1
    return rows, math.prod(shape[1:])


def _results(new, x, target, function, reduction, numbers):
    if target.shape != x.shape:
        raise BadInput(f"{_name_of(function)}: the target has the shape {tuple(target.shape)} and the input {tuple(x.shape)}; the shapes "
                       "must be equal, nothing is broadcast")
    return new(x, x.shape if reduction == "none" else ())


def _launch(y, x, target, function, reduction, numbers):
    if x.numel():
        _forward.launch((function, reduction, "same"), x.dtype, _sizes(x.shape), x, target, y, *numbers)
    elif reduction != "none":
        undefined = reduction == "mean" or reduction == "batchmean" and 0 in x.shape[:1]
        y.fill_(math.nan if undefined else 0.0)


def _setup(ctx, inputs, output):
    x, target, ctx.function, ctx.reduction, ctx.numbers = inputs
    ctx.save_for_backward(x, target)


def _gradients(ctx, backward, *args):
    of_target = ctx.needs_input_grad[1]
    if of_target and ctx.function not in _OF_A_DIFFERENCE:
        raise BadInput(f"{_name_of(ctx.function)}: the kernel computes the gradient of the input only; detach the target")
    dx = backward(*args, ctx.function, ctx.reduction, ctx.numbers)
    return dx, -dx if of_target else None, None, None, None


def _gradient(ctx, dloss):
    return _gradients(ctx, loss_backward, dloss.contiguous(), *ctx.saved_tensors)


loss = operator("loss", "(Tensor x, Tensor target, str function, str reduction, float[] numbers) -> Tensor", _results, _launch,
                _setup, _gradient)


def _backward_launch(dx, dloss, x, target, function, reduction, numbers):
    if x.numel():
        _backward.launch((function, reduction, "same"), x.dtype, _sizes(x.shape), aligned(dloss), x, target, dx, *numbers)


loss_backward = operator(
    "loss_backward", "(Tensor dloss, Tensor x, Tensor target, str function, str reduction, float[] numbers) -> Tensor",
    lambda new, dloss, x, *_: new(x, x.shape), _backward_launch, backward=no_gradient("the losses have no second derivative"))


# --- With signs -------------------------------------------------------------------------------------------------------

def _signed_results(new, x, target, function, reduction, numbers):
    return _results(new, x, target, function, reduction, numbers), new(x, ((x.numel() + 3) // 4,), torch.uint8)


def _signed_launch(made, x, target, function, reduction, numbers):
    if x.numel():
        _signed_forward.launch((function, reduction, "same", True), x.dtype, _sizes(x.shape), x, target, *made, *numbers)
    else:
        _launch(made[0], x, target, function, reduction, numbers)


def _signed_setup(ctx, inputs, output):
    x, _, ctx.function, ctx.reduction, ctx.numbers = inputs
    ctx.shape = x.shape
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(output[1])


def _signed_gradient(ctx, dloss, _):
    return _gradients(ctx, signed_loss_backward, dloss.contiguous(), *ctx.saved_tensors, ctx.shape)


signed_loss = operator("signed_loss", "(Tensor x, Tensor target, str function, str reduction, float[] numbers) -> (Tensor, Tensor)",
                       _signed_results, _signed_launch, _signed_setup, _signed_gradient)


def _signed_backward_launch(dx, dloss, signs, shape, function, reduction, numbers):
    if dx.numel():
        _signed_backward.launch((function, reduction, "same", True), dx.dtype, _sizes(shape), aligned(dloss), signs, dx,
                                *numbers)


signed_loss_backward = operator(
    "signed_loss_backward", "(Tensor dloss, Tensor signs, SymInt[] shape, str function, str reduction, float[] numbers) -> Tensor",
    lambda new, dloss, signs, shape, *_: new(dloss, shape), _signed_backward_launch,
    backward=no_gradient("the losses have no second derivative"))


# --- The names of torch.nn.functional ---------------------------------------------------------------------------------

def _loss(name, function, input, target, reduction, unsupported, *numbers, weights=(), reductions=("none", "mean", "sum")):
    if unsupported:
        refuse(name, input, unsupported)
    check_tensor(name, "target", target)
    if reduction not in reductions:
        raise BadInput(f"{name}: there is no reduction {reduction!r}; use one of {', '.join(map(repr, reductions))}")
    if any(weight is not None for weight in weights):
        raise BadInput(f"{name}: the kernel takes no weights; they must be None")
    args = input, target, function, reduction, [float(number) for number in numbers]
    return signed_loss(*args)[0] if function in _SIGNED and wants_gradient(input, target) else loss(*args)


def mse_loss(input, target, *, reduction="mean", weight=None, **unsupported):
    """Like torch.nn.functional.mse_loss (squares of differences), for tensors of the same shape. weight must be None."""
    return _loss("mse_loss", "mse", input, target, reduction, unsupported, weights=(weight,))


def l1_loss(input, target, *, reduction="mean", weight=None, **unsupported):
    """Like torch.nn.functional.l1_loss (absolute differences), for tensors of the same shape. weight must be None."""
    return _loss("l1_loss", "l1", input, target, reduction, unsupported, weights=(weight,))


def smooth_l1_loss(input, target, *, reduction="mean", beta=1.0, **unsupported):
    """Like torch.nn.functional.smooth_l1_loss: quadratic for differences below beta, linear above."""
    if not beta >= 0:
        raise BadInput(f"smooth_l1_loss: beta is {beta}, but must be at least 0")
    if beta == 0:  # as in torch; the kernel divides by beta
        return _loss("smooth_l1_loss", "l1", input, target, reduction, unsupported)
    if not 1e-37 <= beta <= 1e37:
        raise BadInput(f"smooth_l1_loss: beta is {beta}, but must be 0 or between 1e-37 and 1e37")
    return _loss("smooth_l1_loss", "smooth_l1", input, target, reduction, unsupported, beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None, **unsupported):
    """Like torch.nn.functional.huber_loss: quadratic for differences up to delta, linear above. weight must be None."""
    if not delta > 0:
        raise BadInput(f"huber_loss: delta is {delta}, but must be above 0")
    return _loss("huber_loss", "huber", input, target, reduction, unsupported, delta, weights=(weight,))


def kl_div(input, target, *, reduction="mean", log_target=False, **unsupported):
    """Like torch.nn.functional.kl_div; reduction may also be "batchmean". The target has no gradient."""
    return _loss("kl_div", "kl_div_log" if log_target else "kl_div", input, target, reduction, unsupported,
                 reductions=("none", "mean", "sum", "batchmean"))


def binary_cross_entropy_with_logits(input, target, weight=None, *, reduction="mean", pos_weight=None, **unsupported):
    """Like torch.nn.functional.binary_cross_entropy_with_logits. weight and pos_weight must be None. The target has no
    gradient."""
    return _loss("binary_cross_entropy_with_logits", "bce_with_logits", input, target, reduction, unsupported, weights=(weight, pos_weight))


def hinge_embedding_loss(input, target, margin=1.0, *, reduction="mean", **unsupported):
    """Like torch.nn.functional.hinge_embedding_loss, for targets of 1 and -1. The target has no gradient."""
    return _loss("hinge_embedding_loss", "hinge_embedding", input, target, reduction, unsupported, margin)
