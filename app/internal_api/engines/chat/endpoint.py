"""One OpenAI-compatible chat endpoint: ask it, read its stream, and name what went wrong."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, TypedDict

import anyio
import httpx2

from app.internal_api.engines.chat.deltas import Delta, UnreadableReply, read_delta, without_thinking
from app.internal_api.engines.chat.failures import refusal
from app.internal_api.engines.chat.sse import EventParser, EventTooLong
from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.engines.settings import EngineSettings

MOST_BYTES = 4_194_304  # of one reply, whatever it holds
MOST_CHARACTERS = 40_000  # of one answer
EMPTY = "empty"  # the kind of failure that is an answer without a word
_OK = 200
_REFUSED_BODY = frozenset({400, 422})


class Message(TypedDict):
    """One message as the endpoint takes it."""

    role: str
    content: str


class ChatEndpoint:
    """Asks for completions. Every failure becomes an EngineUnavailable that quotes nothing of the endpoint's."""

    def __init__(self, settings: EngineSettings, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._settings = settings
        self._url = f"{str(settings.llm_base_url).rstrip('/')}/chat/completions"
        self._client = httpx2.AsyncClient(transport=transport, timeout=settings.llm_timeout, headers=_headers(settings))

    async def complete(self, messages: Sequence[Message]) -> str:
        """The whole answer, without a reasoning model's thoughts. Raises EngineUnavailable."""
        try:
            with anyio.fail_after(self._settings.llm_timeout):
                text = without_thinking(await self._ask(messages))[:MOST_CHARACTERS]
        except (TimeoutError, httpx2.TimeoutException) as fault:
            raise _passing("timeout", "The language model did not answer in time.") from fault
        except (httpx2.HTTPError, httpx2.StreamError) as fault:
            raise _passing("unreachable", "The language model cannot be reached, or its answer broke off.") from fault
        except (UnreadableReply, EventTooLong) as fault:
            raise _passing("unreadable", "The language model sent an answer that cannot be read.") from fault
        if not text:
            raise _passing(EMPTY, "The language model sent an empty answer.")
        return text

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _ask(self, messages: Sequence[Message]) -> str:
        body: dict[str, Any] = {"model": self._settings.llm_model, "messages": list(messages), "stream": True}
        wishes = {"temperature": self._settings.llm_temperature, "max_tokens": self._settings.llm_max_tokens}
        wished = {name: value for name, value in wishes.items() if value is not None}
        if not wished:
            return await self._post(body, spare=False) or ""
        # Some models refuse max_tokens, or any temperature; they are asked again without.
        answered = await self._post({**body, **wished}, spare=True)
        return answered if answered is not None else await self._post(body, spare=False) or ""

    async def _post(self, body: dict[str, Any], *, spare: bool) -> str | None:
        """The answer; None when the endpoint refuses the body and there is another one to try (`spare`)."""
        async with self._client.stream("POST", self._url, json=body) as response:
            if response.status_code == _OK:
                return await _read(response)
            if spare and response.status_code in _REFUSED_BODY:
                return None
            raise refusal(response.status_code, response.headers.get("retry-after"))


async def _read(response: httpx2.Response) -> str:
    if "json" in response.headers.get("content-type", ""):
        whole = b"".join([piece async for piece in _bounded(response)])
        return read_delta(whole.decode(errors="replace")).text
    parts: list[str] = []
    async for delta in _deltas(response):
        parts.append(delta.text)
        if delta.ends:
            return "".join(parts)
    raise UnreadableReply  # cut off: neither a finish reason nor [DONE]


async def _deltas(response: httpx2.Response) -> AsyncIterator[Delta]:
    parser = EventParser()
    async for piece in _bounded(response):
        for data in parser.feed(piece):
            yield read_delta(data)
    for data in parser.end():
        yield read_delta(data)


async def _bounded(response: httpx2.Response) -> AsyncIterator[bytes]:
    size = 0
    async for piece in response.aiter_bytes():
        size += len(piece)
        if size > MOST_BYTES:
            raise UnreadableReply
        yield piece


def _headers(settings: EngineSettings) -> dict[str, str]:
    # Compression would hold events back until a block is full.
    headers = {"accept": "text/event-stream, application/json", "accept-encoding": "identity"}
    if settings.llm_api_key is not None:
        headers["authorization"] = f"Bearer {settings.llm_api_key.get_secret_value()}"
    return headers


def _passing(kind: str, message: str) -> EngineUnavailable:
    return EngineUnavailable(message, retryable=True, kind=kind)
