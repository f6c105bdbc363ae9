"""Norms, cross-entropy and masked softmax of warptune.torch: launches, the order of arguments, and refusals. Without
torch (fake_torch.py); the GPU tests check results."""
import unittest

import fake_torch
from glue import Context, OperatorCase, torch, wt

import warptune


class NormTest(OperatorCase):
    def test_each_part_is_an_argument_where_it_exists(self):
        x, weight, bias, residual = self.half(2, 3, 8), self.half(8), self.half(8), self.half(2, 3, 8)
        y = wt.layer_norm(x, (8,), weight, bias, 1e-3)
        flags = {"norm": "layer", "weight": True, "bias": True, "residual": False, "stats": False}
        self.check("row_norm", flags, (6, 8), x, weight, bias, y, 1e-3)
        self.assertEqual((y.shape, y.dtype), (x.shape, x.dtype))
        y, total = wt.rms_norm(x, (8,), residual=residual)
        flags = {"norm": "rms", "weight": False, "bias": False, "residual": True, "stats": False}
        self.check("row_norm", flags, (6, 8), x, residual, y, total, 2.0 ** -23)
        y, total = wt.rms_norm(x, (8,), weight, residual=residual)
        self.check("row_norm", {**flags, "weight": True}, (6, 8), x, residual, weight, y, total, 2.0 ** -23)
        y = wt.layer_norm(x, (3, 8))
        flags = {"norm": "layer", "weight": False, "bias": False, "residual": False, "stats": False}
        self.check("row_norm", flags, (2, 24), x, y, 1e-5)

    def test_statistics_where_a_gradient_is_asked_for(self):
        x, weight = self.half(6, 8), self.half(8, requires_grad=True)
        y = wt.layer_norm(x, (8,), weight)
        flags = {"norm": "layer", "weight": True, "bias": False, "residual": False, "stats": True}
        mean, rstd = self.check("row_norm", flags, (6, 8), x, weight, y, None, None, 1e-5)
        self.assertEqual((mean.shape, mean.dtype, rstd.shape, rstd.dtype), ((6,), torch.float32) * 2)
        wt.rms_norm(x, (8,), weight)
        rstd, = self.check("row_norm", {**flags, "norm": "rms"}, (6, 8), x, weight, None, None, 2.0 ** -23)[1:]
        self.assertEqual((rstd.shape, rstd.dtype), ((6,), torch.float32))
        self.assertEqual(fake_torch.seen, ["row_norm", "row_norm"])

    def test_gradients(self):
        x, weight, bias, residual, dy, dsum = (self.half(*shape) for shape in ((6, 8), (8,), (8,), (6, 8), (6, 8), (6, 8)))
        y, total, mean, rstd = self.half(6, 8), self.half(6, 8), self.tensor(6), self.tensor(6)
        inputs = (x, weight, bias, None, "layer", 1, 1e-5, True)
        nothing = self.half(0)
        found = self.gradient("row_norm", inputs, (y, nothing, mean, rstd), dy, None, None, None)
        flags = {"norm": "layer", "weight": True, "bias": True, "residual": False}
        made = self.check("row_norm_backward", flags, (6, 8), None, x, weight, mean, rstd, None, None, None)[1:]
        self.assertEqual([id(gradient) for gradient in found[:3]], [id(gradient) for gradient in made])
        self.assertEqual((found[3:], self.context.fixed), ((None,) * 5, (mean, rstd, nothing)))
        inputs = (x, None, None, residual, "rms", 1, 1e-5, True)
        found = self.gradient("row_norm", inputs, (y, total, nothing, rstd), dy, dsum, None, None)
        flags = {"norm": "rms", "weight": False, "bias": False, "residual": True}
        dx = self.check("row_norm_backward", flags, (6, 8), None, total, rstd, None, None)[-1]
        self.assertTrue(found[0] is dx and found[3] is dx and found[1] is None)
        found = self.gradient("row_norm", inputs, (y, total, nothing, rstd), None, dsum, None, None)
        self.assertTrue(found[0] is dsum and found[3] is dsum)

    def test_what_does_not_fit_is_refused(self):
        x = self.half(6, 8)
        self.refused(("normalized_shape is \\(6,\\)", lambda: wt.layer_norm(x, (6,))),
                     ("weight has the shape \\(6,\\)", lambda: wt.layer_norm(x, (8,), self.half(6))),
                     ("bias has the shape \\(1, 8\\)", lambda: wt.layer_norm(x, (8,), None, self.half(1, 8))),
                     ("residual has the shape \\(8,\\)", lambda: wt.rms_norm(x, (8,), residual=self.half(8))),
                     ("float64", lambda: wt.rms_norm(self.tensor(6, 8, dtype=torch.float64), (8,))))
        with self.assertRaisesRegex(warptune.BadInput, "only with stats=True"):
            self.gradient("row_norm", (x, None, None, None, "rms", 1, 1e-5, False), (x,) * 4)


