"""Only the text of an answer is kept, wherever the network cuts the stream, and its links lead somewhere."""

import json
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.assistant.models import LONGEST_LINE, AnswerStream, whole_links
from tests.mcp_server.toolsets.assistant.assistant_server import EXAMPLE, PAGES, SENTENCE

ROOT, BELOW = "https://docs.agno.com", "https://resend.com/docs"


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
    "seed:mintlify:lines-skipped", "seed:mintlify:lines-kept", "seed:mintlify:stream-example", "seed:mintlify:only-text"
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


@pytest.mark.parametrize(
    ("text", "docs_url", "whole"),
    [
        ("[a](/agents)", ROOT, "[a](https://docs.agno.com/agents)"),
        ("[a](agents/new#x)", ROOT, "[a](https://docs.agno.com/agents/new#x)"),
        ("[a](/send)", BELOW, "[a](https://resend.com/docs/send)"),
        ("[a](/docs/send)", BELOW, "[a](https://resend.com/docs/send)"),
        ("[a](/docsearch)", BELOW, "[a](https://resend.com/docs/docsearch)"),
        ("[a](./send)", BELOW, "[a](https://resend.com/docs/send)"),
        ("![a](/i.png)", ROOT, "![a](https://docs.agno.com/i.png)"),
        ("(a)[/agents]", ROOT, "[a](https://docs.agno.com/agents)"),
        ("(a)[https://x.test/y]", ROOT, "[a](https://x.test/y)"),
        ("[a](https://x.test)", ROOT, "[a](https://x.test)"),
        ("[a](mailto:b@x.test)", ROOT, "[a](mailto:b@x.test)"),
        ("[a](//x.test)", ROOT, "[a](//x.test)"),
        ("[a](/agents)", "", "[a](/agents)"),
        ("f(x)[0] and `(a)[/b]`", ROOT, "f(x)[0] and `(a)[/b]`"),
        ("```\n[a](/b)\n```\n[a](/b)", ROOT, "```\n[a](/b)\n```\n[a](https://docs.agno.com/b)"),
    ],
)
def test_links_are_absolute_and_the_right_way_round_outside_code(text: str, docs_url: str, whole: str) -> None:
    assert whole_links(text, docs_url) == whole


@pytest.mark.parametrize("sign", ["[", "(", "`", "```", "[](", "(a)[/", "[a]("])
def test_a_hostile_text_is_read_in_linear_time(sign: str) -> None:
    begun = time.process_time()

    whole_links(sign * (200_000 // len(sign)), ROOT)

    assert time.process_time() - begun < 2
