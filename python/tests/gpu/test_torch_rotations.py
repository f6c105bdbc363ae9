"""rotary on a real device: results and gradients against a formula in float64, registrations, torch.compile."""
import unittest

from torch_support import FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded


def formula(x, cosines, sines, positions, pairs):
    half = cosines.shape[1]
    rows = torch.arange(x.shape[1], device=x.device) if positions is None else positions
    cos, sin = (table.to(x.dtype)[rows][..., None, :] for table in (cosines, sines))
    turned, kept = x[..., :2 * half], x[..., 2 * half:]
    if pairs == "halves":
        a, b = turned.chunk(2, -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin, kept], -1)
    a, b = turned[..., ::2], turned[..., 1::2]
    return torch.cat([torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2), kept], -1)


def tables(length, half, dtype=torch.float32):
    angles = torch.arange(length, device="cuda")[:, None] * 10000 ** (-torch.arange(half, device="cuda") / half)
    return angles.cos().to(dtype), angles.sin().to(dtype)


class Results(unittest.TestCase):
    def test_heads_tables_and_positions(self):
        positions = torch.randint(37, (2, 11), device="cuda")
        for dtype in FLOATS:
            for pairs in ("halves", "neighbours"):
                for half, given, table in ((20, None, torch.float32), (8, None, dtype), (20, positions, torch.float32)):
                    cosines, sines = tables(37, half, table)
                    with self.subTest(dtype=dtype, pairs=pairs, half=half, positions=given is not None):
                        agrees(lambda q, k: wt.rotary(q, k, cosines, sines, given, pairs=pairs),
                               lambda q, k: tuple(formula(x, cosines, sines, given, pairs) for x in (q, k)),
                               randn(2, 11, 4, 40, dtype=dtype), randn(2, 11, 2, 40, dtype=dtype))
                        agrees(lambda q: wt.rotary(q, None, cosines, sines, given, pairs=pairs),
                               lambda q: formula(q, cosines, sines, given, pairs), randn(2, 11, 4, 40, dtype=dtype))

    def test_one_result_of_two_is_used(self):
        cosines, sines = tables(11, 20)
        agrees(lambda q, k: wt.rotary(q, k, cosines, sines)[0] + 0 * k.sum(),
               lambda q, k: formula(q, cosines, sines, None, "halves") + 0 * k.sum(), randn(2, 11, 4, 40), randn(2, 11, 2, 40))


    def test_no_heads_of_k(self):
        cosines, sines = tables(11, 20)
        agrees(lambda q, k: wt.rotary(q, k, cosines, sines),
               lambda q, k: (formula(q, cosines, sines, None, "halves"), k.clone()),
               randn(2, 11, 4, 40), randn(2, 11, 0, 40))


class Registrations(RefusalCase):
    def test_opcheck(self):
        cosines, sines = tables(11, 4)
        for k in (None, randn(2, 5, 1, 8, grad=True)):
            for inverse in (False, True):
                torch.library.opcheck(torch.ops.warptune.rotary.default,
                                      (randn(2, 5, 3, 8, grad=True), k, cosines, sines, None, "halves", inverse))

    def test_gradients_of_gradients(self):
        cosines, sines = tables(11, 4)
        gradcheck(lambda q, k: wt.rotary(q, k, cosines, sines), randn(1, 3, 2, 8), randn(1, 3, 1, 8))
        x = randn(1, 3, 2, 8, grad=True)
        first, = torch.autograd.grad(wt.rotary(x, None, cosines, sines).square().sum(), x, create_graph=True)
        second, = torch.autograd.grad(first.sum(), x)  # a rotation keeps lengths: 2 x, and its gradient 2
        torch.testing.assert_close(second, torch.full_like(second, 2))

    def test_compiled(self):
        cosines, sines = tables(11, 20)
        compiled_agrees(lambda q, k: wt.rotary(q * 2, k, cosines, sines), randn(2, 11, 4, 40), randn(2, 11, 2, 40))
        compiled_agrees(lambda q: wt.rotary(q, None, cosines, sines), randn(2, 11, 4, 40).bfloat16(), dynamic=True)

    def test_what_is_refused(self):
        q, (cosines, sines) = randn(2, 5, 3, 8), tables(5, 4)
        self.refused([("must have at least one head", lambda: wt.rotary(randn(2, 5, 0, 8), q, cosines, sines)),
                      ("pairs is 'all'", lambda: wt.rotary(q, None, cosines, sines, pairs="all")),
                      ("sines have 4 rows for 5 tokens", lambda: wt.rotary(q, None, *tables(4, 4))),
                      ("detach them", lambda: wt.rotary(q, None, cosines.clone().requires_grad_(), sines).sum().backward()),
                      ("not contiguous", lambda: wt.rotary(randn(2, 3, 5, 8).transpose(1, 2), None, cosines, sines))])


if __name__ == "__main__":
    unittest.main()
