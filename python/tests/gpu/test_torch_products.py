"""matmul and linear on a real device: results and gradients against float64, torch.compile, CUDA graphs, and what is
refused."""
import unittest
import warnings

from torch_support import randn, torch, use_recorded

import warptune
import warptune.torch as wt

setUpModule = use_recorded

DTYPES = (torch.bfloat16, torch.float16, torch.float32)
# Relative error of one rounding, as in the operator's own tolerance; for float32, the error of the sums.
ROUNDING = {torch.bfloat16: 4e-3, torch.float16: 6e-4, torch.float32: 2e-5}
ACTIVATIONS = (None, "relu", "gelu", "gelu_tanh", "silu", "swiglu", "geglu")


def scaled(*shape, dtype=torch.bfloat16):
    """Returns a second operand, with which products are about 1, however many terms they sum."""
    return (randn(*shape) / shape[-1] ** 0.5).to(dtype)


def gapped(x, gap):
    """Returns the same matrix with elements between its rows that must not be read."""
    memory = torch.full((x.shape[0], x.shape[1] + gap), float("nan"), dtype=torch.bfloat16, device="cuda")
    memory[:, :x.shape[1]] = x
    return memory[:, :x.shape[1]]


def activated(h, activation):
    functional = torch.nn.functional
    gates = {"swiglu": functional.silu, "geglu": functional.gelu}
    if activation in gates:
        first, second = h.chunk(2, -1)
        return gates[activation](first) * second
    return {None: lambda x: x, "relu": torch.relu, "gelu": functional.gelu, "silu": functional.silu,
            "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh")}[activation](h)


def torch_linear(x, weight, bias=None, activation=None, residual=None):
    y = activated(torch.nn.functional.linear(x, weight, bias), activation)
    return y if residual is None else y + residual


def linear(x, weight, bias=None, activation=None, residual=None):
    return wt.linear(x, weight, bias, activation=activation, residual=residual)


def exact_linear(*args):
    return torch_linear(*(x.double() if isinstance(x, torch.Tensor) else x for x in args))


class ProductCase(unittest.TestCase):
    def near(self, found, exact):
        """Checks a result that was rounded once."""
        self.assertEqual((found.shape, found.is_contiguous()), (exact.shape, True))
        torch.testing.assert_close(found.double(), exact, rtol=ROUNDING[found.dtype], atol=1e-4)

    def nearly(self, found, exact):
        """Checks a result that was rounded several times on the way: errors are compared with the largest element."""
        self.assertEqual(found.shape, exact.shape)
        worst = (found.double() - exact).abs().max().item()
        self.assertLessEqual(worst, 5 * ROUNDING[found.dtype] * exact.abs().max().item())

    def matmul(self, a, b):
        self.near(wt.matmul(a, b), a.double() @ b.double())

    def parts(self, rows, n, k, activation, dtype):
        columns = n // 2 if activation in ("swiglu", "geglu") else n
        return (randn(*rows, k, dtype=dtype), scaled(n, k, dtype=dtype), randn(n, dtype=dtype), activation,
                randn(*rows, columns, dtype=dtype))


