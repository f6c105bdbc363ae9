"""What operators_figures.py compares: for each operator, the tensors of a problem, the call of the warptune kernel, and the
same computation in PyTorch."""
from functools import partial

import torch
import torch._functorch.config
import torch.nn.functional as F

torch._functorch.config.donated_buffer = False  # gradients_of keeps the graph, and runs a compiled backward pass many times

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
CUDA = torch.device("cuda")


def randn(*shape, dtype):
    return torch.empty(shape, dtype=dtype, device=CUDA).normal_()


def rows_like(rows):
    return torch.empty(rows, dtype=torch.float32, device=CUDA)


def gradients_of(forward, inputs, grads):
    """A call that computes the gradients of `forward` from its outputs, which are made once."""
    outputs = forward(*inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    wanted = [tensor for tensor in inputs if tensor.requires_grad]
    return lambda: torch.autograd.grad(outputs, wanted, grads, retain_graph=True)


class Problem:
    """ours: the arguments of the warptune kernel; forward: what PyTorch computes of inputs; grads: for a backward pass;
    before: what must run before each call of the kernel, in its time; eager: a call that is used instead of `forward`."""

    def __init__(self, ours, forward, inputs, written, grads=None, before=None, eager=None):
        self.ours, self.forward, self.inputs, self.written, self.grads = ours, forward, inputs, written, grads
        self.before, self.eager = before, eager

    def calls(self):
        """name -> a call of PyTorch."""
        torch._dynamo.reset()  # or it gives up compiling after eight shapes of a function
        compiled = torch.compile(self.forward, dynamic=False)
        if self.grads is None:
            return {"eager": self.eager or (lambda: self.forward(*self.inputs)), "compiled": lambda: compiled(*self.inputs)}
        return {"eager": gradients_of(self.forward, self.inputs, self.grads),
                "compiled": gradients_of(compiled, self.inputs, self.grads)}


def norm(cols, flags):
    """The norm as a function of x and the parameters that exist: weight, bias, residual."""
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
    """The columns that causal rows do not see, or None."""
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


REDUCTIONS = {
    "sum": torch.sum, "mean": torch.mean, "prod": torch.prod, "max": torch.amax, "min": torch.amin, "variance": torch.var,
    "argmax": torch.argmax, "argmin": torch.argmin, "l1_norm": lambda x, dim: torch.linalg.vector_norm(x, 1, dim),
    "l2_norm": lambda x, dim: torch.linalg.vector_norm(x, 2, dim)}


def reduce(dims, dtype, flags):
    outer, n, inner = (dims[name] for name in ("outer", "n", "inner"))
    x = randn(*(size for size in (outer,) if size > 1), n, *(size for size in (inner,) if size > 1), dtype=dtype)
    dim, op = int(outer > 1), REDUCTIONS[flags["op"]]
    y = torch.empty(outer * inner, dtype=torch.int64 if flags["op"].startswith("arg") else dtype, device=CUDA)
    return Problem((x, y, *([1.0] if flags["op"] == "variance" else [])), lambda v: op(v, dim), (x,), y.nbytes)


NARROW = {"int8": torch.int8, "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}


def quantise(dims, dtype, flags):
    x, narrow, given = randn(dims["rows"], dims["cols"], dtype=dtype), NARROW[flags["to"]], flags["scaling"] == "given"
    is_int = narrow == torch.int8
    largest = 127.0 if is_int else torch.finfo(narrow).max
    scale, y = torch.full((1,), 0.03125, device=CUDA), torch.empty(x.shape, dtype=narrow, device=CUDA)

    def forward(v, scale):
        scales = scale if given else (v.abs().amax(1, keepdim=True).float() / largest).clamp(min=2.0 ** -23)
        v = v.float() / scales
        return (v.round() if is_int else v).clamp(-largest, largest).to(narrow), scales
    ours = (x, scale, y) if given else (x, y, rows_like(dims["rows"]), 2.0 ** -23)
    return Problem(ours, forward, (x, scale), y.nbytes)


def dequantise(dims, dtype, flags):
    rows, cols = dims["rows"], dims["cols"]
    x = randn(rows, cols, dtype=torch.float32).mul_(32).clamp_(-127, 127).to(NARROW[flags["from"]])
    scales = torch.rand(1 if flags["scaling"] == "given" else rows, device=CUDA)
    y = torch.empty(rows, cols, dtype=dtype, device=CUDA)
    return Problem((x, scales, y), lambda v, s: (v.float() * s[:, None]).to(dtype), (x, scales), y.nbytes)


def permute(dims, dtype, flags):
    del flags
    x = randn(*(dims[name] for name in ("batch", "rows", "cols", "run")), dtype=dtype)
    return Problem((x, torch.empty_like(x)), lambda v: v.transpose(1, 2).contiguous(), (x,), x.nbytes)


FUNCTIONS = {"identity": lambda x: x, "gelu_tanh": partial(F.gelu, approximate="tanh"), "sigmoid": torch.sigmoid, "tanh": torch.tanh,
             **{name: getattr(F, name) for name in ("relu", "leaky_relu", "elu", "selu", "gelu", "silu", "hardsigmoid", "hardtanh",
                                                    "softplus", "softsign")}}
SETTINGS = {"leaky_relu": (0.01,), "elu": (1.0,), "softplus": (1.0, 20.0), "hardtanh": (-1.0, 1.0)}


def chain(flags, out):
    """function(x + bias), plus or times other, in the dtype `out`."""
    def forward(x, *rest):
        rest = list(rest)
        y = FUNCTIONS[flags["function"]](x + rest.pop(0) if flags["bias"] != "none" else x)
        if flags["other"] != "none":
            y = y + rest.pop(0) if flags["other"] == "add" else y * rest.pop(0)
        return y.clone() if y is x and y.dtype == out else y.to(out)
    return forward


def bias_of(dims, dtype, flags):
    shape = {"none": None, "columns": (dims["cols"],), "rows": (dims["rows"], 1)}[flags["bias"]]
    return [] if shape is None else [randn(*shape, dtype=dtype)]


def elementwise(dims, dtype, flags):
    shape, out = (dims["batch"], dims["rows"], dims["cols"]), DTYPES.get(flags["out"], dtype)
    x, bias, y = randn(*shape, dtype=dtype), bias_of(dims, dtype, flags), torch.empty(shape, dtype=out, device=CUDA)
    other = [] if flags["other"] == "none" else [randn(*shape, dtype=dtype)]
    return Problem((x, *bias, *other, y, *SETTINGS.get(flags["function"], ())), chain(flags, out), (x, *bias, *other), y.nbytes)


def elementwise_backward(dims, dtype, flags):
    shape, is_gated = (dims["batch"], dims["rows"], dims["cols"]), flags["other"] == "mul"
    x, dy, bias = randn(*shape, dtype=dtype).requires_grad_(), randn(*shape, dtype=dtype), bias_of(dims, dtype, flags)
    other = [randn(*shape, dtype=dtype).requires_grad_()] if is_gated else []
    results = [torch.empty_like(dy) for _ in (x, *other)]
    return Problem((dy, x.detach(), *bias, *(gate.detach() for gate in other), *results, *SETTINGS.get(flags["function"], ())),
                   chain(flags, dtype), (x, *bias, *other), len(results) * x.nbytes, (dy,))


def turned(x, cosines, sines, flags):
    """The rotary embedding of the last dimension, in the dtype of x."""
    half = cosines.shape[-1]
    if flags["pairs"] == "halves":
        a, b = x[..., :half], x[..., half:2 * half]
    else:
        a, b = x[..., :2 * half:2], x[..., 1:2 * half:2]
    parts = (a * cosines - b * sines, b * cosines + a * sines)
    y = torch.cat(parts, -1) if flags["pairs"] == "halves" else torch.stack(parts, -1).flatten(-2)
    return torch.cat((y.to(x.dtype), x[..., 2 * half:]), -1)


def rotary(dims, dtype, flags):
    batch, seq, head_dim = dims["batch"], dims["seq"], dims["head_dim"]
    rows, half = dims["length"] or seq, (dims["rotated"] or head_dim) // 2
    heads = [randn(batch, seq, count, head_dim, dtype=dtype) for count in (dims["q_heads"], dims["k_heads"]) if count]
    tables = [randn(rows, half, dtype=torch.float32 if flags["table"] == "fp32" else dtype) for _ in range(2)]
    positions = [torch.randint(rows, (batch, seq), device=CUDA)] if flags["positions"] else []

    def forward(cosines, sines, *rest):
        rest = list(rest)
        if flags["positions"]:
            at = rest.pop(0)
            cosines, sines = cosines[at], sines[at]
        sines = -sines if flags["inverse"] else sines
        return tuple(turned(x, cosines.unsqueeze(-2), sines.unsqueeze(-2), flags) for x in rest)
    results = [torch.empty_like(x) for x in heads]
    return Problem((*heads, *tables, *positions, *results), forward, (*tables, *positions, *heads), sum(x.nbytes for x in heads))


INTEGERS = {"int64": torch.int64, "int32": torch.int32}


def embedding(dims, dtype, flags):
    batch, tokens, rows, cols = (dims[name] for name in ("batch", "tokens", "rows", "cols"))
    shape = (batch, rows, cols) if batch > 1 else (rows, cols)
    table, ids = randn(*shape, dtype=dtype), torch.randint(rows, (tokens,), device=CUDA, dtype=INTEGERS[flags["index"]])
    y = torch.empty(batch * tokens, cols, dtype=dtype, device=CUDA)
    forward = (lambda t, i: F.embedding(i, t)) if batch == 1 else (lambda t, i: torch.index_select(t, 1, i))
    return Problem((table, ids, y), forward, (table, ids), y.nbytes)


def embedding_backward(dims, dtype, flags):
    """Our time includes sorting the indices, as PyTorch's does."""
    tokens, rows, cols = (dims[name] for name in ("tokens", "rows", "cols"))
    ids = torch.randint(rows, (tokens,), device=CUDA, dtype=INTEGERS[flags["index"]])
    ids[torch.randperm(tokens, device=CUDA)[:tokens // 16]] = rows // 8
    padding = rows - 1 if flags["padding"] else None
    table, dy = randn(rows, cols, dtype=dtype).requires_grad_(), randn(tokens, cols, dtype=dtype)
    found = torch.sort(ids, stable=True)
    return Problem((dy, *found, torch.empty_like(table).detach(), *([] if padding is None else [padding])),
                   lambda t: F.embedding(ids, t, padding), (table,), table.nbytes, (dy,),
                   before=lambda: torch.sort(ids, stable=True, out=tuple(found)))


STEP = {"rate": 1e-3, "decay": 0.01, "scale": 1.0, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "correction1": 0.1, "correction2": 1e-3}


def fused_step(flags, weights, grads, params):
    """torch.optim with fused=True; with a master copy also the casts to and from it."""
    names = {"lr": STEP["rate"], "weight_decay": STEP["decay"], "fused": True}
    optimiser = {"adamw": partial(torch.optim.AdamW, **names), "adam": partial(torch.optim.Adam, **names),
                 "sgd": partial(torch.optim.SGD, momentum=0.9, **names),
                 "nesterov": partial(torch.optim.SGD, momentum=0.9, nesterov=True, **names)}[flags["rule"]]([weights])

    def step():
        weights.grad = grads.to(weights.dtype)
        optimiser.step()
        for copy in params:
            copy.copy_(weights)
    return step


def adam(dims, dtype, flags):
    n, is_adam = dims["n"], flags["rule"].startswith("adam")
    grads = randn(n, dtype=torch.float32 if flags["grads"] == "fp32" else dtype)
    weights = randn(n, dtype=torch.float32 if flags["master"] else dtype)
    means = [torch.zeros(n, dtype=torch.float32 if flags["state"] == "fp32" else dtype, device=CUDA) for _ in range(1 + is_adam)]
    params = [torch.empty(n, dtype=dtype, device=CUDA)] if flags["master"] else []

    def forward(g, w, *states):
        wide, m = w.float(), states[0].float()
        g = g.float() + (0 if flags["rule"] == "adamw" else STEP["decay"] * wide)
        if is_adam:
            wide = wide * (1 - STEP["rate"] * STEP["decay"] if flags["rule"] == "adamw" else 1)
            m, v = 0.9 * m + 0.1 * g, 0.999 * states[1].float() + 0.001 * g * g
            wide = wide - STEP["rate"] / STEP["correction1"] * m / ((v / STEP["correction2"]).sqrt() + STEP["eps"])
            states[1].copy_(v)
        else:
            m = 0.9 * m + g
            wide = wide - STEP["rate"] * (g + 0.9 * m if flags["rule"] == "nesterov" else m)
        states[0].copy_(m)
        for to in (w, *params):
            to.copy_(wide)
    numbers = [STEP[name] for name in list(STEP)[:8 if is_adam else 3]] + ([] if is_adam else [0.9])
    if flags["rule"] == "sgd":
        numbers.append(0.0)
    return Problem((grads, weights, *means, *params, *numbers), forward, (grads, weights, *means),
                   sum(x.nbytes for x in (weights, *means, *params)), eager=fused_step(flags, weights.clone(), grads, params))


LOSSES = {"mse": F.mse_loss, "l1": F.l1_loss, "smooth_l1": F.smooth_l1_loss, "huber": F.huber_loss, "kl_div": F.kl_div,
          "kl_div_log": partial(F.kl_div, log_target=True), "bce_with_logits": F.binary_cross_entropy_with_logits,
          "hinge_embedding": F.hinge_embedding_loss}
SETTINGS_OF_LOSS = ("smooth_l1", "huber", "hinge_embedding")


def loss_of(dims, dtype, flags):
    """x, a target, and the loss as a function of both; sum / rows is written out where PyTorch has no batchmean."""
    x, target = (torch.rand(dims["rows"], dims["cols"], device=CUDA).to(dtype) for _ in range(2))
    function, is_batchmean = LOSSES[flags["function"]], flags["reduction"] == "batchmean"

    def forward(v, t):
        y = function(v, t, reduction="sum" if is_batchmean else flags["reduction"])
        y = y / dims["rows"] if is_batchmean else y
        return y.float() if flags["out"] == "fp32" else y
    return x, target, forward


def loss(dims, dtype, flags):
    x, target, forward = loss_of(dims, dtype, flags)
    y = torch.empty_like(forward(x, target))
    return Problem((x, target, y.reshape(-1), *([1.0] if flags["function"] in SETTINGS_OF_LOSS else [])), forward, (x, target), y.nbytes)


def loss_backward(dims, dtype, flags):
    x, target, forward = loss_of(dims, dtype, flags)
    dloss = torch.ones_like(forward(x, target))
    return Problem((dloss.reshape(-1), x, target, torch.empty_like(x), *([1.0] if flags["function"] in SETTINGS_OF_LOSS else [])),
                   lambda v: forward(v, target), (x.clone().requires_grad_(),), x.nbytes, (dloss,))


def scan(dims, dtype, flags):
    x = randn(dims["rows"], dims["cols"], dtype=dtype)
    function, first = (torch.cumsum, 0) if flags["op"] == "sum" else (torch.cumprod, 1)

    def forward(v):
        v = v.flip(1) if flags["reverse"] else v
        y = function(F.pad(v, (1, 0), value=first)[:, :-1] if flags["exclusive"] else v, 1)
        return y.flip(1) if flags["reverse"] else y
    return Problem((x, torch.empty_like(x)), forward, (x,), x.nbytes)


OPERATORS = {make.__name__: make for make in (row_norm, row_norm_backward, cross_entropy, cross_entropy_backward,
                                              masked_softmax, masked_softmax_backward, reduce, quantise, dequantise,
                                              permute, elementwise, elementwise_backward, rotary, embedding,
                                              embedding_backward, adam, loss, loss_backward,
                                              scan)}
