"""From nothing but an address to a protected call: the Python SDK's OAuth client, through the real pages."""

import re
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from tests.edge import MODERN, request
from tests.journeys.sdk_oauth import App, app_by
from tests.journeys.sign_in_site import CONFIDENTIAL, PUBLIC, SECRET, SignInSite
from tests.journeys.story import SCOPES, TOOLS

WAYS = (("document", "auto"), ("registration", "legacy"), ("settings", "auto"), ("settings with a secret", "legacy"))


async def answer_to(site: SignInSite, token: str, era: str = MODERN) -> httpx2.Response:
    """What the gateway answers to this token."""
    headers, body = request("tools/list", {}, era=era, key=token)
    async with site.web() as web:
        return await web.post("/mcp", headers=headers, json=body)


async def revoke(site: SignInSite, app: App) -> None:
    shown = {"client_secret": SECRET} if app.client_id == CONFIDENTIAL else {}
    form = {"token": app.tokens.refresh_token or "", "client_id": app.client_id, **shown}
    async with site.web() as web:
        answered = await web.post("/oauth/revoke", data=form)
    assert answered.status_code == 200


def is_known_by(way: str, app: App) -> bool:
    forms = {"document": re.escape(app.document or ""), "registration": r"client_[0-9a-f]{32}", "settings": PUBLIC}
    return re.fullmatch(forms.get(way, CONFIDENTIAL), app.client_id) is not None


def asked_for(app: App) -> list[set[str]]:
    """The scopes of each authorization request."""
    queries = [parse_qs(urlsplit(address).query) for address in app.opened]
    return [set(query["scope"][0].split()) - {"offline_access"} for query in queries]


@pytest.mark.requirement("seed:gateway:oauth-locally")
@pytest.mark.parametrize(("way", "era"), WAYS)
async def test_an_app_gets_from_the_bare_address_to_calls_and_back_to_nothing(
    site: SignInSite, way: str, era: str
) -> None:
    async with site.somebody() as person:
        app = app_by(way, site, person)
        async with app.connected(era) as client:
            listed = await client.tools()
            unasked = list(app.opened)
            empty = await client.call("list_my_ai_personas", {})
            made = await client.call("create_ai_persona_or_digital_twin", {"name": f"{way} {era}", "mode": "manual"})
            personas = await client.call("list_my_ai_personas", {})

            app.let_the_token_expire()
            again = await client.call("list_my_ai_personas", {})
            last = app.tokens
            await revoke(site, app)
            refused = await answer_to(site, last.access_token)

    assert (sorted(listed), unasked) == (list(TOOLS), [])
    assert is_known_by(way, app)
    assert empty["personas"] == []
    assert [row["id"] for row in personas["personas"]] == [made["sparkId"]]
    assert again == personas
    assert asked_for(app) == [set(SCOPES.split())]
    assert len({tokens.refresh_token for tokens in app.memory.issued}) == len(app.memory.issued) == 2
    assert refused.status_code == 401
    assert 'error="invalid_token"' in refused.headers["www-authenticate"]


async def test_an_app_that_was_allowed_less_asks_for_more_when_a_call_needs_it(site: SignInSite) -> None:
    async with site.somebody() as person:
        app = app_by("registration", site, person)
        app.refused_scopes = sorted(set(SCOPES.split()) - {"sparks:read"})
        async with app.connected("auto") as client:
            await client.call("list_my_ai_personas", {})
            app.refused_scopes = ()
            await client.call("create_ai_persona_or_digital_twin", {"name": "More", "mode": "manual"})

    assert asked_for(app) == [set(SCOPES.split())] * 2


async def test_an_app_whose_access_was_taken_away_asks_the_person_anew(site: SignInSite) -> None:
    async with site.somebody() as person:
        app = app_by("registration", site, person)
        async with app.connected("auto") as client:
            await client.call("list_my_ai_personas", {})
            await revoke(site, app)
            await client.call("list_my_ai_personas", {})

    assert len(app.opened) == 2
