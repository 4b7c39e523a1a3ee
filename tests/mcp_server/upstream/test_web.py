"""The guarded way out: what is refused, what is pinned, and what is never carried."""

import asyncio
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.upstream.addresses import AddressRefused, AllowedHosts, check_target, is_public, parse_hosts
from mcp_server.upstream.web import GuardedTransport, Resolve, check_link, open_web, resolve_host, trusted
from tests.loopback import Canary, Loopback, certificate, reply, resolving, serving

# fmt: off
# Many to a line: they are read as a table, not one by one.
PRIVATE_HOSTS = [
    "127.0.0.1", "127.255.255.254", "localhost", "localhost.", "LOCALHOST", "0.0.0.0", "10.1.2.3",
    "100.64.0.1", "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192",
    "192.168.1.1", "198.18.0.1", "203.0.113.9", "224.0.0.1", "255.255.255.255", "[::]", "[::1]",
    "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001::7f00:1]", "[2001:db8::1]", "[fc00::1]",
    "[fd00:ec2::254]", "[fe80::1]", "[fec0::1]", "[ff02::1]",
]
# fmt: on


def _guarded(canary: Canary, resolve: Resolve = resolve_host, allow: AllowedHosts | None = None) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=GuardedTransport(lambda: canary, allow or AllowedHosts(), resolve))


@pytest.mark.parametrize("host", PRIVATE_HOSTS)
async def test_a_private_host_is_refused_before_anything_is_sent(host: str) -> None:
    canary = Canary()

    async with _guarded(canary) as web:
        with pytest.raises(AddressRefused) as refusal:
            await web.get(f"http://{host}/")

    assert refusal.value.code == "private_address"
    assert canary.asked == []


async def test_the_connection_goes_to_the_checked_address_under_the_name() -> None:
    canary = Canary()

    async with _guarded(canary, resolving(["93.184.215.14"])) as web:
        await web.get("https://example.com:8443/a%2Fb?q=1")

    (sent,) = canary.asked
    assert str(sent.url) == "https://93.184.215.14:8443/a%2Fb?q=1"
    assert sent.headers["Host"] == "example.com:8443"
    assert sent.extensions["sni_hostname"] == "example.com"


@pytest.mark.parametrize(
    ("answers", "asked"),
    [([["93.184.215.14"], ["127.0.0.1"]], ["93.184.215.14"]), ([["93.184.215.14", "::1"]], [])],
    ids=["a name that changes its answer", "one private address among public ones"],
)
async def test_no_answer_of_a_name_moves_the_connection_inside(answers: list[list[str]], asked: list[str]) -> None:
    canary = Canary()

    async with _guarded(canary, resolving(*answers)) as web:
        for _ in answers[1:]:
            await web.get("http://rebinding.example/")
        with pytest.raises(AddressRefused):
            await web.get("http://rebinding.example/")

    assert [request.url.host for request in canary.asked] == asked


async def test_a_dead_address_leads_to_the_next_one_and_many_cost_a_few_attempts() -> None:
    dead = [f"93.184.215.{last}" for last in range(1, 100)]
    canary = Canary("2606:2800::1", *dead)

    async with _guarded(canary, resolving(["2606:2800::1", "93.184.216.34"], dead)) as web:
        assert (await web.get("http://example.com/")).text == "reached"
        with pytest.raises(httpx2.ConnectError):
            await web.get("http://example.com/")

    assert [request.url.host for request in canary.asked] == ["2606:2800::1", "93.184.216.34", *dead[:4]]


