"""Gate: every rule of docs/semantics.md is named by a test.

Usage: rules.py ROOT

A rule is a line `- T4. ...`. A test names it - `T4` between characters that are no letters or
digits - in the name or the description of a Criterion test, in the name of a meson test, or in
the comment with which a trace of tests/cases begins.
"""
import itertools
import pathlib
import re
import sys

RULE = re.compile(r"^- ([A-Z]\d+)\. ", re.MULTILINE)
CRITERION = re.compile(r"^\s*(?:Test|ParameterizedTest|Theory)\s*\((.*?)\)\s*\{",
                       re.MULTILINE | re.DOTALL)
MESON = re.compile(r"\b(?:test|benchmark)\s*\(\s*'([^']*)'")


def names_in(root):
    """The names of all tests, as one text."""
    for path in sorted((root / "tests").rglob("*")):
        if path.suffix == ".c":
            yield from CRITERION.findall(path.read_text())
        elif path.name == "meson.build":
            yield from MESON.findall(path.read_text())
        elif path.suffix == ".trace":
            lines = path.read_text(errors="replace").splitlines()
            yield from itertools.takewhile(lambda line: line.startswith("#"), lines)


def main():
    root = pathlib.Path(sys.argv[1])
    semantics = root / "docs" / "semantics.md"
    if not semantics.exists():
        print(f"{semantics}: missing")
        return 1
    rules = RULE.findall(semantics.read_text())
    names = "\n".join(names_in(root))
    wrong = [f"{semantics}: no test names {rule}" for rule in rules
             if not re.search(rf"(?<![A-Za-z0-9]){rule}(?![A-Za-z0-9])", names)]
    print("\n".join(wrong + [f"{len(rules)} rules looked at"]))
    return 1 if wrong or not rules else 0


if __name__ == "__main__":
    sys.exit(main())
