"""normalize, and norms with a quantised result, of warptune.torch: launches, gradients, and refusals. Without torch
(fake_torch.py); the GPU tests check results."""
import math
import unittest

import fake_torch
from glue import OperatorCase, torch, wt

import warptune


class NormalizeTest(OperatorCase):
    def test_orders_and_dims(self):
        x = self.half(2, 3, 4, 5)
        for call, order, dims, eps in (
                (lambda: wt.normalize(x), "l2", (2, 3, 20), 1e-12), (lambda: wt.normalize(x, 1, -1, 1e-6), "l1", (24, 5, 1), 1e-6),
                (lambda: wt.normalize(x, math.inf, 0), "max", (1, 2, 60), 1e-12),
                (lambda: wt.normalize(x, dim=(-1, -2)), "l2", (6, 20, 1), 1e-12),
                (lambda: wt.normalize(x, dim=(1, 2)), "l2", (2, 12, 5), 1e-12),
                (lambda: wt.normalize(x, dim=None, out=None), "l2", (1, 120, 1), 1e-12)):
            y = call()
            self.check("normalise", {"order": order, "norms": False}, dims, x, y, eps)
            self.assertEqual((y.shape, y.dtype), (x.shape, torch.bfloat16))
        wt.normalize(self.half(7), dim=0)
        self.assertEqual(self.launched()[2], (1, 7, 1))
        wt.normalize(self.half(), dim=-1)
        self.assertEqual(self.launched()[2], (1, 1, 1))
        wt.normalize(self.half(0, 8, requires_grad=True))
        self.assertEqual(self.kernels.launches, [])

    def test_channels_last(self):
        for dim, order, dims in ((1, "l2", (40, 3, 1)), ((2, 3), "l1", (2, 20, 3)), ((1, 2, 3), "max", (2, 60, 1)), (None, "l2", (1, 120, 1))):
            x = self.channels_last(2, 3, 4, 5)
            y = wt.normalize(x, {"l2": 2, "l1": 1, "max": math.inf}[order], dim)
            found, made = self.check("normalise", {"order": order, "norms": False}, dims, None, None, 1e-12)
            self.view(found, x, "nhwc")
            self.assertEqual((made.shape, y.shape, y.strides), ((2, 4, 5, 3), x.shape, x.strides))
        self.refused(("normalize: the input has .* channels_last", lambda: wt.normalize(self.tensor(2, 3, 4, strides=(12, 1, 6)))))

    def test_norms_where_a_gradient_is_asked_for(self):
        x, y, dy, norms = self.half(2, 3, 8, requires_grad=True), self.half(2, 3, 8), self.half(2, 3, 8), self.tensor(2, 1, 8)
        made = wt.normalize(x, 1)
        stored, = self.check("normalise", {"order": "l1", "norms": True}, (2, 3, 8), x, made, None, 1e-12)
        self.assertEqual((stored.shape, stored.dtype), ((2, 1, 8), torch.float32))
        found = self.gradient("normalise", (x, [1], "l1", 1e-3, True), (y, norms), dy, None)
        dx = self.check("normalise_backward", {"order": "l1"}, (2, 3, 8), None, x, norms, None, 1e-3)[1]
        self.assertTrue(found[0] is dx and found[1:] == (None,) * 4)
        self.assertEqual((dx.shape, dx.dtype, self.context.fixed), (x.shape, torch.bfloat16, (norms,)))
        none = self.half(0, 8)
        self.gradient("normalise", (none, [1], "l2", 1e-3, True), (none, self.tensor(0, 1)), none, None)
        self.assertEqual(self.kernels.launches, [])
        self.once_only("normalise_backward")

    def test_shape_rules_agree_with_the_kernels(self):
        x = self.half(2, 3, 8)
        for dims in ([1], [0, 1], [0, 1, 2]):
            for with_norms in (False, True):
                self.shapes_agree("normalise", x, dims, "l2", 1e-12, with_norms)
        self.shapes_agree("normalise_backward", x, x, self.tensor(2, 1, 8), [1], "l2", 1e-12)

    def test_what_does_not_fit_is_refused(self):
        x = self.half(2, 3, 4)
        self.refused(("normalize: p is 3; the kernel computes the norms 1, 2 and infinity", lambda: wt.normalize(x, 3)),
                     ("normalize: p is \\[2\\]", lambda: wt.normalize(x, p=[2])), ("normalize: p is 'fro'", lambda: wt.normalize(x, p="fro")),
                     ("normalize: dim is 3, but the input has 3 dims", lambda: wt.normalize(x, dim=3)),
                     ("normalize: dim is 1, but the input has 1 dims", lambda: wt.normalize(self.half(4))),
                     ("normalize: dim is \\(0, -3\\), which names a dim twice", lambda: wt.normalize(x, dim=(0, -3))),
                     ("normalize: dim 1 is between the dims \\(0, 2\\) .* Permute the input first", lambda: wt.normalize(x, dim=(0, 2))),
                     ("the argument 'out' is not supported", lambda: wt.normalize(x, out=x)),
                     ("float64", lambda: wt.normalize(self.tensor(2, 3, dtype=torch.float64))))
        with self.assertRaisesRegex(warptune.BadInput, "only with with_norms=True"):
            self.gradient("normalise", (x, [1], "l2", 1e-12, False), (x, x), x, None)


