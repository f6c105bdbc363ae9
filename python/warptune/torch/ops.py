"""torch.ops.warptune.*: the operators as torch's dispatcher knows them: schema, CUDA kernel, shape rule, gradient.

Each <name>_kernel launches and is the CUDA implementation; <name> is the registered operator.
"""
import torch

from .. import open as open_library
from .._core import Library
from ..errors import BadInput

FLOATS = {torch.bfloat16: "bf16", torch.float16: "fp16", torch.float32: "fp32"}


class _Kernels(dict):
    """(name, dtype, flags) -> Kernel of the library in use, found once. A plain dict's speed for what was found."""

    def __init__(self):
        super().__init__()
        self.opened = None

    def __missing__(self, key):
        name, dtype, flags = key
        if dtype not in FLOATS:
            raise BadInput(f"{name}: there is no kernel for {dtype}; it takes {', '.join(map(str, FLOATS))}")
        if self.opened is None:
            self.opened = open_library()
        self[key] = found = self.opened.kernel(name, dtype=FLOATS[dtype], **dict(flags))
        return found


_kernels = _Kernels()


def use(source):
    """The pack or database that the operators come from: a path, or a warptune.Library."""
    global _kernels
    fresh = _Kernels()
    fresh.opened = source if isinstance(source, Library) else open_library(source)
    _kernels = fresh


def library():
    """The library in use, opened if none is yet."""
    if _kernels.opened is None:
        _kernels.opened = open_library()
    return _kernels.opened


def kernel(name, dtype, **flags):
    """The warptune.Kernel behind an operator, to prefetch or explain: kernel("softmax", torch.bfloat16, log=0)."""
    return _kernels[name, dtype, tuple(sorted(flags.items()))]


_NO_FLAGS = ()
_LOG = {False: (("log", 0),), True: (("log", 1),)}
_LAYOUT = {False: (("layout", "nn"),), True: (("layout", "nt"),)}

# Strides are the caller's business: a compiler must not hand over another layout than eager code did.
_TAGS = tuple(getattr(torch.Tag, name) for name in ("pt2_compliant_tag", "needs_exact_strides", "needs_fixed_stride_order")
              if hasattr(torch.Tag, name))[:2]
_library = torch.library.Library("warptune", "DEF")
_increment_version = torch.autograd.graph.increment_version


def _matrix(x, what):
    if x.dim() != 2:
        raise BadInput(f"{what} has {x.dim()} dims and has to be a matrix")


def _define(name, schema, kernel_function, fake, setup_context=None, backward=None):
    _library.define(name + schema, tags=_TAGS)
    _library.impl(name, kernel_function, "CUDA")
    qualified = "warptune::" + name
    torch.library.register_fake(qualified, fake, lib=_library)
    if backward is not None:
        torch.library.register_autograd(qualified, backward, setup_context=setup_context, lib=_library)
    return getattr(torch.ops.warptune, name).default


# --- softmax --------------------------------------------------------------------------------------------------------

def softmax_kernel(x, log):
    y = torch.empty_like(x)
    if x.dim() == 2 and x.numel():
        _kernels["softmax", x.dtype, _LOG[log]](x, y)
        return y
    count = x.numel()
    if count:
        cols = x.shape[-1] if x.dim() else 1
        _kernels["softmax", x.dtype, _LOG[log]]((count // cols, cols), x, y)
    return y


def _softmax_setup(ctx, inputs, output):
    ctx.log = inputs[1]
    ctx.save_for_backward(output)


def _softmax_backward(ctx, grad):
    output, = ctx.saved_tensors
    formula = torch.ops.aten._log_softmax_backward_data if ctx.log else torch.ops.aten._softmax_backward_data
    return formula(grad, output, -1 if output.dim() else 0, output.dtype), None


softmax = _define("softmax", "(Tensor x, bool log) -> Tensor", softmax_kernel, lambda x, log: torch.empty_like(x),
                  _softmax_setup, _softmax_backward)


# --- transpose ------------------------------------------------------------------------------------------------------

def transpose_kernel(x):
    y = _transpose_fake(x)
    if x.numel():
        _kernels["transpose", x.dtype, _NO_FLAGS](x, y)
    return y


def _transpose_fake(x):
    _matrix(x, "transpose: x")
    return x.new_empty((x.shape[1], x.shape[0]))


transpose = _define("transpose", "(Tensor x) -> Tensor", transpose_kernel, _transpose_fake,
                    lambda ctx, inputs, output: None, lambda ctx, grad: transpose(grad.contiguous()))


# --- reduce_sum -----------------------------------------------------------------------------------------------------

def reduce_sum_kernel(x):
    if not x.numel():
        return x.new_zeros((), dtype=torch.float32)
    out = _reduce_sum_fake(x)
    _kernels["reduce_sum", x.dtype, _NO_FLAGS]((x.numel(),), x, out)
    return out


def _reduce_sum_fake(x):
    return x.new_empty((), dtype=torch.float32)


def _reduce_sum_setup(ctx, inputs, output):
    ctx.shape, ctx.dtype = inputs[0].shape, inputs[0].dtype


reduce_sum = _define("reduce_sum", "(Tensor x) -> Tensor", reduce_sum_kernel, _reduce_sum_fake, _reduce_sum_setup,
                     lambda ctx, grad: grad.to(ctx.dtype).expand(ctx.shape))


# --- axpy -----------------------------------------------------------------------------------------------------------

def axpy_kernel(y, x, alpha):
    if x.shape != y.shape:
        raise BadInput(f"axpy: x has the shape {tuple(x.shape)} and y {tuple(y.shape)}; they have to be the same")
    if x.numel():
        _kernels["axpy", x.dtype, _NO_FLAGS]((x.numel(),), x, y, alpha)
        _increment_version(y)  # so that autograd notices what was saved before


def _axpy_fake(x, y, alpha):
    return torch.empty_like(y)


def _axpy_new(x, y, alpha):
    result = y.clone()
    axpy_kernel(result, x, alpha)
    return result


def _axpy_setup(ctx, inputs, output):
    ctx.alpha = inputs[2]


axpy_ = _define("axpy_", "(Tensor(a!) y, Tensor x, float alpha) -> ()", axpy_kernel, lambda y, x, alpha: None)
axpy = _define("axpy", "(Tensor x, Tensor y, float alpha) -> Tensor", _axpy_new, _axpy_fake, _axpy_setup,
               lambda ctx, grad: (grad * ctx.alpha, grad, None))


# --- sgemm ----------------------------------------------------------------------------------------------------------

def _sgemm_fake(a, b, transposed):
    _matrix(a, "sgemm: a")
    _matrix(b, "sgemm: b")
    depth, columns = (b.shape[1], b.shape[0]) if transposed else (b.shape[0], b.shape[1])
    if a.shape[1] != depth:
        raise BadInput(f"sgemm: a is {tuple(a.shape)} and b {tuple(b.shape)}{' transposed' if transposed else ''}; "
                       "what they are summed over has to be the same")
    return a.new_empty((a.shape[0], columns))


def sgemm_kernel(a, b, transposed):
    c = _sgemm_fake(a, b, transposed)
    if not a.numel() or not b.numel():
        return c.zero_()
    _kernels["sgemm", a.dtype, _LAYOUT[transposed]]((c.shape[0], c.shape[1], a.shape[1]), a, b, c)
    return c


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


sgemm = _define("sgemm", "(Tensor a, Tensor b, bool transposed) -> Tensor", sgemm_kernel, _sgemm_fake, _sgemm_setup,
                _sgemm_backward)
