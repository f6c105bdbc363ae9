"""The activations, add and mul on a real device: results and gradients against float64, registrations, torch.compile,
special values, and what is refused."""
import unittest

from torch_support import (DEVICE, FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded)

import warptune
import warptune.torch as wt

setUpModule = use_recorded
functional = torch.nn.functional
# Each function with torch's own function, and with arguments that are not the defaults.
FUNCTIONS = ((wt.relu, functional.relu, {}), (wt.leaky_relu, functional.leaky_relu, {"negative_slope": 0.2}),
             (wt.elu, functional.elu, {"alpha": 1.5}), (wt.selu, functional.selu, {}), (wt.gelu, functional.gelu, {}),
             (wt.gelu, functional.gelu, {"approximate": "tanh"}), (wt.silu, functional.silu, {}),
             (wt.sigmoid, torch.sigmoid, {}), (wt.hardsigmoid, functional.hardsigmoid, {}),
             (wt.hardtanh, functional.hardtanh, {"min_val": -0.5, "max_val": 2}), (wt.tanh, torch.tanh, {}),
             (wt.softplus, functional.softplus, {"beta": 2, "threshold": 3}), (wt.softsign, functional.softsign, {}))


class Results(unittest.TestCase):
    def test_every_function(self):
        for ours, theirs, options in FUNCTIONS:
            for dtype in FLOATS:
                for shape in ((33, 1003), (2, 3, 8), (517,), ()):
                    with self.subTest(function=ours.__name__, options=options, dtype=dtype, shape=shape):
                        agrees(lambda x: ours(x, **options), lambda x: theirs(x, **options), randn(*shape, dtype=dtype) * 2)

    def test_defaults_are_torch_s(self):
        x = randn(64, 64) * 4
        for ours, theirs, _ in FUNCTIONS:
            near(ours(x), theirs(x))

    def test_gates_and_sums(self):
        for dtype in FLOATS:
            x, other = randn(33, 136, dtype=dtype), randn(33, 136, dtype=dtype)
            for ours, theirs, options in FUNCTIONS[:8]:
                with self.subTest(function=ours.__name__, options=options, dtype=dtype):
                    agrees(lambda x, o: ours(x, mul=o, **options), lambda x, o: theirs(x, **options) * o, x, other)
                    agrees(lambda x, o: ours(x, add=o, **options), lambda x, o: theirs(x, **options) + o, x, other)
            agrees(wt.add, torch.add, x, other)
            agrees(wt.mul, torch.mul, x, other)
            agrees(lambda x, o: wt.add(x, o, alpha=0.5), lambda x, o: torch.add(x, o, alpha=0.5), x, other)

    def test_biases(self):
        for dtype in FLOATS:
            for shape, bias in (((33, 136), (136,)), ((2, 3, 40), (40,)), ((4, 6, 5, 7), (6, 1, 1)), ((4, 6, 5, 7), (5, 1)),
                                ((6, 40), (6, 1)), ((40,), (40,)), ((5, 1), (5, 1))):
                x, b, other = randn(*shape, dtype=dtype), randn(*bias, dtype=dtype), randn(*shape, dtype=dtype)
                with self.subTest(dtype=dtype, shape=shape, bias=bias):
                    agrees(lambda x, b: wt.gelu(x, bias=b), lambda x, b: functional.gelu(x + b), x, b)
                    agrees(lambda x, b, o: wt.silu(x, bias=b, mul=o), lambda x, b, o: functional.silu(x + b) * o, x, b, other)
                    agrees(lambda x, b, o: wt.add(x, o, bias=b), lambda x, b, o: x + b + o, x, b, other)

    def test_special_values(self):
        values = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 3e4, -3e4, 1e-4]
        for ours, theirs, options in FUNCTIONS:
            for dtype in FLOATS:
                x = torch.tensor(values, device=DEVICE).to(dtype)
                found, exact = ours(x, **options).double(), theirs(x, **options).double()
                torch.testing.assert_close(found, exact, rtol=2e-2, atol=1e-4, equal_nan=True,
                                           msg=lambda text: f"{ours.__name__}, {dtype}: {text}")

    def test_memory_that_begins_anywhere(self):
        for first in (1, 2, 3):
            x = randn(64 * 100 + 3, dtype=torch.bfloat16)[first:first + 6400].view(64, 100)
            near(wt.silu(x), functional.silu(x.double()))

    def test_second_derivatives_of_products(self):
        x, other, bias, seconds = randn(6, 8, grad=True), randn(6, 8, grad=True), randn(8, grad=True), []
        for mul in (lambda: wt.mul(x, other, bias=bias), lambda: (x + bias) * other):
            firsts = torch.autograd.grad(mul().square().sum(), (x, other, bias), create_graph=True)
            seconds.append(torch.autograd.grad(sum(first.square().sum() for first in firsts), (x, other, bias)))
        for found, expected in zip(*seconds):
            near(found, expected, factor=4)

    def test_only_the_tensor_that_is_added_is_asked_for(self):
        x, other = randn(6, 8), randn(6, 8, grad=True)
        for call in (wt.gelu, wt.relu, wt.tanh):
            dy, y = randn(6, 8), call(x, add=other)
            self.assertEqual(y.grad_fn.saved_tensors, ())
            self.assertTrue(torch.equal(torch.autograd.grad(y, other, dy)[0], dy))

    def test_operands_that_no_gradient_reads_may_change(self):
        x, frozen, row = randn(6, 8, grad=True), randn(6, 8), randn(8)
        for call, expected in ((lambda h: wt.mul(h, frozen), frozen), (lambda h: wt.mul(frozen, h), frozen),
                               (lambda h: wt.mul(h, row), row.expand(6, 8)),
                               (lambda h: wt.gelu(frozen, mul=h), functional.gelu(frozen.double()))):
            h = x * 1
            y = call(h)
            h.add_(1)
            found, = torch.autograd.grad(y.sum(), x)
            near(found, expected)

    def test_nothing_to_do(self):
        for shape in ((0,), (0, 8), (8, 0)):
            x = randn(*shape).requires_grad_()
            wt.gelu(x).sum().backward()
            self.assertEqual(x.grad.shape, x.shape)


