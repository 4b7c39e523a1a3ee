"""The parser of server-sent events."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.sse import MOST_PENDING, EventParser, EventTooLong

ONE_LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1)


def parsed(*pieces: bytes) -> list[str]:
    parser = EventParser()
    return [data for piece in pieces for data in parser.feed(piece)] + parser.end()


@given(
    st.lists(st.lists(ONE_LINE, min_size=1, max_size=3), max_size=5), st.sampled_from(["\n", "\r", "\r\n"]), st.data()
)
def test_any_cut_of_the_bytes_gives_the_same_events(events: list[list[str]], line: str, data: st.DataObject) -> None:
    lines = [line.join(f"data: {text}" for text in event) for event in events]
    whole = "".join(f": hi{line}{event}{line}{line}" for event in lines).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    edges = [0, *cuts, len(whole)]

    found = parsed(*(whole[a:b] for a, b in pairwise(edges)))

    assert found == ["\n".join(event) for event in events]


@given(st.lists(st.binary(max_size=50), max_size=8))
def test_no_bytes_make_it_fail(pieces: list[bytes]) -> None:
    assert isinstance(parsed(*pieces), list)


def test_a_line_end_that_is_cut_in_two_is_one_line_end() -> None:
    assert parsed(b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n") == ["a\nb"]


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b"data:a\n\n", ["a"]),
        (b"data:  a\n\n", [" a"]),
        (b"event: x\nid: 1\nretry: 5\ndata: a\n\n", ["a"]),
        (b"event: x\n\n", []),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"data: a", ["a"]),
        (b"\n\n\n", []),
        (b"data\n\n", [""]),
    ],
)
def test_fields_are_read_as_the_standard_says(stream: bytes, expected: list[str]) -> None:
    assert parsed(stream) == expected


@pytest.mark.parametrize("line", [b"x" * 1000, b"data: " + b"x" * 1000 + b"\n"])
def test_an_event_without_end_is_refused(line: bytes) -> None:
    with pytest.raises(EventTooLong):
        parsed(*[line] * (MOST_PENDING // 1000 + 10))
