"""Only the text of an answer is kept, wherever the network cuts the stream."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.assistant._stream import LONGEST_LINE, AnswerStream
from tests.mcp_server.toolsets.assistant.assistant_server import EXAMPLE, PAGES, SENTENCE


def read(*parts: bytes) -> AnswerStream:
    stream = AnswerStream()
    for part in parts:
        stream.feed(part)
    stream.close()
    return stream


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[begin:end] for begin, end in pairwise(ends)]


@pytest.mark.requirement(
    "seed:mintlify:line-metadata",
    "seed:mintlify:line-tool-call",
    "seed:mintlify:line-tool-result",
    "seed:mintlify:line-text",
    "seed:mintlify:line-finish",
    "seed:mintlify:line-done",
    "seed:mintlify:stream-example",
    "seed:mintlify:only-text-is-parsed",
    "seed:mintlify:reduction",
)
def test_of_the_documented_stream_the_text_is_kept_alone() -> None:
    stream = read(EXAMPLE)

    assert (stream.text, stream.length, stream.skipped) == (SENTENCE, len(SENTENCE), 0)
    assert len(stream.text) < 0.03 * len(EXAMPLE)


@given(st.lists(st.text(max_size=20), max_size=8), st.lists(st.integers(0, 5_000), max_size=40))
def test_the_network_may_cut_anywhere_also_inside_a_sign(texts: list[str], places: list[int]) -> None:
    lines = [f"0:{json.dumps(text, ensure_ascii=False)}\na:[{index}]\n" for index, text in enumerate(texts)]
    data = b"f:{}\r\nunknown\n0:{}\n" + "".join(lines).encode() + '0:"日本"'.encode()

    stream = read(*cut(data, places))

    assert (stream.text, stream.skipped) == ("".join([*texts, "日本"]), 2)


def test_each_byte_may_come_alone() -> None:
    data = 'f:{}\n0:"Größe 😀"\n\n0:"\\n\\ud83d"\n0:"\\ude00"\nd:{}\n'.encode()

    assert read(*(data[place : place + 1] for place in range(len(data)))).text == "Größe 😀\n😀"


@pytest.mark.parametrize(
    "line",
    [b'0:"cut', b"0:", b"0:7", b"0:null", b'0:{"a":1}', b"0:" + b"[" * 9_999, b'0:"\xff"', b"x", b'3:"wrong"', b"  a"],
)
def test_what_cannot_be_read_is_counted_and_left_out(line: bytes) -> None:
    for parts in ([b'0:"a"\n', line + b'\n0:"b"\n'], [b'0:"a"\n' + line[:1], line[1:] + b'\n0:"b"\n']):
        stream = read(*parts)
        assert (stream.text, stream.skipped) == ("ab", 1)


def test_half_a_sign_is_no_fault() -> None:
    assert read(b'0:"\\ud83d"\n').text == "\N{REPLACEMENT CHARACTER}"


def test_nothing_is_held_of_what_is_dropped_or_too_long() -> None:
    stream = AnswerStream()
    for part in (b"a:", *[b"x" * 16_384] * 300):
        stream.feed(part)
        assert len(stream._line) <= 2
    stream.feed(b'\n0:"')
    for _ in range(300):
        stream.feed(b"y" * 16_384)
        assert len(stream._line) <= LONGEST_LINE
    stream.feed(b'"\n' + PAGES + b'0:"z"\n')

    assert (stream.text, stream.skipped) == ("z", 1)
