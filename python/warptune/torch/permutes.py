"""torch.ops.warptune.permute: contiguous copies in another order of dims."""
import math

from ..errors import BadInput
from .arguments import aligned
from .operators import operator
from .ops import Kernels

_kernels = Kernels("permute")


def _sizes(shape, dims):
    """Returns (rows, cols, batch, run) for which the permutation copies x[batch][rows][cols][run] to
    y[batch][cols][rows][run]; None: the order does not change. Ignores dims of size 1."""
    wanted = [dim for dim in dims if shape[dim] != 1]
    given = sorted(wanted)
    moved = [i for i, (dim, own) in enumerate(zip(wanted, given)) if dim != own]
    if not moved:
        return None
    first, last = moved[0], moved[-1] + 1
    split = given.index(wanted[first])
    if wanted[first:last] != given[split:last] + given[first:split]:
        raise BadInput(f"permute: the order {tuple(dims)} of an input of {tuple(shape)} moves more than two groups of "
                       "neighbouring dims; permute twice")

    def count(group):
        return math.prod(shape[dim] for dim in group)

    return count(given[first:split]), count(given[split:last]), count(given[:first]), count(given[last:])


def _results(new, x, dims):
    return new(x, [x.shape[dim] for dim in dims])


def _launch(y, x, dims):
    if not x.numel():
        return
    sizes = _sizes(x.shape, dims)
    if sizes is None:
        y.copy_(x.reshape(y.shape))
    else:
        _kernels.launch((), x.dtype, sizes, aligned(x), y)


def _setup(ctx, inputs, output):
    _, ctx.dims = inputs


def _gradient(ctx, grad):
    inverse = sorted(range(len(ctx.dims)), key=ctx.dims.__getitem__)
    return _permute(grad.contiguous(), inverse), None


_permute = operator("permute", "(Tensor x, int[] dims) -> Tensor", _results, _launch, _setup, _gradient)


def permute(input, dims):
    """Returns a contiguous copy of torch.permute(input, dims). The permutation must exchange two adjacent groups of
    dims."""
    count = input.dim()
    if any(not -count <= dim < count for dim in dims) or len({dim % count for dim in dims}) != count:
        raise BadInput(f"permute: dims is {tuple(dims)}, but must name each of the input's {count} dims once")
    return _permute(input, [dim % count for dim in dims])


def transpose(input, dim0=-2, dim1=-1):
    """Returns a contiguous copy of torch.transpose(input, dim0, dim1). Only dims of size 1 may be between the two
    dims."""
    count = input.dim()
    if not -count <= dim0 < count or not -count <= dim1 < count:
        raise BadInput(f"transpose: the dims are {dim0} and {dim1}, but the input has {count} dims")
    order = list(range(count))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return _permute(input, order)
