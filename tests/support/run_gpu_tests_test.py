#!/usr/bin/env python3
"""Tests run_gpu_tests.sh and run_python_gpu_tests.sh with stand-ins for the programs; needs no GPU."""
import os
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Lists its tests, and runs those that the filter names, as GoogleTest does. Each run leaves a line in `runs`.
PROGRAM = r"""#!/usr/bin/env python3
import fnmatch, os, sys, time
tests = os.environ["TESTS"].split()
filters = [a.split("=", 1)[1] for a in sys.argv[1:] if a.startswith("--gtest_filter=")] or ["*"]
chosen = [t for t in tests if fnmatch.fnmatch(t, filters[-1])]
if "--gtest_list_tests" in sys.argv:
    for test in chosen:
        print(test.rsplit(".", 1)[0] + ".\n  " + test.rsplit(".", 1)[1])
    sys.exit()
with open("runs", "a") as runs:
    runs.write(f"{filters[-1]} begins\n")
for _ in range(300):  # until as many have begun as should run at the same time
    if open("runs").read().count("begins") >= int(os.environ["TOGETHER"]):
        break
    time.sleep(0.1)
if any("crash" in t for t in chosen):
    os._exit(9)
bad = [t for t in chosen if "bad" in t]
print(f"output of {filters[-1]}")
print(f"[  PASSED  ] {len(chosen) - len(bad)} tests.")
if bad:
    print(f"[  FAILED  ] {len(bad)} test, listed below:")
with open("runs", "a") as runs:
    runs.write(f"{filters[-1]} ends\n")
sys.exit(bool(bad))
"""


class GpuTests(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        shutil.copy(HERE / "run_gpu_tests.sh", self.folder)
        program = self.folder / "some_tests"
        program.write_text(PROGRAM, encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def run_script(self, tests, *arguments, lanes="2", together=1):
        done = subprocess.run(["bash", self.folder / "run_gpu_tests.sh", *arguments], text=True, capture_output=True, timeout=60,
                              env={**os.environ, "TESTS": tests, "WARPTUNE_GPU_TEST_LANES": lanes, "TOGETHER": str(together)})
        runs = self.folder / "runs"
        return done, runs.read_text(encoding="utf-8").splitlines() if runs.exists() else []

    def test_a_process_for_each_suite_and_some_tests_have_their_own(self):
        done, runs = self.run_script("A.one A.two B.one PlantedTest.one PlantedTest.two")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[0] for line in runs if line.endswith("begins")],
                         ["A.*", "B.*", "PlantedTest.one", "PlantedTest.two"])
        self.assertIn("5 tests passed, 0 tests failed, 0 skipped in 1 programs", done.stdout)

    def test_templates_run_side_by_side_and_before_the_others(self):
        done, runs = self.run_script("A.one Shipped/Templates.are/x Shipped/Templates.are/y Shipped/Templates.are/z", together=2)
        self.assertEqual({line.split()[0] for line in runs[:2]}, {"Shipped/Templates.are/x", "Shipped/Templates.are/y"}, "two lanes")
        self.assertTrue(runs[0].endswith("begins") and runs[1].endswith("begins"), runs)
        self.assertEqual(runs[-2:], ["A.* begins", "A.* ends"])
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("output")],
                         [f"output of {name}" for name in ("Shipped/Templates.are/x", "Shipped/Templates.are/y", "Shipped/Templates.are/z", "A.*")])
        self.assertIn("4 tests passed, 0 tests failed", done.stdout)

    def test_one_lane_runs_one_after_another(self):
        _, runs = self.run_script("Shipped/Templates.are/x Shipped/Templates.are/y", lanes="0")
        self.assertEqual([line.split()[1] for line in runs], ["begins", "ends"] * 2)

    def test_failures_and_crashes_count(self):
        done, _ = self.run_script("A.one A.bad Shipped/Templates.are/bad Shipped/Templates.are/crash Shipped/Templates.are/y C.crash")
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 tests passed, 4 tests failed", done.stdout)

    def test_a_filter_runs_what_it_names(self):
        done, runs = self.run_script("A.one A.two B.one Shipped/Templates.are/x", "--gtest_filter=A.*")
        self.assertEqual([line.split()[0] for line in runs if line.endswith("begins")], ["A.one", "A.two"])
        self.assertIn("2 tests passed", done.stdout)
        self.assertIn("0 tests passed", self.run_script("A.one", "--gtest_filter=B.*")[0].stdout)


class PythonTests(unittest.TestCase):
    def test_every_module_runs_and_a_failure_is_named(self):
        with tempfile.TemporaryDirectory() as made:
            tree = Path(made)
            (tree / "tests").mkdir()
            shutil.copy(HERE / "run_python_gpu_tests.sh", tree / "tests")
            modules = tree / "share/warptune/python/tests/gpu"
            modules.mkdir(parents=True)
            text = "import unittest\nclass T(unittest.TestCase):\n  def test_a(self): self.assertEqual(1, {})\n  def test_b(self): pass\n"
            (modules / "test_good.py").write_text(text.format(1), encoding="utf-8")
            (modules / "test_first_run.py").write_text(text.format(1), encoding="utf-8")
            (modules / "test_wrong.py").write_text(text.format(2), encoding="utf-8")
            (tree / "cmake").write_text("#!/bin/sh\n", encoding="utf-8")
            (tree / "cmake").chmod(0o755)
            environment = {**os.environ, "PATH": f"{tree}:{os.environ['PATH']}", "WARPTUNE_PYTHON_BUILD": str(tree / "work")}
            run = lambda: subprocess.run(["bash", tree / "tests/run_python_gpu_tests.sh"], text=True, capture_output=True, timeout=60, env=environment)
            done = run()
            self.assertEqual(done.returncode, 1)
            self.assertIn("3 modules, 6 tests; failed: test_wrong.py", done.stdout)
            self.assertIn("AssertionError: 1 != 2", done.stdout)
            (modules / "test_wrong.py").write_text("import os\nos._exit(3)\n", encoding="utf-8")
            self.assertIn("failed: test_wrong.py", run().stdout, "it ended without a summary")
            (modules / "test_wrong.py").unlink()
            done = run()
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("2 modules, 4 tests; failed: none", done.stdout)
            self.assertTrue(done.stdout.startswith("test_a (test_first_run."), "it runs first")


if __name__ == "__main__":
    unittest.main()
