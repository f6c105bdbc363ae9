"""embedding of warptune.torch: its launches, its gradient, and its refusals. Without torch (fake_torch.py)."""
import unittest
from unittest import mock

import fake_torch
from glue import OperatorCase, torch, wt


class EmbeddingTest(OperatorCase):
    def test_rows_by_index(self):
        table = self.half(50, 8)
        for dtype, name in ((torch.int64, "int64"), (torch.int32, "int32")):
            ids = self.tensor(2, 3, dtype=dtype)
            y = wt.embedding(ids, table, 0)
            self.check("embedding", {"index": name}, (6, 50, 8, 1), table, ids, y)
            self.assertEqual((y.shape, y.dtype), ((2, 3, 8), torch.bfloat16))
        self.assertEqual(wt.embedding(self.tensor(0, dtype=torch.int64), table).shape, (0, 8))
        self.assertEqual(self.kernels.launches, [])

    def test_gradient(self):
        table, dy = self.half(50, 8), self.half(2, 3, 8)
        for dtype, name in ((torch.int64, "int64"), (torch.int32, "int32")):
            ids = self.tensor(2, 3, dtype=dtype)
            for padding_idx, given in ((-1, ()), (0, (0,)), (7, (7,))):
                found = self.gradient("embedding", (ids, table, padding_idx), dy, dy)
                made = self.check("embedding_backward", {"index": name, "padding": bool(given), "sorted": False}, (6, 50, 8), None, None, None, *given)
                _, flat, dtable = made
                self.assertEqual((flat.shape, flat.dtype), ((6,), dtype))
                self.assertTrue(found[0] is None and found[1] is dtable and found[2] is None)
                self.assertEqual((dtable.shape, dtable.dtype), ((50, 8), torch.bfloat16))
        fake_torch.seen.clear()
        self.gradient("embedding", (self.tensor(0, dtype=torch.int64), table, -1), self.half(0, 8), self.half(0, 8))
        self.assertEqual((fake_torch.seen[-1], self.kernels.launches), ("zero", []))
        self.once_only("embedding_backward")

    def test_many_indices_are_sorted_by_torch(self):
        few, many = (1 << 18, 50), ((1 << 18) + 1, 50)
        for (tokens, rows), cols, capability, is_sorted in (
                (few, 264, (9, 0), False), (many, 264, (9, 0), True), (many, 256, (9, 0), False), (many, 256, (8, 9), True),
                (many, 256, (10, 0), False), (many, 33, (9, 0), True), (many, 62, (9, 0), False),
                ((1 << 15, 1 << 20), 264, (9, 0), False), ((1 << 15, (1 << 20) + 1024), 264, (9, 0), True),
                ((1 << 21, 1 << 21), 8, (9, 0), False), (((1 << 21) + 1, 50), 8, (9, 0), True), ((1 << 15, (1 << 21) + 1), 8, (9, 0), True)):
            with self.subTest(tokens=tokens, rows=rows, cols=cols), mock.patch.object(fake_torch.torch, "capability", capability):
                ids, dy = self.tensor(tokens, dtype=torch.int64), self.half(tokens, cols)
                fake_torch.registered[0].cuda["embedding_backward"](dy, ids, rows, -1)
                flags = {"index": "int64", "padding": False, "sorted": is_sorted}
                made = self.check("embedding_backward", flags, (tokens, rows, cols), dy, *((None, None) if is_sorted else (ids,)), None)
                if is_sorted:
                    ordered, order, _ = made
                    self.assertEqual((ordered.shape, ordered.dtype, order.shape, order.dtype), ((tokens,), torch.int64, (tokens,), torch.int64))

    def test_the_narrowest_integers_are_sorted(self):
        for dtype, rows, narrow in ((torch.int64, 32767, torch.int16), (torch.int64, 32768, torch.int32),
                                    (torch.int64, 2**31 - 1, torch.int32), (torch.int64, 2**31, None),
                                    (torch.int32, 32767, torch.int16), (torch.int32, 32768, None)):
            with self.subTest(dtype=dtype, rows=rows):
                fake_torch.seen.clear()
                ordered, order = wt.embeddings.sort_indices(self.tensor(2, 3, dtype=dtype), rows)
                self.assertEqual((ordered.shape, ordered.dtype, order.dtype), ((6,), dtype, torch.int64))
                # Indices outside the table must not become rows of it.
                self.assertEqual(fake_torch.seen, [("clamp", -1, rows), ("sort", narrow)] if narrow else [("sort", dtype)])

    def test_padding_counts_from_the_end_too(self):
        table, ids = self.half(50, 8, requires_grad=True), self.tensor(3, dtype=torch.int64)
        for given, expected in ((-1, 49), (3, 3), (None, -1)):
            with mock.patch.object(fake_torch, "dispatched", return_value=None) as dispatched:
                wt.embedding(ids, table, given)
            self.assertEqual(dispatched.call_args.args[2], (ids, table, expected))

    def test_shape_rules_agree_with_the_kernels(self):
        ids, flat = self.tensor(2, 3, dtype=torch.int64), self.tensor(6, dtype=torch.int64)
        self.shapes_agree("embedding", ids, self.half(50, 8), -1)
        self.shapes_agree("embedding_backward", self.half(2, 3, 8), flat, 50, -1)

    def test_what_does_not_fit_is_refused(self):
        ids, table = self.tensor(2, 3, dtype=torch.int64), self.half(50, 8)
        self.refused(*(("no max_norm, scale_grad_by_freq", lambda named=named: wt.embedding(ids, table, **named))
                       for named in ({"max_norm": 1.0}, {"scale_grad_by_freq": True}, {"sparse": True})),
                     ("padding_idx is 50", lambda: wt.embedding(ids, table, 50)),
                     ("padding_idx is -51", lambda: wt.embedding(ids, table, -51)),
                     ("input is torch.bfloat16", lambda: wt.embedding(table, table)),
                     ("weight has the shape \\(8,\\)", lambda: wt.embedding(ids, self.half(8))),
                     ("float64", lambda: wt.embedding(ids, self.tensor(3, 4, dtype=torch.float64))))


if __name__ == "__main__":
    unittest.main()
