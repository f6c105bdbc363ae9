"""matmul and linear: convert their arguments to a Product, and decide whether the kernel or torch applies the
activation."""
import torch

from ..errors import BadInput
from .arguments import refuse
from .gemm import ACTIVATIONS, finished, gemm, gemm_kernel
from .operators import wants_gradient
from .ops import unwatched

_is_compiling = torch.compiler.is_compiling


def _gemm(a, b, bias, residual, activation, transposed):
    if not _is_compiling() and unwatched(a, b, bias, residual):
        return gemm_kernel(a, b, bias, residual, activation, transposed)
    return gemm(a, b, bias, residual, activation, transposed)


def matmul(input, other, **unsupported):
    """Returns input @ other for the shapes of torch.matmul: (..., m, k) @ (..., k, n), or vectors. A batch may be
    broadcast only as a whole: a tensor with batch dims of which only some are broadcast is refused.

    Both have the same dtype: bfloat16, float16 or float32. Sums are in fp32. float32 does not use tensor cores.
    Transposed views and rows with gaps between them are read without a copy. Other views are refused.
    """
    if unsupported:
        refuse("matmul", input, unsupported)
    if other.dim() == 1:
        return matmul(input, other.unsqueeze(-1)).squeeze(-1)
    if input.dim() == 1 and other.dim() > 2:
        return matmul(input.unsqueeze(0), other).squeeze(-2)
    return _gemm(input, other, None, None, "none", False)


def linear(input, weight, bias=None, *, activation=None, residual=None, **unsupported):
    """Returns activation(input @ weight.T + bias) + residual in one launch. Shapes: input (..., k), weight (n, k), bias
    (n,), result and residual (..., n).

    activation: None, "relu", "gelu", "gelu_tanh", "silu", "swiglu" or "geglu". The last two are silu or gelu of the
    first half of the columns, times the second half, so the result has n / 2 columns. If a gradient is needed,
    torch applies the activation and then adds the residual.
    """
    if unsupported:
        refuse("linear", input, unsupported)
    if activation is not None and (activation == "none" or activation not in ACTIVATIONS):
        raise BadInput(f"linear: there is no activation {activation!r}; use None, {', '.join(ACTIVATIONS[1:])}")
    if weight.dim() != 2:
        raise BadInput(f"linear: the weight has {weight.dim()} dims, but must be a matrix")
    if activation is None:
        return _gemm(input, weight, bias, residual, "none", True)
    if wants_gradient(input, weight, bias, residual):
        return finished(_gemm(input, weight, bias, None, "none", True), activation, residual)
    return _gemm(input, weight, bias, residual, activation, True)
