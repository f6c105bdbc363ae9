"""Exceptions of warptune: Error with a status and a message, and a class for each status (docs/python.md)."""
from enum import IntEnum

__all__ = ["Status", "Error", "BadInput", "NoDevice", "NoCandidate", "DatabaseError", "InternalError", "NotReady",
           "Interrupted"]


class Status(IntEnum):
    """The values of wt_status, which are also the exit codes of the command line."""
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
    """No driver, no context, or a context that a fault has broken."""
    status = Status.NO_DEVICE


class NoCandidate(Error):
    """No configuration is valid for this problem, or none has a cubin here."""
    status = Status.NO_CANDIDATE


class DatabaseError(Error):
    """The pack or database is missing, damaged, or of a newer version."""
    status = Status.DATABASE


class InternalError(Error):
    """A failure of CUDA, of memory, or of the library."""
    status = Status.INTERNAL


class NotReady(Error):
    """A graph is being captured and nothing was prefetched, or the kernel is still compiling."""
    status = Status.NOT_READY


class Interrupted(Error):
    """A search was stopped; the results so far are stored."""
    status = Status.INTERRUPTED


_BY_STATUS = {c.status: c for c in (BadInput, NoDevice, NoCandidate, DatabaseError, InternalError, NotReady, Interrupted)}


def make_error(status, message):
    return _BY_STATUS.get(status, InternalError)(message)
