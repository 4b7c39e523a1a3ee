"""The internal API as far as the benchmark needs it, and fast enough never to be what is measured.

`python -m bench.upstream --port N` answers `GET /api/v1/minds` with 1.6 kB, `GET /api/v1/auth/me` with an id, and its
description, without which each call would ask for it. `GET /requests` says how many requests came, itself included.
"""

import argparse
import asyncio
import json
from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import cast

import uvloop

MARK = b"Bench persona"
"""Stands in each persona, so that a client can tell an answer that came from here."""


def _minds() -> bytes:
    minds = [
        {
            "id": f"00000000-0000-4000-8000-00000000000{number}",
            "name": f"{MARK.decode()} {number}",
            "description": "Answers questions about prices, as somebody would who buys such things every week.",
            "type": "expert",
            "discipline": "Pricing",
            "sourcePolicy": "auto",
            "tags": ["pricing", "research"],
            "profileImageUrl": None,
            "createdAt": "2026-01-01T00:00:00.000Z",
            "updatedAt": "2026-01-01T00:00:00.000Z",
        }
        for number in range(4)
    ]
    return json.dumps({"data": minds, "pagination": {"total": 4, "limit": 100, "offset": 0}}).encode()


def _response(status: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


COUNT = b"/requests"
BODIES = {
    b"/api/v1/openapi.json": b'{"openapi":"3.1.0","paths":{"/api/v1/minds":{"get":{}}}}',
    b"/api/v1/minds": _minds(),
    b"/api/v1/auth/me": b'{"id":"00000000-0000-4000-8000-0000000000ff"}',
    b"/livez": b"{}",
}
ANSWERS = {path: _response("200 OK", body) for path, body in BODIES.items()}
NOT_FOUND = _response("404 Not Found", b'{"statusCode":404}')


class Upstream(asyncio.Protocol):
    """One connection. Requests have no body here, and each takes the next of `numbers`."""

    def __init__(self, numbers: Iterator[int]) -> None:
        self.waiting, self.numbers = b"", numbers
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's has the methods and not the ancestor

    def data_received(self, data: bytes) -> None:
        assert self.transport is not None
        *requests, self.waiting = (self.waiting + data).split(b"\r\n\r\n")
        for request in requests:
            path = request.split(b" ", 2)[1].partition(b"?")[0]
            number = next(self.numbers)
            found = _response("200 OK", b"%d" % number) if path == COUNT else ANSWERS.get(path, NOT_FOUND)
            self.transport.write(found)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args().port
    server = await asyncio.get_running_loop().create_server(partial(Upstream, count(1)), "127.0.0.1", port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
