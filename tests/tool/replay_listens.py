#!/usr/bin/env python3
"""Real listens through `replay`: the cap supersedes as many as two independent scripts say.

Skipped (77) where the data is not there. An end at an instant comes before an open at it.
"""
import heapq
import subprocess
import sys
from pathlib import Path

SUPERSEDED = {1: 3146, 3: 1689}


def trace_of(listens, cap):
    yield f"limits max_listens_per_principal={cap}\n"
    ends = []
    for number, line in enumerate(listens):
        open_ms, principal, duration_ms = line.split("\t")
        while ends and ends[0][0] <= int(open_ms):
            yield "%dms h leave %d\n" % heapq.heappop(ends)
        yield f"{open_ms}ms h admit {number} principal={principal}\n"
        heapq.heappush(ends, (int(open_ms) + int(duration_ms), number))
    while ends:
        yield "%dms h leave %d\n" % heapq.heappop(ends)


def main(program, data):
    if not Path(data).exists():
        print(f"{data} is not there")
        return 77
    listens = Path(data).read_text(encoding="ascii").splitlines()
    assert len(listens) == 19990
    for cap, superseded in SUPERSEDED.items():
        events = subprocess.run([program, "replay", "-"], input="".join(trace_of(listens, cap)),
                                text=True,
                                stdout=subprocess.PIPE, check=True, timeout=60).stdout
        n = sum(line.split()[2] == "superseded" for line in events.splitlines())
        print(f"cap {cap}: {n} superseded")
        assert n == superseded
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
