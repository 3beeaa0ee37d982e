#!/usr/bin/env python3
"""The publishers that docs/serve.md shows reach a stream, each bound and connecting.

Usage: publishers.py ADMISSION PUBLISHER
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

from server import Server

PROGRAM, PUBLISHER = (os.path.abspath(path) for path in sys.argv[1:3])
SCRIPT = pathlib.Path(__file__).with_name("publisher.py")


def hears(feed, publisher):
    """Does a stream hear of `time` from this publisher?"""
    with Server(PROGRAM, "--feed", feed) as server, server.listen() as stream:
        child = subprocess.Popen(publisher)
        try:
            stream.settimeout(30)
            said = b""
            while b'{"topic":"time","body":"' not in said:
                data = stream.recv(4096)
                assert data, said
                said += data
        finally:
            child.terminate()
            child.wait(30)


def main():
    with tempfile.TemporaryDirectory() as folder:
        at = f"ipc://{folder}/feed"
        hears(at, [PUBLISHER, "@" + at])
        hears("@" + at, [PUBLISHER, ">" + at])
        print("ok - C")
        if importlib.util.find_spec("zmq") is None:
            print("left out: Python, for python3-zmq is not there")
            return 0
        hears(at, [sys.executable, SCRIPT, at])
        hears("@" + at, [sys.executable, SCRIPT, "connect", at])
        print("ok - Python")
    return 0


if __name__ == "__main__":
    sys.exit(main())
