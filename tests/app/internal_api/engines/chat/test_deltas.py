"""What a chat endpoint's JSON says."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.deltas import Delta, UnreadableReply, read_delta, without_thinking

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "delta", "message", "content", "error", "text", "finish_reason"]), inner
        )
    ),
)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("[DONE]", Delta("", ends=True)),
        (' {"choices":[{"delta":{"content":"a"}}]}', Delta("a", ends=False)),
        ('{"choices":[{"delta":{"content":null}}]}', Delta("", ends=False)),
        ('{"choices":[{"delta":{},"finish_reason":"length"}]}', Delta("", ends=True)),
        ('{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}', Delta("a", ends=True)),
        ('{"choices":[],"usage":{}}', Delta("", ends=False)),
        ('{"choices":[{"delta":{"content":[{"text":"a"},{"image":1},{"text":2}]}}]}', Delta("a", ends=False)),
    ],
)
def test_text_and_end_are_read(data: str, expected: Delta) -> None:
    assert read_delta(data) == expected


@pytest.mark.parametrize(
    "data",
    [
        "",
        "nonsense",
        "[]",
        "{}",
        '{"error":{"message":"no"},"choices":[]}',
        '{"choices":{}}',
        '{"choices":[1]}',
        '{"choices":[{"delta":[1]}]}',
        '{"choices":[{"delta":{"content":7}}]}',
        "[" * 100_000,
    ],
)
def test_anything_else_is_unreadable(data: str) -> None:
    with pytest.raises(UnreadableReply):
        read_delta(data)


@given(JSON)
def test_no_json_makes_it_fail_in_another_way(value: object) -> None:
    data = json.dumps(value)

    with suppress(UnreadableReply):
        assert isinstance(read_delta(data).text, str)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>a</think> b", "b"),
        ("<think>a", ""),
        ("<think>a</think>\n<think>b</think> c", "c"),
        ("<Thinking>a</Thinking> b", "b"),
        ("a\n</think>\n\nb", "b"),
        ("a</think>\nb", "b"),
        ("a\n</think>b", "b"),
        ("a </think> b", "a </think> b"),
        (" b ", "b"),
        ("b <think>a</think>", "b <think>a</think>"),
    ],
)
def test_only_leading_thoughts_are_dropped(text: str, expected: str) -> None:
    assert without_thinking(text) == expected
