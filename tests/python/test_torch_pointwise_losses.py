"""The elementwise losses of warptune.torch: launches and refusals. Without torch (fake_torch.py)."""
import math
import unittest

import fake_torch
from glue import OperatorCase, torch, wt


class PointwiseLossTest(OperatorCase):
    def test_every_loss_has_its_numbers(self):
        x, target = self.half(6, 5, 8), self.half(6, 5, 8)
        for call, function, numbers in (
                (wt.mse_loss, "mse", ()), (wt.l1_loss, "l1", ()), (wt.smooth_l1_loss, "smooth_l1", (1.0,)),
                (wt.huber_loss, "huber", (1.0,)), (wt.kl_div, "kl_div", ()), (wt.binary_cross_entropy_with_logits, "bce_with_logits", ()),
                (wt.hinge_embedding_loss, "hinge_embedding", (1.0,)),
                (lambda x, t, **r: wt.kl_div(x, t, log_target=True, **r), "kl_div_log", ()),
                (lambda x, t, **r: wt.smooth_l1_loss(x, t, beta=0.5, **r), "smooth_l1", (0.5,)),
                (lambda x, t, **r: wt.smooth_l1_loss(x, t, beta=0, **r), "l1", ()),
                (lambda x, t, **r: wt.huber_loss(x, t, delta=2, **r), "huber", (2.0,)),
                (lambda x, t, **r: wt.hinge_embedding_loss(x, t, 0.25, **r), "hinge_embedding", (0.25,))):
            for reduction, shape in (("mean", ()), ("sum", ()), ("none", x.shape)):
                y = call(x, target, reduction=reduction)
                self.check("loss", {"function": function, "reduction": reduction, "out": "same"}, (6, 40), x, target, y, *numbers)
                self.assertEqual((y.shape, y.dtype), (shape, torch.bfloat16))
        wt.mse_loss(x, target)
        self.assertEqual(self.launched()[1]["reduction"], "mean")
        wt.kl_div(x, target, reduction="batchmean")
        self.assertEqual(self.launched()[1]["reduction"], "batchmean")
        wt.l1_loss(self.half(), self.half())
        self.assertEqual(self.launched()[2], (1, 1))

    def test_gradients(self):
        x, target, dy = self.half(6, 8), self.half(6, 8), self.half()
        for function, numbers in (("mse", []), ("l1", []), ("smooth_l1", [0.5]), ("huber", [2.0])):
            fake_torch.seen.clear()
            found = self.gradient("loss", (x, target, function, "sum", numbers), dy, dy)
            flags = {"function": function, "reduction": "sum", "out": "same"}
            dx = self.check("loss_backward", flags, (6, 8), None, x, target, None, *numbers)[1]
            self.assertTrue(found[0] is dx and found[1] is not dx and found[1].shape == (6, 8))
            self.assertEqual((fake_torch.seen, dx.shape, dx.dtype), (["loss_backward", "neg"][-len(fake_torch.seen):], (6, 8), torch.bfloat16))
            self.assertIn("neg", fake_torch.seen)
        for function in ("kl_div", "kl_div_log", "bce_with_logits", "hinge_embedding"):
            self.refused(("detach the target", lambda: self.gradient("loss", (x, target, function, "mean", [1.0]), dy, dy)))
            self.context.needs_input_grad = (True, False)
            found = fake_torch.gradients["warptune::loss"][1](self.context, dy)
            self.assertIsNone(found[1])
            self.assertEqual(self.launched()[1]["function"], function)
        self.once_only("loss_backward")

    def test_signs_where_a_gradient_is_asked_for(self):
        x, target, dy = self.half(3, 5, requires_grad=True), self.half(3, 5), self.half()
        for call, function, numbers in ((wt.l1_loss, "l1", ()), (lambda *args, **r: wt.smooth_l1_loss(*args, beta=0, **r), "l1", ()),
                                        (lambda *args, **r: wt.hinge_embedding_loss(*args, 0.5, **r), "hinge_embedding", (0.5,))):
            for reduction, shape in (("mean", ()), ("none", (3, 5))):
                flags = {"function": function, "reduction": reduction, "out": "same", "signs": True}
                y = call(x, target, reduction=reduction)
                signs, = self.check("loss", flags, (3, 5), x, target, y, None, *numbers)
                self.assertEqual((y.shape, signs.shape, signs.dtype), (shape, (4,), torch.uint8))
                fake_torch.seen.clear()
                upstream = self.half(*shape)
                context_inputs = (x, target, function, reduction, list(numbers))
                if function == "l1":
                    found = self.gradient("signed_loss", context_inputs, (y, signs), upstream, None)
                    self.assertEqual((fake_torch.seen[-1], found[1].shape), ("neg", (3, 5)))
                else:
                    self.refused(("detach the target", lambda: self.gradient("signed_loss", context_inputs, (y, signs), upstream, None)))
                    self.context.needs_input_grad = (True, False)
                    found = fake_torch.gradients["warptune::signed_loss"][1](self.context, upstream, None)
                    self.assertIsNone(found[1])
                self.check("loss_backward", flags, (3, 5), None, signs, found[0], *numbers)
                self.assertEqual((found[0].shape, found[0].dtype, self.context.saved_tensors, self.context.fixed),
                                 ((3, 5), torch.bfloat16, (signs,), (signs,)))
        wt.l1_loss(self.half(3, 5), self.half(3, 5, requires_grad=True))
        self.assertTrue(self.launched()[1]["signs"])
        for call in (lambda: wt.l1_loss(self.half(3, 5), target), lambda: wt.mse_loss(x, target)):
            call()
            self.assertNotIn("signs", self.launched()[1])
        self.shapes_agree("signed_loss", x, target, "l1", "mean", [])
        self.shapes_agree("signed_loss", x, target, "l1", "none", [])
        self.shapes_agree("signed_loss_backward", dy, self.tensor(4, dtype=torch.uint8), (3, 5), "l1", "mean", [])
        self.once_only("signed_loss_backward")

    def test_nothing_to_do(self):
        for shape, reduction, value in (((0, 3), "mean", math.nan), ((0, 3), "sum", 0.0), ((0, 3), "batchmean", math.nan),
                                        ((3, 0), "batchmean", 0.0), ((3, 0), "mean", math.nan)):
            fake_torch.seen.clear()
            wt.kl_div(self.half(*shape), self.half(*shape), reduction=reduction)
            (what, found), = fake_torch.seen
            self.assertTrue(what == "fill" and (found == value or found != found and value != value), (shape, reduction))
        self.assertEqual(wt.mse_loss(self.half(0, 3), self.half(0, 3), reduction="none").shape, (0, 3))
        fake_torch.seen.clear()
        wt.l1_loss(self.half(0, 3, requires_grad=True), self.half(0, 3))
        self.assertIn("fill", fake_torch.seen[-1])
        self.gradient("signed_loss", (self.half(0, 3), self.half(0, 3), "l1", "none", []), (self.half(0, 3), self.half(0)), self.half(0, 3), None)
        self.assertEqual(self.kernels.launches, [])

    def test_shape_rules_agree_with_the_kernels(self):
        x = self.half(6, 8)
        for reduction in ("none", "mean"):
            self.shapes_agree("loss", x, x, "huber", reduction, [1.0])
        self.shapes_agree("loss_backward", self.half(), x, x, "mse", "sum", [])

    def test_what_does_not_fit_is_refused(self):
        x, row = self.half(6, 8), self.half(8)
        self.refused(("^mse_loss: the target .* nothing is broadcast", lambda: wt.mse_loss(x, row)), ("^kl_div: the target", lambda: wt.kl_div(x, row)),
                     ("^binary_cross_entropy_with_logits: the target", lambda: wt.binary_cross_entropy_with_logits(x, row)),
                     ("mse_loss: there is no reduction 'batchmean'", lambda: wt.mse_loss(x, x, reduction="batchmean")),
                     ("no reduction 'max'", lambda: wt.kl_div(x, x, reduction="max")),
                     ("takes no weights", lambda: wt.l1_loss(x, x, weight=x)),
                     ("takes no weights", lambda: wt.binary_cross_entropy_with_logits(x, x, pos_weight=row)),
                     ("takes no weights", lambda: wt.binary_cross_entropy_with_logits(x, x, x)),
                     ("beta is -1", lambda: wt.smooth_l1_loss(x, x, beta=-1)),
                     *(("beta is .*, but must be 0 or between", lambda beta=beta: wt.smooth_l1_loss(x, x, beta=beta))
                       for beta in (1e-38, 1e38, float("inf"))),
                     ("delta is 0", lambda: wt.huber_loss(x, x, delta=0)),
                     ("float64", lambda: wt.mse_loss(*[self.tensor(3, dtype=torch.float64)] * 2)))


if __name__ == "__main__":
    unittest.main()
