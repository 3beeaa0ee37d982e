#!/usr/bin/env python3
"""`admission simulate` on small logs whose figures are derived by hand, in the comments."""
import csv
import io
import json
import os
import subprocess
import sys
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))

# ann's third stream (30 to 40) ends before her fourth opens at 40.
LISTENS = "0\tann\t100\n10\tann\t100\n20\tbob\t50\n30\tann\t10\n40\tann\t100\n"

REQUESTS = ("0\tup\tk1\t100\n0\tup\tk2\t50\n10\tup\tk1\t30\n20\tdown\tk3\t10\n"
            "60\tup\tk2\t20\n")


def simulate(kind, log, *options):
    """The two tables of the CSV, as lists of dictionaries."""
    run = subprocess.run([PROGRAM, "simulate", kind, "-", "--format", "csv", *options],
                         input=log, capture_output=True, text=True, check=True, timeout=60)
    limits, hardest = run.stdout.split("\n\n")
    return list(csv.DictReader(io.StringIO(limits))), list(csv.DictReader(io.StringIO(hardest)))


class Listens(unittest.TestCase):
    def check(self, options, **figures):
        rows, _ = simulate("listens", LISTENS, *options)
        self.assertEqual({name: rows[0][name] for name in figures}, figures)

    def test_the_columns_are_those_promised(self):
        rows, _ = simulate("listens", LISTENS, "--max-listens", "1")
        self.assertEqual(",".join(rows[0]), "max_listens,listens,principals,superseded,"
                         "superseded_share,refused,principals_hit,live_time_cut_ms,peak_live")

    def test_cap_1(self):
        # 10 cuts 0 short by 90, 30 cuts 10 short by 80; 40 finds nobody.
        self.check(["--max-listens", "1"], max_listens="1", listens="5", principals="2",
                   superseded="2", superseded_share="0.400000", refused="0", principals_hit="1",
                   live_time_cut_ms="170", peak_live="2")

    def test_cap_2(self):
        # 30 cuts 0 short by 70.
        self.check(["--max-listens", "2"], superseded="1", superseded_share="0.200000",
                   principals_hit="1", live_time_cut_ms="70", peak_live="3")

    def test_cap_3(self):
        self.check(["--max-listens", "3"], superseded="0", principals_hit="0",
                   live_time_cut_ms="0", peak_live="4")

    def test_several_caps_are_one_row_each_in_the_order_of_the_call(self):
        rows, _ = simulate("listens", LISTENS, "--max-listens", "3,1,2")
        self.assertEqual([(row["max_listens"], row["superseded"]) for row in rows],
                         [("3", "0"), ("1", "2"), ("2", "1")])

    def test_refused_newcomers_leave_the_old_ones_live(self):
        # cap 1: 10, 30 and 40 are refused; cap 2: 30 and 40 are.
        self.check(["--max-listens", "1", "--when-full", "refuse"], superseded="0", refused="3",
                   principals_hit="1", live_time_cut_ms="0", peak_live="2")
        self.check(["--max-listens", "2", "--when-full", "refuse"], refused="2", peak_live="3")

    def test_max_listeners_bounds_all_together(self):
        # bob would be the third: refused. 30 takes the place of 0, cut short by 70.
        self.check(["--max-listens", "2", "--max-listeners", "2"], superseded="1", refused="1",
                   principals_hit="2", live_time_cut_ms="70", peak_live="2")

    def test_the_hardest_hit_are_named_with_what_they_lose(self):
        _, hardest = simulate("listens", LISTENS, "--max-listens", "1,3")
        self.assertEqual(hardest, [{"max_listens": "1", "principal": "ann", "listens": "4",
                                    "superseded": "2", "refused": "0",
                                    "live_time_cut_ms": "170"}])

    def test_ten_at_most_are_named_hardest_first(self):
        # Principal pN opens N + 1 streams at once: cap 1 takes N of them.
        log = "".join(f"0,p{n},5\n" * (n + 1) for n in range(15))
        _, hardest = simulate("listens", log, "--max-listens", "1")
        self.assertEqual([(row["principal"], row["superseded"]) for row in hardest],
                         [(f"p{n}", str(n)) for n in range(14, 4, -1)])

    def test_a_stream_of_no_time_still_takes_the_place_of_another(self):
        rows, _ = simulate("listens", "0,ann,9\n1,ann,0\n1,ann,5\n", "--max-listens", "1")
        self.assertEqual((rows[0]["superseded"], rows[0]["live_time_cut_ms"]), ("1", "8"))

    def test_parts_of_a_millisecond_are_kept(self):
        rows, _ = simulate("listens", "0,ann,9.25\n1.5,ann,1\n", "--max-listens", "1")
        self.assertEqual(rows[0]["live_time_cut_ms"], "7.75")


