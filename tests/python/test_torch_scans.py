"""cumsum and cumprod of warptune.torch: launches, gradients, and refusals. Without torch (fake_torch.py)."""
import unittest

import fake_torch
from glue import OperatorCase, torch, wt


class ScanTest(OperatorCase):
    def test_sums_and_products(self):
        x = self.half(2, 3, 8)
        for call, op, exclusive, reverse in (
                (wt.cumsum, "sum", False, False), (lambda x: wt.cumsum(x, 2, dtype=torch.bfloat16), "sum", False, False),
                (lambda x: wt.cumsum(x, exclusive=True), "sum", True, False), (lambda x: wt.cumsum(x, -1, reverse=True), "sum", False, True),
                (wt.cumprod, "prod", False, False), (lambda x: wt.cumprod(x, 2), "prod", False, False),
                (lambda x: wt.cumprod(x, exclusive=1, reverse=1), "prod", True, True), (lambda x: wt.cumprod(x, reverse=True), "prod", False, True)):
            y = call(x)
            self.check("scan", {"op": op, "exclusive": exclusive, "reverse": reverse, "mask": False}, (6, 8), x, y)
            self.assertEqual((y.shape, y.dtype), (x.shape, x.dtype))
        wt.cumsum(self.half(), 0)
        self.assertEqual(self.launched()[2], (1, 1))
        wt.cumsum(self.half(3, 0))
        self.assertEqual(self.kernels.launches, [])

    def test_masks(self):
        x, mask = self.half(2, 3, 8), self.tensor(2, 3, 8, dtype=torch.bool)
        y = wt.cumsum(x, reverse=True, mask=mask)
        self.check("scan", {"op": "sum", "exclusive": False, "reverse": True, "mask": True}, (6, 8), x, mask, y)
        y = wt.cumprod(x, mask=mask)
        self.check("scan", {"op": "prod", "exclusive": False, "reverse": False, "mask": True}, (6, 8), x, mask, y)
        dy, fake_torch.seen[:] = self.half(2, 3, 8), []
        found = self.gradient("scan", (x, mask, "sum", True, False), y, dy)
        self.check("scan", {"op": "sum", "exclusive": True, "reverse": True, "mask": False}, (6, 8), None, None)
        self.assertEqual(fake_torch.seen, [("where", mask, 0)])
        self.assertEqual((found[0].shape, found[1]), (x.shape, None))
        fake_torch.seen.clear()
        self.gradient("scan", (x, mask, "prod", False, False), y, dy)
        self.assertEqual(fake_torch.seen, [("where", mask, 1), ("cumprod_backward", 0, 0, 0), ("where", mask, 0)])
        for wrong in (self.half(2, 3, 8), self.tensor(3, 8, dtype=torch.bool), self.tensor(2, 3, 1, dtype=torch.bool)):
            self.refused(("^cumsum: .* must have the dtype torch.bool and the input's shape, \\(2, 3, 8\\)", lambda wrong=wrong: wt.cumsum(x, mask=wrong)),
                         ("^cumprod: the mask has", lambda wrong=wrong: wt.cumprod(x, mask=wrong)))
        wt.cumsum(self.half(3, 0), mask=self.tensor(3, 0, dtype=torch.bool))
        self.assertEqual(self.kernels.launches, [])

    def test_gradients(self):
        x, y, dy = self.half(6, 8), self.half(6, 8), self.half(6, 8)
        for exclusive in (False, True):
            for reverse in (False, True):
                found = self.gradient("scan", (x, None, "sum", exclusive, reverse), y, dy)
                dx = self.check("scan", {"op": "sum", "exclusive": exclusive, "reverse": not reverse, "mask": False}, (6, 8), None, None)[1]
                self.assertIs(found[0], dx)

    def test_gradients_of_products(self):
        """With exclusive, results 1, 2, ... depend on elements 0, 1, ..."""
        for shape in ((6, 8), (6, 1), (8,), ()):
            x, y, dy = (self.half(*shape) for _ in range(3))
            for exclusive in (False, True):
                for reverse in (False, True):
                    fake_torch.seen.clear()
                    found = self.gradient("scan", (x, None, "prod", exclusive, reverse), y, dy)
                    self.assertEqual((found[0].shape, found[0].dtype), (shape, x.dtype))
                    self.assertEqual(self.context.saved_tensors, (None, x, y))
                    flips = [("flip", -1)] if reverse else []
                    first = 1 if exclusive else 0
                    pads = [("pad", 0, 1)] if exclusive else []
                    self.assertEqual(fake_torch.seen, flips * 3 + [("cumprod_backward", first, 0, first)] + pads + flips)
        fake_torch.seen.clear()
        empty = self.half(6, 0)
        self.assertEqual(self.gradient("scan", (empty, None, "prod", True, True), empty, empty)[0].shape, (6, 0))
        self.assertEqual((fake_torch.seen, self.kernels.launches), ([], []))

    def test_shape_rules_agree_with_the_kernels(self):
        self.shapes_agree("scan", self.half(2, 3, 8), None, "sum", False, False)
        self.shapes_agree("scan", self.half(2, 3, 8), self.tensor(2, 3, 8, dtype=torch.bool), "sum", False, False)

    def test_what_does_not_fit_is_refused(self):
        x = self.half(2, 3, 8)
        self.refused(("cumsum: dim is 1, but the kernel works only on the last of the 3 dims", lambda: wt.cumsum(x, 1)), ("cumprod: dim is 0", lambda: wt.cumprod(x, 0)),
                     ("dim is -3", lambda: wt.cumsum(x, -3)), ("dtype is torch.float32", lambda: wt.cumsum(x, dtype=torch.float32)),
                     ("float64", lambda: wt.cumsum(self.tensor(3, dtype=torch.float64))))


if __name__ == "__main__":
    unittest.main()
