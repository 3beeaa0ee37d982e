"""Counts the tests of one run of `meson test`.

Usage: count.py TESTLOG.json

Prints `PASSED FAILED SKIPPED`, and on standard error what failed and what was skipped. A
Criterion program counts as the tests that its closing line tells of, any other as one.
"""
import json
import re
import sys

SYNTHESIS = re.compile(r"Synthesis: Tested: (\d+) .*Passing: (\d+) .*Failing: (\d+)")


def count(test):
    """(passed, failed, skipped) of one line of the log."""
    closing = SYNTHESIS.search(test.get("stderr") or "")
    tested, passing = (int(closing[1]), int(closing[2])) if closing else (1, 0)
    result = test["result"]
    if result == "OK":
        return tested, 0, 0
    if result == "EXPECTEDFAIL":
        return 1, 0, 0
    if result == "SKIP":
        return 0, 0, 1
    return passing, max(1, tested - passing), 0


def main():
    total = [0, 0, 0]
    with open(sys.argv[1], encoding="utf-8") as log:
        for line in log:
            test = json.loads(line)
            counts = count(test)
            total = [a + b for a, b in zip(total, counts)]
            if counts[1] or counts[2]:
                print(f"    {test['result']}: {test['name']}", file=sys.stderr)
    print(*total)


if __name__ == "__main__":
    main()
