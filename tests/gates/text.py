"""Gate: files and functions have a readable size, and no text says what nobody keeps.

Usage: text.py ROOT

C files: at most 600 lines, 96 columns, functions of 70 lines. Any text: no marks of unfinished
work, no path of somebody's machine.
"""
import pathlib
import re
import sys

PLACES = ["src", "include", "tests", "docs", ".ci", "README.md", "meson.build"]
MAX_FILE, MAX_COLUMNS, MAX_FUNCTION = 600, 96, 70
# Written so that this file does not name them.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE = re.compile(r"(?<![\w.])/(wor" r"k|hom" r"e|roo" r"t|User" r"s)/\w|\$\{?HOM" r"E\b")


def files_of(root):
    for place in PLACES:
        path = root / place
        if path.is_file():
            yield path
        else:
            yield from sorted(p for p in path.rglob("*")
                              if p.is_file() and "__pycache__" not in p.parts)


def functions_of(lines):
    """(first line, length) of each function: the formatter puts its braces at column 0."""
    start = None
    for number, line in enumerate(lines):
        if line == "{":
            start = number
            while start > 0 and re.match(r"[A-Za-z_ ]", lines[start - 1]):
                start -= 1
        elif line == "}" and start is not None:
            yield start + 1, number - start + 1
            start = None


def check_c(lines):
    if len(lines) > MAX_FILE:
        yield 1, f"{len(lines)} lines; {MAX_FILE} are allowed"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns; {MAX_COLUMNS} are allowed"
    for number, length in functions_of(lines):
        if length > MAX_FUNCTION:
            yield number, f"a function of {length} lines; {MAX_FUNCTION} are allowed"


def check_text(lines):
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield number, "blanks at the end of the line"
        for pattern, what in ((UNFINISHED, "unfinished"), (MACHINE, "a path of one machine")):
            match = pattern.search(line)
            if match:
                yield number, f"{what}: {match.group(0)}"


def main():
    root = pathlib.Path(sys.argv[1])
    n, wrong = 0, []
    for path in files_of(root):
        try:
            lines = path.read_text().splitlines()
        except UnicodeDecodeError:
            continue  # a corpus of bytes
        found = list(check_c(lines)) if path.suffix in {".c", ".h"} else []
        if path.suffix not in {".trace", ".expected", ".tsv"}:
            found += check_text(lines)
        wrong += [f"{path}:{number}: {what}" for number, what in found]
        n += 1
    print("\n".join(wrong + [f"{n} files looked at"]))
    return 1 if wrong or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
