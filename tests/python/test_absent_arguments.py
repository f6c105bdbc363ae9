"""A kernel with arguments that exist only for some problems, over the fake driver."""
import os
import unittest

import warptune
from exporters import DlpackArray, Driver

X, BIAS, Y = 0x1000, 0x2000, 0x3000


class AbsentArgumentsTest(unittest.TestCase):
    def setUp(self):
        self.driver = Driver()
        self.driver.set_context(0x1)
        self.driver.set_arg_count(4)
        self.kernel = warptune.open(os.environ["WT_MIX_DB"], jit=False).kernel("mix")

    def launched(self):
        return list(self.driver.last().args[:4])

    def test_they_are_left_out(self):
        self.assertEqual(self.kernel.args, ["x", "bias", "beta", "y"])
        self.kernel(DlpackArray(X, (64,)), DlpackArray(Y, (64,)))
        self.assertEqual(self.launched(), [X, 0, 0, Y])
        x, bias, y = (DlpackArray(address, (128,)) for address in (X, BIAS, Y))
        self.kernel(x, bias, 0.0, y)
        self.assertEqual(self.launched(), [X, BIAS, 0, Y])
        self.kernel.select(n=64)(DlpackArray(X, (64,)), DlpackArray(Y, (64,)))
        self.assertEqual(self.launched(), [X, 0, 0, Y])

    def test_what_is_missing_or_too_much_is_named(self):
        x, bias, y = (DlpackArray(address, (64,)) for address in (X, BIAS, Y))
        with self.assertRaisesRegex(warptune.BadInput, "4 arguments were given, but it takes 2: x, y"):
            self.kernel(x, bias, 0.0, y)
        with self.assertRaisesRegex(warptune.BadInput, "2 arguments were given, but it takes 4: x, bias, beta, y"):
            self.kernel((128,), x, y)


if __name__ == "__main__":
    unittest.main()
