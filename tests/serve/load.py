#!/usr/bin/env python3
"""5,000 idle streams of one server (R20): what each takes, and what they do not.

Usage: load.py PROGRAM

Prints the figures that docs/serve.md shows. What is asserted is room - memory, descriptors,
threads - with the bounds of a test that is to catch a leak; of time only that nothing hangs.
Sized down to 1,000 streams unless ADMISSION_FULL=1.
"""
import os
import select
import sys
import time

from server import FULL, Server, raise_descriptors, until

SANITIZED = os.environ.get("ADMISSION_SANITIZED") == "1"


def read_until(sockets, text):
    """Reads each socket until `text` came on it; returns how long the slowest took."""
    poll = select.epoll()
    waiting = {}
    for one in sockets:
        poll.register(one.fileno(), select.EPOLLIN)
        waiting[one.fileno()] = [one, b""]
    begun = time.monotonic()
    while waiting:
        events = poll.poll(60)
        if not events:
            raise AssertionError(f"{len(waiting)} streams never heard {text}")
        for number, _ in events:
            entry = waiting[number]
            data = entry[0].recv(65536)
            if not data:
                raise AssertionError("a stream ended")
            entry[1] = (entry[1] + data)[-4096:]
            if text in entry[1]:
                poll.unregister(number)
                del waiting[number]
    poll.close()
    return time.monotonic() - begun


def main():
    n = 5000 if FULL else 1000
    if raise_descriptors() < 2 * n + 200:
        print(f"skipped: {n} streams take more descriptors than this process may have")
        return 77
    with Server(os.path.abspath(sys.argv[1]), "--max-listens", str(n),
                "--keepalive", "60s") as server:
        with server.listen() as first:
            read_until([first], b"event: admitted")
        until(lambda: server.stats()["open"] == 0)
        memory, descriptors = server.status("VmRSS"), server.n_descriptors()
        threads = server.status("Threads")
        begun = time.monotonic()
        streams = [server.listen() for _ in range(n)]
        read_until(streams, b"event: admitted")
        opened = n / (time.monotonic() - begun)
        until(lambda: server.stats()["live_total"] == n)
        each = (server.status("VmRSS") - memory) / n
        extra = server.n_descriptors() - descriptors - n
        cpu = server.cpu_s()
        time.sleep(3)
        cpu = server.cpu_s() - cpu
        begun = time.monotonic()
        server.publish("t", "to all")
        read_until(streams, b"to all")
        told = time.monotonic() - begun
        for one in streams:
            one.close()
        closed = until(lambda: server.stats()["live_total"] == 0)
        print(f"{n} streams: {each:.1f} kB of memory each, opened at {opened:.0f}/s, "
              f"{cpu * 1000:.0f} ms of CPU in 3 s idle, a message reached all in "
              f"{told * 1000:.0f} ms, all closed and left in {closed * 1000:.0f} ms")
        assert SANITIZED or each <= 16, f"{each} kB for a stream"
        assert extra <= 32, f"{extra} descriptors more than streams"
        assert server.status("Threads") == threads, "threads grew with streams"
    return 0


if __name__ == "__main__":
    sys.exit(main())
