"""One URL, both eras: versions, Accept, notifications, lists, and what only one era knows."""

from typing import Any

import orjson
import pytest

from tests.edge import ERAS, LEGACY, MODERN, Edge, messages, refusal, request

HANDSHAKES = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


def initialize(version: object) -> dict[str, object]:
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.mark.parametrize("version", HANDSHAKES)
@pytest.mark.parametrize("header", ["", "2025-03-26", "2025-11-25"])
async def test_initialize_agrees_on_the_version_that_is_asked_for(edge: Edge, version: str, header: str) -> None:
    headers, body = request("initialize", initialize(version))
    del headers["mcp-protocol-version"]

    response = await edge.client.post(
        "/mcp", headers={**headers, **({"mcp-protocol-version": header} if header else {})}, json=body
    )

    result = response.json()["result"]
    assert response.status_code == 200
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "minds"
    assert "tools" in result["capabilities"]
    assert "mcp-session-id" not in response.headers


@pytest.mark.security("JR-18")
@pytest.mark.parametrize("version", ["1.0", "", "9999-12-31", "2026-07-28", 7, None])
async def test_initialize_with_another_version_gets_a_served_one_or_an_error(edge: Edge, version: object) -> None:
    response = await edge.rpc("initialize", initialize(version))

    if isinstance(version, str):
        assert response.json()["result"]["protocolVersion"] == "2025-11-25"
    else:
        assert refusal(response) == (400, -32602)


@pytest.mark.parametrize("version", HANDSHAKES)
async def test_every_older_version_calls_tools_without_a_handshake(edge: Edge, version: str) -> None:
    response = await edge.call("say", era=version)

    assert response.status_code == 200
    assert response.json()["result"]["content"][0]["text"] == "hello"


async def test_a_client_that_does_not_say_its_version_is_served(edge: Edge) -> None:
    response = await edge.post(orjson.dumps(request("tools/list")[1]), mcp_protocol_version="")

    assert response.status_code == 200
    assert response.json()["result"]["tools"]


@pytest.mark.parametrize("version", ["2027-01-01", "1999-01-01", "2025-11-26", "banana", "2026-07-28 ", "é"])
async def test_an_unknown_version_is_told_which_ones_are_served(edge: Edge, version: str) -> None:
    named = version.encode().decode("latin-1") if version.isascii() else "e-acute"
    headers, body = request("tools/list", era=MODERN)
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = named

    response = await edge.client.post("/mcp", headers={**headers, "mcp-protocol-version": named}, json=body)

    assert refusal(response) == (400, -32022)
    assert response.json()["error"]["data"] == {"supported": [MODERN], "requested": named}


@pytest.mark.parametrize("params", [None, {}, {"_meta": {}}, {"_meta": {"progressToken": 1}}, {"_meta": 7}])
@pytest.mark.parametrize("version", ["2027-01-01", "1999-01-01", "2025-11-26", "banana"])
async def test_an_unknown_version_that_the_body_does_not_name_is_told_the_versions_of_both_eras(
    edge: Edge, version: str, params: dict[str, object] | None
) -> None:
    response = await edge.rpc("tools/list", params, identity="seven", headers={"mcp-protocol-version": version})

    answer = response.json()
    assert (*refusal(response), answer["id"]) == (400, -32022, "seven")
    assert answer["error"]["data"] == {"supported": [*HANDSHAKES, MODERN], "requested": version}


@pytest.mark.parametrize("version", ["2027-01-01", "1999-01-01", "banana"])
async def test_a_call_in_an_unknown_version_is_not_made(edge: Edge, version: str) -> None:
    params = {"name": "say", "arguments": {"text": f"in {version}"}}

    response = await edge.rpc("tools/call", params, headers={"mcp-protocol-version": version})

    assert refusal(response) == (400, -32022)
    assert f"in {version}" not in edge.stage.calls


@pytest.mark.parametrize("era", ERAS)
async def test_the_tools_are_the_same_for_everybody_and_each_answer_has_the_id_of_its_request(
    edge: Edge, era: str
) -> None:
    asked = [request("tools/list", {}, era=era, identity=identity) for identity in (1, "two")]
    first, second = [(await edge.client.post("/mcp", headers=headers, json=body)).json() for headers, body in asked]
    headers, body = request("tools/list", {"cursor": "x"}, era=era)
    page = (await edge.client.post("/mcp", headers=headers, json=body)).json()  # which the kernel answers

    assert (first["id"], second["id"]) == (1, "two")
    assert first["result"] == second["result"] == page["result"]


async def test_of_an_endless_version_only_a_little_is_repeated(edge: Edge) -> None:
    response = await edge.rpc("tools/list", headers={"mcp-protocol-version": "9" * 10_000})

    assert response.json()["error"]["code"] == -32022
    assert len(response.content) < 500


async def test_a_version_in_the_header_that_is_not_the_bodys_is_refused(edge: Edge) -> None:
    headers, body = request("tools/list", era=MODERN)
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = LEGACY

    response = await edge.client.post("/mcp", headers=headers, json=body)

    assert refusal(response) == (400, -32020)


