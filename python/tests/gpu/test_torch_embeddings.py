"""embedding on a real device: results and gradients against torch, registrations, torch.compile, and what is refused."""
import unittest

from torch_support import FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded
functional = torch.nn.functional


def indices(*shape, rows=50, dtype=torch.int64):
    return torch.randint(rows, shape, device="cuda", dtype=dtype)


class Results(unittest.TestCase):
    def test_rows_and_gradients(self):
        for dtype in FLOATS:
            for index in (torch.int64, torch.int32):
                for shape in ((), (7,), (3, 300)):
                    for padding_idx in (None, 3, -1):
                        with self.subTest(dtype=dtype, index=index, shape=shape, padding_idx=padding_idx):
                            ids = indices(*shape, dtype=index)
                            agrees(lambda w: wt.embedding(ids, w, padding_idx), lambda w: functional.embedding(ids, w, padding_idx),
                                   randn(50, 24, dtype=dtype), factor=8)

    def test_gradients_have_the_same_bits_again(self):
        for tokens, cols in ((900, 64), (4000, 64), (300000, 64), (300000, 264)):  # not sorted, sorted by the kernel (twice), by torch
            ids, weight = indices(tokens, rows=7), randn(7, cols, grad=True)
            found = [torch.autograd.grad(wt.embedding(ids, weight).sin().sum(), weight)[0] for _ in range(3)]
            self.assertTrue(torch.equal(found[0], found[1]) and torch.equal(found[0], found[2]))

    def test_sorted_indices(self):
        for dtype, rows in ((torch.int64, 7), (torch.int32, 7), (torch.int64, 32767), (torch.int64, 32768), (torch.int32, 32768),
                            (torch.int64, 2**31 - 1), (torch.int64, 2**31)):
            with self.subTest(dtype=dtype, rows=rows):
                last = torch.iinfo(dtype).max
                ids = torch.cat([indices(3000, rows=min(rows, 500), dtype=dtype),
                                 torch.tensor([min(rows, last) - 1, -1, min(rows, last), -last - 1, last], device="cuda", dtype=dtype)])
                found, order = wt.embeddings.sort_indices(ids.view(5, -1), rows)
                inside = (ids >= 0) & (ids < rows)
                expected, places = ids.clamp(-1, min(rows, last)).sort(stable=True)
                self.assertEqual((found.dtype, order.dtype), (dtype, torch.int64))
                self.assertTrue(torch.equal(found.clamp(-1, min(rows, last)), expected))
                self.assertTrue(torch.equal(order[inside[order]], places[inside[places]]))

    def test_indices_outside_the_table_have_no_gradient(self):
        ids = torch.tensor([1, 50, -1, 2**32 + 1, 2**16 + 2, 3, 1], device="cuda")
        weight, dy = randn(50, 8, grad=True), randn(7, 8)
        gradient, = torch.autograd.grad(wt.embedding(ids, weight), weight, dy)
        expected = torch.zeros(50, 8, device="cuda").index_add_(0, ids[[0, 5, 6]], dy[[0, 5, 6]])
        near(gradient, expected)

    def test_no_indices_and_wrong_ones(self):
        weight = randn(50, 8, grad=True)
        wt.embedding(indices(0), weight).sum().backward()
        self.assertEqual(weight.grad.abs().sum().item(), 0)
        y = wt.embedding(torch.tensor([1, 50, -1], device="cuda"), weight.detach())
        near(y[0], weight[1].detach())
        self.assertTrue(y[1:].isnan().all())


class Registrations(RefusalCase):
    def test_opcheck(self):
        ids, weight = indices(2, 3), randn(50, 8, grad=True)
        for padding_idx in (-1, 3):
            torch.library.opcheck(torch.ops.warptune.embedding.default, (ids, weight, padding_idx))
            torch.library.opcheck(torch.ops.warptune.embedding_backward.default, (randn(2, 3, 8), ids.view(-1), 50, padding_idx))

    def test_gradcheck(self):
        ids = indices(3, 4, rows=5)
        gradcheck(lambda w: wt.embedding(ids, w), randn(5, 3))

    def test_compiled(self):
        ids = indices(3, 40)
        compiled_agrees(lambda w: wt.embedding(ids, w, 0) * 2, randn(50, 24))
        compiled_agrees(lambda w: wt.embedding(ids, w), randn(50, 24).bfloat16(), dynamic=True)

    def test_what_is_refused(self):
        ids, weight = indices(3, 4), randn(50, 8)
        self.refused([("no max_norm", lambda: wt.embedding(ids, weight, max_norm=1.0)),
                      ("padding_idx is 50", lambda: wt.embedding(ids, weight, 50)),
                      ("input is torch.float32", lambda: wt.embedding(weight, weight)),
                      ("not contiguous", lambda: wt.embedding(ids.t(), weight)),
                      ("not contiguous", lambda: wt.embedding(ids, weight.t()))])


if __name__ == "__main__":
    unittest.main()
