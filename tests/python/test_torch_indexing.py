"""Rows by index of warptune.torch: launches, gradients, and refusals. Without torch (fake_torch.py)."""
import unittest

import fake_torch
from glue import OperatorCase, ops, torch, wt


class IndexingTest(OperatorCase):
    def index(self, *shape, dtype=torch.int64, **options):
        return self.tensor(*shape, dtype=dtype, **options)

    def expanded(self, tokens, shape, dim):
        """An index of one element for each row, expanded over the other dims."""
        return self.index(*shape[:dim], tokens, *shape[dim + 1:], strides=[int(i == dim) for i in range(len(shape))])

    def test_select(self):
        for shape, dim, dims in (((50, 8), 0, (6, 50, 8, 1)), ((50, 4, 2), -3, (6, 50, 8, 1)), ((3, 50, 8), 1, (6, 50, 8, 3)),
                                 ((3, 4, 50), -1, (6, 50, 1, 12)), ((50,), 0, (6, 50, 1, 1))):
            for dtype, name in ((torch.int64, "int64"), (torch.int32, "int32")):
                x, index = self.half(*shape), self.index(6, dtype=dtype)
                y = wt.index_select(x, dim, index)
                self.check("embedding", {"index": name}, dims, x, index, y)
                self.assertEqual((y.shape, y.dtype), ((*shape[:dim % len(shape)], 6, *shape[dim % len(shape) + 1:]), x.dtype))
        self.assertEqual(wt.index_select(self.half(50, 8), 0, self.index()).shape, (1, 8))
        self.launched()
        for index in (self.index(1), self.index()):
            self.assertEqual(wt.index_select(self.half(), -1, index).shape, ())
            self.assertEqual(self.launched()[2], (1, 1, 1, 1))
        self.assertEqual(wt.index_select(self.half(50, 8), 0, self.index(0)).shape, (0, 8))
        self.assertEqual((wt.index_select(self.half(3, 0, 8), 1, self.index(2)).shape, fake_torch.seen[-1][0]), ((3, 2, 8), "fill"))
        self.assertEqual(self.kernels.launches, [])

    def test_without_a_gradient_the_dispatcher_is_bypassed(self):
        wt.index_select(self.half(50, 8), 0, self.index(6))
        wt.gather(self.half(50, 8), 0, self.expanded(6, (50, 8), 0))
        self.assertNotIn("index_select", fake_torch.seen)
        wt.index_select(self.half(50, 8, requires_grad=True), 0, self.index(6))
        self.assertEqual((fake_torch.seen[-1], len(self.kernels.launches)), ("index_select", 3))

    def test_the_tensors_of_a_schema_come_first(self):
        with self.assertRaisesRegex(AssertionError, "wrong.*: the tensors must come first"):
            ops.define("wrong", "(Tensor x, int dim, Tensor index) -> Tensor", None, None)

    def test_gradient_of_select(self):
        x, index, dy = self.half(50, 4, 2), self.index(6), self.half(6, 4, 2)
        dx, *rest = self.gradient("index_select", (x, index, 0), dy, dy)
        self.check("embedding_backward", {"index": "int64", "padding": False, "sorted": False}, (6, 50, 8), None, index, None)
        self.assertEqual((dx.shape, dx.dtype, rest), (x.shape, x.dtype, [None, None]))
        dx, *_ = self.gradient("index_select", (self.half(3, 50, 8), index, 1), self.half(3, 6, 8), self.half(3, 6, 8))
        self.assertEqual(dx.shape, (3, 50, 8))
        self.assertEqual([(name, dims) for name, _, dims, *_ in self.kernels.launches],
                         [("permute", (3, 6, 1, 8)), ("embedding_backward", (6, 50, 24)), ("permute", (50, 3, 1, 8))])

    def test_gradient_of_sums(self):
        source, index, dy = self.half(6, 8), self.index(6), self.half(50, 8)
        found = self.gradient("index_sum", (source, index, 50), dy, dy)
        _, made = self.check("embedding", {"index": "int64"}, (6, 50, 8, 1), None, index, None)
        self.assertTrue(found[0] is made and made.shape == source.shape and found[1:] == (None, None))

    def test_add(self):
        x, index, source = self.half(50, 4, 2), self.index(6), self.half(6, 4, 2)
        y = wt.index_add(x, 0, index, source)
        sums, added = self.kernels.launches
        self.assertEqual((sums[0], sums[2], added[0], added[1]["other"]), ("embedding_backward", (6, 50, 8), "elementwise", "add"))
        self.assertTrue(added[3] is x and added[5] is y)
        self.kernels.launches.clear()
        wt.index_add(x, 0, index, source, alpha=2.0)
        self.assertEqual((self.kernels.launches[1][0], self.kernels.launches[1][-1]), ("axpy", 2.0))
        self.kernels.launches.clear()
        wt.index_add(self.half(0, 8), 0, self.index(6), self.half(6, 8))
        self.assertEqual(self.kernels.launches, [])

    def test_whole_rows(self):
        for shape, dim, dims in (((50, 8), 0, (6, 50, 8, 1)), ((3, 50, 8), 1, (6, 50, 8, 3)), ((50,), 0, (6, 50, 1, 1)),
                                 ((50, 1), 0, (6, 50, 1, 1))):
            index = self.expanded(6, shape, dim)
            y = wt.gather(self.half(*shape), dim, index)
            vector = self.check("embedding", {"index": "int64"}, dims, None, None, y)[1]
            self.assertEqual((y.shape, vector.shape, vector.strides), (index.shape, (6,), (1,)))
        wt.scatter_add(self.half(50, 8), 0, self.expanded(6, (50, 8), 0), self.half(6, 8))
        self.assertEqual([launch[0] for launch in self.kernels.launches], ["embedding_backward", "elementwise"])
        self.kernels.launches.clear()
        self.assertEqual(wt.gather(self.half(50, 0), 0, self.expanded(6, (50, 0), 0)).shape, (6, 0))

    def test_shape_rules_agree_with_the_kernels(self):
        self.shapes_agree("index_select", self.half(3, 50, 8), self.index(6), 1)
        self.shapes_agree("index_sum", self.half(6, 8), self.index(6), 50)

    def test_what_does_not_fit_is_refused(self):
        x, index, whole = self.half(50, 8), self.index(6), self.expanded(6, (50, 8), 0)
        self.refused(("dim is 2, but the input has 2 dims", lambda: wt.index_select(x, 2, index)),
                     ("index_select: the index has the shape \\(6,\\), but must have one element", lambda: wt.index_select(self.half(), 0, index)),
                     ("dim is 1, but the input has 1 dims", lambda: wt.index_select(self.half(), 1, self.index(1))),
                     ("dim is 0, but the input has 0 dims", lambda: wt.index_add(self.half(), 0, index, self.half(6))),
                     ("index_add: the index is torch.float32", lambda: wt.index_add(x, 0, self.tensor(6), x)),
                     ("must have one dim; for an index with the dims of the input, use gather", lambda: wt.index_select(x, 0, whole)),
                     ("the source has the shape \\(5, 8\\)", lambda: wt.index_add(x, 0, index, self.half(5, 8))),
                     ("the source is torch.float32", lambda: wt.index_add(x, 0, index, self.tensor(6, 8))),
                     ("^scatter_add: the source is", lambda: wt.scatter_add(x, 0, whole, self.tensor(6, 8))),
                     ("^index_add: the source has the strides \\(16, 2, 4\\), but must be contiguous",
                      lambda: wt.index_add(self.half(5, 8, 2), 0, index, self.half(6, 8, 2, strides=(16, 2, 4)))),
                     ("^scatter_add: the source has the strides \\(9, 1\\)", lambda: wt.scatter_add(x, 0, whole, self.half(6, 8, strides=(9, 1)))),
                     ("may differ within a row; .* or use torch.gather", lambda: wt.gather(x, 0, self.index(6, 8))),
                     ("gather: the index has the shape \\(6, 4\\)", lambda: wt.gather(x, 0, self.index(6, 4))),
                     ("gather: the index has the shape \\(6,\\)", lambda: wt.gather(x, 0, index)),
                     ("no sparse gradients", lambda: wt.gather(x, 0, whole, sparse_grad=True)),
                     ("src has the shape \\(50, 8\\)", lambda: wt.scatter_add(x, 0, whole, x)))


if __name__ == "__main__":
    unittest.main()