class Matmul(ProductCase):
    def test_sizes_and_layouts(self):
        for dtype in DTYPES:
            sizes = (256, 256, 256), (33, 65, 127), (1000, 1016, 1032), (1, 264, 1048), (72, 1, 200)
            for m, n, k in sizes if dtype == torch.bfloat16 else sizes[:2]:
                a, b = randn(m, k, dtype=dtype), scaled(n, k, dtype=dtype).t().contiguous()
                for left in (a, a.t().contiguous().t()):
                    for right in (b, b.t().contiguous().t()):
                        with self.subTest(dtype=dtype, sizes=(m, n, k), left=left.stride(), right=right.stride()):
                            self.matmul(left, right)

    def test_rows_with_gaps(self):
        for gap in (8, 3):
            a, b = gapped(randn(72, 200), gap), gapped(scaled(136, 200).t(), gap)
            self.assertFalse(a.is_contiguous() or b.is_contiguous())
            self.matmul(a, b)
            self.matmul(b.t(), a.t())
        x = randn(4, 3, 256, dtype=torch.bfloat16)
        self.matmul(x[:, -1], scaled(64, 256).t())  # the last token of each sequence
        self.matmul(x[:, -1:], scaled(64, 256).t())

    def test_batches(self):
        def b(*shape):
            return scaled(*shape).mT.contiguous()

        a, one = randn(6, 72, 200, dtype=torch.bfloat16), randn(72, 200, dtype=torch.bfloat16)
        for left, right in ((a, b(6, 136, 200)), (a.view(2, 3, 72, 200), b(2, 3, 136, 200)), (a, b(136, 200)),
                            (one, b(6, 136, 200)), (a, b(1, 136, 200).expand(6, -1, -1)),
                            (a, b(6, 136, 200).mT.contiguous().mT), (a.mT.contiguous().mT, b(136, 200)), (a.view(2, 3, 72, 200), b(136, 200)),
                            (randn(6, 1, 200, dtype=torch.bfloat16), b(6, 136, 200))):
            with self.subTest(left=left.stride(), right=right.stride()):
                self.matmul(left, right)

    def test_vectors(self):
        x, matrix, batch = randn(200, dtype=torch.float16), scaled(64, 200, dtype=torch.float16), \
            scaled(3, 64, 200, dtype=torch.float16)
        self.matmul(matrix, x)
        self.matmul(x, matrix.t())
        self.matmul(batch, x)
        self.matmul(x, batch.mT)

    def test_nothing_to_do(self):
        def empty(*shape):
            return randn(*shape, dtype=torch.bfloat16)

        self.assertEqual(wt.matmul(empty(0, 8), empty(8, 4)).shape, (0, 4))
        self.assertEqual(wt.matmul(empty(4, 0), empty(0, 4)).abs().sum().item(), 0)
        bias = randn(8, dtype=torch.bfloat16)
        self.assertTrue(torch.equal(wt.linear(empty(4, 0), empty(8, 0), bias, activation="relu"), torch.relu(bias).expand(4, 8)))

    def test_bits_do_not_depend_on_stream_or_past(self):
        for dtype in DTYPES:
            for m, n, k in ((16, 512, 14336), (1, 777, 4096), (130, 264, 9001), (1000, 520, 1024)):
                a, b = randn(m, k).to(dtype), scaled(n, k, dtype=dtype).t()
                first = wt.matmul(a, b)
                torch.cuda.synchronize()
                used = torch.full((1 << 26,), float("nan"), device="cuda")  # what a workspace may get next
                del used
                wt.matmul(torch.full_like(a, float("nan")), b)
                stream = torch.cuda.Stream()
                with torch.cuda.stream(stream):
                    again = wt.matmul(a, b)
                stream.synchronize()
                self.assertTrue(torch.equal(first, again), (dtype, m, n, k))

    def test_memory_that_begins_anywhere(self):
        a, b = randn(64, 264, dtype=torch.bfloat16)[:, 1:257], scaled(64, 256)
        try:
            found = wt.linear(a, b)
        except (warptune.BadInput, warptune.NoCandidate):
            return  # refused in words, never launched
        self.near(found, exact_linear(a, b))


