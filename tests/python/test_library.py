"""Opening, listing, explaining, and error messages. Needs no device."""
import os
import tempfile
import threading
import unittest
from pathlib import Path

import warptune

SAMPLE = os.environ["WT_SAMPLE_DB"]  # one result of the shipped softmax: rows=32768,cols=4096, bf16, on an H200


class LibraryTest(unittest.TestCase):
    def setUp(self):
        self.library = warptune.open(SAMPLE)
        self.softmax = self.library.kernel("softmax", dtype="bf16")

    def test_lists(self):
        self.assertEqual(self.library.kernels, ["softmax"])
        self.assertEqual(self.library.path, SAMPLE)
        self.assertEqual(self.softmax.dims, ["rows", "cols"])
        self.assertEqual(self.softmax.args, ["x", "y"])
        self.assertEqual(repr(self.softmax), "<warptune.Kernel softmax bf16(rows, cols)>")

    def test_path_objects_and_the_environment(self):
        self.assertEqual(warptune.open(Path(SAMPLE)).kernels, ["softmax"])
        os.environ["WARPTUNE_DB"] = SAMPLE
        try:
            self.assertEqual(warptune.open().kernels, ["softmax"])
        finally:
            del os.environ["WARPTUNE_DB"]

    def test_explains_without_a_device(self):
        exact = self.softmax.explain(rows=32768, cols=4096, device="NVIDIA H200")
        self.assertEqual(exact.match, "exact")
        self.assertIn("tuned for exactly this problem", exact.text)
        self.assertEqual(str(exact), exact.text)
        self.assertEqual(self.softmax.explain(32768, 4096, device="NVIDIA H200").text, exact.text)
        self.assertNotEqual(self.softmax.explain(rows=30000, cols=4096, device="NVIDIA H200").match, "exact")
        fp32 = self.library.kernel("softmax", dtype="fp32").explain(rows=32768, cols=4096, device="sm_80")
        self.assertEqual(fp32.match, "default")

    def test_dtypes_of_other_libraries(self):
        class Named:  # as numpy.float32
            __name__ = "float32"

        class Dotted:  # as torch.bfloat16
            def __str__(self):
                return "torch.bfloat16"

        self.assertIn(" fp32(", repr(self.library.kernel("softmax", dtype=Named())))
        self.assertIn(" bf16(", repr(self.library.kernel("softmax", dtype=Dotted())))

    def test_flags(self):
        self.assertIn("log=1", repr(self.library.kernel("softmax", dtype="bf16", log=1)))
        self.assertIn("log=1", repr(self.library.kernel("softmax", dtype="bf16", log=True)))

    def test_errors_say_what_is_wrong(self):
        cases = [
            (warptune.DatabaseError, "absent.db", lambda: warptune.open("absent.db")),
            (warptune.BadInput, "softmx", lambda: self.library.kernel("softmx")),
            (warptune.BadInput, "fp99", lambda: self.library.kernel("softmax", dtype="fp99")),
            (warptune.BadInput, "lag", lambda: self.library.kernel("softmax", lag=1)),
            (warptune.BadInput, "has no dim 'row'; it has rows, cols", lambda: self.softmax.explain(row=1, cols=2)),
            (warptune.BadInput, "the dim 'cols' is missing", lambda: self.softmax.explain(rows=1)),
            (warptune.BadInput, "1 dim was given, but softmax has 2: rows, cols", lambda: self.softmax.explain(1)),
            (warptune.BadInput, "give them in one way only", lambda: self.softmax.explain(1, 2, rows=1, cols=2)),
            (warptune.BadInput, "whole number", lambda: self.softmax.explain(rows=1.5, cols=2)),
            (warptune.BadInput, "whole number", lambda: self.softmax.explain(rows=True, cols=2)),
            (warptune.BadInput, "does not fit 64 bits", lambda: self.softmax.explain(rows=2**70, cols=2)),
            (warptune.BadInput, "cols", lambda: self.softmax.explain(rows=1, cols=2**40, device="NVIDIA H200")),
            (warptune.BadInput, "rows", lambda: self.softmax.explain(rows=-1, cols=2, device="NVIDIA H200")),
            (warptune.BadInput, "alignment", lambda: self.softmax.explain(rows=1, cols=2, alignment=-16)),
            (warptune.BadInput, "alignment", lambda: self.softmax.explain(rows=1, cols=2, alignment="wide")),
            (warptune.BadInput, "H900", lambda: self.softmax.explain(rows=1, cols=2, device="H900")),
            (warptune.BadInput, "unknown device '7'", lambda: self.softmax.explain(rows=1, cols=2, device=7)),
        ]
        for kind, words, call in cases:
            with self.subTest(words=words):
                with self.assertRaises(kind) as raised:
                    call()
                self.assertIn(words, str(raised.exception))
                self.assertIsInstance(raised.exception, warptune.Error)
                self.assertEqual(raised.exception.status, kind.status)

    def test_a_file_that_is_no_database(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "text.db"
            path.write_text("not a database\n" * 100)
            with self.assertRaises(warptune.DatabaseError):
                warptune.open(path)

    def test_bad_input_is_a_value_error(self):
        self.assertTrue(issubclass(warptune.BadInput, ValueError))
        self.assertEqual(warptune.Status.NOT_READY, 7)

    def test_kernels_keep_a_closed_library_open(self):
        with self.library:
            pass
        with self.assertRaisesRegex(warptune.BadInput, "is closed"):
            self.library.kernels  # noqa: B018
        self.assertEqual(self.softmax.explain(rows=32768, cols=4096, device="NVIDIA H200").match, "exact")

    def test_reload_without_news(self):
        self.assertFalse(self.library.reload())

    def test_many_threads_explain(self):
        texts = []

        def ask():
            for _ in range(50):
                texts.append(self.softmax.explain(rows=32768, cols=4096, device="NVIDIA H200").text)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(texts), 200)
        self.assertEqual(len(set(texts)), 1)


if __name__ == "__main__":
    unittest.main()
