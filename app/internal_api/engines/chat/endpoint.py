"""One OpenAI-compatible chat endpoint: ask it, read its answer, and name what went wrong."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2

from app.internal_api.engines.engine import UNASKED, EngineUnavailable, current_usage
from app.internal_api.engines.settings import EngineSettings

MOST_BYTES = 4_194_304  # of one reply, whatever it holds
MOST_TOKENS = 100_000_000  # of one call, beyond which it is no number of tokens
MOST_CHARACTERS = 40_000  # of one answer
LONGEST_WAIT = 3_600
_REFUSED_BODY = frozenset({400, 422})
_CONFIGURATION = {401: "refused_key", 402: "unpaid", 403: "refused_key", 404: "unknown_model"}
_UNPAID = b"insufficient_quota"  # OpenAI's code for it, with the status of who asks too often
_PASSING = frozenset({408, 409, 425})
UNREADABLE = "The language model sent an answer that cannot be read."
_TAG = r"(?:think|thinking|thought|reasoning)>"
_THINKING = re.compile(rf"\A(?:\s*<{_TAG}.*?(?:</{_TAG}|\Z))+", re.DOTALL | re.IGNORECASE)
# The opening tag may have been part of the prompt; a tag in the middle of a line is something that is spoken of.
_END_OF_THINKING = re.compile(
    rf"\A(?:(?!<{_TAG}).)*?(?:^</{_TAG}|</{_TAG}[ \t]*$)", re.DOTALL | re.IGNORECASE | re.MULTILINE
)


Message = dict[str, str]
"""One message as the endpoint takes it: its `role` and `content`."""


class Endpoint:
    """Where completions come from; `long` is how many answers' worth of time and length one may take.

    `failure` is what the latest question came to: None where it was answered.
    """

    host: str | None = None
    failure: EngineUnavailable | None = EngineUnavailable("Nothing was asked yet.", kind=UNASKED)

    async def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None, long: int = 1
    ) -> str:
        raise NotImplementedError


class ChatEndpoint(Endpoint):
    """Asks for completions. Every failure becomes an EngineUnavailable that quotes nothing of the endpoint's."""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self.host = urlsplit(str(settings.llm_base_url)).netloc.rpartition("@")[2]
        self._url = f"{str(settings.llm_base_url).rstrip('/')}/chat/completions"
        # Uncompressed, so that what is read is no larger than what is counted.
        headers = {"accept": "application/json", "accept-encoding": "identity"}
        if settings.llm_api_key is not None:
            headers["authorization"] = f"Bearer {settings.llm_api_key.get_secret_value()}"
        self._left_out: dict[bool, frozenset[str]] = {}  # without a schema or with one: what the endpoint refuses
        self._client = httpx2.AsyncClient(timeout=settings.llm_timeout, headers=headers)

    async def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None, long: int = 1
    ) -> str:
        """The whole answer without a reasoning model's thoughts. Raises EngineUnavailable: also where it is empty.

        An endpoint that can is held to the JSON `schema`; one that cannot answers without it.
        """
        try:
            text = await self._answer(messages, schema, long)
        except EngineUnavailable as failure:
            failure.host = self.host
            self.failure = failure
            raise
        self.failure = None
        return text

    async def _answer(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, long: int) -> str:
        try:
            with anyio.fail_after(self._settings.llm_timeout * long):
                answer = await self._ask(messages, schema, long)
            if (usage := current_usage.get()) is not None:
                with suppress(ValueError, RecursionError, LookupError, TypeError):  # not all say what they took
                    tokens = json.loads(answer)["usage"]["total_tokens"]
                    usage.tokens += tokens if isinstance(tokens, int) and 0 <= tokens < MOST_TOKENS else 0
            text = read_completion(answer)[: MOST_CHARACTERS * long]
            if not text:  # a model that reasons until its tokens are used up, as a rule
                raise EngineUnavailable("The language model answered without any text.", kind="empty", status=200)
        except (TimeoutError, httpx2.TimeoutException) as fault:
            raise EngineUnavailable("The language model did not answer in time.", kind="timeout") from fault
        except (httpx2.HTTPError, httpx2.StreamError) as fault:
            message = "The language model cannot be reached, or its answer broke off."
            raise EngineUnavailable(message, kind="unreachable") from fault
        return text

    async def _ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, long: int) -> bytes:
        body: dict[str, Any] = {"model": self._settings.llm_model, "messages": list(messages)}
        most = self._settings.llm_max_tokens
        optional = {"temperature": self._settings.llm_temperature, "max_tokens": most and most * long}
        given = {name: value for name, value in optional.items() if value is not None}
        answer_format = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
        structured = {} if schema is None else {"response_format": answer_format}
        more = {**structured, **given}
        # Some refuse a schema, max_tokens, or any temperature. What went well without them goes without from then on,
        # and without a schema where that of another question is refused.
        steps = dict.fromkeys(map(frozenset[str], ((), structured, given, more)))
        known = self._left_out.get(schema is None)
        steps = steps if known is None else dict.fromkeys((known, known.union(structured)))
        for at, left_out in enumerate(steps, 1):
            try:
                answer = await self._post(body | {name: more[name] for name in more.keys() - left_out}, long)
            except EngineUnavailable as fault:
                if at == len(steps) or fault.status not in _REFUSED_BODY:
                    raise
            else:
                self._left_out[schema is None] = left_out
                return answer
        raise AssertionError  # the last step leaves everything out, and returns or raises

    async def _post(self, body: dict[str, Any], long: int) -> bytes:
        seconds = self._settings.llm_timeout * long
        if (usage := current_usage.get()) is not None:
            usage.calls += 1
        async with self._client.stream("POST", self._url, json=body, timeout=seconds) as response:
            data = bytearray()
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) > MOST_BYTES:
                    raise EngineUnavailable(UNREADABLE, kind="unreadable")
            if response.status_code != httpx2.codes.OK:
                raise refusal(response.status_code, response.headers.get("retry-after"), unpaid=_UNPAID in data)
            return bytes(data)


def refusal(status: int, retry_after: str | None, *, unpaid: bool = False) -> EngineUnavailable:
    """The failure that an HTTP status other than 200 stands for; nothing that the endpoint wrote is repeated."""
    busy = status == httpx2.codes.TOO_MANY_REQUESTS and not unpaid
    if busy or status >= httpx2.codes.INTERNAL_SERVER_ERROR or status in _PASSING:
        given = (retry_after or "").strip()  # its date form would need a clock that agrees with theirs
        wait = min(int(given), LONGEST_WAIT) if re.fullmatch("[0-9]{1,6}", given) else None
        kind, message = ("busy", "is busy") if busy else ("failed", "failed")
        return EngineUnavailable(f"The language model {message}.", kind=kind, retry_after=wait, status=status)
    said = f"The language model refuses the request with status {status}."
    kind = "unpaid" if status == httpx2.codes.TOO_MANY_REQUESTS else _CONFIGURATION.get(status, "refused")
    return EngineUnavailable(said, retryable=False, kind=kind, status=status)


def read_completion(data: bytes) -> str:
    """The text of a completion, without the thoughts that some servers leave in it. Raises EngineUnavailable."""
    try:
        content = json.loads(data)["choices"][0]["message"].get("content") or ""
        text = content if isinstance(content, str) else "".join(part.get("text") or "" for part in content)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as fault:
        raise EngineUnavailable(UNREADABLE, kind="unreadable") from fault
    return without_thoughts(text)


def without_thoughts(text: str) -> str:
    """What a reasoning model says, without what it thought before."""
    return _END_OF_THINKING.sub("", _THINKING.sub("", text)).strip()
