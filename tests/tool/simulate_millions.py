#!/usr/bin/env python3
"""Ten million lines take no more memory than a hundred thousand: only what is live counts."""
import subprocess
import sys
import threading


def listens(n):
    """Twenty principals, each of whom holds up to five streams at once."""
    return (f"{i},p{i % 20},{i * 31 % 100}\n" for i in range(n))


def requests(n):
    """One request a millisecond that lasts 3.5 ms on average: busy, but not too much for four."""
    return (f"{i},up,k{i},{1 + i * i // 7 % 6}\n" for i in range(n))


def simulate(program, lines, *arguments):
    """The first row of the answer, and the peak of the resident memory in KiB."""
    process = subprocess.Popen([program, "simulate", *arguments, "--format", "csv"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    peak = 0

    def look():
        nonlocal peak
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))

    def feed():
        with process.stdin as stdin:
            for number, line in enumerate(lines):
                stdin.write(line)
                if number % 50_000 == 49_999:
                    stdin.flush()
                    look()

    feeder = threading.Thread(target=feed)
    feeder.start()
    answer = process.stdout.read()
    feeder.join()
    assert process.wait() == 0
    return answer.split("\n")[1], peak


def main(program):
    for lines, arguments in ((listens, ("listens", "-", "--max-listens", "2")),
                             (requests, ("requests", "-", "--max-concurrent", "4"))):
        _, small = simulate(program, lines(100_000), *arguments)
        row, large = simulate(program, lines(10_000_000), *arguments)
        print(f"{row}; peak {small} KiB for 100,000 lines, {large} KiB for 10,000,000")
        figures = row.split(",")
        assert figures[1] == "10000000"
        assert int(figures[3 if lines is listens else 11]) > 100_000, "the limit is felt"
        assert 0 < large < small + 1024, "memory grows with the length of the log"


if __name__ == "__main__":
    main(*sys.argv[1:])