class LossTest(OperatorCase):
    def test_cross_entropy(self):
        logits, target = self.half(6, 40), self.tensor(6, dtype=torch.int64)
        loss = wt.cross_entropy(logits, target, reduction="none", ignore_index=3)
        lse, = self.check("cross_entropy", {"smoothing": False}, (6, 40), logits, target, loss, None, 0.0, 3)
        self.assertEqual((loss.shape, loss.dtype, lse.shape, lse.dtype), ((6,), torch.float32) * 2)
        for reduction, theirs in (("sum", []), ("mean", ["div"])):
            fake_torch.seen.clear()
            self.assertEqual(wt.cross_entropy(logits, target, reduction=reduction, label_smoothing=0.1).shape, ())
            self.check("cross_entropy", {"smoothing": True}, (6, 40), logits, target, None, None, 0.1, -100)
            self.assertEqual(fake_torch.seen, theirs)
        dloss = self.tensor(6)
        found = self.gradient("cross_entropy", (logits, target, 0.1, 3), (loss, lse), dloss, None)
        dlogits = self.check("cross_entropy_backward", {"smoothing": True}, (6, 40), None, logits, target, lse, None, 0.1, 3)[1]
        self.assertTrue(found[0] is dlogits and self.context.fixed == (lse,))
        self.assertEqual((dlogits.shape, dlogits.dtype), ((6, 40), torch.bfloat16))

    def test_what_does_not_fit_is_refused(self):
        logits, target = self.half(6, 40), self.tensor(6, dtype=torch.int64)
        self.refused(("no class weights", lambda: wt.cross_entropy(logits, target, self.half(40))),
                     ("no reduction 'max'", lambda: wt.cross_entropy(logits, target, reduction="max")),
                     ("label_smoothing is -1", lambda: wt.cross_entropy(logits, target, label_smoothing=-1)),
                     ("Move the classes last", lambda: wt.cross_entropy(self.half(2, 40, 3), target)),
                     ("target is torch.bfloat16", lambda: wt.cross_entropy(logits, logits)),
                     ("target has the shape \\(6,\\)", lambda: wt.cross_entropy(self.half(5, 40), target)))

    def test_masked_softmax(self):
        x, flags = self.half(2, 3, 24, 40), {"log": False, "causal": "none", "mask": "none", "mask_rows": "each"}
        y = wt.masked_softmax(x, scale=0.5)
        self.check("masked_softmax", flags, (144, 40, 1, 1), x, y, 0.5)
        y = wt.masked_softmax(x, causal="lower_right", log=True)
        self.check("masked_softmax", {**flags, "causal": "lower_right", "log": True}, (24, 40, 1, 6), x, y, 1.0)
        for shape, rows, dims in (((24, 40), "each", (24, 40, 6, 1)), ((1, 40), "one", (24, 40, 6, 1)),
                                  ((2, 1, 24, 40), "each", (24, 40, 3, 2)), ((2, 1, 1, 40), "one", (24, 40, 3, 2)),
                                  ((2, 3, 24, 40), "each", (24, 40, 1, 6)), ((1, 1, 1, 40), "one", (24, 40, 6, 1))):
            for kind, dtype in (("additive", torch.bfloat16), ("bool", torch.bool)):
                mask = self.tensor(*shape, dtype=dtype)
                self.check("masked_softmax", {**flags, "mask": kind, "mask_rows": rows}, dims, x, mask, wt.masked_softmax(x, mask), 1.0)
        self.refused(("causal is True", lambda: wt.masked_softmax(x, causal=True)),
                     *(("the mask has the shape", lambda shape=shape: wt.masked_softmax(x, self.half(*shape)))
                       for shape in ((3, 24, 40), (1, 3, 24, 40), (24, 1), (40,), (23, 40), (2, 2, 1, 24, 40))))

    def test_masked_softmax_s_gradient(self):
        y, dy = self.half(2, 3, 24, 40), self.half(2, 3, 24, 40)
        found = self.gradient("masked_softmax", (y, None, "none", 0.5, False), y, dy)
        dx = self.check("masked_softmax_backward", {"log": False, "causal": "none"}, (144, 40, 1), None, y, None, 0.5)[1]
        self.assertIs(found[0], dx)
        mask = self.half(2, 1, 24, 40)
        found = self.gradient("masked_softmax", (y, mask, "upper_left", 0.5, True), y, dy)
        self.check("masked_softmax_backward", {"log": True, "causal": "upper_left"}, (24, 40, 6), None, y, None, 1.0)
        self.assertEqual((found[0].shape, found[1].shape), (y.shape, mask.shape))
        keep = self.tensor(24, 40, dtype=torch.bool)
        setup, backward = fake_torch.gradients["warptune::masked_softmax"]
        context = Context(True, False)
        setup(ctx=context, inputs=(y, keep, "none", 0.5, False), output=y)
        self.assertEqual((backward(context, dy)[0].shape, fake_torch.seen[-1]), (y.shape, ("where", keep, 0)))


if __name__ == "__main__":
    unittest.main()
