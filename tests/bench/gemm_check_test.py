#!/usr/bin/env python3
"""Tests the random problems of gemm_check.py; needs no GPU."""
import contextlib
import io
import itertools
import random
import sqlite3
import subprocess
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import gemm_check
from bench_inputs_test import ended

PARTS = ("activation", "bias", "residual", "scaled", "scales")
GATES = ("swiglu", "geglu")


def problems(count=2000):
    rng = random.Random(1)
    return [gemm_check.Problem(rng, dtype, 2500) for dtype in ("bf16", "fp16", "fp32") for _ in range(count)]


class GemmCheck(unittest.TestCase):
    def test_each_part_of_the_epilogue_occurs_alone_and_with_each_other_part(self):
        drawn = {frozenset(part for part in PARTS if part in problem.flags) for problem in problems()}
        for count in range(len(PARTS) + 1):
            for parts in itertools.combinations(PARTS, count):
                self.assertIn(frozenset(parts), drawn)

    def test_each_value_occurs_without_an_activation(self):
        plain = [problem.flags for problem in problems() if "activation" not in problem.flags]
        self.assertEqual({flags.get("scales", "none") for flags in plain}, {"none", "rows", "columns", "both"})
        for flag in ("bias", "residual", "scaled"):
            self.assertEqual({flags.get(flag, 0) for flags in plain}, {0, 1})

    def test_an_algorithm_of_cublaslt_that_rounds_twice_is_counted_but_is_no_error_of_warptune(self):
        excused = [("", "implementation=cublaslt,RANK=1", "wrong_result", 1.7), ("", "implementation=cublaslt,RANK=7", "launch_failed", None),
                   ("", "implementation=cublaslt_tuned,CLUSTER=none,RANK=2,OPTION=1", "launch_failed", None)]
        wrong = [("", "implementation=simt,BM=64", "wrong_result", 1.1), ("", "implementation=simt,BM=8", "crashed", None),
                 ("", "implementation=cublaslt,RANK=2", "crashed", None), ("", "implementation=cublaslt,RANK=3", "wrong_result", 90.0),
                 ("", "implementation=cublaslt,RANK=4", "wrong_result", None)]
        right = [("", "implementation=cublaslt,RANK=0", "ok", 0.5), ("", "implementation=simt,BM=8", "invalid", None)]
        self.assertEqual(gemm_check.sorted_out(excused + wrong + right), (wrong, excused[:1]))

    def test_only_a_summary_without_any_finding_is_clean(self):
        for output in ("========= ERROR SUMMARY: 0 errors", "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"):
            self.assertTrue(gemm_check.is_clean(output))
        for output in ("========= ERROR SUMMARY: 10 errors", "========= RACECHECK SUMMARY: 10 hazards displayed (0 errors, 10 warnings)", ""):
            self.assertFalse(gemm_check.is_clean(output))

    def test_a_tool_examines_one_launch_of_the_configuration(self):
        command = gemm_check.sanitizer_command("cs", "memcheck", "wt", "fp16", "m=8,n=16,k=4;fp16;layout=tn,bias=1", "implementation=simt,BM=8")
        self.assertEqual(command[:5], ["cs", "--tool", "memcheck", "--padding", "512"])
        self.assertEqual(command[command.index("wt"):], ["wt", "run", "gemm", "--shape", "m=8,n=16,k=4", "--dtype", "fp16", "--set", "layout=tn",
                                                        "--set", "bias=1", "--config", "implementation=simt,BM=8", "--once"])
        command = gemm_check.sanitizer_command("cs", "racecheck", "wt", "fp16", "m=8,n=16,k=4;fp16", "implementation=simt")
        self.assertEqual(command[:5], ["cs", "--tool", "racecheck", "--racecheck-report", "hazard"])
        self.assertNotIn("--set", command)

    def sanitized(self, end_of, shape="m=64,n=64,k=64"):
        """Checks one configuration under a tool of which `end_of` returns the exit code and the output. Returns the result, the
        names of the tools, and what is printed."""
        names = []

        def run(command, **_):
            names.append(command[command.index("--tool") + 1])
            code, output = end_of(names[-1])
            return subprocess.CompletedProcess(command, code, output, "")

        with tempfile.TemporaryDirectory() as name:
            with contextlib.closing(sqlite3.connect(Path(name) / "bf16.db")) as db:
                db.executescript(f"""
                    CREATE TABLE problems (id, key);
                    CREATE TABLE sessions (id, problem_id);
                    CREATE TABLE configs (id, text);
                    CREATE TABLE best (session_id, config_id);
                    INSERT INTO problems VALUES (1, '{shape};bf16;layout=nn');
                    INSERT INTO sessions VALUES (1, 1);
                    INSERT INTO configs VALUES (1, 'implementation=simt,BM=8');
                    INSERT INTO best VALUES (1, 1);""")
            options = types.SimpleNamespace(dtypes=["bf16"], sanitize=1, jobs=1, warptune="wt", tool_seconds=1)
            with mock.patch.object(gemm_check.subprocess, "run", run), contextlib.redirect_stdout(io.StringIO()) as printed:
                return gemm_check.sanitized(options, Path(name)), names, printed.getvalue()

    def test_both_tools_must_find_nothing_and_the_launch_must_succeed(self):
        clean = {"memcheck": "========= ERROR SUMMARY: 0 errors", "racecheck": "========= RACECHECK SUMMARY: 0 hazards displayed"}
        found, names, printed = self.sanitized(lambda tool: (0, clean[tool]))
        self.assertEqual((found, names), (True, ["memcheck", "racecheck"]))
        self.assertIn("racecheck: 1 of 1 configurations clean", printed)
        self.assertEqual(self.sanitized(lambda tool: (0, clean[tool]), "m=8,n=8,k=8")[:2], (False, []))  # too small to be chosen
        for bad in clean:
            found, _, printed = self.sanitized(lambda tool, bad=bad: (int(tool == bad), clean[tool]))
            self.assertFalse(found)
            self.assertIn(f"{bad}: 0 of 1 configurations clean", printed)
            self.assertFalse(self.sanitized(lambda tool, bad=bad: (0, "" if tool == bad else clean[tool]))[0])

    def test_numbers_below_1_and_unknown_dtypes_are_refused(self):
        for option, text in (("--problems", "0"), ("--largest", "0"), ("--budget", "-1"), ("--jobs", "few")):
            self.assertEqual(ended("gemm_check", f"{option}={text}"),
                             (2, f"gemm_check.py: error: argument {option}: '{text}' is not a whole number of at least 1"))
        self.assertEqual(ended("gemm_check", "--dtypes", "bf16,fp8"),
                         (2, "gemm_check.py: error: argument --dtypes: 'fp8' is not one of bf16, fp16, fp32"))

    def with_program(self, script, *words):
        with tempfile.TemporaryDirectory() as name:
            program = Path(name) / "warptune"
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            return ended("gemm_check", "--warptune", str(program), *words)

    def test_without_a_gpu_the_first_error_ends_the_script(self):
        self.assertEqual(self.with_program("echo 'warptune: no CUDA device: no driver' >&2; exit 3"),
                         (2, "gemm_check.py: `warptune tune` cannot run here: no CUDA device: no driver"))

    def test_a_short_configuration_has_what_decides_the_order_of_sums(self):
        self.assertEqual(gemm_check.short_config("implementation=simt,BM=64,SPLIT_K=0,SUM=launch"), "implementation=simt, SPLIT_K=0")

    def test_other_errors_are_printed_without_a_database(self):
        options = types.SimpleNamespace(seed=0, largest=8, problems=2, jobs=1, budget=1, warptune="wt")
        failed = subprocess.CompletedProcess([], 6, "", "warptune: a bug")
        with tempfile.TemporaryDirectory() as name, mock.patch.object(gemm_check.subprocess, "run", return_value=failed):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                self.assertFalse(gemm_check.random_sweep(options, "bf16", Path(name)))
        self.assertEqual(printed.getvalue().count("exit 6: gemm --shape"), 2)
        self.assertIn("['warptune: a bug']", printed.getvalue())

    def test_a_missing_sanitizer_is_named_before_the_sweep(self):
        with mock.patch.object(gemm_check, "sanitizer", return_value="/no/compute-sanitizer"):
            code, said = self.with_program("exit 6", "--sanitize", "2")
        self.assertEqual(code, 2)
        self.assertIn("the program /no/compute-sanitizer does not exist; ", said)

    def test_problems_are_valid(self):
        for problem in problems():
            self.assertTrue(problem.flags.get("activation") not in GATES or problem.dims["n"] % 2 == 0)
            self.assertTrue("shared" not in problem.flags or "batch" in problem.dims)
            self.assertTrue("math" not in problem.flags or problem.dtype == "fp32")


if __name__ == "__main__":
    unittest.main()
