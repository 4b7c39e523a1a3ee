"""From nothing but an address to a protected call: the TypeScript SDK's client with its own OAuth flow."""

import json
from collections.abc import Collection
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.journeys.clients import TypeScriptClient, typescript_program
from tests.journeys.person import Person
from tests.journeys.sign_in_site import SignInSite
from tests.journeys.story import SCOPES, TOOLS

REDIRECT = "http://localhost:33421/callback"


async def let_in(
    client: TypeScriptClient, person: Person, tool: str, without: Collection[str] = (), **arguments: Any
) -> tuple[dict[str, str], Any]:
    """What the client asks the person for when it makes this call, and the content that it gets in the end."""
    opened = await client.ask("tools/call", {"name": tool, "arguments": arguments})
    answer = await person.allow(opened["open"], without)
    assert client.process.stdin is not None
    client.process.stdin.write(json.dumps(answer).encode() + b"\n")
    result = await client.line()
    return dict(parse_qsl(urlsplit(opened["open"]).query)), result["structuredContent"]


@pytest.mark.parametrize(("way", "era"), [("registration", "legacy"), ("document", "auto")])
async def test_an_app_signs_in_and_asks_for_more_where_less_was_allowed(site: SignInSite, way: str, era: str) -> None:
    words = {"document": site.documents.describe(client_name="journey")} if way == "document" else {}
    async with (
        site.somebody() as person,
        typescript_program("typescript_oauth.mjs", site.url, REDIRECT, era, json.dumps(words)) as (client, _),
    ):
        listed = await client.tools()
        asked, empty = await let_in(client, person, "list_my_ai_personas", set(SCOPES.split()) - {"sparks:read"})
        wish = {"name": f"{way} {era}", "mode": "manual"}
        more, made = await let_in(client, person, "create_ai_persona_or_digital_twin", **wish)
        personas = await client.call("list_my_ai_personas", {})

    assert sorted(listed) == list(TOOLS)
    assert asked["client_id"] == more["client_id"]
    assert asked["client_id"] == next(iter(words.values()), asked["client_id"])
    assert set(asked["scope"].split()) >= set(SCOPES.split())
    assert set(more["scope"].split()) >= {"sparks:read", "sparks:write"}
    assert empty["personas"] == []
    assert [row["id"] for row in personas["personas"]] == [made["sparkId"]]
