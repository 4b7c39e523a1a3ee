"""One OpenAI-compatible chat endpoint: ask it, read its answer, and name what went wrong."""

import json
import re
from collections.abc import Sequence
from typing import Any

import anyio
import httpx2

from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.engines.settings import EngineSettings

MOST_BYTES = 4_194_304  # of one reply, whatever it holds
MOST_CHARACTERS = 40_000  # of one answer
LONGEST_WAIT = 3_600
_REFUSED_BODY = frozenset({400, 422})
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


Message = dict[str, str]
"""One message as the endpoint takes it: its `role` and `content`."""


class ChatEndpoint:
    """Asks for completions. Every failure becomes an EngineUnavailable that quotes nothing of the endpoint's."""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._url = f"{str(settings.llm_base_url).rstrip('/')}/chat/completions"
        # Uncompressed, so that what is read is no larger than what is counted.
        headers = {"accept": "application/json", "accept-encoding": "identity"}
        if settings.llm_api_key is not None:
            headers["authorization"] = f"Bearer {settings.llm_api_key.get_secret_value()}"
        self._client = httpx2.AsyncClient(timeout=settings.llm_timeout, headers=headers)

    async def complete(self, messages: Sequence[Message], *, long: int = 1) -> str:
        """The whole answer, which may be empty, without a reasoning model's thoughts. Raises EngineUnavailable.

        `long` is how many answers' worth of time and length it may take.
        """
        try:
            with anyio.fail_after(self._settings.llm_timeout * long):
                return read_completion(await self._ask(messages, long))[: MOST_CHARACTERS * long]
        except (TimeoutError, httpx2.TimeoutException) as fault:
            raise _passing("timeout", "The language model did not answer in time.") from fault
        except (httpx2.HTTPError, httpx2.StreamError) as fault:
            raise _passing("unreachable", "The language model cannot be reached, or its answer broke off.") from fault

    async def _ask(self, messages: Sequence[Message], long: int) -> bytes:
        body: dict[str, Any] = {"model": self._settings.llm_model, "messages": list(messages)}
        most = self._settings.llm_max_tokens
        optional = {"temperature": self._settings.llm_temperature, "max_tokens": most and most * long}
        given = {name: value for name, value in optional.items() if value is not None}
        try:
            return await self._post({**body, **given}, long)
        except EngineUnavailable as fault:
            if not given or fault.status not in _REFUSED_BODY:
                raise
        # Some models refuse max_tokens, or any temperature; they are asked again without.
        return await self._post(body, long)

    async def _post(self, body: dict[str, Any], long: int) -> bytes:
        seconds = self._settings.llm_timeout * long
        async with self._client.stream("POST", self._url, json=body, timeout=seconds) as response:
            if response.status_code != httpx2.codes.OK:
                raise refusal(response.status_code, response.headers.get("retry-after"))
            data = bytearray()
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) > MOST_BYTES:
                    raise _unreadable()
            return bytes(data)


def refusal(status: int, retry_after: str | None) -> EngineUnavailable:
    """The failure that an HTTP status other than 200 stands for; nothing that the endpoint wrote is repeated."""
    busy = status == httpx2.codes.TOO_MANY_REQUESTS
    if busy or status >= httpx2.codes.INTERNAL_SERVER_ERROR or status in _PASSING:
        given = (retry_after or "").strip()  # its date form would need a clock that agrees with theirs
        wait = min(int(given), LONGEST_WAIT) if re.fullmatch("[0-9]{1,6}", given) else None
        kind, message = ("busy", "is busy") if busy else ("failed", "failed")
        return _passing(kind, f"The language model {message}.", retry_after=wait, status=status)
    message = _CONFIGURATION.get(status, f"it refuses the request with status {status}.")
    said = f"The language model is not set up correctly: {message}"
    return EngineUnavailable(said, retryable=False, kind="refused", status=status)


def read_completion(data: bytes) -> str:
    """The text of a completion, without the thoughts that some servers leave in it. Raises EngineUnavailable."""
    try:
        content = json.loads(data)["choices"][0]["message"].get("content") or ""
        text = content if isinstance(content, str) else "".join(part.get("text") or "" for part in content)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as fault:
        raise _unreadable() from fault
    return _END_OF_THINKING.sub("", _THINKING.sub("", text)).strip()


def _unreadable() -> EngineUnavailable:
    return _passing("unreadable", "The language model sent an answer that cannot be read.")


def _passing(kind: str, message: str, **more: int | None) -> EngineUnavailable:
    return EngineUnavailable(message, retryable=True, kind=kind, **more)
