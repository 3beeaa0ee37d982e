"""Runs a fuzz target on its seeds.

Usage: run.py PROGRAM FORM FILE... [-- OPTION...]

FORM says what the seeds are in each FILE, a text: `inlet` or `outlet`, the blocks of hex of that
name, as docs/messages.md has them (behind a `;` is a comment, `=` begins what is said of them);
`line`, every line. Without options every seed is tried once. With options of libFuzzer the seeds
are the corpus it starts from; an input that breaks a promise is left in the current directory.
"""
import pathlib
import subprocess
import sys
import tempfile


def blocks(text, form):
    """The bytes of each block ```FORM."""
    inside = None
    for line in text.splitlines():
        if inside is None:
            inside = "" if line == "```" + form else None
        elif line == "```":
            yield bytes.fromhex(inside)
            inside = None
        elif not line.startswith("= "):
            inside += line.split(";")[0]


def seeds_of(path, form):
    if form == "line":
        return pathlib.Path(path).read_bytes().splitlines()
    return blocks(pathlib.Path(path).read_text(), form)


def main():
    program, form, *rest = sys.argv[1:]
    at = rest.index("--") if "--" in rest else len(rest)
    files, options = rest[:at], rest[at + 1:]
    with tempfile.TemporaryDirectory() as corpus:
        paths = []
        for name in files:
            for seed in seeds_of(name, form):
                paths.append(pathlib.Path(corpus) / f"seed{len(paths)}")
                paths[-1].write_bytes(seed)
        if not paths:
            sys.exit(f"run.py: no seeds of the form {form}")
        arguments = options + [corpus] if options else paths
        return subprocess.run([program, *arguments]).returncode


sys.exit(main())
