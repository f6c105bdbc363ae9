"""What the tests of warptune.torch without torch share: the stand-in for torch, and a library that records launches."""
import sys
import unittest

import fake_torch

if "torch" in sys.modules and sys.modules["torch"] is not fake_torch.torch or \
        "torch" not in sys.modules and __import__("importlib.util").util.find_spec("torch") is not None:
    raise unittest.SkipTest("the real torch is here: python/tests/gpu has its tests")
torch = fake_torch.install()

import warptune.torch as wt  # noqa: E402
from warptune.torch import ops  # noqa: E402


class RecordedKernel:
    def __init__(self, launches, name, flags, dims):
        self.launches, self.name, self.flags, self.dims = launches, name, flags, dims

    def __call__(self, *args):
        self.launches.append((self.name, self.flags, *args))


class Recorder:
    """In place of a library: kernels that write their launches down. All have these dims."""

    def __init__(self, dims=("m", "n", "k", "batch", "a_pad", "b_pad", "c_pad")):
        self.launches, self.found, self.dims = [], [], list(dims)

    def kernel(self, name, dtype, **flags):
        self.found.append((name, dtype))
        return RecordedKernel(self.launches, name, flags, self.dims)


class GlueCase(unittest.TestCase):
    def setUp(self):
        self.kernels = Recorder()
        self.use(self.kernels)
        self.addCleanup(self.use, None)
        fake_torch.seen.clear()
        torch.modes, torch.tracing = 0, False

    def use(self, library):
        ops._opened = library
        for family in ops._families:
            family.clear()

    def launched(self):
        launch = self.kernels.launches.pop()
        self.assertEqual(self.kernels.launches, [])
        return launch

    def tensor(self, *shape, dtype=torch.float32, **options):
        return fake_torch.Tensor(shape, dtype, **options)
