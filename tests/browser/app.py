"""A small app on this device: registers itself, sends a person to the gateway, and takes the answer on loopback."""

import asyncio
import hashlib
import secrets
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2

from oauth.grants import DEVICE_CODE
from tests.edge import LEGACY, request
from tests.processes import HOST

PATIENCE = 30.0
PAGE = b"<!doctype html><html lang=en><title>Connected</title><h1>Connected</h1>"
HEAD = (
    f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(PAGE)}\r\nConnection: close\r\n\r\n".encode()
)


@dataclass
class Question:
    """One authorization request, and the future of its answer."""

    address: str
    verifier: str
    told: asyncio.Future[dict[str, str]] = field(default_factory=asyncio.Future)

    async def answer(self) -> dict[str, str]:
        """What the browser brought back."""
        return await asyncio.wait_for(self.told, PATIENCE)


class App:
    """A public client of the gateway at `site`, registered under a name that it chose itself."""

    def __init__(self, web: httpx2.AsyncClient, site: str, redirect_uri: str) -> None:
        self._web, self._site, self.redirect_uri = web, site, redirect_uri
        self.client_id = ""
        self._asked: dict[str, Question] = {}

    async def register(self, name: str) -> None:
        client = {
            "client_name": name,
            "redirect_uris": [self.redirect_uri],
            "grant_types": ["authorization_code", "refresh_token", DEVICE_CODE],
            "token_endpoint_auth_method": "none",
        }
        self.client_id = (await self._post("/oauth/register", json=client))["client_id"]

    def ask(self, scope: str = "sparks:read sparks:write offline_access", **more: str) -> Question:
        """A new request, with a state of its own."""
        state, verifier = secrets.token_urlsafe(), secrets.token_urlsafe(48)
        challenge = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        parameters = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "resource": f"{self._site}/mcp",
            "scope": scope,
            "state": state,
            **more,
        }
        self._asked[state] = Question(f"{self._site}/oauth/authorize?{urlencode(parameters)}", verifier)
        return self._asked[state]

    async def redeem(self, question: Question) -> dict[str, Any]:
        """The token response for the answer of `question`."""
        answer = await question.answer()
        data = {
            "grant_type": "authorization_code",
            "code": answer["code"],
            "redirect_uri": self.redirect_uri,
            "client_id": self.client_id,
            "code_verifier": question.verifier,
            "resource": f"{self._site}/mcp",
        }
        return await self._post("/oauth/token", data=data)

    async def call(self, token: str, tool: str, **arguments: Any) -> httpx2.Response:
        headers, body = request("tools/call", {"name": tool, "arguments": arguments}, era=LEGACY, key=token)
        return await self._web.post(f"{self._site}/mcp", headers=headers, json=body)

    async def start_device(self, scope: str = "sparks:read sparks:write") -> dict[str, Any]:
        """The codes of RFC 8628 for a device that has no browser."""
        return await self._post("/oauth/device_authorization", data={"client_id": self.client_id, "scope": scope})

    async def poll_device(self, device_code: str) -> httpx2.Response:
        data = {"grant_type": DEVICE_CODE, "device_code": device_code, "client_id": self.client_id}
        return await self._web.post(f"{self._site}/oauth/token", data=data)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request of the browser, which also asks for an icon, and connects ahead without asking."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            try:
                target = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
                self._note(dict(parse_qsl(urlsplit(target).query)))
                writer.write(HEAD + PAGE)
                await writer.drain()
            finally:
                writer.close()
                await writer.wait_closed()

    def _note(self, answer: dict[str, str]) -> None:
        if question := self._asked.get(answer.get("state", "")):
            question.told.set_result(answer)

    async def _post(self, path: str, **body: Any) -> dict[str, Any]:
        response = await self._web.post(f"{self._site}{path}", **body)
        assert response.is_success, response.text
        told: dict[str, Any] = response.json()
        return told


@asynccontextmanager
async def listening(site: str) -> AsyncIterator[App]:
    """An app that listens for its answers, not registered yet."""
    async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
        app = App(web, site, "")
        server = await asyncio.start_server(app.take, HOST, 0)
        app.redirect_uri = f"http://{HOST}:{server.sockets[0].getsockname()[1]}/callback"
        async with server:
            yield app
