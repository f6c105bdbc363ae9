"""Arguments of torch's functions that warptune's functions do not support (docs/python.md lists them)."""
import torch

from ..errors import BadInput

# Arguments that may be given with torch's default, because the result is then the same.
_DEFAULTS = {"out": None, "inplace": False, "size_average": None, "reduce": None, "_stacklevel": 3}


def refuse(function, x, given):
    """Raises BadInput for keyword arguments that the function does not support. A dtype may be given if it is that of x."""
    for name, value in given.items():
        if name in _DEFAULTS and value is _DEFAULTS[name]:
            continue
        if name != "dtype":
            raise BadInput(f"{function}: the argument {name!r} is not supported; docs/python.md lists the arguments")
        if value is not None and value != x.dtype:
            raise BadInput(f"{function}: dtype is {value}, but the result always has the dtype of the input, {x.dtype}")


def check_tensor(function, what, value):
    """Raises BadInput for an operand that is a number."""
    if not isinstance(value, torch.Tensor):
        raise BadInput(f"{function}: {what} is {value!r}, but must be a tensor; nothing is broadcast")
