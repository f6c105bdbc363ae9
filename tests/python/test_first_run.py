"""A first run without a database, over the fake driver: the launches, the collected shapes and the messages."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

APPLICATION = """
import os
import signal
import warptune
from exporters import Driver, InterfaceArray
driver = Driver()
driver.set_context(0x1)
driver.set_arg_count(4)
axpy = warptune.open({options}).kernel("axpy", dtype="fp32")
for n in (4096, 1000):
    axpy(InterfaceArray(0x10000, (n,), read_only=True), InterfaceArray(0x20000, (n,)), 2.0)
    print(driver.last().count, axpy.select(n=n).match, flush=True)
"""


SMALL_BUFFERS = """
import warptune
from exporters import Driver, InterfaceArray
driver = Driver()
driver.set_context(0x1)
flags = dict(function="mse", reduction="mean", out="same")
backward = warptune.open(misses="off").kernel("loss_backward", dtype="fp32", **flags)
for loss, x in ((0x10000, 0x20000), (0x10004, 0x20000), (0x10004, 0x20008), (0x10002, 0x20000)):
    large = [InterfaceArray(x + shift, (64, 64)) for shift in (0, 0x10000, 0x20000)]
    backward((64, 64), InterfaceArray(loss, (1,)), *large)
    print(driver.last().count, flush=True)
"""


class FirstRunTest(unittest.TestCase):
    def run_application(self, options="", signal="", **variables):
        made = tempfile.TemporaryDirectory(prefix="warptune-")
        self.addCleanup(made.cleanup)
        self.collected = Path(made.name) / "warptune" / "warptune.untuned.json"
        environment = {**os.environ, "XDG_DATA_HOME": made.name, "PYTHONPATH": os.path.dirname(__file__), **variables}
        text = APPLICATION.format(options=options)
        if signal:
            text += f"os.kill(os.getpid(), signal.{signal})\n"
        return subprocess.run([sys.executable, "-c", text], env=environment, text=True, capture_output=True, check=False)

    def test_launches_and_collects(self):
        ended = self.run_application()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stdout, "1 default\n2 default\n")
        self.assertIn(f"`warptune sweep {self.collected}`", ended.stderr)
        self.assertEqual(ended.stderr.count("\n"), 1)
        for text in ("n=4096", "n=1000"):
            self.assertIn(text, self.collected.read_text())

    def test_small_buffers_begin_anywhere(self):
        """The kernel needs a loss at a multiple of 4 bytes, and its other buffers at multiples of 8 or 16 bytes."""
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}
        ended = subprocess.run([sys.executable, "-c", SMALL_BUFFERS], env=environment, text=True, capture_output=True, check=False)
        self.assertEqual(ended.stdout, "1\n2\n3\n", ended.stderr)
        self.assertIn("'dloss' requires 4-byte alignment, but it begins at a multiple of 2 bytes only", ended.stderr)

    def test_however_it_ends(self):
        for name in ("SIGINT", "SIGTERM", "SIGKILL"):
            with self.subTest(name):
                self.assertNotEqual(self.run_application(signal=name).returncode, 0)
                self.assertIn("n=1000", self.collected.read_text())

    def test_off(self):
        for options, variables in (("misses='off'", {}), ("", {"WARPTUNE_MISSES": "off"})):
            ended = self.run_application(options, **variables)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))
            self.assertFalse(self.collected.exists())


if __name__ == "__main__":
    unittest.main()