class Linear(ProductCase):
    def test_every_activation(self):
        for activation in ACTIVATIONS:
            for dtype in DTYPES if activation in (None, "silu", "geglu") else DTYPES[:1]:
                with self.subTest(activation=activation, dtype=dtype):
                    parts = self.parts((3, 50), 272, 200, activation, dtype)
                    self.near(linear(*parts), exact_linear(*parts))

    def test_every_part_by_itself(self):
        x, weight, bias, activation, residual = self.parts((130,), 264, 1048, "gelu_tanh", torch.bfloat16)
        for parts in ((x, weight), (x, weight, bias), (x, weight, None, activation), (x, weight, None, None, residual),
                      (x, weight, bias, None, residual), (x, weight, bias, activation)):
            self.near(linear(*parts), exact_linear(*parts))

    def test_ragged(self):
        for rows, n, k in (((37,), 66, 127), ((5,), 1037, 328), ((1,), 8, 8)):
            parts = self.parts(rows, n, k, "silu", torch.bfloat16)
            self.near(linear(*parts), exact_linear(*parts))
        parts = self.parts((37,), 66, 127, "swiglu", torch.bfloat16)
        self.near(linear(*parts), exact_linear(*parts))

    def test_parts_that_begin_at_8_bytes(self):
        flat = randn(4 + 64 * 64, dtype=torch.bfloat16)
        parts = randn(64, 128, dtype=torch.bfloat16), scaled(64, 128), flat[4:68], None, flat[4:].view(64, 64)
        self.near(linear(*parts), exact_linear(*parts))

    def test_many_rows(self):
        parts = self.parts((4096,), 4096, 512, "swiglu", torch.bfloat16)
        self.near(linear(*parts), exact_linear(*parts))

    def test_infinite_sums_are_activated_as_by_torch(self):
        for dtype in DTYPES:
            weight = torch.ones(64, 64, dtype=dtype, device="cuda")
            for m in (8, 64):
                for value in (float("inf"), float("-inf"), float("nan")):
                    x = torch.zeros(m, 64, dtype=dtype, device="cuda")
                    x[0, 0] = value
                    for activation in (None, "relu", "gelu", "gelu_tanh", "silu"):
                        with self.subTest(dtype=dtype, m=m, value=value, activation=activation):
                            torch.testing.assert_close(linear(x, weight, activation=activation), torch_linear(x, weight, activation=activation),
                                                       equal_nan=True)

    def test_what_is_refused(self):
        x, weight = randn(64, 128, dtype=torch.bfloat16), scaled(64, 128)
        cases = [("float64", lambda: wt.linear(x.double(), weight.double())),
                 ("fp16", lambda: wt.linear(x, weight.half())),
                 ("no activation", lambda: wt.linear(x, weight, activation="tanh")),
                 ("bias has the shape", lambda: wt.linear(x, weight, randn(1, 64, dtype=torch.bfloat16))),
                 ("fp32", lambda: wt.linear(x, weight, randn(64))),
                 ("residual has the shape", lambda: wt.linear(x, weight, residual=x)),
                 ("not contiguous", lambda: wt.linear(x, weight, residual=randn(64, 64, dtype=torch.bfloat16).t())),
                 ("halves the columns", lambda: wt.linear(x, weight[:63], activation="swiglu")),
                 ("cannot read", lambda: wt.linear(x[:, ::2], weight[:, :64])),
                 ("cannot read", lambda: wt.matmul(x[:1].expand(64, -1), weight.t())),
                 ("only some dims", lambda: wt.matmul(x.view(2, 1, 32, 128), weight.view(1, 1, 64, 128).expand(2, 3, -1, -1).mT)),
                 ("summed over", lambda: wt.linear(x, weight.t()))]
        for words, call in cases:
            with self.subTest(words=words):
                with self.assertRaises(warptune.BadInput) as raised:
                    call()
                self.assertIn(words, str(raised.exception))
        self.near(wt.linear(x, weight), exact_linear(x, weight))


def gradients(function, tensors, upstream, dtype=None):
    leaves = [x.detach().clone().to(dtype or x.dtype).requires_grad_() for x in tensors]
    out = function(*leaves)
    (out * upstream.to(out.dtype)).sum().backward()
    return [out.detach()] + [leaf.grad for leaf in leaves]