async def test_a_name_that_does_not_resolve_or_not_in_time_is_a_fault_of_the_connection() -> None:
    async def resolve(host: str, _port: int) -> Sequence[str]:
        if host == "nowhere.example":
            raise OSError(-2, "Name or service not known")
        await asyncio.Event().wait()
        return []

    async with _guarded(Canary(), resolve) as web:
        with pytest.raises(httpx2.ConnectError):
            await web.get("http://nowhere.example/")
        with pytest.raises(httpx2.ConnectTimeout):
            await web.get("http://slow.example/", timeout=0.01)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_exactly_the_allowed_pair_is_reached_although_private(host: str) -> None:
    async with serving({"/": reply("200 OK", b"hello")}, host=host) as here, _open(here) as web:
        answer = await web.get(here.origin)
        for other in (f"http://localhost:{here.port}/", "http://127.0.0.1:8081/"):
            with pytest.raises(AddressRefused):
                await web.get(other)

    assert answer.text == "hello"
    assert f"host: {here.netloc}" in here.heads[0].lower()


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("http://127.0.0.1:{port}/secret", "private_address"),
        ("//localhost:{port}/secret", "private_address"),
        ("http://[::ffff:127.0.0.1]:{port}/secret", "private_address"),
        ("http://2130706433:{port}/secret", "bad_host"),
        ("http://ada:pw@127.0.0.1:{port}/secret", "credentials_in_url"),
        ("http://169.254.169.254/latest/meta-data/", "private_address"),
        ("file:///etc/passwd", "not_http"),
    ],
)
async def test_a_redirect_is_checked_like_a_request(location: str, code: str) -> None:
    async with serving({"/secret": reply("200 OK", b"secret")}) as inside:
        moved = reply("302 Found", Location=location.format(port=inside.port))
        async with serving({"/": moved}) as here, _open(here) as web:
            with pytest.raises(AddressRefused) as refusal:
                await web.get(here.origin)

    assert refusal.value.code == code
    assert inside.heads == []


async def test_a_redirect_loop_ends_after_five_hops() -> None:
    async with serving({"/": reply("302 Found", Location="/")}) as here, _open(here) as web:
        with pytest.raises(httpx2.TooManyRedirects):
            await web.get(here.origin)

    assert len(here.heads) == 6


async def test_the_body_of_a_redirect_is_not_read() -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: /page\r\nContent-Type: text/html\r\n\r\n")
        while True:
            writer.write(bytes(65_536))
            await writer.drain()

    async with serving({"/": endless, "/page": reply("200 OK", b"the page")}) as here, _open(here) as web:
        answer = await web.get(here.origin)

    assert answer.text == "the page"


async def test_no_cookie_and_no_credential_is_carried() -> None:
    greedy = reply("302 Found", Location="/next", Set_Cookie="sid=1; Path=/")
    async with serving({"/": greedy, "/next": reply("200 OK")}) as here, _open(here) as web:
        jar = web.cookies.jar
        await web.get(here.origin, headers={"Authorization": "Bearer minds_secret", "Cookie": "a=b"})

    sent = "".join(here.heads).lower()
    assert len(here.heads) == 2
    assert list(jar) == []
    assert "cookie" not in sent
    assert "authorization" not in sent


async def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving({}) as proxy, serving({"/": reply("200 OK", b"direct")}) as here:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.origin)
        async with _open(here) as web:
            answer = await web.get(here.origin)

    assert answer.text == "direct"
    assert proxy.heads == []


async def test_the_certificate_must_have_the_name_that_was_asked_for(tmp_path: Path) -> None:
    tls, trusting = certificate("minds.test", tmp_path)
    resolve = resolving(["127.0.0.1"])
    async with serving({"/": reply("200 OK", b"private")}, tls=tls) as here:
        allow = AllowedHosts(frozenset({("minds.test", here.port), ("other.test", here.port)}))
        async with open_web(allow, resolve=resolve, verify=trusting) as web:
            answer = await web.get(f"https://minds.test:{here.port}/")
            with pytest.raises(httpx2.ConnectError):
                await web.get(f"https://other.test:{here.port}/")

    assert answer.text == "private"
    assert f"host: minds.test:{here.port}" in here.heads[0].lower()


async def test_a_certificate_that_the_machine_is_told_to_trust_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    tls, _ = certificate("localhost", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "both.pem"))
    request.addfinalizer(trusted.cache_clear)
    trusted.cache_clear()
    async with (
        serving({"/": reply("200 OK", b"of the house")}, tls=tls) as here,
        open_web(AllowedHosts(frozenset({("localhost", here.port)}))) as web,
    ):
        answer = await web.get(f"https://localhost:{here.port}/")

    assert answer.text == "of the house"


