"""torch.ops.warptune.quantise, quantise_groups, quantise_tensor, dequantise and dequantise_groups: rows in int8 or fp8
with one scale per row, one per block, or one for all elements, and groups of a row in int4."""
import math

import torch

from ..errors import BadInput
from .operators import no_gradient, operator
from .ops import Kernels

_NARROW = {torch.int8: "int8", torch.float8_e4m3fn: "e4m3", torch.float8_e5m2: "e5m2"}
_DTYPES = {name: dtype for dtype, name in _NARROW.items()}
_quantise = Kernels("quantise", "to", "scaling")
_dequantise = Kernels("dequantise", "from", "scaling")
_quantise_groups = Kernels("quantise_groups", "size")
_dequantise_groups = Kernels("dequantise_groups", "size")
_quantise_tensor = Kernels("quantise_tensor", "to")
_GROUPS = 32, 64, 128  # sizes


def _cols(x, blocks):
    """Returns the number of elements per block, if the last dim has `blocks` blocks."""
    cols = x.shape[-1] if x.dim() else 1
    if not cols and not blocks:
        return 0
    if not blocks or cols % blocks:
        raise BadInput(f"quantise: the last dim of {tuple(x.shape)} cannot be divided into {blocks} blocks of equal size")
    return cols // blocks


def _results(new, x, scale, to, blocks, least_scale):
    if scale is None:
        _cols(x, blocks)
    elif scale.numel() != 1:
        raise BadInput(f"quantise: the scale has the shape {tuple(scale.shape)}, but must have one element; "
                       "if scale is None, each row gets its own scale")
    return new(x, x.shape, _DTYPES[to]), new(x, (*x.shape[:-1], blocks) if scale is None else None, torch.float32)


