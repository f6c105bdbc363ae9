#!/usr/bin/env python3
"""Tests gemm_figures.py on a small database; needs no GPU."""
import contextlib
import io
import sqlite3
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import gemm_figures as figures
from bench_inputs_test import ended

KEY = "m=1024,n=1024,k=1024;bf16;layout=nt"
OURS, FIRST, SECOND = "implementation=wgmma,BM=64", "implementation=cublaslt,RANK=0", "implementation=cublaslt,RANK=1"
OPTION = "implementation=cublaslt_tuned,RANK=1,OPTION=3"
# The columns of the database that the script reads.
SCHEMA = """
CREATE TABLE problems (id INTEGER PRIMARY KEY, kernel, key); CREATE TABLE configs (id INTEGER PRIMARY KEY, text);
CREATE TABLE sessions (id INTEGER PRIMARY KEY, problem_id);
CREATE TABLE best (id INTEGER PRIMARY KEY, session_id, config_id, median_us, roofline_share);
CREATE TABLE best_finalists (best_id, config_id, median_us); CREATE TABLE best_rounds (best_id, sm_clock_mhz);"""


def database(*results, problems=None):
    """One result: (winner, its share of the roof), and the times of the finals. `problems` has the number of each result's
    problem; default: one for each."""
    db = sqlite3.connect(":memory:")
    db.executescript(SCHEMA)
    problems = problems or range(len(results))
    db.executemany("INSERT INTO problems VALUES (?, 'gemm', ?)", [(i, KEY) for i in sorted(set(problems))])
    texts = (OURS, FIRST, SECOND, OPTION)
    db.executemany("INSERT INTO configs VALUES (?, ?)", enumerate(texts))
    for best, ((winner, share), finals) in enumerate(results):
        db.execute("INSERT INTO sessions VALUES (?, ?)", (best, problems[best]))
        db.execute("INSERT INTO best VALUES (?, ?, ?, ?, ?)", (best, best, texts.index(winner), finals[winner], share))
        db.execute("INSERT INTO best_rounds VALUES (?, 1980)", (best,))
        db.executemany("INSERT INTO best_finalists VALUES (?, ?, ?)", [(best, texts.index(text), us) for text, us in finals.items()])
    db.commit()
    return db


def rows(*results, problems=None):
    db = database(*results, problems=problems)
    return [figures.Row(db, *found) for found in db.execute(figures.BESTS).fetchall()]


WE_WON = ((OURS, 0.5), {OURS: 10.0, FIRST: 12.0, SECOND: 12.0, OPTION: 12.5})
VENDOR_WON = ((SECOND, 0.6), {SECOND: 8.0, FIRST: 9.0, OURS: 10.0})
OPTION_WON = ((OPTION, 0.6), {OPTION: 8.0, OURS: 9.0, SECOND: 8.75, FIRST: 10.5})


class GemmFigures(unittest.TestCase):
    def test_the_share_of_the_roof_is_that_of_our_kernel(self):
        ours, vendors = rows(WE_WON, VENDOR_WON)
        self.assertEqual((ours.own, ours.share), (10, 0.5))
        self.assertEqual((vendors.own, vendors.eight, vendors.tuned, vendors.heuristic), (10, 8, 8, 9))
        self.assertAlmostEqual(vendors.share, 0.6 * 8 / 10)
        self.assertIn("| 10.00 | 215 | 48 % |", vendors.text())

    def test_cells_of_what_was_not_in_the_finals_are_empty(self):
        row, = rows(((SECOND, 0.6), {FIRST: 9.0, SECOND: 8.0}))
        self.assertIn("| nt |  |  |  | 9.00 | 8.00 | 8.00 |", row.text())
        row, = rows(((OURS, 0.6), {OURS: 9.0}))
        self.assertIn("| nt | 9.00 | 239 | 60 % |  |  |  |  |  | 1980 |", row.text())

    def test_an_option_that_the_heuristic_does_not_choose_counts_as_tuned(self):
        won, = rows(OPTION_WON)
        self.assertEqual((won.own, won.eight, won.tuned, won.heuristic), (9, 8.75, 8, 10.5))
        self.assertAlmostEqual(won.ratio(won.eight), 8.75 / 9)
        self.assertAlmostEqual(won.ratio_with_vendor(won.eight), 8.75 / 8)
        behind, = rows(((OURS, 0.5), {OURS: 10.0, OPTION: 12.0, FIRST: 14.0, SECOND: 13.0}))
        self.assertEqual((behind.own, behind.eight, behind.tuned, behind.heuristic), (10, 13, 12, 14))
        self.assertEqual(behind.ratio_with_vendor(behind.eight), 1.3)

    def test_with_the_vendor_where_it_is_faster(self):
        ours, vendors = rows(WE_WON, VENDOR_WON)
        self.assertEqual(ours.ratio_with_vendor(ours.heuristic), 1.2)
        self.assertEqual(vendors.ratio(vendors.heuristic), 0.9)
        self.assertEqual(vendors.ratio_with_vendor(vendors.heuristic), 9 / 8)
        self.assertEqual(vendors.ratio_with_vendor(vendors.eight), 1)

    def test_a_product_has_one_row_for_its_newest_result(self):
        old, other, newest = ((OURS, 0.5), {OURS: 11.0}), ((OURS, 0.5), {OURS: 20.0}), ((OURS, 0.5), {OURS: 9.0})
        found = rows(old, other, newest, problems=[3, 1, 3])
        self.assertEqual([row.own for row in found], [20, 9])

    def test_both_means_are_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "gemm.db"
            with contextlib.closing(sqlite3.connect(path)) as file:
                database(WE_WON, VENDOR_WON).backup(file)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                figures.show(str(path))
        self.assertIn("2 shapes over the heuristic: geometric mean 1.039", out.getvalue())  # of 1.2 and 0.9
        self.assertIn("with cuBLASLt where it is faster: geometric mean 1.162", out.getvalue())  # of 1.2 and 9 / 8
        self.assertIn("with cuBLASLt where it is faster: geometric mean 1.095", out.getvalue())  # of 1.2 and 1

    def test_a_database_without_products_and_a_sweep_without_matches_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "gemm.db"
            with contextlib.closing(sqlite3.connect(path)) as file:
                database().backup(file)
            for script in ("gemm_figures", "gemm_epilogues"):
                with mock.patch("importlib.util.find_spec"):  # PyTorch need not be installed
                    told = ended(script, "--show", "--db", str(path))
                self.assertEqual(told, (2, f"{script}.py: {path} holds no result of gemm; run this script without --show, to measure the products"))
        code, said = ended("gemm_figures", "--warptune", sys.executable, "--match", "no product")
        self.assertEqual(code, 2)
        self.assertIn("no product of the sweep gemm matches 'no product'", said)


if __name__ == "__main__":
    unittest.main()
