#!/usr/bin/env python3
"""Tests what check_operators.py runs, over a stand-in for the program; needs no GPU."""
import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import check_operators

KERNEL = {"name": "scan", "dtypes": ["bf16", "fp32"], "suites": {"ragged": ["rows=3,cols=7;bf16;op=prod", "rows=5,cols=9;fp32;op=sum"]}}


class CheckOperators(unittest.TestCase):
    def run_script(self, *words, tune="exit 0"):
        """Returns the exit code, what was printed, and the commands that the stand-in got."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            program = folder / "bin" / "warptune"
            program.parent.mkdir()
            answers = {"kernels": {"kernels": [KERNEL]}, "check": {"findings": [{"kind": "race", "message": "two threads"}], "notes": []}}
            said = {command: json.dumps(answer) for command, answer in answers.items()}
            program.write_text(f"""#!/bin/sh
echo "$@" >>{folder}/log
case $1 in kernels) echo '{said["kernels"]}';; check) echo '{said["check"]}';; tune) {tune};; esac
""")
            program.chmod(0o755)
            out = io.StringIO()
            with mock.patch("sys.argv", ["check_operators.py", "--tree", name, *words]), contextlib.redirect_stdout(out):
                with self.assertRaises(SystemExit) as ended:
                    check_operators.main()
            return ended.exception.code, out.getvalue(), (folder / "log").read_text().splitlines()

    def test_each_problem_is_checked_with_its_flags(self):
        code, out, log = self.run_script("--jobs", "1")
        self.assertEqual(code, 0)
        self.assertEqual(len(log), 3, log)
        self.assertRegex(log[1], "^check scan --shape rows=3,cols=7 --dtype bf16 --set op=prod ")
        self.assertRegex(log[2], "^check scan --shape rows=5,cols=9 --dtype fp32 --set op=sum ")
        self.assertEqual(out.count("| `race` | 1 | two threads |"), 2)

    def test_with_a_budget_the_winner_is_in_the_database_of_the_check(self):
        code, _, log = self.run_script("--jobs", "1", "--budget", "16")
        self.assertEqual(code, 0)
        self.assertEqual([words.split()[0] for words in log], ["kernels", "tune", "check", "tune", "check"])
        database = lambda words: words.split("--db ")[1].split()[0]
        self.assertIn("--budget 16", log[1])
        self.assertEqual(database(log[1]), database(log[2]))
        self.assertNotEqual(database(log[2]), database(log[4]))

    def test_a_search_that_fails_is_not_a_check(self):
        code, out, log = self.run_script("--jobs", "1", "--budget", "16", tune="echo no device >&2; exit 3")
        self.assertEqual(code, 1)
        self.assertEqual(out.count("NOT CHECKED | | tune: exit 3: no device"), 2)
        self.assertFalse([words for words in log if words.startswith("check")])


if __name__ == "__main__":
    unittest.main()
