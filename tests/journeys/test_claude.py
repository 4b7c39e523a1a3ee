"""Claude's way in, from mcp.md 6.2: led by a 401, registered without a name, offline_access, a step-up by 403."""

from typing import Any

from tests.edge import LEGACY, MODERN, messages
from tests.journeys.hosted import Hosted, challenge_of
from tests.journeys.person import answer_of
from tests.journeys.sign_in_site import LOOPBACK, SignInSite
from tests.journeys.story import SCOPES, TOOLS
from tests.processes import free_port

CALLBACK = "https://claude.ai/api/mcp/auth_callback"
HELLO: dict[str, Any] = {
    "protocolVersion": LEGACY,
    "capabilities": {},
    "clientInfo": {"name": "claude-ai", "version": "0.1.0"},
}


async def test_claude_connects_when_a_call_needs_it_and_asks_for_more_when_another_does(site: SignInSite) -> None:
    claude = Hosted(site, CALLBACK, "Claude-User", LEGACY)
    async with site.somebody() as person:
        # Everything before the first protected call is open: there is no card to connect until then.
        hello = await claude.rpc("initialize", **HELLO)
        listed = await claude.rpc("tools/list")
        asked = await claude.call("list_my_ai_personas")
        first = challenge_of(asked.headers["www-authenticate"])
        await claude.discover(first["resource_metadata"])
        registered = await claude.register(
            redirect_uris=[CALLBACK],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            token_endpoint_auth_method="none",
            scope=f"{first['scope']} offline_access",
        )
        await claude.sign_in(person, "sparks:read offline_access")
        personas = await claude.structured("list_my_ai_personas")

        more = await claude.call("create_panel", name="Prices", groupIds=["nobody"])
        second = challenge_of(more.headers["www-authenticate"])
        await claude.sign_in(person, f"{second['scope']} offline_access")
        allowed = await claude.call("create_panel", name="Prices", groupIds=["nobody"])
        await claude.refresh()
        renewed = await claude.structured("list_my_ai_personas")
        dead = await claude.redeem(grant_type="refresh_token", refresh_token="minds_rt_of-nobody")

    assert hello.json()["result"]["protocolVersion"] == LEGACY
    assert sorted(tool["name"] for tool in messages(listed)[-1]["result"]["tools"]) == list(TOOLS)
    assert asked.status_code == 401
    assert first["scope"] == SCOPES
    assert "error" not in first
    assert "client_secret" not in registered
    assert (more.status_code, second["error"]) == (403, "insufficient_scope")
    assert set(second["scope"].split()) == {"flows:read", "flows:write", "sparks:read"}
    assert messages(allowed)[-1]["result"]["structuredContent"]["error"]["code"] == "not_found"  # the tool has looked
    assert renewed == personas
    assert (dead.status_code, dead.json()["error"]) == (400, "invalid_grant")


async def test_claude_code_listens_on_whatever_port_is_free(site: SignInSite) -> None:
    described = site.documents.describe(client_name="Claude Code", redirect_uris=LOOPBACK[:2])
    callback = f"http://localhost:{free_port()}/callback"
    code = Hosted(site, callback, "claude-code/2.1.232", MODERN, described)
    async with site.somebody() as person:
        found = await code.rpc("server/discover")
        asked = await code.call("list_my_ai_personas")
        await code.discover(challenge_of(asked.headers["www-authenticate"])["resource_metadata"])
        address, state, verifier = code.begin("sparks:read offline_access")
        page = await person.asked(address)
        left = await person.press(page, "allow")
        await code.finish(answer_of(left), state, verifier)
        personas = await code.structured("list_my_ai_personas")

    assert found.status_code == 200
    assert "this device" in page.words
    assert (left.left or "").startswith(callback)
    assert personas["personas"] == []
