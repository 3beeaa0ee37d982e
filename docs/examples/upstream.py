"""Runs docs/examples/fetch.c against a small upstream, and counts what arrives there.

Usage: upstream.py FETCH

The upstream answers two of the requests with 429: once with seconds, once with a date. Every
request must arrive no earlier than pacing and Retry-After let it: these are floors, which hold
however slow the machine is.
"""
import email.utils
import http.server
import subprocess
import sys
import threading
import time

COUNT = 24
INTERVAL = 0.050
BY_SECONDS, BY_DATE = 6, 15  # the requests that are one too many, from 0


class Upstream(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.arrivals = []  # by the monotonic clock
        self.not_before = {}  # request number: when the next one may come
        self.inside = 0
        self.most_inside = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        upstream = self.server
        with upstream.lock:
            number = len(upstream.arrivals)
            upstream.arrivals.append(time.monotonic())
            upstream.inside += 1
            upstream.most_inside = max(upstream.most_inside, upstream.inside)
        if number == BY_SECONDS:
            upstream.not_before[number] = time.monotonic() + 1
            self.answer(429, "1")
        elif number == BY_DATE:
            date = int(time.time()) + 2
            upstream.not_before[number] = time.monotonic() + (date - time.time())
            self.answer(429, email.utils.formatdate(date, usegmt=True))
        else:
            self.answer(200, None)

    def answer(self, status, retry_after):
        body = b"%d\n" % status
        with self.server.lock:
            self.server.inside -= 1
        self.send_response(status)
        if retry_after is not None:
            self.send_header("Retry-After", retry_after)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def what_is_wrong(upstream, began, run):
    arrivals = upstream.arrivals
    if run.returncode != 0 or run.stdout != f"{COUNT} fetched in {COUNT + 2} attempts\n":
        yield f"fetch says {run.stdout!r}, {run.stderr!r} and ends in {run.returncode}"
    if len(arrivals) != COUNT + 2:
        yield f"{len(arrivals)} requests arrived, not {COUNT + 2}"
    if upstream.most_inside != 1:
        yield f"{upstream.most_inside} requests were there at once"
    for number, at in enumerate(arrivals):
        if at - began < number * INTERVAL:
            yield f"request {number} came {at - began:.3f} s after the start: too early"
    for number, not_before in upstream.not_before.items():
        if arrivals[number + 1] < not_before:
            yield f"request {number + 1} came {not_before - arrivals[number + 1]:.3f} s early"
    if set(upstream.not_before) != {BY_SECONDS, BY_DATE}:
        yield "nobody was told to wait"


def main():
    upstream = Upstream()
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{upstream.server_port}/"
    began = time.monotonic()
    run = subprocess.run([sys.argv[1], url, str(COUNT)], text=True, timeout=60, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    upstream.shutdown()
    wrong = list(what_is_wrong(upstream, began, run))
    print("\n".join(wrong) or f"{len(upstream.arrivals)} requests, none of them early")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
