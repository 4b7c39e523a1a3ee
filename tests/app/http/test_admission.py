"""Listing is open; a call needs what its tool says, and the refusal says what that is."""

import re
from pathlib import Path

import pytest

from app.composition import Parts
from mcp_server.toolset import Toolset
from tests.edge import BOTH_TYPES, ERAS, READ, SITE, Edge, private, refusal, request, running, settings_for, share, tool

METADATA = f"{SITE}/.well-known/oauth-protected-resource/mcp"
LIKE_OURS = ["/mcp/", "//mcp", "/MCP", "/mcp;a=b", "/mcp%2f", "/%2fmcp", "/x/%2e%2e/mcp", "/..;/mcp", "/mcp.json"]
LIKE_OURS += ["/mcp\\", "/mcp%5c", "/mcp%3f", "/mcp%23", "/mcp%09", "/mcp%c0%af"]


@pytest.mark.security("RS-01", "RS-03")
@pytest.mark.parametrize("era", ERAS)
async def test_without_a_credential_there_is_one_challenge_and_no_error_in_it(edge: Edge, era: str) -> None:
    response = await edge.call("private", era=era)

    assert response.status_code == 401
    assert response.headers.get_list("www-authenticate") == [
        f'Bearer resource_metadata="{METADATA}", scope="sparks:read"'
    ]
    assert response.json()["id"] == 1
    assert response.json()["error"]["data"]["code"] == "AUTHENTICATION_REQUIRED"


@pytest.mark.parametrize("key", [None, "minds_" + "0" * 48])
@pytest.mark.parametrize("era", ERAS)
async def test_who_has_to_sign_in_is_asked_once_for_all_that_tools_want(
    tmp_path: Path, era: str, key: str | None
) -> None:
    tools = (tool(private, public=False, scopes=READ), tool(share, public=False, scopes=frozenset({"flows:read"})))
    async with running(settings_for(tmp_path), Parts(toolsets=[Toolset("two", tools)])) as edge:
        challenge = (await edge.call("private", era=era, key=key)).headers["www-authenticate"]
        listed = (await edge.client.get(METADATA)).json()["scopes_supported"]

    assert re.findall(' scope="([^"]+)"', challenge) == [" ".join(listed)] == ["flows:read sparks:read"]


@pytest.mark.security("RS-02")
async def test_the_challenge_leads_to_the_metadata_of_the_address_that_was_called(edge: Edge) -> None:
    challenge = (await edge.call("private")).headers["www-authenticate"]

    address = re.findall(r'resource_metadata="([^"]+)"', challenge)
    document = await edge.client.get(address[0])

    assert document.status_code == 200
    assert document.json()["resource"] == f"{SITE}/mcp"


@pytest.mark.security("RS-16", "AK-09", "RS-10")
@pytest.mark.parametrize("era", ERAS)
async def test_a_key_without_the_scope_is_told_which_scopes_the_call_needs(edge: Edge, era: str) -> None:
    response = await edge.call("private", era=era, key=edge.narrow_key)

    challenge = response.headers["www-authenticate"]
    assert response.status_code == 403
    assert challenge.startswith('Bearer error="insufficient_scope"')
    assert f'resource_metadata="{METADATA}"' in challenge
    assert 'scope="sparks:read"' in challenge
    assert response.json()["error"]["data"]["requiredScopes"] == ["sparks:read"]


CHATGPT = {"user-agent": "openai-mcp/1.0.0"}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("agent", ["openai-mcp/1.0.0", "OpenAI-MCP", "openai-mcp/2 (ChatGPT)"])
async def test_a_client_that_signs_in_from_a_result_reads_the_challenge_there(edge: Edge, agent: str, era: str) -> None:
    response = await edge.call("private", {"text": "unasked"}, era=era, headers={"user-agent": agent})

    result = response.json()["result"]
    assert response.status_code == 200
    assert result["isError"] is True
    assert result["_meta"]["mcp/www_authenticate"] == [f'Bearer resource_metadata="{METADATA}", scope="sparks:read"']
    assert result["structuredContent"]["error"]["code"] == "authentication_required"
    assert result["content"][0]["text"].startswith("authentication_required: ")
    assert "unasked" not in edge.stage.calls


@pytest.mark.security("RS-16")
@pytest.mark.parametrize("era", ERAS)
async def test_such_a_client_is_asked_for_all_scopes_that_the_call_needs(edge: Edge, era: str) -> None:
    response = await edge.call("private", {"text": "unasked"}, era=era, key=edge.narrow_key, headers=CHATGPT)

    (challenge,) = response.json()["result"]["_meta"]["mcp/www_authenticate"]
    assert challenge.startswith('Bearer error="insufficient_scope"')
    assert f'resource_metadata="{METADATA}"' in challenge
    assert 'scope="sparks:read"' in challenge
    assert "unasked" not in edge.stage.calls


@pytest.mark.parametrize("era", ERAS)
async def test_a_bad_credential_and_a_refusal_without_a_challenge_have_one_status_for_all(edge: Edge, era: str) -> None:
    response = await edge.call("private", era=era, key="minds_" + "0" * 48, headers=CHATGPT)
    limited = await edge.call("refuse", {"kind": "rate"}, era=era, headers=CHATGPT)

    assert (response.status_code, limited.status_code) == (401, 429)
    assert response.headers["www-authenticate"].startswith('Bearer error="invalid_token"')


