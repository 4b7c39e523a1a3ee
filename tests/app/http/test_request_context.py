"""One id, one line and one set of headers for each request."""

import re
from ipaddress import ip_network
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from app.http.request_context import client_address, read_address
from mcp_server.observability.logging import add_request
from mcp_server.observability.tracing import current_request
from mcp_server.request_context import current_context
from oauth.primitives.address_limit import network_key
from tests.edge import ERAS, SITE, Edge, running, settings_for

PLAIN = re.compile(r"[0-9a-f]{32}")


@pytest.mark.parametrize("era", ERAS)
async def test_a_request_is_one_line_with_what_was_asked_and_what_came_of_it(edge: Edge, era: str) -> None:
    with capture_logs() as lines:
        await edge.call("private", era=era, key=edge.narrow_key)

    (line,) = [line for line in lines if line["event"] == "request"]
    assert (line["method"], line["path"], line["status"]) == ("POST", "/mcp", 403)
    assert (line["rpc"], line["tool"]) == ("tools/call", "private")
    assert line["ms"] >= 0


async def test_a_request_leaves_nothing_of_itself_to_the_next_in_its_task(edge: Edge) -> None:
    before = current_context.get(None), current_request.get(None)

    await httpx2.AsyncClient(transport=httpx2.ASGITransport(edge.app)).get(f"{SITE}/mcp")

    assert (current_context.get(None), current_request.get(None)) == before


async def test_probes_are_not_logged(edge: Edge) -> None:
    with capture_logs() as lines:
        await edge.client.get("/livez")
        await edge.client.get("/readyz")
        await edge.client.get("/metrics")

    assert lines == []


async def test_the_query_and_the_headers_are_not_logged(edge: Edge) -> None:
    with capture_logs() as lines:
        await edge.client.get("/mcp?code=hunter2&state=hunter2", headers={"cookie": "session=hunter2"})
        await edge.call("say", {"text": "hunter2"}, key=edge.key)

    assert "hunter2" not in str(lines)
    assert edge.key not in str(lines)


@pytest.mark.security("HD-09")
@pytest.mark.parametrize("given_id", ["x" * 5_000, "a b", "<script>", "a,b", "", "{}", "a;b=c", '"', "x" * 65])
async def test_an_odd_request_id_or_a_key_is_replaced_and_a_plain_one_taken_over(edge: Edge, given_id: str) -> None:
    odd, key, plain = [
        (await edge.rpc("ping", headers={"x-request-id": one})).headers["x-request-id"]
        for one in (given_id, edge.key, "trace-1.2:3_4")
    ]

    assert PLAIN.fullmatch(odd)
    assert PLAIN.fullmatch(key)
    assert plain == "trace-1.2:3_4"


async def test_a_long_path_is_cut_in_the_log(edge: Edge) -> None:
    with capture_logs() as lines:
        await edge.client.get("/" + "a" * 4_000)

    assert [len(line["path"]) for line in lines] == [200]


async def test_the_trace_stands_in_the_log_when_the_caller_brought_one(edge: Edge) -> None:
    with capture_logs(processors=[add_request]) as lines:
        await edge.call("say", headers={"traceparent": f"00-{'a' * 32}-{'b' * 16}-00"})
        await edge.call("say")
        await edge.client.get("/nope", headers=[("traceparent", f"00-{'a' * 32}-{'b' * 16}-00")] * 2)

    assert [line.get("trace_id") for line in lines if line["event"] == "request"] == ["a" * 32, None, None]


@pytest.mark.security("RL-16")
async def test_probes_are_an_area_of_their_own_and_no_attempt_to_sign_in(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path)) as edge:
        for _ in range(5):
            await edge.client.get("/metrics")
            await edge.client.get("/livez")
            await edge.client.options("/mcp", headers={"origin": SITE, "access-control-request-method": "POST"})
        shown = (await edge.client.get("/metrics")).text

    assert 'http_requests_total{area="probes",method="GET",status="200"} 10.0' in shown
    assert "authentication_attempts_total{" not in shown
    assert "mcp_tool_calls_total{" not in shown


