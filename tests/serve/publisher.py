"""Publishes the time of day, once a second, to whoever connects or to a feed that binds.

Usage: publisher.py [connect] ENDPOINT [COUNT]
"""
import sys
import time

import zmq

arguments = sys.argv[1:]
publisher = zmq.Context().socket(zmq.PUB)
if arguments[0] == "connect":
    del arguments[0]
    publisher.connect(arguments[0])
else:
    publisher.bind(arguments[0])
left = int(arguments[1]) if len(arguments) > 1 else -1
while left != 0:
    publisher.send_multipart([b"time", time.ctime().encode()])
    time.sleep(1)
    left -= 1
