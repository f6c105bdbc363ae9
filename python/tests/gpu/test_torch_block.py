"""Tests a gated layer with its loss, made of warptune.torch's operators: against float64, in one graph of torch.compile,
with CUDA graphs, on two streams and on several threads."""
import threading
import unittest

from torch_support import DEVICE, FLOATS, agrees, compiled_agrees, near, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded
functional = torch.nn.functional
WIDTH, INNER, CLASSES, ROWS = 64, 96, 40, 24


def layer(x, residual, norm, gate, up, bias, head, target):
    y, total = wt.rms_norm(x, (WIDTH,), norm, 1e-5, residual=residual)
    h = wt.silu(y @ gate, bias=bias, mul=y @ up)
    logits = wt.layer_norm(h, (INNER,)) @ head
    return wt.cross_entropy(logits, target, label_smoothing=0.1) + wt.mean(wt.masked_softmax(total, scale=0.5).square())


def torch_layer(x, residual, norm, gate, up, bias, head, target):
    total = x + residual
    y = functional.rms_norm(total, (WIDTH,), norm, 1e-5)
    h = functional.silu(y @ gate + bias) * (y @ up)
    logits = functional.layer_norm(h, (INNER,)) @ head
    return functional.cross_entropy(logits, target, label_smoothing=0.1) + torch.softmax(total * 0.5, -1).square().mean()


def parts(dtype=torch.float32):
    shapes = (ROWS, WIDTH), (ROWS, WIDTH), (WIDTH,), (WIDTH, INNER), (WIDTH, INNER), (INNER,), (INNER, CLASSES)
    target = torch.randint(0, CLASSES, (ROWS,), device=DEVICE)
    target[5] = -100
    return (*((randn(*shape) / (shape[0] ** 0.5 if len(shape) > 1 else 1)).to(dtype) for shape in shapes), target)


class Layer(unittest.TestCase):
    def test_results_and_gradients(self):
        agrees(layer, torch_layer, *parts())

    def test_sixteen_bits(self):
        for dtype in FLOATS[1:]:
            inputs = parts(dtype)
            near(layer(*inputs).to(dtype), torch_layer(*(x.double() if x.is_floating_point() else x for x in inputs)))

    def test_compiled(self):
        compiled_agrees(layer, *parts())
        compiled_agrees(layer, *parts(), dynamic=True)

    def test_cuda_graph_trees(self):
        torch._dynamo.reset()
        compiled, inputs = torch.compile(layer, fullgraph=True, mode="reduce-overhead"), parts()
        with torch.no_grad():
            for _ in range(4):
                found = compiled(*inputs).clone()
        near(found, layer(*inputs))

    def test_a_captured_training_step(self):
        *leaves, target = parts()
        for x in leaves:
            x.requires_grad_()

        def step():
            return torch.autograd.grad(layer(*leaves, target), leaves)

        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            step()  # loads the kernels
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = step()
        for _ in range(3):
            with torch.no_grad():
                leaves[0].copy_(randn(ROWS, WIDTH))
            graph.replay()
            exact = [x.detach().double().requires_grad_() for x in leaves]
            for x, y in zip(found, torch.autograd.grad(torch_layer(*exact, target), exact)):
                near(x, y, factor=4)

    def test_threads_and_streams(self):
        inputs = parts()
        expected, found = layer(*inputs), {}
        torch.cuda.synchronize()

        def work(name):
            with torch.cuda.stream(torch.cuda.Stream()):
                for _ in range(20):
                    result = layer(*inputs)
                torch.cuda.current_stream().synchronize()
                found[name] = result

        threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 4)
        for result in found.values():
            near(result, expected)


if __name__ == "__main__":
    unittest.main()
