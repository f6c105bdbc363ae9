"""Dims that are lists of sizes, and sizes that the source fixes. Needs no device."""
import os
import unittest

import warptune

GROUPS = os.environ["WT_GROUPS_DB"]  # tuned for rows=equal(8,512) and rows=zipf(8,1000,1), each with cols=64


class ListsTest(unittest.TestCase):
    def setUp(self):
        self.kernel = warptune.open(GROUPS).kernel("blend")

    def test_a_list_is_found_by_its_numbers(self):
        self.assertEqual(self.kernel.dims, ["rows_count", "rows_sum", "rows_max", "rows_min", "cols"])
        exact = self.kernel.explain(rows=[512] * 8, cols=64, device="Fake H200")
        self.assertEqual(exact.match, "exact")
        self.assertIn("WIDTH=2", exact.text)
        for text in (self.kernel.explain([512] * 8, 64, device="Fake H200").text,
                     self.kernel.explain(((512,) * 8, 64), device="Fake H200").text):
            self.assertEqual(text, exact.text)
        self.assertEqual(self.kernel.explain(rows=[512] * 8, device="Fake H200").text, exact.text)  # cols has a default
        shuffled = self.kernel.explain(rows=(368, 184, 123, 92, 74, 62, 52, 45), cols=64, device="Fake H200")
        self.assertIn("WIDTH=4", shuffled.text)

    def test_what_is_no_list_is_refused(self):
        for words, dims in (("the dim 'rows' is 5, but it must be a list", {"rows": 5, "cols": 64}),
                            ("the dim 'rows' is 1,2, but it must be a list", {"rows": "1,2", "cols": 64}),
                            ("the dim 'rows' is missing", {"cols": 64}),
                            ("has no dim 'rows_sum'; it has rows, cols", {"rows_sum": 5, "cols": 64}),
                            ("the list has 0 sizes", {"rows": [], "cols": 64}),
                            ("the size at index 1 is -1", {"rows": [1, -1], "cols": 64}),
                            ("is 1.5, but it must be a whole number", {"rows": [1.5], "cols": 64})):
            with self.subTest(words=words), self.assertRaises(warptune.BadInput) as raised:
                self.kernel.explain(device="Fake H200", **dims)
            self.assertIn(words, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
