#!/usr/bin/env python3
"""Tests source_agreement.py on pages in Nsight Compute's formats; needs no GPU."""
import unittest

import source_agreement as agreement

# Release 2022: no column for addresses within the function; two columns have the same heading.
OLD = '''"Kernel Name","_Z4axpyPf",
"Address","Source","Warp Stall Sampling (All Cycles)","Warp Stall Sampling (Not-issued Cycles)","Instructions Executed","# Samples","Instructions Executed","Thread Instructions Executed","Predicated-On Thread Instructions Executed","L1 Wavefronts Shared","L2 Theoretical Sectors Global","stall_wait"
"7f10","      MOV R1, c[0x0][0x28]","10","2","64","10","64","2,048","2,048","0","0","1"
"7f20","@P0   LDG.E R2, [R2.64]","70","60","64","70","64","2,048","1,024","0","512","1"
"7f30","      EXIT ","20","-","64","20","64","2,048","2,048","","0","1"
'''
# Release 2025: a number in front, other headings, hexadecimal prefixes, two launches.
NEW = '''==PROF== Connected to process 1
"Kernel Name","_Z4axpyPf"
"#","Address","Source","Warp Stall Sampling (All Samples)","Warp Stall Sampling (Not-issued Samples)","# Samples","Instructions Executed","Thread Instructions Executed","Predicated-On Thread Instructions Executed"
"0","0x700eac400","MOV R1, c[0x0][0x28]","5","1","5","32","1024","1024",
"1","0x700eac410","LDG.E R2, [R2.64]","35","30","35","32","1024","512",
"2","0x700eac420","EXIT","10","1","10","32","1024","1024",
'''


def sampled(samples, executed=(64, 64, 64), lines=(3, 4, 4)):
    threads = (2048, 1024, 2048)
    return {"instructions": [
        {"function": "_Z4axpyPf", "offset": 16 * i, "file": "kernel.cu", "line": lines[i], "samples": samples[i],
         "counts": {"executed": executed[i], "threads": threads[i], "sectors": 512 * (i == 1), "ideal_sectors": 512,
                    "wavefronts": 0, "ideal_wavefronts": 0}} for i in range(3)]}


def compared(samples, page=OLD, **others):
    ours, lines = agreement.read_samples(sampled(samples, **others))
    return agreement.compare(ours, agreement.read_source_page(page), lines)


class SourceAgreement(unittest.TestCase):
    def test_both_releases_are_read(self):
        old = agreement.read_source_page(OLD)["_Z4axpyPf"]
        self.assertEqual(old[0x10], {"samples": 70, "executed": 64, "threads": 1024, "sectors": 512, "wavefronts": 0})
        self.assertEqual(sorted(old), [0, 0x10, 0x20])
        new = agreement.read_source_page(NEW + NEW)["_Z4axpyPf"]
        self.assertEqual(new[0x10], {"samples": 70, "executed": 64, "threads": 1024})

    def test_equal_shares_and_counts_agree(self):
        cells, good, remarks = compared((1000, 7000, 2000))
        self.assertTrue(good)
        self.assertEqual(remarks, [])
        self.assertEqual(cells[2][:4], "0.00")
        self.assertEqual(cells[4:], ["192 =", "5120 =", "512 =", "0 ="])

    def test_a_share_may_move_within_a_line_only(self):
        cells, good, _ = compared((1000, 3000, 6000))
        self.assertTrue(good)
        self.assertEqual(cells[3], "40.00 at 0020")
        self.assertTrue(compared((129, 671, 200))[1])
        cells, good, _ = compared((140, 660, 200))
        self.assertFalse(good)
        self.assertTrue(cells[2].startswith("4.00"))

    def test_other_executions_disagree(self):
        cells, good, remarks = compared((10, 70, 20), executed=(64, 63, 64))
        self.assertFalse(good)
        self.assertEqual(cells[4], "191 / 192")
        self.assertEqual(remarks, ["executed: 1 instructions differ, most at 0010: 63 and 64"])

    def test_sectors_are_only_shown(self):
        cells, good, remarks = compared((10, 70, 20), page=OLD.replace('"512"', '"999"'))
        self.assertTrue(good)
        self.assertEqual(cells[6], "512 / 999")
        self.assertEqual(len(remarks), 1)

    def test_no_samples_do_not_agree(self):
        self.assertFalse(compared((0, 0, 0))[1])

    def test_an_unknown_page_is_refused_with_its_header(self):
        with self.assertRaisesRegex(agreement.Unreadable, "no column for address; its header is .'Adress'"):
            agreement.read_source_page('"Adress","Source","Instructions Executed"\n')
        with self.assertRaisesRegex(agreement.Unreadable, "no instruction: '==ERROR=="):
            agreement.read_source_page("==ERROR== no report\n")


if __name__ == "__main__":
    unittest.main()
