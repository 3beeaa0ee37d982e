"""Gate: no Criterion program escapes criterion.sh, and no Criterion test can hang.

Usage: wrapped.py ROOT BUILD

Every test of the build that is a Criterion program is run by criterion.sh, and every suite in
the sources has a TestSuite with a .timeout.
"""
import json
import pathlib
import re
import subprocess
import sys

TEST = re.compile(r"^(?:Test|ParameterizedTest|Theory)\s*\(\s*(?:\([^)]*\)\s*,\s*)?"
                  r"(?:[^,()]*\*\s*\w+\s*,\s*)?(\w+)\s*,", re.MULTILINE)
TIMED = re.compile(r"^TestSuite\s*\(\s*(\w+)\s*,[^)]*\.timeout\s*=", re.MULTILINE)


def is_criterion(program):
    if not pathlib.Path(program).is_file():
        return False
    run = subprocess.run(["readelf", "-d", program], check=False, capture_output=True,
                         text=True)
    return "libcriterion" in run.stdout


def check_programs(build):
    tests = json.loads((build / "meson-info" / "intro-tests.json").read_text())
    for test in tests:
        program = test["cmd"][0]
        if not program.endswith("criterion.sh") and is_criterion(program):
            yield f"the test {test['name']} does not run through criterion.sh"


def check_suites(root):
    used, timed = {}, set()
    for path in sorted((root / "tests").rglob("*.c")):
        text = path.read_text()
        timed |= {(path.parent, suite) for suite in TIMED.findall(text)}
        for suite in TEST.findall(text):
            used.setdefault((path.parent, suite), path)
    for where, path in used.items():
        if where not in timed:
            yield f"{path}: no TestSuite({where[1]}, .timeout = ...)"
    if not used:
        yield "no Criterion test was found"


def main():
    root, build = map(pathlib.Path, sys.argv[1:])
    wrong = list(check_programs(build)) + list(check_suites(root))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
