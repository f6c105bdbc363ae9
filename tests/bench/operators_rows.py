"""Row operators in PyTorch."""
import torch
import torch.nn.functional as F

from operators_problem import CUDA, Problem, randn, rows_like

NARROW = {"int8": torch.int8, "e4m3": torch.float8_e4m3fn}


def norm(cols, flags):
    """Returns the norm as a function of x and the existing parameters: weight, bias, residual."""
    def forward(x, *rest):
        rest = list(rest)
        weight = rest.pop(0) if flags["weight"] else None
        bias = rest.pop(0) if flags["bias"] else None
        total = x + rest.pop(0) if flags["residual"] else x
        y = F.layer_norm(total, (cols,), weight, bias) if flags["norm"] == "layer" else F.rms_norm(total, (cols,), weight, 1e-5)
        return (y, total) if flags["residual"] else y
    return forward


def row_norm(dims, dtype, flags):
    rows, cols = dims["rows"], dims["cols"]
    x, y = randn(rows, cols, dtype=dtype), torch.empty(rows, cols, dtype=dtype, device=CUDA)
    residual = [randn(rows, cols, dtype=dtype)] if flags["residual"] else []
    columns = [randn(cols, dtype=dtype) for name in ("weight", "bias") if flags[name]]
    sums = [torch.empty_like(x) for _ in residual]
    return Problem((x, *residual, *columns, y, *sums, 1e-5), norm(cols, flags), (x, *columns, *residual),
                   (1 + flags["residual"]) * y.nbytes)


def row_norm_backward(dims, dtype, flags):
    rows, cols = dims["rows"], dims["cols"]
    x, dy = randn(rows, cols, dtype=dtype).requires_grad_(), randn(rows, cols, dtype=dtype)
    columns = [randn(cols, dtype=dtype).requires_grad_() for name in ("weight", "bias") if flags[name]]
    dsum = [randn(rows, cols, dtype=dtype)] if flags["residual"] else []
    wide = x.detach().float()
    is_layer = flags["norm"] == "layer"
    mean = [wide.mean(1)] if is_layer else []
    rstd = torch.rsqrt((wide.var(1, correction=0) if is_layer else wide.square().mean(1)) + 1e-5)
    results = [torch.empty_like(x), *(torch.empty_like(column) for column in columns)]
    residual = [torch.zeros_like(x)] if flags["residual"] else []
    return Problem((dy, x.detach(), *(column.detach() for column in columns[:flags["weight"]]), *mean, rstd, *dsum,
                    *(result.detach() for result in results)),
                   norm(cols, flags), (x, *columns, *residual), x.nbytes, (dy, *dsum))


def row_norm_quantise(dims, dtype, flags):
    rows, cols = dims["rows"], dims["cols"]
    x, narrow = randn(rows, cols, dtype=dtype), NARROW[flags["to"]]
    residual = [randn(rows, cols, dtype=dtype)] if flags["residual"] else []
    columns = [randn(cols, dtype=dtype) for name in ("weight", "bias") if flags[name]]
    y, sums, normalise = torch.empty(rows, cols, dtype=narrow, device=CUDA), [torch.empty_like(x) for _ in residual], norm(cols, flags)
    largest = 127.0 if narrow == torch.int8 else torch.finfo(narrow).max

    def forward(*inputs):
        normalised, *total = normalise(*inputs) if residual else (normalise(*inputs),)
        scales = (normalised.abs().amax(1, keepdim=True).float() / largest).clamp(min=2.0 ** -23)
        v = normalised.float() / scales
        return (v.round() if narrow == torch.int8 else v).clamp(-largest, largest).to(narrow), scales, *total
    return Problem((x, *residual, *columns, y, rows_like(rows), *sums, 1e-5, 2.0 ** -23), forward, (x, *columns, *residual),
                   y.nbytes + sum(v.nbytes for v in sums))


ORDERS = {"l2": 2.0, "l1": 1.0, "max": float("inf")}


