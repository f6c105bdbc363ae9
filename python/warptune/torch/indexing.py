"""Whole rows by index, with torch's names. torch.ops.warptune.index_select copies rows, and torch.ops.warptune.index_sum
adds rows with equal indices. Each computes the gradient of the other. The kernels are embedding and embedding_backward."""
import math

from ..errors import BadInput
from . import embeddings
from .activations import add
from .arguments import aligned, refuse
from .operators import operator
from .ops import Kernels
from .permutes import permute

_kernels = Kernels("embedding", "index")


def _sizes(shape, dim):
    """Returns (batch, rows, cols): the products of the sizes before, in and after the dim."""
    return math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1:])


def _with(shape, dim, size):
    return (*shape[:dim], size, *shape[dim + 1:])


# --- Copies of rows ---------------------------------------------------------------------------------------------------

def _select_results(new, x, index, dim):
    return new(x, _with(x.shape, dim, index.shape[0]))


def _select_launch(y, x, index, dim):
    if not y.numel():
        return
    batch, rows, cols = _sizes(x.shape, dim)
    if rows:
        _kernels.launch((embeddings.INDICES[index.dtype],), x.dtype, (index.shape[0], rows, cols, batch),
                        aligned(x, 8), index, y)
    else:
        y.fill_(math.nan)  # each index is outside of no rows


def _select_setup(ctx, inputs, output):
    x, index, ctx.dim = inputs
    ctx.rows = x.shape[ctx.dim]
    ctx.save_for_backward(index)


def _select_gradient(ctx, dy):
    index, = ctx.saved_tensors
    return _sums(dy.contiguous(), ctx.dim, index, ctx.rows), None, None


_select = operator("index_select", "(Tensor x, Tensor index, int dim) -> Tensor", _select_results, _select_launch, _select_setup,
                   _select_gradient)


# --- Sums of rows -----------------------------------------------------------------------------------------------------

def _sum_results(new, source, index, rows):
    return new(source, (rows, source.shape[1]))


def _sum_launch(y, source, index, rows):
    if y.numel():
        embeddings.launch_sums(y, source, index, rows, -1)


def _sum_setup(ctx, inputs, output):
    _, index, _ = inputs
    ctx.save_for_backward(index)


def _sum_gradient(ctx, dy):
    index, = ctx.saved_tensors
    return _select(dy.contiguous(), index, 0), None, None


_sum = operator("index_sum", "(Tensor source, Tensor index, SymInt rows) -> Tensor", _sum_results, _sum_launch, _sum_setup, _sum_gradient)


def _sums(source, dim, index, rows):
    """Returns a tensor with `rows` rows along the dim. Each is the sum of the rows of the source with its index."""
    batch, tokens, cols = _sizes(source.shape, dim)
    if batch == 1:
        return _sum(source.view(tokens, cols), index, rows).view(*_with(source.shape, dim, rows))
    wide = permute(source.view(batch, tokens, cols), (1, 0, 2)).view(tokens, batch * cols)
    return permute(_sum(wide, index, rows).view(rows, batch, cols), (1, 0, 2)).view(*_with(source.shape, dim, rows))


# --- torch's functions ------------------------------------------------------------------------------------------------

def _dim_of(function, input, dim, index):
    """Returns the dim counted from the front. Raises BadInput for a dim that does not exist, and for indices that are not
    integers."""
    if not -input.dim() <= dim < input.dim():
        raise BadInput(f"{function}: dim is {dim}, but the input has {input.dim()} dims")
    if index.dtype not in embeddings.INDICES:
        raise BadInput(f"{function}: the index is {index.dtype}; the kernel takes indices in torch.int64 or torch.int32")
    return dim % input.dim()


def _vector(function, index):
    if index.dim() > 1:
        raise BadInput(f"{function}: the index has the shape {tuple(index.shape)}, but must have one dim; for an index with the dims of "
                       "the input, use gather or scatter_add")
    return index if index.dim() else index.view(1)


