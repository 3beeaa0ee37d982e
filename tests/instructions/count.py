"""Counts the instructions of one admit with its answer and its leave, and holds them to a bound.

Usage: count.py PROGRAM [EXPECTED]

Runs PROGRAM (operations.c) under callgrind twice for each way, so that what starting and ending
cost cancels out, and prints the instructions of one operation. With EXPECTED - lines of a way and
a count - it fails when a count is more than 3 % above. Where the counts are of another compiler or
build type than this one's, that says nothing: then it skips.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

WAYS = ["machine", "single", "corked"]
FEW, MANY = 6400, 19200
SLACK = 1.03
SKIP = 77


def instructions(program, way, n):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, way,
             str(n)],
            stderr=subprocess.PIPE, text=True, check=True, timeout=300)
    return int(re.search(r"refs:\s+([\d,]+)", run.stderr).group(1).replace(",", ""))


def count(program, way):
    return (instructions(program, way, MANY) - instructions(program, way, FEW)) / (MANY - FEW)


def read_expected(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {way: float(n) for way, n in lines}


def main():
    program = sys.argv[1]
    expected = read_expected(sys.argv[2]) if len(sys.argv) > 2 else {}
    if shutil.which("valgrind") is None:
        print("valgrind is not here")
        return SKIP
    if os.environ.get("ADM_OTHER_BUILD"):
        print(f"the counts are not of this build: {os.environ['ADM_OTHER_BUILD']}")
        return SKIP
    is_fine = True
    for way in WAYS:
        n = count(program, way)
        bound = expected.get(way, n) * SLACK
        is_fine &= n <= bound
        print(f"{way:8} {n:8.1f}" + (f"  at most {bound:.1f}" if way in expected else ""))
    return 0 if is_fine else 1


sys.exit(main())
