"""Chains of calls on a real device. Kernels may start while earlier work of the stream ends (docs/spec.md, "Early starts"), so
a kernel that did not wait would read what the previous one has not written yet, or overwrite what it still reads. The results
must have the bits of a chain in which the host waits after each call."""
import unittest

from torch_support import randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded
SHAPES = (1, 4096), (33, 1000), (64, 1024), (3000, 2048)


def chain(x, weight, wait=lambda: None, between=lambda x: x):
    """Returns the result of calls that each need the result of the previous one. Tensors that are no longer needed are used
    again by later calls."""
    cols = x.shape[-1]
    for _ in range(6):
        for call in (lambda x: wt.rms_norm(x, (cols,), weight), lambda x: wt.add(wt.silu(x), x), wt.transpose, lambda x: wt.cumsum(x, -1),
                     wt.transpose, lambda x: wt.layer_norm(x, (cols,), weight, None), lambda x: wt.mul(x, wt.softmax(x, -1)), wt.gelu):
            x = between(call(x))
            wait()
    return x, wt.sum(x, 0), wt.amax(x, -1)


def gradients(x, weight, wait=lambda: None):
    """Returns gradients of x and of weights from calls that each differentiate at the gradient of the previous one."""
    cols, of_weights = x.shape[-1], []
    for _ in range(4):
        for call in (lambda x, w: wt.rms_norm(x, (cols,), w), wt.mul, lambda x, w: wt.silu(x), lambda x, w: wt.layer_norm(x, (cols,), w, None),
                     lambda x, w: wt.softmax(x, -1), lambda x, w: wt.gelu(x)):
            at, w = x.detach().requires_grad_(), weight.detach().requires_grad_()
            result = call(at, w)
            wait()
            x, of_weight = torch.autograd.grad(result, (at, w), x, allow_unused=True)
            wait()
            if of_weight is not None:
                of_weights.append(of_weight)
    return x, *of_weights


class Chains(unittest.TestCase):
    def check(self, found, expected, what):
        torch.cuda.synchronize()
        for a, b in zip(found, expected):
            self.assertTrue(torch.equal(a, b), what)

    def test_a_stream(self):
        for shape in SHAPES:
            for dtype in (torch.bfloat16, torch.float32):
                x, weight = randn(*shape, dtype=dtype), randn(shape[1], dtype=dtype)
                expected = chain(x, weight, torch.cuda.synchronize)
                for _ in range(10):
                    self.check(chain(x, weight), expected, (shape, dtype))

    def test_between_kernels_of_pytorch(self):
        for shape in SHAPES:
            x, weight = randn(*shape, dtype=torch.bfloat16), randn(shape[1], dtype=torch.bfloat16)
            expected = chain(x, weight, torch.cuda.synchronize, torch.neg)
            for _ in range(10):
                self.check(chain(x, weight, between=torch.neg), expected, shape)

    def test_a_graph(self):
        for shape in SHAPES:
            weight, inputs = randn(shape[1], dtype=torch.bfloat16), [randn(*shape, dtype=torch.bfloat16) for _ in range(4)]
            expected = [chain(x, weight, torch.cuda.synchronize) for x in inputs]
            held, graph = inputs[0].clone(), torch.cuda.CUDAGraph()
            chain(held, weight)  # what is loaded at the first call cannot be captured
            torch.cuda.synchronize()
            with torch.cuda.graph(graph):
                found = chain(held, weight)
            for x, results in zip(inputs * 5, expected * 5):
                held.copy_(x)
                graph.replay()
                self.check(found, results, shape)

    def test_gradients(self):
        for shape in SHAPES:
            x, weight = randn(*shape, dtype=torch.bfloat16), randn(shape[1], dtype=torch.bfloat16)
            expected = gradients(x, weight, torch.cuda.synchronize)
            self.assertEqual(len(expected), 1 + 4 * 3)
            for _ in range(10):
                self.check(gradients(x, weight), expected, shape)

    def joined(self, x, weight):
        """Returns the sum of two chains that run in two streams."""
        main, side = torch.cuda.current_stream(), torch.cuda.Stream()
        side.wait_stream(main)
        with torch.cuda.stream(side):
            first = chain(x, weight)[0]
        second = wt.silu(x)
        main.wait_stream(side)
        first.record_stream(main)
        return wt.add(first, second), wt.mul(second, first)

    def test_streams_that_join(self):
        for shape in SHAPES:
            x, weight = randn(*shape, dtype=torch.bfloat16), randn(shape[1], dtype=torch.bfloat16)
            first, second = chain(x, weight, torch.cuda.synchronize)[0], wt.silu(x)
            expected = wt.add(first, second), wt.mul(second, first)
            for _ in range(10):
                self.check(self.joined(x, weight), expected, shape)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                found = self.joined(x, weight)
            for _ in range(10):
                graph.replay()
                self.check(found, expected, shape)


if __name__ == "__main__":
    unittest.main()