class Registrations(RefusalCase):
    def test_opcheck(self):
        op, backward = torch.ops.warptune.elementwise.default, torch.ops.warptune.elementwise_backward.default
        x, other, row, channels = (randn(*shape, grad=True) for shape in ((4, 6, 8), (4, 6, 8), (8,), (6, 1)))
        for args in ((x, None, None, "gelu", "none", []), (x, row, other, "silu", "mul", []),
                     (x, channels, other, "softplus", "add", [1.0, 20.0]), (x, row, other, "identity", "add", []),
                     (x, None, other.detach(), "identity", "mul", [])):
            torch.library.opcheck(op, args)
        x, other, row = x.detach(), other.detach(), row.detach()
        for args in ((randn(4, 6, 8), x, None, None, "elu", [1.0]), (randn(4, 6, 8), x, row, other, "tanh", [])):
            torch.library.opcheck(backward, args)

    def test_opcheck_with_a_mask(self):
        op, backward = torch.ops.warptune.masked_elementwise.default, torch.ops.warptune.masked_elementwise_backward.default
        x, other, channels = randn(3, 5, 7, grad=True), randn(3, 5, 7, grad=True), randn(5, 1, grad=True)
        for args in ((x, None, None, "relu", []), (x, channels, other, "leaky_relu", [0.2]), (x.detach(), channels, None, "hardtanh", [-0.5, 2.0])):
            torch.library.opcheck(op, args)
        mask = torch.randint(256, (14,), dtype=torch.uint8, device=DEVICE)
        torch.library.opcheck(backward, (randn(3, 5, 7), mask, "hardsigmoid", []))

    def test_gradients_at_bends_are_torch_s(self):
        values = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 3, -3, -0.5, 2, 2.5, 1], device=DEVICE)
        for ours, theirs, options in (FUNCTIONS[0], FUNCTIONS[1], FUNCTIONS[8], FUNCTIONS[9]):
            for dtype in FLOATS:
                found, exact = (torch.autograd.grad(function(x, **options), x, torch.ones_like(x))[0]
                                for function in (ours, theirs) for x in (values.to(dtype).requires_grad_(),))
                torch.testing.assert_close(found, exact, rtol=4e-3, atol=0, equal_nan=True, msg=lambda text: f"{ours.__name__}, {dtype}: {text}")

    def test_gradcheck(self):
        x = (torch.arange(32, device=DEVICE) * 0.2 - 3.35).view(4, 8)  # at least 0.05 away from each bend
        for ours, _, options in FUNCTIONS:
            gradcheck(lambda x: ours(x, **options), x)
        gradcheck(lambda x, b, o: wt.silu(x, bias=b, mul=o), x, randn(8), randn(4, 8))
        gradcheck(lambda x, o: wt.relu(x, add=o), x, randn(4, 8))
        gradcheck(wt.add, x, randn(4, 8))
        gradcheck(lambda x, o: wt.add(x, o, alpha=0.5), x, randn(4, 8))
        gradcheck(wt.mul, x, randn(4, 8))

    def test_compiled(self):
        x, bias, other = randn(33, 136), randn(136), randn(33, 136)
        for dtype in (torch.float32, torch.bfloat16):
            compiled_agrees(lambda x, b, o: wt.silu(x * 2, bias=b, mul=o), x.to(dtype), bias.to(dtype), other.to(dtype))
            compiled_agrees(lambda x: wt.softplus(wt.gelu(x), 2, 3), x.to(dtype))
            compiled_agrees(lambda x: tuple(ours(x, **options) for ours, _, options in FUNCTIONS), x.to(dtype))
            compiled_agrees(lambda x, o: (wt.add(x, o), wt.add(x, o, alpha=0.5), wt.mul(x, o)), x.to(dtype), other.to(dtype))
            compiled_agrees(lambda x, o: wt.relu(x, add=o), x.to(dtype), other.to(dtype), dynamic=True)

    def test_what_is_refused(self):
        x = randn(6, 40)
        self.refused([
            ("float64", lambda: wt.relu(x.double())),
            ("approximate is 'erf'", lambda: wt.gelu(x, "erf")),
            ("give add or mul", lambda: wt.relu(x, add=x, mul=x)),
            ("nothing is broadcast", lambda: wt.relu(x, add=randn(40))),
            ("the bias has the shape \\(6,\\)", lambda: wt.relu(x, bias=randn(6))),
            ("the bias has the shape \\(1, 40\\)", lambda: wt.relu(x, bias=randn(1, 40))),
            ("the bias has the shape \\(1, 6, 1\\)", lambda: wt.relu(x, bias=randn(1, 6, 1))),
            ("the bias has the shape \\(\\)", lambda: wt.relu(x, bias=randn())),
            ("'other' is fp16", lambda: wt.mul(x, x.half())),
            ("not contiguous", lambda: wt.tanh(x.t()))])
        x.requires_grad_()
        first, = torch.autograd.grad(wt.tanh(x).sum(), x, create_graph=True)
        with self.assertRaisesRegex(warptune.BadInput, "no second derivative"):
            first.sum().backward()


if __name__ == "__main__":
    unittest.main()
