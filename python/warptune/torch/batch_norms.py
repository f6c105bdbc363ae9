"""torch.ops.warptune.batch_norm: batch normalisation for training and inference. Optionally, it also adds a residual
and applies relu."""
import torch

from ..errors import BadInput
from .arguments import aligned
from .elementwise import elementwise_backward
from .images import check_channels, from_memory, image_sizes, in_memory, laid_out, layout_of, strides_of
from .operators import no_gradient, operator
from .ops import Kernels

_kernels = Kernels("batch_norm", "mode", "layout", "relu", "residual")
_backward = Kernels("batch_norm_backward", "after", "layout")


def _like(new, x):
    return new(x, x.shape, None, strides_of(x.shape, layout_of("batch_norm", x)))


def _launch(mode, y, x, residual, relu, *rest):
    layout = layout_of("batch_norm", x)
    if residual is not None and (residual.shape != x.shape or layout_of("batch_norm", residual) != layout):
        raise BadInput(f"batch_norm: the residual has the shape {tuple(residual.shape)} and the strides {tuple(residual.stride())}; "
                       "it must have the shape and the memory format of the input")
    parameters, numbers = rest[:4], rest[4:]
    _kernels.launch((mode, layout, relu, residual is not None), x.dtype, image_sizes(x), in_memory(x, layout),
                    in_memory(residual, layout), *parameters, in_memory(y, layout), *numbers)


# --- Training ---------------------------------------------------------------------------------------------------------

def _training_results(new, x, weight, bias, running_mean, running_var, residual, relu, momentum, eps):
    """Returns y, each channel's mean and 1 / standard deviation, and the new running statistics."""
    return (_like(new, x), *(new(x, x.shape[1:2], torch.float32) for _ in range(4)))


def _training_launch(made, x, weight, bias, running_mean, running_var, residual, relu, momentum, eps):
    y, mean, rstd, *running = made
    for ours, given in zip(running, (running_mean, running_var)):
        if given is None:
            ours.zero_()
        else:
            ours.copy_(given)
    _launch("training", y, x, residual, relu, weight, bias, *running, mean, rstd, eps, momentum)


def _setup(ctx, inputs, output):
    x, weight, bias, _, _, residual, relu, _, _ = inputs
    y, mean, rstd, *running = output
    ctx.after = "nothing" if not relu else "relu" if residual is None else "add_relu"
    ctx.has_residual, ctx.layout = residual is not None, layout_of("batch_norm", x)
    ctx.mark_non_differentiable(mean, rstd, *running)
    ctx.save_for_backward(x, y if ctx.after == "add_relu" else None, weight, bias if ctx.after == "relu" else None, mean, rstd)


def _gradient(ctx, dy, *_):
    dx, dresidual, dweight, dbias = batch_norm_backward(laid_out(dy, ctx.layout), *ctx.saved_tensors, ctx.after)
    if ctx.after == "nothing":
        dresidual = dy
    return dx, dweight, dbias, None, None, dresidual if ctx.has_residual else None, None, None, None


batch_norm_training = operator(
    "batch_norm_training", "(Tensor x, Tensor weight, Tensor bias, Tensor? running_mean, Tensor? running_var, Tensor? residual, "
    "bool relu, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor)", _training_results, _training_launch,
    _setup, _gradient)


def _backward_results(new, dy, x, y, weight, bias, mean, rstd, after):
    strides, channels = strides_of(x.shape, layout_of("batch_norm", x)), x.shape[1:2]
    return (new(x, x.shape, None, strides), new(x, x.shape if after == "add_relu" else None, None, strides),
            new(x, channels, torch.float32), new(x, channels, torch.float32))


def _backward_launch(made, dy, x, y, weight, bias, mean, rstd, after):
    dx, dresidual, dweight, dbias = made
    if not x.numel():  # training refuses such inputs, but inference does not
        dweight.zero_()
        dbias.zero_()
        return
    layout = layout_of("batch_norm", x)
    # The kernel of inference takes inputs that are less aligned than this kernel needs.
    inputs = (aligned(in_memory(part, layout)) for part in (dy, x, y))
    results = (in_memory(part, layout) for part in (dx, dresidual if after == "add_relu" else None))
    _backward.launch((after, layout), x.dtype, image_sizes(x), *inputs, weight, bias, mean, rstd, *results, dweight, dbias)


_once_only = no_gradient("batch_norm has no second derivative")
batch_norm_backward = operator(
    "batch_norm_backward", "(Tensor dy, Tensor x, Tensor? y, Tensor weight, Tensor? bias, Tensor mean, Tensor rstd, str after) -> "
    "(Tensor, Tensor, Tensor, Tensor)", _backward_results, _backward_launch, backward=_once_only)


# --- Inference --------------------------------------------------------------------------------------------------------

