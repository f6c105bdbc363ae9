"""Tuned GPU kernels from Python: open a pack, select, launch on any tensor, tune.

    lib = warptune.open("ops.wtpack")
    softmax = lib.kernel("softmax", dtype="bf16")
    softmax(x, y)                       # torch, CuPy, JAX: whatever has __dlpack__ or __cuda_array_interface__

Operators for torch, with autograd and under torch.compile: warptune.torch. Everything else: docs/python.md.
"""
from ._core import Explanation, Kernel, Library, Operation
from ._core import _open, version
from .errors import (BadInput, DatabaseError, Error, InternalError, Interrupted, NoCandidate, NoDevice, NotReady,
                     Status)
from .tuning import TuneResult, pack, program, tune

__version__ = version()
__all__ = ["open", "Library", "Kernel", "Operation", "Explanation", "tune", "pack", "program", "TuneResult", "version",
           "Status", "Error", "BadInput", "NoDevice", "NoCandidate", "DatabaseError", "InternalError", "NotReady",
           "Interrupted"]


def open(path=None, *, jit=None, misses=None):  # noqa: A001 - warptune.open reads as what it does
    """Opens a pack or a tuning database and returns a Library. Needs no device.

    path: the file; None: $WARPTUNE_DB, or the user's own database. If that database does not exist yet, shipped kernels
        run untuned.
    jit: whether to compile cubins that are not in the file; None: yes for databases, no for packs.
    misses: a file to which each untuned shape is added when it is first selected; "off": no file. None: $WARPTUNE_MISSES;
        if that is not set, a file is written only if no database was found.
    """
    return _open(path, -1 if jit is None else int(bool(jit)), "" if misses is None else str(misses))
