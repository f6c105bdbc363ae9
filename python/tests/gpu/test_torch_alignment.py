"""Tensors that begin at any element: incoming gradients that are slices of one tensor, as those of torch.cat, and small
arguments such as scales and indices. Results and gradients against those of torch."""
import unittest

from torch_support import agrees, compiled_agrees, near, randn, torch, use_recorded

import warptune
import warptune.torch as wt

setUpModule = use_recorded
functional = torch.nn.functional


def table(rows, half, sines):
    angles = torch.arange(rows * half, device="cuda").view(rows, half) * 0.1
    return angles.sin() if sines else angles.cos()


def rotated(q):
    cosines, sines = (table(q.shape[1], q.shape[3] // 2, which)[None, :, None].to(q.dtype) for which in (False, True))
    low, high = q.chunk(2, -1)
    return torch.cat([low * cosines - high * sines, high * cosines + low * sines], -1)


LATER = torch.ones(16, 16, device="cuda").triu(1).bool()
INDEX = torch.arange(8, device="cuda").flip(0)
SIGNS = torch.where(torch.arange(16, device="cuda") % 2 == 0, 1.0, -1.0)

STATISTICS = torch.linspace(-1, 1, 8, device="cuda"), torch.linspace(0.5, 2, 8, device="cuda")  # mean, variance


def normed(where, x, w, b, **fused):
    return where.batch_norm(x, *(s.to(w.dtype) for s in STATISTICS), w, b, **fused)


# For each module: ours, torch's, the shapes of the inputs.
CALLS = {
    "softmax": (wt.softmax, lambda x: x.softmax(-1), (16, 64)),
    "transpose": (wt.transpose, lambda x: x.mT, (16, 64)),
    "axpy": (lambda x, y: wt.axpy(x, y, 2.0), lambda x, y: 2 * x + y, (16, 64), (16, 64)),
    "masked_softmax": (lambda x: wt.masked_softmax(x, causal="upper_left"),
                       lambda x: x.masked_fill(LATER, float("-inf")).softmax(-1), (16, 16)),
    "layer_norm": (lambda x, w, b: wt.layer_norm(x, (64,), w, b), lambda x, w, b: functional.layer_norm(x, (64,), w, b),
                   (16, 64), (64,), (64,)),
    "normalize": (lambda x: wt.normalize(x, dim=-1), lambda x: functional.normalize(x, dim=-1), (16, 64)),
    "gelu": (wt.gelu, functional.gelu, (16, 64)),
    "relu": (wt.relu, functional.relu, (16, 64)),
    "mul": (wt.mul, torch.mul, (16, 64), (16, 64)),
    "broadcast": (wt.mul, torch.mul, (16, 64), (64,)),
    "broadcast_add": (wt.add, torch.add, (16, 64), (16, 1)),
    "expression": (lambda x: wt.expression("x * x", x, derivative="F(2) * x"), torch.square, (16, 64)),
    "sum": (lambda x: wt.sum(x, 1), lambda x: x.sum(1), (16, 64)),
    "permute": (lambda x: wt.permute(x, (1, 2, 0)), lambda x: x.permute(1, 2, 0), (4, 16, 8)),
    "avg_pool2d": (lambda x: wt.avg_pool2d(x, 2), lambda x: functional.avg_pool2d(x, 2), (2, 4, 16, 16)),
    "batch_norm": (lambda x: wt.batch_norm(x, training=True),
                   lambda x: functional.batch_norm(x, None, None, training=True), (4, 8, 4, 4)),
    "group_norm": (lambda x: wt.group_norm(x, 2), lambda x: functional.group_norm(x, 2), (4, 8, 4, 4)),
    "embedding": (lambda w: wt.embedding(INDEX, w), lambda w: functional.embedding(INDEX, w), (16, 64)),
    "index_select": (lambda x: wt.index_select(x, 0, INDEX), lambda x: x.index_select(0, INDEX), (16, 64)),
    "index_add": (lambda x, source: wt.index_add(x, 0, INDEX, source), lambda x, source: x.index_add(0, INDEX, source),
                  (16, 64), (8, 64)),
    "rotary": (lambda q: wt.rotary(q, None, table(8, 8, False), table(8, 8, True)), rotated, (2, 8, 4, 16)),
    "cumsum": (wt.cumsum, lambda x: x.cumsum(-1), (16, 64)),
    "slice": (lambda x: wt.slice_copy(x, 1, 8, 40), lambda x: x[:, 8:40], (16, 64)),
    "slice_with_steps": (lambda x: wt.slice_copy(x, 1, 1, 60, 3), lambda x: x[:, 1:60:3], (16, 64)),
    "slice_scatter": (lambda x, y: wt.slice_scatter(x, y, 1, 8, 40), lambda x, y: x.slice_scatter(y, 1, 8, 40),
                      (16, 64), (16, 32)),
    "cat": (lambda x, y: wt.cat([x, y], 1), lambda x, y: torch.cat([x, y], 1), (16, 64), (16, 32)),
    "mse_loss": (lambda x, y: wt.mse_loss(x, y, reduction="none"),
                 lambda x, y: functional.mse_loss(x, y, reduction="none"), (16, 64), (16, 64)),
    "l1_loss": (lambda x, y: wt.l1_loss(x, y, reduction="none"),
                 lambda x, y: functional.l1_loss(x, y, reduction="none"), (16, 64), (16, 64)),
    "cosine_embedding_loss": (
        lambda x, y: wt.cosine_embedding_loss(x, y, SIGNS.to(x.dtype), reduction="none"),
        lambda x, y: functional.cosine_embedding_loss(x, y, SIGNS.to(x.dtype), reduction="none"), (16, 64), (16, 64)),
    "matmul": (wt.matmul, torch.matmul, (16, 64), (64, 32)),
    "linear": (wt.linear, functional.linear, (16, 64), (32, 64), (32,)),
}


class IncomingGradients(unittest.TestCase):
    """dy begins behind `ahead` other elements: at 2 and 6 bytes in bfloat16, at 4 and 12 bytes in float32."""

    def test_each_module(self):
        for name, (ours, theirs, *shapes) in CALLS.items():
            for dtype in (torch.bfloat16, torch.float32):
                for count in (1, 3):
                    with self.subTest(name=name, dtype=dtype, ahead=count):
                        inputs = [randn(*shape, dtype=dtype) for shape in shapes]
                        agrees(*(lambda ahead, *xs, call=call: torch.cat([ahead, call(*xs).flatten()])
                                 for call in (ours, theirs)), randn(count, dtype=dtype), *inputs)

    def test_cross_entropy(self):
        target = torch.arange(16, device="cuda") * 3
        agrees(*(lambda ahead, x, where=where: torch.cat([ahead, where.cross_entropy(x, target, reduction="none")])
                 for where in (wt, functional)), randn(3), randn(16, 64))

    def test_the_gradient_of_the_residual_s_sum(self):
        def joined(ahead, y, total):
            return torch.cat([ahead, y.flatten(), total.flatten()])

        for dtype in (torch.bfloat16, torch.float32):
            agrees(lambda ahead, x, r: joined(ahead, *wt.rms_norm(x, (64,), eps=1e-5, residual=r)),
                   lambda ahead, x, r: joined(ahead, functional.rms_norm(x + r, (64,), eps=1e-5), x + r),
                   randn(3, dtype=dtype), randn(16, 64, dtype=dtype), randn(16, 64, dtype=dtype))

    def test_channels_last(self):
        def ours(ahead, x):
            y = wt.avg_pool2d(x.contiguous(memory_format=torch.channels_last), 2)
            return torch.cat([ahead, y.permute(0, 2, 3, 1).flatten()])

        def theirs(ahead, x):
            return torch.cat([ahead, functional.avg_pool2d(x, 2).permute(0, 2, 3, 1).flatten()])

        for dtype in (torch.bfloat16, torch.float32):
            agrees(ours, theirs, randn(3, dtype=dtype), randn(2, 8, 8, 8, dtype=dtype))

    def test_batch_norm_in_inference(self):
        """The parameters are float32."""
        for dtype in (torch.bfloat16, torch.float32):
            for count in (1, 3):
                ahead, x, w, b = randn(count, dtype=dtype), randn(4, 8, 4, 4, dtype=dtype), randn(8), randn(8)
                with self.subTest(dtype=dtype, ahead=count):
                    for relu in (False, True):
                        agrees(lambda ahead, x, w, b: torch.cat([ahead, normed(wt, x, w, b, relu=relu).flatten()]),
                               lambda ahead, x, w, b: torch.cat([ahead, (normed(functional, x, w, b).relu() if relu else normed(functional, x, w, b)).flatten()]),
                               ahead, x, w, b, factor=8)

    def test_products_that_are_differentiated_again(self):
        for shape in ((16, 64), (64,)):
            x, other, dy, seconds = randn(16, 64, grad=True), randn(*shape, grad=True), randn(3 + 16 * 64), []
            for mul in (wt.mul, torch.mul):
                y = torch.cat([randn(3), mul(x, other).flatten()])
                firsts = torch.autograd.grad(y, (x, other), dy, create_graph=True)
                seconds.append(torch.autograd.grad(sum(first.square().sum() for first in firsts), (x, other)))
            for found, expected in zip(*seconds):
                near(found, expected, factor=4)

    def test_compiled(self):
        for name in ("softmax", "layer_norm", "gelu", "permute", "cumsum", "slice", "matmul"):
            ours, _, *shapes = CALLS[name]
            with self.subTest(name=name):
                compiled_agrees(lambda ahead, *xs: torch.cat([ahead, ours(*xs).flatten()]), randn(3),
                                *(randn(*shape) for shape in shapes))


class SmallArguments(unittest.TestCase):
    """Their kernels read single elements of them, so they may begin at any element."""

    def test_losses_that_are_stacked(self):
        for dtype in (torch.bfloat16, torch.float32):
            agrees(*(lambda x, y, where=where: torch.stack([where.mse_loss(x, y), where.l1_loss(x, y)])
                     for where in (wt, functional)), randn(16, 64, dtype=dtype), randn(16, 64, dtype=dtype))

    def test_scales(self):
        x, scales = randn(16, 64, dtype=torch.bfloat16), torch.tensor([1.0, 0.5, 0.25, 0.125], device="cuda")
        for i in range(4):
            found, _ = wt.quantise(x, torch.int8, scales[i])
            expected, _ = wt.quantise(x, torch.int8, scales[i].clone())
            self.assertTrue(torch.equal(found, expected))
            self.assertTrue(torch.equal(wt.dequantise(found, scales[i]), wt.dequantise(found, scales[i].clone())))

    def test_indices(self):
        for dtype in (torch.int32, torch.int64):
            index = torch.arange(17, device="cuda", dtype=dtype)[1:]
            agrees(lambda w: wt.embedding(index, w), lambda w: functional.embedding(index, w), randn(32, 64))
            agrees(lambda x: wt.index_select(x, 0, index), lambda x: x.index_select(0, index), randn(32, 64))

    def test_targets(self):
        target = torch.arange(17, device="cuda")[1:]
        agrees(*(lambda x, where=where: where.cross_entropy(x, target) for where in (wt, functional)), randn(16, 64))

    def test_positions(self):
        q, positions = randn(1, 8, 4, 16), torch.arange(9, device="cuda")[None, 1:]
        cosines, sines = (table(9, 8, which) for which in (False, True))
        near(wt.rotary(q, None, cosines, sines, positions), wt.rotary(q, None, cosines, sines, positions.clone()))


class Inputs(unittest.TestCase):
    def test_inputs_of_the_functions_that_compute_gradients(self):
        for name in ("transpose", "permute", "sum", "rotary", "cumsum", "slice", "slice_with_steps", "index_select", "matmul"):
            ours, theirs, *shapes = CALLS[name]
            for dtype in (torch.bfloat16, torch.float32):
                with self.subTest(name=name, dtype=dtype):
                    xs = [randn(3 + torch.Size(shape).numel(), dtype=dtype)[3:].view(shape) for shape in shapes]
                    near(ours(*xs), theirs(*(x.double() for x in xs)))

    def test_gradients_that_need_more_alignment_than_the_results(self):
        """The inputs begin at 8 bytes, or at 4 bytes for group_norm. One flat tensor contains the input, another the weight."""
        for dtype, count in ((torch.bfloat16, 4), (torch.float32, 2)):
            with self.subTest(dtype=dtype):
                agrees(*(lambda x, w, norm=norm: norm(x[count:].view(16, 64), (64,), w[count:], eps=1e-5)
                         for norm in (wt.rms_norm, functional.rms_norm)),
                       randn(count + 16 * 64, dtype=dtype), randn(count + 64, dtype=dtype))
                agrees(*(lambda x, w, norm=norm: norm(x[count:].view(16, 64), (64,), w[count:])
                         for norm in (wt.layer_norm, functional.layer_norm)),
                       randn(count + 16 * 64, dtype=dtype), randn(count + 64, dtype=dtype))
                ahead = count // 2
                agrees(*(lambda x, norm=norm: norm(x[ahead:].view(2, 4, 4, 8).permute(0, 3, 1, 2), 2)
                         for norm in (wt.group_norm, functional.group_norm)), randn(ahead + 2 * 4 * 4 * 8, dtype=dtype))
                agrees(*(lambda x, w, b, where=where: normed(where, x[count:].view(2, 4, 4, 8).permute(0, 3, 1, 2), w, b)
                         for where in (wt, functional)), randn(count + 2 * 4 * 4 * 8, dtype=dtype), randn(8), randn(8), factor=8)

    def test_indices_that_need_more_alignment_than_the_input(self):
        for dtype in (torch.bfloat16, torch.float32):
            flat = randn(1 + 2 * 4 * 8 * 8, dtype=dtype)[1:]
            rows, image = flat.view(8, 64), flat.view(2, 4, 8, 8)
            values, indices = wt.topk(rows, 5)
            self.assertTrue(torch.equal(values, rows.clone().topk(5)[0]))
            self.assertTrue(torch.equal(rows.gather(1, indices), values))
            for x in (image, image.permute(0, 3, 1, 2)):
                found, indices = wt.max_pool2d(x, 2, return_indices=True)
                self.assertTrue(torch.equal(found, functional.max_pool2d(x.float(), 2).to(dtype)))
                self.assertTrue(torch.equal(x.flatten(2).gather(2, indices.flatten(2)), found.flatten(2)))
            agrees(*(lambda flat, where=where: where.max_pool2d(flat[1:].view(2, 4, 8, 8), 2) for where in (wt, functional)),
                   randn(1 + 2 * 4 * 8 * 8, dtype=dtype))

    def test_the_least_aligned_buffer_is_named(self):
        with self.assertRaisesRegex(warptune.NoCandidate, "row_norm: 'weight' requires"):
            wt.rms_norm(randn(16, 64), (64,), randn(65)[1:])

    def test_gaps_are_refused_at_any_address(self):
        for begin in (0, 1):
            with self.assertRaisesRegex(warptune.BadInput, "contiguous"):
                wt.sum(randn(16, 72)[:, begin:64], 1)


if __name__ == "__main__":
    unittest.main()