class Gradients(ProductCase):
    def check(self, ours, theirs, *tensors, shape):
        upstream = torch.linspace(-1, 1, shape.numel(), device="cuda").view(shape)
        found = gradients(ours, tensors, upstream)
        for x, exact in zip(found, gradients(theirs, tensors, upstream.to(found[0].dtype), torch.float64)):
            self.assertEqual(x.dtype, tensors[0].dtype)
            self.nearly(x, exact)

    def test_linear(self):
        for activation in ACTIVATIONS:
            for dtype in DTYPES if activation in (None, "swiglu") else DTYPES[:1]:
                with self.subTest(activation=activation, dtype=dtype):
                    x, weight, bias, _, residual = self.parts((3, 50), 272, 200, activation, dtype)
                    self.check(lambda x, w, b, r: linear(x, w, b, activation, r),
                               lambda x, w, b, r: torch_linear(x, w, b, activation, r), x, weight, bias, residual,
                               shape=residual.shape)

    def test_matmul(self):
        def half(*shape):
            return randn(*shape, dtype=torch.bfloat16)

        for a, b in ((half(33, 64), half(64, 40)), (half(3, 33, 64), half(3, 64, 40)), (half(3, 33, 64), half(64, 40)),
                     (half(33, 64), half(3, 64, 40)), (half(3, 33, 64), half(1, 64, 40)), (half(64), half(64, 40)),
                     (half(33, 64), half(64))):
            with self.subTest(a=a.shape, b=b.shape):
                self.check(wt.matmul, torch.matmul, a, b, shape=torch.matmul(a, b).shape)
        self.check(lambda a, b: wt.matmul(a.t(), b.t()), lambda a, b: a.t() @ b.t(), half(64, 33), half(40, 64),
                   shape=torch.Size((33, 40)))

    def test_only_some_are_asked_for(self):
        x, weight, bias, activation, residual = self.parts((40,), 64, 128, "gelu", torch.bfloat16)
        weight.requires_grad_()
        y = linear(x, weight, bias, activation, residual)
        y.sum().backward()
        self.assertEqual(weight.grad.shape, weight.shape)
        self.assertTrue(weight.grad.is_contiguous())
        with torch.no_grad():
            self.near(linear(x, weight, bias, activation, residual), exact_linear(x, weight, bias, activation, residual))

    def test_more_rows_than_gemm_sums_over(self):
        x, weight = randn(3, 400000, 16, dtype=torch.bfloat16), scaled(8, 16)
        self.check(wt.linear, torch.nn.functional.linear, x, weight, shape=torch.Size((3, 400000, 8)))

    def test_an_input_may_change_if_the_weight_is_frozen(self):
        x, weight = randn(16, 64, dtype=torch.bfloat16, grad=True), scaled(32, 64)
        h = x * 1
        y = wt.linear(h, weight)
        h.add_(1)
        y.sum().backward()
        self.near(x.grad, weight.double().sum(0).expand(16, 64))

    def test_second_order(self):
        x, weight = randn(16, 32, dtype=torch.bfloat16, grad=True), randn(8, 32, dtype=torch.bfloat16, grad=True)
        grad_x, = torch.autograd.grad(wt.linear(x, weight).sum(), x, create_graph=True)
        grad_x.sum().backward()
        torch.testing.assert_close(weight.grad, torch.full_like(weight, 16))

    def test_gradcheck(self):
        """Uses small whole numbers and steps of 1, so that differences of a product are exact in 16 bits."""
        def gradcheck(function, dtype, *shapes):
            inputs = [torch.randint(-2, 3, shape, device="cuda").to(dtype).requires_grad_() for shape in shapes]
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*not a double precision")
                self.assertTrue(torch.autograd.gradcheck(function, inputs, eps=1.0, atol=1e-3, rtol=1e-3))

        for dtype in DTYPES:
            gradcheck(wt.linear, dtype, (3, 8), (4, 8))
            gradcheck(wt.matmul, dtype, (3, 8), (8, 4))
            gradcheck(lambda x, w, b, r: wt.linear(x, w, b, residual=r), dtype, (3, 8), (4, 8), (4,), (3, 4))
            gradcheck(wt.matmul, dtype, (2, 3, 8), (8, 4))
            gradcheck(wt.matmul, dtype, (3, 8), (2, 8, 4))

    def test_registrations_are_sound(self):
        def half(*shape, grad=False):
            return randn(*shape, dtype=torch.bfloat16, grad=grad)

        op = torch.ops.warptune.gemm.default
        for args in ((half(16, 32, grad=True), half(32, 8, grad=True), None, None, "none", False),
                     (half(2, 16, 32, grad=True), half(8, 32, grad=True), half(8, grad=True), half(2, 16, 8, grad=True),
                      "none", True),
                     (half(16, 32, grad=True), half(2, 32, 8, grad=True), None, None, "none", False),
                     (half(16, 32), half(8, 32), half(8), half(16, 4), "swiglu", True),
                     (half(32, 16).t(), half(32, 8), None, None, "gelu", False)):
            with self.subTest(shapes=[x.shape for x in args if isinstance(x, torch.Tensor)], activation=args[4]):
                torch.library.opcheck(op, args)
        with self.assertRaisesRegex(warptune.BadInput, "no gradient with an activation"):
            op(half(16, 32, grad=True), half(32, 8), None, None, "relu", False)


