#!/usr/bin/env python3
"""How `admission simulate` reads its call and its log, and what it says when they are wrong."""
import gzip
import os
import pty
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.path.abspath(sys.argv.pop(1))

LISTENS = b"0\tann\t100\n10\tann\t100\n20\tbob\t50\n"
COMBINED = (
    b'10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.1" 200 12 "-" "curl/8 [x]"\n'
    b'10.0.0.1 - ann [10/Oct/2000:22:55:38 +0200] "GET \\"b HTTP/1.1" 200 12 "-" "curl/8"\n'
    b'::1 - - [10/Oct/2000:13:55:39 -0700] "GET /c HTTP/1.1" 200 12 "-" "curl/8"\n')


def simulate(*arguments, stdin=b"", **options):
    return subprocess.run([PROGRAM, "simulate", *arguments], input=stdin, capture_output=True,
                          timeout=60, **options)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def superseded(self, *arguments, stdin=b""):
        """The figure `superseded` at cap 1."""
        run = simulate("listens", *arguments, "--max-listens", "1", "--format", "csv",
                       stdin=stdin)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        return int(run.stdout.split(b"\n")[1].split(b",")[3])

    def fails(self, run, message):
        self.assertEqual((run.returncode, run.stdout), (2, b""))
        self.assertEqual(run.stderr.decode(), message + "\n")


