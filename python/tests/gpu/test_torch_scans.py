"""cumsum and cumprod on a real device: results and gradients against float64, registrations, torch.compile."""
import unittest

from torch_support import FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded
PRODUCTS = ({"exclusive": True}, {"reverse": True}, {"exclusive": True, "reverse": True})


def product(x, exclusive=False, reverse=False):
    x = x.flip(-1) if reverse else x
    x = torch.cat([torch.ones_like(x[..., :1]), x[..., :-1]], -1) if exclusive else x
    y = x.cumprod(-1)
    return y.flip(-1) if reverse else y


class Results(unittest.TestCase):
    def test_sums_and_products(self):
        for dtype in FLOATS:
            for shape in ((33, 41), (5,), (2, 3, 8), (300, 3)):
                with self.subTest(dtype=dtype, shape=shape):
                    agrees(wt.cumsum, lambda x: torch.cumsum(x, -1), randn(*shape, dtype=dtype))
                    agrees(wt.cumprod, lambda x: torch.cumprod(x, -1), (1 + randn(*shape) / 8).to(dtype), factor=16)

    def test_from_the_end_and_exclusive(self):
        x = randn(6, 40)
        agrees(lambda x: wt.cumsum(x, reverse=True), lambda x: x.flip(-1).cumsum(-1).flip(-1), x)
        agrees(lambda x: wt.cumsum(x, exclusive=True), lambda x: x.cumsum(-1) - x, x)
        agrees(lambda x: wt.cumsum(x, exclusive=True, reverse=True), lambda x: x.flip(-1).cumsum(-1).flip(-1) - x, x)

    def test_products_from_the_end_and_exclusive(self):
        for options in PRODUCTS:
            for dtype in FLOATS:
                for shape in ((33, 41), (5,), (2, 3, 8), (300, 2), (300, 1)):
                    with self.subTest(**options, dtype=dtype, shape=shape):
                        x, mask = (1 + randn(*shape) / 8).to(dtype), torch.rand(shape, device="cuda") < 0.5
                        agrees(lambda x: wt.cumprod(x, **options), lambda x: product(x, **options), x, factor=16)
                        agrees(lambda x: wt.cumprod(x, mask=mask, **options), lambda x: product(torch.where(mask, x, 1), **options), x, factor=16)
            for shape in ((), (0, 4), (4, 0)):
                x = randn(*shape).requires_grad_()
                wt.cumprod(x, **options).sum().backward()
                self.assertEqual((x.grad.shape, x.grad.sum().item()), (shape, 1.0 if not shape and "exclusive" not in options else 0.0))

    def test_zeros_in_a_product(self):
        x = 1 + randn(6, 20) / 8
        x[1, 3] = x[2, 4] = x[2, 9] = x[3, 0] = x[4, -1] = x[5, 0] = x[5, -1] = 0
        for options in ({}, *PRODUCTS):
            with self.subTest(**options):
                agrees(lambda x: wt.cumprod(x, **options), lambda x: product(x, **options), x)

    def test_masks(self):
        for dtype in FLOATS:
            for shape in ((33, 41), (5,), (2, 3, 8), (300, 3), (2, 40000)):
                with self.subTest(dtype=dtype, shape=shape):
                    mask = torch.rand(shape, device="cuda") < 0.5
                    agrees(lambda x: wt.cumsum(x, mask=mask), lambda x: (x * mask).cumsum(-1), randn(*shape, dtype=dtype))
                    agrees(lambda x: wt.cumsum(x, mask=mask, exclusive=True, reverse=True),
                           lambda x: (x * mask).flip(-1).cumsum(-1).flip(-1) - x * mask, randn(*shape, dtype=dtype))
                    if shape[-1] < 100:
                        agrees(lambda x: wt.cumprod(x, mask=mask), lambda x: torch.where(mask, x, 1).cumprod(-1),
                               (1 + randn(*shape) / 8).to(dtype), factor=16)

    def test_what_the_mask_leaves_out_may_be_nan(self):
        x = randn(6, 40)
        mask = torch.rand(6, 40, device="cuda") < 0.5
        x[~mask] = float("nan")
        near(wt.cumsum(x, mask=mask), torch.where(mask, x, 0).double().cumsum(-1))
        near(wt.cumprod(x, mask=mask), torch.where(mask, x, 1).double().cumprod(-1))

    def test_second_derivatives(self):
        x = randn(3, 8, grad=True)
        first, = torch.autograd.grad(wt.cumsum(x).square().sum(), x, create_graph=True)
        found, = torch.autograd.grad(first.square().sum(), x)
        first, = torch.autograd.grad(torch.cumsum(x, -1).square().sum(), x, create_graph=True)
        near(found, torch.autograd.grad(first.square().sum(), x)[0])
        x = (1 + randn(3, 8) / 8).requires_grad_()
        for options in PRODUCTS:
            seconds = []
            for function in (wt.cumprod, product):
                first, = torch.autograd.grad(function(x, **options).square().sum(), x, create_graph=True)
                seconds.append(torch.autograd.grad(first.square().sum(), x)[0])
            near(*seconds, factor=16)

    def test_nothing_to_do(self):
        for shape in ((0, 8), (3, 0)):
            self.assertEqual(wt.cumsum(randn(*shape)).shape, shape)
        near(wt.cumsum(torch.tensor(3.0, device="cuda"), 0), torch.tensor(3.0, device="cuda"))