def index_select(input, dim, index, **unsupported):
    """Like torch.index_select. An index that is negative or too large gives a row of NaN, and adds nothing to the gradient."""
    refuse("index_select", input, unsupported)
    if not input.dim():  # as in torch, the result of one index has no dims either
        if index.numel() != 1:
            raise BadInput(f"index_select: the index has the shape {tuple(index.shape)}, but must have one element, because the input has "
                           "no dims")
        return index_select(input.view(1), dim, index).reshape(())
    dim = _dim_of("index_select", input, dim, index)
    return _select(input, _vector("index_select", index), dim)


def _added(function, input, dim, index, source, alpha):
    """Returns the input with alpha times the rows of the source added; dim and index were checked."""
    expected = _with(input.shape, dim, index.shape[0])
    if tuple(source.shape) != tuple(expected):
        raise BadInput(f"{function}: the source has the shape {tuple(source.shape)}, but must have the shape {tuple(expected)}: that of "
                       "the input, with a row for each index; nothing is broadcast")
    if source.dtype != input.dtype:
        raise BadInput(f"{function}: the source is {source.dtype}, but must have the dtype of the input, {input.dtype}")
    if not source.is_contiguous():
        raise BadInput(f"{function}: the source has the strides {tuple(source.stride())}, but must be contiguous; copy it with .contiguous()")
    return add(input, _sums(source, dim, index, input.shape[dim]), alpha=alpha)


def index_add(input, dim, index, source, *, alpha=1, **unsupported):
    """Like torch.index_add: a copy of the input, to whose rows alpha times the rows of the source are added. The rows of the
    source with equal indices are added first, in fp32, and their sum is rounded to the dtype. Rows of the source whose index
    is negative or too large are not added. The result has the same bits in every run."""
    refuse("index_add", input, unsupported)
    dim, index = _dim_of("index_add", input, dim, index), _vector("index_add", index)
    return _added("index_add", input, dim, index, source, alpha)


def _of_whole_rows(function, input, dim, index):
    """Returns the indices of a gather or scatter_add of whole rows, with one dim: the index must be expanded over all
    dims but `dim`."""
    others = [other for other in range(index.dim()) if other != dim]
    if index.dim() != input.dim() or any(index.shape[other] != input.shape[other] for other in others):
        raise BadInput(f"{function}: the index has the shape {tuple(index.shape)} and the input {tuple(input.shape)}; the kernel works "
                       f"on whole rows, so all sizes but that of dim {dim} must be equal")
    if any(index.shape[other] != 1 and index.stride()[other] != 0 for other in others):
        raise BadInput(f"{function}: the index has the strides {tuple(index.stride())}, so it may differ within a row; the kernel works "
                       f"on whole rows: expand an index of one element for each row, or use torch.{function}")
    if 0 in (index.shape[other] for other in others):
        return index.new_zeros((index.shape[dim],))
    for other in reversed(others):
        index = index.select(other, 0)
    return index


def gather(input, dim, index, *, sparse_grad=False, **unsupported):
    """Like torch.gather for whole rows: the index is expanded, as in index[:, None].expand(-1, cols), so that all elements
    of a row have the same index. An index that is negative or too large gives a row of NaN."""
    refuse("gather", input, unsupported)
    if sparse_grad:
        raise BadInput("gather: there are no sparse gradients; leave sparse_grad out")
    dim = _dim_of("gather", input, dim, index)
    return index_select(input, dim, _of_whole_rows("gather", input, dim, index))


def scatter_add(input, dim, index, src, **unsupported):
    """Like torch.scatter_add for whole rows: the index is expanded, as for gather. Adds as index_add does."""
    refuse("scatter_add", input, unsupported)
    dim = _dim_of("scatter_add", input, dim, index)
    if src.shape != index.shape:
        raise BadInput(f"scatter_add: src has the shape {tuple(src.shape)}, but must have the shape of the index, {tuple(index.shape)}")
    return _added("scatter_add", input, dim, _of_whole_rows("scatter_add", input, dim, index), src, 1)
