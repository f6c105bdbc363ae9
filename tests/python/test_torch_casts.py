"""to of warptune.torch: launches, gradients, and refusals. Without torch (fake_torch.py)."""
import unittest

from glue import OperatorCase, torch, wt

from warptune.torch.ops import FLOATS


class CastTest(OperatorCase):
    def test_every_pair(self):
        for given in FLOATS:
            for wanted, name in FLOATS.items():
                x = self.tensor(2, 3, 8, dtype=given)
                y = wt.to(x, wanted)
                if given == wanted:
                    self.assertIs(y, x)
                    continue
                self.check("elementwise", {"function": "identity", "out": name}, (6, 8, 1), x, y)
                self.assertIn(("elementwise", FLOATS[given]), self.kernels.found)
                self.assertEqual((y.shape, y.dtype), (x.shape, wanted))
                dy = self.tensor(2, 3, 8, dtype=wanted)
                dx, of_name = self.gradient("cast", (x, name), y, dy)
                self.check("elementwise", {"function": "identity", "out": FLOATS[given]}, (6, 8, 1), None, dx)
                self.assertEqual((dx.shape, dx.dtype, of_name), (x.shape, given, None))
                self.shapes_agree("cast", x, name)
        self.shapes_agree("cast", x, FLOATS[x.dtype])

    def test_gradients_with_gaps_are_copied(self):
        x, dy = self.half(6, 8), self.tensor(6, 8, strides=(9, 1))
        self.gradient("cast", (x, "fp32"), self.tensor(6, 8), dy)
        given = self.launched()[3]
        self.assertEqual((given is dy, given.is_contiguous(), given.dtype), (False, True, torch.float32))

    def test_shapes(self):
        for shape, dims in (((), (1, 1, 1)), ((5,), (1, 5, 1)), ((5, 1), (5, 1, 1))):
            y = wt.to(self.half(*shape), torch.float32)
            self.assertEqual((self.launched()[2], y.shape), (dims, shape))
        self.assertEqual(wt.to(self.half(0, 8), torch.float32).shape, (0, 8))
        self.assertEqual(self.kernels.launches, [])

    def test_what_does_not_fit_is_refused(self):
        x, wide = self.half(2, 3), self.tensor(2, 3, dtype=torch.float64)
        self.refused(("^to: there is no kernel for torch.float64", lambda: wt.to(x, torch.float64)),
                     ("^to: there is no kernel for torch.float64", lambda: wt.to(wide, torch.float32)),
                     ("^to: there is no kernel for torch.int8", lambda: wt.to(x, torch.int8)),
                     ("^to: there is no kernel for the result 'e4m3'", lambda: torch.ops.warptune.cast.default(x, "e4m3")))


if __name__ == "__main__":
    unittest.main()
