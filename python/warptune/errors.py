"""The exceptions of warptune: Error, which has a status and a message, and one subclass per status
(docs/python.md)."""
from enum import IntEnum

__all__ = ["Status", "Error", "BadInput", "NoDevice", "NoCandidate", "DatabaseError", "InternalError", "NotReady",
           "Interrupted"]


class Status(IntEnum):
    """The statuses of errors. 2 to 7 are the values of wt_status; 2 to 6 and 130 are also exit codes of the command line."""
    BAD_INPUT = 2
    NO_DEVICE = 3
    NO_CANDIDATE = 4
    DATABASE = 5
    INTERNAL = 6
    NOT_READY = 7
    INTERRUPTED = 130


class Error(Exception):
    """A failure. The message says what failed, why, and how to fix it."""
    status = Status.INTERNAL


class BadInput(Error, ValueError):
    """An unknown kernel, dim, dtype, flag or device; a tensor of the wrong type, size, layout or device."""
    status = Status.BAD_INPUT


class NoDevice(Error):
    """There is no driver or no context, or a fault has broken the context."""
    status = Status.NO_DEVICE


class NoCandidate(Error):
    """No configuration is valid for this problem, or none has a usable cubin."""
    status = Status.NO_CANDIDATE


class DatabaseError(Error):
    """The pack or database is missing, damaged, or was written by a newer version."""
    status = Status.DATABASE


class InternalError(Error):
    """A CUDA error, not enough host or device memory, or a bug in the library."""
    status = Status.INTERNAL


class NotReady(Error):
    """The stream is being captured and the selection was not prefetched; or the kernel is still compiling and nothing
    else can run."""
    status = Status.NOT_READY


class Interrupted(Error):
    """A search was stopped. The results that it had found are stored."""
    status = Status.INTERRUPTED


_BY_STATUS = {c.status: c for c in (BadInput, NoDevice, NoCandidate, DatabaseError, InternalError, NotReady, Interrupted)}


def make_error(status, message):
    return _BY_STATUS.get(status, InternalError)(message)
