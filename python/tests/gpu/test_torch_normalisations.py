"""normalize, layer_norm_quantised and rms_norm_quantised on a real device: results and gradients against float64 and against
quantise, registrations, torch.compile, special values, and what is refused."""
import math
import unittest

from torch_support import DEVICE, FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded

import warptune
import warptune.torch as wt

setUpModule = use_recorded
functional = torch.nn.functional
SHAPES = (((33, 1003), (0, 1)), ((64, 512), (1,)), ((4, 5, 72), (0, 1, -1)), ((2, 12, 7, 9), (1,)), ((517,), (0,)), ((1, 7), (1,)))
ORDERS = (1, 2.0, math.inf)


class Results(unittest.TestCase):
    def test_every_order_and_dim(self):
        for dtype in FLOATS:
            for shape, dims in SHAPES:
                for dim in dims:
                    for p in ORDERS if dtype == torch.float32 or len(shape) == 2 else (2.0,):
                        with self.subTest(dtype=dtype, shape=shape, dim=dim, p=p):
                            x = randn(*shape, dtype=dtype)
                            agrees(lambda x: wt.normalize(x, p, dim), lambda x: functional.normalize(x, p, dim), x)

    def test_channels_last(self):
        x = randn(3, 24, 5, 7).to(memory_format=torch.channels_last)
        for dim in (1, 2, (1, 2, 3)):
            y = wt.normalize(x, dim=dim)
            self.assertTrue(y.is_contiguous(memory_format=torch.channels_last))
            near(y, x / torch.linalg.vector_norm(x.double(), dim=dim, keepdim=True))
        agrees(lambda x: wt.normalize(x.contiguous(memory_format=torch.channels_last)), functional.normalize, randn(3, 24, 5, 7))

    def test_frobenius(self):
        for dtype in FLOATS:
            for shape in ((3, 40, 72), (1, 1000, 999), (2, 517, 1003)):
                with self.subTest(dtype=dtype, shape=shape):
                    x = randn(*shape, dtype=dtype)
                    agrees(lambda x: wt.normalize(x, dim=(-2, -1)), lambda x: x / torch.linalg.matrix_norm(x, keepdim=True), x)
                    agrees(lambda x: wt.normalize(x, dim=None), lambda x: x / torch.linalg.vector_norm(x), x)

    def test_long_vectors(self):
        for dtype in (torch.float32, torch.bfloat16):
            x = randn(1, 20_000_003, dtype=dtype)
            agrees(wt.normalize, functional.normalize, x)
            agrees(lambda x: wt.normalize(x, 1, 0), lambda x: functional.normalize(x, 1, 0), randn(100_003, 24, dtype=dtype))

    def test_small_and_special_vectors(self):
        inf, nan = math.inf, math.nan
        for dtype in FLOATS:
            for p in ORDERS:
                x = randn(7, 40, dtype=dtype)
                x[1, 3], x[2, 5], x[3], x[4], x[5, :2] = nan, inf, -inf, 0, torch.tensor([inf, -inf], device=x.device).to(dtype)
                near(wt.normalize(x, p), functional.normalize(x.double(), p))
                near(wt.normalize(x.t().contiguous(), p, 0), functional.normalize(x.double(), p).t())
        x = torch.cat([torch.zeros(2, 40, device=DEVICE), 1e-3 * randn(2, 40), randn(2, 40)])
        for p in ORDERS:
            agrees(lambda x: wt.normalize(x, p, eps=0.5), lambda x: functional.normalize(x, p, eps=0.5), x)

    def test_equal_magnitudes_share_the_gradient(self):
        x = torch.tensor([[1.0, 3, -3, 0], [2, 2, -2, 2], [-5, 1, 2, 0]], device=DEVICE)
        agrees(lambda x: wt.normalize(x, math.inf), lambda x: functional.normalize(x, math.inf), x)

    def test_nothing_to_do(self):
        for shape in ((0, 8), (3, 0), (2, 0, 4)):
            x = randn(*shape).requires_grad_()
            y = wt.normalize(x)
            y.sum().backward()
            self.assertEqual((y.shape, x.grad.shape), (x.shape, x.shape))


