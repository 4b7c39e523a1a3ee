"""The internal API as a stub that serves documented fields only, in either dialect, whatever a test wrote it in."""

from collections.abc import Mapping
from typing import Any

import httpx2
import orjson

from tests.support import FakeApi, Reply

DIALECTS = ("current", "sparks")
PATHS = {"minds": "sparks", "audiences": "groups", "studies": "panels"}
KEYS = {
    "minds": "sparks",
    "mindId": "sparkId",
    "mindIds": "sparkIds",
    "mindName": "sparkName",
    "mindCount": "sparkCount",
    "audience": "group",
    "audiences": "groups",
    "audienceId": "groupId",
    "audienceIds": "groupIds",
    "audienceName": "groupName",
    "audienceConfigs": "groupConfigs",
    "studyMode": "flowMode",
}


class SpokenApi(FakeApi):
    """Tests write routes and bodies in today's words; in the dialect `sparks` the network hears the older ones only.

    `bodies` holds what was sent on each route, in today's words.
    """

    missing = Reply({"statusCode": 404}, 404)

    def __init__(self, dialect: str = "current") -> None:
        super().__init__()
        self.dialect = dialect
        self.bodies: dict[str, list[Any]] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        self.asked.append(request)
        path = request.url.path.removeprefix("/api/v1")
        if path == "/openapi.json":
            first = "minds" if self.dialect == "current" else "sparks"
            return _response(Reply({"paths": {f"/api/v1/{first}": {}}}), request)
        route = f"{request.method} {self._today(path)}"
        if request.content:
            self.bodies.setdefault(route, []).append(self._heard(orjson.loads(request.content)))
        reply = await self._reply(route, request)
        return _response(Reply(self._said(reply.body), reply.status, reply.headers), request)

    def _today(self, path: str) -> str:
        _, first, *rest = path.split("/")
        if self.dialect == "current":
            return path
        back = {before: today for today, before in PATHS.items()}
        assert first not in PATHS, f"{path} is in today's words"
        return "/".join(["", back.get(first, first), *rest])

    def _heard(self, body: Any) -> Any:
        return body if self.dialect == "current" else _renamed(body, {old: new for new, old in KEYS.items()})

    def _said(self, body: Any) -> Any:
        if self.dialect == "current":
            return body
        if not isinstance(body, bytes):
            return _renamed(body, KEYS)
        lines = body.split(b"\n")
        return b"\n".join(
            b"data: " + orjson.dumps(_renamed(orjson.loads(line[6:]), KEYS)) if line.startswith(b"data: ") else line
            for line in lines
        )


def _response(reply: Reply, request: httpx2.Request) -> httpx2.Response:
    content = reply.body if isinstance(reply.body, bytes) else orjson.dumps(reply.body)
    return httpx2.Response(reply.status, content=content, headers=dict(reply.headers), request=request)


def _renamed(body: Any, names: Mapping[str, str]) -> Any:
    if isinstance(body, dict):
        return {names.get(key, key): _renamed(value, names) for key, value in body.items()}
    return [_renamed(each, names) for each in body] if isinstance(body, list) else body
