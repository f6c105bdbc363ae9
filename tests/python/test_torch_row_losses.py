"""The row losses of warptune.torch: launches, gradients, and refusals. Without torch (fake_torch.py)."""
import math
import unittest

import fake_torch
from glue import OperatorCase, torch, wt


class RowLossTest(OperatorCase):
    def flags(self, function, reduction):
        return {"function": function, "reduction": reduction, "out": "same"}

    def test_cosines(self):
        for shape, dims in (((6, 40), (6, 40)), ((40,), (1, 40))):
            x, x2, target = self.half(*shape), self.half(*shape), self.half(*shape[:-1])
            for reduction, result in (("mean", ()), ("sum", ()), ("none", shape[:-1])):
                y = wt.cosine_embedding_loss(x, x2, target, 0.25, reduction=reduction)
                self.check("row_loss", self.flags("cosine_embedding", reduction), dims, x, x2, target, y, 0.25)
                self.assertEqual((y.shape, y.dtype), (result, torch.bfloat16))
        wt.cosine_embedding_loss(x, x2, target)
        self.assertEqual((self.kernels.launches[0][1]["reduction"], self.launched()[-1]), ("mean", 0.0))

    def test_triplets(self):
        for shape, dims in (((6, 40), (6, 40)), ((40,), (1, 40)), ((2, 3, 40), (6, 40))):
            x, x2, x3 = (self.half(*shape) for _ in range(3))
            for swap, function in ((False, "triplet_margin"), (True, "triplet_margin_swap")):
                for reduction, result in (("mean", ()), ("sum", ()), ("none", shape[:-1])):
                    y = wt.triplet_margin_loss(x, x2, x3, 0.5, 2.0, 1e-5, swap, reduction=reduction)
                    self.check("row_loss", self.flags(function, reduction), dims, x, x2, x3, y, 0.5, 1e-5)
                    self.assertEqual((y.shape, y.dtype), (result, torch.bfloat16))
        wt.triplet_margin_loss(x, x2, x3)
        self.assertEqual(self.kernels.launches[0][1], self.flags("triplet_margin", "mean"))
        self.assertEqual(self.launched()[-2:], (1.0, 1e-6))

    def test_gradients(self):
        x, x2, x3, target = self.half(6, 40), self.half(6, 40), self.half(6, 40), self.half(6)
        for reduction, dy in (("none", self.half(6)), ("sum", self.half()), ("mean", self.half())):
            found = self.gradient("row_loss", (x, x2, None, target, "cosine_embedding", reduction, [0.25]), dy, dy)
            dloss, dx, dx2 = self.check("row_loss_backward", self.flags("cosine_embedding", reduction), (6, 40), None, x, x2, target,
                                        None, None, 0.25)
            self.assertEqual(dloss.shape, dy.shape)
            self.assertTrue(found[0] is dx and found[1] is dx2 and found[2:] == (None,) * 5)
            self.assertEqual([(one.shape, one.dtype) for one in (dx, dx2)], [(x.shape, torch.bfloat16)] * 2)
            for function in ("triplet_margin", "triplet_margin_swap"):
                found = self.gradient("row_loss", (x, x2, x3, None, function, reduction, [0.5, 1e-5]), dy, dy)
                made = self.check("row_loss_backward", self.flags(function, reduction), (6, 40), None, x, x2, x3, None, None, None, 0.5, 1e-5)
                self.assertTrue(all(one is other for one, other in zip(found, made[1:])) and found[3:] == (None,) * 4)
                self.assertEqual([one.shape for one in made[1:]], [x.shape] * 3)
        self.once_only("row_loss_backward")

    def test_long_rows_keep_their_sums_where_a_gradient_is_asked_for(self):
        x, x2, x3, target, dy = self.half(6, 8200), self.half(6, 8200), self.half(6, 8200, requires_grad=True), self.half(6), self.half(6)
        flags = {**self.flags("triplet_margin", "none"), "sums": True}
        y = wt.triplet_margin_loss(x, x2, x3, reduction="none")
        sums, = self.check("row_loss", flags, (6, 8200), x, x2, x3, y, None, 1.0, 1e-6)
        self.assertEqual((y.shape, sums.shape, sums.dtype), ((6,), (18,), torch.float32))
        found = self.gradient("row_loss_with_sums", (x, x2, x3, None, "triplet_margin", "none", [1.0, 1e-6]), (y, sums), dy, None)
        made = self.check("row_loss_backward", flags, (6, 8200), None, x, x2, x3, sums, None, None, None, 1.0, 1e-6)
        self.assertTrue(all(one is other for one, other in zip(found, made[1:])) and found[3:] == (None,) * 4)
        self.assertEqual(self.context.fixed, (sums,))
        flags = {**self.flags("cosine_embedding", "mean"), "sums": True}
        wt.cosine_embedding_loss(x, x3, target, 0.5)
        self.check("row_loss", flags, (6, 8200), x, x3, target, None, None, 0.5)
        self.gradient("row_loss_with_sums", (x, x3, None, target, "cosine_embedding", "mean", [0.5]), (y, sums), dy, None)
        self.check("row_loss_backward", flags, (6, 8200), None, x, x3, target, sums, None, None, 0.5)
        for call in (lambda: wt.triplet_margin_loss(x, x2, x2), lambda: wt.cosine_embedding_loss(self.half(6, 8192, requires_grad=True), self.half(6, 8192), target)):
            call()
            self.assertNotIn("sums", self.launched()[1])

    def test_nothing_to_do(self):
        none, target = self.half(0, 8), self.half(0)
        for reduction, value in (("mean", math.nan), ("sum", 0.0)):
            for call in (lambda: wt.cosine_embedding_loss(none, none, target, reduction=reduction),
                         lambda: wt.triplet_margin_loss(none, none, none, reduction=reduction)):
                fake_torch.seen.clear()
                self.assertEqual(call().shape, ())
                (what, found), = fake_torch.seen
                self.assertTrue(what == "fill" and (found == value or found != found and value != value))
        self.assertEqual(wt.triplet_margin_loss(none, none, none, reduction="none").shape, (0,))
        self.gradient("row_loss", (none, none, none, None, "triplet_margin", "sum", [1.0, 1e-6]), target, self.half())
        wt.triplet_margin_loss(self.half(0, 8200, requires_grad=True), *[self.half(0, 8200)] * 2)
        self.assertEqual(self.kernels.launches, [])

    def test_shape_rules_agree_with_the_kernels(self):
        x, target = self.half(6, 8), self.half(6)
        for reduction, dloss in (("none", target), ("mean", self.half())):
            self.shapes_agree("row_loss", x, x, None, target, "cosine_embedding", reduction, [0.0])
            self.shapes_agree("row_loss_with_sums", x, x, None, target, "cosine_embedding", reduction, [0.0])
            self.shapes_agree("row_loss_backward", dloss, x, x, None, target, None, "cosine_embedding", reduction, [0.0])
            for sums in (None, self.tensor(18)):
                self.shapes_agree("row_loss_backward", dloss, x, x, x, None, sums, "triplet_margin", reduction, [1.0, 1e-6])

    def test_what_does_not_fit_is_refused(self):
        x, row, target, wide = self.half(6, 8), self.half(8), self.half(6), self.tensor(6, 8, dtype=torch.float64)
        cosine, triplet = wt.cosine_embedding_loss, wt.triplet_margin_loss
        self.refused(("cosine_embedding_loss: the inputs have the shapes \\(6, 8\\), \\(8,\\)", lambda: cosine(x, row, target)),
                     ("nothing is broadcast", lambda: triplet(x, x, row)), ("nothing is broadcast", lambda: triplet(x, row, x)),
                     ("no reduction 'batchmean'", lambda: cosine(x, x, target, reduction="batchmean")),
                     ("triplet_margin_loss: there is no reduction 'max'", lambda: triplet(x, x, x, reduction="max")),
                     ("p is 1; the kernel computes the Euclidean", lambda: triplet(x, x, x, p=1)),
                     ("the target has the shape \\(8,\\)", lambda: cosine(x, x, row)),
                     ("the target has the shape \\(6, 8\\)", lambda: cosine(*[self.half(6, 8, 3)] * 2, x)),
                     ("the target is torch.int64; the kernel takes the inputs' dtype, torch.bfloat16",
                      lambda: cosine(x, x, self.tensor(6, dtype=torch.int64))),
                     ("must have a last dim that is not empty", lambda: triplet(*[self.half(6, 0)] * 3)),
                     ("must have a last dim that is not empty", lambda: triplet(*[self.half()] * 3)),
                     ("float64", lambda: triplet(wide, wide, wide)))


if __name__ == "__main__":
    unittest.main()
