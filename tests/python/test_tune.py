"""tune and pack through the command line, on recorded sweeps."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import warptune


class TuneTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_tunes_and_opens_what_it_stored(self):
        lines = []
        database = self.folder / "tuned.db"
        result = warptune.tune("axpy", shape={"n": 67108864}, dtype="fp32", budget=20, db=database, device="replay",
                               seed=3, progress=lines.append)
        self.assertEqual((result.kernel, result.device), ("axpy", "NVIDIA H200"))
        self.assertIn("n=67108864", result.problem)
        self.assertEqual(set(result.config), {"LOAD_BYTES", "UNROLL", "BLOCK", "BLOCKS_PER_SM", "HINT"})
        self.assertGreater(result.median_us, 0)
        self.assertAlmostEqual(result.speedup, result.default_us / result.median_us)
        self.assertEqual(result.json["measured"], 20)
        self.assertTrue(any("20/20" in line for line in lines), lines)
        library = warptune.open(database)
        self.assertEqual(library.kernels, ["axpy"])
        explanation = library.kernel("axpy", dtype="fp32").explain(n=67108864, device="NVIDIA H200")
        self.assertEqual(explanation.match, "exact")
        self.assertIn(",".join(f"{k}={v}" for k, v in result.config.items()), explanation.text)

    def damaged(self):
        path = self.folder / "damaged.db"
        path.write_text("not a database\n" * 1000)
        return path

    def test_failures_are_the_same_exceptions(self):
        cases = [
            (warptune.BadInput, "sofmax", lambda: warptune.tune("sofmax", shape="rows=1,cols=1", device="replay")),
            (warptune.BadInput, "--no-such", lambda: warptune.tune("axpy", shape={"n": 1}, no_such=1)),
            (warptune.NoDevice, "no NVIDIA driver", lambda: warptune.tune("axpy", shape={"n": 1}, device="cuda:0",
                                                                          db=self.folder / "x.db")),
            (warptune.DatabaseError, "", lambda: warptune.tune("axpy", shape={"n": 67108864}, device="replay", budget=2,
                                                              db=self.damaged())),
        ]
        os.environ["WARPTUNE_LIBCUDA"], driver = "libno_such_driver.so", os.environ.get("WARPTUNE_LIBCUDA", "")
        self.addCleanup(os.environ.__setitem__, "WARPTUNE_LIBCUDA", driver)
        for kind, words, call in cases:
            with self.subTest(kind=kind):
                with self.assertRaises(kind) as raised:
                    call()
                self.assertIn(words, str(raised.exception))

    def test_a_progress_function_that_raises_ends_the_search(self):
        def stop(line):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            warptune.tune("axpy", shape={"n": 67108864}, device="replay", db=self.folder / "t.db", progress=stop)

    def test_packs(self):
        said = subprocess.run([warptune.program(), "--help"], capture_output=True, text=True, check=True).stdout
        if "\n  pack " not in said:
            self.skipTest("this program makes no packs")
        database = self.folder / "tuned.db"
        warptune.tune("axpy", shape={"n": 67108864}, dtype="fp32", budget=20, db=database, device="replay")
        path = warptune.pack(self.folder / "ops.wtpack", db=database)
        self.assertEqual(warptune.open(path).kernels, ["axpy"])
        with self.assertRaises(warptune.Error):
            warptune.pack(self.folder / "other.wtpack", db=self.folder / "absent.db")


if __name__ == "__main__":
    unittest.main()