class Registrations(RefusalCase):
    def test_opcheck(self):
        for op, exclusive, reverse in (("sum", False, False), ("sum", True, True), ("prod", False, False), ("prod", True, False),
                                       ("prod", False, True), ("prod", True, True)):
            torch.library.opcheck(torch.ops.warptune.scan.default, ((1 + randn(3, 8) / 8).requires_grad_(), None, op, exclusive, reverse))
            torch.library.opcheck(torch.ops.warptune.scan.default,
                                  ((1 + randn(3, 8) / 8).requires_grad_(), torch.rand(3, 8, device="cuda") < 0.5, op, exclusive, reverse))

    def test_gradcheck(self):
        gradcheck(wt.cumsum, randn(3, 5))
        gradcheck(wt.cumprod, 1 + randn(3, 5) / 8)
        mask = torch.rand(3, 5, device="cuda") < 0.5
        gradcheck(lambda x: wt.cumsum(x, mask=mask), randn(3, 5))
        gradcheck(lambda x: wt.cumprod(x, mask=mask), 1 + randn(3, 5) / 8)
        for options in PRODUCTS:
            gradcheck(lambda x: wt.cumprod(x, **options), 1 + randn(3, 5) / 8)

    def test_compiled(self):
        compiled_agrees(lambda x: wt.cumsum(x + 1), randn(6, 40))
        compiled_agrees(lambda x: wt.cumprod(1 + x / 8), randn(6, 40))
        for options in PRODUCTS:
            compiled_agrees(lambda x: wt.cumprod(1 + x / 8, **options), randn(6, 20))
        compiled_agrees(lambda x: wt.cumsum(x) * 2, randn(6, 40).bfloat16(), dynamic=True)
        compiled_agrees(lambda x: wt.cumsum(x + 1, mask=x > 0), randn(6, 40))

    def test_what_is_refused(self):
        x = randn(3, 4)
        self.refused([("dim is 0", lambda: wt.cumsum(x, 0)), ("dtype is torch.float64", lambda: wt.cumprod(x, dtype=torch.float64)),
                      ("must have the dtype torch.bool", lambda: wt.cumsum(x, mask=x)),
                      ("and the input's shape", lambda: wt.cumsum(x, mask=x[:1] > 0)),
                      ("not contiguous", lambda: wt.cumsum(x.t())), ("float64", lambda: wt.cumsum(x.double()))])


if __name__ == "__main__":
    unittest.main()
