"""Pooling of warptune.torch: windows, layouts, gradients, and refusals. Without torch (fake_torch.py)."""
import unittest

import fake_torch
from glue import OperatorCase, torch, wt

from warptune.torch.pooling import _windows


def counted(size, window, stride, pad, ceil):
    """Windows begin in the image or in the padding before it; without ceil they end at the latest in the padding behind
    it."""
    starts = range(-pad, size, stride)
    return sum(1 for start in starts if start + window <= size + pad or ceil and start + window - stride < size + pad)


class PoolTest(OperatorCase):
    def launch(self, op, layout, dims, x, y, indices=None, ceil=False):
        _, flags, found_dims, *images = launch = self.launched()
        self.assertEqual((launch[0], flags, found_dims), ("pool", {"op": op, "layout": layout, "ceil": ceil}, dims))
        self.assertEqual(len(images), 2 if indices is None else 3)
        for image, expected in zip(images, (x, y, indices)):
            self.view(image, expected, layout)

    def test_windows_are_counted_as_in_torch(self):
        for size in range(1, 9):
            for window in range(1, 6):
                for stride in range(1, 5):
                    for pad in range(window // 2 + 1):
                        for ceil in (False, True):
                            if size + 2 * pad >= window:
                                self.assertEqual(_windows(size, window, stride, pad, ceil), counted(size, window, stride, pad, ceil),
                                                 (size, window, stride, pad, ceil))

    def test_one_to_three_dims(self):
        x = self.half(2, 6, 20)
        y = wt.max_pool1d(x, 4)
        self.launch("max", "nchw", (2, 6, 1, 20, 1, 4, 1, 4, 0, 0, 1, 1, 1, 0), x, y)
        self.assertEqual((y.shape, y.dtype), ((2, 6, 5), torch.bfloat16))
        x = self.half(2, 6, 13, 20)
        y = wt.avg_pool2d(x, (3, 2), (2, 1), (1, 0))
        self.launch("average", "nchw", (2, 6, 13, 20, 3, 2, 2, 1, 1, 0, 1, 1, 1, 0), x, y)
        self.assertEqual(y.shape, (2, 6, 7, 19))
        x = self.half(2, 6, 5, 13, 20)
        y, indices = wt.max_pool3d(x, 3, (1, 2, 3), (0, 1, 1), ceil_mode=True, return_indices=True)
        self.launch("max_index", "nchw", (2, 6, 13, 20, 3, 3, 2, 3, 1, 1, 5, 3, 1, 0), x, y, indices, True)
        self.assertEqual((y.shape, indices.shape, indices.dtype), ((2, 6, 3, 7, 7), (2, 6, 3, 7, 7), torch.int64))

    def test_channels_last(self):
        x = self.channels_last(2, 6, 14, 20)
        y, indices = wt.max_pool2d(x, 2, return_indices=True)
        self.launch("max_index", "nhwc", (2, 6, 14, 20, 2, 2, 2, 2, 0, 0, 1, 1, 1, 0), x, y, indices)
        self.assertEqual((y.shape, y.strides, indices.strides), ((2, 6, 7, 10), (420, 1, 60, 6), (420, 1, 60, 6)))
        x = self.channels_last(2, 6, 4, 5, 8)
        y = wt.avg_pool3d(x, 2, count_include_pad=False)
        self.launch("average_inside", "nhwc", (2, 6, 5, 8, 2, 2, 2, 2, 0, 0, 4, 2, 2, 0), x, y)
        self.assertEqual(y.strides, (96, 1, 48, 24, 6))

    def test_inputs_are_copied_if_the_indices_need_more_alignment(self):
        for make in (self.half, self.channels_last):
            x = make(2, 6, 14, 20)
            x.address += 8
            for with_indices in (True, False):
                wt.max_pool2d(x, 2, return_indices=with_indices)
                given = self.launched()[3]
                self.assertEqual((given.address % 16, given.is_contiguous()), (0 if with_indices else 8, True))

    def test_without_a_batch(self):
        x = self.half(6, 8, 10)
        self.assertEqual(wt.avg_pool2d(x, 2).shape, (6, 4, 5))
        self.assertEqual(self.launched()[2][:4], (1, 6, 8, 10))
        y, indices = wt.max_pool2d(x, 2, return_indices=True)
        self.assertEqual((y.shape, indices.shape), ((6, 4, 5), (6, 4, 5)))
        self.launched()
        self.assertEqual(wt.max_pool2d(x, 2).shape, (6, 4, 5))
        self.launched()

    def test_adaptive(self):
        x = self.half(2, 6, 12, 20)
        for call, op, size, window in ((wt.adaptive_avg_pool2d, "average", 1, (12, 20)), (wt.adaptive_avg_pool2d, "average", (4, None), (3, 1)),
                                       (wt.adaptive_max_pool2d, "max", (6, 5), (2, 4))):
            y = call(x, size)
            self.launch(op, "nchw", (2, 6, 12, 20, *window, *window, 0, 0, 1, 1, 1, 0), x, y)
            self.assertEqual(y.shape, (2, 6, 12 // window[0], 20 // window[1]))
        self.assertEqual(wt.adaptive_avg_pool1d(self.half(2, 6, 12), 3).shape, (2, 6, 3))
        self.launched()
        self.assertEqual(wt.adaptive_max_pool1d(self.half(2, 6, 12), 3, True)[1].shape, (2, 6, 3))
        self.launched()
        for call in (wt.adaptive_avg_pool3d, wt.adaptive_max_pool3d):
            self.assertEqual(call(self.half(2, 6, 4, 12, 8), (2, 4, 1)).shape, (2, 6, 2, 4, 1))
            self.assertEqual(self.launched()[2][10:12], (4, 2))

    def test_maxima_have_their_places_where_a_gradient_is_asked_for(self):
        x = self.half(2, 6, 40, 40, requires_grad=True)
        for size, op, dtype in ((16, "max_place", torch.uint8), (17, "max_index", torch.int64)):
            wt.max_pool2d(x, size)
            _, flags, _, _, _, indices = self.launched()
            self.assertEqual((flags["op"], indices.dtype), (op, dtype))
        wt.max_pool2d(x, 2, return_indices=True)
        self.assertEqual(self.launched()[1]["op"], "max_index")
        self.assertEqual(fake_torch.seen, ["pool"] * 3)

    def test_gradients(self):
        for x, layout in ((self.half(2, 6, 8, 10), "nchw"), (self.channels_last(2, 6, 8, 10), "nhwc")):
            dy, flags = self.half(2, 6, 4, 4), {"layout": layout, "ceil": True}
            indices = (self.half if layout == "nchw" else self.channels_last)(2, 6, 4, 4)
            indices.dtype = torch.uint8
            dims = (2, 6, 8, 10, 3, 3, 2, 3, 1, 1, 1, 1, 1, 0)
            for op, given in (("max_place", indices), ("average_inside", None)):
                found = self.gradient("pool", (x, [3, 3], [2, 3], [1, 1], True, op), (dy, indices), dy, None)
                name, found_flags, found_dims, of_y, *rest = self.launched()
                self.assertEqual((name, found_flags, found_dims), ("pool_backward", {"op": op, **flags}, dims))
                self.assertEqual(len(rest), 1 if given is None else 2)
                self.assertTrue(of_y.is_contiguous())
                self.view(rest[-1], found[0], layout)
                if given is not None:
                    self.view(rest[0], indices, layout)
                self.assertEqual((found[0].shape, found[0].strides, found[1:]), (x.shape, x.strides, (None,) * 5))
                self.assertEqual(self.context.fixed, (indices,))
            self.refused(("use 'max_index'", lambda: self.gradient("pool", (x, [3, 3], [2, 3], [1, 1], True, "max"), (dy, dy))))
        self.once_only("pool_backward")

    def test_shape_rules_agree_with_the_kernels(self):
        for x in (self.half(2, 6, 9, 10), self.channels_last(2, 6, 9, 10), self.half(0, 6, 9, 10)):
            for op in ("max", "max_index", "max_place", "average"):
                self.shapes_agree("pool", x, [3, 2], [2, 2], [1, 0], True, op)
        for layout in ("nchw", "nhwc"):
            dy = (self.half if layout == "nchw" else self.channels_last)(2, 6, 4, 5)
            self.shapes_agree("pool_backward", dy, None, [2, 6, 8, 10], [2, 2], [2, 2], [0, 0], False, "average", layout)
        wt.max_pool2d(self.half(0, 6, 9, 10), 2)
        self.assertEqual(self.kernels.launches, [])

    def test_what_does_not_fit_is_refused(self):
        x = self.half(2, 6, 8, 10)
        self.refused(("dilation is 2", lambda: wt.max_pool2d(x, 2, dilation=2)), ("dilation is", lambda: wt.max_pool2d(x, 2, dilation=(1, 3))),
                     ("divisor_override is 3", lambda: wt.avg_pool2d(x, 2, divisor_override=3)),
                     ("must be at most half", lambda: wt.avg_pool2d(x, 3, padding=2)),
                     ("kernel_size is \\(2, 2, 2\\)", lambda: wt.max_pool2d(x, (2, 2, 2))), ("stride is 0", lambda: wt.avg_pool2d(x, 2, 0)),
                     ("padding is -1", lambda: wt.avg_pool2d(x, 2, padding=-1)), ("larger than the padded image", lambda: wt.max_pool2d(x, 9)),
                     ("max_pool1d: the input has 4 dims", lambda: wt.max_pool1d(x, 2)), ("has 2 dims", lambda: wt.max_pool2d(self.half(3, 4), 2)),
                     ("output_size is 3 ", lambda: wt.adaptive_avg_pool2d(x, 3)), ("output_size is \\(4,\\)", lambda: wt.adaptive_max_pool2d(x, (4,))),
                     ("output_size is 0 ", lambda: wt.adaptive_avg_pool2d(x, 0)),
                     ("memory format channels_last", lambda: wt.max_pool2d(x.mT, 2)), ("float64", lambda: wt.max_pool2d(self.tensor(
                         2, 3, 4, 4, dtype=torch.float64), 2)))


if __name__ == "__main__":
    unittest.main()
