"""Reductions by dim on a real device: results and gradients against float64, registrations, torch.compile, special values,
and what is refused."""
import unittest

from torch_support import (DEVICE, FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded)

import warptune
import warptune.torch as wt

setUpModule = use_recorded
SHAPES = (((33, 1003), (None, 0, 1, -1, (0, 1))), ((4, 5, 72), (0, 1, 2, (0, 1), (1, 2), [-1])), ((2, 1, 3, 8), ((0, 2), (1, 3), 1)),
          ((517,), (0, None)), ((), (None, -1)), ((1, 7), (0, 1)))
SMOOTH = ((wt.sum, torch.sum), (wt.mean, torch.mean), (wt.norm, torch.norm), (wt.amax, torch.amax), (wt.amin, torch.amin),
          (lambda x, dim=None, keepdim=False: wt.norm(x, 1, dim, keepdim),
           lambda x, dim=None, keepdim=False: torch.norm(x, 1, dim, keepdim)))


def distinct(*shape, dtype=torch.float32):
    """Returns elements of which no two are equal and none is near 0, even in 16 bits and after a step of gradcheck."""
    count = randn(*shape).numel()
    order = torch.randperm(count, device=DEVICE).view(shape)
    return ((order * 2 + 1) / 16 - count / 16).to(dtype)


class Results(unittest.TestCase):
    def check(self, ours, theirs, shape, dim, dtype=torch.float32):
        x = randn(*shape, dtype=dtype) * 2 + 0.5
        given = () if dim is None and theirs in (torch.amax, torch.amin) else dim
        with self.subTest(function=theirs.__name__, dtype=dtype, shape=shape, dim=dim):
            agrees(lambda x: ours(x, dim=given), lambda x: theirs(x, dim=given), x)
            agrees(lambda x: ours(x, dim=given, keepdim=True), lambda x: theirs(x, dim=given, keepdim=True), x)

    def test_every_function(self):
        for ours, theirs in SMOOTH:
            for dtype in FLOATS:
                self.check(ours, theirs, (33, 1003), 1, dtype)
                self.check(ours, theirs, (4, 5, 72), 1, dtype)

    def test_every_dim(self):
        for ours, theirs in (SMOOTH[0], SMOOTH[3]):
            for shape, dims in SHAPES:
                for dim in dims:
                    self.check(ours, theirs, shape, dim)

    def test_variance(self):
        for dtype in FLOATS:
            for shape, dim in (((33, 1003), 1), ((33, 136), None), ((4, 5, 72), (0, 1))):
                x = randn(*shape, dtype=dtype) * 2 + 3
                for correction in (0, 1):
                    with self.subTest(dtype=dtype, shape=shape, dim=dim, correction=correction):
                        agrees(lambda x: wt.var(x, dim, correction=correction), lambda x: torch.var(x, dim, correction=correction), x)
        near(wt.var(x), torch.var(x.double()))
        near(wt.var(x, unbiased=False), torch.var(x.double(), unbiased=False))
        self.assertTrue(wt.var(randn(3, 1), 1).isnan().all().item())

    def test_product(self):
        for dtype in FLOATS:
            for shape, dim in (((33, 17), 1), ((4, 5, 72), 0), ((4, 5, 7), 1), ((12,), 0), ((), 0)):
                x = randn(*shape, dtype=dtype) * 0.3 + 1  # no product is too small for 16 bits
                if x.dim() > 1:
                    x[0], x[1, 0] = 0, 0  # with many zeros, and with one
                with self.subTest(dtype=dtype, shape=shape, dim=dim):
                    agrees(lambda x: wt.prod(x, dim), lambda x: torch.prod(x, dim), x)
        near(wt.prod(x), torch.prod(x.double()))

    def test_indices(self):
        for ours, theirs, extreme in ((wt.argmax, torch.argmax, torch.amax), (wt.argmin, torch.argmin, torch.amin)):
            for shape, dim, dtype in (((33, 1003), 1, torch.float32), ((33, 1003), -1, torch.bfloat16), ((33, 1003), 0, torch.float16),
                                      ((4, 5, 72), 1, torch.float32)):
                x = randn(*shape, dtype=dtype)
                found = ours(x, dim)
                self.assertEqual((found.dtype, found.shape), (torch.int64, theirs(x, dim).shape))
                self.assertTrue(torch.equal(x.gather(dim, found.unsqueeze(dim)), extreme(x, dim, keepdim=True)), (dtype, shape, dim))
                self.assertTrue(torch.equal(ours(x, dim, True), found.unsqueeze(dim)))
            x = randn(4, 5, 72)
            self.assertEqual(x.flatten()[ours(x)].item(), extreme(x).item())
            self.assertEqual((ours(x, keepdim=True).shape, ours(randn(), -1).item()), ((1, 1, 1), 0))

    def test_the_first_extreme_and_the_first_nan(self):
        x = torch.zeros(4, 100, device=DEVICE)
        x[0, [7, 50]], x[1, [9, 60]], x[2, [70, 80]] = 1, -1, float("nan")
        self.assertEqual(wt.argmax(x, 1).tolist(), [7, 0, 70, 0])
        self.assertEqual(wt.argmin(x, 1).tolist(), [0, 9, 70, 0])

    def test_special_values(self):
        inf, nan = float("inf"), float("nan")
        for dtype in FLOATS:
            x = randn(7, 40, dtype=dtype)
            x[1, 3], x[2, 5], x[3], x[4], x[5, :2] = nan, inf, -inf, 0, torch.tensor([inf, -inf], device=x.device).to(dtype)
            products = [] if dtype == torch.float16 else [(wt.prod, torch.prod)]  # they are too small for it
            for ours, theirs in (*SMOOTH, (wt.var, torch.var), *products):
                near(ours(x, dim=1), theirs(x.double(), dim=1))
                near(ours(x.t().contiguous(), dim=0), theirs(x.double(), dim=1))

    def test_gradients_of_equal_extremes_and_of_zeros(self):
        x = torch.tensor([[1.0, 3, 3, 0], [2, 2, 2, 2]], device=DEVICE)
        zeros = torch.zeros(3, 8, device=DEVICE)
        agrees(lambda x: wt.norm(x, dim=1), lambda x: torch.norm(x, dim=1), zeros)
        agrees(lambda x: wt.amax(x, 1), lambda x: torch.amax(x, 1), x)
        agrees(wt.amin, torch.amin, x)

    def test_second_derivatives(self):
        def second(function, x):
            x = x.clone().requires_grad_()
            first, = torch.autograd.grad(function(x).square().sum(), x, create_graph=True)
            found, = torch.autograd.grad(first.square().sum(), x)
            return found

        x = distinct(3, 5)
        for ours, theirs in (*SMOOTH, (wt.var, torch.var), (wt.prod, torch.prod)):
            near(second(lambda x: ours(x, dim=1), x), second(lambda x: theirs(x, dim=1), x.double()))

    def test_nothing_to_do(self):
        for shape, dim in (((0, 8), 1), ((0, 8), 0), ((3, 0), 1), ((0,), None)):
            for ours, theirs in (*SMOOTH[:3], (wt.var, torch.var)):
                x = randn(*shape)
                torch.testing.assert_close(ours(x, dim=dim), theirs(x, dim=dim), equal_nan=True)
        self.assertEqual(wt.prod(randn(0)).item(), 1)
        self.assertEqual(wt.amax(randn(0, 8), 1).shape, (0,))
        with self.assertRaisesRegex(warptune.BadInput, "amax: the result for no elements"):
            wt.amax(randn(3, 0), 1)
        x = randn(0, 8, grad=True)
        wt.sum(x).backward()
        self.assertEqual(x.grad.shape, x.shape)


