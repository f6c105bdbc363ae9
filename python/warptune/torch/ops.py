"""Registers the operators torch.ops.warptune.* with torch's dispatcher: schema, CUDA kernel, shape rule, gradient.

For softmax, transpose and reduce_sum, this module defines <operator>, the registered operator, and <operator>_kernel,
its CUDA implementation; for axpy_ and axpy, these are axpy_kernel and axpy_new_kernel. Outside torch.compile, the
functions of warptune.torch call the implementation directly if no gradient, mode, transform or tensor subclass is
active.
"""
import math
import threading

import torch

from .. import open as open_library
from .._core import Library, _current_device, _make_unwatched
from ..errors import BadInput
from .arguments import aligned, refuse_overlap

FLOATS = {torch.bfloat16: "bf16", torch.float16: "fp16", torch.float32: "fp32"}


# --- The library in use -----------------------------------------------------------------------------------------------

_lock = threading.RLock()  # protects the two below
_opened = None
_families = []


class Family(dict):
    """Maps each dtype to a Kernel. All kernels of a Family have the same name and flags. Each Kernel is looked up in the
    library once; later look-ups are as fast as in a plain dict."""

    def __init__(self, name, **flags):
        super().__init__()
        self.name, self.flags = name, flags
        _families.append(self)

    def __missing__(self, dtype):
        with _lock:
            self[dtype] = found = kernel(self.name, dtype, **self.flags)
        return found


class Kernels(dict):
    """Maps the values of an operator's flags, in the order of `flags`, to a Family, which is made at its first use."""

    def __init__(self, name, *flags, family=Family):
        super().__init__()
        self.name, self.flags, self.family = name, flags, family

    def __missing__(self, values):
        self[values] = made = self.family(self.name, **dict(zip(self.flags, values)))
        return made

    def launch(self, values, dtype, dims, *args):
        """Launches the kernel. The arguments are in the order of spec.json; an argument that does not exist for these
        flags is None."""
        self[values][dtype](dims, *(arg for arg in args if arg is not None))


def use(source):
    """Sets the pack or database from which the operators come. source: a path, or a warptune.Library."""
    global _opened
    fresh = source if isinstance(source, Library) else open_library(source)
    with _lock:
        _opened = fresh
        for family in _families:
            family.clear()


def library():
    """Returns the library in use. If there is none, opens $WARPTUNE_DB or the user's own database."""
    global _opened
    with _lock:
        if _opened is None:
            _opened = open_library()
        return _opened


def kernel(name, dtype, **flags):
    """Returns the warptune.Kernel of an operator, for example to prefetch a shape or to explain a selection:
    kernel("softmax", torch.bfloat16, log=0)."""
    if dtype not in FLOATS:
        raise BadInput(f"{name}: there is no kernel for {dtype}; use one of {', '.join(map(str, FLOATS))}")
    return library().kernel(name, dtype=FLOATS[dtype], **flags)


# --- Past the dispatcher ----------------------------------------------------------------------------------------------

def _find_unwatched():
    """Returns a function that takes the tensors of a call, and returns whether the call may skip torch's dispatcher: no
    gradient, mode, transform or tensor subclass is active. If this version of torch does not show these states, the
    function always returns false."""
    c = torch._C
    try:
        watchers = (c._len_torch_dispatch_stack, c._len_torch_function_stack, c._are_functorch_transforms_active,
                    c._is_tracing)
    except AttributeError:
        return lambda *tensors: False
    return _make_unwatched((torch.Tensor, torch.nn.Parameter), torch.is_grad_enabled, watchers)


unwatched = _find_unwatched()

try:
    # Compiled code allocates with this function, which is 0.6 us faster than empty_like and 1.2 us faster than
    # new_empty. It supports only the current device, and takes only tuples.
    _empty_strided = torch._C._dynamo.guards._empty_strided_cuda
except AttributeError:
    _empty_strided = None


def empty(x, shape, stride, dtype):
    """Like torch.empty_strided, on x's device."""
    if _empty_strided is not None and x.get_device() == _current_device():
        return _empty_strided(shape, stride, dtype)
    return torch.empty_strided(shape, stride, dtype=dtype, device=x.device)


