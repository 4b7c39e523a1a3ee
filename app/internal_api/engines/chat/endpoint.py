"""One OpenAI-compatible chat endpoint: ask it, read its stream, and name what went wrong."""

import json
import re
from collections.abc import Sequence
from typing import Any, TypedDict

import anyio
import httpx2

from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.engines.settings import EngineSettings

MOST_BYTES = 4_194_304  # of one reply, whatever it holds
MOST_EVENT_BYTES = 1_048_576
MOST_CHARACTERS = 40_000  # of one answer
EMPTY = "empty"  # the kind of failure that is an answer without a word
LONGEST_WAIT = 3_600
_DONE = "[DONE]"
_REFUSED_BODY = frozenset({400, 422})
_MISCONFIGURED = "The language model is not set up correctly: "
_CONFIGURATION = {
    401: "it refuses the key.",
    403: "it refuses the key.",
    404: "its address or the model's name is unknown there.",
}
_PASSING = frozenset({408, 409, 425})
_TAG = r"(?:think|thinking|thought|reasoning)>"
_THINKING = re.compile(rf"\A(?:\s*<{_TAG}.*?(?:</{_TAG}|\Z))+", re.DOTALL | re.IGNORECASE)
# The opening tag may have been part of the prompt; a tag in the middle of a line is something that is spoken of.
_END_OF_THINKING = re.compile(
    rf"\A(?:(?!<{_TAG}).)*?(?:^</{_TAG}|</{_TAG}[ \t]*$)", re.DOTALL | re.IGNORECASE | re.MULTILINE
)


class Message(TypedDict):
    """One message as the endpoint takes it."""

    role: str
    content: str


class UnreadableReply(ValueError):
    """The endpoint sent something that is not a chat completion."""


class ChatEndpoint:
    """Asks for completions. Every failure becomes an EngineUnavailable that quotes nothing of the endpoint's."""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._url = f"{str(settings.llm_base_url).rstrip('/')}/chat/completions"
        # Compression would hold events back until a block is full.
        headers = {"accept": "text/event-stream, application/json", "accept-encoding": "identity"}
        if settings.llm_api_key is not None:
            headers["authorization"] = f"Bearer {settings.llm_api_key.get_secret_value()}"
        self._client = httpx2.AsyncClient(timeout=settings.llm_timeout, headers=headers)

    async def complete(self, messages: Sequence[Message]) -> str:
        """The whole answer, without a reasoning model's thoughts. Raises EngineUnavailable."""
        try:
            with anyio.fail_after(self._settings.llm_timeout):
                text = without_thinking(await self._ask(messages))[:MOST_CHARACTERS]
        except (TimeoutError, httpx2.TimeoutException) as fault:
            raise _passing("timeout", "The language model did not answer in time.") from fault
        except (UnreadableReply, httpx2.SSEError) as fault:
            raise _passing("unreadable", "The language model sent an answer that cannot be read.") from fault
        except (httpx2.HTTPError, httpx2.StreamError) as fault:
            raise _passing("unreachable", "The language model cannot be reached, or its answer broke off.") from fault
        if not text:
            raise _passing(EMPTY, "The language model sent an empty answer.")
        return text

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _ask(self, messages: Sequence[Message]) -> str:
        body: dict[str, Any] = {"model": self._settings.llm_model, "messages": list(messages), "stream": True}
        optional = {"temperature": self._settings.llm_temperature, "max_tokens": self._settings.llm_max_tokens}
        given = {name: value for name, value in optional.items() if value is not None}
        # Some models refuse max_tokens, or any temperature; they are asked again without.
        answered = await self._post({**body, **given}, may_refuse=True) if given else None
        return answered if answered is not None else await self._post(body, may_refuse=False) or ""

    async def _post(self, body: dict[str, Any], *, may_refuse: bool) -> str | None:
        """The answer; None when the endpoint refuses the body and there is another one to try."""
        async with self._client.stream("POST", self._url, json=body) as response:
            if response.status_code == httpx2.codes.OK:
                return await _read(response)
            if may_refuse and response.status_code in _REFUSED_BODY:
                return None
            raise refusal(response.status_code, response.headers.get("retry-after"))


def refusal(status: int, retry_after: str | None) -> EngineUnavailable:
    """The failure that an HTTP status other than 200 stands for; nothing that the endpoint wrote is repeated."""
    busy = status == httpx2.codes.TOO_MANY_REQUESTS
    if busy or status >= httpx2.codes.INTERNAL_SERVER_ERROR or status in _PASSING:
        given = (retry_after or "").strip()  # its date form would need a clock that agrees with theirs
        wait = min(int(given), LONGEST_WAIT) if re.fullmatch("[0-9]{1,6}", given) else None
        kind, message = ("busy", "is busy") if busy else ("failed", "failed")
        return _passing(kind, f"The language model {message}.", retry_after=wait, status=status)
    message = _CONFIGURATION.get(status, f"it refuses the request with status {status}.")
    return EngineUnavailable(_MISCONFIGURED + message, retryable=False, kind="refused", status=status)


def read_delta(data: str) -> tuple[str, bool]:
    """The text of one event, or of a whole answer that was not streamed, and whether the model has finished.

    Raises UnreadableReply.
    """
    if data.strip() == _DONE:
        return "", True
    try:
        payload = json.loads(data)
        if payload.get("error"):
            raise UnreadableReply
        if payload["choices"] == []:
            return "", False  # the event that only counts tokens
        choice = payload["choices"][0]
        content = (choice.get("delta") or choice.get("message") or {}).get("content") or ""
        text = content if isinstance(content, str) else "".join(part.get("text") or "" for part in content)
        return text, bool(choice.get("finish_reason"))
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as fault:
        raise UnreadableReply from fault


def without_thinking(text: str) -> str:
    """The answer of a reasoning model without the thoughts that some servers leave in it."""
    return _END_OF_THINKING.sub("", _THINKING.sub("", text)).strip()


async def _read(response: httpx2.Response) -> str:
    if "json" in response.headers.get("content-type", ""):
        whole = bytearray()
        async for piece in response.aiter_bytes():
            whole += piece
            _check_size(response)
        return read_delta(whole.decode(errors="replace"))[0]
    response.encoding = "utf-8-sig"  # event streams are UTF-8, whatever they say, and may begin with its mark
    parts: list[str] = []
    async for event in httpx2.EventSource(response, max_event_size=MOST_EVENT_BYTES):
        _check_size(response)
        if event.data:
            text, ends = read_delta(event.data)
            parts.append(text)
            if ends:
                return "".join(parts)
    raise UnreadableReply  # cut off: neither a finish reason nor [DONE]


def _check_size(response: httpx2.Response) -> None:
    if response.num_bytes_downloaded > MOST_BYTES:
        raise UnreadableReply


def _passing(kind: str, message: str, **more: int | None) -> EngineUnavailable:
    return EngineUnavailable(message, retryable=True, kind=kind, **more)
