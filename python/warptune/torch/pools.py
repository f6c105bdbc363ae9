"""Pooling with the names and arguments of torch.nn.functional. Inputs are (channels, ...) or (batch, channels, ...)
with one to three image dims, contiguous or channels_last."""
import math

from ..errors import BadInput
from .arguments import refuse
from .operators import wants_gradient
from .pooling import pool


def _each(name, what, value, count, least):
    """Returns an argument as a list with one value per image dim. Raises BadInput for values below `least`."""
    values = [value] * count if isinstance(value, int) else list(value)
    values = values * count if len(values) == 1 else values
    if len(values) != count or any(one < least for one in values):
        raise BadInput(f"{name}: {what} is {value}; it must be one integer of at least {least}, or {count} such integers")
    return values


def _pooled(name, count, op, input, kernel_size, stride, padding, ceil_mode):
    """Returns (the result, indices or None)."""
    if input.dim() not in (count + 1, count + 2):
        raise BadInput(f"{name}: the input has {input.dim()} dims, but must have {count + 2}, or {count + 1} without a batch")
    window = _each(name, "kernel_size", kernel_size, count, 1)
    strides = window if stride is None else _each(name, "stride", stride, count, 1)
    pads = _each(name, "padding", padding, count, 0)
    if any(2 * pad > size for pad, size in zip(pads, window)):
        raise BadInput(f"{name}: padding is {padding}, but must be at most half of the window, {kernel_size}")
    if input.dim() == count + 2:
        return pool(input, window, strides, pads, bool(ceil_mode), op)
    y, indices = pool(input.unsqueeze(0), window, strides, pads, bool(ceil_mode), op)
    return y.squeeze(0), indices.squeeze(0) if op == "max_index" else None


def _max(name, count, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    if any(one != 1 for one in _each(name, "dilation", dilation, count, 1)):
        raise BadInput(f"{name}: dilation is {dilation}, but must be 1: the kernel takes windows without gaps")
    op = "max_index" if return_indices else "max"
    if op == "max" and wants_gradient(input):  # the gradient needs the places of the maxima; one byte holds a place
        op = "max_place" if math.prod(_each(name, "kernel_size", kernel_size, count, 1)) <= 256 else "max_index"
    y, indices = _pooled(name, count, op, input, kernel_size, stride, padding, ceil_mode)
    return (y, indices) if return_indices else y


def _average(name, count, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override=None):
    if divisor_override is not None:
        raise BadInput(f"{name}: divisor_override is {divisor_override}, but must be None: the kernel divides by the number of elements")
    op = "average" if count_include_pad else "average_inside"
    return _pooled(name, count, op, input, kernel_size, stride, padding, ceil_mode)[0]


def _equal_windows(name, count, input, output_size):
    sizes = tuple(input.shape[-count:])
    wanted = [output_size] * count if output_size is None or isinstance(output_size, int) else list(output_size)
    wanted = [size if one is None else one for one, size in zip(wanted, sizes)] if len(wanted) == count else []
    if len(sizes) != count or not wanted or any(one < 1 or size % one for one, size in zip(wanted, sizes)):
        raise BadInput(f"{name}: output_size is {output_size} and the image {sizes}; all windows must have the same size, so each output size must divide that of the image")
    return [size // one for one, size in zip(wanted, sizes)]


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Like torch.nn.functional.max_pool1d; dilation must be 1."""
    return _max("max_pool1d", 1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Like torch.nn.functional.max_pool2d; dilation must be 1."""
    return _max("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Like torch.nn.functional.max_pool3d; dilation must be 1."""
    return _max("max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """Like torch.nn.functional.avg_pool1d."""
    return _average("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None,
               **unsupported):
    """Like torch.nn.functional.avg_pool2d; divisor_override must be None."""
    refuse("avg_pool2d", input, unsupported)
    return _average("avg_pool2d", 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None,
               **unsupported):
    """Like torch.nn.functional.avg_pool3d; divisor_override must be None."""
    refuse("avg_pool3d", input, unsupported)
    return _average("avg_pool3d", 3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def adaptive_avg_pool1d(input, output_size):
    """Like torch.nn.functional.adaptive_avg_pool1d; the input's size must be a multiple of output_size."""
    return _average("adaptive_avg_pool1d", 1, input, _equal_windows("adaptive_avg_pool1d", 1, input, output_size), None, 0, False, True)


def adaptive_avg_pool2d(input, output_size):
    """Like torch.nn.functional.adaptive_avg_pool2d; the input's sizes must be multiples of the output's."""
    return _average("adaptive_avg_pool2d", 2, input, _equal_windows("adaptive_avg_pool2d", 2, input, output_size), None, 0, False, True)


def adaptive_avg_pool3d(input, output_size):
    """Like torch.nn.functional.adaptive_avg_pool3d; the input's sizes must be multiples of the output's."""
    return _average("adaptive_avg_pool3d", 3, input, _equal_windows("adaptive_avg_pool3d", 3, input, output_size), None, 0, False, True)


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """Like torch.nn.functional.adaptive_max_pool1d; the input's size must be a multiple of output_size."""
    window = _equal_windows("adaptive_max_pool1d", 1, input, output_size)
    return _max("adaptive_max_pool1d", 1, input, window, None, 0, 1, False, return_indices)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Like torch.nn.functional.adaptive_max_pool2d; the input's sizes must be multiples of the output's."""
    window = _equal_windows("adaptive_max_pool2d", 2, input, output_size)
    return _max("adaptive_max_pool2d", 2, input, window, None, 0, 1, False, return_indices)


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """Like torch.nn.functional.adaptive_max_pool3d; the input's sizes must be multiples of the output's."""
    window = _equal_windows("adaptive_max_pool3d", 3, input, output_size)
    return _max("adaptive_max_pool3d", 3, input, window, None, 0, 1, False, return_indices)
