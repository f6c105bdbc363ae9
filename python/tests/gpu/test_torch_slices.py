"""Slices and concatenation on a real device: results and gradients against torch, registrations, torch.compile."""
import unittest

from torch_support import FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded

import warptune
import warptune.torch as wt

setUpModule = use_recorded
# (shape, dim, start, end, step). Some slices allow accesses of 16 bytes, others of one element. They begin in the middle,
# reach the end, or have bounds that are clamped.
SLICES = [((6, 40, 16), 1, 3, 20, 1), ((6, 41), 1, 7, None, 1), ((6, 40, 16), 0, None, -1, 2), ((5, 9, 3), -1, 1, 3, 1),
          ((1003,), 0, -500, 2000, 3), ((33, 64), 1, 8, 40, 1), ((7, 12, 8), 1, 1, None, 4), ((4, 6), 0, None, None, 1)]


def sliced(x, dim, *bounds):
    return x[(slice(None),) * (dim % x.dim()) + (slice(*bounds),)]


class Slices(unittest.TestCase):
    def test_slices_and_scatters(self):
        for dtype in FLOATS:
            for shape, *place in SLICES:
                with self.subTest(dtype=dtype, shape=shape, place=place):
                    x = randn(*shape, dtype=dtype)
                    y = sliced(x, *place)
                    found = wt.slice_copy(x, *place)
                    self.assertTrue(torch.equal(found, y) and found.is_contiguous())
                    agrees(lambda x: wt.slice_copy(x, *place), lambda x: sliced(x, *place), x)
                    src = randn(*y.shape, dtype=dtype)
                    expected = torch.slice_scatter(x, src, *place)
                    self.assertTrue(torch.equal(wt.slice_scatter(x, src, *place), expected))
                    agrees(lambda x, src: wt.slice_scatter(x, src, *place), lambda x, src: torch.slice_scatter(x, src, *place), x, src)
                    version = x._version
                    self.assertIs(wt.slice_scatter_(x, src, *place), x)
                    self.assertTrue(torch.equal(x, expected) and x._version > version)

    def test_every_beginning(self):
        x = randn(7, 40).bfloat16()
        for start in range(40):
            for length in (1, 8, 40 - start):
                if start + length <= 40:
                    self.assertTrue(torch.equal(wt.narrow_copy(x, 1, start, length), x[:, start:start + length]), (start, length))

    def test_torchs_other_names(self):
        x = randn(4, 9, 5)
        for dim, start, length in ((1, 2, 4), (-1, -3, 2), (0, 4, 0)):
            agrees(lambda x: wt.narrow_copy(x, dim, start, length), lambda x: torch.narrow(x, dim, start, length), x)
        for dim, index in ((1, 3), (-1, -1), (0, 0)):
            agrees(lambda x: wt.select_copy(x, dim, index), lambda x: torch.select(x, dim, index), x)
            src = randn(*torch.select(x, dim, index).shape)
            agrees(lambda x, s: wt.select_scatter(x, s, dim, index), lambda x, s: torch.select_scatter(x, s, dim, index), x, src)

    def test_in_a_view(self):
        whole = randn(8, 16, 32)
        x, expected = whole[2:6], whole.clone()
        src = randn(4, 3, 32)
        wt.slice_scatter_(x, src, 1, 5, 8)
        expected[2:6, 5:8] = src
        self.assertTrue(torch.equal(whole, expected) and torch.equal(wt.narrow_copy(x, 1, 5, 3), src))

    def test_memory_that_two_tensors_share(self):
        cache = randn(8, 16)
        expected = cache.clone()
        for rows in (cache[1:5], cache[3:7]):
            with self.assertRaisesRegex(warptune.BadInput, "shares some memory"):
                wt.slice_scatter_(cache, rows, 0, 0, 4)
        wt.slice_scatter_(cache, cache[:4], 0, 0, 4)
        self.assertTrue(torch.equal(cache, expected))
        wt.slice_scatter_(cache, cache[4:], 0, 0, 4)
        self.assertTrue(torch.equal(cache, torch.cat([expected[4:], expected[4:]])))

    def test_second_derivatives(self):
        x, src = randn(4, 9, grad=True), randn(4, 3, grad=True)
        for ours, theirs, inputs in ((wt.slice_copy, sliced, (x,)), (wt.slice_scatter, torch.slice_scatter, (x, src))):
            seconds = []
            for function in (ours, theirs):
                first = torch.autograd.grad(function(*inputs, 1, 2, 8, 2).pow(3).sum(), inputs, create_graph=True)
                seconds.append(torch.autograd.grad(sum(one.square().sum() for one in first), inputs))
            for found, expected in zip(*seconds):
                near(found, expected)

    def test_nothing_to_do(self):
        x = randn(4, 9, grad=True)
        y = wt.slice_copy(x, 1, 5, 5)
        y.sum().backward()
        self.assertEqual((y.shape, x.grad.abs().sum().item()), ((4, 0), 0))
        self.assertEqual(wt.narrow_copy(randn(0, 9), 1, 2, 3).shape, (0, 3))