@pytest.mark.parametrize("agent", ["", "claude-code/2.1 (openai-mcp)", "xopenai-mcp/1", "curl/8 openai-mcp/1.0.0"])
async def test_every_other_client_reads_the_status(edge: Edge, agent: str) -> None:
    assert (await edge.call("private", headers={"user-agent": agent})).status_code == 401


async def test_challenges_go_into_results_only_where_the_settings_say_so(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, challenge_in_results="Other-Client")) as edge:
        agents = ("openai-mcp/1.0.0", "other-client/3")
        statuses = [(await edge.call("private", headers={"user-agent": agent})).status_code for agent in agents]

    assert statuses == [401, 200]


@pytest.mark.parametrize("era", ERAS)
async def test_everyone_may_list_and_call_what_is_public(edge: Edge, era: str) -> None:
    listed = await edge.rpc("tools/list", era=era)
    called = await edge.call("say", era=era)

    assert (listed.status_code, called.status_code) == (200, 200)
    assert "private" in {tool["name"] for tool in listed.json()["result"]["tools"]}


@pytest.mark.parametrize("era", ERAS)
async def test_a_public_tool_with_scopes_wants_them_of_a_credential_that_is_shown(edge: Edge, era: str) -> None:
    statuses = [(await edge.call("share", era=era, key=key)).status_code for key in (None, edge.key, edge.narrow_key)]

    assert statuses == [200, 200, 403]


@pytest.mark.parametrize("era", ERAS)
async def test_an_unknown_tool_is_no_secret(edge: Edge, era: str) -> None:
    response = await edge.call("nope", era=era)

    assert refusal(response) == (400, -32602)


@pytest.mark.security("RS-27")
async def test_a_name_in_the_header_that_is_not_the_one_in_the_body_is_refused(edge: Edge) -> None:
    response = await edge.call("say", era="2026-07-28", headers={"mcp-name": "private"})
    private = await edge.call("private", era="2026-07-28", headers={"mcp-name": "say", "mcp-method": "tools/list"})

    assert refusal(response) == (400, -32020)
    assert private.status_code in {400, 401}


@pytest.mark.parametrize("era", ERAS)
async def test_a_notification_named_like_a_call_calls_nothing(edge: Edge, era: str) -> None:
    response = await edge.call("private", {"text": "notified"}, era=era, identity=None)

    assert response.status_code in {202, 401}
    assert "notified" not in edge.stage.calls


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/html,application/xhtml+xml", ""])
async def test_get_is_health_for_operators(edge: Edge, accept: str) -> None:
    response = await edge.client.get("/mcp", headers={"accept": accept})

    assert response.status_code == 200
    assert response.json()["status"] == "ok"
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.security("RS-19", "RS-22", "RS-23")
@pytest.mark.parametrize("accept", ["text/event-stream", BOTH_TYPES, "Text/Event-Stream;q=1"])
async def test_get_for_a_stream_is_not_allowed_whoever_asks_and_whatever_they_saw_last(edge: Edge, accept: str) -> None:
    resuming = {"accept": accept, "last-event-id": "1", "mcp-session-id": "x", "authorization": f"Bearer {edge.key}"}

    anonymous = await edge.client.get("/mcp", headers={"accept": accept})
    known = await edge.client.get("/mcp", headers=resuming)

    assert (anonymous.status_code, known.status_code) == (405, 405)
    assert "POST" in known.headers["allow"]


@pytest.mark.security("RS-19", "JR-23")
@pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH", "TRACE", "OPTIONS", "PROPFIND"])
async def test_no_other_method_is_allowed(edge: Edge, method: str) -> None:
    response = await edge.client.request(method, "/mcp", headers={"mcp-session-id": "x"})

    assert response.status_code == 405
    assert response.headers["allow"] == "GET, POST, OPTIONS"
    assert response.content == b""


@pytest.mark.security("RS-25")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("path", LIKE_OURS)
async def test_a_path_that_only_looks_like_ours_is_never_answered_nor_redirected(
    edge: Edge, path: str, era: str
) -> None:
    headers, body = request("tools/list", era=era)
    url = edge.client.base_url.copy_with(raw_path=path.encode())

    response = await edge.client.post(url, headers=headers, json=body)

    assert response.status_code in {400, 404, 405}
    assert "location" not in response.headers


@pytest.mark.security("RS-28", "JR-23")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("session", ["x", "0" * 32, "../../etc"])
async def test_a_session_id_opens_nothing_and_none_is_given_out(edge: Edge, session: str, era: str) -> None:
    private = await edge.call("private", era=era, headers={"mcp-session-id": session})
    public = await edge.rpc("tools/list", era=era, headers={"mcp-session-id": session})

    assert (private.status_code, public.status_code) == (401, 200)
    assert "mcp-session-id" not in public.headers


@pytest.mark.security("HD-08")
@pytest.mark.parametrize(
    "path", ["/nope", "/<script>alert(1)</script>", "/%ff", "/" + "a" * 4_000, "/.env", "/.git/config", "/docs"]
)
async def test_what_is_not_there_is_not_found_and_not_echoed(edge: Edge, path: str) -> None:
    response = await edge.client.get(path)

    assert response.status_code == 404
    assert "script" not in response.text
    assert len(response.content) < 200
    assert "server" not in response.headers
    assert "x-powered-by" not in response.headers
