"""torch.ops.warptune.normalise: vectors along one or several neighbouring dims, divided by their norm, and the gradient."""
import math

import torch

from ..errors import BadInput
from .arguments import aligned, dims_of, refuse, sizes_around
from .images import in_memory, layout_of
from .operators import no_gradient, operator, wants_gradient
from .ops import Kernels

_forward = Kernels("normalise", "order", "norms")
_backward = Kernels("normalise_backward", "order")
_ORDERS = {1: "l1", 2: "l2", math.inf: "max"}


def _sizes(shape, dims):
    return sizes_around(shape, dims, "normalize: {}; the kernel normalises only along neighbouring dims. Permute the input first")


def _results(new, x, dims, order, eps, with_norms):
    kept = [1 if dim in dims else size for dim, size in enumerate(x.shape)]
    return new(x, x.shape), new(x, kept if with_norms else None, torch.float32)


def _launch(made, x, dims, order, eps, with_norms):
    y, norms = made
    if x.numel():
        _forward.launch((order, with_norms), x.dtype, _sizes(x.shape, dims), x, y, norms if with_norms else None, eps)


def _setup(ctx, inputs, output):
    x, ctx.dims, ctx.order, ctx.eps, with_norms = inputs
    if not with_norms:
        raise BadInput("torch.ops.warptune.normalise has a gradient only with with_norms=True")
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(x, output[1])


def _gradient(ctx, dy, *_):
    return normalise_backward(dy.contiguous(), *ctx.saved_tensors, ctx.dims, ctx.order, ctx.eps), None, None, None, None


normalise = operator("normalise", "(Tensor x, int[] dims, str order, float eps, bool with_norms) -> (Tensor, Tensor)", _results,
                     _launch, _setup, _gradient)


def _backward_launch(dx, dy, x, norms, dims, order, eps):
    if x.numel():
        _backward.launch((order,), x.dtype, _sizes(x.shape, dims), aligned(dy), x, norms, dx, eps)


normalise_backward = operator(
    "normalise_backward", "(Tensor dy, Tensor x, Tensor norms, int[] dims, str order, float eps) -> Tensor",
    lambda new, dy, x, *_: new(x, x.shape), _backward_launch, backward=no_gradient("normalize has no second derivative"))


def normalize(input, p=2.0, dim=1, eps=1e-12, **unsupported):
    """Like torch.nn.functional.normalize, for p = 1, 2 or infinity: input / max(norm, eps).

    dim: also a tuple of neighbouring dims, which are normalised together. With p=2, (-2, -1) divides each matrix by its
    Frobenius norm, and None divides the whole tensor. The norms are computed and kept in fp32, whatever the dtype. Images may
    have the memory format channels_last, which the result then has, too.
    """
    if unsupported:
        refuse("normalize", input, unsupported)
    if not isinstance(p, (int, float)) or p not in _ORDERS:
        raise BadInput(f"normalize: p is {p!r}; the kernel computes the norms 1, 2 and infinity")
    dims, order, count = dims_of("normalize", input, dim), _ORDERS[p], input.dim()
    if count < 3 or input.is_contiguous() or layout_of("normalize", input) == "nchw":
        return normalise(input, dims, order, float(eps), wants_gradient(input))[0]
    places = [0, count - 1, *range(1, count - 1)]  # of the dims of the input in memory
    inside = in_memory(input, "nhwc")
    y, _ = normalise(inside, sorted(places[dim] for dim in dims), order, float(eps), wants_gradient(input))
    return y.permute(*places)
