"""permute, transpose, quantise and dequantise on a real device: results, gradients, registrations, torch.compile, special
values, and what is refused."""
import itertools
import unittest

from torch_support import DEVICE, FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded

import warptune
import warptune.torch as wt

setUpModule = use_recorded
LARGEST = {torch.int8: 127, torch.float8_e4m3fn: 448, torch.float8_e5m2: 57344}


class Permute(RefusalCase):
    def check(self, x, dims):
        found = wt.permute(x, dims)
        self.assertTrue(found.is_contiguous())
        self.assertTrue(torch.equal(found, x.permute(dims)), (x.shape, dims))

    def test_orders(self):
        for dtype in FLOATS:
            x = randn(2, 3, 5, 8, dtype=dtype)
            for dims in ((0, 2, 3, 1), (0, 3, 1, 2), (0, 2, 1, 3), (0, 1, 3, 2), (2, 3, 0, 1), (1, 2, 3, 0), (0, 1, 2, 3), (-1, 0, 1, 2)):
                self.check(x, dims)
        for shape in ((33, 1003), (1003, 33), (64, 64), (1, 9)):
            self.check(randn(*shape), (1, 0))
        self.check(randn(4, 3, 49, 7), (0, 2, 3, 1))  # NCHW to NHWC
        self.check(randn(2, 100, 12, 64, dtype=torch.bfloat16), (0, 2, 1, 3))  # BSHD to BHSD
        self.check(randn(7), (0,))
        self.check(randn(), ())

    def test_dims_of_one_have_no_place(self):
        x = randn(2, 1, 3, 5)
        for dims in itertools.permutations(range(4)):
            order = [dim for dim in dims if dim != 1]
            if order != [3, 2, 0]:
                self.check(x, dims)

    def test_transpose(self):
        x = randn(2, 3, 5)
        for found, expected in ((wt.transpose(x), x.mT), (wt.transpose(x, 0, 1), x.transpose(0, 1)),
                                (wt.transpose(x[0]), x[0].t()), (wt.transpose(x[0], 0, 1), x[0].t()),
                                (wt.transpose(x[0], 0, 0), x[0]), (wt.transpose(x[:, :1].contiguous(), 0, 2), x[:, :1].transpose(0, 2))):
            self.assertTrue(found.is_contiguous() and torch.equal(found, expected))

    def test_gradients(self):
        for dtype in FLOATS:
            x = randn(2, 3, 5, 8, dtype=dtype)
            agrees(lambda x: wt.permute(x, (0, 2, 3, 1)), lambda x: x.permute(0, 2, 3, 1), x)
            agrees(lambda x: wt.transpose(x, 1, 2), lambda x: x.transpose(1, 2), x)
        gradcheck(lambda x: wt.permute(x, (1, 2, 0)), randn(2, 3, 4))
        x = randn(2, 3, 4, grad=True)
        first, = torch.autograd.grad(wt.permute(x, (1, 2, 0)).square().sum(), x, create_graph=True)
        first.sum().backward()
        near(x.grad, torch.full_like(x, 2.0))

    def test_nothing_to_do(self):
        x = randn(0, 3, 5, grad=True)
        wt.permute(x, (1, 2, 0)).sum().backward()
        self.assertEqual(x.grad.shape, x.shape)

    def test_registrations(self):
        for dims in ([0, 2, 1], [1, 2, 0], [0, 1, 2]):
            torch.library.opcheck(torch.ops.warptune.permute.default, (randn(2, 3, 8, grad=True), dims))
        compiled_agrees(lambda x: wt.permute(x + 1, (0, 2, 3, 1)), randn(2, 3, 5, 8))
        compiled_agrees(lambda x: wt.transpose(x, 1, 2), randn(2, 3, 5, 8, dtype=torch.bfloat16), dynamic=True)

    def test_what_is_refused(self):
        x = randn(2, 3, 5)
        self.refused([
            ("float64", lambda: wt.permute(x.double(), (0, 2, 1))),
            ("more than two groups", lambda: wt.permute(x, (2, 1, 0))),
            ("more than two groups", lambda: wt.transpose(x, 0, 2)),
            ("dims is \\(0, 1\\)", lambda: wt.permute(x, (0, 1))),
            ("dims is \\(0, 1, 1\\)", lambda: wt.permute(x, (0, 1, 1))),
            ("dims is \\(0, 1, 3\\)", lambda: wt.permute(x, (0, 1, 3))),
            ("the dims are 0 and 3", lambda: wt.transpose(x, 0, 3)),
            ("the dims are -2 and -1, but the input has 1 dims", lambda: wt.transpose(x[0, 0])),
            ("not contiguous", lambda: wt.permute(x.mT, (0, 2, 1)))])


