"""How warptune.torch and plain kernels launch on torch's tensors on a real device: with and without the dispatcher, on which
streams, from which threads, with which workspaces."""
import threading
import unittest

from torch_support import close, randn, torch, use_recorded

import warptune
import warptune.torch as wt

setUpModule = use_recorded


class PastTheDispatcher(unittest.TestCase):
    """Eager calls launch directly, but torch's modes, transforms and subclasses still see them."""

    def setUp(self):
        self.x = randn(64, 1000)
        self.expected = torch.softmax(self.x, -1)

    def test_a_mode_sees_the_call(self):
        from torch.utils._python_dispatch import TorchDispatchMode

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                seen.append(function)
                return function(*args, **(kwargs or {}))

        seen = []
        with Mode():
            close(wt.softmax(self.x), self.expected)
        self.assertIn(torch.ops.warptune.softmax.default, seen)

    def test_a_subclass_sees_the_call(self):
        class Loud(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                seen.append(function)
                return super().__torch_function__(function, types, args, kwargs)

        seen = []
        found = wt.softmax(self.x.as_subclass(Loud))
        close(found.as_subclass(torch.Tensor), self.expected)
        self.assertIn(torch.ops.warptune.softmax.default, seen)

    def test_a_trace_holds_the_call(self):
        traced = torch.jit.trace(lambda x: wt.softmax(x), self.x)
        self.assertIn("warptune::softmax", str(traced.graph))
        other = randn(64, 1000)
        close(traced(other), torch.softmax(other, -1))

    def test_tensors_that_are_not_what_lies_in_memory(self):
        negated = torch._neg_view(self.x)
        self.assertTrue(negated.is_neg())
        close(wt.softmax(negated), torch.softmax(-self.x, -1))
        close(torch.ops.warptune.softmax(negated, False), torch.softmax(-self.x, -1))
        self.assertEqual(wt.softmax(torch.empty(4, 8, device="meta")).device.type, "meta")

    def test_inference_mode(self):
        with torch.inference_mode():
            found = wt.softmax(self.x)
            close(wt.softmax(self.x.clone()), self.expected)
            self.assertTrue(found.is_inference())
        close(found, self.expected)

    def test_results_are_as_torchs_own(self):
        found, theirs = wt.softmax(self.x), torch.softmax(self.x, -1)
        for name in ("shape", "dtype", "device", "requires_grad", "is_leaf", "_version"):
            self.assertEqual(getattr(found, name), getattr(theirs, name), name)
        self.assertEqual(found.stride(), theirs.stride())
        found.resize_(3)
        found.record_stream(torch.cuda.Stream())
        wt.transpose(self.x).requires_grad_().sum().backward()

    def test_the_operators_themselves(self):
        """Calls torch.ops.warptune.* as compiled code does: a result has a gradient exactly if one is requested."""
        op = torch.ops.warptune.softmax.default
        self.assertFalse(op(self.x, False).requires_grad)
        leaf = self.x.clone().requires_grad_()
        with torch.no_grad():
            self.assertFalse(op(leaf, False).requires_grad)
        self.assertTrue(op(leaf, False).requires_grad)
        self.assertTrue(wt.matmul(self.x, randn(1000, 8, grad=True)).requires_grad)
        self.assertTrue(wt.axpy(self.x, leaf).requires_grad)


class Workspaces(unittest.TestCase):
    """reduce_sum clears and fills a workspace that its stream keeps. No other launch may use the workspace at the same
    time."""

    def setUp(self):
        self.x = torch.ones(1048576, device="cuda")
        self.assertGreater(wt.kernel("reduce_sum", torch.float32).select(n=self.x.numel()).workspace_bytes, 0)
        wt.reduce_sum(self.x)

    def check(self, sums, count):
        torch.cuda.synchronize()
        self.assertEqual(torch.stack(sums).tolist(), [float(1048576)] * count)

    def test_streams_side_by_side(self):
        streams = [torch.cuda.Stream() for _ in range(3)]
        torch.cuda.synchronize()
        sums = []
        for _ in range(100):
            for stream in streams:
                with torch.cuda.stream(stream):
                    sums.append(wt.reduce_sum(self.x))
        self.check(sums, 300)

    def test_threads_on_one_stream(self):
        sums, failures = [], []

        def work():
            try:
                for _ in range(200):
                    sums.append(wt.reduce_sum(self.x))
            except Exception as error:  # noqa: BLE001 - told to the test's own thread
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.check(sums, 800)

    def test_a_graph_has_its_own(self):
        graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
        with torch.cuda.graph(graph):
            out = wt.reduce_sum(self.x)
        torch.cuda.synchronize()
        sums = []
        for _ in range(50):
            with torch.cuda.stream(stream):
                graph.replay()
            sums.append(wt.reduce_sum(self.x))
        sums.append(out)
        self.check(sums, 51)

    def test_none_lies_in_torchs_pools(self):
        """No workspace may be in torch's private pool: when a compiled function's first run ends, the pool may hold only
        memory that the run gave back."""
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: wt.reduce_sum(x) + 1, fullgraph=True, mode="reduce-overhead")
        for _ in range(5):
            self.assertEqual(compiled(self.x).item(), 1048577)
        self.assertEqual(wt.reduce_sum(self.x).item(), 1048576)

    def test_they_end_with_their_library(self):
        def used():
            torch.cuda.synchronize()
            free, total = torch.cuda.mem_get_info()
            return total - free - torch.cuda.memory_reserved()

        path, out = wt.library().path, torch.empty((), device="cuda")
        with warptune.open(path) as library:
            kernel = library.kernel("reduce_sum", dtype="fp32")
            kernel.prefetch(n=self.x.numel())
            before = used()
            kernel((self.x.numel(),), self.x, out)
            kept = used() - before
            del kernel
        self.assertGreaterEqual(kept, 2 << 20)
        self.assertLessEqual(used(), before)


