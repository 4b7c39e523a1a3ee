"""Events come out as they were sent, wherever the network cut them."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.upstream.sse import Event, EventReader, EventTooLong


def read(*pieces: bytes, longest: int = 10_000) -> list[Event]:
    reader = EventReader(longest=longest)
    return [event for piece in pieces for event in reader.feed(piece)]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b'data: {"a":1}\n\n', [Event(None, b'{"a":1}')]),
        (b"data:x\n\ndata: y\n\n", [Event(None, b"x"), Event(None, b"y")]),
        (b"event: result\ndata: x\n\ndata: y\n\n", [Event("result", b"x"), Event(None, b"y")]),
        (b"data: one\ndata:  two\ndata\n\n", [Event(None, b"one\n two\n")]),
        (b": heartbeat\n\n: again\n\ndata: x\n\n", [Event(None, b"x")]),
        (b":" + b" " * 2_048 + b"\n\ndata: x\n\n", [Event(None, b"x")]),
        (b"id: 7\nretry: 10\ndata: x\nunheard: of\n\n", [Event(None, b"x")]),
        (b"\xef\xbb\xbfdata: x\n\n", [Event(None, b"x")]),
        (b"event: lonely\n\ndata: x\n\n", [Event(None, b"x")]),
        (b"data: x\r\n\r\ndata: y\r\rdata: z\n\n", [Event(None, b"x"), Event(None, b"y"), Event(None, b"z")]),
        ("data: süß\u2028\u0085\n\n".encode(), [Event(None, "süß\u2028\u0085".encode())]),
        (b"data: never ended", []),
        (b"data: never ended\n", []),
        (b"", []),
    ],
)
def test_a_stream_is_read_as_the_standard_says(stream: bytes, events: list[Event]) -> None:
    assert read(stream) == events
    assert read(*(stream[at : at + 1] for at in range(len(stream)))) == events


TEXTS = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=12)
EVENTS = st.lists(
    st.tuples(st.none() | TEXTS.filter(bool), st.lists(TEXTS, min_size=1, max_size=3), st.booleans()), max_size=5
)


@given(EVENTS, st.sampled_from(["\n", "\r\n", "\r"]), st.lists(st.integers(0, 400), max_size=12))
def test_wherever_it_is_cut_and_however_its_lines_end_it_is_the_same(
    events: list[tuple[str | None, list[str], bool]], end: str, cuts: list[int]
) -> None:
    lines: list[str] = []
    for name, data, commented in events:
        lines += [": a comment"] * commented + ([f"event: {name}"] if name else [])
        lines += [*(f"data: {line}" for line in data), ""]
    stream = "".join(line + end for line in lines).encode()
    edges = sorted({0, len(stream), *(min(cut, len(stream)) for cut in cuts)})
    pieces = [stream[a:b] for a, b in itertools.pairwise(edges)]

    assert read(*pieces) == [Event(name, "\n".join(data).encode()) for name, data, _ in events]


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_no_bytes_can_upset_it(pieces: list[bytes]) -> None:
    joined = b"".join(pieces)

    assert len(read(*pieces)) <= len(re.findall(rb"data", joined))


@pytest.mark.parametrize(
    "pieces",
    [[b"data: " + b"x" * 101], [b"data: "] + [b"x"] * 101, [b"data: xxxxxxxxxx\n"] * 11, [b":" + b"x" * 101]],
)
def test_an_event_that_does_not_end_is_given_up(pieces: list[bytes]) -> None:
    with pytest.raises(EventTooLong):
        read(*pieces, longest=100)


def test_many_events_are_not_one_long_one() -> None:
    assert len(read(*[b"data: " + b"x" * 60 + b"\n\n"] * 1_000, longest=100)) == 1_000
    assert len(read((b"data: " + b"x" * 60 + b"\n\n") * 1_000, longest=100)) == 1_000
