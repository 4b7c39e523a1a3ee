"""What a client on a socket can do to the server: ambiguous framing, endless heads, and not reading."""

import asyncio
import contextvars
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Receive, Scope, Send

from app.process import http_protocol as wire
from mcp_server.protocol import exchange
from tests.edge import Stage, free_socket, listening, settings_for, within
from tests.socket_client import PING, Wire, call, statuses


async def test_a_request_is_answered_and_white_space_around_a_header_is_no_part_of_it(server: Wire) -> None:
    answer = await server.exchange(server.post("X-Request-ID: \t spaced \t ", "Accept: application/json \t"))

    assert statuses(answer) == [b"200"]
    assert b"\r\nx-request-id: spaced\r\n" in answer


CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)


@pytest.mark.security("OR-12")
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (["Host: evil.example"], PING),
        ([f"Content-Length: {len(PING)}", "Transfer-Encoding: chunked"], CHUNKED),
        ([f"Content-Length: {len(PING)}", f"Content-Length: {len(PING)}"], PING),
        ([f"Content-Length: {len(PING)}", "Content-Length: 3"], PING),
        ([f"Content-Length: {len(PING)}, {len(PING)}"], PING),
        (["Content-Length: many"], PING),
        (["Content-Length: -5"], PING),
        ([f"Content-Length: +{len(PING)}"], PING),
        ([f"Content-Length : {len(PING)}"], PING),
        (["Transfer-Encoding: banana"], PING),
        (["Transfer-Encoding: gzip, chunked"], CHUNKED),
        (["Transfer-Encoding: chunked, identity"], CHUNKED),
        (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], CHUNKED),
        (["Transfer-Encoding: chunked"], b"zz\r\nabc\r\n0\r\n\r\n"),
        (["X-Folded: one\r\n two"], PING),
        (["X-Nul: one\0two"], PING),
    ],
)
async def test_ambiguous_framing_gets_one_400_and_the_end_of_the_connection(
    server: Wire, headers: list[str], body: bytes
) -> None:
    answer = await server.exchange(server.post(*headers, body=body).replace(b"Connection: close\r\n", b""))

    assert statuses(answer) == [b"400"]


@pytest.mark.security("OR-12")
async def test_a_request_that_names_no_host_gets_400(server: Wire) -> None:
    answer = await server.exchange(server.post(host=""))

    assert statuses(answer) == [b"400"]


@pytest.mark.security("OR-11")
async def test_a_target_that_names_another_host_than_the_host_header_gets_400(server: Wire) -> None:
    foreign = await server.exchange(server.post(target="http://evil.example/mcp"))
    own = await server.exchange(server.post(target=f"http://{server.host}/mcp"))

    assert statuses(foreign) == [b"400"]
    assert statuses(own) == [b"200"]


@pytest.mark.security("RS-25")
@pytest.mark.parametrize(
    "target", ["/x/../mcp", "/./mcp", "/..;/mcp", "//mcp", "/mcp/..", "/mcp%0a", "/mcp;/../mcp", "mcp"]
)
async def test_a_target_that_a_proxy_might_rewrite_to_ours_is_not_ours(server: Wire, target: str) -> None:
    answer = await server.exchange(server.post(target=target))

    assert statuses(answer) in ([b"400"], [b"404"])


@pytest.mark.security("HD-10")
@pytest.mark.parametrize("line", ["CONNECT evil.example:443", "FOO /mcp", "get /mcp", "TRACE /mcp", "PRI *"])
async def test_methods_that_http_does_not_need_here_are_refused_without_an_echo(server: Wire, line: str) -> None:
    head = f"{line} HTTP/1.1\r\nHost: {server.host}\r\nX-Echo: parrot\r\nConnection: close\r\n\r\n"

    answer = await server.exchange(head.encode())

    assert statuses(answer)[0] in {b"400", b"405", b"501"}
    assert b"parrot" not in answer


