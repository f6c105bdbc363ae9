#!/usr/bin/env python3
"""Tests operators_table.py; needs no GPU."""
import contextlib
import io
import unittest

import operators_table as table
from operators_figures import OPERATORS


def document():
    return table.DOCUMENT.read_text(encoding="utf-8").splitlines()


def updated(lines, *results):
    with contextlib.redirect_stdout(io.StringIO()):
        every = table.update(lines, list(results))
    return every


def result(ours, shape="rows=1,cols=2", flags="function=relu,mask=none", kernel="elementwise", eager=30.0, compiled=20.0, dtype="bf16",
           with_host_time=()):
    return {"kernel": kernel, "problem": f"{shape};{dtype};{flags}", "us": {"ours": ours, "eager": eager, "compiled": compiled},
            "with_host_time": with_host_time, "roof_share": 0.5, "ratio": min(eager, compiled) / ours, "spread": [0.9, 1.1]}


SMALL = f"""{table.FAMILY_HEADER}
|---|

{table.SUMMARY_HEADER}
|---|

{table.GOAL_HEADER}
|---|

{table.SLOWER_HEADER}
|---|
| `gone` | rows=1 |  | 1.0 | 1.0 | 1.0 | 0.5 |

### Elementwise operators
{table.ALL_HEADER}
|---|
| `elementwise` | rows=1, cols=2 | function=relu | 10.0 | 30.0 | 20.0 | 80.0 % | 2.00 | 1.90 to 2.10 |
| `elementwise` | rows=8, cols=2 | function=relu | 50.0 | 30.0 | 25.0 | 60.0 % | 0.50 | 0.40 to 0.60 |

### Pooling, optimiser steps, rotary embedding
{table.ALL_HEADER}
|---|
| `adam` | n=7 | rule=adamw | 10.0 | 30.0 | 10.0 | 40.0 % | 1.00 | 0.90 to 1.10 |

The end.
""".splitlines()