@pytest.mark.security("HD-01", "HD-03", "HD-04")
@pytest.mark.parametrize("era", ERAS)
async def test_every_answer_is_told_how_to_be_read(edge: Edge, era: str) -> None:
    answers = [
        await edge.client.get("/mcp"),
        await edge.client.get("/nope"),
        await edge.client.delete("/mcp"),
        await edge.client.get("/.well-known/oauth-protected-resource"),
        await edge.client.options(
            "/mcp", headers={"origin": "https://x.example", "access-control-request-method": "POST"}
        ),
        await edge.client.get("/mcp", headers={"host": "evil.example"}),
        await edge.rpc("tools/list", era=era),
        await edge.call("private", era=era),
        await edge.call("crash", era=era),
        await edge.call("count", era=era, token="t"),
        await edge.post(b"{", mcp_protocol_version=era),
    ]

    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert not {"server", "x-powered-by", "strict-transport-security"} & set(answer.headers)


async def test_a_page_with_a_policy_of_its_own_keeps_it(edge: Edge) -> None:
    response = await edge.client.get("/oauth/login")

    policies = response.headers.get_list("content-security-policy")
    assert len(policies) == 1
    assert "style-src" in policies[0]


PROXIES = ("10.0.0.1/32", "10.0.0.2/32", "2001:db8:ffff::/48")


def seen(peer: str, *lines: str, trusted: tuple[str, ...] = PROXIES) -> str:
    return client_address(peer, lines, [ip_network(network) for network in trusted])


@pytest.mark.security("RL-03")
@given(st.lists(st.one_of(st.ip_addresses().map(str), st.text(max_size=20)), max_size=5))
def test_nobody_who_is_no_trusted_proxy_can_name_another_address(words: list[str]) -> None:
    assert seen("192.0.2.9", ", ".join(words)) == "192.0.2.9"
    assert seen("10.0.0.1", *words, trusted=()) == "10.0.0.1"


@pytest.mark.security("RL-05")
@given(st.lists(st.ip_addresses().map(str), max_size=20))
def test_behind_two_proxies_the_address_before_them_counts_whatever_the_client_wrote(invented: list[str]) -> None:
    header = ", ".join([*invented, "203.0.113.7", "10.0.0.1"])

    assert seen("10.0.0.2", header) == "203.0.113.7"


@pytest.mark.security("RL-05")
@pytest.mark.parametrize(
    ("lines", "client"),
    [
        (["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
        (["198.51.100.1", "203.0.113.7"], "203.0.113.7"),
        (["203.0.113.7:4711"], "203.0.113.7"),
        (["[2001:db8::7]:4711"], "2001:db8::7"),
        (["::ffff:203.0.113.7"], "203.0.113.7"),
        (["2001:DB8:0::0007"], "2001:db8::7"),
        (["203.0.113.7, unknown"], "10.0.0.1"),
        (["203.0.113.7, "], "10.0.0.1"),
        ([], "10.0.0.1"),
        (["10.0.0.2"], "10.0.0.2"),
        (["198.51.100.1, 2001:db8:ffff::9"], "198.51.100.1"),
        ([",".join(["203.0.113.7", *["10.0.0.2"] * 1000])], "10.0.0.2"),  # an endless chain is not followed
    ],
)
def test_hops_are_read_from_the_right_in_every_spelling(lines: list[str], client: str) -> None:
    assert seen("10.0.0.1", *lines) == client
    assert seen("::ffff:10.0.0.1", *lines) == client  # a proxy on a socket for both families


@pytest.mark.security("RL-04")
def test_a_site_is_one_place_however_its_addresses_are_written() -> None:
    site = {network_key(seen(f"2001:db8:0:1::{host:x}")) for host in range(1000)}
    mapped = {network_key(seen(address)) for address in ("::ffff:192.0.2.1", "192.0.2.1", "::FFFF:C000:0201")}
    spelt = {network_key(seen(address)) for address in ("2001:DB8:0:1::A", "2001:0db8:0000:0001::000a")}

    assert (len(site), len(mapped)) == (1, 1)
    assert spelt == site


def test_what_is_no_address_is_none() -> None:
    assert {read_address(text) for text in ("", "unix:", "a.example", "[::x", "1.2.3.4.5", "999.1.1.1")} == {None}
    assert str(read_address("fe80::1%eth0")) == "fe80::1"
