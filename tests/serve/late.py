#!/usr/bin/env python3
"""A message is late for nobody (R21): publishes to four streams, with a keepalive of a minute.

Usage: late.py PROGRAM

Prints how late the slowest was. A wake-up that is lost shows as a message that never comes.
2,000 publishes with ADMISSION_FULL=1, else 500.
"""
import os
import select
import sys
import time

from server import FULL, Server, until


def hear(poll, streams, text):
    """Reads until `text` has come on every stream; returns when that was."""
    waiting = {one.fileno(): [one, b""] for one in streams}
    while waiting:
        events = poll.poll(30)
        assert events, f"{len(waiting)} streams never heard {text}"
        for number, _ in events:
            if number in waiting:
                waiting[number][1] += waiting[number][0].recv(65536)
                if text in waiting[number][1]:
                    del waiting[number]
    return time.monotonic()


def main():
    n = 2000 if FULL else 500
    with Server(os.path.abspath(sys.argv[1]), "--max-listens", "4", "--keepalive",
                "60s") as server:
        streams = [server.listen() for _ in range(4)]
        poll = select.epoll()
        for one in streams:
            poll.register(one.fileno(), select.EPOLLIN)
        hear(poll, streams, b"event: admitted")
        until(lambda: server.stats()["live_total"] == 4)
        publisher = server.connect()
        late = []
        for i in range(n):
            body = f"number {i}.".encode()
            begun = time.monotonic()
            publisher.sendall(b"POST /publish?topic=t HTTP/1.1\r\nHost: localhost\r\n"
                              b"Authorization: Bearer alice-token\r\nContent-Length: "
                              + str(len(body)).encode() + b"\r\n\r\n" + body)
            late.append((hear(poll, streams, body) - begun) * 1000)
        late.sort()
        print(f"{n} messages to 4 streams: p50 {late[n // 2]:.2f} ms, p99 "
              f"{late[n * 99 // 100]:.2f} ms, the latest {late[-1]:.2f} ms")
        publisher.close()
        for one in streams:
            one.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
