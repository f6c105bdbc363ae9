"""The registrations of warptune.torch, and the kernels and dims that it launches. Without torch (fake_torch.py); the
GPU tests check results, gradients and compilation."""
import os
import unittest
from unittest import mock

import fake_torch
from exporters import Driver
from glue import Context, GlueCase, Recorder, ops, torch, wt

import warptune


class GlueTest(GlueCase):
    def test_everything_is_registered(self):
        library, = fake_torch.registered
        self.assertEqual(library.namespace, "warptune")
        names = {"softmax", "transpose", "reduce_sum", "axpy", "axpy_", "gemm", "row_norm", "row_norm_backward", "cross_entropy",
                 "cross_entropy_backward", "masked_softmax", "masked_softmax_backward", "elementwise", "elementwise_backward",
                 "reduce", "permute", "quantise", "quantise_groups", "quantise_tensor", "dequantise", "dequantise_groups", "loss", "loss_backward", "pool", "pool_backward",
                 "batch_norm_training", "batch_norm_inference", "batch_norm_backward", "group_norm",
                 "group_norm_backward", "embedding", "embedding_backward", "rotary", "scan", "optimiser_step_", "optimiser_steps_", "top_k",
                 "slice", "slice_backward", "slice_scatter", "slice_scatter_", "index_select", "index_sum", "broadcast", "broadcast_backward", "concat", "row_loss", "row_loss_backward", "row_loss_with_sums",
                 "masked_elementwise", "masked_elementwise_backward", "expression", "expression_backward", "signed_loss", "signed_loss_backward", "normalise", "normalise_backward",
                 "row_norm_quantise", "batch_norm_inference_backward", "cast"}
        self.assertEqual(set(library.schemas), names)
        self.assertEqual(set(library.cuda), names)
        self.assertEqual(set(fake_torch.fakes), {"warptune::" + name for name in names})
        self.assertEqual(set(fake_torch.gradients), {"warptune::" + name for name in names - {"axpy_", "optimiser_step_", "optimiser_steps_", "slice_scatter_"}})

    def test_softmax(self):
        x = self.tensor(4, 5, 512)
        y = wt.softmax(x)
        self.assertEqual(self.launched(), ("softmax", {"log": 0}, (20, 512), x, y))
        x = self.tensor(20, 512)
        y = wt.log_softmax(x, dim=1)
        self.assertEqual(self.launched(), ("softmax", {"log": 1}, x, y))
        wt.softmax(self.tensor(0, 5))
        self.assertEqual(self.kernels.launches, [])
        with self.assertRaisesRegex(warptune.BadInput, "the last of the 2 dims"):
            wt.softmax(x, dim=0)
        with self.assertRaisesRegex(warptune.BadInput, "^log_softmax: dim is 0"):
            wt.log_softmax(x, dim=0)
        with self.assertRaisesRegex(warptune.BadInput, "float64"):
            wt.softmax(self.tensor(4, 5, dtype=torch.float64))

    def test_the_gradient_of_softmax(self):
        x, y, dy = (self.tensor(4, 5, 8) for _ in range(3))
        for log in (False, True):
            context = Context(True)
            setup, backward = fake_torch.gradients["warptune::softmax"]
            setup(context, (x, log), y)
            self.assertEqual(context.saved_tensors, (y,))
            with mock.patch.object(torch, "is_grad_enabled", lambda: False):
                dx, of_log = backward(context, dy)
            name, flags, dims, _, saved, made, scale = self.launched()
            self.assertEqual((name, flags, dims, scale), ("masked_softmax_backward", {"log": log, "causal": "none"}, (20, 8, 1), 1.0))
            self.assertTrue(saved is y and made is dx and of_log is None)
            fake_torch.seen.clear()
            backward(context, dy)  # differentiated again
            self.assertEqual((fake_torch.seen, self.kernels.launches), ([f"{'_log' if log else ''}_softmax_backward_data -1"], []))

    def test_the_rest(self):
        x, y = self.tensor(4, 6), self.tensor(4, 6)
        t = wt.transpose(x)
        self.assertEqual((t.shape, self.launched()), ((6, 4), ("transpose", {}, x, t)))
        total = wt.reduce_sum(self.tensor(4, 6, dtype=torch.bfloat16))
        self.assertEqual((total.shape, total.dtype), ((), torch.float32))
        self.assertEqual(self.launched()[2], (24,))
        self.assertIs(wt.axpy_(y, x, 2.0), y)
        self.assertEqual((y.version, self.launched()), (1, ("axpy", {}, (24,), x, y, 2.0)))
        z = wt.axpy(x, y, 2.0)
        self.assertEqual((y.version, self.launched()), (1, ("axpy", {}, (24,), x, z, 2.0)))
        with self.assertRaisesRegex(warptune.BadInput, "must be equal"):
            wt.axpy(x, self.tensor(6, 4))
        with self.assertRaisesRegex(warptune.BadInput, "no gradient"):
            wt.axpy_(self.tensor(3), self.tensor(3, requires_grad=True))
        with mock.patch.object(torch, "compiling", True), self.assertRaisesRegex(warptune.BadInput, "no gradient"):
            wt.axpy_(self.tensor(3, requires_grad=True), self.tensor(3))

    def test_memory_that_two_tensors_share(self):
        y, x = self.tensor(8), self.tensor(8)
        for distance in (-36, -32, 0, 32):
            x.address = y.address + distance
            wt.axpy_(y, x)
            self.launched()
        for distance in (-28, -4, 4, 28):
            x.address = y.address + distance
            with self.assertRaisesRegex(warptune.BadInput, "axpy_: the tensor that is changed shares some memory"):
                wt.axpy_(y, x)
            wt.axpy(x, y)
            self.launched()

    def test_who_goes_through_the_dispatcher(self):
        class Subclass(fake_torch.Tensor):
            pass

        wt.softmax(self.tensor(4, 8))
        self.assertEqual(fake_torch.seen, [])
        wt.softmax(self.tensor(4, 8, requires_grad=True))
        wt.softmax(Subclass((4, 8), torch.float32))
        torch.modes = 1
        wt.matmul(self.tensor(4, 6), self.tensor(6, 8))
        torch.modes = 0
        torch.compiling = True
        wt.transpose(self.tensor(4, 8))
        torch.compiling = False
        torch.tracing = True
        wt.reduce_sum(self.tensor(4, 8))
        torch.tracing = False
        negated = self.tensor(4, 8)
        negated.is_negated = True
        wt.axpy(self.tensor(4, 8), negated)
        self.assertEqual(fake_torch.seen, ["softmax", "softmax", "gemm", "transpose", "reduce_sum", "axpy"])

    def test_log_softmax_is_itself_through_the_dispatcher(self):
        x = self.tensor(4, 8, requires_grad=True)
        for operator, log in ((wt.softmax, 0), (wt.log_softmax, 1)):
            operator(x)
            self.assertEqual(self.launched()[:2], ("softmax", {"log": log}))
        self.assertEqual(fake_torch.seen, ["softmax", "softmax"])

    def test_the_dispatcher_launches_where_no_gradient_is_asked_for(self):
        autograd = fake_torch.registered[0].autograd
        self.assertEqual(set(autograd), set(fake_torch.registered[0].cuda) - {"axpy_", "optimiser_step_", "optimiser_steps_", "slice_scatter_"})
        x, y, wanted = self.tensor(4, 8), self.tensor(4, 8), self.tensor(4, 8, requires_grad=True)
        self.assertEqual(autograd["softmax"]("keys", x, True).shape, (4, 8))
        self.assertEqual(self.launched()[:3], ("softmax", {"log": 1}, x))
        autograd["axpy"]("keys", x, y, 2.0)
        self.assertEqual(self.launched()[0], "axpy")
        self.assertEqual(fake_torch.seen, [])
        autograd["axpy"]("keys", x, wanted, 2.0)
        autograd["softmax"]("keys", wanted, False)
        torch.modes = 1
        autograd["softmax"]("keys", x, False)
        self.assertEqual(self.kernels.launches, [])
        self.assertEqual(fake_torch.seen, [("keys", x, wanted, 2.0), ("keys", wanted, False), ("keys", x, False)])

    def test_kernels_are_found_once_for_each_library(self):
        for _ in range(3):
            wt.softmax(self.tensor(4, 8))
        self.assertEqual(self.kernels.found, [("softmax", "fp32")])
        second = Recorder()
        self.use(second)
        wt.softmax(self.tensor(4, 8))
        self.assertEqual((len(self.kernels.launches), len(second.launches)), (3, 1))

    def test_another_library_is_used_from_now_on(self):
        other, third = (warptune.open(os.environ["WT_SAMPLE_DB"], jit=False) for _ in range(2))
        families = ops._families[:]
        for library in (other, third):
            wt.use(library)
            self.assertIs(wt.library(), library)
            found = ops._softmax[torch.bfloat16]
            self.assertIs(ops._softmax[torch.bfloat16], found, "found once")
        wt.use(other)
        self.assertIsNot(ops._softmax[torch.bfloat16], found, "of the library before")
        self.assertEqual(ops._families, families)

    def test_the_gradient_of_axpy_has_alpha(self):
        class Gradient:
            factor = 1

            def __mul__(self, factor):
                scaled = Gradient()
                scaled.factor = self.factor * factor
                return scaled

        setup, backward = fake_torch.gradients["warptune::axpy"]
        context = type("Context", (), {})()
        setup(context, (self.tensor(3), self.tensor(3), 2.5), self.tensor(3))
        of_x, of_y, of_alpha = backward(context, Gradient())
        self.assertEqual((of_x.factor, of_y.factor, of_alpha), (2.5, 1, None))

    def test_shape_rules_agree_with_the_kernels(self):
        for name, args in {"softmax": (self.tensor(4, 8), False), "transpose": (self.tensor(4, 8),),
                           "reduce_sum": (self.tensor(4, 8),), "axpy": (self.tensor(4), self.tensor(4), 1.0),
                           "gemm": (self.tensor(4, 6), self.tensor(8, 6), None, None, "none", True)}.items():
            shaped = fake_torch.fakes["warptune::" + name](*args)
            made = fake_torch.registered[0].cuda[name](*args)
            self.assertEqual((shaped.shape, shaped.dtype), (made.shape, made.dtype), name)


