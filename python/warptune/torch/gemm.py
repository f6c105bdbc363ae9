"""torch.ops.warptune.gemm: activation(a @ b + bias) + residual in one launch. With an activation, the operator has no
gradient."""
import torch

from ..errors import BadInput
from .arguments import aligned
from .layouts import LARGEST, describe, result_shape
from .ops import Family, Kernels, _lock, define, empty, row_major

ACTIVATIONS = ("none", "relu", "gelu", "gelu_tanh", "silu", "swiglu", "geglu")
GATED = ("swiglu", "geglu")  # one half of the columns, times the activation of the other
FLAGS = ("layout", "shared", "activation", "bias", "residual")


class _Gemm(Family):
    """The gemm kernels, called with the dims of a Product. If a pack was made before gemm had the dim c_pad, its kernels are
    called without this dim."""

    def __missing__(self, dtype):
        with _lock:  # no other thread may get the kernel that takes one dim less
            found = super().__missing__(dtype)
            if "c_pad" in found.dims:
                return found
            self[dtype] = launch = lambda dims, *args: found(dims[:-1], *args)
            return launch


_kernels = Kernels("gemm", *FLAGS, family=_Gemm)


def finished(sums, activation, residual):
    """Applies the activation and adds the residual with torch's own operators, as the kernel does after it adds the
    bias."""
    functional = torch.nn.functional
    if activation in GATED:
        gate, value = sums.chunk(2, -1)
        sums = (functional.silu(gate) if activation == "swiglu" else functional.gelu(gate)) * value
    elif activation == "relu":
        sums = torch.relu(sums)
    elif activation == "silu":
        sums = functional.silu(sums)
    elif activation == "gelu":
        sums = functional.gelu(sums)
    elif activation == "gelu_tanh":
        sums = functional.gelu(sums, approximate="tanh")
    return sums if residual is None else sums + residual


def _checked_shape(rows, columns, bias, residual, activation):
    """Checks the shapes and the activation, and returns the shape of the result."""
    if activation not in ACTIVATIONS:
        raise BadInput(f"gemm: there is no activation {activation!r}; use one of {', '.join(ACTIVATIONS)}")
    if bias is not None and tuple(bias.shape) != (columns,):
        raise BadInput(f"linear: the bias has the shape {tuple(bias.shape)} but must have {(columns,)}")
    if activation in GATED:
        if columns % 2:
            raise BadInput(f"linear: {activation} halves the columns, but their number, {columns}, is odd")
        columns //= 2
    shape = (*rows, columns)
    if residual is not None and tuple(residual.shape) != shape:
        raise BadInput(f"linear: the residual has the shape {tuple(residual.shape)} but must have the result's shape, {shape}")
    return shape


def _memory(x, count):
    """Returns x as the kernel receives it: all memory from its first element to its last, including gaps between
    rows."""
    return x if x.is_contiguous() else x.as_strided((count,), (1,))


def _readable(x):
    """Returns x, or a copy if x has no gaps and does not begin at a multiple of 16 bytes: incoming gradients may begin at
    any element."""
    if x.data_ptr() % 16 == 0 or not x.is_contiguous() and (x.dim() < 2 or not x.mT.is_contiguous()):
        return x
    return x.clone()


def gemm_kernel(a, b, bias, residual, activation, transposed):
    a, b = _readable(a), _readable(b)
    product = describe(a.shape, a.stride(), b.shape, b.stride(), transposed)
    _, n, k, *_ = product.dims
    shape = _checked_shape(product.rows, n, bias, residual, activation)
    values = product.layout, product.shared, activation, bias is not None, residual is not None
    launch = _kernels[values][a.dtype]
    if k == 0:
        sums = a.new_zeros((*product.rows, n))
        return finished(sums if bias is None else sums + bias, activation, residual)
    c = empty(a, shape, row_major(shape), a.dtype)
    if 0 not in shape:
        # Arguments that do not exist for these flags are left out.
        launch(product.dims, _memory(a, product.counts[0]), _memory(b, product.counts[1]), c,
               *(aligned(extra) for extra in (bias, residual) if extra is not None))
    return c


def _fake(a, b, bias, residual, activation, transposed):
    rows, columns = result_shape(a.shape, b.shape, transposed)
    return a.new_empty(_checked_shape(rows, columns, bias, residual, activation))


def _setup(ctx, inputs, output):
    a, b, _, _, activation, transposed = inputs
    if activation != "none":
        raise BadInput("torch.ops.warptune.gemm has no gradient with an activation; warptune.torch.linear has one, because it uses torch's own activation")
    needs_a, needs_b, *_ = ctx.needs_input_grad
    ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
    ctx.a_shape, ctx.b_shape, ctx.transposed = a.shape, b.shape, transposed


def _product(a, b, transposed=False, residual=None):
    return gemm(a, b, None, residual, "none", transposed)


def _as_matrix(x):
    return x.unsqueeze(0) if x.dim() == 1 else x.flatten(0, -2)


def _summed(gradient, shape):
    """Sums the gradient over the batch dims in which the operand of this shape was broadcast."""
    return gradient if gradient.shape == shape else gradient.sum_to_size(shape)


def _gradient_of_b(a, shape, gradient, transposed):
    first, second = (gradient, a) if transposed else (a, gradient)
    if len(shape) > 2:
        return _summed(_product(first.mT, second), shape)
    first, second = _as_matrix(first), _as_matrix(second)  # all rows of all batches in one product
    if first.shape[0] <= LARGEST:
        return _product(first.mT, second)
    total = None  # as a residual, to which the products of as many rows as gemm can sum over are added
    for start in range(0, first.shape[0], LARGEST):
        rows = slice(start, start + LARGEST)
        total = _product(first[rows].mT, second[rows], residual=total)
    return total


def _backward(ctx, gradient):
    a, b = ctx.saved_tensors
    gradient = gradient.contiguous()
    needs_a, needs_b, needs_bias, needs_residual = ctx.needs_input_grad[:4]
    return (_summed(_product(gradient, b, not ctx.transposed), ctx.a_shape) if needs_a else None,
            _gradient_of_b(a, ctx.b_shape, gradient, ctx.transposed) if needs_b else None,
            _as_matrix(gradient).sum(0) if needs_bias else None,
            gradient if needs_residual else None, None, None)


gemm = define("gemm",
              "(Tensor a, Tensor b, Tensor? bias, Tensor? residual, str activation, bool transposed) -> Tensor",
              gemm_kernel, _fake, _setup, _backward)
