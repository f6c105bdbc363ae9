"""add and mul with a number or a smaller tensor on a real device: results and gradients against float64, registrations,
torch.compile, special values, and what is refused."""
import unittest

from torch_support import DEVICE, FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded
SHAPES = (((33, 136), (136,)), ((33, 1003), (1003,)), ((2, 3, 40), (3, 40)), ((33, 136), (33, 1)), ((33, 1003), (33, 1)),
          ((4, 6, 5, 7), (6, 1, 1)), ((4, 6, 5, 7), (4, 6, 1, 1)), ((4, 6, 5, 7), (4, 1, 1, 1)), ((4, 9, 72), (4, 1, 72)),
          ((4, 9, 13), (4, 1, 13)), ((33, 41), ()), ((33, 41), (1, 1)), ((1, 40), (40,)), ((5,), (1,)))


class Results(unittest.TestCase):
    def test_tensors(self):
        for dtype in FLOATS:
            for shape, small in SHAPES:
                with self.subTest(dtype=dtype, shape=shape, small=small):
                    x, other = randn(*shape, dtype=dtype), randn(*small, dtype=dtype)
                    for call, theirs in ((wt.mul, torch.mul), (wt.add, torch.add)):
                        agrees(call, theirs, x, other)
                        agrees(call, theirs, other, x)
                    agrees(lambda x, o: wt.add(x, o, alpha=0.5), lambda x, o: torch.add(x, o, alpha=0.5), x, other)

    def test_numbers(self):
        for dtype in FLOATS:
            x = randn(33, 41, dtype=dtype)
            for number in (2, 0.3, -1.7):
                agrees(lambda x: wt.mul(x, number), lambda x: x * number, x)
                agrees(lambda x: wt.add(x, number), lambda x: x + number, x)
                agrees(lambda x: wt.add(x, number, alpha=3), lambda x: torch.add(x, number, alpha=3), x)

    def test_special_values(self):
        values = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 3e4, -3e4, 1e-4], device=DEVICE)
        for dtype in FLOATS:
            x = values.to(dtype)
            for other in (x[:, None].contiguous(), x[3], float("inf"), float("nan"), 0.0):
                for ours, theirs in ((wt.mul, torch.mul), (wt.add, torch.add)):
                    given = x.expand(8, 8).contiguous()
                    torch.testing.assert_close(ours(given, other), theirs(given, other), rtol=0, atol=0, equal_nan=True)

    def test_memory_that_begins_anywhere(self):
        for first in (1, 2, 3):
            x, other = randn(6403, dtype=torch.bfloat16)[first:first + 6400].view(64, 100), randn(103, dtype=torch.bfloat16)[first:first + 100]
            near(wt.mul(x, other), x.double() * other.double())

    def test_gradients_have_the_same_bits_again(self):
        for shape, small in (((5000, 136), (136,)), ((3, 700000), (3, 1)), ((700000,), ())):
            x, other, dy = randn(*shape, grad=True), randn(*small, grad=True), randn(*shape)
            found = [torch.autograd.grad(wt.mul(x, other), other, dy)[0] for _ in range(3)]
            self.assertTrue(torch.equal(found[0], found[1]) and torch.equal(found[0], found[2]))
            near(found[0], (x.detach().double() * dy.double()).sum_to_size(small), factor=4)

    def test_frozen_input(self):
        for shape, small in SHAPES:
            x, other, dy = randn(*shape), randn(*small, grad=True), randn(*shape)
            found, = torch.autograd.grad(wt.mul(x, other), other, dy)
            near(found, (x.double() * dy.double()).sum_to_size(small), factor=4)

    def test_second_derivatives(self):
        seconds = []
        x, other = randn(6, 8, grad=True), randn(8, grad=True)
        for mul in (wt.mul, torch.mul):
            first, = torch.autograd.grad(mul(x, other).square().sum(), other, create_graph=True)
            seconds.append(torch.autograd.grad(first.square().sum(), (x, other)))
        for found, expected in zip(*seconds):
            near(found, expected)

    def test_nothing_to_do(self):
        x, other = randn(0, 8, grad=True), randn(8, grad=True)
        wt.mul(x, other).sum().backward()
        self.assertEqual((x.grad.shape, other.grad.abs().sum().item()), (x.shape, 0))


class Registrations(RefusalCase):
    def test_opcheck(self):
        op = torch.ops.warptune.broadcast.default
        for shape, small in (((6, 8), (8,)), ((6, 8), (6, 1)), ((2, 6, 8), (2, 1, 8)), ((2, 6, 4, 4), (6, 1, 1))):
            for combine in ("mul", "add"):
                torch.library.opcheck(op, (randn(*shape, grad=True), randn(*small, grad=True), combine, 2.0, 0.0))
            torch.library.opcheck(torch.ops.warptune.broadcast_backward.default, (randn(*shape), randn(*shape), randn(*small)))
        for combine in ("mul", "add"):
            torch.library.opcheck(op, (randn(6, 8, grad=True), None, combine, 2.0, 0.5))

    def test_gradcheck(self):
        for shape, small in (((3, 5), (5,)), ((3, 5), (3, 1)), ((2, 3, 5), (2, 1, 5)), ((2, 3, 5), (3, 1)), ((3, 5), ())):
            for call in (wt.mul, wt.add):
                gradcheck(call, randn(*shape), randn(*small) + 2)  # a factor near 0 would make all derivatives small
                gradcheck(call, randn(*small) + 2, randn(*shape))
            gradcheck(lambda x, o: wt.add(x, o, alpha=0.5), randn(*shape), randn(*small))
        gradcheck(lambda x: wt.add(wt.mul(x, 2.5), 3), randn(3, 5))

    def test_compiled(self):
        x, other = randn(33, 136), randn(136)
        compiled_agrees(lambda x, o: (wt.mul(x * 2, o), wt.add(x, o, alpha=0.5), wt.mul(x, 2.5), wt.add(o, x)), x, other)
        compiled_agrees(lambda x, o: wt.mul(x, o) * 2, x.bfloat16(), randn(33, 1).bfloat16(), dynamic=True)

    def test_what_is_refused(self):
        x = randn(6, 40)
        self.refused([("at most two groups", lambda: wt.mul(randn(2, 3, 4, 5), randn(2, 1, 4, 1))),
                      ("one of the two must have the shape of the result", lambda: wt.mul(randn(6, 1), randn(1, 40))),
                      ("one of the two must have the shape of the result", lambda: wt.add(x, randn(6))),
                      ("with a bias", lambda: wt.add(x, randn(40), bias=randn(40))), ("'values' is fp16", lambda: wt.mul(x, randn(40).half())),
                      ("too large for a float", lambda: wt.mul(x, 10 ** 400)), ("other is None", lambda: wt.mul(x, None)), ("not contiguous", lambda: wt.mul(x.t(), 2)), ("float64", lambda: wt.mul(x.double(), 2))])


if __name__ == "__main__":
    unittest.main()
