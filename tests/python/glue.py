"""Shared by the tests of warptune.torch without torch: the stand-in for torch, and a library that records launches."""
import sys
import unittest

import fake_torch

if "torch" in sys.modules and sys.modules["torch"] is not fake_torch.torch or \
        "torch" not in sys.modules and __import__("importlib.util").util.find_spec("torch") is not None:
    raise unittest.SkipTest("the real torch is here: python/tests/gpu has its tests")
torch = fake_torch.install()

import warptune  # noqa: E402
import warptune.torch as wt  # noqa: E402
from warptune.torch import ops  # noqa: E402


class RecordedKernel:
    def __init__(self, launches, name, flags, dims):
        self.launches, self.name, self.flags, self.dims = launches, name, flags, dims

    def __call__(self, *args):
        self.launches.append((self.name, self.flags, *args))


class Recorder:
    """Replaces a library: its kernels record their launches. All have these dims."""

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


class Context:
    def __init__(self, *needs):
        self.needs_input_grad = needs

    def save_for_backward(self, *saved):
        self.saved_tensors = saved

    def mark_non_differentiable(self, *tensors):
        self.fixed = tensors

    def set_materialize_grads(self, value):
        pass


class OperatorCase(GlueCase):
    """For operators with gradients: their launches, refusals and gradients."""

    def check(self, name, flags, dims, *args):
        """Checks one launch; `args` are the expected tensors, compared by identity, and numbers. None: any tensor,
        which is returned."""
        found, found_flags, found_dims, *given = self.launched()
        self.assertEqual((found, found_flags, found_dims), (name, flags, dims))
        self.assertEqual(len(given), len(args), given)
        for x, expected in zip(given, args):
            if expected is not None:
                self.assertTrue(x is expected or isinstance(expected, (int, float)) and x == expected, (x, expected))
        return [x for x, expected in zip(given, args) if expected is None]

    def half(self, *shape, **options):
        return self.tensor(*shape, dtype=torch.bfloat16, **options)

    def refused(self, *cases):
        for words, call in cases:
            with self.subTest(words=words):
                with self.assertRaisesRegex(warptune.BadInput, words):
                    call()
        self.assertEqual(self.kernels.launches, [])

    def view(self, found, x, layout):
        """Whether the kernel was given x, or for nhwc a contiguous view with the channels innermost."""
        if layout == "nchw":
            self.assertIs(found, x)
        else:
            self.assertEqual((found.shape, found.dtype), ((x.shape[0], *x.shape[2:], x.shape[1]), x.dtype))
        self.assertTrue(found.is_contiguous())

    def channels_last(self, *shape, dtype=torch.bfloat16, **options):
        inside = fake_torch.compact((shape[0], *shape[2:], shape[1]))
        return self.tensor(*shape, dtype=dtype, strides=(inside[0], inside[-1], *inside[1:-1]), **options)

    def shapes_agree(self, name, *args):
        """The shape rule of a registered operator, which compilers use, gives the results of its kernel."""
        shaped, made = fake_torch.fakes["warptune::" + name](*args), fake_torch.registered[0].cuda[name](*args)
        shaped, made = (found if isinstance(found, tuple) else (found,) for found in (shaped, made))
        self.assertEqual(len(shaped), len(made))
        for one, other in zip(shaped, made):
            self.assertEqual((one.shape, one.strides, one.dtype), (other.shape, other.strides, other.dtype), name)
        self.kernels.launches.clear()

    def once_only(self, *names):
        """These operators refuse to be differentiated."""
        for name in names:
            setup, backward = fake_torch.gradients["warptune::" + name]
            self.assertIsNone(setup)
            with self.assertRaisesRegex(warptune.BadInput, "no second derivative"):
                backward(None, None)

    def gradient(self, name, inputs, output, *upstream):
        """The gradients of a registered operator."""
        setup, backward = fake_torch.gradients["warptune::" + name]
        self.context = Context(*(isinstance(x, fake_torch.Tensor) for x in inputs))
        setup(ctx=self.context, inputs=inputs, output=output)
        found = backward(self.context, *upstream)
        self.assertEqual(len(found), len(inputs))
        return found
