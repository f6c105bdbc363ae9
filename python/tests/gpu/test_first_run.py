"""Tests an application's first run: runs examples/first_run/first_run.py, tunes the shapes that it collected with `warptune
sweep`, and runs it again."""
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import warptune
from support import require_torch


def setUpModule():
    require_torch()


def example():
    """Returns the path of the example, in the repository and in the tree of make dist."""
    for folder in Path(__file__).resolve().parents:
        if (folder / "examples" / "first_run").is_dir():
            return folder / "examples" / "first_run" / "first_run.py"
    raise unittest.SkipTest("the examples are not beside these tests")


class FirstRunTest(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory(prefix="warptune-")
        self.addCleanup(made.cleanup)
        self.environment = {**os.environ, "XDG_DATA_HOME": made.name, "XDG_CACHE_HOME": made.name}
        for name in ("WARPTUNE_DB", "WARPTUNE_MISSES"):
            self.environment.pop(name, None)
        self.collected = Path(made.name) / "warptune" / "warptune.untuned.json"

    def run_example(self):
        return subprocess.run([sys.executable, example(), "1000000", "4096"], env=self.environment, check=True, text=True,
                              capture_output=True)

    def test_three_commands(self):
        first = self.run_example()
        self.assertEqual(first.stdout, "n=1000000: expected time, correct\nn=4096: expected time, correct\n")
        self.assertIn(f"warptune sweep {self.collected}", first.stderr)
        subprocess.run([warptune.program(), "sweep", self.collected, "--budget", "20", "--devices", "cuda:0"],
                       env=self.environment, check=True, capture_output=True)
        again = self.run_example()
        self.assertEqual(again.stdout, "n=1000000: exact, correct\nn=4096: exact, correct\n")
        self.assertNotIn("warptune:", again.stderr)

    def test_stopped_it_has_collected(self):
        with subprocess.Popen([sys.executable, example(), "--wait", "4096"], env=self.environment, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            while "waiting" not in (line := process.stdout.readline()):
                self.assertTrue(line, "it ended early")
            process.send_signal(signal.SIGINT)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("n=4096", self.collected.read_text())


if __name__ == "__main__":
    unittest.main()
