"""A chat endpoint on loopback as slow and as faulty as a real one: each answer takes its time, and some fail."""

import argparse
import asyncio
import json
import random
import re
from collections.abc import Sequence

SEED = 20261121
SAYINGS = ("It saves me time every week.", "The price is what decides for me.", "It breaks down too often.")


def answer(prompt: str, dice: random.Random) -> str:
    """A reason first, then the value in the form that the prompt asks for."""
    reason = dice.choice(SAYINGS)
    if "labels of your main points" in prompt:
        return json.dumps({"reason": reason, "answer": [dice.choice(("Time", "Price", "Reliability"))]})
    if "one whole number" in prompt:
        return json.dumps({"reason": reason, "answer": dice.randint(1, 10)})
    return reason


class Endpoint:
    """`latency` in seconds; `failures` is the share of answers that are HTTP 500."""

    def __init__(self, latency: float, failures: float) -> None:
        self._latency, self._failures, self._dice = latency, failures, random.Random(SEED)

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = re.search(rb"(?i)content-length: *(\d+)", head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                await asyncio.sleep(self._latency)
                writer.write(self._reply(body.decode()))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has left
        finally:
            writer.close()

    def _reply(self, body: str) -> bytes:
        if self._dice.random() < self._failures:
            return _http("500 Internal Server Error", b"{}")
        message = {"role": "assistant", "content": answer(body, self._dice)}
        return _http("200 OK", json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode())


def _http(status: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def serve(port: int, latency: float, failures: float) -> None:
    server = await asyncio.start_server(Endpoint(latency, failures).converse, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--latency", type=float, default=0.3, help="seconds")
    parser.add_argument("--failures", type=float, default=0.02, help="share")
    told = parser.parse_args(arguments)
    asyncio.run(serve(told.port, told.latency, told.failures))


if __name__ == "__main__":
    main()
