"""PyTorch's computation for a problem of a memory-bound operator, and the buffers of warptune's kernel for it."""
import torch
import torch._functorch.config

torch._functorch.config.donated_buffer = False  # gradients_of keeps the graph, and runs a compiled backward pass many times

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
CUDA = torch.device("cuda")


def randn(*shape, dtype):
    return torch.empty(shape, dtype=dtype, device=CUDA).normal_()


def list_of(text):
    """Returns the sizes of a dim that is a list, or for spread(count, sum, largest, smallest) sizes with these numbers,
    which select the same operation."""
    numbers = [int(number) for number in text[text.index("(") + 1 if "(" in text else 1:-1].split(",")]
    if text.startswith("["):
        return numbers
    count, rest = numbers[0], numbers[1:]
    if text.startswith("equal("):
        return count * rest
    if not text.startswith("spread("):
        raise ValueError(f"{text}: use a list, equal(...) or spread(...)")
    total, most, least = rest
    others = count - 2
    share, larger = divmod(total - most - least, others) if others > 0 else (0, 0)
    return ([most] + [share + (i < larger) for i in range(others)] + [least])[:count]


def rows_like(rows):
    return torch.empty(rows, dtype=torch.float32, device=CUDA)


def gradients_of(forward, inputs, grads):
    """Returns a call that computes the gradients of `forward` from its outputs, which are computed once."""
    outputs = forward(*inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    wanted = [tensor for tensor in inputs if tensor.requires_grad]
    return lambda: torch.autograd.grad(outputs, wanted, grads, retain_graph=True)


class Problem:
    """ours: the arguments of the warptune kernel, or a function that computes them and counts in its time; forward:
    PyTorch's function of inputs; grads: for a backward pass; eager: a call that replaces `forward`."""

    def __init__(self, ours, forward, inputs, written, grads=None, eager=None):
        self.ours, self.forward, self.inputs, self.written, self.grads = ours, forward, inputs, written, grads
        self.eager = eager

    def calls(self):
        """Returns calls of PyTorch, keyed by name."""
        torch._dynamo.reset()  # otherwise torch.compile stops compiling a function after eight shapes
        compiled = torch.compile(self.forward, dynamic=False)
        if self.grads is None:
            return {"eager": self.eager or (lambda: self.forward(*self.inputs)), "compiled": lambda: compiled(*self.inputs)}
        return {"eager": gradients_of(self.forward, self.inputs, self.grads),
                "compiled": gradients_of(compiled, self.inputs, self.grads)}
