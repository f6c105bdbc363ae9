"""The layout of two tensors that warptune.torch passes to gemm: each of their elements is at the address that gemm
reads."""
import itertools
import math
import random
import unittest

from glue import torch  # noqa: F401 - the package needs it to be imported

import warptune
from fake_torch import compact
from warptune.torch.layouts import describe


def steps(layout_by_k, row, column, lead):
    return (row * lead + column) if layout_by_k else (column * lead + row)


class LayoutsTest(unittest.TestCase):
    def check(self, a, a_strides, b, b_strides, transposed=False):
        """Compares gemm's addresses (spec.json) with the tensors' own, for all elements of all products."""
        found = describe(tuple(a), tuple(a_strides), tuple(b), tuple(b_strides), transposed)
        m, n, k, batch, a_pad, b_pad, c_pad = found.dims
        self.assertEqual(c_pad, 0)
        if transposed:
            b, b_strides = (*b[:-2], b[-1], b[-2]), (*b_strides[:-2], b_strides[-1], b_strides[-2])
        if len(a) == 1:
            a, a_strides = (1, *a), (0, *a_strides)
        rows_shape = found.rows if found.rows else (1,)
        self.assertEqual(math.prod(rows_shape), batch * m)
        a_by_k, b_by_k = found.layout[0] == "n", found.layout[1] == "t"
        lda, ldb = (k if a_by_k else m) + a_pad, (k if b_by_k else n) + b_pad
        a_step = 0 if found.shared == "a" else (m if a_by_k else k) * lda
        b_step = 0 if found.shared == "b" else (n if b_by_k else k) * ldb
        last = [0, 0]
        for flat, index in enumerate(itertools.product(*map(range, rows_shape))):
            product, row = divmod(flat, m)
            for depth in range(k):
                theirs = self.address(a, a_strides, index, index[-1], depth)
                ours = product * a_step + steps(a_by_k, row, depth, lda)
                self.assertEqual(ours, theirs)
                last[0] = max(last[0], ours)
                for column in range(n):
                    theirs = self.address(b, b_strides, index, depth, column)
                    ours = product * b_step + steps(b_by_k, column, depth, ldb)
                    self.assertEqual(ours, theirs)
                    last[1] = max(last[1], ours)
        self.assertEqual(found.counts, (last[0] + 1, last[1] + 1))
        return found

    @staticmethod
    def address(shape, strides, index, row, column):
        batch = index[:-1]
        own = [0 if size == 1 else i for size, i in zip(shape[:-2], batch[len(batch) - len(shape) + 2:])]
        return sum(i * s for i, s in zip((*own, 0 if shape[-2] == 1 else row, column), strides))

    def refused(self, *call, words):
        with self.assertRaisesRegex(warptune.BadInput, words):
            describe(*call)

    def test_four_layouts(self):
        for (a, b), layout in {((5, 1), (7, 1)): "nn", ((5, 1), (1, 5)): "nt", ((1, 3), (7, 1)): "tn",
                               ((1, 3), (1, 5)): "tt"}.items():
            found = self.check((3, 5), a, (5, 7), b)
            self.assertEqual((found.layout, found.dims, found.shared), (layout, (3, 7, 5, 1, 0, 0, 0), "none"))
        found = self.check((3, 5), (5, 1), (7, 5), (5, 1), True)
        self.assertEqual((found.layout, found.rows), ("nt", (3,)))

    def test_rows_with_gaps(self):
        found = self.check((3, 5), (9, 1), (5, 7), (1, 8))
        self.assertEqual((found.layout, found.dims), ("nt", (3, 7, 5, 1, 4, 3, 0)))
        self.assertEqual(self.check((5,), (2,), (5, 7), (7, 1)).layout, "tn")  # every other element of a vector

    def test_batches(self):
        self.assertEqual(self.check((2, 3, 4, 5), compact((2, 3, 4, 5)), (2, 3, 5, 7), compact((2, 3, 5, 7))).dims,
                         (4, 7, 5, 6, 0, 0, 0))
        found = self.check((4, 5), (5, 1), (6, 5, 7), (35, 7, 1))
        self.assertEqual((found.shared, found.dims[:4]), ("a", (4, 7, 5, 6)))
        found = self.check((6, 4, 5), (20, 1, 4), (6, 5, 7), (0, 7, 1))  # expanded, and a is column-major
        self.assertEqual((found.shared, found.layout), ("b", "tn"))

    def test_one_product_where_rows_of_all_batches_follow_each_other(self):
        found = self.check((2, 3, 5), (15, 5, 1), (7, 5), (5, 1), True)
        self.assertEqual((found.dims, found.rows, found.shared), ((6, 7, 5, 1, 0, 0, 0), (2, 3), "none"))
        self.assertEqual(self.check((2, 1, 5), (40, 5, 1), (1, 5, 7), (35, 7, 1)).dims, (2, 7, 5, 1, 35, 0, 0))
        found = self.check((2, 3, 5), (24, 8, 1), (5, 7), (7, 1))
        self.assertEqual(found.dims, (6, 7, 5, 1, 3, 0, 0))
        # Column-major: no single stride steps through all rows.
        found = self.check((2, 3, 5), (15, 1, 3), (5, 7), (7, 1))
        self.assertEqual((found.dims[:4], found.shared), ((3, 7, 5, 2), "b"))

    def test_too_many_rows_for_one_product_stay_a_batch(self):
        most = 1048576
        weight = ((64, 64), (64, 1))
        rows = lambda m: describe((4, m, 64), (m * 64, 64, 1), *weight, False)
        self.assertEqual(rows(most // 4).dims[:4], (most, 64, 64, 1))
        self.assertEqual((rows(most // 2).dims[:4], rows(most // 2).shared), ((most // 2, 64, 64, 4), "b"))

    def test_products_that_are_too_large_are_refused(self):
        most = 1048576
        for a in ((most + 1, 64), (2, most + 1, 64), (64, most + 1)):
            self.refused(a, compact(a), (a[-1], 8), (8, 1), False, words=f"at most {most} rows or columns; split the operands")
        self.refused((4, 64), (64, 1), (most + 1, 64), (64, 1), True, words="transposed: gemm takes matrices of at most")
        for a, b in (((2 * most, 1, 64), (64, 8)), ((65537, 2, 8), (65537, 8, 2))):
            self.refused(a, compact(a), b, compact(b), False, words=f"a batch of {a[0]} products, but gemm takes at most 65536. Split the batch")
        self.assertEqual(describe((65536, 2, 8), (16, 8, 1), (65536, 8, 2), (16, 2, 1), False).dims[:4], (2, 2, 8, 65536))

    def test_gaps_that_gemm_does_not_have_are_refused(self):
        most = 1048576
        self.assertEqual(describe((8, 64), (64 + most, 1), (64, 64), (64, 1), False).dims[4], most)
        self.refused((8, 64), (65 + most, 1), (64, 64), (64, 1), False, words=r"at most 1048576 elements. Copy it with .contiguous")

    def test_single_rows_and_columns(self):
        self.assertEqual(self.check((3, 5), (5, 1), (5, 1), (1, 1)).layout, "nt")  # a column is a row of b transposed
        self.assertEqual(self.check((3, 5), (5, 1), (5, 1), (4, 1)).dims, (3, 1, 5, 1, 0, 3, 0))
        self.assertEqual(self.check((1, 5), (1, 1), (5, 7), (7, 1)).dims, (1, 7, 5, 1, 0, 0, 0))
        self.assertEqual(self.check((4, 1, 5), (20, 5, 1), (4, 5, 2), (10, 2, 1)).dims, (1, 2, 5, 4, 15, 0, 0))

    def test_views_of_all_kinds(self):
        """Slices, transposes, expansions: each description is right, and enough of them are described."""
        choose, described = random.Random(1), 0
        for _ in range(600):
            batch, (m, n, k) = choose.choice([(), (1,), (3,), (2, 3), (2, 1)]), choose.choices([1, 2, 3, 4], k=3)
            a, a_strides = self.view(choose, batch, m, k)
            b, b_strides = self.view(choose, choose.choice([batch, (), (1,) * len(batch)]), k, n)
            try:
                self.check(a, a_strides, b, b_strides)
                described += 1
            except warptune.BadInput:
                pass
        self.assertGreater(described, 300)

    @staticmethod
    def view(choose, batch, rows, columns):
        full = (*batch, rows + choose.choice([0, 0, 1]), columns + choose.choice([0, 0, 2]))
        strides = list(compact(full))
        if choose.random() < 0.4:  # a transpose of contiguous memory
            full = (*batch, columns, rows)
            strides = list(compact(full))
            strides[-1], strides[-2] = strides[-2], strides[-1]
        if batch and choose.random() < 0.2:
            strides[:len(batch)] = [0] * len(batch)
        return (*batch, rows, columns), strides

    def test_what_cannot_be_described(self):
        ok = (5, 7), (7, 1), False
        self.refused((3, 5), (10, 2), *ok, words=r"the first operand has the shape \(3, 5\) and the strides \(10, 2\)")
        self.refused((3, 5), (0, 1), *ok, words="the first operand has the shape")  # one row, repeated
        self.refused((3, 5), (5, 1), (5, 7), (14, 2), False, words="the second operand has the shape")
        self.refused((4, 3, 5), (20, 5, 1), *ok, words="the first operand has the shape")
        self.refused((4, 3, 5), (20, 5, 1), (4, 5, 7), (35, 7, 1), False, words="the first operand has the shape")  # gaps between matrices
        self.refused((2, 3, 4, 5), (80, 20, 5, 1), (2, 3, 5, 7), compact((2, 3, 5, 7)), False, words="each matrix of a batch")
        self.refused((2, 1, 4, 5), compact((2, 1, 4, 5)), (2, 3, 5, 7), compact((2, 3, 5, 7)), False, words="only some dims")
        self.refused((3, 4, 5), (0, 5, 1), (3, 5, 7), (0, 7, 1), False, words="the second operand has the shape")  # both repeated
        self.refused((3, 6), (6, 1), *ok, words="summed over")
        self.refused((2, 4, 5), (20, 5, 1), (3, 5, 7), (35, 7, 1), False, words="cannot be broadcast")
        self.refused((3, 5), (5, 1), (5,), (1,), False, words="must be matrices")

    def test_nothing_to_do(self):
        self.assertEqual(describe((0, 5), (5, 1), (5, 7), (7, 1), False).rows, (0,))
        self.assertEqual(describe((2, 3, 0), (0, 0, 1), (2, 0, 7), (0, 7, 1), False).dims, (3, 7, 0, 2, 0, 0, 0))


if __name__ == "__main__":
    unittest.main()