def row_major(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


# --- Registration -----------------------------------------------------------------------------------------------------

# A compiler must pass tensors with the same strides as eager code.
_TAGS = tuple(getattr(torch.Tag, name) for name in ("pt2_compliant_tag", "needs_exact_strides", "needs_fixed_stride_order")
              if hasattr(torch.Tag, name))[:2]
_library = torch.library.Library("warptune", "DEF")


class _Shortcut:
    """Replaces the torch.library.Library that register_autograd receives. That Library would call the dispatcher once
    more; this class calls the kernel function directly if no gradient is needed. The first `tensor_count` arguments
    are tensors, or None if the schema allows it."""

    def __init__(self, kernel_function, tensor_count):
        self.kernel_function, self.tensor_count = kernel_function, tensor_count

    def impl(self, name, autograd, key, **options):
        launch, count = self.kernel_function, self.tensor_count

        def shortcut(keyset, *args):
            return launch(*args) if unwatched(*args[:count]) else autograd(keyset, *args)

        _library.impl(name, shortcut, key, **options)


def tensor_count(schema):
    return schema.count("Tensor ") + schema.count("Tensor? ")


def define(name, schema, kernel_function, fake, setup_context=None, backward=None):
    """Registers an operator with this schema, in which all tensors come before the other arguments: the checks of whether
    the dispatcher can be bypassed read as many arguments as there are tensors."""
    is_tensor = [argument.startswith("Tensor") for argument in schema.partition(") ->")[0].strip("(").split(", ")]
    assert is_tensor == sorted(is_tensor, reverse=True), f"{name}{schema}: the tensors must come first"
    _library.define(name + schema, tags=_TAGS)
    _library.impl(name, kernel_function, "CUDA")
    qualified = "warptune::" + name
    torch.library.register_fake(qualified, fake, lib=_library)
    if backward is not None:
        torch.library.register_autograd(qualified, backward, setup_context=setup_context,
                                        lib=_Shortcut(kernel_function, tensor_count(schema)))
    return getattr(torch.ops.warptune, name).default


# --- softmax ----------------------------------------------------------------------------------------------------------

_softmax, _log_softmax = Family("softmax", log=0), Family("softmax", log=1)


def softmax_kernel(x, log):
    shape, dtype = tuple(x.shape), x.dtype
    launch = (_log_softmax if log else _softmax)[dtype]
    y = empty(x, shape, x.stride(), dtype)
    if 0 in shape:
        return y
    if len(shape) == 2:
        launch(x, y)
    else:
        cols = shape[-1] if shape else 1
        launch((math.prod(shape) // cols, cols), x, y)
    return y


def _softmax_setup(ctx, inputs, output):
    ctx.log = inputs[1]
    ctx.save_for_backward(output)


def _softmax_backward(ctx, grad):
    output, = ctx.saved_tensors
    if torch.is_grad_enabled():  # this gradient is differentiated too, and masked_softmax_backward has no derivative
        formula = torch.ops.aten._log_softmax_backward_data if ctx.log else torch.ops.aten._softmax_backward_data
        return formula(grad, output, -1 if output.dim() else 0, output.dtype), None
    return torch.ops.warptune.masked_softmax_backward.default(grad.contiguous(), output, "none", 1.0, ctx.log), None


softmax = define("softmax", "(Tensor x, bool log) -> Tensor", softmax_kernel, lambda x, log: torch.empty_like(x),
                 _softmax_setup, _softmax_backward)


# --- transpose --------------------------------------------------------------------------------------------------------

_transpose = Family("transpose")


def _transposed_shape(x):
    if x.dim() != 2:
        raise BadInput(f"transpose: x has {x.dim()} dims, but must be a matrix")
    rows, cols = x.shape
    return cols, rows


def transpose_kernel(x):
    shape = _transposed_shape(x)
    y = empty(x, shape, (shape[1], 1), x.dtype)
    if 0 not in shape:
        _transpose[x.dtype](aligned(x), y)
    return y


transpose = define("transpose", "(Tensor x) -> Tensor", transpose_kernel, lambda x: x.new_empty(_transposed_shape(x)),
                   lambda ctx, inputs, output: None, lambda ctx, grad: transpose(grad.contiguous()))


# --- reduce_sum -------------------------------------------------------------------------------------------------------

_reduce_sum = Family("reduce_sum")


def reduce_sum_kernel(x):
    count = x.numel()
    if not count:
        return x.new_zeros((), dtype=torch.float32)
    out = empty(x, (), (), torch.float32)
    _reduce_sum[x.dtype]((count,), x, out)
    return out


def _reduce_sum_setup(ctx, inputs, output):
    ctx.shape, ctx.dtype = inputs[0].shape, inputs[0].dtype


reduce_sum = define("reduce_sum", "(Tensor x) -> Tensor", reduce_sum_kernel,
                    lambda x: x.new_empty((), dtype=torch.float32), _reduce_sum_setup,
                    lambda ctx, grad: grad.to(ctx.dtype).expand(ctx.shape))


# --- axpy -------------------------------------------------------------------------------------------------------------

_axpy = Family("axpy")
_increment_version = torch.autograd.graph.increment_version


def _add_to(y, x, alpha):
    if x.shape != y.shape:
        raise BadInput(f"axpy: x has the shape {tuple(x.shape)} and y {tuple(y.shape)}; the shapes must be equal")
    count = x.numel()
    if count:
        _axpy[x.dtype]((count,), x, y, alpha)


def axpy_kernel(y, x, alpha):
    refuse_overlap("axpy_", y, x)
    _add_to(y, x, alpha)
    _increment_version(y)  # so that autograd detects the change of a saved tensor


def axpy_new_kernel(x, y, alpha):
    result = y.clone()
    _add_to(result, x, alpha)
    return result


def _axpy_setup(ctx, inputs, output):
    ctx.alpha = inputs[2]


axpy_ = define("axpy_", "(Tensor(a!) y, Tensor x, float alpha) -> ()", axpy_kernel, lambda y, x, alpha: None)
axpy = define("axpy", "(Tensor x, Tensor y, float alpha) -> Tensor", axpy_new_kernel,
              lambda x, y, alpha: torch.empty_like(y), _axpy_setup, lambda ctx, grad: (grad * ctx.alpha, grad, None))