@pytest.mark.security("RE-12")
@pytest.mark.parametrize(
    "headers",
    [
        ["X-Long: " + "a" * 400_000],
        [f"X-{number}: {'a' * 4_000}" for number in range(100)],
        [f"X-{number}: a" for number in range(20_000)],
    ],
)
async def test_400_kilobytes_of_headers_are_refused(server: Wire, headers: list[str]) -> None:
    answer = await server.exchange(server.post(*headers))

    assert statuses(answer) in ([b"400"], [])
    assert statuses(await server.exchange(server.post())) == [b"200"]


@pytest.mark.security("RE-12")
async def test_a_head_that_does_not_end_is_cut_off(server: Wire) -> None:
    answer = await server.exchange(f"POST /mcp HTTP/1.1\r\nHost: {server.host}\r\nX-Long: ".encode() + b"a" * 3_000_000)

    assert statuses(answer) in ([b"400"], [])


@pytest.mark.security("RS-17")
async def test_a_token_of_60_kilobytes_is_refused_as_invalid(server: Wire) -> None:
    answer = await server.exchange(server.post("Authorization: Bearer " + "a" * 60_000))

    assert statuses(answer) == [b"401"]


@pytest.mark.security("RE-02")
@pytest.mark.parametrize("opening", [b"", b"POST /mcp HTTP/1.1\r\nHo"])
async def test_a_connection_whose_head_does_not_come_is_closed(
    server: Wire, monkeypatch: pytest.MonkeyPatch, opening: bytes
) -> None:
    monkeypatch.setattr(wire, "HEAD_SECONDS", 0.05)

    answer = await server.exchange(opening)

    assert answer == b""


@pytest.mark.security("RE-03")
async def test_a_client_that_does_not_read_loses_its_connection(server: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "WRITE_SECONDS", 0.05)
    lost, lose = asyncio.Event(), wire.StrictHttp.connection_lost

    def noted(self: wire.StrictHttp, exc: Exception | None) -> None:
        lose(self, exc)
        lost.set()

    monkeypatch.setattr(wire.StrictHttp, "connection_lost", noted)
    body = call("say", text="a" * 3_000_000)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(client, ("127.0.0.1", server.port))

        await within(loop.sock_sendall(client, server.post(body=body).replace(b"close", b"keep-alive")))
        await within(lost.wait())

    assert statuses(await server.exchange(server.post())) == [b"200"]


async def test_what_is_wrong_on_the_wire_is_not_said_in_the_middle_of_an_answer(
    server: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "KEEP_ALIVE_SECONDS", 0.01)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)

    writer.write(server.post(body=call("wait", word="wire")).replace(b"close", b"keep-alive"))
    await within(reader.readuntil(b": keep-alive"))
    writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
    rest = await within(reader.read())
    server.stage.released["wire"].set()
    writer.close()

    assert b"HTTP/1.1" not in rest


async def test_what_one_request_put_into_its_context_is_not_there_in_the_next_on_its_connection() -> None:
    seen: list[str] = []
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="nothing")

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(variable.get())
        variable.set("the caller before")
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    sock = free_socket()
    async with listening(app, settings_for(Path()), sock):
        server = Wire(sock.getsockname()[1], Stage())
        first = f"GET / HTTP/1.1\r\nHost: {server.host}\r\n\r\n"

        await server.exchange((first + first.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")).encode())

    assert seen == ["nothing", "nothing"]


TOKENS = st.binary(min_size=1, max_size=12)


@given(target=TOKENS, headers=st.lists(st.tuples(st.sampled_from([b"host", b"transfer-encoding", b"x"]), TOKENS)))
def test_a_head_passes_only_with_one_host_a_path_and_at_most_plain_chunks(
    target: bytes, headers: list[tuple[bytes, bytes]]
) -> None:
    hosts = [value for name, value in headers if name == b"host"]
    codings = [value.lower() for name, value in headers if name == b"transfer-encoding"]
    plain = len(hosts) == 1 and codings in ([], [b"chunked"]) and target[:1] in {b"/", b"*"}

    try:
        wire.check_head(target, headers, "1.1")
    except wire.Violation:
        passed = False
    else:
        passed = True

    assert passed == plain
