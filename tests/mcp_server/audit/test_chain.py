"""A row is what it says, byte for byte, and says nothing that it must not."""

import hmac
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.audit.chain import (
    NOTHING_BEFORE,
    Chain,
    ChainKey,
    Unreadable,
    fields_of,
    instant,
    plain,
    read_body,
    split_line,
)  # fmt: skip
from mcp_server.audit.entries import Entry, Event
from tests.auditing import KEY, NAME, call

SECRET = "minds_" + "a1" * 24


def test_each_row_holds_the_mark_of_the_one_before() -> None:
    chain = Chain(NAME, KEY)
    first, second = chain.add(call(1)), chain.add(call(2))

    assert first.fields["prev"] == NOTHING_BEFORE
    assert second.fields["prev"] == first.hash == hmac.digest(KEY.secret, first.body, "sha256").hex()
    assert [first.seq, second.seq] == [0, 1]


@given(st.text(), st.text(), st.dictionaries(st.text(), st.text()))
def test_a_line_reads_back_as_it_was_marked(subject: str, reason: str, detail: dict[str, str]) -> None:
    row = Chain(NAME, KEY).add(Entry(Event.SIGN_IN, subject=subject, reason=reason, detail=detail))

    body, mark = split_line(row.line)

    assert (body, mark) == (row.body, row.hash)
    assert {**read_body(body), "hash": mark} == orjson.loads(row.line)
    assert b"\n" not in row.line
    assert b"\x1b" not in row.line


@pytest.mark.parametrize("line", [b"", b"{}", b'{"a":1}', b"x" * 200, b'{"chain":1,"seq":2}'])
def test_what_is_no_row_is_unreadable(line: bytes) -> None:
    with pytest.raises(Unreadable):
        read_body(split_line(line)[0])


@pytest.mark.parametrize(
    "text", ["a\nb", "a\r\nfake: row", "\x1b[2J", "right\u202eleft", "half \ud800", "\u2028", "\x00"]
)
def test_nothing_in_a_row_moves_a_line_or_a_cursor(text: str) -> None:
    assert plain(text).isprintable()
    assert plain(text).isascii()
    assert len(plain(text + "x" * 10_000)) < 400


@pytest.mark.security("AK-07")
@given(
    st.lists(
        st.text() | st.sampled_from([SECRET, "=", "://", "a@b", "Bearer", "\x1b[2J", "x" * 301]), min_size=4, max_size=4
    )
)
def test_each_text_of_a_row_is_as_plain_as_it_is_by_itself(texts: list[str]) -> None:
    subject, client, reason, summary = texts

    fields = fields_of(Entry(Event.SIGN_IN, subject=subject, client=client, reason=reason, summary=summary))

    assert [fields[name] for name in ("subject", "client", "reason", "summary")] == [plain(text) for text in texts]


def test_a_key_is_in_no_field_of_a_row() -> None:
    everywhere = Entry(
        Event.KEY_CREATED, SECRET, SECRET, SECRET, SECRET, SECRET, SECRET, SECRET, 1.0, f"it {SECRET}", SECRET, SECRET,
        {"note": SECRET, SECRET: "x", "api_key": "short", "deep": [{"a": SECRET}]},
    )  # fmt: skip

    fields = orjson.dumps(fields_of(everywhere)).decode()

    assert SECRET not in fields
    assert "short" not in fields


def test_the_same_secret_makes_the_same_key_and_its_name_tells_nothing_of_it() -> None:
    one, other = ChainKey.derived("one secret"), ChainKey.derived("another")

    assert one == ChainKey.derived("one secret") != other
    assert one.id not in one.secret.hex()


@given(st.floats(0, 4e9))
def test_a_time_is_the_same_to_the_microsecond(seconds: float) -> None:
    exact = datetime.fromtimestamp(seconds, UTC)

    assert abs(datetime.fromisoformat(instant(seconds)) - exact) <= timedelta(microseconds=1)
    assert len(instant(seconds)) == len("2026-01-01T00:00:00.000000Z")
    assert instant(0.5) == "1970-01-01T00:00:00.500000Z" < instant(1_700_000_000), "they sort as text"
