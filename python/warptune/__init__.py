"""Tuned GPU kernels from Python: opens packs, selects kernels for shapes, launches them on tensors of any library,
and tunes kernels.

    lib = warptune.open("ops.wtpack")
    softmax = lib.kernel("softmax", dtype="bf16")
    softmax(x, y)                       # torch, CuPy, JAX: anything with __dlpack__ or __cuda_array_interface__

Operators for torch, with autograd and under torch.compile: warptune.torch. docs/python.md describes everything.
"""
from ._core import Address, Explanation, Kernel, Library, Operation
from ._core import _open, version
from .errors import (BadInput, DatabaseError, Error, InternalError, Interrupted, NoCandidate, NoDevice, NotReady,
                     Status)
from .tuning import TuneResult, pack, program, tune

__version__ = version()
__all__ = ["open", "Library", "Kernel", "Operation", "Explanation", "Address", "tune", "pack", "program", "TuneResult", "version",
           "Status", "Error", "BadInput", "NoDevice", "NoCandidate", "DatabaseError", "InternalError", "NotReady",
           "Interrupted"]


def open(path=None, *, jit=None, misses=None):  # noqa: A001 - warptune.open reads as what it does
    """Opens a pack or a tuning database and returns a Library. Needs no device.

    path: the file; None: $WARPTUNE_DB or, if that is not set, the user's own database. If this database does not
        exist yet, shipped kernels run untuned.
    jit: whether to compile cubins that the file lacks; None: yes for a database, no for a pack.
    misses: a file to which each untuned shape is added when it is first selected; "off": no file. None: $WARPTUNE_MISSES;
        if this variable is not set, a file is written only if no database was found.

    Raises DatabaseError if the file is missing or damaged.
    """
    return _open(path, -1 if jit is None else int(bool(jit)), "" if misses is None else str(misses))
