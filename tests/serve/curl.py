#!/usr/bin/env python3
"""curl -N as a client: a stream from its first event to its last, and curl's own exit."""
import os
import shutil
import subprocess
import sys

from server import Server, until

EXPECTED = """event: admitted
data: {"ref":1,"principal":"alice","order":0,"max":1}

event: message
data: {"topic":"news","body":"hello"}

id: end:superseded:1
event: superseded
data: {"ref":1,"reason":"superseded"}

"""


def main():
    if shutil.which("curl") is None:
        print("skipped: curl is not there")
        return 77
    with Server(os.path.abspath(sys.argv[1]), "--max-listens", "1") as server:
        command = ["curl", "-sN", "-H", "Authorization: Bearer alice-token",
                   server.url + "/listen?topic=news"]
        first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        until(lambda: server.stats()["admitted"] == 1)
        server.publish("news", "hello")
        server.publish("other", "nothing for it")
        second = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        said, _ = first.communicate(timeout=60)
        assert first.returncode == 0, first.returncode
        assert said == EXPECTED, said
        second.terminate()
        second.communicate()
        until(lambda: server.stats()["left"] == 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
