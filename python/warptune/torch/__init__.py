"""The shipped operators for torch: registered as torch.ops.warptune.*, with autograd, for eager code, torch.compile and
CUDA graphs.

    import warptune.torch as wt
    wt.use("ops.wtpack")               # else $WARPTUNE_DB, else the user's own database
    y = wt.softmax(x)                  # x: CUDA, contiguous, bfloat16, float16 or float32

There is no fallback to another implementation: an argument that a kernel does not take raises warptune.BadInput. The
functions here launch directly if torch's dispatcher would have nothing to do; otherwise they call it.
"""
import torch as _torch

from ..errors import BadInput
from . import ops as _ops
from .ops import kernel, library, use
from .products import linear, matmul

__all__ = ["use", "library", "kernel", "softmax", "log_softmax", "transpose", "reduce_sum", "axpy", "axpy_", "matmul",
           "linear"]

_is_compiling = _torch.compiler.is_compiling
_grad_enabled = _torch.is_grad_enabled
_unwatched = _ops.unwatched


def _last_dim(x, dim):
    if dim != x.dim() - 1:
        raise BadInput(f"softmax: dim is {dim}; the kernel works on the last of {x.dim()} dims; transpose x first")


def softmax(x, dim=-1):
    """Returns the softmax of x along its last dim, in x's dtype (computed in fp32)."""
    if dim != -1:
        _last_dim(x, dim)
    if not _is_compiling() and _unwatched(x):
        return _ops.softmax_kernel(x, False)
    return _ops.softmax(x, False)


def log_softmax(x, dim=-1):
    """Returns log(softmax(x)) along the last dim."""
    if dim != -1:
        _last_dim(x, dim)
    if not _is_compiling() and _unwatched(x):
        return _ops.softmax_kernel(x, True)
    return _ops.softmax(x, True)


def transpose(x):
    """Returns a contiguous copy of the transpose of a matrix."""
    if not _is_compiling() and _unwatched(x):
        return _ops.transpose_kernel(x)
    return _ops.transpose(x)


def reduce_sum(x):
    """Returns the sum of all elements as one float32; repeated calls give the same bits."""
    if not _is_compiling() and _unwatched(x):
        return _ops.reduce_sum_kernel(x)
    return _ops.reduce_sum(x)


def axpy(x, y, alpha=1.0):
    """alpha * x + y as a new tensor."""
    if not _is_compiling() and _unwatched(x, y):
        return _ops.axpy_new_kernel(x, y, alpha)
    return _ops.axpy(x, y, alpha)


def axpy_(y, x, alpha=1.0):
    """Computes y += alpha * x in place, for tensors that need no gradient."""
    if not _is_compiling():
        if _unwatched(y, x):
            _ops.axpy_kernel(y, x, alpha)
            return y
        if _grad_enabled() and (x.requires_grad or y.requires_grad):
            raise BadInput("axpy_ has no gradient; use axpy, or torch.no_grad()")
    _ops.axpy_(y, x, alpha)
    return y