class QuantisedNorms(unittest.TestCase):
    def check(self, found, normalised, dtype):
        """Compares with quantise of the result in float32. Rounding may go the other way for numbers halfway between two steps."""
        values, scales = wt.quantise(normalised, dtype)
        near(found[1], scales)
        steps = (found[0].float() - values.float()).abs()
        spacing = 1 if dtype == torch.int8 else (values.float().abs().clamp(min=2.0 ** -6).log2().floor() - 3).exp2() * 2
        self.assertTrue((steps <= spacing).all().item())
        self.assertLess((steps > 0).float().mean().item(), 1e-2)

    def test_results_are_those_of_quantise(self):
        for dtype in FLOATS:
            for shape in ((33, 1003), (6, 5, 136), (16, 4096), (2, 40000)):
                cols = shape[-1]
                x, weight, bias, residual = randn(*shape, dtype=dtype), randn(cols, dtype=dtype), randn(cols, dtype=dtype), randn(*shape, dtype=dtype)
                wide, total = x.float(), (x + residual).float()
                for narrow in (torch.int8, torch.float8_e4m3fn):
                    with self.subTest(dtype=dtype, shape=shape, narrow=narrow):
                        self.check(wt.rms_norm_quantised(x, (cols,), weight, 1e-5, dtype=narrow),
                                   wt.rms_norm(wide, (cols,), weight.float(), 1e-5), narrow)
                        self.check(wt.layer_norm_quantised(x, (cols,), weight, bias, dtype=narrow),
                                   wt.layer_norm(wide, (cols,), weight.float(), bias.float()), narrow)
                        y, scales, found = wt.rms_norm_quantised(x, (cols,), residual=residual, dtype=narrow)
                        self.assertTrue(torch.equal(found, x + residual))
                        self.check((y, scales), wt.rms_norm(total, (cols,)), narrow)

    def test_several_dims(self):
        x = randn(6, 5, 8)
        y, scales = wt.layer_norm_quantised(x, (5, 8), dtype=torch.int8)
        self.assertEqual((y.shape, scales.shape), ((6, 5, 8), (6, 1, 1)))
        near((y * scales).flatten(1), wt.dequantise(*wt.quantise(wt.layer_norm(x, (5, 8)).flatten(1), torch.int8), torch.float32), 2000)

    def test_dequantise_gives_the_norm(self):
        x = randn(33, 512, dtype=torch.bfloat16)
        y, scales = wt.rms_norm_quantised(x, (512,), dtype=torch.int8)
        exact = functional.rms_norm(x.float(), (512,), eps=2.0 ** -23)
        self.assertTrue(((wt.dequantise(y, scales, torch.float32) - exact).abs() <= 0.51 * scales).all().item())

    def test_special_rows(self):
        x = randn(5, 200)
        x[1, 7], x[2, 3], x[3] = math.nan, math.inf, 0
        y, scales = wt.rms_norm_quantised(x, (200,))
        self.assertEqual([scales[row, 0].isnan().item() for row in range(5)], [False, True, True, False, False])
        self.assertTrue(y[1:3].float().isnan().all().item())
        self.assertEqual((scales[3, 0].item(), y[3].float().abs().max().item()), (2.0 ** -23, 0))
        self.assertTrue((wt.rms_norm_quantised(x, (200,), dtype=torch.int8)[0][1:3] == 0).all().item())
        self.assertEqual(wt.rms_norm_quantised(x, (200,), dtype=torch.int8, least_scale=0.5)[1][3].item(), 0.5)
        for ours in (wt.layer_norm_quantised, wt.rms_norm_quantised):
            self.assertEqual(ours(randn(3, 0), (0,), least_scale=0.5)[1].tolist(), [[0.5]] * 3)
        y, scales = wt.layer_norm_quantised(randn(0, 40), (40,))
        self.assertEqual((y.shape, scales.shape), ((0, 40), (0, 1)))


