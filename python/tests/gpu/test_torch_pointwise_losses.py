"""The losses of each element on a real device: results and gradients against float64, registrations, torch.compile."""
import unittest

from torch_support import FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded
functional = torch.nn.functional
OF_DIFFERENCES = [("mse_loss", {}), ("l1_loss", {}), ("smooth_l1_loss", {"beta": 0.5}), ("smooth_l1_loss", {"beta": 0.0}),
                  ("huber_loss", {"delta": 0.75})]


def signs(shape):
    return torch.where(randn(*shape) > 0, 1.0, -1.0)


# The targets of these losses have no gradient.
OTHERS = [("kl_div", {}, lambda shape: randn(*shape).sigmoid()), ("kl_div", {"log_target": True}, lambda shape: -randn(*shape).abs()),
          ("binary_cross_entropy_with_logits", {}, lambda shape: randn(*shape).sigmoid()), ("hinge_embedding_loss", {"margin": 0.5}, signs)]


class Results(unittest.TestCase):
    def test_losses_of_differences(self):
        for dtype in FLOATS:
            for shape in ((33, 41), (7,), (2, 3, 4, 8)):
                for name, options in OF_DIFFERENCES:
                    for reduction in ("none", "mean", "sum"):
                        with self.subTest(name=name, dtype=dtype, shape=shape, reduction=reduction):
                            agrees(lambda x, t: getattr(wt, name)(x, t, reduction=reduction, **options),
                                   lambda x, t: getattr(functional, name)(x, t, reduction=reduction, **options),
                                   randn(*shape, dtype=dtype), randn(*shape, dtype=dtype))

    def test_other_losses(self):
        for dtype in FLOATS:
            for name, options, targets in OTHERS:
                for reduction in ("none", "mean", "sum") + (("batchmean",) if name == "kl_div" else ()):
                    with self.subTest(name=name, dtype=dtype, reduction=reduction, **options):
                        target = targets((33, 41)).to(dtype)
                        agrees(*(lambda x, where=where: getattr(where, name)(x, target.to(x.dtype), reduction=reduction, **options)
                                 for where in (wt, functional)), randn(33, 41, dtype=dtype))

    def test_nothing_to_do(self):
        for shape in ((0, 3), (3, 0)):
            for reduction in ("none", "mean", "sum", "batchmean"):
                x = randn(*shape)
                torch.testing.assert_close(wt.kl_div(x, x, reduction=reduction), functional.kl_div(x, x, reduction=reduction),
                                           equal_nan=True)


class Registrations(RefusalCase):
    def test_opcheck(self):
        x, target = randn(6, 8, grad=True), randn(6, 8, grad=True)
        for reduction in ("none", "mean"):
            torch.library.opcheck(torch.ops.warptune.loss.default, (x, target, "huber", reduction, [1.0]))
            torch.library.opcheck(torch.ops.warptune.loss.default, (x, target.detach().softmax(-1), "kl_div", reduction, []))
        torch.library.opcheck(torch.ops.warptune.loss_backward.default, (randn(), randn(6, 8), randn(6, 8), "mse", "sum", []))

    def test_opcheck_with_signs(self):
        x, target = randn(3, 5, grad=True), randn(3, 5, grad=True)
        op, backward = torch.ops.warptune.signed_loss.default, torch.ops.warptune.signed_loss_backward.default
        for reduction in ("none", "mean"):
            torch.library.opcheck(op, (x, target, "l1", reduction, []))
        torch.library.opcheck(op, (x, target.detach().sign(), "hinge_embedding", "sum", [0.5]))
        signs = torch.randint(256, (4,), dtype=torch.uint8, device=x.device)
        torch.library.opcheck(backward, (randn(), signs, (3, 5), "l1", "mean", []))

    def test_gradcheck(self):
        x, target = randn(3, 5), randn(3, 5) + 4  # far from the corners
        for name, options in OF_DIFFERENCES:
            gradcheck(lambda x, t: getattr(wt, name)(x, t, **options), x, target)
        x = torch.where((x - 0.5).abs() < 0.1, x + 0.25, x)  # away from the margin of hinge_embedding_loss
        for name, options, targets in OTHERS:
            target = targets((3, 5))
            gradcheck(lambda x: getattr(wt, name)(x, target, reduction="sum", **options), x)

    def test_compiled(self):
        x, target = randn(6, 40), randn(6, 40)
        for name, options in OF_DIFFERENCES:
            compiled_agrees(lambda x, t: getattr(wt, name)(x + 1, t, **options), x, target)
        others = [(name, options, targets((6, 40))) for name, options, targets in OTHERS]
        compiled_agrees(lambda x: tuple(getattr(wt, name)(x, target, **options) for name, options, target in others), x)
        compiled_agrees(lambda x, t: wt.mse_loss(x, t, reduction="none") * 2, x.bfloat16(), target.bfloat16(), dynamic=True)

    def test_what_is_refused(self):
        x, wants = randn(6, 8), randn(6, 8, grad=True)
        self.refused([("nothing is broadcast", lambda: wt.mse_loss(x, randn(8))), ("'target' is fp16", lambda: wt.mse_loss(x, x.half())),
                      ("not contiguous", lambda: wt.mse_loss(x.t(), x.t())), ("float64", lambda: wt.mse_loss(x.double(), x.double())),
                      *(("must be 0 or between 1e-37 and 1e37", lambda beta=beta: wt.smooth_l1_loss(x, x, beta=beta))
                        for beta in (1e-38, 1e38, float("inf"))),
                      ("detach the target", lambda: wt.kl_div(x, wants).backward()),
                      ("no second derivative", lambda: torch.autograd.grad(wt.mse_loss(wants, x), wants, create_graph=True)[0]
                       .sum().backward())])


if __name__ == "__main__":
    unittest.main()
