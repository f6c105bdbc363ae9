"""Makes a torch operator from functions for its results, its launch and its gradient."""
import torch

from ..errors import BadInput
from .ops import define, empty, row_major, tensor_count, unwatched

_is_compiling = torch.compiler.is_compiling


def wants_gradient(*tensors):
    if torch.is_grad_enabled():
        for tensor in tensors:
            if tensor is not None and tensor.requires_grad:
                return True
    return False


def _new(x, shape, dtype=None, strides=None):
    if shape is None:
        return None
    shape = tuple(shape)
    return empty(x, shape, strides or row_major(shape), dtype or x.dtype)


def _registered_new(x, shape, dtype=None, strides=None):
    """Like _new, but if there is no shape, returns a tensor without elements, because the dispatcher accepts only
    tensors."""
    return _new(x, (0,), dtype) if shape is None else _new(x, shape, dtype, strides)


def _fake_new(x, shape, dtype=None, strides=None):
    if shape is None or strides is None:
        return x.new_empty((0,) if shape is None else shape, dtype=dtype or x.dtype)
    return x.new_empty_strided(shape, strides, dtype=dtype or x.dtype)


def operator(name, schema, results, launch, setup_context=None, backward=None):
    """Registers an operator, as define does, but from the two functions `results` and `launch`. Returns a function that
    bypasses torch's dispatcher if the dispatcher would have nothing to do.

    results(new, *args) checks the arguments, and returns the operator's results. It makes each result with new(x,
    shape, dtype=x.dtype, strides=None): a tensor on x's device, which is contiguous unless strides are given. If shape
    is None, new returns None or, for the dispatcher, a tensor without elements. launch(made, *args) writes the elements
    of the results.
    """
    def direct(*args):
        made = results(_new, *args)
        launch(made, *args)
        return made

    def dispatched(*args):
        made = results(_registered_new, *args)
        launch(made, *args)
        return made

    registered = define(name, schema, dispatched, lambda *args: results(_fake_new, *args), setup_context, backward)
    count = tensor_count(schema)

    def call(*args):
        if not _is_compiling() and unwatched(*args[:count]):
            return direct(*args)
        return registered(*args)

    return call


def no_gradient(message):
    """Returns a function for `setup_context` and `backward` of an operator that cannot be differentiated. It raises
    BadInput with this message."""
    def refuse(*args, **named):
        raise BadInput(message)

    return refuse