def exact(x, dtype, scale):
    """Returns the result by its definition: y = round(x * (1 / scale)) in float32, saturated."""
    y = x.float() * (1 / scale)
    largest = LARGEST[dtype]
    return y.round().clamp(-128, 127).to(dtype) if dtype == torch.int8 else y.clamp(-largest, largest).to(dtype)


def nibbles(y):
    """Returns the numbers of int4, of which the first of two is in the lower half of a byte."""
    both = torch.stack((y & 15, y >> 4), -1).flatten(-2).to(torch.int8)
    return torch.where(both > 7, both - 16, both)


class Quantise(RefusalCase):
    def same(self, found, expected):
        self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype))
        self.assertTrue(torch.equal(found.view(torch.uint8), expected.view(torch.uint8)))

    def test_rows(self):
        for dtype in FLOATS:
            for narrow, largest in LARGEST.items():
                for shape in ((33, 1003), (2, 3, 64), (100,), (1, 1)):
                    x = randn(*shape, dtype=dtype) * 3
                    x.view(-1)[0] = 0
                    y, scales = wt.quantise(x, narrow)
                    # The divisor is a tensor, because torch would multiply by the inverse of a number.
                    expected = (x.float().abs().amax(-1, keepdim=True) / torch.tensor(float(largest), device=DEVICE)).clamp(min=2.0 ** -23)
                    self.assertTrue(torch.equal(scales, expected))
                    self.same(y, exact(x, narrow, expected))
                    back = wt.dequantise(y, scales, dtype)
                    self.assertTrue(torch.equal(back, (y.float() * scales).to(dtype)))

    def test_blocks(self):
        x = randn(6, 512, dtype=torch.bfloat16)
        y, scales = wt.quantise(x, torch.float8_e4m3fn, block=128)
        blocks, of_blocks = wt.quantise(x.view(24, 128), torch.float8_e4m3fn)
        self.assertEqual(scales.shape, (6, 4))
        self.assertTrue(torch.equal(scales.view(24, 1), of_blocks))
        self.same(y.view(24, 128), blocks)
        near(wt.dequantise(y, scales), (y.float().view(6, 4, 128) * scales.unsqueeze(-1)).view(6, 512))

    def test_a_given_scale(self):
        x, scale = randn(6, 40), torch.tensor(0.03, device=DEVICE)
        for narrow in LARGEST:
            y, returned = wt.quantise(x, narrow, scale)
            self.assertIs(returned, scale)
            self.same(y, exact(x, narrow, scale))
            self.assertTrue(torch.equal(wt.dequantise(y, scale, torch.float32), y.float() * scale))

    def test_groups_in_int4(self):
        for dtype in FLOATS:
            for block in (32, 64, 128):
                for shape in ((33, 384), (2, 3, 128), (128,)):
                    x = randn(*shape, dtype=dtype) * 3
                    x.view(-1)[:block] = 0
                    y, scales = wt.quantise(x, "int4", block=block)
                    groups = x.float().view(*shape[:-1], shape[-1] // block, block)
                    expected = (groups.abs().amax(-1) / torch.tensor(7.0, device=DEVICE)).clamp(min=2.0 ** -23)
                    self.assertEqual((y.shape, y.dtype), ((*shape[:-1], shape[-1] // 2), torch.uint8))
                    self.assertTrue(torch.equal(scales, expected))
                    numbers = (groups * (1 / expected.unsqueeze(-1))).round().clamp(-8, 7)
                    self.assertTrue(torch.equal(nibbles(y).view_as(groups).float(), numbers))
                    back = (numbers * expected.unsqueeze(-1)).view(shape)
                    self.assertTrue(torch.equal(wt.dequantise(y, scales, dtype), back.to(dtype)))

    def test_groups_with_nan(self):
        x = torch.ones(4, 64, device=DEVICE)
        x[1, 40], x[2, 3] = float("nan"), float("inf")
        y, scales = wt.quantise(x, "int4", block=32)
        self.assertTrue(scales[1, 1].isnan().item() and scales[2, 0].isinf().item() and scales.isfinite().sum().item() == 6)
        zeros = nibbles(y).view(4, 2, 32)
        self.assertFalse(zeros[1, 1].any().item() or zeros[2, 0].any().item())
        self.assertTrue((zeros[0] == 7).all().item())

    def test_one_scale_from_the_tensor(self):
        for dtype in FLOATS:
            for narrow, largest in LARGEST.items():
                for shape in ((33, 1003), (2048, 4096), (1,), ()):
                    x = randn(*shape, dtype=dtype) * 3
                    y, scale = wt.quantise(x, narrow, per_tensor=True)
                    expected = (x.float().abs().amax() / torch.tensor(float(largest), device=DEVICE)).clamp(min=2.0 ** -23)
                    self.assertTrue(torch.equal(scale, expected))
                    self.same(y, exact(x, narrow, expected))
                    self.assertTrue(torch.equal(wt.dequantise(y, scale, dtype), (y.float() * scale).to(dtype)))
        x[...] = float("nan")
        self.assertTrue(wt.quantise(x, per_tensor=True)[1].isnan().item())
        self.assertEqual(wt.quantise(randn(0, 4), per_tensor=True, least_scale=0.5)[1].item(), 0.5)

    def test_rows_of_zeros_and_of_nan(self):
        x = torch.zeros(3, 40, device=DEVICE)
        x[1, 5] = float("nan")
        x[2] = 1
        y, scales = wt.quantise(x, torch.float8_e4m3fn)
        self.assertEqual(scales[0].item(), 2.0 ** -23)
        self.assertTrue(scales[1].isnan().item() and y[1].float().isnan().all().item() and not y[0].float().any().item())
        self.assertEqual(wt.quantise(x, torch.int8, least_scale=0.5)[1][0].item(), 0.5)

    def test_nothing_to_do(self):
        y, scales = wt.quantise(randn(0, 40))
        self.assertEqual((y.shape, scales.shape, wt.dequantise(y, scales).shape), ((0, 40), (0, 1), (0, 40)))
        for dtype in (torch.int8, "int4"):  # rows without blocks
            y, scales = wt.quantise(randn(3, 0), dtype, block=128)
            self.assertEqual((y.shape, scales.shape, wt.dequantise(y, scales).shape), ((3, 0), (3, 0), (3, 0)))
        y, scales = wt.quantise(randn(3, 0), least_scale=0.5)
        self.assertEqual((y.shape, scales.tolist()), ((3, 0), [[0.5]] * 3))

    def test_registrations(self):
        x, scale = randn(6, 40), torch.tensor(0.03, device=DEVICE)
        for args in ((x, None, "int8", 1, 1e-7), (x, None, "int8", 5, 1e-7), (x, scale, "int8", 1, 1e-7)):
            torch.library.opcheck(torch.ops.warptune.quantise.default, args)
        y, scales = wt.quantise(x, torch.int8)
        for args in ((y, scales, torch.float32), (y, scale, torch.bfloat16)):
            torch.library.opcheck(torch.ops.warptune.dequantise.default, args)
        torch.library.opcheck(torch.ops.warptune.quantise_tensor.default, (x, "e5m2", 1e-7))
        rows = randn(6, 128)
        torch.library.opcheck(torch.ops.warptune.quantise_groups.default, (rows, 32, 1e-7))
        torch.library.opcheck(torch.ops.warptune.dequantise_groups.default, (*wt.quantise(rows, "int4", block=32), torch.float16))
        for options in ({"dtype": "int4", "block": 64}, {"per_tensor": True}):
            compiled = torch.compile(lambda x: wt.dequantise(*wt.quantise(x * 2, **options), torch.float32), fullgraph=True)
            self.assertTrue(torch.equal(compiled(rows), wt.dequantise(*wt.quantise(rows * 2, **options), torch.float32)))
        for narrow in LARGEST:
            compiled = torch.compile(lambda x: wt.dequantise(*wt.quantise(x * 2, narrow), torch.float32), fullgraph=True)
            self.assertTrue(torch.equal(compiled(x), wt.dequantise(*wt.quantise(x * 2, narrow), torch.float32)))

    def test_what_is_refused(self):
        x = randn(6, 40)
        y, scales = wt.quantise(x, torch.int8)
        self.refused([
            ("float64", lambda: wt.quantise(x.double())),
            ("no kernel for the result torch.uint8", lambda: wt.quantise(x, torch.uint8)),
            ("block is 7", lambda: wt.quantise(x, block=7)),
            ("block is 8, but must divide", lambda: wt.quantise(x, scale=scales[:1], block=8)),
            ("the scale has the shape \\(6, 1\\)", lambda: wt.quantise(x, scale=scales)),
            ("the input is torch.float32", lambda: wt.dequantise(x, scales)),
            ("the scales have the shape \\(6,\\)", lambda: wt.dequantise(y, scales[:, 0])),
            ("cannot be divided into 3", lambda: wt.dequantise(y, scales.expand(6, 3).contiguous())),
            ("int8", lambda: wt.dequantise(y, scales, torch.int8)),
            ("set block to one of 32, 64, 128", lambda: wt.quantise(x, "int4")),
            ("block is 32.0, but must be an int", lambda: wt.quantise(x, "int4", block=32.0)),
            ("block is 40", lambda: wt.quantise(x, "int4", block=40)),
            ("per_tensor cannot be combined", lambda: wt.quantise(x, block=8, per_tensor=True)),
            ("a torch.uint8 input contains int4", lambda: wt.dequantise(y.view(torch.uint8), scales)),
            ("not contiguous", lambda: wt.quantise(x.t())),
            ("no gradient", lambda: wt.quantise(x.clone().requires_grad_())),
            ("no gradient", lambda: wt.dequantise(y, scales.clone().requires_grad_()))])


if __name__ == "__main__":
    unittest.main()
