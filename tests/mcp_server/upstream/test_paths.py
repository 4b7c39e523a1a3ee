"""An id stays one segment, whatever it is made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.errors import InvalidArguments
from mcp_server.upstream.client import address

BASE = "https://api.example/api/v1"


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_segments_are_as_many_in_the_path_as_were_given(segments: list[str]) -> None:
    try:
        path = address(BASE, tuple(segments)).raw_path.decode().removeprefix("/api/v1/")
    except (InvalidArguments, UnicodeEncodeError):  # half of a surrogate pair is no text
        return

    parts = path.split("/")
    assert len(parts) == len(segments)
    assert all(part.strip(".") for part in parts)
    assert path.isascii()


@pytest.mark.parametrize("segment", ["", ".", "..", "\n", "\x00"])
def test_what_cannot_be_an_id_is_refused(segment: str) -> None:
    with pytest.raises(InvalidArguments):
        address(BASE, ("minds", segment))


def test_an_address_carries_its_parameters_and_no_other_calls() -> None:
    with_them = address(BASE, ("minds",), (("limit", 1), ("search", "a b&c=d")))

    assert dict(with_them.params) == {"limit": "1", "search": "a b&c=d"}
    assert str(address(BASE, ("minds",))) == f"{BASE}/minds"
    assert address(BASE, ("minds",), (("limit", "1"),)) != address(BASE, ("minds",), (("limit", 2),))
