"""topk of warptune.torch: its launches, its gradient, and its refusals. Without torch (fake_torch.py)."""
import unittest

import fake_torch
from glue import OperatorCase, torch, wt


class TopKTest(OperatorCase):
    def test_values_and_indices(self):
        x = self.half(2, 3, 40)
        for call, largest, k in ((lambda x: wt.topk(x, 5), True, 5), (lambda x: wt.topk(x, 40, 2, False), False, 40),
                                 (lambda x: wt.topk(x, 1, -1, largest=True, sorted=False), True, 1)):
            values, indices = call(x)
            self.check("top_k", {"largest": largest, "index": "int64"}, (6, 40, k), x, values, indices)
            self.assertEqual((values.shape, values.dtype), ((2, 3, k), torch.bfloat16))
            self.assertEqual((indices.shape, indices.dtype), ((2, 3, k), torch.int64))
        found = wt.topk(x, 5)
        self.launched()
        self.assertTrue(found.values is found[0] and found.indices is found[1])
        values, indices = wt.topk(self.half(), 1, 0)
        self.assertEqual((self.launched()[2], values.shape, indices.shape), ((1, 1, 1), (), ()))
        wt.topk(self.half(600), 512)
        self.assertEqual(self.launched()[2], (1, 600, 512))

    def test_memory_that_begins_anywhere(self):
        for offset in (2, 4, 8):
            x = self.half(2, 3, 40)
            x.address += offset
            wt.topk(x, 5)
            given = self.launched()[3]
            self.assertEqual((given is x, given.address % 8), (offset == 8, 0))

    def test_nothing_to_do(self):
        for shape, k in (((0, 5), 2), ((3, 5), 0), ((3, 0), 0)):
            self.assertEqual([y.shape for y in wt.topk(self.half(*shape), k)], [(shape[0], k)] * 2)
        self.assertEqual(self.kernels.launches, [])

    def test_gradient(self):
        x, y, indices, dy = self.half(2, 3, 40), self.half(2, 3, 5), self.tensor(2, 3, 5, dtype=torch.int64), self.half(2, 3, 5)
        found = self.gradient("top_k", (x, 5, True), (y, indices), dy, None)
        self.assertEqual((found[0].shape, found[0].dtype, found[1:]), (x.shape, torch.bfloat16, (None, None)))
        self.assertEqual(fake_torch.seen, ["new_zeros", ("scatter", -1, indices, dy)])
        self.assertEqual(self.context.fixed, (indices,))

    def test_shape_rules_agree_with_the_kernels(self):
        for x in (self.half(2, 3, 8), self.half(8), self.half(0, 8)):
            self.shapes_agree("top_k", x, 3, True)
        self.shapes_agree("top_k", self.half(), 1, False)

    def test_what_does_not_fit_is_refused(self):
        x = self.half(2, 3, 40)
        self.refused(("dim is 1; the kernel works on the last of 3", lambda: wt.topk(x, 2, 1)), ("dim is -3", lambda: wt.topk(x, 2, -3)),
                     ("k is 41; it must be between 0 and 40,", lambda: wt.topk(x, 41)), ("k is -1", lambda: wt.topk(x, -1)),
                     ("k is 513; the kernel finds up to 512", lambda: wt.topk(self.half(600), 513)),
                     ("between 1 and 1,", lambda: wt.topk(self.half(), 0)), ("k is 2", lambda: wt.topk(self.half(), 2)),
                     ("float64", lambda: wt.topk(self.tensor(3, dtype=torch.float64), 1)))


if __name__ == "__main__":
    unittest.main()
