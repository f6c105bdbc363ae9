"""Arguments of torch's functions that warptune's functions do not support (docs/python.md lists them), dims, and
addresses."""
import math

import torch

from ..errors import BadInput

# Arguments that may be given with torch's default, because the result is then the same.
_DEFAULTS = {"out": None, "inplace": False, "size_average": None, "reduce": None, "_stacklevel": 3}


def refuse(function, x, given):
    """Raises BadInput for keyword arguments that the function does not support. A dtype may be given if it is that of x."""
    for name, value in given.items():
        if name in _DEFAULTS and value is _DEFAULTS[name]:
            continue
        if name != "dtype":
            raise BadInput(f"{function}: the argument {name!r} is not supported; docs/python.md lists the arguments")
        if value is not None and value != x.dtype:
            raise BadInput(f"{function}: dtype is {value}, but the result always has the dtype of the input, {x.dtype}")


def check_tensor(function, what, value):
    """Raises BadInput for an operand that is a number."""
    if not isinstance(value, torch.Tensor):
        raise BadInput(f"{function}: {what} is {value!r}, but must be a tensor; nothing is broadcast")


def float_of(function, what, value):
    """Returns the value as a float. Raises BadInput for an int that no float can represent."""
    try:
        return float(value)
    except OverflowError:
        raise BadInput(f"{function}: {what} is an int that is too large for a float; pass a number below 1.8e308") from None


def dims_of(function, x, dim):
    """Returns the dims that the argument dim names, in order; all dims if it is None or empty. Raises BadInput for a dim
    that x does not have."""
    count = x.dim()
    given = range(count) if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,)
    dims = []
    for one in given if len(given) else range(count):
        if isinstance(one, bool):
            raise BadInput(f"{function}: dim is {one}, which is a bool; pass dims as ints, and all other arguments by keyword")
        if not -max(count, 1) <= one < max(count, 1):
            raise BadInput(f"{function}: dim is {one}, but the input has {count} dims")
        if count:
            dims.append(one % count)
    if len(set(dims)) < len(dims):
        raise BadInput(f"{function}: dim is {tuple(given)}, which names a dim twice")
    return sorted(dims)


def sizes_around(shape, dims, refusal):
    """Returns (outer, n, inner): the products of the sizes before, in and after the given dims, which must be neighbours.
    Otherwise raises BadInput with the text `refusal`, in which {} becomes the dim that is between them."""
    if not dims:
        return math.prod(shape), 1, 1
    counted = [dim for dim in dims if shape[dim] != 1] or dims[:1]
    first, last = counted[0], counted[-1]
    between = [dim for dim in range(first, last) if shape[dim] != 1 and dim not in dims]
    if between:
        raise BadInput(refusal.format(f"dim {between[0]} is between the dims {tuple(dims)} of an input of {tuple(shape)}"))
    return math.prod(shape[:first]), math.prod(shape[first:last + 1]), math.prod(shape[last + 1:])


def aligned(x, size=16):
    """Returns x if it begins at a multiple of `size` bytes, otherwise a copy; None if x is None. For incoming gradients,
    which may begin at any element: the gradients of torch.cat are slices of one tensor. A copy would have no gaps, so tensors
    with gaps are refused first: the launch refuses them at other addresses.

    Only for functions that launch kernels: a compiler traces the other functions with tensors that have no address, and
    compiled code may pass other addresses than eager code.
    """
    if x is None or x.data_ptr() % size == 0:
        return x
    if not x.is_contiguous():
        raise BadInput(f"an input of the shape {tuple(x.shape)} has the strides {tuple(x.stride())}, but it must be contiguous; copy it "
                       "with .contiguous()")
    return x.clone()


def refuse_overlap(function, target, source):
    """Raises BadInput if target, which the function changes, shares memory with source, unless both are the same memory. Like
    aligned, only for functions that launch kernels. Both tensors are contiguous; the launch refuses others."""
    distance = target.data_ptr() - source.data_ptr()
    if -target.numel() * target.element_size() < distance < source.numel() * source.element_size() and (
            distance or target.numel() != source.numel()):
        raise BadInput(f"{function}: the tensor that is changed shares some memory with the tensor that is read, so the result would depend "
                       "on the order of the elements; copy the tensor that is read with .clone()")