class OperatorsTable(unittest.TestCase):
    def test_the_summaries_of_the_document_are_those_of_its_rows(self):
        lines = document()
        self.assertGreater(len(updated(lines)), 300)
        self.assertEqual(lines, document())

    def test_each_operator_is_in_the_section_of_its_family(self):
        lines, found = document(), {}
        for heading, begin, end in table.tables_of(lines):
            found[heading] = tuple(dict.fromkeys(table.Row.of_line(line).operator for line in lines[begin:end]))
        self.assertEqual(found, table.FAMILIES)
        self.assertEqual(sorted(sum(table.FAMILIES.values(), ())), sorted(OPERATORS))

    def test_a_new_result_replaces_the_row_of_its_problem(self):
        lines = list(SMALL)
        self.assertEqual(len(updated(lines, result(40.0))), 3)
        self.assertIn("| `elementwise` | rows=1, cols=2 | function=relu | 40.0 | 30.0 | 20.0 | 50.0 % | 0.50 | 0.90 to 1.10 |", lines)
        self.assertEqual(sum("rows=1, cols=2" in line and line.endswith("1.10 |") for line in lines), 1)

    def test_another_dtype_is_another_row(self):
        lines = list(SMALL)
        self.assertEqual(len(updated(lines, result(40.0, dtype="fp32"), result(41.0, dtype="fp16"), result(42.0, dtype="fp32"))), 5)
        self.assertIn("| `elementwise` | rows=1, cols=2 | function=relu | 10.0 | 30.0 | 20.0 | 80.0 % | 2.00 | 1.90 to 2.10 |", lines)
        self.assertIn("| `elementwise` | rows=1, cols=2 | function=relu, dtype=fp16 | 41.0 | 30.0 | 20.0 | 50.0 % | 0.49 | 0.90 to 1.10 |", lines)
        self.assertEqual(len(updated(lines, result(43.0, dtype="fp32"))), 5)
        self.assertIn("| `elementwise` | rows=1, cols=2 | function=relu, dtype=fp32 | 43.0 | 30.0 | 20.0 | 50.0 % | 0.47 | 0.90 to 1.10 |", lines)

    def test_times_with_host_time_stay_marked(self):
        lines = list(SMALL)
        updated(lines, result(40.0, with_host_time=["eager"]))
        row = "| `elementwise` | rows=1, cols=2 | function=relu | 40.0 | 30.0 h | 20.0 | 50.0 % | 0.50 | 0.90 to 1.10 |"
        self.assertIn(row, lines)
        updated(lines)
        self.assertIn(row, lines)

    def test_a_row_without_a_ratio_counts_only_as_a_problem(self):
        row = "| `elementwise` | rows=5, cols=2 | function=relu | 50.0 | - | - | 70.0 % | - | - |"
        lines = list(SMALL)
        lines.insert(next(i for i, line in enumerate(lines) if "rows=8" in line), row)
        self.assertEqual(len(updated(lines)), 4)
        self.assertIn(row, lines)
        self.assertIn("| elementwise operators | 3 | 1.00 | 1 |", lines)
        self.assertIn("| `elementwise` | 3 | 1.00 | 0.50 | 1 | 70 % | 65 % |", lines)
        updated(lines, result(40.0, shape="rows=5,cols=2"))
        self.assertNotIn(row, lines)
        self.assertIn("| elementwise operators | 3 | 0.79 | 2 |", lines)

    def test_a_ratio_just_below_the_limit_has_three_digits(self):
        lines = list(SMALL)
        updated(lines, result(204.14, eager=300.0, compiled=200.0))  # a ratio of 0.9797
        self.assertIn("| `elementwise` | rows=1, cols=2 | function=relu | 204.1 | 300.0 | 200.0 | 0.979 |", lines)
        self.assertIn("| `elementwise` | rows=8, cols=2 | function=relu | 50.0 | 30.0 | 25.0 | 0.50 |", lines)

    def test_the_summaries_are_those_of_the_written_rows(self):
        lines = list(SMALL)
        updated(lines, result(4.14, compiled=3.96, eager=9.0), {**result(60.0, shape="rows=8,cols=2"), "roof_share": 0.59496})
        again = list(lines)
        updated(again)
        self.assertEqual(again, lines)

    def test_a_ratio_is_read_as_it_was_written(self):
        row = table.Row.of_line("| `adam` | n=7 | rule=adamw | 5.5 | 8.0 | 5.3 | 1.2 % | 0.97 | 0.94 to 1.00 |")  # 5.3 / 5.5 is 0.964
        self.assertIn("| 0.97 |", table.summary("adam", [row]))

    def test_a_new_problem_follows_the_others_of_its_operator(self):
        lines = list(SMALL)
        self.assertEqual(len(updated(lines, result(10.0, shape="rows=3,cols=2"))), 4)
        at = next(i for i, line in enumerate(lines) if "rows=3, cols=2" in line)
        self.assertIn("rows=8, cols=2", lines[at - 1])

    def test_a_new_operator_comes_into_its_family_in_order(self):
        lines = list(SMALL)
        new = [("broadcast", "rows=7"), ("rotary", "seq=1"), ("broadcast", "rows=9"), ("pool", "batch=1")]
        self.assertEqual(len(updated(lines, *(result(10.0, shape=shape, flags="", kernel=kernel) for kernel, shape in new))), 7)
        rows = [line for line in lines[lines.index(table.ALL_HEADER) + 2:] if line.startswith("| `")]
        self.assertEqual([row.split("`")[1] for row in rows], ["elementwise", "elementwise", "broadcast", "broadcast", "pool", "adam", "rotary"])
        self.assertTrue(any(line.startswith("| `broadcast` | 2 |") for line in lines))
        self.assertIn("| elementwise operators | 4 | 1.41 | 1 |", lines)

    def test_goals_count_problems_above_40_us(self):
        lines = list(SMALL)  # one problem of 50 us and 60 % of the roof
        inference = {**result(41.0, "pixels=1", "mode=inference", "batch_norm"), "roof_share": 0.95}
        training = {**result(90.0, "pixels=1", "mode=training", "batch_norm"), "roof_share": 0.5}
        lines[lines.index("The end."):] = ["### Normalisation", table.ALL_HEADER, "|---|"]
        updated(lines, inference, training, {**result(81.0, "rows=4,cols=2"), "roof_share": 0.969})
        self.assertIn("| `elementwise` | 97 % | 2 | 2 | 60.0 % |", lines)
        self.assertIn("| `batch_norm`, mode=inference | 95 % | 1 | 0 | 95.0 % |", lines)
        self.assertIn("| `adam` | 95 % | 0 | 0 | - |", lines)
        self.assertIn("| all, up to 80 us |  | 2 | 1 | 60.0 % |", lines)
        self.assertIn("| all, above 80 us |  | 1 | 1 | 96.9 % |", lines)

    def test_the_summaries_follow(self):
        lines = list(SMALL)
        updated(lines)
        self.assertIn("| elementwise operators | 2 | 1.00 | 1 |", lines)
        self.assertIn("| pooling, optimiser steps, rotary embedding | 1 | 1.00 | 0 |", lines)
        # The only problem above 40 us has 60 % of the roof.
        self.assertIn("| `elementwise` | 2 | 1.00 | 0.50 | 1 | 70 % | 60 % |", lines)
        self.assertIn("| `elementwise` | rows=8, cols=2 | function=relu | 50.0 | 30.0 | 25.0 | 0.50 |", lines)
        self.assertFalse(any("`gone`" in line for line in lines))
        self.assertEqual(lines[-1], "The end.")


if __name__ == "__main__":
    unittest.main()
