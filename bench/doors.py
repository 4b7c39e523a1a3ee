"""Two ways in by which a panel is asked: the internal API itself, and the tool `ask_panel` over the protocol."""

import contextlib
import http.client
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bench.watching import PATIENCE
from tests.processes import HOST

ERA = "2025-11-25"
PROGRESS = "notifications/progress"


class Wrong(RuntimeError):
    """An answer that is none: its time means nothing."""


@dataclass(frozen=True)
class Told:
    """What one question came to. `first` is the second in which the first answer was told."""

    answers: int
    failed: int
    first: float


class Door(Protocol):
    """One way in."""

    name: str

    def ask(self, study: str, question: str) -> Told:
        """Ask, and wait for all answers."""
        ...


class Api:
    """The embedded API, as a plain client sees it."""

    name = "REST"

    def __init__(self, port: int, key: str) -> None:
        self._web = _Web(port, key)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        with self._web.ask(method, f"/api/v1{path}", body) as answer:
            return json.loads(answer.read() or b"null")

    def ask(self, study: str, question: str) -> Told:
        begun, first = time.perf_counter(), 0.0
        states = []
        with self._web.ask("POST", f"/api/v1/studies/{study}/ask", {"question": question}) as answer:
            for event in _events(answer):
                if event["type"] == "answer":
                    first = first or time.perf_counter() - begun
                    states.append(event["status"])
        return Told(len(states), sum(state != "answered" for state in states), first)


class Mcp:
    """The tool, as a client sees it that wants progress."""

    name = "ask_panel"

    def __init__(self, port: int, key: str) -> None:
        self._web = _Web(port, key)

    def ask(self, study: str, question: str) -> Told:
        begun, first = time.perf_counter(), 0.0
        status = "processing"
        while status == "processing":
            for message in self._call({"panelId": study, "question": question}):
                if message.get("method") == PROGRESS and message["params"]["progress"] > 0:
                    first = first or time.perf_counter() - begun
                if "method" not in message:
                    told = _structured(message)
                    status = told["status"]
        if status != "completed":
            raise Wrong(f"ask_panel: {told}")
        return Told(told["done"], told["result"]["overall"]["failed"], first)

    def _call(self, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        params = {"name": "ask_panel", "arguments": arguments, "_meta": {"progressToken": "bench"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        with self._web.ask("POST", "/mcp", message) as answer:
            if answer.headers.get_content_type() == "text/event-stream":
                yield from _events(answer)
            else:
                yield json.loads(answer.read())


class _Web:
    def __init__(self, port: int, key: str) -> None:
        self._port = port
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": ERA,
        }

    @contextlib.contextmanager
    def ask(self, method: str, path: str, body: Any) -> Iterator[http.client.HTTPResponse]:
        with contextlib.closing(http.client.HTTPConnection(HOST, self._port, timeout=PATIENCE)) as connection:
            connection.request(method, path, json.dumps(body) if body is not None else None, self._headers)
            answer = connection.getresponse()
            if answer.status >= http.client.BAD_REQUEST:
                raise Wrong(f"{method} {path}: {answer.status} {answer.read(2000)!r}")
            yield answer


def _events(answer: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    for line in answer:
        if line.startswith(b"data: ") and line.strip() != b"data:":
            yield json.loads(line[6:])


def _structured(message: Mapping[str, Any]) -> dict[str, Any]:
    result = message.get("result") or {}
    if "structuredContent" not in result or result.get("isError"):
        raise Wrong(f"ask_panel: {message}")
    told: dict[str, Any] = result["structuredContent"]
    return told