class QuantisedNormTest(OperatorCase):
    def test_each_part_is_an_argument_where_it_exists(self):
        x, weight, bias, residual = self.half(2, 3, 8), self.half(8), self.half(8), self.half(2, 3, 8)
        y, scales = wt.layer_norm_quantised(x, (8,), weight, bias, 1e-3, dtype=torch.int8, least_scale=0.5)
        flags = {"norm": "layer", "to": "int8", "weight": True, "bias": True, "residual": False}
        self.check("row_norm_quantise", flags, (6, 8), x, weight, bias, y, scales, 1e-3, 0.5)
        self.assertEqual((y.shape, y.dtype, scales.shape, scales.dtype), (x.shape, torch.int8, (2, 3, 1), torch.float32))
        y, scales, total = wt.rms_norm_quantised(x, (8,), weight, residual=residual)
        flags = {"norm": "rms", "to": "e4m3", "weight": True, "bias": False, "residual": True}
        self.check("row_norm_quantise", flags, (6, 8), x, residual, weight, y, scales, total, 2.0 ** -23, 2.0 ** -23)
        self.assertEqual((y.dtype, total.shape, total.dtype), (torch.float8_e4m3fn, x.shape, torch.bfloat16))
        y, scales = wt.rms_norm_quantised(x, (3, 8))
        self.check("row_norm_quantise", {**flags, "weight": False, "residual": False}, (2, 24), x, y, scales, 2.0 ** -23, 2.0 ** -23)
        self.assertEqual(scales.shape, (2, 1, 1))
        y, scales = wt.layer_norm_quantised(self.half(0, 8), (8,))
        self.assertEqual((y.shape, scales.shape, self.kernels.launches), ((0, 8), (0, 1), []))

    def test_rows_without_elements_have_scales(self):
        for ours in (wt.layer_norm_quantised, wt.rms_norm_quantised):
            y, scales = ours(self.half(3, 0), (0,), least_scale=0.5)
            self.assertEqual((y.shape, scales.shape, fake_torch.seen.pop(), self.kernels.launches), ((3, 0), (3, 1), ("fill", 0.5), []))

    def test_shape_rules_agree_with_the_kernel(self):
        x, row = self.half(2, 3, 8), self.half(8)
        for residual in (None, x):
            self.shapes_agree("row_norm_quantise", x, row, None, residual, "rms", 1, 1e-5, "int8", 1e-7)
        self.shapes_agree("row_norm_quantise", x, None, None, None, "layer", 2, 1e-5, "e4m3", 1e-7)

    def test_what_does_not_fit_is_refused(self):
        x = self.half(6, 8)
        self.refused(("layer_norm_quantised: .* normalized_shape is \\(6,\\)", lambda: wt.layer_norm_quantised(x, (6,))),
                     ("rms_norm_quantised: the weight has the shape \\(6,\\)", lambda: wt.rms_norm_quantised(x, (8,), self.half(6))),
                     ("the bias has the shape \\(1, 8\\)", lambda: wt.layer_norm_quantised(x, (8,), None, self.half(1, 8))),
                     ("the residual has the shape \\(8,\\)", lambda: wt.rms_norm_quantised(x, (8,), residual=self.half(8))),
                     ("rms_norm_quantised: there is no kernel for the result torch.float8_e5m2",
                      lambda: wt.rms_norm_quantised(x, (8,), dtype=torch.float8_e5m2)),
                     ("float64", lambda: wt.rms_norm_quantised(self.tensor(6, 8, dtype=torch.float64), (8,))),
                     ("have no gradient; detach", lambda: self.gradient("row_norm_quantise", (x,) * 9, (x,) * 3)))


if __name__ == "__main__":
    unittest.main()