def _launch(made, x, scale, to, blocks, least_scale):
    y, scales = made
    if not x.numel():
        if scale is None:
            scales.fill_(least_scale)  # rows of 0 elements have scales too
    elif scale is None:
        cols = _cols(x, blocks)
        _quantise.launch((to, "row"), x.dtype, (x.numel() // cols, cols), x, y, scales, least_scale)
    else:
        cols = x.shape[-1] if x.dim() else 1
        _quantise.launch((to, "given"), x.dtype, (x.numel() // cols, cols), x, scale, y)


_refuse = no_gradient("quantise has no gradient; detach its input, or use torch.no_grad()")
_quantise_op = operator("quantise", "(Tensor x, Tensor? scale, str to, SymInt blocks, float least_scale) -> (Tensor, Tensor)",
                        _results, _launch, _refuse, _refuse)


def _group_results(new, x, size, least_scale):
    cols = x.shape[-1] if x.dim() else 1
    if size not in _GROUPS or cols % size:
        raise BadInput(f"quantise: block is {size}, but for int4 it must be one of {', '.join(map(str, _GROUPS))} and divide the "
                       f"last dim of {tuple(x.shape)}")
    return new(x, (*x.shape[:-1], cols // 2), torch.uint8), new(x, (*x.shape[:-1], cols // size), torch.float32)


def _group_launch(made, x, size, least_scale):
    if x.numel():
        _quantise_groups.launch((size,), x.dtype, (x.numel() // size,), x, *made, least_scale)


_quantise_groups_op = operator("quantise_groups", "(Tensor x, int size, float least_scale) -> (Tensor, Tensor)",
                               _group_results, _group_launch, _refuse, _refuse)


def _tensor_launch(made, x, to, least_scale):
    if x.numel():
        _quantise_tensor.launch((to,), x.dtype, (x.numel(),), x, *made, least_scale)
    else:
        made[1].fill_(least_scale)


_quantise_tensor_op = operator("quantise_tensor", "(Tensor x, str to, float least_scale) -> (Tensor, Tensor)",
                               lambda new, x, to, _: (new(x, x.shape, _DTYPES[to]), new(x, (), torch.float32)),
                               _tensor_launch, _refuse, _refuse)


def _wide_results(new, x, scales, dtype):
    if x.dtype not in _NARROW:
        raise BadInput(f"dequantise: the input is {x.dtype}; the kernel takes {', '.join(map(str, _NARROW))}, and "
                       "torch.uint8 for int4")
    if scales.numel() != 1:
        if scales.dim() != max(x.dim(), 1) or scales.shape[:-1] != x.shape[:-1]:
            raise BadInput(f"dequantise: the scales have the shape {tuple(scales.shape)} and the input {tuple(x.shape)}; they "
                           "must have one element, or the input's shape with the number of blocks per row as the last dim")
        _cols(x, scales.shape[-1])
    return new(x, x.shape, dtype)


def _wide_launch(y, x, scales, dtype):
    if x.numel():
        one = scales.numel() == 1
        cols = _cols(x, 1 if one else scales.shape[-1])
        _dequantise.launch((_NARROW[x.dtype], "given" if one else "row"), dtype, (x.numel() // cols, cols), x, scales, y)


_refuse_wide = no_gradient("dequantise has no gradient; detach its inputs, or use torch.no_grad()")
_dequantise_op = operator("dequantise", "(Tensor x, Tensor scales, ScalarType dtype) -> Tensor", _wide_results, _wide_launch,
                          _refuse_wide, _refuse_wide)


def _wide_group_results(new, x, scales, dtype):
    cols, groups = 2 * x.shape[-1] if x.dim() else 0, scales.shape[-1] if scales.dim() else 0
    if not x.dim() or scales.shape[:-1] != x.shape[:-1] or groups and (cols % groups or cols // groups not in _GROUPS) or cols and not groups:
        raise BadInput(f"dequantise: the scales have the shape {tuple(scales.shape)} and the input {tuple(x.shape)}; a torch.uint8 input "
                       "contains int4, with two numbers in each byte, and must have one scale for each "
                       f"{', '.join(map(str, _GROUPS[:-1]))} or {_GROUPS[-1]} numbers of a row")
    return new(x, (*x.shape[:-1], cols), dtype)


def _wide_group_launch(y, x, scales, dtype):
    if x.numel():
        _dequantise_groups.launch((2 * x.numel() // scales.numel(),), dtype, (scales.numel(),), x, scales, y)


_dequantise_groups_op = operator("dequantise_groups", "(Tensor x, Tensor scales, ScalarType dtype) -> Tensor",
                                 _wide_group_results, _wide_group_launch, _refuse_wide, _refuse_wide)


def quantise(input, dtype=torch.float8_e4m3fn, scale=None, *, block=None, per_tensor=False, least_scale=2.0 ** -23):
    """Returns (values, scales): the values in torch.int8, float8_e4m3fn or float8_e5m2, and the scales in float32. The
    results have no gradient. An element x becomes round(x * (1 / scale)).

    scale: a float32 tensor with one element, on the device, which is the scale of all elements and is also returned. If
    scale is None, each row along the last dim, or each block of `block` consecutive elements of a row, gets the scale
    max(largest magnitude / largest number of the dtype, least_scale). The scales then have the shape (..., blocks per
    row). per_tensor: whether all elements get one such scale, from the largest magnitude of the tensor. This scale has
    the shape ().

    With dtype="int4", each block of 32, 64 or 128 elements gets a scale, with the largest number 7. Two numbers of 4
    bits are one byte of the values, which are a torch.uint8 tensor of the shape (..., columns / 2): the first number is
    in the lower half of the byte.
    """
    if block is not None and not isinstance(block, (int, torch.SymInt)):
        raise BadInput(f"quantise: block is {block!r}, but must be an int: the number of elements with one scale")
    if per_tensor and (block is not None or scale is not None):
        raise BadInput("quantise: per_tensor cannot be combined with block or scale")
    if dtype == "int4":
        if block is None or scale is not None or per_tensor:
            raise BadInput(f"quantise: int4 has one scale for each block; set block to one of {', '.join(map(str, _GROUPS))}, "
                           "without scale and per_tensor")
        return _quantise_groups_op(input, block, least_scale)
    if dtype not in _NARROW:
        raise BadInput(f"quantise: there is no kernel for the result {dtype}; use one of {', '.join(map(str, _NARROW))}, 'int4'")
    if per_tensor:
        return _quantise_tensor_op(input, _NARROW[dtype], least_scale)
    if block is not None and (scale is not None or block < 1 or input.dim() == 0 or input.shape[-1] % block):
        raise BadInput(f"quantise: block is {block}, but must divide the last dim of {tuple(input.shape)}, and cannot be combined with scale")
    blocks = 1 if block is None else input.shape[-1] // block
    narrow, scales = _quantise_op(input, scale, _NARROW[dtype], blocks, least_scale)
    return narrow, scales if scale is None else scale


def dequantise(input, scales, dtype=torch.bfloat16):
    """Returns input * scales in the given dtype. With the scales that quantise returned, this is the inverse of quantise,
    except for rounding. A torch.uint8 input contains int4. The result has no gradient."""
    if input.dtype == torch.uint8:
        return _dequantise_groups_op(input, scales, dtype)
    return _dequantise_op(input, scales, dtype)
