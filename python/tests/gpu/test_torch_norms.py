"""layer_norm and rms_norm on a real device: results and gradients against float64, registrations, torch.compile, special
values, and what is refused."""
import unittest

from torch_support import (FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch,
                           use_recorded)

import warptune
import warptune.torch as wt

setUpModule = use_recorded
functional = torch.nn.functional
SHAPES = (((33, 1003), 1), ((4, 5, 8), 2), ((64, 512), 1), ((7,), 1))


def parts(shape, dims, dtype):
    row = shape[-dims:]
    return (randn(*shape, dtype=dtype) * 2 + 1, randn(*row, dtype=dtype), randn(*row, dtype=dtype), randn(*shape, dtype=dtype))


class Results(unittest.TestCase):
    def test_layer_norm(self):
        for dtype in FLOATS:
            for shape, dims in SHAPES:
                x, weight, bias, _ = parts(shape, dims, dtype)
                for w, b in ((weight, bias), (weight, None), (None, bias), (None, None)):
                    with self.subTest(dtype=dtype, shape=shape, weight=w is not None, bias=b is not None):
                        agrees(lambda x, w, b: wt.layer_norm(x, shape[-dims:], w, b, eps=1e-3),
                               lambda x, w, b: functional.layer_norm(x, shape[-dims:], w, b, eps=1e-3), x, w, b)

    def test_rms_norm(self):
        for dtype in FLOATS:
            for shape, dims in SHAPES:
                x, weight, _, _ = parts(shape, dims, dtype)
                for w in (weight, None):
                    with self.subTest(dtype=dtype, shape=shape, weight=w is not None):
                        agrees(lambda x, w: wt.rms_norm(x, shape[-dims:], w, eps=1e-3),
                               lambda x, w: functional.rms_norm(x, shape[-dims:], w, eps=1e-3), x, w)

    def test_default_epsilons_are_torch_s(self):
        for dtype in FLOATS:
            x = randn(16, 64, dtype=dtype) * 3e-4  # squares of about 1e-7, the size of the epsilon
            near(wt.rms_norm(x, (64,)), functional.rms_norm(x, (64,)))
            x = randn(16, 64, dtype=dtype) * 3e-3
            near(wt.layer_norm(x, (64,)), functional.layer_norm(x, (64,)))

    def test_residual(self):
        def theirs(x, w, b, r):
            return functional.layer_norm(x + r, x.shape[-1:], w, b), x + r

        for dtype in FLOATS:
            x, weight, bias, residual = parts((33, 136), 1, dtype)
            agrees(lambda x, w, b, r: wt.layer_norm(x, x.shape[-1:], w, b, residual=r), theirs, x, weight, bias, residual)
            agrees(lambda x, w, r: wt.rms_norm(x, (136,), w, 1e-5, residual=r),
                   lambda x, w, r: (functional.rms_norm(x + r, (136,), w, 1e-5), x + r), x, weight, residual)

    def test_one_result_of_two_is_used(self):
        x, weight, _, residual = parts((33, 136), 1, torch.float32)
        agrees(lambda x, w, r: wt.rms_norm(x, (136,), w, 1e-5, residual=r)[0],
               lambda x, w, r: functional.rms_norm(x + r, (136,), w, 1e-5), x, weight, residual)
        agrees(lambda x, r: wt.rms_norm(x, (136,), None, 1e-5, residual=r)[1] * 2, lambda x, r: (x + r) * 2, x, residual)

    def test_only_some_are_asked_for(self):
        x, weight, bias, _ = parts((33, 136), 1, torch.float32)
        weight.requires_grad_()
        wt.layer_norm(x, (136,), weight, bias).sum().backward()
        reference = weight.detach().clone().requires_grad_()
        functional.layer_norm(x, (136,), reference, bias).sum().backward()
        near(weight.grad, reference.grad)
        self.assertIsNone(x.grad)

    def test_bits_do_not_depend_on_the_gradient(self):
        x, weight, bias, _ = parts((33, 1003), 1, torch.bfloat16)
        plain = wt.layer_norm(x, (1003,), weight, bias)
        self.assertTrue(torch.equal(plain, wt.layer_norm(x.clone().requires_grad_(), (1003,), weight, bias).detach()))

    def test_special_values_stay_in_their_rows(self):
        for dtype in FLOATS:
            x = randn(6, 200, dtype=dtype)
            x[1, 7], x[2, 3], x[3], x[4] = float("nan"), float("inf"), float("-inf"), 0
            for ours, theirs in ((wt.layer_norm, functional.layer_norm), (wt.rms_norm, functional.rms_norm)):
                near(ours(x, (200,)), theirs(x, (200,)))

    def test_nothing_to_do(self):
        for shape in ((0, 8), (3, 0, 8), (4, 0)):
            x = randn(*shape).requires_grad_()
            weight = randn(shape[-1]).requires_grad_()
            y = wt.layer_norm(x, shape[-1:], weight, weight)
            y.sum().backward()
            self.assertEqual((y.shape, x.grad.shape), (x.shape, x.shape))
            self.assertEqual(weight.grad.abs().sum().item(), 0)