def vectors_of(dims, dtype):
    """Returns an input of normalise, and the dim that is normalised."""
    outer, n, inner = (dims[name] for name in ("outer", "n", "inner"))
    x = randn(*(size for size in (outer,) if size > 1), n, *(size for size in (inner,) if size > 1), dtype=dtype)
    return x, int(outer > 1)


def normalise(dims, dtype, flags):
    x, dim = vectors_of(dims, dtype)
    y, norms = torch.empty_like(x), [rows_like(dims["outer"] * dims["inner"])] if flags["norms"] else []
    return Problem((x, y, *norms, 1e-12), lambda v: F.normalize(v, ORDERS[flags["order"]], dim), (x,), y.nbytes)


def normalise_backward(dims, dtype, flags):
    x, dim = vectors_of(dims, dtype)
    p, dy = ORDERS[flags["order"]], randn(*x.shape, dtype=dtype)
    norms = torch.linalg.vector_norm(x, p, dim, dtype=torch.float32)
    return Problem((dy, x, norms, torch.empty_like(x), 1e-12), lambda v: F.normalize(v, p, dim), (x.clone().requires_grad_(),), x.nbytes, (dy,))


def cross_entropy(dims, dtype, flags):
    rows, cols = dims["rows"], dims["cols"]
    x, target = randn(rows, cols, dtype=dtype), torch.randint(cols, (rows,), device=CUDA)
    share = 0.1 if flags["smoothing"] else 0.0
    forward = lambda v, t: F.cross_entropy(v, t, reduction="none", label_smoothing=share)
    return Problem((x, target, rows_like(rows), rows_like(rows), share, -100), forward, (x, target), 8 * rows)


def cross_entropy_backward(dims, dtype, flags):
    rows, cols = dims["rows"], dims["cols"]
    x, target = randn(rows, cols, dtype=dtype).requires_grad_(), torch.randint(cols, (rows,), device=CUDA)
    share = 0.1 if flags["smoothing"] else 0.0
    grads = torch.rand(rows, device=CUDA)
    lse = torch.cat([torch.logsumexp(part.float(), 1) for part in x.detach().split(1024)])
    return Problem((grads, x.detach(), target, lse, torch.empty_like(x).detach(), share, -100),
                   lambda v: F.cross_entropy(v, target, reduction="none", label_smoothing=share), (x,), x.nbytes,
                   (grads.to(dtype),))


def mask_of(dims, dtype, flags):
    shape = (dims["batch"], 1, 1 if flags["mask_rows"] == "one" else dims["rows"], dims["cols"])
    if flags["mask"] == "none":
        return None
    return torch.rand(shape, device=CUDA) < 0.9 if flags["mask"] == "bool" else randn(*shape, dtype=dtype)


def hidden(dims, flags):
    """Returns the columns that the causal mask hides from each row, or None."""
    if flags["causal"] == "none":
        return None
    offset = dims["cols"] - dims["rows"] if flags["causal"] == "lower_right" else 0
    return torch.ones(dims["rows"], dims["cols"], dtype=torch.bool, device=CUDA).triu(1 + offset)


def softmax_of(log, mask, unseen):
    def forward(x):
        x = x * 0.5
        if mask is not None:
            x = x.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else x + mask
        if unseen is not None:
            x = x.masked_fill(unseen, float("-inf"))
        return torch.log_softmax(x, -1) if log else torch.softmax(x, -1)
    return forward


def masked_softmax(dims, dtype, flags):
    x = randn(dims["batch"], dims["heads"], dims["rows"], dims["cols"], dtype=dtype)
    mask, y = mask_of(dims, dtype, flags), torch.empty_like(x)
    return Problem((x, *([] if mask is None else [mask]), y, 0.5), softmax_of(flags["log"], mask, hidden(dims, flags)), (x,),
                   y.nbytes)


def masked_softmax_backward(dims, dtype, flags):
    x = randn(dims["batch"], dims["rows"], dims["cols"], dtype=dtype).requires_grad_()
    forward, dy = softmax_of(flags["log"], None, hidden(dims, flags)), randn(*x.shape, dtype=dtype)
    return Problem((dy, forward(x).detach(), torch.empty_like(x).detach(), 0.5), forward, (x,), x.nbytes, (dy,))
