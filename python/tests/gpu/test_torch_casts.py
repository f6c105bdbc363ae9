"""to on a real device: results and gradients are those of torch, bit by bit; registrations, torch.compile."""
import itertools
import unittest

from torch_support import DEVICE, FLOATS, RefusalCase, compiled_agrees, gradcheck, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded
PAIRS = tuple(itertools.permutations(FLOATS, 2))


class Results(unittest.TestCase):
    def same(self, x, dtype, dy):
        """Compares with torch, for an incoming gradient dy."""
        found, gradients = [], []
        for function in (wt.to, torch.Tensor.to):
            leaf = x.detach().requires_grad_()
            y = function(leaf, dtype)
            found.append(y.detach())
            gradients.append(torch.autograd.grad(y, leaf, dy)[0])
        for ours, theirs in (found, gradients):
            self.assertEqual((ours.dtype, ours.shape), (theirs.dtype, theirs.shape))
            torch.testing.assert_close(ours, theirs, rtol=0, atol=0, equal_nan=True)

    def test_every_pair(self):
        for given, wanted in PAIRS:
            for shape in ((33, 1003), (2, 3, 8), (517,), (), (0, 8)):
                with self.subTest(given=given, wanted=wanted, shape=shape):
                    self.same(randn(*shape, dtype=given), wanted, randn(*shape, dtype=wanted))

    def test_special_values(self):
        values = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 7e4, -7e4, 65519.0, 1e-7, 1 + 2.0 ** -9, 3.4e38], device=DEVICE)
        for given, wanted in PAIRS:
            with self.subTest(given=given, wanted=wanted):
                self.same(values.to(given), wanted, values.to(wanted))

    def test_gradients_with_gaps_and_memory_that_begins_anywhere(self):
        for given, wanted in PAIRS:
            for first in (1, 2, 3):
                with self.subTest(given=given, wanted=wanted, first=first):
                    x, dy = randn(3 + 64 * 100, dtype=given)[first:first + 6400], randn(64, 103, dtype=wanted)[:, first:first + 100]
                    self.same(x.view(64, 100), wanted, dy)
                    self.same(x.view(64, 100), wanted, dy.new_ones(()).expand(64, 100))
                    self.same(x, wanted, randn(3 + 6400, dtype=wanted)[first:first + 6400])

    def test_second_derivatives(self):
        x, seconds = randn(6, 8, grad=True), []
        for to in (wt.to, torch.Tensor.to):
            first, = torch.autograd.grad(to(x, torch.bfloat16).pow(3).sum(), x, create_graph=True)
            seconds.append(torch.autograd.grad(first.sum(), x)[0])
        self.assertTrue(torch.equal(*seconds))

    def test_the_same_dtype(self):
        x = randn(3, 4)
        self.assertIs(wt.to(x, torch.float32), x)


class Registrations(RefusalCase):
    def test_opcheck(self):
        for given in FLOATS:
            for name in ("fp32", "fp16", "bf16"):
                torch.library.opcheck(torch.ops.warptune.cast.default, (randn(3, 5, 7, dtype=given, grad=True), name))

    def test_gradcheck(self):
        x = torch.rand(3, 5, device=DEVICE) / 5 + 0.25  # float16 rounds these by less than a fiftieth of a step
        gradcheck(lambda x: wt.to(wt.to(x, torch.float16), torch.float32), x)

    def test_compiled(self):
        for given, wanted in PAIRS:
            compiled_agrees(lambda x: wt.to(x, wanted), randn(6, 40, dtype=given))
        compiled_agrees(lambda x: wt.to(wt.gelu(wt.to(x * 2, torch.float16)), torch.float32), randn(6, 40), dynamic=True)

    def test_what_is_refused(self):
        x = randn(3, 4)
        self.refused([("to: there is no kernel for torch.float64", lambda: wt.to(x, torch.float64)),
                      ("to: there is no kernel for torch.float64", lambda: wt.to(x.double(), torch.float32)),
                      ("'e4m3'", lambda: torch.ops.warptune.cast(x, "e4m3")),
                      ("not contiguous", lambda: wt.to(x.t(), torch.float16))])


if __name__ == "__main__":
    unittest.main()
