"""cross_entropy and masked_softmax on a real device: results and gradients against float64, registrations, torch.compile,
special values, and what is refused."""
import unittest

from torch_support import (DEVICE, FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, run_with_gradients, torch,
                           use_recorded)

import warptune
import warptune.torch as wt

setUpModule = use_recorded
functional = torch.nn.functional
INF, NAN = float("inf"), float("nan")


def labelled(rows, classes, dtype=torch.float32):
    """Returns logits and targets. Every eighth row is ignored, but never the first one."""
    logits = randn(rows, classes, dtype=dtype) * 3
    target = torch.randint(0, classes, (rows,), device=logits.device)
    target[7::8] = -100
    return logits, target


class CrossEntropy(RefusalCase):
    def test_results_and_gradients(self):
        for dtype in FLOATS:
            for rows, classes in ((33, 1003), (64, 512), (1, 5), (16, 2)):
                logits, target = labelled(rows, classes, dtype)
                for reduction in ("none", "mean", "sum"):
                    for smoothing in (0.0, 0.1):
                        with self.subTest(dtype=dtype, shape=(rows, classes), reduction=reduction, smoothing=smoothing):
                            options = dict(reduction=reduction, label_smoothing=smoothing)
                            agrees(lambda x, t: wt.cross_entropy(x, t, **options),
                                   lambda x, t: functional.cross_entropy(x, t, **options), logits, target)

    def test_one_sample(self):
        logits, target = randn(40), torch.tensor(7).to(DEVICE)
        found = wt.cross_entropy(logits, target)
        self.assertEqual(found.shape, ())
        near(found, functional.cross_entropy(logits, target))

    def test_the_loss_is_float32(self):
        logits, target = labelled(33, 136, torch.bfloat16)
        self.assertEqual(wt.cross_entropy(logits, target).dtype, torch.float32)
        near(wt.cross_entropy(logits, target), functional.cross_entropy(logits.double(), target))

    def test_ignored_rows(self):
        logits, target = labelled(16, 40)
        target[3] = 5
        for index in (5, -100):
            agrees(lambda x, t: wt.cross_entropy(x, t, ignore_index=index),
                   lambda x, t: functional.cross_entropy(x, t, ignore_index=index), logits, target.clamp(min=min(index, 0)))
        logits[7] = NAN  # ignored: no part in the loss or the gradient
        (loss,), (gradient,) = run_with_gradients(wt.cross_entropy, (logits, target))
        self.assertTrue(loss.isfinite().item() and not gradient[7].any().item())
        nothing = torch.full_like(target, -100)
        self.assertTrue(wt.cross_entropy(logits, nothing).isnan().item())
        self.assertEqual(wt.cross_entropy(logits, nothing, reduction="sum").item(), 0)

    def test_special_values(self):
        for dtype in FLOATS:
            logits, target = labelled(7, 40, dtype)
            target[:] = torch.arange(7)
            logits[1, 9], logits[2, 2], logits[3, 9], logits[4], logits[5, 8] = -INF, -INF, INF, -INF, NAN
            ours, theirs = (run_with_gradients(lambda x, t: f(x, t, reduction="none"), (logits, target))
                            for f in (wt.cross_entropy, functional.cross_entropy))
            near(ours[0][0].to(dtype), theirs[0][0])
            near(ours[1][0], theirs[1][0])
        out_of_range = torch.tensor([40, -1], device=logits.device)
        self.assertTrue(wt.cross_entropy(randn(2, 40), out_of_range, reduction="none").isnan().all().item())

    def test_logits_of_any_size(self):
        for cols in (40, 40000):
            logits, target = labelled(9, cols)
            target[:] = torch.arange(9)
            logits *= 1e30
            logits[2] = 3e9
            # Smoothing needs the sum of a row's logits, which must not exceed the largest float32.
            for smoothing, low in ((0.0, torch.finfo(torch.float32).min), (0.1, -1e33)):
                logits[1] = low
                found = wt.cross_entropy(logits, target, reduction="none", label_smoothing=smoothing)
                near(found, functional.cross_entropy(logits.double(), target, reduction="none", label_smoothing=smoothing))
            # The gradient uses the logarithm of the sum in float32, in which only the largest of such logits remains.
            logits[1:3], logits[:, 9] = 0, 1e31
            agrees(lambda x: wt.cross_entropy(x, target), lambda x: functional.cross_entropy(x, target), logits)

    def test_nothing_to_do(self):
        logits = randn(0, 8, grad=True)
        target = torch.zeros(0, dtype=torch.int64, device=logits.device)
        wt.cross_entropy(logits, target, reduction="sum").backward()
        self.assertEqual(logits.grad.shape, (0, 8))
        self.assertTrue(wt.cross_entropy(logits, target).isnan().item())

    def test_opcheck_and_gradcheck(self):
        logits, target = labelled(9, 40)
        for smoothing in (0.0, 0.1):
            torch.library.opcheck(torch.ops.warptune.cross_entropy.default,
                                  (logits.clone().requires_grad_(), target, smoothing, -100))
        lse = logits.logsumexp(-1)
        torch.library.opcheck(torch.ops.warptune.cross_entropy_backward.default,
                              (randn(9), logits, target, lse, 0.1, -100))
        logits, target = labelled(9, 6)
        gradcheck(lambda x: wt.cross_entropy(x, target, label_smoothing=0.2, reduction="sum"), logits)

    def test_compiled(self):
        for dtype in (torch.float32, torch.bfloat16):
            logits, target = labelled(33, 136, dtype)
            compiled_agrees(lambda x, t: wt.cross_entropy(x * 2, t, label_smoothing=0.1), logits, target)
            compiled_agrees(lambda x, t: wt.cross_entropy(x, t, reduction="none"), logits, target, dynamic=True)

    def test_what_is_refused(self):
        logits, target = labelled(9, 40)
        self.refused([
            ("float64", lambda: wt.cross_entropy(logits.double(), target)),
            ("no class weights", lambda: wt.cross_entropy(logits, target, randn(40))),
            ("no reduction 'max'", lambda: wt.cross_entropy(logits, target, reduction="max")),
            ("label_smoothing is 1.5", lambda: wt.cross_entropy(logits, target, label_smoothing=1.5)),
            ("Move the classes last", lambda: wt.cross_entropy(randn(2, 40, 3), target[:6].view(2, 3))),
            ("class indices in torch.int64", lambda: wt.cross_entropy(logits, target.int())),
            ("class indices in torch.int64", lambda: wt.cross_entropy(logits, logits)),
            ("the target has the shape \\(8,\\)", lambda: wt.cross_entropy(logits, target[:8])),
            ("not contiguous", lambda: wt.cross_entropy(randn(40, 9).t(), target))])
        x = logits.clone().requires_grad_()
        first, = torch.autograd.grad(wt.cross_entropy(x, target), x, create_graph=True)
        with self.assertRaisesRegex(warptune.BadInput, "no second derivative"):
            first.sum().backward()


