"""topk on a real device: results and gradients against torch, registrations, torch.compile, and what is refused."""
import unittest

from torch_support import FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded


def distinct(*shape, dtype=torch.float32):
    """Returns numbers of which no two in a row are equal, so that torch must select the same ones."""
    places = torch.rand(shape, device="cuda").argsort(-1)
    return ((places - shape[-1] // 2) / 8).to(dtype)


class Results(unittest.TestCase):
    def test_values_indices_and_gradients(self):
        for dtype in FLOATS:
            for shape, k in (((33, 41), 5), ((2, 3, 200), 200), ((250,), 1), ((5, 128), 64)):
                for largest in (True, False):
                    with self.subTest(dtype=dtype, shape=shape, k=k, largest=largest):
                        x = distinct(*shape, dtype=dtype)
                        found, expected = wt.topk(x, k, largest=largest), torch.topk(x, k, largest=largest)
                        self.assertTrue(all(map(torch.equal, found, expected)))
                        agrees(lambda x: wt.topk(x, k, largest=largest)[0], lambda x: torch.topk(x, k, largest=largest)[0], x)

    def test_long_rows(self):
        x = randn(4, 50257)
        for k in (50, 512):
            self.assertTrue(torch.equal(wt.topk(x, k)[0], torch.topk(x, k)[0]))
            values, indices = wt.topk(x, k, largest=False)
            self.assertTrue(torch.equal(values, x.gather(-1, indices)))

    def test_equal_elements_and_nan(self):
        x = torch.zeros(3, 20, device="cuda")
        self.assertEqual(wt.topk(x, 4)[1].tolist(), [[0, 1, 2, 3]] * 3)
        x[:, 7] = torch.nan
        self.assertEqual(wt.topk(x, 2)[1].tolist(), [[7, 0]] * 3)
        self.assertEqual(wt.topk(x, 20, largest=False)[1][0, -1].item(), 7)

    def test_second_derivatives(self):
        x = distinct(3, 8).requires_grad_()
        first, = torch.autograd.grad(wt.topk(x, 3)[0].pow(3).sum(), x, create_graph=True)
        found, = torch.autograd.grad(first.square().sum(), x)
        first, = torch.autograd.grad(torch.topk(x, 3)[0].pow(3).sum(), x, create_graph=True)
        near(found, torch.autograd.grad(first.square().sum(), x)[0])

    def test_small_and_empty(self):
        values, indices = wt.topk(torch.tensor(3.0, device="cuda"), 1, 0)
        self.assertEqual((values.shape, values.item(), indices.item()), ((), 3.0, 0))
        for shape, k in (((0, 5), 2), ((3, 5), 0), ((3, 0), 0)):
            x = randn(*shape, grad=True)
            values, indices = wt.topk(x, k)
            self.assertEqual((values.shape, indices.dtype), ((shape[0], k), torch.int64))
            values.sum().backward()
            self.assertEqual((x.grad.shape, x.grad.abs().sum().item()), (shape, 0))


class Registrations(RefusalCase):
    def test_opcheck(self):
        for largest in (True, False):
            torch.library.opcheck(torch.ops.warptune.top_k.default, (distinct(3, 8).requires_grad_(), 3, largest))

    def test_gradcheck(self):
        gradcheck(lambda x: wt.topk(x, 3)[0], distinct(3, 8))
        gradcheck(lambda x: wt.topk(x, 8, largest=False)[0], distinct(8))

    def test_compiled(self):
        compiled_agrees(lambda x: wt.topk(x * 2, 5)[0], distinct(6, 40))
        compiled_agrees(lambda x: wt.topk(x, 5, largest=False)[0] * 2, distinct(6, 40, dtype=torch.bfloat16), dynamic=True)
        indices = torch.compile(lambda x: wt.topk(x + 1, 5).indices, fullgraph=True)(distinct(6, 40))
        self.assertEqual((indices.shape, indices.dtype), ((6, 5), torch.int64))

    def test_what_is_refused(self):
        x = randn(3, 600)
        self.refused([("dim is 0", lambda: wt.topk(x, 2, 0)), ("k is 601", lambda: wt.topk(x, 601)), ("up to 512", lambda: wt.topk(x, 513)),
                      ("not contiguous", lambda: wt.topk(x.t(), 2)), ("float64", lambda: wt.topk(x.double(), 2))])


if __name__ == "__main__":
    unittest.main()
