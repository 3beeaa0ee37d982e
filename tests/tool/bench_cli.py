#!/usr/bin/env python3
"""How `admission bench` behaves towards a shell. What it measures is no test's business."""
import csv
import io
import json
import math
import os
import subprocess
import sys
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))

COLUMNS = ["case", "what", "unit", "median", "least", "most", "raw", "ratio"]
QUICK = ["--quick", "--repetitions", "1"]


def bench(*arguments):
    return subprocess.run([PROGRAM, "bench", *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=240, text=True)


class Call(unittest.TestCase):
    def test_help_names_every_case_and_ends_in_0(self):
        for option in ("--help", "-h"):
            run = bench(option)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertTrue(run.stdout.startswith("Usage: admission bench "))
            for case in ("sync", "policy", "async", "burst", "flood", "pacing", "idle", "core"):
                self.assertRegex(run.stdout, rf"\b{case}\b")

    def test_a_wrong_call_prints_nothing_measures_nothing_and_ends_in_2(self):
        for arguments, said in (
                (["--nothing"], "--nothing"),
                (["-x"], "x"),
                (["--format", "xml", "core"], "xml: no such format"),
                (["--format"], "--format"),
                (["--repetitions", "0", "core"], "0: not from 1 to 9"),
                (["nothing"], "nothing: no such case"),
                (["core", "nothing"], "nothing: no such case"),
                ([""], ": no such case"),
                (["cor"], "cor: no such case")):
            run = bench(*QUICK, *arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""), arguments)
            self.assertIn(said, run.stderr)
            self.assertIn("--help'", run.stderr, arguments)


class Figures(unittest.TestCase):
    def measure(self, output, *cases):
        run = bench(*QUICK, "--format", output, *cases)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def check(self, rows, beginning):
        """Each is a row of this case, told once, with figures that go together."""
        self.assertTrue(rows)
        self.assertEqual(len({(row["case"], row["what"]) for row in rows}), len(rows))
        for row in rows:
            self.assertTrue(row["case"].startswith(beginning), row)
            self.assertTrue(row["what"], row)
            figures = [float(row[name]) for name in ("least", "median", "most")]
            self.assertEqual(figures, sorted(figures), row)
            self.assertTrue(all(map(math.isfinite, figures)), row)

    def test_csv_has_a_header_and_rows_as_wide(self):
        lines = list(csv.reader(io.StringIO(self.measure("csv", "core"))))
        self.assertEqual(lines[0], COLUMNS)
        for line in lines[1:]:
            self.assertEqual(len(line), len(COLUMNS), line)
            self.assertEqual(line[-2] == "", line[-1] == "", "a ratio is one to a baseline")
        self.check([dict(zip(COLUMNS, line)) for line in lines[1:]], "core")

    def test_csv_has_the_baseline_beside_what_has_one(self):
        rows = list(csv.DictReader(io.StringIO(self.measure("csv", "burst"))))
        self.check(rows, "burst ")
        self.assertGreater(float(rows[0]["raw"]), 0)
        self.assertGreater(float(rows[0]["ratio"]), 0)

    def test_json_is_a_list_of_the_same_rows(self):
        rows = json.loads(self.measure("json", "burst", "pacing"))
        self.check(rows, ("burst ", "pacing "))
        for row in rows:
            self.assertIn(list(row), (COLUMNS, COLUMNS[:-2]), row)
        self.assertEqual({row["case"].split()[0] for row in rows}, {"burst", "pacing"})

    def test_a_table_has_a_line_for_each_row_and_one_above(self):
        lines = self.measure("table", "burst").splitlines()
        self.assertRegex(lines[0], r"^case +what +median +unit +spread +raw +ratio$")
        self.assertEqual(len(lines), 3)
        self.assertTrue(all(line.startswith("burst of 1000") for line in lines[1:]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
