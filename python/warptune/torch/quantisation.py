"""torch.ops.warptune.quantise and dequantise: rows in int8 or fp8, with one scale per row, one per block, or one
for all elements."""
import math

import torch

from ..errors import BadInput
from .operators import no_gradient, operator
from .ops import Kernels

_NARROW = {torch.int8: "int8", torch.float8_e4m3fn: "e4m3", torch.float8_e5m2: "e5m2"}
_DTYPES = {name: dtype for dtype, name in _NARROW.items()}
_quantise = Kernels("quantise", "to", "scaling")
_dequantise = Kernels("dequantise", "from", "scaling")


def _cols(x, blocks):
    """Returns the number of elements per block, if the last dim has `blocks` blocks."""
    cols = x.shape[-1] if x.dim() else 1
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
        return
    if scale is None:
        cols = _cols(x, blocks)
        _quantise.launch((to, "row"), x.dtype, (x.numel() // cols, cols), x, y, scales, least_scale)
    else:
        cols = x.shape[-1] if x.dim() else 1
        _quantise.launch((to, "given"), x.dtype, (x.numel() // cols, cols), x, scale, y)


_refuse = no_gradient("quantise has no gradient; detach its input, or use torch.no_grad()")
_quantise_op = operator("quantise", "(Tensor x, Tensor? scale, str to, SymInt blocks, float least_scale) -> (Tensor, Tensor)",
                        _results, _launch, _refuse, _refuse)


def _wide_results(new, x, scales, dtype):
    if x.dtype not in _NARROW:
        raise BadInput(f"dequantise: the input is {x.dtype}; the kernel takes {', '.join(map(str, _NARROW))}")
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


def quantise(input, dtype=torch.float8_e4m3fn, scale=None, *, block=None, least_scale=2.0 ** -23):
    """Returns (values, scales): the values in torch.int8, float8_e4m3fn or float8_e5m2, and the scales in float32. The
    results have no gradient. An element x becomes round(x * (1 / scale)).

    scale: a float32 tensor with one element, on the device, which is the scale of all elements and is also returned. If
    scale is None, each row along the last dim, or each block of `block` consecutive elements of a row, gets the scale
    max(largest magnitude / largest number of the dtype, least_scale). The scales then have the shape (..., blocks per
    row).
    """
    if dtype not in _NARROW:
        raise BadInput(f"quantise: there is no kernel for the result {dtype}; use one of {', '.join(map(str, _NARROW))}")
    if block is not None and (scale is not None or block < 1 or input.dim() == 0 or input.shape[-1] % block):
        raise BadInput(f"quantise: block is {block}, but must divide the last dim of {tuple(input.shape)}, and cannot be combined with scale")
    blocks = 1 if block is None else input.shape[-1] // block
    narrow, scales = _quantise_op(input, scale, _NARROW[dtype], blocks, least_scale)
    return narrow, scales if scale is None else scale


def dequantise(input, scales, dtype=torch.bfloat16):
    """Returns input * scales in the given dtype. With the scales that quantise returned, this is the inverse of quantise,
    except for rounding. The result has no gradient."""
    return _dequantise_op(input, scales, dtype)
