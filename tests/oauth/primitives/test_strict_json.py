"""JSON of strangers is one object that everybody reads the same, or it is refused."""

import pytest

from oauth.primitives.parameters import read_object


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"x"',
        b"7",
        b'{"a": "\xff"}',
        b'{"a": "\\ud800"}',
        b'{"\\udfff": 1}',
        b"a=1",
        b"{}\x00",
        b"\xef\xbb\xbf{}",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1, "a": 2}',
        b'{"b": {"a": 1, "\\u0061": 2}}',
        b'{"a":' + b"[" * 9_000 + b"]" * 9_000 + b"}",
        b'{"a":' * 9_000 + b"1" + b"}" * 9_000,
        b"[" * 60_000,
    ],
    ids=range(19),
)
def test_what_parsers_read_differently_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        read_object(data)