class Requests(unittest.TestCase):
    def check(self, options, **figures):
        rows, _ = simulate("requests", REQUESTS, *options)
        self.assertEqual({name: rows[0][name] for name in figures}, figures)

    def test_the_columns_are_those_promised(self):
        rows, _ = simulate("requests", REQUESTS, "--max-concurrent", "1")
        self.assertEqual(
            ",".join(rows[0]), "max_concurrent,requests,started,refused_overflow,refused_timeout,"
            "wait_sum_ms,wait_mean_ms,wait_p50_ms,wait_p90_ms,wait_p99_ms,wait_max_ms,waited,"
            "longest_queue,peak_running")

    def test_limit_1(self):
        # Starts at 0, 100, 150, 180, 190: waits 0, 100, 140, 160, 130.
        self.check(["--max-concurrent", "1"], max_concurrent="1", requests="5", started="5",
                   refused_overflow="0", refused_timeout="0", wait_sum_ms="530",
                   wait_mean_ms="106", wait_p50_ms="130", wait_p90_ms="160", wait_p99_ms="160",
                   wait_max_ms="160", waited="4", longest_queue="4", peak_running="1")

    def test_limit_2(self):
        # Starts at 0, 0, 50, 80, 90: waits 0, 0, 40, 60, 30.
        self.check(["--max-concurrent", "2"], wait_sum_ms="130", wait_mean_ms="26",
                   wait_p50_ms="30", wait_p90_ms="60", wait_max_ms="60", waited="3",
                   longest_queue="2", peak_running="2")

    def test_no_limit_and_the_pause_of_limit_0(self):
        rows, _ = simulate("requests", REQUESTS, "--max-concurrent", "none,0")
        self.assertEqual((rows[0]["max_concurrent"], rows[0]["started"], rows[0]["wait_sum_ms"],
                          rows[0]["peak_running"]), ("none", "5", "0", "4"))
        self.assertEqual((rows[1]["max_concurrent"], rows[1]["started"],
                          rows[1]["longest_queue"]), ("0", "0", "5"))

    def test_per_key_only_the_same_key_waits(self):
        # The second k1 waits from 10 to 100; the second k2 comes when the first has gone.
        self.check(["--max-concurrent", "none", "--per-key"], wait_sum_ms="90", waited="1",
                   longest_queue="1", peak_running="3")
        _, hardest = simulate("requests", REQUESTS, "--max-concurrent", "none", "--per-key")
        self.assertEqual([(row["key"], row["requests"], row["waited"], row["wait_max_ms"])
                          for row in hardest], [("k1", "2", "1", "90")])

    def test_a_limit_of_one_provider_leaves_the_other_alone(self):
        # up starts at 0, 100, 150, 180: waits 0, 100, 140, 120; down at once.
        options = ["--max-concurrent", "none", "--provider", "up:1"]
        self.check(options, wait_sum_ms="360", wait_p50_ms="100", longest_queue="3",
                   peak_running="2")
        _, hardest = simulate("requests", REQUESTS, *options)
        self.assertEqual([(row["provider"], row["requests"], row["wait_sum_ms"])
                          for row in hardest], [("up", "4", "360")])
        self.check([*options, "--provider", "down:0"], started="4")

    def test_a_full_queue_refuses(self):
        # The second waits from 0 to 100, the other three find it there.
        self.check(["--max-concurrent", "1", "--queue-capacity", "1"], started="2",
                   refused_overflow="3", wait_sum_ms="100", longest_queue="1")

    def test_a_timeout_refuses(self):
        # Deadlines 50, 60, 70, 110: only the last one lives to see 100, after 40.
        self.check(["--max-concurrent", "1", "--timeout", "50ms"], started="2",
                   refused_timeout="3", wait_sum_ms="40", waited="1", longest_queue="3")

    def test_an_interval_spaces_starts(self):
        # Starts at 0, 30, 60, 90, 120: waits 0, 30, 50, 70, 60.
        self.check(["--max-concurrent", "none", "--min-interval", "30ms"], wait_sum_ms="210",
                   wait_max_ms="70", longest_queue="3", peak_running="3")

    def test_an_attempt_timeout_ends_the_run(self):
        # 0 to 40, 40 to 80, 80 to 110, 110 to 120, 120 to 140: waits 0, 40, 70, 90, 60.
        self.check(["--max-concurrent", "1", "--attempt-timeout", "40ms"], wait_sum_ms="260",
                   started="5")

    def test_a_mean_is_rounded_to_the_microsecond(self):
        # Three requests of 1 us at once: waits 0, 1, 2; four: 0, 1, 2, 3.
        columns = ["--columns", "arrive_us=1,duration_us=2"]
        rows, _ = simulate("requests", "0,1\n" * 3, "--max-concurrent", "1", *columns)
        self.assertEqual(rows[0]["wait_mean_ms"], "0.001")
        rows, _ = simulate("requests", "0,1\n" * 4, "--max-concurrent", "1", *columns)
        self.assertEqual(rows[0]["wait_mean_ms"], "0.002")

    def test_what_never_ends_holds_its_place_for_ever(self):
        rows, _ = simulate("requests", "0,,,9223372036854774\n1,,,1\n", "--max-concurrent", "1")
        self.assertEqual((rows[0]["started"], rows[0]["wait_max_ms"]), ("2", "9223372036854773"))
        rows, _ = simulate("requests", "9000000000000000,,,9000000000000000\n"
                           "9000000000000001,,,1\n", "--max-concurrent", "1")
        self.assertEqual((rows[0]["started"], rows[0]["longest_queue"]), ("1", "1"))


