"""torch.ops.warptune.group_norm: normalises groups of channels of each image. With one channel per group it is
instance_norm."""
import torch

from ..errors import BadInput
from .arguments import aligned
from .images import check_channels, image_sizes, in_memory, laid_out, layout_of, strides_of
from .operators import no_gradient, operator
from .ops import Kernels

_forward = Kernels("group_norm", "layout")
_backward = Kernels("group_norm_backward", "layout")


def _results(new, x, weight, bias, groups, eps):
    statistics = x.shape[0], groups
    return (new(x, x.shape, None, strides_of(x.shape, layout_of("group_norm", x))), new(x, statistics, torch.float32),
            new(x, statistics, torch.float32))


def _launch(made, x, weight, bias, groups, eps):
    y, mean, rstd = made
    if x.numel():
        layout = layout_of("group_norm", x)
        _forward.launch((layout,), x.dtype, (*image_sizes(x), groups), in_memory(x, layout), weight, bias, in_memory(y, layout),
                        mean, rstd, eps)


def _setup(ctx, inputs, output):
    x, weight, _, ctx.groups, _ = inputs
    _, mean, rstd = output
    ctx.layout = layout_of("group_norm", x)
    ctx.mark_non_differentiable(mean, rstd)
    ctx.save_for_backward(x, weight, mean, rstd)


def _gradient(ctx, dy, *_):
    return *group_norm_backward(laid_out(dy, ctx.layout), *ctx.saved_tensors, ctx.groups), None, None


group_norm_op = operator("group_norm", "(Tensor x, Tensor weight, Tensor bias, int groups, float eps) -> (Tensor, Tensor, Tensor)",
                         _results, _launch, _setup, _gradient)


def _backward_results(new, dy, x, weight, mean, rstd, groups):
    return (new(x, x.shape, None, strides_of(x.shape, layout_of("group_norm", x))), new(x, weight.shape), new(x, weight.shape))


def _backward_launch(made, dy, x, weight, mean, rstd, groups):
    dx, dweight, dbias = made
    if not x.numel():
        dweight.zero_()
        dbias.zero_()
        return
    layout = layout_of("group_norm", x)
    # The kernel of the forward pass takes inputs that are less aligned than this kernel needs.
    _backward.launch((layout,), x.dtype, (*image_sizes(x), groups), aligned(in_memory(dy, layout)), aligned(in_memory(x, layout)),
                     weight, mean, rstd, in_memory(dx, layout), dweight, dbias)


group_norm_backward = operator(
    "group_norm_backward", "(Tensor dy, Tensor x, Tensor weight, Tensor mean, Tensor rstd, int groups) -> (Tensor, Tensor, Tensor)",
    _backward_results, _backward_launch, backward=no_gradient("group_norm and instance_norm have no second derivative"))


def _normalised(name, input, groups, weight, bias, eps):
    check_channels(name, input, weight=weight, bias=bias)
    channels = input.shape[1]
    if groups < 1 or channels % groups or channels == 0:
        raise BadInput(f"{name}: num_groups is {groups}; it must divide the input's {channels} channels")
    weight = input.new_ones(input.shape[1:2]) if weight is None else weight
    bias = input.new_zeros(input.shape[1:2]) if bias is None else bias
    return group_norm_op(input, weight, bias, groups, eps)[0]


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Like torch.nn.functional.group_norm, for an input of (batch, channels, ...) that is contiguous or
    channels_last."""
    return _normalised("group_norm", input, num_groups, weight, bias, eps)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5):
    """Like torch.nn.functional.instance_norm, for an input of (batch, channels, ...). Always uses the statistics of
    the input."""
    if running_mean is not None or running_var is not None or not use_input_stats:
        raise BadInput("instance_norm: the kernel normalises with the statistics of the input; running_mean and running_var must be "
                       "None, and use_input_stats True")
    check_channels("instance_norm", input)
    return _normalised("instance_norm", input, input.shape[1], weight, bias, eps)