@pytest.mark.parametrize("version", [None, LEGACY, "2025-03-26"])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/list", {}),
        ("tools/call", {"name": "say", "arguments": {"text": "mismatched"}}),
        ("server/discover", {}),
        ("resources/list", {}),
        ("ping", {}),
        ("no/such", {}),
    ],
)
async def test_a_version_of_2025_in_the_header_and_a_modern_one_in_the_body_are_a_mismatch_for_every_method(
    edge: Edge, method: str, params: dict[str, Any], version: str | None
) -> None:
    headers, body = request(method, params, era=MODERN)
    headers |= {"mcp-protocol-version": version} if version else {}
    sent = headers if version else {name: value for name, value in headers.items() if name != "mcp-protocol-version"}

    response = await edge.client.post("/mcp", headers=sent, json=body)

    assert (*refusal(response), response.json()["id"]) == (400, -32020, 1)
    assert "mismatched" not in edge.stage.calls


@pytest.mark.parametrize("key", ["protocolVersion", "clientCapabilities"])
async def test_a_modern_request_without_its_envelope_is_told_what_is_missing(edge: Edge, key: str) -> None:
    headers, body = request("tools/list", era=MODERN)
    del body["params"]["_meta"][f"io.modelcontextprotocol/{key}"]

    response = await edge.client.post("/mcp", headers=headers, json=body)

    assert refusal(response) == (400, -32602)
    assert key in response.json()["error"]["message"]


@pytest.mark.security("RS-27")
@pytest.mark.parametrize(
    ("header", "times"),
    [("mcp-method", 0), ("mcp-name", 0), ("mcp-method", 2), ("mcp-name", 2), ("mcp-protocol-version", 2)],
)
async def test_a_modern_request_whose_routing_header_does_not_come_once_is_refused(
    edge: Edge, header: str, times: int
) -> None:
    headers, body = request("tools/call", {"name": "say", "arguments": {"text": "unrouted"}}, era=MODERN)
    repeated = [(header, headers.pop(header))] * times

    response = await edge.client.post("/mcp", headers=[*headers.items(), *repeated], json=body)

    assert refusal(response) == (400, -32020)
    assert "unrouted" not in edge.stage.calls


async def test_a_name_that_no_header_can_hold_is_compared_decoded(edge: Edge) -> None:
    headers, body = request("tools/call", {"name": "say"}, era=MODERN)

    response = await edge.client.post("/mcp", headers={**headers, "mcp-name": "=?base64?c2F5?="}, json=body)

    assert response.status_code == 200


async def test_discover_names_the_modern_version_and_it_and_lists_may_be_kept_by_everyone(edge: Edge) -> None:
    response, listed = await edge.rpc("server/discover", era=MODERN), await edge.rpc("tools/list", era=MODERN)

    result = response.json()["result"]
    assert response.status_code == 200
    assert result["supportedVersions"] == [MODERN]
    assert result["resultType"] == "complete"
    assert "tools" in result["capabilities"]
    for kept in (result, listed.json()["result"]):
        assert (kept["ttlMs"], kept["cacheScope"]) == (300_000, "public")


@pytest.mark.parametrize("era", ERAS)
async def test_the_tools_are_the_same_in_both_eras_and_in_a_fixed_order(edge: Edge, era: str) -> None:
    first, again = [(await edge.rpc("tools/list", era=era)).json()["result"]["tools"] for _ in range(2)]
    legacy = (await edge.rpc("tools/list")).json()["result"]["tools"]

    assert first == again
    assert [tool["name"] for tool in first] == [tool["name"] for tool in legacy]
    assert all(tool["securitySchemes"] for tool in first)


@pytest.mark.security("JR-24")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("cursor", ["' OR 1=1 --", "x" * 5_000, "\0"])
async def test_a_forged_cursor_shows_nothing_else(edge: Edge, cursor: str, era: str) -> None:
    response = await edge.rpc("tools/list", {"cursor": cursor}, era=era)

    assert response.status_code in {200, 400}
    assert "nextCursor" not in response.text


@pytest.mark.security("JR-05")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/cancelled", "notifications/nope"])
async def test_a_notification_is_accepted_without_a_body(edge: Edge, method: str, era: str) -> None:
    response = await edge.rpc(method, era=era, identity=None)

    assert response.status_code == 202
    assert response.content == b""


@pytest.mark.security("JR-06")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("outcome", [{"result": {}}, {"error": {"code": 1, "message": "x"}}])
async def test_a_response_goes_to_nobody(edge: Edge, outcome: dict[str, object], era: str) -> None:
    response = await edge.post(orjson.dumps({"jsonrpc": "2.0", "id": 1, **outcome}), mcp_protocol_version=era)

    assert response.status_code in {202, 400}
    assert "result" not in response.text


