"""Launches over the fake driver: the arguments that reach the kernel, the accepted kinds of arrays, and refusals."""
import ctypes
import gc
import os
import struct
import sys
import unittest

import warptune
from exporters import CPU, CUDA, DlpackArray, Driver, InterfaceArray, TableArray

BLEND = os.environ["WT_BLEND_DB"]  # blend_db.cpp: y = alpha * x + y, tuned for n=1024 and, with a workspace, n=2048
X, Y = 0x10000, 0x20000


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


class LaunchTest(unittest.TestCase):
    def setUp(self):
        self.driver = Driver()
        self.driver.set_context(0x1)
        self.driver.set_arg_count(4)
        self.driver.fail_launches(0)
        self.library = warptune.open(BLEND, jit=False)
        self.blend = self.library.kernel("blend", dtype="fp32")

    def refused(self, kind, words, call):
        before = self.driver.last().count
        with self.assertRaises(kind) as raised:
            call()
        self.assertIn(words, str(raised.exception))
        self.assertEqual(self.driver.last().count, before)

    def check_launch(self, stream, function=b"lowered_blend"):
        last = self.driver.last()
        self.assertEqual(last.function, function)
        self.assertEqual([last.args[0], last.args[1]], [X, Y])
        self.assertEqual(last.args[2] & 0xffffffff, float_bits(2.5))
        self.assertEqual(last.args[3], 1024)
        self.assertEqual(last.stream or 0, stream)

    def test_dlpack(self):
        x, y = DlpackArray(X, (1024,)), DlpackArray(Y - 64, (1024,), offset=64)
        self.blend(x, 2.5, y)
        self.check_launch(0)
        self.assertEqual(x.asked_for_stream, 1)  # the protocol's number of the legacy default stream
        self.blend(x, 2.5, y, stream=0x77)
        self.check_launch(0x77)
        self.assertEqual(x.asked_for_stream, 0x77)

    def test_cuda_array_interface(self):
        self.blend(InterfaceArray(X, (1024,), read_only=True), 2.5, InterfaceArray(Y, (32, 32)), n=1024)
        self.check_launch(0)

    def test_a_table_of_functions_and_its_stream(self):
        x, y = TableArray(X, (1024,)), TableArray(Y, (1024,))
        self.blend(x, 2.5, y)
        self.check_launch(TableArray.current_stream)
        self.blend(x, 2.5, y, stream=0x9)
        self.check_launch(0x9)

    def test_the_stream_of_one_library_is_told_to_the_other(self):
        x = DlpackArray(X, (1024,))
        self.blend(x, 2.5, TableArray(Y, (1024,)))
        self.check_launch(TableArray.current_stream)
        self.assertEqual(x.asked_for_stream, TableArray.current_stream)

    def test_streams_of_other_libraries(self):
        class Torch:
            cuda_stream = 0x21

        class CuPy:
            ptr = 0x22

        class Core:
            def __cuda_stream__(self):
                return 0, 0x23

        x, y = DlpackArray(X, (1024,)), DlpackArray(Y, (1024,))
        for stream, handle in ((Torch(), 0x21), (CuPy(), 0x22), (Core(), 0x23), (0x24, 0x24), (None, 0)):
            self.blend(x, 2.5, y, stream=stream)
            self.check_launch(handle)
        self.refused(warptune.BadInput, "stream=", lambda: self.blend(x, 2.5, y, stream="main"))

    def test_dims_by_shape_name_and_order(self):
        x, y = DlpackArray(X, (1024,)), DlpackArray(Y, (1024,))
        flat = DlpackArray(X, (4, 256))
        self.blend(x, 2.5, y)
        self.blend(flat, 2.5, y, n=1024)
        self.blend((1024,), flat, 2.5, y)
        self.check_launch(0)
        self.refused(warptune.BadInput, "the dims (n) do not match the shape", lambda: self.blend(flat, 2.5, y))
        self.refused(warptune.BadInput, "no dim 'm'", lambda: self.blend(x, 2.5, y, m=1024))
        self.refused(warptune.BadInput, "give them in one way only", lambda: self.blend((1024,), x, 2.5, y, n=1024))
        self.refused(warptune.BadInput, "2 dims were given, but blend has 1: n", lambda: self.blend((2, 3), x, 2.5, y))

    def test_what_does_not_fit_is_refused(self):
        x, y = DlpackArray(X, (1024,)), DlpackArray(Y, (1024,))
        cases = [
            ("'y' is bf16, but the kernel takes fp32", lambda: self.blend(x, 1.0, DlpackArray(Y, (1024,), "bf16"))),
            ("'x' is fp64", lambda: self.blend(InterfaceArray(X, (1024,), "fp64"), 1.0, y)),
            ("'y' has 2048 bytes, but these dims need 4096", lambda: self.blend(x, 1.0, DlpackArray(Y, (512,)))),
            ("'y' has 8192 bytes", lambda: self.blend(x, 1.0, DlpackArray(Y, (2048,)))),
            ("'y' is not contiguous", lambda: self.blend(x, 1.0, DlpackArray(Y, (1024,), strides=(2,)))),
            ("'y' is not contiguous", lambda: self.blend(x, 1.0, InterfaceArray(Y, (1024,), strides=(2,)))),
            ("'y' is not contiguous",  # a gap behind each row
             lambda: self.blend(x, 1.0, DlpackArray(Y, (32, 32), strides=(40, 1)), n=1024)),
            ("'y' is not contiguous", lambda: self.blend(x, 1.0, InterfaceArray(Y, (32, 32), strides=(40, 1)), n=1024)),
            ("CUDA device", lambda: self.blend(x, 1.0, DlpackArray(Y, (1024,), device=(CPU, 0)))),
            ("cuda:0 and cuda:1", lambda: self.blend(x, 1.0, DlpackArray(Y, (1024,), device=(CUDA, 1)))),
            ("'y' is written by the kernel", lambda: self.blend(x, 1.0, InterfaceArray(Y, (1024,), read_only=True))),
            ("'y' has no memory", lambda: self.blend(x, 1.0, DlpackArray(0, (1024,)))),
            ("'y' is a buffer, but the argument has the type int", lambda: self.blend(x, 1.0, Y)),
            ("'y' is a buffer, but the argument has the type list", lambda: self.blend(x, 1.0, [1, 2])),
            ("2 arguments were given, but it takes 3: x, alpha, y", lambda: self.blend(x, y)),
            ("'alpha' takes a number of type fp32", lambda: self.blend(x, "2", y)),
            ("'alpha' takes a number of type fp32", lambda: self.blend(x, 1e300, y)),
            ("40 arguments", lambda: self.blend(*[x] * 40)),
            ("has the type '>f4'",
             lambda: self.blend(type("A", (), {"__cuda_array_interface__": {
                 "shape": (1024,), "typestr": ">f4", "data": (X, False), "version": 3}})(), 1.0, y)),
            ("bf16 needs __dlpack__",
             lambda: self.blend(type("A", (), {"__cuda_array_interface__": {
                 "shape": (1024,), "typestr": "<V2", "data": (X, False), "version": 3}})(), 1.0, y)),
        ]
        for words, call in cases:
            with self.subTest(words=words):
                self.refused(warptune.BadInput, words, call)

    def test_a_bare_address(self):
        for y in (DlpackArray(Y, (1024,)), warptune.Address(Y)):
            self.blend((1024,), warptune.Address(X), 2.5, y, stream=7)
            self.check_launch(7)
        self.blend(DlpackArray(X, (1024,)), 2.5, warptune.Address(Y))  # the dims are those of the first tensor
        self.check_launch(0)
        self.assertEqual(repr(warptune.Address(16)), "warptune.Address(16)")
        x = DlpackArray(X, (1024,))
        self.refused(warptune.Error, "'y' requires 16-byte alignment", lambda: self.blend(x, 2.5, warptune.Address(Y + 4)))
        self.refused(warptune.BadInput, "'alpha' takes a number", lambda: self.blend(x, warptune.Address(X), warptune.Address(Y)))
        for wrong in (-1, "0x10", 1 << 64):
            with self.assertRaises(TypeError):
                warptune.Address(wrong)

    def test_unaligned_memory_is_never_launched(self):
        x, y = DlpackArray(X, (1024,)), DlpackArray(Y + 4, (1024,))  # all of blend's configurations need 16 bytes
        for x_ahead, y_ahead, named in ((0, 4, "y"), (4, 0, "x"), (8, 4, "y"), (2, 4, "x")):  # the least aligned one
            self.refused(warptune.NoCandidate, f"blend: '{named}' requires 16-byte alignment, but it begins at a multiple of "
                                               f"{min(x_ahead or 16, y_ahead or 16)} bytes only",
                         lambda: self.blend(DlpackArray(X + x_ahead, (1024,)), 2.5, DlpackArray(Y + y_ahead, (1024,))))
        operation = self.blend.select(n=1024)
        self.refused(warptune.BadInput, "16", lambda: operation(x, 2.5, y))

    def test_contiguous_in_all_but_words(self):
        y = DlpackArray(Y, (1024,))
        # The stride of a dim of one does not matter.
        self.blend(DlpackArray(X, (1, 1024), strides=(7, 1)), 2.5, y, n=1024)
        self.blend(InterfaceArray(X, (2, 512), strides=(512, 1)), 2.5, y, n=1024)
        self.check_launch(0)

    def test_numbers_of_other_kinds(self):
        class Scalar:  # as numpy.float32
            def __float__(self):
                return 2.5

        x, y = DlpackArray(X, (1024,)), DlpackArray(Y, (1024,))
        self.blend(x, Scalar(), y)
        self.check_launch(0)

    def test_an_operation_launches_what_was_selected(self):
        operation = self.blend.select(n=1024)
        self.assertEqual((operation.kernel, operation.match, operation.config), ("blend", "exact", "WIDTH=4,SPLIT=1"))
        self.assertEqual(operation.workspace_bytes, 0)
        self.assertIn("tuned for exactly this problem", operation.explain())
        operation(DlpackArray(X, (1024,)), 2.5, DlpackArray(Y, (1024,)), stream=5)
        self.check_launch(5)
        self.refused(warptune.BadInput, "not 'n'",
                     lambda: operation(DlpackArray(X, (1024,)), 2.5, DlpackArray(Y, (1024,)), n=1024))

    def test_workspace(self):
        x, y = DlpackArray(X, (2048,)), DlpackArray(Y, (2048,))
        bytes_needed = self.blend.select(n=2048).workspace_bytes
        self.assertGreater(bytes_needed, 2048 * 4)
        self.blend(x, 2.5, y, workspace=DlpackArray(0x40000, (bytes_needed // 4,)))
        self.assertEqual(self.driver.last().function, b"lowered_rest")
        self.refused(warptune.BadInput, "must have", lambda: self.blend(x, 2.5, y, workspace=DlpackArray(0x40000, (4,))))
        self.refused(warptune.BadInput, "device memory", lambda: self.blend(x, 2.5, y, workspace=b"1234"))

    def test_without_a_context_the_devices_own_is_taken(self):
        self.driver.set_context(None)
        self.blend(DlpackArray(X, (1024,)), 2.5, DlpackArray(Y, (1024,)))
        self.check_launch(0)

    def test_a_failed_launch_is_an_error(self):
        self.driver.fail_launches(400)
        with self.assertRaisesRegex(warptune.Error, "CUDA_ERROR_INVALID_HANDLE"):
            self.blend(DlpackArray(X, (1024,)), 2.5, DlpackArray(Y, (1024,)))
        self.driver.fail_launches(0)
        self.blend(DlpackArray(X, (1024,)), 2.5, DlpackArray(Y, (1024,)))

    def test_an_error_of_the_producer_stays_its_own(self):
        class Broken(DlpackArray):
            def __dlpack__(self, *, stream=None):
                raise KeyError("gone")

        self.refused(KeyError, "gone", lambda: self.blend(Broken(X, (1024,)), 2.5, DlpackArray(Y, (1024,))))

    def test_nothing_is_kept(self):
        x, y = DlpackArray(X, (1024,)), TableArray(Y, (1024,))
        self.blend(x, 2.5, y)
        gc.collect()
        before = sys.getrefcount(x), sys.getrefcount(y), sys.getrefcount(None)
        for _ in range(2000):
            self.blend(x, 2.5, y, stream=3)
        gc.collect()
        self.assertEqual((sys.getrefcount(x), sys.getrefcount(y)), before[:2])
        self.assertLess(sys.getrefcount(None), before[2] + 1000)

    def test_a_capture_needs_a_prefetch(self):
        self.driver.capture(0x88)
        self.addCleanup(self.driver.capture, None)
        x, y = DlpackArray(X, (1024,)), DlpackArray(Y, (1024,))
        self.refused(warptune.NotReady, "", lambda: self.blend(x, 2.5, y, stream=0x88))
        self.refused(warptune.NotReady, "", lambda: self.blend.select(n=1024, stream=0x88))
        self.blend.prefetch(n=1024)
        self.blend(x, 2.5, y, stream=0x88)
        self.check_launch(0x88)

    def test_a_device_is_told_by_number_or_name(self):
        for device in (0, "0", "cuda:0", "Fake H200", None):
            self.assertEqual(self.blend.select(n=1024, device=device).kernel, "blend")
            self.blend.prefetch(n=1024, device=device)
        for device in (1, -1, "cuda:1", "H900", True, [0]):
            for ask in (self.blend.select, self.blend.prefetch):
                words = f"this machine has no device '{device}'; it has cuda:0 (Fake H200)"
                self.refused(warptune.BadInput, words, lambda: ask(n=1024, device=device))
        self.driver.set_device_count(2)
        try:
            words = "several devices have the name 'Fake H200'; choose one of them by its number: cuda:0 (Fake H200), cuda:1"
            self.refused(ValueError, words, lambda: self.blend.select(n=1024, device="Fake H200"))
        finally:
            self.driver.set_device_count(1)

    def test_prefetch_and_select_need_a_context(self):
        self.blend.prefetch(n=1024)
        self.blend.prefetch(1024)
        self.refused(warptune.BadInput, "no dim 'm'", lambda: self.blend.prefetch(m=1))


class WorkspaceTest(unittest.TestCase):
    """The memory that is kept between launches without a workspace."""
    FOR_ONE_LAUNCH = 0x7000000  # allocated by the fake driver in the stream's order

    def setUp(self):
        self.driver = Driver()
        self.driver.set_context(0x1)
        self.driver.set_arg_count(4)
        self.library = warptune.open(BLEND, jit=False)
        self.blend = self.library.kernel("blend", dtype="fp32")
        self.blend.prefetch(n=2048)
        gc.collect()
        self.before = self.driver.kept_buffers

    def used(self, stream):
        self.blend(DlpackArray(X, (2048,)), 2.5, DlpackArray(Y, (2048,)), stream=stream)
        last = self.driver.last()
        self.assertEqual(last.function, b"lowered_rest")
        return last.args[0]

    def kept(self):
        return self.driver.kept_buffers - self.before

    def test_one_for_each_stream(self):
        first, second = self.used(5), self.used(6)
        self.assertNotEqual(first, second)
        self.assertEqual([self.used(5), self.used(6), self.used(5)], [first, second, first])
        self.assertEqual(self.kept(), 2)
        operation = self.blend.select(n=2048)
        operation(DlpackArray(X, (2048,)), 2.5, DlpackArray(Y, (2048,)), stream=6)
        self.assertEqual(self.driver.last().args[0], second)

    def test_they_end_with_the_library(self):
        self.used(5)
        self.library.close()
        self.used(5)  # the kernel keeps the library open
        self.assertEqual(self.kept(), 1)
        del self.blend
        gc.collect()
        self.assertEqual(self.kept(), 0)

    def test_a_later_stream_of_the_same_handle_gets_another(self):
        first = self.used(5)
        self.driver.renew_contexts()
        self.blend.prefetch(n=2048)
        self.assertNotEqual(self.used(5), first)

    def test_old_ones_are_given_back(self):
        last = [self.used(stream) for stream in range(1, 41)][-1]
        self.assertEqual(self.kept(), 32)
        self.assertEqual(self.used(40), last)

    def test_none_is_kept_for_a_capture_or_without_memory(self):
        self.addCleanup(self.driver.capture, None)
        self.addCleanup(self.driver.fill_memory, 0)
        self.driver.capture(5)
        self.assertEqual(self.used(5), self.FOR_ONE_LAUNCH)
        self.driver.capture(None)
        self.driver.fill_memory(1)
        self.assertEqual(self.used(5), self.FOR_ONE_LAUNCH)
        self.assertEqual(self.kept(), 0)
        self.driver.fill_memory(0)
        self.assertNotEqual(self.used(5), self.FOR_ONE_LAUNCH)

    def test_no_capture_of_another_thread_is_broken(self):
        before = self.driver.broken_captures
        self.used(5)
        self.assertEqual((self.kept(), self.driver.broken_captures), (1, before))

    def test_large_ones_are_not_kept(self):
        n = 1 << 24
        self.blend((n,), DlpackArray(X, (n,)), 2.5, DlpackArray(Y, (n,)), stream=5)
        self.assertGreater(self.blend.select(n=n).workspace_bytes, 32 << 20)
        self.assertEqual((self.driver.last().args[0], self.kept()), (self.FOR_ONE_LAUNCH, 0))


if __name__ == "__main__":
    unittest.main()
