"""The chat endpoint, against a real socket that behaves well, badly, or not at all."""

import asyncio
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.endpoint import (
    LONGEST_WAIT,
    MOST_BYTES,
    MOST_CHARACTERS,
    ChatEndpoint,
    Message,
    UnreadableReply,
    read_delta,
    refusal,
    without_thinking,
)
from app.internal_api.engines.engine import EngineUnavailable
from tests.app.internal_api.engines.chat_server import KEY, Reply, chat_server, delta, events, refuses, says, stream

ASKED = [Message(role="user", content="Hello")]
WHOLE = json.dumps(
    {"choices": [{"message": {"role": "assistant", "content": "All at once."}, "finish_reason": "stop"}]}
)
END = (delta(None, "stop"), "[DONE]")
FORMS: dict[str, tuple[Reply, str]] = {
    "a plain stream": (says("Good morning."), "Good morning."),
    "CRLF lines": (stream(events(delta("Good "), delta("morning."), *END, line="\r\n")), "Good morning."),
    "keep-alive comments": (
        stream(b": waiting\n\n", events(delta("Good ")), b": waiting\n\n", events(delta("morning."), *END)),
        "Good morning.",
    ),
    "a role before the text": (
        stream(events('{"choices":[{"delta":{"role":"assistant"}}]}', delta("Good morning."), *END)),
        "Good morning.",
    ),
    "a count of tokens at the end": (
        stream(events(delta("Good morning."), '{"choices":[],"usage":{"total_tokens":3}}', "[DONE]")),
        "Good morning.",
    ),
    "a byte order mark": (stream(b"\xef\xbb\xbf", events(delta("Good morning."), *END)), "Good morning."),
    "another charset than is sent": (
        stream(events(delta("Grüße"), *END), kind="text/event-stream; charset=latin-1"),
        "Grüße",
    ),
    "a cut inside a character": (stream(*(bytes([b]) for b in events(delta("Grüße"), *END))), "Grüße"),
    "one huge piece": (stream(events(delta("x" * 300_000), *END)), "x" * MOST_CHARACTERS),
    "an answer that is not streamed": (stream(WHOLE.encode(), kind="application/json"), "All at once."),
    "parts of content": (
        stream(events(json.dumps({"choices": [{"delta": {"content": [{"type": "text", "text": "Good."}]}}]}), *END)),
        "Good.",
    ),
    "thoughts before the answer": (says("<think>Hm, who?</think>\n\nGood morning."), "Good morning."),
}
FAULTS: dict[str, tuple[Reply, bool]] = {
    "a refused key": (refuses("401 Unauthorized"), False),
    "an unknown model": (refuses("404 Not Found"), False),
    "a refused body": (refuses("400 Bad Request"), False),
    "a redirect": (refuses("302 Found", "Location: http://127.0.0.1:1/\r\n"), False),
    "too many requests": (refuses("429 Too Many Requests"), True),
    "a fault of the server": (refuses("500 Internal Server Error"), True),
    "a stream that breaks off": (stream(events(delta("Good "))), True),
    "invalid JSON": (stream(events("{nonsense", "[DONE]")), True),
    "JSON of another shape": (stream(events('{"answer":"Good"}', "[DONE]")), True),
    "an error inside the stream": (stream(events(delta("Go"), '{"error":{"message":"overloaded"}}')), True),
    "an empty body": (stream(), True),
    "a page instead of an API": (stream(b"<html>Welcome</html>", kind="text/html"), True),
    "an event that never ends": (stream(b"data: ", *[b"x" * 65_536] * 20), True),
    "a reply of too many bytes": (
        stream(*[b": " + b"x" * 65_536 + b"\n"] * (MOST_BYTES // 65_536 + 1), events(delta("Good."), *END)),
        True,
    ),
    "thoughts only": (says("<think>and on and on"), True),
}


@pytest.mark.parametrize("form", FORMS)
async def test_an_answer_is_read_in_every_form_that_servers_use(form: str) -> None:
    reply, text = FORMS[form]

    async with chat_server(reply) as server:
        answer = await ChatEndpoint(server.settings()).complete(ASKED)

    assert answer == text


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_says_whether_to_try_again_and_quotes_nothing(fault: str) -> None:
    reply, retryable = FAULTS[fault]

    async with chat_server(reply) as server:
        with pytest.raises(EngineUnavailable) as raised:
            await ChatEndpoint(server.settings()).complete(ASKED)

    assert raised.value.retryable is retryable
    assert not any(word in str(raised.value) for word in (KEY, "internal detail", "overloaded", "127.0.0.1"))


async def test_the_request_is_a_streamed_chat_completion_with_the_key() -> None:
    async with chat_server(says("Good.")) as server:
        await ChatEndpoint(server.settings(llm_temperature=0.5)).complete(ASKED)

    assert server.heads[0].startswith("POST /v1/chat/completions ")
    assert f"authorization: bearer {KEY}".casefold() in server.heads[0].casefold()
    assert server.bodies == [
        {"model": "test-model", "messages": ASKED, "stream": True, "temperature": 0.5, "max_tokens": 1000}
    ]


async def test_an_endpoint_that_refuses_the_optional_parameters_is_asked_without_them() -> None:
    async with chat_server(refuses("400 Bad Request"), says("Good.")) as server:
        answer = await ChatEndpoint(server.settings()).complete(ASKED)

    assert answer == "Good."
    assert [set(body) for body in server.bodies] == [
        {"model", "messages", "stream", "max_tokens"},
        {"model", "messages", "stream"},
    ]


async def test_an_endpoint_that_only_drips_is_given_up_as_well() -> None:
    async def drips(writer: asyncio.StreamWriter) -> None:
        await stream()(writer)
        while not hung_up.is_set():
            writer.write(b": still here\n\n")
            await writer.drain()
            await asyncio.sleep(0.02)

    hung_up = asyncio.Event()

    async with chat_server(drips) as server:
        with pytest.raises(EngineUnavailable) as raised:
            await ChatEndpoint(server.settings(llm_timeout=0.3)).complete(ASKED)
        hung_up.set()

    assert raised.value.retryable


async def test_an_endpoint_that_is_not_there_is_worth_another_try() -> None:
    async with chat_server(says("Good.")) as server:
        settings = server.settings()

    with pytest.raises(EngineUnavailable) as raised:
        await ChatEndpoint(settings).complete(ASKED)

    assert raised.value.retryable


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "delta", "message", "content", "error", "text", "finish_reason"]), inner
        )
    ),
)


@given(JSON)
def test_no_json_makes_it_fail_in_another_way(value: object) -> None:
    data = json.dumps(value)

    with suppress(UnreadableReply):
        assert isinstance(read_delta(data)[0], str)


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
        ("b <think>a</think>", "b <think>a</think>"),
    ],
)
def test_only_leading_thoughts_are_dropped(text: str, expected: str) -> None:
    assert without_thinking(text) == expected


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(" 7 ", 7), ("999999", LONGEST_WAIT), *((odd, None) for odd in ("9" * 5000, "-1", "soon", "", None))],
)
def test_the_wait_is_taken_when_it_is_a_number_of_seconds(header: str | None, seconds: int | None) -> None:
    assert refusal(429, header).retry_after == seconds