class Formats(unittest.TestCase):
    def run_format(self, kind, log, form, *options):
        return subprocess.run([PROGRAM, "simulate", kind, "-", "--format", form, *options],
                              input=log, capture_output=True, text=True, check=True,
                              timeout=60).stdout

    def test_json_has_the_same_figures_as_csv(self):
        for kind, log, limit in (("listens", LISTENS, "--max-listens"),
                                 ("requests", REQUESTS, "--max-concurrent")):
            answer = json.loads(self.run_format(kind, log, "json", limit, "1,2"),
                                parse_int=str, parse_float=str)
            limits, hardest = simulate(kind, log, limit, "1,2")
            for mine, theirs in ((limits, answer["limits"]), (hardest, answer["hardest_hit"])):
                self.assertEqual(len(mine), len(theirs))
                for row, other in zip(mine, theirs):
                    self.assertEqual(list(row), list(other))
                    self.assertEqual(row, other)

    def test_sums_of_any_size_keep_their_digits(self):
        # The second has lasted 1 ms of its 123,456,789,012,345.678 when it is superseded.
        cut = "0,ann,1\n1,ann,123456789012345.678\n2,ann,1\n"
        # 3,000 wait for the first: more milliseconds in all than 64 bits can hold.
        long = "0,,,9223372036854774\n" + "0,,,0\n" * 3000
        for form in ("csv", "json"):
            self.assertIn("123456789012344.678",
                          self.run_format("listens", cut, form, "--max-listens", "1"))
            self.assertIn("27670116110564322000",
                          self.run_format("requests", long, form, "--max-concurrent", "1"))

    def test_the_unit_of_a_span_is_chosen_after_rounding(self):
        for cut_us, shown in ((999, "999 us"), (1000, "1.0 ms"), (999_949, "999.9 ms"),
                              (999_950, "1.0 s"), (59_949_999, "59.9 s"), (59_950_000, "1.0 min"),
                              (3_597_000_000, "1.0 h"), (86_219_999_999, "23.9 h"),
                              (86_220_000_000, "1.0 d"), (86_400_000_000_000, "1000.0 d")):
            table = self.run_format("listens", f"0,ann,{cut_us + 1}\n1,ann,0\n", "table",
                                    "--max-listens", "1", "--columns",
                                    "open_us=1,principal=2,duration_us=3")
            self.assertIn(f"  {shown}  ", table)

    def test_names_are_quoted_in_csv_and_escaped_in_json(self):
        log = '0\ta"b,c\t5\n0\ta"b,c\t5\n'
        _, hardest = simulate("listens", log, "--max-listens", "1")
        self.assertEqual(hardest[0]["principal"], 'a"b,c')
        answer = json.loads(self.run_format("listens", log, "json", "--max-listens", "1"))
        self.assertEqual(answer["hardest_hit"][0]["principal"], 'a"b,c')

    def test_the_table_is_for_people(self):
        table = self.run_format("listens", LISTENS, "table", "--max-listens", "1")
        self.assertIn("40.0 %", table)
        self.assertIn("170.0 ms", table)
        self.assertIn("Hardest hit:", table)
        nobody = self.run_format("listens", LISTENS, "table", "--max-listens", "9")
        self.assertNotIn("Hardest hit:", nobody)


if __name__ == "__main__":
    unittest.main(verbosity=2)
