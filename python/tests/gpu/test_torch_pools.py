"""Pooling on a real device: results and gradients against torch, both memory formats, registrations, torch.compile."""
import unittest

from torch_support import FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded
functional = torch.nn.functional
FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}
# By the number of dims of an image: pools by window, then by output size.
POOLS = {1: (wt.max_pool1d, wt.avg_pool1d, wt.adaptive_max_pool1d, wt.adaptive_avg_pool1d),
         2: (wt.max_pool2d, wt.avg_pool2d, wt.adaptive_max_pool2d, wt.adaptive_avg_pool2d),
         3: (wt.max_pool3d, wt.avg_pool3d, wt.adaptive_max_pool3d, wt.adaptive_avg_pool3d)}
IMAGES = {1: (2, 6, 37), 2: (2, 6, 13, 17), 3: (2, 4, 6, 7, 9)}


def images(dims, dtype=torch.float32):
    x = randn(*IMAGES[dims], dtype=dtype)
    yield x
    if dims > 1:
        yield x.contiguous(memory_format=FORMATS[x.dim()])
    yield x[0].contiguous()


class Results(unittest.TestCase):
    def compared(self, name, dtype, x, *args, **options):
        # torch works on a contiguous copy: its avg_pool2d has wrong gradients for channels_last with padding (its issue 188344).
        with self.subTest(name=name, dtype=dtype, shape=tuple(x.shape), strides=x.stride(), args=args, **options):
            agrees(lambda x: getattr(wt, name)(x, *args, **options),
                   lambda x: getattr(functional, name)(x.contiguous(), *args, **options), x)

    def test_windows(self):
        for dtype in FLOATS:  # windows are compiled in, so each case compiles two kernels: the 16-bit dtypes have one window
            for dims in IMAGES:
                for x in images(dims, dtype):
                    for args in ((2,), (3, 2, 1), (4, 3, 0)) if dtype == torch.float32 else ((3, 2, 1),):
                        for ceil_mode in (False, True):
                            self.compared(f"max_pool{dims}d", dtype, x, *args, ceil_mode=ceil_mode)
                            for inside in (False, True):
                                self.compared(f"avg_pool{dims}d", dtype, x, *args, ceil_mode=ceil_mode, count_include_pad=inside)

    def test_adaptive(self):
        for dtype in FLOATS:
            for dims, size, to in ((1, (12,), 3), (2, (12, 20), (4, None)), (2, (12, 20), 1), (3, (4, 6, 8), (2, 3, 1))):
                x = randn(2, 6, *size, dtype=dtype)
                self.compared(f"adaptive_avg_pool{dims}d", dtype, x, to)
                self.compared(f"adaptive_max_pool{dims}d", dtype, x, to)

    def test_indices(self):
        for dims in IMAGES:
            for x in images(dims):
                found, expected = (getattr(where, f"max_pool{dims}d")(x, 3, 2, 1, return_indices=True) for where in (wt, functional))
                self.assertTrue(torch.equal(found[0], expected[0]) and torch.equal(found[1], expected[1]))
        x = randn(2, 6, 12, 20, grad=True)
        y, indices = wt.adaptive_max_pool2d(x, 4, True)
        y.sum().backward()
        self.assertTrue(torch.equal(indices, functional.adaptive_max_pool2d(x.detach(), 4, True)[1]))
        self.assertEqual(x.grad.sum().item(), y.numel())

    def test_large_windows(self):
        for size in (16, 17, 60):  # up to 256 elements the gradient stores a byte for each
            self.compared("max_pool2d", torch.float32, randn(2, 3, 61, 64), size)

    def test_memory_format_is_kept(self):
        x = randn(2, 6, 8, 8, grad=True).contiguous(memory_format=torch.channels_last)
        y = wt.max_pool2d(x, 2)
        self.assertTrue(y.is_contiguous(memory_format=torch.channels_last))
        near(torch.autograd.grad(y.sum(), x)[0], torch.autograd.grad(functional.max_pool2d(x, 2).sum(), x)[0])
        self.assertTrue(torch.nn.functional.relu_(wt.max_pool2d(x, 2)).is_contiguous(memory_format=torch.channels_last))
        self.assertEqual(wt.avg_pool2d(x[:0], 2).shape, (0, 6, 4, 4))


class Registrations(RefusalCase):
    def test_opcheck(self):
        pool, backward = torch.ops.warptune.pool.default, torch.ops.warptune.pool_backward.default
        for x in (randn(2, 6, 8, 9), randn(2, 6, 8, 9).contiguous(memory_format=torch.channels_last)):
            torch.library.opcheck(pool, (x, [2, 3], [2, 2], [0, 1], True, "max"))
            for op in ("max_index", "max_place", "average", "average_inside"):
                torch.library.opcheck(pool, (x.clone().requires_grad_(), [2, 3], [2, 2], [0, 1], True, op))
        torch.library.opcheck(backward, (randn(2, 6, 4, 4), None, [2, 6, 8, 8], [2, 2], [2, 2], [0, 0], False, "average", "nchw"))

    def test_gradcheck(self):
        distinct = torch.randperm(64, device="cuda").float()
        for shape, calls in (((1, 2, 32), POOLS[1]), ((1, 2, 4, 8), POOLS[2]), ((1, 2, 2, 4, 4), POOLS[3])):
            x = distinct.view(shape)
            for call in calls:
                gradcheck(lambda x: call(x, 2), x)
            for call in calls[:2]:
                gradcheck(lambda x: call(x, 3, 2, 1), x.contiguous(memory_format=FORMATS.get(x.dim(), torch.contiguous_format)))

    def test_compiled(self):
        for x in images(2):
            compiled_agrees(lambda x: wt.max_pool2d(x + 1, 3, 2, 1), x)
            compiled_agrees(lambda x: wt.avg_pool2d(x, 2) * 2, x, dynamic=True)
        compiled_agrees(lambda x: wt.adaptive_avg_pool2d(x, 1), randn(2, 6, 8, 8))
        for shape, calls in (((2, 6, 16), POOLS[1]), ((2, 6, 8, 8), POOLS[2]), ((2, 6, 4, 8, 8), POOLS[3])):
            compiled_agrees(lambda x: tuple(call(x, 2) for call in calls), randn(*shape))

    def test_what_is_refused(self):
        x = randn(2, 6, 8, 8)
        wants = x.clone().requires_grad_()
        self.refused([("dilation is 2", lambda: wt.max_pool2d(x, 2, dilation=2)),
                      ("output_size is 3 ", lambda: wt.adaptive_avg_pool2d(x, 3)),
                      ("memory format channels_last", lambda: wt.max_pool2d(x[..., ::2], 2)),
                      ("float64", lambda: wt.max_pool2d(x.double(), 2)),
                      ("no second derivative", lambda: torch.autograd.grad(wt.avg_pool2d(wants, 2).square().sum(), wants,
                                                                           create_graph=True)[0].sum().backward())])


if __name__ == "__main__":
    unittest.main()
