#!/usr/bin/env python3
"""Tests that the scripts with figures refuse missing or wrong inputs in one sentence, with the exit code 2; needs no GPU."""
import contextlib
import importlib
import io
import json
import sqlite3
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import bench_inputs

WITH_DATABASE = ("gemm_figures", "gemm_epilogues", "operators_figures", "operators_graphs")


def ended(script, *words):
    """Runs a script with these arguments. Returns its exit code, and the last line of its error output."""
    module, errors = importlib.import_module(script), io.StringIO()
    with mock.patch.object(sys, "argv", [f"{script}.py", *words]), contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        try:
            code = module.main()
        except SystemExit as end:
            code = end.code
    return code, errors.getvalue().strip().splitlines()[-1]


class BenchInputs(unittest.TestCase):
    def test_a_missing_program_is_named(self):
        for script in (*WITH_DATABASE, "gemm_check"):
            code, said = ended(script, "--warptune", "/no/warptune")
            self.assertEqual((code, said), (2, f"{script}.py: the program /no/warptune does not exist; run this script in the tree of `make dist`, or "
                                               "name the program with --warptune"))

    def test_missing_packages_are_named_before_anything_is_tuned(self):
        for script, *words in (*((script,) for script in WITH_DATABASE[1:]), ("gemm_check", "--errors")):
            for missing in ("torch", "warptune"):
                with mock.patch("importlib.util.find_spec", lambda name: None if name == missing else name):
                    code, said = ended(script, "--warptune", sys.executable, *words)
                self.assertEqual(code, 2)
                self.assertTrue(said.startswith(f"{script}.py: the Python package {missing} is not installed; "), said)

    def test_a_program_may_be_in_the_path(self):
        bench_inputs.need_warptune(Path(sys.executable).name)
        bench_inputs.need_warptune(sys.executable)

    def test_the_programs_of_power_cap_are_named(self):
        import power_cap
        for name, other in (("WARPTUNE", "FINALS_ORDER"), ("FINALS_ORDER", "WARPTUNE")):
            with mock.patch.object(power_cap, name, Path("/no/program")), mock.patch.object(power_cap, other, Path(sys.executable)):
                code, said = ended("power_cap")
            self.assertEqual(code, 2)
            self.assertIn("the program /no/program does not exist; ", said)
            self.assertTrue(said.endswith(f" environment variable {name}"), said)

    def test_a_failure_of_warptune_is_shown(self):
        import power_cap
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "warptune"
            program.write_text("#!/bin/sh\necho no GPU\nexit 3\n")
            program.chmod(0o755)
            with mock.patch.object(power_cap, "WARPTUNE", program), mock.patch.object(power_cap, "FINALS_ORDER", program):
                code, said = ended("power_cap")
        self.assertEqual((code, said), (2, "power_cap.py: `warptune tune` failed with the exit code 3; its message is above"))

    def test_show_needs_a_database(self):
        with tempfile.TemporaryDirectory() as folder:
            text, other = Path(folder) / "text", Path(folder) / "other.db"
            text.write_text(json.dumps({"no": "database"}) * 100)
            with contextlib.closing(sqlite3.connect(other)) as db:
                db.execute("CREATE TABLE songs (id)")
            for script in WITH_DATABASE:
                self.assertEqual(ended(script, "--show"), (2, f"{script}.py: --show needs --db with the database whose results it shows"))
                self.assertEqual(ended(script, "--show", "--db", "/no/db"),
                                 (2, f"{script}.py: the database /no/db does not exist; give an existing one with --db"))
                for path, why in ((text, "file is not a database"), (other, "no such table: best")):
                    self.assertEqual(ended(script, "--show", "--db", str(path)),
                                     (2, f"{script}.py: {path} is not a database of warptune ({why}); give another one with --db"))

    def test_kernel_folders_are_found_in_both_trees(self):
        self.assertTrue((bench_inputs.kernel_templates() / "suites" / "gemm.json").is_file())
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as errors:
            tree = Path(folder) / "dist"
            with mock.patch.object(bench_inputs, "TREE", tree):
                with self.assertRaises(SystemExit):
                    bench_inputs.kernel_templates()
                shipped = tree / "share" / "warptune" / "kernel_templates"
                shipped.mkdir(parents=True)
                self.assertEqual(bench_inputs.kernel_templates(), shipped)
            self.assertIn(f"the kernel folders are neither at {shipped} nor at {tree.parent / 'kernel_templates'}; ", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
