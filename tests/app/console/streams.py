"""Reading what a widget watches, and tokens as this gateway signs them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import jwt
import orjson

from mcp_server.toolkit.secret_file import shared_secret
from mcp_server.toolkit.widgets import LIVE_PATH
from tests.edge import Edge


async def look(edge: Edge, token: str, **headers: str) -> httpx2.Response:
    return await edge.client.post(LIVE_PATH, content=token, headers=headers)


def events(response: httpx2.Response) -> list[dict[str, Any]]:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    return [
        orjson.loads(part.removeprefix("data: ")) for part in response.text.split("\n\n") if part.startswith("data: ")
    ]


def claims_of(token: str) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return claims


def signed(folder: Path, claims: Mapping[str, Any]) -> str:
    """As this gateway signs them."""
    return jwt.encode(dict(claims), shared_secret(folder).get_secret_value(), "HS256")
