"""The arguments that tune and pack pass to the program, and their use of its answers: over a stand-in that records its
arguments."""
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import warptune
from warptune import tuning

BEST = {"problem": "n=8;fp32", "config_text": "SHIFT=-2,ORDER=rows-first,VEC=4", "median_us": 2.0, "default_us": 3.0,
        "certified": True}
ANSWER = {"kernel": "scale", "best": BEST, "device": {"name": "NVIDIA H200"}, "database": "w.db", "session": 7,
          "ended_by": "space", "notes": []}
PROGRAM = """#!{python}
import json, signal, sys, time
def stop(*_):
    open({stopped!r}, "w").write("SIGINT")
    sys.exit(130)
signal.signal(signal.SIGINT, stop)
open({words!r}, "w").write(json.dumps(sys.argv[1:]))
print("1/9 (11 %)", file=sys.stderr, flush=True)
while "--seed" in sys.argv:  # goes on until it is stopped
    time.sleep(0.01)
if "--force-error" in sys.argv:
    print(json.dumps({{"error": {{"message": "first line\\nsecond line"}}}}))
    print("warptune: first line\\nsecond line", file=sys.stderr)
    sys.exit(4)
print(json.dumps({answer}))
"""


class WordsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        program = self.folder / "warptune"
        program.write_text(PROGRAM.format(python=sys.executable, words=str(self.folder / "words"),
                                          stopped=str(self.folder / "stopped"), answer=ANSWER))
        program.chmod(0o755)
        environment = mock.patch.dict(os.environ, WARPTUNE_PROGRAM=str(program))
        environment.start()
        self.addCleanup(environment.stop)

    def told(self):
        return json.loads((self.folder / "words").read_text())

    def test_the_named_program_is_the_one_that_runs(self):
        self.assertEqual(warptune.program(), str(self.folder / "warptune"))
        with mock.patch.dict(os.environ, WARPTUNE_PROGRAM=""):
            self.assertEqual(Path(warptune.program()), Path(warptune.__file__).parent / "bin" / "warptune")

    def test_options_are_words(self):
        warptune.tune("scale", shape={"n": 8, "sizes": [1, 2]}, dtype="float16", flags={"log": True, "layout": "nt"},
                      budget=20, db=Path("a.db"), resume=False, profile="best", warm_l2=True, rounds=None)
        self.assertEqual(self.told(), ["tune", "scale", "--shape", "n=8,sizes=[1,2]", "--set", "log=1", "--set", "layout=nt",
                                       "--dtype", "fp16", "--budget", "20", "--db", "a.db", "--profile", "best", "--warm-l2",
                                       "--json"])
        warptune.pack("ops.wtpack", db="a.db", kernels=["gemm", "softmax"], gpus="H200", cover="3%", no_compile=True)
        self.assertEqual(self.told(), ["pack", "-o", "ops.wtpack", "--db", "a.db", "--cover", "3%", "--kernels", "gemm,softmax",
                                       "--gpus", "H200", "--no-compile"])

    def test_flags_are_not_the_option_set(self):
        with self.assertRaisesRegex(warptune.BadInput, 'as flags={"layout": "nt"}'):
            warptune.tune("gemm", shape={"m": 8}, set={"layout": "nt"})

    def test_names_of_types(self):
        for given, word in (("torch.bfloat16", "bf16"), ("float16", "fp16"), ("float32", "fp32"), ("float64", "fp64"),
                            ("bf16", "bf16"), (None, None)):
            self.assertEqual(tuning._dtype(given), word, given)

    def test_the_answer_as_values(self):
        result = warptune.tune("scale", shape="n=8")
        self.assertEqual(result.config, {"SHIFT": -2, "ORDER": "rows-first", "VEC": 4})
        self.assertEqual((result.speedup, result.session, result.roofline_share), (1.5, 7, None))

    def test_configurations_without_parameters_and_with_signs_in_values(self):
        self.assertEqual(tuning._config(""), {})
        self.assertEqual(tuning._config("ORDER=a=b,VEC=4"), {"ORDER": "a=b", "VEC": 4})

    def test_an_error_has_all_of_its_lines(self):
        with self.assertRaises(warptune.NoCandidate) as raised:
            warptune.tune("scale", force_error=True)
        self.assertEqual(str(raised.exception), "first line\nsecond line")

    def test_a_search_that_is_stopped_is_interrupted_and_not_killed(self):
        def stop(line):
            raise RuntimeError(line)

        with self.assertRaisesRegex(RuntimeError, "1/9"):
            warptune.tune("scale", seed=1, progress=stop)
        self.assertEqual((self.folder / "stopped").read_text(), "SIGINT")


class OpenTest(unittest.TestCase):
    def test_no_compiling_is_another_thing_than_nothing_said(self):
        with mock.patch.object(warptune, "_open") as opened:
            for jit in (None, False, True):
                warptune.open("a.db", jit=jit)
        self.assertEqual([call.args for call in opened.mock_calls], [("a.db", -1, ""), ("a.db", 0, ""), ("a.db", 1, "")])


if __name__ == "__main__":
    unittest.main()
