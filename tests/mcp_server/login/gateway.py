"""A small gateway of the RFCs (8414, 8628, 6749 section 6, 7009) on a real port, with the API behind it.

It knows nothing of the product: what the client says to it is taken down, and what it answers is the test's to say.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.edge import free_socket, served

PENDING, REFUSED = "authorization_pending", "access_denied"


@dataclass
class Gateway:
    """Its answers to polls come one after the other; then it gives tokens. `grace` is that of RFC 9700 section 4.14."""

    site: str
    polls: list[str | int] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    device: dict[str, Any] = field(default_factory=dict)
    metadata_status: int = 200
    renewal_status: int = 200
    revocation_status: int = 200
    expires_in: int = 3600
    grace: bool = True
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    bearers: list[str] = field(default_factory=list)
    good: set[str] = field(default_factory=set)
    current: str | None = None
    successors: dict[str, str] = field(default_factory=dict)
    held: asyncio.Event | None = None
    """While it is not set, renewals wait."""
    _number: Any = field(default_factory=lambda: count(1))

    def issue(self) -> dict[str, Any]:
        number = next(self._number)
        access, self.current = f"access-{number}-{'x' * 700}", f"refresh-{number}"
        self.good = {access}
        return self._answer(access, self.current)

    def revoke(self) -> None:
        """As if somebody had disconnected the command line on the account page."""
        self.good, self.current = set(), None

    def sent(self, path: str) -> list[dict[str, str]]:
        return [form for where, form in self.requests if where == path]

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/oauth-authorization-server", self._metadata),
                Route("/oauth/device_authorization", self._device, methods=["POST"]),
                Route("/oauth/token", self._token, methods=["POST"]),
                Route("/oauth/revoke", self._revoke, methods=["POST"]),
                Route("/api/v1/minds", self._minds, methods=["GET", "POST"]),
            ]
        )

    async def _metadata(self, _request: Request) -> Response:
        told = {
            "issuer": self.site,
            "token_endpoint": f"{self.site}/oauth/token",
            "device_authorization_endpoint": f"{self.site}/oauth/device_authorization",
            "revocation_endpoint": f"{self.site}/oauth/revoke",
            **self.metadata,
        }
        return JSONResponse({name: value for name, value in told.items() if value}, self.metadata_status)

    async def _device(self, request: Request) -> Response:
        await self._note(request)
        return JSONResponse(
            {
                "device_code": "the-device-code",
                "user_code": "BCDF-GHJK",
                "verification_uri": f"{self.site}/oauth/device",
                "verification_uri_complete": f"{self.site}/oauth/device?user_code=BCDF-GHJK",
                "expires_in": 600,
                "interval": 0.05,
                **self.device,
            }
        )

    async def _token(self, request: Request) -> Response:
        form = await self._note(request)
        if form["grant_type"] == "refresh_token":
            return await self._renew(form["refresh_token"])
        said = self.polls.pop(0) if self.polls else None
        if isinstance(said, int):
            return Response("out of order", said)
        return JSONResponse(self.issue()) if said is None else JSONResponse({"error": said}, 400)

    async def _renew(self, shown: str) -> Response:
        if self.held is not None:
            await self.held.wait()
        if self.renewal_status != 200:
            return JSONResponse({"error": "server_error"}, self.renewal_status)
        if shown == self.current:
            answer = self.issue()
            self.successors[shown] = answer["access_token"]
            return JSONResponse(answer)
        if self.grace and shown in self.successors and self.current is not None:
            return JSONResponse(self._answer(self.successors[shown], self.current))
        self.revoke()  # reuse: the family ends
        return JSONResponse({"error": "invalid_grant", "error_description": "hunter2"}, 400)

    async def _revoke(self, request: Request) -> Response:
        form = await self._note(request)
        if self.revocation_status == 200 and form["token"] == self.current:
            self.revoke()
        return Response(status_code=self.revocation_status)

    async def _minds(self, request: Request) -> Response:
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        self.bearers.append(bearer)
        if bearer not in self.good:
            return JSONResponse({"statusCode": 401}, 401)
        return JSONResponse({"data": [], "echo": (await request.body()).decode()})

    async def _note(self, request: Request) -> dict[str, str]:
        form = {name: str(value) for name, value in (await request.form()).items()}
        self.requests.append((request.url.path, form))
        return form

    def _answer(self, access: str, refresh: str) -> dict[str, Any]:
        return {"access_token": access, "token_type": "Bearer", "expires_in": self.expires_in, "refresh_token": refresh}


@asynccontextmanager
async def gateway(**values: Any) -> AsyncIterator[Gateway]:
    """One that listens on loopback until the block ends."""
    sock = free_socket()
    made = Gateway(f"http://127.0.0.1:{sock.getsockname()[1]}", **values)
    async with served(uvicorn.Config(made.app, lifespan="off", log_config=None, timeout_graceful_shutdown=1), sock):
        yield made