class Launches(unittest.TestCase):
    """Plain kernels, without torch's registered operators, on torch's memory."""

    def setUp(self):
        self.kernel = wt.library().kernel("softmax", dtype=torch.float32)
        self.x = randn(64, 1000)
        self.y = torch.empty_like(self.x)
        self.expected = torch.softmax(self.x, -1)

    def test_kernel_and_operation(self):
        self.kernel(self.x, self.y)
        close(self.y, self.expected)
        operation = self.kernel.select(rows=64, cols=1000)
        self.y.zero_()
        operation(self.x, self.y)
        close(self.y, self.expected)

    def test_on_torchs_current_stream(self):
        stream = torch.cuda.Stream()
        busy = torch.empty(1 << 28, device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            for _ in range(20):
                busy.fill_(1)
            self.x.copy_(torch.ones_like(self.x))  # behind the fills: read too early, the result would be another
            self.kernel(self.x, self.y)
            done = torch.cuda.Event()
            done.record()
        done.synchronize()
        close(self.y, torch.full_like(self.y, 1 / 1000))

    def test_other_protocols(self):
        class Dlpack:
            def __init__(self, tensor):
                self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__

        class Interface:
            def __init__(self, tensor):
                self.__cuda_array_interface__ = tensor.__cuda_array_interface__

        for wrap in (Dlpack, Interface):
            self.y.zero_()
            torch.cuda.synchronize()
            self.kernel(wrap(self.x), wrap(self.y))
            torch.cuda.synchronize()
            close(self.y, self.expected)

    def test_cupy(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("no CuPy here")
        x = cupy.random.standard_normal((64, 1000), dtype=cupy.float32)
        y = cupy.empty_like(x)
        self.kernel(x, y, stream=cupy.cuda.get_current_stream())
        cupy.cuda.get_current_stream().synchronize()
        e = cupy.exp(x - x.max(-1, keepdims=True))
        self.assertLess(float(abs(y - e / e.sum(-1, keepdims=True)).max()), 1e-6)

    def test_workspaces(self):
        kernel = wt.library().kernel("reduce_sum", dtype="fp32")
        x, out = torch.ones(1048576, device="cuda"), torch.empty((), device="cuda")
        kernel((x.numel(),), x, out)
        self.assertEqual(out.item(), 1048576)
        bytes_needed = kernel.select(n=x.numel()).workspace_bytes
        out.zero_()
        kernel((x.numel(),), x, out, workspace=torch.empty(bytes_needed, dtype=torch.uint8, device="cuda"))
        self.assertEqual(out.item(), 1048576)
        stream = torch.cuda.Stream()  # not torch's current one: the workspace is the driver's
        torch.cuda.synchronize()
        out.zero_()
        torch.cuda.synchronize()
        kernel((x.numel(),), x, out, stream=stream)
        stream.synchronize()
        self.assertEqual(out.item(), 1048576)

    def test_from_many_threads(self):
        failures = []

        def work(seed):
            try:
                for i in range(50):
                    x = torch.full((64, 1000), float(seed), device="cuda")
                    x[:, 0] = i
                    close(wt.softmax(x), torch.softmax(x, -1))
            except Exception as error:  # noqa: BLE001 - told to the test's own thread
                failures.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_a_second_device(self):
        if torch.cuda.device_count() < 2:
            self.skipTest("one device")
        x = torch.randn(64, 1000, device="cuda:1")
        close(wt.softmax(x), torch.softmax(x, -1))
        self.assertEqual(torch.cuda.current_device(), 0)
        with self.assertRaises(warptune.BadInput):
            self.kernel(self.x, x)


if __name__ == "__main__":
    unittest.main()