class AttributesTest(unittest.TestCase):
    """Launches on tensors of a torch without the table of functions (before 2.10)."""

    def setUp(self):
        self.driver = Driver()
        self.driver.set_context(0x1)
        self.driver.set_arg_count(4)
        self.blend = warptune.open(os.environ["WT_BLEND_DB"], jit=False).kernel("blend", dtype=torch.float32)

    def test_pointer_size_and_stream(self):
        x, y = fake_torch.Tensor((1024,), torch.float32), fake_torch.Tensor((1024,), torch.float32)
        x.address, y.address = 0x10000, 0x20000
        self.blend(x, 1.0, y)
        last = self.driver.last()
        self.assertEqual((last.function, last.args[0], last.args[1], last.stream), (b"lowered_blend", 0x10000, 0x20000, 0x31))

    def test_in_a_capture_torch_allocates_the_workspace(self):
        x, y = fake_torch.Tensor((2048,), torch.float32), fake_torch.Tensor((2048,), torch.float32)
        self.blend.prefetch(n=2048)
        self.addCleanup(self.driver.capture, None)
        workspace = fake_torch.Tensor((1 << 20,), torch.uint8)
        with mock.patch.object(fake_torch.Tensor, "new_empty", return_value=workspace) as new_empty:
            self.blend(x, 1.0, y)
            new_empty.assert_not_called()
            self.driver.capture(0x31)  # torch's current stream
            self.blend(x, 1.0, y)
            self.assertEqual(self.driver.last().args[0], workspace.address)
            new_empty.reset_mock()
            self.driver.capture(0x99)
            self.blend(x, 1.0, y, stream=0x99)
            self.assertEqual(self.driver.last().args[0], 0x7000000)  # the driver's
            new_empty.assert_not_called()

    def test_what_does_not_fit_is_refused(self):
        x, y = fake_torch.Tensor((1024,), torch.float32), fake_torch.Tensor((1024,), torch.float32)
        host, sparse, wide = (fake_torch.Tensor((1024,), torch.float32) for _ in range(3))
        host.is_cuda, sparse.is_dense, wide.dtype = False, False, "torch.complex64"
        for words, bad in (("CUDA device", host), ("not contiguous", sparse), ("complex64", wide),
                           ("'y' is bf16", fake_torch.Tensor((1024,), torch.bfloat16))):
            with self.assertRaisesRegex(warptune.BadInput, words):
                self.blend(x, 1.0, bad)


if __name__ == "__main__":
    unittest.main()
