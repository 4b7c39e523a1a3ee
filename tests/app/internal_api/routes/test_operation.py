"""Who may call what: credentials, scopes and methods."""

import pytest

from app.internal_api.principals import Principal
from tests.app.internal_api.support import ADA, KEYWORDS, World

ONE = "/minds/00000000-0000-4000-8000-000000000000"
AUDIENCE = "/audiences/00000000-0000-4000-8000-000000000000"
STUDY = "/studies/00000000-0000-4000-8000-000000000000"


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
    refused = await world.client(None, headers={"Authorization": "Basic ada"}).get("/auth/me")

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
        ("GET", "/audiences", "flows:read"),
        ("POST", "/groups", "flows:write"),
        ("GET", AUDIENCE, "flows:read"),
        ("PUT", AUDIENCE, "flows:write"),
        ("DELETE", AUDIENCE, "flows:write"),
        ("GET", f"{AUDIENCE}/members", "flows:read"),
        ("POST", f"{AUDIENCE}/members", "flows:write"),
        ("DELETE", f"{AUDIENCE}/members/{ONE[7:]}", "flows:write"),
        ("GET", "/studies", "flows:read"),
        ("POST", "/panels", "flows:write"),
        ("GET", STUDY, "flows:read"),
        ("DELETE", STUDY, "flows:write"),
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


async def _demo(world: World) -> tuple[str, str]:
    """The id and the token of a new demo mind."""
    created = (await world.client("demo").post("/minds", json=KEYWORDS)).json()["data"]
    return str(created["id"]), str(created["demo"]["token"])


@pytest.mark.parametrize("path", ["/minds/{}", "/minds/{}/training", "/sparks/{}", "/sparks/{}/training"])
async def test_a_demo_token_alone_reads_its_mind_and_nothing_else(world: World, path: str) -> None:
    mind_id, token = await _demo(world)
    other_id, lasting_id = (await _demo(world))[0], await world.mind()
    visitor = world.client(None, headers={"x-minds-demo-token": token})

    own, other, lasting = [
        (await visitor.get(path.format(each))).status_code for each in (mind_id, other_id, lasting_id)
    ]
    wrong = await world.client(None, headers={"x-minds-demo-token": f"{token}x"}).get(path.format(mind_id))

    assert (own, other, lasting, wrong.status_code) == (200, 404, 404, 404)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/minds"),
        ("GET", "/auth/me"),
        ("POST", "/minds"),
        ("DELETE", "/minds/{}"),
        ("POST", "/minds/{}/retrain"),
        ("POST", "/minds/{}/regenerate-prompt"),
        ("GET", "/minds/{}/knowledge"),
        ("POST", "/minds/{}/knowledge"),
        ("POST", "/minds/{}/completion"),
    ],
)
async def test_a_demo_token_is_no_credential_for_anything_else(world: World, method: str, path: str) -> None:
    mind_id, token = await _demo(world)
    visitor = world.client(None, headers={"x-minds-demo-token": token})

    refused = await visitor.request(method, path.format(mind_id), json=KEYWORDS)

    assert refused.status_code == 401


@pytest.mark.parametrize("headers", [{"x-minds-demo-token": ""}, {"Authorization": "Bearer revoked"}])
async def test_a_missing_token_and_a_wrong_credential_make_no_visitor(world: World, headers: dict[str, str]) -> None:
    mind_id, token = await _demo(world)

    refused = await world.client(None, headers={"x-minds-demo-token": token, **headers}).get(f"/minds/{mind_id}")

    assert refused.status_code == 401
