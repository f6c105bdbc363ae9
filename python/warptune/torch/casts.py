"""torch.ops.warptune.cast: rounds each element to another of the kernels' dtypes."""
import math

from ..errors import BadInput
from .arguments import aligned
from .operators import operator
from .ops import FLOATS, Kernels

_kernels = Kernels("elementwise", "function", "out")
_DTYPES = {name: dtype for dtype, name in FLOATS.items()}


def _name_of(dtype):
    if dtype not in FLOATS:
        raise BadInput(f"to: there is no kernel for {dtype}; use one of {', '.join(map(str, FLOATS))}")
    return FLOATS[dtype]


def _results(new, x, to):
    _name_of(x.dtype)
    if to not in _DTYPES:
        raise BadInput(f"to: there is no kernel for the result {to!r}; use one of {', '.join(_DTYPES)}")
    return new(x, x.shape, _DTYPES[to])


def _launch(y, x, to):
    if x.numel():  # x may be an incoming gradient
        _kernels.launch(("identity", to), x.dtype, (math.prod(x.shape[:-1]), x.shape[-1] if x.dim() else 1, 1), aligned(x), y)


def _setup(ctx, inputs, output):
    ctx.given = _name_of(inputs[0].dtype)


cast = operator("cast", "(Tensor x, str to) -> Tensor", _results, _launch, _setup,
                lambda ctx, dy: (cast(dy.contiguous(), ctx.given), None))


def to(input, dtype):
    """Like input.to(dtype), from and to torch.float32, float16 and bfloat16: each element is rounded to the nearest number,
    and the gradient is rounded to the dtype of the input. An input of this dtype is returned itself."""
    name = _name_of(dtype)
    return input if input.dtype == dtype else cast(input, name)