class Call(Case):
    def test_help_is_there_for_all_and_for_each_kind(self):
        for kind in ([], ["listens"], ["requests"]):
            run = simulate(*kind, "--help")
            self.assertEqual((run.returncode, run.stderr), (0, b""))
            self.assertTrue(run.stdout.startswith(b"Usage: admission simulate listens FILE"))

    def test_a_wrong_call_prints_nothing_and_ends_in_2(self):
        log = self.file("log", LISTENS)
        listens = ["listens", log, "--max-listens"]
        requests = ["requests", log, "--max-concurrent"]
        calls = [
            [], ["other", log], ["listens"], ["listens", log], ["requests", log],
            [*listens, "0"], [*listens, "none"], [*listens, ""], [*listens, "1,"],
            [*listens, "1,,2"], [*listens, "x"], [*listens, "1", log],
            [*listens, ",".join(["1"] * 65)],
            [*listens, "1", "--when-full", "wait"], [*listens, "1", "--max-listeners", "-1"],
            [*listens, "1", "--timeout", "1s"], [*listens, "1", "--per-key"],
            [*listens, "1", "--from", "apache"], [*listens, "1", "--format", "xml"],
            [*listens, "1", "--lasts", "5"], [*listens, "1", "--nothing"],
            [*listens, "1", "--columns", "open=1"], [*listens, "1", "--columns", "open_ms=1"],
            [*listens, "1", "--columns", "open_ms=0,principal=2"],
            [*listens, "1", "--columns", "open_ms=1,principal=2,open_s=3"],
            [*listens, "1", "--columns", "open_ms=1,principal"],
            [*listens, "1", "--columns", "open_ms=1,principal=2", "--from", "nginx"],
            [*listens, "1,2", "--events", self.folder / "events"],
            [*listens, "1,2", "--trace", self.folder / "trace"],
            [*requests, "-1"], [*requests, "1", "--when-full", "refuse"],
            [*requests, "1", "--queue-capacity", "none"], [*requests, "1", "--timeout", "5"],
            [*requests, "1", "--min-interval", "none"], [*requests, "1", "--provider", "p"],
            [*requests, "1", "--provider", ":1"], [*requests, "1", "--provider", "a=b:1"],
            [*requests, "1", "--provider", "p:x"], [*requests, "1", "--provider", "#x:3"],
            [*requests, "1", "--provider", "a\x1bb:1"], [*requests, "1", "--provider", "a b:1"],
            [*requests, "1", "--provider", "x" * 256 + ":1"],
            [*requests, "1", "--attempt-timeout", "none"],
            [*listens, "1", "--plot", self.folder / "x.png"],
            [*listens, "1", "--plot", self.folder / "x.svg.gz"],
        ]
        for call in calls:
            run = simulate(*call)
            self.assertEqual((run.returncode, run.stdout), (2, b""), call)
            self.assertIn(b"--help'", run.stderr, call)

    def test_a_file_that_is_not_there_ends_in_2(self):
        missing = self.folder / "missing"
        self.fails(simulate("listens", missing, "--max-listens", "1"),
                   f"admission: {missing}: No such file or directory")
        self.fails(simulate("listens", self.folder, "--max-listens", "1"),
                   f"admission: {self.folder}: Is a directory")

    def test_a_read_error_in_the_middle_is_a_failure(self):
        try:
            leader, follower = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be had: {error}")
        os.write(follower, LISTENS)
        os.close(follower)
        run = subprocess.run([PROGRAM, "simulate", "listens", "-", "--max-listens", "1"],
                             stdin=leader, capture_output=True, timeout=60)
        os.close(leader)
        self.assertEqual((run.returncode, run.stdout, run.stderr),
                         (1, b"", b"admission: <stdin>: Input/output error\n"))

    def test_what_cannot_be_written_is_a_failure(self):
        log = self.file("log", LISTENS + b"30\tx\t1\n" * 20000)
        for option in ("--events", "--trace"):
            run = simulate("listens", log, "--max-listens", "1", option, "/dev/full")
            self.assertEqual(run.returncode, 1)
            self.assertEqual(run.stderr,
                             b"admission: /dev/full: No space left on device\n")
            run = simulate("listens", log, "--max-listens", "1", option, self.folder / "no" / "x")
            self.assertEqual((run.returncode, run.stdout), (1, b""))
        with open("/dev/full", "wb") as full:
            run = subprocess.run([PROGRAM, "simulate", "listens", log, "--max-listens", "1"],
                                 stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual((run.returncode, run.stderr),
                         (1, b"admission: standard output: No space left on device\n"))


class Outputs(Case):
    """No output takes the place of the log, or of another output."""

    def setUp(self):
        super().setUp()
        self.log = self.file("log.svg", LISTENS)

    def is_refused(self, message, *arguments, **options):
        before = sorted(os.listdir(self.folder))
        options.setdefault("stdout", subprocess.PIPE)
        run = subprocess.run([PROGRAM, "simulate", "listens", *arguments, "--max-listens", "1"],
                             stderr=subprocess.PIPE, timeout=60, **options)
        self.assertEqual(run.returncode, 2)
        self.assertFalse(run.stdout)
        self.assertEqual(run.stderr.decode().splitlines()[0],
                         f"admission simulate listens: {message}")
        self.assertEqual(self.log.read_bytes(), LISTENS)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_the_log_is_not_overwritten_under_whatever_name(self):
        symlink = self.folder / "symlink.svg"
        symlink.symlink_to(self.log)
        hard_link = self.folder / "hard-link.svg"
        os.link(self.log, hard_link)
        dotted = f"{self.folder}/./log.svg"
        for option in ("--events", "--trace", "--plot"):
            for path in (self.log, symlink, hard_link, dotted):
                self.is_refused(f"{option}: {path}: this is the log", self.log, option, path)
            self.is_refused(f"{option}: {self.log}: this is the log", symlink, option, self.log)
            with open(self.log, "rb") as log:
                self.is_refused(f"{option}: {self.log}: this is the log", "-", option, self.log,
                                stdin=log)

    def test_the_figures_are_not_added_to_the_log(self):
        with open(self.log, "ab") as out:
            self.is_refused("standard output: this is the log", self.log, stdout=out)

    def test_two_outputs_are_two_files(self):
        other = self.file("other.svg", b"")
        dangling = self.folder / "dangling.svg"
        dangling.symlink_to(self.folder / "new.svg")
        (self.folder / "link.svg").symlink_to(other)
        for first, second in (("new.svg", "new.svg"), ("new.svg", "dangling.svg"),
                              ("new.svg", "./new.svg"), ("other.svg", "other.svg"),
                              ("link.svg", "other.svg")):
            for one, two in (("--events", "--trace"), ("--events", "--plot"),
                             ("--trace", "--plot")):
                path = f"{self.folder}/{second}"
                self.is_refused(f"{two}: {path}: this is what {one} writes", self.log,
                                one, f"{self.folder}/{first}", two, path)
        with open(other, "wb") as out:
            for path in (other, "/dev/stdout"):
                self.is_refused(f"--events: {path}: this is standard output", self.log,
                                "--events", path, stdout=out)
        self.assertEqual(other.read_bytes(), b"")

    def test_a_sink_takes_several(self):
        self.assertEqual(self.superseded("/dev/null", "--events", "/dev/null", "--trace",
                                         "/dev/null"), 0)


class Log(Case):
    def test_tabs_commas_headers_and_compression_make_no_difference(self):
        commas = LISTENS.replace(b"\t", b",")
        self.assertEqual(self.superseded("-", stdin=LISTENS), 1)
        self.assertEqual(self.superseded("-", stdin=commas), 1)
        self.assertEqual(self.superseded("-", stdin=commas.replace(b"\n", b"\r\n")), 1)
        self.assertEqual(self.superseded("-", stdin=b"\xef\xbb\xbf" + LISTENS), 1)
        self.assertEqual(self.superseded("-", stdin=b"\n" + LISTENS[:-1]), 1)
        self.assertEqual(self.superseded("-", stdin=b"open_ms,principal,duration_ms\n" + commas),
                         1)
        self.assertEqual(self.superseded("-", stdin=gzip.compress(LISTENS)), 1)
        self.assertEqual(self.superseded(self.file("log.gz", gzip.compress(LISTENS))), 1)
        self.assertEqual(self.superseded(self.file("log", LISTENS)), 1)

    def test_a_header_says_where_columns_are_and_in_which_unit(self):
        log = b'"duration_s",host,principal,open_us\n0.1,h,"ann",0\n.1,h,ann,5\n'
        self.fails(simulate("listens", "-", "--max-listens", "1", stdin=log),
                   "<stdin>:3: .1: a time is a decimal number, less than 2^63-1 us")
        log = log.replace(b"\n.1", b"\n0.1")
        self.assertEqual(self.superseded("-", stdin=log), 1)
        self.assertEqual(self.superseded("-", stdin=log.replace(b"ann,5", b"ann,100000")), 0)

    def test_columns_map_other_layouts_by_number_and_by_name(self):
        plain = b"x,ann,0,0.5\nx,ann,0.4,0.5\n"
        named = b"who,from,to\nann,0,0.5\nann,0.4,0.9\n"
        self.assertEqual(self.superseded("-", "--columns", "open_s=3,principal=2,duration_s=4",
                                         stdin=plain), 1)
        self.assertEqual(self.superseded("-", "--columns", "open_ms=3,principal=2,duration_ms=4",
                                         stdin=plain.replace(b"0.5", b"0.3")), 0)
        self.assertEqual(self.superseded("-", "--columns", "open_s=from,principal=who,end_s=to",
                                         stdin=named), 1)
        self.assertEqual(self.superseded("-", "--columns", "open_s=2,principal=1,end_s=3",
                                         stdin=named), 1)
        self.assertEqual(self.superseded("-", "--columns", "open_s=3,principal=2", "--lasts",
                                         "399ms", stdin=plain), 0)

    def test_a_cr_ends_no_line_by_itself(self):
        self.fails(simulate("listens", "-", "--max-listens", "1", stdin=b"0,ann,9\r"),
                   "<stdin>:1: 9\\x0d: a time is a decimal number, less than 2^63-1 us")
        self.fails(simulate("listens", "-", "--max-listens", "1", stdin=b"0,a\rb,9\n"),
                   "<stdin>:1: the principal has a blank or a control byte, or more than 255 "
                   "bytes")

    def test_a_header_may_have_many_columns(self):
        header = b"x," * 200_000 + b"open_ms,principal,duration_ms\n"
        self.assertEqual(self.superseded("-", stdin=header + b"," * 200_000 + b"0,ann,9\n" +
                                         b"," * 200_000 + b"1,ann,9\n"), 1)

    def test_lines_out_of_order_are_an_error_that_says_what_helps(self):
        log = b"0,ann,9\n5,bob,9\n4,ann,9\n"
        self.fails(simulate("listens", "-", "--max-listens", "1", stdin=log),
                   "<stdin>:3: out of order: the time goes back by 1000 us; --sort sorts")
        self.assertEqual(self.superseded("-", "--sort", stdin=log), 1)

    def test_sorting_keeps_the_lines_of_one_instant_in_the_order_of_the_file(self):
        log = b"7,z,1\n" + b"".join(b"5,ann,9\n" for _ in range(100))
        events = self.folder / "events"
        self.assertEqual(self.superseded("-", "--sort", "--events", events, stdin=log), 99)
        superseded = [line.split()[3] for line in events.read_text().splitlines()
                      if line.split()[2] == "superseded"]
        self.assertEqual(superseded, [str(n) for n in range(1, 100)])

    def test_sorting_loses_no_provider(self):
        # B is first by time and second in the file; A waits for it, for 4 ms.
        log = b"10\tA\tk\t5\n9\tB\tk\t5\n"
        run = simulate("requests", "-", "--sort", "--max-concurrent", "1", "--events",
                       "/dev/stdout", "--format", "csv", stdin=log)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.assertIn(b"9000us log granted 1\n14000us log granted 0\n", run.stdout)
        self.assertIn(b"\n1,2,2,0,0,4,2,", run.stdout)

    def test_a_faulty_line_is_named_and_nothing_is_printed(self):
        for form in ("table", "csv", "json"):
            for line, message in (
                    (b"x,ann,1", "x: a time is a decimal number, less than 2^63-1 us"),
                    (b"9,ann,-1", "-1: a time is a decimal number, less than 2^63-1 us"),
                    (b"9,ann,1e3", "1e3: a time is a decimal number, less than 2^63-1 us"),
                    (b"9223372036854776,ann,1",
                     "9223372036854776: a time is a decimal number, less than 2^63-1 us"),
                    (b"9,ann", "3 columns are wanted, 2 are there"),
                    (b"9,ann,1,1", "3 columns are wanted, 4 are there"),
                    (b"9,,1", "the principal is missing"),
                    (b"9,ann b,1",
                     "the principal has a blank or a control byte, or more than 255 bytes"),
                    (b"9," + b"x" * 256 + b",1",
                     "the principal has a blank or a control byte, or more than 255 bytes"),
                    (b'9,"ann,1', "a quoted field does not end"),
                    (b"9,ann,1\r\r", "1\\x0d: a time is a decimal number, less than 2^63-1 us"),
                    (b"9,a\0n,1", "a NUL byte")):
                log = LISTENS.replace(b"\t", b",") + line + b"\n"
                log = log.replace(b"10,", b"1,").replace(b"20,", b"2,")
                self.fails(simulate("listens", "-", "--max-listens", "1", "--format", form,
                                    stdin=log), f"<stdin>:4: {message}")

    def test_a_header_that_says_nothing_is_an_error(self):
        self.fails(simulate("listens", "-", "--max-listens", "1", stdin=b"a,b,c\n0,ann,1\n"),
                   "<stdin>:1: open_ms: the header has no such column; --columns tells which is "
                   "what")
        self.fails(simulate("listens", "-", "--max-listens", "1", "--columns",
                            "open_ms=at,principal=who", stdin=b"at,b,c\n"),
                   "<stdin>:1: who: the first line has no such column")
        self.fails(simulate("requests", "-", "--max-concurrent", "1",
                            stdin=b"arrive_ms,provider\n0,p\n"),
                   "<stdin>:1: no column tells how long things last; --lasts tells it for all")

    def test_a_provider_that_no_trace_could_name_is_an_error(self):
        for name, message in (("p=q", "p=q: no = in the name of a provider"),
                              ("#p", "#p: no # before the name of a provider"),
                              ("p q", "the provider has a blank or a control byte, or more than "
                               "255 bytes")):
            self.fails(simulate("requests", "-", "--max-concurrent", "1",
                                stdin=f"0,{name},k,1\n".encode()), f"<stdin>:1: {message}")

    def test_members_of_gzip_one_behind_the_other_are_one_log(self):
        head, tail = gzip.compress(LISTENS[:13]), gzip.compress(LISTENS[13:])
        for log in (head + tail, head + gzip.compress(b"") + tail, gzip.compress(b"") * 9,
                    gzip.compress(b"")):
            self.assertEqual(self.superseded("-", stdin=log), 1 if log.startswith(head) else 0)
        many = b"".join(gzip.compress(b"%d\tann\t10\n" % n) for n in range(20_000))
        self.assertEqual(self.superseded("-", stdin=many), 19_999)

    def test_a_log_that_comes_byte_by_byte_is_read_as_well(self):
        for log in (LISTENS, gzip.compress(LISTENS)):
            run = subprocess.Popen([PROGRAM, "simulate", "listens", "-", "--max-listens", "1",
                                    "--format", "csv"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, bufsize=0)
            for at in range(len(log)):
                run.stdin.write(log[at:at + 1])
            figures = run.communicate(timeout=60)[0]
            self.assertEqual((run.returncode, figures.split(b"\n")[1].split(b",")[3]), (0, b"1"))

    def test_a_broken_compression_is_an_error_with_its_place(self):
        lines = b"".join(b"%d\tann\t10\n" % n for n in range(1000))
        whole = gzip.compress(lines, mtime=0)
        wrong_sum = whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:]
        for log, line, what in (
                (whole + LISTENS, 1001,
                 f"what follows the gzip data at byte {len(whole)} is not gzip"),
                (whole + b"\x1f", 1001,
                 f"what follows the gzip data at byte {len(whole)} is not gzip"),
                (gzip.compress(b"0\tann") + b"\t5\n", 1, None),
                (whole[:-3], 1001, "the gzip data is cut off"),
                (whole[:5], 1, "the gzip data is cut off"),
                (whole + whole[:12], 1001, "the gzip data is cut off"),
                (wrong_sum, 1001, None),
                (b"\x1f\x8b\x07" + b"x" * 50, 1, None)):
            for path in ("-", self.file("log.gz", log)):
                run = simulate("listens", path, "--max-listens", "1", stdin=log)
                self.assertEqual((run.returncode, run.stdout), (2, b""), what)
                name = "<stdin>" if path == "-" else path
                pattern = f"^{name}:{line}: " + (f"{what}\n$" if what else
                                                 "[a-z][a-z ]* at byte [0-9]+[a-z :]*\n$")
                self.assertRegex(run.stderr.decode(), pattern)

    def test_the_last_time_that_can_be_is_a_time(self):
        log = b"9223372036854775.806,ann,0\n9223372036854775.8069,ann,9223372036854775.806\n"
        events = self.folder / "events"
        trace = self.folder / "trace"
        self.superseded("-", "--events", events, "--trace", trace, stdin=log)
        self.assertEqual(events.read_text().splitlines()[0],
                         "9223372036854775806us log admitted 0 0")
        replay = subprocess.run([PROGRAM, "replay", trace], capture_output=True, timeout=60)
        self.assertEqual((replay.returncode, replay.stdout), (0, events.read_bytes()))
        for late in (b"9223372036854775.807", b"9223372036854776"):
            self.fails(simulate("listens", "-", "--max-listens", "1", stdin=late + b",ann,0"),
                       f"<stdin>:1: {late.decode()}: a time is a decimal number, less than "
                       "2^63-1 us")

    def test_a_name_may_have_255_bytes_in_a_trace_too(self):
        events = self.folder / "events"
        trace = self.folder / "trace"
        self.superseded("-", "--events", events, "--trace", trace,
                        stdin=b"0," + b"x" * 255 + b",1\n")
        replay = subprocess.run([PROGRAM, "replay", trace], capture_output=True, timeout=60)
        self.assertEqual((replay.returncode, replay.stdout), (0, events.read_bytes()))


class AccessLog(Case):
    def test_the_address_is_the_principal_and_zones_are_heeded(self):
        # 10.0.0.1 at 0 and 2 s, ::1 at 3 s.
        self.assertEqual(self.superseded("-", "--from", "combined", "--lasts", "2500ms",
                                         stdin=COMBINED), 1)
        self.assertEqual(self.superseded("-", "--from", "combined", "--lasts", "2s",
                                         stdin=COMBINED), 0)

    def test_a_log_that_does_not_tell_durations_is_read_with_a_warning(self):
        run = simulate("listens", "-", "--from", "combined", "--max-listens", "1", stdin=COMBINED)
        self.assertEqual(run.returncode, 0)
        self.assertIn(b"3 lines do not tell how long they last", run.stderr)

    def test_nginx_writes_the_request_time_last_and_logs_at_the_end(self):
        log = COMBINED.replace(b"\n", b" 1.750\n").replace(b"39 -0700", b"38 -0700")
        events = self.folder / "events"
        self.assertEqual(self.superseded("-", "--from", "nginx", "--events", events, stdin=log),
                         0)
        self.assertEqual([line.split()[0] for line in events.read_text().splitlines()],
                         ["0us", "2000000us", "2000000us"])
        # Had the second lasted 2.5 s, it would have begun at 1.25 s, before the end at 1.75 s.
        log = log.replace(b'curl/8" 1.750', b'curl/8" rt=2.500', 1)
        self.assertEqual(self.superseded("-", "--from", "nginx", stdin=log), 1)

    def test_nginx_counts_back_what_is_told_for_all_where_a_line_does_not_tell(self):
        # All end at 38 s; the first has lasted 1 s, the others 2.5 s, as --lasts says.
        log = (COMBINED.replace(b"36 -", b"38 -").replace(b"39 -", b"38 -")
               .replace(b'" "curl/8 [x]"', b'" "curl/8" 1.000'))
        events = self.folder / "events"
        self.superseded("-", "--from", "nginx", "--sort", "--lasts", "2500ms", "--events", events,
                        stdin=log)
        self.assertEqual([line.split()[:4:3] for line in events.read_text().splitlines()],
                         [["0us", "1"], ["0us", "2"], ["1500000us", "1"], ["1500000us", "0"]])

    def test_a_log_in_the_order_of_its_ends_has_to_be_sorted(self):
        log = COMBINED.replace(b"\n", b" 0.5\n").replace(b'curl/8" 0.5', b'curl/8" 9.0', 1)
        self.fails(simulate("listens", "-", "--from", "nginx", "--max-listens", "1", stdin=log),
                   "<stdin>:2: out of order: the time goes back by 6500000 us; --sort sorts")
        self.assertEqual(self.superseded("-", "--from", "nginx", "--sort", stdin=log), 1)

    def test_a_line_that_is_no_access_log_is_an_error(self):
        for line, message in (
                (b"hello", "no `ADDRESS ... [TIME] ...': not an access log"),
                (b"h - - [10 Oct 2000] x", "the time is not like 10/Oct/2000:13:55:36 -0700"),
                (b"h - - [40/Oct/2000:13:55:36 -0700] x",
                 "the time is not like 10/Oct/2000:13:55:36 -0700"),
                (b"h - - [30/Feb/2000:13:55:36 -0700] x",
                 "the time is not like 10/Oct/2000:13:55:36 -0700"),
                (b"h - - [29/Feb/1900:13:55:36 -0700] x",
                 "the time is not like 10/Oct/2000:13:55:36 -0700")):
            self.fails(simulate("listens", "-", "--from", "combined", "--max-listens", "1",
                                stdin=line), f"<stdin>:1: {message}")

    def test_leap_days_and_leap_seconds_are_there(self):
        log = (b"h - - [29/Feb/2000:23:59:59 +0000] x\n"
               b"h - - [31/Dec/2016:23:59:60 +0000] x\n")
        self.assertEqual(self.superseded("-", "--from", "combined", "--lasts", "1s", stdin=log), 0)

    def test_requests_of_an_access_log_are_by_address(self):
        run = simulate("requests", "-", "--from", "combined", "--lasts", "5s", "--per-key",
                       "--max-concurrent", "none", "--format", "csv", stdin=COMBINED)
        self.assertIn(b"none,10.0.0.1,2,0,1,3000,3000", run.stdout)


class Events(Case):
    """`replay` of the trace that `simulate` writes prints the events that it writes."""

    def agree(self, kind, log, *options):
        events = self.folder / "events"
        trace = self.folder / "trace"
        run = simulate(kind, "-", *options, "--events", events, "--trace", trace, stdin=log)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        replay = subprocess.run([PROGRAM, "replay", trace], capture_output=True, timeout=60)
        self.assertEqual((replay.returncode, replay.stderr), (0, b""))
        self.assertEqual(replay.stdout, events.read_bytes())
        return replay.stdout.splitlines()

    def test_on_listens(self):
        chance = random.Random(7)
        for options in ([], ["--when-full", "refuse"], ["--max-listeners", "20"]):
            at = 0
            log = []
            for _ in range(3000):
                at += chance.randrange(4)
                log.append(f"{at},p:{chance.randrange(12)}=,{chance.randrange(60)}\n")
            lines = self.agree("listens", "".join(log).encode(), "--max-listens", "2", *options)
            self.assertGreater(len(lines), 3000 if not options else 2999)

    def test_on_requests(self):
        chance = random.Random(8)
        for options in ([], ["--timeout", "30ms"], ["--queue-capacity", "5"],
                        ["--min-interval", "1500us"], ["--per-key"],
                        ["--provider", "p0:1", "--provider", "p1:0", "--timeout", "1s"],
                        ["--attempt-timeout", "9ms", "--timeout", "20ms", "--per-key",
                         "--min-interval", "1ms", "--provider", "p2:1"]):
            at = 0
            log = []
            for _ in range(3000):
                at += chance.randrange(4)
                provider = chance.choice(["", "p0", "p1", "p2"])
                log.append(f"{at},{provider},k{chance.randrange(9)},{chance.randrange(25)}\n")
            self.agree("requests", "".join(log).encode(), "--max-concurrent", "6", *options)

    def test_of_timeouts_after_the_last_line(self):
        lines = self.agree("requests", b"0,,,1\n1,,,1\n", "--max-concurrent", "0", "--timeout",
                           "5ms")
        self.assertEqual(lines, [b"5000us log refused 0 timeout", b"6000us log refused 1 timeout"])


class Pictures(Case):
    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_a_picture_has_axes_units_a_legend_and_a_dark_side(self):
        for kind, limit, log, words in (
                ("listens", "--max-listens", LISTENS,
                 ["live streams", "milliseconds", "streams at once", "no cap", "cap 1", "cap 3",
                  "cap 1 hits 1"]),
                ("requests", "--max-concurrent", b"0,p,k,9\n0,p,k,9\n",
                 ["running", "queued", "milliseconds", "limit 1", "limit 3",
                  "% that waited longer than x"])):
            svg = self.folder / f"{kind} picture.svg"
            run = simulate(kind, "-", limit, "1,3", "--plot", svg, stdin=log)
            self.assertEqual((run.returncode, run.stderr), (0, b""))
            text = svg.read_text()
            for word in [*words, "<svg", "</svg>", "prefers-color-scheme: dark"]:
                self.assertIn(word, text)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_an_empty_log_and_a_log_without_waits_have_pictures_too(self):
        for kind, limit in (("listens", "--max-listens"), ("requests", "--max-concurrent")):
            for log in (b"", b"0,a,1\n" if kind == "listens" else b"0,a,b,1\n"):
                svg = self.folder / "picture.svg"
                run = simulate(kind, "-", limit, "5", "--plot", svg, stdin=log)
                self.assertEqual((run.returncode, run.stderr), (0, b""))
                self.assertIn("</svg>", svg.read_text())

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_the_longest_log_that_can_be_has_a_picture_too(self):
        svg = self.folder / "picture.svg"
        for kind, limit, columns in (("listens", "--max-listens", b"\tp\t"),
                                     ("requests", "--max-concurrent", b"\tp\tk\t")):
            log = b"0" + columns + b"9223372036854774\n"
            run = simulate(kind, "-", limit, "1", "--plot", svg, stdin=log)
            self.assertEqual((run.returncode, run.stderr), (0, b""))
            self.assertIn("days", svg.read_text())

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_a_picture_may_have_a_name_without_a_suffix(self):
        for name in ("picture", ".picture", "a.png/picture", "PICTURE.SVG"):
            svg = self.folder / name
            svg.parent.mkdir(exist_ok=True)
            run = simulate("listens", "-", "--max-listens", "1", "--plot", svg, stdin=LISTENS)
            self.assertEqual((run.returncode, run.stderr), (0, b""))
            self.assertIn("</svg>", svg.read_text())

    def test_without_gnuplot_the_call_fails_and_says_so(self):
        run = simulate("listens", "-", "--max-listens", "1", "--plot", self.folder / "x.svg",
                       stdin=LISTENS, env={"PATH": str(self.folder)})
        self.assertEqual((run.returncode, run.stdout), (1, b""))
        self.assertEqual(run.stderr,
                         b"admission: gnuplot, which draws --plot: No such file or directory\n")


class Progress(Case):
    def on_terminal(self, n_lines):
        """What standard error shows on a terminal while a log of so many lines is read."""
        log = self.file("log", b"".join(b"%d,p,1\n" % n for n in range(n_lines)))
        leader, follower = pty.openpty()
        run = subprocess.Popen([PROGRAM, "simulate", "listens", log, "--max-listens", "1"],
                               stdout=subprocess.PIPE, stderr=follower)
        os.close(follower)
        run.stdout.read()
        run.stdout.close()
        self.assertEqual(run.wait(timeout=60), 0)
        shown = b""
        try:
            while part := os.read(leader, 65536):
                shown += part
        except OSError:
            pass
        os.close(leader)
        return shown

    def test_a_long_log_shows_a_bar_on_a_terminal_and_takes_it_away(self):
        shown = self.on_terminal(600_000)
        self.assertIn(b"262144 lines", shown)
        self.assertIn(b"[####", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"))

    def test_a_short_log_shows_none(self):
        self.assertEqual(self.on_terminal(1000), b"")


if __name__ == "__main__":
    unittest.main(verbosity=2)