def masked(x, mask, causal=None, scale=1.0, log=False):
    """Computes masked_softmax with torch's own operators."""
    x = x * scale
    if mask is not None:
        x = x.masked_fill(~mask, -INF) if mask.dtype == torch.bool else x + mask
    if causal:
        ahead = x.shape[-1] - x.shape[-2] if causal == "lower_right" else 0
        x = x.masked_fill(~torch.ones(x.shape[-2:], dtype=torch.bool, device=x.device).tril(ahead), -INF)
    return torch.log_softmax(x, -1) if log else torch.softmax(x, -1)


MASKS = ((24, 40), (1, 40), (2, 1, 24, 40), (2, 1, 1, 40), (2, 3, 24, 40), (2, 3, 1, 40), (1, 1, 24, 40))


class MaskedSoftmax(RefusalCase):
    def check(self, x, mask, **options):
        # The gradient of a mask is a sum of rounded gradients.
        agrees(lambda x, m: wt.masked_softmax(x, m, **options), lambda x, m: masked(x, m, **options), x, mask, factor=16)

    def test_rows_that_the_lowest_number_masks(self):
        for dtype in FLOATS:
            for cols in (40, 4096):
                x, mask = randn(2, 3, 24, cols, dtype=dtype), torch.zeros(24, cols, dtype=dtype, device=DEVICE)
                mask[1, cols // 2:] = mask[2] = torch.finfo(dtype).min
                near(wt.masked_softmax(x, mask), torch.softmax(x.float() + mask.float(), -1))

    def test_masks(self):
        for dtype in FLOATS:
            x = randn(2, 3, 24, 40, dtype=dtype)
            for shape in MASKS:
                keep = randn(*shape) > -0.5
                keep[..., 0] = True
                for log in (False, True):
                    with self.subTest(dtype=dtype, mask=shape, log=log):
                        agrees(lambda x: wt.masked_softmax(x, keep, scale=0.5, log=log).nan_to_num(0, 0, 0),
                               lambda x: masked(x, keep, scale=0.5, log=log).nan_to_num(0, 0, 0), x)
                        self.check(x, randn(*shape, dtype=dtype), scale=0.5, log=log)

    def test_gradients_of_removed_elements_are_zero(self):
        for dtype in FLOATS:
            x = randn(2, 3, 24, 40, dtype=dtype)
            for shape in MASKS:
                keep = randn(*shape) > -0.5
                keep[..., 0] = True
                removed = keep.clone()
                removed[..., :1, :] = False  # a row, or all rows of a sample
                for log in (False, True):
                    with self.subTest(dtype=dtype, mask=shape, log=log):
                        agrees(*(lambda x, call=call: call(x, keep, log=log) for call in (wt.masked_softmax, masked)), x)
                        agrees(*(lambda x, call=call: call(x, removed, log=log).nan_to_num(0, 0, 0)
                                 for call in (wt.masked_softmax, masked)), x)
        x = randn(4, 8, grad=True)
        keep = torch.ones(4, 8, dtype=torch.bool, device=x.device)
        keep[2] = False
        wt.masked_softmax(x, keep).square().sum().backward()
        self.assertEqual((x.grad[2].abs().sum().item(), x.grad.isfinite().all().item()), (0.0, True))

    def test_causal(self):
        for dtype in FLOATS:
            for shape in ((2, 3, 24, 40), (3, 24, 24), (24, 40)):
                x = randn(*shape, dtype=dtype)
                for causal in ("upper_left", "lower_right"):
                    with self.subTest(dtype=dtype, shape=shape, causal=causal):
                        self.check(x, None, causal=causal, scale=0.125)
                        self.check(x, randn(*shape[-2:], dtype=dtype), causal=causal)

    def test_no_mask(self):
        for shape in ((33, 1003), (300,), (2, 3, 5, 7)):
            self.check(randn(*shape), None)
            self.check(randn(*shape), None, scale=2.0, log=True)

    def test_rows_that_see_nothing_are_nan(self):
        x = randn(6, 40)
        keep = torch.ones(6, 40, dtype=torch.bool, device=x.device)
        keep[2] = False
        x[4] = -INF
        x[5, 3] = NAN
        near(wt.masked_softmax(x, keep), masked(x, keep))

    def test_nothing_to_do(self):
        for shape in ((0, 8), (2, 0, 8), (4, 0)):
            x = randn(*shape).requires_grad_()
            wt.masked_softmax(x).sum().backward()
            self.assertEqual(x.grad.shape, x.shape)

    def test_opcheck_and_gradcheck(self):
        op, x = torch.ops.warptune.masked_softmax.default, randn(2, 3, 8, 8, grad=True)
        keep = torch.ones(8, 8, dtype=torch.bool, device=x.device).tril()
        for args in ((x, None, "upper_left", 0.5, False), (x, keep, "none", 0.5, False),
                     (x, randn(2, 1, 1, 8, grad=True), "none", 1.0, True)):
            torch.library.opcheck(op, args)
        y = torch.softmax(x.detach(), -1)
        torch.library.opcheck(torch.ops.warptune.masked_softmax_backward.default, (randn(2, 3, 8, 8), y, "none", 0.5, False))
        gradcheck(lambda x, m: wt.masked_softmax(x, m, scale=0.5), randn(2, 3, 4), randn(1, 4))
        gradcheck(lambda x: wt.masked_softmax(x, causal="lower_right", log=True).nan_to_num(0, 0, 0), randn(2, 3, 4))

    def test_compiled(self):
        x, mask = randn(2, 3, 24, 40), randn(2, 1, 24, 40)
        compiled_agrees(lambda x, m: wt.masked_softmax(x * 2, m, scale=0.5), x, mask)
        compiled_agrees(lambda x: wt.masked_softmax(x, causal="upper_left"), x.bfloat16(), dynamic=True)

    def test_what_is_refused(self):
        x, bools = randn(2, 3, 24, 40), torch.ones(24, 40, dtype=torch.bool, device=DEVICE)
        self.refused([
            ("causal is True", lambda: wt.masked_softmax(x, causal=True)),
            ("the mask has the shape \\(3, 24, 40\\)", lambda: wt.masked_softmax(x, randn(3, 24, 40))),
            ("the mask has the shape \\(1, 3, 24, 40\\)", lambda: wt.masked_softmax(x, randn(1, 3, 24, 40))),
            ("the mask has the shape \\(24, 1\\)", lambda: wt.masked_softmax(x, randn(24, 1))),
            ("the mask has the shape \\(40,\\)", lambda: wt.masked_softmax(x, randn(40))),
            ("'mask' is fp32", lambda: wt.masked_softmax(x.half(), randn(24, 40))),
            ("not contiguous", lambda: wt.masked_softmax(x, bools.t().contiguous().t())),
            ("float64", lambda: wt.masked_softmax(x.double()))])


if __name__ == "__main__":
    unittest.main()
