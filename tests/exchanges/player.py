"""Plays raw HTTP requests against a gateway and writes each exchange down as readable text."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal
from urllib.parse import urlencode

import httpx2

from tests.exchanges.masking import UNEVEN, Masks

PATIENCE = 60.0
"""Seconds that work in the background may take on a busy machine."""
NOT_SENT = ("user-agent", "accept-encoding", "connection")
Shown = Literal["body", "shape", "nothing"]


class Player:
    """One client of the gateway, at a network address of its own, and the transcript of what it was answered."""

    def __init__(self, client: httpx2.AsyncClient, address: str, key: str, narrow_key: str, account: str) -> None:
        self._client, self._address = client, address
        self.key, self.narrow_key, self.account = key, narrow_key, account
        self.masks = Masks()
        self.exchanges: list[str] = []

    async def __call__(
        self,
        name: str,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        json_body: Any = None,
        form: Mapping[str, str] | None = None,
        key: str | None = None,
        show: Shown = "body",
        summary: Callable[[httpx2.Response], str] | None = None,
        until: Callable[[httpx2.Response], bool] = lambda _: True,
    ) -> httpx2.Response:
        """Send a request, again while `until` is false, and record the last exchange under `name`.

        Only the keys and types of a JSON body are recorded with `show="shape"`, and with `summary` what that returns.
        """
        given = {"x-forwarded-for": self._address, **(headers or {})}
        if key is not None:
            given["authorization"] = f"Bearer {key}"
        if json_body is not None:
            given.setdefault("content-type", "application/json")
            content = json.dumps(json_body, separators=(",", ":"), ensure_ascii=False).encode()
        if form is not None:
            given.setdefault("content-type", "application/x-www-form-urlencoded")
            content = urlencode(form).encode()
        deadline = time.monotonic() + PATIENCE
        while not until(response := await self._sent(method, path, given, content)):
            assert time.monotonic() < deadline, f"{name}: never done, but {response.text}"
            await asyncio.sleep(0.05)
        self.exchanges.append(self._written(name, response, given, content, show, summary))
        return response

    async def _sent(self, method: str, path: str, headers: Mapping[str, str], content: bytes | None) -> httpx2.Response:
        request = self._client.build_request(method, path, headers=dict(headers), content=content)
        for header in NOT_SENT:
            request.headers.pop(header, None)
        if "accept" not in {name.lower() for name in headers}:
            request.headers.pop("accept", None)
        self._client.cookies.clear()  # each request carries what it says, and nothing else
        return await self._client.send(request, follow_redirects=False)

    def _written(
        self,
        title: str,
        response: httpx2.Response,
        headers: Mapping[str, str],
        content: bytes | None,
        show: Shown,
        summary: Callable[[httpx2.Response], str] | None,
    ) -> str:
        asked = [f"{response.request.method} {response.request.url.raw_path.decode()}"]
        asked += [f"{header}: {value}" for header, value in headers.items() if header != "x-forwarded-for"]
        told = [_header(name.decode(), value.decode("latin-1")) for name, value in response.headers.raw]
        body = summary(response) if summary is not None else SHOWN[show](response.content)
        body = self.masks.applied(body)
        if summary is not None or show != "body" or UNEVEN.search(body):
            told = [line for line in told if not line.lower().startswith("content-length:")]
        status = "\n".join([f"HTTP {response.status_code}", *told])
        before = [self.masks.applied(part) for part in ("\n".join(asked), _shortened(readable(content or b"")), status)]
        return f"=== {title}\n" + "\n\n".join([part for part in [*before, body] if part]) + "\n"

    def transcript(self) -> str:
        """All exchanges, in order."""
        return "\n".join(self.exchanges)


def _header(name: str, value: str) -> str:
    """A line of the head. Starlette says the methods of `Allow` in the order of a set: another in each process."""
    return f"{name}: {', '.join(sorted(value.split(', ')))}" if name.lower() == "allow" else f"{name}: {value}"


def readable(content: bytes) -> str:
    """Text as it is. Compact JSON is indented, which loses nothing because only compact JSON is."""
    text = content.decode("utf-8", "replace").replace("\r", "␍")
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if json.dumps(value, separators=(",", ":"), ensure_ascii=False) != text or not isinstance(value, dict | list):
        return text
    return json.dumps(value, indent=1, ensure_ascii=False)


def _shortened(text: str) -> str:
    longest = 4_000
    return text if len(text) <= longest else f"{text[:40]}… ({len(text)} characters)"


def shape(content: bytes) -> str:
    """The paths of a JSON value with the types that stand there; those of the first `data:` line of a stream."""
    text = content.decode()
    if not text.startswith("{"):
        text = next(line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {"))
    return "\n".join(sorted(set(_paths(json.loads(text), "$"))))


def _paths(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _paths(inner, f"{path}.{name}")
    elif isinstance(value, list):
        yield f"{path}: array"
        for inner in value:
            yield from _paths(inner, f"{path}[]")
    else:
        yield f"{path}: {'number' if type(value) in {int, float} else type(value).__name__}"


SHOWN: Mapping[Shown, Callable[[bytes], str]] = {
    "body": readable,
    "shape": shape,
    "nothing": lambda _: "(not recorded)",
}
