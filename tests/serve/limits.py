#!/usr/bin/env python3
"""Out of connections, out of descriptors (R22): no end, no spinning, and the next is served.

Usage: limits.py PROGRAM
"""
import os
import resource
import select
import sys
import tempfile
import time

from server import Server, until

N = 80
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def check(what, program, *arguments, descriptors=None):
    """More clients than there is room for: as each one goes, another is served."""
    with Server(program, *arguments) as server:
        if descriptors:  # only now, for the server leaves room below the limit that it finds
            resource.prlimit(server.child.pid, resource.RLIMIT_NOFILE, (descriptors, descriptors))
        clients = [server.connect() for _ in range(N)]
        poll = select.epoll()
        for one in clients:
            one.sendall(REQUEST)
            poll.register(one.fileno(), select.EPOLLIN)
        waiting = {one.fileno(): one for one in clients}
        time.sleep(0.2)
        at_once = len(poll.poll(0))
        cpu = server.cpu_s()
        time.sleep(1)
        cpu = server.cpu_s() - cpu
        assert cpu < 0.5, f"{what}: {cpu} s of CPU in a second of waiting"
        longest = 0
        while waiting:
            begun = time.monotonic()
            events = poll.poll(20)
            longest = max(longest, time.monotonic() - begun)
            assert events, f"{what}: {len(waiting)} clients were never served"
            for number, _ in events:
                one = waiting.pop(number)
                assert b"200 OK" in one.recv(4096), what
                poll.unregister(number)
                one.close()
        print(f"ok - {what}: {at_once} of {N} at first, the next after "
              f"{longest * 1000:.1f} ms at most")


def check_few_descriptors(program):
    """Half of few descriptors are the connections, and that more were wished for is said."""
    with tempfile.TemporaryFile("w+") as said:
        with Server(program, "--max-connections", "1000", said=said,
                    before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))) as server:
            clients = [server.connect() for _ in range(N)]
            until(lambda: server.n_descriptors() >= 50)
            assert server.n_descriptors() < 100, server.n_descriptors()
            for one in clients:
                one.close()
        said.seek(0)
        assert said.read() == ("admission: --max-connections 1000: the limit of 100 descriptors "
                               "leaves 50\n")
    print("ok - few descriptors")


def main():
    program = os.path.abspath(sys.argv[1])
    check("connections", program, "--max-connections", "50")
    check("descriptors", program, descriptors=64)
    check_few_descriptors(program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