@pytest.mark.security("JR-16")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("accept", ["text/html", "application/xml", "image/png", "text/*;q=0, image/*"])
async def test_a_client_that_reads_neither_form_is_told_so(edge: Edge, accept: str, era: str) -> None:
    response = await edge.call("count", era=era, headers={"accept": accept})

    assert response.status_code == 406


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        "application/*, text/*",
        "APPLICATION/JSON, TEXT/EVENT-STREAM",
        "application/json;q=0.9, text/event-stream;q=0.1",
    ],
)
@pytest.mark.parametrize("era", ERAS)
async def test_every_way_to_accept_both_forms_is_understood(edge: Edge, accept: str, era: str) -> None:
    response = await edge.rpc("tools/list", era=era, headers={"accept": accept})

    assert response.status_code == 200


async def test_accept_may_come_in_two_lines(edge: Edge) -> None:
    headers, body = request("tools/call", {"name": "count", "arguments": {}, "_meta": {"progressToken": "t"}})
    del headers["accept"]
    lines = [("accept", "application/json"), ("accept", "text/event-stream")]

    response = await edge.client.post("/mcp", headers=[*headers.items(), *lines], json=body)

    assert response.headers["content-type"] == "text/event-stream"


async def test_who_asked_for_no_progress_or_reads_only_json_gets_the_answer_as_json(edge: Edge) -> None:
    only_json: dict[str, Any] = {"token": "t", "headers": {"accept": "application/json"}}
    for era, more in ((LEGACY, only_json), (LEGACY, {}), (MODERN, {})):
        response = await edge.call("count", era=era, **more)

        assert response.headers["content-type"] == "application/json"
        assert response.json()["result"]["structuredContent"] == {"text": "counted to 3"}


@pytest.mark.parametrize("era", ERAS)
async def test_progress_comes_as_events_when_it_was_asked_for(edge: Edge, era: str) -> None:
    response = await edge.call("count", era=era, token="token-1")

    *reports, answer = messages(response)
    assert response.headers["content-type"] == "text/event-stream"
    assert response.headers["x-accel-buffering"] == "no"
    assert [report["params"]["progress"] for report in reports] == [1, 2, 3]
    assert {report["params"]["progressToken"] for report in reports} == {"token-1"}
    assert answer["result"]["structuredContent"] == {"text": "counted to 3"}


@pytest.mark.parametrize(("era", "status"), [(LEGACY, 200), (MODERN, 404)])
async def test_only_the_older_era_knows_ping(edge: Edge, era: str, status: int) -> None:
    response = await edge.rpc("ping", era=era)

    assert response.status_code == status


@pytest.mark.requirement("seed:gateway:error-method-not-found")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("method", ["nope", "tools/delete", "rpc.discover", "", "__class__"])
async def test_an_unknown_method_is_404(edge: Edge, method: str, era: str) -> None:
    response = await edge.rpc(method, era=era)

    assert refusal(response) == (404, -32601)
    assert response.json()["error"]["data"] == {"code": "METHOD_NOT_FOUND"}


@pytest.mark.security("JR-19")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "params", [None, {}, {"name": None}, {"name": 7}, {"name": ["say"]}, {"name": "say", "arguments": 7}]
)
async def test_a_call_that_is_not_one_is_a_parameter_error(
    edge: Edge, params: dict[str, object] | None, era: str
) -> None:
    headers, body = request("tools/list", params, era=era)
    body["method"] = "tools/call"
    headers.update({"mcp-method": "tools/call", "mcp-name": "say"} if era == MODERN else {})

    response = await edge.client.post("/mcp", headers=headers, json=body)

    error = response.json()["error"]
    assert response.status_code == 400
    assert error["code"] == -32020 or (error["code"], error["data"]) == (-32602, {"code": "INVALID_PARAMS"})


@pytest.mark.requirement("seed:gateway:error-invalid-params")
@pytest.mark.security("JR-19")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", ["nope", "__proto__", "say; rm -rf /", "../say", "SAY", "say\0", "x" * 10_000])
async def test_an_unknown_tool_is_a_parameter_error(edge: Edge, name: str, era: str) -> None:
    headers, body = request("tools/call", {"name": name}, era=era)
    headers.pop("mcp-name", None)
    if era == MODERN and name.isprintable():
        headers["mcp-name"] = name

    response = await edge.client.post("/mcp", headers=headers, json=body)

    assert response.status_code == 400
    assert response.json()["error"]["code"] in ({-32602} if name.isprintable() else {-32602, -32020})
    assert len(response.content) < 1_000


@pytest.mark.security("JR-19")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("arguments", [{}, {"word": 7}, {"word": None}, {"word": "w", "__proto__": {}}, {"wrod": "w"}])
async def test_wrong_arguments_are_a_result_that_a_model_can_mend(
    edge: Edge, arguments: dict[str, object], era: str
) -> None:
    response = await edge.call("wait", arguments, era=era)

    result = response.json()["result"]
    assert response.status_code == 200
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "invalid_arguments"
    assert "Traceback" not in response.text
