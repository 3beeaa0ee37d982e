#!/usr/bin/env python3
"""Out of connections, out of descriptors (R22): no end, no spinning, and the next is served;
connections that ask for nothing make room.

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


def check_silence(program):
    """Whoever holds every connection without a whole request has to let go of them."""
    with Server(program, "--max-connections", "6", "--max-listens", "3") as server:
        listener = server.listen()
        assert b"200 OK" in listener.recv(4096)
        holders = [server.connect() for _ in range(4)]
        kept = server.connect()
        kept.sendall(REQUEST)
        assert b"200 OK" in kept.recv(4096)
        dripping = holders[:2] + [kept]
        newcomer = server.connect()
        newcomer.sendall(REQUEST)
        newcomer.settimeout(0.5)
        begun = time.monotonic()
        served = False
        for one in dripping:
            one.sendall(b"GET /healthz HTTP/1.1\r\nX: ")
        while not served:
            assert time.monotonic() < begun + 60, "the newcomer is not served"
            for one in dripping:
                try:
                    one.sendall(b"x")
                except OSError:
                    pass
            try:
                served = b"200 OK" in newcomer.recv(4096)
            except TimeoutError:
                pass
        waited = time.monotonic() - begun
        for one in holders + [kept]:
            one.settimeout(60)
            try:
                assert one.recv(4096) == b""
            except ConnectionResetError:
                pass
        server.publish("t", "still there")
        assert b"still there" in read_until(listener, b"still there")
    print(f"ok - silence: the newcomer was served after {waited:.1f} s")


def read_until(one, text):
    one.settimeout(60)
    read = b""
    while text not in read:
        some = one.recv(4096)
        assert some, read
        read += some
    return read


def main():
    program = os.path.abspath(sys.argv[1])
    check("connections", program, "--max-connections", "50")
    check("descriptors", program, descriptors=64)
    check_few_descriptors(program)
    check_silence(program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
