"""Rows by index on a real device: results and gradients against torch, registrations, torch.compile, and what is refused."""
import unittest

from torch_support import FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded
SHAPES = (((50, 24), 0), ((50, 3, 5), 0), ((4, 50, 24), 1), ((3, 4, 50), -1), ((50,), 0))


def indices(count, rows=50, dtype=torch.int64):
    return torch.randint(rows, (count,), device="cuda", dtype=dtype)


def expanded(index, shape, dim):
    """Returns the index with the dims of an input, for gather and scatter_add."""
    dim %= len(shape)
    ones = [1] * len(shape)
    ones[dim] = len(index)
    return index.view(ones).expand(*shape[:dim], len(index), *shape[dim + 1:])


def rows_like(shape, dim, count):
    dim %= len(shape)
    return (*shape[:dim], count, *shape[dim + 1:])


def cases():
    """Yields (dtype, shape, dim, count of indices). Each needs kernels of its own, so not all combinations."""
    for dtype in FLOATS:
        for shape, dim in SHAPES if dtype == torch.float32 else SHAPES[::2]:
            yield dtype, shape, dim, 300
    yield torch.float32, *SHAPES[0], 1
    yield torch.float32, *SHAPES[2], 7


class Results(unittest.TestCase):
    def test_select_and_gather(self):
        for dtype, shape, dim, count in cases():
            with self.subTest(dtype=dtype, shape=shape, dim=dim, count=count):
                x, index = randn(*shape, dtype=dtype), indices(count)
                agrees(lambda x: wt.index_select(x, dim, index), lambda x: torch.index_select(x, dim, index), x, factor=8)
                whole = expanded(index, shape, dim)
                agrees(lambda x: wt.gather(x, dim, whole), lambda x: torch.gather(x, dim, whole), x, factor=8)
        x, index = randn(50, 24), indices(300)
        agrees(lambda x: wt.index_select(x, 0, index.int()), lambda x: torch.index_select(x, 0, index), x, factor=8)

    def test_sums(self):
        for dtype, shape, dim, count in cases():
            alpha = 1 if count == 300 else 0.5
            with self.subTest(dtype=dtype, shape=shape, dim=dim, count=count):
                index = indices(count)
                x, source = randn(*shape, dtype=dtype), randn(*rows_like(shape, dim, count), dtype=dtype)
                agrees(lambda x, s: wt.index_add(x, dim, index, s, alpha=alpha),
                       lambda x, s: torch.index_add(x, dim, index, s, alpha=alpha), x, source)
                whole = expanded(index, shape, dim)
                agrees(lambda x, s: wt.scatter_add(x, dim, whole, s), lambda x, s: torch.scatter_add(x, dim, whole, s), x, source)

    def test_sums_have_the_same_bits_again(self):
        x, index, source = randn(7, 264), indices(300000, rows=7), randn(300000, 264)
        found = [wt.index_add(x, 0, index, source) for _ in range(3)]
        self.assertTrue(torch.equal(found[0], found[1]) and torch.equal(found[0], found[2]))

    def test_indices_outside(self):
        index, x = torch.tensor([1, 50, -1], device="cuda"), randn(50, 8, grad=True)
        y = wt.index_select(x, 0, index)
        near(y[0].detach(), x[1].detach())
        self.assertTrue(y[1:].isnan().all())
        dx, = torch.autograd.grad(y, x, torch.ones_like(y))
        self.assertEqual((dx[1].sum().item(), dx.sum().item()), (8, 8))
        source = randn(3, 8)
        expected = x.detach().clone()
        expected[1] += source[0]
        near(wt.index_add(x.detach(), 0, index, source), expected)

    def test_second_derivatives(self):
        index, weight, seconds = indices(7), randn(7, 8), []
        x = randn(50, 8, grad=True)
        for select in (wt.index_select, torch.index_select):
            first, = torch.autograd.grad((select(x, 0, index) * weight).square().sum(), x, create_graph=True)
            seconds.append(torch.autograd.grad(first.square().sum(), x)[0])
        near(*seconds)

    def test_nothing_to_do(self):
        x = randn(50, 8, grad=True)
        wt.index_select(x, 0, indices(0)).sum().backward()
        self.assertEqual(x.grad.abs().sum().item(), 0)
        self.assertTrue(torch.equal(wt.index_add(x.detach(), 0, indices(0), randn(0, 8)), x.detach()))
        self.assertEqual(wt.index_select(randn(50, 0), 0, indices(3)).shape, (3, 0))
        self.assertEqual(wt.gather(randn(50, 0), 0, indices(3)[:, None].expand(3, 0)).shape, (3, 0))
        self.assertEqual(wt.index_select(randn(50, 8), 0, torch.tensor(3, device="cuda")).shape, (1, 8))
        x, index = randn(), torch.zeros(1, dtype=torch.int64, device="cuda")
        self.assertTrue(torch.equal(wt.index_select(x, 0, index), torch.index_select(x, 0, index)))


