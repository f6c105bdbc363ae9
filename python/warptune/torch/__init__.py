"""The shipped operators for torch. They are registered as torch.ops.warptune.*, and work with autograd, in eager
code, under torch.compile and in CUDA graphs.

    import warptune.torch as wt
    wt.use("ops.wtpack")               # without use: $WARPTUNE_DB, or the user's own database
    y = wt.softmax(x)                  # x: CUDA, contiguous, bfloat16, float16 or float32

The functions have the names of torch.nn.functional and torch, and a subset of their arguments, with torch's names. They
never fall back to another implementation: an argument that a kernel does not support raises warptune.BadInput. A function
launches its kernel directly if torch's dispatcher would have nothing to do; otherwise it calls the dispatcher.
"""
import torch as _torch

from ..errors import BadInput
from . import ops as _ops
from . import permutes as _permutes
from .activations import (add, elu, gelu, hardsigmoid, hardtanh, leaky_relu, mul, relu, selu, sigmoid, silu, softplus,
                          softsign, tanh)
from .arguments import refuse as _refuse
from .batch_norms import batch_norm
from .casts import to
from .concats import cat, concat
from .embeddings import embedding
from .expressions import expression
from .group_norms import group_norm, instance_norm
from .indexing import gather, index_add, index_select, scatter_add
from .losses import cross_entropy
from .masks import masked_softmax
from .normalisations import normalize
from .norms import layer_norm, layer_norm_quantised, rms_norm, rms_norm_quantised
from .ops import kernel, library, use
from .optimisers import adam_, adamw_, sgd_
from .permutes import permute
from .pointwise_losses import (binary_cross_entropy_with_logits, hinge_embedding_loss, huber_loss, kl_div, l1_loss,
                               mse_loss, smooth_l1_loss)
from .pools import (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d, adaptive_max_pool1d, adaptive_max_pool2d,
                    adaptive_max_pool3d, avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d)
from .products import linear, matmul
from .quantisation import dequantise, quantise
from .reductions import amax, amin, argmax, argmin, mean, norm, prod, sum, var
from .rotations import rotary
from .row_losses import cosine_embedding_loss, triplet_margin_loss
from .scans import cumprod, cumsum
from .selections import topk
from .slices import narrow_copy, select_copy, select_scatter, slice_copy, slice_scatter, slice_scatter_

__all__ = ["use", "library", "kernel", "softmax", "log_softmax", "transpose", "reduce_sum", "axpy", "axpy_", "matmul",
           "linear", "layer_norm", "rms_norm", "masked_softmax", "cross_entropy", "add", "mul", "relu", "leaky_relu", "elu",
           "selu", "gelu", "silu", "sigmoid", "hardsigmoid", "hardtanh", "tanh", "softplus", "softsign", "sum", "mean",
           "prod", "amax", "amin", "argmax", "argmin", "norm", "var", "permute", "quantise", "dequantise", "expression",
           "binary_cross_entropy_with_logits", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "mse_loss",
           "smooth_l1_loss", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
           "adaptive_max_pool2d", "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool1d", "max_pool2d",
           "max_pool3d", "batch_norm", "group_norm", "instance_norm", "embedding", "rotary", "cumprod", "cumsum", "adam_",
           "adamw_", "sgd_", "cosine_embedding_loss", "triplet_margin_loss", "topk", "cat", "concat", "narrow_copy",
           "select_copy", "slice_copy", "slice_scatter", "select_scatter", "slice_scatter_", "index_select", "index_add", "gather",
           "scatter_add", "normalize", "layer_norm_quantised", "rms_norm_quantised", "to"]

_is_compiling = _torch.compiler.is_compiling
_grad_enabled = _torch.is_grad_enabled
_unwatched = _ops.unwatched
_OF_A_MATRIX = {(i, j) for i in (-2, -1, 0, 1) for j in (-2, -1, 0, 1) if (i - j) % 2}


def _last_dim(name, x, dim):
    if dim != x.dim() - 1:
        raise BadInput(f"{name}: dim is {dim}, but the kernel works only on the last of the {x.dim()} dims; transpose x first")


def softmax(input, dim=-1, **unsupported):
    """Returns the softmax along dim, which must be the last dim, in the input's shape and dtype. It is computed in fp32."""
    if unsupported:
        _refuse("softmax", input, unsupported)
    if dim != -1:
        _last_dim("softmax", input, dim)
    if not _is_compiling() and _unwatched(input):
        return _ops.softmax_kernel(input, False)
    return _ops.softmax(input, False)


def log_softmax(input, dim=-1, **unsupported):
    """Returns log(softmax(input)) along dim, which must be the last dim, in the input's shape and dtype. It is computed in
    fp32."""
    if unsupported:
        _refuse("log_softmax", input, unsupported)
    if dim != -1:
        _last_dim("log_softmax", input, dim)
    if not _is_compiling() and _unwatched(input):
        return _ops.softmax_kernel(input, True)
    return _ops.softmax(input, True)


def transpose(input, dim0=-2, dim1=-1):
    """Returns a contiguous copy of torch.transpose(input, dim0, dim1). Only dims of size 1 may be between the two
    dims."""
    if input.dim() != 2 or (dim0, dim1) not in _OF_A_MATRIX:
        return _permutes.transpose(input, dim0, dim1)
    if not _is_compiling() and _unwatched(input):
        return _ops.transpose_kernel(input)
    return _ops.transpose(input)


def reduce_sum(x):
    """Returns the sum of all elements as a float32 tensor of shape (). Repeated calls give bit-identical sums."""
    if not _is_compiling() and _unwatched(x):
        return _ops.reduce_sum_kernel(x)
    return _ops.reduce_sum(x)


def axpy(x, y, alpha=1.0):
    """Returns alpha * x + y as a new tensor; x and y have the same shape and dtype."""
    if not _is_compiling() and _unwatched(x, y):
        return _ops.axpy_new_kernel(x, y, alpha)
    return _ops.axpy(x, y, alpha)


def axpy_(y, x, alpha=1.0):
    """Computes y += alpha * x in place, for tensors of the same shape and dtype that need no gradient."""
    if not _is_compiling() and _unwatched(y, x):
        _ops.axpy_kernel(y, x, alpha)
        return y
    if _grad_enabled() and (x.requires_grad or y.requires_grad):
        raise BadInput("axpy_ has no gradient; use axpy, or torch.no_grad()")
    _ops.axpy_(y, x, alpha)
    return y