class Registrations(RefusalCase):
    def test_opcheck(self):
        ops, grad = torch.ops.warptune, dict(grad=True)
        x, row, rows = randn(6, 40, **grad), randn(40, **grad), randn(2, 3, 8, 5, **grad)
        for args in ((x, row, row, None, "layer", 1, 1e-5, True), (x, row, None, randn(6, 40, **grad), "rms", 1, 1e-5, True),
                     (rows, randn(8, 5, **grad), None, None, "layer", 2, 1e-5, True),
                     (x.detach(), None, row.detach(), None, "layer", 1, 1e-5, False),
                     (x.detach(), None, None, x.detach().clone(), "rms", 1, 1e-5, False)):
            torch.library.opcheck(ops.row_norm.default, args)
        x, row, mean, rstd = randn(6, 40), randn(40), randn(6), randn(6).abs()
        for args in ((x, x.clone(), row, mean, rstd, None, "layer", 1, True),
                     (x, x.clone(), None, randn(0), rstd, x.clone(), "rms", 1, False)):
            torch.library.opcheck(ops.row_norm_backward.default, args)

    def test_gradcheck(self):
        x, weight, bias, residual = parts((3, 8), 1, torch.float32)
        gradcheck(lambda x, w, b: wt.layer_norm(x, (8,), w, b), x, weight, bias)
        gradcheck(lambda x, w, r: wt.rms_norm(x, (8,), w, 1e-5, residual=r), x, weight, residual)

    def test_compiled(self):
        for dtype in (torch.float32, torch.bfloat16):
            x, weight, bias, residual = parts((6, 72), 1, dtype)
            compiled_agrees(lambda x, w, b: wt.layer_norm(x, (72,), w, b), x, weight, bias)
            compiled_agrees(lambda x, w, r: wt.rms_norm(x, x.shape[-1:], w, residual=r), x, weight, residual)
            compiled_agrees(lambda x, w: wt.rms_norm(x, (72,), w), x, weight, dynamic=True)

    def test_what_is_refused(self):
        x, weight = randn(6, 40), randn(40)
        self.refused([
            ("float64", lambda: wt.layer_norm(x.double(), (40,))),
            ("'weight' is fp16", lambda: wt.layer_norm(x, (40,), weight.half())),
            ("normalized_shape is \\(6,\\)", lambda: wt.layer_norm(x, (6,))),
            ("normalized_shape is \\(\\)", lambda: wt.rms_norm(x, ())),
            ("the weight has the shape \\(6,\\)", lambda: wt.rms_norm(x, (40,), randn(6))),
            ("the bias has the shape \\(1, 40\\)", lambda: wt.layer_norm(x, (40,), weight, randn(1, 40))),
            ("the residual has the shape \\(40,\\)", lambda: wt.rms_norm(x, (40,), residual=weight)),
            ("not contiguous", lambda: wt.layer_norm(randn(40, 6).t(), (40,))),
            ("only with stats=True", lambda: torch.ops.warptune.row_norm(x.clone().requires_grad_(), None, None, None, "rms", 1,
                                                                         1e-5, False))])

    def test_second_derivatives_are_refused(self):
        x = randn(3, 8, grad=True)
        first, = torch.autograd.grad(wt.layer_norm(x, (8,)).square().sum(), x, create_graph=True)
        with self.assertRaisesRegex(warptune.BadInput, "no second derivative"):
            first.sum().backward()


if __name__ == "__main__":
    unittest.main()