class Concatenation(unittest.TestCase):
    def test_joined(self):
        for dtype in FLOATS:
            for dim, shape in ((0, (3, 40)), (1, (3, 40, 5)), (-1, (3, 8)), (1, (3, 16))):
                for sizes in ((4,), (8, 16), (3, 1, 7), (5, 8, 1, 2), (0, 4), (3, 0, 2)):
                    with self.subTest(dtype=dtype, dim=dim, shape=shape, sizes=sizes):
                        parts = [randn(*shape[:dim % len(shape)], size, *shape[dim % len(shape) + 1:], dtype=dtype) for size in sizes]
                        self.assertTrue(torch.equal(wt.cat(parts, dim), torch.cat(parts, dim)))
                        agrees(lambda *x: wt.cat(x, dim), lambda *x: torch.cat(x, dim), *parts)

    def test_gradients_only_where_needed(self):
        x, fixed = randn(3, 8, grad=True), randn(3, 4)
        wt.concat((fixed, x), 1)[:, 2:7].sum().backward()
        self.assertTrue(x.grad.sum().item() == 9 and fixed.grad is None)

    def test_second_derivatives(self):
        x, seconds = randn(3, 8, grad=True), []
        for cat in (wt.cat, torch.cat):
            first, = torch.autograd.grad(cat((x, x * 2), 1).pow(3).sum(), x, create_graph=True)
            seconds.append(torch.autograd.grad(first.square().sum(), x)[0])
        near(*seconds)


class Registrations(RefusalCase):
    def test_opcheck(self):
        x, part, ops = randn(4, 9, 5, grad=True), randn(4, 3, 5, grad=True), torch.ops.warptune
        torch.library.opcheck(ops.slice.default, (x, 1, 2, 3, 2))
        torch.library.opcheck(ops.slice_backward.default, (part, [4, 9, 5], 1, 2, 2))
        torch.library.opcheck(ops.slice_scatter.default, (x, part, 1, 2, 2))
        torch.library.opcheck(ops.slice_scatter_.default, (randn(4, 9, 5), randn(4, 3, 5), 1, 2, 2))
        for others in ((None, None), (randn(4, 1, 5), None), (randn(4, 1, 5, grad=True), randn(4, 2, 5))):
            torch.library.opcheck(ops.concat.default, (x, part, *others, 1))

    def test_gradcheck(self):
        x, part = randn(3, 7), randn(3, 2)
        gradcheck(lambda x: wt.slice_copy(x, 1, 1, 6, 2), x)
        gradcheck(lambda x: wt.select_copy(x, 1, 4), x)
        gradcheck(lambda x: wt.narrow_copy(x, 1, 2, 3), x)
        gradcheck(lambda x, y: wt.slice_scatter(x, y, 1, 1, 5, 2), x, part)
        gradcheck(lambda x, y: wt.select_scatter(x, y, 1, 4), x, randn(3))
        gradcheck(lambda x, y: wt.cat((x, y, x * y[:, :1]), 1), x, part)

    def test_compiled(self):
        x, part = randn(6, 40), randn(6, 10)
        compiled_agrees(lambda x: wt.slice_copy(x + 1, 1, 3, -3, 2), x)
        compiled_agrees(lambda x: wt.narrow_copy(x, 1, 8, 16) * 2, x.bfloat16(), dynamic=True)
        compiled_agrees(lambda x: wt.select_copy(x + 1, 0, -1), x)
        compiled_agrees(lambda x, y: wt.slice_scatter(x * 2, y + 1, 1, 10, 20), x, part)
        compiled_agrees(lambda x, y: wt.select_scatter(x * 2, y + 1, 0, 3), x, randn(40))
        compiled_agrees(lambda x, y: wt.cat((x + 1, y, x), 1) * 2, x, part)
        compiled_agrees(lambda x, y: wt.cat((x, y), 1), x.bfloat16(), part.bfloat16(), dynamic=True)
        cache = randn(6, 40)
        expected = cache.clone()
        torch.compile(lambda c, y: wt.slice_scatter_(c, y * 2, 1, 5, 15), fullgraph=True)(cache, part)
        expected[:, 5:15] = part * 2
        near(cache, expected)

    def test_what_is_refused(self):
        x, wanted = randn(4, 9), randn(4, 9, grad=True)
        self.refused([("not contiguous", lambda: wt.slice_copy(x.t(), 0, 1)), ("float64", lambda: wt.slice_copy(x.double(), 1, 1)),
                      ("step is 0", lambda: wt.slice_copy(x, 1, 0, 5, 0)), ("index is 9", lambda: wt.select_copy(x, 1, 9)),
                      ("src has the shape", lambda: wt.slice_scatter(x, x, 1, 2)), ("is fp16", lambda: wt.slice_scatter_(x, x[:, 1:].half(), 1, 1)),
                      ("slice_scatter_ has no gradient", lambda: wt.slice_scatter_(wanted, x)),
                      ("there are 5 tensors", lambda: wt.cat([x] * 5)), ("cannot be joined", lambda: wt.cat((x, x.t().contiguous()), 0)),
                      ("is fp16", lambda: wt.cat((x, x.half()))), ("not contiguous", lambda: wt.cat((x.t(), x.t()))),
                      ("float64", lambda: wt.cat((x.double(), x.double())))])


if __name__ == "__main__":
    unittest.main()
