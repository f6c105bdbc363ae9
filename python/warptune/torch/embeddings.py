"""torch.ops.warptune.embedding: copies rows of a table by index. The gradient of the table is computed from sorted
indices. The kernel of the gradient itself sorts few indices, and up to two million indices of narrow rows; torch sorts
the others."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned
from .operators import no_gradient, operator
from .ops import Kernels

_forward = Kernels("embedding", "index")
_backward = Kernels("embedding_backward", "index", "padding", "sorted")
INDICES = {torch.int64: "int64", torch.int32: "int32"}


def _results(new, ids, weight, padding_idx):
    return new(weight, (*ids.shape, weight.shape[1]))


def _launch(y, ids, weight, padding_idx):
    if y.numel():
        rows, cols = weight.shape
        _forward.launch((INDICES[ids.dtype],), weight.dtype, (ids.numel(), rows, cols, 1), weight, ids, y)


def _setup(ctx, inputs, output):
    ids, weight, ctx.padding_idx = inputs
    ctx.rows = weight.shape[0]
    ctx.save_for_backward(ids)


def sort_indices(ids, rows):
    """Sorts indices (row numbers of a table with `rows` rows) for embedding_backward. `ids` must be contiguous. Returns
    the sorted indices, and the place in `ids` that each had. Both are one-dimensional. Equal indices keep their order,
    so repeated calls of embedding_backward give bit-identical gradients. An index outside the table may be replaced by
    another index outside the table.

    torch.sort takes one pass for each byte of an index, so it is given indices of the narrowest integer type that can
    hold all row numbers.
    """
    ids = ids.view(-1)
    narrow = next(dtype for dtype in (torch.int16, torch.int32, torch.int64) if rows <= torch.iinfo(dtype).max)
    if torch.iinfo(narrow).bits >= torch.iinfo(ids.dtype).bits:
        return ids.sort(stable=True)
    sorted_ids, order = ids.clamp(-1, rows).to(narrow).sort(stable=True)
    return sorted_ids.to(ids.dtype), order


def _gradient(ctx, dy):
    ids, = ctx.saved_tensors
    return None, embedding_backward(dy.contiguous(), ids.view(-1), ctx.rows, ctx.padding_idx), None


# A padding_idx of -1 means none.
embedding_op = operator("embedding", "(Tensor ids, Tensor weight, SymInt padding_idx) -> Tensor", _results, _launch, _setup,
                        _gradient)


def _sorts_by_buckets(dy, tokens, rows):
    """Whether the implementation `segments` of the kernel can sort the indices: the limits `is_bucketed` of its spec."""
    row_bytes = dy.shape[-1] * dy.element_size()
    return (row_bytes // math.gcd(row_bytes, 16) <= 32 and max(tokens, rows) <= 1 << 21 and
            torch.cuda.get_device_capability(dy.device) >= (9, 0))


def _sort(dy, ids, rows):
    """Returns (None, None, indices) if the kernel is to sort the indices, otherwise (sorted indices, their order, None).
    In one of its two sorts, each of up to max(128, rows / 1024) blocks reads all indices. For many indices, this takes
    longer than torch's sort. The other sort is fast for many indices, but needs narrow rows."""
    if ids.numel() * max(128, rows // 1024) <= 1 << 25 or _sorts_by_buckets(dy, ids.numel(), rows):
        return None, None, ids
    return (*sort_indices(ids, rows), None)


def launch_sums(dweight, dy, ids, rows, padding_idx):
    """Writes to each of the `rows` rows of dweight the sum of the rows of dy with its index."""
    if not dy.numel():
        dweight.zero_()
    else:
        padded, tokens = padding_idx >= 0, _sort(dy, ids, rows)
        _backward.launch((INDICES[ids.dtype], padded, tokens[0] is not None), dy.dtype, (ids.numel(), rows, dy.shape[-1]),
                         aligned(dy), *tokens, dweight, padding_idx if padded else None)


embedding_backward = operator(
    "embedding_backward", "(Tensor dy, Tensor ids, SymInt rows, SymInt padding_idx) -> Tensor",
    lambda new, dy, ids, rows, padding_idx: new(dy, (rows, dy.shape[-1])), launch_sums,
    backward=no_gradient("embedding has no second derivative"))


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """Like torch.nn.functional.embedding. weight has the shape (rows, dim), and input has indices of any shape in int64 or
    int32. Returns a tensor of the shape input.shape + (dim,). An index outside the table gives NaN.

    padding_idx: the row of the table whose gradient is 0. max_norm, scale_grad_by_freq and sparse gradients are not
    supported.
    """
    if max_norm is not None or scale_grad_by_freq or sparse:
        raise BadInput("embedding: the kernel has no max_norm, scale_grad_by_freq or sparse gradients; leave them out")
    if input.dtype not in INDICES:
        raise BadInput(f"embedding: the input is {input.dtype}; the kernel takes indices in torch.int64 or torch.int32")
    if weight.dim() != 2 or not weight.numel():
        raise BadInput(f"embedding: the weight has the shape {tuple(weight.shape)}, but must be a matrix that is not empty")
    rows = weight.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise BadInput(f"embedding: padding_idx is {padding_idx}, but the weight has {rows} rows")
    return embedding_op(input, weight, -1 if padding_idx is None else padding_idx % rows)