def _inference_launch(y, x, weight, bias, mean, variance, residual, relu, eps):
    if x.numel():
        _launch("inference", y, x, residual, relu, weight, bias, mean, variance, eps)


def _inference_setup(ctx, inputs, output):
    x, weight, _, mean, variance, _, relu, ctx.eps = inputs
    needs_x, needs_weight, needs_bias, *_ = ctx.needs_input_grad
    needs_sums = needs_weight or needs_bias
    reads_scale = needs_x or needs_sums
    ctx.layout = layout_of("batch_norm", x)
    ctx.save_for_backward(x if needs_sums else None, output if relu else None, weight if reads_scale else None,
                          mean if needs_sums else None, variance if reads_scale else None)


def _inference_gradient(ctx, dy):
    x, y, weight, mean, variance = ctx.saved_tensors
    needs_x, needs_weight, needs_bias, _, _, needs_residual, *_ = ctx.needs_input_grad
    g, dweight, dbias = laid_out(dy, ctx.layout), None, None  # g: the gradient of what relu was given
    has_one_value = x is not None and x.numel() == x.shape[1]  # of each channel; the kernel of the sums needs more
    rstd = None if x is None else (variance + ctx.eps).rsqrt()
    if x is not None and not has_one_value:
        # The same sums as in training. Its dx is not that of inference, where the statistics do not depend on x.
        _, cut, dweight, dbias = batch_norm_backward(g, x, y, weight, None, mean, rstd, "nothing" if y is None else "add_relu")
        g = g if y is None else cut
    elif y is not None:
        inside, _ = elementwise_backward(in_memory(g, ctx.layout), in_memory(y, ctx.layout), None, None, "relu", [])
        g = from_memory(inside, ctx.layout)
    if has_one_value:
        dbias = g.float().reshape(mean.shape)
        dweight = dbias * (x.float().reshape(mean.shape) - mean) * rstd
    dx = batch_norm_inference_backward(g, weight, variance, ctx.eps) if needs_x else None
    return (dx, dweight if needs_weight else None, dbias if needs_bias else None, None, None, g if needs_residual else None,
            None, None)


batch_norm_inference = operator(
    "batch_norm_inference", "(Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor variance, Tensor? residual, bool relu, "
    "float eps) -> Tensor", lambda new, x, *_: _like(new, x), _inference_launch, _inference_setup, _inference_gradient)


def _inference_backward_launch(dx, dy, weight, variance, eps):
    """dx is dy * weight / sqrt(variance + eps), which is inference with a mean and a bias of 0."""
    if dy.numel():
        layout, zeros = layout_of("batch_norm", dy), weight.new_zeros(weight.shape)
        _kernels.launch(("inference", layout, False, False), dy.dtype, image_sizes(dy), aligned(in_memory(dy, layout)), None, weight,
                        zeros, zeros, variance, in_memory(dx, layout), eps)


batch_norm_inference_backward = operator(
    "batch_norm_inference_backward", "(Tensor dy, Tensor weight, Tensor variance, float eps) -> Tensor",
    lambda new, dy, *_: _like(new, dy), _inference_backward_launch, backward=_once_only)


def batch_norm(input, running_mean=None, running_var=None, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5, *,
               residual=None, relu=False):
    """Like torch.nn.functional.batch_norm, for an input of (batch, channels, ...) that is contiguous or
    channels_last. With training=True, updates running_mean and running_var in place. running_mean, running_var,
    weight and bias are float32, whatever the input's dtype.

    residual: a tensor of the input's shape and dtype that is added to the result. relu: whether max(result, 0) is
    returned, after the residual was added. Both are done in the same launch as the normalisation.
    """
    check_channels("batch_norm", input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if (running_mean is None) != (running_var is None) or not training and running_mean is None:
        raise BadInput("batch_norm: give both running_mean and running_var, or neither (only with training=True)")
    for what, tensor in (("running_mean", running_mean), ("running_var", running_var)):
        if tensor is not None and tensor.dtype != torch.float32:
            raise BadInput(f"batch_norm: {what} is {tensor.dtype}; the kernel takes statistics in torch.float32")
    weight = input.new_ones(input.shape[1:2], dtype=torch.float32) if weight is None else weight
    bias = input.new_zeros(input.shape[1:2], dtype=torch.float32) if bias is None else bias
    if not training:
        return batch_norm_inference(input, weight, bias, running_mean, running_var, residual, bool(relu), eps)
    batch, channels, pixels = image_sizes(input)
    if batch * pixels < 2 or channels == 0:
        raise BadInput(f"batch_norm: the input has the shape {tuple(input.shape)}; training needs more than one value per channel")
    y, _, _, mean, variance = batch_norm_training(input, weight, bias, running_mean, running_var, residual, bool(relu), momentum,
                                                  eps)
    if running_mean is not None:
        running_mean.copy_(mean)
        running_var.copy_(variance)
    return y
