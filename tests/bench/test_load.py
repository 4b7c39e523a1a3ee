"""What the load client sends, and when it takes an answer for complete."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.load import complete, percentile, run
from bench.upstream import MARK
from bench.wire import ERAS, call

SIZED = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"


@pytest.mark.parametrize("response", [SIZED, CHUNKED])
def test_an_answer_is_complete_with_its_last_byte_and_not_before(response: bytes) -> None:
    cut = [complete(response[:length]) for length in range(len(response))]

    assert complete(response)
    assert not any(cut)


@pytest.mark.parametrize("era", ERAS)
def test_the_call_says_how_long_its_body_is(era: str) -> None:
    head, _separator, body = call(era, 80, "key").partition(b"\r\n\r\n")

    assert f"Content-Length: {len(body)}".encode() in head
    assert json.loads(body)["method"] == "tools/call"


@given(st.lists(st.floats(0, 10), min_size=1, max_size=300), st.sampled_from([0.5, 0.99]))
def test_a_percentile_is_one_of_the_values_and_has_its_share_below_it(values: list[float], share: float) -> None:
    found = percentile(sorted(values), share)

    assert found in [round(value * 1000, 2) for value in values]
    assert sum(round(value * 1000, 2) <= found for value in values) >= share * len(values)


@pytest.mark.parametrize(("answer", "faulty"), [(MARK, False), (b"something else", True)])
async def test_an_answer_without_the_personas_is_a_fault(answer: bytes, *, faulty: bool) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(answer)}\r\n\r\n".encode()

    served: list[asyncio.Task[None] | None] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(asyncio.current_task())
        while await reader.read(65_536):
            writer.write(head + answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    async with server:
        told = await run(port, call(ERAS[0], port, "key"), connections=2, seconds=0.1)
        await asyncio.gather(*(task for task in served if task))

    assert told["calls"]
    assert bool(told["faults"]) is faulty