def _open(*servers: Loopback) -> httpx2.AsyncClient:
    return open_web(parse_hosts(" ".join(server.netloc for server in servers)))


@pytest.mark.parametrize(
    ("link", "code"),
    [
        ("file:///etc/passwd", "not_http"),
        ("http://user:secret@example.com/", "credentials_in_url"),
        ("http://169.254.169.254/latest/meta-data", "private_address"),
        ("http://inside.example.com/", "private_address"),
        ("http://[nonsense/", "bad_host"),
    ],
)
async def test_a_link_that_is_never_fetched_is_refused_before_anything_is_kept(link: str, code: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        await check_link(link, AllowedHosts(), resolve=resolving(["93.184.216.34", "10.0.0.1"]))

    assert refused.value.code == code


async def test_a_public_link_an_allowed_one_and_one_that_does_not_resolve_now_are_admitted() -> None:
    async def nothing(_host: str, _port: int) -> Sequence[str]:
        raise OSError

    await check_link("https://example.com/", AllowedHosts(), resolve=resolving(["93.184.216.34"]))
    await check_link("http://127.0.0.1:8199/", parse_hosts("127.0.0.1:8199"))
    await check_link("https://example.com/", AllowedHosts(), resolve=nothing)


# fmt: off
ODD_HOSTS = [
    "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "127.0.0.0x1",
    "010.8.8.8", "256.1.1.1", "8.8.2056", "[::1%25lo]", "a%00b.example", "127.0.0.1%2eexample",
]
# fmt: on


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://example.com/", "not_http"),
        ("file:///etc/passwd", "not_http"),
        ("gopher://example.com/", "not_http"),
        ("http://ada:secret@example.com/", "credentials_in_url"),
        ("http://ada@example.com/", "credentials_in_url"),
        ("http://127.0.0.1%2f@example.com/", "credentials_in_url"),
        ("http://example.com:22/", "bad_port"),
        ("http://example.com:25/", "bad_port"),
        ("http://example.com:6379/", "bad_port"),
        ("http://example.com:0/", "bad_port"),
        ("http://example.com:65536/", "bad_port"),
        ("http:///path", "bad_host"),
    ],
)
def test_an_address_of_the_wrong_kind_is_refused(url: str, code: str) -> None:
    with pytest.raises(AddressRefused) as refusal:
        check_target(httpx2.URL(url), AllowedHosts())

    assert refusal.value.code == code


@pytest.mark.parametrize("host", ODD_HOSTS)
def test_a_host_in_an_odd_spelling_is_refused(host: str) -> None:
    with pytest.raises((AddressRefused, httpx2.InvalidURL)):
        check_target(httpx2.URL(f"http://{host}/"), AllowedHosts())


@given(st.ip_addresses(v=4))
def test_no_form_of_ipv6_smuggles_an_ipv4_address(inside: IPv4Address) -> None:
    bits = int(inside)
    forms = [bits, (0xFFFF << 32) | bits, (0x64FF9B << 96) | bits, (0x2002 << 112) | (bits << 80)]
    teredo = (0x20010000 << 96) | (bits ^ 0xFFFFFFFF)

    public = [form for form in (*forms, teredo) if is_public(str(IPv6Address(form)))]

    assert public == []


@given(st.ip_addresses())
def test_what_is_taken_for_public_is_global(address: IPv4Address | IPv6Address) -> None:
    assert address.is_global or not is_public(str(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.215.14", "172.32.0.1", "2606:2800:21f:cb07::1"])
def test_addresses_of_the_public_internet_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("text", ["127.0.0.1", "127.0.0.1:", ":80", "a:0", "a:65536", "a:b", "a:²"])
def test_a_wrong_allow_list_is_refused_at_the_start(text: str) -> None:
    with pytest.raises(ValueError, match="FETCH_ALLOW_HOSTS"):
        parse_hosts(text)
