"""Images in torch's memory formats: finds which of the kernels' layouts a tensor has, and makes tensors and views
in a layout."""
import math

from ..errors import BadInput
from .ops import row_major


def _channels_inside(x):
    return x.permute(0, *range(2, x.dim()), 1)


def layout_of(name, x):
    """Returns "nchw" for a contiguous tensor, and "nhwc" if the channels are innermost (channels_last, or a
    matrix)."""
    if x.dim() > 2 and x.is_contiguous():
        return "nchw"
    if x.dim() > 1 and _channels_inside(x).is_contiguous():
        return "nhwc"
    raise BadInput(f"{name}: the input has the shape {tuple(x.shape)} and the strides {tuple(x.stride())}; it must be (batch, "
                   "channels, ...), contiguous or in the memory format channels_last")


def in_memory(x, layout):
    """Returns x, which has this layout, as the contiguous view that kernels read; None if x is None."""
    return x if layout == "nchw" or x is None else _channels_inside(x)


def from_memory(x, layout):
    """Returns the image of which in_memory returns x."""
    return x if layout == "nchw" else x.permute(0, x.dim() - 1, *range(1, x.dim() - 1))


def laid_out(x, layout):
    """Returns x if it has this layout, otherwise a copy of x in this layout."""
    return from_memory(in_memory(x, layout).contiguous(), layout)


def strides_of(shape, layout):
    if layout == "nchw":
        return row_major(shape)
    batch, *pixels, channels = row_major((shape[0], *shape[2:], shape[1]))
    return (batch, channels, *pixels)


def image_sizes(x):
    """Returns (batch, channels, pixels of a channel)."""
    return x.shape[0], x.shape[1], math.prod(x.shape[2:])


def check_channels(name, x, **tensors):
    """Raises BadInput unless each of the tensors has one element per channel."""
    if x.dim() < 2:
        raise BadInput(f"{name}: the input has {x.dim()} dims, but must be (batch, channels, ...)")
    for what, tensor in tensors.items():
        if tensor is not None and tuple(tensor.shape) != (x.shape[1],):
            raise BadInput(f"{name}: the {what} has the shape {tuple(tensor.shape)} but must have ({x.shape[1]},)")
