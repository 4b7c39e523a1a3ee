"""Who may call what: credentials, scopes and methods."""

import pytest

from app.internal_api.principals import Principal
from tests.app.internal_api.support import ADA, World

ONE = "/minds/00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize("bearer", [None, "revoked", ""])
async def test_missing_and_wrong_credentials_are_refused_alike(world: World, bearer: str | None) -> None:
    refused = await world.client(bearer).get("/minds")

    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.json() == {
        "statusCode": 401,
        "statusMessage": "Unauthorized",
        "message": "Unauthorized",
        "url": "/api/v1/minds",
        "error": True,
    }


async def test_another_scheme_than_bearer_is_refused(world: World) -> None:
    refused = await world.client(None, Authorization="Basic ada").get("/auth/me")

    assert refused.status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/minds", "sparks:read"),
        ("POST", "/minds", "sparks:write"),
        ("GET", ONE, "sparks:read"),
        ("DELETE", ONE, "sparks:write"),
        ("GET", f"{ONE}/training", "sparks:read"),
        ("POST", f"{ONE}/retrain", "sparks:write"),
        ("POST", f"{ONE}/regenerate-prompt", "sparks:write"),
        ("GET", f"{ONE}/knowledge", "sparks:read"),
        ("POST", f"{ONE}/knowledge", "sparks:write"),
        ("GET", f"{ONE}/knowledge/{ONE[7:]}/status", "sparks:read"),
        ("POST", f"{ONE}/completion", "sparks:chat"),
    ],
)
async def test_a_missing_scope_is_named(world: World, method: str, path: str, scope: str) -> None:
    others = ADA.scopes - {scope}
    world.principals.known["narrow"] = Principal(ADA.user_id, others)

    refused = await world.client("narrow").request(method, path, json={})

    assert refused.status_code == 403
    assert refused.json()["data"] == {"code": "INSUFFICIENT_SCOPE", "required": [scope]}


async def test_a_wrong_method_is_told_the_right_ones(world: World) -> None:
    refused = await world.client().put("/minds", json={})

    assert refused.status_code == 405
    assert refused.headers["allow"] == "GET, POST"
    assert refused.json()["statusMessage"] == "Method Not Allowed"
