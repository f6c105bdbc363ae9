"""torch.ops.warptune.pool: maxima and averages over windows of images of one to three dimensions, and their
gradients."""
import torch

from ..errors import BadInput
from .arguments import aligned
from .images import in_memory, laid_out, layout_of, strides_of
from .operators import no_gradient, operator
from .ops import Kernels

_forward = Kernels("pool", "op", "layout", "ceil")
_backward = Kernels("pool_backward", "op", "layout", "ceil")
_INDICES = {"max_index": torch.int64, "max_place": torch.uint8}


def _dims(shape, window, stride, padding):
    """Returns the kernel's dims. The kernel always has three image dims; those that the image lacks have size 1."""
    batch, channels, *sizes = shape
    ahead = 3 - len(sizes)
    (depth, height, width), (window_d, window_h, window_w), (stride_d, stride_h, stride_w) = (
        [1] * ahead + list(of_each) for of_each in (sizes, window, stride))
    pad_d, pad_h, pad_w = [0] * ahead + list(padding)
    return (batch, channels, height, width, window_h, window_w, stride_h, stride_w, pad_h, pad_w, depth, window_d, stride_d,
            pad_d)


def _windows(size, window, stride, pad, ceil):
    """Returns the number of windows along a dim."""
    reach = size + 2 * pad - window + (stride - 1 if ceil else 0)
    if reach < 0:
        raise BadInput(f"pool: a window of {window} is larger than the padded image, {size} + 2 * {pad}")
    steps = reach // stride
    return steps if ceil and steps * stride >= size + pad else steps + 1  # no window begins behind the image


def _results(new, x, window, stride, padding, ceil, op):
    layout = layout_of("pool", x)
    shape = (*x.shape[:2], *(_windows(*of_dim, ceil) for of_dim in zip(x.shape[2:], window, stride, padding)))
    strides = strides_of(shape, layout)
    return new(x, shape, None, strides), new(x, shape if op in _INDICES else None, _INDICES.get(op, torch.int64), strides)


def _launch(made, x, window, stride, padding, ceil, op):
    y, indices = made
    if y.numel():
        layout = layout_of("pool", x)
        x_inside, with_indices = in_memory(x, layout), op in _INDICES
        # With indices, no configuration takes an alignment of less than 16 bytes.
        _forward.launch((op, layout, ceil), x.dtype, _dims(x.shape, window, stride, padding),
                        aligned(x_inside) if with_indices else x_inside, in_memory(y, layout),
                        in_memory(indices, layout) if with_indices else None)


def _setup(ctx, inputs, output):
    x, *ctx.geometry, ctx.op = inputs
    if ctx.op == "max":
        raise BadInput("torch.ops.warptune.pool has no gradient for the op 'max'; use 'max_index' or 'max_place'")
    ctx.shape, ctx.layout = x.shape, layout_of("pool", x)
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(output[1] if ctx.op in _INDICES else None)


def _gradient(ctx, dy, _):
    dx = pool_backward(laid_out(dy, ctx.layout), *ctx.saved_tensors, ctx.shape, *ctx.geometry, ctx.op, ctx.layout)
    return dx, None, None, None, None, None


pool = operator("pool", "(Tensor x, int[] window, int[] stride, int[] padding, bool ceil, str op) -> (Tensor, Tensor)", _results,
                _launch, _setup, _gradient)


def _backward_results(new, dy, indices, shape, window, stride, padding, ceil, op, layout):
    return new(dy, shape, None, strides_of(shape, layout))


def _backward_launch(dx, dy, indices, shape, window, stride, padding, ceil, op, layout):
    if dx.numel():
        _backward.launch((op, layout, ceil), dy.dtype, _dims(shape, window, stride, padding),
                         aligned(in_memory(dy, layout)), in_memory(indices, layout), in_memory(dx, layout))


pool_backward = operator(
    "pool_backward", "(Tensor dy, Tensor? indices, SymInt[] shape, int[] window, int[] stride, int[] padding, bool ceil, str op, "
    "str layout) -> Tensor", _backward_results, _backward_launch, backward=no_gradient("pooling has no second derivative"))
