"""What the GPU tests and the benchmark share: a device or none, and a database of recorded results to select from."""
import os
import tempfile
import unittest
from pathlib import Path

import warptune

TUNED = [("softmax", {"rows": 32768, "cols": 4096}, "bf16"), ("transpose", {"rows": 4096, "cols": 4096}, "bf16"),
         ("axpy", {"n": 4194304}, "fp32"), ("reduce_sum", {"n": 1048576}, "fp32"),
         ("sgemm", {"m": 1024, "n": 1024, "k": 1024}, "fp32")]


def require_torch():
    """Returns torch if it has a device. Otherwise skips the module, or fails if $WARPTUNE_REQUIRE_GPU requires a device."""
    try:
        import torch
        if torch.cuda.is_available():
            return torch
        why = "torch finds no CUDA device"
    except ImportError as error:
        why = str(error)
    if os.environ.get("WARPTUNE_REQUIRE_GPU") == "1":
        raise RuntimeError(why)
    raise unittest.SkipTest(why)


def recorded_database(folder):
    """Returns the path of a database that is tuned from recordings of an H200, without a device. On an H200 its choices are
    exact; on other devices they are the kernels' defaults. $WARPTUNE_TEST_LIBRARY names another pack or database."""
    given = os.environ.get("WARPTUNE_TEST_LIBRARY")
    if given:
        return given
    path = Path(folder) / "recorded.db"
    for kernel, shape, dtype in TUNED:
        warptune.tune(kernel, shape=shape, dtype=dtype, device="replay", db=path, budget=100)
    return str(path)


class Folder:
    """A temporary folder for a whole module."""

    def __enter__(self):
        self.made = tempfile.TemporaryDirectory(prefix="warptune-")
        return self.made.name

    def __exit__(self, *error):
        self.made.cleanup()