class Registrations(RefusalCase):
    def test_opcheck(self):
        ops, x = torch.ops.warptune, randn(3, 4, 5)
        for dims in ([1], [1, 2], [0, 1, 2]):
            for order, p in (("l2", 2), ("l1", 1), ("max", math.inf)):
                norms = torch.linalg.vector_norm(x, p, dims, True)
                torch.library.opcheck(ops.normalise.default, (x.clone().requires_grad_(), dims, order, 1e-12, True))
                torch.library.opcheck(ops.normalise.default, (x, dims, order, 1e-12, False))
                torch.library.opcheck(ops.normalise_backward.default, (randn(3, 4, 5), x, norms, dims, order, 1e-12))
        rows, row = randn(6, 40), randn(40)
        for args in ((rows, row, row, None, "layer", 1, 1e-5, "int8", 1e-7), (rows, row, None, randn(6, 40), "rms", 1, 1e-5, "e4m3", 1e-7),
                     (x, None, None, None, "rms", 2, 1e-5, "e4m3", 1e-7)):
            torch.library.opcheck(ops.row_norm_quantise.default, args)

    def test_gradcheck(self):
        x = torch.tensor([[1.0, -2, 3, 0.5], [4, 1.5, -1, 2], [-3, 2, 1, -0.5]], device=DEVICE)  # nothing is near a bend
        for p in ORDERS:
            gradcheck(lambda x: wt.normalize(x, p), x)
            gradcheck(lambda x: wt.normalize(x, p, 0), x)
        gradcheck(lambda x: wt.normalize(x, dim=None), x)

    def test_compiled(self):
        for dtype in (torch.float32, torch.bfloat16):
            x = randn(6, 12, 40, dtype=dtype)
            compiled_agrees(lambda x: wt.normalize(x + 1) * 2, x)
            compiled_agrees(lambda x: wt.normalize(x, 1, (1, 2)), x)
            compiled_agrees(lambda x: wt.normalize(x, dim=-1), x, dynamic=True)
            for ours in (wt.layer_norm_quantised, wt.rms_norm_quantised):
                torch._dynamo.reset()
                compiled = torch.compile(lambda x: ours(x, (40,), dtype=torch.int8), fullgraph=True)
                for found, expected in zip(compiled(x), ours(x, (40,), dtype=torch.int8)):
                    self.assertTrue(torch.equal(found, expected))

    def test_what_is_refused(self):
        x = randn(6, 8, 4)
        self.refused([("p is 3", lambda: wt.normalize(x, 3)), ("dim is 3, but the input has 3", lambda: wt.normalize(x, dim=3)),
                      ("Permute the input first", lambda: wt.normalize(x, dim=(0, 2))), ("float64", lambda: wt.normalize(x.double())),
                      ("contiguous or in the memory format channels_last", lambda: wt.normalize(x.transpose(0, 1))),
                      ("not contiguous", lambda: wt.normalize(x[0].t())),
                      ("only with with_norms=True", lambda: torch.ops.warptune.normalise(x.clone().requires_grad_(), [1], "l2", 1e-12, False)),
                      ("no kernel for the result torch.float8_e5m2", lambda: wt.rms_norm_quantised(x, (4,), dtype=torch.float8_e5m2)),
                      ("no gradient", lambda: wt.rms_norm_quantised(x.clone().requires_grad_(), (4,)))])

    def test_second_derivatives_are_refused(self):
        x = randn(3, 8, grad=True)
        first, = torch.autograd.grad(wt.normalize(x).square().sum() + wt.normalize(x).sum(), x, create_graph=True)
        with self.assertRaisesRegex(warptune.BadInput, "no second derivative"):
            first.sum().backward()


if __name__ == "__main__":
    unittest.main()
