"""Runs an example and compares what it prints with what it should.

Usage: expect.py [--any-order] PROGRAM FILE

FILE has the lines, in their order, or in any where threads take turns as they like. `N ms` in it
is any time: they differ from run to run.
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--any-order", action="store_true")
    parser.add_argument("program")
    parser.add_argument("file", type=pathlib.Path)
    options = parser.parse_args()
    run = subprocess.run([options.program], stdout=subprocess.PIPE, text=True, timeout=50,
                         check=False)
    said = re.sub(r"\b\d+ ms\b", "N ms", run.stdout).splitlines()
    wanted = options.file.read_text().splitlines()
    if options.any_order:
        said, wanted = sorted(said), sorted(wanted)
    print("\n".join(difflib.unified_diff(wanted, said, "wanted", "said", lineterm="")))
    print(f"exit status {run.returncode}, {len(said)} lines")
    return 0 if run.returncode == 0 and said == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