class Registrations(RefusalCase):
    def test_opcheck(self):
        ops, index = torch.ops.warptune, indices(7)
        torch.library.opcheck(ops.index_select.default, (randn(50, 8, grad=True), index, 0))
        torch.library.opcheck(ops.index_select.default, (randn(3, 50, 8, grad=True), index.int(), 1))
        torch.library.opcheck(ops.index_sum.default, (randn(7, 8, grad=True), index, 50))

    def test_gradcheck(self):
        index = indices(6, rows=5)
        whole = expanded(index, (5, 3), 0)
        gradcheck(lambda x: wt.index_select(x, 0, index), randn(5, 3))
        gradcheck(lambda x: wt.index_select(x, 1, index), randn(2, 5, 3))
        gradcheck(lambda x: wt.gather(x, 0, whole), randn(5, 3))
        gradcheck(lambda x, s: wt.index_add(x, 0, index, s, alpha=0.5), randn(5, 3), randn(6, 3))
        gradcheck(lambda x, s: wt.index_add(x, 1, index, s), randn(2, 5, 3), randn(2, 6, 3))
        gradcheck(lambda x, s: wt.scatter_add(x, 0, whole, s), randn(5, 3), randn(6, 3))

    def test_compiled(self):
        index = indices(40)
        whole = expanded(index, (50, 24), 0)
        compiled_agrees(lambda x: wt.index_select(x * 2, 0, index), randn(50, 24))
        compiled_agrees(lambda x: wt.index_select(x, 1, index) * 2, randn(3, 50, 24).bfloat16(), dynamic=True)
        compiled_agrees(lambda x, s: (wt.index_add(x, 0, index, s * 2), wt.gather(x, 0, whole), wt.scatter_add(x, 0, whole, s)),
                        randn(50, 24), randn(40, 24))

    def test_what_is_refused(self):
        x, index = randn(50, 8), indices(6)
        self.refused([("index_select: the argument 'out'", lambda: wt.index_select(x, 0, index, out=x)), ("dim is 2", lambda: wt.index_select(x, 2, index)), ("the index is torch.float32", lambda: wt.index_select(x, 0, x)),
                      ("must have one dim", lambda: wt.index_select(x, 0, indices(6).view(2, 3))),
                      ("the source has the shape", lambda: wt.index_add(x, 0, index, randn(5, 8))),
                      ("the source is torch.float16", lambda: wt.index_add(x, 0, index, randn(6, 8).half())),
                      ("index_add: the source has the strides", lambda: wt.index_add(randn(50, 4, 2), 0, index, randn(6, 2, 4).mT)),
                      ("may differ within a row", lambda: wt.gather(x, 0, expanded(index, (50, 8), 0).contiguous())),
                      ("not contiguous", lambda: wt.index_select(x.t(), 0, index)),
                      ("not contiguous", lambda: wt.index_select(x, 0, indices(12)[::2])),
                      ("float64", lambda: wt.index_select(x.double(), 0, index))])


if __name__ == "__main__":
    unittest.main()
