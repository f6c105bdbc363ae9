"""expression on a real device: results and gradients against float64, registrations, torch.compile, special values, and
what is refused. The kernels are compiled here, so the program warptune and NVRTC are needed."""
import unittest

from torch_support import (DEVICE, FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded)

import warptune
import warptune.torch as wt

setUpModule = use_recorded
SILU = "x * sigmoid(x)"
SLOPE = "sigmoid(x) * (F(1) + x * (F(1) - sigmoid(x)))"


class Results(unittest.TestCase):
    def test_values_and_gradients(self):
        for dtype in FLOATS:
            for shape in ((33, 1003), (2, 3, 8), (517,), ()):
                with self.subTest(dtype=dtype, shape=shape):
                    agrees(lambda x: wt.expression(SILU, x, derivative=SLOPE), torch.nn.functional.silu, randn(*shape, dtype=dtype) * 2)

    def test_all_operands(self):
        for dtype in FLOATS:
            x, other = randn(4, 6, 40, dtype=dtype), randn(4, 6, 40, dtype=dtype)
            for bias in (randn(40, dtype=dtype), randn(6, 1, dtype=dtype)):
                near(wt.expression("other + bias * (x > F(0) ? x * x : alpha) - beta", x, other, bias, alpha=0.5, beta=2),
                     other.double() + bias.double() * torch.where(x > 0, x.double().square(), 0.5) - 2)
            agrees(lambda x, other: wt.expression("x * x * other", x, other, derivative={"x": "F(2) * x * other", "other": "x * x"}),
                   lambda x, other: x * x * other, x, other)

    def test_special_values(self):
        x = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 3e4], device=DEVICE)
        near(wt.expression("x + F(1)", x), x.double() + 1)

    def test_nothing_to_do(self):
        self.assertEqual(wt.expression(SILU, randn(0, 8)).shape, (0, 8))


class Registrations(RefusalCase):
    def test_opcheck(self):
        x, other, bias = randn(3, 8), randn(3, 8), randn(8)
        expression = torch.ops.warptune.expression.default
        torch.library.opcheck(expression, (x, bias, other, "x + bias * other", ["", "", ""], 1.0, 1.0))
        torch.library.opcheck(expression, (x.clone().requires_grad_(), None, None, SILU, [SLOPE, "", ""], 1.0, 1.0))
        torch.library.opcheck(expression, (*(t.clone().requires_grad_() for t in (x, bias, other)), "x + bias * other", ["F(1)", "other", "bias"], 1.0, 1.0))

        for args in ((randn(3, 8), x, None, None, SILU, SLOPE, 1.0, 1.0),
                     (randn(3, 8), x, bias, other, "x * x * other + bias", "F(2) * x * other", 1.0, 1.0)):
            torch.library.opcheck(torch.ops.warptune.expression_backward.default, args)

    def test_gradcheck(self):
        gradcheck(lambda x: wt.expression(SILU, x, derivative=SLOPE), randn(3, 5))
        for bias in (randn(5), randn(3, 1)):
            gradcheck(lambda x, other, bias: wt.expression("x * other + bias * x", x, other, bias, derivative={"x": "other + bias", "other": "x", "bias": "x"}),
                      randn(2, 3, 5), randn(2, 3, 5), bias)

    def test_compiled(self):
        compiled_agrees(lambda x: wt.expression(SILU, x + 1, derivative=SLOPE), randn(6, 40))
        compiled_agrees(lambda x: wt.expression(SILU, x, derivative=SLOPE) * 2, randn(6, 40).bfloat16(), dynamic=True)
        compiled_agrees(lambda x, other: wt.expression("x * other", x, other, derivative={"x": "other", "other": "x"}), randn(6, 40), randn(6, 40))

    def test_what_is_refused(self):
        x, leaf = randn(3, 4), randn(3, 4, grad=True)
        self.refused([("must be a text of one line", lambda: wt.expression("", x)), ("float64", lambda: wt.expression("x", x.double())),
                      ("printable characters", lambda: wt.expression("x\0", x)),
                      ("not contiguous", lambda: wt.expression("x", x.t())), ("x needs a gradient", lambda: wt.expression("x", leaf)),
                      ("other needs a gradient", lambda: wt.expression("x * other", leaf, leaf, derivative="other")),
                      ("with respect to 'y'", lambda: wt.expression("x", x, derivative={"y": "x"})), ("but no bias", lambda: wt.expression("x", x, derivative={"bias": "x"})),
                      ("must have the shape of the input", lambda: wt.expression("x * other", x, x[0]))])
        with self.assertRaisesRegex(warptune.NoCandidate, 'identifier "nothing" is undefined'):
            wt.expression("x * nothing", x)


if __name__ == "__main__":
    unittest.main()
