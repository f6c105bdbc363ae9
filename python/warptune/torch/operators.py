"""How an operator is made of a kernel: its results, its launch and its gradient."""
import torch

from ..errors import BadInput
from .ops import define, empty, row_major, tensor_count, unwatched


def wants_gradient(*tensors):
    if torch.is_grad_enabled():
        for tensor in tensors:
            if tensor is not None and tensor.requires_grad:
                return True
    return False


def _new(x, shape, dtype=None):
    shape = tuple(shape)
    return empty(x, shape, row_major(shape), dtype or x.dtype)


def _fake_new(x, shape, dtype=None):
    return x.new_empty(shape, dtype=dtype or x.dtype)


def operator(name, schema, results, launch, setup_context=None, backward=None):
    """As define, from two functions. Returns a function that bypasses the dispatcher if it would have nothing to do.

    results(new, *args) checks the arguments, and makes what the operator returns with new(x, shape, dtype=x.dtype):
    contiguous tensors on x's device. launch(made, *args) writes their elements.
    """
    def kernel_function(*args):
        made = results(_new, *args)
        launch(made, *args)
        return made

    registered = define(name, schema, kernel_function, lambda *args: results(_fake_new, *args), setup_context, backward)
    count = tensor_count(schema)

    def call(*args):
        if not torch.compiler.is_compiling() and unwatched(*args[:count]):
            return kernel_function(*args)
        return registered(*args)

    return call


def no_gradient(message):
    """For `setup_context` and `backward` of an operator that cannot be differentiated."""
    def refuse(*args, **named):
        raise BadInput(message)

    return refuse
