"""torch.ops.warptune.sgemm: products of float32 matrices."""
from ..errors import BadInput
from .ops import Family, define, empty, transpose

_kernels = {False: Family("sgemm", layout="nn"), True: Family("sgemm", layout="nt")}


def _product_shape(a, b, transposed):
    """(m, n, k) of a @ b, b given as it is or transposed."""
    for x, what in ((a, "a"), (b, "b")):
        if x.dim() != 2:
            raise BadInput(f"sgemm: {what} has {x.dim()} dims and must be a matrix")
    rows, depth = a.shape
    outer, inner = b.shape
    columns, deep = (outer, inner) if transposed else (inner, outer)
    if depth != deep:
        raise BadInput(f"sgemm: a is {tuple(a.shape)} and b {tuple(b.shape)}{' transposed' if transposed else ''}; "
                       "the summed dims must be the same")
    return rows, columns, depth


def sgemm_kernel(a, b, transposed):
    rows, columns, depth = sizes = _product_shape(a, b, transposed)
    launch = _kernels[transposed][a.dtype]
    c = empty(a, (rows, columns), (columns, 1), a.dtype)
    if 0 in sizes:
        return c.zero_()
    launch(sizes, a, b, c)
    return c


def _sgemm_fake(a, b, transposed):
    rows, columns, _ = _product_shape(a, b, transposed)
    return a.new_empty((rows, columns))


def _sgemm_setup(ctx, inputs, output):
    ctx.save_for_backward(inputs[0], inputs[1])
    ctx.transposed = inputs[2]


def _sgemm_backward(ctx, grad):
    a, b = ctx.saved_tensors
    grad = grad.contiguous()
    grad_a = grad_b = None
    if ctx.needs_input_grad[0]:
        grad_a = sgemm(grad, b, not ctx.transposed)
    if ctx.needs_input_grad[1]:
        grad_b = sgemm(transpose(grad), a, False) if ctx.transposed else sgemm(transpose(a), grad, False)
    return grad_a, grad_b, None


sgemm = define("sgemm", "(Tensor a, Tensor b, bool transposed) -> Tensor", sgemm_kernel, _sgemm_fake, _sgemm_setup,
               _sgemm_backward)
