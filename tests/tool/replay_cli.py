#!/usr/bin/env python3
"""How `admission` and `admission replay` behave towards a shell: streams and exit statuses."""
import os
import pty
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.path.abspath(sys.argv.pop(1))


def run(*arguments, stdin=b"", **options):
    if "stdout" not in options:
        options["stdout"] = subprocess.PIPE
    return subprocess.run([PROGRAM, *arguments], input=stdin, stderr=subprocess.PIPE, timeout=60,
                          **options)


class Program(unittest.TestCase):
    def test_help_and_version_go_to_standard_output_and_end_in_0(self):
        for option in ("--help", "-h"):
            for command in ([], ["replay"]):
                answer = run(*command, option)
                self.assertEqual((answer.returncode, answer.stderr), (0, b""))
                self.assertTrue(answer.stdout.startswith(b"Usage: admission"))
        for option in ("--version", "-V"):
            answer = run(option)
            self.assertEqual((answer.returncode, answer.stderr), (0, b""))
            self.assertRegex(answer.stdout, rb"^admission \d+\.\d+\.\d+\n$")

    def test_a_wrong_call_says_where_help_is_and_ends_in_2(self):
        for arguments in ([], ["nothing"], ["--nothing"], ["-x"], ["replay"],
                          ["replay", "--nothing"]):
            answer = run(*arguments)
            self.assertEqual((answer.returncode, answer.stdout), (2, b""), arguments)
            self.assertTrue(answer.stderr.startswith(b"admission"), arguments)
            self.assertIn(b"--help'", answer.stderr, arguments)

    def test_bench_is_repeated_from_1_to_9_times(self):
        for n in ("", "0", "10", "-1", "+1", " 1", "1x", "-18446744073709551615", "4294967297"):
            answer = run("bench", "-r", n, "nothing")
            self.assertEqual((answer.returncode, answer.stdout), (2, b""))
            self.assertIn(f": {n}: not from 1 to 9\n".encode(), answer.stderr)

    def test_every_command_has_its_help(self):
        listing = run("--help").stdout.decode()
        names = [line.split()[0] for line in
                 listing.split("Commands:\n")[1].split("\n\n")[0].splitlines()]
        self.assertIn("replay", names)
        for name in names:
            self.assertTrue(run(name, "--help").stdout.startswith(
                f"Usage: admission {name}".encode()), name)


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def check(self, answer, status, stdout, stderr=b""):
        self.assertEqual((answer.returncode, answer.stdout, answer.stderr),
                         (status, stdout, stderr))

    def test_a_dash_is_standard_input(self):
        self.check(run("replay", "-", stdin=b"0 a admit x\n"), 0, b"0us a granted x\n")

    def test_standard_input_is_called_stdin_in_messages(self):
        self.check(run("replay", "-", stdin=b"\n0 a\n"), 2, b"",
                   b"<stdin>:2: the verb is missing\n")

    def test_each_file_has_a_machine_of_its_own(self):
        one = self.file("one", b"limits max_concurrent=1\n5ms a admit x\n")
        two = self.file("two", b"0 a admit x\n0 a admit y\n")
        self.check(run("replay", one, two), 0,
                   b"5000us a granted x\n0us a granted x\n0us a granted y\n")

    def test_the_first_error_ends_the_replay_of_all_files(self):
        one = self.file("one", b"0 a admit x\n0 a admit\n0 a admit z\n")
        two = self.file("two", b"0 a admit y\n")
        self.check(run("replay", one, two), 2, b"0us a granted x\n",
                   f"{one}:2: the ID is missing\n".encode())

    def test_a_file_that_is_not_there_ends_in_2_after_the_files_before_it(self):
        one = self.file("one", b"0 a admit x\n")
        missing = self.folder / "missing"
        self.check(run("replay", one, missing, one), 2, b"0us a granted x\n",
                   f"admission: {missing}: No such file or directory\n".encode())

    def test_a_folder_cannot_be_replayed(self):
        self.check(run("replay", self.folder), 2, b"",
                   f"admission: {self.folder}: Is a directory\n".encode())

    def test_a_file_may_be_called_like_an_option(self):
        self.file("--help", b"0 a admit x\n")
        self.check(run("replay", "--", "--help", cwd=self.folder), 0, b"0us a granted x\n")

    def test_an_empty_trace_is_a_trace(self):
        self.check(run("replay", "-", stdin=b""), 0, b"")

    def test_the_last_line_needs_no_end(self):
        self.check(run("replay", "-", stdin=b"0 a admit x"), 0, b"0us a granted x\n")

    def test_crlf_ends_a_line_and_a_cr_elsewhere_is_part_of_its_word(self):
        self.check(run("replay", "-", stdin=b"0 a admit x\r\n0 a admit y\r"), 0,
                   b"0us a granted x\n0us a granted y\r\n")

    def test_a_nul_byte_makes_its_line_unreadable(self):
        self.check(run("replay", "-", stdin=b"0 a admit x\n# \0\n0 a admit y\n"), 2,
                   b"0us a granted x\n", b"<stdin>:2: a NUL byte\n")

    def test_lines_may_be_long_and_words_may_not(self):
        blanks = b" " * 3_000_000
        self.check(run("replay", "-", stdin=b"0 a admit" + blanks + b"x #" + blanks), 0,
                   b"0us a granted x\n")
        self.check(run("replay", "-", stdin=b"0 a admit " + b"x" * 3_000_000), 2, b"",
                   b"<stdin>:1: " + b"x" * 40 + b"...: longer than 255 bytes\n")

    def test_any_bytes_are_a_name(self):
        name = bytes(b for b in range(1, 256) if b not in b"\t\n\r =:#")
        self.check(run("replay", "-", stdin=b"0 a live principal=" + name + b"\n"), 0,
                   b"0us a live " + name + b"\n")

    def test_time_does_not_go_back_and_no_line_without_a_time_follows(self):
        self.check(run("replay", "-", stdin=b"5ms - end\n4999us! - end\n"), 2, b"",
                   b"<stdin>:2: TIME goes back, from 5000us to 4999us\n")
        self.check(run("replay", "-", stdin=b"0 - end\nprovider p\n"), 2, b"",
                   b"<stdin>:2: a line without a TIME after one with a TIME\n")

    def test_a_full_disk_is_a_failure(self):
        for n_lines in (1, 100_000):
            trace = b"0 a admit x\n" * n_lines
            with open("/dev/full", "wb") as full:
                answer = run("replay", "-", stdin=trace, stdout=full)
            self.assertEqual((answer.returncode, answer.stderr),
                             (1, b"admission: standard output: No space left on device\n"))

    def test_a_closed_standard_output_is_a_failure_and_no_file_is_taken_for_it(self):
        one = self.file("one", b"0 a admit x\n")
        answer = run("replay", one, preexec_fn=lambda: os.close(1))
        self.assertEqual((answer.returncode, answer.stderr),
                         (1, b"admission: standard output: Bad file descriptor\n"))
        self.assertEqual(one.read_bytes(), b"0 a admit x\n")

    def test_a_closed_standard_input_cannot_be_read(self):
        answer = subprocess.run([PROGRAM, "replay", "-"], capture_output=True,
                                preexec_fn=lambda: os.close(0), timeout=60)
        self.check(answer, 2, b"", b"admission: <stdin>: Bad file descriptor\n")

    def test_a_read_error_in_the_middle_is_a_failure(self):
        try:
            leader, follower = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be had: {error}")
        os.write(follower, b"0 a admit x\n")
        os.close(follower)
        answer = subprocess.run([PROGRAM, "replay", "-"], stdin=leader, capture_output=True,
                                timeout=60)
        os.close(leader)
        self.check(answer, 1, b"0us a granted x\n", b"admission: <stdin>: Input/output error\n")

    def test_a_reader_that_goes_ends_the_replay_quietly(self):
        trace = self.file("long", b"0 a admit x\n" * 200_000)
        replay = subprocess.Popen([PROGRAM, "replay", trace], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        replay.stdout.readline()
        replay.stdout.close()
        self.assertEqual(replay.stderr.read(), b"")
        replay.stderr.close()
        self.assertEqual(replay.wait(timeout=60), -13, "SIGPIPE")

    def test_events_come_before_the_message_when_both_are_one_stream(self):
        answer = subprocess.run([PROGRAM, "replay", "-"], input=b"0 a admit x\n0\n",
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        self.assertEqual(answer.stdout, b"0us a granted x\n<stdin>:2: the HANDLE is missing\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
