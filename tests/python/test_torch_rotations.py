"""rotary of warptune.torch: its launches, its gradient, and its refusals. Without torch (fake_torch.py)."""
import unittest

import fake_torch
from glue import Context, OperatorCase, torch, wt


class RotaryTest(OperatorCase):
    def setUp(self):
        super().setUp()
        self.q, self.k, self.cosines, self.sines = self.half(2, 5, 4, 16), self.half(2, 5, 1, 16), self.tensor(5, 8), self.tensor(5, 8)
        self.flags = {"pairs": "halves", "inverse": False, "positions": False, "table": "fp32"}

    def test_heads_tables_and_positions(self):
        q, k = wt.rotary(self.q, self.k, self.cosines, self.sines)
        self.check("rotary", self.flags, (5, 4, 1, 16, 2, 0, 0), self.q, self.k, self.cosines, self.sines, q, k)
        self.assertEqual((q.shape, q.dtype, k.shape), (self.q.shape, torch.bfloat16, self.k.shape))
        q = wt.rotary(self.q, None, self.cosines, self.sines, pairs="neighbours")
        self.check("rotary", {**self.flags, "pairs": "neighbours"}, (5, 4, 0, 16, 2, 0, 0), self.q, self.cosines, self.sines, q)
        cosines, sines, positions = self.half(9, 3), self.half(9, 3), self.tensor(2, 5, dtype=torch.int64)
        q, k = wt.rotary(self.q, self.k, cosines, sines, positions)
        self.check("rotary", {**self.flags, "positions": True, "table": "same"}, (5, 4, 1, 16, 2, 6, 9), self.q, self.k, cosines, sines,
                   positions, q, k)
        self.assertEqual(wt.rotary(self.half(0, 5, 4, 16), None, cosines, sines).shape, (0, 5, 4, 16))
        self.assertEqual(self.kernels.launches, [])
        q, k = wt.rotary(self.q, self.half(2, 5, 0, 16), self.cosines, self.sines)
        self.check("rotary", self.flags, (5, 4, 0, 16, 2, 0, 0), self.q, self.cosines, self.sines, q)
        self.assertEqual(k.shape, (2, 5, 0, 16))
        self.assertEqual(self.kernels.launches, [])

    def test_the_gradient_rotates_back_and_again(self):
        dq, dk, positions = self.half(2, 5, 4, 16), self.half(2, 5, 1, 16), self.tensor(2, 5, dtype=torch.int64)
        for inverse in (False, True):
            inputs = (self.q, self.k, self.cosines, self.sines, positions, "neighbours", inverse)
            self.refused(("detach them", lambda: self.gradient("rotary", inputs, (self.q, self.k), dq, dk)))
            found = self.of_heads(inputs, (self.q, self.k), dq, dk)
            flags = {"pairs": "neighbours", "inverse": not inverse, "positions": True, "table": "fp32"}
            _, _, of_q, of_k = self.check("rotary", flags, (5, 4, 1, 16, 2, 0, 0), None, None, self.cosines, self.sines, positions, None, None)
            self.assertTrue(found[0] is of_q and found[1] is of_k and found[2:] == (None,) * 5)
        nothing = self.half(0)
        found = self.of_heads((self.q, None, self.cosines, self.sines, None, "halves", False), (self.q, nothing), dq, None)
        self.check("rotary", {**self.flags, "inverse": True}, (5, 4, 0, 16, 2, 0, 0), None, self.cosines, self.sines, found[0])
        self.assertEqual((found[1], self.context.fixed), (None, (nothing,)))

    def of_heads(self, inputs, output, *upstream):
        """The gradient of x if the tables need none."""
        setup, backward = fake_torch.gradients["warptune::rotary"]
        self.context = Context(True, True, *[False] * 5)
        setup(self.context, inputs, output)
        return backward(self.context, *upstream)

    def test_shape_rules_agree_with_the_kernels(self):
        for k in (None, self.k):
            self.shapes_agree("rotary", self.q, k, self.cosines, self.sines, None, "halves", False)

    def test_what_does_not_fit_is_refused(self):
        q, k, c, s = self.q, self.k, self.cosines, self.sines
        self.refused(("pairs is 'all'", lambda: wt.rotary(q, k, c, s, pairs="all")),
                     *(("differ only in the heads", lambda bad=bad: wt.rotary(q, bad, c, s))
                       for bad in (self.half(2, 4, 1, 16), self.half(2, 5, 1, 8), self.half(5, 1, 16))),
                     ("differ only in the heads", lambda: wt.rotary(self.half(2, 5, 16), None, c, s)),
                     ("must have at least one head", lambda: wt.rotary(self.half(2, 5, 0, 16), k, c, s)),
                     ("cosines and sines have the shapes", lambda: wt.rotary(q, k, c, self.tensor(5, 7))),
                     ("at most 16", lambda: wt.rotary(q, k, self.tensor(5, 9), self.tensor(5, 9))),
                     ("sines have 4 rows for 5 tokens", lambda: wt.rotary(q, k, self.tensor(4, 8), self.tensor(4, 8))),
                     ("positions is torch.float32", lambda: wt.rotary(q, k, c, s, self.tensor(2, 5))),
                     ("of the shape \\(5,\\)", lambda: wt.rotary(q, k, c, s, self.tensor(5, dtype=torch.int64))))


if __name__ == "__main__":
    unittest.main()
