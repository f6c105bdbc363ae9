"""torch.ops.warptune.rotary: rotary position embedding of q and k in one launch. Its gradient is the inverse rotation."""
import torch

from ..errors import BadInput
from .arguments import aligned
from .operators import operator
from .ops import Kernels

_kernels = Kernels("rotary", "pairs", "inverse", "positions", "table")


def _shapes(*tensors):
    return " and ".join("none" if x is None else str(tuple(x.shape)) for x in tensors)


def _results(new, q, k, cosines, sines, positions, pairs, inverse):
    if q.dim() != 4 or k is not None and (k.dim() != 4 or k.shape[:2] != q.shape[:2] or k.shape[3] != q.shape[3]):
        raise BadInput(f"rotary: q and k have the shapes {_shapes(q, k)}, but must be (batch, seq, heads, head_dim), and may differ only in the heads")
    if not q.shape[2]:
        raise BadInput(f"rotary: q has the shape {tuple(q.shape)}, but must have at least one head")
    if cosines.dim() != 2 or cosines.shape != sines.shape or not 0 < 2 * cosines.shape[1] <= q.shape[3]:
        raise BadInput(f"rotary: cosines and sines have the shapes {_shapes(cosines, sines)}, but both must be (length, r / 2), "
                       f"where r is the number of rotated elements of a head, at most {q.shape[3]}")
    if positions is None and cosines.shape[0] < q.shape[1]:
        raise BadInput(f"rotary: cosines and sines have {cosines.shape[0]} rows for {q.shape[1]} tokens; give more rows, or give positions")
    if positions is not None and (positions.shape != q.shape[:2] or positions.dtype != torch.int64):
        raise BadInput(f"rotary: positions is {positions.dtype} of the shape {tuple(positions.shape)}, but must be torch.int64 of "
                       f"{tuple(q.shape[:2])}")
    return new(q, q.shape), new(q, None if k is None else k.shape)


def _launch(made, q, k, cosines, sines, positions, pairs, inverse):
    batch, seq, q_heads, head_dim = q.shape
    if not q.numel():
        return
    k = k if k is not None and k.shape[2] else None  # the kernel then gets no k
    (length, half), table = cosines.shape, "fp32" if cosines.dtype == torch.float32 else "same"
    dims = (seq, q_heads, 0 if k is None else k.shape[2], head_dim, batch, 0 if 2 * half == head_dim else 2 * half,
            0 if length == seq else length)
    _kernels.launch((pairs, inverse, positions is not None, table), q.dtype, dims, aligned(q), aligned(k), cosines,
                    sines, positions, made[0], None if k is None else made[1])


def _setup(ctx, inputs, output):
    _, k, cosines, sines, positions, ctx.pairs, ctx.inverse = inputs
    ctx.has_k = k is not None
    if not ctx.has_k:
        ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(cosines, sines, positions)


def _gradient(ctx, dq, dk):
    if any(ctx.needs_input_grad[2:4]):
        raise BadInput("rotary: cosines and sines have no gradient; detach them")
    found = rotary_op(dq.contiguous(), dk.contiguous() if ctx.has_k else None, *ctx.saved_tensors, ctx.pairs, not ctx.inverse)
    return found[0], found[1] if ctx.has_k else None, None, None, None, None, None


rotary_op = operator("rotary", "(Tensor q, Tensor? k, Tensor cosines, Tensor sines, Tensor? positions, str pairs, bool inverse) -> "
                     "(Tensor, Tensor)", _results, _launch, _setup, _gradient)


def rotary(q, k, cosines, sines, positions=None, *, pairs="halves"):
    """Rotates pairs of elements in each head of q and k. Both have the shape (batch, seq, heads, head_dim); k may have
    a different number of heads, or be None.
    Returns the rotated (q, k), or only q if k is None.

    cosines, sines: tables of the shape (length, half), in float32 or q's dtype. The first 2 * half elements of a head
    are rotated, and the others are copied. positions: the row of the tables for each token, in int64, of the shape
    (batch, seq); None: token t uses row t.
    pairs: "halves" (elements i and half + i: GPT-NeoX, Llama) or "neighbours" (2 i and 2 i + 1: GPT-J).
    """
    if pairs not in ("halves", "neighbours"):
        raise BadInput(f"rotary: pairs is {pairs!r}; use 'halves' or 'neighbours'")
    rotated = rotary_op(q, k, cosines, sines, positions, pairs, False)
    return rotated[0] if k is None else rotated
