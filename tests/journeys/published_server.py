"""The published API as a process of its own: `python -m tests.journeys.published_server PORT current|sparks`.

A question that ends with a mark such as `[cut]` is answered in that odd way; see `WAYS`.
"""

import json
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from tests.journeys.published import OLDER, Published, Refused, renamed

KEY = f"minds_{'a' * 48}"
PADDING = b": " + b" " * 2048 + b"\n\n"
CHUNK = 7
DIALECTS = ("current", "sparks")

Events = Iterable[dict[str, Any]]


def _plain(events: Events) -> Iterator[bytes]:
    yield PADDING
    for event in events:
        yield b"data: " + json.dumps(event).encode() + b"\n\n"


def _odd(events: Events) -> Iterator[bytes]:
    """Heartbeats between events, CRLF, data over several lines, and pieces that end anywhere."""
    whole = PADDING
    for event in events:
        lines = json.dumps(event, indent=1).splitlines()
        whole += b": heartbeat\r\n\r\n" + b"".join(b"data: " + line.encode() + b"\r\n" for line in lines) + b"\r\n"
    yield from (whole[start : start + CHUNK] for start in range(0, len(whole), CHUNK))


def _cut(events: Events) -> Iterator[bytes]:
    """The connection breaks after two answers; the question is answered all the same."""
    told = list(_plain(events))
    yield from told[:5]
    raise ConnectionResetError


def _without_result(events: Events) -> Iterator[bytes]:
    return _plain([event for event in events if event["type"] != "result"])


def _failing(events: Events) -> Iterator[bytes]:
    told = list(islice(events, 3))
    return _plain([*told, {"type": "error", "status": 500, "message": "SELECT secret"}, {"type": "done"}])


WAYS: dict[str, Callable[[Events], Iterator[bytes]]] = {
    "[odd]": _odd,
    "[cut]": _cut,
    "[without result]": _without_result,
    "[failing]": _failing,
}


class Server:
    """The routes of one dialect; those of the other are not there."""

    def __init__(self, dialect: str) -> None:
        self.kept, self.older = Published(), dialect == "sparks"

    def app(self) -> Starlette:
        minds, audiences, studies = ("sparks", "groups", "panels") if self.older else ("minds", "audiences", "studies")
        routes = [
            ("GET", "/auth/me", lambda _: {"id": "0b7e7a43-6d9c-4f43-8a3a-1f2a3d1c0b11"}),
            ("GET", f"/{minds}", self.list_minds),
            ("POST", f"/{minds}", self.create_mind),
            ("GET", f"/{minds}/{{id}}", lambda call: {"data": self.kept.detail(call["id"])}),
            ("GET", f"/{minds}/{{id}}/knowledge", self.knowledge),
            ("POST", f"/{minds}/{{id}}/completion", self.complete),
            ("GET", f"/{audiences}", lambda call: _page(self.kept.audiences.values(), call)),
            ("POST", f"/{audiences}", lambda call: self.group(call["body"])),
            ("GET", f"/{studies}", self.list_studies),
            ("POST", f"/{studies}", lambda call: {"data": self.kept.create_study(call["body"])}),
            ("GET", f"/{studies}/{{id}}", lambda call: {"data": self.kept.study(call["id"])}),
        ]
        if not self.older:  # no document of the older API has it
            routes.append(("GET", f"/{minds}/{{id}}/training", lambda call: self.kept.training(call["id"])))
        made = [Route(path, self.handler(answer), methods=[method]) for method, path, answer in routes]
        made.append(Route(f"/{studies}/{{id}}/ask", self.ask, methods=["POST"]))
        made.append(Route("/openapi.json", lambda _: JSONResponse({"paths": {f"/api/v1/{minds}": {}}})))
        handlers: dict[Any, Any] = {Refused: _refused, 404: _no_route}
        return Starlette(routes=[Mount("/api/v1", routes=made)], exception_handlers=handlers)

    def handler(self, answer: Callable[[dict[str, Any]], Any]) -> Callable[[Request], Any]:
        async def handle(request: Request) -> Response:
            told = answer(await self.call(request))
            status = 201 if request.method == "POST" and "completion" not in request.url.path else 200
            return JSONResponse(renamed(told, OLDER) if self.older else told, status)

        return handle

    async def call(self, request: Request) -> dict[str, Any]:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            raise Refused(401, "Unauthorized")
        sent = await request.body()
        body = json.loads(sent) if sent else {}
        retired = sorted(set(body) & set(OLDER if self.older else OLDER.values()))
        if retired:
            raise Refused(400, f"Unknown field {retired[0]}")
        names = {before: today for today, before in OLDER.items()}
        known = renamed(body, names) if self.older else body
        return {**request.path_params, **request.query_params, "body": known}

    def create_mind(self, call: dict[str, Any]) -> Any:
        mind = self.kept.create_mind(call["body"])
        queued = {"status": "queued", "readyToChat": False, "message": None, "startedAt": None, "completedAt": None}
        return {"data": mind, "training": {"queued": True} if self.older else queued}

    def list_minds(self, call: dict[str, Any]) -> Any:
        wanted = str(call.get("search", "")).lower()
        return _page([mind for mind in self.kept.minds.values() if wanted in mind["name"].lower()], call)

    def knowledge(self, call: dict[str, Any]) -> Any:
        self.kept.mind(call["id"])
        return {"success": True, "data": {"items": [], "total": 0}}

    def complete(self, call: dict[str, Any]) -> Any:
        if not self.kept.is_trained(call["id"]):
            raise Refused(409, "Not ready", code="SPARK_NOT_READY", mindId=call["id"], trainingStatus="running")
        said = call["body"]["messages"][-1]["content"]
        return {"messageId": f"msg_{'0' * 32}", "content": f"You said: {said}"}

    def group(self, body: dict[str, Any]) -> Any:
        made = self.kept.create_audience(body.get("name"), body.get("mindIds", []))
        return {"data": {**made, "mindIds": [mind["id"] for mind in made["minds"]], "currentMemberRole": "owner"}}

    def list_studies(self, call: dict[str, Any]) -> Any:
        rows = [{**one, "messageCount": len(one["messages"])} for one in self.kept.studies.values()]
        return _page([{key: value for key, value in row.items() if key != "messages"} for row in rows], call)

    async def ask(self, request: Request) -> Response:
        call = await self.call(request)
        moment = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        events = self.kept.ask(call["id"], call["body"], moment)
        told = (renamed(event, OLDER) for event in events) if self.older else events
        way = next((way for mark, way in WAYS.items() if call["body"]["question"].endswith(mark)), _plain)
        return StreamingResponse(_in_order(way(told)), media_type="text/event-stream")


async def _in_order(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


def _page(rows: Iterable[Any], call: dict[str, Any]) -> Any:
    limit, offset, all_rows = int(call.get("limit", 100)), int(call.get("offset", 0)), list(rows)
    page = {"total": len(all_rows), "limit": limit, "offset": offset}
    return {"data": all_rows[offset : offset + limit], "pagination": page}


async def _refused(request: Request, error: Refused) -> Response:
    said = {"statusCode": error.status, "statusMessage": str(error), "message": str(error), "url": request.url.path}
    return JSONResponse({**said, "error": True, **({"data": error.data} if error.data else {})}, error.status)


async def _no_route(request: Request, _error: Exception) -> Response:
    return await _refused(request, Refused(404, "No such route"))


if __name__ == "__main__":
    port, dialect = sys.argv[1:]
    uvicorn.run(Server(dialect).app(), host="127.0.0.1", port=int(port), log_level="warning")
