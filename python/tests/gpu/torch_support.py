"""What the tests on torch's tensors share: torch with a device, one database of recorded results, tensors, tolerances."""
import atexit
import functools
import unittest
import warnings

from support import Folder, recorded_database, require_torch

torch = require_torch()

import warptune  # noqa: E402
import warptune.torch as wt  # noqa: E402

DEVICE = "cuda"
FLOATS = (torch.float32, torch.bfloat16, torch.float16)
ROUNDING = {torch.float32: 2e-6, torch.bfloat16: 8e-3, torch.float16: 1e-3}


@functools.lru_cache(maxsize=None)
def use_recorded():
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    folder = Folder()
    wt.use(recorded_database(folder.__enter__()))
    atexit.register(folder.__exit__)


def randn(*shape, dtype=torch.float32, grad=False):
    return torch.randn(shape, device=DEVICE, dtype=dtype).requires_grad_(grad)


def close(found, expected, dtype=torch.float32, atol=1e-6):
    torch.testing.assert_close(found.float(), expected.float(), rtol=2 * ROUNDING[dtype], atol=atol)


# Allowed error, relative to an element and to the RMS of all elements: from rounding arguments, intermediate results and
# final results.
TOLERANCE = {torch.float32: 2e-5, torch.bfloat16: 1.6e-2, torch.float16: 2e-3}


def near(found, exact, factor=1):
    tolerance, finite = factor * TOLERANCE.get(found.dtype, 0), exact[exact.isfinite()]
    rms = finite.double().square().mean().sqrt().item() if finite.numel() else 0
    torch.testing.assert_close(found.double(), exact.double(), rtol=tolerance, atol=tolerance * rms, equal_nan=True)


def leaves_of(inputs, dtype=None):
    """Returns copies in this dtype. They require a gradient if they can have one."""
    return [x if x is None or not x.is_floating_point() else x.detach().to(dtype or x.dtype, copy=True).requires_grad_()
            for x in inputs]


def run_with_gradients(function, inputs, dtype=None):
    """Returns the results of the function and the gradients of its inputs; each result has another upstream gradient."""
    leaves = leaves_of(inputs, dtype)
    results = function(*leaves)
    results = results if isinstance(results, tuple) else (results,)
    upstream = [torch.arange(y.numel(), device=y.device).mul(1.3 + i).cos().view(y.shape).to(inputs[0].dtype).to(y.dtype)
                for i, y in enumerate(results)]
    torch.autograd.backward(results, upstream)
    return [y.detach() for y in results], [x.grad for x in leaves if x is not None and x.is_floating_point()]


def agrees(ours, theirs, *inputs, factor=4):
    """Compares ours with theirs in float64: results within the tolerance, and gradients within factor * the tolerance,
    because the values that the forward pass stored were rounded too."""
    found, exact = run_with_gradients(ours, inputs), run_with_gradients(theirs, inputs, torch.float64)
    for x, y in zip(found[0], exact[0]):
        assert x.shape == y.shape, (x.shape, y.shape)
        near(x, y)
    for x, y, given in zip(found[1], exact[1], (x for x in inputs if x is not None and x.is_floating_point())):
        assert (x.shape, x.dtype) == (given.shape, given.dtype), (x.shape, x.dtype)
        near(x, y, factor)


def largest_derivative(function, leaves, leaf):
    """Returns the largest magnitude of a derivative of any element of the results with respect to any element of the leaf."""
    results = function(*leaves)
    largest = 0.0
    for y in results if isinstance(results, tuple) else (results,):
        for one in torch.eye(y.numel(), dtype=y.dtype, device=y.device):
            found, = torch.autograd.grad(y, leaf, one.view(y.shape), retain_graph=True, allow_unused=True)
            largest = max(largest, 0.0 if found is None else found.abs().max().item())
    return largest


def gradcheck(function, *inputs):
    """Runs torch's gradcheck in float32 with steps of 0.01, for which the errors of rounding and curvature are below
    0.01. A derivative below 0.01 would equal any other, so each input must have one of at least 0.03."""
    leaves = leaves_of(inputs)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*not a double precision")
        assert torch.autograd.gradcheck(function, leaves, eps=1e-2, atol=1e-2, rtol=1e-2)
    for i, leaf in enumerate(leaves):  # gradcheck has compared these derivatives with differences
        if leaf is not None and leaf.requires_grad:
            largest = largest_derivative(function, leaves, leaf)
            assert largest >= 0.03, f"input {i}: the largest derivative is {largest}, so gradcheck cannot tell it from 0"


def compiled_agrees(ours, *inputs, **options):
    """Checks that one compiled graph has the results of eager code, with and without gradients. A compiler may round less in
    between."""
    torch._dynamo.reset()
    compiled = torch.compile(ours, fullgraph=True, **options)
    for found, expected in zip(run_with_gradients(compiled, inputs), run_with_gradients(ours, inputs)):
        for x, y in zip(found, expected):
            near(x, y, factor=4)
    with torch.no_grad():
        found, expected = compiled(*inputs), ours(*inputs)
    for x, y in zip(*(one if isinstance(one, tuple) else (one,) for one in (found, expected))):
        near(x, y)


class RefusalCase(unittest.TestCase):
    def refused(self, cases):
        for words, call in cases:
            with self.subTest(words=words):
                with self.assertRaisesRegex(warptune.BadInput, words):
                    call()
