#!/usr/bin/env python3
"""Chaos (R23): connections of twenty principals, most of them broken off at some point.

Usage: chaos.py PROGRAM

At rest, admitted = superseded + left + live; at no moment has a principal more than its cap.
ADMISSION_SEED repeats a run.
"""
import asyncio
import json
import os
import random
import socket
import struct
import sys

from server import Server, raise_descriptors, until

CAP = 3
N = 6000
N_PRINCIPALS = 20
AT_ONCE = 64
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}


def sse(token):
    return f"GET /listen HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"


def mcp(token):
    body = json.dumps({"jsonrpc": "2.0", "id": "listen:0", "method": "subscriptions/listen",
                       "params": {"_meta": META, "notifications": {"resourcesListChanged": True}}})
    return (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"
            f"Mcp-Method: subscriptions/listen\r\nContent-Length: {len(body)}\r\n\r\n{body}")


def publish(token):
    return (f"POST /publish?topic=t HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
            "Connection: close\r\nContent-Length: 5\r\n\r\nhello")


def garbage(_):
    return "GET /listen HTTP/1.1\r\nHost: evil\r\n\r\n"


async def break_off(writer, how):
    """Ends a connection: 0 closed, 1 reset, 2 half-closed and a little later closed."""
    if how == 1:
        writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif how == 2:
        try:
            writer.write_eof()
        except OSError:
            pass
        await asyncio.sleep(0.01)
    writer.close()


async def one(port, dice, tokens, gate):
    async with gate:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        request = dice.choice([sse, sse, mcp, mcp, publish, garbage])(dice.choice(tokens)).encode()
        is_broken = dice.random() < 0.6
        cut = dice.randrange(1, len(request)) if dice.random() < 0.2 else len(request)
        try:
            writer.write(request[:cut])
            if not is_broken and cut == len(request):
                await asyncio.wait_for(reader.read(65536), 30)
                await asyncio.sleep(dice.random() * 0.05)
            elif dice.random() < 0.5:
                await asyncio.sleep(dice.random() * 0.01)
            await break_off(writer, dice.randrange(3))
        except (ConnectionError, asyncio.TimeoutError):
            writer.close()


async def watch(server, tokens, seen, over):
    """Polls the live streams of everybody for as long as the storm goes on."""
    loop = asyncio.get_running_loop()
    while not over.is_set():
        for token in tokens:
            stats = await loop.run_in_executor(None, server.stats, token)
            seen.append(max(len(refs) for refs in stats["live"].values()))


async def storm(server, n, dice, tokens):
    gate, over, seen = asyncio.Semaphore(AT_ONCE), asyncio.Event(), []
    watcher = asyncio.create_task(watch(server, tokens, seen, over))
    await asyncio.gather(*(one(server.port, dice, tokens, gate) for _ in range(n)))
    over.set()
    await watcher
    return seen


def main():
    raise_descriptors()
    seed = int(os.environ.get("ADMISSION_SEED", random.randrange(10**6)))
    print(f"seed {seed}")
    tokens = [(f"token-{i}", f"principal-{i}") for i in range(N_PRINCIPALS)]
    with Server(os.path.abspath(sys.argv[1]), "--max-listens", str(CAP), "--keepalive", "60s",
                tokens=tokens) as server:
        seen = asyncio.run(storm(server, N, random.Random(seed), [token for token, _ in tokens]))
        until(lambda: server.stats()["open"] == 0)
        stats = server.stats()
        print(f"{N} connections: {stats['admitted']} admitted, {stats['superseded']} superseded, "
              f"{stats['left']} left, at most {max(seen)} live of one principal in "
              f"{len(seen)} looks")
        assert stats["admitted"] == stats["superseded"] + stats["left"] + stats["live_total"]
        assert stats["admitted"] > N / 4 and stats["superseded"] > 0
        assert max(seen) <= CAP
    return 0


if __name__ == "__main__":
    sys.exit(main())
