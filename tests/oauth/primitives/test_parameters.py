"""Each parameter once; lists are sets of words; JSON is one object that everybody reads the same, or it is refused."""

import pytest

from oauth.errors import InvalidClient, InvalidRequest
from oauth.primitives.parameters import MAX_LENGTH, MAX_STATE, Parameters, read_object


def test_one_resource_may_be_named_twice_and_two_may_not() -> None:
    assert Parameters([("resource", "https://a/mcp")] * 2).get("resource") == "https://a/mcp"
    with pytest.raises(InvalidRequest):
        Parameters([("resource", "https://a/mcp"), ("resource", "https://b/mcp")])


def test_a_parameter_without_a_value_is_absent() -> None:
    parameters = Parameters([("state", ""), ("state", "x"), ("scope", "")])

    assert parameters.get("state") == "x"
    assert parameters.words("scope") == frozenset()
    with pytest.raises(InvalidRequest, match="The parameter scope is missing"):
        parameters.require("scope")


def test_an_overlong_parameter_is_refused_and_its_text_is_not_quoted() -> None:
    with pytest.raises(InvalidRequest) as refused:
        Parameters([("scope", "s" * (MAX_LENGTH + 1))])

    assert "sss" not in str(refused.value)


@pytest.mark.security("TK-10", "TK-11")
@pytest.mark.parametrize("name", ["client_id", "client_secret"])
def test_an_overlong_name_or_secret_of_a_client_is_a_wrong_one(name: str) -> None:
    with pytest.raises(InvalidClient):
        Parameters([(name, "x" * (MAX_LENGTH + 1))])


def test_a_long_state_is_left_to_who_knows_where_to_say_so() -> None:
    assert Parameters([("state", "s" * MAX_STATE)]).require("state")
    with pytest.raises(InvalidRequest):
        Parameters([("state", "s" * (MAX_STATE + 1))])


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
