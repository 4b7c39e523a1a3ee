"""The chat endpoint, against a real socket that behaves well, badly, or not at all."""

import asyncio
import json
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.endpoint import (
    LONGEST_WAIT,
    MOST_BYTES,
    MOST_CHARACTERS,
    ChatEndpoint,
    Message,
    read_completion,
    refusal,
)
from app.internal_api.engines.engine import EngineUnavailable
from tests.app.internal_api.engines.chat_server import KEY, Reply, chat_server, completion, refuses, says, sends

ASKED = [Message(role="user", content="Hello")]
FORMS: dict[str, tuple[Reply, str]] = {
    "a plain answer": (says("Good morning."), "Good morning."),
    "a body in pieces": (sends(*(bytes([byte]) for byte in completion("Grüße"))), "Grüße"),
    "one huge answer": (says("x" * 300_000), "x" * MOST_CHARACTERS),
    "parts of content": (sends(completion([{"type": "thinking"}, {"type": "text", "text": "Good."}])), "Good."),
    "thoughts before the answer": (says("<think>Hm, who?</think>\n\nGood morning."), "Good morning."),
}
FAULTS: dict[str, tuple[Reply, bool]] = {
    "a refused key": (refuses("401 Unauthorized"), False),
    "an unknown model": (refuses("404 Not Found"), False),
    "a refused body": (refuses("400 Bad Request"), False),
    "a redirect": (refuses("302 Found", "Location: http://127.0.0.1:1/\r\n"), False),
    "too many requests": (refuses("429 Too Many Requests"), True),
    "a fault of the server": (refuses("500 Internal Server Error"), True),
    "a body that breaks off": (sends(b'{"choices":', headers="Content-Length: 900\r\n"), True),
    "invalid JSON": (sends(b"{nonsense"), True),
    "JSON of another shape": (sends(b'{"answer":"Good"}'), True),
    "an error with status 200": (sends(b'{"error":{"message":"overloaded"}}'), True),
    "an empty body": (sends(), True),
    "no text": (sends(completion(None)), True),
    "thoughts only": (says("<think>and on and on"), True),
    "no credit": (refuses("402 Payment Required"), False),
    "a page instead of an API": (sends(b"<html>Welcome</html>"), True),
    "a reply of too many bytes": (sends(*[b" " * 65_536] * (MOST_BYTES // 65_536 + 1), completion("Good.")), True),
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


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refuses("401 Unauthorized"), "llm_refused_key_401"),
        (refuses("404 Not Found"), "llm_unknown_model_404"),
        (refuses("429 Too Many Requests"), "llm_busy_429"),
        (refuses("402 Payment Required"), "llm_unpaid_402"),
        (sends(b'{"error": {"code": "insufficient_quota"}}', status="429 Too Many Requests"), "llm_unpaid_429"),
        (says(""), "llm_empty_200"),
        (refuses("500 Internal Server Error"), "llm_failed_500"),
        (sends(b"<html>Welcome</html>"), "llm_unreadable"),
        (sends(b'{"choices":', headers="Content-Length: 900\r\n"), "llm_unreachable"),
    ],
)
async def test_a_fault_is_told_by_a_word_with_the_host_until_it_answers_again(reply: Reply, code: str) -> None:
    async with chat_server(reply, says("Good.")) as server:
        endpoint = ChatEndpoint(server.settings())
        with pytest.raises(EngineUnavailable) as raised:
            await endpoint.complete(ASKED)
        told = endpoint.failure
        await endpoint.complete(ASKED)

    assert (raised.value.code, raised.value.host) == (code, urlsplit(server.url).netloc)
    assert told is raised.value
    assert endpoint.failure is None


async def test_the_request_is_a_chat_completion_with_the_key() -> None:
    async with chat_server(says("Good.")) as server:
        await ChatEndpoint(server.settings(llm_temperature=0.5)).complete(ASKED)

    assert server.heads[0].startswith("POST /v1/chat/completions ")
    assert f"authorization: bearer {KEY}".casefold() in server.heads[0].casefold()
    assert server.bodies == [{"model": "test-model", "messages": ASKED, "temperature": 0.5, "max_tokens": 1000}]


async def test_an_endpoint_that_refuses_the_optional_parameters_is_asked_without_them() -> None:
    async with chat_server(refuses("400 Bad Request"), says("Good.")) as server:
        answer = await ChatEndpoint(server.settings()).complete(ASKED)

    assert answer == "Good."
    assert [set(body) for body in server.bodies] == [{"model", "messages", "max_tokens"}, {"model", "messages"}]


@pytest.mark.parametrize(
    ("refusals", "left_out"),
    [(0, set()), (1, {"response_format"}), (2, {"max_tokens"}), (3, {"response_format", "max_tokens"})],
)
async def test_what_an_endpoint_refuses_is_left_out_from_then_on(refusals: int, left_out: set[str]) -> None:
    async with chat_server(*[refuses("400 Bad Request")] * refusals, says("Good.")) as server:
        endpoint = ChatEndpoint(server.settings())
        for _ in range(3):
            assert await endpoint.complete(ASKED, schema={"type": "object"}) == "Good."

    assert len(server.bodies) == refusals + 3
    everything = {"model", "messages", "response_format", "max_tokens"}
    assert [set(body) for body in server.bodies[refusals:]] == [everything - left_out] * 3


async def test_an_endpoint_that_took_a_schema_and_refuses_another_is_asked_without() -> None:
    async with chat_server(says("Good."), refuses("400 Bad Request"), says("Good.")) as server:
        endpoint = ChatEndpoint(server.settings())
        for kind in ("object", "array"):
            assert await endpoint.complete(ASKED, schema={"type": kind}) == "Good."

    assert ["response_format" in body for body in server.bodies] == [True, True, False]


async def test_a_body_that_is_refused_for_another_reason_is_not_sent_again_once_one_was_taken() -> None:
    async with chat_server(says("Good."), refuses("400 Bad Request")) as server:
        endpoint = ChatEndpoint(server.settings())
        await endpoint.complete(ASKED)
        with pytest.raises(EngineUnavailable):
            await endpoint.complete(ASKED)

    assert len(server.bodies) == 2


async def test_an_endpoint_that_only_drips_is_given_up_as_well() -> None:
    async def drips(writer: asyncio.StreamWriter) -> None:
        await sends()(writer)
        while not hung_up.is_set():
            writer.write(b" ")
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


NAMES = st.sampled_from(["choices", "message", "content", "error", "text"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner),
)


@given(JSON)
def test_no_json_makes_it_fail_in_another_way(value: object) -> None:
    with suppress(EngineUnavailable):
        assert isinstance(read_completion(json.dumps(value).encode()), str)


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
    assert read_completion(completion(text)) == expected


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(" 7 ", 7), ("999999", LONGEST_WAIT), *((odd, None) for odd in ("9" * 5000, "-1", "soon", "", None))],
)
def test_the_wait_is_taken_when_it_is_a_number_of_seconds(header: str | None, seconds: int | None) -> None:
    assert refusal(429, header).retry_after == seconds
