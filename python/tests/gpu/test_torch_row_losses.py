"""The losses of rows on a real device: results and gradients against float64, registrations, torch.compile."""
import unittest

from torch_support import FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded
functional = torch.nn.functional


def signs(*shape, dtype=torch.float32):
    return torch.where(randn(*shape) > 0, 1.0, -1.0).to(dtype)


def triplets(*shape, swap=False, dtype=torch.float32):
    """Returns anchors, positives and negatives, far from the bends of the loss. Alternately, a row has a loss or none. With
    swap, every third row has its negative close to its positive, so that their distance counts."""
    x, of_p, of_n = (randn(*shape, dtype=dtype) for _ in range(3))
    kind = torch.arange(max(x.numel() // shape[-1], 1), device="cuda").view(*shape[:-1], 1) % (3 if swap else 2)
    p = x + torch.where(kind == 1, 0.5, 4.0).to(dtype) * of_p
    n = x + torch.where(kind == 1, 4.0, 0.5).to(dtype) * of_n
    return x, p, torch.where(kind == 2, p + of_n / 2, n)


class Results(unittest.TestCase):
    def test_cosines(self):
        for dtype in FLOATS:
            for shape in ((33, 41), (64, 256), (40,)):
                target = signs(*shape[:-1], dtype=dtype)
                for margin in (0.0, 0.25):
                    for reduction in ("none", "mean", "sum"):
                        with self.subTest(dtype=dtype, shape=shape, margin=margin, reduction=reduction):
                            x = randn(*shape, dtype=dtype)
                            x2 = x + randn(*shape, dtype=dtype)  # a cosine of about 0.7, far from the margins
                            agrees(*(lambda x, x2, where=where: where.cosine_embedding_loss(
                                x, x2, target.to(x.dtype), margin, reduction=reduction) for where in (wt, functional)), x, x2)

    def test_triplets(self):
        for dtype in FLOATS:
            for shape in ((34, 41), (64, 256), (40,)):
                for swap in (False, True):
                    for reduction in ("none", "mean", "sum"):
                        with self.subTest(dtype=dtype, shape=shape, swap=swap, reduction=reduction):
                            agrees(*(lambda a, p, n, where=where: where.triplet_margin_loss(
                                a, p, n, 0.5, swap=swap, eps=1e-5, reduction=reduction) for where in (wt, functional)),
                                *triplets(*shape, swap=swap, dtype=dtype))

    def test_long_rows(self):
        """Their gradients are computed from the sums that the forward pass stored."""
        for dtype, cols in ((torch.float32, 5001), (torch.bfloat16, 20000), (torch.float16, 9001)):
            for reduction in ("none", "mean"):
                with self.subTest(dtype=dtype, cols=cols, reduction=reduction):
                    x, target = randn(6, cols, dtype=dtype), signs(6, dtype=dtype)
                    agrees(*(lambda x, x2, where=where: where.cosine_embedding_loss(x, x2, target.to(x.dtype), 0.25, reduction=reduction)
                             for where in (wt, functional)), x, x + randn(6, cols, dtype=dtype))
                    agrees(*(lambda a, p, n, where=where: where.triplet_margin_loss(a, p, n, 0.5, swap=True, reduction=reduction)
                             for where in (wt, functional)), *triplets(6, cols, swap=True, dtype=dtype))

    def test_nothing_to_do(self):
        for reduction in ("none", "mean", "sum"):
            x, target = randn(0, 8), randn(0)
            torch.testing.assert_close(wt.cosine_embedding_loss(x, x, target, reduction=reduction),
                                       functional.cosine_embedding_loss(x, x, target, reduction=reduction), equal_nan=True)
            torch.testing.assert_close(wt.triplet_margin_loss(x, x, x, reduction=reduction),
                                       functional.triplet_margin_loss(x, x, x, reduction=reduction), equal_nan=True)


class Registrations(RefusalCase):
    def test_opcheck(self):
        target, ops = signs(6), torch.ops.warptune
        a, p, n = (x.requires_grad_() for x in triplets(6, 8))
        for reduction, dloss in (("none", randn(6)), ("mean", randn())):
            torch.library.opcheck(ops.row_loss.default, (a, n, None, target, "cosine_embedding", reduction, [0.25]))
            torch.library.opcheck(ops.row_loss_with_sums.default, (a, n, None, target, "cosine_embedding", reduction, [0.25]))
            torch.library.opcheck(ops.row_loss_backward.default, (dloss, a.detach(), n.detach(), None, target, None, "cosine_embedding", reduction, [0.25]))
            for function in ("triplet_margin", "triplet_margin_swap"):
                torch.library.opcheck(ops.row_loss.default, (a, p, n, None, function, reduction, [1.0, 1e-6]))
                torch.library.opcheck(ops.row_loss_with_sums.default, (a, p, n, None, function, reduction, [1.0, 1e-6]))
                for sums in (None, ops.row_loss_with_sums(a, p, n, None, function, reduction, [1.0, 1e-6])[1]):
                    torch.library.opcheck(ops.row_loss_backward.default,
                                          (dloss, a.detach(), p.detach(), n.detach(), None, sums, function, reduction, [1.0, 1e-6]))

    def test_gradcheck(self):
        x, target = randn(4, 5), torch.tensor([1.0, -1.0, 1.0, -1.0], device="cuda")
        gradcheck(lambda x, x2: wt.cosine_embedding_loss(x, x2, target, reduction="none"), x, x + randn(4, 5) / 2)
        for swap in (False, True):
            for apart in (1, 3.5):  # the negative is close to the anchor, or to the positive
                gradcheck(lambda a, p, n: wt.triplet_margin_loss(a, p, n, swap=swap, reduction="sum"), x, x + 4 + randn(4, 5) / 2,
                          x + apart + randn(4, 5) / 2)

    def test_compiled(self):
        target = signs(6)
        compiled_agrees(lambda x, x2: wt.cosine_embedding_loss(x + 1, x2, target, 0.25), randn(6, 40), randn(6, 40))
        for swap in (False, True):
            compiled_agrees(lambda a, p, n: wt.triplet_margin_loss(a * 2, p, n, swap=swap), *triplets(6, 40, swap=swap))
        compiled_agrees(lambda a, p, n: wt.triplet_margin_loss(a * 2, p, n), *triplets(6, 5000))
        compiled_agrees(lambda a, p, n: wt.triplet_margin_loss(a, p, n, reduction="none") * 2, *triplets(6, 40, dtype=torch.bfloat16), dynamic=True)

    def test_what_is_refused(self):
        x, target, wanted = randn(6, 8), signs(6), randn(6, 8, grad=True)
        self.refused([("nothing is broadcast", lambda: wt.cosine_embedding_loss(x, randn(8), target)),
                      ("p is 1", lambda: wt.triplet_margin_loss(x, x, x, p=1)), ("target is torch.int64", lambda: wt.cosine_embedding_loss(x, x, target.long())),
                      ("not contiguous", lambda: wt.triplet_margin_loss(x.t(), x.t(), x.t())),
                      ("is fp16", lambda: wt.triplet_margin_loss(x, x.half(), x)), ("float64", lambda: wt.triplet_margin_loss(*[x.double()] * 3)),
                      ("no second derivative", lambda: torch.autograd.grad(wt.triplet_margin_loss(wanted, x, -x), wanted, create_graph=True)[0]
                       .sum().backward())])


if __name__ == "__main__":
    unittest.main()
