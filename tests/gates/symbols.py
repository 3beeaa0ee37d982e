"""Gate: the shared library exports exactly what the public headers declare.

Usage: symbols.py NM LIBRARY HEADER...
"""
import pathlib
import re
import subprocess
import sys

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
DECLARATION = re.compile(r"^\s*ADMISSION_EXPORT\b([^;{]*)[;{]", re.MULTILINE)
NAME = re.compile(r"\b(admission_\w+)\s*[(\[]|\b(admission_\w+)\s*$")


def declared_in(header):
    """The names that a header exports."""
    text = COMMENT.sub("", pathlib.Path(header).read_text())
    for declaration in DECLARATION.finditer(text):
        match = NAME.search(declaration.group(1))
        if not match:
            raise SystemExit(f"{header}: unreadable: {declaration.group(0).strip()}")
        yield match.group(1) or match.group(2)


def exported_by(nm, library):
    """The names that a library exports; the name of the version itself (A) is none."""
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    return {row[-1].split("@")[0] for row in rows if row[-2] != "A"}


def main():
    nm, library, *headers = sys.argv[1:]
    declared = {name for header in headers for name in declared_in(header)}
    exported = exported_by(nm, library)
    wrong = [f"{name}: declared, but not exported" for name in sorted(declared - exported)]
    wrong += [f"{name}: exported, but not declared" for name in sorted(exported - declared)]
    print("\n".join(wrong + [f"{len(declared)} names looked at"]))
    return 1 if wrong or not declared else 0


if __name__ == "__main__":
    sys.exit(main())
