"""A server for a test: started on any port, ended as an operator would."""
import json
import os
import re
import resource
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

FULL = os.environ.get("ADMISSION_FULL") == "1"


def raise_descriptors():
    """As many descriptors as there can be; returns how many."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


class Server:
    """`tokens` are pairs of token and principal; `before` runs in the child before it begins;
    `said` is a file for its standard error."""

    def __init__(self, program, *arguments, tokens=(("alice-token", "alice"),), before=None,
                 said=None):
        self.file = tempfile.NamedTemporaryFile("w", suffix=".tokens")
        self.file.writelines(f"{token} {principal}\n" for token, principal in tokens)
        self.file.flush()
        self.child = subprocess.Popen(
            [program, "serve", "--port", "0", "--tokens", self.file.name, *arguments],
            stdout=subprocess.PIPE, stderr=said, text=True, preexec_fn=before)
        line = self.child.stdout.readline()
        self.url = re.match(r"listening on (http://\S+)", line).group(1)
        self.port = int(self.url.rsplit(":", 1)[1])
        self.token = tokens[0][0]

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.child.send_signal(signal.SIGTERM)
        try:
            status = self.child.wait(60)
        except subprocess.TimeoutExpired:
            self.child.kill()
            raise
        self.child.stdout.close()
        self.file.close()
        if kind is None and status != 0:
            raise AssertionError(f"the server ended with {status}")

    def get(self, path, token=None, data=None):
        request = urllib.request.Request(
            self.url + path, data=data,
            headers={"Authorization": f"Bearer {token or self.token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()

    def stats(self, token=None):
        return json.loads(self.get("/stats", token))

    def publish(self, topic, body):
        self.get(f"/publish?topic={topic}", data=body.encode())

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port))

    def listen(self, token=None):
        """An open socket on which a stream was asked for."""
        one = self.connect()
        one.sendall(b"GET /listen HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                    + (token or self.token).encode() + b"\r\n\r\n")
        return one

    def status(self, name):
        """A number of /proc/PID/status."""
        with open(f"/proc/{self.child.pid}/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))

    def cpu_s(self):
        with open(f"/proc/{self.child.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def n_descriptors(self):
        return len(os.listdir(f"/proc/{self.child.pid}/fd"))


def until(holds, patience_s=60):
    """Waits until `holds()` is true and returns how long that took."""
    begun = time.monotonic()
    while not holds():
        if time.monotonic() - begun > patience_s:
            raise AssertionError("it never came true")
        time.sleep(0.005)
    return time.monotonic() - begun