def mlp(x, up, bias, down):
    """A transformer's MLP: gated, and added to its input."""
    return wt.linear(wt.linear(x, up, bias, activation="swiglu"), down, residual=x)


def exact_mlp(x, up, bias, down):
    return torch_linear(torch_linear(x, up, bias, "swiglu"), down, None, None, x)


class Compiled(ProductCase):
    def setUp(self):
        torch._dynamo.reset()
        half = torch.bfloat16
        self.inputs = randn(4, 64, 256, dtype=half), scaled(1024, 256), randn(1024, dtype=half), scaled(256, 512)
        self.exact = exact_mlp(*(x.double() for x in self.inputs))

    def test_in_one_graph(self):
        with torch.no_grad():
            self.nearly(torch.compile(mlp, fullgraph=True)(*self.inputs), self.exact)

    def test_gradients(self):
        upstream = torch.linspace(-1, 1, self.exact.numel(), device="cuda").view(self.exact.shape).bfloat16()
        found = gradients(torch.compile(mlp, fullgraph=True), self.inputs, upstream)
        for x, exact in zip(found, gradients(exact_mlp, self.inputs, upstream, torch.float64)):
            self.nearly(x, exact)

    def test_views(self):
        compiled = torch.compile(lambda a, b: wt.matmul(a.mT, b[:, :, :64]), fullgraph=True)
        a, b = randn(3, 128, 40, dtype=torch.bfloat16), scaled(3, 72, 128).mT.contiguous()
        self.near(compiled(a, b), a.mT.double() @ b[:, :, :64].double())

    def test_dynamic_shapes(self):
        compiled = torch.compile(lambda x, w: wt.linear(x * 2, w, activation="silu"), fullgraph=True, dynamic=True)
        weight = scaled(64, 256)
        for rows in (64, 96, 130):
            x = randn(rows, 256, dtype=torch.bfloat16)
            self.near(compiled(x, weight), exact_linear(x * 2, weight, None, "silu"))

    def test_cuda_graph_trees(self):
        compiled = torch.compile(mlp, fullgraph=True, mode="reduce-overhead")
        with torch.no_grad():
            for _ in range(4):
                found = compiled(*self.inputs).clone()
        self.nearly(found, self.exact)


class Graphs(ProductCase):
    def captured(self, function):
        """Captures the function after one eager run, which loads what a capture may not load."""
        function()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = function()
        return graph, out

    def test_new_data(self):
        for n, k in ((264, 1048), (66, 127)):  # read in place, and copied to rows that TMA can read
            x, weight, bias, activation, residual = self.parts((130,), n, k, "gelu", torch.bfloat16)
            graph, out = self.captured(lambda: linear(x, weight, bias, activation, residual))
            for _ in range(3):
                x.copy_(randn(130, k))
                residual.copy_(randn(130, n))
                graph.replay()
                self.near(out, exact_linear(x, weight, bias, activation, residual))

    def test_a_prefetch_serves_the_capture(self):
        x, weight = randn(48, 776, dtype=torch.bfloat16), scaled(40, 776)
        with self.assertRaises(warptune.NotReady):
            with torch.cuda.graph(torch.cuda.CUDAGraph()):
                wt.linear(x, weight)
        torch.cuda.synchronize()
        wt.kernel("gemm", torch.bfloat16, layout="nt").prefetch(m=48, n=40, k=776)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = wt.linear(x, weight)
        graph.replay()
        self.near(out, exact_linear(x, weight))


if __name__ == "__main__":
    unittest.main()
