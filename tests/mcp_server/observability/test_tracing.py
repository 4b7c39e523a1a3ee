"""W3C Trace Context: what is taken over, and what is taken for nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.observability.tracing import LONGEST_STATE, Trace, begin, read, read_meta

ID, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = f"00-{ID}-{SPAN}-01"
HEADER = re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]")


def test_a_valid_parent_is_taken_over_as_it_is() -> None:
    assert read(PARENT) == Trace(ID, SPAN, sampled=True)
    assert read(PARENT[:-2] + "00") == Trace(ID, SPAN, sampled=False)
    assert read(PARENT, "a=1,b@c=2") == Trace(ID, SPAN, sampled=True, state="a=1,b@c=2")
    assert read(f"01-{ID}-{SPAN}-03-what-comes-later") == Trace(ID, SPAN, sampled=True)  # as far as it is known


@pytest.mark.parametrize(
    "parent",
    [
        "",
        None,
        7,
        PARENT.upper(),
        PARENT + "-more",
        PARENT[:-1],
        f"ff-{ID}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{ID}-{'0' * 16}-01",
        f" {PARENT}",
        f"{PARENT}\n",
        f"{PARENT},{PARENT}",
        f"01-{ID}-{SPAN}-01-" + "x" * 65,
    ],
)
def test_what_is_not_valid_is_no_trace(parent: object) -> None:
    assert read(parent) is None


NO_STATES = ["a", "A=1", "a=1,a=2", "a=1\r\nx: y", "a=" + "x" * 300, "a=1;" + "b" * LONGEST_STATE, "=1", 7, None, "a=é"]
NO_STATES += [",".join(f"a{number}=1" for number in range(33))]


@pytest.mark.parametrize("state", NO_STATES)
def test_a_state_that_is_not_valid_is_dropped_and_the_rest_stands(state: object) -> None:
    assert read(PARENT, state) == Trace(ID, SPAN, sampled=True)


@given(st.text(max_size=80), st.text(max_size=600))
def test_what_is_passed_on_is_valid_whatever_came(parent: str, state: str) -> None:
    trace = read(parent, state) or read(PARENT, state) or begin()

    assert HEADER.fullmatch(trace.headers["traceparent"])
    assert read(*trace.headers.values()) == trace
    assert all(header.isascii() and header.isprintable() for header in trace.headers.values())


def test_two_that_begin_have_nothing_in_common() -> None:
    one, other = begin(), begin()

    assert one.trace_id != other.trace_id
    assert "tracestate" not in one.headers
    assert not one.sampled


@pytest.mark.parametrize("meta", [None, {}, [], {"traceparent": 1}, {"tracestate": "a=1"}, {"traceparent": ["x"]}])
def test_a_message_without_a_trace_has_none(meta: object) -> None:
    assert read_meta(meta) is None


def test_a_message_names_its_trace_in_its_meta() -> None:
    assert read_meta({"traceparent": PARENT, "tracestate": "a=1", "baggage": "k=v"}) == Trace(ID, SPAN, True, "a=1")
