"""torch.ops.warptune.top_k: the largest or smallest elements along the last dim, and their indices."""
import math
from typing import NamedTuple

import torch

from ..errors import BadInput
from .arguments import aligned, refuse
from .operators import operator
from .ops import Kernels

_kernels = Kernels("top_k", "largest", "index")
_MOST = 512  # elements that the kernel finds in a row


def _results(new, x, k, largest):
    shape = (*x.shape[:-1], k) if x.dim() else ()
    return new(x, shape), new(x, shape, torch.int64)


def _launch(made, x, k, largest):
    if made[0].numel():
        cols = x.shape[-1] if x.dim() else 1
        # For int64, no configuration takes an alignment of less than 8 bytes.
        _kernels.launch((largest, "int64"), x.dtype, (math.prod(x.shape[:-1]), cols, k), aligned(x, 8), *made)


def _setup(ctx, inputs, output):
    ctx.shape = inputs[0].shape
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(output[1])


def _gradient(ctx, dy, _):
    indices, = ctx.saved_tensors
    return dy.new_zeros(ctx.shape).scatter(-1, indices, dy), None, None


top_k = operator("top_k", "(Tensor x, SymInt k, bool largest) -> (Tensor, Tensor)", _results, _launch, _setup, _gradient)


class TopK(NamedTuple):
    """What topk returns, with the names of torch."""
    values: torch.Tensor
    indices: torch.Tensor


def topk(input, k, dim=-1, largest=True, sorted=True, **unsupported):
    """Like torch.topk along the last dim, for k up to 512. Returns the named tuple (values, indices), with indices in
    int64. Both have the shape (..., k), and are always sorted.

    If elements are equal, the first of them are returned, in the order of their indices. NaN counts as the largest
    number. torch's own operators compute the gradient.
    """
    if unsupported:
        refuse("topk", input, unsupported)
    if dim not in (-1, max(input.dim(), 1) - 1):
        raise BadInput(f"topk: dim is {dim}; the kernel works on the last of {input.dim()} dims; transpose the input first")
    least, cols = (0, input.shape[-1]) if input.dim() else (1, 1)
    if not least <= k <= cols:
        raise BadInput(f"topk: k is {k}; it must be between {least} and {cols}, the length of a row")
    if k > _MOST:
        raise BadInput(f"topk: k is {k}; the kernel finds up to {_MOST} elements of a row. Sort the input instead")
    return TopK(*top_k(input, k, bool(largest)))
