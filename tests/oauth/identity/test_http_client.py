"""Answers of providers are bounded in time and size, and their faults are one of two words."""

import asyncio
import gzip
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from oauth.identity.provider import MAX_BYTES, ProviderClient, ProviderUnavailable, over_tls
from tests.loopback import certificate, reply, serving

URL = "https://idp.example/document"
CLIENT = {"client_id": "gateway", "redirect_uri": "https://gw.example.com/oauth/callback"}


def door_to(handler: Callable[[httpx2.Request], httpx2.Response], patience: float = 10) -> ProviderClient:
    return ProviderClient(lambda: httpx2.MockTransport(handler), patience=patience)


def door_saying(response: httpx2.Response) -> ProviderClient:
    return door_to(lambda _request: response)


FAULTS = [
    httpx2.Response(500, text="<b>boom"),
    httpx2.Response(302, headers={"location": "https://elsewhere.example/"}),
    httpx2.Response(200, text="<html>"),
    httpx2.Response(200, json=["a list"]),
    httpx2.Response(200, content=b"[" + b"1," * MAX_BYTES),
    httpx2.Response(200, headers={"content-encoding": "gzip"}, content=gzip.compress(b"{}")),
]


@pytest.mark.security("FI-28", "CB-10")
@pytest.mark.parametrize("response", FAULTS)
async def test_an_answer_that_is_of_no_use_is_no_answer(response: httpx2.Response) -> None:
    with pytest.raises(ProviderUnavailable) as fault:
        await door_saying(response).get(URL)

    assert "boom" not in str(fault.value)
    with pytest.raises(ProviderUnavailable):
        await door_saying(response).exchange(URL, CLIENT, code="c", code_verifier="v")


async def test_a_redirect_is_not_followed() -> None:
    asked: list[str] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.host)
        return httpx2.Response(307, headers={"location": "https://elsewhere.example/"})

    with pytest.raises(ProviderUnavailable):
        await door_to(handle).exchange(URL, CLIENT, code="c", code_verifier="v")

    assert asked == ["idp.example"]


@pytest.mark.security("FI-28", "CB-10")
async def test_waiting_has_an_end() -> None:
    class Silent(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            await asyncio.Event().wait()
            raise AssertionError

    with pytest.raises(ProviderUnavailable):
        await ProviderClient(Silent, patience=0.05).get(URL)


@pytest.mark.parametrize(
    ("method", "where"), [("client_secret_basic", "authorization"), ("client_secret_post", "body"), ("none", "nowhere")]
)
async def test_the_client_authenticates_as_it_was_told(method: str, where: str) -> None:
    seen: list[httpx2.Request] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json={"access_token": "a", "id_token": "i"})

    client = CLIENT | {"client_secret": "s3cr3t", "token_endpoint_auth_method": method}
    tokens = await door_to(handle).exchange(URL, client, code="c", code_verifier="v")

    body = seen[0].content.decode()
    assert tokens["id_token"] == "i"
    assert "grant_type=authorization_code" in body
    assert "code_verifier=v" in body
    assert ("authorization" in seen[0].headers, "s3cr3t" in body) == (where == "authorization", where == "body")


async def test_an_issuer_may_have_a_certificate_that_the_machine_is_told_to_trust(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls, _ = certificate("localhost", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "both.pem"))
    async with serving({"/document": reply("200 OK", b'{"of": "the house"}')}, tls=tls) as here:
        document = await ProviderClient(over_tls()).get(f"https://localhost:{here.port}/document")

    assert document == {"of": "the house"}