class Registrations(RefusalCase):
    def test_opcheck(self):
        op = torch.ops.warptune.reduce.default
        for name in ("sum", "mean", "prod", "max", "min", "l1_norm", "l2_norm", "variance", "argmax", "argmin"):
            for dims, keepdim in (([1], False), ([1, 2], True)):
                with self.subTest(op=name, dims=dims):
                    torch.library.opcheck(op, (distinct(3, 4, 5).requires_grad_(), dims, keepdim, name, 1.0))

    def test_gradcheck(self):
        for ours, _ in (*SMOOTH, (wt.var, None)):
            gradcheck(lambda x: ours(x, dim=1), distinct(3, 5))
            gradcheck(lambda x: ours(x, dim=0, keepdim=True), distinct(3, 5))
        gradcheck(lambda x: wt.prod(x, 1), randn(3, 4))

    def test_compiled(self):
        x = distinct(4, 6, 8)  # each of these is a new graph
        for ours in (wt.sum, wt.mean, wt.norm, wt.amax, wt.amin, wt.var, wt.prod):
            compiled_agrees(lambda x: ours(x + 1, dim=1), x)
            compiled_agrees(lambda x: ours(x, dim=-1, keepdim=True) * 2, x.bfloat16(), dynamic=True)
        compiled = torch.compile(lambda x: (wt.argmax(x, -1), wt.argmin(x, -1)), fullgraph=True)
        for found, expected in zip(compiled(x), (wt.argmax(x, -1), wt.argmin(x, -1))):
            self.assertTrue(torch.equal(found, expected))

    def test_what_is_refused(self):
        x = randn(2, 3, 4)
        self.refused([
            ("float64", lambda: wt.sum(x.double())),
            ("dim is 3, but the input has 3 dims", lambda: wt.sum(x, 3)),
            ("names a dim twice", lambda: wt.mean(x, (0, -3))),
            ("dim 1 is between the dims \\(0, 2\\)", lambda: wt.sum(x, (0, 2))),
            ("p is inf", lambda: wt.norm(x, float("inf"))),
            ("not contiguous", lambda: wt.sum(x.mT, -1))])


if __name__ == "__main__":
    unittest.main()
