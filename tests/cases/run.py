#!/usr/bin/env python3
"""Replays every NAME.trace of a folder and compares it, byte for byte, with NAME.expected.

A trace whose first line says `exit status 2` and `FILE:N:` must end so and say so; every other
one must end in 0 and say nothing. A folder without traces fails.
"""
import re
import subprocess
import sys
from pathlib import Path


def faults_of(program, trace):
    """What is wrong with the replay of one trace, as a list of sentences."""
    first = trace.read_text(errors="replace").split("\n", 1)[0]
    line = re.search(r"FILE:(\d+):", first) if "xit status 2" in first else None
    run = subprocess.run([program, "replay", trace], capture_output=True, timeout=60)
    faults = []
    if run.stdout != trace.with_suffix(".expected").read_bytes():
        faults.append("other output:\n" + run.stdout.decode(errors="replace"))
    if run.returncode != (2 if line else 0):
        faults.append(f"exit status {run.returncode}")
    start = f"{trace}:{line[1]}: " if line else ""
    message = run.stderr.decode(errors="replace")
    if not message.startswith(start) or (message and not line):
        faults.append(f"standard error: {message}")
    return faults


def main(program, folder):
    traces = sorted(Path(folder).glob("*.trace"))
    n_failed = 0
    for trace in traces:
        faults = faults_of(program, trace)
        n_failed += bool(faults)
        print("not ok" if faults else "ok", trace.stem, *faults)
    print(f"{len(traces) - n_failed} of {len(traces)} cases are right")
    return 0 if traces and n_failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
