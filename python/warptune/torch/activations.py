"""Functions that are applied to each element, with names of torch.nn.functional.

Each function takes three more keyword arguments, which are optional tensors, so that one launch does several
operations. bias, of the shape (cols,) or (channels, 1, ...), is added to the input before the function is applied. add
is added to the result. mul (a gate) multiplies the result. add and mul have the input's shape, and only one of them may
be given. Results have the input's shape and dtype.
"""
import torch

from ..errors import BadInput
from . import ops
from .arguments import check_tensor, float_of, refuse
from .broadcasts import combined
from .elementwise import TWO_SLOPES, elementwise, masked_elementwise
from .operators import wants_gradient

_is_compiling = torch.compiler.is_compiling


def _apply(function, numbers, input, bias=None, add=None, mul=None, **unsupported):
    name = "gelu" if function == "gelu_tanh" else function
    if unsupported:
        refuse(name, input, unsupported)
    if add is not None and mul is not None:
        raise BadInput(f"{name}: the result can be added to a tensor or multiplied by a tensor; give add or mul, but not both")
    for what, value in (("bias", bias), ("add", add), ("mul", mul)):
        if value is not None:
            check_tensor(name, what, value)
    numbers = [float(number) for number in numbers]
    if function in TWO_SLOPES and mul is None and wants_gradient(input, bias):
        return masked_elementwise(input, bias, add, function, numbers)[0]
    other, combine = (add, "add") if add is not None else (mul, "none" if mul is None else "mul")
    return elementwise(input, bias, other, function, combine, numbers)


def relu(input, **fused):
    """Returns max(input, 0)."""
    return _apply("relu", (), input, **fused)


def leaky_relu(input, negative_slope=0.01, **fused):
    """Returns input where it is not negative, and input * negative_slope where it is negative."""
    return _apply("leaky_relu", (negative_slope,), input, **fused)


def elu(input, alpha=1.0, **fused):
    """Returns input where it is not negative, and alpha * (exp(input) - 1) where it is negative."""
    return _apply("elu", (alpha,), input, **fused)


def selu(input, **fused):
    """Returns 1.0507 * elu(input, alpha=1.6733), with more digits of these two constants, as in torch."""
    return _apply("selu", (), input, **fused)


def gelu(input, approximate="none", **fused):
    """Returns input * Phi(input), where Phi is the standard normal distribution function. Phi is computed with erf, or
    approximated with tanh if approximate="tanh"."""
    if approximate not in ("none", "tanh"):
        raise BadInput(f"gelu: approximate is {approximate!r}; use 'none' or 'tanh'")
    return _apply("gelu_tanh" if approximate == "tanh" else "gelu", (), input, **fused)


def silu(input, **fused):
    """Returns input * sigmoid(input). silu(gate, mul=up) is SwiGLU."""
    return _apply("silu", (), input, **fused)


def sigmoid(input, **fused):
    """Returns 1 / (1 + exp(-input))."""
    return _apply("sigmoid", (), input, **fused)


def hardsigmoid(input, **fused):
    """Returns input / 6 + 1 / 2, clamped to the range from 0 to 1."""
    return _apply("hardsigmoid", (), input, **fused)


def hardtanh(input, min_val=-1.0, max_val=1.0, **fused):
    """Returns input, clamped to the range from min_val to max_val."""
    if min_val > max_val:
        raise BadInput(f"hardtanh: min_val is {min_val} and max_val {max_val}; min_val must not be greater than max_val")
    return _apply("hardtanh", (min_val, max_val), input, **fused)


def tanh(input, **fused):
    """Returns the hyperbolic tangent of input."""
    return _apply("tanh", (), input, **fused)


def softplus(input, beta=1.0, threshold=20.0, **fused):
    """Returns log(1 + exp(beta * input)) / beta, or input where beta * input is above threshold."""
    return _apply("softplus", (beta, threshold), input, **fused)


def softsign(input, **fused):
    """Returns input / (1 + |input|)."""
    return _apply("softsign", (), input, **fused)


def _has_shape_of(input, other):
    return isinstance(other, torch.Tensor) and other.shape == input.shape


def _without_bias(function, bias):
    if bias is not None:
        raise BadInput(f"{function}: with a bias, other must be a tensor of the input's shape")


def add(input, other, *, alpha=1, bias=None, **unsupported):
    """Returns input + bias + alpha * other. other is a number, a tensor of the input's shape, or a tensor that is broadcast
    to this shape. With a bias, alpha must be 1 and other must have the input's shape."""
    refuse("add", input, unsupported)
    if not _has_shape_of(input, other):
        _without_bias("add", bias)
        return combined("add", input, other, alpha)
    if alpha == 1:
        return _apply("identity", (), input, bias, add=other)
    if bias is not None:
        raise BadInput(f"add: alpha is {alpha}, but must be 1 if there is a bias")
    alpha = float_of("add", "alpha", alpha)
    if not _is_compiling() and ops.unwatched(input, other):
        return ops.axpy_new_kernel(other, input, alpha)
    return ops.axpy(other, input, alpha)


def mul(input, other, *, bias=None, **unsupported):
    """Returns (input + bias) * other. other is a number, a tensor of the input's shape, or a tensor that is broadcast to this
    shape. With a bias, other must have the input's shape."""
    refuse("mul", input, unsupported)
    if not _has_shape_of(input, other):
        _without_bias("mul", bias)
        return combined("mul", input, other)
    return _apply("identity", (), input, bias, mul=other)
